#include "sharded.h"

#include "catalog.h"
#include "delete_command.h"

#include "../oracles/collation.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static bool add_zones(sp_session_t *session, sp_error_t *error)
{
    bool ok = true;
    for (unsigned i = 0; ok && !session->zones_made && i < session->shard_count; i++) {
        bson_t command = BSON_INITIALIZER;
        char *zone = bson_strdup_printf(SP_ZONE_PREFIX "%s", session->at.names[i]);
        BSON_APPEND_UTF8(&command, "_configsvrAddShardToZone", session->at.names[i]);
        BSON_APPEND_UTF8(&command, "zone", zone);
        sp_append_majority(&command);
        ok = sp_conn_command(session->config, "admin", &command, NULL, error);
        bson_destroy(&command);
        bson_free(zone);
    }
    session->zones_made = ok;
    return ok;
}

/* The chunk's range in config.tags, with the zone of its shard. */
static void append_range(void *context, uint32_t number, const sp_chunk_t *chunk, unsigned shard,
                         bson_t *document)
{
    const char *ns = context;
    bson_t id;
    char *zone = bson_strdup_printf(SP_ZONE_PREFIX "%s", chunk->shard);
    (void)number;
    (void)shard;
    BSON_APPEND_DOCUMENT_BEGIN(document, "_id", &id);
    BSON_APPEND_UTF8(&id, "ns", ns);
    BSON_APPEND_DOCUMENT(&id, "min", &chunk->min);
    bson_append_document_end(document, &id);
    BSON_APPEND_UTF8(document, "ns", ns);
    BSON_APPEND_DOCUMENT(document, "min", &chunk->min);
    BSON_APPEND_DOCUMENT(document, "max", &chunk->max);
    BSON_APPEND_UTF8(document, "tag", zone);
    bson_free(zone);
}

/* All at once and straight into the table: the command for it takes one range, and long. */
static bool add_ranges(sp_session_t *session, char *ns, const bson_iter_t *chunks,
                       sp_error_t *error)
{
    return sp_chunks_post_insert(session, chunks, "tags", append_range, ns, error) &&
           sp_catalog_fetch_write(session, error);
}

/* What is sharded takes over the collation of the collection that was there before. */
static bool create_with_collation(sp_session_t *session, const sp_sharded_t *made,
                                  const bson_t *collation, sp_error_t *error)
{
    bson_t command = BSON_INITIALIZER;
    BSON_APPEND_UTF8(&command, "create", made->collection);
    BSON_APPEND_DOCUMENT(&command, "collation", collation);
    sp_append_majority(&command);
    bool ok =
        sp_conn_command(session->shards[session->primary], session->db, &command, NULL, error);
    bson_destroy(&command);
    return ok;
}

/* All in one command, so that none is there if one cannot be made. */
static bool create_indexes(sp_session_t *session, const sp_sharded_t *made, const bson_t *indexes,
                           sp_error_t *error)
{
    bson_t command = BSON_INITIALIZER;
    BSON_APPEND_UTF8(&command, "createIndexes", made->collection);
    BSON_APPEND_ARRAY(&command, "indexes", indexes);
    sp_append_majority(&command);
    bool ok =
        sp_conn_command(session->shards[session->primary], session->db, &command, NULL, error);
    bson_destroy(&command);
    return ok;
}

static bool shard(sp_session_t *session, const sp_sharded_t *made, const bson_t *key, bool collated,
                  bool unique, sp_error_t *error)
{
    bson_t command = BSON_INITIALIZER, simple;
    BSON_APPEND_UTF8(&command, "_shardsvrCreateCollection", made->collection);
    BSON_APPEND_DOCUMENT(&command, "shardKey", key);
    if (unique)
        BSON_APPEND_BOOL(&command, "unique", true);
    if (collated) { /* without it, sharding a collection with a collation is refused */
        BSON_APPEND_DOCUMENT_BEGIN(&command, "collation", &simple);
        BSON_APPEND_UTF8(&simple, "locale", "simple");
        bson_append_document_end(&command, &simple);
    }
    bson_concat(&command, &session->db_version);
    sp_append_majority(&command);
    bool ok =
        sp_conn_command(session->shards[session->primary], session->db, &command, NULL, error);
    bson_destroy(&command);
    return ok;
}

static bool check(sp_session_t *session, sp_sharded_t *made, const bson_iter_t *chunks,
                  sp_error_t *error)
{
    bson_t entry = BSON_INITIALIZER;
    bson_iter_t iter;
    uint32_t size = 0;
    const uint8_t *uuid = NULL;
    bool ok = sp_catalog_find(session, "collections", made->ns, &entry, error);
    if (ok && bson_iter_init_find(&iter, &entry, "uuid") && BSON_ITER_HOLDS_BINARY(&iter))
        bson_iter_binary(&iter, NULL, &size, &uuid);
    if (uuid != NULL && size == SP_UUID_SIZE)
        memcpy(made->uuid, uuid, SP_UUID_SIZE);
    else if (ok)
        ok = sp_error_set(error, SP_ERROR_INFRA, 0, "%s has no uuid", made->ns);
    bson_destroy(&entry);
    return ok && sp_chunks_post_check(session, made->uuid, error) &&
           sp_chunks_fetch_check(session, made->ns, chunks, error);
}

bool sp_sharded_make_as(sp_session_t *session, const sp_sharded_spec_t *sharding,
                        sp_sharded_t *made, sp_error_t *error)
{
    snprintf(made->collection, sizeof made->collection, "c%" PRIx64 "_%" PRIu64, session->born,
             session->serial++);
    snprintf(made->ns, sizeof made->ns, "%s.%s", session->db, made->collection);
    const bson_t *collation = sharding->collation;
    bool collated = collation != NULL && !sp_collation_is_simple(collation);
    bool ok = sp_catalog_database(session, error) && add_zones(session, error) &&
              add_ranges(session, made->ns, sharding->chunks, error);
    if (!ok)
        return false;
    ok = (!collated || create_with_collation(session, made, collation, error)) &&
         (sharding->indexes == NULL || create_indexes(session, made, sharding->indexes, error)) &&
         shard(session, made, sharding->key, collated, sharding->unique, error) &&
         check(session, made, sharding->chunks, error);
    /* What cannot be dropped is only untidy: no name is used twice. */
    if (!ok)
        sp_sharded_drop(session, made->collection, NULL);
    return ok;
}

bool sp_sharded_make(sp_session_t *session, const bson_t *key, const bson_t *collation,
                     const bson_iter_t *chunks, sp_sharded_t *made, sp_error_t *error)
{
    const sp_sharded_spec_t sharding = {.key = key, .collation = collation, .chunks = chunks};
    return sp_sharded_make_as(session, &sharding, made, error);
}

bool sp_sharded_make_unique(sp_session_t *session, const bson_t *key, const bson_t *collation,
                            const bson_iter_t *chunks, sp_sharded_t *made, sp_error_t *error)
{
    const sp_sharded_spec_t sharding = {
        .key = key, .collation = collation, .chunks = chunks, .unique = true};
    return sp_sharded_make_as(session, &sharding, made, error);
}

bool sp_sharded_drop(sp_session_t *session, const char *collection, sp_error_t *error)
{
    bson_t command = BSON_INITIALIZER;
    BSON_APPEND_UTF8(&command, "_shardsvrDropCollection", collection);
    bson_concat(&command, &session->db_version);
    sp_append_majority(&command);
    bool ok =
        sp_conn_command(session->shards[session->primary], session->db, &command, NULL, error);
    bson_destroy(&command);
    return ok;
}

bool sp_sharded_empty(sp_session_t *session, const char *collection, sp_error_t *error)
{
    bson_t command = BSON_INITIALIZER;
    sp_build_delete(&command, "delete", collection, NULL);
    bool ok = true;
    for (unsigned i = 0; ok && i < session->shard_count; i++)
        ok = sp_conn_post(session->shards[i], session->db, &command, error);
    for (unsigned i = 0; ok && i < session->shard_count; i++)
        ok = sp_conn_fetch(session->shards[i], NULL, error);
    bson_destroy(&command);
    return ok;
}
