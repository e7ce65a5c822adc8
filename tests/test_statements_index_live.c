/* Statements about the shard key's index and about uniqueness, each by its number in
 * docs/coverage.md, against a real cluster.
 */
#include "statements.h"

#include <stdio.h>
#include <string.h>

#define LEAST "{\"x\": {\"$minKey\": 1}}"
#define MOST  "{\"x\": {\"$maxKey\": 1}}"

static int32_t create_index(sp_place_t *place, const char *collection, const char *key,
                            const char *options)
{
    return sp_place_direct(place, place->session->primary,
                           "{\"createIndexes\": \"%s\", \"indexes\": [{\"key\": %s, \"name\": "
                           "\"i\"%s}]}",
                           collection, key, options);
}

typedef struct support {
    const char *key, *index, *options, *document;
    int32_t code;
} support_t;

/* What a populated collection may have as its only index besides that on _id. */
static const support_t supports[] = {
    {"{\"x\": 1}", "{\"x\": 1}", "", "{\"x\": 1}", 0},
    {"{\"x\": 1}", "{\"x\": 1, \"y\": 1}", "", "{\"x\": 1, \"y\": 1}", 0},
    {"{\"x\": 1}", "{\"x\": 1, \"y\": -1}", "", "{\"x\": 1, \"y\": 1}", 0},
    {"{\"x\": 1}", "{\"x\": 1}", ", \"unique\": true", "{\"x\": 1}", 0},
    {"{\"x\": 1}", "{\"y\": 1, \"x\": 1}", "", "{\"x\": 1}", 72},
    {"{\"x\": 1}", "{\"x\": -1}", "", "{\"x\": 1}", 72},
    {"{\"x\": 1}", "{\"x\": 1}", "", "{\"x\": [1, 2]}", 72},
    {"{\"x\": 1}", "{\"x\": 1, \"y\": 1}", "", "{\"x\": 1, \"y\": [1, 2]}", 72},
    {"{\"x\": 1}", "{\"x\": \"text\"}", "", "{\"x\": \"a\"}", 72},
    {"{\"x\": 1}", "{\"x\": \"2d\"}", "", "{\"y\": 1}", 72},
    {"{\"x\": 1}", "{\"x\": \"2dsphere\"}", "", "{\"y\": 1}", 72},
    {"{\"x\": 1}", "{\"$**\": 1}", "", "{\"x\": 1}", 72},
    {"{\"x\": 1}", "{\"x\": \"hashed\"}", "", "{\"x\": 1}", 72},
    {"{\"x\": 1}", "{\"x\": 1}", ", \"sparse\": true", "{\"x\": 1}", 72},
    {"{\"x\": 1}", "{\"x\": 1}", ", \"partialFilterExpression\": {\"x\": {\"$gt\": 0}}",
     "{\"x\": 1}", 72},
    {"{\"x\": 1}", "{\"x\": 1}", ", \"collation\": {\"locale\": \"fr\"}", "{\"x\": 1}", 72},
    {"{\"x\": 1}", "{\"x\": 1}", ", \"hidden\": true", "{\"x\": 1}", 72},
    {"{\"x\": \"hashed\"}", "{\"x\": \"hashed\"}", "", "{\"x\": 1}", 0},
    {"{\"x\": \"hashed\"}", "{\"x\": \"hashed\", \"y\": 1}", "", "{\"x\": 1}", 0},
    {"{\"x\": \"hashed\"}", "{\"x\": 1}", "", "{\"x\": 1}", 72},
    {"{\"x\": 1}", NULL, "", "{\"x\": 1}", 72},
};

static void some_indexes_support_a_key_and_some_do_not(void **state)
{
    sp_place_t *place = *state;
    for (size_t i = 0; i < sizeof supports / sizeof *supports; i++) {
        const support_t *support = &supports[i];
        char name[16];
        snprintf(name, sizeof name, "support%zu", i);
        assert_int_equal(sp_place_direct(place, place->session->primary,
                                         "{\"insert\": \"%s\", \"documents\": [%s]}", name,
                                         support->document),
                         0);
        if (support->index != NULL)
            assert_int_equal(create_index(place, name, support->index, support->options), 0);
        int32_t code = sp_place_shard(place, name, support->key, "");
        if (code != support->code)
            fail_msg("%s by %s%s: %d", support->key,
                     support->index != NULL ? support->index : "nothing", support->options, code);
    }
}

static int64_t count_indexes(sp_place_t *place, const char *collection, const char *filter)
{
    assert_int_equal(sp_place_direct(place, place->session->primary,
                                     "{\"aggregate\": \"%s\", \"cursor\": {}, \"pipeline\": "
                                     "[{\"$indexStats\": {}}, {\"$match\": %s}, {\"$count\": "
                                     "\"n\"}]}",
                                     collection, filter),
                     0);
    bson_iter_t found;
    return sp_place_find(place, "cursor.firstBatch.0.n", &found) ? bson_iter_as_int64(&found) : 0;
}

static void an_empty_collection_is_given_the_index(void **state)
{
    assert_int_equal(sp_place_shard(*state, "given", "{\"x\": 1, \"y\": 1}", ""), 0);
    assert_int_equal(count_indexes(*state, "given", "{\"key\": {\"x\": 1, \"y\": 1}}"), 1);
    assert_int_equal(sp_place_shard(*state, "givenhash", "{\"x\": \"hashed\"}", ""), 0);
    assert_int_equal(count_indexes(*state, "givenhash", "{\"key\": {\"x\": \"hashed\"}}"), 1);
    /* None is made where there is one that serves. */
    assert_int_equal(create_index(*state, "serves", "{\"x\": 1, \"z\": 1}", ""), 0);
    assert_int_equal(sp_place_shard(*state, "serves", "{\"x\": 1}", ""), 0);
    assert_int_equal(count_indexes(*state, "serves", "{}"), 2);
}

static void the_last_index_is_kept(void **state)
{
    sp_place_t *place = *state;
    unsigned primary = place->session->primary;
    assert_int_equal(sp_place_shard(place, "kept", "{\"x\": 1}", ""), 0);
    static const char drop[] = "{\"dropIndexes\": \"kept\", \"index\": \"x_1\"}";
    assert_int_equal(sp_place_versioned(place, primary, "kept", drop), 370);
    /* With another one that serves, it may go. */
    assert_int_equal(create_index(place, "kept", "{\"x\": 1, \"y\": 1}", ""), 0);
    assert_int_equal(sp_place_versioned(place, primary, "kept", drop), 0);
}

static int32_t try_to_move(sp_place_t *place, const char *collection, unsigned to)
{
    return sp_place_run(place, place->session->config, "admin", NULL,
                        "{\"_configsvrMoveRange\": \"%s.%s\", \"toShard\": \"%s\", \"min\": " LEAST
                        ", \"max\": {\"x\": 0}, \"writeConcern\": {\"w\": \"majority\"}}",
                        place->session->db, collection, place->session->at.names[to]);
}

static void a_lost_index_can_be_made_anew(void **state)
{
    sp_place_t *place = *state;
    unsigned primary = place->session->primary, to = (primary + 1) % SP_STATEMENT_SHARDS;
    assert_int_equal(sp_place_shard(place, "lost", "{\"x\": 1}", ""), 0);
    assert_int_equal(sp_place_split(place, "lost", LEAST, MOST, "[{\"x\": 0}]"), 0);
    assert_int_equal(sp_place_insert(place, "lost", "{\"x\": -1}"), 0);
    /* Straight to the shard, since a router's would be refused. */
    assert_int_equal(
        sp_place_direct(place, primary, "{\"dropIndexes\": \"lost\", \"index\": \"x_1\"}"), 0);
    assert_int_not_equal(try_to_move(place, "lost", to), 0);
    assert_int_equal(create_index(place, "lost", "{\"x\": 1}", ""), 0);
    assert_int_equal(try_to_move(place, "lost", to), 0);
    assert_int_equal(sp_place_count(place, to, "lost", "{\"x\": -1}"), 1);
}

/* Two chunks, from 0 on another shard than below. */
static void in_halves(sp_place_t *place, const char *collection, const char *options)
{
    unsigned to = (place->session->primary + 1) % SP_STATEMENT_SHARDS;
    assert_int_equal(sp_place_shard(place, collection, "{\"x\": 1}", options), 0);
    assert_int_equal(sp_place_split(place, collection, LEAST, MOST, "[{\"x\": 0}]"), 0);
    sp_place_move(place, collection, "{\"x\": 0}", MOST, to);
}

static void the_whole_key_is_unique_and_no_part_of_it(void **state)
{
    assert_int_equal(sp_place_shard(*state, "whole", "{\"a\": 1, \"b\": 1}", ", \"unique\": true"),
                     0);
    assert_int_equal(count_indexes(*state, "whole", "{\"spec.unique\": true}"), 1);
    assert_int_equal(sp_place_insert(*state, "whole", "{\"a\": 1, \"b\": 1}"), 0);
    assert_int_equal(sp_place_insert(*state, "whole", "{\"a\": 1, \"b\": 2}"), 0);
    assert_int_equal(sp_place_insert(*state, "whole", "{\"a\": 2, \"b\": 1}"), 0);
    assert_int_equal(sp_place_insert(*state, "whole", "{\"a\": 1, \"b\": 1}"), 11000);
}

static void the_same_id_on_two_shards(void **state)
{
    in_halves(*state, "sameid", "");
    assert_int_equal(sp_place_insert(*state, "sameid", "{\"_id\": 1, \"x\": -1}"), 0);
    assert_int_equal(sp_place_insert(*state, "sameid", "{\"_id\": 1, \"x\": 1}"), 0);
    assert_int_equal(sp_place_count_all(*state, "sameid", "{\"_id\": 1}"), 2);
    /* Each shard's own index still holds. */
    assert_int_equal(sp_place_insert(*state, "sameid", "{\"_id\": 1, \"x\": 2}"), 11000);
}

static void unique_indexes_begin_with_the_key(void **state)
{
    sp_place_t *place = *state;
    unsigned primary = place->session->primary;
    assert_int_equal(sp_place_shard(place, "begin", "{\"x\": 1}", ""), 0);
    static const struct {
        const char *key;
        int32_t code;
    } indexes[] = {
        {"{\"y\": 1}", 67},
        {"{\"y\": 1, \"x\": 1}", 67},
        {"{\"x\": 1, \"y\": 1}", 0},
    };
    for (size_t i = 0; i < sizeof indexes / sizeof *indexes; i++)
        assert_int_equal(
            sp_place_versioned(place, primary, "begin",
                               "{\"createIndexes\": \"begin\", \"indexes\": "
                               "[{\"key\": %s, \"name\": \"u%zu\", \"unique\": true}]}",
                               indexes[i].key, i),
            indexes[i].code);
    assert_int_equal(create_index(place, "elsewhere", "{\"y\": 1}", ", \"unique\": true"), 0);
    assert_int_equal(sp_place_shard(place, "elsewhere", "{\"x\": 1}", ""), 72);
    assert_int_equal(sp_place_shard(place, "uhash", "{\"x\": \"hashed\"}", ", \"unique\": true"),
                     72);
}

static void a_proxy_collection_keeps_a_field_unique(void **state)
{
    sp_place_t *place = *state;
    unsigned primary = place->session->primary;
    static const char mail[] = "{\"_id\": %d, \"email\": \"a@example.net\"}";
    char document[64];
    /* Unsharded, with a unique index; or sharded by the very field. */
    assert_int_equal(create_index(place, "proxy", "{\"email\": 1}", ", \"unique\": true"), 0);
    for (int i = 0; i < 2; i++) {
        snprintf(document, sizeof document, mail, i);
        assert_int_equal(sp_place_direct(place, primary,
                                         "{\"insert\": \"proxy\", \"documents\": [%s]}", document),
                         i == 0 ? 0 : 11000);
    }
    assert_int_equal(sp_place_shard(place, "proxy", "{\"email\": 1}", ", \"unique\": true"), 0);
    assert_int_equal(sp_place_insert(place, "proxy", document), 11000);
    /* With two such indexes it can be sharded by neither field. */
    assert_int_equal(create_index(place, "proxies", "{\"email\": 1}", ", \"unique\": true"), 0);
    assert_int_equal(sp_place_direct(place, primary,
                                     "{\"createIndexes\": \"proxies\", \"indexes\": [{\"key\": "
                                     "{\"phone\": 1}, \"name\": \"j\", \"unique\": true}]}"),
                     0);
    assert_int_equal(sp_place_shard(place, "proxies", "{\"email\": 1}", ""), 72);
    assert_int_equal(sp_place_shard(place, "proxies", "{\"phone\": 1}", ""), 72);
}

static void queries_are_covered_with_the_key_in_the_index(void **state)
{
    sp_place_t *place = *state;
    static const struct {
        const char *index, *name;
        int64_t fetched;
    } indexes[] = {{"{\"y\": 1}", "without", 1}, {"{\"y\": 1, \"x\": 1}", "with", 0}};
    assert_int_equal(sp_place_shard(place, "covered", "{\"x\": 1}", ""), 0);
    assert_int_equal(sp_place_insert(place, "covered", "{\"x\": 1, \"y\": 3}"), 0);
    for (size_t i = 0; i < sizeof indexes / sizeof *indexes; i++) {
        assert_int_equal(sp_place_direct(place, place->session->primary,
                                         "{\"createIndexes\": \"covered\", \"indexes\": "
                                         "[{\"key\": %s, \"name\": \"%s\"}]}",
                                         indexes[i].index, indexes[i].name),
                         0);
        assert_int_equal(sp_place_direct(place, 0,
                                         "{\"explain\": {\"clusterFind\": \"covered\", "
                                         "\"filter\": {\"y\": 3}, \"projection\": {\"_id\": 0, "
                                         "\"y\": 1}, \"hint\": \"%s\"}, \"verbosity\": "
                                         "\"executionStats\"}",
                                         indexes[i].name),
                         0);
        assert_int_equal(sp_place_number(place, "executionStats.nReturned"), 1);
        assert_int_equal(sp_place_number(place, "executionStats.totalDocsExamined"),
                         indexes[i].fetched);
    }
}

static void hashed_indexes_have_their_limits(void **state)
{
    sp_place_t *place = *state;
    unsigned primary = place->session->primary;
    assert_int_equal(create_index(place, "hashes", "{\"x\": \"hashed\", \"y\": \"hashed\"}", ""),
                     31303);
    assert_int_equal(create_index(place, "hashes", "{\"x\": \"hashed\"}", ", \"unique\": true"),
                     16764);
    assert_int_equal(create_index(place, "hashes", "{\"x\": \"hashed\", \"y\": 1}", ""), 0);
    assert_int_equal(
        sp_place_direct(place, primary, "{\"insert\": \"hashes\", \"documents\": [{\"x\": [1]}]}"),
        16766);
    assert_int_equal(
        sp_place_direct(place, primary, "{\"insert\": \"arrays\", \"documents\": [{\"x\": [1]}]}"),
        0);
    assert_int_equal(create_index(place, "arrays", "{\"x\": \"hashed\"}", ""), 16766);
    /* Beside a hashed index the same field can have a ranged one. */
    assert_int_equal(sp_place_direct(place, primary,
                                     "{\"createIndexes\": \"hashes\", \"indexes\": [{\"key\": "
                                     "{\"x\": 1}, \"name\": \"ranged\"}]}"),
                     0);
}

/* 1.5 as a double and as a decimal: equal, but hashed apart, and found on different shards. */
static void equal_values_are_accepted_twice_where_their_hashes_differ(void **state)
{
    sp_place_t *place = *state;
    assert_int_equal(sp_place_shard(place, "twice", "{\"_id\": \"hashed\"}", ""), 0);
    assert_int_equal(sp_place_insert(place, "twice", "{\"_id\": 1.5}"), 0);
    assert_int_equal(sp_place_insert(place, "twice", "{\"_id\": 1.5}"), 11000);
    assert_int_equal(sp_place_insert(place, "twice", "{\"_id\": {\"$numberDecimal\": \"1.5\"}}"),
                     0);
    assert_int_equal(
        sp_place_count_all(place, "twice", "{\"_id\": {\"$gte\": 1.5, \"$lte\": 1.5}}"), 2);
    assert_int_equal(sp_place_shard(place, "twicex", "{\"x\": \"hashed\"}", ""), 0);
    for (unsigned i = 0; i < SP_STATEMENT_SHARDS; i++)
        assert_int_equal(sp_place_versioned(place, i, "twicex",
                                            "{\"createIndexes\": \"twicex\", \"indexes\": "
                                            "[{\"key\": {\"x\": 1}, \"name\": \"u\", \"unique\": "
                                            "true}]}"),
                         0);
    assert_int_equal(sp_place_insert(place, "twicex", "{\"x\": 1.5}"), 0);
    assert_int_equal(sp_place_insert(place, "twicex", "{\"x\": 1.5}"), 11000);
    assert_int_equal(sp_place_insert(place, "twicex", "{\"x\": {\"$numberDecimal\": \"1.5\"}}"), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SP_STATEMENT(204, some_indexes_support_a_key_and_some_do_not),
        SP_STATEMENT(202, an_empty_collection_is_given_the_index),
        SP_STATEMENT(212, the_last_index_is_kept),
        SP_STATEMENT(211, a_lost_index_can_be_made_anew),
        SP_STATEMENT(304, the_whole_key_is_unique_and_no_part_of_it),
        SP_STATEMENT(306, the_same_id_on_two_shards),
        SP_STATEMENT(301, unique_indexes_begin_with_the_key),
        SP_STATEMENT(310, a_proxy_collection_keeps_a_field_unique),
        SP_STATEMENT(1403, queries_are_covered_with_the_key_in_the_index),
        SP_STATEMENT(506, hashed_indexes_have_their_limits),
        SP_STATEMENT(309, equal_values_are_accepted_twice_where_their_hashes_differ),
    };
    return cmocka_run_group_tests(tests, sp_place_enter, sp_place_leave);
}
