/* The proxy collection that holds a field unique which is not the shard key, on a real cluster. See
 * docs/proxy-collection.md. */
#include "test_harness_common.h"

#include "../harness/catalog.h"
#include "../harness/fates.h"
#include "../harness/servers/install.h"
#include "../harness/shard_versions.h"

#include <mongoc/mongoc.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { SHARDS = 3, CLIENTS = 6, ROUNDS = 12, DUPLICATE_KEY = 11000, STALE_TRIES = 10 };

/* `records` is sharded by country; `proxy` by email, and unique. */
typedef struct site {
    sp_target_t *target;
    sp_session_t *session;
    sp_sharded_t records, proxy;
} site_t;

#define SPLIT_CHUNKS(field, at, first, second)                                                     \
    "{\"chunks\": [[{\"" field "\": {\"$minKey\": 1}}, {\"" field "\": \"" at "\"}, \"" first      \
    "\"], [{\"" field "\": \"" at "\"}, {\"" field "\": {\"$maxKey\": 1}}, \"" second "\"]]}"

static void shard(site_t *site, const char *key, const char *chunks, bool unique,
                  sp_sharded_t *made)
{
    sp_error_t error = {0};
    bson_t *key_doc = sp_test_doc(key), *chunks_doc = sp_test_doc(chunks);
    bson_iter_t iter;
    assert_true(bson_iter_init_find(&iter, chunks_doc, "chunks"));
    const sp_sharded_spec_t spec = {.key = key_doc, .chunks = &iter, .unique = unique};
    if (!sp_sharded_make_as(site->session, &spec, made, &error))
        fail_msg("%s", error.message);
    bson_destroy(key_doc);
    bson_destroy(chunks_doc);
}

static int enter(void **state)
{
    sp_error_t error = {0};
    site_t *site = bson_malloc0(sizeof *site);
    const sp_target_options_t options = {.server = SP_DEFAULT_SERVER, .shards = SHARDS};
    *state = site;
    site->target = sp_target_open(&options, &error);
    if (site->target == NULL)
        fail_msg("%s", error.message);
    site->session = sp_session_open(site->target, 1, &error);
    if (site->session == NULL)
        fail_msg("%s", error.message);
    shard(site, "{\"country\": 1}", SPLIT_CHUNKS("country", "k", "s1", "s3"), false,
          &site->records);
    shard(site, "{\"email\": 1}", SPLIT_CHUNKS("email", "m", "s2", "s1"), true, &site->proxy);
    return 0;
}

static int leave(void **state)
{
    site_t *site = *state;
    sp_session_close(site->session);
    sp_target_close(site->target, false);
    bson_free(site);
    return 0;
}

/* Inserts through a router; 0 or the code with which it was refused, -1 where nothing can be said.
 * May be called from any thread that has the connection to itself. */
static int32_t insert(sp_conn_t *router, const char *db, const char *collection,
                      const bson_t *document)
{
    int32_t code = -1;
    for (unsigned tries = 0; code < 0 && tries < STALE_TRIES; tries++) {
        bson_t command = BSON_INITIALIZER, list, reply;
        sp_fate_t fate = {0};
        BSON_APPEND_UTF8(&command, "clusterInsert", collection);
        BSON_APPEND_ARRAY_BEGIN(&command, "documents", &list);
        BSON_APPEND_DOCUMENT(&list, "0", document);
        bson_append_array_end(&command, &list);
        sp_append_majority(&command);
        if (sp_conn_command(router, db, &command, &reply, NULL) &&
            sp_fates_read(&reply, &fate, 1, NULL) && !(fate.refused && sp_code_is_stale(fate.code)))
            code = fate.refused ? fate.code : 0;
        bson_free(fate.message);
        bson_destroy(&command);
        bson_destroy(&reply);
    }
    return code;
}

static int32_t insert_json(site_t *site, unsigned router, const sp_sharded_t *into,
                           const char *json)
{
    bson_t *document = sp_test_doc(json);
    int32_t code = insert(site->session->shards[router % SHARDS], site->session->db,
                          into->collection, document);
    bson_destroy(document);
    return code;
}

/* What an application does: first the proxy, and the record only if that went well. */
static int32_t sign_up(const site_t *site, sp_conn_t *router, const char *email,
                       const char *country)
{
    bson_oid_t id;
    bson_oid_init(&id, NULL);
    bson_t entry = BSON_INITIALIZER, record = BSON_INITIALIZER;
    BSON_APPEND_OID(&entry, "_id", &id);
    BSON_APPEND_UTF8(&entry, "email", email);
    bson_concat(&record, &entry);
    BSON_APPEND_UTF8(&record, "country", country);
    const char *db = site->session->db;
    int32_t code = insert(router, db, site->proxy.collection, &entry);
    if (code == 0)
        code = insert(router, db, site->records.collection, &record);
    bson_destroy(&entry);
    bson_destroy(&record);
    return code;
}

/* How many documents the shards together have with that email. */
static unsigned count(site_t *site, const sp_sharded_t *in, const char *email)
{
    unsigned total = 0;
    for (unsigned i = 0; i < SHARDS; i++) {
        bson_t command = BSON_INITIALIZER, filter, reply;
        bson_iter_t iter, batch, element;
        sp_error_t error = {0};
        BSON_APPEND_UTF8(&command, "find", in->collection);
        BSON_APPEND_DOCUMENT_BEGIN(&command, "filter", &filter);
        BSON_APPEND_UTF8(&filter, "email", email);
        bson_append_document_end(&command, &filter);
        if (!sp_conn_command(site->session->shards[i], site->session->db, &command, &reply, &error))
            fail_msg("%s", error.message);
        assert_true(bson_iter_init(&iter, &reply) &&
                    bson_iter_find_descendant(&iter, "cursor.firstBatch", &batch) &&
                    bson_iter_recurse(&batch, &element));
        while (bson_iter_next(&element))
            total++;
        bson_destroy(&command);
        bson_destroy(&reply);
    }
    return total;
}

/* As a router does it: on each shard that owns chunks, with its version. 0 or the first code. */
static int32_t create_index(site_t *site, const sp_sharded_t *on, const char *index)
{
    sp_shard_versions_t versions;
    sp_error_t error = {0};
    bson_t *spec = sp_test_doc(index);
    int32_t code = 0;
    if (!sp_shard_versions_read(site->session, on, &versions, &error))
        fail_msg("%s", error.message);
    for (unsigned i = 0; code == 0 && i < SHARDS; i++) {
        bson_t command = BSON_INITIALIZER, list;
        BSON_APPEND_UTF8(&command, "createIndexes", on->collection);
        BSON_APPEND_ARRAY_BEGIN(&command, "indexes", &list);
        BSON_APPEND_DOCUMENT(&list, "0", spec);
        bson_append_array_end(&command, &list);
        bson_concat(&command, &versions.versions[i]);
        sp_append_majority(&command);
        if (versions.owns[i] &&
            !sp_conn_command(site->session->shards[i], site->session->db, &command, NULL, &error)) {
            assert_int_equal(error.domain, SP_ERROR_SERVER);
            code = error.code;
        }
        bson_destroy(&command);
    }
    sp_shard_versions_clear(&versions);
    bson_destroy(spec);
    return code;
}

/* Why a proxy is needed: the field cannot be held unique where the records are. */
static void records_cannot_hold_the_email_unique(void **state)
{
    site_t *site = *state;
    static const char index[] = "{\"key\": {\"email\": 1}, \"name\": \"e\", \"unique\": true}";
    assert_int_equal(create_index(site, &site->records, index), 67);
    assert_int_equal(
        insert_json(site, 0, &site->records, "{\"email\": \"double@x\", \"country\": \"at\"}"), 0);
    assert_int_equal(
        insert_json(site, 1, &site->records, "{\"email\": \"double@x\", \"country\": \"pe\"}"), 0);
    assert_int_equal(count(site, &site->records, "double@x"), 2);
}

/* With the shard key in front an index is allowed, and holds the two together only. */
static void an_index_behind_the_shard_key_holds_less(void **state)
{
    site_t *site = *state;
    static const char index[] =
        "{\"key\": {\"country\": 1, \"email\": 1}, \"name\": \"ce\", \"unique\": true}";
    assert_int_equal(create_index(site, &site->records, index), 0);
    assert_int_equal(
        insert_json(site, 0, &site->records, "{\"email\": \"two@x\", \"country\": \"at\"}"), 0);
    assert_int_equal(
        insert_json(site, 1, &site->records, "{\"email\": \"two@x\", \"country\": \"at\"}"),
        DUPLICATE_KEY);
    assert_int_equal(
        insert_json(site, 2, &site->records, "{\"email\": \"two@x\", \"country\": \"be\"}"), 0);
}

static void the_proxy_holds_through_every_router(void **state)
{
    site_t *site = *state;
    for (unsigned first = 0; first < SHARDS; first++) {
        char *low = bson_strdup_printf("{\"email\": \"a%u@x\"}", first);
        char *high = bson_strdup_printf("{\"email\": \"z%u@x\"}", first);
        assert_int_equal(insert_json(site, first, &site->proxy, low), 0);
        assert_int_equal(insert_json(site, first, &site->proxy, high), 0);
        for (unsigned i = 0; i < SHARDS; i++) {
            assert_int_equal(insert_json(site, i, &site->proxy, low), DUPLICATE_KEY);
            assert_int_equal(insert_json(site, i, &site->proxy, high), DUPLICATE_KEY);
        }
        bson_free(low);
        bson_free(high);
    }
}

/* Letters count, and their case: what is to be the same must be made so before. */
static void the_proxy_compares_bytes(void **state)
{
    site_t *site = *state;
    assert_int_equal(insert_json(site, 0, &site->proxy, "{\"email\": \"case@x\"}"), 0);
    assert_int_equal(insert_json(site, 0, &site->proxy, "{\"email\": \"Case@x\"}"), 0);
    assert_int_equal(insert_json(site, 0, &site->proxy, "{\"email\": \"case@x \"}"), 0);
}

/* A user without an email has null for one, and only one user can. */
static void only_one_email_can_be_missing(void **state)
{
    site_t *site = *state;
    assert_int_equal(insert_json(site, 0, &site->proxy, "{}"), 0);
    assert_int_equal(insert_json(site, 1, &site->proxy, "{\"email\": null}"), DUPLICATE_KEY);
    assert_int_equal(insert_json(site, 2, &site->proxy, "{}"), DUPLICATE_KEY);
}

typedef struct client {
    const site_t *site;
    sp_conn_t *router;
    pthread_barrier_t *start;
    const char *country;
    int32_t codes[ROUNDS];
} client_t;

static void email_of(int round, char email[32])
{
    snprintf(email, 32, "%crace%d@x", round % 2 == 0 ? 'a' : 'z', round);
}

static void *run_client(void *argument)
{
    client_t *client = argument;
    for (int i = 0; i < ROUNDS; i++) {
        char email[32];
        email_of(i, email);
        pthread_barrier_wait(client->start);
        client->codes[i] = sign_up(client->site, client->router, email, client->country);
    }
    return NULL;
}

static void check_round(site_t *site, const client_t *clients, int round)
{
    char email[32];
    unsigned winners = 0;
    email_of(round, email);
    for (unsigned i = 0; i < CLIENTS; i++) {
        winners += clients[i].codes[round] == 0;
        if (clients[i].codes[round] != 0)
            assert_int_equal(clients[i].codes[round], DUPLICATE_KEY);
    }
    assert_int_equal(winners, 1);
    assert_int_equal(count(site, &site->proxy, email), 1);
    assert_int_equal(count(site, &site->records, email), 1);
}

/* Several clients ask for one email at once, from several routers, with records on several shards.
 */
static void of_all_at_once_one_wins(void **state)
{
    static const char *const countries[] = {"at", "pe", "fr", "us"};
    site_t *site = *state;
    client_t clients[CLIENTS];
    pthread_t threads[CLIENTS];
    pthread_barrier_t start;
    assert_int_equal(pthread_barrier_init(&start, NULL, CLIENTS), 0);
    for (unsigned i = 0; i < CLIENTS; i++) {
        sp_error_t error = {0};
        clients[i] = (client_t){.site = site, .start = &start, .country = countries[i % 4]};
        clients[i].router = sp_conn_open(site->session->at.uris[i % SHARDS], 30000, &error);
        if (clients[i].router == NULL)
            fail_msg("%s", error.message);
        assert_int_equal(pthread_create(&threads[i], NULL, run_client, &clients[i]), 0);
    }
    for (unsigned i = 0; i < CLIENTS; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    for (int i = 0; i < ROUNDS; i++)
        check_round(site, clients, i);
    for (unsigned i = 0; i < CLIENTS; i++)
        sp_conn_close(clients[i].router);
    pthread_barrier_destroy(&start);
}

/* One proxy for each field: a second unique index is refused before sharding and after. */
static void one_proxy_holds_one_field(void **state)
{
    site_t *site = *state;
    static const char name_index[] = "{\"key\": {\"name\": 1}, \"name\": \"n\", \"unique\": true}";
    sp_error_t error = {0};
    sp_sharded_t made;
    bson_iter_t iter;
    assert_int_equal(create_index(site, &site->proxy, name_index), 67);

    bson_t *key = sp_test_doc("{\"email\": 1}");
    bson_t *chunks = sp_test_doc(SPLIT_CHUNKS("email", "m", "s2", "s1"));
    bson_t *indexes = sp_test_doc("{\"0\": {\"key\": {\"email\": 1}, \"name\": \"e\", \"unique\": "
                                  "true}, \"1\": {\"key\": {\"name\": 1}, \"name\": \"n\", "
                                  "\"unique\": true}}");
    assert_true(bson_iter_init_find(&iter, chunks, "chunks"));
    const sp_sharded_spec_t spec = {
        .key = key, .indexes = indexes, .unique = true, .chunks = &iter};
    assert_false(sp_sharded_make_as(site->session, &spec, &made, &error));
    assert_int_equal(error.domain, SP_ERROR_SERVER);
    assert_int_equal(error.code, 72);
    bson_destroy(key);
    bson_destroy(chunks);
    bson_destroy(indexes);
}

static void remove_entry(site_t *site, const char *email)
{
    sp_error_t error = {0};
    bson_t reply;
    bool ok = sp_conn_commandf(site->session->shards[0], site->session->db, &reply, &error,
                               "{\"clusterDelete\": \"%s\", \"deletes\": [{\"q\": {\"email\": "
                               "\"%s\"}, \"limit\": 1}]}",
                               site->proxy.collection, email);
    if (!ok)
        fail_msg("%s", error.message);
    bson_destroy(&reply);
}

/* An application that ends between the two inserts leaves an entry without a record: the email is
 * taken and nobody has it, until someone looks for such entries and removes them. */
static void a_crash_between_the_inserts_leaves_an_entry(void **state)
{
    site_t *site = *state;
    static const char email[] = "crash@x";
    assert_int_equal(insert_json(site, 0, &site->proxy, "{\"email\": \"crash@x\"}"), 0);
    assert_int_equal(sign_up(site, site->session->shards[1], email, "at"), DUPLICATE_KEY);
    assert_int_equal(count(site, &site->proxy, email), 1);
    assert_int_equal(count(site, &site->records, email), 0);

    remove_entry(site, email);
    assert_int_equal(sign_up(site, site->session->shards[1], email, "at"), 0);
    assert_int_equal(count(site, &site->records, email), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(records_cannot_hold_the_email_unique),
        cmocka_unit_test(an_index_behind_the_shard_key_holds_less),
        cmocka_unit_test(the_proxy_holds_through_every_router),
        cmocka_unit_test(the_proxy_compares_bytes),
        cmocka_unit_test(only_one_email_can_be_missing),
        cmocka_unit_test(of_all_at_once_one_wins),
        cmocka_unit_test(one_proxy_holds_one_field),
        cmocka_unit_test(a_crash_between_the_inserts_leaves_an_entry),
    };
    mongoc_init();
    int failed = cmocka_run_group_tests(tests, enter, leave);
    mongoc_cleanup();
    return failed;
}
