#include "../oracles/arena.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static bool lies_in_first(const sp_arena_t *arena, const void *data)
{
    uintptr_t at = (uintptr_t)data, start = (uintptr_t)arena->first;
    return at >= start && at < start + SP_ARENA_FIRST;
}

/* What was handed out stays as it was written, however much comes after it. */
static void test_keeps_what_is_written(void **state)
{
    (void)state;
    enum { PIECES = 2000 };
    static uint8_t *pieces[PIECES];
    static size_t sizes[PIECES];
    sp_arena_t arena;
    sp_arena_init(&arena);
    for (unsigned i = 0; i < PIECES; i++) {
        sizes[i] = i * 37 % 301;
        pieces[i] = sp_arena_take(&arena, sizes[i]);
        assert_int_equal((uintptr_t)pieces[i] % 16, 0);
        for (size_t j = 0; j < sizes[i]; j++)
            assert_int_equal(pieces[i][j], 0);
        memset(pieces[i], (int)(i % 255 + 1), sizes[i]);
    }
    for (unsigned i = 0; i < PIECES; i++) {
        for (size_t j = 0; j < sizes[i]; j++)
            assert_int_equal(pieces[i][j], i % 255 + 1);
    }
    sp_arena_clear(&arena);
}

static void test_small_questions_allocate_nothing(void **state)
{
    (void)state;
    sp_arena_t arena;
    sp_arena_init(&arena);
    assert_true(lies_in_first(&arena, sp_arena_take(&arena, 1)));
    assert_true(lies_in_first(&arena, sp_arena_take(&arena, SP_ARENA_FIRST - 16)));
    assert_null(arena.blocks);
    assert_false(lies_in_first(&arena, sp_arena_take(&arena, 1)));
    assert_non_null(arena.blocks);
    sp_arena_clear(&arena);
}

/* One piece may be larger than all before it together. */
static void test_large_piece(void **state)
{
    (void)state;
    sp_arena_t arena;
    sp_arena_init(&arena);
    const size_t sizes[] = {SP_ARENA_FIRST + 1, 10, 1000000, 10, 5000000};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        uint8_t *piece = sp_arena_take(&arena, sizes[i]);
        assert_int_equal(piece[0] | piece[sizes[i] - 1], 0);
        memset(piece, 0xff, sizes[i]);
    }
    sp_arena_clear(&arena);
}

/* Memory that was used before comes as zeroes again. */
static void test_clear(void **state)
{
    (void)state;
    sp_arena_t arena;
    sp_arena_init(&arena);
    memset(sp_arena_take(&arena, 100), 0xff, 100);
    memset(sp_arena_take(&arena, 100000), 0xff, 100000);
    sp_arena_clear(&arena);
    assert_null(arena.blocks);
    uint8_t *again = sp_arena_take(&arena, 100);
    assert_true(lies_in_first(&arena, again));
    for (unsigned i = 0; i < 100; i++)
        assert_int_equal(again[i], 0);
    sp_arena_clear(&arena);
    sp_arena_clear(&arena);
}

static void test_grow(void **state)
{
    (void)state;
    enum { ITEMS = 1000 };
    sp_arena_t arena;
    sp_arena_init(&arena);
    unsigned capacity = 0;
    uint64_t *items = NULL;
    for (unsigned used = 0; used < ITEMS; used++) {
        const uint64_t *before = items;
        bool full = used == capacity;
        items = sp_arena_grow(&arena, items, sizeof *items, used, &capacity);
        assert_true(items != NULL && capacity > used);
        assert_int_equal(items == before, !full);
        items[used] = used * UINT64_C(0x123456789);
    }
    assert_non_null(items);
    for (unsigned i = 0; i < ITEMS; i++)
        assert_int_equal(items[i], i * UINT64_C(0x123456789));
    assert_true(capacity < 2 * ITEMS);
    sp_arena_clear(&arena);
}

static void test_text(void **state)
{
    (void)state;
    sp_arena_t arena;
    sp_arena_init(&arena);
    memset(sp_arena_take(&arena, 64), 0xff, 64);
    sp_arena_clear(&arena);
    const char whole[] = "shard key";
    assert_string_equal(sp_arena_text(&arena, whole, 5), "shard");
    assert_string_equal(sp_arena_text(&arena, whole, 0), "");
    assert_memory_equal(sp_arena_text(&arena, "a\0b", 3), "a\0b", 4);
    const char sixteen[] = "0123456789abcdef";
    char *copy = sp_arena_text(&arena, sixteen, 16);
    memset(sp_arena_take(&arena, 16), 0xff, 16);
    assert_string_equal(copy, sixteen);
    sp_arena_clear(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_keeps_what_is_written),
        cmocka_unit_test(test_small_questions_allocate_nothing),
        cmocka_unit_test(test_large_piece),
        cmocka_unit_test(test_clear),
        cmocka_unit_test(test_grow),
        cmocka_unit_test(test_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
