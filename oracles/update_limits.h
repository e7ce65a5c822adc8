/*
 * What a server refuses to store by an update, beside what storage.h has: names and nesting of what
 * was changed.
 */
#ifndef SHARDPROOF_UPDATE_LIMITS_H
#define SHARDPROOF_UPDATE_LIMITS_H

#include "update_edit.h"

/* Fields inside objects and arrays inside one another, the outermost being 1. */
#define SP_UPDATE_LEVELS_MAX 180

/* A changed or new field at the top of `document`: 52 DollarPrefixedFieldName for a name that
 * begins with $, but $ref, $id and $db are fine where they stand as in a DBRef, else 55
 * InvalidDBRef. */
bool sp_update_check_name(const sp_edit_t *document, const sp_edit_t *field, sp_error_t *error);

/* 15 Overflow where `value`, itself at `level`, has fields below SP_UPDATE_LEVELS_MAX. */
bool sp_update_check_levels(const sp_value_t *value, unsigned level, sp_error_t *error);

/* Whether an object, at any depth, has two fields of one name. */
bool sp_update_repeats_name(const sp_value_t *value);

#endif
