#include "case_fields.h"

#include "../oracles/model.h"

bool sp_case_array(const bson_t *test, const char *name, bson_iter_t *array, sp_error_t *error)
{
    if (bson_iter_init_find(array, test, name) && BSON_ITER_HOLDS_ARRAY(array))
        return true;
    return sp_error_set(error, SP_ERROR_INPUT, 0, "the case has no array '%s'", name);
}

uint32_t sp_case_count(const bson_iter_t *array)
{
    bson_iter_t iter;
    uint32_t count = 0;
    if (bson_iter_recurse(array, &iter)) {
        while (bson_iter_next(&iter))
            count++;
    }
    return count;
}

/* More shards than the case knows would change where broadcasts go. */
bool sp_case_shards(const bson_t *test, const sp_session_t *session, sp_error_t *error)
{
    bson_iter_t iter;
    if (!bson_iter_init_find(&iter, test, "shards"))
        return true;
    int64_t wanted = bson_iter_as_int64(&iter);
    return wanted == session->shard_count ||
           sp_error_set(error, SP_ERROR_USAGE, 0,
                        "the case is made for a cluster of %lld shards, and this one has %u: start "
                        "it with --shards %lld",
                        (long long)wanted, session->shard_count, (long long)wanted);
}

bool sp_case_layout(const bson_t *test, const sp_session_t *session, sp_case_layout_t *layout,
                    sp_error_t *error)
{
    bson_iter_t iter;
    layout->collation = NULL;
    if (!bson_iter_init_find(&iter, test, "key") || !sp_value_document(&iter, &layout->key))
        return sp_error_set(error, SP_ERROR_INPUT, 0, "the case has no document 'key'");
    if (bson_iter_init_find(&iter, test, "collation") &&
        sp_value_document(&iter, &layout->collation_held))
        layout->collation = &layout->collation_held;
    return sp_case_array(test, "chunks", &layout->chunks, error) &&
           sp_case_shards(test, session, error);
}

void sp_answer_shards(bson_t *answer, const sp_session_t *session, uint64_t shards)
{
    bson_t array;
    uint32_t count = 0;
    BSON_APPEND_ARRAY_BEGIN(answer, "shards", &array);
    for (unsigned i = 0; i < session->shard_count; i++) {
        char buffer[16];
        const char *index;
        if ((shards >> i & 1) == 0)
            continue;
        bson_uint32_to_string(count++, &index, buffer, sizeof buffer);
        BSON_APPEND_UTF8(&array, index, session->at.names[i]);
    }
    bson_append_array_end(answer, &array);
}

bool sp_answer_refusal(const sp_error_t *failed, bson_t *answer, sp_error_t *error)
{
    if (failed->domain != SP_ERROR_SERVER || sp_code_is_trouble(failed->code) ||
        sp_code_is_stale(failed->code))
        return sp_error_set(error, failed->domain, failed->code, "%s", failed->message);
    bson_reinit(answer);
    sp_answer_error(answer, failed->code, failed->message);
    return true;
}

typedef struct putting {
    sp_session_t *session;
    sp_case_layout_t laid;
    sp_layout_t *layout;
    sp_case_request_t *put;
} putting_t;

static bool put_one(void *context, const bson_t *request, bson_t *answer, sp_error_t *error)
{
    const putting_t *putting = context;
    return putting->put(putting->session, &putting->laid, putting->layout, request, answer, error);
}

bool sp_case_put_each(sp_session_t *session, const bson_t *test, sp_case_request_t *put,
                      sp_answers_t *observed, sp_error_t *error)
{
    putting_t putting = {.session = session, .put = put};
    if (!sp_case_layout(test, session, &putting.laid, error))
        return false;
    putting.layout = sp_layout_new(test, error);
    bool ok = putting.layout != NULL &&
              sp_case_ask_each(test, "requests", put_one, &putting, observed, error);
    sp_layout_free(putting.layout);
    return ok;
}
