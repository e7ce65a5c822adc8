/* Tallies: counts, merging, order, and that they stay bounded. */
#include "../reports/tally.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static void assert_entry(const sp_tally_entry_t *entry, const char *dimension, const char *name,
                         uint64_t count)
{
    assert_string_equal(entry->dimension, dimension);
    assert_string_equal(entry->name, name);
    assert_int_equal(entry->count, count);
}

static void kinds_are_counted_apart(void **state)
{
    (void)state;
    size_t count;
    sp_tally_t *tally = sp_tally_new();
    sp_tally_entries(tally, &count);
    assert_int_equal(count, 0);
    sp_tally_add(tally, "operator", "$or", 1);
    sp_tally_add(tally, "key", "x:1", 2);
    sp_tally_add(tally, "operator", "$and", 1);
    sp_tally_add(tally, "operator", "$or", 4);
    sp_tally_add(tally, "operator$", "or", 1); /* no other split of the same letters is the same */
    sp_tally_add(tally, "key", "", 9);
    const sp_tally_entry_t *entries = sp_tally_entries(tally, &count);
    assert_int_equal(count, 5);
    assert_entry(&entries[0], "key", "", 9);
    assert_entry(&entries[1], "key", "x:1", 2);
    assert_entry(&entries[2], "operator", "$and", 1);
    assert_entry(&entries[3], "operator", "$or", 5);
    assert_entry(&entries[4], "operator$", "or", 1);
    sp_tally_free(tally);
}

static void counting_goes_on_after_sorting(void **state)
{
    (void)state;
    size_t count;
    sp_tally_t *tally = sp_tally_new();
    sp_tally_add(tally, "d", "b", 1);
    sp_tally_add(tally, "d", "a", 1);
    sp_tally_entries(tally, &count);
    sp_tally_add(tally, "d", "b", 1);
    sp_tally_add(tally, "d", "0", UINT64_C(1) << 40);
    const sp_tally_entry_t *entries = sp_tally_entries(tally, &count);
    assert_int_equal(count, 3);
    assert_entry(&entries[0], "d", "0", UINT64_C(1) << 40);
    assert_entry(&entries[1], "d", "a", 1);
    assert_entry(&entries[2], "d", "b", 2);
    sp_tally_free(tally);
}

static void merging_adds(void **state)
{
    (void)state;
    size_t count;
    sp_tally_t *left = sp_tally_new(), *right = sp_tally_new();
    sp_tally_add(left, "d", "a", 1);
    sp_tally_add(right, "d", "a", 2);
    sp_tally_add(right, "d", "b", 3);
    sp_tally_merge(left, right);
    sp_tally_merge(left, right);
    sp_tally_free(right);
    const sp_tally_entry_t *entries = sp_tally_entries(left, &count);
    assert_int_equal(count, 2);
    assert_entry(&entries[0], "d", "a", 5);
    assert_entry(&entries[1], "d", "b", 6);
    sp_tally_free(left);
    sp_tally_free(NULL);
}

static void too_many_kinds_become_others(void **state)
{
    (void)state;
    size_t count;
    uint64_t sum = 0, others = 0;
    sp_tally_t *tally = sp_tally_new();
    for (unsigned i = 0; i < 2 * SP_TALLY_MAX; i++) {
        char name[24];
        snprintf(name, sizeof name, "kind %u", i);
        sp_tally_add(tally, "d", name, 1);
    }
    sp_tally_add(tally, "d", "kind 0", 1);
    sp_tally_add(tally, "e", "more", 1);
    const sp_tally_entry_t *entries = sp_tally_entries(tally, &count);
    assert_int_equal(count, SP_TALLY_MAX + 2);
    for (size_t i = 0; i < count; i++) {
        sum += entries[i].count;
        if (strcmp(entries[i].name, SP_TALLY_OTHERS) == 0)
            others += entries[i].count;
        if (strcmp(entries[i].name, "kind 0") == 0)
            assert_int_equal(entries[i].count, 2);
    }
    assert_int_equal(sum, 2 * SP_TALLY_MAX + 2);
    assert_int_equal(others, SP_TALLY_MAX + 1);
    sp_tally_free(tally);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kinds_are_counted_apart),
        cmocka_unit_test(counting_goes_on_after_sorting),
        cmocka_unit_test(merging_adds),
        cmocka_unit_test(too_many_kinds_become_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
