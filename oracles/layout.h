/*
 * A sharded collection as the model sees it: shard key pattern and chunk map.
 */
#ifndef SHARDPROOF_LAYOUT_H
#define SHARDPROOF_LAYOUT_H

#include "chunkmap.h"

typedef struct sp_layout {
    sp_pattern_t *pattern;
    sp_chunkmap_t *chunks;
} sp_layout_t;

/* Reads `key` ({x: 1, …}) and `chunks` ([[min, max, shard], …]) from `doc`, the form of an `ask`
 * layout line and of a case. SP_ERROR_INPUT says which chunk is wrong and how. */
sp_layout_t *sp_layout_new(const bson_t *doc, sp_error_t *error);
void sp_layout_free(sp_layout_t *layout); /* NULL is fine */

#endif
