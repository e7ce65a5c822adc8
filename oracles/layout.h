/*
 * A sharded collection as the model sees it: shard key pattern, chunk map, collation, and the
 * shards of the cluster, which may be more than own chunks.
 */
#ifndef SHARDPROOF_LAYOUT_H
#define SHARDPROOF_LAYOUT_H

#include "chunkmap.h"

typedef struct sp_layout {
    bson_t *key; /* the shard key pattern as it was given */
    sp_pattern_t *pattern;
    sp_chunkmap_t *chunks;
    bson_t *collation; /* the collection's default; NULL: simple comparison */
    char **shards;     /* all shards of the cluster, those of the chunk map among them */
    unsigned shard_count;
} sp_layout_t;

/* Reads `key` ({x: 1, …}), `chunks` ([[min, max, shard], …]) and, where they are there, `collation`
 * (null or a document) and `shards` (how many the cluster has, named s1, s2, …) from `doc`, the
 * form of an `ask` layout line and of a case. Without `shards` the cluster has those that own
 * chunks. SP_ERROR_INPUT says what is wrong and how. */
sp_layout_t *sp_layout_new(const bson_t *doc, sp_error_t *error);
void sp_layout_free(sp_layout_t *layout); /* NULL is fine */

#endif
