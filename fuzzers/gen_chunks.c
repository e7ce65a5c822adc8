/*
 * Never drawn, since a shard dies of it, again at each restart, or the collection is broken:
 * - a numInitialChunks whose lowest 32 bits are all 0, or, with presplitHashedZones, one that does
 *   not fit in 32 bits (6.0.5);
 * - presplitHashedZones where none of the zones has a shard;
 * - zone ranges that overlap, which no server lets in by its own command.
 */
#include "gen_zone_update.h"
#include "scenes.h"

#include "../oracles/order.h"

#include <stdio.h>
#include <string.h>

enum { CHUNKS_PER_SHARD_MAX = 8192 };

/* 1 in every spelling that a server takes for an ascending field. */
static void append_key(sp_producer_t *producer, const bson_t *key, bson_t *question)
{
    bson_t made;
    bson_iter_t iter;
    BSON_APPEND_DOCUMENT_BEGIN(question, "key", &made);
    if (bson_iter_init(&iter, key)) {
        while (bson_iter_next(&iter)) {
            const char *name = bson_iter_key(&iter);
            uint32_t spelling = sp_draw_below(producer, 16);
            if (BSON_ITER_HOLDS_UTF8(&iter))
                BSON_APPEND_UTF8(&made, name, "hashed");
            else if (spelling == 15)
                BSON_APPEND_INT64(&made, name, 1);
            else if (spelling == 14)
                BSON_APPEND_DOUBLE(&made, name, 1.0);
            else
                BSON_APPEND_INT32(&made, name, 1);
        }
    }
    bson_append_document_end(question, &made);
}

static int64_t draw_number(const sp_scene_context_t *context, sp_producer_t *producer,
                           bool presplits)
{
    static const int64_t edges[] = {-1, INT32_MAX, 1000000, 1000001, -5, INT32_MIN, -8192};
    static const int64_t huge[] = {(INT64_C(1) << 32) + 7, (INT64_C(1) << 32) + 8192,
                                   (INT64_C(1) << 62) + 5, INT64_MAX,
                                   INT64_MIN + 3,          -(INT64_C(1) << 32) + 1,
                                   (INT64_C(1) << 31),     (INT64_C(1) << 33) - 1};
    const int64_t most = (int64_t)CHUNKS_PER_SHARD_MAX * context->shards;
    switch (sp_draw_below(producer, 16)) {
    case 0:
        return 0;
    case 1:
    case 2:
        return edges[sp_draw_below(producer, sizeof edges / sizeof *edges)];
    case 3:
    case 4:
        if (!presplits)
            return huge[sp_draw_below(producer, sizeof huge / sizeof *huge)];
        return most + 1;
    case 5:
        return most + 1 + sp_draw_below(producer, 2);
    case 6: /* thousands of chunks take their time */
        return sp_draw_one_in(producer, 24) ? most - sp_draw_below(producer, 2)
                                            : 100 + sp_draw_below(producer, 900);
    case 7:
    case 8:
        return 1 + sp_draw_below(producer, 100);
    default:
        return 1 + sp_draw_below(producer, 3 * context->shards + 4);
    }
}

/* The number in any type; 0.75 more or less counts for nothing in a double. */
static void append_number(sp_producer_t *producer, int64_t number, bson_t *options)
{
    static const char name[] = "numInitialChunks";
    bson_decimal128_t decimal;
    char text[32];
    uint32_t type = sp_draw_below(producer, 16);
    bool small = number > INT32_MIN && number <= INT32_MAX;
    if (type < 4 && small) {
        BSON_APPEND_INT32(options, name, (int32_t)number);
    } else if (type == 4 && small) {
        BSON_APPEND_DOUBLE(options, name, (double)number + (number < 0 ? -0.75 : 0.75));
    } else if (type == 5) {
        snprintf(text, sizeof text, "%lld.4", (long long)number);
        if (bson_decimal128_from_string(text, &decimal))
            BSON_APPEND_DECIMAL128(options, name, &decimal);
    } else if (type == 6) {
        BSON_APPEND_NULL(options, name);
    } else if (type == 7 && sp_draw_one_in(producer, 2)) {
        BSON_APPEND_UTF8(options, name, "4");
    } else if (type == 7) {
        BSON_APPEND_BOOL(options, name, true);
    } else {
        BSON_APPEND_INT64(options, name, number);
    }
}

/* Returns whether chunks are to be split in zones. */
static bool append_options(const sp_scene_context_t *context, sp_producer_t *producer,
                           const sp_pattern_t *pattern, bson_t *question)
{
    bson_t options;
    bool presplits = sp_draw_below(producer, pattern->hashed < 0 ? 8 : 2) == 1;
    BSON_APPEND_DOCUMENT_BEGIN(question, "options", &options);
    if (sp_draw_one_in(producer, 12))
        BSON_APPEND_BOOL(&options, "unique", !sp_draw_one_in(producer, 4));
    if (sp_draw_below(producer, pattern->hashed < 0 ? 8 : 2) == 1)
        append_number(producer, draw_number(context, producer, presplits), &options);
    if (presplits && sp_draw_one_in(producer, 24))
        BSON_APPEND_INT32(&options, "presplitHashedZones", 1);
    else if (presplits || sp_draw_one_in(producer, 12))
        BSON_APPEND_BOOL(&options, "presplitHashedZones", presplits);
    bson_append_document_end(question, &options);
    return presplits;
}

/* One range with bounds that do not fit. */
static void append_flawed(sp_producer_t *producer, const sp_zones_draw_t *draw, unsigned place,
                          const char *zone, bson_t *zones)
{
    const bson_t *bounds[2] = {draw->bounds[place], draw->bounds[place + 1]};
    bson_t *made[2];
    sp_zone_flaw_t flaw = (sp_zone_flaw_t)sp_draw_below(producer, SP_ZONE_FLAWS);
    bool turned = sp_draw_one_in(producer, 5);
    /* A single value that is another keeps a range one that a server could take; then it must not
     * be one that breaks the collection, and may overlap the next. */
    if (flaw == SP_ZONE_RETYPED)
        flaw = SP_ZONE_RENAMED;
    for (unsigned i = 0; i < 2; i++)
        made[i] =
            turned ? bson_copy(bounds[1 - i]) : sp_zone_flawed(producer, draw, bounds[i], flaw);
    sp_zones_append(zones, made[0], made[1], zone);
    for (unsigned i = 0; i < 2; i++)
        bson_destroy(made[i]);
}

/* A hash that is no NumberLong. */
static void append_retyped(const sp_zones_draw_t *draw, unsigned place, const char *zone,
                           bson_t *zones)
{
    bson_t min = BSON_INITIALIZER;
    bson_iter_t iter;
    if (bson_iter_init(&iter, draw->bounds[place])) {
        for (int i = 0; bson_iter_next(&iter); i++) {
            sp_value_t value = sp_value_of(&iter);
            if (i == draw->layout.pattern->hashed)
                BSON_APPEND_INT32(&min, bson_iter_key(&iter), 7);
            else
                sp_value_append(&min, bson_iter_key(&iter), &value);
        }
    }
    sp_zones_append(zones, &min, draw->bounds[place + 1], zone);
    bson_destroy(&min);
}

/* A range with one value before the hash. */
static void append_narrow(const sp_zones_draw_t *draw, unsigned place, const char *zone,
                          bson_t *zones)
{
    bson_t *max = sp_zone_hash_end(draw, draw->bounds[place]);
    if (sp_key_compare(draw->bounds[place], max) < 0 &&
        sp_key_compare(max, draw->bounds[place + 1]) <= 0)
        sp_zones_append(zones, draw->bounds[place], max, zone);
    bson_destroy(max);
}

/* Every range that could be has a zone with a chance of two in three. Returns the zone of the
 * first. */
static const char *append_some(sp_producer_t *producer, const sp_zones_draw_t *draw, bool presplits,
                               bson_t *zones)
{
    const char *first = NULL;
    bool flawed = sp_draw_one_in(producer, 5);
    unsigned begin = presplits && !sp_draw_one_in(producer, 8) ? 1 : 0;
    unsigned place = sp_draw_below(producer, draw->count - 1);
    for (unsigned i = begin; i + 1 < draw->count; i++) {
        if (sp_draw_one_in(producer, 3))
            continue;
        const char *zone = sp_zone_name(producer);
        first = first == NULL ? zone : first;
        if (presplits && draw->layout.pattern->hashed > 0 && sp_draw_one_in(producer, 16))
            append_narrow(draw, i, zone, zones);
        else if (flawed && i == place && draw->layout.pattern->hashed >= 0 &&
                 sp_draw_one_in(producer, 2))
            append_retyped(draw, i, zone, zones);
        else if (flawed && i == place)
            append_flawed(producer, draw, i, zone, zones);
        else
            sp_zones_append(zones, draw->bounds[i], draw->bounds[i + 1], zone);
    }
    return first;
}

static void append_zones(const sp_scene_context_t *context, sp_producer_t *producer,
                         sp_zones_draw_t *draw, bool presplits, bson_t *question)
{
    bson_t zones = BSON_INITIALIZER;
    const char *first = NULL;
    bool first_hashed = draw->layout.pattern->hashed == 0;
    if (sp_draw_below(producer, presplits ? 16 : 3) == 0) {
        bson_destroy(&zones);
        return;
    }
    if (sp_draw_below(producer, 16) < (presplits && first_hashed ? 12u : 1u)) {
        first = sp_zone_name(producer);
        sp_zones_append(&zones, draw->bounds[0], draw->bounds[draw->count - 1], first);
    } else {
        if (presplits && !sp_draw_one_in(producer, 4))
            sp_zones_draw_presplit(draw, sp_draw_below(producer, 3) != 2);
        if (draw->count > 1)
            first = append_some(producer, draw, presplits, &zones);
    }
    BSON_APPEND_ARRAY(question, "zones", &zones);
    sp_gen_zone_shards(context, producer, presplits ? first : NULL, question);
    bson_destroy(&zones);
}

/* Keys with a hashed field that is not the first come more often than others: they have the most
 * rules. */
static void draw_key(const sp_scene_context_t *context, sp_producer_t *producer,
                     sp_zones_draw_t *draw)
{
    unsigned tries = sp_draw_one_in(producer, 2) ? 4 : 1;
    sp_zones_draw_init(context, producer, draw);
    while (--tries > 0 && draw->layout.pattern->hashed < 1) {
        sp_zones_draw_clear(draw);
        sp_zones_draw_init(context, producer, draw);
    }
}

static void append_sharding(const sp_scene_context_t *context, sp_producer_t *producer,
                            bson_t *question)
{
    sp_zones_draw_t draw;
    char primary[16];
    draw_key(context, producer, &draw);
    append_key(producer, &draw.layout.key, question);
    bool presplits = append_options(context, producer, draw.layout.pattern, question);
    bool empty = !sp_draw_one_in(producer, 6);
    BSON_APPEND_BOOL(question, "empty", empty);
    if (empty && sp_draw_one_in(producer, 3))
        BSON_APPEND_BOOL(question, "exists", true);
    append_zones(context, producer, &draw, presplits, question);
    snprintf(primary, sizeof primary, "s%u", 1 + sp_draw_below(producer, context->shards));
    BSON_APPEND_UTF8(question, "primary", primary);
    sp_zones_draw_clear(&draw);
}

void sp_gen_chunks(const sp_scene_context_t *context, sp_producer_t *producer, bson_t *scene)
{
    bson_t requests, question;
    BSON_APPEND_INT32(scene, "shards", (int32_t)context->shards);
    BSON_APPEND_ARRAY_BEGIN(scene, "requests", &requests);
    for (uint32_t i = 0; i < SP_CHUNKS_REQUESTS; i++) {
        char buffer[16];
        const char *index;
        bson_uint32_to_string(i, &index, buffer, sizeof buffer);
        BSON_APPEND_DOCUMENT_BEGIN(&requests, index, &question);
        if (sp_draw_one_in(producer, 3))
            sp_gen_zone_update(context, producer, &question);
        else
            append_sharding(context, producer, &question);
        bson_append_document_end(&requests, &question);
    }
    bson_append_array_end(scene, &requests);
}
