/*
 * Never drawn: a numInitialChunks whose lowest 32 bits alone are 0 (and, with presplitHashedZones,
 * any beyond 32 bits), which ends a shard of some versions for good (docs/findings.md).
 */
#include "gen_shard_index.h"
#include "gen_shard_key.h"
#include "scenes.h"

#include "../oracles/pattern.h"
#include "../oracles/shard_indexes.h"

#include <string.h>

#define COUNT(array) ((uint32_t)(sizeof(array) / sizeof *(array)))

typedef enum place {
    NOT_THERE, /* the collection comes with the first index or document, or with being sharded */
    PLAIN,
    COLLATED,
    SIMPLY_COLLATED,
    CAPPED,
    CLUSTERED,
    VIEW,
    SERIES,
    SERIES_WITHOUT_META
} place_t;

static place_t draw_place(sp_producer_t *producer)
{
    static const place_t others[] = {PLAIN,           COLLATED, COLLATED,           COLLATED,
                                     SIMPLY_COLLATED, CAPPED,   CLUSTERED,          VIEW,
                                     SERIES,          SERIES,   SERIES_WITHOUT_META};
    return sp_draw_one_in(producer, 3) ? others[sp_draw_below(producer, COUNT(others))] : NOT_THERE;
}

static bool is_series(place_t place)
{
    return place == SERIES || place == SERIES_WITHOUT_META;
}

static void append_locale(bson_t *doc, const char *locale)
{
    bson_t collation;
    BSON_APPEND_DOCUMENT_BEGIN(doc, "collation", &collation);
    BSON_APPEND_UTF8(&collation, "locale", locale);
    bson_append_document_end(doc, &collation);
}

static void append_place(sp_producer_t *producer, place_t place, bson_t *request)
{
    bson_t options, child;
    if (place == NOT_THERE)
        return;
    BSON_APPEND_DOCUMENT_BEGIN(request, "collection", &options);
    if (place == COLLATED || (place > SIMPLY_COLLATED && sp_draw_one_in(producer, 6)))
        append_locale(&options, "en");
    if (place == SIMPLY_COLLATED)
        append_locale(&options, "simple");
    if (place == CAPPED) {
        BSON_APPEND_BOOL(&options, "capped", true);
        BSON_APPEND_INT32(&options, "size", 4096);
    }
    if (place == CLUSTERED) {
        BSON_APPEND_DOCUMENT_BEGIN(&options, "clusteredIndex", &child);
        bson_t *key = BCON_NEW("_id", BCON_INT32(1));
        BSON_APPEND_DOCUMENT(&child, "key", key);
        BSON_APPEND_BOOL(&child, "unique", true);
        bson_destroy(key);
        bson_append_document_end(&options, &child);
    }
    if (place == VIEW)
        BSON_APPEND_UTF8(&options, "viewOn", "base");
    if (is_series(place)) {
        BSON_APPEND_DOCUMENT_BEGIN(&options, "timeseries", &child);
        BSON_APPEND_UTF8(&child, "timeField", "t");
        if (place == SERIES)
            BSON_APPEND_UTF8(&child, "metaField", "m");
        bson_append_document_end(&options, &child);
    }
    bson_append_document_end(request, &options);
}

static bool is_collated(const bson_t *request)
{
    bson_iter_t iter, collation;
    return bson_iter_init(&iter, request) &&
           bson_iter_find_descendant(&iter, "collection.collation.locale", &collation) &&
           strcmp(bson_iter_utf8(&collation, NULL), "simple") != 0;
}

static void append_other_number(sp_producer_t *producer, const sp_scene_context_t *context,
                                bson_t *options)
{
    static const char *const decimals[] = {"3", "2.5", "2.7", "NaN", "1E+30"};
    bson_decimal128_t decimal;
    switch (sp_draw_below(producer, 6)) {
    case 0:
        BSON_APPEND_INT64(options, "numInitialChunks", 8192 * (int64_t)context->shards + 1);
        break;
    case 1:
        BSON_APPEND_INT64(options, "numInitialChunks", -1 - (int64_t)sp_draw_below(producer, 3));
        break;
    case 2:
        BSON_APPEND_DOUBLE(options, "numInitialChunks", 2.9);
        break;
    case 3:
        bson_decimal128_from_string(decimals[sp_draw_below(producer, COUNT(decimals))], &decimal);
        BSON_APPEND_DECIMAL128(options, "numInitialChunks", &decimal);
        break;
    case 4:
        BSON_APPEND_INT64(options, "numInitialChunks",
                          INT32_MAX + (int64_t)sp_draw_below(producer, 2));
        break;
    default:
        BSON_APPEND_INT32(options, "numInitialChunks", 0);
    }
}

static void append_number(sp_producer_t *producer, const sp_scene_context_t *context, bool presplit,
                          bson_t *options)
{
    static const int64_t beyond[] = {(INT64_C(1) << 32) + 5, -(INT64_C(1) << 32) + 3,
                                     (INT64_C(1) << 40) + 7, INT64_MAX, INT64_MIN + 9};
    uint32_t choice = sp_draw_below(producer, 12);
    if (choice < 6)
        BSON_APPEND_INT32(options, "numInitialChunks", 1 + (int32_t)sp_draw_below(producer, 12));
    else if (choice < 10)
        append_other_number(producer, context, options);
    else if (choice == 10 && !presplit)
        BSON_APPEND_INT64(options, "numInitialChunks",
                          beyond[sp_draw_below(producer, COUNT(beyond))]);
    else
        BSON_APPEND_NULL(options, "numInitialChunks");
}

static void append_collation(sp_producer_t *producer, bson_t *options)
{
    static const char *const locales[] = {"en", "fr", "xx", ""};
    bson_t child;
    uint32_t choice = sp_draw_below(producer, 10);
    if (choice < 6) {
        append_locale(options, "simple");
        return;
    }
    if (choice < 8) {
        append_locale(options, locales[sp_draw_below(producer, COUNT(locales))]);
        return;
    }
    const char *locale = sp_draw_one_in(producer, 2) ? "simple" : "en";
    BSON_APPEND_DOCUMENT_BEGIN(options, "collation", &child);
    if (choice == 9)
        BSON_APPEND_UTF8(&child, "locale", locale);
    switch (sp_draw_below(producer, choice == 8 ? 2 : 4)) {
    case 0:
        break;
    case 1:
        BSON_APPEND_INT32(&child, "strength", 2);
        break;
    case 2:
        BSON_APPEND_INT32(&child, "strength", 9);
        break;
    default:
        BSON_APPEND_INT32(&child, "bad", 1);
    }
    bson_append_document_end(options, &child);
}

static void append_mistyped(sp_producer_t *producer, const char *name, bson_t *options)
{
    bson_t child;
    switch (sp_draw_below(producer, 4)) {
    case 0:
        if (strcmp(name, "numInitialChunks") == 0)
            BSON_APPEND_BOOL(options, name, true);
        else
            BSON_APPEND_INT32(options, name, 1);
        break;
    case 1:
        BSON_APPEND_UTF8(options, name, "true");
        break;
    case 2:
        BSON_APPEND_ARRAY_BEGIN(options, name, &child);
        bson_append_array_end(options, &child);
        break;
    default:
        BSON_APPEND_NULL(options, name); /* as if it were not there */
    }
}

/* In an order that is drawn too: the first that is no option at all is the one that is refused. */
static void append_options(sp_producer_t *producer, const sp_scene_context_t *context,
                           bool needs_simple, bson_t *request)
{
    static const char *const names[] = {"unique", "numInitialChunks", "presplitHashedZones",
                                        "collation"};
    bson_t options;
    BSON_APPEND_DOCUMENT_BEGIN(request, "options", &options);
    uint32_t first = sp_draw_below(producer, COUNT(names));
    bool presplit = sp_draw_one_in(producer, 16);
    for (uint32_t i = 0; i < COUNT(names); i++) {
        uint32_t which = (first + i) % COUNT(names);
        if (sp_draw_one_in(producer, 60))
            append_mistyped(producer, names[which], &options);
        else if (which == 0 && sp_draw_one_in(producer, 4))
            BSON_APPEND_BOOL(&options, "unique", !sp_draw_one_in(producer, 8));
        else if (which == 1 && sp_draw_one_in(producer, 5))
            append_number(producer, context, presplit, &options);
        else if (which == 2 && (presplit || sp_draw_one_in(producer, 40)))
            BSON_APPEND_BOOL(&options, "presplitHashedZones", presplit);
        else if (which == 3 && needs_simple && !sp_draw_one_in(producer, 4))
            append_locale(&options, "simple");
        else if (which == 3 && sp_draw_one_in(producer, 16))
            append_collation(producer, &options);
    }
    bson_append_document_end(request, &options);
}

static void append_array(bson_t *request, const char *name, const bson_t *array)
{
    if (!bson_empty(array))
        BSON_APPEND_ARRAY(request, name, array);
}

/* The key is sound. */
static void append_contents(sp_producer_t *producer, place_t place, const bson_t *key,
                            bson_t *request)
{
    bson_t indexes = BSON_INITIALIZER, docs = BSON_INITIALIZER;
    sp_index_draw_t draw = {.collated = is_collated(request), .capped = place == CAPPED};
    if (place == VIEW)
        return;
    if (is_series(place)) {
        if (place == SERIES)
            sp_gen_series_indexes(producer, &indexes);
        if (sp_draw_one_in(producer, 3))
            sp_gen_series_docs(producer, &docs);
    } else {
        sp_gen_shard_indexes(producer, key, &draw, &indexes);
        if (sp_draw_one_in(producer, 3))
            sp_gen_shard_docs(producer, &draw, &docs);
    }
    append_array(request, "indexes", &indexes);
    append_array(request, "docs", &docs);
    bson_destroy(&docs);
    bson_destroy(&indexes);
}

static void draw_sound(sp_producer_t *producer, place_t place, bson_t *key)
{
    if (place == SERIES)
        sp_gen_series_shard_key(producer, key);
    else if (place == SERIES_WITHOUT_META)
        BSON_APPEND_INT32(key, "t", 1);
    else
        sp_gen_sound_shard_key(producer, key);
}

/* Sharded before by `key`, or by another. */
static void append_sharded(sp_producer_t *producer, place_t place, const bson_t *key,
                           bson_t *request)
{
    bson_t other = BSON_INITIALIZER, sharded;
    draw_sound(producer, place, &other);
    const bson_t *by = sp_draw_one_in(producer, 4) ? &other : key;
    if (is_collated(request) && bson_count_keys(by) == 1 && bson_has_field(by, "_id")) {
        bson_reinit(&other); /* {_id: 1} is no key of a collection with a collation */
        BSON_APPEND_INT32(&other, "x", 1);
        by = &other;
    }
    BSON_APPEND_DOCUMENT_BEGIN(request, "sharded", &sharded);
    BSON_APPEND_DOCUMENT(&sharded, "key", by);
    BSON_APPEND_BOOL(&sharded, "unique",
                     !sp_pattern_names_hashed(by) && sp_draw_one_in(producer, 4));
    bson_append_document_end(request, &sharded);
    bson_destroy(&other);
}

static void append_key(sp_producer_t *producer, place_t place, const bson_t *sound, bson_t *request)
{
    bson_t key = BSON_INITIALIZER;
    uint32_t choice = sp_draw_below(producer, 16);
    if (choice >= 12 && is_series(place))
        sp_gen_unsound_series_key(producer, &key);
    else if (choice >= 13 && !is_series(place))
        sp_gen_unsound_shard_key(producer, &key);
    else if (choice >= 11)
        sp_gen_shard_key_spelling(producer, sound, &key);
    else
        bson_concat(&key, sound);
    BSON_APPEND_DOCUMENT(request, "key", &key);
    bson_destroy(&key);
}

static void append_request(sp_producer_t *producer, const sp_scene_context_t *context,
                           bson_t *request)
{
    bson_t sound = BSON_INITIALIZER;
    place_t place = draw_place(producer);
    draw_sound(producer, place, &sound);
    append_key(producer, place, &sound, request);
    append_place(producer, place, request);
    append_options(producer, context, is_collated(request), request);
    if (place != VIEW && place != CAPPED && sp_draw_one_in(producer, 12))
        append_sharded(producer, place, &sound, request);
    else
        append_contents(producer, place, &sound, request);
    bson_destroy(&sound);
}

void sp_gen_shardcollection(const sp_scene_context_t *context, sp_producer_t *producer,
                            bson_t *scene)
{
    bson_t requests, request;
    BSON_APPEND_INT32(scene, "shards", (int32_t)context->shards);
    BSON_APPEND_ARRAY_BEGIN(scene, "requests", &requests);
    for (uint32_t i = 0; i < SP_SHARDING_REQUESTS; i++) {
        char buffer[16];
        const char *place;
        bson_uint32_to_string(i, &place, buffer, sizeof buffer);
        BSON_APPEND_DOCUMENT_BEGIN(&requests, place, &request);
        append_request(producer, context, &request);
        bson_append_document_end(&requests, &request);
    }
    bson_append_array_end(scene, &requests);
}
