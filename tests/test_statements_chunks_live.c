/* Statements about chunks, monotonic keys, cardinality and initial chunks, each by its number in
 * docs/coverage.md, against a real cluster.
 */
#include "statements.h"

#include "../oracles/value.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define LEAST "{\"x\": {\"$minKey\": 1}}"
#define MOST  "{\"x\": {\"$maxKey\": 1}}"

typedef struct thirds {
    unsigned low, middle, high; /* shards */
} thirds_t;

/* A collection sharded by {x: 1}: below 0 on one shard, from 0 to 100 on another, above on the
 * third. */
static thirds_t in_thirds(sp_place_t *place, const char *collection)
{
    unsigned primary = place->session->primary;
    thirds_t at = {primary, (primary + 1) % SP_STATEMENT_SHARDS,
                   (primary + 2) % SP_STATEMENT_SHARDS};
    assert_int_equal(sp_place_shard(place, collection, "{\"x\": 1}", ""), 0);
    assert_int_equal(sp_place_split(place, collection, LEAST, MOST, "[{\"x\": 0}, {\"x\": 100}]"),
                     0);
    sp_place_move(place, collection, "{\"x\": 0}", "{\"x\": 100}", at.middle);
    sp_place_move(place, collection, "{\"x\": 100}", MOST, at.high);
    return at;
}

static void chunks_cover_all_and_do_not_overlap(void **state)
{
    sp_place_t *place = *state;
    bson_iter_t list, chunk, bound;
    char *before = NULL;
    int64_t chunks = 0;
    in_thirds(place, "cover");
    /* Each begins where the one before it ends, the first at MinKey, the last ends at MaxKey. */
    assert_int_equal(
        sp_place_run(place, place->session->config, "config", NULL,
                     "{\"aggregate\": \"collections\", \"cursor\": {}, \"pipeline\": [{\"$match\": "
                     "{\"_id\": \"%s.cover\"}}, {\"$lookup\": {\"from\": \"chunks\", "
                     "\"localField\": \"uuid\", \"foreignField\": \"uuid\", \"as\": \"c\"}}, "
                     "{\"$unwind\": \"$c\"}, {\"$replaceWith\": \"$c\"}, {\"$sort\": {\"min\": "
                     "1}}]}",
                     place->session->db),
        0);
    assert_true(sp_place_find(place, "cursor.firstBatch", &list));
    for (assert_true(bson_iter_recurse(&list, &chunk)); bson_iter_next(&chunk); chunks++) {
        bson_t part;
        bson_iter_t fields;
        for (int end = 0; end < 2; end++) {
            assert_true(bson_iter_recurse(&chunk, &fields));
            assert_true(bson_iter_find_descendant(&fields, end == 0 ? "min" : "max", &bound));
            assert_true(sp_value_document(&bound, &part));
            char *json = bson_as_canonical_extended_json(&part, NULL);
            if (end == 0 && before != NULL)
                assert_string_equal(json, before);
            if (end == 0 && before == NULL)
                assert_non_null(strstr(json, "$minKey"));
            bson_free(before);
            before = json;
        }
    }
    assert_int_equal(chunks, 3);
    assert_true(before != NULL && strstr(before, "$maxKey") != NULL);
    bson_free(before);
}

/* Inserts x = from, from + step, … through routers. */
static void insert_row(sp_place_t *place, const char *collection, int from, int step, int count)
{
    for (int i = 0; i < count; i++) {
        char document[64];
        snprintf(document, sizeof document, "{\"x\": %d}", from + i * step);
        assert_int_equal(sp_place_insert(place, collection, document), 0);
    }
}

static void rising_keys_go_to_the_chunk_below_max_key(void **state)
{
    thirds_t at = in_thirds(*state, "rising");
    insert_row(*state, "rising", 101, 3, 50);
    assert_int_equal(sp_place_count(*state, at.high, "rising", "{}"), 50);
    assert_int_equal(sp_place_count_all(*state, "rising", "{}"), 50);
}

static void falling_keys_go_to_the_chunk_above_min_key(void **state)
{
    thirds_t at = in_thirds(*state, "falling");
    insert_row(*state, "falling", -1, -3, 50);
    assert_int_equal(sp_place_count(*state, at.low, "falling", "{}"), 50);
    assert_int_equal(sp_place_count_all(*state, "falling", "{}"), 50);
}

static void generated_ids_go_to_one_shard(void **state)
{
    sp_place_t *place = *state;
    unsigned to = (place->session->primary + 1) % SP_STATEMENT_SHARDS;
    static const char half[] = "{\"_id\": {\"$oid\": \"600000000000000000000000\"}}";
    assert_int_equal(sp_place_shard(place, "ids", "{\"_id\": 1}", ""), 0);
    char *at = bson_strdup_printf("[%s]", half);
    assert_int_equal(sp_place_split(place, "ids", "{\"_id\": {\"$minKey\": 1}}",
                                    "{\"_id\": {\"$maxKey\": 1}}", at),
                     0);
    bson_free(at);
    sp_place_move(place, "ids", half, "{\"_id\": {\"$maxKey\": 1}}", to);
    for (int i = 0; i < 30; i++)
        assert_int_equal(sp_place_insert(place, "ids", "{\"y\": 1}"), 0);
    assert_int_equal(sp_place_count(place, to, "ids", "{}"), 30);
}

static void rising_keys_spread_when_hashed(void **state)
{
    sp_place_t *place = *state;
    assert_int_equal(sp_place_shard(place, "spread", "{\"x\": \"hashed\"}", ""), 0);
    insert_row(place, "spread", 1, 1, 150);
    /* The hashes are what they are, so the numbers can't change: each has about a third. */
    for (unsigned i = 0; i < SP_STATEMENT_SHARDS; i++)
        assert_in_range(sp_place_count(place, i, "spread", "{}"), 30, 75);
    assert_int_equal(sp_place_count_all(place, "spread", "{}"), 150);
}

static void no_chunk_is_split_within_one_value(void **state)
{
    sp_place_t *place = *state;
    assert_int_equal(sp_place_shard(place, "within", "{\"x\": 1}", ""), 0);
    assert_int_equal(sp_place_split(place, "within", LEAST, MOST, "[{\"x\": 5}, {\"x\": 6}]"), 0);
    /* The chunk from 5 to 6 holds one integer, and 5 is its lower bound already. */
    assert_int_equal(sp_place_split(place, "within", "{\"x\": 5}", "{\"x\": 6}", "[{\"x\": 5}]"),
                     72);
    assert_int_equal(
        sp_place_split(place, "within", "{\"x\": 6}", MOST, "[{\"x\": 7}, {\"x\": 7}]"), 72);
    assert_int_equal(sp_place_split(place, "within", "{\"x\": 6}", MOST, "[{\"x\": 3}]"), 72);
    assert_int_equal(sp_place_chunks(place, "within", ""), 3);
}

enum { BATCH = 200, PAYLOAD = 4000 };

/* Fills an unsharded collection with two batches for each of `values`, where x is the value and _id
 * is unique; each value has 1.6 MB. */
static void fill(sp_place_t *place, const char *collection, const int *values, size_t count)
{
    char payload[PAYLOAD + 1];
    int id = 0;
    memset(payload, 'p', PAYLOAD);
    payload[PAYLOAD] = '\0';
    for (size_t i = 0; i < 2 * count; i++) {
        bson_string_t *documents = bson_string_new(NULL);
        for (int n = 0; n < BATCH; n++)
            bson_string_append_printf(documents, "%s{\"_id\": %d, \"x\": %d, \"p\": \"%s\"}",
                                      n > 0 ? ", " : "", id++, values[i / 2], payload);
        assert_int_equal(sp_place_direct(place, place->session->primary,
                                         "{\"insert\": \"%s\", \"documents\": [%s]}", collection,
                                         documents->str),
                         0);
        bson_string_free(documents, true);
    }
}

/* Where the server would split the collection by `key` into chunks of 1 MB; how many points. */
static unsigned split_points(sp_place_t *place, const char *collection, const char *key,
                             const char *least, const char *most)
{
    bson_iter_t list, point;
    unsigned points = 0;
    assert_int_equal(sp_place_direct(place, place->session->primary,
                                     "{\"createIndexes\": \"%s\", \"indexes\": [{\"key\": %s, "
                                     "\"name\": \"key\"}]}",
                                     collection, key),
                     0);
    assert_int_equal(sp_place_direct(place, place->session->primary,
                                     "{\"autoSplitVector\": \"%s\", \"keyPattern\": %s, \"min\": "
                                     "%s, \"max\": %s, \"maxChunkSizeBytes\": {\"$numberLong\": "
                                     "\"1048576\"}}",
                                     collection, key, least, most),
                     0);
    assert_true(sp_place_find(place, "splitKeys", &list));
    for (assert_true(bson_iter_recurse(&list, &point)); bson_iter_next(&point);)
        points++;
    return points;
}

static void cardinality_bounds_the_number_of_chunks(void **state)
{
    static const int values[] = {1, 2, 3, 4};
    fill(*state, "four", values, 4);
    /* 6.4 MB, but four values: at most four chunks, so three points. */
    assert_int_equal(split_points(*state, "four", "{\"x\": 1}", LEAST, MOST), 3);
}

static void a_frequent_value_cannot_be_divided(void **state)
{
    static const int values[] = {7, 7, 7};
    fill(*state, "frequent", values, 3);
    assert_int_equal(split_points(*state, "frequent", "{\"x\": 1}", LEAST, MOST), 0);
}

static void another_field_makes_it_divisible(void **state)
{
    static const int values[] = {7, 7, 7};
    fill(*state, "divisible", values, 3);
    assert_in_range(split_points(*state, "divisible", "{\"x\": 1, \"_id\": 1}",
                                 "{\"x\": {\"$minKey\": 1}, \"_id\": {\"$minKey\": 1}}",
                                 "{\"x\": {\"$maxKey\": 1}, \"_id\": {\"$maxKey\": 1}}"),
                    3, 20);
}

static void set_chunk_size(sp_place_t *place, const char *update)
{
    assert_int_equal(sp_place_run(place, place->session->config, "config", NULL,
                                  "{\"update\": \"settings\", \"updates\": [{\"q\": {\"_id\": "
                                  "\"chunksize\"}, \"u\": %s, \"upsert\": true}]}",
                                  update),
                     0);
}

static void a_chunk_of_one_frequent_value_stays_where_it_is(void **state)
{
    static const int values[] = {7, 7};
    sp_place_t *place = *state;
    sp_session_t *session = place->session;
    set_chunk_size(place, "{\"$set\": {\"value\": 1}}");
    fill(place, "jumbo", values, 2);
    assert_int_equal(split_points(place, "jumbo", "{\"x\": 1}", LEAST, MOST), 0);
    assert_int_equal(sp_place_shard(place, "jumbo", "{\"x\": 1}", ""), 0);
    assert_int_equal(sp_place_split(place, "jumbo", LEAST, MOST, "[{\"x\": 7}, {\"x\": 8}]"), 0);
    int32_t code = sp_place_run(
        place, session->config, "admin", NULL,
        "{\"_configsvrMoveRange\": \"%s.jumbo\", \"toShard\": \"%s\", \"min\": {\"x\": 7}, "
        "\"max\": {\"x\": 8}, \"writeConcern\": {\"w\": \"majority\"}}",
        session->db, session->at.names[(session->primary + 1) % SP_STATEMENT_SHARDS]);
    set_chunk_size(place, "{\"$set\": {\"value\": 128}}");
    assert_int_equal(code, 153); /* ChunkTooBig */
}

static void a_populated_collection_gets_one_chunk(void **state)
{
    static const int values[] = {1, 2, 3, 4};
    sp_place_t *place = *state;
    fill(place, "populated", values, 4);
    assert_int_equal(sp_place_direct(place, place->session->primary,
                                     "{\"createIndexes\": \"populated\", \"indexes\": [{\"key\": "
                                     "{\"x\": \"hashed\"}, \"name\": \"h\"}]}"),
                     0);
    assert_int_equal(sp_place_shard(place, "populated", "{\"x\": \"hashed\"}", ""), 0);
    assert_int_equal(sp_place_chunks(place, "populated", ""), 1);
}

static void an_empty_hashed_collection_gets_two_chunks_a_shard(void **state)
{
    sp_place_t *place = *state;
    static const char *const keys[] = {"{\"x\": \"hashed\"}", "{\"x\": \"hashed\", \"y\": 1}"};
    for (unsigned k = 0; k < 2; k++) {
        char name[16];
        snprintf(name, sizeof name, "empty%u", k);
        assert_int_equal(sp_place_shard(place, name, keys[k], ""), 0);
        for (unsigned i = 0; i < SP_STATEMENT_SHARDS; i++) {
            char *filter = bson_strdup_printf(", {\"shard\": \"%s\"}", place->session->at.names[i]);
            assert_int_equal(sp_place_chunks(place, name, filter), 2);
            bson_free(filter);
        }
    }
    /* Behind the hashed field every point has MinKey. */
    assert_int_equal(sp_place_chunks(place, "empty1", ", {\"min.y\": {\"$minKey\": 1}}"),
                     2 * SP_STATEMENT_SHARDS);
}

static void the_number_of_initial_chunks_is_bounded(void **state)
{
    /* 8192 for each shard. */
    assert_int_equal(
        sp_place_shard(*state, "many", "{\"x\": \"hashed\"}", ", \"numInitialChunks\": 24577"), 72);
    assert_int_equal(
        sp_place_shard(*state, "few", "{\"x\": \"hashed\"}", ", \"numInitialChunks\": 7"), 0);
    assert_int_equal(sp_place_chunks(*state, "few", ""), 7);
}

static void a_dropped_collection_takes_another_key(void **state)
{
    sp_place_t *place = *state;
    sp_session_t *session = place->session;
    assert_int_equal(sp_place_shard(place, "dropped", "{\"x\": 1}", ""), 0);
    assert_int_equal(sp_place_shard(place, "dropped", "{\"y\": 1}", ""), 23);
    assert_int_equal(sp_place_run(place, session->shards[session->primary], session->db,
                                  &session->db_version,
                                  "{\"_shardsvrDropCollection\": \"dropped\", \"writeConcern\": "
                                  "{\"w\": \"majority\"}}"),
                     0);
    assert_int_equal(sp_place_shard(place, "dropped", "{\"y\": 1}", ""), 0);
}

static void there_is_no_way_back_or_to_measure(void **state)
{
    /* Commands of later versions: unsharding and moving since 7.x, measuring since 7.0. */
    static const char *const commands[] = {"unshardCollection", "moveCollection", "analyzeShardKey",
                                           "configureQueryAnalyzer"};
    sp_place_t *place = *state;
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        assert_int_equal(sp_place_run(place, place->session->shards[0], "admin", NULL,
                                      "{\"%s\": \"a.b\"}", commands[i]),
                         59);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SP_STATEMENT(401, chunks_cover_all_and_do_not_overlap),
        SP_STATEMENT(411, rising_keys_go_to_the_chunk_below_max_key),
        SP_STATEMENT(412, falling_keys_go_to_the_chunk_above_min_key),
        SP_STATEMENT(413, generated_ids_go_to_one_shard),
        SP_STATEMENT(414, rising_keys_spread_when_hashed),
        SP_STATEMENT(404, no_chunk_is_split_within_one_value),
        SP_STATEMENT(405, cardinality_bounds_the_number_of_chunks),
        SP_STATEMENT(407, a_frequent_value_cannot_be_divided),
        SP_STATEMENT(416, a_chunk_of_one_frequent_value_stays_where_it_is),
        SP_STATEMENT(408, another_field_makes_it_divisible),
        SP_STATEMENT(601, an_empty_hashed_collection_gets_two_chunks_a_shard),
        SP_STATEMENT(602, the_number_of_initial_chunks_is_bounded),
        SP_STATEMENT(604, a_populated_collection_gets_one_chunk),
        SP_STATEMENT(113, a_dropped_collection_takes_another_key),
        SP_STATEMENT(1501, there_is_no_way_back_or_to_measure),
    };
    return cmocka_run_group_tests(tests, sp_place_enter, sp_place_leave);
}
