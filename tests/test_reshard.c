/*
 * Resharding: what 6.0.5 and 6.0.27 were seen to do (November 2026).
 */
#include "rule_rows.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define MIN          "{'$minKey': 1}"
#define MAX          "{'$maxKey': 1}"
#define ERROR(code)  "{'error': {'code': " #code "}}"
#define BY_Y(rest)   "{'newKey': {'y': 1}, " rest "}"
#define ONE          "'options': {'numInitialChunks': 1}"
#define PRESET       "[[{'y': " MIN "}, {'y': 50}, 's2'], [{'y': 50}, {'y': " MAX "}, 's3']]"
#define ZONES        "[[{'y': " MIN "}, {'y': 50}, 's3'], [{'y': 50}, {'y': " MAX "}, 's1']]"
#define DONE         "{'key': {'y': 1}, 'placed': true}"
#define ONE_CHUNK    "{'key': {'y': 1}, 'chunks': [[{'y': " MIN "}, {'y': " MAX "}, 's1']]}"

/* s2 has x < 0, s1 0 to 10, s3 the rest. */
static const char by_x[] = "{'key': {'x': 1}, 'chunks': [[{'x': " MIN "}, {'x': 0}, 's2'], "
                           "[{'x': 0}, {'x': 10}, 's1'], [{'x': 10}, {'x': " MAX "}, 's3']], "
                           "'collation': null, 'shards': 3}";

static void test_options(void **state)
{
    (void)state;
    static const sp_rule_row_t rows[] = {
        {"{'newKey': {'x': 1}}", "{'key': {'x': 1}}", NULL},
        {"{'newKey': {'x': 1.0}, 'options': {'numInitialChunks': -1}}", "{'key': {'x': 1}}", NULL},
        {"{'newKey': {'x': 1}, 'options': {'unique': true}}", ERROR(2), NULL},
        {"{'newKey': {'x': 1}, 'keepZones': true}", ERROR(2), NULL},
        {"{'newKey': {'x': 1}, 'collection': 'missing'}", ERROR(118), NULL},
        {"{'newKey': {'x': -1}, 'collection': 'unsharded'}", ERROR(118), NULL},
        {"{'newKey': {'y': 1}, 'collection': 'unsharded', 'options': {'unique': true}}", ERROR(118),
         ERROR(2)},
        {"{'newKey': {'y': 1}, 'collection': 'missing', 'options': {'collation': {'locale': "
         "'fr'}}}",
         ERROR(118), ERROR(2)},
        {"{'newKey': {'y': 1}, 'collection': 'missing', 'options': {'collation': {}}}", ERROR(118),
         ERROR(40414)},
        {BY_Y("'options': {'unique': false, 'numInitialChunks': 1}"), ONE_CHUNK, NULL},
        {BY_Y("'options': {'collation': {'locale': 'simple'}, 'numInitialChunks': 1}"), ONE_CHUNK,
         NULL},
        {BY_Y("'options': {'collation': {'locale': 'fr'}}"), ERROR(2), NULL},
        {BY_Y("'options': {'collation': {'locale': 'xx'}}"), ERROR(2), NULL},
        {BY_Y("'options': {'collation': {}}"), ERROR(40414), NULL},
        {"{'newKey': {'y': -1}}", ERROR(2), NULL},
        {"{'newKey': {}}", ERROR(2), NULL},
        {"{'newKey': {'y': 'hashed', 'z': 'hashed'}}", ERROR(2), NULL},
    };
    sp_assert_rule_rows(sp_case_predict_reshard, by_x, rows, COUNT(rows));
}

static void test_named_chunks(void **state)
{
    (void)state;
    static const sp_rule_row_t rows[] = {
        {BY_Y("'options': {'presetReshardedChunks': " PRESET "}"),
         "{'key': {'y': 1}, 'chunks': " PRESET ", 'zones': []}", NULL},
        {BY_Y("'options': {'presetReshardedChunks': " PRESET ", 'numInitialChunks': 2}"), ERROR(2),
         NULL},
        {BY_Y("'options': {'presetReshardedChunks': [[{'y': " MIN "}, {'y': 5}, 's2'], "
              "[{'y': 6}, {'y': " MAX "}, 's3']]}"),
         ERROR(2), NULL},
        {BY_Y("'options': {'presetReshardedChunks': [[{'y': 0}, {'y': " MAX "}, 's2']]}"), ERROR(2),
         NULL},
        {BY_Y("'options': {'presetReshardedChunks': [[{'y': " MIN "}, {'y': 0}, 's2']]}"), ERROR(2),
         NULL},
        {BY_Y("'options': {'presetReshardedChunks': [[{'y': " MIN "}, {'y': 0}, 's9']]}"),
         ERROR(70), NULL},
        {BY_Y("'options': {'presetReshardedChunks': [[{'x': " MIN "}, {'x': " MAX "}, 's2']]}"),
         ERROR(2), NULL},
        {"{'newKey': {'x': 1}, 'options': {'presetReshardedChunks': [[{'x': " MIN "}, {'x': " MAX
         "}, 's1']]}}",
         "{'key': {'x': 1}}", NULL},
        {"{'newKey': {'x': 1}, 'options': {'presetReshardedChunks': [[{'x': 0}, {'x': " MAX
         "}, 's1']]}}",
         ERROR(2), NULL},
        {"{'newKey': {'x': 1}, 'options': {'presetReshardedChunks': [[{'x': " MIN "}, {'x': " MAX
         "}, 's9']]}}",
         ERROR(70), NULL},
        {"{'newKey': {'x': -1}, 'options': {'presetReshardedChunks': [[{'x': " MIN "}, {'x': " MAX
         "}, 's9']]}}",
         ERROR(2), NULL},
        {"{'newKey': {'y': 1}, 'collection': 'unsharded', 'options': {'presetReshardedChunks': "
         "[[{'y': " MIN "}, {'y': 5}, 's9']]}}",
         ERROR(118), ERROR(70)},
        {BY_Y("'options': {'presetReshardedChunks': " PRESET ", 'zones': " ZONES "}"),
         "{'chunks': " PRESET ", 'zones': " ZONES "}", NULL},
    };
    sp_assert_rule_rows(sp_case_predict_reshard, by_x, rows, COUNT(rows));
}

static void test_numbers(void **state)
{
    (void)state;
    static const sp_rule_row_t rows[] = {
        {BY_Y(ONE), ONE_CHUNK, NULL},
        {BY_Y("'options': {'numInitialChunks': 0}"), ERROR(28747), NULL},
        {BY_Y("'options': {'numInitialChunks': -1}"), ERROR(28747), NULL},
        {BY_Y("'options': {'numInitialChunks': 2}"), ERROR(4952606), NULL},
        {BY_Y("'options': {}"), ERROR(4952606), NULL},
        {BY_Y("'options': {'numInitialChunks': 2}, 'docs': [{'_id': 0, 'x': 1, 'y': 4}]"),
         "{'chunks': [[{'y': " MIN "}, {'y': 4}, 's1'], [{'y': 4}, {'y': " MAX "}, 's2']]}", NULL},
        {BY_Y("'options': {'numInitialChunks': 2}, 'docs': [{'_id': 0, 'x': 1}]"),
         "{'chunks': [[{'y': " MIN "}, {'y': null}, 's1'], [{'y': null}, {'y': " MAX "}, 's2']]}",
         NULL},
        {BY_Y("'options': {'numInitialChunks': 2}, 'docs': [{'_id': 0, 'x': 1, 'y': 4}, "
              "{'_id': 1, 'x': 30, 'y': 9}, {'_id': 2, 'x': -1, 'y': 7}]"),
         "{'chunks': [[{'y': " MIN "}, {'y': 9}, 's1'], [{'y': 9}, {'y': " MAX
         "}, 's2']], 'found': 3, 'foundByKey': 3}",
         NULL},
        {BY_Y("'options': {'numInitialChunks': 3}, 'docs': [{'_id': 0, 'x': 1, 'y': 4}, "
              "{'_id': 1, 'x': 30, 'y': 9}]"),
         ERROR(4952606), NULL},
    };
    sp_assert_rule_rows(sp_case_predict_reshard, by_x, rows, COUNT(rows));
}

static void test_many_documents(void **state)
{
    (void)state;
#define DOC(n) "{'_id': " #n ", 'x': 1, 'y': " #n "}"
#define TEN                                                                                        \
    DOC(0)                                                                                         \
    ", " DOC(1) ", " DOC(2) ", " DOC(3) ", " DOC(4) ", " DOC(5) ", " DOC(6) ", " DOC(7) ", " DOC(  \
        8) ", " DOC(9)
    static const sp_rule_row_t rows[] = {
        {BY_Y("'options': {'numInitialChunks': 3}, 'docs': [" TEN ", " DOC(10) "]"),
         "{'chunks': [[{'y': " MIN "}, {'y': 9}, 's1'], [{'y': 9}, {'y': 10}, 's2'], "
         "[{'y': 10}, {'y': " MAX "}, 's3']]}",
         NULL},
        {BY_Y("'options': {'numInitialChunks': 3}, 'docs': [" TEN "]"), ERROR(4952606), NULL},
        /* As many chunks as there were, or 90. */
        {BY_Y("'docs': [" TEN ", " DOC(10) "]"), ERROR(4952606),
         "{'chunks': [[{'y': " MIN "}, {'y': 9}, 's1'], [{'y': 9}, {'y': 10}, 's2'], "
         "[{'y': 10}, {'y': " MAX "}, 's3']]}"},
        /* Which ten of eleven documents are drawn is chance, and so is where the split is. */
        {BY_Y("'options': {'numInitialChunks': 2}, 'docs': [" TEN ", " DOC(10) "]"),
         "{'key': {'y': 1}, 'found': 11, 'placed': true}", NULL},
    };
    sp_assert_rule_rows(sp_case_predict_reshard, by_x, rows, COUNT(rows));
}

static void test_zones(void **state)
{
    (void)state;
    static const sp_rule_row_t rows[] = {
        {BY_Y("'options': {'numInitialChunks': 1, 'zones': " ZONES "}"),
         "{'chunks': " ZONES ", 'zones': " ZONES "}", NULL},
        {BY_Y("'options': {'numInitialChunks': 1, 'zones': [[{'y': 20}, {'y': 50}, 's3']]}"),
         "{'chunks': [[{'y': " MIN "}, {'y': 20}, 's1'], [{'y': 20}, {'y': 50}, 's3'], "
         "[{'y': 50}, {'y': " MAX "}, 's2']], 'zones': [[{'y': 20}, {'y': 50}, 's3']]}",
         NULL},
        {BY_Y("'options': {'numInitialChunks': 1, 'zones': [[{'y': 1}, {'y': 5}, 's3'], "
              "[{'y': 4}, {'y': 6}, 's1']]}"),
         ERROR(2), NULL},
        {BY_Y("'options': {'numInitialChunks': 1, 'zones': [[{'y': 1}, {'y': 5}, 's9']]}"),
         ERROR(4952607), NULL},
        {BY_Y("'options': {'numInitialChunks': 99, 'zones': [[{'y': 1}, {'y': 5}, 's9']]}"),
         ERROR(4952606), NULL},
        {BY_Y("'options': {'numInitialChunks': 0, 'zones': [[{'y': 1}, {'y': 5}, 's9']]}"),
         ERROR(28747), NULL},
        {BY_Y("'options': {'numInitialChunks': 1, 'zones': [[{'x': 1}, {'x': 5}, 's1']]}"),
         ERROR(16634), NULL},
        {BY_Y("'options': {'numInitialChunks': 1, 'zones': [[{'y': " MIN "}, {'y': 5}, 's1'], "
              "[{'y': 9}, {'y': " MAX "}, 's1']]}"),
         "{'chunks': [[{'y': " MIN "}, {'y': 5}, 's1'], [{'y': 5}, {'y': 9}, 's2'], "
         "[{'y': 9}, {'y': " MAX "}, 's1']]}",
         NULL},
        {BY_Y("'keepZones': true, " ONE), ERROR(2), NULL},
        {BY_Y("'keepZones': true, 'options': {'numInitialChunks': 1, 'zones': []}"), ONE_CHUNK,
         NULL},
    };
    sp_assert_rule_rows(sp_case_predict_reshard, by_x, rows, COUNT(rows));
}

/* On 6.0.5 a document whose new key is MaxKey in every field is lost. */
static void test_ends(void **state)
{
    (void)state;
    static const sp_rule_row_t rows[] = {
        {BY_Y(ONE ", 'docs': [{'_id': 1, 'x': 0, 'y': " MAX "}, {'_id': 2, 'x': 0, 'y': 3}]"),
         "{'key': {'y': 1}, 'found': 2, 'placed': true}", "{'key': {'y': 1}, 'found': 1}"},
        {BY_Y("'options': {'numInitialChunks': 2}, 'docs': [{'_id': 1, 'x': 0, 'y': " MAX
              "}, {'_id': 2, 'x': 0, 'y': 3}]"),
         ONE_CHUNK, NULL},
        {BY_Y("'options': {'numInitialChunks': 2}, 'docs': [{'_id': 1, 'x': 0, 'y': " MIN "}]"),
         ERROR(11000), NULL},
        {BY_Y("'options': {'numInitialChunks': 3}, 'docs': [{'_id': 1, 'x': 0, 'y': " MAX "}]"),
         ERROR(4952606), NULL},
    };
    sp_assert_rule_rows(sp_case_predict_reshard, by_x, rows, COUNT(rows));
}

static void test_names(void **state)
{
    (void)state;
    static const sp_rule_row_t rows[] = {
        {"{'newKey': {'x': 1.5}, " ONE "}", ERROR(86), NULL},
        {"{'newKey': {'x': {'$numberDecimal': '0.6'}}, " ONE "}", ERROR(86), NULL},
        {"{'newKey': {'x': 1.5}, " ONE ", 'indexes': [{'key': {'x': 1.5, 'z': 1}}]}",
         "{'key': {'x': 1.5}}", NULL},
        {"{'newKey': {'x': 1.5, 'y': 1}, " ONE "}", "{'key': {'x': 1.5, 'y': 1}}", NULL},
        {"{'newKey': {'_id': 1}, " ONE "}", "{'key': {'_id': 1}}", NULL},
        {"{'newKey': {'_id': 1.5}, " ONE "}", ERROR(2), NULL},
    };
    sp_assert_rule_rows(sp_case_predict_reshard, by_x, rows, COUNT(rows));
}

/* On 6.0.5 the config server died of it, and again at each start. */
static void test_deadly_zones(void **state)
{
    (void)state;
    static const char request[] =
        "{'newKey': {'x': 'hashed'}, 'keepZones': true, 'options': {'numInitialChunks': 1, "
        "'zones': [[{'x': " MIN "}, {'x': {'$numberLong': '0'}}, 's1']]}}";
    static const char other[] =
        "{'newKey': {'x': 'hashed'}, 'keepZones': true, 'options': {'numInitialChunks': 1, "
        "'zones': [[{'x': {'$numberLong': '5'}}, {'x': {'$numberLong': '7'}}, 's1']]}}";
    static const sp_rule_row_t row = {request,
                                      "{'chunks': [[{'x': " MIN
                                      "}, {'x': {'$numberLong': '0'}}, 's1'], "
                                      "[{'x': {'$numberLong': '0'}}, {'x': " MAX "}, 's2']]}",
                                      NULL};
    static const sp_rule_row_t refused = {request, "a config server dies of it", NULL};
    static const sp_rule_row_t fine = {other, "{'key': {'x': 'hashed'}}", NULL};
    sp_assert_rule_rows_of(sp_case_predict_reshard, "6.0.24", by_x, &row, 1);
    sp_assert_rule_rows_of(sp_case_predict_reshard, "6.0.27", by_x, &row, 1);
    sp_assert_rule_rows_of(sp_case_predict_reshard, "6.0.5", by_x, &fine, 1);
    sp_assert_rule_refuses_on(sp_case_predict_reshard, "6.0.5", by_x, &refused, 1);
}

static void test_contents(void **state)
{
    (void)state;
    static const sp_rule_row_t rows[] = {
        {BY_Y(ONE ", 'docs': [{'_id': 1, 'x': 5, 'y': [1, 2]}]"), ERROR(61), NULL},
        {BY_Y(ONE ", 'docs': [{'_id': 1, 'x': 5}, {'_id': 2, 'x': -5, 'y': 'a'}]"),
         "{'key': {'y': 1}, 'found': 2, 'foundByKey': 2, 'placed': true}", NULL},
        {BY_Y(ONE ", 'indexes': [{'key': {'x': 1, 'z': 1}, 'unique': true}]"), ERROR(72), NULL},
        {BY_Y(ONE ", 'indexes': [{'key': {'y': 1, 'z': 1}, 'unique': true}]"), DONE, NULL},
        {BY_Y(ONE ", 'indexes': [{'key': {'y': 1}, 'sparse': true}]"), DONE, NULL},
        {BY_Y(ONE ", 'indexes': [{'key': {'y': 1}, 'hidden': true}]"), ERROR(72), NULL},
        {BY_Y(ONE ", 'indexes': [{'key': {'y': 1}, 'partialFilterExpression': {'a': 1}}]"),
         ERROR(72), NULL},
        {BY_Y(ONE ", 'indexes': [{'key': {'y': 1}, 'collation': {'locale': 'fr'}}]"), DONE, NULL},
        {BY_Y(ONE ", 'indexes': [{'key': {'y': 1}, 'hidden': true}, {'key': {'y': 1, 'z': 1}}]"),
         DONE, NULL},
        /* Samples are sorted by what is not hashed yet. */
        {"{'newKey': {'y': 'hashed'}, 'options': {'numInitialChunks': 2}, 'docs': [{'_id': 1, 'x': "
         "0, 'y': 1}, {'_id': 2, 'x': 0, 'y': 5}, {'_id': 3, 'x': 0, 'y': 2}]}",
         "{'chunks': [[{'y': " MIN "}, {'y': {'$numberLong': '4470791281878691347'}}, 's1'], "
         "[{'y': {'$numberLong': '4470791281878691347'}}, {'y': " MAX "}, 's2']]}",
         NULL},
        {"{'newKey': {'y': 'hashed'}, " ONE ", 'docs': [{'_id': 1, 'x': 5, 'y': 1}]}",
         "{'key': {'y': 'hashed'}, 'found': 1, 'foundByKey': 1, 'placed': true}", NULL},
    };
    sp_assert_rule_rows(sp_case_predict_reshard, by_x, rows, COUNT(rows));
}

static void test_bad_input(void **state)
{
    (void)state;
    static const sp_rule_row_t rows[] = {
        {"5", "requests[0]", NULL},
        {"{}", "newKey", NULL},
        {"{'newKey': 5}", "newKey", NULL},
        {BY_Y("'keepZones': 5"), "keepZones", NULL},
        {BY_Y("'options': 5"), "options", NULL},
        {BY_Y("'options': {'foo': 5}"), "foo", NULL},
        {BY_Y("'options': {'unique': 1}"), "unique", NULL},
        {BY_Y("'options': {'numInitialChunks': 1.5}"), "numInitialChunks", NULL},
        {BY_Y("'options': {'collation': 'fr'}"), "collation", NULL},
        {BY_Y("'options': {'zones': 5}"), "zones", NULL},
        {BY_Y("'options': {'zones': [5]}"), "zones[0]", NULL},
        {BY_Y("'options': {'zones': [[{'y': 1}, {'y': 2}]]}"), "zones[0]", NULL},
        {BY_Y("'options': {'presetReshardedChunks': {}}"), "presetReshardedChunks", NULL},
        {BY_Y("'options': {'presetReshardedChunks': []}"), "presetReshardedChunks", NULL},
        {BY_Y("'options': {'presetReshardedChunks': [[1, 2, 3]]}"), "presetReshardedChunks[0]",
         NULL},
        {BY_Y("'indexes': [5]"), "indexes[0]", NULL},
        {BY_Y("'docs': [5]"), "docs[0]", NULL},
        {BY_Y("'options': {'numInitialChunks': 2}, 'docs': [{'x': 1, 'y': []}]"), "docs", NULL},
    };
    sp_assert_rule_refuses(sp_case_predict_reshard, by_x, rows, COUNT(rows));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_options),      cmocka_unit_test(test_named_chunks),
        cmocka_unit_test(test_numbers),      cmocka_unit_test(test_many_documents),
        cmocka_unit_test(test_zones),        cmocka_unit_test(test_contents),
        cmocka_unit_test(test_deadly_zones), cmocka_unit_test(test_ends),
        cmocka_unit_test(test_names),        cmocka_unit_test(test_bad_input),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
