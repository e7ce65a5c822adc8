/*
 * The chunk map: which shard owns which range of shard key values.
 *
 * Chunks cover the whole key space from MinKey to MaxKey without gap or overlap; a chunk holds its
 * lower bound and not its upper one. Made by adding chunks in any sequence, then sealed; afterwards
 * read-only and safe for any number of threads. Holds a million chunks; a look-up costs log2(n) key
 * comparisons.
 */
#ifndef SHARDPROOF_CHUNKMAP_H
#define SHARDPROOF_CHUNKMAP_H

#include "pattern.h"

#define SP_CHUNKS_MAX      (4u << 20)
#define SP_CHUNKMAP_SHARDS 1024

typedef struct sp_chunkmap sp_chunkmap_t;

/* `pattern` must outlive the map. */
sp_chunkmap_t *sp_chunkmap_new(const sp_pattern_t *pattern);
void sp_chunkmap_free(sp_chunkmap_t *map); /* NULL is fine */

/* Both bounds are copied. SP_ERROR_INPUT where a bound does not fit the pattern or a limit is
 * passed. */
bool sp_chunkmap_add(sp_chunkmap_t *map, const bson_t *min, const bson_t *max, const char *shard,
                     sp_error_t *error);

/* Sorts the chunks and checks that they cover the key space; SP_ERROR_INPUT names the bound where
 * not. */
bool sp_chunkmap_seal(sp_chunkmap_t *map, sp_error_t *error);

uint32_t sp_chunkmap_count(const sp_chunkmap_t *map);

/* The chunk that holds `key`, a value for every field of the pattern. False where none does, and
 * *chunk is the last one: the upper bound is out, so a key that is MaxKey in every field belongs
 * nowhere. */
bool sp_chunkmap_find(const sp_chunkmap_t *map, const bson_t *key, uint32_t *chunk);

/* A chunk's bounds (borrowed, filled in) and its shard's name. */
void sp_chunkmap_bounds(const sp_chunkmap_t *map, uint32_t chunk, bson_t *min, bson_t *max);
const char *sp_chunkmap_shard(const sp_chunkmap_t *map, uint32_t chunk);

/* The shards that own chunks have numbers from 0 on, and names. */
unsigned sp_chunkmap_shard_count(const sp_chunkmap_t *map);
const char *sp_chunkmap_shard_name(const sp_chunkmap_t *map, unsigned shard);
unsigned sp_chunkmap_shard_number(const sp_chunkmap_t *map, uint32_t chunk);

#endif
