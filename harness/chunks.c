#include "chunks.h"

#include "catalog.h"

#include "../oracles/order.h"

#include <assert.h>
#include <string.h>

enum { CHUNKS_READ_MAX = 100000 };

bool sp_chunk_next(bson_iter_t *element, sp_chunk_t *chunk)
{
    bson_iter_t part;
    if (!bson_iter_next(element))
        return false;
    /* No case comes this far whose layout the model could not read. */
    bool ok = bson_iter_recurse(element, &part) && bson_iter_next(&part) &&
              sp_value_document(&part, &chunk->min) && bson_iter_next(&part) &&
              sp_value_document(&part, &chunk->max) && bson_iter_next(&part) &&
              BSON_ITER_HOLDS_UTF8(&part);
    assert(ok);
    chunk->shard = bson_iter_utf8(&part, NULL);
    return true;
}

bool sp_chunk_shard(const sp_session_t *session, const char *name, unsigned *shard,
                    sp_error_t *error)
{
    for (*shard = 0; *shard < session->shard_count; ++*shard) {
        if (strcmp(session->at.names[*shard], name) == 0)
            return true;
    }
    return sp_error_set(
        error, SP_ERROR_USAGE, 0,
        "the case needs a shard '%s', and the cluster has %u: start it with more --shards", name,
        session->shard_count);
}

bool sp_chunks_post_insert(sp_session_t *session, const bson_iter_t *chunks, const char *table,
                           sp_chunk_append_t *append, void *context, sp_error_t *error)
{
    bson_t documents = BSON_INITIALIZER, document;
    bson_iter_t iter;
    sp_chunk_t chunk;
    unsigned shard = 0;
    bool ok = bson_iter_recurse(chunks, &iter) ||
              sp_error_set(error, SP_ERROR_INPUT, 0, "'chunks' must be an array");
    for (uint32_t i = 0; ok && sp_chunk_next(&iter, &chunk); i++) {
        char buffer[16];
        const char *index;
        bson_uint32_to_string(i, &index, buffer, sizeof buffer);
        ok = sp_chunk_shard(session, chunk.shard, &shard, error);
        BSON_APPEND_DOCUMENT_BEGIN(&documents, index, &document);
        if (ok)
            append(context, i, &chunk, shard, &document);
        bson_append_document_end(&documents, &document);
    }
    ok = ok && sp_catalog_post_insert(session, table, &documents, error);
    bson_destroy(&documents);
    return ok;
}

bool sp_chunks_post_check(sp_session_t *session, const uint8_t uuid[SP_UUID_SIZE],
                          sp_error_t *error)
{
    bson_t command = BSON_INITIALIZER, filter, sort;
    BSON_APPEND_UTF8(&command, "find", "chunks");
    BSON_APPEND_DOCUMENT_BEGIN(&command, "filter", &filter);
    BSON_APPEND_BINARY(&filter, "uuid", BSON_SUBTYPE_UUID, uuid, SP_UUID_SIZE);
    bson_append_document_end(&command, &filter);
    BSON_APPEND_DOCUMENT_BEGIN(&command, "sort", &sort);
    BSON_APPEND_INT32(&sort, "min", 1);
    bson_append_document_end(&command, &sort);
    BSON_APPEND_INT32(&command, "batchSize", CHUNKS_READ_MAX);
    BSON_APPEND_BOOL(&command, "singleBatch", true);
    bool ok = sp_conn_post(session->config, "config", &command, error);
    bson_destroy(&command);
    return ok;
}

/* {min, max, shard} of config.chunks. */
static bool read_had(const bson_iter_t *element, sp_chunk_t *chunk)
{
    bson_iter_t min, max, shard;
    bool ok = bson_iter_recurse(element, &min) && bson_iter_find(&min, "min") &&
              sp_value_document(&min, &chunk->min) && bson_iter_recurse(element, &max) &&
              bson_iter_find(&max, "max") && sp_value_document(&max, &chunk->max) &&
              bson_iter_recurse(element, &shard) && bson_iter_find(&shard, "shard") &&
              BSON_ITER_HOLDS_UTF8(&shard);
    chunk->shard = ok ? bson_iter_utf8(&shard, NULL) : NULL;
    return ok;
}

static bool compare(const bson_t *reply, const char *ns, const bson_iter_t *chunks,
                    sp_error_t *error)
{
    bson_iter_t iter, batch, had_iter, wanted_iter;
    if (!(bson_iter_init(&iter, reply) &&
          bson_iter_find_descendant(&iter, "cursor.firstBatch", &batch) &&
          bson_iter_recurse(&batch, &had_iter) && bson_iter_recurse(chunks, &wanted_iter)))
        return sp_error_set(error, SP_ERROR_INFRA, 0, "config.chunks cannot be read");
    for (unsigned i = 0;; i++) {
        sp_chunk_t had = {.shard = NULL}, wanted = {.shard = NULL};
        bool had_more = bson_iter_next(&had_iter);
        bool wanted_more = sp_chunk_next(&wanted_iter, &wanted);
        if (!had_more && !wanted_more)
            return true;
        if (!had_more || !wanted_more || !read_had(&had_iter, &had) ||
            sp_key_compare(&had.min, &wanted.min) != 0 ||
            sp_key_compare(&had.max, &wanted.max) != 0)
            return sp_error_set(error, SP_ERROR_INFRA, 0, "chunk %u of %s is not where it was laid",
                                i, ns);
        if (strcmp(had.shard, wanted.shard) != 0)
            return sp_error_set(error, SP_ERROR_INFRA, 0, "chunk %u of %s is on %s, not %s", i, ns,
                                had.shard, wanted.shard);
    }
}

bool sp_chunks_fetch_check(sp_session_t *session, const char *ns, const bson_iter_t *chunks,
                           sp_error_t *error)
{
    bson_t reply;
    bool ok = sp_conn_fetch(session->config, &reply, error) && compare(&reply, ns, chunks, error);
    bson_destroy(&reply);
    return ok;
}
