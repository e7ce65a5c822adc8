#include "paper.h"

#include "../oracles/collation.h"
#include "catalog.h"
#include "chunks.h"
#include "delete_command.h"
#include "sharded.h"
#include "uuid.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { REFRESH_TRIES = 20, REFRESH_TIME_MS = 10000, DROP_TIMEOUT_MS = 5000 };

/* A layout on its way. */
struct sp_sheet {
    const sp_paper_t *paper;
    unsigned router;
    bool announced;
    bool former; /* there was a layout before, whose removal is under way */
    uint8_t uuid[SP_UUID_SIZE];
    uint32_t second, increment; /* its timestamp: later than those of all layouts before */
    bson_oid_t epoch;
    int64_t last[SP_SHARDS_MAX]; /* each shard's last chunk; -1: it has none */
};

static void name_collection(sp_session_t *session)
{
    sp_paper_t *paper = &session->paper;
    snprintf(paper->collection, sizeof paper->collection, "p%" PRIx64, session->born);
    snprintf(paper->ns, sizeof paper->ns, "%s.%s", session->db, paper->collection);
}

static bool begin(sp_session_t *session, sp_sheet_t *sheet, sp_error_t *error)
{
    if (!sp_uuid_draw(sheet->uuid, error))
        return false;
    sheet->second = (uint32_t)(session->born / 1000000);
    sheet->increment = ++session->paper.laid_count;
    bson_oid_init(&sheet->epoch, NULL);
    for (unsigned i = 0; i < SP_SHARDS_MAX; i++)
        sheet->last[i] = -1;
    return true;
}

static void append_history(bson_t *document, const sp_sheet_t *sheet, const char *shard)
{
    bson_t history, entry;
    BSON_APPEND_ARRAY_BEGIN(document, "history", &history);
    BSON_APPEND_DOCUMENT_BEGIN(&history, "0", &entry);
    BSON_APPEND_TIMESTAMP(&entry, "validAfter", sheet->second, sheet->increment);
    BSON_APPEND_UTF8(&entry, "shard", shard);
    bson_append_document_end(&history, &entry);
    bson_append_array_end(document, &history);
}

static void append_chunk(void *context, uint32_t number, const sp_chunk_t *chunk, unsigned shard,
                         bson_t *document)
{
    sp_sheet_t *sheet = context;
    bson_oid_t id;
    bson_oid_init(&id, NULL);
    BSON_APPEND_OID(document, "_id", &id);
    BSON_APPEND_BINARY(document, "uuid", BSON_SUBTYPE_UUID, sheet->uuid, SP_UUID_SIZE);
    BSON_APPEND_DOCUMENT(document, "min", &chunk->min);
    BSON_APPEND_DOCUMENT(document, "max", &chunk->max);
    BSON_APPEND_UTF8(document, "shard", chunk->shard);
    BSON_APPEND_TIMESTAMP(document, "lastmod", 1, number);
    append_history(document, sheet, chunk->shard);
    sheet->last[shard] = number;
}

static bool post_chunks(sp_session_t *session, sp_sheet_t *sheet, const bson_iter_t *chunks,
                        sp_error_t *error)
{
    return sp_chunks_post_insert(session, chunks, "chunks", append_chunk, sheet, error);
}

/* The collection's entry, which makes the chunks count. */
static bool post_entry(sp_session_t *session, const sp_sheet_t *sheet, const bson_t *key,
                       const bson_t *collation, sp_error_t *error)
{
    bson_t command = BSON_INITIALIZER, updates, update, query, entry;
    BSON_APPEND_UTF8(&command, "update", "collections");
    BSON_APPEND_ARRAY_BEGIN(&command, "updates", &updates);
    BSON_APPEND_DOCUMENT_BEGIN(&updates, "0", &update);
    BSON_APPEND_DOCUMENT_BEGIN(&update, "q", &query);
    BSON_APPEND_UTF8(&query, "_id", sheet->paper->ns);
    bson_append_document_end(&update, &query);
    BSON_APPEND_DOCUMENT_BEGIN(&update, "u", &entry);
    BSON_APPEND_UTF8(&entry, "_id", sheet->paper->ns);
    BSON_APPEND_OID(&entry, "lastmodEpoch", &sheet->epoch);
    BSON_APPEND_DATE_TIME(&entry, "lastmod", (int64_t)sheet->second * 1000);
    BSON_APPEND_TIMESTAMP(&entry, "timestamp", sheet->second, sheet->increment);
    BSON_APPEND_BINARY(&entry, "uuid", BSON_SUBTYPE_UUID, sheet->uuid, SP_UUID_SIZE);
    BSON_APPEND_DOCUMENT(&entry, "key", key);
    if (collation != NULL && !sp_collation_is_simple(collation))
        BSON_APPEND_DOCUMENT(&entry, "defaultCollation", collation);
    BSON_APPEND_BOOL(&entry, "unique", false);
    BSON_APPEND_BOOL(&entry, "noBalance", true);
    bson_append_document_end(&update, &entry);
    BSON_APPEND_BOOL(&update, "upsert", true);
    bson_append_document_end(&updates, &update);
    bson_append_array_end(&command, &updates);
    sp_append_majority(&command);
    bool ok = sp_conn_post(session->config, "config", &command, error);
    bson_destroy(&command);
    return ok;
}

static bool post_removal(sp_session_t *session, const uint8_t uuid[SP_UUID_SIZE], sp_error_t *error)
{
    bson_t command = BSON_INITIALIZER, filter = BSON_INITIALIZER;
    BSON_APPEND_BINARY(&filter, "uuid", BSON_SUBTYPE_UUID, uuid, SP_UUID_SIZE);
    sp_build_delete(&command, "delete", "chunks", &filter);
    bool ok = sp_conn_post(session->config, "config", &command, error);
    bson_destroy(&filter);
    bson_destroy(&command);
    return ok;
}

/* A find of nothing that says which version of the collection it is meant for. A shard that does
 * not know it looks it up, and goes on only where it then has exactly that one. */
static bool post_notice(sp_session_t *session, const sp_sheet_t *sheet, unsigned shard,
                        sp_error_t *error)
{
    bson_t command = BSON_INITIALIZER, filter, version;
    int64_t last = sheet->last[shard];
    BSON_APPEND_UTF8(&command, "find", sheet->paper->collection);
    BSON_APPEND_DOCUMENT_BEGIN(&command, "filter", &filter);
    BSON_APPEND_INT32(&filter, "_id", 0);
    bson_append_document_end(&command, &filter);
    BSON_APPEND_INT32(&command, "limit", 1);
    BSON_APPEND_INT32(&command, "maxTimeMS", REFRESH_TIME_MS);
    BSON_APPEND_DOCUMENT_BEGIN(&command, "shardVersion", &version);
    BSON_APPEND_TIMESTAMP(&version, "t", sheet->second, sheet->increment);
    BSON_APPEND_OID(&version, "e", &sheet->epoch);
    BSON_APPEND_TIMESTAMP(&version, "v", last < 0 ? 0 : 1, last < 0 ? 0 : (uint32_t)last);
    bson_append_document_end(&command, &version);
    bool ok = sp_conn_post(session->shards[shard], session->db, &command, error);
    bson_destroy(&command);
    return ok;
}

static bool fetch_notice(sp_session_t *session, const sp_sheet_t *sheet, unsigned shard,
                         sp_error_t *error)
{
    for (unsigned tries = 1;; tries++) {
        sp_error_t failed = {0};
        if (sp_conn_fetch(session->shards[shard], NULL, &failed))
            return true;
        bool stale = failed.domain == SP_ERROR_SERVER && sp_code_is_stale(failed.code);
        if (stale && tries == REFRESH_TRIES)
            return sp_error_set(error, SP_ERROR_INFRA, 0,
                                "the shard %s does not take notice of a new layout: %s",
                                session->at.names[shard], failed.message);
        if (!stale)
            return sp_error_set(error, failed.domain, failed.code, "%s", failed.message);
        if (!post_notice(session, sheet, shard, error))
            return false;
    }
}

static bool concerns(const sp_sheet_t *sheet, unsigned shard)
{
    return sheet->last[shard] >= 0 || shard == sheet->router;
}

void sp_paper_forget(sp_session_t *session)
{
    bson_free(session->paper.sheet);
    session->paper.sheet = NULL;
}

unsigned sp_paper_router(const sp_session_t *session)
{
    return session->paper.sheet->router;
}

bool sp_paper_begin(sp_session_t *session, const bson_t *key, const bson_t *collation,
                    const bson_iter_t *chunks, unsigned router, sp_error_t *error)
{
    sp_paper_forget(session);
    sp_session_forget(session);
    sp_sheet_t *sheet = bson_malloc0(sizeof *sheet);
    session->paper.sheet = sheet;
    sheet->paper = &session->paper;
    sheet->router = router;
    if (!session->paper.laid)
        name_collection(session);
    return sp_catalog_database(session, error) && begin(session, sheet, error) &&
           post_chunks(session, sheet, chunks, error) &&
           post_entry(session, sheet, key, collation, error);
}

/* Where a layout could not be written down its chunks count for nothing, and are removed as far as
 * the servers let them. */
static bool clean_up(sp_session_t *session, const sp_sheet_t *sheet)
{
    sp_conn_forget(session->config);
    if (post_removal(session, sheet->uuid, NULL))
        sp_catalog_fetch_write(session, NULL);
    return false;
}

bool sp_paper_announce(sp_session_t *session, sp_error_t *error)
{
    sp_paper_t *paper = &session->paper;
    sp_sheet_t *sheet = paper->sheet;
    uint8_t former[SP_UUID_SIZE];
    bool written = true;
    for (int part = 0; written && part < 2; part++) /* the chunks and the entry */
        written = sp_catalog_fetch_write(session, error);
    if (!written)
        return clean_up(session, sheet);
    sheet->former = paper->laid;
    memcpy(former, paper->uuid, SP_UUID_SIZE);
    memcpy(paper->uuid, sheet->uuid, SP_UUID_SIZE);
    paper->laid = true;
    sheet->announced = true;
    bool ok = true;
    for (unsigned i = 0; ok && i < session->shard_count; i++)
        ok = !concerns(sheet, i) || post_notice(session, sheet, i, error);
    /* The shards take their time: meanwhile the config server cleans up and is checked. */
    return ok && (!sheet->former || post_removal(session, former, error)) &&
           sp_chunks_post_check(session, paper->uuid, error);
}

bool sp_paper_finish(sp_session_t *session, const bson_iter_t *chunks, sp_error_t *error)
{
    sp_sheet_t *sheet = session->paper.sheet;
    bool ok = sheet->announced || sp_paper_announce(session, error);
    for (unsigned i = 0; ok && i < session->shard_count; i++)
        ok = !concerns(sheet, i) || fetch_notice(session, sheet, i, error);
    ok = ok && (!sheet->former || sp_catalog_fetch_write(session, error)) &&
         sp_chunks_fetch_check(session, session->paper.ns, chunks, error);
    sp_paper_forget(session);
    return ok;
}

bool sp_paper_lay(sp_session_t *session, const bson_t *key, const bson_t *collation,
                  const bson_iter_t *chunks, unsigned router, sp_error_t *error)
{
    return sp_paper_begin(session, key, collation, chunks, router, error) &&
           sp_paper_finish(session, chunks, error);
}

void sp_paper_drop(sp_session_t *session)
{
    if (!session->paper.laid)
        return;
    /* Nobody waits long for a server that is gone. */
    sp_conn_set_timeout(session->shards[session->primary], DROP_TIMEOUT_MS);
    sp_sharded_drop(session, session->paper.collection, NULL);
    session->paper.laid = false;
}
