#include "zone_update.h"

#include "order.h"

#include <assert.h>
#include <string.h>

enum {
    BAD_VALUE = 2,
    SHARD_KEY_NOT_FOUND = 61,
    INVALID_OPTIONS = 72,
    ZONE_NOT_FOUND = 177,
    RANGE_OVERLAP_CONFLICT = 178,
    BOUND_LONGER = 349, /* no name */
    BOUND_OF_OTHERS = 16634
};

typedef struct range {
    sp_value_t min, max;
    const char *zone;
} range_t;

static void children(const sp_value_t *document, bson_iter_t *iter)
{
    bool sound = sp_value_children(document, iter);
    assert(sound);
}

/* As a bound is looked at alone: arrays are refused here, though chunk bounds may hold them. */
static bool check_storable(const sp_value_t *bound, sp_error_t *error)
{
    bson_iter_t iter;
    children(bound, &iter);
    while (bson_iter_next(&iter)) {
        sp_value_t value = sp_value_of(&iter);
        if (value.type == BSON_TYPE_ARRAY || !sp_pattern_value_storable(&value))
            return sp_error_set(error, SP_ERROR_RULE, BAD_VALUE,
                                "the value of '%s' cannot be stored in a zone bound",
                                bson_iter_key(&iter));
    }
    return true;
}

typedef enum likeness { SAME_FIELDS, FEWER_FIELDS, MORE_FIELDS, OTHER_FIELDS } likeness_t;

/* How the field names of `bound` are to those of `like`, one after the other. */
static likeness_t compare_names(const sp_value_t *bound, const sp_value_t *like)
{
    bson_iter_t has, wants;
    children(bound, &has);
    children(like, &wants);
    for (;;) {
        bool more = bson_iter_next(&has), wanted = bson_iter_next(&wants);
        if (!more)
            return wanted ? FEWER_FIELDS : SAME_FIELDS;
        if (!wanted)
            return MORE_FIELDS;
        if (strcmp(bson_iter_key(&has), bson_iter_key(&wants)) != 0)
            return OTHER_FIELDS;
    }
}

/* Appends MinKey for the fields that `bound` lacks, to upper bounds as well. */
static sp_value_t extend(sp_arena_t *arena, const sp_value_t *bound, const sp_value_t *like)
{
    bson_iter_t has, wants;
    bson_t whole = BSON_INITIALIZER;
    children(bound, &has);
    children(like, &wants);
    while (bson_iter_next(&wants)) {
        if (bson_iter_next(&has)) {
            sp_value_t value = sp_value_of(&has);
            sp_value_append(&whole, bson_iter_key(&has), &value);
        } else {
            BSON_APPEND_MINKEY(&whole, bson_iter_key(&wants));
        }
    }
    uint8_t *data = sp_arena_take(arena, whole.len);
    memcpy(data, bson_get_data(&whole), whole.len);
    sp_value_t extended = {BSON_TYPE_DOCUMENT, whole.len, data};
    bson_destroy(&whole);
    return extended;
}

static bool check_names(const sp_zone_update_t *update, const sp_value_t *like, sp_error_t *error)
{
    if (update->key == NULL)
        return compare_names(&update->max, like) == SAME_FIELDS ||
               sp_error_set(error, SP_ERROR_RULE, SHARD_KEY_NOT_FOUND,
                            "the bounds of the range have not the same fields");
    likeness_t min = compare_names(&update->min, like), max = compare_names(&update->max, like);
    if ((min == SAME_FIELDS || min == FEWER_FIELDS) && (max == SAME_FIELDS || max == FEWER_FIELDS))
        return true;
    return sp_error_set(error, SP_ERROR_RULE, SHARD_KEY_NOT_FOUND,
                        "a bound of the range has other fields than the shard key begins with");
}

static bool check_hashed(const bson_t *key, const sp_value_t *bound, sp_error_t *error)
{
    bson_iter_t iter, pattern;
    children(bound, &iter);
    bool sound = bson_iter_init(&pattern, key);
    assert(sound);
    while (bson_iter_next(&iter) && bson_iter_next(&pattern)) {
        bson_type_t type = bson_iter_type(&iter);
        if (BSON_ITER_HOLDS_UTF8(&pattern) && type != BSON_TYPE_INT64 && type != BSON_TYPE_MINKEY &&
            type != BSON_TYPE_MAXKEY)
            return sp_error_set(error, SP_ERROR_RULE, INVALID_OPTIONS,
                                "the hashed field '%s' of a zone range must be a NumberLong, "
                                "MinKey or MaxKey",
                                bson_iter_key(&iter));
    }
    return true;
}

static bool can_extend(const sp_value_t *bound, const sp_value_t *like, sp_error_t *error)
{
    switch (compare_names(bound, like)) {
    case MORE_FIELDS:
        return sp_error_set(error, SP_ERROR_RULE, BOUND_LONGER,
                            "another range of the collection has more fields");
    case OTHER_FIELDS:
        return sp_error_set(error, SP_ERROR_RULE, BOUND_OF_OTHERS,
                            "another range of the collection has other fields");
    default:
        return true;
    }
}

/* Whether two ranges cannot stand beside each other: one is not allowed over another, except where
 * it is the same with the same zone. */
static bool conflict(const range_t *a, const range_t *b)
{
    if (sp_value_compare(&a->min, &b->min) == 0 && sp_value_compare(&a->max, &b->max) == 0 &&
        strcmp(a->zone, b->zone) == 0)
        return false;
    return sp_value_compare(&a->min, &b->max) < 0 && sp_value_compare(&b->min, &a->max) < 0;
}

static bool check_beside(const range_t *ranges, unsigned count, const range_t *range,
                         sp_error_t *error)
{
    for (unsigned i = 0; i < count; i++) {
        if (conflict(&ranges[i], range))
            return sp_error_set(error, SP_ERROR_RULE, RANGE_OVERLAP_CONFLICT,
                                "a range of zone %s overlaps one of zone %s", range->zone,
                                ranges[i].zone);
    }
    return true;
}

/* The ranges that are there are read, brought to the form of the new one, and added, one after the
 * other; in that form they may overlap each other. */
static bool check_overlap(sp_arena_t *arena, const sp_zones_t *zones, const sp_value_t *like,
                          const range_t *range, sp_error_t *error)
{
    range_t *ranges = sp_arena_take(arena, (zones->range_count + 1) * sizeof *ranges);
    for (unsigned i = 0; i < zones->range_count; i++) {
        const sp_zone_range_t *other = &zones->ranges[i];
        if (!sp_zone_range_check(&other->min, &other->max, error) ||
            !can_extend(&other->max, like, error) || !can_extend(&other->min, like, error))
            return false;
        ranges[i] = (range_t){extend(arena, &other->min, like), extend(arena, &other->max, like),
                              other->zone};
        if (!check_beside(ranges, i, &ranges[i], error))
            return false;
    }
    return check_beside(ranges, zones->range_count, range, error);
}

static void append_range(bson_t *after, uint32_t *count, const sp_value_t *min,
                         const sp_value_t *max, const char *zone)
{
    char buffer[16];
    const char *index;
    bson_t range;
    bson_uint32_to_string((*count)++, &index, buffer, sizeof buffer);
    BSON_APPEND_ARRAY_BEGIN(after, index, &range);
    sp_value_append(&range, "0", min);
    sp_value_append(&range, "1", max);
    BSON_APPEND_UTF8(&range, "2", zone);
    bson_append_array_end(after, &range);
}

/* A range is written over the one with the same lower bound, and taken away where both bounds are
 * the same; numbers of other types are the same too. */
static void append_after(const sp_zones_t *zones, const sp_zone_update_t *update,
                         const range_t *range, bson_t *after)
{
    uint32_t count = 0;
    bool pending = update->zone != NULL;
    for (unsigned i = 0; i < zones->range_count; i++) {
        const sp_zone_range_t *other = &zones->ranges[i];
        int order = sp_value_compare(&range->min, &other->min);
        if (pending && order <= 0) {
            append_range(after, &count, &range->min, &range->max, update->zone);
            pending = false;
        }
        bool gone =
            order == 0 && (update->zone != NULL || sp_value_compare(&range->max, &other->max) == 0);
        if (!gone)
            append_range(after, &count, &other->min, &other->max, other->zone);
    }
    if (pending)
        append_range(after, &count, &range->min, &range->max, update->zone);
}

static bool check_assigned(const sp_zones_t *zones, const sp_zone_update_t *update,
                           sp_error_t *error)
{
    if (!check_storable(&update->min, error) || !check_storable(&update->max, error))
        return false;
    return sp_zones_find(zones, update->zone) != NULL ||
           sp_error_set(error, SP_ERROR_RULE, ZONE_NOT_FOUND, "no shard has the zone %s",
                        update->zone);
}

bool sp_zone_update(const sp_zones_t *zones, const sp_zone_update_t *update, bson_t *after,
                    sp_error_t *error)
{
    sp_value_t like = update->min;
    if (update->key != NULL)
        like = (sp_value_t){BSON_TYPE_DOCUMENT, update->key->len, bson_get_data(update->key)};
    bool assigns = update->zone != NULL;
    if (!sp_zone_range_check(&update->min, &update->max, error) ||
        (assigns && !check_assigned(zones, update, error)) || !check_names(update, &like, error))
        return false;
    sp_arena_t arena;
    sp_arena_init(&arena);
    const range_t range = {extend(&arena, &update->min, &like), extend(&arena, &update->max, &like),
                           update->zone};
    bool ok =
        !assigns || ((update->key == NULL || (check_hashed(update->key, &range.min, error) &&
                                              check_hashed(update->key, &range.max, error))) &&
                     check_overlap(&arena, zones, &like, &range, error));
    if (ok)
        append_after(zones, update, &range, after);
    sp_arena_clear(&arena);
    return ok;
}
