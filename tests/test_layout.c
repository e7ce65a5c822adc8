#include "../oracles/layout.h"

#include "from_json.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

#define MIN    "{'x': {'$minKey': 1}}"
#define MAX    "{'x': {'$maxKey': 1}}"
#define KEY    "'key': {'x': 1}, "
#define WHOLE  KEY "'chunks': [[" MIN ", " MAX ", 'a']]"
#define SHARDS "a layout's 'shards' must be how many there are, 1 to 1024"

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
    {"{" WHOLE ", 'collation': 1}", "a layout's 'collation' must be null or a document",
     SP_ERROR_INPUT},
    {"{" WHOLE ", 'collation': []}", "a layout's 'collation' must be null or a document",
     SP_ERROR_INPUT},
    {"{" WHOLE ", 'collation': {'strength': 1}}",
     "a layout's 'collation': a collation needs a locale", SP_ERROR_INPUT},
    {"{" WHOLE ", 'collation': {'locale': 'xx'}}",
     "a layout's 'collation': 'xx' is no locale for a collation", SP_ERROR_INPUT},
    {"{" WHOLE ", 'shards': 0}", SHARDS, SP_ERROR_INPUT},
    {"{" WHOLE ", 'shards': -1}", SHARDS, SP_ERROR_INPUT},
    {"{" WHOLE ", 'shards': 1025}", SHARDS, SP_ERROR_INPUT},
    {"{" WHOLE ", 'shards': {'$numberLong': '4294967297'}}", SHARDS, SP_ERROR_INPUT},
    {"{" WHOLE ", 'shards': 2.0}", SHARDS, SP_ERROR_INPUT},
    {"{" WHOLE ", 'shards': '2'}", SHARDS, SP_ERROR_INPUT},
    {"{" WHOLE ", 'shards': null}", SHARDS, SP_ERROR_INPUT},
    {"{" WHOLE ", 'shards': 1024}", "a cluster has at most 1024 shards", SP_ERROR_INPUT},
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

static sp_layout_t *layout_of(const char *more)
{
    char *text = bson_strdup_printf(
        "{" KEY "'chunks': [[" MIN ", {'x': 0}, 's3'], [{'x': 0}, " MAX ", 'b']]%s}", more);
    bson_t *doc = sp_doc_from(text);
    sp_error_t error = {0};
    sp_layout_t *layout = sp_layout_new(doc, &error);
    if (layout == NULL)
        fail_msg("%s: %s", text, error.message);
    bson_destroy(doc);
    bson_free(text);
    return layout;
}

/* No collation, and one that compares as none does, are NULL. */
static void test_collations(void **state)
{
    (void)state;
    static const char *const none[] = {"", ", 'collation': null", ", 'collation': {}",
                                       ", 'collation': {'locale': 'simple'}"};
    for (size_t i = 0; i < COUNT(none); i++) {
        sp_layout_t *layout = layout_of(none[i]);
        assert_null(layout->collation);
        sp_layout_free(layout);
    }
    sp_layout_t *layout = layout_of(", 'collation': {'locale': 'fr', 'strength': 2}");
    assert_non_null(layout->collation);
    char *text = sp_text_of(layout->collation);
    assert_string_equal(text, "{'locale': 'fr', 'strength': {'$numberInt': '2'}}");
    bson_free(text);
    sp_layout_free(layout);
}

/* Those that own chunks first, then s1, s2, … as far as they are not among them. */
static void test_shards(void **state)
{
    (void)state;
    static const struct {
        const char *more, *shards;
    } rows[] = {
        {"", "s3 b"},
        {", 'shards': 1", "s3 b s1"},
        {", 'shards': 3", "s3 b s1 s2"},
        {", 'shards': {'$numberLong': '4'}", "s3 b s1 s2 s4"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        sp_layout_t *layout = layout_of(rows[i].more);
        bson_string_t *names = bson_string_new(NULL);
        for (unsigned j = 0; j < layout->shard_count; j++)
            bson_string_append_printf(names, "%s%s", j > 0 ? " " : "", layout->shards[j]);
        assert_string_equal(names->str, rows[i].shards);
        bson_string_free(names, true);
        sp_layout_free(layout);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_broken_layouts),
        cmocka_unit_test(test_sound_layout),
        cmocka_unit_test(test_collations),
        cmocka_unit_test(test_shards),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
