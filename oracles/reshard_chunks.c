#include "reshard_chunks.h"

#include "order.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum {
    BAD_VALUE = 2,
    SHARD_NOT_FOUND = 70,
    DUPLICATE_KEY = 11000,
    TOO_MANY_COMPOUND_KEYS = 13103,
    WRONG_BOUND = 16634,
    NEGATIVE_SAMPLE = 28747,
    TOO_FEW_VALUES = 4952606,
    NO_SHARD_IN_ZONE = 4952607,
    SAMPLES_PER_CHUNK = 10
};

/* Bounds in order, each once. */
typedef struct bounds {
    const bson_t **items;
    unsigned count;
} bounds_t;

static int compare_ranges(const void *a, const void *b)
{
    const sp_range_t *const *left = a, *const *right = b;
    return sp_key_compare(&(*left)->min, &(*right)->min);
}

/* The ranges by their lower bounds; to be freed. */
static const sp_range_t **sorted(const sp_range_t *ranges, unsigned count)
{
    const sp_range_t **order = bson_malloc0((count + 1) * sizeof *order);
    for (unsigned i = 0; i < count; i++)
        order[i] = &ranges[i];
    qsort(order, count, sizeof *order, compare_ranges);
    return order;
}

static bool is_extreme(const sp_pattern_t *pattern, const bson_t *bound, bson_type_t type)
{
    bson_iter_t iter;
    if (!sp_pattern_fits(pattern, bound, NULL) || !bson_iter_init(&iter, bound))
        return false;
    while (bson_iter_next(&iter)) {
        if (bson_iter_type(&iter) != type)
            return false;
    }
    return true;
}

static bool has_shard(const sp_layout_t *layout, const char *name)
{
    for (unsigned i = 0; i < layout->shard_count; i++) {
        if (strcmp(layout->shards[i], name) == 0)
            return true;
    }
    return false;
}

bool sp_reshard_check_zones(const sp_reshard_request_t *request, sp_error_t *error)
{
    const sp_range_t **order = sorted(request->zones, request->zone_count);
    bool ok = true;
    for (unsigned i = 1; ok && i < request->zone_count; i++)
        ok = sp_key_compare(&order[i - 1]->max, &order[i]->min) <= 0;
    bson_free(order);
    return ok || sp_error_set(error, SP_ERROR_RULE, BAD_VALUE, "the zones overlap");
}

bool sp_reshard_check_preset(const sp_reshard_request_t *request, const sp_pattern_t *pattern,
                             const sp_layout_t *layout, sp_error_t *error)
{
    const sp_range_t **order = sorted(request->preset, request->preset_count);
    unsigned last = request->preset_count - 1;
    bool ok = true;
    for (unsigned i = 0; ok && i <= last; i++) {
        if (!has_shard(layout, request->preset[i].name))
            ok = sp_error_set(error, SP_ERROR_RULE, SHARD_NOT_FOUND, "there is no shard '%s'",
                              request->preset[i].name);
    }
    for (unsigned i = 1; ok && i <= last; i++) {
        if (sp_key_compare(&order[i - 1]->max, &order[i]->min) != 0)
            ok = sp_error_set(error, SP_ERROR_RULE, BAD_VALUE, "the chunks are not contiguous");
    }
    if (ok && (!is_extreme(pattern, &order[0]->min, BSON_TYPE_MINKEY) ||
               !is_extreme(pattern, &order[last]->max, BSON_TYPE_MAXKEY)))
        ok = sp_error_set(error, SP_ERROR_RULE, BAD_VALUE,
                          "the chunks do not reach from MinKey to MaxKey");
    bson_free(order);
    return ok;
}

static bool bounds_add(bounds_t *bounds, const bson_t *bound)
{
    unsigned at = 0;
    while (at < bounds->count && sp_key_compare(bounds->items[at], bound) < 0)
        at++;
    if (at < bounds->count && sp_key_compare(bounds->items[at], bound) == 0)
        return false;
    memmove(bounds->items + at + 1, bounds->items + at,
            (bounds->count - at) * sizeof *bounds->items);
    bounds->items[at] = bound;
    bounds->count++;
    return true;
}

static bool add_zones(const sp_reshard_plan_t *plan, bounds_t *bounds, sp_error_t *error)
{
    for (unsigned i = 0; i < plan->request->zone_count; i++) {
        const sp_range_t *zone = &plan->request->zones[i];
        if (!sp_pattern_fits(plan->pattern, &zone->min, NULL) ||
            !sp_pattern_fits(plan->pattern, &zone->max, NULL))
            return sp_error_set(error, SP_ERROR_RULE, WRONG_BOUND,
                                "a zone's bound has not the fields of the new shard key");
        bounds_add(bounds, &zone->min);
        bounds_add(bounds, &zone->max);
    }
    return true;
}

/* In memory, as a pipeline sorts. */
static int compare_values(const void *a, const void *b)
{
    bson_iter_t left, right;
    bool sound = bson_iter_init(&left, ((const sp_sampled_t *)a)->value) &&
                 bson_iter_init(&right, ((const sp_sampled_t *)b)->value);
    int order = 0;
    assert(sound);
    while (order == 0 && bson_iter_next(&left) && bson_iter_next(&right)) {
        sp_value_t left_value = sp_value_of(&left), right_value = sp_value_of(&right);
        order = sp_value_compare_in_expression(&left_value, &right_value);
    }
    return order;
}

/* Whether another document comes at the same place in the order and makes another bound, so that it
 * depends on the drawing which of them does. */
static bool has_double(const sp_reshard_plan_t *plan, const sp_sampled_t *doc)
{
    for (unsigned i = 0; i < plan->doc_count; i++) {
        const bson_t *other = plan->docs[i].key;
        if (compare_values(doc, &plan->docs[i]) == 0 &&
            (doc->key->len != other->len ||
             memcmp(bson_get_data(doc->key), bson_get_data(other), other->len) != 0))
            return true;
    }
    return false;
}

static bool all_differ(const sp_reshard_plan_t *plan)
{
    for (unsigned i = 0; i < plan->doc_count; i++) {
        for (unsigned j = 0; j < i; j++) {
            if (sp_key_compare(plan->docs[i].key, plan->docs[j].key) == 0)
                return false;
        }
    }
    return true;
}

static bool refuse_few(sp_error_t *error)
{
    return sp_error_set(error, SP_ERROR_RULE, TOO_FEW_VALUES,
                        "the documents have too few values of the new shard key for so many "
                        "chunks");
}

/* Whether `key` is the first or the last of all bounds, and was not drawn yet. */
static bool ends_all(const bounds_t *bounds, const bson_t *key, bool *begun, bool *ended)
{
    bool first = sp_key_compare(bounds->items[0], key) == 0 && !*begun;
    bool last = sp_key_compare(bounds->items[bounds->count - 1], key) == 0 && !*ended;
    *begun = *begun || first;
    *ended = *ended || last;
    return first || last;
}

/* Every tenth value of a sample that has ten for each chunk that is still wanted. */
static bool add_sample(sp_reshard_plan_t *plan, bounds_t *bounds, int64_t wanted, bool *known,
                       sp_error_t *error)
{
    if (plan->keyless)
        return sp_error_set(error, SP_ERROR_INPUT, 0,
                            "'docs' with arrays in the new shard key need numInitialChunks 1 or "
                            "presetReshardedChunks");
    qsort(plan->docs, plan->doc_count, sizeof *plan->docs, compare_values);
    if (plan->doc_count > wanted * SAMPLES_PER_CHUNK) {
        *known = false;
        return (all_differ(plan) && bounds->count == 2) ||
               sp_error_set(error, SP_ERROR_INPUT, 0,
                            "so many 'docs' with equal values make the answer a matter of chance");
    }
    bool begun = false, ended = false;
    for (unsigned next = 0; wanted > 0; next += SAMPLES_PER_CHUNK) {
        if (next >= plan->doc_count)
            return refuse_few(error);
        unsigned last = next + SAMPLES_PER_CHUNK - 1;
        const sp_sampled_t *doc = &plan->docs[last < plan->doc_count ? last : plan->doc_count - 1];
        if (has_double(plan, doc))
            *known = false;
        /* The ends of all count as splits, too, though they split nothing. */
        if (bounds_add(bounds, doc->key) || ends_all(bounds, doc->key, &begun, &ended))
            wanted--;
    }
    plan->draws_min = begun;
    return true;
}

static const char *zone_of(const sp_reshard_request_t *request, const bson_t *min)
{
    for (unsigned i = 0; i < request->zone_count; i++) {
        if (sp_key_compare(&request->zones[i].min, min) <= 0 &&
            sp_key_compare(min, &request->zones[i].max) < 0)
            return request->zones[i].name;
    }
    return NULL;
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The shards' names in order; to be freed, without the names. */
static char **shards_in_order(const sp_layout_t *layout)
{
    char **names = bson_malloc0((layout->shard_count + 1) * sizeof *names);
    memcpy(names, layout->shards, layout->shard_count * sizeof *names);
    qsort(names, layout->shard_count, sizeof *names, compare_names);
    return names;
}

/* Whoever has the fewest chunks so far, the first of several. */
static unsigned least_loaded(const unsigned *loads, unsigned count)
{
    unsigned least = 0;
    for (unsigned i = 1; i < count; i++) {
        if (loads[i] < loads[least])
            least = i;
    }
    return least;
}

/* Chunks in a zone go to its shard, all others to whoever has the fewest. */
static bool deal(const sp_reshard_plan_t *plan, const bounds_t *bounds, bson_t *chunks,
                 sp_error_t *error)
{
    unsigned count = plan->layout->shard_count;
    unsigned *loads = bson_malloc0((count + 1) * sizeof *loads);
    char **names = shards_in_order(plan->layout);
    bool ok = true;
    for (unsigned i = 0; ok && i + 1 < bounds->count; i++) {
        char buffer[16];
        const char *index, *zone = zone_of(plan->request, bounds->items[i]);
        unsigned shard = 0;
        bson_t chunk;
        if (zone == NULL) {
            shard = least_loaded(loads, count);
        } else if (has_shard(plan->layout, zone)) {
            while (strcmp(names[shard], zone) != 0)
                shard++;
        } else {
            ok = sp_error_set(error, SP_ERROR_RULE, NO_SHARD_IN_ZONE,
                              "no shard is in the zone '%s'", zone);
        }
        loads[shard]++;
        bson_uint32_to_string(i, &index, buffer, sizeof buffer);
        BSON_APPEND_ARRAY_BEGIN(chunks, index, &chunk);
        BSON_APPEND_DOCUMENT(&chunk, "0", bounds->items[i]);
        BSON_APPEND_DOCUMENT(&chunk, "1", bounds->items[i + 1]);
        BSON_APPEND_UTF8(&chunk, "2", names[shard]);
        bson_append_array_end(chunks, &chunk);
    }
    bson_free(loads);
    bson_free(names);
    return ok;
}

static void append_extremes(const sp_pattern_t *pattern, bson_t *min, bson_t *max)
{
    for (unsigned i = 0; i < pattern->field_count; i++) {
        BSON_APPEND_MINKEY(min, pattern->fields[i].text);
        BSON_APPEND_MAXKEY(max, pattern->fields[i].text);
    }
}

bool sp_reshard_chunks(sp_reshard_plan_t *plan, bson_t *chunks, bool *known, sp_error_t *error)
{
    bson_t min = BSON_INITIALIZER, max = BSON_INITIALIZER;
    bounds_t bounds = {0};
    *known = true;
    if (plan->number <= 0)
        return sp_error_set(error, SP_ERROR_RULE, NEGATIVE_SAMPLE,
                            "numInitialChunks must be at least 1");
    if (bson_count_keys(&plan->request->common.new_key) > SP_PATTERN_FIELDS_MAX)
        return sp_error_set(error, SP_ERROR_RULE, TOO_MANY_COMPOUND_KEYS,
                            "a sample is sorted by at most 32 fields");
    bounds.items =
        bson_malloc0((2 * SP_RESHARD_RANGES_MAX + plan->doc_count + 2) * sizeof *bounds.items);
    append_extremes(plan->pattern, &min, &max);
    bounds_add(&bounds, &min);
    bounds_add(&bounds, &max);
    bool ok = add_zones(plan, &bounds, error);
    int64_t wanted = plan->number - (bounds.count - 1);
    if (ok && wanted > 0)
        ok = add_sample(plan, &bounds, wanted, known, error);
    ok = ok && deal(plan, &bounds, chunks, error);
    if (ok && plan->draws_min)
        ok = sp_error_set(error, SP_ERROR_RULE, DUPLICATE_KEY,
                          "two chunks begin at MinKey, which is a value of the sample");
    bson_free(bounds.items);
    bson_destroy(&min);
    bson_destroy(&max);
    return ok;
}
