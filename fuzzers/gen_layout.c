#include "gen_layout.h"

#include "../oracles/hash.h"
#include "../oracles/order.h"
#include "gen_value.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* How much a layout has at most. */
typedef struct sizes {
    uint32_t splits, pool;
} sizes_t;

static const sizes_t usual = {12, SP_POOL_MAX}, large = {SP_SPLITS_MAX, SP_LARGE_POOL_MAX};

/* "#" before a name makes that field the hashed one. */
static const char *const shapes[][SP_SHAPE_FIELDS] = {
    {"x"},
    {"#x"},
    {"x", "y"},
    {"#x", "y"},
    {"x", "#y"},
    {"x", "#y", "z"},
    {"x", "y", "z"},
    {"x", "y", "#z"},
    {"#x", "y", "z", "v"},
    {"a.b"},
    {"#a.b"},
    {"a.b", "c"},
    {"a.b", "#a.c"},
    {"a.b.c", "a.d", "x"},
    {"a.b.c"},
    {"#a.b.c"},
    {"a", "a.b"},
    {"a", "#a.b"},
    {"_id"},
    {"#_id"},
    {"x", "_id"},
    {"#_id", "x"},
    {"_id.a"},
    {"x", "#_id.a"},
};

static void draw_pattern(sp_producer_t *producer, sp_layout_draw_t *layout)
{
    const uint32_t count = sizeof shapes / sizeof *shapes;
    const char *const *shape = shapes[sp_draw_below(producer, count)];
    bson_init(&layout->key);
    for (unsigned i = 0; i < SP_SHAPE_FIELDS && shape[i] != NULL; i++) {
        if (shape[i][0] == '#')
            BSON_APPEND_UTF8(&layout->key, shape[i] + 1, "hashed");
        else
            BSON_APPEND_INT32(&layout->key, shape[i], 1);
    }
    layout->pattern = sp_pattern_new(&layout->key, NULL);
    assert(layout->pattern != NULL);
}

/* What is left of the path of a field that lies under `field`, for instance "b" of "a.b" under "a",
 * and that field's place; NULL where there is none. */
static const char *find_field_inside(const sp_pattern_t *pattern, unsigned field, unsigned *inside)
{
    const char *outer = pattern->fields[field].text;
    size_t length = strlen(outer);
    for (*inside = 0; *inside < pattern->field_count; ++*inside) {
        const char *path = pattern->fields[*inside].text;
        if (strncmp(path, outer, length) == 0 && path[length] == '.')
            return path + length + 1;
    }
    return NULL;
}

static void draw_pool_value(sp_producer_t *producer, const sp_layout_draw_t *layout, unsigned field,
                            bson_t *one, const char *index)
{
    unsigned inside;
    const char *name = find_field_inside(layout->pattern, field, &inside);
    if (name == NULL || sp_draw_one_in(producer, 4)) {
        sp_gen_value(producer, one, index);
        return;
    }
    bson_t object;
    sp_value_t value = sp_layout_draw_value(layout, producer, inside);
    BSON_APPEND_DOCUMENT_BEGIN(one, index, &object);
    sp_value_append(&object, name, &value);
    bson_append_document_end(one, &object);
}

/* Arrays are no shard key values, so the pools are free of them; documents get theirs elsewhere. */
static void draw_pool(sp_producer_t *producer, sp_layout_draw_t *layout, unsigned field,
                      uint32_t pool_max)
{
    bson_t *pool = &layout->pools[field];
    uint32_t *size = &layout->pool_sizes[field];
    bson_init(pool);
    uint32_t wanted = 1 + sp_draw_below(producer, pool_max);
    *size = 0;
    for (uint32_t i = 0; i < wanted; i++) {
        bson_t one = BSON_INITIALIZER;
        bson_iter_t iter;
        char index[16];
        snprintf(index, sizeof index, "%u", *size);
        draw_pool_value(producer, layout, field, &one, index);
        bool found = bson_iter_init_find(&iter, &one, index);
        assert(found);
        if (BSON_ITER_HOLDS_ARRAY(&iter))
            BSON_APPEND_INT32(pool, index, (int32_t)i);
        else
            bson_concat(pool, &one);
        bson_destroy(&one);
        ++*size;
    }
}

sp_value_t sp_layout_draw_value(const sp_layout_draw_t *layout, sp_producer_t *producer,
                                unsigned field)
{
    bson_iter_t iter;
    bool sound = bson_iter_init(&iter, &layout->pools[field]);
    assert(sound);
    uint32_t steps = 1 + sp_draw_below(producer, layout->pool_sizes[field]);
    while (steps-- > 0) {
        bool more = bson_iter_next(&iter);
        assert(more);
    }
    return sp_value_of(&iter);
}

/* Where a hashed field is split: at the hash of a value that will be inserted, a step beside it, or
 * anywhere. */
static int64_t draw_hash_bound(sp_producer_t *producer, const sp_layout_draw_t *layout,
                               unsigned field, sp_hasher_t *hasher)
{
    static const int64_t fixed[] = {0, 1, -1, INT64_MIN, INT64_MAX, INT64_MIN + 1};
    uint32_t choice = sp_draw_below(producer, 8);
    if (choice < 5) {
        sp_value_t value = sp_layout_draw_value(layout, producer, field);
        uint64_t hash = (uint64_t)sp_hash_value(hasher, &value);
        return (int64_t)(hash + (uint64_t)((int64_t)sp_draw_below(producer, 3) - 1));
    }
    if (choice == 5)
        return fixed[sp_draw_below(producer, sizeof fixed / sizeof *fixed)];
    return (int64_t)sp_draw_bits(producer, 8);
}

static void draw_bound(sp_producer_t *producer, const sp_layout_draw_t *layout, sp_hasher_t *hasher,
                       bson_t *bound)
{
    for (unsigned i = 0; i < layout->pattern->field_count; i++) {
        const char *name = layout->pattern->fields[i].text;
        if ((int)i == layout->pattern->hashed) {
            if (sp_draw_one_in(producer, 16))
                BSON_APPEND_MINKEY(bound, name);
            else
                BSON_APPEND_INT64(bound, name, draw_hash_bound(producer, layout, i, hasher));
        } else {
            sp_value_t value = sp_layout_draw_value(layout, producer, i);
            sp_value_append(bound, name, &value);
        }
    }
}

static void append_extreme(const sp_pattern_t *pattern, bson_t *bound, bool max)
{
    for (unsigned i = 0; i < pattern->field_count; i++) {
        if (max)
            BSON_APPEND_MAXKEY(bound, pattern->fields[i].text);
        else
            BSON_APPEND_MINKEY(bound, pattern->fields[i].text);
    }
}

/* Equal bounds by their bytes, so that which of them is kept does not depend on the sorting
 * algorithm. */
static int compare_bounds(const void *a, const void *b)
{
    const bson_t *left = *(bson_t *const *)a, *right = *(bson_t *const *)b;
    int order = sp_key_compare(left, right);
    if (order != 0)
        return order;
    if (left->len != right->len)
        return left->len < right->len ? -1 : 1;
    return memcmp(bson_get_data(left), bson_get_data(right), left->len);
}

/* The whole bounds, in order and each once, MinKey first and MaxKey last. Returns how many. */
static uint32_t draw_bounds(sp_producer_t *producer, const sp_layout_draw_t *layout,
                            uint32_t splits_max, bson_t **bounds)
{
    sp_hasher_t *hasher = sp_hasher_new(NULL);
    assert(hasher != NULL);
    uint32_t count = 2 + sp_draw_below(producer, splits_max + 1);
    for (uint32_t i = 0; i < count; i++) {
        bounds[i] = bson_new();
        if (i >= 2)
            draw_bound(producer, layout, hasher, bounds[i]);
        if (i < 2 || !sp_pattern_bound_storable(bounds[i], NULL) ||
            sp_pattern_bound_breaks(bounds[i])) {
            bson_reinit(bounds[i]);
            append_extreme(layout->pattern, bounds[i], i == 1);
        }
    }
    sp_hasher_free(hasher);

    qsort(bounds, count, sizeof *bounds, compare_bounds);
    uint32_t kept = 1;
    for (uint32_t i = 1; i < count; i++) {
        if (sp_key_compare(bounds[kept - 1], bounds[i]) == 0)
            bson_destroy(bounds[i]);
        else
            bounds[kept++] = bounds[i];
    }
    return kept;
}

static void append_chunk(bson_t *chunks, uint32_t index, const bson_t *min, const bson_t *max,
                         unsigned shard)
{
    char key[16], name[16];
    snprintf(key, sizeof key, "%u", index);
    snprintf(name, sizeof name, "s%u", shard);
    bson_t chunk;
    BSON_APPEND_ARRAY_BEGIN(chunks, key, &chunk);
    BSON_APPEND_DOCUMENT(&chunk, "0", min);
    BSON_APPEND_DOCUMENT(&chunk, "1", max);
    BSON_APPEND_UTF8(&chunk, "2", name);
    bson_append_array_end(chunks, &chunk);
}

static void draw_layout(const sp_scene_context_t *context, sp_producer_t *producer,
                        const sizes_t *sizes, sp_layout_draw_t *layout, bson_t *scene)
{
    memset(layout, 0, sizeof *layout);
    draw_pattern(producer, layout);
    /* From the end, where those fields stand that lie under others. */
    for (unsigned i = layout->pattern->field_count; i-- > 0;)
        draw_pool(producer, layout, i, sizes->pool);
    BSON_APPEND_DOCUMENT(scene, "key", &layout->key);

    bson_t *bounds[SP_SPLITS_MAX + 2], chunks;
    uint32_t count = draw_bounds(producer, layout, sizes->splits, bounds);
    BSON_APPEND_ARRAY_BEGIN(scene, "chunks", &chunks);
    for (uint32_t i = 0; i + 1 < count; i++)
        append_chunk(&chunks, i, bounds[i], bounds[i + 1],
                     1 + sp_draw_below(producer, context->shards));
    bson_append_array_end(scene, &chunks);
    for (uint32_t i = 0; i < count; i++)
        bson_destroy(bounds[i]);
}

void sp_gen_layout(const sp_scene_context_t *context, sp_producer_t *producer,
                   sp_layout_draw_t *layout, bson_t *scene)
{
    draw_layout(context, producer, &usual, layout, scene);
}

void sp_gen_large_layout(const sp_scene_context_t *context, sp_producer_t *producer,
                         sp_layout_draw_t *layout, bson_t *scene)
{
    draw_layout(context, producer, &large, layout, scene);
}

void sp_layout_draw_clear(sp_layout_draw_t *layout)
{
    for (unsigned i = 0; i < layout->pattern->field_count; i++)
        bson_destroy(&layout->pools[i]);
    bson_destroy(&layout->key);
    sp_pattern_free(layout->pattern);
}
