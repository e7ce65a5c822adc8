/*
 * What a shard refuses to store. The codes are those that inserts through the router gave on 6.0.5,
 * 6.0.24 and 6.0.27 (November 2026).
 */
#include "../oracles/storage.h"

#include "from_json.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

#define REGEX "{'$regularExpression': {'pattern': 'a', 'options': ''}}"

/* 0: it is stored. */
static const struct row {
    const char *doc;
    int32_t code;
} rows[] = {
    {"{}", 0},
    {"{'x': 1}", 0},
    {"{'_id': 1, 'x': 1}", 0},
    {"{'_id': {}, 'x': 1}", 0},
    {"{'_id': null}", 0},
    {"{'_id': {'$minKey': 1}}", 0},
    {"{'_id': {'$maxKey': 1}}", 0},
    {"{'_id': " REGEX "}", 53},
    {"{'_id': {'$undefined': true}}", 53},
    {"{'_id': []}", 53},
    {"{'_id': [1]}", 53},
    {"{'x': 1, '_id': " REGEX "}", 53},
    {"{'_id': {'a': " REGEX "}}", 0},
    {"{'_id': {'$a': 1}}", 52},
    {"{'_id': {'b': {'$a': 1}}}", 52},
    {"{'_id': {'b': [{'$a': 1}]}}", 52},
    {"{'_id': {'a$': 1}}", 0},
    {"{'_id': {'$code': 'f', '$scope': {'$a': 1}}}", 0},
    {"{'_id': {'q': {'$code': 'f', '$scope': {'$a': 1}}}}", 52},
    {"{'_id': 1, '_id': 2}", 2},
    {"{'_id': " REGEX ", '_id': 2}", 53},
    {"{'_id': 1, '_id': " REGEX "}", 53},
    {"{'_id': 1, '_id': {'$a': 1}}", 52},
    /* rules for _id only */
    {"{'_id': 1, '$a': 1}", 0},
    {"{'_id': 1, 'x': {'$a': 1}}", 0},
    {"{'_id': 1, 'x.y': 1}", 0},
    {"{'_id': 1, 'x': " REGEX "}", 0},
    {"{'_id': 1, 'x': {'_id': []}}", 0},
};

static void test_rows(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        sp_error_t error = {0};
        bson_t *doc = sp_doc_from(rows[i].doc);
        bool ok = sp_storage_check(doc, &error);
        if (ok != (rows[i].code == 0) || error.code != rows[i].code)
            fail_msg("%s gives %d: %s", rows[i].doc, error.code, error.message);
        assert_true(ok || error.domain == SP_ERROR_RULE);
        assert_int_equal(sp_storage_check(doc, NULL), ok);
        bson_destroy(doc);
    }
}

static void test_dollar_names(void **state)
{
    (void)state;
    static const struct {
        const char *value;
        bool holds;
    } values[] = {
        {"1", false},
        {"'$a'", false},
        {"{}", false},
        {"{'a': 1}", false},
        {"{'$a': 1}", true},
        {"{'$': 1}", true},
        {"{'b': {'c': {'$a': 1}}}", true},
        {"[{'a': 1}]", false},
        {"[{'$a': 1}]", true},
        {"{'$code': 'f', '$scope': {'a': 1}}", false},
        {"{'$code': 'f', '$scope': {'$a': 1}}", true},
        {"[{'$code': 'f', '$scope': {'a': {'$a': 1}}}]", true},
    };
    for (size_t i = 0; i < COUNT(values); i++) {
        bson_t *holder;
        sp_value_t value = sp_value_from(values[i].value, &holder);
        assert_int_equal(sp_storage_holds_dollar_name(&value), values[i].holds);
        bson_destroy(holder);
    }
}

/* {_id: id, a: a value of `levels` objects or arrays} */
static bson_t *nested(unsigned levels, bool arrays, const char *id)
{
    bson_t *doc = sp_doc_from(id);
    bson_t inner = BSON_INITIALIZER;
    for (unsigned i = 1; i < levels; i++) {
        bson_t outer = BSON_INITIALIZER;
        if (arrays)
            BSON_APPEND_ARRAY(&outer, "0", &inner);
        else
            BSON_APPEND_DOCUMENT(&outer, "0", &inner);
        bson_destroy(&inner);
        bson_steal(&inner, &outer);
    }
    if (arrays)
        BSON_APPEND_ARRAY(doc, "a", &inner);
    else
        BSON_APPEND_DOCUMENT(doc, "a", &inner);
    bson_destroy(&inner);
    return doc;
}

static void test_nesting(void **state)
{
    (void)state;
    static const struct {
        unsigned levels;
        const char *id;
        int32_t code;
    } nestings[] = {
        {179, "{'_id': 1}", 0},    {180, "{'_id': 1}", 0},    {181, "{'_id': 1}", 15},
        {190, "{'_id': 1}", 15},   {181, "{'_id': [1]}", 15}, {181, "{'_id': {'$a': 1}}", 15},
        {180, "{'_id': [1]}", 53},
    };
    for (size_t i = 0; i < COUNT(nestings); i++) {
        for (int arrays = 0; arrays < 2; arrays++) {
            sp_error_t error = {0};
            bson_t *doc = nested(nestings[i].levels, arrays, nestings[i].id);
            assert_int_equal(sp_storage_check(doc, &error), nestings[i].code == 0);
            assert_int_equal(error.code, nestings[i].code);
            bson_destroy(doc);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_dollar_names),
        cmocka_unit_test(test_nesting),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
