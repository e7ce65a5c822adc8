#include "profiler.h"

#include "../oracles/value.h"

#include <stdlib.h>
#include <string.h>

enum { PROFILE_BYTES = 32 << 20, PROFILE_READ_MAX = 100000, NAMESPACE_NOT_FOUND = 26 };

static const char marker[] = "shardproof-";

static bool set_level(sp_conn_t *shard, const char *db, int32_t level, sp_error_t *error)
{
    bson_t command = BSON_INITIALIZER;
    BSON_APPEND_INT32(&command, "profile", level);
    BSON_APPEND_INT32(&command, "slowms", 0);
    bool ok = sp_conn_command(shard, db, &command, NULL, error);
    bson_destroy(&command);
    return ok;
}

/* The profiler's own collection is too small for a scene, and can be replaced only while it rests.
 */
static bool make_collection(sp_conn_t *shard, const char *db, sp_error_t *error)
{
    bson_t drop = BSON_INITIALIZER, create = BSON_INITIALIZER;
    sp_error_t failed = {0};
    BSON_APPEND_UTF8(&drop, "drop", "system.profile");
    BSON_APPEND_UTF8(&create, "create", "system.profile");
    BSON_APPEND_BOOL(&create, "capped", true);
    BSON_APPEND_INT32(&create, "size", PROFILE_BYTES);
    bool ok = set_level(shard, db, 0, error);
    if (ok && !sp_conn_command(shard, db, &drop, NULL, &failed) &&
        !(failed.domain == SP_ERROR_SERVER && failed.code == NAMESPACE_NOT_FOUND))
        ok = sp_error_set(error, failed.domain, failed.code, "%s", failed.message);
    ok = ok && sp_conn_command(shard, db, &create, NULL, error);
    bson_destroy(&drop);
    bson_destroy(&create);
    return ok;
}

bool sp_profiler_start(sp_session_t *session, sp_error_t *error)
{
    bool ok = true;
    for (unsigned i = 0; ok && i < session->shard_count; i++) {
        ok = (session->profiler_made || make_collection(session->shards[i], session->db, error)) &&
             set_level(session->shards[i], session->db, 2, error);
    }
    session->profiler_made = ok;
    return ok;
}

void sp_profiler_stop(sp_session_t *session)
{
    for (unsigned i = 0; i < session->shard_count; i++)
        set_level(session->shards[i], session->db, 0, NULL);
}

void sp_profiler_mark(bson_t *filter, uint32_t index)
{
    char *mark = bson_strdup_printf("%s%u", marker, index);
    BSON_APPEND_UTF8(filter, "$comment", mark);
    bson_free(mark);
}

static bool post_read(sp_session_t *session, unsigned shard, const char *ns, sp_error_t *error)
{
    bson_t command = BSON_INITIALIZER, filter, projection;
    BSON_APPEND_UTF8(&command, "find", "system.profile");
    BSON_APPEND_DOCUMENT_BEGIN(&command, "filter", &filter);
    BSON_APPEND_UTF8(&filter, "ns", ns);
    bson_append_document_end(&command, &filter);
    BSON_APPEND_DOCUMENT_BEGIN(&command, "projection", &projection);
    BSON_APPEND_INT32(&projection, "_id", 0);
    BSON_APPEND_INT32(&projection, "errCode", 1);
    BSON_APPEND_INT32(&projection, "command.q", 1);
    bson_append_document_end(&command, &projection);
    BSON_APPEND_INT32(&command, "batchSize", PROFILE_READ_MAX);
    BSON_APPEND_BOOL(&command, "singleBatch", false); /* else nothing tells whether more is there */
    bool ok = sp_conn_post(session->shards[shard], session->db, &command, error);
    bson_destroy(&command);
    return ok;
}

/* The number of the write that `entry` tells of; false where it is of none. A filter may have had a
 * $comment before; the mark is the last one. */
static bool read_mark(const bson_iter_t *entry, uint32_t count, uint32_t *index)
{
    bson_iter_t iter, query, field;
    bool found = false;
    if (!bson_iter_recurse(entry, &iter) ||
        !bson_iter_find_descendant(&iter, "command.q", &query) ||
        !bson_iter_recurse(&query, &field))
        return false;
    while (bson_iter_next(&field)) {
        if (strcmp(bson_iter_key(&field), "$comment") != 0 || !BSON_ITER_HOLDS_UTF8(&field))
            continue;
        const char *text = bson_iter_utf8(&field, NULL);
        if (strncmp(text, marker, sizeof marker - 1) == 0) {
            *index = (uint32_t)strtoul(text + sizeof marker - 1, NULL, 10);
            found = *index < count;
        }
    }
    return found;
}

/* A shard that was asked by mistake refuses, and the write goes elsewhere. */
static bool was_stale(const bson_iter_t *entry)
{
    bson_iter_t iter;
    return bson_iter_recurse(entry, &iter) && bson_iter_find(&iter, "errCode") &&
           sp_code_is_stale((int32_t)bson_iter_as_int64(&iter));
}

static bool read_entries(const bson_t *reply, unsigned shard, sp_fate_t *fates, uint32_t count,
                         sp_error_t *error)
{
    bson_iter_t iter, found, entry;
    if (!bson_iter_init(&iter, reply) || !bson_iter_find_descendant(&iter, "cursor.id", &found) ||
        bson_iter_as_int64(&found) != 0 || !bson_iter_init(&iter, reply) ||
        !bson_iter_find_descendant(&iter, "cursor.firstBatch", &found) ||
        !bson_iter_recurse(&found, &entry))
        return sp_error_set(error, SP_ERROR_INFRA, 0, "what the profiler wrote cannot be read");
    while (bson_iter_next(&entry)) {
        uint32_t index;
        if (read_mark(&entry, count, &index) && !was_stale(&entry))
            fates[index].shards |= UINT64_C(1) << shard;
    }
    return true;
}

bool sp_profiler_read(sp_session_t *session, const char *ns, sp_fate_t *fates, uint32_t count,
                      sp_error_t *error)
{
    bool ok = true;
    for (unsigned i = 0; ok && i < session->shard_count; i++)
        ok = post_read(session, i, ns, error);
    for (unsigned i = 0; ok && i < session->shard_count; i++) {
        bson_t reply;
        ok = sp_conn_fetch(session->shards[i], &reply, error) &&
             read_entries(&reply, i, fates, count, error);
        bson_destroy(&reply);
    }
    return ok;
}
