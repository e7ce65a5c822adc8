#include "sharded.h"

#include "../oracles/order.h"
#include "../oracles/value.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

/* What a chunk looks like in a case. */
typedef struct chunk {
    bson_t min, max;
    const char *shard;
} chunk_t;

enum { CONFLICTING_OPERATION = 117, MOVE_TRIES = 500, MOVE_PAUSE_MS = 20 };

static void append_majority(bson_t *command)
{
    bson_t concern;
    BSON_APPEND_DOCUMENT_BEGIN(command, "writeConcern", &concern);
    BSON_APPEND_UTF8(&concern, "w", "majority");
    bson_append_document_end(command, &concern);
}

/* The first document of `collection` in the config database that matches `filter`. */
static bool find_config(sp_session_t *session, const char *collection, const bson_t *filter,
                        bson_t *found, sp_error_t *error)
{
    bson_t command = BSON_INITIALIZER, reply;
    bson_iter_t iter, first;
    BSON_APPEND_UTF8(&command, "find", collection);
    BSON_APPEND_DOCUMENT(&command, "filter", filter);
    BSON_APPEND_INT32(&command, "limit", 1);
    bool ok = sp_conn_command(session->config, "config", &command, &reply, error);
    if (ok && !(bson_iter_init(&iter, &reply) &&
                bson_iter_find_descendant(&iter, "cursor.firstBatch.0", &first)))
        ok = sp_error_set(error, SP_ERROR_INFRA, 0, "config.%s lacks what was just made",
                          collection);
    if (ok) {
        bson_t document;
        ok = sp_value_document(&first, &document) && bson_concat(found, &document);
    }
    bson_destroy(&command);
    bson_destroy(&reply);
    return ok;
}

static bool make_database(sp_session_t *session, sp_error_t *error)
{
    if (session->db_made)
        return true;
    bson_t command = BSON_INITIALIZER, filter = BSON_INITIALIZER, entry = BSON_INITIALIZER;
    bson_iter_t iter;
    BSON_APPEND_UTF8(&command, "_configsvrCreateDatabase", session->db);
    BSON_APPEND_UTF8(&command, "primaryShardId", session->at.names[session->primary]);
    append_majority(&command);
    BSON_APPEND_UTF8(&filter, "_id", session->db);
    bool ok = sp_conn_command(session->config, "admin", &command, NULL, error) &&
              find_config(session, "databases", &filter, &entry, error);
    if (ok && bson_iter_init_find(&iter, &entry, "version")) {
        sp_value_t version = sp_value_of(&iter);
        bson_reinit(&session->db_version);
        sp_value_append(&session->db_version, "databaseVersion", &version);
        session->db_made = true;
    }
    bson_destroy(&command);
    bson_destroy(&filter);
    bson_destroy(&entry);
    return ok && session->db_made;
}

static bool begins_hashed(const bson_t *key)
{
    bson_iter_t iter;
    return bson_iter_init(&iter, key) && bson_iter_next(&iter) && BSON_ITER_HOLDS_UTF8(&iter);
}

bool sp_sharded_create(sp_session_t *session, const bson_t *key, sp_sharded_t *made,
                       sp_error_t *error)
{
    bson_init(&made->identity);
    bson_copy_to(key, &made->key);
    snprintf(made->collection, sizeof made->collection, "c%" PRIu64, session->serial++);
    snprintf(made->ns, sizeof made->ns, "%s.%s", session->db, made->collection);
    if (!make_database(session, error))
        return false;

    bson_t command = BSON_INITIALIZER, filter = BSON_INITIALIZER;
    BSON_APPEND_UTF8(&command, "_shardsvrCreateCollection", made->collection);
    BSON_APPEND_DOCUMENT(&command, "shardKey", key);
    if (begins_hashed(key)) /* else it would begin with two chunks for each shard */
        BSON_APPEND_INT64(&command, "numInitialChunks", 1);
    bson_concat(&command, &session->db_version);
    append_majority(&command);
    BSON_APPEND_UTF8(&filter, "_id", made->ns);
    bool ok =
        sp_conn_command(session->shards[session->primary], session->db, &command, NULL, error) &&
        find_config(session, "collections", &filter, &made->identity, error);
    bson_destroy(&command);
    bson_destroy(&filter);
    return ok;
}

static bool append_identity(bson_t *command, const char *name, const sp_sharded_t *made,
                            const char *field)
{
    bson_iter_t iter;
    if (!bson_iter_init_find(&iter, &made->identity, field))
        return false;
    sp_value_t value = sp_value_of(&iter);
    return sp_value_append(command, name, &value);
}

/* The chunk table of the collection, sorted by lower bound. */
static bool read_chunks(sp_session_t *session, const sp_sharded_t *made, bson_t *reply,
                        sp_error_t *error)
{
    bson_t command = BSON_INITIALIZER, filter, sort;
    BSON_APPEND_UTF8(&command, "find", "chunks");
    BSON_APPEND_DOCUMENT_BEGIN(&command, "filter", &filter);
    bool ok = append_identity(&filter, "uuid", made, "uuid");
    bson_append_document_end(&command, &filter);
    BSON_APPEND_DOCUMENT_BEGIN(&command, "sort", &sort);
    BSON_APPEND_INT32(&sort, "min", 1);
    bson_append_document_end(&command, &sort);
    BSON_APPEND_INT32(&command, "batchSize", 100000);
    BSON_APPEND_BOOL(&command, "singleBatch", true);
    ok = sp_conn_command(session->config, "config", &command, reply, error) && ok;
    bson_destroy(&command);
    return ok;
}

static bool iterate_batch(const bson_t *reply, bson_iter_t *element)
{
    bson_iter_t iter, batch;
    return bson_iter_init(&iter, reply) &&
           bson_iter_find_descendant(&iter, "cursor.firstBatch", &batch) &&
           bson_iter_recurse(&batch, element);
}

/* [min, max, shard] of a case. */
static bool read_wanted(const bson_iter_t *iter, chunk_t *chunk)
{
    bson_iter_t part;
    if (!bson_iter_recurse(iter, &part))
        return false;
    bool ok = bson_iter_next(&part) && sp_value_document(&part, &chunk->min) &&
              bson_iter_next(&part) && sp_value_document(&part, &chunk->max) &&
              bson_iter_next(&part) && BSON_ITER_HOLDS_UTF8(&part);
    chunk->shard = ok ? bson_iter_utf8(&part, NULL) : NULL;
    assert(!ok || chunk->shard != NULL);
    return ok;
}

/* {min, max, shard} of config.chunks. */
static bool read_had(const bson_iter_t *iter, chunk_t *chunk)
{
    bson_iter_t min, max, shard;
    bool ok = bson_iter_recurse(iter, &min) && bson_iter_find(&min, "min") &&
              sp_value_document(&min, &chunk->min) && bson_iter_recurse(iter, &max) &&
              bson_iter_find(&max, "max") && sp_value_document(&max, &chunk->max) &&
              bson_iter_recurse(iter, &shard) && bson_iter_find(&shard, "shard") &&
              BSON_ITER_HOLDS_UTF8(&shard);
    chunk->shard = ok ? bson_iter_utf8(&shard, NULL) : NULL;
    assert(!ok || chunk->shard != NULL);
    return ok;
}

static sp_conn_t *shard_by_name(sp_session_t *session, const char *name, sp_error_t *error)
{
    assert(name != NULL);
    for (unsigned i = 0; i < session->shard_count; i++) {
        if (strcmp(session->at.names[i], name) == 0)
            return session->shards[i];
    }
    sp_error_set(error, SP_ERROR_USAGE, 0,
                 "the case needs a shard '%s', and the cluster has %u: start it with more --shards",
                 name, session->shard_count);
    return NULL;
}

/* Splits the one chunk at every lower bound but the first. Without any the shard would crash, so
 * none are sent then. */
static bool split(sp_session_t *session, const sp_sharded_t *made, const bson_iter_t *chunks,
                  sp_error_t *error)
{
    bson_t reply, command = BSON_INITIALIZER, keys = BSON_INITIALIZER;
    bson_iter_t iter;
    chunk_t whole = {.shard = NULL}, wanted = {.shard = NULL};
    uint32_t count = 0;
    bool ok = read_chunks(session, made, &reply, error);
    if (ok && !(iterate_batch(&reply, &iter) && bson_iter_next(&iter) && read_had(&iter, &whole)))
        ok = sp_error_set(error, SP_ERROR_INFRA, 0, "%s has no chunk", made->ns);
    sp_conn_t *owner = ok ? shard_by_name(session, whole.shard, error) : NULL;
    ok = ok && owner != NULL && bson_iter_recurse(chunks, &iter);
    while (ok && bson_iter_next(&iter)) {
        char index[16];
        ok = read_wanted(&iter, &wanted);
        if (ok && count > 0) {
            snprintf(index, sizeof index, "%u", count - 1);
            BSON_APPEND_DOCUMENT(&keys, index, &wanted.min);
        }
        count++;
    }
    if (ok && count > 1) {
        BSON_APPEND_UTF8(&command, "splitChunk", made->ns);
        BSON_APPEND_UTF8(&command, "from", whole.shard);
        BSON_APPEND_DOCUMENT(&command, "keyPattern", &made->key);
        append_identity(&command, "epoch", made, "lastmodEpoch");
        append_identity(&command, "timestamp", made, "timestamp");
        BSON_APPEND_DOCUMENT(&command, "min", &whole.min);
        BSON_APPEND_DOCUMENT(&command, "max", &whole.max);
        BSON_APPEND_ARRAY(&command, "splitKeys", &keys);
        ok = sp_conn_command(owner, "admin", &command, NULL, error);
    }
    bson_destroy(&reply);
    bson_destroy(&command);
    bson_destroy(&keys);
    return ok;
}

/* A shard may still be cleaning up after the chunk before: it is asked again until it is free. */
static bool move_when_free(sp_session_t *session, const bson_t *command, sp_error_t *error)
{
    const struct timespec pause = {.tv_nsec = MOVE_PAUSE_MS * 1000000L};
    for (unsigned tries = 1;; tries++) {
        sp_error_t failed;
        if (sp_conn_command(session->config, "admin", command, NULL, &failed))
            return true;
        bool busy = failed.domain == SP_ERROR_SERVER && failed.code == CONFLICTING_OPERATION;
        if (!busy || tries == MOVE_TRIES) {
            if (busy) { /* for so long: a chunk before this one hangs */
                failed.domain = SP_ERROR_INFRA;
                failed.code = ETIMEDOUT;
            }
            if (error != NULL)
                *error = failed;
            return false;
        }
        nanosleep(&pause, NULL);
    }
}

static bool move(sp_session_t *session, const sp_sharded_t *made, const chunk_t *chunk,
                 sp_error_t *error)
{
    bson_t command = BSON_INITIALIZER;
    BSON_APPEND_UTF8(&command, "_configsvrMoveRange", made->ns);
    BSON_APPEND_UTF8(&command, "toShard", chunk->shard);
    BSON_APPEND_DOCUMENT(&command, "min", &chunk->min);
    BSON_APPEND_DOCUMENT(&command, "max", &chunk->max);
    append_majority(&command);
    sp_target_lock_moves(session->target);
    bool ok = move_when_free(session, &command, error);
    sp_target_unlock_moves(session->target);
    bson_destroy(&command);
    return ok;
}

/* Compares the chunk table with what is wanted; moves what lies elsewhere where `may_move`, else
 * reports it. */
static bool compare_chunks(sp_session_t *session, const sp_sharded_t *made,
                           const bson_iter_t *chunks, bool may_move, sp_error_t *error)
{
    bson_t reply;
    bson_iter_t had_iter, wanted_iter;
    bool ok = read_chunks(session, made, &reply, error) && iterate_batch(&reply, &had_iter) &&
              bson_iter_recurse(chunks, &wanted_iter);
    for (unsigned i = 0; ok; i++) {
        chunk_t had = {.shard = NULL}, wanted = {.shard = NULL};
        bool had_more = bson_iter_next(&had_iter), wanted_more = bson_iter_next(&wanted_iter);
        if (!had_more && !wanted_more)
            break;
        ok = had_more && wanted_more && read_had(&had_iter, &had) &&
             read_wanted(&wanted_iter, &wanted) && sp_key_compare(&had.min, &wanted.min) == 0;
        if (!ok) {
            sp_error_set(error, SP_ERROR_INFRA, 0, "chunk %u of %s is not where it was split", i,
                         made->ns);
            break;
        }
        if (strcmp(had.shard, wanted.shard) == 0)
            continue;
        ok = may_move ? move(session, made, &wanted, error)
                      : sp_error_set(error, SP_ERROR_INFRA, 0, "chunk %u of %s is on %s, not %s", i,
                                     made->ns, had.shard, wanted.shard);
    }
    bson_destroy(&reply);
    return ok;
}

bool sp_sharded_arrange(sp_session_t *session, const sp_sharded_t *made, const bson_iter_t *chunks,
                        sp_error_t *error)
{
    return split(session, made, chunks, error) &&
           compare_chunks(session, made, chunks, true, error) &&
           compare_chunks(session, made, chunks, false, error);
}

bool sp_sharded_drop(sp_session_t *session, const sp_sharded_t *made, sp_error_t *error)
{
    bson_t command = BSON_INITIALIZER;
    BSON_APPEND_UTF8(&command, "_shardsvrDropCollection", made->collection);
    bson_concat(&command, &session->db_version);
    append_majority(&command);
    bool ok =
        sp_conn_command(session->shards[session->primary], session->db, &command, NULL, error);
    bson_destroy(&command);
    return ok;
}

void sp_sharded_clear(sp_sharded_t *made)
{
    bson_destroy(&made->key);
    bson_destroy(&made->identity);
}
