#include "rule_rows.h"

#include "../oracles/verdict.h"
#include "from_json.h"
#include "query_layout.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static bson_t *make_case(const char *layout, const char *request)
{
    bson_t *test = sp_doc_from(layout);
    char *text = bson_strdup_printf("{'requests': [%s]}", request);
    bson_t *requests = sp_doc_from(text);
    bson_concat(test, requests);
    bson_destroy(requests);
    bson_free(text);
    return test;
}

static void assert_row(sp_rule_predict_t *predict, const char *version, const char *layout,
                       const char *request, const char *wanted)
{
    sp_model_t *model = sp_model_of(version);
    sp_answers_t answers = SP_ANSWERS_INITIALIZER;
    sp_error_t error = {0};
    bson_t *test = make_case(layout, request), *expected = sp_doc_from(wanted);
    if (!predict(model, test, &answers, &error))
        fail_msg("%s: %s: %s", version, request, error.message);
    assert_int_equal(answers.count, 1);
    if (sp_judge(expected, answers.items[0]) != SP_MATCH) {
        char *text = sp_text_of(answers.items[0]);
        fail_msg("%s: %s gives %s, not %s", version, request, text, wanted);
    }
    sp_answers_clear(&answers);
    bson_destroy(test);
    bson_destroy(expected);
    sp_model_free(model);
}

void sp_assert_rule_rows(sp_rule_predict_t *predict, const char *layout, const sp_rule_row_t *rows,
                         size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const char *before = rows[i].before != NULL ? rows[i].before : rows[i].answer;
        assert_row(predict, "6.0.5", layout, rows[i].request, before);
        assert_row(predict, "6.0.27", layout, rows[i].request, rows[i].answer);
    }
}

void sp_assert_rule_rows_of(sp_rule_predict_t *predict, const char *version, const char *layout,
                            const sp_rule_row_t *rows, size_t count)
{
    for (size_t i = 0; i < count; i++)
        assert_row(predict, version, layout, rows[i].request, rows[i].answer);
}

void sp_assert_rule_refuses_on(sp_rule_predict_t *predict, const char *version, const char *layout,
                               const sp_rule_row_t *rows, size_t count)
{
    sp_model_t *model = sp_model_of(version);
    for (size_t i = 0; i < count; i++) {
        sp_answers_t answers = SP_ANSWERS_INITIALIZER;
        sp_error_t error = {0};
        bson_t *test = make_case(layout, rows[i].request);
        if (predict(model, test, &answers, &error))
            fail_msg("%s is taken", rows[i].request);
        assert_int_equal(error.domain, SP_ERROR_INPUT);
        if (strstr(error.message, rows[i].answer) == NULL)
            fail_msg("%s is refused with '%s', which does not say '%s'", rows[i].request,
                     error.message, rows[i].answer);
        sp_answers_clear(&answers);
        bson_destroy(test);
    }
    sp_model_free(model);
}

void sp_assert_rule_refuses(sp_rule_predict_t *predict, const char *layout,
                            const sp_rule_row_t *rows, size_t count)
{
    sp_assert_rule_refuses_on(predict, "6.0.27", layout, rows, count);
}
