/*
 * Which documents a filter matches: what finds on 6.0.5 and 6.0.27 returned (November 2026).
 */
#include "../oracles/matcher.h"

#include "../oracles/filter_normal.h"
#include "from_json.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const sp_version_t version = {6, 0, 27};

/* clang-format off */
static const char *const docs[] = {
    "{'a': []}",
    "{'a': 1}",
    "{'a': {'': 1}}",
    "{'a': [1]}",
    "{'a': [{'': 1}]}",
    "{'a': [[1]]}",
    "{'a': [[]]}",
    "{}",
    "{'a': {}}",
    "{'a': {'b': [1]}}",
    "{'a': [{'b': 1}]}",
    "{'a': [2, {'b': null}]}",
    "{'a': [null]}",
    "{'a': null}",
    "{'a': {'$undefined': true}}",
    "{'a': [{'0': 1}, 5]}",
    "{'a': {'0': 1}}",
    "{'a': [[2, [1]]]}",
    "{'a': 'x'}",
    "{'a': 'X'}",
    "{'a': {'$symbol': 'x'}}",
    "{'a': {'$regularExpression': {'pattern': 'x', 'options': ''}}}",
    "{'a': {'$minKey': 1}}",
    "{'a': {'$maxKey': 1}}",
    "{'a': {'$numberDouble': 'NaN'}}",
    "{'a': {'$numberDecimal': '1.0'}}",
    "{'a': true}",
    "{'a': 3}",
    "{'a': [{'b': [1, 2]}, {'b': 3}]}",
    "{'a': [{'b': {'c': 1}}, {'c': 2}]}",
    "{'a': -3}",
    "{'a': {'$numberDouble': '5.9'}}",
};

/* For each document 1 where a find returned it. */
static const struct row {
    const char *filter, *found;
} rows[] = {
    {"{}",
     "11111111111111111111111111111111"},
    {"{'a': 1}",
     "01010000000000000000000001000000"},
    {"{'a': null}",
     "00000001000011100000000000000000"},
    {"{'a': {'$ne': null}}",
     "11111110111100011111111111111111"},
    {"{'a': {'$exists': true}}",
     "11111110111111111111111111111111"},
    {"{'a': {'$exists': false}}",
     "00000001000000000000000000000000"},
    {"{'a': []}",
     "10000010000000000000000000000000"},
    {"{'a': [1]}",
     "00010100000000000000000000000000"},
    {"{'a': [[1]]}",
     "00000100000000000000000000000000"},
    {"{'a.0': 1}",
     "00010000000000011000000000000000"},
    {"{'a.0': [1]}",
     "00000100000000000000000000000000"},
    {"{'a.0': null}",
     "01101001111111100011111111111111"},
    {"{'a.1': {'$exists': true}}",
     "00000000000100010000000000001100"},
    {"{'a.0.0': 1}",
     "00000100000000010000000000000000"},
    {"{'a.0.1': 1}",
     "00000000000000000000000000000000"},
    {"{'a.b': 1}",
     "00000000011000000000000000001000"},
    {"{'a.b': null}",
     "01101001100101111011111111110111"},
    {"{'a.b': {'$exists': false}}",
     "11111111100011111111111111110011"},
    {"{'a.b': [1]}",
     "00000000010000000000000000000000"},
    {"{'a.b': {'$ne': 1}}",
     "11111111100111111111111111110111"},
    {"{'a.': 1}",
     "00110000000000000000000000000000"},
    {"{'a.': []}",
     "10000010000000000000000000000000"},
    {"{'a.': null}",
     "01000001110011101011111111110011"},
    {"{'a.': {'$size': 1}}",
     "00011110001010000100000000000000"},
    {"{'a': {'$gt': 0}}",
     "01010000000100010000000001010001"},
    {"{'a': {'$gte': {'$numberDouble': 'NaN'}}}",
     "00000000000000000000000010000000"},
    {"{'a': {'$lt': 2}}",
     "01010000000000000000000001000010"},
    {"{'a': {'$gt': {'$minKey': 1}}}",
     "11111111111111111111110111111111"},
    {"{'a': {'$gte': {'$minKey': 1}}}",
     "11111111111111111111111111111111"},
    {"{'a': {'$lt': {'$maxKey': 1}}}",
     "11111111111111111111111011111111"},
    {"{'a': {'$lte': {'$maxKey': 1}}}",
     "11111111111111111111111111111111"},
    {"{'a': {'$gte': null}}",
     "00000001000011100000000000000000"},
    {"{'a': {'$gt': null}}",
     "00000000000000000000000000000000"},
    {"{'a': {'$gt': []}}",
     "00011110001110010100000000001100"},
    {"{'a': {'$gte': {}}}",
     "00101000111100011000000000001100"},
    {"{'a': {'$in': [1, null]}}",
     "01010001000011100000000001000000"},
    {"{'a': {'$in': []}}",
     "00000000000000000000000000000000"},
    {"{'a': {'$nin': [1, 'x']}}",
     "10101111111111111101011110111111"},
    {"{'a': {'$in': [{'$regularExpression': {'pattern': '^x', 'options': 'i'}}]}}",
     "00000000000000000011100000000000"},
    {"{'a': {'$regularExpression': {'pattern': 'x', 'options': ''}}}",
     "00000000000000000010110000000000"},
    {"{'a': {'$eq': {'$regularExpression': {'pattern': 'x', 'options': ''}}}}",
     "00000000000000000000010000000000"},
    {"{'a': {'$regex': 'X', '$options': 'i'}}",
     "00000000000000000011100000000000"},
    {"{'a': {'$not': {'$regularExpression': {'pattern': 'x', 'options': ''}}}}",
     "11111111111111111101001111111111"},
    {"{'a': {'$size': 0}}",
     "10000000000000000000000000000000"},
    {"{'a': {'$size': 2}}",
     "00000000000100010000000000001100"},
    {"{'a': {'$type': 'array'}}",
     "10011110001110010100000000001100"},
    {"{'a': {'$type': 'number'}}",
     "01010000000100010000000011010011"},
    {"{'a': {'$type': ['null', 'object']}}",
     "00101000111111011000000000001100"},
    {"{'a': {'$elemMatch': {'$gt': 0}}}",
     "00010000000100010000000000000000"},
    {"{'a': {'$elemMatch': {'b': 1}}}",
     "00000000001000000000000000001000"},
    {"{'a': {'$elemMatch': {'0': 1}}}",
     "00000100000000010000000000000000"},
    {"{'a': {'$elemMatch': {'$elemMatch': {'$gt': 0}}}}",
     "00000100000000000100000000000000"},
    {"{'a': {'$elemMatch': {'$not': {'$gt': 0}}}}",
     "00001110001110010100000000001100"},
    {"{'a': {'$elemMatch': {'b': null}}}",
     "00001110000100010100000000000100"},
    {"{'a': {'$all': [1]}}",
     "01010000000000000000000001000000"},
    {"{'a': {'$all': []}}",
     "00000000000000000000000000000000"},
    {"{'a': {'$all': [{'$elemMatch': {'b': 3}}]}}",
     "00000000000000000000000000001000"},
    {"{'a': {'$mod': [2, 1]}}",
     "01010000000000010000000001010001"},
    {"{'a': {'$mod': [2, -1]}}",
     "00000000000000000000000000000010"},
    {"{'a': {'$not': {'$gt': 1, '$lt': 5}}}",
     "11111111111011111111111111101111"},
    {"{'$nor': [{'a': 1}, {'a': null}]}",
     "10101110111100011111111110111111"},
    {"{'$or': [{'a': 'x'}, {'a': 3}]}",
     "00000000000000000010100000010000"},
    {"{'$and': [{'a': {'$gt': 0}}, {'a': {'$lt': 4}}]}",
     "01010000000100000000000001010000"},
    {"{'a.b.c': 1}",
     "00000000000000000000000000000100"},
    {"{'a.b.0': 1}",
     "00000000010000000000000000001000"},
    {"{'a.0.b': 1}",
     "00000000001000000000000000001000"},
};
/* clang-format on */

static sp_arena_t arena;

static int set_up(void **state)
{
    (void)state;
    sp_arena_init(&arena);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    sp_arena_clear(&arena);
    return 0;
}

static bool matches(const char *filter_text, const char *doc_text, bool normalized,
                    const char *collation_text)
{
    bool result;
    sp_error_t error;
    bson_t *filter = sp_doc_from(filter_text), *doc = sp_doc_from(doc_text);
    bson_t *collation = collation_text == NULL ? NULL : sp_doc_from(collation_text);
    sp_collator_t *collator = collation == NULL ? NULL : sp_collator_new(collation, &error);
    sp_node_t *root = sp_filter_parse(&arena, version, filter, &error);
    assert_non_null(root);
    if (normalized)
        root = sp_filter_normalize(&arena, version, NULL, root);
    assert_true(sp_matches(root, doc, collator, &result, &error));
    sp_collator_free(collator);
    if (collation != NULL)
        bson_destroy(collation);
    bson_destroy(filter);
    bson_destroy(doc);
    return result;
}

static void test_rows(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        assert_int_equal(strlen(rows[i].found), COUNT(docs));
        for (size_t d = 0; d < COUNT(docs); d++) {
            bool wanted = rows[i].found[d] == '1';
            if (matches(rows[i].filter, docs[d], false, NULL) != wanted ||
                matches(rows[i].filter, docs[d], true, NULL) != wanted)
                fail_msg("%s on %s: not %d", rows[i].filter, docs[d], wanted);
        }
    }
}

static void test_collation(void **state)
{
    (void)state;
    const char *loose = "{'locale': 'en', 'strength': 2}";
    assert_true(matches("{'a': 'x'}", "{'a': 'X'}", false, loose));
    assert_false(matches("{'a': 'x'}", "{'a': 'X'}", false, NULL));
    assert_true(matches("{'a': {'$in': [['x']]}}", "{'a': ['X']}", false, loose));
    assert_true(matches("{'a': {'b': 'x'}}", "{'a': {'b': 'X'}}", false, loose));
    assert_false(matches("{'a': {'$regex': 'x'}}", "{'a': 'X'}", false, loose));
}

/* Of two fields with one name the first counts. */
static void test_repeated_name(void **state)
{
    (void)state;
    assert_true(matches("{'a': 1}", "{'a': 1, 'a': 2}", false, NULL));
    assert_false(matches("{'a': 2}", "{'a': 1, 'a': 2}", false, NULL));
}

static void test_not_known(void **state)
{
    static const char *const filters[] = {
        "{'$where': 'true'}", "{'$sampleRate': 0.5}",        "{'a': {'$bitsAllSet': 1}}",
        "{'$expr': true}",    "{'a': {'$regex': '(a+)+$'}}",
    };
    (void)state;
    for (size_t i = 0; i < COUNT(filters); i++) {
        bool result;
        sp_error_t error = {0};
        bson_t *filter = sp_doc_from(filters[i]);
        bson_t *doc = sp_doc_from("{'a': 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!'}");
        sp_node_t *root = sp_filter_parse(&arena, version, filter, &error);
        assert_non_null(root);
        assert_false(sp_matches(root, doc, NULL, &result, &error));
        assert_int_equal(error.domain, SP_ERROR_INPUT);
        bson_destroy(filter);
        bson_destroy(doc);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_rows, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_collation, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_repeated_name, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_not_known, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
