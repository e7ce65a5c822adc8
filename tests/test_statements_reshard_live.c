/* Statements about resharding, each by its number in docs/coverage.md, against a real cluster.
 */
#include "statements.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void set_least_duration(sp_place_t *place, int milliseconds)
{
    assert_int_equal(sp_place_run(place, place->session->config, "admin", NULL,
                                  "{\"setParameter\": 1, "
                                  "\"reshardingMinimumOperationDurationMillis\": %d}",
                                  milliseconds),
                     0);
}

static int enter(void **state)
{
    sp_place_enter(state);
    set_least_duration(*state, 0); /* else each takes five minutes */
    return 0;
}

static int32_t reshard(sp_place_t *place, const char *collection, const char *key,
                       const char *options)
{
    return sp_place_run(place, place->session->config, "admin", NULL,
                        "{\"_configsvrReshardCollection\": \"%s.%s\", \"key\": %s%s, "
                        "\"writeConcern\": {\"w\": \"majority\"}}",
                        place->session->db, collection, key, options);
}

/* Else later versions ask for more different values than there are documents here. */
#define ONE_CHUNK ", \"numInitialChunks\": 1"

/* Two chunks of {x: 1} on two shards, and the documents x = -2, -1, 0, 1, with _id `id` or
 * generated ones. */
static void make(sp_place_t *place, const char *collection, const char *id)
{
    assert_int_equal(sp_place_shard(place, collection, "{\"x\": 1}", ""), 0);
    assert_int_equal(sp_place_split(place, collection, "{\"x\": {\"$minKey\": 1}}",
                                    "{\"x\": {\"$maxKey\": 1}}", "[{\"x\": 0}]"),
                     0);
    sp_place_move(place, collection, "{\"x\": 0}", "{\"x\": {\"$maxKey\": 1}}",
                  (place->session->primary + 1) % SP_STATEMENT_SHARDS);
    for (int x = -2; x < 2; x++) {
        char document[96];
        snprintf(document, sizeof document, "{%s\"x\": %d, \"y\": %d}", x == -1 || x == 0 ? id : "",
                 x, -x);
        assert_int_equal(sp_place_insert(place, collection, document), 0);
    }
}

static int64_t with_key(sp_place_t *place, const char *collection, const char *key)
{
    char *filter = bson_strdup_printf("{\"_id\": \"%s.%s\", \"key\": %s}", place->session->db,
                                      collection, key);
    int64_t n = sp_place_count_config(place, "collections", filter);
    bson_free(filter);
    return n;
}

static void every_document_is_kept_and_the_index_made(void **state)
{
    sp_place_t *place = *state;
    bool indexed = false;
    make(place, "kept", "");
    assert_int_equal(reshard(place, "kept", "{\"y\": 1}", ONE_CHUNK), 0);
    assert_int_equal(with_key(place, "kept", "{\"y\": 1}"), 1);
    assert_int_equal(sp_place_count_all(place, "kept", "{}"), 4);
    for (unsigned i = 0; i < SP_STATEMENT_SHARDS; i++) {
        int32_t code = sp_place_direct(place, i, "{\"listIndexes\": \"kept\"}");
        char *json = bson_as_relaxed_extended_json(&place->reply, NULL);
        indexed = indexed || (code == 0 && strstr(json, "\"y_1\"") != NULL);
        bson_free(json);
    }
    assert_true(indexed);
    /* By the same key there is nothing to do. */
    assert_int_equal(reshard(place, "kept", "{\"y\": 1}", ""), 0);
}

static void it_is_never_unique(void **state)
{
    make(*state, "never", "");
    assert_int_equal(reshard(*state, "never", "{\"y\": 1}", ", \"unique\": true"), 2);
    assert_int_equal(with_key(*state, "never", "{\"x\": 1}"), 1);
}

static void it_fails_over_one_id_twice(void **state)
{
    sp_place_t *place = *state;
    make(place, "twice", "\"_id\": 1, ");
    /* No document has z, so all would come to lie on one shard. */
    assert_int_equal(reshard(place, "twice", "{\"z\": 1}", ONE_CHUNK), 11000);
    assert_int_equal(with_key(place, "twice", "{\"x\": 1}"), 1);
    assert_int_equal(sp_place_count_all(place, "twice", "{}"), 4);
}

/* Has a resharding of "held" begun that does not end by itself; its answer is still to come on the
 * connection. */
static sp_conn_t *hold(sp_place_t *place)
{
    sp_error_t error = {0};
    char *json =
        bson_strdup_printf("{\"_configsvrReshardCollection\": \"%s.held\", \"key\": "
                           "{\"y\": 1}" ONE_CHUNK ", \"writeConcern\": {\"w\": \"majority\"}}",
                           place->session->db);
    bson_t *command = sp_test_doc(json);
    sp_conn_t *conn = sp_conn_open(place->session->at.config, 120000, &error);
    set_least_duration(place, 3600000);
    if (conn == NULL || !sp_conn_post(conn, "admin", command, &error))
        fail_msg("%s", error.message);
    for (int i = 0;
         sp_place_count_config(place, "reshardingOperations",
                               "{\"state\": {\"$in\": [\"cloning\", \"applying\"]}}") != 1;
         i++) {
        assert_in_range(i, 0, 6000);
        usleep(10000);
    }
    bson_destroy(command);
    bson_free(json);
    return conn;
}

static void meanwhile_others_wait_and_it_can_be_aborted(void **state)
{
    enum { IN_PROGRESS = 338, ABORTED = 341, CONFLICTING = 117 };
    sp_place_t *place = *state;
    sp_error_t error = {0};
    unsigned primary = place->session->primary;
    make(place, "held", "");
    make(place, "other", "");
    sp_conn_t *conn = hold(place);
    assert_int_equal(reshard(place, "other", "{\"y\": 1}", ONE_CHUNK), IN_PROGRESS);
    static const char *const refused[] = {
        "{\"createIndexes\": \"held\", \"indexes\": [{\"key\": {\"z\": 1}, \"name\": \"z\"}]}",
        "{\"dropIndexes\": \"held\", \"index\": \"x_1\"}",
        "{\"collMod\": \"held\", \"index\": {\"keyPattern\": {\"x\": 1}, \"hidden\": true}}",
    };
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        assert_int_equal(sp_place_versioned(place, primary, "held", "%s", refused[i]), IN_PROGRESS);
    assert_int_equal(sp_place_run(place, place->session->config, "admin", NULL,
                                  "{\"_configsvrMoveRange\": \"%s.held\", \"toShard\": \"%s\", "
                                  "\"min\": {\"x\": 0}, \"max\": {\"x\": {\"$maxKey\": 1}}, "
                                  "\"writeConcern\": {\"w\": \"majority\"}}",
                                  place->session->db, place->session->at.names[primary]),
                     CONFLICTING);
    assert_int_equal(sp_place_insert(place, "held", "{\"x\": 5, \"y\": 5}"), 0);
    assert_int_equal(sp_place_run(place, place->session->config, "admin", NULL,
                                  "{\"_configsvrAbortReshardCollection\": \"%s.held\", "
                                  "\"writeConcern\": {\"w\": \"majority\"}}",
                                  place->session->db),
                     0);
    bson_destroy(&place->reply);
    assert_false(sp_conn_fetch(conn, &place->reply, &error));
    assert_int_equal(error.code, ABORTED);
    assert_int_equal(with_key(place, "held", "{\"x\": 1}"), 1);
    assert_int_equal(sp_place_count_all(place, "held", "{}"), 5);
    sp_conn_close(conn);
    set_least_duration(place, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SP_STATEMENT(1104, every_document_is_kept_and_the_index_made),
        SP_STATEMENT(1102, it_is_never_unique),
        SP_STATEMENT(1107, it_fails_over_one_id_twice),
        SP_STATEMENT(1109, meanwhile_others_wait_and_it_can_be_aborted),
    };
    return cmocka_run_group_tests(tests, enter, sp_place_leave);
}
