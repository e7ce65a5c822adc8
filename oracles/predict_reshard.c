/*
 * Resharding a collection: whether a server does it, and where everything is afterwards.
 */
#include "case.h"
#include "collation.h"
#include "extract.h"
#include "order.h"
#include "refine_docs.h"
#include "refine_key.h"
#include "reshard_chunks.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum {
    BAD_VALUE = 2,
    COMMAND_NOT_FOUND = 59,
    SHARD_KEY_NOT_FOUND = 61,
    INVALID_OPTIONS = 72,
    INDEX_KEY_SPECS_CONFLICT = 86,
    NAMESPACE_NOT_SHARDED = 118,
    TOO_MANY_COMPOUND_KEYS = 13103,
    NO_LOCALE = 40414,
    DEFAULT_CHUNKS = 90
};

/* One question on its way to its answer. */
typedef struct resharding {
    sp_model_t *model;
    const sp_layout_t *layout;
    const bson_t *key; /* the shard key as it is */
    sp_reshard_request_t request;
    bool *stored;
    uint32_t doc_count;
    sp_pattern_t *pattern; /* by which documents are sorted under the new key; NULL: it is none */
    bool repeats;          /* the new key has a field twice */
    sp_pattern_t *plain;   /* the same, no field hashed */
    sp_sampled_t *docs;    /* those that are stored and have a value of the new key */
    unsigned key_count;
    uint32_t stored_count;
    bson_t chunks;
    bool chunks_known;
} resharding_t;

static bool refuse(sp_error_t *error, int32_t code, const char *why)
{
    return sp_error_set(error, SP_ERROR_RULE, code, "%s", why);
}

static bool check_collation(const sp_reshard_request_t *request, sp_error_t *error)
{
    if (!request->has_collation)
        return true;
    if (!bson_has_field(&request->collation, "locale"))
        return refuse(error, NO_LOCALE, "a collation needs a locale");
    return sp_collation_check(&request->collation, error) &&
           (sp_collation_is_simple(&request->collation) ||
            refuse(error, BAD_VALUE, "the collation must be {locale: \"simple\"}"));
}

/* What is wrong with the request whatever the collection is like. */
static bool check_options(const resharding_t *resharding, sp_error_t *error)
{
    const sp_reshard_request_t *request = &resharding->request;
    if (!check_collation(request, error))
        return false;
    if (request->has_preset && request->numbered)
        return refuse(error, BAD_VALUE,
                      "numInitialChunks and presetReshardedChunks exclude each other");
    if (request->unique)
        return refuse(error, BAD_VALUE, "unique must be false");
    if (request->keeps_zones && !request->has_zones)
        return refuse(error, BAD_VALUE, "where a collection has zones, zones must be given");
    if (!request->has_preset)
        return true;
    return sp_pattern_check(&request->common.new_key, resharding->model->version, error) &&
           sp_reshard_check_preset(request, resharding->pattern, resharding->layout, error);
}

static bool check_sharded(const sp_reshard_request_t *request, sp_error_t *error)
{
    return request->common.state == SP_REFINE_SHARDED ||
           refuse(error, NAMESPACE_NOT_SHARDED, "the collection is not sharded");
}

static bool check_first(const resharding_t *resharding, sp_error_t *error)
{
    const sp_reshard_request_t *request = &resharding->request;
    if (!sp_version_has(resharding->model->version, SP_RESHARDS))
        return refuse(error, COMMAND_NOT_FOUND, "this version has no command that reshards");
    if (sp_version_has(resharding->model->version, SP_RESHARD_OPTIONS_FIRST))
        return check_options(resharding, error) && check_sharded(request, error);
    return check_sharded(request, error) && check_options(resharding, error);
}

/* Whether the index on _id that every collection has stands for the new key, which is on _id. */
static bool has_id_index(const resharding_t *resharding)
{
    bson_t id_key = BSON_INITIALIZER;
    const bson_t *collation = resharding->layout->collation;
    BSON_APPEND_INT32(&id_key, "_id", 1);
    bool same = sp_refine_same_key(&id_key, &resharding->request.common.new_key);
    bson_destroy(&id_key);
    return same && (collation == NULL || sp_collation_is_simple(collation));
}

/* Whether indexes on both keys get one name, in which every number of a shard key is a 1. */
static bool is_named_alike(const bson_t *a, const bson_t *b)
{
    bson_iter_t left, right;
    if (!bson_iter_init(&left, a) || !bson_iter_init(&right, b))
        return false;
    while (bson_iter_next(&left)) {
        if (!bson_iter_next(&right) || strcmp(bson_iter_key(&left), bson_iter_key(&right)) != 0 ||
            BSON_ITER_HOLDS_UTF8(&left) != BSON_ITER_HOLDS_UTF8(&right))
            return false;
    }
    return !bson_iter_next(&right);
}

/* Each recipient makes the collection with all its indexes, and one for the key where none looks as
 * if it were it; what looks so must serve. There is no document yet, so no index has arrays. */
static bool check_indexes(const resharding_t *resharding, sp_error_t *error)
{
    const bson_t *new_key = &resharding->request.common.new_key;
    bson_iter_t iter = resharding->request.common.indexes;
    bool on_shard, looks_fit = false, serves = false;
    while (bson_iter_next(&iter)) {
        sp_index_t index;
        if (!sp_refine_request_index(&iter, "", &index, &on_shard, error))
            return false;
        sp_refine_settle_collation(resharding->layout, &index);
        if ((index.unique || index.prepare_unique) &&
            !sp_key_index_unique_fits(&index.key, new_key, resharding->model->version))
            return refuse(error, INVALID_OPTIONS,
                          "a unique index does not begin with the new shard key");
        looks_fit = looks_fit || sp_key_index_looks_fit(&index, new_key, false);
        serves = serves || sp_key_index_serves(&index, false, new_key, resharding->model->version);
    }
    if (!looks_fit && sp_pattern_is_id(new_key) && !has_id_index(resharding))
        return refuse(error, BAD_VALUE,
                      "an index on _id is {_id: 1} and has the collection's collation");
    if (looks_fit && !serves)
        return refuse(error, INVALID_OPTIONS,
                      "the index on the new shard key is hidden or partial");
    if (resharding->repeats)
        return refuse(error, BAD_VALUE, "the new shard key has a field twice");
    if (!looks_fit && is_named_alike(resharding->key, new_key))
        return refuse(error, INDEX_KEY_SPECS_CONFLICT,
                      "the index on the old shard key has the name that the new one's would get");
    if (bson_count_keys(new_key) > SP_PATTERN_FIELDS_MAX)
        return refuse(error, TOO_MANY_COMPOUND_KEYS, "an index has at most 32 fields");
    return true;
}

/* A key that no index can have is refused only when the index is to be made, after documents were
 * sorted by it. What repeats a field or comes behind the 32nd does not change their order here:
 * documents lack such fields. */
static sp_pattern_t *sorting_pattern(const bson_t *new_key, bool hashed, bool *repeats)
{
    bson_t fields = BSON_INITIALIZER;
    bson_iter_t iter, found;
    unsigned count = 0;
    bool sound = bson_iter_init(&iter, new_key);
    assert(sound);
    *repeats = false;
    while (bson_iter_next(&iter)) {
        sp_value_t value = sp_value_of(&iter);
        if (bson_iter_init_find(&found, &fields, bson_iter_key(&iter)))
            *repeats = true;
        else if (count++ >= SP_PATTERN_FIELDS_MAX)
            continue;
        else if (!hashed && BSON_ITER_HOLDS_UTF8(&iter))
            BSON_APPEND_INT32(&fields, bson_iter_key(&iter), 1);
        else
            sp_value_append(&fields, bson_iter_key(&iter), &value);
    }
    sp_pattern_t *pattern = sp_pattern_new(&fields, NULL);
    bson_destroy(&fields);
    return pattern;
}

/* Stores the documents and collects their values of the new key. */
static bool store(resharding_t *resharding, sp_error_t *error)
{
    bson_iter_t iter = resharding->request.common.docs;
    sp_hasher_t *hasher = resharding->model->hasher;
    for (uint32_t i = 0; bson_iter_next(&iter); i++) {
        bson_t doc, key = BSON_INITIALIZER, value = BSON_INITIALIZER;
        const char *shard;
        bool sound = sp_value_document(&iter, &doc);
        assert(sound);
        bool ok = sp_refine_place(resharding->model, resharding->layout,
                                  &resharding->request.common.indexes, &doc, &shard, error);
        resharding->stored[i] = ok && shard != NULL;
        resharding->stored_count += resharding->stored[i];
        if (resharding->stored[i] && resharding->pattern != NULL &&
            sp_extract_key(resharding->pattern, hasher, &doc, &key, NULL) &&
            sp_extract_key(resharding->plain, hasher, &doc, &value, NULL)) {
            sp_sampled_t *sampled = &resharding->docs[resharding->key_count++];
            sampled->key = bson_copy(&key);
            sampled->value = bson_copy(&value);
        }
        bson_destroy(&key);
        bson_destroy(&value);
        if (!ok)
            return sp_error_prefix(error, "docs[%u]", i);
    }
    return true;
}

static void append_preset(resharding_t *resharding)
{
    const sp_reshard_request_t *request = &resharding->request;
    for (unsigned i = 0; i < request->preset_count; i++) {
        char buffer[16];
        const char *index;
        const sp_range_t *range = &request->preset[i];
        bson_t chunk;
        bson_uint32_to_string(i, &index, buffer, sizeof buffer);
        BSON_APPEND_ARRAY_BEGIN(&resharding->chunks, index, &chunk);
        BSON_APPEND_DOCUMENT(&chunk, "0", &range->min);
        BSON_APPEND_DOCUMENT(&chunk, "1", &range->max);
        BSON_APPEND_UTF8(&chunk, "2", range->name);
        bson_append_array_end(&resharding->chunks, &chunk);
    }
}

static bool make_chunks(resharding_t *resharding, sp_error_t *error)
{
    const sp_reshard_request_t *request = &resharding->request;
    sp_reshard_plan_t plan = {.pattern = resharding->pattern,
                              .layout = resharding->layout,
                              .request = request,
                              .number = request->number,
                              .docs = resharding->docs,
                              .doc_count = resharding->key_count,
                              .keyless = resharding->key_count < resharding->stored_count};
    if (!request->numbered)
        plan.number = sp_version_has(resharding->model->version, SP_RESHARD_KEEPS_CHUNK_COUNT)
                          ? sp_chunkmap_count(resharding->layout->chunks)
                          : DEFAULT_CHUNKS;
    if (!sp_reshard_check_zones(request, error))
        return false;
    resharding->chunks_known = true;
    if (!request->has_preset)
        return sp_reshard_chunks(&plan, &resharding->chunks, &resharding->chunks_known, error);
    append_preset(resharding);
    return true;
}

/* A config server that has committed the new chunks cannot add such a zone beside the old one, and
 * dies, now and at every start. */
static bool check_survival(const resharding_t *resharding, sp_error_t *error)
{
    const sp_reshard_request_t *request = &resharding->request;
    const sp_chunkmap_t *chunks = resharding->layout->chunks;
    bson_t min, max;
    if (!request->keeps_zones ||
        !sp_version_has(resharding->model->version, SP_RESHARD_DIES_OF_ZONES))
        return true;
    for (uint32_t i = 0; i < sp_chunkmap_count(chunks); i++) {
        sp_chunkmap_bounds(chunks, i, &min, &max);
        for (unsigned j = 0; j < request->zone_count; j++) {
            if (sp_refine_same_key(&min, &request->zones[j].min))
                return sp_error_set(error, SP_ERROR_INPUT, 0,
                                    "zones[%u] begins where a zone is that 'keepZones' keeps: a "
                                    "config server dies of it",
                                    j);
        }
    }
    return true;
}

/* False, with the server's code, where the key stays as it is; or with SP_ERROR_INPUT. */
static bool reshard(resharding_t *resharding, bool *changes, sp_error_t *error)
{
    const bson_t *new_key = &resharding->request.common.new_key;
    *changes = false;
    if (!check_first(resharding, error))
        return false;
    if (sp_refine_same_key(resharding->key, new_key))
        return true;
    *changes = true;
    if (!sp_pattern_check(new_key, resharding->model->version, error))
        return false;
    assert(resharding->pattern != NULL);
    return make_chunks(resharding, error) && check_indexes(resharding, error) &&
           check_survival(resharding, error) &&
           (resharding->key_count == resharding->stored_count ||
            refuse(error, SHARD_KEY_NOT_FOUND, "a document has an array in the new shard key"));
}

/* As the catalogue lists them. */
static void append_zones(const resharding_t *resharding, bson_t *answer)
{
    bson_t zones, zone;
    unsigned taken = 0, count = resharding->request.zone_count;
    bool *done = bson_malloc0((count + 1) * sizeof *done);
    BSON_APPEND_ARRAY_BEGIN(answer, "zones", &zones);
    while (taken < count) {
        char buffer[16];
        const char *index;
        const sp_range_t *least = NULL;
        unsigned at = 0;
        for (unsigned i = 0; i < count; i++) {
            const sp_range_t *range = &resharding->request.zones[i];
            if (!done[i] && (least == NULL || sp_key_compare(&range->min, &least->min) < 0)) {
                least = range;
                at = i;
            }
        }
        assert(least != NULL); /* not all are done */
        done[at] = true;
        bson_uint32_to_string(taken++, &index, buffer, sizeof buffer);
        BSON_APPEND_ARRAY_BEGIN(&zones, index, &zone);
        BSON_APPEND_DOCUMENT(&zone, "0", &least->min);
        BSON_APPEND_DOCUMENT(&zone, "1", &least->max);
        BSON_APPEND_UTF8(&zone, "2", least->name);
        bson_append_array_end(&zones, &zone);
    }
    bson_append_array_end(answer, &zones);
    bson_free(done);
}

static void append_chunks(const resharding_t *resharding, bool changes, bson_t *answer)
{
    const sp_chunkmap_t *chunks = resharding->layout->chunks;
    bson_t array, chunk, min, max;
    if (changes && resharding->chunks_known)
        BSON_APPEND_ARRAY(answer, "chunks", &resharding->chunks);
    if (changes)
        return;
    BSON_APPEND_ARRAY_BEGIN(answer, "chunks", &array);
    for (uint32_t i = 0; i < sp_chunkmap_count(chunks); i++) {
        char buffer[16];
        const char *index;
        bson_uint32_to_string(i, &index, buffer, sizeof buffer);
        sp_chunkmap_bounds(chunks, i, &min, &max);
        BSON_APPEND_ARRAY_BEGIN(&array, index, &chunk);
        BSON_APPEND_DOCUMENT(&chunk, "0", &min);
        BSON_APPEND_DOCUMENT(&chunk, "1", &max);
        BSON_APPEND_UTF8(&chunk, "2", sp_chunkmap_shard(chunks, i));
        bson_append_array_end(&array, &chunk);
    }
    bson_append_array_end(answer, &array);
}

/* On some versions a document whose new key is MaxKey in every field belongs to no chunk, so nobody
 * copies it: it is lost. */
static bool is_copied(const resharding_t *resharding, const bson_t *doc, bool changes)
{
    bson_t key = BSON_INITIALIZER;
    bson_iter_t iter;
    bool copied = !changes || !sp_version_has(resharding->model->version, SP_MAX_KEY_IN_NO_CHUNK);
    bool sound = sp_extract_key(resharding->pattern, resharding->model->hasher, doc, &key, NULL) &&
                 bson_iter_init(&iter, &key);
    assert(copied || sound);
    while (!copied && bson_iter_next(&iter))
        copied = !BSON_ITER_HOLDS_MAXKEY(&iter);
    bson_destroy(&key);
    return copied;
}

static void append_found(const resharding_t *resharding, const sp_pattern_t *pattern, bool changes,
                         bson_t *answer)
{
    bson_iter_t iter = resharding->request.common.docs;
    int32_t found = 0, by_key = 0;
    for (uint32_t i = 0; bson_iter_next(&iter); i++) {
        bson_t doc, filter = BSON_INITIALIZER;
        bool sound = sp_value_document(&iter, &doc);
        assert(sound);
        if (resharding->stored[i] && is_copied(resharding, &doc, changes)) {
            found++;
            by_key += sp_refine_own_filter(pattern, &doc, &filter);
        }
        bson_destroy(&filter);
    }
    BSON_APPEND_INT32(answer, "found", found);
    BSON_APPEND_INT32(answer, "foundByKey", by_key);
    BSON_APPEND_BOOL(answer, "placed", true);
}

static void append_answer(const resharding_t *resharding, bool changes, bson_t *answer)
{
    BSON_APPEND_DOCUMENT(answer, "key",
                         changes ? &resharding->request.common.new_key : resharding->key);
    append_chunks(resharding, changes, answer);
    if (changes)
        append_zones(resharding, answer);
    append_found(resharding, changes ? resharding->pattern : resharding->layout->pattern, changes,
                 answer);
}

static bool answer_question(resharding_t *resharding, bson_t *answer, sp_error_t *error)
{
    bool changes;
    sp_error_t refused = {0};
    bson_iter_t iter;
    for (iter = resharding->request.common.docs; bson_iter_next(&iter);)
        resharding->doc_count++;
    resharding->stored = bson_malloc0((resharding->doc_count + 1) * sizeof *resharding->stored);
    resharding->docs = bson_malloc0((resharding->doc_count + 1) * sizeof *resharding->docs);
    resharding->pattern =
        sorting_pattern(&resharding->request.common.new_key, true, &resharding->repeats);
    resharding->plain =
        sorting_pattern(&resharding->request.common.new_key, false, &resharding->repeats);
    if (!store(resharding, error))
        return false;
    if (!reshard(resharding, &changes, &refused))
        return sp_answer_failure(&refused, answer, error);
    append_answer(resharding, changes, answer);
    return true;
}

static bool predict(sp_model_t *model, const sp_layout_t *layout, const bson_t *question,
                    bson_t *answer, sp_error_t *error)
{
    resharding_t *resharding = bson_malloc0(sizeof *resharding);
    resharding->model = model;
    resharding->layout = layout;
    bson_init(&resharding->chunks);
    resharding->key = layout->key;
    bool ok = sp_reshard_request_read(question, layout, &resharding->request, error) &&
              answer_question(resharding, answer, error);
    for (unsigned i = 0; i < resharding->key_count; i++) {
        bson_destroy(resharding->docs[i].key);
        bson_destroy(resharding->docs[i].value);
    }
    bson_free(resharding->docs);
    bson_free(resharding->stored);
    bson_destroy(&resharding->chunks);
    sp_pattern_free(resharding->pattern);
    sp_pattern_free(resharding->plain);
    sp_reshard_request_clear(&resharding->request);
    bson_free(resharding);
    return ok;
}

bool sp_case_predict_reshard(sp_model_t *model, const bson_t *test, sp_answers_t *answers,
                             sp_error_t *error)
{
    return sp_case_predict_each(model, test, "requests", predict, answers, error);
}
