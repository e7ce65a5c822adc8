/*
 * What must hold of targeting whatever is asked, and two things that do not.
 *
 * The filters are of numbers and documents have no arrays, so that a few lines can tell which
 * documents match.
 */
#include "../fuzzers/producer.h"
#include "../oracles/extract.h"
#include "from_json.h"
#include "plain_filter.h"
#include "query_layout.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

enum { SCENES = 4000, CLAUSES_MAX = 4 };

static const char *const layouts[] = {
    "{'key': {'x': 1}, 'splits': [{'x': 2}, {'x': 4}, {'x': 7}]}",
    "{'key': {'x': 1, 'y': 1}, 'splits': [{'x': 2, 'y': 5}, {'x': 4, 'y': 0}, {'x': 4, 'y': 3}, "
    "{'x': 4, 'y': 6}, {'x': 7, 'y': {'$minKey': 1}}]}",
    "{'key': {'x': 'hashed'}, 'splits': [{'x': {'$numberLong': '-5000000000000000000'}}, {'x': "
    "{'$numberLong': '0'}}, {'x': {'$numberLong': '4000000000000000000'}}]}",
    "{'key': {'x': 1, 'y': 'hashed'}, 'splits': [{'x': 4, 'y': {'$minKey': 1}}, {'x': 4, 'y': "
    "{'$numberLong': '0'}}, {'x': 5, 'y': {'$minKey': 1}}]}",
};

typedef struct fixture {
    sp_model_t *model;
    sp_layout_t *layouts[COUNT(layouts)];
} fixture_t;

static int set_up(void **state)
{
    static fixture_t fixture;
    fixture.model = sp_model_of("6.0.5");
    for (size_t i = 0; i < COUNT(layouts); i++)
        fixture.layouts[i] = sp_layout_from(layouts[i]);
    *state = &fixture;
    return 0;
}

static int tear_down(void **state)
{
    fixture_t *fixture = *state;
    for (size_t i = 0; i < COUNT(layouts); i++)
        sp_layout_free(fixture->layouts[i]);
    sp_model_free(fixture->model);
    return 0;
}

typedef struct targets {
    sp_reach_t reach;
    uint64_t shards;
} targets_t;

static targets_t target(const fixture_t *fixture, const sp_layout_t *layout, const bson_t *filter)
{
    sp_arena_t arena;
    sp_arena_init(&arena);
    sp_parsed_query_t parsed;
    sp_targeting_t targeting = {.reach = SP_REACH_ALL};
    const sp_query_t query = {.filter = filter};
    const sp_model_t *model = fixture->model;
    sp_error_t error = {0};
    if (!sp_query_parse(&arena, model->version, layout, &query, &parsed, &error) ||
        !sp_target_query(&arena, model->hasher, model->version, layout, &parsed, &targeting,
                         &error))
        fail_msg("%s", error.message);
    sp_arena_clear(&arena);
    return (targets_t){targeting.reach, targeting.shards[0]};
}

static uint64_t owner(const fixture_t *fixture, const sp_layout_t *layout, const int32_t *doc)
{
    bson_t whole = BSON_INITIALIZER, key = BSON_INITIALIZER;
    uint32_t chunk;
    for (unsigned i = 0; i < SP_PLAIN_FIELDS; i++)
        BSON_APPEND_INT32(&whole, sp_plain_fields[i], doc[i]);
    assert_true(sp_extract_key(layout->pattern, fixture->model->hasher, &whole, &key, NULL));
    assert_true(sp_chunkmap_find(layout->chunks, &key, &chunk));
    bson_destroy(&key);
    bson_destroy(&whole);
    return UINT64_C(1) << sp_chunkmap_shard_number(layout->chunks, chunk);
}

static void start(sp_producer_t *producer, uint8_t *bytes, size_t size, const char *area,
                  uint64_t scene)
{
    sp_expand_seed(3, area, scene, bytes, size);
    sp_producer_init(producer, bytes, size);
}

static void report(const char *what, const sp_layout_t *layout, const bson_t *filter)
{
    char *text = sp_text_of(filter);
    fail_msg("%s: key %s…, %s", what, layout->pattern->fields[0].text, text);
}

/* A router that passes over a shard with a matching document answers too little. */
static void test_matching_documents_are_found(void **state)
{
    const fixture_t *fixture = *state;
    unsigned matching = 0, narrow = 0;
    for (uint64_t scene = 0; scene < SCENES; scene++) {
        uint8_t bytes[512];
        sp_producer_t producer;
        start(&producer, bytes, sizeof bytes, "found", scene);
        const sp_layout_t *layout = fixture->layouts[sp_draw_below(&producer, COUNT(layouts))];
        bson_t filter = BSON_INITIALIZER;
        sp_draw_plain_filter(&producer, 2, &filter);
        targets_t targets = target(fixture, layout, &filter);
        narrow += targets.reach != SP_REACH_ALL;
        for (int32_t i = 0; i < 1000; i += 1 + (int32_t)(scene % 7)) {
            const int32_t doc[SP_PLAIN_FIELDS] = {i / 100, i / 10 % 10, i % 10};
            if (!sp_plain_matches(&filter, doc))
                continue;
            matching++;
            if ((targets.shards & owner(fixture, layout, doc)) == 0)
                report("a matching document lies elsewhere", layout, &filter);
        }
        bson_destroy(&filter);
    }
    assert_true(matching > 50 * SCENES);
    assert_true(narrow > SCENES / 4);
}

/* One more predicate leaves shards out or nothing at all, but for contradictions: they go to the
 * first chunk, or to that of the whole shard key where one is named. */
static void test_predicates_narrow(void **state)
{
    const fixture_t *fixture = *state;
    unsigned narrowed = 0;
    for (uint64_t scene = 0; scene < SCENES; scene++) {
        uint8_t bytes[256];
        sp_producer_t producer;
        start(&producer, bytes, sizeof bytes, "narrow", scene);
        const sp_layout_t *layout = fixture->layouts[sp_draw_below(&producer, COUNT(layouts))];
        bson_t filter = BSON_INITIALIZER;
        sp_draw_plain_predicate(&producer, &filter);
        targets_t before = target(fixture, layout, &filter);
        for (unsigned i = 0;
             i < CLAUSES_MAX && before.reach != SP_REACH_NOTHING && before.reach != SP_REACH_KEY;
             i++) {
            sp_draw_plain_predicate(&producer, &filter);
            targets_t after = target(fixture, layout, &filter);
            narrowed += after.shards != before.shards;
            if (after.reach != SP_REACH_NOTHING && after.reach != SP_REACH_KEY &&
                (after.shards & ~before.shards) != 0)
                report("one more predicate adds a shard", layout, &filter);
            before = after;
        }
        bson_destroy(&filter);
    }
    assert_true(narrowed > SCENES / 4);
}

static void reverse(const bson_t *from, bson_t *to)
{
    bson_iter_t iter;
    bson_t clauses[8];
    unsigned count = 0;
    bson_init(to);
    assert_true(bson_iter_init(&iter, from));
    while (bson_iter_next(&iter)) {
        sp_value_t value = sp_value_of(&iter);
        assert_true(count < COUNT(clauses));
        bson_init(&clauses[count]);
        sp_value_append(&clauses[count++], bson_iter_key(&iter), &value);
    }
    while (count > 0) {
        bson_concat(to, &clauses[--count]);
        bson_destroy(&clauses[count]);
    }
}

/* The sequence of predicates, and of branches of one $or, does not count. */
static void test_sequence_does_not_count(void **state)
{
    const fixture_t *fixture = *state;
    for (uint64_t scene = 0; scene < SCENES; scene++) {
        uint8_t bytes[512];
        sp_producer_t producer;
        start(&producer, bytes, sizeof bytes, "sequence", scene);
        const sp_layout_t *layout = fixture->layouts[sp_draw_below(&producer, COUNT(layouts))];
        bson_t branches = BSON_INITIALIZER, reversed, beside = BSON_INITIALIZER;
        for (unsigned i = 0; i < CLAUSES_MAX; i++) {
            bson_t branch;
            BSON_APPEND_DOCUMENT_BEGIN(&branches, "0", &branch);
            sp_draw_plain_predicate(&producer, &branch);
            sp_draw_plain_predicate(&producer, &branch);
            bson_append_document_end(&branches, &branch);
        }
        for (unsigned i = sp_draw_below(&producer, 3); i > 0; i--)
            sp_draw_plain_predicate(&producer, &beside);
        bson_t filter = BSON_INITIALIZER, other;
        BSON_APPEND_ARRAY(&filter, "$or", &branches);
        bson_concat(&filter, &beside);
        reverse(&branches, &reversed);
        reverse(&beside, &other);
        BSON_APPEND_ARRAY(&other, "$or", &reversed);
        targets_t one = target(fixture, layout, &filter), two = target(fixture, layout, &other);
        if (one.shards != two.shards || one.reach != two.reach)
            report("another sequence has other shards", layout, &filter);
        bson_destroy(&other);
        bson_destroy(&filter);
        bson_destroy(&reversed);
        bson_destroy(&beside);
        bson_destroy(&branches);
    }
}

static void test_one_shard(void **state)
{
    const fixture_t *fixture = *state;
    bson_t *doc = sp_doc_from("{'key': {'x': 1, 'y': 1}, 'chunks': [[{'x': {'$minKey': 1}, 'y': "
                              "{'$minKey': 1}}, {'x': 4, 'y': 4}, 's2'], [{'x': 4, 'y': 4}, {'x': "
                              "{'$maxKey': 1}, 'y': {'$maxKey': 1}}, 's2']]}");
    sp_layout_t *layout = sp_layout_new(doc, NULL);
    assert_non_null(layout);
    for (uint64_t scene = 0; scene < SCENES; scene++) {
        uint8_t bytes[512];
        sp_producer_t producer;
        start(&producer, bytes, sizeof bytes, "one", scene);
        bson_t filter = BSON_INITIALIZER;
        sp_draw_plain_filter(&producer, 2, &filter);
        assert_int_equal(target(fixture, layout, &filter).shards, 1);
        bson_destroy(&filter);
    }
    sp_layout_free(layout);
    bson_destroy(doc);
}

static void assert_shards(const fixture_t *fixture, const char *layout_text, const char *filter,
                          const char *wanted)
{
    sp_layout_t *layout = sp_layout_from(layout_text);
    sp_assert_answer(fixture->model, layout, filter, wanted);
    sp_layout_free(layout);
}

/* One more $or may add shards, because only one of several is looked up; and so may a
 * contradiction, which goes to the first chunk. 6.0.5, 6.0.24 and 6.0.27 do the same (November
 * 2026). */
static void test_more_conditions_may_add_shards(void **state)
{
    static const char by_xy[] = "{'key': {'x': 1, 'y': 1}, 'splits': [{'x': 15, 'y': 0}, {'x': 15, "
                                "'y': 10}, {'x': 15, 'y': 20}, {'x': 15, 'y': 30}]}";
    static const char by_x[] = "{'key': {'x': 1}, 'splits': [{'x': 0}, {'x': 10}, {'x': 20}, {'x': "
                               "30}]}";
    assert_shards(*state, by_xy, "{'$or': [{'x': 15, 'y': 5, 'q': 1}, {'x': 15, 'y': 6}]}", "s2");
    assert_shards(*state, by_xy,
                  "{'$and': [{'$or': [{'x': 15, 'y': 5, 'q': 1}, {'x': 15, 'y': 6}]}, {'$or': "
                  "[{'x': 15, 'a': 1}, {'x': 15, 'b': 2}]}]}",
                  "s1 s2 s3");
    assert_shards(*state, by_x, "{'x': 15}", "s3");
    assert_shards(*state, by_x, "{'$and': [{'x': 15}, {'x': 25}]}", "s1");
    assert_shards(*state, by_x, "{'x': {'$lt': 0}}", "s1 s2");
    assert_shards(*state, by_x, "{'$and': [{'x': {'$lt': 0}}, {'x': 15}]}", "s3");
}

/* Of two $ors that sort alike the one written first is looked up. 6.0.5, 6.0.24 and 6.0.27 do the
 * same (November 2026). */
static void test_sequence_of_ors_counts(void **state)
{
    static const char by_x[] = "{'key': {'x': 1}, 'splits': [{'x': 0}, {'x': 10}]}";
    assert_shards(*state, by_x,
                  "{'$and': [{'$or': [{'x': {'$gt': 12}}, {'x': {'$gt': 13}}]}, {'$or': [{'x': "
                  "{'$gt': 5}}, {'x': {'$gt': 6}}]}]}",
                  "s3");
    assert_shards(*state, by_x,
                  "{'$and': [{'$or': [{'x': {'$gt': 5}}, {'x': {'$gt': 6}}]}, {'$or': [{'x': "
                  "{'$gt': 12}}, {'x': {'$gt': 13}}]}]}",
                  "s2 s3");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_matching_documents_are_found),
        cmocka_unit_test(test_predicates_narrow),
        cmocka_unit_test(test_sequence_does_not_count),
        cmocka_unit_test(test_one_shard),
        cmocka_unit_test(test_more_conditions_may_add_shards),
        cmocka_unit_test(test_sequence_of_ors_counts),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
