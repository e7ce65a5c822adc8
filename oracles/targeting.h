/*
 * Which shards a router contacts for a query, and why.
 */
#ifndef SHARDPROOF_TARGETING_H
#define SHARDPROOF_TARGETING_H

#include "bounds.h"
#include "layout.h"
#include "version.h"

typedef enum sp_reach {
    SP_REACH_KEY,     /* the filter holds the whole shard key: one chunk */
    SP_REACH_BOUNDS,  /* index bounds: the chunks that they meet */
    SP_REACH_ALL,     /* no bounds: every shard that owns a chunk */
    SP_REACH_NOTHING, /* contradiction: nothing can match; the shard of the first chunk is asked all
                         the same */
} sp_reach_t;

typedef struct sp_targeting {
    sp_reach_t reach;
    bson_t key;         /* SP_REACH_KEY: the shard key value, the hashed field as its hash */
    sp_bounds_t bounds; /* but for SP_REACH_KEY */
    uint64_t shards[SP_CHUNKMAP_SHARDS / 64]; /* bit i: shard i of the chunk map is contacted */
    unsigned shard_count;
} sp_targeting_t;

/* What a router looks at. */
typedef struct sp_query {
    const bson_t *filter;
    const bson_t *collation; /* the query's own; NULL: it has none, the collection's counts */
} sp_query_t;

/* A query made ready: parsed and normalized. Values live in the arena and in the query. */
typedef struct sp_parsed_query {
    const sp_node_t *root;
    bool simple; /* strings are compared by their bytes */
} sp_parsed_query_t;

/* SP_ERROR_RULE where a router refuses the query, with its code; SP_ERROR_INPUT for what the model
 * does not know. */
bool sp_query_parse(sp_arena_t *arena, sp_version_t version, const sp_layout_t *layout,
                    const sp_query_t *query, sp_parsed_query_t *parsed, sp_error_t *error);

/* The shard key value that the query fixes, and its chunk. SP_ERROR_RULE 61 ShardKeyNotFound where
 * there is no such value, or none that can be used: under its collation, or since no chunk holds
 * MaxKey. */
bool sp_target_key(sp_arena_t *arena, sp_hasher_t *hasher, sp_version_t version,
                   const sp_layout_t *layout, const sp_parsed_query_t *parsed,
                   sp_targeting_t *targeting, sp_error_t *error);

/* The same for a shard key value from elsewhere, hashed already. */
bool sp_target_found_key(sp_version_t version, const sp_layout_t *layout,
                         const sp_parsed_query_t *parsed, const bson_t *key,
                         sp_targeting_t *targeting, sp_error_t *error);

/* The shards of a query. What `targeting` holds lives in the arena, the layout and the query.
 * SP_ERROR_RULE where a router fails over it. */
bool sp_target_query(sp_arena_t *arena, sp_hasher_t *hasher, sp_version_t version,
                     const sp_layout_t *layout, const sp_parsed_query_t *parsed,
                     sp_targeting_t *targeting, sp_error_t *error);

/* One range of shard key values; both ends belong to it. */
typedef struct sp_key_range {
    bson_t min, max;
} sp_key_range_t;

/* The ranges of shard key values that follow from `bounds`, one after the other: from the first
 * field that is no single value on, bounds of later fields only widen. Calls `visit` for each until
 * it returns false. Borrowed, good during the call. */
void sp_bounds_each_range(sp_arena_t *arena, const sp_pattern_t *pattern, const sp_bounds_t *bounds,
                          bool (*visit)(void *context, const sp_key_range_t *range), void *context);

/* The chunks that hold some value of the range, from *first up to *last; false where none does. */
bool sp_chunks_of_range(const sp_chunkmap_t *chunks, const sp_key_range_t *range, uint32_t *first,
                        uint32_t *last);

#endif
