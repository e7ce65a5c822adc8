#include "initial_parts.h"
#include "order.h"

#include <assert.h>
#include <string.h>

enum { ZONE_WITHOUT_SHARD = 50973 };

static void init_bound(const sp_value_t *bound, bson_t *doc)
{
    bool sound = bson_init_static(doc, bound->data, bound->size);
    assert(sound);
}

static bool check_shards(const sp_zones_t *zones, sp_error_t *error)
{
    for (unsigned i = 0; i < zones->range_count; i++) {
        if (sp_zones_find(zones, zones->ranges[i].zone) == NULL)
            return sp_error_set(error, SP_ERROR_RULE, ZONE_WITHOUT_SHARD,
                                "no shard has the zone %s", zones->ranges[i].zone);
    }
    return true;
}

/* A shard that takes ranges which meet makes a chunk table with overlaps or gaps of it, or fails
 * over it; ranges that come in by the command for it never meet. */
static bool check_apart(const sp_zones_t *zones, sp_error_t *error)
{
    for (unsigned i = 1; i < zones->range_count; i++) {
        if (sp_value_compare(&zones->ranges[i - 1].max, &zones->ranges[i].min) > 0)
            return sp_error_set(error, SP_ERROR_INPUT, 0, "the zone ranges overlap");
    }
    return true;
}

static void append_gap(sp_initial_t *initial, const bson_t *min, const bson_t *max, unsigned *gaps)
{
    sp_initial_append(initial, min, max, initial->names[(*gaps)++ % initial->sharding->shards]);
}

/* One chunk; each zone deals its chunks round its own shards. */
static void append_range(sp_initial_t *initial, const sp_zone_range_t *range, unsigned *dealt)
{
    const sp_zones_t *zones = initial->sharding->zones;
    const sp_zone_t *zone = sp_zones_find(zones, range->zone);
    unsigned *turn = &dealt[zone - zones->zones];
    bson_t min, max;
    init_bound(&range->min, &min);
    init_bound(&range->max, &max);
    sp_initial_append(initial, &min, &max, zone->shards[(*turn)++ % zone->shard_count]);
}

bool sp_initial_zones(sp_initial_t *initial, sp_error_t *error)
{
    const sp_zones_t *zones = initial->sharding->zones;
    if (!check_shards(zones, error) || !check_apart(zones, error))
        return false;
    unsigned *dealt = bson_malloc0((zones->zone_count + 1) * sizeof *dealt);
    unsigned gaps = 0;
    bool presplits = initial->presplits;
    sp_presplit_t presplit = {0};
    if (presplits)
        sp_presplit_init(initial, &presplit);
    sp_value_t end = {BSON_TYPE_DOCUMENT, initial->least.len, bson_get_data(&initial->least)};
    for (unsigned i = 0; i < zones->range_count; i++) {
        const sp_zone_range_t *range = &zones->ranges[i];
        bson_t from, to;
        init_bound(&end, &from);
        init_bound(&range->min, &to);
        if (sp_value_compare(&end, &range->min) < 0)
            append_gap(initial, &from, &to, &gaps);
        if (presplits)
            sp_presplit_range(initial, &presplit, range);
        else
            append_range(initial, range, dealt);
        end = range->max;
    }
    bson_t from;
    sp_value_t greatest = {BSON_TYPE_DOCUMENT, initial->greatest.len,
                           bson_get_data(&initial->greatest)};
    init_bound(&end, &from);
    if (sp_value_compare(&end, &greatest) < 0)
        append_gap(initial, &from, &initial->greatest, &gaps);
    if (presplits)
        sp_presplit_clear(&presplit);
    bson_free(dealt);
    return true;
}
