/*
 * What an update makes of a document: operators, replacement, pipeline.
 */
#ifndef SHARDPROOF_UPDATE_H
#define SHARDPROOF_UPDATE_H

#include "collator.h"
#include "value.h"
#include "version.h"

typedef enum sp_update_form {
    SP_UPDATE_OPERATORS,   /* {$set: {…}, …} */
    SP_UPDATE_REPLACEMENT, /* a document without operators */
    SP_UPDATE_PIPELINE,    /* an array of stages */
} sp_update_form_t;

/* The form of an update, `update` being an object or an array. */
sp_update_form_t sp_update_form(const sp_value_t *update);

/* What a server refuses before it looks at any document: unknown operators, two operators on one
 * path, a path without parts, a multi-document replacement. SP_ERROR_RULE with its code;
 * SP_ERROR_INPUT for operators and expressions that the model does not know, which are named. */
bool sp_update_check(const sp_value_t *update, bool multi, sp_version_t version, sp_error_t *error);

/* Appends to `after` (initialised empty by the caller) what `update`, which sp_update_check must
 * have accepted, makes of `doc`, byte for byte as a server stores it; but Timestamp(0, 0) at the
 * top of a replacement, which a server stores as the time (sp_storage_replaces), is left, and the
 * limit of 16 MB is not looked at. `changed` says whether the server counts the document as
 * modified, which it may do though no byte differs. A `doc` without _id may get any, as while an
 * upsert makes one. SP_ERROR_RULE with the server's code where applying it fails (14 TypeMismatch,
 * 28 PathNotViable, 66 ImmutableField for _id, …; docs/rules-update.md has all); SP_ERROR_INPUT as
 * above, and for what servers abort over: an array index in two spellings, a pipeline where an
 * object has a name twice. */
bool sp_update_apply(const sp_value_t *update, const bson_t *doc, sp_version_t version,
                     bson_t *after, bool *changed, sp_error_t *error);

/* The same on a collection, or by an update, with a collation (NULL: none), which $min and $max
 * compare strings by. */
bool sp_update_apply_collated(const sp_value_t *update, const bson_t *doc, sp_version_t version,
                              const sp_collator_t *collator, bson_t *after, bool *changed,
                              sp_error_t *error);

/* The same where an upsert makes a document of `doc`, which its filter has made: a replacement may
 * leave fields at the top whose names begin with $. */
bool sp_update_make_collated(const sp_value_t *update, const bson_t *doc, sp_version_t version,
                             const sp_collator_t *collator, bson_t *after, bool *changed,
                             sp_error_t *error);

#endif
