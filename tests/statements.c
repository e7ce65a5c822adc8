#include "statements.h"

#include "../harness/catalog.h"
#include "../harness/servers/install.h"
#include "../oracles/value.h"

#include <inttypes.h>
#include <mongoc/mongoc.h>
#include <stdio.h>
#include <string.h>

int sp_place_enter(void **state)
{
    sp_error_t error = {0};
    sp_place_t *place = bson_malloc0(sizeof *place);
    const sp_target_options_t options = {.server = SP_DEFAULT_SERVER,
                                         .shards = SP_STATEMENT_SHARDS};
    *state = place;
    mongoc_init();
    bson_init(&place->reply);
    place->target = sp_target_open(&options, &error);
    if (place->target == NULL)
        fail_msg("%s", error.message);
    place->session = sp_session_open(place->target, 1, &error);
    if (place->session == NULL || !sp_catalog_database(place->session, &error))
        fail_msg("%s", error.message);
    return 0;
}

int sp_place_leave(void **state)
{
    sp_place_t *place = *state;
    sp_session_close(place->session);
    sp_target_close(place->target, false);
    bson_destroy(&place->reply);
    bson_free(place);
    mongoc_cleanup();
    return 0;
}

bool sp_place_find(const sp_place_t *place, const char *path, bson_iter_t *found)
{
    bson_iter_t iter;
    return bson_iter_init(&iter, &place->reply) && bson_iter_find_descendant(&iter, path, found);
}

int64_t sp_place_number(const sp_place_t *place, const char *path)
{
    bson_iter_t found;
    if (!sp_place_find(place, path, &found)) {
        char *json = bson_as_relaxed_extended_json(&place->reply, NULL);
        fail_msg("no %s in %s", path, json);
    }
    return bson_iter_as_int64(&found);
}

static int32_t pass(sp_place_t *place, sp_conn_t *conn, const char *db, const char *json,
                    const bson_t *more)
{
    sp_error_t error = {0};
    bson_iter_t code;
    bson_t *command = sp_test_doc(json);
    if (more != NULL)
        assert_true(bson_concat(command, more));
    bson_destroy(&place->reply);
    bool ok = sp_conn_command(conn, db, command, &place->reply, &error);
    bson_destroy(command);
    if (!ok && error.domain != SP_ERROR_SERVER)
        fail_msg("%s: %s", json, error.message);
    if (!ok)
        return error.code;
    return sp_place_find(place, "writeErrors.0.code", &code) ? bson_iter_int32(&code) : 0;
}

int32_t sp_place_run(sp_place_t *place, sp_conn_t *conn, const char *db, const bson_t *more,
                     const char *format, ...)
{
    va_list args;
    va_start(args, format);
    char *json = bson_strdupv_printf(format, args);
    va_end(args);
    int32_t code = pass(place, conn, db, json, more);
    bson_free(json);
    return code;
}

int32_t sp_place_direct(sp_place_t *place, unsigned shard, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    char *json = bson_strdupv_printf(format, args);
    va_end(args);
    int32_t code = pass(place, place->session->shards[shard], place->session->db, json, NULL);
    bson_free(json);
    return code;
}

/* The entry of the collection in config.collections, in the reply. */
static void look_up(sp_place_t *place, const char *collection)
{
    assert_int_equal(sp_place_run(place, place->session->config, "config", NULL,
                                  "{\"find\": \"collections\", \"filter\": {\"_id\": \"%s.%s\"}}",
                                  place->session->db, collection),
                     0);
}

static sp_value_t entry_value(const sp_place_t *place, const char *field)
{
    bson_iter_t found;
    char path[64];
    snprintf(path, sizeof path, "cursor.firstBatch.0.%s", field);
    if (!sp_place_find(place, path, &found))
        fail_msg("the catalogue has no %s", field);
    return sp_value_of(&found);
}

/* {shardVersion: {t, e, v}}: v is the greatest version among the shard's chunks, or 0|0. */
static void append_version(sp_place_t *place, bson_t *to, unsigned shard, const char *collection)
{
    bson_t uuid = BSON_INITIALIZER, version;
    bson_iter_t lastmod;
    look_up(place, collection);
    sp_value_t id = entry_value(place, "uuid"), timestamp = entry_value(place, "timestamp"),
               epoch = entry_value(place, "lastmodEpoch");
    BSON_APPEND_DOCUMENT_BEGIN(to, "shardVersion", &version);
    sp_value_append(&version, "t", &timestamp);
    sp_value_append(&version, "e", &epoch);
    sp_value_append(&uuid, "uuid", &id);
    char *json = bson_as_canonical_extended_json(&uuid, NULL);
    assert_int_equal(sp_place_run(place, place->session->config, "config", NULL,
                                  "{\"find\": \"chunks\", \"filter\": {\"$and\": [%s, {\"shard\": "
                                  "\"%s\"}]}, \"sort\": {\"lastmod\": -1}, \"limit\": 1}",
                                  json, place->session->at.names[shard]),
                     0);
    if (sp_place_find(place, "cursor.firstBatch.0.lastmod", &lastmod)) {
        sp_value_t value = sp_value_of(&lastmod);
        sp_value_append(&version, "v", &value);
    } else {
        BSON_APPEND_TIMESTAMP(&version, "v", 0, 0);
    }
    bson_append_document_end(to, &version);
    bson_free(json);
    bson_destroy(&uuid);
}

int32_t sp_place_versioned(sp_place_t *place, unsigned shard, const char *collection,
                           const char *format, ...)
{
    bson_t version = BSON_INITIALIZER;
    va_list args;
    append_version(place, &version, shard, collection);
    va_start(args, format);
    char *json = bson_strdupv_printf(format, args);
    va_end(args);
    int32_t code = pass(place, place->session->shards[shard], place->session->db, json, &version);
    bson_free(json);
    bson_destroy(&version);
    return code;
}

char *sp_place_retryable(sp_place_t *place)
{
    bson_t id = BSON_INITIALIZER;
    uint8_t uuid[16] = {0};
    place->calls++;
    memcpy(uuid, &place->calls, sizeof place->calls);
    bson_append_binary(&id, "id", 2, BSON_SUBTYPE_UUID, uuid, sizeof uuid);
    char *json = bson_as_canonical_extended_json(&id, NULL);
    char *fields =
        bson_strdup_printf(", \"lsid\": %s, \"txnNumber\": {\"$numberLong\": \"1\"}", json);
    bson_free(json);
    bson_destroy(&id);
    return fields;
}

#define MAJORITY ", \"writeConcern\": {\"w\": \"majority\"}"

/* Every shard, as a router and as an owner, learns the newest chunk table. */
static void refresh(sp_place_t *place, const char *collection)
{
    for (unsigned i = 0; i < place->session->shard_count; i++) {
        assert_int_equal(sp_place_run(place, place->session->shards[i], "admin", NULL,
                                      "{\"_flushRoutingTableCacheUpdates\": \"%s.%s\", "
                                      "\"syncFromConfig\": true}",
                                      place->session->db, collection),
                         0);
        assert_int_equal(sp_place_direct(place, i, "{\"clusterFind\": \"%s\"}", collection), 0);
    }
}

int32_t sp_place_shard(sp_place_t *place, const char *collection, const char *key,
                       const char *options)
{
    sp_session_t *session = place->session;
    int32_t code =
        sp_place_run(place, session->shards[session->primary], session->db, &session->db_version,
                     "{\"_shardsvrCreateCollection\": \"%s\", \"shardKey\": %s%s" MAJORITY "}",
                     collection, key, options);
    if (code == 0)
        refresh(place, collection);
    return code;
}

int32_t sp_place_split(sp_place_t *place, const char *collection, const char *min, const char *max,
                       const char *at)
{
    sp_session_t *session = place->session;
    bson_t more = BSON_INITIALIZER;
    look_up(place, collection);
    sp_value_t key = entry_value(place, "key"), epoch = entry_value(place, "lastmodEpoch"),
               timestamp = entry_value(place, "timestamp");
    sp_value_append(&more, "keyPattern", &key);
    sp_value_append(&more, "epoch", &epoch);
    sp_value_append(&more, "timestamp", &timestamp);
    int32_t code =
        sp_place_run(place, session->shards[session->primary], "admin", &more,
                     "{\"splitChunk\": \"%s.%s\", \"from\": \"%s\", \"min\": %s, "
                     "\"max\": %s, \"splitKeys\": %s}",
                     session->db, collection, session->at.names[session->primary], min, max, at);
    bson_destroy(&more);
    if (code == 0)
        refresh(place, collection);
    return code;
}

void sp_place_move(sp_place_t *place, const char *collection, const char *min, const char *max,
                   unsigned to)
{
    assert_int_equal(sp_place_run(place, place->session->config, "admin", NULL,
                                  "{\"_configsvrMoveRange\": \"%s.%s\", \"toShard\": \"%s\", "
                                  "\"min\": %s, \"max\": %s" MAJORITY "}",
                                  place->session->db, collection, place->session->at.names[to], min,
                                  max),
                     0);
    refresh(place, collection);
}

int32_t sp_place_insert(sp_place_t *place, const char *collection, const char *document)
{
    return sp_place_direct(place, place->calls++ % place->session->shard_count,
                           "{\"clusterInsert\": \"%s\", \"documents\": [%s]}", collection,
                           document);
}

static int64_t count(sp_place_t *place, sp_conn_t *conn, const char *db, const char *collection,
                     const char *filter)
{
    assert_int_equal(sp_place_run(place, conn, db, NULL, "{\"count\": \"%s\", \"query\": %s}",
                                  collection, filter),
                     0);
    return sp_place_number(place, "n");
}

int64_t sp_place_count(sp_place_t *place, unsigned shard, const char *collection,
                       const char *filter)
{
    return count(place, place->session->shards[shard], place->session->db, collection, filter);
}

int64_t sp_place_count_all(sp_place_t *place, const char *collection, const char *filter)
{
    int64_t sum = 0;
    for (unsigned i = 0; i < place->session->shard_count; i++)
        sum += sp_place_count(place, i, collection, filter);
    return sum;
}

int64_t sp_place_count_config(sp_place_t *place, const char *collection, const char *filter)
{
    return count(place, place->session->config, "config", collection, filter);
}

int64_t sp_place_chunks(sp_place_t *place, const char *collection, const char *filter)
{
    bson_t uuid = BSON_INITIALIZER;
    look_up(place, collection);
    sp_value_t id = entry_value(place, "uuid");
    sp_value_append(&uuid, "uuid", &id);
    char *json = bson_as_canonical_extended_json(&uuid, NULL);
    char *all = bson_strdup_printf("{\"$and\": [%s%s]}", json, filter);
    int64_t chunks = sp_place_count_config(place, "chunks", all);
    bson_free(all);
    bson_free(json);
    bson_destroy(&uuid);
    return chunks;
}

unsigned sp_place_asked(sp_place_t *place, const char *collection, const char *filter)
{
    unsigned asked = 0;
    bson_iter_t shards, shard;
    assert_int_equal(sp_place_direct(place, 0,
                                     "{\"explain\": {\"clusterFind\": \"%s\", \"filter\": %s}, "
                                     "\"verbosity\": \"queryPlanner\"}",
                                     collection, filter),
                     0);
    assert_true(sp_place_find(place, "queryPlanner.winningPlan.shards", &shards));
    assert_true(bson_iter_recurse(&shards, &shard));
    while (bson_iter_next(&shard))
        asked++;
    return asked;
}
