/*
 * The literal beginnings of regular expressions.
 *
 * Each is where the first interval of `indexBounds` begins for {x: {$regex: …, $options: …}}
 * on 6.0.5 and 6.0.27 (November 2026), which answer alike.
 */
#include "../oracles/regex_prefix.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const struct row {
    const char *pattern, *options, *prefix;
} rows[] = {
    {"a", "", ""},
    {"^a", "", "a"},
    {"^abc", "", "abc"},
    {"^a|b", "", ""},
    {"^(a)", "", ""},
    {"^ab*", "", "a"},
    {"^ab?c", "", "a"},
    {"^ab+", "", "ab"},
    {"^ab{2}", "", "ab"},
    {"^ab{0}c", "", "ab"},
    {"^ab.*", "", "ab"},
    {"^ab.*$", "", "ab"},
    {"^ab$", "", "ab"},
    {"\\Aab", "", "ab"},
    {"^\\Qa.b\\E", "", "a.b"},
    {"^\\Qa.b\\Ec", "", "a.bc"},
    {"^\\Qa*b\\E", "", "a*b"},
    {"^\\Qab\\E*", "", "a"},
    {"^a\\.b", "", "a.b"},
    {"^a\\d", "", "a"},
    {"^a\\-b", "", "a-b"},
    {"^a\\0", "", "a"},
    {"^a\\/", "", "a/"},
    {"^", "", ""},
    {"^.a", "", ""},
    {"", "", ""},
    {"^a[bc]", "", "a"},
    {"^é", "", "é"},
    {"^ab.*c", "", "ab"},
    {"^a\\|b", "", "a|b"},
    {"^a\\\\|b", "", ""},
    {"^a\\*b", "", "a*b"},
    {"^a*", "", ""},
    {"^a?b", "", ""},
    {"^^a", "", ""},
    {"^a^b", "", "a"},
    {"^a]", "", "a]"},
    {"^a}b", "", "a}b"},
    {"^a b", "", "a b"},
    {"^a#b", "", "a#b"},
    {"\\A^a", "", ""},
    {"\\Za", "", ""},
    {"^ab\\E", "", "ab"},
    {"^\x01"
     "a",
     "",
     "\x01"
     "a"},
    {"^a\\ b", "", "a b"},
    {"^\\^a", "", "^a"},
    {"^(?i)a", "", ""},
    {"^a(b|c)", "", ""},
    {"^a\\x41", "", "a"},
    {"^a\\bc", "", "a"},
    {" ^a", "", ""},
    {"^a.b\\Qc\\E", "", "a"},
    {"^abc", "i", ""},
    {"^abc", "m", ""},
    {"^abc", "x", "abc"},
    {"^abc", "s", "abc"},
    {"^abc", "im", ""},
    {"^abc", "sx", "abc"},
    {"\\Aab", "m", "ab"},
    {"\\Aab", "i", ""},
    {"\\Aab", "msx", "ab"},
    {"^a b", "x", "ab"},
    {"^ a", "x", "a"},
    {"^a\\ b", "x", "a b"},
    {"^\\Qa b\\E", "x", "a b"},
    {"^a *b", "x", ""},
    {"^a\tb", "x", "ab"},
    {"^abc", "u", ""},
    {"^a\\\\\\|b", "", ""},
    {"^a\\\\\\\\|b", "", ""},
    {"^\\Qa|b\\E", "", ""},
    {"^a[|]b", "", ""},
    {"^ab\\\\", "", "ab\\"},
    /* a quantifier takes back one byte, and with it half a letter */
    {"^\xc3\xa9?", "", "\xc3"},
};

static void test_prefixes(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        const sp_regex_t regex = {rows[i].pattern, rows[i].options};
        sp_arena_t arena;
        sp_arena_init(&arena);
        const char *prefix = sp_regex_prefix(&arena, &regex);
        if (strcmp(prefix, rows[i].prefix) != 0)
            fail_msg("/%s/%s: '%s' and not '%s'", regex.pattern, regex.options, prefix,
                     rows[i].prefix);
        sp_arena_clear(&arena);
    }
}

/* A pattern of any length is copied once. */
static void test_long_pattern(void **state)
{
    (void)state;
    enum { SIZE = 100000 };
    char *pattern = bson_malloc(SIZE + 2);
    pattern[0] = '^';
    memset(pattern + 1, 'a', SIZE);
    pattern[SIZE + 1] = '\0';
    const sp_regex_t regex = {pattern, ""};
    sp_arena_t arena;
    sp_arena_init(&arena);
    assert_string_equal(sp_regex_prefix(&arena, &regex), pattern + 1);
    sp_arena_clear(&arena);
    bson_free(pattern);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_prefixes),
        cmocka_unit_test(test_long_pattern),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
