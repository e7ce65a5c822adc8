#include "../oracles/verdict.h"

#include "from_json.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const struct row {
    const char *expected, *observed;
    sp_verdict_t verdict;
} rows[] = {
    {"{'hash': '-123'}", "{'hash': '-123'}", SP_MATCH},
    {"{'hash': '-123'}", "{'hash': '123'}", SP_MISMATCH},
    {"{'hash': '-123'}", "{'hash': ''}", SP_MISMATCH},
    {"{'hash': '123'}", "{'hash': {'$numberLong': '123'}}", SP_MISMATCH},
    {"{'hash': '123'}", "{}", SP_MISMATCH},
    {"{'hash': '123'}", "{'order': 1}", SP_MISMATCH},
    {"{'order': -1}", "{'order': -1}", SP_MATCH},
    {"{'order': -1}", "{'order': {'$numberLong': '-1'}}", SP_MATCH},
    {"{'order': -1}", "{'order': 1}", SP_MISMATCH},
    {"{'order': 0}", "{'order': null}", SP_MISMATCH},
    {"{'order': 0}", "{'order': '0'}", SP_MISMATCH},
    {"{'order': 0}", "{'order': {'$numberDouble': '0.0'}}", SP_MISMATCH},
    /* shards are a set */
    {"{'shards': ['s1']}", "{'shards': ['s1']}", SP_MATCH},
    {"{'shards': ['s1', 's2']}", "{'shards': ['s2', 's1']}", SP_MATCH},
    {"{'shards': ['s1', 's2']}", "{'shards': ['s2', 's1', 's2']}", SP_MATCH},
    {"{'shards': []}", "{'shards': []}", SP_MATCH},
    {"{'shards': ['s1']}", "{'shards': ['s2']}", SP_MISMATCH},
    {"{'shards': ['s1']}", "{'shards': ['s1', 's2']}", SP_MISMATCH},
    {"{'shards': ['s1', 's2']}", "{'shards': ['s1']}", SP_MISMATCH},
    {"{'shards': ['s1']}", "{'shards': []}", SP_MISMATCH},
    {"{'shards': []}", "{'shards': ['s1']}", SP_MISMATCH},
    {"{'shards': ['s1']}", "{'shards': 's1'}", SP_MISMATCH},
    {"{'shards': ['1']}", "{'shards': [1]}", SP_MISMATCH},
    {"{'complete': true, 'found': true}", "{'complete': true, 'found': true}", SP_MATCH},
    {"{'complete': true, 'found': true}", "{'complete': false, 'found': true}", SP_MISMATCH},
    {"{'complete': true, 'found': true}", "{'complete': true, 'found': false}", SP_MISMATCH},
    {"{'complete': true, 'found': true}", "{'complete': true}", SP_MISMATCH},
    {"{'complete': true, 'found': true}", "{'complete': 1, 'found': true}", SP_MISMATCH},
    /* which documents: others in a narrowed case; but why does count */
    {"{'complete': false, 'cause': 'c', 'missing': [7], 'extra': []}",
     "{'complete': false, 'cause': 'c', 'missing': [0], 'extra': []}", SP_MATCH},
    {"{'complete': false, 'cause': 'c', 'missing': [7]}",
     "{'complete': false, 'cause': 'd', 'missing': [7]}", SP_MISMATCH},
    /* any other array or document is compared byte for byte, in order */
    {"{'chunks': [[{'x': 1}, 's1'], [{'x': 2}, 's2']]}",
     "{'chunks': [[{'x': 1}, 's1'], [{'x': 2}, 's2']]}", SP_MATCH},
    {"{'chunks': [[{'x': 1}, 's1'], [{'x': 2}, 's2']]}",
     "{'chunks': [[{'x': 2}, 's2'], [{'x': 1}, 's1']]}", SP_MISMATCH},
    {"{'chunks': [[{'x': 1}]]}", "{'chunks': [[{'x': {'$numberLong': '1'}}]]}", SP_MISMATCH},
    {"{'chunks': [1]}", "{'chunks': [1, 2]}", SP_MISMATCH},
    {"{'chunks': [1]}", "{'chunks': {'0': 1}}", SP_MISMATCH},
    {"{'chunks': []}", "{}", SP_MISMATCH},
    {"{'key': {'x': 1, 'y': 1}}", "{'key': {'y': 1, 'x': 1}}", SP_MISMATCH},
    {"{'index': null}", "{'index': null}", SP_MATCH},
    {"{'index': null}", "{'index': {'x': 1}}", SP_MISMATCH},
    {"{'index': {'x': 1}}", "{'index': null}", SP_MISMATCH},
    {"{'n': 1, 'nModified': 0}", "{'n': 1, 'nModified': 1}", SP_MISMATCH},
    {"{'ok': true}", "{'ok': true}", SP_MATCH},
    /* what else was observed does not matter */
    {"{'order': 0}", "{'order': 0, 'took': 5}", SP_MATCH},
    /* of errors only the code counts */
    {"{'error': {'code': 61}}", "{'error': {'code': 61}}", SP_MATCH},
    {"{'error': {'code': 61, 'codeName': 'a', 'message': 'b'}}",
     "{'error': {'code': {'$numberLong': '61'}, 'codeName': 'c'}}", SP_MATCH},
    {"{'error': {'code': 61}}", "{'error': {'code': 2}}", SP_MISMATCH},
    {"{'error': {'code': 61}}", "{'error': {'message': 'no code'}}", SP_MISMATCH},
    {"{'error': {'code': 61}}", "{'error': 'no document'}", SP_MISMATCH},
    {"{'error': {'code': 61}}", "{'shards': ['s1']}", SP_MISSING_ERROR},
    {"{'error': {'code': 61}}", "{}", SP_MISSING_ERROR},
    {"{'shards': ['s1']}", "{'error': {'code': 61}}", SP_UNEXPECTED_ERROR},
    {"{'hash': '1'}", "{'hash': '1', 'error': {'code': 61}}", SP_UNEXPECTED_ERROR},
    /* a server that cannot answer is no mismatch, whatever was expected */
    {"{'hash': '1'}", "{'infrastructure': 'it died'}", SP_INFRASTRUCTURE},
    {"{'error': {'code': 61}}", "{'infrastructure': 'it died'}", SP_INFRASTRUCTURE},
    {"{'hash': '1'}", "{'unsupported': 'no such command'}", SP_UNSUPPORTED},
    {"{'error': {'code': 61}}", "{'unsupported': 'no such command'}", SP_UNSUPPORTED},
    {"{'hash': '1'}", "{'unsupported': 'a', 'infrastructure': 'b'}", SP_INFRASTRUCTURE},
    {"{'hash': '1'}", "{'error': {'code': 59}, 'unsupported': 'a'}", SP_UNSUPPORTED},
};

static void test_judge(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        bson_t *expected = sp_doc_from(rows[i].expected), *observed = sp_doc_from(rows[i].observed);
        sp_verdict_t verdict = sp_judge(expected, observed);
        if (verdict != rows[i].verdict)
            fail_msg("%s against %s: %s", rows[i].expected, rows[i].observed,
                     sp_verdict_name(verdict));
        bson_destroy(expected);
        bson_destroy(observed);
    }
}

static void test_names(void **state)
{
    (void)state;
    static const char *const names[] = {"match",         "mismatch",      "unexpected-error",
                                        "missing-error", "unsupported",   "known",
                                        "fixed",         "infrastructure"};
    assert_int_equal(COUNT(names), SP_VERDICTS);
    for (unsigned i = 0; i < SP_VERDICTS; i++)
        assert_string_equal(sp_verdict_name((sp_verdict_t)i), names[i]);
    assert_string_equal(sp_verdict_name(SP_VERDICTS), "unknown");
}

static void test_differs(void **state)
{
    (void)state;
    for (unsigned i = 0; i < SP_VERDICTS; i++)
        assert_int_equal(sp_verdict_differs((sp_verdict_t)i),
                         i == SP_MISMATCH || i == SP_UNEXPECTED_ERROR || i == SP_MISSING_ERROR ||
                             i == SP_FIXED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_judge),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_differs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
