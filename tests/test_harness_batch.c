/*
 * Batches, asked of a made-up area instead of a server: whatever goes wrong, every question keeps
 * its own answer. Recovery and stop requests are this test's, by -Wl,--wrap.
 */
#include "test_harness_common.h"

#include "../harness/batch.h"
#include "../oracles/extjson.h"

#include <errno.h>
#include <string.h>

enum { CASES = 37, SERVER_CODE = 4711 };

/* What the made-up server does; the cases are {n: 0}, {n: 1}, … */
typedef enum behaviour {
    ANSWERS,
    REFUSES,   /* a command that holds a culprit fails with SP_ERROR_SERVER */
    DIES,      /* … brings no answer */
    HANGS,     /* … brings no answer in time */
    LOSES_ONE, /* … brings an answer too few */
    ADDS_ONE,  /* … brings an answer too many */
    HALF_WAY,  /* … fails with SP_ERROR_SERVER after some answers */
    NO_USE,    /* … cannot be asked of such a server */
} behaviour_t;

static struct server {
    behaviour_t behaviour;
    int culprits[2];
    int code;            /* of REFUSES and HALF_WAY; 0: SERVER_CODE */
    unsigned refusals;   /* how many there are before all is well; 0: no end */
    unsigned well_after; /* recoveries until it does no harm any more; 0: never */
    unsigned commands, recoveries, hangs;
    bool given_up, stopped;
    int64_t upset_at;     /* what sp_session_watch says */
    unsigned upset_until; /* commands during which a server seems to have died */
} server;

/* NOLINTBEGIN(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp): the linker's names */
bool __wrap_sp_session_recover(sp_session_t *session, bool hangs, sp_error_t *error);
bool __wrap_sp_stop_requested(void);
int64_t __wrap_sp_session_watch(sp_session_t *session);
/* NOLINTEND(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp) */

bool __wrap_sp_session_recover(sp_session_t *session, bool hangs, sp_error_t *error)
{
    (void)session;
    server.recoveries++;
    server.hangs += hangs;
    if (server.given_up)
        return sp_error_set(error, SP_ERROR_INFRA, 0, "given up");
    if (server.recoveries == server.well_after)
        server.behaviour = ANSWERS;
    return true;
}

int64_t __wrap_sp_session_watch(sp_session_t *session)
{
    (void)session;
    return server.upset_at;
}

bool __wrap_sp_stop_requested(void)
{
    return server.stopped;
}

static int number_of(const bson_t *test)
{
    bson_iter_t iter;
    assert_true(bson_iter_init_find(&iter, test, "n"));
    return bson_iter_int32(&iter);
}

static int questions_of(const bson_t *test)
{
    bson_iter_t iter;
    return bson_iter_init_find(&iter, test, "questions") ? bson_iter_int32(&iter) : 1;
}

static bool is_culprit(int number)
{
    return server.behaviour != ANSWERS &&
           (number == server.culprits[0] || number == server.culprits[1]);
}

static void answer(sp_answers_t *answers, int number, int question)
{
    BSON_APPEND_INT32(sp_answers_add(answers), "order", 100 * number + question);
}

static bool fake_predict(sp_model_t *model, const bson_t *test, sp_answers_t *answers,
                         sp_error_t *error)
{
    (void)model;
    (void)error;
    for (int i = 0; i < questions_of(test); i++)
        answer(answers, number_of(test), i);
    return true;
}

static bool refuse(sp_error_t *error)
{
    if (server.refusals > 0 && --server.refusals == 0)
        server.behaviour = ANSWERS;
    return sp_error_set(error, SP_ERROR_SERVER, server.code != 0 ? server.code : SERVER_CODE,
                        "not that one");
}

static bool fake_execute(sp_session_t *session, bson_t *const *cases, uint32_t count,
                         sp_answers_t *observed, sp_error_t *error)
{
    (void)session;
    bool culprit = false;
    server.commands++;
    if (server.upset_until > 0)
        server.upset_at = server.commands <= server.upset_until ? INT64_MAX : 1;
    assert_true(count > 0);
    for (uint32_t i = 0; i < count; i++)
        culprit = culprit || is_culprit(number_of(cases[i]));
    if (culprit && server.behaviour == REFUSES)
        return refuse(error);
    if (culprit && server.behaviour == NO_USE)
        return sp_error_set(error, SP_ERROR_USAGE, 0, "too few shards");
    if (culprit && server.behaviour == DIES)
        return sp_error_set(error, SP_ERROR_INFRA, ECONNRESET, "it died");
    if (culprit && server.behaviour == HANGS)
        return sp_error_set(error, SP_ERROR_INFRA, ETIMEDOUT, "no answer in time");
    for (uint32_t i = 0; i < count; i++) {
        int number = number_of(cases[i]);
        if (is_culprit(number) && server.behaviour == HALF_WAY)
            return refuse(error);
        for (int k = 0; k < questions_of(cases[i]); k++) {
            bool lost = is_culprit(number) && server.behaviour == LOSES_ONE && k == 0;
            if (!lost)
                answer(observed, number, k);
        }
        if (is_culprit(number) && server.behaviour == ADDS_ONE)
            answer(observed, number, 99);
    }
    return true;
}

/* Scenes are numbered by `first_scene` when the batch is made; see fill(). */
static int32_t next_number;

static void fake_generate(const sp_scene_context_t *context, sp_producer_t *producer, bson_t *scene)
{
    (void)context;
    (void)producer;
    /* Every third scene asks three questions, so that answers and scenes are not in step. */
    BSON_APPEND_INT32(scene, "n", next_number);
    BSON_APPEND_INT32(scene, "questions", next_number % 3 == 0 ? 3 : 1);
    next_number++;
}

static const sp_area_t fake_area = {
    .name = "fake",
    .seed_bytes = 16,
    .scene_answers = 1,
    .batch = CASES,
    .generate = fake_generate,
    .predict = fake_predict,
    .execute = fake_execute,
};

static void fill(sp_batch_t *batch, uint32_t count)
{
    const sp_scene_context_t context = {.shards = 3};
    next_number = 0;
    sp_batch_generate(batch, &fake_area, &context, 1, 0, count);
    assert_true(sp_batch_predict(batch, NULL, NULL));
}

static const char *infrastructure_of(const bson_t *answered)
{
    bson_iter_t iter;
    return bson_iter_init_find(&iter, answered, "infrastructure") ? bson_iter_utf8(&iter, NULL)
                                                                  : NULL;
}

static int error_code_of(const bson_t *answered)
{
    bson_iter_t iter, code;
    if (bson_iter_init(&iter, answered) && bson_iter_find_descendant(&iter, "error.code", &code))
        return bson_iter_int32(&code);
    return 0;
}

/* All but the culprits have their own answers; theirs are all `code`, or infrastructure for 0. */
static void assert_answers(const sp_batch_t *batch, int code)
{
    assert_int_equal(batch->observed.count, batch->expected.count);
    assert_int_equal(batch->first_answer[batch->count], batch->expected.count);
    for (uint32_t scene = 0; scene < batch->count; scene++) {
        int number = number_of(batch->cases[scene]);
        assert_int_equal(number, scene);
        for (uint32_t at = batch->first_answer[scene]; at < batch->first_answer[scene + 1]; at++) {
            const bson_t *observed = batch->observed.items[at];
            if (!is_culprit(number))
                assert_true(bson_equal(observed, batch->expected.items[at]));
            else if (code != 0)
                assert_int_equal(error_code_of(observed), code);
            else
                assert_non_null(infrastructure_of(observed));
        }
    }
}

static void execute(behaviour_t behaviour, int first, int second, uint32_t count, int code)
{
    sp_error_t error = {0};
    sp_batch_t batch;
    server = (struct server){.behaviour = behaviour, .culprits = {first, second}};
    sp_batch_init(&batch);
    fill(&batch, count);
    if (!sp_batch_execute(&batch, NULL, &error))
        fail_msg("%s", error.message);
    assert_answers(&batch, code);
    sp_batch_clear(&batch);
}

static void a_sound_batch_is_one_command(void **state)
{
    (void)state;
    execute(ANSWERS, -1, -1, CASES, 0);
    assert_int_equal(server.commands, 1);
    assert_int_equal(server.recoveries, 0);
}

static void a_refused_case_is_found_by_halving(void **state)
{
    (void)state;
    for (int culprit = 0; culprit < CASES; culprit++) {
        execute(REFUSES, culprit, -1, CASES, SERVER_CODE);
        /* Halving, not one by one: about twice the depth of the tree. */
        assert_in_range(server.commands, 5, 13);
        assert_int_equal(server.recoveries, 0);
    }
    execute(REFUSES, 0, 0, 1, SERVER_CODE);
    assert_int_equal(server.commands, 1);
}

static void two_refused_cases_are_both_found(void **state)
{
    (void)state;
    execute(REFUSES, 0, CASES - 1, CASES, SERVER_CODE);
    execute(REFUSES, 17, 18, CASES, SERVER_CODE);
    execute(REFUSES, 0, 1, 2, SERVER_CODE);
}

static void answers_before_an_error_do_not_count(void **state)
{
    (void)state;
    for (int culprit = 0; culprit < CASES; culprit++)
        execute(HALF_WAY, culprit, -1, CASES, SERVER_CODE);
}

static void the_error_message_is_kept(void **state)
{
    (void)state;
    sp_batch_t batch;
    server = (struct server){.behaviour = REFUSES, .culprits = {0, 0}};
    sp_batch_init(&batch);
    fill(&batch, 1);
    assert_true(sp_batch_execute(&batch, NULL, NULL));
    assert_int_equal(batch.observed.count, 3);
    for (uint32_t i = 0; i < 3; i++)
        sp_test_assert_doc(batch.observed.items[i],
                           "{\"error\": {\"code\": 4711, \"message\": \"not that one\"}}");
    sp_batch_clear(&batch);
}

static void a_wrong_number_of_answers_is_noticed(void **state)
{
    (void)state;
    for (int culprit = 0; culprit < CASES; culprit++) {
        execute(LOSES_ONE, culprit, -1, CASES, 0);
        assert_true(server.recoveries > 0);
        execute(ADDS_ONE, culprit, -1, CASES, 0);
    }
    execute(LOSES_ONE, 1, 2, 3, 0);
    execute(ADDS_ONE, 0, 0, 1, 0);
}

static void a_case_that_kills_the_server_stands_alone_in_the_end(void **state)
{
    (void)state;
    for (int culprit = 0; culprit < CASES; culprit += 6) {
        execute(DIES, culprit, -1, CASES, 0);
        /* Each failure has the target recover: the whole twice, the culprit alone twice. */
        assert_in_range(server.recoveries, 4, 4 + 6);
        assert_int_equal(server.hangs, 0);
    }
}

static void a_server_that_recovers_is_asked_again(void **state)
{
    (void)state;
    static const behaviour_t behaviours[] = {DIES, HANGS, LOSES_ONE, ADDS_ONE};
    for (size_t i = 0; i < sizeof behaviours / sizeof *behaviours; i++) {
        sp_batch_t batch;
        server = (struct server){.behaviour = behaviours[i], .culprits = {5, -1}, .well_after = 1};
        sp_batch_init(&batch);
        fill(&batch, CASES);
        assert_true(sp_batch_execute(&batch, NULL, NULL));
        assert_answers(&batch, 0); /* nothing is a culprit any more */
        assert_int_equal(server.commands, 2);
        assert_int_equal(server.recoveries, 1);
        sp_batch_clear(&batch);
    }
}

static void only_the_second_silence_counts_as_a_hang(void **state)
{
    (void)state;
    execute(HANGS, 3, -1, 1, 0); /* the culprit is not in it */
    assert_int_equal(server.recoveries, 0);
    execute(HANGS, 0, -1, 1, 0);
    assert_int_equal(server.recoveries, 2);
    assert_int_equal(server.hangs, 1);
}

static void a_target_that_is_given_up_ends_the_batch(void **state)
{
    (void)state;
    sp_error_t error = {0};
    sp_batch_t batch;
    server = (struct server){.behaviour = DIES, .culprits = {5, -1}, .given_up = true};
    sp_batch_init(&batch);
    fill(&batch, CASES);
    assert_false(sp_batch_execute(&batch, NULL, &error));
    assert_int_equal(error.domain, SP_ERROR_INFRA);
    assert_string_equal(error.message, "given up");
    assert_int_equal(server.commands, 1);
    sp_batch_clear(&batch);
}

static void a_server_of_no_use_ends_the_batch(void **state)
{
    (void)state;
    sp_error_t error = {0};
    sp_batch_t batch;
    server = (struct server){.behaviour = NO_USE, .culprits = {5, -1}};
    sp_batch_init(&batch);
    fill(&batch, CASES);
    assert_false(sp_batch_execute(&batch, NULL, &error));
    assert_int_equal(error.domain, SP_ERROR_USAGE);
    assert_string_equal(error.message, "too few shards");
    assert_int_equal(server.commands, 1);
    assert_int_equal(server.recoveries, 0);
    sp_batch_clear(&batch);
}

static void a_stop_ends_the_batch_without_recovery(void **state)
{
    (void)state;
    sp_error_t error = {0};
    sp_batch_t batch;
    server = (struct server){.behaviour = DIES, .culprits = {5, -1}, .stopped = true};
    sp_batch_init(&batch);
    fill(&batch, CASES);
    assert_false(sp_batch_execute(&batch, NULL, &error));
    assert_int_equal(error.domain, SP_ERROR_INFRA);
    assert_int_equal(server.commands, 1);
    assert_int_equal(server.recoveries, 0);
    sp_batch_clear(&batch);
}

/* Executes with the server as the caller has set it up. */
static void execute_as_it_is(uint32_t count, int code)
{
    sp_batch_t batch;
    sp_batch_init(&batch);
    fill(&batch, count);
    assert_true(sp_batch_execute(&batch, NULL, NULL));
    assert_answers(&batch, code);
    sp_batch_clear(&batch);
}

static void answers_during_a_death_do_not_count(void **state)
{
    (void)state;
    server = (struct server){.behaviour = ANSWERS, .upset_until = 1};
    execute_as_it_is(CASES, 0);
    assert_int_equal(server.commands, 2);
}

static void a_server_in_trouble_is_waited_for(void **state)
{
    (void)state;
    static const int codes[] = {133, 91, 10107};
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++) {
        server = (struct server){
            .behaviour = REFUSES, .culprits = {3, -1}, .code = codes[i], .refusals = 3};
        execute_as_it_is(CASES, 0);
        assert_int_equal(server.commands, 4);
        assert_int_equal(server.recoveries, 3);
    }
}

static void what_is_refused_after_a_death_is_asked_again(void **state)
{
    (void)state;
    server = (struct server){.behaviour = REFUSES,
                             .culprits = {3, -1},
                             .refusals = 2,
                             .upset_at = bson_get_monotonic_time()};
    execute_as_it_is(CASES, 0);
    assert_int_equal(server.commands, 3);
    assert_int_equal(server.recoveries, 0);
    /* Long after it the refusal counts. */
    server = (struct server){.behaviour = REFUSES, .culprits = {0, -1}, .upset_at = 1};
    execute_as_it_is(1, SERVER_CODE);
    assert_int_equal(server.commands, 1);
}

static void a_batch_is_used_again(void **state)
{
    (void)state;
    static const uint32_t counts[] = {CASES, 1, 5 * CASES, 2};
    sp_batch_t batch;
    sp_batch_init(&batch);
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        server = (struct server){.behaviour = REFUSES, .culprits = {0, -1}};
        fill(&batch, counts[i]);
        assert_int_equal(batch.count, counts[i]);
        assert_true(sp_batch_execute(&batch, NULL, NULL));
        assert_answers(&batch, SERVER_CODE);
    }
    sp_batch_clear(&batch);
}

static void narrow_keeps_one_document_and_its_answer(void **state)
{
    (void)state;
    bson_t *test =
        sp_test_doc("{\"origin\": {\"seed\": 1}, \"area\": \"route\", \"key\": {\"x\": 1},"
                    " \"chunks\": [[{\"x\": {\"$minKey\": 1}}, {\"x\": {\"$maxKey\": 1}}, \"s1\"]],"
                    " \"docs\": [{\"x\": 0}, {\"x\": [1]}, {\"x\": 2, \"y\": {}}],"
                    " \"answers\": [{\"shards\": [\"s1\"]}, {\"error\": {\"code\": 61}}, "
                    "{\"shards\": [\"s2\"]}]}");
    static const char *const parts[] = {
        "\"docs\": [{\"x\": 0}], \"answers\": [{\"shards\": [\"s1\"]}]",
        "\"docs\": [{\"x\": [1]}], \"answers\": [{\"error\": {\"code\": 61}}]",
        "\"docs\": [{\"x\": 2, \"y\": {}}], \"answers\": [{\"shards\": [\"s2\"]}]"};
    sp_batch_t batch;
    sp_batch_init(&batch);
    sp_batch_take(&batch, sp_area_find("route"), test);
    for (uint32_t i = 0; i < 3; i++) {
        char *wanted =
            bson_strdup_printf("{\"area\": \"route\", \"origin\": {\"seed\": 1}, \"key\": {\"x\": "
                               "1}, \"chunks\": [[{\"x\":"
                               " {\"$minKey\": 1}}, {\"x\": {\"$maxKey\": 1}}, \"s1\"]], %s}",
                               parts[i]);
        bson_t *narrow = sp_batch_narrow(&batch, 0, i);
        sp_test_assert_doc(narrow, wanted);
        bson_destroy(narrow);
        bson_free(wanted);
    }
    sp_batch_clear(&batch);
    bson_destroy(test);
}

static void narrow_keeps_one_question(void **state)
{
    (void)state;
    static const struct {
        const char *area, *questions;
    } areas[] = {{"find", "queries"}, {"write", "writes"}};
    for (size_t i = 0; i < sizeof areas / sizeof *areas; i++) {
        /* "docs" is no field of these areas. */
        char *json = bson_strdup_printf("{\"area\": \"%s\", \"docs\": [1, 2], \"%s\": [{\"a\": 0}, "
                                        "{\"a\": 1}], \"answers\": [{}, {\"b\": 1}]}",
                                        areas[i].area, areas[i].questions);
        char *wanted =
            bson_strdup_printf("{\"area\": \"%s\", \"docs\": [1, 2], \"%s\": [{\"a\": 1}], "
                               "\"answers\": [{\"b\": 1}]}",
                               areas[i].area, areas[i].questions);
        bson_t *test = sp_test_doc(json);
        sp_batch_t batch;
        sp_batch_init(&batch);
        sp_batch_take(&batch, sp_area_find(areas[i].area), test);
        bson_t *narrow = sp_batch_narrow(&batch, 0, 1);
        sp_test_assert_doc(narrow, wanted);
        bson_destroy(narrow);
        sp_batch_clear(&batch);
        bson_destroy(test);
        bson_free(json);
        bson_free(wanted);
    }
}

static sp_model_t *new_model(void)
{
    sp_error_t error = {0};
    sp_version_t version;
    assert_true(sp_version_parse(SP_MODEL_DEFAULT_VERSION, &version, &error));
    sp_model_t *model = sp_model_new(version, &error);
    assert_non_null(model);
    return model;
}

#define KEY    "\"key\": {\"x\": 1}, "
#define CHUNKS "\"chunks\": [[{\"x\": {\"$minKey\": 1}}, {\"x\": {\"$maxKey\": 1}}, \"s1\"]], "
#define DOCS   "\"docs\": [{\"x\": 1}]"

static void assert_refused(const char *area, const char *json, sp_error_domain_t domain,
                           const char *words)
{
    sp_error_t error = {0};
    sp_model_t *model = new_model();
    bson_t *test = sp_test_doc(json);
    sp_batch_t batch;
    sp_batch_init(&batch);
    sp_batch_take(&batch, sp_area_find(area), test);
    if (sp_batch_predict(&batch, model, &error) || error.domain != domain ||
        error.message[0] == '\0' || strstr(error.message, words) == NULL)
        fail_msg("%s %s: '%s', without '%s'", area, json, error.message, words);
    bson_destroy(test);

    /* And the batch is fit for the next case. */
    test = sp_test_doc("{\"area\": \"order\", \"values\": [1, 2]}");
    sp_batch_take(&batch, sp_area_find("order"), test);
    assert_true(sp_batch_predict(&batch, model, NULL));
    assert_int_equal(batch.expected.count, 1);
    sp_test_assert_doc(batch.expected.items[0], "{\"order\": -1}");
    bson_destroy(test);
    sp_batch_clear(&batch);
    sp_model_free(model);
}

static void malformed_cases_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *area, *json, *words;
    } cases[] = {
        {"hash", "{}", "'value'"},
        {"hash", "{\"values\": 1}", "'value'"},
        {"order", "{}", "'values'"},
        {"order", "{\"values\": 1}", "'values'"},
        {"order", "{\"values\": {\"0\": 1, \"1\": 2}}", "'values'"},
        {"order", "{\"values\": []}", "'values'"},
        {"order", "{\"values\": [1]}", "'values'"},
        {"route", "{}", "'key'"},
        {"route", "{" CHUNKS DOCS "}", "'key'"},
        {"route", "{\"key\": 1, " CHUNKS DOCS "}", "'key'"},
        {"route", "{\"key\": [1], " CHUNKS DOCS "}", "'key'"},
        {"route", "{" KEY DOCS "}", "'chunks'"},
        {"route", "{" KEY "\"chunks\": {}, " DOCS "}", "'chunks'"},
        {"route", "{" KEY "\"chunks\": [], " DOCS "}", "at least one chunk"},
        {"route", "{" KEY "\"chunks\": [1], " DOCS "}", "chunk 0"},
        {"route", "{" KEY "\"chunks\": [[]], " DOCS "}", "chunk 0"},
        {"route", "{" KEY "\"chunks\": [[{\"x\": 1}, {\"x\": 2}, 3]], " DOCS "}", "chunk 0"},
        {"route", "{" KEY "\"chunks\": [[{\"y\": 1}, {\"x\": 2}, \"s1\"]], " DOCS "}", "chunk 0"},
        {"route", "{" KEY "\"chunks\": [[{\"x\": 1}, {\"x\": 2}, \"s1\"]], " DOCS "}", ""},
        {"route", "{" KEY CHUNKS "\"docs\": 1}", "'docs'"},
        {"route", "{" KEY CHUNKS "\"docs\": {}}", "'docs'"},
        {"route", "{" KEY CHUNKS "\"docs\": [{\"x\": 1}, 2]}", "docs[1]"},
        {"route", "{" KEY CHUNKS "\"doc\": {\"x\": 1}}", "'docs'"},
        {"find", "{" KEY "\"queries\": []}", "'chunks'"},
        {"find", "{" KEY "\"chunks\": [], \"queries\": []}", "at least one chunk"},
        {"find", "{" KEY CHUNKS "\"docs\": []}", "'queries'"},
        {"find", "{" KEY CHUNKS "\"queries\": {}}", "'queries'"},
        {"find", "{" KEY CHUNKS "\"queries\": [1]}", "queries[0]"},
        {"find", "{" KEY CHUNKS "\"queries\": [{\"op\": \"find\"}]}", "'filter'"},
        {"find", "{" KEY CHUNKS "\"queries\": [{\"op\": \"find\", \"filter\": []}]}", "'filter'"},
        {"find", "{" KEY CHUNKS "\"queries\": [{\"op\": \"seek\", \"filter\": {}}]}", "'op'"},
        {"find", "{" KEY CHUNKS "\"queries\": [{\"filter\": {}}]}", "'op'"},
        {"find",
         "{" KEY CHUNKS "\"queries\": [{\"op\": \"find\", \"filter\": {}, \"collation\": 1}]}",
         "'collation'"},
        {"find", "{" KEY CHUNKS "\"collation\": 1, \"queries\": []}", "'collation'"},
        {"write", "{" KEY CHUNKS "\"queries\": []}", "'writes'"},
        {"write", "{" KEY CHUNKS "\"writes\": [{\"op\": \"updateone\", \"filter\": {}}]}", "'op'"},
        {"write", "{" KEY CHUNKS "\"writes\": [{\"op\": 1, \"filter\": {}}]}", "'op'"},
        {"write", "{" KEY CHUNKS "\"writes\": [{\"op\": \"replaceOne\", \"filter\": {}}]}",
         "update"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_refused(cases[i].area, cases[i].json, SP_ERROR_INPUT, cases[i].words);
}

static void patterns_that_a_server_refuses_are_refused(void **state)
{
    (void)state;
    static const char *const patterns[] = {"{}", "{\"x\": 2}", "{\"x\": \"2d\"}", "{\"x\": []}"};
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++) {
        char *json = bson_strdup_printf("{\"key\": %s, " CHUNKS DOCS "}", patterns[i]);
        assert_refused("route", json, SP_ERROR_RULE, "");
        bson_free(json);
    }
}

/* Draws scenes [first, first + count) and copies their bytes. */
static bson_t *draw(const sp_area_t *area, uint64_t seed, uint64_t first, uint32_t count)
{
    const sp_scene_context_t context = {.shards = 3};
    bson_t *all = bson_new();
    sp_batch_t batch;
    sp_batch_init(&batch);
    sp_batch_generate(&batch, area, &context, seed, first, count);
    assert_int_equal(batch.count, count);
    assert_int_equal(batch.first_scene, first);
    for (uint32_t i = 0; i < count; i++)
        BSON_APPEND_DOCUMENT(all, "", batch.cases[i]);
    sp_batch_clear(&batch);
    return all;
}

static void seed_and_scene_make_the_case(void **state)
{
    (void)state;
    enum { SCENES = 12 };
    unsigned areas;
    const sp_area_t *area = sp_areas(&areas);
    for (; areas > 0; areas--, area++) {
        bson_t *all = draw(area, 42, 1000, SCENES), *again = draw(area, 42, 1000, SCENES);
        bson_t *other_seed = draw(area, 43, 1000, SCENES), *other = draw(area, 42, 5000, SCENES);
        assert_true(bson_equal(all, again));
        assert_false(bson_equal(all, other_seed));
        assert_false(bson_equal(all, other));
        /* Whatever batch a scene comes in. */
        bson_t pieces = BSON_INITIALIZER;
        for (uint32_t i = 0; i < SCENES; i += 4) {
            bson_t *piece = draw(area, 42, 1000 + i, 4);
            bson_concat(&pieces, piece);
            bson_destroy(piece);
        }
        assert_true(bson_equal(all, &pieces));
        bson_destroy(&pieces);
        bson_destroy(all);
        bson_destroy(again);
        bson_destroy(other_seed);
        bson_destroy(other);
    }
}

static void assert_same_through_json(const bson_t *test)
{
    size_t size;
    sp_error_t error = {0};
    bson_t again;
    char *json = sp_json_write(test, &size);
    assert_non_null(json);
    if (!sp_json_read(json, size, &again, &error))
        fail_msg("%s: %s", json, error.message);
    if (!bson_equal(test, &again))
        fail_msg("another document after %s", json);
    bson_destroy(&again);
    bson_free(json);
}

/* What is drawn can be predicted whole, and alone from the file that a report writes. */
static void drawn_cases_are_sound(void **state)
{
    (void)state;
    const sp_scene_context_t context = {.shards = 3};
    sp_model_t *model = new_model();
    unsigned areas;
    const sp_area_t *area = sp_areas(&areas);
    for (; areas > 0; areas--, area++) {
        uint32_t count = 600 / area->scene_answers;
        sp_batch_t batch, alone;
        sp_error_t error = {0};
        sp_batch_init(&batch);
        sp_batch_init(&alone);
        sp_batch_generate(&batch, area, &context, 2024, 0, count);
        if (!sp_batch_predict(&batch, model, &error))
            fail_msg("%s: %s", area->name, error.message);
        assert_int_equal(batch.expected.count, count * area->scene_answers);
        for (uint32_t scene = 0; scene < count; scene++) {
            for (uint32_t check = 0; check < area->scene_answers; check += 7) {
                bson_t *narrow = sp_batch_narrow(&batch, scene, check);
                assert_same_through_json(narrow);
                sp_batch_take(&alone, area, narrow);
                assert_true(sp_batch_predict(&alone, model, &error));
                assert_int_equal(alone.expected.count, 1);
                uint32_t at = batch.first_answer[scene] + check;
                assert_true(bson_equal(alone.expected.items[0], batch.expected.items[at]));
                bson_destroy(narrow);
            }
        }
        sp_batch_clear(&batch);
        sp_batch_clear(&alone);
    }
    sp_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sound_batch_is_one_command),
        cmocka_unit_test(a_refused_case_is_found_by_halving),
        cmocka_unit_test(two_refused_cases_are_both_found),
        cmocka_unit_test(answers_before_an_error_do_not_count),
        cmocka_unit_test(the_error_message_is_kept),
        cmocka_unit_test(a_wrong_number_of_answers_is_noticed),
        cmocka_unit_test(a_case_that_kills_the_server_stands_alone_in_the_end),
        cmocka_unit_test(a_server_that_recovers_is_asked_again),
        cmocka_unit_test(only_the_second_silence_counts_as_a_hang),
        cmocka_unit_test(a_target_that_is_given_up_ends_the_batch),
        cmocka_unit_test(a_server_of_no_use_ends_the_batch),
        cmocka_unit_test(a_stop_ends_the_batch_without_recovery),
        cmocka_unit_test(answers_during_a_death_do_not_count),
        cmocka_unit_test(a_server_in_trouble_is_waited_for),
        cmocka_unit_test(what_is_refused_after_a_death_is_asked_again),
        cmocka_unit_test(a_batch_is_used_again),
        cmocka_unit_test(narrow_keeps_one_document_and_its_answer),
        cmocka_unit_test(narrow_keeps_one_question),
        cmocka_unit_test(malformed_cases_are_refused),
        cmocka_unit_test(patterns_that_a_server_refuses_are_refused),
        cmocka_unit_test(seed_and_scene_make_the_case),
        cmocka_unit_test(drawn_cases_are_sound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
