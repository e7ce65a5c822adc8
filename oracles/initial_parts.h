/*
 * What the initial chunks are made with; for initial_*.c alone.
 */
#ifndef SHARDPROOF_INITIAL_PARTS_H
#define SHARDPROOF_INITIAL_PARTS_H

#include "initial_chunks.h"

typedef struct sp_initial {
    const sp_sharding_t *sharding;
    sp_pattern_t *pattern;
    bson_t least, greatest; /* MinKey and MaxKey in every field */
    bool presplits;         /* presplitHashedZones, in a version that knows it */
    unsigned *names;        /* the shards in the order of their names */
    bson_t *chunks;         /* what there is so far, and how many */
    uint32_t count;
} sp_initial_t;

/* Appends a chunk; `shard` counts from 0. */
void sp_initial_append(sp_initial_t *initial, const bson_t *min, const bson_t *max, unsigned shard);

/* The chunks of a collection with zones: one for each range, or, with presplitHashedZones, several;
 * and one for each gap between them. */
bool sp_initial_zones(sp_initial_t *initial, sp_error_t *error);

/* presplitHashedZones: whether the zones are such as it needs. */
bool sp_presplit_check(const sp_initial_t *initial, sp_error_t *error);

/* presplitHashedZones: how many chunks a range gets on one of its shards. */
typedef struct sp_presplit {
    unsigned *ranges_of; /* for each shard the ranges that may lie on it */
    uint64_t per_shard;
} sp_presplit_t;
void sp_presplit_init(const sp_initial_t *initial, sp_presplit_t *presplit);
void sp_presplit_clear(sp_presplit_t *presplit);
void sp_presplit_range(sp_initial_t *initial, const sp_presplit_t *presplit,
                       const sp_zone_range_t *range);

#endif
