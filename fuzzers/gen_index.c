/*
 * Scenes of the index area: one collection in one chunk, and requests that each find it as new.
 *
 * Indexes that stand there before are such as a server mostly takes; one that it refuses is just
 * not there. Documents come only beside indexes whose entries the model knows: not text, 2d or
 * 2dsphere, and no path that goes through a place of an array ("a.0"). No index expires documents,
 * since there are no dates in them. The options weights, storageEngine, wildcardProjection,
 * clustered and originalSpec are not drawn, as the model has no rule for them, nor
 * coarsestIndexedLevel: true, after which listIndexes fails on 6.0.5.
 */
#include "gen_index.h"
#include "gen_collation.h"
#include "gen_index_value.h"
#include "scenes.h"

#include "../oracles/value.h"

#include <stdio.h>
#include <string.h>

#define COUNT(array)          (sizeof(array) / sizeof((array)[0]))
#define DRAW(producer, table) (table)[sp_draw_below((producer), (uint32_t)COUNT(table))]

static const char *const keys[] = {
    "{\"x\":1}",
    "{\"x\":\"hashed\"}",
    "{\"x\":1,\"y\":1}",
    "{\"x\":1,\"y\":\"hashed\"}",
    "{\"x\":\"hashed\",\"y\":1}",
    "{\"x\":1,\"a.b\":\"hashed\",\"z\":1}",
    "{\"a.b\":1}",
    "{\"a.b\":\"hashed\"}",
    "{\"a.b\":1,\"c\":1}",
    "{\"a\":1,\"a.b\":1}",
    "{\"_id\":1}",
    "{\"_id\":\"hashed\"}",
    "{\"_id\":1,\"x\":1}",
    "{\"x\":1,\"_id\":1}",
    "{\"_id.a\":1}",
    "{\"x\":1,\"_id.a\":\"hashed\"}",
    "{\"x\":{\"$numberDouble\":\"1.0\"}}",
    "{\"x\":{\"$numberLong\":\"1\"},\"y\":{\"$numberDecimal\":\"1\"}}",
};

static void append_bound(const bson_t *key, bool is_max, bson_t *chunk, const char *place)
{
    bson_t bound;
    bson_iter_t iter;
    bson_append_document_begin(chunk, place, -1, &bound);
    for (bool more = bson_iter_init(&iter, key); more && bson_iter_next(&iter);) {
        if (is_max)
            bson_append_maxkey(&bound, bson_iter_key(&iter), -1);
        else
            bson_append_minkey(&bound, bson_iter_key(&iter), -1);
    }
    bson_append_document_end(chunk, &bound);
}

static void append_chunk(sp_producer_t *producer, const sp_scene_context_t *context,
                         const bson_t *key, bson_t *scene)
{
    bson_t chunks, chunk;
    char shard[16];
    snprintf(shard, sizeof shard, "s%u", 1 + sp_draw_below(producer, context->shards));
    BSON_APPEND_ARRAY_BEGIN(scene, "chunks", &chunks);
    BSON_APPEND_ARRAY_BEGIN(&chunks, "0", &chunk);
    append_bound(key, false, &chunk, "0");
    append_bound(key, true, &chunk, "1");
    BSON_APPEND_UTF8(&chunk, "2", shard);
    bson_append_array_end(&chunks, &chunk);
    bson_append_array_end(scene, &chunks);
}

static const char *place_name(unsigned place, char buffer[16])
{
    const char *name;
    bson_uint32_to_string(place, &name, buffer, 16);
    return name;
}

static void append_indexes(sp_producer_t *producer, const bson_t *key, unsigned count,
                           bson_t *request)
{
    bson_t list;
    char buffer[16], name[16];
    BSON_APPEND_ARRAY_BEGIN(request, "indexes", &list);
    for (unsigned i = 0; i < count; i++) {
        bson_t index = BSON_INITIALIZER;
        sp_gen_index_pattern(producer, key, true, &index, "key");
        snprintf(name, sizeof name, "i%u", sp_draw_one_in(producer, 16) ? 0 : i);
        bool as_asked = sp_draw_one_in(producer, 24);
        BSON_APPEND_UTF8(&index, "name", as_asked ? "n10" : name);
        if (sp_draw_one_in(producer, 2))
            sp_gen_index_options(producer, true, &index);
        BSON_APPEND_DOCUMENT(&list, place_name(i, buffer), &index);
        bson_destroy(&index);
    }
    bson_append_array_end(request, &list);
}

static void append_docs(sp_producer_t *producer, unsigned count, bson_t *request)
{
    bson_t list;
    char buffer[16];
    BSON_APPEND_ARRAY_BEGIN(request, "docs", &list);
    for (unsigned i = 0; i < count; i++)
        sp_gen_index_document(producer, &list, place_name(i, buffer));
    bson_append_array_end(request, &list);
}

static void append_options(sp_producer_t *producer, bool sound, bson_t *request)
{
    bson_t options = BSON_INITIALIZER;
    sp_gen_index_options(producer, sound, &options);
    BSON_APPEND_DOCUMENT(request, "options", &options);
    bson_destroy(&options);
}

/* The index of the shard key, by the name that a server gave it or by its pattern; or another. */
static void append_which(sp_producer_t *producer, const bson_t *key, const char *pattern_name,
                         const char *text_name, bson_t *into)
{
    static const char *const other[] = {"i0", "i1", "_id_", "nope", "", "x_1"};
    bson_string_t *name;
    bson_iter_t iter;
    uint32_t choice = sp_draw_below(producer, 16);
    if (choice >= 10) {
        if (choice < 14) {
            bson_append_utf8(into, text_name, -1, DRAW(producer, other), -1);
        } else {
            bson_t pattern = BSON_INITIALIZER;
            sp_gen_index_pattern(producer, key, choice == 14, &pattern, "v");
            if (bson_iter_init_find(&iter, &pattern, "v")) {
                sp_value_t value = sp_value_of(&iter);
                sp_value_append(into, pattern_name, &value);
            }
            bson_destroy(&pattern);
        }
        return;
    }
    if (choice >= 7) {
        bson_append_document(into, pattern_name, -1, key);
        return;
    }
    name = bson_string_new(NULL);
    for (bool more = bson_iter_init(&iter, key); more && bson_iter_next(&iter);)
        bson_string_append_printf(name, "%s%s_%s", name->len == 0 ? "" : "_", bson_iter_key(&iter),
                                  BSON_ITER_HOLDS_UTF8(&iter) ? "hashed" : "1");
    bson_append_utf8(into, text_name, -1, name->str, -1);
    bson_string_free(name, true);
}

/* Sometimes something is dropped first: what was dropped can be made again. */
static void append_dropped(sp_producer_t *producer, const bson_t *key, bson_t *request)
{
    bson_t list;
    BSON_APPEND_ARRAY_BEGIN(request, "dropped", &list);
    append_which(producer, key, "0", "0", &list);
    bson_append_array_end(request, &list);
}

/* Asks for an index that is there, by its name or another, its options changed or not. */
static bool append_repeated(sp_producer_t *producer, bson_t *request)
{
    bson_iter_t iter, there, fields;
    bson_t options = BSON_INITIALIZER, key = BSON_INITIALIZER;
    bool renamed = sp_draw_one_in(producer, 4);
    if (!bson_iter_init(&iter, request) || !bson_iter_find_descendant(&iter, "indexes.0", &there) ||
        !bson_iter_recurse(&there, &fields))
        return false;
    while (bson_iter_next(&fields)) {
        const char *name = bson_iter_key(&fields);
        sp_value_t value = sp_value_of(&fields);
        if (strcmp(name, "key") == 0)
            sp_value_append(&key, "index", &value);
        else if (strcmp(name, "name") != 0 || !renamed)
            sp_value_append(&options, name, &value);
    }
    if (sp_draw_one_in(producer, 2))
        sp_gen_index_options(producer, true, &options);
    bool has_key = bson_has_field(&key, "index");
    if (has_key) {
        bson_concat(request, &key);
        BSON_APPEND_DOCUMENT(request, "options", &options);
    }
    bson_destroy(&options);
    bson_destroy(&key);
    return has_key;
}

static void ask_create(sp_producer_t *producer, const bson_t *key, bson_t *request)
{
    BSON_APPEND_UTF8(request, "op", "createIndex");
    uint32_t choice = sp_draw_below(producer, 16);
    if (choice >= 12)
        append_indexes(producer, key, 1 + sp_draw_below(producer, 2), request);
    if (choice == 15)
        append_dropped(producer, key, request);
    if (choice == 13 && append_repeated(producer, request))
        return;
    sp_gen_index_pattern(producer, key, false, request, "index");
    append_options(producer, false, request);
}

static void ask_build(sp_producer_t *producer, const bson_t *key, bson_t *request)
{
    BSON_APPEND_UTF8(request, "op", "createIndex");
    append_docs(producer, 1 + sp_draw_below(producer, 4), request);
    sp_gen_index_pattern(producer, key, true, request, "index");
    append_options(producer, true, request);
}

static void ask_insert(sp_producer_t *producer, const bson_t *key, bson_t *request)
{
    BSON_APPEND_UTF8(request, "op", "insert");
    append_indexes(producer, key, 1 + sp_draw_below(producer, 3), request);
    append_docs(producer, sp_draw_below(producer, 4), request);
    sp_gen_index_document(producer, request, "doc");
}

static void ask_drop(sp_producer_t *producer, const bson_t *key, bson_t *request)
{
    BSON_APPEND_UTF8(request, "op", "dropIndexes");
    append_indexes(producer, key, sp_draw_below(producer, 4), request);
    if (sp_draw_one_in(producer, 4))
        append_docs(producer, 1 + sp_draw_below(producer, 2), request);
    if (sp_draw_one_in(producer, 8))
        append_dropped(producer, key, request);
    if (sp_draw_one_in(producer, 8))
        BSON_APPEND_UTF8(request, "which", "*");
    else
        append_which(producer, key, "which", "which", request);
}

static void append_changes(sp_producer_t *producer, bson_t *change)
{
    static const char *const names[] = {"hidden", "prepareUnique", "unique"};
    unsigned count = sp_draw_one_in(producer, 4) ? 2 : 1;
    if (sp_draw_one_in(producer, 24))
        count = 0;
    for (unsigned i = 0; i < count; i++) {
        const char *name = DRAW(producer, names);
        if (!bson_has_field(change, name))
            bson_append_bool(change, name, -1, !sp_draw_one_in(producer, 4));
    }
    if (sp_draw_one_in(producer, 10))
        BSON_APPEND_INT32(change, "expireAfterSeconds", 3600);
}

static void ask_change(sp_producer_t *producer, const bson_t *key, bson_t *request)
{
    bson_t change = BSON_INITIALIZER;
    BSON_APPEND_UTF8(request, "op", "collMod");
    append_indexes(producer, key, sp_draw_below(producer, 3), request);
    if (sp_draw_one_in(producer, 2))
        append_docs(producer, 1 + sp_draw_below(producer, 3), request);
    append_which(producer, key, "keyPattern", "name", &change);
    append_changes(producer, &change);
    BSON_APPEND_DOCUMENT(request, "change", &change);
    bson_destroy(&change);
}

static void append_request(sp_producer_t *producer, const bson_t *key, bson_t *request)
{
    uint32_t choice = sp_draw_below(producer, 100);
    if (choice < 60)
        ask_create(producer, key, request);
    else if (choice < 71)
        ask_build(producer, key, request);
    else if (choice < 82)
        ask_insert(producer, key, request);
    else if (choice < 92)
        ask_drop(producer, key, request);
    else
        ask_change(producer, key, request);
}

void sp_gen_index(const sp_scene_context_t *context, sp_producer_t *producer, bson_t *scene)
{
    bson_iter_t iter;
    bson_t key, requests;
    bson_t holder = BSON_INITIALIZER;
    sp_gen_index_value(&holder, "key", DRAW(producer, keys));
    bson_concat(scene, &holder);
    if (bson_iter_init(&iter, &holder) && bson_iter_next(&iter) && sp_value_document(&iter, &key)) {
        append_chunk(producer, context, &key, scene);
        sp_gen_collection_collation(producer, scene);
        BSON_APPEND_INT32(scene, "shards", (int32_t)context->shards);
        BSON_APPEND_ARRAY_BEGIN(scene, "requests", &requests);
        for (unsigned i = 0; i < SP_INDEX_REQUESTS; i++) {
            bson_t request;
            char buffer[16];
            BSON_APPEND_DOCUMENT_BEGIN(&requests, place_name(i, buffer), &request);
            append_request(producer, &key, &request);
            bson_append_document_end(&requests, &request);
        }
        bson_append_array_end(scene, &requests);
    }
    bson_destroy(&holder);
}
