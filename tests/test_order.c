/*
 * The order of values against that of real servers.
 *
 * `ascending` is what $cmp gave for every pair of its values on 6.0.5 and on 6.0.27, and an index
 * on 6.0.5 sorts such values the same way. The pairs in `oddities` are those for which $cmp and an
 * index differ, or might: both were asked on both versions (November 2026).
 */
#include "../oracles/order.h"

#include "../fuzzers/gen_value.h"
#include "from_json.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

enum { ALIKE_MAX = 12, VALUES_MAX = 512 };

/* Line by line upwards; the values of one line are equal. */
static const char *const ascending[][ALIKE_MAX] = {
    {"{'$minKey': 1}"},
    {"{'$undefined': true}"},
    {"null"},
    {"{'$numberDouble': 'NaN'}", "{'$numberDecimal': 'NaN'}",
     "{'$raw': {'type': '13', 'base64': 'AQAAAAAAAAAAAAAAAAAAfg=='}}",
     "{'$raw': {'type': '01', 'base64': 'AQAAAAAA8H8='}}",
     "{'$raw': {'type': '01', 'base64': '//////////8='}}"},
    {"{'$numberDouble': '-Infinity'}", "{'$numberDecimal': '-Infinity'}"},
    {"{'$numberDecimal': '-9.999999999999999999999999999999999E+6144'}"},
    {"{'$numberDouble': '-1.7976931348623157e+308'}"},
    {"{'$numberDouble': '-1e+300'}"},
    {"{'$numberDecimal': '-1E+300'}"},
    {"{'$numberDouble': '-9223372036854777856.0'}"},
    {"{'$numberDecimal': '-9223372036854775808.5'}"},
    {"{'$numberLong': '-9223372036854775808'}", "{'$numberDouble': '-9223372036854775808.0'}",
     "{'$numberDecimal': '-9223372036854775808'}"},
    {"{'$numberLong': '-9223372036854775807'}"},
    {"{'$numberLong': '-2147483649'}", "{'$numberDouble': '-2147483649.0'}"},
    {"{'$numberInt': '-2147483648'}", "{'$numberLong': '-2147483648'}",
     "{'$numberDouble': '-2147483648.0'}", "{'$numberDecimal': '-2147483648'}"},
    {"{'$numberInt': '-1'}", "{'$numberLong': '-1'}", "{'$numberDouble': '-1.0'}",
     "{'$numberDecimal': '-1'}", "{'$numberDecimal': '-1.000'}"},
    {"{'$numberDouble': '-0.1'}"},
    {"{'$numberDecimal': '-0.1'}"},
    {"{'$numberDecimal': '-1E-6176'}"},
    {"{'$numberInt': '0'}", "{'$numberLong': '0'}", "{'$numberDouble': '0.0'}",
     "{'$numberDouble': '-0.0'}", "{'$numberDecimal': '0'}", "{'$numberDecimal': '-0'}",
     "{'$numberDecimal': '0E-6176'}", "{'$numberDecimal': '0E+6111'}",
     "{'$raw': {'type': '13', 'base64': '//////////////////9BMA=='}}",
     "{'$raw': {'type': '13', 'base64': 'BwAAAAAAAAAAAAAAAAAQbA=='}}"},
    {"{'$numberDecimal': '1E-6176'}"},
    {"{'$numberDecimal': '4.940656458412465441765687928682213E-324'}"},
    {"{'$numberDouble': '4.94065645841247e-324'}"},
    {"{'$numberDecimal': '4.940656458412465441765687928682214E-324'}"},
    {"{'$numberDouble': '2.2250738585072014e-308'}"},
    {"{'$numberDecimal': '0.1'}", "{'$numberDecimal': '0.10'}"},
    {"{'$numberDecimal': '0.1000000000000000055511151231257827'}"},
    {"{'$numberDouble': '0.1'}"},
    {"{'$numberDecimal': '0.1000000000000000055511151231257828'}"},
    {"{'$numberDouble': '0.5'}", "{'$numberDecimal': '0.5'}", "{'$numberDecimal': '0.500'}"},
    {"{'$numberDouble': '0.9999999999999999'}"},
    {"{'$numberInt': '1'}", "{'$numberLong': '1'}", "{'$numberDouble': '1.0'}",
     "{'$numberDecimal': '1'}", "{'$numberDecimal': '1.000000000000000000000000000000000'}"},
    {"{'$numberDecimal': '1.000000000000000000000000000000001'}"},
    {"{'$numberDouble': '1.0000000000000002'}"},
    {"{'$numberInt': '2147483647'}", "{'$numberLong': '2147483647'}",
     "{'$numberDouble': '2147483647.0'}"},
    {"{'$numberLong': '2147483648'}", "{'$numberDouble': '2147483648.0'}",
     "{'$numberDecimal': '2147483648'}"},
    {"{'$numberLong': '9007199254740991'}"},
    {"{'$numberLong': '9007199254740992'}", "{'$numberDouble': '9007199254740992.0'}",
     "{'$numberDecimal': '9007199254740992'}"},
    {"{'$numberDecimal': '9007199254740992.5'}"},
    {"{'$numberLong': '9007199254740993'}", "{'$numberDecimal': '9007199254740993'}"},
    {"{'$numberLong': '9007199254740994'}", "{'$numberDouble': '9007199254740994.0'}"},
    {"{'$numberDouble': '9223372036854774784.0'}"},
    {"{'$numberLong': '9223372036854775807'}", "{'$numberDecimal': '9223372036854775807'}"},
    {"{'$numberDecimal': '9223372036854775807.5'}"},
    {"{'$numberDouble': '9223372036854775808.0'}", "{'$numberDecimal': '9223372036854775808'}"},
    {"{'$numberDouble': '1.8446744073709552e+19'}", "{'$numberDecimal': '18446744073709551616'}"},
    {"{'$numberDecimal': '1E+300'}"},
    {"{'$numberDouble': '1e+300'}"},
    {"{'$numberDouble': '1.7976931348623157e+308'}"},
    {"{'$numberDecimal': '1E+309'}"},
    {"{'$numberDecimal': '9.999999999999999999999999999999999E+6144'}"},
    {"{'$numberDouble': 'Infinity'}", "{'$numberDecimal': 'Infinity'}"},
    {"''", "{'$symbol': ''}"},
    {"'\\u0000'"},
    {"'A'"},
    {"'B'"},
    {"'a'", "{'$symbol': 'a'}"},
    {"'a\\u0000'"},
    {"'a\\u0000b'", "{'$symbol': 'a\\u0000b'}"},
    {"'a\\u0001'"},
    {"'aa'"},
    {"'ab'"},
    {"'b'"},
    {"'é'"},
    {"'😀'"},
    {"{'$raw': {'type': '02', 'base64': 'AgAAAP8A'}}"},
    {"{}"},
    {"{'a': {'$minKey': 1}}"},
    {"{'a': {'$undefined': true}}"},
    {"{'a': null}"},
    {"{'': {'$numberInt': '1'}}"},
    {"{'a': {'$numberInt': '1'}}", "{'a': {'$numberDouble': '1.0'}}"},
    {"{'a': {'$numberInt': '1'}, 'b': {'$numberInt': '1'}}"},
    {"{'a': {'$numberInt': '2'}}"},
    {"{'b': {'$numberInt': '0'}}"},
    {"{'a': ''}"},
    {"{'a': {}}"},
    {"{'a': {'a': {'$minKey': 1}}}"},
    {"{'a': []}"},
    {"{'a': {'$maxKey': 1}}"},
    {"[]"},
    {"[{'$minKey': 1}]"},
    {"[null]"},
    {"[{'$numberInt': '1'}]", "[{'$numberDecimal': '1.0'}]"},
    {"[{'$numberInt': '1'}, null]"},
    {"[{'$numberInt': '1'}, {'$numberInt': '1'}]"},
    {"[{'$numberInt': '2'}]"},
    {"['a']"},
    {"[{}]"},
    {"[[]]"},
    {"[{'$maxKey': 1}]"},
    {"{'$binary': {'base64': '', 'subType': '00'}}"},
    {"{'$binary': {'base64': '', 'subType': '05'}}"},
    {"{'$binary': {'base64': '', 'subType': '80'}}"},
    {"{'$binary': {'base64': 'AA==', 'subType': '00'}}"},
    {"{'$binary': {'base64': 'YQ==', 'subType': '00'}}"},
    {"{'$binary': {'base64': '/w==', 'subType': '00'}}"},
    {"{'$binary': {'base64': 'YQ==', 'subType': '05'}}"},
    {"{'$binary': {'base64': 'enp6eg==', 'subType': '00'}}"},
    {"{'$binary': {'base64': '', 'subType': '02'}}"},
    {"{'$binary': {'base64': 'YWFhYWE=', 'subType': '00'}}"},
    {"{'$binary': {'base64': 'YQ==', 'subType': '02'}}"},
    {"{'$oid': '000000000000000000000000'}"},
    {"{'$oid': '000000000000000000000001'}"},
    {"{'$oid': '7f0000000000000000000000'}"},
    {"{'$oid': '800000000000000000000000'}"},
    {"{'$oid': 'ffffffffffffffffffffffff'}"},
    {"false"},
    {"true"},
    {"{'$date': {'$numberLong': '-9223372036854775808'}}"},
    {"{'$date': {'$numberLong': '-1'}}"},
    {"{'$date': {'$numberLong': '0'}}"},
    {"{'$date': {'$numberLong': '1'}}"},
    {"{'$date': {'$numberLong': '9223372036854775807'}}"},
    {"{'$timestamp': {'t': 0, 'i': 0}}"},
    {"{'$timestamp': {'t': 0, 'i': 1}}"},
    {"{'$timestamp': {'t': 0, 'i': 4294967295}}"},
    {"{'$timestamp': {'t': 1, 'i': 0}}"},
    {"{'$timestamp': {'t': 2147483648, 'i': 0}}"},
    {"{'$timestamp': {'t': 4294967295, 'i': 4294967295}}"},
    {"{'$regularExpression': {'pattern': '', 'options': ''}}"},
    {"{'$regularExpression': {'pattern': '', 'options': 'i'}}"},
    {"{'$regularExpression': {'pattern': 'a', 'options': ''}}"},
    {"{'$regularExpression': {'pattern': 'a', 'options': 'i'}}"},
    {"{'$regularExpression': {'pattern': 'a', 'options': 'im'}}"},
    {"{'$regularExpression': {'pattern': 'ab', 'options': ''}}"},
    {"{'$regularExpression': {'pattern': 'b', 'options': ''}}"},
    {"{'$dbPointer': {'$ref': 'b', '$id': {'$oid': '010101010101010101010101'}}}"},
    {"{'$dbPointer': {'$ref': 'aa', '$id': {'$oid': '000000000000000000000000'}}}"},
    {"{'$code': ''}"},
    {"{'$code': 'a'}"},
    {"{'$code': 'a\\u0000'}"},
    {"{'$code': 'b'}"},
    {"{'$code': '', '$scope': {}}"},
    {"{'$code': 'a', '$scope': {}}"},
    {"{'$code': 'a', '$scope': {'a': {'$numberInt': '1'}}}",
     "{'$code': 'a', '$scope': {'a': {'$numberDouble': '1.0'}}}"},
    {"{'$code': 'a', '$scope': {'a': {'$numberInt': '2'}}}"},
    {"{'$code': 'b', '$scope': {}}"},
    {"{'$maxKey': 1}"},
};

static const struct oddity {
    const char *a, *b;
    int in_index, in_expression;
} oddities[] = {
    {"{'a': {'$numberInt': '1'}, 'a': {'$numberInt': '2'}}",
     "{'a': {'$numberInt': '1'}, 'a': {'$numberInt': '3'}}", -1, 0},
    {"{'a': {'$numberInt': '1'}, 'a': {'$numberInt': '2'}}", "{'a': {'$numberInt': '1'}}", 1, 1},
    {"{'a': {'$numberInt': '1'}, 'a': 'x'}", "{'a': {'$numberInt': '1'}, 'a': {'$numberInt': '3'}}",
     1, 0},
    {"{'a': {'$numberInt': '1'}, 'a': 'x'}", "{'a': {'$numberInt': '1'}, 'b': {'$numberInt': '3'}}",
     1, -1},
    {"{'a': {'$numberInt': '1'}, 'a': {'$numberInt': '5'}}",
     "{'a': {'$numberInt': '2'}, 'a': {'$numberInt': '1'}}", -1, -1},
    {"{'a': {'$numberInt': '1'}, 'a': null}",
     "{'a': {'$numberInt': '1'}, 'a': {'$numberInt': '1'}}", -1, 0},
    {"{'a': {'$numberInt': '1'}, 'b': {'$numberInt': '5'}, 'a': {'$numberInt': '2'}}",
     "{'a': {'$numberInt': '1'}, 'b': {'$numberInt': '5'}, 'c': {'$numberInt': '1'}}", -1, -1},
    {"[{'a': {'$numberInt': '1'}, 'a': {'$numberInt': '2'}}]",
     "[{'a': {'$numberInt': '1'}, 'a': {'$numberInt': '3'}}]", -1, 0},
    {"{'x': {'a': {'$numberInt': '1'}, 'a': {'$numberInt': '2'}}}",
     "{'x': {'a': {'$numberInt': '1'}, 'a': {'$numberInt': '3'}}}", -1, 0},
    {"{'$code': 'f', '$scope': {'a': {'$numberInt': '1'}, 'a': {'$numberInt': '2'}}}",
     "{'$code': 'f', '$scope': {'a': {'$numberInt': '1'}, 'a': {'$numberInt': '3'}}}", -1, -1},
    {"{'$code': 'f', '$scope': {'x': {'a': {'$numberInt': '1'}, 'a': {'$numberInt': '2'}}}}",
     "{'$code': 'f', '$scope': {'x': {'a': {'$numberInt': '1'}, 'a': {'$numberInt': '3'}}}}", -1,
     -1},
    {"{'$dbPointer': {'$ref': 'a', '$id': {'$oid': '000000000000000000000000'}}}",
     "{'$dbPointer': {'$ref': 'b', '$id': {'$oid': '000000000000000000000000'}}}", -1, 0},
    {"{'$dbPointer': {'$ref': 'a', '$id': {'$oid': '010101010101010101010101'}}}",
     "{'$dbPointer': {'$ref': 'b', '$id': {'$oid': '000000000000000000000000'}}}", -1, 1},
    {"{'$dbPointer': {'$ref': 'b', '$id': {'$oid': '000000000000000000000000'}}}",
     "{'$dbPointer': {'$ref': 'aa', '$id': {'$oid': '000000000000000000000000'}}}", -1, -1},
    {"{'$dbPointer': {'$ref': 'a', '$id': {'$oid': '000000000000000000000000'}}}",
     "{'$dbPointer': {'$ref': 'a', '$id': {'$oid': '010101010101010101010101'}}}", -1, -1},
    {"[{'$dbPointer': {'$ref': 'a', '$id': {'$oid': '010101010101010101010101'}}}]",
     "[{'$dbPointer': {'$ref': 'b', '$id': {'$oid': '000000000000000000000000'}}}]", -1, 1},
    {"{'$code': 'f', '$scope': {'p': {'$dbPointer': {'$ref': 'a', '$id': {'$oid': "
     "'010101010101010101010101'}}}}}",
     "{'$code': 'f', '$scope': {'p': {'$dbPointer': {'$ref': 'b', '$id': {'$oid': "
     "'000000000000000000000000'}}}}}",
     -1, -1},
};

typedef struct ranked {
    bson_t *holder;
    sp_value_t value;
    const char *text;
    unsigned rank;
} ranked_t;

typedef struct ranking {
    ranked_t items[VALUES_MAX];
    unsigned count;
} ranking_t;

static int set_up(void **state)
{
    ranking_t *all = bson_malloc0(sizeof *all);
    for (unsigned rank = 0; rank < COUNT(ascending); rank++) {
        for (unsigned i = 0; i < ALIKE_MAX && ascending[rank][i] != NULL; i++) {
            ranked_t *item = &all->items[all->count++];
            item->text = ascending[rank][i];
            item->rank = rank;
            item->value = sp_value_from(item->text, &item->holder);
        }
    }
    *state = all;
    return 0;
}

static int tear_down(void **state)
{
    ranking_t *all = *state;
    for (unsigned i = 0; i < all->count; i++)
        bson_destroy(all->items[i].holder);
    bson_free(all);
    return 0;
}

static void assert_order(const char *what, const ranked_t *a, const ranked_t *b, int order)
{
    int wanted = (a->rank > b->rank) - (a->rank < b->rank);
    if (order != wanted)
        fail_msg("%s: %s against %s gives %d and not %d", what, a->text, b->text, order, wanted);
}

static void test_every_pair(void **state)
{
    const ranking_t *all = *state;
    for (unsigned i = 0; i < all->count; i++) {
        for (unsigned j = 0; j < all->count; j++) {
            const ranked_t *a = &all->items[i], *b = &all->items[j];
            assert_order("value", a, b, sp_value_compare(&a->value, &b->value));
            assert_order("expression", a, b, sp_value_compare_in_expression(&a->value, &b->value));
        }
    }
}

/* {"v": value} as a document, as a key, and as a key whose fields have other names. */
static void test_every_pair_in_documents(void **state)
{
    const ranking_t *all = *state;
    for (unsigned i = 0; i < all->count; i++) {
        bson_t renamed = BSON_INITIALIZER;
        sp_value_append(&renamed, "w", &all->items[i].value);
        for (unsigned j = 0; j < all->count; j++) {
            const ranked_t *a = &all->items[i], *b = &all->items[j];
            assert_order("document", a, b, sp_document_compare(a->holder, b->holder));
            assert_order("key", a, b, sp_key_compare(a->holder, b->holder));
            assert_order("renamed key", a, b, sp_key_compare(&renamed, b->holder));
        }
        bson_destroy(&renamed);
    }
}

/* All 21 types are in the table, in this sequence of classes. */
static void test_classes(void **state)
{
    const ranking_t *all = *state;
    static const int classes[] = {-1, 0,  5,  10, 15, 20, 25, 30, 35,
                                  40, 45, 47, 50, 55, 60, 65, 127};
    unsigned place = 0;
    bool seen[256] = {false};
    unsigned types = 0;
    for (unsigned i = 0; i < all->count; i++) {
        bson_type_t type = all->items[i].value.type;
        types += seen[(uint8_t)type] ? 0 : 1;
        seen[(uint8_t)type] = true;
        if (sp_type_class(type) != classes[place])
            place++;
        assert_true(place < COUNT(classes));
        assert_int_equal(sp_type_class(type), classes[place]);
    }
    assert_int_equal(place, COUNT(classes) - 1);
    assert_int_equal(types, 21);
    assert_int_equal(sp_type_class(BSON_TYPE_EOD), sp_type_class(BSON_TYPE_UNDEFINED));
}

static void test_oddities_of_expressions(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(oddities); i++) {
        const struct oddity *row = &oddities[i];
        bson_t *a_holder, *b_holder;
        sp_value_t a = sp_value_from(row->a, &a_holder), b = sp_value_from(row->b, &b_holder);
        if (sp_value_compare(&a, &b) != row->in_index ||
            sp_value_compare(&b, &a) != -row->in_index ||
            sp_value_compare_in_expression(&a, &b) != row->in_expression ||
            sp_value_compare_in_expression(&b, &a) != -row->in_expression)
            fail_msg("%s against %s: %d in an index, %d in an expression", row->a, row->b,
                     sp_value_compare(&a, &b), sp_value_compare_in_expression(&a, &b));
        bson_destroy(a_holder);
        bson_destroy(b_holder);
    }
}

static int compare_docs(const char *a, const char *b,
                        int (*compare)(const bson_t *a, const bson_t *b))
{
    bson_t *left = sp_doc_from(a), *right = sp_doc_from(b);
    int order = compare(left, right);
    assert_int_equal(compare(right, left), -order);
    bson_destroy(left);
    bson_destroy(right);
    return order;
}

static void test_names_count_in_documents_only(void **state)
{
    (void)state;
    const char *a = "{'a': 2, 'b': 1}", *b = "{'b': 1, 'a': 1}";
    assert_int_equal(compare_docs(a, b, sp_document_compare), -1);
    assert_int_equal(compare_docs(a, b, sp_key_compare), 1);
    /* inside a key's value names count again */
    assert_int_equal(compare_docs("{'k': {'a': 2}}", "{'l': {'b': 1}}", sp_key_compare), -1);
    /* the class comes before the name, the name before the value */
    assert_int_equal(compare_docs("{'a': 'x'}", "{'b': 1}", sp_document_compare), 1);
    assert_int_equal(compare_docs("{'a': 5}", "{'b': 1}", sp_document_compare), -1);
    /* a prefix is less */
    assert_int_equal(compare_docs("{'a': 1}", "{'a': 1, 'b': {'$minKey': 1}}", sp_document_compare),
                     -1);
    assert_int_equal(compare_docs("{}", "{'a': {'$minKey': 1}}", sp_key_compare), -1);
    assert_int_equal(compare_docs("{}", "{}", sp_key_compare), 0);
}

/* Names of fields are bytes: "é" comes behind "z". */
static void test_names_are_bytes(void **state)
{
    (void)state;
    assert_int_equal(compare_docs("{'z': 1}", "{'é': 1}", sp_document_compare), -1);
    assert_int_equal(compare_docs("{'': 1}", "{'a': 1}", sp_document_compare), -1);
    assert_int_equal(compare_docs("{'a': 1}", "{'a.b': 1}", sp_document_compare), -1);
}

static void draw_value(uint64_t scene, const sp_value_t *like, bson_t *doc)
{
    uint8_t bytes[512];
    sp_producer_t producer;
    bson_init(doc);
    sp_expand_seed(11, "order", scene, bytes, sizeof bytes);
    sp_producer_init(&producer, bytes, sizeof bytes);
    if (like == NULL || scene % 4 == 0)
        sp_gen_value(&producer, doc, "v");
    else
        sp_gen_value_near(&producer, like, doc, "v");
}

/* Chains of values, each beside the one before, sorted into one line: no order but a total one
 * survives a comparison of each pair. */
static void test_total_order_of_drawn_values(void **state)
{
    (void)state;
    enum { CHAIN = 24, CHAINS = 120 };
    for (unsigned chain = 0; chain < CHAINS; chain++) {
        bson_t docs[CHAIN];
        sp_value_t values[CHAIN];
        unsigned below[CHAIN] = {0}; /* how many values are less */
        for (unsigned i = 0; i < CHAIN; i++) {
            bson_iter_t iter;
            draw_value(chain * CHAIN + i, i == 0 ? NULL : &values[i - 1], &docs[i]);
            assert_true(bson_iter_init_find(&iter, &docs[i], "v"));
            values[i] = sp_value_of(&iter);
        }
        for (unsigned i = 0; i < CHAIN; i++) {
            for (unsigned j = 0; j < CHAIN; j++)
                below[i] += sp_value_compare(&values[j], &values[i]) < 0 ? 1 : 0;
        }
        /* In a total order the count of lesser values says it all. */
        for (unsigned i = 0; i < CHAIN; i++) {
            for (unsigned j = 0; j < CHAIN; j++)
                assert_int_equal(sp_value_compare(&values[i], &values[j]),
                                 (below[i] > below[j]) - (below[i] < below[j]));
        }
        for (unsigned i = 0; i < CHAIN; i++)
            bson_destroy(&docs[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_pair),
        cmocka_unit_test(test_every_pair_in_documents),
        cmocka_unit_test(test_classes),
        cmocka_unit_test(test_oddities_of_expressions),
        cmocka_unit_test(test_names_count_in_documents_only),
        cmocka_unit_test(test_names_are_bytes),
        cmocka_unit_test(test_total_order_of_drawn_values),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
