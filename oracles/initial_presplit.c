/*
 * presplitHashedZones: each zone range is split by the hash, and its chunks are dealt to its shards
 * so that every shard gets about as many in all.
 */
#include "initial_parts.h"
#include "order.h"

#include <assert.h>

/* The codes have no names. */
enum {
    NOTHING_TO_PRESPLIT = 31387,
    END_BEFORE_HASHED = 31388,
    LOWER_HASHED_NOT_LEAST = 31389,
    SAME_BEFORE_HASHED = 31390,
    LOWER_AFTER_NOT_LEAST = 31391,
    ZONE_NOT_WHOLE = 31412
};

static bool refuse(sp_error_t *error, int32_t code, const char *message)
{
    return sp_error_set(error, SP_ERROR_RULE, code, "%s", message);
}

static bool equals(const sp_value_t *bound, const bson_t *doc)
{
    sp_value_t value = {BSON_TYPE_DOCUMENT, doc->len, bson_get_data(doc)};
    return sp_value_compare(bound, &value) == 0;
}

/* Steps through the fields of both bounds; the range fits the pattern. */
static void next_field(bson_iter_t *min, bson_iter_t *max)
{
    bool sound = bson_iter_next(min) && bson_iter_next(max);
    assert(sound);
}

static bool check_range(const sp_pattern_t *pattern, const sp_zone_range_t *range,
                        sp_error_t *error)
{
    bson_iter_t min, max;
    bool sound = sp_value_children(&range->min, &min) && sp_value_children(&range->max, &max);
    assert(sound);
    bool same = true;
    unsigned hashed = (unsigned)pattern->hashed;
    for (unsigned i = 0; i < hashed; i++) {
        next_field(&min, &max);
        if (BSON_ITER_HOLDS_MINKEY(&min) || BSON_ITER_HOLDS_MAXKEY(&min))
            return refuse(error, END_BEFORE_HASHED,
                          "a zone's lower bound has MinKey or MaxKey before the hashed field");
        sp_value_t low = sp_value_of(&min), high = sp_value_of(&max);
        same = same && sp_value_compare(&low, &high) == 0;
    }
    if (same)
        return refuse(error, SAME_BEFORE_HASHED,
                      "a zone's bounds are the same before the hashed field");
    next_field(&min, &max);
    if (!BSON_ITER_HOLDS_MINKEY(&min))
        return refuse(error, LOWER_HASHED_NOT_LEAST,
                      "the hashed field of a zone's lower bound must be MinKey");
    for (unsigned i = hashed + 1; i < pattern->field_count; i++) {
        next_field(&min, &max);
        if (!BSON_ITER_HOLDS_MINKEY(&min))
            return refuse(error, LOWER_AFTER_NOT_LEAST,
                          "a zone's lower bound must be MinKey behind the hashed field");
    }
    return true;
}

bool sp_presplit_check(const sp_initial_t *initial, sp_error_t *error)
{
    const sp_zones_t *zones = initial->sharding->zones;
    unsigned count = zones == NULL ? 0 : zones->range_count, with_shard = 0;
    if (!initial->sharding->empty || count == 0 || initial->pattern->hashed < 0)
        return refuse(error, NOTHING_TO_PRESPLIT,
                      "presplitHashedZones is for an empty collection with zones and a hashed "
                      "shard key");
    if (initial->pattern->hashed == 0 &&
        (count > 1 || !equals(&zones->ranges[0].min, &initial->least) ||
         !equals(&zones->ranges[0].max, &initial->greatest)))
        return refuse(error, ZONE_NOT_WHOLE,
                      "where the hashed field is the first, presplitHashedZones needs one zone for "
                      "everything");
    for (unsigned i = 0; i < count; i++) {
        if (initial->pattern->hashed > 0 &&
            !check_range(initial->pattern, &zones->ranges[i], error))
            return false;
        with_shard += sp_zones_find(zones, zones->ranges[i].zone) != NULL;
    }
    if (with_shard == 0)
        return sp_error_set(error, SP_ERROR_INPUT, 0,
                            "presplitHashedZones with no shard for any zone brings a shard down");
    return true;
}

static uint64_t divide_up(uint64_t number, uint64_t by)
{
    return (number + by - 1) / by;
}

void sp_presplit_init(const sp_initial_t *initial, sp_presplit_t *presplit)
{
    const sp_sharding_t *sharding = initial->sharding;
    const sp_zones_t *zones = sharding->zones;
    presplit->ranges_of = bson_malloc0(sharding->shards * sizeof *presplit->ranges_of);
    unsigned used = 0;
    for (unsigned i = 0; i < zones->range_count; i++) {
        const sp_zone_t *zone = sp_zones_find(zones, zones->ranges[i].zone);
        for (unsigned j = 0; j < zone->shard_count; j++)
            used += presplit->ranges_of[zone->shards[j]]++ == 0;
    }
    assert(used > 0); /* every range has been found to have a shard */
    bool chosen = sharding->numbered && sharding->number != 0;
    presplit->per_shard = chosen ? divide_up((uint64_t)sharding->number, used) : 2;
}

void sp_presplit_clear(sp_presplit_t *presplit)
{
    bson_free(presplit->ranges_of);
}

static uint32_t chunks_on(const sp_presplit_t *presplit, unsigned shard)
{
    return (uint32_t)divide_up(presplit->per_shard, presplit->ranges_of[shard]);
}

/* The lower bound with another hash; what stands behind that is MinKey there. */
static void append_split(const sp_pattern_t *pattern, const sp_zone_range_t *range, int64_t hash,
                         bson_t *bound)
{
    bson_iter_t iter;
    bool sound = sp_value_children(&range->min, &iter);
    assert(sound);
    for (unsigned i = 0; bson_iter_next(&iter); i++) {
        sp_value_t value = sp_value_of(&iter);
        if ((int)i == pattern->hashed)
            BSON_APPEND_INT64(bound, bson_iter_key(&iter), hash);
        else
            sp_value_append(bound, bson_iter_key(&iter), &value);
    }
}

void sp_presplit_range(sp_initial_t *initial, const sp_presplit_t *presplit,
                       const sp_zone_range_t *range)
{
    const sp_zone_t *zone = sp_zones_find(initial->sharding->zones, range->zone);
    uint32_t total = 0, made = 0;
    for (unsigned i = 0; i < zone->shard_count; i++)
        total += chunks_on(presplit, zone->shards[i]);
    bson_t first, last, *min = &first;
    bool sound = bson_init_static(&first, range->min.data, range->min.size) &&
                 bson_init_static(&last, range->max.data, range->max.size);
    assert(sound);
    for (unsigned i = 0; i < zone->shard_count; i++) {
        for (uint32_t left = chunks_on(presplit, zone->shards[i]); left > 0; left--) {
            bool more = ++made < total;
            bson_t *max = &last;
            if (more)
                append_split(initial->pattern, range, sp_hashed_split(total, made - 1),
                             max = bson_new());
            sp_initial_append(initial, min, max, zone->shards[i]);
            if (min != &first)
                bson_destroy(min);
            min = max;
        }
    }
}
