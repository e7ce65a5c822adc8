#include "chunkmap.h"

#include "order.h"
#include "order_prefix.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

typedef struct chunk {
    uint64_t min, max; /* where the bounds lie in the arena */
    uint32_t shard;
} chunk_t;

struct sp_chunkmap {
    const sp_pattern_t *pattern;
    chunk_t *chunks;
    uint64_t *prefixes; /* sp_order_prefix of each lower bound's first field; there once sealed */
    uint32_t count, capacity;
    uint8_t *arena; /* every bound's BSON bytes, end to end */
    uint64_t arena_used, arena_size;
    char *shards[SP_CHUNKMAP_SHARDS];
    uint32_t shard_count;
    bool sealed;
};

sp_chunkmap_t *sp_chunkmap_new(const sp_pattern_t *pattern)
{
    sp_chunkmap_t *map = bson_malloc0(sizeof *map);
    map->pattern = pattern;
    return map;
}

void sp_chunkmap_free(sp_chunkmap_t *map)
{
    if (map == NULL)
        return;
    for (uint32_t i = 0; i < map->shard_count; i++)
        bson_free(map->shards[i]);
    bson_free(map->chunks);
    bson_free(map->prefixes);
    bson_free(map->arena);
    bson_free(map);
}

static uint64_t keep_bound(sp_chunkmap_t *map, const bson_t *bound)
{
    if (map->arena_size - map->arena_used < bound->len) {
        map->arena_size = 2 * map->arena_size + bound->len + 4096;
        map->arena = bson_realloc(map->arena, map->arena_size);
    }
    uint64_t at = map->arena_used;
    memcpy(map->arena + at, bson_get_data(bound), bound->len);
    map->arena_used += bound->len;
    return at;
}

static void load_bound(const sp_chunkmap_t *map, uint64_t at, bson_t *bound)
{
    uint32_t size;
    memcpy(&size, map->arena + at, sizeof size);
    bool ok = bson_init_static(bound, map->arena + at, BSON_UINT32_FROM_LE(size));
    assert(ok);
}

static bool find_or_add_shard(sp_chunkmap_t *map, const char *name, uint32_t *shard,
                              sp_error_t *error)
{
    for (*shard = 0; *shard < map->shard_count; (*shard)++) {
        if (strcmp(map->shards[*shard], name) == 0)
            return true;
    }
    if (map->shard_count == SP_CHUNKMAP_SHARDS)
        return sp_error_set(error, SP_ERROR_INPUT, 0, "a chunk map has at most %d shards",
                            SP_CHUNKMAP_SHARDS);
    map->shards[map->shard_count++] = bson_strdup(name);
    return true;
}

bool sp_chunkmap_add(sp_chunkmap_t *map, const bson_t *min, const bson_t *max, const char *shard,
                     sp_error_t *error)
{
    assert(!map->sealed);
    if (map->count == SP_CHUNKS_MAX)
        return sp_error_set(error, SP_ERROR_INPUT, 0, "a chunk map has at most %u chunks",
                            SP_CHUNKS_MAX);
    chunk_t chunk;
    if (!sp_pattern_fits(map->pattern, min, error) || !sp_pattern_fits(map->pattern, max, error) ||
        !find_or_add_shard(map, shard, &chunk.shard, error))
        return false;
    chunk.min = keep_bound(map, min);
    chunk.max = keep_bound(map, max);
    if (map->count == map->capacity) {
        map->capacity = map->capacity == 0 ? 16 : 2 * map->capacity;
        map->chunks = bson_realloc(map->chunks, map->capacity * sizeof *map->chunks);
    }
    map->chunks[map->count++] = chunk;
    return true;
}

static int compare_chunks(const void *a, const void *b, void *context)
{
    bson_t a_min, b_min;
    load_bound(context, ((const chunk_t *)a)->min, &a_min);
    load_bound(context, ((const chunk_t *)b)->min, &b_min);
    return sp_key_compare(&a_min, &b_min);
}

static bool all_are(const bson_t *bound, bson_type_t type)
{
    bson_iter_t iter;
    bool sound = bson_iter_init(&iter, bound);
    assert(sound);
    while (bson_iter_next(&iter)) {
        if (bson_iter_type(&iter) != type)
            return false;
    }
    return true;
}

static bool refuse_bound(const bson_t *bound, const char *what, sp_error_t *error)
{
    char *text = bson_as_canonical_extended_json(bound, NULL);
    sp_error_set(error, SP_ERROR_INPUT, 0, "%s: %s", what, text != NULL ? text : "(not UTF-8)");
    bson_free(text);
    return false;
}

static uint64_t prefix_of(const bson_t *key)
{
    bson_iter_t iter;
    bool has_field = bson_iter_init(&iter, key) && bson_iter_next(&iter);
    assert(has_field);
    sp_value_t value = sp_value_of(&iter);
    return sp_order_prefix(&value);
}

static void note_prefixes(sp_chunkmap_t *map)
{
    map->prefixes = bson_malloc(map->count * sizeof *map->prefixes);
    for (uint32_t i = 0; i < map->count; i++) {
        bson_t min;
        load_bound(map, map->chunks[i].min, &min);
        map->prefixes[i] = prefix_of(&min);
    }
}

bool sp_chunkmap_seal(sp_chunkmap_t *map, sp_error_t *error)
{
    if (map->count == 0)
        return sp_error_set(error, SP_ERROR_INPUT, 0, "a chunk map needs at least one chunk");
    qsort_r(map->chunks, map->count, sizeof *map->chunks, compare_chunks, map);

    bson_t min, max;
    sp_chunkmap_bounds(map, 0, &min, &max);
    if (!all_are(&min, BSON_TYPE_MINKEY))
        return refuse_bound(&min, "the first chunk must begin at MinKey, not at", error);
    for (uint32_t i = 0; i < map->count; i++) {
        bson_t next_min, next_max;
        sp_chunkmap_bounds(map, i, &min, &max);
        if (sp_key_compare(&min, &max) >= 0)
            return refuse_bound(&min, "a chunk ends before it begins, at", error);
        if (i + 1 == map->count)
            break;
        sp_chunkmap_bounds(map, i + 1, &next_min, &next_max);
        int order = sp_key_compare(&max, &next_min);
        if (order != 0)
            return refuse_bound(&max, order < 0 ? "no chunk begins at" : "two chunks overlap at",
                                error);
    }
    if (!all_are(&max, BSON_TYPE_MAXKEY))
        return refuse_bound(&max, "the last chunk must end at MaxKey, not at", error);
    note_prefixes(map);
    map->sealed = true;
    return true;
}

uint32_t sp_chunkmap_count(const sp_chunkmap_t *map)
{
    return map->count;
}

/* The first chunk from `from` on whose prefix is at least `prefix`; the count where there is none.
 */
static uint32_t first_from(const sp_chunkmap_t *map, uint32_t from, uint64_t prefix)
{
    uint32_t to = map->count;
    while (from < to) {
        uint32_t middle = from + (to - from) / 2;
        if (map->prefixes[middle] < prefix)
            from = middle + 1;
        else
            to = middle;
    }
    return from;
}

bool sp_chunkmap_find(const sp_chunkmap_t *map, const bson_t *key, uint32_t *chunk)
{
    assert(map->sealed);
    uint64_t prefix = prefix_of(key);
    /* Invariant: chunk `low` begins at or below the key, chunk `high` above it. Prefixes lie close
     * together in memory, so all that they can tell is asked of them first. */
    uint32_t low = first_from(map, 0, prefix), high = map->count;
    low = low == 0 ? 0 : low - 1;
    if (prefix < UINT64_MAX)
        high = first_from(map, low, prefix + 1);
    high = high == low ? low + 1 : high;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        bson_t min;
        load_bound(map, map->chunks[middle].min, &min);
        if (sp_key_compare(&min, key) <= 0)
            low = middle;
        else
            high = middle;
    }
    bson_t max;
    load_bound(map, map->chunks[low].max, &max);
    *chunk = low;
    return sp_key_compare(key, &max) < 0;
}

void sp_chunkmap_bounds(const sp_chunkmap_t *map, uint32_t chunk, bson_t *min, bson_t *max)
{
    assert(chunk < map->count);
    load_bound(map, map->chunks[chunk].min, min);
    load_bound(map, map->chunks[chunk].max, max);
}

const char *sp_chunkmap_shard(const sp_chunkmap_t *map, uint32_t chunk)
{
    assert(chunk < map->count);
    return map->shards[map->chunks[chunk].shard];
}

unsigned sp_chunkmap_shard_count(const sp_chunkmap_t *map)
{
    return map->shard_count;
}

const char *sp_chunkmap_shard_name(const sp_chunkmap_t *map, unsigned shard)
{
    assert(shard < map->shard_count);
    return map->shards[shard];
}

unsigned sp_chunkmap_shard_number(const sp_chunkmap_t *map, uint32_t chunk)
{
    assert(chunk < map->count);
    return map->chunks[chunk].shard;
}
