/*
 * Numbers: their order and the integers that stand for them in hashes.
 *
 * The integers in `for_hash` follow from hashes that 6.0.5 and 6.0.27 gave (tests/test_hash.c has
 * them): a number hashes like the int64 that stands for it. What indexes misread was asked on the
 * same servers, by a covered query over an index on each of the values.
 */
#include "../oracles/number.h"

#include "../fuzzers/gen_number.h"
#include "../fuzzers/plain_number.h"
#include "from_json.h"

#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

#define DOUBLE(text)  "{'$numberDouble': '" text "'}"
#define LONG(text)    "{'$numberLong': '" text "'}"
#define INT(text)     "{'$numberInt': '" text "'}"
#define DECIMAL(text) "{'$numberDecimal': '" text "'}"

static const struct for_hash_row {
    const char *number;
    int64_t integer;
} for_hash[] = {
    {INT("0"), 0},
    {INT("2147483647"), INT32_MAX},
    {INT("-2147483648"), INT32_MIN},
    {LONG("2147483648"), INT64_C(2147483648)},
    {LONG("9223372036854775807"), INT64_MAX},
    {LONG("-9223372036854775808"), INT64_MIN},
    /* doubles are cut towards zero */
    {DOUBLE("-0.0"), 0},
    {DOUBLE("0.9999999999999999"), 0},
    {DOUBLE("-0.9999999999999999"), 0},
    {DOUBLE("1.9999999999999998"), 1},
    {DOUBLE("-1.9999999999999998"), -1},
    {DOUBLE("2.5"), 2},
    {DOUBLE("3.5"), 3},
    {DOUBLE("4.94065645841247e-324"), 0},
    {DOUBLE("2.2250738585072014e-308"), 0},
    {DOUBLE("4503599627370495.5"), INT64_C(4503599627370495)},
    {DOUBLE("9007199254740992.0"), INT64_C(9007199254740992)},
    {DOUBLE("9223372036854774784.0"), INT64_C(9223372036854774784)},
    /* and saturate, but for 2^63 itself */
    {DOUBLE("9223372036854775808.0"), INT64_MIN},
    {DOUBLE("9223372036854777856.0"), INT64_MAX},
    {DOUBLE("-9223372036854775808.0"), INT64_MIN},
    {DOUBLE("-9223372036854777856.0"), INT64_MIN},
    {DOUBLE("1e+300"), INT64_MAX},
    {DOUBLE("-1e+300"), INT64_MIN},
    {DOUBLE("Infinity"), INT64_MAX},
    {DOUBLE("-Infinity"), INT64_MIN},
    {DOUBLE("NaN"), 0},
    {"{'$raw': {'type': '01', 'base64': 'AQAAAAAA8H8='}}", 0}, /* a signalling NaN */
    {"{'$raw': {'type': '01', 'base64': '//////////8='}}", 0}, /* a negative NaN */
    /* decimals are rounded, halves to even */
    {DECIMAL("-0"), 0},
    {DECIMAL("0E-6176"), 0},
    {DECIMAL("0E+6111"), 0},
    {DECIMAL("0.5"), 0},
    {DECIMAL("0.5000000000000000000000000000000001"), 1},
    {DECIMAL("0.4999999999999999999999999999999999"), 0},
    {DECIMAL("1.5"), 2},
    {DECIMAL("2.5"), 2},
    {DECIMAL("2.500000000000000000000000000000000"), 2},
    {DECIMAL("2.500000000000000000000000000000001"), 3},
    {DECIMAL("3.5"), 4},
    {DECIMAL("-0.5"), 0},
    {DECIMAL("-1.5"), -2},
    {DECIMAL("-2.5"), -2},
    {DECIMAL("1E+18"), INT64_C(1000000000000000000)},
    {DECIMAL("9007199254740993"), INT64_C(9007199254740993)},
    {DECIMAL("9007199254740993.5"), INT64_C(9007199254740994)},
    {DECIMAL("9223372036854775806.5"), INT64_C(9223372036854775806)},
    {DECIMAL("9223372036854775807.4"), INT64_MAX},
    {DECIMAL("9223372036854775807.5"), INT64_MAX},
    {DECIMAL("9223372036854775808"), INT64_MAX},
    {DECIMAL("-9223372036854775808"), INT64_MIN},
    {DECIMAL("-9223372036854775808.5"), INT64_MIN},
    {DECIMAL("-9223372036854775809"), INT64_MIN},
    {DECIMAL("9.999999999999999999999999999999999E+6144"), INT64_MAX},
    {DECIMAL("-9.999999999999999999999999999999999E+6144"), INT64_MIN},
    {DECIMAL("1E-6176"), 0},
    {DECIMAL("Infinity"), INT64_MAX},
    {DECIMAL("-Infinity"), INT64_MIN},
    {DECIMAL("NaN"), 0},
    /* a significand of more than 34 digits is 0, and so is one in the second form */
    {"{'$raw': {'type': '13', 'base64': '//////////////////9BMA=='}}", 0},
    {"{'$raw': {'type': '13', 'base64': 'BwAAAAAAAAAAAAAAAAAQbA=='}}", 0},
};

static void test_for_hash(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(for_hash); i++) {
        bson_t *holder;
        sp_value_t value = sp_value_from(for_hash[i].number, &holder);
        sp_plain_t plain;
        sp_plain_read(&value, &plain);
        if (sp_number_for_hash(&value) != for_hash[i].integer)
            fail_msg("%s is hashed as %" PRId64, for_hash[i].number, sp_number_for_hash(&value));
        if (sp_plain_for_hash(&plain) != for_hash[i].integer)
            fail_msg("the second opinion on %s is %" PRId64, for_hash[i].number,
                     sp_plain_for_hash(&plain));
        bson_destroy(holder);
    }
}

static int compare(const char *a, const char *b)
{
    bson_t *a_holder, *b_holder;
    sp_value_t a_value = sp_value_from(a, &a_holder), b_value = sp_value_from(b, &b_holder);
    int order = sp_number_compare(&a_value, &b_value);
    assert_int_equal(sp_number_compare(&b_value, &a_value), -order);
    bson_destroy(a_holder);
    bson_destroy(b_holder);
    return order;
}

/* The pairs that go wrong when one side is rounded to the other's type; tests/test_order.c has many
 * more. */
static void test_compared_without_rounding(void **state)
{
    (void)state;
    assert_int_equal(compare(LONG("9007199254740993"), DOUBLE("9007199254740992.0")), 1);
    assert_int_equal(compare(LONG("-9007199254740993"), DOUBLE("-9007199254740992.0")), -1);
    assert_int_equal(compare(LONG("9223372036854775807"), DOUBLE("9223372036854775808.0")), -1);
    assert_int_equal(compare(LONG("-9223372036854775808"), DOUBLE("-9223372036854775808.0")), 0);
    assert_int_equal(compare(LONG("-9223372036854775808"), DOUBLE("-9223372036854777856.0")), 1);
    assert_int_equal(compare(LONG("0"), DOUBLE("4.94065645841247e-324")), -1);
    assert_int_equal(compare(LONG("0"), DOUBLE("-4.94065645841247e-324")), 1);
    assert_int_equal(compare(LONG("-1"), DOUBLE("-1.5")), 1);
    assert_int_equal(compare(DOUBLE("0.1"), DECIMAL("0.1")), 1);
    assert_int_equal(compare(DOUBLE("-0.1"), DECIMAL("-0.1")), -1);
    assert_int_equal(compare(DOUBLE("0.1"), DECIMAL("0.1000000000000000055511151231257827")), 1);
    assert_int_equal(compare(DOUBLE("0.1"), DECIMAL("0.1000000000000000055511151231257828")), -1);
    assert_int_equal(compare(DOUBLE("0.5"), DECIMAL("0.5")), 0);
    assert_int_equal(compare(DOUBLE("4.94065645841247e-324"), DECIMAL("1E-6176")), 1);
    assert_int_equal(compare(DOUBLE("1.7976931348623157e+308"), DECIMAL("1E+309")), -1);
    assert_int_equal(compare(DOUBLE("Infinity"), DECIMAL("Infinity")), 0);
    assert_int_equal(compare(DOUBLE("Infinity"), DECIMAL("9E+6144")), 1);
    assert_int_equal(compare(DOUBLE("NaN"), DECIMAL("NaN")), 0);
    assert_int_equal(compare(DOUBLE("NaN"), DECIMAL("-Infinity")), -1);
    assert_int_equal(compare(DECIMAL("NaN"), INT("0")), -1);
    assert_int_equal(compare(LONG("9223372036854775807"), DECIMAL("9223372036854775807.5")), -1);
}

static void make_value(bson_t *doc, sp_value_t *value)
{
    bson_iter_t iter;
    assert_true(bson_iter_init_find(&iter, doc, "v"));
    *value = sp_value_of(&iter);
}

/* Drawn numbers, and numbers beside them, against the second opinion. */
static void test_drawn_numbers(void **state)
{
    (void)state;
    for (uint64_t scene = 0; scene < 40000; scene++) {
        uint8_t bytes[128];
        sp_producer_t producer;
        bson_t first = BSON_INITIALIZER, second = BSON_INITIALIZER;
        sp_value_t a, b;
        sp_plain_t a_plain, b_plain;
        sp_expand_seed(3, "number", scene, bytes, sizeof bytes);
        sp_producer_init(&producer, bytes, sizeof bytes);
        sp_gen_number(&producer, &first, "v");
        make_value(&first, &a);
        if (a.type == BSON_TYPE_DOUBLE)
            sp_gen_number_near_double(&producer, sp_value_double(&a), &second, "v");
        else
            sp_gen_number_near(&producer, sp_number_for_hash(&a), &second, "v");
        make_value(&second, &b);
        sp_plain_read(&a, &a_plain);
        sp_plain_read(&b, &b_plain);
        if (sp_number_compare(&a, &b) != sp_plain_compare(&a_plain, &b_plain) ||
            sp_number_compare(&b, &a) != sp_plain_compare(&b_plain, &a_plain) ||
            sp_number_for_hash(&a) != sp_plain_for_hash(&a_plain) ||
            sp_number_for_hash(&b) != sp_plain_for_hash(&b_plain)) {
            char *a_text = sp_text_of(&first), *b_text = sp_text_of(&second);
            fail_msg("scene %" PRIu64 ": %s against %s", scene, a_text, b_text);
        }
        bson_destroy(&first);
        bson_destroy(&second);
    }
}

static bool misreads(const char *number)
{
    bson_t *holder;
    sp_value_t value = sp_value_from(number, &holder);
    bool misread = sp_number_index_misreads(&value);
    bson_destroy(holder);
    return misread;
}

static void test_index_misreads(void **state)
{
    (void)state;
    assert_true(misreads(DECIMAL("9007199254740993.000000000000000001")));
    assert_true(misreads(DECIMAL("9007199254740993.1")));
    assert_true(misreads(DECIMAL("9007199254740993.5")));
    assert_true(misreads(DECIMAL("9007199254740993.999999999999999999")));
    assert_true(misreads(DECIMAL("-9007199254740993.5")));
    assert_false(misreads(DECIMAL("9007199254740993")));
    assert_false(misreads(DECIMAL("9007199254740993.0")));
    assert_false(misreads(DECIMAL("9007199254740992.5")));
    assert_false(misreads(DECIMAL("9007199254740994.5")));
    assert_false(misreads(DECIMAL("-9007199254740992.5")));
    assert_false(misreads(DECIMAL("9007199254740995.5")));
    assert_false(misreads(DECIMAL("18014398509481985.5")));
    assert_false(misreads(DECIMAL("4503599627370497.5")));
    assert_false(misreads(DECIMAL("0.5")));
    assert_false(misreads(DECIMAL("Infinity")));
    assert_false(misreads(DECIMAL("NaN")));
    assert_false(misreads(DOUBLE("0.5")));
    assert_false(misreads(LONG("9007199254740993")));
    assert_false(misreads("'9007199254740993.5'"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_for_hash),
        cmocka_unit_test(test_compared_without_rounding),
        cmocka_unit_test(test_drawn_numbers),
        cmocka_unit_test(test_index_misreads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
