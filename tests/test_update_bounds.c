/*
 * Where the model of updates ends: what it does not know is named, and what servers die of is not
 * foretold.
 */
#include "../oracles/update.h"

#include "from_json.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const sp_version_t version = {6, 0, 27};

/* The error of checking or applying `update`. */
static sp_error_t error_of(const char *update_text, const char *doc_text, bool multi)
{
    sp_error_t error = {0};
    bson_t *holder, *doc = sp_doc_from(doc_text), after = BSON_INITIALIZER;
    sp_value_t update = sp_value_from(update_text, &holder);
    bool changed;
    if (sp_update_check(&update, multi, version, &error))
        sp_update_apply(&update, doc, version, &after, &changed, &error);
    bson_destroy(&after);
    bson_destroy(holder);
    bson_destroy(doc);
    return error;
}

static const struct unknown {
    const char *update, *doc, *named;
} unknown[] = {
    {"{'$currentDate': {'a': true}}", "{'_id': 1}", "$currentDate"},
    {"{'$bit': {'a': {'and': 1}}}", "{'_id': 1}", "$bit"},
    {"{'$pull': {'a': {'$gt': 1}}}", "{'_id': 1}", "$pull with a condition"},
    {"{'$pull': {'a': {'$regularExpression': {'pattern': 'a', 'options': ''}}}}", "{'_id': 1}",
     "$pull with a condition"},
    {"{'$push': {'a': {'$each': [1], '$sort': 1}}}", "{'_id': 1}", "$sort"},
    {"{'$push': {'a': {'$each': [1], '$each': [2]}}}", "{'_id': 1}", "name twice"},
    {"{'$set': {'a.$': 1}}", "{'_id': 1}", "positional part $"},
    {"[{'$set': {'a': {'$add': [1, 2]}}}]", "{'_id': 1}", "$add"},
    {"[{'$set': {'a': '$$NOW'}}]", "{'_id': 1}", "variable"},
    {"[{'$set': {'a': '$a\\u0000b'}}]", "{'_id': 1}", "NUL"},
    {"[{'$unset': 'a\\u0000b'}]", "{'_id': 1}", "NUL"},
    {"{'$rename': {'a': 'b\\u0000c'}}", "{'_id': 1}", "NUL"},
    {"[{'$project': {'a': 0}}]", "{'_id': 1}", "$project"},
    {"[{'$densify': {}}]", "{'_id': 1}", "$densify"},
    {"[{'$replaceRoot': {'newRoot': {}, 'newRoot': {}}}]", "{'_id': 1}", "newRoot twice"},
    /* servers abort */
    {"{'$set': {'a.01': 5, 'a.1': 6}}", "{'_id': 1, 'a': [1, 2]}", "two spellings"},
    {"[{'$set': {'a': 7}}]", "{'_id': 1, 'a': 1, 'b': 1, 'a': 2}", "name twice"},
    {"[{'$set': {'s.b': 7}}]", "{'_id': 1, 's': [{'a': 1, 'a': 2}]}", "name twice"},
    {"[{'$set': {'s': {'$literal': {'a': 1, 'a': 2}}}}]", "{'_id': 1}", "name twice"},
};

static void test_unknown(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(unknown); i++) {
        sp_error_t error = error_of(unknown[i].update, unknown[i].doc, false);
        if (error.domain != SP_ERROR_INPUT || strstr(error.message, unknown[i].named) == NULL)
            fail_msg("%s: domain %d, %s", unknown[i].update, error.domain, error.message);
    }
}

static void test_spellings_in_objects(void **state)
{
    (void)state;
    sp_error_t error = error_of("{'$set': {'a.01': 5, 'a.1': 6}}", "{'_id': 1, 'a': {}}", false);
    assert_int_equal(error.domain, SP_ERROR_NONE);
}

/* Servers keep the number of parts in eight bits. */
static void test_long_paths(void **state)
{
    (void)state;
    bson_string_t *update = bson_string_new("{'$set': {'b");
    for (unsigned i = 1; i < 257; i++)
        bson_string_append(update, ".b");
    bson_string_append(update, "': 1}}");
    sp_error_t error = error_of(update->str, "{'_id': 1}", false);
    bson_string_free(update, true);
    assert_int_equal(error.domain, SP_ERROR_INPUT);
}

/* 180 levels of fields are the most that an update makes. */
static int32_t code_of_path(unsigned parts, const char *value)
{
    bson_string_t *update = bson_string_new("{'$set': {'b");
    for (unsigned i = 1; i < parts; i++)
        bson_string_append(update, ".b");
    bson_string_append_printf(update, "': %s}}", value);
    sp_error_t error = error_of(update->str, "{'_id': 1}", false);
    bson_string_free(update, true);
    return error.code;
}

static void test_levels(void **state)
{
    (void)state;
    assert_int_equal(code_of_path(180, "1"), 0);
    assert_int_equal(code_of_path(180, "[]"), 0);
    assert_int_equal(code_of_path(180, "[1]"), 15);
    assert_int_equal(code_of_path(181, "1"), 15);
    assert_int_equal(code_of_path(254, "1"), 15);
}

static void test_gaps(void **state)
{
    (void)state;
    const char *doc = "{'_id': 1, 'a': [1]}";
    assert_int_equal(error_of("{'$set': {'a.1500001': 4}}", doc, false).code, 0);
    assert_int_equal(error_of("{'$set': {'a.1500002': 4}}", doc, false).code, 34);
    assert_int_equal(error_of("{'$set': {'a.4294967295': 4}}", doc, false).code, 34);
    assert_int_equal(error_of("{'$set': {'a.4294967296': 4}}", doc, false).code, 28);
    assert_int_equal(error_of("{'$unset': {'a.4294967296': 4}}", doc, false).code, 0);
}

static void test_multi(void **state)
{
    (void)state;
    assert_int_equal(error_of("{'a': 6}", "{'_id': 1}", true).code, 9);
    assert_int_equal(error_of("{}", "{'_id': 1}", true).code, 9);
    assert_int_equal(error_of("{'b': 1, '$x': 1}", "{'_id': 1}", true).code, 9);
    assert_int_equal(error_of("{'$set': {'a': 1}}", "{'_id': 1}", true).code, 0);
    assert_int_equal(error_of("[{'$set': {'a': 1}}]", "{'_id': 1}", true).code, 0);
}

static void assert_form(const char *text, sp_update_form_t form)
{
    bson_t *holder;
    sp_value_t update = sp_value_from(text, &holder);
    assert_int_equal(sp_update_form(&update), form);
    bson_destroy(holder);
}

static void test_form(void **state)
{
    (void)state;
    assert_form("{}", SP_UPDATE_REPLACEMENT);
    assert_form("{'a': 1, '$set': {}}", SP_UPDATE_REPLACEMENT);
    assert_form("{'$set': {}, 'a': 1}", SP_UPDATE_OPERATORS);
    assert_form("[]", SP_UPDATE_PIPELINE);
}

/* As while an upsert makes a document. */
static void test_without_id(void **state)
{
    (void)state;
    assert_int_equal(error_of("{'$set': {'_id': 2}}", "{'x': 5}", false).code, 0);
    assert_int_equal(error_of("{'$set': {'_id.a': 2}}", "{'x': 5}", false).code, 0);
    assert_int_equal(error_of("{'x': 6}", "{'x': 5}", false).code, 0);
}

/* _id is compared by value: its type may change, and so may one of two. */
static void test_repeated_id(void **state)
{
    (void)state;
    const char *doc = "{'_id': 1, 'a': 1}";
    assert_int_equal(error_of("{'_id': 1, '_id': 5, 'b': 2}", doc, false).code, 0);
    assert_int_equal(error_of("{'_id': 5, '_id': 1, 'b': 2}", doc, false).code, 66);
    assert_int_equal(error_of("{'b': 2, '_id': 1, '_id': []}", doc, false).code, 53);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_unknown),     cmocka_unit_test(test_spellings_in_objects),
        cmocka_unit_test(test_long_paths),  cmocka_unit_test(test_levels),
        cmocka_unit_test(test_gaps),        cmocka_unit_test(test_multi),
        cmocka_unit_test(test_form),        cmocka_unit_test(test_without_id),
        cmocka_unit_test(test_repeated_id),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
