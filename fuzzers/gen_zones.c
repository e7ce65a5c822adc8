#include "gen_zones.h"

#include "../oracles/order.h"
#include "../oracles/value.h"
#include "gen_value.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

static const char *const names[] = {"za", "zb", "zc"};

enum { ZONES = sizeof names / sizeof *names };

static void add_bound(sp_zones_draw_t *draw, const bson_iter_t *bound)
{
    bson_t doc;
    bool sound = sp_value_document(bound, &doc) && draw->count < SP_ZONE_BOUNDS_MAX;
    assert(sound);
    draw->bounds[draw->count++] = bson_copy(&doc);
}

void sp_zones_draw_init(const sp_scene_context_t *context, sp_producer_t *producer,
                        sp_zones_draw_t *draw)
{
    bson_t scene = BSON_INITIALIZER;
    bson_iter_t iter, chunk, part;
    draw->count = 0;
    sp_gen_layout(context, producer, &draw->layout, &scene);
    bool sound = bson_iter_init_find(&iter, &scene, "chunks") && bson_iter_recurse(&iter, &chunk);
    assert(sound);
    while (bson_iter_next(&chunk)) {
        sound = bson_iter_recurse(&chunk, &part) && bson_iter_next(&part);
        assert(sound);
        if (draw->count == 0)
            add_bound(draw, &part);
        sound = bson_iter_next(&part);
        assert(sound);
        add_bound(draw, &part);
    }
    bson_destroy(&scene);
}

void sp_zones_draw_clear(sp_zones_draw_t *draw)
{
    for (unsigned i = 0; i < draw->count; i++)
        bson_destroy(draw->bounds[i]);
    sp_layout_draw_clear(&draw->layout);
}

/* Another hash, and behind it MinKey. */
static bson_t *with_hash(const sp_pattern_t *pattern, const bson_t *bound, bson_type_t hash,
                         bool keeps_rest)
{
    bson_t *made = bson_new();
    bson_iter_t iter;
    bool sound = bson_iter_init(&iter, bound);
    assert(sound);
    for (int i = 0; bson_iter_next(&iter); i++) {
        sp_value_t value = sp_value_of(&iter);
        if (i < pattern->hashed || (i > pattern->hashed && keeps_rest))
            sp_value_append(made, bson_iter_key(&iter), &value);
        else if (i == pattern->hashed && hash == BSON_TYPE_MAXKEY)
            BSON_APPEND_MAXKEY(made, bson_iter_key(&iter));
        else
            BSON_APPEND_MINKEY(made, bson_iter_key(&iter));
    }
    return made;
}

void sp_zones_draw_presplit(sp_zones_draw_t *draw, bool keeps_rest)
{
    const sp_pattern_t *pattern = draw->layout.pattern;
    unsigned kept = 0;
    if (pattern->hashed < 1)
        return;
    for (unsigned i = 0; i < draw->count; i++) {
        bson_t *bound = with_hash(pattern, draw->bounds[i], BSON_TYPE_MINKEY, keeps_rest);
        bson_destroy(draw->bounds[i]);
        if (kept > 0 && sp_key_compare(draw->bounds[kept - 1], bound) >= 0)
            bson_destroy(bound);
        else
            draw->bounds[kept++] = bound;
    }
    draw->count = kept;
}

bson_t *sp_zone_hash_end(const sp_zones_draw_t *draw, const bson_t *bound)
{
    return with_hash(draw->layout.pattern, bound, BSON_TYPE_MAXKEY, false);
}

static bson_t *shortened(sp_producer_t *producer, const bson_t *bound)
{
    bson_t *made = bson_new();
    bson_iter_t iter;
    uint32_t fields = bson_count_keys(bound);
    uint32_t left = fields > 1 ? 1 + sp_draw_below(producer, fields - 1) : 1;
    bool sound = bson_iter_init(&iter, bound);
    assert(sound);
    while (left-- > 0 && bson_iter_next(&iter)) {
        sp_value_t value = sp_value_of(&iter);
        sp_value_append(made, bson_iter_key(&iter), &value);
    }
    return made;
}

static bson_t *lengthened(sp_producer_t *producer, const bson_t *bound)
{
    bson_t *made = bson_copy(bound);
    if (sp_draw_one_in(producer, 2))
        BSON_APPEND_MINKEY(made, "more");
    else
        BSON_APPEND_INT32(made, "more", (int32_t)sp_draw_below(producer, 3));
    return made;
}

/* Types that are refused are among them: arrays, regular expressions, $ names. */
static void append_other(sp_producer_t *producer, bson_t *made, const char *name,
                         const sp_value_t *value)
{
    bson_t inner;
    switch (sp_draw_below(producer, 8)) {
    case 0:
        BSON_APPEND_INT32(made, name, (int32_t)sp_draw_below(producer, 100) - 50);
        break;
    case 1:
        BSON_APPEND_DOUBLE(made, name, (double)sp_draw_below(producer, 100) / 4);
        break;
    case 2:
        BSON_APPEND_UTF8(made, name, "text");
        break;
    case 3:
        BSON_APPEND_ARRAY_BEGIN(made, name, &inner);
        sp_value_append(&inner, "0", value);
        bson_append_array_end(made, &inner);
        break;
    case 4:
        BSON_APPEND_REGEX(made, name, "a", "");
        break;
    case 5:
        BSON_APPEND_DOCUMENT_BEGIN(made, name, &inner);
        sp_value_append(&inner, sp_draw_one_in(producer, 2) ? "$a" : "a", value);
        bson_append_document_end(made, &inner);
        break;
    default:
        sp_gen_value_near(producer, value, made, name);
        break;
    }
}

static bson_t *changed(sp_producer_t *producer, const sp_zones_draw_t *draw, const bson_t *bound,
                       bool renames)
{
    bson_t *made = bson_new();
    bson_iter_t iter;
    uint32_t fields = bson_count_keys(bound);
    int hashed = draw->layout.pattern->hashed;
    uint32_t which = sp_draw_below(producer, fields);
    if (!renames && hashed >= 0 && (uint32_t)hashed < fields && sp_draw_one_in(producer, 2))
        which = (uint32_t)hashed;
    bool sound = bson_iter_init(&iter, bound);
    assert(sound);
    for (uint32_t i = 0; bson_iter_next(&iter); i++) {
        sp_value_t value = sp_value_of(&iter);
        if (i == which && !renames)
            append_other(producer, made, bson_iter_key(&iter), &value);
        else
            sp_value_append(made, i == which ? "other" : bson_iter_key(&iter), &value);
    }
    return made;
}

bson_t *sp_zone_flawed(sp_producer_t *producer, const sp_zones_draw_t *draw, const bson_t *bound,
                       sp_zone_flaw_t flaw)
{
    switch (flaw) {
    case SP_ZONE_SHORT:
        return shortened(producer, bound);
    case SP_ZONE_LONG:
        return lengthened(producer, bound);
    case SP_ZONE_RENAMED:
        return changed(producer, draw, bound, true);
    case SP_ZONE_RETYPED:
        return changed(producer, draw, bound, false);
    default:
        return bson_new();
    }
}

const char *sp_zone_name(sp_producer_t *producer)
{
    return names[sp_draw_below(producer, ZONES)];
}

static bool has_lower(const bson_t *zones, const bson_t *min)
{
    bson_iter_t iter, part;
    sp_value_t wanted = {BSON_TYPE_DOCUMENT, min->len, bson_get_data(min)};
    bool sound = bson_iter_init(&iter, zones);
    assert(sound);
    while (bson_iter_next(&iter)) {
        sound = bson_iter_recurse(&iter, &part) && bson_iter_next(&part);
        assert(sound);
        sp_value_t had = sp_value_of(&part);
        if (sp_value_compare(&had, &wanted) == 0)
            return true;
    }
    return false;
}

void sp_zones_append(bson_t *zones, const bson_t *min, const bson_t *max, const char *zone)
{
    char buffer[16];
    const char *index;
    bson_t range;
    if (has_lower(zones, min))
        return;
    bson_uint32_to_string(bson_count_keys(zones), &index, buffer, sizeof buffer);
    BSON_APPEND_ARRAY_BEGIN(zones, index, &range);
    BSON_APPEND_DOCUMENT(&range, "0", min);
    BSON_APPEND_DOCUMENT(&range, "1", max);
    BSON_APPEND_UTF8(&range, "2", zone);
    bson_append_array_end(zones, &range);
}

void sp_gen_zone_shards(const sp_scene_context_t *context, sp_producer_t *producer,
                        const char *forced, bson_t *question)
{
    bson_t zones, list;
    BSON_APPEND_DOCUMENT_BEGIN(question, "zoneShards", &zones);
    for (unsigned i = 0; i < ZONES; i++) {
        bool must = forced != NULL && strcmp(forced, names[i]) == 0;
        if (sp_draw_one_in(producer, 12) && !must)
            continue;
        uint32_t count = 0, first = sp_draw_below(producer, context->shards);
        BSON_APPEND_ARRAY_BEGIN(&zones, names[i], &list);
        for (unsigned j = 0; j < context->shards; j++) {
            char buffer[16], name[16];
            const char *index;
            if (j != first && sp_draw_below(producer, 2) == 0)
                continue;
            bson_uint32_to_string(count++, &index, buffer, sizeof buffer);
            snprintf(name, sizeof name, "s%u", j + 1);
            BSON_APPEND_UTF8(&list, index, name);
        }
        bson_append_array_end(&zones, &list);
    }
    bson_append_document_end(question, &zones);
}
