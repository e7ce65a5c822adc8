#include "case.h"
#include "initial_chunks.h"
#include "zone_update.h"

#include <string.h>

enum { HASHED_CANNOT_BE_UNIQUE = 72, TYPE_MISMATCH = 14 };

typedef struct request {
    sp_model_t *model;
    const bson_t *question;
    unsigned shards;
    sp_zones_t zones;
} request_t;

static bool wrong(sp_error_t *error, const char *name, const char *wanted)
{
    return sp_error_set(error, SP_ERROR_INPUT, 0, "'%s' must be %s", name, wanted);
}

static bool read_document(const bson_t *question, const char *name, bson_t *doc, sp_error_t *error)
{
    bson_iter_t iter;
    return (bson_iter_init_find(&iter, question, name) && sp_value_document(&iter, doc)) ||
           wrong(error, name, "a document");
}

static bool read_primary(const request_t *request, unsigned *primary, sp_error_t *error)
{
    bson_iter_t iter;
    if (!bson_iter_init_find(&iter, request->question, "primary"))
        return true;
    return (BSON_ITER_HOLDS_UTF8(&iter) &&
            sp_shard_number(bson_iter_utf8(&iter, NULL), request->shards, primary)) ||
           wrong(error, "primary", "one of the cluster's shards, s1 to sN");
}

/* What the server would not take is its error; what the model does not know is none of an answer.
 */
static bool read_options(const request_t *request, const sp_pattern_t *pattern,
                         sp_sharding_t *sharding, sp_error_t *error)
{
    bson_t options;
    bson_iter_t iter;
    if (!bson_has_field(request->question, "options"))
        return true;
    if (!read_document(request->question, "options", &options, error))
        return false;
    if (!bson_iter_init(&iter, &options))
        return wrong(error, "options", "a document");
    while (bson_iter_next(&iter)) {
        const char *name = bson_iter_key(&iter);
        if (strcmp(name, "unique") != 0 && strcmp(name, "numInitialChunks") != 0 &&
            strcmp(name, "presplitHashedZones") != 0)
            return sp_error_set(error, SP_ERROR_INPUT, 0, "'options' has '%s', which is not known",
                                name);
    }
    bool unique = false;
    if (bson_iter_init_find(&iter, &options, "unique") && !BSON_ITER_HOLDS_NULL(&iter)) {
        if (!BSON_ITER_HOLDS_BOOL(&iter))
            return sp_error_set(error, SP_ERROR_RULE, TYPE_MISMATCH, "unique must be a boolean");
        unique = bson_iter_bool(&iter);
    }
    if (!sp_sharding_options(&options, sharding, error))
        return false;
    return !unique || pattern->hashed < 0 ||
           sp_error_set(error, SP_ERROR_RULE, HASHED_CANNOT_BE_UNIQUE,
                        "a hashed shard key cannot be unique");
}

static bool predict_sharding(const request_t *request, bson_t *answer, sp_error_t *error)
{
    bson_t key, chunks = BSON_INITIALIZER;
    bool exists = false; /* looked at by the executor alone */
    sp_sharding_t sharding = {
        .key = &key, .empty = true, .zones = &request->zones, .shards = request->shards};
    if (!read_document(request->question, "key", &key, error) ||
        !sp_case_flag(request->question, "empty", &sharding.empty, error) ||
        !sp_case_flag(request->question, "exists", &exists, error) ||
        !read_primary(request, &sharding.primary, error))
        return false;
    if (!sp_pattern_check(&key, request->model->version, error))
        return false;
    sp_pattern_t *pattern = sp_pattern_new(&key, error);
    bool ok = pattern != NULL && read_options(request, pattern, &sharding, error) &&
              sp_initial_chunks(&sharding, request->model->version, &chunks, error);
    sp_pattern_free(pattern);
    uint32_t count = ok ? bson_count_keys(&chunks) : 0;
    if (count > SP_CHUNKS_LISTED_MAX)
        BSON_APPEND_INT64(answer, "chunks", count);
    else if (ok)
        BSON_APPEND_ARRAY(answer, "chunks", &chunks);
    bson_destroy(&chunks);
    return ok;
}

static bool read_bound(const bson_t *question, const char *name, sp_value_t *bound,
                       sp_error_t *error)
{
    bson_iter_t iter;
    bson_t unused;
    if (!bson_iter_init_find(&iter, question, name) || !sp_value_document(&iter, &unused))
        return wrong(error, name, "a document");
    *bound = sp_value_of(&iter);
    return true;
}

static bool predict_update(const request_t *request, bson_t *answer, sp_error_t *error)
{
    bson_t key, after = BSON_INITIALIZER;
    bson_iter_t iter;
    sp_zone_update_t update = {.key = NULL};
    if (!read_bound(request->question, "min", &update.min, error) ||
        !read_bound(request->question, "max", &update.max, error))
        return false;
    bool found = bson_iter_init_find(&iter, request->question, "zone");
    if (found && BSON_ITER_HOLDS_UTF8(&iter))
        update.zone = bson_iter_utf8(&iter, NULL);
    else if (!found || !BSON_ITER_HOLDS_NULL(&iter))
        return wrong(error, "zone", "a zone's name, or null");
    sp_pattern_t *pattern = NULL;
    if (!bson_iter_init_find(&iter, request->question, "key") || !BSON_ITER_HOLDS_NULL(&iter)) {
        if (!read_document(request->question, "key", &key, error))
            return false;
        pattern = sp_pattern_new(&key, error);
        if (pattern == NULL)
            return wrong(error, "key", "a shard key pattern, or null");
        update.key = &key;
    }
    bool ok = sp_zone_update(&request->zones, &update, &after, error);
    if (ok)
        BSON_APPEND_ARRAY(answer, "zones", &after);
    sp_pattern_free(pattern);
    bson_destroy(&after);
    return ok;
}

static bool predict(request_t *request, bson_t *answer, sp_error_t *error)
{
    bson_iter_t op;
    bool updates = bson_iter_init_find(&op, request->question, "op");
    if (updates &&
        (!BSON_ITER_HOLDS_UTF8(&op) || strcmp(bson_iter_utf8(&op, NULL), "updateZone") != 0))
        return wrong(error, "op", "updateZone, or absent");
    sp_error_t refused = {0};
    bool ok = sp_zones_read(request->question, request->shards, &request->zones, &refused) &&
              (updates ? predict_update(request, answer, &refused)
                       : predict_sharding(request, answer, &refused));
    sp_zones_clear(&request->zones);
    return ok || sp_answer_failure(&refused, answer, error);
}

static bool ask(void *context, const bson_t *question, bson_t *answer, sp_error_t *error)
{
    request_t *request = context;
    request->question = question;
    return predict(request, answer, error);
}

bool sp_case_predict_chunks(sp_model_t *model, const bson_t *test, sp_answers_t *answers,
                            sp_error_t *error)
{
    request_t request = {.model = model};
    return sp_case_shard_count(test, &request.shards, error) &&
           sp_case_ask_each(test, "requests", ask, &request, answers, error);
}
