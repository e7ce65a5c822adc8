#include "batch.h"

#include "servers/signals.h"

#include <assert.h>
#include <errno.h>
#include <string.h>
#include <time.h>

enum { INFRA_TRIES = 2, TROUBLE_WAITS = 40 };

/* How long a server that says it is in trouble is left alone. */
#define TROUBLE_PAUSE_NS 500000000L

void sp_batch_init(sp_batch_t *batch)
{
    *batch = (sp_batch_t){0};
}

void sp_batch_clear(sp_batch_t *batch)
{
    for (uint32_t i = 0; i < batch->capacity; i++)
        bson_destroy(batch->cases[i]);
    bson_free(batch->cases);
    bson_free(batch->first_answer);
    bson_free(batch->seed_bytes);
    sp_answers_clear(&batch->expected);
    sp_answers_clear(&batch->observed);
    *batch = (sp_batch_t){0};
}

static void reserve(sp_batch_t *batch, uint32_t count)
{
    if (count <= batch->capacity)
        return;
    batch->cases = bson_realloc(batch->cases, count * sizeof *batch->cases);
    batch->first_answer =
        bson_realloc(batch->first_answer, (count + 1) * sizeof *batch->first_answer);
    while (batch->capacity < count)
        batch->cases[batch->capacity++] = bson_new();
}

static void start(sp_batch_t *batch, const sp_area_t *area, uint64_t first_scene, uint32_t count)
{
    reserve(batch, count);
    batch->area = area;
    batch->first_scene = first_scene;
    batch->count = count;
    sp_answers_truncate(&batch->expected, 0);
    sp_answers_truncate(&batch->observed, 0);
}

void sp_batch_generate(sp_batch_t *batch, const sp_area_t *area, const sp_scene_context_t *context,
                       uint64_t seed, uint64_t first_scene, uint32_t count)
{
    start(batch, area, first_scene, count);
    batch->seed_bytes = bson_realloc(batch->seed_bytes, area->seed_bytes);
    for (uint32_t i = 0; i < count; i++) {
        sp_producer_t producer;
        sp_expand_seed(seed, area->name, first_scene + i, batch->seed_bytes, area->seed_bytes);
        sp_producer_init(&producer, batch->seed_bytes, area->seed_bytes);
        bson_reinit(batch->cases[i]);
        area->generate(context, &producer, batch->cases[i]);
    }
}

void sp_batch_take(sp_batch_t *batch, const sp_area_t *area, const bson_t *test)
{
    start(batch, area, 0, 1);
    bson_reinit(batch->cases[0]);
    bson_concat(batch->cases[0], test);
}

bool sp_batch_predict(sp_batch_t *batch, sp_model_t *model, sp_error_t *error)
{
    for (uint32_t i = 0; i < batch->count; i++) {
        batch->first_answer[i] = batch->expected.count;
        if (!batch->area->predict(model, batch->cases[i], &batch->expected, error))
            return false;
    }
    batch->first_answer[batch->count] = batch->expected.count;
    return true;
}

bool sp_batch_take_case(sp_batch_t *batch, const bson_t *test, sp_model_t *model, sp_error_t *error)
{
    const sp_area_t *area = sp_area_of(test, error);
    if (area == NULL)
        return false;
    sp_batch_take(batch, area, test);
    return sp_batch_predict(batch, model, error);
}

/* One scene that failed as a whole: every question in it gets the same answer. */
static void answer_alike(sp_batch_t *batch, uint32_t scene, const sp_error_t *why)
{
    uint32_t count = batch->first_answer[scene + 1] - batch->first_answer[scene];
    for (uint32_t i = 0; i < count; i++) {
        bson_t *answer = sp_answers_add(&batch->observed);
        if (why->domain == SP_ERROR_SERVER)
            sp_answer_error(answer, why->code, why->message);
        else
            BSON_APPEND_UTF8(answer, "infrastructure", why->message);
    }
}

static void pause_for_servers(void)
{
    nanosleep(&(struct timespec){.tv_nsec = TROUBLE_PAUSE_NS}, NULL);
}

/* Asks once. What was answered while a server died does not count: it may have forgotten something.
 */
static bool try_range(sp_batch_t *batch, sp_session_t *session, uint32_t from, uint32_t to,
                      bool *unsettled, sp_error_t *failed)
{
    int64_t begun = bson_get_monotonic_time();
    uint32_t wanted = batch->first_answer[to];
    bool ok =
        batch->area->execute(session, batch->cases + from, to - from, &batch->observed, failed);
    int64_t upset_at = sp_session_watch(session);
    if (ok && batch->observed.count != wanted)
        ok = sp_error_set(failed, SP_ERROR_INFRA, 0, "%u answers came where %u were due",
                          batch->observed.count, wanted);
    else if (ok && upset_at >= begun)
        ok = sp_error_set(failed, SP_ERROR_INFRA, 0, "a server died meanwhile");
    bool upset = upset_at != 0 && bson_get_monotonic_time() - upset_at < SP_SETTLE_US;
    bool trouble = failed->domain == SP_ERROR_SERVER && sp_code_is_trouble(failed->code);
    *unsettled = !ok && failed->domain == SP_ERROR_SERVER && (upset || trouble);
    if (trouble) {
        failed->domain = SP_ERROR_INFRA;
        failed->code = 0;
    }
    if (!ok)
        sp_answers_truncate(&batch->observed, batch->first_answer[from]);
    return ok;
}

static bool execute_range(sp_batch_t *batch, sp_session_t *session, uint32_t from, uint32_t to,
                          sp_error_t *error)
{
    for (unsigned tries = 1, waits = 0;;) {
        sp_error_t failed = {0};
        bool unsettled;
        if (try_range(batch, session, from, to, &unsettled, &failed))
            return true;
        if (sp_stop_requested())
            return sp_error_set(error, SP_ERROR_INFRA, 0, "stopped");
        if (failed.domain == SP_ERROR_USAGE) /* the wrong server for the case, which stays so */
            return sp_error_set(error, failed.domain, failed.code, "%s", failed.message);
        /* A reply or a connection that did not come, twice. */
        bool silent = failed.code == ETIMEDOUT || failed.code == ENOTCONN;
        bool hangs = failed.domain == SP_ERROR_INFRA && silent && tries > 1;
        if (failed.domain == SP_ERROR_INFRA && !sp_session_recover(session, hangs, error))
            return false;
        if (unsettled && waits++ < TROUBLE_WAITS) {
            pause_for_servers();
            continue;
        }
        /* Asking again in every half would kill a server too often to be worth it. */
        bool whole = to - from == batch->count, alone = to - from == 1;
        if (failed.domain == SP_ERROR_INFRA && tries++ < INFRA_TRIES && (whole || alone))
            continue;
        if (alone) {
            answer_alike(batch, from, &failed);
            return true;
        }
        break;
    }
    uint32_t middle = from + (to - from) / 2;
    return execute_range(batch, session, from, middle, error) &&
           execute_range(batch, session, middle, to, error);
}

bool sp_batch_execute(sp_batch_t *batch, sp_session_t *session, sp_error_t *error)
{
    assert(batch->count > 0 && batch->observed.count == 0);
    return execute_range(batch, session, 0, batch->count, error);
}

/* The array `name` of `test` cut down to its element `index`. */
static void append_only(bson_t *out, const bson_iter_t *array, uint32_t index)
{
    bson_iter_t element;
    bson_t one;
    BSON_APPEND_ARRAY_BEGIN(out, bson_iter_key(array), &one);
    if (bson_iter_recurse(array, &element)) {
        while (bson_iter_next(&element) && index > 0)
            index--;
        sp_value_t value = sp_value_of(&element);
        sp_value_append(&one, "0", &value);
    }
    bson_append_array_end(out, &one);
}

bson_t *sp_batch_narrow(const sp_batch_t *batch, uint32_t scene, uint32_t check)
{
    bson_t *narrow = bson_new();
    bson_iter_t iter;
    const char *questions = batch->area->questions;
    BSON_APPEND_UTF8(narrow, "area", batch->area->name);
    if (!bson_iter_init(&iter, batch->cases[scene]))
        return narrow;
    if (batch->area->narrow != NULL) {
        bson_t unasked = BSON_INITIALIZER;
        uint32_t at = batch->first_answer[scene] + check;
        batch->area->narrow(batch->cases[scene], check,
                            at < batch->observed.count ? batch->observed.items[at] : &unasked,
                            narrow);
        bson_destroy(&unasked);
        return narrow;
    }
    while (bson_iter_next(&iter)) {
        const char *name = bson_iter_key(&iter);
        sp_value_t value = sp_value_of(&iter);
        if (strcmp(name, "area") == 0)
            continue;
        if (strcmp(name, "answers") == 0 || (questions != NULL && strcmp(name, questions) == 0))
            append_only(narrow, &iter, check);
        else
            sp_value_append(narrow, name, &value);
    }
    return narrow;
}
