#include "../oracles/layout.h"

#include "from_json.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

#define MIN "{'x': {'$minKey': 1}}"
#define MAX "{'x': {'$maxKey': 1}}"
#define KEY "'key': {'x': 1}, "

static const struct broken {
    const char *doc, *message;
    sp_error_domain_t domain;
} broken[] = {
    {"{}", "a layout needs 'key', the shard key pattern", SP_ERROR_INPUT},
    {"{'key': 1, 'chunks': []}", "a layout needs 'key', the shard key pattern", SP_ERROR_INPUT},
    {"{'key': [{'x': 1}], 'chunks': []}", "a layout needs 'key', the shard key pattern",
     SP_ERROR_INPUT},
    {"{'key': {}, 'chunks': []}", "the shard key pattern is empty", SP_ERROR_RULE},
    {"{'key': {'x': -1}, 'chunks': []}", "the shard key field 'x' must be 1 or \"hashed\"",
     SP_ERROR_RULE},
    {"{'key': {'x': 1}}", "a layout needs 'chunks': [[min, max, \"shard\"], …]", SP_ERROR_INPUT},
    {"{" KEY "'chunks': 1}", "a layout needs 'chunks': [[min, max, \"shard\"], …]", SP_ERROR_INPUT},
    {"{" KEY "'chunks': {'0': [" MIN ", " MAX ", 's']}}",
     "a layout needs 'chunks': [[min, max, \"shard\"], …]", SP_ERROR_INPUT},
    {"{" KEY "'chunks': []}", "a chunk map needs at least one chunk", SP_ERROR_INPUT},
    {"{" KEY "'chunks': [1]}", "chunk 0: it must be [min, max, \"shard\"]", SP_ERROR_INPUT},
    {"{" KEY "'chunks': [[]]}", "chunk 0: it must be [min, max, \"shard\"]", SP_ERROR_INPUT},
    {"{" KEY "'chunks': [{}]}", "chunk 0: it must be [min, max, \"shard\"]", SP_ERROR_INPUT},
    {"{" KEY "'chunks': [[" MIN "]]}", "chunk 0: it must be [min, max, \"shard\"]", SP_ERROR_INPUT},
    {"{" KEY "'chunks': [[" MIN ", " MAX "]]}", "chunk 0: it must be [min, max, \"shard\"]",
     SP_ERROR_INPUT},
    {"{" KEY "'chunks': [[" MIN ", " MAX ", 1]]}", "chunk 0: it must be [min, max, \"shard\"]",
     SP_ERROR_INPUT},
    {"{" KEY "'chunks': [[" MIN ", " MAX ", 's', 1]]}", "chunk 0: it must be [min, max, \"shard\"]",
     SP_ERROR_INPUT},
    {"{" KEY "'chunks': [[[], " MAX ", 's']]}", "chunk 0: it must be [min, max, \"shard\"]",
     SP_ERROR_INPUT},
    {"{" KEY "'chunks': [[1, " MAX ", 's']]}", "chunk 0: it must be [min, max, \"shard\"]",
     SP_ERROR_INPUT},
    {"{" KEY "'chunks': [[" MIN ", 1, 's']]}", "chunk 0: it must be [min, max, \"shard\"]",
     SP_ERROR_INPUT},
    {"{" KEY "'chunks': [['s', " MIN ", " MAX "]]}", "chunk 0: it must be [min, max, \"shard\"]",
     SP_ERROR_INPUT},
    {"{" KEY "'chunks': [[" MIN ", {'x': 0}, 's'], [{'x': 0}, {'y': 1}, 's']]}",
     "chunk 1: a bound has the field 'y' where the shard key has 'x'", SP_ERROR_INPUT},
    {"{" KEY "'chunks': [[" MIN ", {'x': 0}, 's'], [{'x': 0}, {}, 's']]}",
     "chunk 1: a bound lacks the shard key field 'x'", SP_ERROR_INPUT},
    {"{" KEY "'chunks': [[" MIN ", {'x': {'$numberInt': '0'}}, 's']]}",
     "the last chunk must end at MaxKey, not at: { \"x\" : { \"$numberInt\" : \"0\" } }",
     SP_ERROR_INPUT},
};

static void test_broken_layouts(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(broken); i++) {
        sp_error_t error = {0};
        bson_t *doc = sp_doc_from(broken[i].doc);
        if (sp_layout_new(doc, &error) != NULL)
            fail_msg("%s is taken", broken[i].doc);
        assert_int_equal(error.domain, broken[i].domain);
        assert_string_equal(error.message, broken[i].message);
        assert_null(sp_layout_new(doc, NULL));
        bson_destroy(doc);
    }
}

static void test_sound_layout(void **state)
{
    (void)state;
    bson_t *doc = sp_doc_from("{'area': 'route', 'chunks': [[{'x': 0}, " MAX ", 'b'], [" MIN
                              ", {'x': 0}, 'a']], 'key': {'x': 'hashed'}, 'docs': 7}");
    sp_layout_t *layout = sp_layout_new(doc, NULL);
    assert_non_null(layout);
    bson_destroy(doc); /* the layout keeps nothing of it */
    assert_int_equal(layout->pattern->hashed, 0);
    assert_int_equal(sp_chunkmap_count(layout->chunks), 2);
    assert_string_equal(sp_chunkmap_shard(layout->chunks, 0), "a");
    assert_string_equal(sp_chunkmap_shard(layout->chunks, 1), "b");
    sp_layout_free(layout);
    sp_layout_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_broken_layouts),
        cmocka_unit_test(test_sound_layout),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
