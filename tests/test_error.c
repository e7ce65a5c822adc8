#include "../oracles/error.h"

#include <bson/bson.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { MESSAGE_MAX = sizeof((sp_error_t){0}).message - 1 };

static void test_set(void **state)
{
    (void)state;
    sp_error_t error = {0};
    assert_false(sp_error_set(&error, SP_ERROR_RULE, 61, "the field '%s' has %d values", "x", 2));
    assert_int_equal(error.domain, SP_ERROR_RULE);
    assert_int_equal(error.code, 61);
    assert_string_equal(error.message, "the field 'x' has 2 values");
    assert_false(sp_error_set(NULL, SP_ERROR_RULE, 61, "nobody cares"));
}

static void test_prefix(void **state)
{
    (void)state;
    sp_error_t error = {0};
    sp_error_set(&error, SP_ERROR_INPUT, 7, "why");
    assert_false(sp_error_prefix(&error, "%s:%u", "file", 3U));
    assert_string_equal(error.message, "file:3: why");
    assert_false(sp_error_prefix(&error, "%s", "run"));
    assert_string_equal(error.message, "run: file:3: why");
    assert_int_equal(error.domain, SP_ERROR_INPUT);
    assert_int_equal(error.code, 7);
    assert_false(sp_error_prefix(NULL, "nobody cares"));
}

static void test_long_messages_are_cut(void **state)
{
    (void)state;
    char text[2000];
    sp_error_t error;
    memset(text, 'a', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    memset(&error, 0xff, sizeof error);
    sp_error_set(&error, SP_ERROR_INPUT, 0, "%s", text);
    assert_int_equal(strlen(error.message), MESSAGE_MAX);
    sp_error_prefix(&error, "%s", "prefix");
    assert_int_equal(strlen(error.message), MESSAGE_MAX);
    assert_memory_equal(error.message, "prefix: aaa", 11);
    sp_error_prefix(&error, "%s", text);
    assert_int_equal(strlen(error.message), MESSAGE_MAX);
    assert_memory_equal(error.message, text, MESSAGE_MAX);
}

/* A message is shown to people and printed as JSON, so it must stay UTF-8 wherever it is cut. */
static void test_no_character_is_cut_in_two(void **state)
{
    (void)state;
    static const char *const characters[] = {"\xc3\xa9", "\xe2\x82\xac", "\xf0\x9f\x98\x80"};
    for (size_t kind = 0; kind < 3; kind++) {
        for (size_t shift = 0; shift < 4; shift++) {
            char text[2000] = "aaaa";
            sp_error_t error;
            size_t size = strlen(characters[kind]), at = shift;
            for (; at + size < sizeof text; at += size)
                memcpy(text + at, characters[kind], size);
            text[at] = '\0';
            sp_error_set(&error, SP_ERROR_INPUT, 0, "%s", text);
            assert_true(strlen(error.message) > MESSAGE_MAX - 4);
            assert_true(bson_utf8_validate(error.message, strlen(error.message), false));
            sp_error_prefix(&error, "%s", "prefix");
            assert_true(strlen(error.message) > MESSAGE_MAX - 4);
            assert_true(bson_utf8_validate(error.message, strlen(error.message), false));
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_set),
        cmocka_unit_test(test_prefix),
        cmocka_unit_test(test_long_messages_are_cut),
        cmocka_unit_test(test_no_character_is_cut_in_two),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
