#include "../fuzzers/gen_number.h"

#include "../fuzzers/plain_number.h"
#include "../oracles/number.h"
#include "from_json.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { SCENES = 20000 };

static void start(sp_producer_t *producer, uint8_t *bytes, size_t size, const char *area,
                  uint64_t scene)
{
    sp_expand_seed(1, area, scene, bytes, size);
    sp_producer_init(producer, bytes, size);
}

static sp_value_t drawn(const bson_t *doc)
{
    bson_iter_t iter;
    assert_int_equal(bson_count_keys(doc), 1);
    assert_true(sp_document_check(doc, NULL));
    assert_true(bson_iter_init_find(&iter, doc, "n"));
    sp_value_t value = sp_value_of(&iter);
    assert_true(sp_value_is_number(&value));
    return value;
}

typedef struct seen {
    unsigned int32, int64, doubles, decimals;
    unsigned nans, infinities, zeros, negative_zeros, fractions, halves, tiny, beyond_int64;
} seen_t;

static void note(seen_t *seen, const sp_value_t *value)
{
    sp_plain_t number;
    sp_plain_read(value, &number);
    seen->int32 += value->type == BSON_TYPE_INT32;
    seen->int64 += value->type == BSON_TYPE_INT64;
    seen->doubles += value->type == BSON_TYPE_DOUBLE;
    seen->decimals += value->type == BSON_TYPE_DECIMAL128;
    seen->nans += number.kind == SP_PLAIN_NAN;
    seen->infinities += number.kind == SP_PLAIN_INFINITE;
    if (number.kind != SP_PLAIN_FINITE)
        return;
    seen->zeros += number.count == 0;
    seen->negative_zeros += number.count == 0 && number.negative;
    seen->fractions += !sp_plain_is_integer(&number);
    seen->halves += number.count > 0 && number.count == number.exponent + 1 &&
                    number.digits[number.count - 1] == '5';
    seen->tiny += number.count > 0 && number.exponent < -307;
    seen->beyond_int64 += number.count > 0 && number.exponent > 19;
}

/* Every kind of number comes, and none too rarely for a run of some thousand cases to meet it. */
static void test_kinds(void **state)
{
    (void)state;
    seen_t seen = {0};
    for (uint64_t scene = 0; scene < SCENES; scene++) {
        uint8_t bytes[64];
        sp_producer_t producer;
        bson_t doc = BSON_INITIALIZER;
        start(&producer, bytes, sizeof bytes, "number", scene);
        sp_gen_number(&producer, &doc, "n");
        sp_value_t value = drawn(&doc);
        note(&seen, &value);
        bson_destroy(&doc);
    }
    assert_int_equal(seen.int32 + seen.int64 + seen.doubles + seen.decimals, SCENES);
    assert_true(seen.int32 > SCENES / 20 && seen.int64 > SCENES / 20);
    assert_true(seen.doubles > SCENES / 10 && seen.decimals > SCENES / 10);
    assert_true(seen.nans > SCENES / 200 && seen.infinities > SCENES / 200);
    assert_true(seen.zeros > SCENES / 100 && seen.negative_zeros > SCENES / 400);
    assert_true(seen.fractions > SCENES / 10 && seen.halves > SCENES / 200);
    assert_true(seen.tiny > SCENES / 200 && seen.beyond_int64 > SCENES / 100);
}

/* The place where int32, int64 and exact doubles end, on both sides. */
static void test_edges(void **state)
{
    (void)state;
    static const int64_t edges[] = {INT32_MAX,
                                    INT32_MIN,
                                    INT64_C(2147483648),
                                    INT64_C(-2147483649),
                                    INT64_C(9007199254740991),
                                    INT64_C(9007199254740992),
                                    INT64_C(9007199254740993),
                                    INT64_C(-9007199254740993),
                                    INT64_MAX,
                                    INT64_MIN};
    bool seen[sizeof edges / sizeof *edges] = {false};
    bool seen_two_63 = false, seen_minus_two_63 = false;
    for (uint64_t scene = 0; scene < SCENES; scene++) {
        uint8_t bytes[64];
        sp_producer_t producer;
        bson_t doc = BSON_INITIALIZER;
        start(&producer, bytes, sizeof bytes, "number", scene);
        sp_gen_number(&producer, &doc, "n");
        sp_value_t value = drawn(&doc);
        for (size_t i = 0; i < sizeof edges / sizeof *edges; i++) {
            if (value.type == BSON_TYPE_INT64 && sp_value_int64(&value) == edges[i])
                seen[i] = true;
        }
        if (value.type == BSON_TYPE_DOUBLE && sp_value_double(&value) == 0x1p63)
            seen_two_63 = true;
        if (value.type == BSON_TYPE_DOUBLE && sp_value_double(&value) == -0x1p63)
            seen_minus_two_63 = true;
        bson_destroy(&doc);
    }
    for (size_t i = 0; i < sizeof edges / sizeof *edges; i++)
        assert_true(seen[i]);
    assert_true(seen_two_63 && seen_minus_two_63);
}

static int compare_with_integer(const sp_value_t *value, int64_t integer)
{
    const uint64_t little = BSON_UINT64_TO_LE((uint64_t)integer);
    const sp_value_t other = {BSON_TYPE_INT64, sizeof little, (const uint8_t *)&little};
    return sp_number_compare(value, &other);
}

/* What lies near an integer is less than 1 away from it, as long as doubles are that dense. */
static void test_near(void **state)
{
    (void)state;
    unsigned equal[256] = {0}, beside = 0;
    for (uint64_t scene = 0; scene < SCENES; scene++) {
        uint8_t bytes[64];
        sp_producer_t producer;
        bson_t doc = BSON_INITIALIZER;
        start(&producer, bytes, sizeof bytes, "near", scene);
        int64_t integer = (int64_t)(sp_draw_bits(&producer, 6) >> sp_draw_below(&producer, 48));
        integer = sp_draw_one_in(&producer, 2) ? -integer : integer;
        sp_gen_number_near(&producer, integer, &doc, "n");
        sp_value_t value = drawn(&doc);
        assert_int_equal(compare_with_integer(&value, integer - 1), 1);
        assert_int_equal(compare_with_integer(&value, integer + 1), -1);
        if (compare_with_integer(&value, integer) == 0)
            equal[(uint8_t)value.type]++;
        else
            beside++;
        bson_destroy(&doc);
    }
    assert_true(equal[BSON_TYPE_INT32] > SCENES / 100);
    assert_true(equal[BSON_TYPE_INT64] > SCENES / 10);
    assert_true(equal[BSON_TYPE_DOUBLE] > SCENES / 20);
    assert_true(equal[BSON_TYPE_DECIMAL128] > SCENES / 10);
    assert_true(beside > SCENES / 10);
}

/* The extremes of int64, whose neighbours no type must overflow to. */
static void test_near_extremes(void **state)
{
    (void)state;
    static const int64_t extremes[] = {INT64_MAX, INT64_MIN, INT32_MAX, INT32_MIN, 0, 1, -1};
    for (size_t i = 0; i < sizeof extremes / sizeof *extremes; i++) {
        for (uint64_t scene = 0; scene < 500; scene++) {
            uint8_t bytes[64];
            sp_producer_t producer;
            bson_t doc = BSON_INITIALIZER;
            start(&producer, bytes, sizeof bytes, "near", scene);
            sp_gen_number_near(&producer, extremes[i], &doc, "n");
            sp_value_t value = drawn(&doc);
            sp_plain_t number;
            sp_plain_read(&value, &number);
            assert_int_equal(number.kind, SP_PLAIN_FINITE);
            assert_true(number.exponent <= 19);
            bson_destroy(&doc);
        }
    }
}

/* Beside a double: equal to it, a step away, or a decimal that differs in the 34th digit at most.
 */
static void test_near_double(void **state)
{
    (void)state;
    static const double numbers[] = {0.1, -0.1, 1.0 / 3, 1e300, -1e-300, 5e-324, 0x1p63, 0.5, 1e22};
    unsigned equal = 0, less = 0, more = 0, decimals = 0;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        bson_t exact = BSON_INITIALIZER;
        BSON_APPEND_DOUBLE(&exact, "n", numbers[i]);
        sp_value_t exact_value = drawn(&exact);
        for (uint64_t scene = 0; scene < 300; scene++) {
            uint8_t bytes[64];
            sp_producer_t producer;
            bson_t doc = BSON_INITIALIZER;
            start(&producer, bytes, sizeof bytes, "near", scene);
            sp_gen_number_near_double(&producer, numbers[i], &doc, "n");
            sp_value_t value = drawn(&doc);
            int order = sp_number_compare(&value, &exact_value);
            equal += order == 0;
            less += order < 0;
            more += order > 0;
            decimals += value.type == BSON_TYPE_DECIMAL128;
            if (value.type == BSON_TYPE_DOUBLE) {
                double low = nextafter(nextafter(numbers[i], -INFINITY), -INFINITY);
                double high = nextafter(nextafter(numbers[i], INFINITY), INFINITY);
                assert_true(sp_value_double(&value) >= low && sp_value_double(&value) <= high);
            }
            bson_destroy(&doc);
        }
        bson_destroy(&exact);
    }
    assert_true(equal > 100 && less > 100 && more > 100 && decimals > 100);
}

static void test_no_neighbour_of_infinity(void **state)
{
    (void)state;
    static const double numbers[] = {INFINITY, -INFINITY, NAN};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        for (uint64_t scene = 0; scene < 100; scene++) {
            uint8_t bytes[64];
            sp_producer_t producer;
            bson_t doc = BSON_INITIALIZER;
            start(&producer, bytes, sizeof bytes, "near", scene);
            sp_gen_number_near_double(&producer, numbers[i], &doc, "n");
            drawn(&doc);
            bson_destroy(&doc);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kinds),       cmocka_unit_test(test_edges),
        cmocka_unit_test(test_near),        cmocka_unit_test(test_near_extremes),
        cmocka_unit_test(test_near_double), cmocka_unit_test(test_no_neighbour_of_infinity),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
