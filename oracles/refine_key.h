/*
 * Refining a shard key: which pattern extends another, and what becomes of bounds.
 */
#ifndef SHARDPROOF_REFINE_KEY_H
#define SHARDPROOF_REFINE_KEY_H

#include "value.h"

/* Whether both have the same fields in the same order, with values that are equal as numbers or
 * texts: 1 and 1.0 are, 1 and 1.9 are not. */
bool sp_refine_same_key(const bson_t *a, const bson_t *b);

/* Whether `new_key` begins with the whole of `key`; a key extends itself. */
bool sp_refine_extends(const bson_t *key, const bson_t *new_key);

/* Appends to `refined` the bound of a chunk or zone under `new_key`: the fields that are new are
 * MinKey, but MaxKey in the bound that is MaxKey in every field. */
void sp_refine_bound(const bson_t *bound, const bson_t *new_key, bson_t *refined);

#endif
