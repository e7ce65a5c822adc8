#include "case.h"
#include "collation.h"
#include "initial_chunks.h"
#include "order.h"
#include "pattern.h"
#include "rules.h"
#include "shard_indexes.h"

#include <string.h>

enum { BAD_VALUE = 2, ALREADY_INITIALIZED = 23, INVALID_OPTIONS = 72, MISSING_FIELD = 40414 };

/* What comes of a request that is not refused. */
typedef struct outcome {
    bool again; /* it was sharded so before */
    bool makes; /* an index is made */
    bson_t chunks;
} outcome_t;

static bool refuse(sp_error_t *error, int32_t code, const char *message)
{
    return sp_error_set(error, SP_ERROR_RULE, code, "%s", message);
}

static bool check_asked_collation(const bson_t *collation, sp_error_t *error)
{
    if (bson_empty(collation))
        return refuse(error, MISSING_FIELD, "a collation needs a locale");
    return sp_collation_check(collation, error) &&
           (sp_collation_is_simple(collation) ||
            refuse(error, BAD_VALUE, "the collation of a request must be simple"));
}

/* What is looked at before the collection is. */
static bool check_request(const sp_shard_request_t *request, unsigned shards, sp_version_t version,
                          sp_error_t *error)
{
    if (!sp_pattern_check(&request->key, version, error))
        return false;
    if (request->unique && sp_pattern_names_hashed(&request->key))
        return refuse(error, INVALID_OPTIONS, "a hashed shard key cannot be unique");
    if (request->numbered && !sp_initial_number(version, shards, request->number, error))
        return false;
    return !request->has_collation || check_asked_collation(&request->asked_collation, error);
}

static bool check_collation(const sp_shard_request_t *request, sp_error_t *error)
{
    return !request->collated || request->has_collation ||
           refuse(error, BAD_VALUE,
                  "a collection with a collation needs {locale: \"simple\"} in the request");
}

static bool check_sharded(const sp_shard_request_t *request, sp_error_t *error)
{
    return (request->unique == request->sharded_unique &&
            sp_document_compare(&request->key, &request->sharded_key) == 0) ||
           refuse(error, ALREADY_INITIALIZED, "the collection is sharded in another way");
}

/* A pattern that no index can have (a path twice, too many fields) is refused only when its index
 * is made. What is refused before that depends on the place of its hashed field alone: `plain` has
 * the same. */
static void stand_in(const bson_t *key, bson_t *plain)
{
    bson_iter_t iter;
    bool first = bson_iter_init(&iter, key) && bson_iter_next(&iter) && BSON_ITER_HOLDS_UTF8(&iter);
    if (first)
        BSON_APPEND_UTF8(plain, "x", "hashed");
    else
        BSON_APPEND_INT32(plain, "x", 1);
    if (!first && sp_pattern_names_hashed(key))
        BSON_APPEND_UTF8(plain, "y", "hashed");
}

static bool make_chunks(const sp_shard_request_t *request, unsigned shards, sp_version_t version,
                        bson_t *chunks, sp_error_t *error)
{
    bson_t plain = BSON_INITIALIZER;
    const bson_t *key = request->sharded ? &request->sharded_key : &request->key;
    sp_pattern_t *pattern = sp_pattern_new(key, NULL);
    if (pattern == NULL)
        stand_in(key, &plain);
    sp_sharding_t sharding = {
        .key = pattern == NULL ? &plain : key,
        .empty = !request->populated,
        .shards = shards,
    };
    if (!request->sharded) {
        sharding.numbered = request->numbered;
        sharding.number = request->number;
        sharding.presplit = request->presplit;
    }
    bool ok = sp_initial_chunks(&sharding, version, chunks, error);
    sp_pattern_free(pattern);
    bson_destroy(&plain);
    return ok;
}

static bool decide(const sp_shard_request_t *request, unsigned shards, sp_version_t version,
                   outcome_t *outcome, sp_error_t *error)
{
    if (!check_request(request, shards, version, error))
        return false;
    if (request->sharded) {
        outcome->again = true;
        return check_collation(request, error) && check_sharded(request, error) &&
               make_chunks(request, shards, version, &outcome->chunks, error);
    }
    if (request->capped)
        return refuse(error, INVALID_OPTIONS, "a capped collection cannot be sharded");
    return check_collation(request, error) &&
           make_chunks(request, shards, version, &outcome->chunks, error) &&
           sp_shard_indexes_check(request, version, &outcome->makes, error);
}

static void append_made(const sp_shard_request_t *request, bool makes, bson_t *answer)
{
    bson_t list, index;
    BSON_APPEND_ARRAY_BEGIN(answer, "made", &list);
    if (makes) {
        char *name = sp_shard_index_name(&request->key);
        BSON_APPEND_DOCUMENT_BEGIN(&list, "0", &index);
        BSON_APPEND_DOCUMENT(&index, "key", &request->key);
        BSON_APPEND_UTF8(&index, "name", name);
        if (request->unique)
            BSON_APPEND_BOOL(&index, "unique", true);
        bson_append_document_end(&list, &index);
        bson_free(name);
    }
    bson_append_array_end(answer, &list);
}

static void append_outcome(const sp_shard_request_t *request, const outcome_t *outcome,
                           bson_t *answer)
{
    BSON_APPEND_BOOL(answer, "ok", true);
    BSON_APPEND_DOCUMENT(answer, "key", outcome->again ? &request->sharded_key : &request->key);
    BSON_APPEND_BOOL(answer, "unique", request->unique);
    BSON_APPEND_INT32(answer, "chunks", (int32_t)bson_count_keys(&outcome->chunks));
    append_made(request, outcome->makes, answer);
}

static bool predict(sp_model_t *model, unsigned shards, const bson_t *question, bson_t *answer,
                    void (*append)(const sp_shard_request_t *request, const outcome_t *outcome,
                                   bson_t *answer),
                    sp_error_t *error)
{
    sp_shard_request_t *request = bson_malloc(sizeof *request);
    sp_error_t failed = {0};
    outcome_t outcome = {0};
    bson_init(&outcome.chunks);
    bool ok = sp_shard_request_read(question, request, &failed) &&
              decide(request, shards, model->version, &outcome, &failed);
    if (ok)
        append(request, &outcome, answer);
    else
        ok = sp_answer_failure(&failed, answer, error);
    bson_destroy(&outcome.chunks);
    sp_shard_request_clear(request);
    bson_free(request);
    return ok;
}

typedef struct scene {
    sp_model_t *model;
    unsigned shards;
} scene_t;

static bool ask(void *context, const bson_t *question, bson_t *answer, sp_error_t *error)
{
    const scene_t *scene = context;
    return predict(scene->model, scene->shards, question, answer, append_outcome, error);
}

bool sp_case_predict_shardcollection(sp_model_t *model, const bson_t *test, sp_answers_t *answers,
                                     sp_error_t *error)
{
    scene_t scene = {.model = model};
    return sp_case_shard_count(test, &scene.shards, error) &&
           sp_case_ask_each(test, "requests", ask, &scene, answers, error);
}

/* [min, max] of each. */
static void append_bounds(const sp_shard_request_t *request, const outcome_t *outcome,
                          bson_t *answer)
{
    bson_iter_t chunk, part;
    bson_t list, bounds;
    (void)request;
    BSON_APPEND_ARRAY_BEGIN(answer, "chunks", &list);
    for (bool more = bson_iter_init(&chunk, &outcome->chunks); more && bson_iter_next(&chunk);) {
        BSON_APPEND_ARRAY_BEGIN(&list, bson_iter_key(&chunk), &bounds);
        bool sound = bson_iter_recurse(&chunk, &part);
        for (unsigned i = 0; sound && i < 2 && bson_iter_next(&part); i++) {
            sp_value_t bound = sp_value_of(&part);
            sp_value_append(&bounds, bson_iter_key(&part), &bound);
        }
        bson_append_array_end(&list, &bounds);
    }
    bson_append_array_end(answer, &list);
}

bool sp_predict_shard_collection(sp_model_t *model, unsigned shards, const bson_t *question,
                                 bson_t *answer, sp_error_t *error)
{
    return predict(model, shards, question, answer, append_bounds, error);
}
