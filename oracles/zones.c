#include "zones.h"

#include "order.h"

#include <stdio.h>
#include <string.h>

enum { BAD_VALUE = 2, FAILED_TO_PARSE = 9, INVALID_OPTIONS = 72 };

bool sp_shard_number(const char *name, unsigned shards, unsigned *shard)
{
    for (*shard = 0; *shard < shards; ++*shard) {
        char buffer[16];
        snprintf(buffer, sizeof buffer, "s%u", *shard + 1);
        if (strcmp(buffer, name) == 0)
            return true;
    }
    return false;
}

static bool holds_document(const bson_iter_t *iter)
{
    bson_t unused;
    return sp_value_document(iter, &unused);
}

static bool read_range(const bson_iter_t *element, sp_zone_range_t *range)
{
    bson_iter_t part;
    if (!BSON_ITER_HOLDS_ARRAY(element) || !bson_iter_recurse(element, &part) ||
        !bson_iter_next(&part) || !holds_document(&part))
        return false;
    range->min = sp_value_of(&part);
    if (!bson_iter_next(&part) || !holds_document(&part))
        return false;
    range->max = sp_value_of(&part);
    if (!bson_iter_next(&part) || !BSON_ITER_HOLDS_UTF8(&part))
        return false;
    range->zone = bson_iter_utf8(&part, NULL);
    return !bson_iter_next(&part);
}

/* Puts a range in its place, behind those with the same lower bound. */
static void place(sp_zones_t *zones, const sp_zone_range_t *range)
{
    unsigned at = zones->range_count++;
    while (at > 0 && sp_value_compare(&zones->ranges[at - 1].min, &range->min) > 0) {
        zones->ranges[at] = zones->ranges[at - 1];
        at--;
    }
    zones->ranges[at] = *range;
}

static bool read_ranges(const bson_t *doc, sp_zones_t *zones, sp_error_t *error)
{
    bson_iter_t field, iter;
    if (!bson_iter_init_find(&field, doc, "zones"))
        return true;
    if (!BSON_ITER_HOLDS_ARRAY(&field) || !bson_iter_recurse(&field, &iter))
        return sp_error_set(error, SP_ERROR_INPUT, 0, "'zones' must be an array");
    unsigned capacity = 0;
    while (bson_iter_next(&iter)) {
        sp_zone_range_t range;
        if (!read_range(&iter, &range))
            return sp_error_set(error, SP_ERROR_INPUT, 0, "zones[%u] must be [min, max, \"zone\"]",
                                zones->range_count);
        if (zones->range_count == SP_ZONE_RANGES_MAX)
            return sp_error_set(error, SP_ERROR_INPUT, 0, "'zones' has more than %d ranges",
                                SP_ZONE_RANGES_MAX);
        if (zones->range_count == capacity) {
            capacity = capacity == 0 ? 16 : 2 * capacity;
            zones->ranges = bson_realloc(zones->ranges, capacity * sizeof *zones->ranges);
        }
        place(zones, &range);
    }
    return true;
}

/* Puts a shard in its place; one that is there already is left alone. */
static void add_shard(sp_zone_t *zone, unsigned shard)
{
    unsigned at = 0;
    while (at < zone->shard_count && zone->shards[at] < shard)
        at++;
    if (at < zone->shard_count && zone->shards[at] == shard)
        return;
    memmove(zone->shards + at + 1, zone->shards + at,
            (zone->shard_count++ - at) * sizeof *zone->shards);
    zone->shards[at] = shard;
}

static bool read_zone(const bson_iter_t *field, unsigned shards, sp_zone_t *zone, sp_error_t *error)
{
    bson_iter_t iter;
    unsigned shard;
    zone->name = bson_iter_key(field);
    zone->shards = bson_malloc((size_t)shards * sizeof *zone->shards);
    zone->shard_count = 0;
    if (!BSON_ITER_HOLDS_ARRAY(field) || !bson_iter_recurse(field, &iter))
        return sp_error_set(error, SP_ERROR_INPUT, 0, "zoneShards['%s'] must be an array of shards",
                            zone->name);
    while (bson_iter_next(&iter)) {
        if (!BSON_ITER_HOLDS_UTF8(&iter) ||
            !sp_shard_number(bson_iter_utf8(&iter, NULL), shards, &shard))
            return sp_error_set(error, SP_ERROR_INPUT, 0,
                                "zoneShards['%s'] must name shards from s1 to s%u", zone->name,
                                shards);
        add_shard(zone, shard);
    }
    return true;
}

static bool read_zones(const bson_t *doc, unsigned shards, sp_zones_t *zones, sp_error_t *error)
{
    bson_iter_t field, iter;
    if (!bson_iter_init_find(&field, doc, "zoneShards"))
        return true;
    if (!BSON_ITER_HOLDS_DOCUMENT(&field) || !bson_iter_recurse(&field, &iter))
        return sp_error_set(error, SP_ERROR_INPUT, 0, "'zoneShards' must be a document");
    while (bson_iter_next(&iter)) {
        if (sp_zones_find(zones, bson_iter_key(&iter)) != NULL)
            return sp_error_set(error, SP_ERROR_INPUT, 0, "'zoneShards' has '%s' twice",
                                bson_iter_key(&iter));
        zones->zones = bson_realloc(zones->zones, (zones->zone_count + 1) * sizeof *zones->zones);
        if (!read_zone(&iter, shards, &zones->zones[zones->zone_count++], error))
            return false;
    }
    return true;
}

bool sp_zones_read(const bson_t *doc, unsigned shards, sp_zones_t *zones, sp_error_t *error)
{
    *zones = (sp_zones_t){0};
    return read_ranges(doc, zones, error) && read_zones(doc, shards, zones, error);
}

void sp_zones_clear(sp_zones_t *zones)
{
    for (unsigned i = 0; i < zones->zone_count; i++)
        bson_free(zones->zones[i].shards);
    bson_free(zones->zones);
    bson_free(zones->ranges);
    *zones = (sp_zones_t){0};
}

const sp_zone_t *sp_zones_find(const sp_zones_t *zones, const char *name)
{
    for (unsigned i = 0; i < zones->zone_count; i++) {
        if (zones->zones[i].shard_count > 0 && strcmp(zones->zones[i].name, name) == 0)
            return &zones->zones[i];
    }
    return NULL;
}

static bool is_empty(const sp_value_t *bound)
{
    bson_iter_t iter;
    return !sp_value_children(bound, &iter) || !bson_iter_next(&iter);
}

bool sp_zone_range_check(const sp_value_t *min, const sp_value_t *max, sp_error_t *error)
{
    if (is_empty(min) || is_empty(max))
        return sp_error_set(error, SP_ERROR_RULE, BAD_VALUE,
                            "the %s bound of a zone range has no field",
                            is_empty(min) ? "lower" : "upper");
    if (sp_value_compare(min, max) >= 0)
        return sp_error_set(error, SP_ERROR_RULE, FAILED_TO_PARSE,
                            "the lower bound of a zone range must be less than the upper one");
    return true;
}

static bool check_bound(const sp_value_t *bound, const sp_pattern_t *pattern, sp_version_t version,
                        sp_error_t *error)
{
    bson_iter_t iter;
    bool sound = sp_value_children(bound, &iter);
    for (unsigned i = 0; sound && i < pattern->field_count; i++) {
        sound = bson_iter_next(&iter) && strcmp(bson_iter_key(&iter), pattern->fields[i].text) == 0;
        bson_type_t type = sound ? bson_iter_type(&iter) : BSON_TYPE_EOD;
        bool end = type == BSON_TYPE_MINKEY || type == BSON_TYPE_MAXKEY;
        if (sound && pattern->hashed == (int)i && type != BSON_TYPE_INT64 &&
            (!end || !sp_version_has(version, SP_ZONES_END_IN_HASHED)))
            return sp_error_set(error, SP_ERROR_RULE, INVALID_OPTIONS,
                                "the hashed field '%s' of a zone range must be a NumberLong, "
                                "MinKey or MaxKey",
                                pattern->fields[i].text);
    }
    if (sound && !bson_iter_next(&iter))
        return true;
    return sp_error_set(error, SP_ERROR_RULE, INVALID_OPTIONS,
                        "a zone range has other fields than the shard key");
}

bool sp_zones_check(const sp_zones_t *zones, const sp_pattern_t *pattern, sp_version_t version,
                    sp_error_t *error)
{
    for (unsigned i = 0; i < zones->range_count; i++) {
        if (!sp_zone_range_check(&zones->ranges[i].min, &zones->ranges[i].max, error))
            return false;
    }
    for (unsigned i = 0; i < zones->range_count; i++) {
        if (!check_bound(&zones->ranges[i].min, pattern, version, error) ||
            !check_bound(&zones->ranges[i].max, pattern, version, error))
            return false;
    }
    return true;
}
