#include "../oracles/case.h"

#include "from_json.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

#define LAYOUT                                                                                     \
    "'key': {'x': 1}, 'chunks': [[{'x': {'$minKey': 1}}, {'x': 0}, 's1'],"                         \
    " [{'x': 0}, {'x': {'$maxKey': 1}}, 's2']]"

typedef bool predict_t(sp_model_t *model, const bson_t *test, sp_answers_t *answers,
                       sp_error_t *error);

static int set_up(void **state)
{
    sp_version_t version;
    if (!sp_version_parse(SP_MODEL_DEFAULT_VERSION, &version, NULL))
        return -1;
    *state = sp_model_new(version, NULL);
    return *state == NULL ? -1 : 0;
}

static int tear_down(void **state)
{
    sp_model_free(*state);
    return 0;
}

static const struct good {
    predict_t *predict;
    const char *test;
    const char *answers[3];
} good[] = {
    {sp_case_predict_hash, "{'value': {'$numberInt': '1'}}", {"{'hash': '5902408780260971510'}"}},
    {sp_case_predict_hash, "{'area': 'hash', 'value': null}", {"{'hash': '2338878944348059895'}"}},
    {sp_case_predict_order, "{'values': [1, 2]}", {"{'order': {'$numberInt': '-1'}}"}},
    {sp_case_predict_order, "{'values': [[], []]}", {"{'order': {'$numberInt': '0'}}"}},
    {sp_case_predict_route, "{" LAYOUT ", 'docs': []}", {NULL}},
    {sp_case_predict_route,
     "{" LAYOUT ", 'docs': [{'x': -1}, {'x': 1}]}",
     {"{'shards': ['s1']}", "{'shards': ['s2']}"}},
    {sp_case_predict_route,
     "{'docs': [{'x': []}], " LAYOUT "}",
     {"{'error': {'code': {'$numberInt': '61'}, 'codeName': 'ShardKeyNotFound', 'message':"
      " 'there is an array at or above the shard key field \\'x\\''}}"}},
};

static void test_good_cases(void **state)
{
    for (size_t i = 0; i < COUNT(good); i++) {
        sp_error_t error = {0};
        sp_answers_t answers = SP_ANSWERS_INITIALIZER;
        bson_t *test = sp_doc_from(good[i].test);
        if (!good[i].predict(*state, test, &answers, &error))
            fail_msg("%s: %s", good[i].test, error.message);
        unsigned count = 0;
        for (; count < COUNT(good[i].answers) && good[i].answers[count] != NULL; count++) {
            assert_true(count < answers.count);
            char *text = sp_text_of(answers.items[count]);
            /* the quotes inside a message are single ones too */
            for (const char *a = text, *b = good[i].answers[count]; *a != '\0' || *b != '\0';
                 a++, b++) {
                b += *b == '\\' ? 1 : 0;
                if (*a != *b)
                    fail_msg("%s: %s", good[i].test, text);
            }
            bson_free(text);
        }
        assert_int_equal(answers.count, count);
        sp_answers_clear(&answers);
        bson_destroy(test);
    }
}

static const struct bad {
    predict_t *predict;
    const char *test, *message;
} bad[] = {
    {sp_case_predict_hash, "{}", "the case has no 'value'"},
    {sp_case_predict_hash, "{'values': [1, 2]}", "the case has no 'value'"},
    {sp_case_predict_order, "{}", "the case has no 'values'"},
    {sp_case_predict_order, "{'values': 1}", "'values' must be an array"},
    {sp_case_predict_order, "{'values': {'0': 1, '1': 2}}", "'values' must be an array"},
    {sp_case_predict_order, "{'values': []}", "'values' must hold two values"},
    {sp_case_predict_order, "{'values': [1]}", "'values' must hold two values"},
    {sp_case_predict_order, "{'values': [1, 2, 3]}", "'values' must hold two values"},
    {sp_case_predict_route, "{}", "a layout needs 'key', the shard key pattern"},
    {sp_case_predict_route, "{'key': {'x': 1}, 'docs': []}",
     "a layout needs 'chunks': [[min, max, \"shard\"], …]"},
    {sp_case_predict_route, "{" LAYOUT "}", "the case has no 'docs'"},
    {sp_case_predict_route, "{" LAYOUT ", 'docs': {}}", "'docs' must be an array"},
    {sp_case_predict_route, "{" LAYOUT ", 'docs': null}", "'docs' must be an array"},
    {sp_case_predict_route, "{" LAYOUT ", 'docs': [1]}", "docs[0] is no document"},
    {sp_case_predict_route, "{" LAYOUT ", 'docs': [{}, []]}", "docs[1] is no document"},
};

static void test_bad_cases(void **state)
{
    for (size_t i = 0; i < COUNT(bad); i++) {
        sp_error_t error = {0};
        sp_answers_t answers = SP_ANSWERS_INITIALIZER;
        bson_t *test = sp_doc_from(bad[i].test);
        if (bad[i].predict(*state, test, &answers, &error))
            fail_msg("%s is taken", bad[i].test);
        assert_int_equal(error.domain, SP_ERROR_INPUT);
        assert_string_equal(error.message, bad[i].message);
        assert_false(bad[i].predict(*state, test, &answers, NULL));
        sp_answers_clear(&answers);
        bson_destroy(test);
    }
}

static void test_recorded_answers(void **state)
{
    (void)state;
    sp_answers_t answers = SP_ANSWERS_INITIALIZER;
    bson_t *test = sp_doc_from("{'answers': [{'hash': '1'}, {'error': {'code': 61}}]}");
    assert_true(sp_case_answers(test, &answers, NULL));
    assert_int_equal(answers.count, 2);
    assert_true(bson_has_field(answers.items[0], "hash"));
    assert_true(bson_has_field(answers.items[1], "error"));
    bson_destroy(test);

    static const char *const none[] = {"{}", "{'answers': []}", "{'answer': [{'hash': '1'}]}"};
    for (size_t i = 0; i < COUNT(none); i++) {
        test = sp_doc_from(none[i]);
        sp_answers_truncate(&answers, 0);
        assert_true(sp_case_answers(test, &answers, NULL));
        assert_int_equal(answers.count, 0);
        bson_destroy(test);
    }
    sp_answers_clear(&answers);
}

static void test_bad_recorded_answers(void **state)
{
    (void)state;
    static const struct {
        const char *test, *message;
    } rows[] = {
        {"{'answers': 1}", "'answers' must be an array"},
        {"{'answers': {}}", "'answers' must be an array"},
        {"{'answers': null}", "'answers' must be an array"},
        {"{'answers': [{}, 1]}", "answers[1] is no document"},
        {"{'answers': [[]]}", "answers[0] is no document"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        sp_error_t error = {0};
        sp_answers_t answers = SP_ANSWERS_INITIALIZER;
        bson_t *test = sp_doc_from(rows[i].test);
        assert_false(sp_case_answers(test, &answers, &error));
        assert_int_equal(error.domain, SP_ERROR_INPUT);
        assert_string_equal(error.message, rows[i].message);
        sp_answers_clear(&answers);
        bson_destroy(test);
    }
}

/* The list grows past its first size, and used documents come back empty. */
static void test_answers_are_used_again(void **state)
{
    (void)state;
    sp_answers_t answers = SP_ANSWERS_INITIALIZER;
    for (unsigned round = 0; round < 3; round++) {
        for (int32_t i = 0; i < 1000; i++) {
            bson_t *answer = sp_answers_add(&answers);
            assert_true(bson_empty(answer));
            BSON_APPEND_INT32(answer, "i", i);
            if (i % 100 == 0) /* large enough to leave the inline buffer */
                BSON_APPEND_UTF8(answer, "text",
                                 "a text that is longer than a bson_t holds within "
                                 "itself, which is some 120 bytes, of which the "
                                 "length and the field's name take a few");
        }
        assert_int_equal(answers.count, 1000);
        for (int32_t i = 0; i < 1000; i++) {
            bson_iter_t iter;
            assert_true(bson_iter_init_find(&iter, answers.items[i], "i"));
            assert_int_equal(bson_iter_int32(&iter), i);
        }
        sp_answers_truncate(&answers, round == 0 ? 0 : 500);
        assert_int_equal(answers.count, round == 0 ? 0 : 500);
        sp_answers_truncate(&answers, 0);
    }
    sp_answers_clear(&answers);
    assert_int_equal(answers.count, 0);
    assert_null(answers.items);
    sp_answers_clear(&answers);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_good_cases),
        cmocka_unit_test(test_bad_cases),
        cmocka_unit_test(test_recorded_answers),
        cmocka_unit_test(test_bad_recorded_answers),
        cmocka_unit_test(test_answers_are_used_again),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
