#include "initial_chunks.h"

#include "initial_parts.h"
#include "number.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

enum { TYPE_MISMATCH = 14, INVALID_OPTIONS = 72 };

enum { CHUNKS_PER_SHARD_MAX = 8192, CHUNKS_MAX = 1000000 };

static bool refuse(sp_error_t *error, const char *message)
{
    return sp_error_set(error, SP_ERROR_RULE, INVALID_OPTIONS, "%s", message);
}

bool sp_sharding_options(const bson_t *options, sp_sharding_t *sharding, sp_error_t *error)
{
    bson_iter_t iter;
    if (bson_iter_init_find(&iter, options, "numInitialChunks") && !BSON_ITER_HOLDS_NULL(&iter)) {
        sp_value_t value = sp_value_of(&iter);
        if (!sp_value_is_number(&value))
            return sp_error_set(error, SP_ERROR_RULE, TYPE_MISMATCH,
                                "numInitialChunks must be a number");
        sharding->numbered = true;
        sharding->number = sp_number_for_hash(&value);
    }
    if (bson_iter_init_find(&iter, options, "presplitHashedZones") &&
        !BSON_ITER_HOLDS_NULL(&iter)) {
        if (!BSON_ITER_HOLDS_BOOL(&iter))
            return sp_error_set(error, SP_ERROR_RULE, TYPE_MISMATCH,
                                "presplitHashedZones must be a boolean");
        sharding->presplit = bson_iter_bool(&iter);
    }
    return true;
}

void sp_initial_append(sp_initial_t *initial, const bson_t *min, const bson_t *max, unsigned shard)
{
    char buffer[16], name[16];
    const char *index;
    bson_t chunk;
    bson_uint32_to_string(initial->count++, &index, buffer, sizeof buffer);
    snprintf(name, sizeof name, "s%u", shard + 1);
    BSON_APPEND_ARRAY_BEGIN(initial->chunks, index, &chunk);
    BSON_APPEND_DOCUMENT(&chunk, "0", min);
    BSON_APPEND_DOCUMENT(&chunk, "1", max);
    BSON_APPEND_UTF8(&chunk, "2", name);
    bson_append_array_end(initial->chunks, &chunk);
}

/* By their names' bytes, so that s10 comes before s2. */
static unsigned *order_shards(unsigned count)
{
    unsigned *shards = bson_malloc(count * sizeof *shards);
    for (unsigned i = 0; i < count; i++) {
        char name[16], other[16];
        unsigned at = i;
        snprintf(name, sizeof name, "s%u", i + 1);
        for (; at > 0; at--) {
            snprintf(other, sizeof other, "s%u", shards[at - 1] + 1);
            if (strcmp(other, name) < 0)
                break;
            shards[at] = shards[at - 1];
        }
        shards[at] = i;
    }
    return shards;
}

static void init(sp_initial_t *initial)
{
    const sp_pattern_t *pattern = initial->pattern;
    bson_init(&initial->least);
    bson_init(&initial->greatest);
    for (unsigned i = 0; i < pattern->field_count; i++) {
        BSON_APPEND_MINKEY(&initial->least, pattern->fields[i].text);
        BSON_APPEND_MAXKEY(&initial->greatest, pattern->fields[i].text);
    }
    initial->names = order_shards(initial->sharding->shards);
}

static void clear(sp_initial_t *initial)
{
    bson_free(initial->names);
    bson_destroy(&initial->greatest);
    bson_destroy(&initial->least);
    sp_pattern_free(initial->pattern);
}

int64_t sp_hashed_split(uint32_t chunks, uint32_t split)
{
    assert(chunks > 1 && split < chunks - 1);
    /* Half a chunk's width is rounded down, and splits lie the same on both sides of 0, so that the
     * two outer chunks are a little wider. */
    int64_t half = INT64_MAX / chunks;
    return ((int64_t)split * 2 + 2 - (int64_t)chunks) * half;
}

/* Beside a hashed field that comes first every other field of a bound is MinKey. */
static void append_split(const sp_pattern_t *pattern, int64_t hash, bson_t *bound)
{
    BSON_APPEND_INT64(bound, pattern->fields[0].text, hash);
    for (unsigned i = 1; i < pattern->field_count; i++)
        BSON_APPEND_MINKEY(bound, pattern->fields[i].text);
}

/* Neighbouring chunks go to one shard as far as there are enough for each; what is left over begins
 * anew with the first shard. Where there are fewer chunks than shards, the primary gets the first
 * one instead of that shard, whether or not another is its own. */
static void hashed_chunks(sp_initial_t *initial, sp_version_t version)
{
    const sp_sharding_t *sharding = initial->sharding;
    bool chosen = sharding->numbered && sharding->number != 0;
    /* A number that a server cuts down to 32 bits is cut down here, but not always for the runs. */
    uint32_t count = chosen ? (uint32_t)sharding->number : 2 * sharding->shards;
    bool cut = !chosen || sp_version_has(version, SP_CHUNKS_DEALT_BY_32_BITS);
    uint64_t run = (cut ? count : (uint64_t)sharding->number) / sharding->shards;
    if (run == 0)
        run = 1;
    bson_t *min = &initial->least, *max = NULL;
    for (uint32_t i = 0; i < count; i++) {
        bool last = i + 1 == count;
        if (!last)
            append_split(initial->pattern, sp_hashed_split(count, i), max = bson_new());
        sp_initial_append(initial, min, last ? &initial->greatest : max,
                          i == 0 && count < sharding->shards
                              ? sharding->primary
                              : initial->names[i / run % sharding->shards]);
        if (min != &initial->least)
            bson_destroy(min);
        min = max;
    }
}

/* What is cut down to 32 bits comes back as another number, which may be within the limit. */
static int64_t number_seen(sp_version_t version, int64_t number)
{
    return sp_version_has(version, SP_CHUNKS_COUNTED_IN_32_BITS) ? (int32_t)number : number;
}

bool sp_initial_number(sp_version_t version, unsigned shards, int64_t number, sp_error_t *error)
{
    int64_t most = (int64_t)CHUNKS_PER_SHARD_MAX * shards;
    if (most > CHUNKS_MAX)
        most = CHUNKS_MAX;
    int64_t seen = number_seen(version, number);
    return (seen >= 0 && seen <= most) ||
           sp_error_set(error, SP_ERROR_RULE, INVALID_OPTIONS,
                        "numInitialChunks must be from 0 to %lld: at most %d for each shard, and "
                        "at most %d",
                        (long long)most, CHUNKS_PER_SHARD_MAX, CHUNKS_MAX);
}

static bool check_use(const sp_initial_t *initial, sp_version_t version, sp_error_t *error)
{
    const sp_sharding_t *sharding = initial->sharding;
    if (!sharding->numbered || sharding->number == 0)
        return true;
    if (initial->pattern->hashed < 0 || !sharding->empty)
        return refuse(error, "numInitialChunks is for an empty collection with a hashed shard key");
    if (initial->pattern->hashed > 0 && !initial->presplits)
        return refuse(error, "with a hashed field that is not the first, numInitialChunks needs "
                             "presplitHashedZones");
    int64_t seen = number_seen(version, sharding->number);
    if (seen != sharding->number && (seen == 0 || initial->presplits))
        return sp_error_set(error, SP_ERROR_INPUT, 0,
                            "numInitialChunks %lld brings a shard of this version down",
                            (long long)sharding->number);
    return true;
}

static bool append_all(sp_initial_t *initial, sp_version_t version, sp_error_t *error)
{
    const sp_sharding_t *sharding = initial->sharding;
    bool zoned = sharding->zones != NULL && sharding->zones->range_count > 0;
    if (initial->presplits && !sp_presplit_check(initial, error))
        return false;
    if (sharding->empty && zoned)
        return sp_initial_zones(initial, error);
    if (sharding->empty && initial->pattern->hashed == 0)
        hashed_chunks(initial, version);
    else
        sp_initial_append(initial, &initial->least, &initial->greatest, sharding->primary);
    return true;
}

bool sp_initial_chunks(const sp_sharding_t *sharding, sp_version_t version, bson_t *chunks,
                       sp_error_t *error)
{
    assert(sharding->shards > 0 && sharding->primary < sharding->shards);
    sp_initial_t initial = {.sharding = sharding, .chunks = chunks};
    initial.pattern = sp_pattern_new(sharding->key, error);
    if (initial.pattern == NULL)
        return false;
    init(&initial);
    initial.presplits = sharding->presplit && sp_version_has(version, SP_ZONES_PRESPLIT);
    bool ok = (!sharding->numbered ||
               sp_initial_number(version, sharding->shards, sharding->number, error)) &&
              (sharding->zones == NULL ||
               sp_zones_check(sharding->zones, initial.pattern, version, error)) &&
              check_use(&initial, version, error) && append_all(&initial, version, error);
    clear(&initial);
    return ok;
}
