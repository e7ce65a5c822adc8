#include "../fuzzers/producer.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void test_bits_come_from_the_end(void **state)
{
    (void)state;
    const uint8_t data[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
    sp_producer_t producer;
    sp_producer_init(&producer, data, sizeof data);
    assert_int_equal(sp_draw_bits(&producer, 1), 10);
    assert_int_equal(sp_draw_bits(&producer, 2), 0x0908);
    assert_int_equal(sp_draw_bits(&producer, 0), 0);
    assert_int_equal(producer.left, 7);
    assert_int_equal(sp_draw_bits(&producer, 8), 0x07060504030201);
    assert_int_equal(producer.left, 0);
    assert_int_equal(sp_draw_bits(&producer, 8), 0);
}

/* So a number lies in the input as it lies in BSON, which dictionaries make use of. */
static void test_bits_are_little_endian_in_the_input(void **state)
{
    (void)state;
    const uint8_t data[] = {0x88, 0x77, 0x66, 0x55, 0x44, 0x33, 0x22, 0x11};
    sp_producer_t producer;
    sp_producer_init(&producer, data, sizeof data);
    assert_true(sp_draw_bits(&producer, 8) == UINT64_C(0x1122334455667788));
}

static void test_nothing_left(void **state)
{
    (void)state;
    sp_producer_t producer;
    uint8_t out[9];
    sp_producer_init(&producer, NULL, 0);
    memset(out, 0xff, sizeof out);
    assert_int_equal(sp_draw_bits(&producer, 8), 0);
    assert_int_equal(sp_draw_below(&producer, UINT32_MAX), 0);
    assert_false(sp_draw_one_in(&producer, 2));
    sp_draw_bytes(&producer, out, sizeof out);
    for (size_t i = 0; i < sizeof out; i++)
        assert_int_equal(out[i], 0);
}

static void test_below_stays_below(void **state)
{
    (void)state;
    static const uint32_t bounds[] = {2, 3, 16, 17, 256, 257, 65536, 65537, 1u << 31, UINT32_MAX};
    uint8_t data[4096];
    sp_expand_seed(1, "bounds", 0, data, sizeof data);
    for (size_t i = 0; i < sizeof bounds / sizeof *bounds; i++) {
        sp_producer_t producer;
        sp_producer_init(&producer, data, sizeof data);
        uint32_t largest = 0;
        while (producer.left >= 8) {
            uint32_t drawn = sp_draw_below(&producer, bounds[i]);
            assert_true(drawn < bounds[i]);
            largest = drawn > largest ? drawn : largest;
        }
        assert_true(largest >= bounds[i] / 2);
    }
}

/* A bound of 1 leaves no choice and takes no byte. */
static void test_no_choice_takes_nothing(void **state)
{
    (void)state;
    const uint8_t data[] = {7};
    sp_producer_t producer;
    sp_producer_init(&producer, data, sizeof data);
    assert_int_equal(sp_draw_below(&producer, 1), 0);
    assert_int_equal(producer.left, 1);
    assert_true(sp_draw_one_in(&producer, 1));
}

static void test_every_choice_comes(void **state)
{
    (void)state;
    for (uint32_t bound = 2; bound <= 300; bound += 7) {
        uint8_t data[8192];
        bool seen[300] = {false};
        sp_producer_t producer;
        sp_expand_seed(2, "choices", bound, data, sizeof data);
        sp_producer_init(&producer, data, sizeof data);
        while (producer.left >= 8)
            seen[sp_draw_below(&producer, bound)] = true;
        for (uint32_t i = 0; i < bound; i++)
            assert_true(seen[i]);
    }
}

/* Fixed, since a seed names a run: worked out from the definition in producer.c by another program.
 */
static void test_seed_vectors(void **state)
{
    (void)state;
    static const struct {
        uint64_t seed;
        const char *area;
        uint64_t scene;
        uint8_t bytes[16];
    } rows[] = {
        {0,
         "",
         0,
         {0xec, 0x05, 0x2c, 0x1a, 0x0b, 0x9b, 0x8a, 0x56, 0x8b, 0x71, 0xef, 0x47, 0xb1, 0xb8, 0xe5,
          0x44}},
        {0,
         "hash",
         0,
         {0x39, 0xcb, 0xa1, 0xe7, 0x6c, 0x56, 0x17, 0x0a, 0xda, 0x4e, 0xe7, 0x1d, 0x5f, 0xec, 0x67,
          0xd7}},
        {1,
         "hash",
         0,
         {0x39, 0x24, 0xdd, 0x1e, 0x50, 0x4a, 0xba, 0x01, 0x8a, 0x7c, 0x2b, 0x8d, 0xad, 0x93, 0xc0,
          0xde}},
        {1,
         "hash",
         1,
         {0x39, 0xac, 0x11, 0x5f, 0x44, 0x0e, 0x23, 0xed, 0x03, 0xb1, 0x77, 0x0a, 0x61, 0x17, 0x62,
          0xa6}},
        {1,
         "order",
         0,
         {0x41, 0x63, 0x42, 0x2a, 0x7f, 0x93, 0xc9, 0x4f, 0x19, 0x8e, 0x41, 0x21, 0xcb, 0x0e, 0xd8,
          0x67}},
        {3,
         "route",
         12345,
         {0x26, 0xf0, 0x1a, 0x38, 0x51, 0xad, 0x94, 0x60, 0x14, 0x7e, 0x4a, 0x69, 0x71, 0x19, 0xc0,
          0x89}},
        {UINT64_MAX,
         "route",
         UINT64_MAX,
         {0x06, 0xce, 0xb8, 0x7a, 0xb5, 0xe0, 0x95, 0x6e, 0x25, 0x84, 0x14, 0x2f, 0x40, 0x77, 0x74,
          0xb6}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint8_t bytes[16];
        sp_expand_seed(rows[i].seed, rows[i].area, rows[i].scene, bytes, sizeof bytes);
        assert_memory_equal(bytes, rows[i].bytes, sizeof bytes);
    }
}

/* However many bytes are asked for, they begin alike, and none is written behind them. */
static void test_seed_sizes(void **state)
{
    (void)state;
    uint8_t all[64];
    sp_expand_seed(5, "route", 9, all, sizeof all);
    for (size_t size = 0; size <= sizeof all; size++) {
        uint8_t some[sizeof all + 1];
        memset(some, 0xa5, sizeof some);
        sp_expand_seed(5, "route", 9, some, size);
        assert_memory_equal(some, all, size);
        for (size_t i = size; i < sizeof some; i++)
            assert_int_equal(some[i], 0xa5);
    }
}

static void test_seeds_differ(void **state)
{
    (void)state;
    uint8_t first[32], other[32];
    sp_expand_seed(1, "hash", 1, first, sizeof first);
    sp_expand_seed(1, "hash", 1, other, sizeof other);
    assert_memory_equal(first, other, sizeof first);
    sp_expand_seed(2, "hash", 1, other, sizeof other);
    assert_memory_not_equal(first, other, sizeof first);
    sp_expand_seed(1, "order", 1, other, sizeof other);
    assert_memory_not_equal(first, other, sizeof first);
    sp_expand_seed(1, "hash", 2, other, sizeof other);
    assert_memory_not_equal(first, other, sizeof first);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bits_come_from_the_end),
        cmocka_unit_test(test_bits_are_little_endian_in_the_input),
        cmocka_unit_test(test_nothing_left),
        cmocka_unit_test(test_below_stays_below),
        cmocka_unit_test(test_no_choice_takes_nothing),
        cmocka_unit_test(test_every_choice_comes),
        cmocka_unit_test(test_seed_vectors),
        cmocka_unit_test(test_seed_sizes),
        cmocka_unit_test(test_seeds_differ),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
