/*
 * Documents in a collection whose shard key is to change: which an index takes, which make it one
 * of arrays, and which a router finds under the new key.
 */
#ifndef SHARDPROOF_REFINE_DOCS_H
#define SHARDPROOF_REFINE_DOCS_H

#include "index.h"
#include "model.h"

typedef enum sp_index_entry {
    SP_ENTRY_NONE,    /* the index has no part in the document: it is partial or sparse */
    SP_ENTRY_PLAIN,   /* … takes it */
    SP_ENTRY_ARRAY,   /* … takes it, and has arrays in it from now on */
    SP_ENTRY_REFUSED, /* … does not, so that the document cannot be stored */
} sp_index_entry_t;

/* What `index` makes of `doc`. Uniqueness is not looked at. SP_ERROR_INPUT where index_keys.h
 * does not know the index or its partial filter. */
bool sp_refine_index_entry(sp_model_t *model, const sp_index_t *index, const bson_t *doc,
                           sp_index_entry_t *entry, sp_error_t *error);

/* Gives an index that has no collation of its own the collection's. */
void sp_refine_settle_collation(const sp_layout_t *layout, sp_index_t *index);

/* The shard that stores `doc`, one of layout->shards, or NULL where the router, the shard or one of
 * the shard's indexes refuses it. `indexes` stands before the first index of a request. */
bool sp_refine_place(sp_model_t *model, const sp_layout_t *layout, const bson_iter_t *indexes,
                     const bson_t *doc, const char **shard, sp_error_t *error);

/* Appends the filter {path: {$eq: value}, …} that asks for the document's own values of `pattern`.
 * False where one of them is not plain: null, missing, a boolean, an integer, a string, a date or
 * an ObjectId, by which a document can be asked for whatever its neighbours are. */
bool sp_refine_own_filter(const sp_pattern_t *pattern, const bson_t *doc, bson_t *filter);

#endif
