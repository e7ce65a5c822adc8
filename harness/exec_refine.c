/*
 * The refine area: a collection is laid out, filled, and its shard key refined; the catalogue tells
 * what became of its chunks and zones, and the router what it still finds.
 *
 * What a collection has before goes past the routers' rules, straight to the shards, so that a
 * case can have any index on any shard.
 */
#include "area.h"
#include "case_fields.h"
#include "catalog.h"
#include "documents.h"
#include "key_change.h"
#include "sharded.h"

#include "../oracles/model.h"
#include "../oracles/refine_docs.h"
#include "../oracles/refine_request.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* One question. */
typedef struct refining {
    sp_session_t *session;
    const sp_case_layout_t *laid;
    const sp_layout_t *layout;
    const bson_t *question;
    sp_refine_request_t request;
    sp_sharded_t made;
    sp_conn_t *router;
} refining_t;

static bool run(const refining_t *refining, unsigned shard, const bson_t *command,
                sp_error_t *error)
{
    return sp_conn_command(refining->session->shards[shard], refining->session->db, command, NULL,
                           error);
}

static bool create_unsharded(refining_t *refining, sp_error_t *error)
{
    sp_session_t *session = refining->session;
    bson_t command = BSON_INITIALIZER;
    snprintf(refining->made.collection, sizeof refining->made.collection, "c%" PRIx64 "_%" PRIu64,
             session->born, session->serial++);
    snprintf(refining->made.ns, sizeof refining->made.ns, "%s.%s", session->db,
             refining->made.collection);
    bool ok = sp_catalog_database(session, error);
    if (ok && refining->request.state == SP_REFINE_UNSHARDED) {
        BSON_APPEND_UTF8(&command, "create", refining->made.collection);
        sp_append_majority(&command);
        ok = run(refining, session->primary, &command, error);
    }
    bson_destroy(&command);
    return ok;
}

static void append_zone(void *context, uint32_t number, const sp_chunk_t *zone, unsigned shard,
                        bson_t *document)
{
    const char *ns = context;
    bson_t id;
    (void)number;
    (void)shard;
    BSON_APPEND_DOCUMENT_BEGIN(document, "_id", &id);
    BSON_APPEND_UTF8(&id, "ns", ns);
    BSON_APPEND_DOCUMENT(&id, "min", &zone->min);
    bson_append_document_end(document, &id);
    BSON_APPEND_UTF8(document, "ns", ns);
    BSON_APPEND_DOCUMENT(document, "min", &zone->min);
    BSON_APPEND_DOCUMENT(document, "max", &zone->max);
    BSON_APPEND_UTF8(document, "tag", zone->shard);
}

/* The zones that laid the chunks go, those of the case come. */
static bool make_zones(refining_t *refining, sp_error_t *error)
{
    bson_iter_t zones;
    char *ns = refining->made.ns;
    if (!sp_key_change_drop_zones(refining->session, ns, error))
        return false;
    if (!bson_iter_init_find(&zones, refining->question, "zones") || sp_case_count(&zones) == 0)
        return true;
    return sp_chunks_post_insert(refining->session, &zones, "tags", append_zone, ns, error) &&
           sp_catalog_fetch_write(refining->session, error);
}

/* Whether a shard has the collection, as all do that own chunks of it. */
static bool owns(const refining_t *refining, unsigned shard)
{
    const sp_chunkmap_t *chunks = refining->layout->chunks;
    for (unsigned i = 0; i < sp_chunkmap_shard_count(chunks); i++) {
        if (strcmp(sp_chunkmap_shard_name(chunks, i), refining->session->at.names[shard]) == 0)
            return true;
    }
    return false;
}

static bool make_indexes_of(const refining_t *refining, unsigned shard, sp_error_t *error)
{
    bson_iter_t iter = refining->request.indexes;
    bool ok = true;
    for (unsigned i = 0; ok && bson_iter_next(&iter); i++) {
        sp_index_t index;
        bool here;
        ok = sp_refine_request_index(&iter, refining->session->at.names[shard], &index, &here,
                                     error);
        if (ok && here)
            ok = sp_key_change_make_index(refining->session, shard, refining->made.collection,
                                          &iter, i, error);
        if (!ok)
            sp_error_prefix(error, "indexes[%u]", i);
    }
    return ok;
}

static bool drop_key_index(const refining_t *refining, unsigned shard, sp_error_t *error)
{
    bson_t command = BSON_INITIALIZER;
    BSON_APPEND_UTF8(&command, "dropIndexes", refining->made.collection);
    BSON_APPEND_DOCUMENT(&command, "index", &refining->laid->key);
    sp_append_majority(&command);
    bool ok = run(refining, shard, &command, error);
    bson_destroy(&command);
    return ok || sp_error_prefix(error, "dropping the index on the shard key");
}

static bool make_all_indexes(const refining_t *refining, sp_error_t *error)
{
    bool ok = true;
    for (unsigned i = 0; ok && i < refining->session->shard_count; i++) {
        if (!owns(refining, i))
            continue;
        if (refining->request.no_key_index && !sp_pattern_is_id(&refining->laid->key))
            ok = drop_key_index(refining, i, error);
        ok = ok && make_indexes_of(refining, i, error);
    }
    return ok;
}

static bool prepare(refining_t *refining, sp_error_t *error)
{
    const sp_case_layout_t *laid = refining->laid;
    if (refining->request.state != SP_REFINE_SHARDED)
        return create_unsharded(refining, error);
    bool made = refining->request.unique
                    ? sp_sharded_make_unique(refining->session, &laid->key, laid->collation,
                                             &laid->chunks, &refining->made, error)
                    : sp_sharded_make(refining->session, &laid->key, laid->collation, &laid->chunks,
                                      &refining->made, error);
    if (!made) {
        refining->made.collection[0] = '\0';
        return false;
    }
    return make_zones(refining, error) && make_all_indexes(refining, error);
}

static bool refine(const refining_t *refining, sp_error_t *error)
{
    sp_session_t *session = refining->session;
    bson_t command = BSON_INITIALIZER;
    BSON_APPEND_UTF8(&command, "_shardsvrRefineCollectionShardKey", refining->made.collection);
    BSON_APPEND_DOCUMENT(&command, "newShardKey", &refining->request.new_key);
    bson_concat(&command, &session->db_version);
    sp_append_majority(&command);
    bool ok = run(refining, session->primary, &command, error);
    bson_destroy(&command);
    return ok;
}

/* Stores the documents, refines the key, and tells of both. */
static bool fill_and_refine(refining_t *refining, bson_t *answer, sp_error_t *error)
{
    bson_iter_t docs;
    uint32_t count = 0;
    bool has_docs = refining->request.state == SP_REFINE_SHARDED &&
                    bson_iter_init_find(&docs, refining->question, "docs");
    if (has_docs)
        count = sp_case_count(&docs);
    sp_fate_t *fates = sp_fates_new(count);
    bool ok = (count == 0 ||
               sp_documents_insert(refining->session, refining->router, refining->made.collection,
                                   &docs, fates, count, error)) &&
              refine(refining, error) &&
              sp_key_change_describe(refining->session, &refining->made, answer, error) &&
              sp_key_change_find_all(refining->session, refining->router, &refining->made,
                                     has_docs ? &docs : NULL, fates, count, answer, error);
    sp_fates_free(fates, count);
    return ok;
}

/* What a server refuses is an answer; what brings none is none. */
static bool execute_request(sp_session_t *session, const sp_case_layout_t *laid,
                            const sp_layout_t *layout, const bson_t *question, bson_t *answer,
                            sp_error_t *error)
{
    refining_t refining = {.session = session,
                           .laid = laid,
                           .layout = layout,
                           .question = question,
                           .router = session->shards[session->serial % session->shard_count]};
    sp_error_t failed = {0};
    if (!sp_refine_request_read(question, layout, &refining.request, error))
        return false;
    bool ok = prepare(&refining, &failed) && fill_and_refine(&refining, answer, &failed);
    /* A collection that cannot be dropped is only untidy. */
    if (refining.made.collection[0] != '\0')
        sp_sharded_drop(session, refining.made.collection, NULL);
    return ok || sp_answer_refusal(&failed, answer, error);
}

static bool execute_one(sp_session_t *session, const bson_t *test, sp_answers_t *observed,
                        sp_error_t *error)
{
    sp_session_forget(session);
    return sp_case_put_each(session, test, execute_request, observed, error);
}

bool sp_execute_refine(sp_session_t *session, bson_t *const *cases, uint32_t count,
                       sp_answers_t *observed, sp_error_t *error)
{
    return sp_execute_each(session, cases, count, execute_one, observed, error);
}
