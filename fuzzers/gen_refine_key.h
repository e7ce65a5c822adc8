/*
 * New shard keys for a collection that has one, and the indexes that may go with them.
 */
#ifndef SHARDPROOF_GEN_REFINE_KEY_H
#define SHARDPROOF_GEN_REFINE_KEY_H

#include "gen_layout.h"

/* Appends to `new_key` a pattern that mostly extends `key`, else is close to it, or no pattern. */
void sp_gen_refined_key(sp_producer_t *producer, const bson_t *key, bson_t *new_key);

/* Appends to `index_key` what createIndexes takes and is close to `new_key`: its fields as a rule,
 * often with more behind. */
void sp_gen_refine_index_key(sp_producer_t *producer, const bson_t *new_key, bson_t *index_key);

/* Makes of a layout the one that `new_key` has, with pools for the fields that are new: for
 * documents. False where the key is no pattern or has more than SP_SHAPE_FIELDS fields; then
 * nothing is to be cleared. */
bool sp_gen_refined_layout(sp_producer_t *producer, const sp_layout_draw_t *layout,
                           const bson_t *new_key, sp_layout_draw_t *refined);

#endif
