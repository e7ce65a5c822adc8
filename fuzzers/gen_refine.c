#include "gen_documents.h"
#include "gen_questions.h"
#include "gen_refine_key.h"

#include "../oracles/collation.h"
#include "../oracles/order.h"
#include "../oracles/pattern.h"
#include "../oracles/refine_key.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

enum { INDEXES_MAX = 3, ZONES_MAX = 4, DOCS_MAX = 5 };

/* What a request has been given so far. */
typedef struct request {
    bson_t *question;
    bson_t new_key;
    bson_t indexes;
    unsigned index_count;
    bool key_index;      /* the collection has the index on its shard key */
    bool sharded_unique; /* which is unique */
    bool unique;         /* some index is */
    bool sharded;
} request_t;

static const char *const collations[] = {"fr", "simple", "en", "simple"};

static void append_collation(sp_producer_t *producer, bson_t *index)
{
    bson_t collation;
    BSON_APPEND_DOCUMENT_BEGIN(index, "collation", &collation);
    const char *locale = collations[sp_draw_below(producer, 4)];
    BSON_APPEND_UTF8(&collation, "locale", locale);
    bson_append_document_end(index, &collation);
}

static void append_partial(sp_producer_t *producer, bson_t *index)
{
    bson_t filter, condition;
    const char *field = sp_draw_one_in(producer, 2) ? "w" : "_id";
    BSON_APPEND_DOCUMENT_BEGIN(index, "partialFilterExpression", &filter);
    BSON_APPEND_DOCUMENT_BEGIN(&filter, field, &condition);
    if (sp_draw_one_in(producer, 2))
        BSON_APPEND_BOOL(&condition, "$exists", true);
    else
        BSON_APPEND_INT32(&condition, "$gt", 2);
    bson_append_document_end(&filter, &condition);
    bson_append_document_end(index, &filter);
}

/* The shards that have the index; a shard that owns no chunk never has it. */
static void append_on(sp_producer_t *producer, unsigned shards, bson_t *index)
{
    bson_t on;
    uint32_t count = 0, which = sp_draw_below(producer, 1u << (shards < 8 ? shards : 8));
    BSON_APPEND_ARRAY_BEGIN(index, "on", &on);
    for (unsigned i = 0; i < shards && i < 8; i++) {
        char place[16], name[16];
        if ((which >> i & 1) == 0)
            continue;
        snprintf(place, sizeof place, "%u", count++);
        snprintf(name, sizeof name, "s%u", i + 1);
        BSON_APPEND_UTF8(&on, place, name);
    }
    bson_append_array_end(index, &on);
}

static bool is_id_alone(const bson_t *key)
{
    return bson_count_keys(key) == 1 && bson_has_field(key, "_id");
}

static void append_options(sp_producer_t *producer, unsigned shards, request_t *request,
                           bson_t *index, bool hashed)
{
    /* Where uniqueness is promised, options matter more: which index counts depends on them. */
    uint32_t plain = request->sharded_unique && sp_draw_one_in(producer, 2) ? 12 : 0;
    switch (plain + sp_draw_below(producer, 24 - plain)) {
    case 12:
        BSON_APPEND_BOOL(index, "sparse", true);
        break;
    case 13:
        append_partial(producer, index);
        break;
    case 14:
        BSON_APPEND_BOOL(index, "hidden", true);
        break;
    case 15:
    case 16:
        append_on(producer, shards, index);
        break;
    case 17:
        if (!hashed) {
            BSON_APPEND_BOOL(index, "prepareUnique", true);
            request->unique = true;
        }
        break;
    case 18:
    case 19:
    case 20:
    case 21:
    case 22:
    case 23:
        if (!hashed) {
            BSON_APPEND_BOOL(index, "unique", true);
            request->unique = true;
        }
        break;
    default:
        break;
    }
    if (sp_draw_one_in(producer, 12))
        append_collation(producer, index);
}

/* The options by which a server tells two indexes of one key apart; collations not counted. */
static unsigned distinction(const bson_t *index)
{
    return (bson_has_field(index, "unique") ? 1u : 0) | (bson_has_field(index, "sparse") ? 2u : 0) |
           (bson_has_field(index, "partialFilterExpression") ? 4u : 0);
}

/* Whether there is such an index already, so that a server would refuse to make it again. */
static bool is_there(const request_t *request, const bson_t *key, const bson_t *index_key,
                     const bson_t *index)
{
    bson_iter_t iter, inner;
    bson_t other, other_key;
    unsigned own = request->sharded_unique ? 1 : 0;
    if (is_id_alone(index_key) ||
        (request->key_index && sp_refine_same_key(key, index_key) && own == distinction(index)))
        return true;
    bool sound = bson_iter_init(&iter, &request->indexes);
    assert(sound);
    while (bson_iter_next(&iter)) {
        if (sp_value_document(&iter, &other) && bson_iter_init_find(&inner, &other, "key") &&
            sp_value_document(&inner, &other_key) && sp_refine_same_key(&other_key, index_key) &&
            distinction(&other) == distinction(index))
            return true;
    }
    return false;
}

static void append_index(sp_producer_t *producer, unsigned shards, const bson_t *key,
                         request_t *request)
{
    bson_t index_key = BSON_INITIALIZER, index = BSON_INITIALIZER;
    bool other_unique = request->unique;
    sp_gen_refine_index_key(producer, &request->new_key, &index_key);
    BSON_APPEND_DOCUMENT(&index, "key", &index_key);
    append_options(producer, shards, request, &index, sp_pattern_names_hashed(&index_key));
    if (is_there(request, key, &index_key, &index)) {
        request->unique = other_unique;
    } else {
        char place[16];
        snprintf(place, sizeof place, "%u", request->index_count++);
        BSON_APPEND_DOCUMENT(&request->indexes, place, &index);
    }
    bson_destroy(&index_key);
    bson_destroy(&index);
}

/* Bounds of chunks, in order; true where there is another. */
static bool next_bound(bson_iter_t *chunks, bool max, bson_t *bound)
{
    bson_iter_t part;
    return bson_iter_next(chunks) && bson_iter_recurse(chunks, &part) &&
           bson_iter_find(&part, max ? "1" : "0") && sp_value_document(&part, bound);
}

/* Zones over one chunk or more, between them chunks of no zone. */
static void append_zones(sp_producer_t *producer, unsigned shards, const bson_t *scene,
                         bson_t *question)
{
    bson_iter_t field, chunks;
    bson_t zones, zone, min, max;
    bool sound = bson_iter_init_find(&field, scene, "chunks") && bson_iter_recurse(&field, &chunks);
    assert(sound);
    BSON_APPEND_ARRAY_BEGIN(question, "zones", &zones);
    for (uint32_t i = 0; i < ZONES_MAX;) {
        char place[16], name[16];
        bson_iter_t first = chunks;
        if (!next_bound(&first, false, &min))
            break;
        for (uint32_t over = 1 + sp_draw_below(producer, 3); over > 0; over--) {
            bson_iter_t next = chunks;
            bson_t bound;
            if (!next_bound(&next, true, &bound))
                break;
            bool borrowed = bson_init_static(&max, bson_get_data(&bound), bound.len);
            assert(borrowed);
            chunks = next;
        }
        if (sp_draw_one_in(producer, 3))
            continue;
        snprintf(place, sizeof place, "%u", i++);
        snprintf(name, sizeof name, "s%u", 1 + sp_draw_below(producer, shards));
        BSON_APPEND_ARRAY_BEGIN(&zones, place, &zone);
        BSON_APPEND_DOCUMENT(&zone, "0", &min);
        BSON_APPEND_DOCUMENT(&zone, "1", &max);
        BSON_APPEND_UTF8(&zone, "2", name);
        bson_append_array_end(&zones, &zone);
    }
    bson_append_array_end(question, &zones);
}

static bool names_id(const bson_t *key)
{
    bson_iter_t iter;
    bool sound = bson_iter_init(&iter, key), found = false;
    assert(sound);
    while (bson_iter_next(&iter))
        found = found || strncmp(bson_iter_key(&iter), "_id", 3) == 0;
    return found;
}

/* Beside a unique index one document alone: which of two is refused is the unique area's matter.
 * The same holds for _ids that a collation may make equal. */
static void append_docs(sp_producer_t *producer, const sp_layout_draw_t *layout,
                        const bson_t *scene, const request_t *request)
{
    sp_layout_draw_t refined;
    bson_iter_t iter;
    bson_t docs = BSON_INITIALIZER;
    bool collated = bson_iter_init_find(&iter, scene, "collation") &&
                    BSON_ITER_HOLDS_DOCUMENT(&iter) && names_id(&request->new_key);
    int32_t count = 1 + (int32_t)sp_draw_below(producer, DOCS_MAX);
    if (request->unique || collated)
        count = 1;
    bool has_refined = sp_gen_refined_layout(producer, layout, &request->new_key, &refined);
    sp_gen_documents(producer, has_refined ? &refined : layout, count, &docs);
    BSON_APPEND_ARRAY(request->question, "docs", &docs);
    if (has_refined)
        sp_layout_draw_clear(&refined);
    bson_destroy(&docs);
}

static unsigned count_shards(const bson_t *scene)
{
    bson_iter_t iter;
    bool found = bson_iter_init_find(&iter, scene, "shards");
    assert(found);
    return (unsigned)bson_iter_as_int64(&iter);
}

static void append_collection(sp_producer_t *producer, const sp_layout_draw_t *layout,
                              request_t *request)
{
    uint32_t choice = sp_draw_below(producer, 32);
    request->sharded = choice < 30;
    if (!request->sharded)
        BSON_APPEND_UTF8(request->question, "collection", choice == 30 ? "unsharded" : "missing");
    if (sp_draw_one_in(producer, 5) && layout->pattern->hashed < 0) {
        BSON_APPEND_BOOL(request->question, "unique", true);
        request->unique = request->sharded_unique = true;
        /* Its own index stands in the way of refining. */
        request->key_index = sp_draw_one_in(producer, 4);
    } else {
        request->key_index = !sp_draw_one_in(producer, 4);
    }
    if (!request->key_index)
        BSON_APPEND_BOOL(request->question, "keyIndex", false);
}

static void append_request(sp_producer_t *producer, const sp_layout_draw_t *layout,
                           const bson_t *scene, bson_t *question)
{
    request_t request = {
        .question = question, .new_key = BSON_INITIALIZER, .indexes = BSON_INITIALIZER};
    unsigned shards = count_shards(scene);
    sp_gen_refined_key(producer, &layout->key, &request.new_key);
    BSON_APPEND_DOCUMENT(question, "newKey", &request.new_key);
    append_collection(producer, layout, &request);
    uint32_t choice = sp_draw_below(producer, 16);
    unsigned count = choice < 9 ? 1 : choice < 13 ? 2 : choice < 15 ? INDEXES_MAX : 0;
    for (unsigned i = 0; i < count; i++)
        append_index(producer, shards, &layout->key, &request);
    BSON_APPEND_ARRAY(question, "indexes", &request.indexes);
    if (sp_draw_one_in(producer, 2))
        append_zones(producer, shards, scene, question);
    if (request.sharded && sp_draw_one_in(producer, 2))
        append_docs(producer, layout, scene, &request);
    bson_destroy(&request.new_key);
    bson_destroy(&request.indexes);
}

void sp_gen_refine(const sp_scene_context_t *context, sp_producer_t *producer, bson_t *scene)
{
    sp_gen_layout_and_questions(context, producer, "requests", SP_REFINE_REQUESTS, append_request,
                                scene);
}
