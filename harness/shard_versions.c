#include "shard_versions.h"

#include "catalog.h"

#include <string.h>

enum { CHUNKS_MAX = 10000 };

typedef struct latest {
    uint32_t major, minor;
} latest_t;

static bool is_later(uint32_t major, uint32_t minor, const latest_t *than)
{
    return major != than->major ? major > than->major : minor > than->minor;
}

static bool read_chunk(const sp_session_t *session, const bson_iter_t *element,
                       sp_shard_versions_t *versions, latest_t *latest)
{
    bson_iter_t shard, lastmod;
    unsigned number;
    if (!bson_iter_recurse(element, &shard) || !bson_iter_find(&shard, "shard") ||
        !BSON_ITER_HOLDS_UTF8(&shard) || !bson_iter_recurse(element, &lastmod) ||
        !bson_iter_find(&lastmod, "lastmod") || !BSON_ITER_HOLDS_TIMESTAMP(&lastmod) ||
        !sp_chunk_shard(session, bson_iter_utf8(&shard, NULL), &number, NULL))
        return false;
    uint32_t major, minor;
    bson_iter_timestamp(&lastmod, &major, &minor);
    versions->owns[number] = true;
    if (is_later(major, minor, &latest[number]))
        latest[number] = (latest_t){major, minor};
    return true;
}

static bool read_chunks(sp_session_t *session, const sp_sharded_t *made,
                        sp_shard_versions_t *versions, latest_t *latest, sp_error_t *error)
{
    bson_t command = BSON_INITIALIZER, filter, projection, reply;
    bson_iter_t iter, batch, element;
    BSON_APPEND_UTF8(&command, "find", "chunks");
    BSON_APPEND_DOCUMENT_BEGIN(&command, "filter", &filter);
    BSON_APPEND_BINARY(&filter, "uuid", BSON_SUBTYPE_UUID, made->uuid, SP_UUID_SIZE);
    bson_append_document_end(&command, &filter);
    BSON_APPEND_DOCUMENT_BEGIN(&command, "projection", &projection);
    BSON_APPEND_INT32(&projection, "shard", 1);
    BSON_APPEND_INT32(&projection, "lastmod", 1);
    bson_append_document_end(&command, &projection);
    BSON_APPEND_INT32(&command, "batchSize", CHUNKS_MAX);
    BSON_APPEND_BOOL(&command, "singleBatch", true);
    bool ok = sp_conn_command(session->config, "config", &command, &reply, error);
    bool sound = ok && bson_iter_init(&iter, &reply) &&
                 bson_iter_find_descendant(&iter, "cursor.firstBatch", &batch) &&
                 bson_iter_recurse(&batch, &element);
    while (sound && bson_iter_next(&element))
        sound = read_chunk(session, &element, versions, latest);
    if (ok && !sound)
        ok = sp_error_set(error, SP_ERROR_INFRA, 0, "config.chunks cannot be read");
    bson_destroy(&command);
    bson_destroy(&reply);
    return ok;
}

bool sp_shard_versions_read(sp_session_t *session, const sp_sharded_t *made,
                            sp_shard_versions_t *versions, sp_error_t *error)
{
    latest_t latest[SP_SHARDS_MAX] = {{0}};
    bson_t entry = BSON_INITIALIZER;
    bson_iter_t since, epoch;
    *versions = (sp_shard_versions_t){.count = session->shard_count};
    for (unsigned i = 0; i < versions->count; i++)
        bson_init(&versions->versions[i]);
    bool ok = sp_catalog_find(session, "collections", made->ns, &entry, error);
    if (ok && !(bson_iter_init_find(&since, &entry, "timestamp") &&
                bson_iter_init_find(&epoch, &entry, "lastmodEpoch")))
        ok = sp_error_set(error, SP_ERROR_INFRA, 0, "%s has no version in the catalogue", made->ns);
    ok = ok && read_chunks(session, made, versions, latest, error);
    for (unsigned i = 0; ok && i < versions->count; i++) {
        bson_t version;
        BSON_APPEND_DOCUMENT_BEGIN(&versions->versions[i], "shardVersion", &version);
        bson_append_iter(&version, "t", -1, &since);
        bson_append_iter(&version, "e", -1, &epoch);
        BSON_APPEND_TIMESTAMP(&version, "v", latest[i].major, latest[i].minor);
        bson_append_document_end(&versions->versions[i], &version);
    }
    bson_destroy(&entry);
    return ok;
}

void sp_shard_versions_clear(sp_shard_versions_t *versions)
{
    for (unsigned i = 0; i < versions->count; i++)
        bson_destroy(&versions->versions[i]);
    versions->count = 0;
}
