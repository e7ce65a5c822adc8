#include "gen_collation.h"
#include "gen_documents.h"
#include "gen_questions.h"
#include "gen_refine_key.h"

#include "../oracles/extract.h"
#include "../oracles/order.h"
#include "../oracles/pattern.h"
#include "../oracles/refine_key.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

/* Ten documents are a sample for two chunks, so that what is drawn does not matter. */
enum { DOCS_MAX = 10, BOUNDS_MAX = 4, MANY_FIELDS = 33 };

/* What a request is drawn from. */
typedef struct request {
    bson_t *question;
    bson_t new_key;
    unsigned shards;
    sp_layout_draw_t wide; /* of the old key's fields and the new one's */
    bool has_wide;
    bool keeps_zones;
    bool exact; /* which documents a sample holds would matter */
} request_t;

static void append_fresh_key(sp_producer_t *producer, bson_t *new_key)
{
    static const char *const names[] = {"y", "w", "x", "_id", "a.b", "w.v", "z", "a"};
    uint32_t count = 1 + sp_draw_below(producer, 3) / 2;
    uint32_t hashed = sp_draw_below(producer, 6);
    for (uint32_t i = 0; i < count; i++) {
        bson_iter_t iter;
        const char *name = names[sp_draw_below(producer, 8)];
        if (bson_iter_init_find(&iter, new_key, name))
            continue;
        if (i == hashed)
            BSON_APPEND_UTF8(new_key, name, "hashed");
        else
            BSON_APPEND_INT32(new_key, name, 1);
    }
}

static void append_many(bson_t *new_key)
{
    for (unsigned i = 0; i < MANY_FIELDS; i++) {
        char name[16];
        snprintf(name, sizeof name, "f%u", i);
        BSON_APPEND_INT32(new_key, name, 1);
    }
}

/* The old key with its first field hashed, or plain. */
static void append_turned(const bson_t *key, bson_t *new_key)
{
    bson_iter_t iter;
    bool sound = bson_iter_init(&iter, key);
    assert(sound);
    for (unsigned i = 0; bson_iter_next(&iter); i++) {
        if (i == 0 && !BSON_ITER_HOLDS_UTF8(&iter))
            BSON_APPEND_UTF8(new_key, bson_iter_key(&iter), "hashed");
        else
            BSON_APPEND_INT32(new_key, bson_iter_key(&iter), 1);
    }
}

static void draw_new_key(sp_producer_t *producer, const bson_t *key, bson_t *new_key)
{
    uint32_t choice = sp_draw_below(producer, 32);
    if (choice < 18)
        append_fresh_key(producer, new_key);
    else if (choice < 22)
        append_turned(key, new_key);
    else if (choice < 31)
        sp_gen_refined_key(producer, key, new_key);
    else
        append_many(new_key);
}

/* A layout for documents that have fields for both keys. */
static bool draw_wide(sp_producer_t *producer, const sp_layout_draw_t *layout, request_t *request)
{
    bson_iter_t iter, found;
    bson_t fields = BSON_INITIALIZER;
    bson_concat(&fields, &layout->key);
    bool sound = bson_iter_init(&iter, &request->new_key);
    assert(sound);
    while (bson_iter_next(&iter)) {
        if (!bson_iter_init_find(&found, &fields, bson_iter_key(&iter)))
            BSON_APPEND_INT32(&fields, bson_iter_key(&iter), 1);
    }
    bool ok = sp_gen_refined_layout(producer, layout, &fields, &request->wide);
    bson_destroy(&fields);
    return ok;
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

static bool has_array_at(const bson_t *doc, const char *name)
{
    bson_t alone = BSON_INITIALIZER;
    BSON_APPEND_INT32(&alone, name, 1);
    sp_pattern_t *pattern = sp_pattern_new(&alone, NULL);
    bool array =
        pattern != NULL && sp_extract_path(doc, &pattern->fields[0]).type == BSON_TYPE_ARRAY;
    sp_pattern_free(pattern);
    bson_destroy(&alone);
    return array;
}

/* Whether a document has an array in the new shard key. What a sample makes of it is not known, so
 * no sample must be drawn from such. */
static bool hold_arrays(const bson_t *docs, const bson_t *new_key)
{
    bson_iter_t iter, field;
    bool hold = false, sound = bson_iter_init(&iter, docs);
    assert(sound);
    while (bson_iter_next(&iter)) {
        bson_t doc;
        sound = sp_value_document(&iter, &doc) && bson_iter_init(&field, new_key);
        assert(sound);
        while (bson_iter_next(&field))
            hold = hold || has_array_at(&doc, bson_iter_key(&field));
    }
    return hold;
}

/* `unique` and a collation over _ids may refuse one of two documents, which is the unique area's
 * matter; so there is one. */
static void append_docs(sp_producer_t *producer, const sp_layout_draw_t *layout,
                        const bson_t *scene, bool unique, request_t *request)
{
    bson_iter_t iter;
    bson_t docs = BSON_INITIALIZER;
    bool collated = bson_iter_init_find(&iter, scene, "collation") &&
                    BSON_ITER_HOLDS_DOCUMENT(&iter) &&
                    (names_id(&request->new_key) || names_id(&layout->key));
    int32_t count = 1 + (int32_t)sp_draw_below(producer, DOCS_MAX);
    if (unique || collated)
        count = 1;
    sp_gen_documents(producer, request->has_wide ? &request->wide : layout, count, &docs);
    BSON_APPEND_ARRAY(request->question, "docs", &docs);
    request->exact = hold_arrays(&docs, &request->new_key);
    bson_destroy(&docs);
}

static void append_partial(bson_t *index)
{
    bson_t filter, condition;
    BSON_APPEND_DOCUMENT_BEGIN(index, "partialFilterExpression", &filter);
    BSON_APPEND_DOCUMENT_BEGIN(&filter, "_id", &condition);
    BSON_APPEND_INT32(&condition, "$gt", 2);
    bson_append_document_end(&filter, &condition);
    bson_append_document_end(index, &filter);
}

static void append_index_collation(bson_t *index)
{
    bson_t collation;
    BSON_APPEND_DOCUMENT_BEGIN(index, "collation", &collation);
    BSON_APPEND_UTF8(&collation, "locale", "en");
    bson_append_document_end(index, &collation);
}

/* An index close to the new key or to the old one. */
static void append_index(sp_producer_t *producer, const bson_t *old_key, request_t *request,
                         bool *unique)
{
    bson_t indexes, index, key = BSON_INITIALIZER;
    bool of_old = sp_draw_one_in(producer, 2);
    sp_gen_refine_index_key(producer, of_old ? old_key : &request->new_key, &key);
    uint32_t option = sp_draw_below(producer, 10);
    *unique = option >= 7 && !sp_pattern_names_hashed(&key);
    /* Without one of the two, an index on the old key would be the one that is there. */
    bool sparse = !*unique && (option == 3 || sp_refine_same_key(old_key, &key));
    if (bson_count_keys(&key) > 1 || !bson_has_field(&key, "_id")) {
        BSON_APPEND_ARRAY_BEGIN(request->question, "indexes", &indexes);
        BSON_APPEND_DOCUMENT_BEGIN(&indexes, "0", &index);
        BSON_APPEND_DOCUMENT(&index, "key", &key);
        if (*unique)
            BSON_APPEND_BOOL(&index, "unique", true);
        else if (sparse)
            BSON_APPEND_BOOL(&index, "sparse", true);
        else if (option == 4)
            BSON_APPEND_BOOL(&index, "hidden", true);
        else if (option == 5)
            append_partial(&index);
        else if (option == 6)
            append_index_collation(&index);
        bson_append_document_end(&indexes, &index);
        bson_append_array_end(request->question, &indexes);
    }
    bson_destroy(&key);
}

static void draw_bound(sp_producer_t *producer, const request_t *request, bson_t *bound)
{
    bson_iter_t iter;
    bool sound = bson_iter_init(&iter, &request->new_key);
    assert(sound);
    while (bson_iter_next(&iter)) {
        const char *name = bson_iter_key(&iter);
        unsigned field = 0;
        while (strcmp(request->wide.pattern->fields[field].text, name) != 0)
            field++;
        if (BSON_ITER_HOLDS_UTF8(&iter)) {
            int64_t hash = (int64_t)sp_draw_bits(producer, 8);
            BSON_APPEND_INT64(bound, name, hash);
        } else {
            sp_value_t value = sp_layout_draw_value(&request->wide, producer, field);
            sp_value_append(bound, name, &value);
        }
    }
}

static void append_extreme(const bson_t *key, bool max, bson_t *bound)
{
    bson_iter_t iter;
    bool sound = bson_iter_init(&iter, key);
    assert(sound);
    while (bson_iter_next(&iter)) {
        if (max)
            BSON_APPEND_MAXKEY(bound, bson_iter_key(&iter));
        else
            BSON_APPEND_MINKEY(bound, bson_iter_key(&iter));
    }
}

/* MinKey, some bounds between, MaxKey; in order, each once. Returns how many. */
static unsigned draw_bounds(sp_producer_t *producer, const request_t *request, bson_t **bounds)
{
    unsigned count = 2, wanted = sp_draw_below(producer, BOUNDS_MAX + 1);
    bounds[0] = bson_new();
    bounds[1] = bson_new();
    append_extreme(&request->new_key, false, bounds[0]);
    append_extreme(&request->new_key, true, bounds[1]);
    for (unsigned i = 0; i < wanted; i++) {
        bson_t *bound = bson_new();
        unsigned at = 0;
        draw_bound(producer, request, bound);
        while (at < count && sp_key_compare(bounds[at], bound) < 0)
            at++;
        if (at == count || sp_key_compare(bounds[at], bound) == 0 ||
            !sp_pattern_bound_storable(bound, NULL) || sp_pattern_bound_breaks(bound)) {
            bson_destroy(bound);
            continue;
        }
        memmove(bounds + at + 1, bounds + at, (count - at) * sizeof *bounds);
        bounds[at] = bound;
        count++;
    }
    return count;
}

static void append_range(sp_producer_t *producer, const request_t *request, unsigned number,
                         const bson_t *min, const bson_t *max, bson_t *array)
{
    char place[16], name[16];
    bson_t range;
    unsigned shard = 1 + sp_draw_below(producer, request->shards);
    if (sp_draw_one_in(producer, 32))
        shard = 77; /* which no cluster has */
    snprintf(place, sizeof place, "%u", number);
    snprintf(name, sizeof name, "s%u", shard);
    BSON_APPEND_ARRAY_BEGIN(array, place, &range);
    BSON_APPEND_DOCUMENT(&range, "0", min);
    BSON_APPEND_DOCUMENT(&range, "1", max);
    BSON_APPEND_UTF8(&range, "2", name);
    bson_append_array_end(array, &range);
}

/* Ranges between the bounds; `gaps`: some left out. Now and then they are faulty. */
static void append_ranges(sp_producer_t *producer, const request_t *request, const char *name,
                          bool gaps, bson_t *options)
{
    bson_t *bounds[BOUNDS_MAX + 2], array;
    unsigned number = 0, count = draw_bounds(producer, request, bounds);
    unsigned fault = sp_draw_one_in(producer, 10) ? sp_draw_below(producer, count) : count;
    BSON_APPEND_ARRAY_BEGIN(options, name, &array);
    for (unsigned i = 0; i + 1 < count; i++) {
        bool last = i + 2 == count;
        if (gaps ? sp_draw_one_in(producer, 3) : i == fault && count > 2)
            continue;
        unsigned to = gaps && i == fault && !last ? i + 2 : i + 1; /* overlaps the next */
        append_range(producer, request, number++, bounds[i], bounds[to], &array);
    }
    bson_append_array_end(options, &array);
    for (unsigned i = 0; i < count; i++)
        bson_destroy(bounds[i]);
}

static void append_number(sp_producer_t *producer, bson_t *options)
{
    static const int64_t numbers[] = {1, 1, 1, 2, 2, 2, 2, 3, 4, 0, -1, 5000};
    int64_t number = numbers[sp_draw_below(producer, 12)];
    BSON_APPEND_INT64(options, "numInitialChunks", number);
}

static void append_collation(sp_producer_t *producer, bson_t *options)
{
    static const char *const locales[] = {"simple", "simple", "fr", "xx"};
    bson_t collation;
    const char *locale = locales[sp_draw_below(producer, 4)];
    BSON_APPEND_DOCUMENT_BEGIN(options, "collation", &collation);
    if (!sp_draw_one_in(producer, 8))
        BSON_APPEND_UTF8(&collation, "locale", locale);
    bson_append_document_end(options, &collation);
}

static void append_unique(sp_producer_t *producer, bson_t *options)
{
    bool unique = sp_draw_one_in(producer, 2);
    BSON_APPEND_BOOL(options, "unique", unique);
}

/* Chunks named one by one come most often: with them alone everything is known beforehand. */
static void append_options(sp_producer_t *producer, const request_t *request)
{
    bson_t options;
    uint32_t choice = sp_draw_below(producer, 16);
    sp_pattern_t *pattern = sp_pattern_new(&request->new_key, NULL);
    bool can_name = request->has_wide && pattern != NULL;
    sp_pattern_free(pattern);
    BSON_APPEND_DOCUMENT_BEGIN(request->question, "options", &options);
    bool presets = can_name && choice < (request->exact ? 13 : 8);
    if (presets)
        append_ranges(producer, request, "presetReshardedChunks", false, &options);
    if (request->exact && !presets)
        BSON_APPEND_INT64(&options, "numInitialChunks", 1);
    else if (!presets ? choice < 15 : sp_draw_one_in(producer, 24))
        append_number(producer, &options);
    if (can_name &&
        (request->keeps_zones ? !sp_draw_one_in(producer, 4) : sp_draw_one_in(producer, 4)))
        append_ranges(producer, request, "zones", true, &options);
    if (sp_draw_one_in(producer, 16))
        append_unique(producer, &options);
    if (sp_draw_one_in(producer, 10))
        append_collation(producer, &options);
    bson_append_document_end(request->question, &options);
}

/* By their names: values of the one may then be values of the other. */
static bool same_fields(const bson_t *a, const bson_t *b)
{
    bson_iter_t left, right;
    bool sound = bson_iter_init(&left, a) && bson_iter_init(&right, b);
    assert(sound);
    while (bson_iter_next(&left)) {
        if (!bson_iter_next(&right) || strcmp(bson_iter_key(&left), bson_iter_key(&right)) != 0)
            return false;
    }
    return !bson_iter_next(&right);
}

static void append_other_collection(sp_producer_t *producer, bson_t *question)
{
    bool missing = sp_draw_one_in(producer, 2);
    BSON_APPEND_UTF8(question, "collection", missing ? "missing" : "unsharded");
}

static void append_request(sp_producer_t *producer, const sp_layout_draw_t *layout,
                           const bson_t *scene, bson_t *question)
{
    request_t request = {.question = question, .new_key = BSON_INITIALIZER};
    bson_iter_t iter;
    bool found = bson_iter_init_find(&iter, scene, "shards");
    assert(found);
    request.shards = (unsigned)bson_iter_as_int64(&iter);
    draw_new_key(producer, &layout->key, &request.new_key);
    BSON_APPEND_DOCUMENT(question, "newKey", &request.new_key);
    request.has_wide = draw_wide(producer, layout, &request);
    uint32_t choice = sp_draw_below(producer, 32);
    if (choice == 31)
        append_other_collection(producer, question);
    /* The config server of 6.0.5 dies, for good, of a new zone that begins where an old one does.
     */
    request.keeps_zones =
        choice >= 28 && choice < 31 && !same_fields(&layout->key, &request.new_key);
    if (request.keeps_zones)
        BSON_APPEND_BOOL(question, "keepZones", true);
    bool unique = false;
    if (sp_draw_one_in(producer, 4))
        append_index(producer, &layout->key, &request, &unique);
    if (choice < 31 && !sp_draw_one_in(producer, 8))
        append_docs(producer, layout, scene, unique, &request);
    append_options(producer, &request);
    if (request.has_wide)
        sp_layout_draw_clear(&request.wide);
    bson_destroy(&request.new_key);
}

void sp_gen_reshard(const sp_scene_context_t *context, sp_producer_t *producer, bson_t *scene)
{
    sp_gen_layout_and_questions(context, producer, "requests", SP_RESHARD_REQUESTS, append_request,
                                scene);
}
