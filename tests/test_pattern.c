/*
 * Shard key patterns, and keys and bounds that fit them.
 *
 * Which patterns a server takes, and the codes of those it refuses, were asked on 6.0.5, 6.0.24 and
 * 6.0.27 by sharding an empty collection on each (November 2026). They differ in one point, which
 * is noted where it comes.
 */
#include "../oracles/pattern.h"

#include "from_json.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const char *const taken[] = {
    "{'x': 1}",
    "{'x': {'$numberDouble': '1.0'}}",
    "{'x': {'$numberLong': '1'}}",
    "{'x': {'$numberDecimal': '1'}}",
    "{'x': {'$numberDecimal': '1.00'}}",
    /* as an int32 they are 1: doubles are cut, decimals rounded */
    "{'x': 1.5}",
    "{'x': 1.9999}",
    "{'x': {'$numberDecimal': '1.2'}}",
    "{'x': {'$numberDecimal': '0.6'}}",
    "{'x': 'hashed'}",
    "{'x': 'hashed', 'y': 1}",
    "{'y': 1, 'x': 'hashed'}",
    "{'_id': 1}",
    "{'_id': 'hashed'}",
    "{'_id.x': 1}",
    /* one path may lead into another */
    "{'a': 1, 'a.b': 1}",
    "{'a.b': 1, 'a': 1}",
    "{'a': 'hashed', 'a.b': 1}",
    "{'a': 1, 'ab': 1}",
    "{'a.b': 1, 'a.c': 1}",
    "{'0': 1}",
    "{'a.0': 1}",
    "{'é': 1}",
    "{'a$': 1}",
    "{'a.b$c': 1}",
};

static const struct refused {
    const char *pattern, *message;
} refused[] = {
    {"{}", "the shard key pattern is empty"},
    {"{'x': -1}", "the shard key field 'x' must be 1 or \"hashed\""},
    {"{'x': 2}", "must be 1"},
    {"{'x': 0}", "must be 1"},
    {"{'x': {'$numberDouble': '0.9'}}", "must be 1"},
    {"{'x': {'$numberDouble': 'NaN'}}", "must be 1"},
    {"{'x': {'$numberDecimal': '1.5'}}", "must be 1"},
    {"{'x': {'$numberDecimal': '0.5'}}", "must be 1"},
    {"{'x': {'$numberDecimal': 'NaN'}}", "must be 1"},
    {"{'x': {'$numberLong': '4294967297'}}", "must be 1"},
    {"{'x': {'$numberDouble': '4294967297.0'}}", "must be 1"},
    {"{'x': true}", "must be 1"},
    {"{'x': null}", "must be 1"},
    {"{'x': '1'}", "must be 1"},
    {"{'x': ''}", "must be 1"},
    {"{'x': 'HASHED'}", "must be 1"},
    {"{'x': 'hashed '}", "must be 1"},
    {"{'x': 'hashed\\u0000'}", "must be 1"},
    {"{'x': {'$symbol': 'hashed'}}", "must be 1"},
    {"{'x': 'text'}", "must be 1"},
    {"{'x': '2dsphere'}", "must be 1"},
    {"{'x': {'y': 1}}", "must be 1"},
    {"{'x': [1]}", "must be 1"},
    {"{'y': 1, 'x': -1}", "the shard key field 'x' must be 1 or \"hashed\""},
    {"{'x': 'hashed', 'y': 'hashed'}", "at most one hashed field"},
    {"{'x': 1, 'x': 1}", "the field 'x' twice"},
    {"{'x': 1, 'x': 'hashed'}", "the field 'x' twice"},
    {"{'a.b': 1, 'c': 1, 'a.b': 1}", "the field 'a.b' twice"},
    {"{'': 1}", "the shard key path '' has an empty part"},
    {"{'.': 1}", "the shard key path '.' has an empty part"},
    {"{'a.': 1}", "empty part"},
    {"{'.a': 1}", "empty part"},
    {"{'a..b': 1}", "the shard key path 'a..b' has an empty part"},
    {"{'$a': 1}", "the shard key path '$a' has a part that begins with $"},
    {"{'a.$b': 1}", "begins with $"},
    {"{'a.$idx': 1}", "begins with $"},
    {"{'a.$': 1}", "begins with $"},
    {"{'$id': 1}", "begins with $"},
};

static sp_pattern_t *parse(const char *text, sp_error_t *error)
{
    bson_t *doc = sp_doc_from(text);
    sp_pattern_t *pattern = sp_pattern_new(doc, error);
    bson_destroy(doc);
    return pattern;
}

static void test_taken(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(taken); i++) {
        sp_error_t error = {0};
        sp_pattern_t *pattern = parse(taken[i], &error);
        if (pattern == NULL)
            fail_msg("%s: %s", taken[i], error.message);
        sp_pattern_free(pattern);
    }
}

static void test_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(refused); i++) {
        sp_error_t error = {0};
        if (parse(refused[i].pattern, &error) != NULL)
            fail_msg("%s is taken", refused[i].pattern);
        assert_int_equal(error.domain, SP_ERROR_RULE);
        assert_int_equal(error.code, 2);
        if (strstr(error.message, refused[i].message) == NULL)
            fail_msg("%s: %s", refused[i].pattern, error.message);
        assert_null(parse(refused[i].pattern, NULL));
    }
}

static void append_fields(bson_t *doc, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        char name[16];
        snprintf(name, sizeof name, "f%u", i);
        BSON_APPEND_INT32(doc, name, 1);
    }
}

static void test_number_of_fields(void **state)
{
    (void)state;
    sp_error_t error = {0};
    bson_t most = BSON_INITIALIZER, more = BSON_INITIALIZER;
    append_fields(&most, SP_PATTERN_FIELDS_MAX);
    append_fields(&more, SP_PATTERN_FIELDS_MAX + 1);
    sp_pattern_t *pattern = sp_pattern_new(&most, NULL);
    assert_non_null(pattern);
    assert_int_equal(pattern->field_count, 32);
    assert_string_equal(pattern->fields[31].text, "f31");
    sp_pattern_free(pattern);
    assert_null(sp_pattern_new(&more, &error));
    assert_int_equal(error.domain, SP_ERROR_RULE);
    assert_int_equal(error.code, 13103);
    bson_destroy(&most);
    bson_destroy(&more);
}

/* 6.0.5 takes a path of 201 parts, though no document is that deep. */
static void test_long_path(void **state)
{
    (void)state;
    char path[2 * 201];
    for (unsigned i = 0; i < sizeof path; i++)
        path[i] = i % 2 == 0 ? 'a' : '.';
    path[sizeof path - 1] = '\0';
    bson_t doc = BSON_INITIALIZER;
    BSON_APPEND_INT32(&doc, path, 1);
    sp_pattern_t *pattern = sp_pattern_new(&doc, NULL);
    assert_non_null(pattern);
    assert_int_equal(pattern->fields[0].part_count, 201);
    sp_pattern_free(pattern);
    bson_destroy(&doc);
}

static int32_t check(const char *text, const char *version_text)
{
    sp_version_t version;
    sp_error_t error = {0};
    assert_true(sp_version_parse(version_text, &version, NULL));
    bson_t *doc = sp_doc_from(text);
    bool taken_there = sp_pattern_check(doc, version, &error);
    assert_int_equal(taken_there, error.domain == SP_ERROR_NONE);
    assert_true(taken_there || error.domain == SP_ERROR_RULE);
    bson_destroy(doc);
    return error.code;
}

static void test_versions(void **state)
{
    (void)state;
    static const char *const references[] = {"{'a.$id': 1}", "{'a.$ref': 1}",
                                             "{'x': 1, 'a.$db': 1}", "{'a.$id.b': 1}"};
    for (size_t i = 0; i < COUNT(references); i++) {
        assert_int_equal(check(references[i], "6.0.5"), 2);
        assert_int_equal(check(references[i], "6.0.24"), 0);
        sp_pattern_free(parse(references[i], NULL));
    }
    assert_int_equal(check("{'$id': 1}", "6.0.27"), 2);
    assert_int_equal(check("{'a.$id': 1, 'b.$ida': 1}", "6.0.27"), 2);
    assert_int_equal(check("{'x': 'hashed', 'y': 1}", "4.2.6"), 2);
    assert_int_equal(check("{'x': 'hashed', 'y': 1}", "4.4.2"), 0);
    assert_int_equal(check("{'x': 'hashed'}", "4.0.3"), 0);
    assert_int_equal(check("{'x': -1}", "4.0.3"), 2);
    assert_int_equal(check("{}", "6.0.27"), 2);
}

/* A path that comes twice and a 33rd field are refused only when the index is made. */
static void test_checked_later(void **state)
{
    (void)state;
    bson_t many = BSON_INITIALIZER;
    append_fields(&many, 33);
    assert_int_equal(check("{'x': 1, 'x': 1}", "6.0.27"), 0);
    assert_int_equal(check("{'x': 1, 'y': 1, 'x': 'hashed'}", "6.0.27"), 0);
    assert_int_equal(check("{'x': 'hashed', 'x': 'hashed'}", "6.0.27"), 2);
    assert_true(sp_pattern_check(&many, (sp_version_t){6, 0, 27}, NULL));
    bson_destroy(&many);
}

static void test_parts(void **state)
{
    (void)state;
    sp_pattern_t *pattern = parse("{'a.bc.d': 1, 'x': 'hashed', 'y': 1}", NULL);
    assert_non_null(pattern);
    assert_int_equal(pattern->field_count, 3);
    assert_int_equal(pattern->hashed, 1);
    assert_string_equal(pattern->fields[0].text, "a.bc.d");
    assert_int_equal(pattern->fields[0].part_count, 3);
    assert_memory_equal(pattern->fields[0].parts, "a\0bc\0d", sizeof "a\0bc\0d");
    assert_int_equal(pattern->fields[1].part_count, 1);
    sp_pattern_free(pattern);
    pattern = parse("{'x': 1}", NULL);
    assert_int_equal(pattern->hashed, -1);
    sp_pattern_free(pattern);
    sp_pattern_free(NULL);
}

static void assert_fits(const char *pattern_text, const char *key_text, const char *message)
{
    sp_error_t error = {0};
    sp_pattern_t *pattern = parse(pattern_text, NULL);
    bson_t *key = sp_doc_from(key_text);
    bool fits = sp_pattern_fits(pattern, key, &error);
    assert_int_equal(sp_pattern_fits(pattern, key, NULL), fits);
    if (message == NULL) {
        assert_true(fits);
    } else {
        assert_false(fits);
        assert_int_equal(error.domain, SP_ERROR_INPUT);
        assert_string_equal(error.message, message);
    }
    bson_destroy(key);
    sp_pattern_free(pattern);
}

static void test_fits(void **state)
{
    (void)state;
    const char *pattern = "{'a.b': 1, 'x': 'hashed'}";
    assert_fits(pattern, "{'a.b': null, 'x': {'$numberLong': '1'}}", NULL);
    assert_fits(pattern, "{'a.b': {'$minKey': 1}, 'x': {'$maxKey': 1}}", NULL);
    assert_fits(pattern, "{}", "a bound lacks the shard key field 'a.b'");
    assert_fits(pattern, "{'a.b': 1}", "a bound lacks the shard key field 'x'");
    assert_fits(pattern, "{'x': 1, 'a.b': 1}",
                "a bound has the field 'x' where the shard key has 'a.b'");
    assert_fits(pattern, "{'a': {'b': 1}, 'x': 1}",
                "a bound has the field 'a' where the shard key has 'a.b'");
    assert_fits(pattern, "{'a.b': 1, 'x': 1, 'y': 1}",
                "a bound has the field 'y', which the shard key has not");
    assert_fits(pattern, "{'a.b': 1, 'x': 1, 'x': 1}",
                "a bound has the field 'x', which the shard key has not");
}

static bool is_storable(const char *text)
{
    sp_error_t error = {0};
    bson_t *bound = sp_doc_from(text);
    bool storable = sp_pattern_bound_storable(bound, &error);
    assert_true(storable || (error.domain == SP_ERROR_RULE && error.code == 2));
    bson_destroy(bound);
    return storable;
}

static bool breaks(const char *text)
{
    bson_t *bound = sp_doc_from(text);
    bool found = sp_pattern_bound_breaks(bound);
    bson_destroy(bound);
    return found;
}

static void test_bound_storable(void **state)
{
    (void)state;
    assert_true(is_storable("{'x': 1, 'y': 'a'}"));
    assert_true(is_storable("{'x': {'a': {'b': 1}}}"));
    assert_true(is_storable("{'x': {'a$': 1}}"));
    assert_true(is_storable("{'x': '$a'}"));
    assert_false(is_storable("{'x': {'$regularExpression': {'pattern': 'a', 'options': ''}}}"));
    assert_false(
        is_storable("{'w': 1, 'x': {'$regularExpression': {'pattern': 'a', 'options': ''}}}"));
    assert_false(is_storable("{'x': {'$a': 1}}"));
    assert_false(is_storable("{'x': {'a': [{'$b': 1}]}}"));
    assert_true(is_storable("{'x': {'$code': 'f', '$scope': {'$a': 1}}}"));
}

static void test_bound_breaks(void **state)
{
    (void)state;
    assert_true(breaks("{'x': {'$code': 'f', '$scope': {'$a': 1}}}"));
    assert_true(breaks("{'w': 1, 'x': {'$code': 'f', '$scope': {'a': {'$b': 1}}}}"));
    assert_false(breaks("{'x': {'$code': 'f', '$scope': {'a': 1}}}"));
    assert_true(breaks("{'x': {'$numberDecimal': '9007199254740993.5'}}"));
    assert_true(breaks("{'w': 1, 'x': {'a': [{'$numberDecimal': '-9007199254740993.5'}]}}"));
    assert_false(breaks("{'x': {'$numberDecimal': '9007199254740994.5'}}"));
    assert_false(breaks("{'x': 1}"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_taken),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_number_of_fields),
        cmocka_unit_test(test_long_path),
        cmocka_unit_test(test_versions),
        cmocka_unit_test(test_checked_later),
        cmocka_unit_test(test_parts),
        cmocka_unit_test(test_fits),
        cmocka_unit_test(test_bound_storable),
        cmocka_unit_test(test_bound_breaks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
