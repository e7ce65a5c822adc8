#include "../oracles/chunkmap.h"

#include "../oracles/order.h"
#include "from_json.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

typedef struct chunk_text {
    const char *min, *max, *shard;
} chunk_text_t;

#define MIN "{'x': {'$minKey': 1}}"
#define MAX "{'x': {'$maxKey': 1}}"

static sp_pattern_t *pattern_from(const char *text)
{
    bson_t *doc = sp_doc_from(text);
    sp_pattern_t *pattern = sp_pattern_new(doc, NULL);
    assert_non_null(pattern);
    bson_destroy(doc);
    return pattern;
}

static bool add(sp_chunkmap_t *map, const chunk_text_t *chunk, sp_error_t *error)
{
    bson_t *min = sp_doc_from(chunk->min), *max = sp_doc_from(chunk->max);
    bool ok = sp_chunkmap_add(map, min, max, chunk->shard, error);
    bson_destroy(min);
    bson_destroy(max);
    return ok;
}

static sp_chunkmap_t *map_of(const sp_pattern_t *pattern, const chunk_text_t *chunks, size_t count)
{
    sp_chunkmap_t *map = sp_chunkmap_new(pattern);
    for (size_t i = 0; i < count; i++)
        assert_true(add(map, &chunks[i], NULL));
    return map;
}

/* The shard that holds the key, NULL where none does. */
static const char *owner(const sp_chunkmap_t *map, const char *key_text)
{
    uint32_t chunk;
    bson_t *key = sp_doc_from(key_text);
    const char *shard = sp_chunkmap_find(map, key, &chunk) ? sp_chunkmap_shard(map, chunk) : NULL;
    bson_destroy(key);
    return shard;
}

static void test_one_chunk(void **state)
{
    (void)state;
    static const chunk_text_t chunks[] = {{MIN, MAX, "s1"}};
    sp_pattern_t *pattern = pattern_from("{'x': 1}");
    sp_chunkmap_t *map = map_of(pattern, chunks, COUNT(chunks));
    assert_true(sp_chunkmap_seal(map, NULL));
    assert_int_equal(sp_chunkmap_count(map), 1);
    assert_string_equal(owner(map, MIN), "s1");
    assert_string_equal(owner(map, "{'x': null}"), "s1");
    assert_string_equal(owner(map, "{'x': {'$code': '', '$scope': {}}}"), "s1");
    assert_null(owner(map, MAX));
    sp_chunkmap_free(map);
    sp_pattern_free(pattern);
}

/* The lower bound is in, the upper one is out; added in no order. */
static void test_bounds(void **state)
{
    (void)state;
    static const chunk_text_t chunks[] = {{"{'x': 5}", "{'x': 'a'}", "s3"},
                                          {MIN, "{'x': 0}", "s1"},
                                          {"{'x': 'a'}", MAX, "s1"},
                                          {"{'x': 0}", "{'x': 5}", "s2"}};
    sp_pattern_t *pattern = pattern_from("{'x': 1}");
    sp_chunkmap_t *map = map_of(pattern, chunks, COUNT(chunks));
    assert_true(sp_chunkmap_seal(map, NULL));
    assert_int_equal(sp_chunkmap_count(map), 4);
    static const char *const owners[] = {"s1", "s2", "s3", "s1"};
    for (uint32_t i = 0; i < 4; i++) {
        bson_t min, max;
        uint32_t found;
        assert_string_equal(sp_chunkmap_shard(map, i), owners[i]);
        sp_chunkmap_bounds(map, i, &min, &max);
        assert_true(sp_key_compare(&min, &max) < 0);
        assert_true(sp_chunkmap_find(map, &min, &found) && found == i);
        bool has_next = i < 3;
        assert_int_equal(sp_chunkmap_find(map, &max, &found), has_next);
        assert_int_equal(found, has_next ? i + 1 : i);
    }
    assert_string_equal(owner(map, "{'x': -1}"), "s1");
    assert_string_equal(owner(map, "{'x': {'$numberDouble': '-0.0'}}"), "s2");
    assert_string_equal(owner(map, "{'x': {'$numberDecimal': '4.999999999999999999'}}"), "s2");
    assert_string_equal(owner(map, "{'x': {'$numberDecimal': '5.00'}}"), "s3");
    assert_string_equal(owner(map, "{'x': ''}"), "s3");
    assert_string_equal(owner(map, "{'x': {'$symbol': 'a'}}"), "s1");
    assert_string_equal(owner(map, "{'x': 'aa'}"), "s1");
    /* keys are compared by place, whatever the name */
    assert_string_equal(owner(map, "{'y': 5}"), "s3");
    sp_chunkmap_free(map);
    sp_pattern_free(pattern);
}

static void test_compound_bounds(void **state)
{
    (void)state;
    static const chunk_text_t chunks[] = {
        {"{'x': {'$minKey': 1}, 'y': {'$minKey': 1}}", "{'x': 1, 'y': {'$minKey': 1}}", "a"},
        {"{'x': 1, 'y': {'$minKey': 1}}", "{'x': 1, 'y': 7}", "b"},
        {"{'x': 1, 'y': 7}", "{'x': {'$maxKey': 1}, 'y': {'$minKey': 1}}", "c"},
        {"{'x': {'$maxKey': 1}, 'y': {'$minKey': 1}}", "{'x': {'$maxKey': 1}, 'y': {'$maxKey': 1}}",
         "d"},
    };
    sp_pattern_t *pattern = pattern_from("{'x': 1, 'y': 1}");
    sp_chunkmap_t *map = map_of(pattern, chunks, COUNT(chunks));
    assert_true(sp_chunkmap_seal(map, NULL));
    assert_string_equal(owner(map, "{'x': 0, 'y': {'$maxKey': 1}}"), "a");
    assert_string_equal(owner(map, "{'x': 1, 'y': {'$minKey': 1}}"), "b");
    assert_string_equal(owner(map, "{'x': 1, 'y': 6}"), "b");
    assert_string_equal(owner(map, "{'x': 1, 'y': 7}"), "c");
    assert_string_equal(owner(map, "{'x': 2, 'y': {'$minKey': 1}}"), "c");
    assert_string_equal(owner(map, "{'x': {'$maxKey': 1}, 'y': 0}"), "d");
    assert_null(owner(map, "{'x': {'$maxKey': 1}, 'y': {'$maxKey': 1}}"));
    sp_chunkmap_free(map);
    sp_pattern_free(pattern);
}

typedef struct broken {
    const char *message; /* how it begins */
    chunk_text_t chunks[3];
} broken_t;

static const broken_t broken[] = {
    {"a chunk map needs at least one chunk", {{NULL, NULL, NULL}}},
    {"the first chunk must begin at MinKey, not at: {", {{"{'x': 0}", MAX, "s"}}},
    {"the last chunk must end at MaxKey, not at: {", {{MIN, "{'x': 0}", "s"}}},
    {"no chunk begins at: {", {{MIN, "{'x': 0}", "s"}, {"{'x': 1}", MAX, "s"}}},
    {"two chunks overlap at: {", {{MIN, "{'x': 1}", "s"}, {"{'x': 0}", MAX, "s"}}},
    {"two chunks overlap at: {", {{MIN, MAX, "s"}, {"{'x': 0}", MAX, "s"}}},
    {"two chunks overlap at: {", {{MIN, MAX, "s"}, {MIN, MAX, "s"}}},
    {"a chunk ends before it begins, at: {",
     {{MIN, "{'x': 0}", "s"}, {"{'x': 0}", "{'x': 0}", "s"}, {"{'x': 0}", MAX, "s"}}},
    {"a chunk ends before it begins, at: {",
     {{MIN, "{'x': 5}", "s"}, {"{'x': 5}", "{'x': 4}", "s"}, {"{'x': 6}", MAX, "s"}}},
    {"a chunk ends before it begins, at: {", {{MIN, MIN, "s"}, {MIN, MAX, "s"}}},
};

static void test_broken_maps(void **state)
{
    (void)state;
    sp_pattern_t *pattern = pattern_from("{'x': 1}");
    for (size_t i = 0; i < COUNT(broken); i++) {
        sp_error_t error = {0};
        size_t count = 0;
        while (count < COUNT(broken[i].chunks) && broken[i].chunks[count].min != NULL)
            count++;
        sp_chunkmap_t *map = map_of(pattern, broken[i].chunks, count);
        assert_false(sp_chunkmap_seal(map, &error));
        assert_int_equal(error.domain, SP_ERROR_INPUT);
        if (strncmp(error.message, broken[i].message, strlen(broken[i].message)) != 0)
            fail_msg("map %zu: %s", i, error.message);
        assert_false(sp_chunkmap_seal(map, NULL));
        sp_chunkmap_free(map);
    }
    sp_pattern_free(pattern);
}

/* A bound that is no UTF-8 must not take the message away. */
static void test_message_without_utf8(void **state)
{
    (void)state;
    static const chunk_text_t chunks[] = {
        {"{'x': {'$raw': {'type': '02', 'base64': 'AgAAAP8A'}}}", MAX, "s"}};
    sp_error_t error = {0};
    sp_pattern_t *pattern = pattern_from("{'x': 1}");
    sp_chunkmap_t *map = map_of(pattern, chunks, COUNT(chunks));
    assert_false(sp_chunkmap_seal(map, &error));
    assert_non_null(strstr(error.message, "the first chunk must begin at MinKey, not at: "));
    sp_chunkmap_free(map);
    sp_pattern_free(pattern);
}

static void test_bounds_that_do_not_fit(void **state)
{
    (void)state;
    static const chunk_text_t chunks[] = {
        {MIN, "{'y': 1}", "s"}, {"{}", MAX, "s"}, {MIN, "{'x': 1, 'y': 1}", "s"}};
    sp_pattern_t *pattern = pattern_from("{'x': 1}");
    sp_chunkmap_t *map = sp_chunkmap_new(pattern);
    for (size_t i = 0; i < COUNT(chunks); i++) {
        sp_error_t error = {0};
        assert_false(add(map, &chunks[i], &error));
        assert_int_equal(error.domain, SP_ERROR_INPUT);
        assert_int_equal(sp_chunkmap_count(map), 0);
    }
    sp_chunkmap_free(map);
    sp_pattern_free(pattern);
    sp_chunkmap_free(NULL);
}

static void append_place(bson_t *bound, int64_t place, int64_t count)
{
    bson_reinit(bound);
    if (place <= 0)
        BSON_APPEND_MINKEY(bound, "x");
    else if (place >= count)
        BSON_APPEND_MAXKEY(bound, "x");
    else
        BSON_APPEND_INT64(bound, "x", 10 * place);
}

static void test_too_many_shards(void **state)
{
    (void)state;
    sp_pattern_t *pattern = pattern_from("{'x': 1}");
    sp_chunkmap_t *map = sp_chunkmap_new(pattern);
    bson_t min = BSON_INITIALIZER, max = BSON_INITIALIZER;
    const int64_t count = SP_CHUNKMAP_SHARDS + 1;
    for (int64_t i = 0; i < count; i++) {
        char name[32];
        sp_error_t error = {0};
        snprintf(name, sizeof name, "shard%lld", (long long)i);
        append_place(&min, i, count);
        append_place(&max, i + 1, count);
        bool ok = sp_chunkmap_add(map, &min, &max, name, &error);
        assert_int_equal(ok, i < SP_CHUNKMAP_SHARDS);
        assert_true(ok || strcmp(error.message, "a chunk map has at most 1024 shards") == 0);
    }
    bson_destroy(&min);
    bson_destroy(&max);
    sp_chunkmap_free(map);
    sp_pattern_free(pattern);
}

/* Chunk i holds the keys from 10 i to 10 i + 9. Added in a scattered sequence. */
static sp_chunkmap_t *make_large_map(const sp_pattern_t *pattern, int64_t count)
{
    const int64_t step = 611953; /* a prime that does not divide the count */
    static const char *const shards[] = {"s0", "s1", "s2"};
    sp_chunkmap_t *map = sp_chunkmap_new(pattern);
    bson_t min = BSON_INITIALIZER, max = BSON_INITIALIZER;
    for (int64_t i = 0; i < count; i++) {
        int64_t place = i * step % count;
        append_place(&min, place, count);
        append_place(&max, place + 1, count);
        assert_true(sp_chunkmap_add(map, &min, &max, shards[place % 3], NULL));
    }
    bson_destroy(&min);
    bson_destroy(&max);
    return map;
}

static void test_a_million_chunks(void **state)
{
    (void)state;
    const int64_t count = 1000000;
    sp_pattern_t *pattern = pattern_from("{'x': 1}");
    sp_chunkmap_t *map = make_large_map(pattern, count);
    assert_true(sp_chunkmap_seal(map, NULL));
    assert_int_equal(sp_chunkmap_count(map), count);
    for (int64_t i = 0; i < count; i += 997) {
        for (int64_t offset = -1; offset <= 1; offset++) {
            int64_t number = 10 * i + offset;
            int64_t wanted = number < 0 ? 0 : number / 10;
            bson_t key = BSON_INITIALIZER;
            uint32_t found;
            BSON_APPEND_DOUBLE(&key, "x", (double)number);
            assert_true(sp_chunkmap_find(map, &key, &found));
            assert_int_equal(found, wanted);
            assert_int_equal(sp_chunkmap_shard(map, found)[1], '0' + wanted % 3);
            bson_destroy(&key);
        }
    }
    assert_string_equal(owner(map, MIN), "s0");
    assert_string_equal(owner(map, "{'x': 'a'}"), "s0"); /* 999999 % 3 */
    assert_null(owner(map, MAX));
    sp_chunkmap_free(map);
    sp_pattern_free(pattern);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_chunk),
        cmocka_unit_test(test_bounds),
        cmocka_unit_test(test_compound_bounds),
        cmocka_unit_test(test_broken_maps),
        cmocka_unit_test(test_message_without_utf8),
        cmocka_unit_test(test_bounds_that_do_not_fit),
        cmocka_unit_test(test_too_many_shards),
        cmocka_unit_test(test_a_million_chunks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
