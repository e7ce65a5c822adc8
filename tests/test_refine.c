/*
 * Refining a shard key: what 6.0.5 and 6.0.27 were seen to do (November 2026).
 */
#include "rule_rows.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define COUNT(array)    (sizeof(array) / sizeof((array)[0]))
#define MIN             "{'$minKey': 1}"
#define MAX             "{'$maxKey': 1}"
#define ERROR(code)     "{'error': {'code': " #code "}}"
#define BY_X(rest)      "{'newKey': {'x': 1, 'y': 1}, " rest "}"
#define INDEX(options)  "'indexes': [{'key': {'x': 1, 'y': 1}" options "}]"
#define AND_UNIQUE      "{'key': {'x': 1, 'y': 1}, 'unique': true}"
#define AND_LONGER      "{'key': {'x': 1, 'y': 1, 'z': 1}}"
#define UNIQUE(indexes) BY_X("'unique': true, 'keyIndex': false, 'indexes': [" indexes "]")
#define REFINED         "{'key': {'x': 1, 'y': 1}}"

/* s2 has x < 0, s1 0 to 10, s3 the rest. */
static const char by_x[] = "{'key': {'x': 1}, 'chunks': [[{'x': " MIN "}, {'x': 0}, 's2'], "
                           "[{'x': 0}, {'x': 10}, 's1'], [{'x': 10}, {'x': " MAX "}, 's3']], "
                           "'collation': null, 'shards': 3}";

static void test_patterns(void **state)
{
    (void)state;
    static const sp_rule_row_t rows[] = {
        {"{'newKey': {}}", ERROR(2), NULL},
        {"{'newKey': {'x': -1}}", ERROR(2), NULL},
        {"{'newKey': {'x': 1, 'y': -1}, 'indexes': [{'key': {'x': 1, 'y': -1}}]}", ERROR(2), NULL},
        {"{'newKey': {'x': 1, 'y': 'text'}}", ERROR(2), NULL},
        {"{'newKey': {'x': 1, 'y': true}}", ERROR(2), NULL},
        {"{'newKey': {'x': 1, '$y': 1}}", ERROR(2), NULL},
        {"{'newKey': {'x': 1, 'y.': 1}}", ERROR(2), NULL},
        {"{'newKey': {'x': 1, '': 1}}", ERROR(2), NULL},
        {"{'newKey': {'y': 'hashed', 'z': 'hashed'}}", ERROR(2), NULL},
        {"{'newKey': {'x': -1}, 'collection': 'missing'}", ERROR(2), NULL},
        {"{'newKey': {'x': 1, 'y': 1}, 'collection': 'missing'}", ERROR(118), NULL},
        {"{'newKey': {'x': 1}, 'collection': 'unsharded'}", ERROR(118), NULL},
        {"{'newKey': {'y': 1}}", ERROR(72), NULL},
        {"{'newKey': {'y': 1, 'x': 1}}", ERROR(72), NULL},
        {"{'newKey': {'x': 'hashed', 'y': 1}}", ERROR(72), NULL},
        {"{'newKey': {'x': 1.9, 'y': 1}, " INDEX("") "}", ERROR(72), NULL},
        {"{'newKey': {'x': 1, 'y': 1.9}, " INDEX("") "}", ERROR(72), NULL},
        {"{'newKey': {'x': 1, 'y': 1, 'y': 1}, " INDEX("") "}", ERROR(72), NULL},
        {"{'newKey': {'x': 1, 'x': 1}}", ERROR(72), NULL},
        {"{'newKey': {'x': 1}}", "{'key': {'x': 1}, 'zones': []}", NULL},
        {"{'newKey': {'x': 1.0}}", "{'key': {'x': {'$numberInt': '1'}}}", NULL},
        {"{'newKey': {'x': 1.0, 'y': {'$numberLong': '1'}}, " INDEX("") "}",
         "{'key': {'x': 1.0, 'y': {'$numberLong': '1'}}}", NULL},
        {"{'newKey': {'x': 1, 'x.a': 1}, 'indexes': [{'key': {'x': 1, 'x.a': 1}}]}",
         "{'key': {'x': 1, 'x.a': 1}}", NULL},
        {"{'newKey': {'x': 1, 'y': 'hashed'}, " INDEX("") "}", ERROR(72), NULL},
        {"{'newKey': {'x': 1, 'y': 'hashed'}, 'indexes': [{'key': {'x': 1, 'y': 'hashed'}}]}",
         "{'key': {'x': 1, 'y': 'hashed'}}", NULL},
    };
    sp_assert_rule_rows(sp_case_predict_refine, by_x, rows, COUNT(rows));
}

static void test_indexes(void **state)
{
    (void)state;
    static const sp_rule_row_t rows[] = {
        {BY_X("'indexes': []"), ERROR(72), NULL},
        {BY_X(INDEX("")), REFINED, NULL},
        {BY_X("'indexes': [{'key': {'x': 1, 'y': 1, 'z': -1}}]"), REFINED, NULL},
        {BY_X("'indexes': [{'key': {'x': {'$numberLong': '1'}, 'y': 1.0}}]"), REFINED, NULL},
        {BY_X("'indexes': [{'key': {'x': 1, 'y': -1}}]"), ERROR(72), NULL},
        {BY_X("'indexes': [{'key': {'x': 5, 'y': 7}}]"), ERROR(72), NULL},
        {BY_X(INDEX(", 'sparse': true")), ERROR(72), NULL},
        {BY_X(INDEX(", 'hidden': true")), ERROR(72), NULL},
        {BY_X(INDEX(", 'partialFilterExpression': {'a': 1}")), ERROR(72), NULL},
        {BY_X(INDEX(", 'collation': {'locale': 'fr'}")), ERROR(72), NULL},
        {BY_X(INDEX(", 'collation': {'locale': 'simple'}")), REFINED, NULL},
        {BY_X(INDEX(", 'unique': true")), REFINED, NULL},
        {BY_X(INDEX(", 'on': ['s2']")), REFINED, NULL},
        {BY_X(INDEX(", 'on': ['s1', 's3']")), ERROR(72), NULL},
        {BY_X("'indexes': [{'key': {'x': 1, 'y': 1}}, {'key': {'x': 1, 'z': 1}, 'unique': true}]"),
         ERROR(72), NULL},
        {BY_X("'indexes': [{'key': {'x': 1, 'y': 1}}, "
              "{'key': {'x': 1, 'z': 1}, 'unique': true, 'on': ['s1', 's3']}]"),
         REFINED, NULL},
        {BY_X("'indexes': [{'key': {'x': 1, 'y': 1}}, "
              "{'key': {'x': 1, 'y': 1, 'z': 1}, 'prepareUnique': true}]"),
         REFINED, NULL},
        {BY_X("'indexes': [{'key': {'x': 1, 'y': 1}}, {'key': {'x': 1, 'z': 1}, 'prepareUnique': "
              "true}]"),
         ERROR(72), NULL},
    };
    sp_assert_rule_rows(sp_case_predict_refine, by_x, rows, COUNT(rows));
}

static void test_unique(void **state)
{
    (void)state;
    static const sp_rule_row_t rows[] = {
        {BY_X("'unique': true, " INDEX(", 'unique': true")), ERROR(72), NULL},
        {BY_X("'unique': true, 'keyIndex': false, " INDEX(", 'unique': true")), REFINED, NULL},
        {BY_X("'unique': true, 'keyIndex': false, " INDEX(", 'prepareUnique': true")), ERROR(72),
         NULL},
        {BY_X("'unique': true, 'keyIndex': false, " INDEX("")), ERROR(72), NULL},
        /* Of two on the key that counts which was made first. */
        {BY_X("'unique': true, 'keyIndex': false, 'indexes': [{'key': {'x': 1, 'y': 1}}, "
              "{'key': {'x': 1, 'y': 1}, 'unique': true}]"),
         ERROR(72), NULL},
        {BY_X("'unique': true, 'keyIndex': false, 'indexes': [{'key': {'x': 1, 'y': 1}, 'unique': "
              "true}, {'key': {'x': 1, 'y': 1}}]"),
         REFINED, NULL},
        {BY_X("'unique': true, 'keyIndex': false, 'indexes': [{'key': {'x': 1, 'y': 1, 'z': 1}, "
              "'unique': true}]"),
         ERROR(72), NULL},
        {BY_X("'keyIndex': false, 'indexes': [{'key': {'x': 1, 'y': 1, 'z': 1}, 'unique': true}]"),
         REFINED, NULL},
    };
    static const sp_rule_row_t counted[] = {
        {UNIQUE("{'key': {'x': 1, 'y': 1}, 'sparse': true}, " AND_UNIQUE), ERROR(72), NULL},
        {UNIQUE("{'key': {'x': 1, 'y': 1}, 'collation': {'locale': 'fr'}}, " AND_UNIQUE), ERROR(72),
         NULL},
        {UNIQUE("{'key': {'x': 1, 'y': 1}, 'partialFilterExpression': {'a': 1}}, " AND_UNIQUE),
         ERROR(72), NULL},
        {UNIQUE("{'key': {'x': 1, 'y': 1}, 'unique': true, 'sparse': true}, " AND_LONGER), REFINED,
         NULL},
        {UNIQUE("{'key': {'x': 1, 'y': 1}, 'unique': true, 'partialFilterExpression': {'a': "
                "1}}, " AND_LONGER),
         REFINED, NULL},
        {UNIQUE("{'key': {'x': 1, 'y': 1}, 'unique': true, 'collation': {'locale': "
                "'fr'}}, " AND_LONGER),
         REFINED, NULL},
        {UNIQUE(AND_LONGER), ERROR(72), NULL},
    };
    static const char by_id[] =
        "{'key': {'_id': 1}, 'chunks': [[{'_id': " MIN "}, {'_id': " MAX "}, 's1']], 'shards': 3}";
    static const sp_rule_row_t id_rows[] = {
        {"{'newKey': {'_id': 1, 'x': 1}, 'unique': true, 'indexes': [{'key': {'_id': 1, 'x': 1}}]}",
         "{'key': {'_id': 1, 'x': 1}}", NULL},
        {"{'newKey': {'_id': 1, 'x': 1}, 'unique': true}", ERROR(72), NULL},
    };
    sp_assert_rule_rows(sp_case_predict_refine, by_x, rows, COUNT(rows));
    sp_assert_rule_rows(sp_case_predict_refine, by_x, counted, COUNT(counted));
    sp_assert_rule_rows(sp_case_predict_refine, by_id, id_rows, COUNT(id_rows));
}

static void test_ranges(void **state)
{
    (void)state;
    static const sp_rule_row_t rows[] = {
        {BY_X(INDEX("") ", 'zones': [[{'x': -3}, {'x': 0}, 's1'], [{'x': 20}, {'x': " MAX
                        "}, 's2']]"),
         "{'chunks': [[{'x': " MIN ", 'y': " MIN "}, {'x': 0, 'y': " MIN "}, 's2'], "
         "[{'x': 0, 'y': " MIN "}, {'x': 10, 'y': " MIN "}, 's1'], "
         "[{'x': 10, 'y': " MIN "}, {'x': " MAX ", 'y': " MAX "}, 's3']], "
         "'zones': [[{'x': -3, 'y': " MIN "}, {'x': 0, 'y': " MIN "}, 's1'], "
         "[{'x': 20, 'y': " MIN "}, {'x': " MAX ", 'y': " MAX "}, 's2']]}",
         NULL},
    };
    sp_assert_rule_rows(sp_case_predict_refine, by_x, rows, COUNT(rows));
}

/* The shard of the first chunk alone is asked whether documents have arrays in the new fields; on
 * the others they are found no more. */
static void test_documents(void **state)
{
    (void)state;
    static const sp_rule_row_t rows[] = {
        {BY_X(INDEX("") ", 'docs': [{'_id': 1, 'x': -5, 'y': [1, 2]}]"), ERROR(72), NULL},
        {BY_X(INDEX("") ", 'docs': [{'_id': 1, 'x': -5, 'y': []}]"), ERROR(72), NULL},
        {BY_X("'indexes': [{'key': {'x': 1, 'y': 1, 'z': 1}}], "
              "'docs': [{'_id': 1, 'x': -5, 'z': [1]}]"),
         ERROR(72), NULL},
        {BY_X(INDEX("") ", 'docs': [{'_id': 1, 'x': 5, 'y': [1, 2]}]"),
         "{'key': {'x': 1, 'y': 1}, 'found': 0, 'foundByKey': 0}", NULL},
        {BY_X(INDEX("") ", 'docs': [{'_id': 1, 'x': 5}, {'_id': 2, 'x': 15, 'y': {'$numberDouble': "
                        "'0.5'}}, {'_id': 3, 'x': 15, 'y': 'a'}]"),
         "{'found': 3, 'foundByKey': 2}", NULL},
        {"{'newKey': {'x': 1}, 'docs': [{'_id': 1, 'x': 5}, {'_id': 2, 'x': [5]}]}",
         "{'found': 1, 'foundByKey': 1}", NULL},
        {BY_X("'indexes': [{'key': {'x': 1, 'y': 1}}, {'key': {'z': 'hashed'}}], "
              "'docs': [{'_id': 1, 'x': 5, 'z': [1]}, {'_id': 2, 'x': 5, 'z': 1}]"),
         "{'found': 1, 'foundByKey': 1}", NULL},
    };
    sp_assert_rule_rows(sp_case_predict_refine, by_x, rows, COUNT(rows));
}

static void test_old_versions(void **state)
{
    (void)state;
    static const sp_rule_row_t before[] = {
        {BY_X(INDEX("")), ERROR(59), NULL},
        {"{'newKey': {}}", ERROR(59), NULL},
    };
    static const sp_rule_row_t later[] = {
        {BY_X(INDEX("")), REFINED, NULL},
        {BY_X(INDEX(", 'hidden': true")), REFINED, NULL},
        {BY_X(INDEX(", 'sparse': true")), ERROR(72), NULL},
        {BY_X(INDEX(", 'partialFilterExpression': {'a': 1}")), ERROR(96), NULL},
        {BY_X(INDEX("") ", 'docs': [{'_id': 1, 'x': -5, 'y': [1]}]"), ERROR(96), NULL},
        {BY_X(INDEX("") ", 'docs': [{'_id': 1, 'x': 5, 'y': [1]}]"), REFINED, NULL},
    };
    sp_assert_rule_rows_of(sp_case_predict_refine, "4.0.3", by_x, before, COUNT(before));
    sp_assert_rule_rows_of(sp_case_predict_refine, "4.2.6", by_x, before, COUNT(before));
    sp_assert_rule_rows_of(sp_case_predict_refine, "4.4.2", by_x, later, COUNT(later));
    sp_assert_rule_rows_of(sp_case_predict_refine, "5.0.4", by_x, later, COUNT(later));
}

static void test_bad_input(void **state)
{
    (void)state;
    static const sp_rule_row_t rows[] = {
        {"5", "requests[0]", NULL},
        {"{}", "newKey", NULL},
        {"{'newKey': 5}", "newKey", NULL},
        {"{'newKey': [1]}", "newKey", NULL},
        {"{'newKey': {'x': 1}, 'collection': 'other'}", "collection", NULL},
        {"{'newKey': {'x': 1}, 'collection': 5}", "collection", NULL},
        {"{'newKey': {'x': 1}, 'unique': 1}", "unique", NULL},
        {"{'newKey': {'x': 1}, 'keyIndex': null}", "keyIndex", NULL},
        {"{'newKey': {'x': 1}, 'indexes': {}}", "indexes", NULL},
        {"{'newKey': {'x': 1}, 'indexes': [5]}", "indexes[0]", NULL},
        {"{'newKey': {'x': 1}, 'indexes': [{}]}", "indexes[0]", NULL},
        {"{'newKey': {'x': 1}, 'indexes': [{'key': 5}]}", "indexes[0]", NULL},
        {"{'newKey': {'x': 1}, 'indexes': [{'key': {'x': 1}, 'sparse': 'a'}]}", "sparse", NULL},
        {"{'newKey': {'x': 1}, 'indexes': [{'key': {'x': 1}, 'on': 's1'}]}", "on", NULL},
        {"{'newKey': {'x': 1}, 'indexes': [{'key': {'x': 1}, 'on': [1]}]}", "on", NULL},
        {"{'newKey': {'x': 1}, 'zones': 5}", "zones", NULL},
        {"{'newKey': {'x': 1}, 'zones': [5]}", "zones[0]", NULL},
        {"{'newKey': {'x': 1}, 'zones': [[]]}", "zones[0]", NULL},
        {"{'newKey': {'x': 1}, 'zones': [[{'x': 1}, {'x': 2}]]}", "zones[0]", NULL},
        {"{'newKey': {'x': 1}, 'zones': [[{'x': 1}, {'x': 2}, 's1', 5]]}", "zones[0]", NULL},
        {"{'newKey': {'x': 1}, 'zones': [[{'y': 1}, {'x': 2}, 's1']]}", "zones[0]", NULL},
        {"{'newKey': {'x': 1}, 'zones': [[{'x': 2}, {'x': 2}, 's1']]}", "zones[0]", NULL},
        {"{'newKey': {'x': 1}, 'zones': [[{'x': 1}, {'x': 3}, 's1'], [{'x': 2}, {'x': 4}, 's1']]}",
         "zones[1]", NULL},
        {"{'newKey': {'x': 1}, 'docs': 5}", "docs", NULL},
        {"{'newKey': {'x': 1}, 'docs': [{}, 5]}", "docs[1]", NULL},
        {"{'newKey': {'x': 1}, 'docs': [{'x': 1}], 'indexes': [{'key': {'x': 1}, "
         "'partialFilterExpression': {'$where': 'a'}}]}",
         "docs[0]", NULL},
    };
    static const sp_rule_row_t unique_rows[] = {
        {"{'newKey': {'x': 'hashed'}, 'unique': true}", "unique", NULL},
    };
    static const sp_rule_row_t no_rows[] = {{"{'newKey': {'x': 1}}", "chunk", NULL}};
    sp_assert_rule_refuses(sp_case_predict_refine, by_x, rows, COUNT(rows));
    sp_assert_rule_refuses(sp_case_predict_refine,
                           "{'key': {'x': 'hashed'}, 'chunks': [[{'x': " MIN "}, {'x': " MAX
                           "}, 's1']]}",
                           unique_rows, COUNT(unique_rows));
    sp_assert_rule_refuses(sp_case_predict_refine, "{'key': {'x': 1}, 'chunks': []}", no_rows,
                           COUNT(no_rows));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_patterns),  cmocka_unit_test(test_indexes),
        cmocka_unit_test(test_unique),    cmocka_unit_test(test_ranges),
        cmocka_unit_test(test_documents), cmocka_unit_test(test_old_versions),
        cmocka_unit_test(test_bad_input),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
