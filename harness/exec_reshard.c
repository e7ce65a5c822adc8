/*
 * The reshard area: a collection is laid out, filled, and sharded anew; the catalogue tells its new
 * chunks and zones, the router what it finds, and every shard what it holds.
 */
#include "area.h"
#include "case_fields.h"
#include "catalog.h"
#include "documents.h"
#include "key_change.h"
#include "servers/signals.h"
#include "sharded.h"

#include "../oracles/model.h"
#include "../oracles/reshard_request.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

/* Resharding takes some seconds, and minutes where the machine has other things to do. */
enum {
    RESHARD_TIMEOUT_MS = 120000,
    USUAL_TIMEOUT_MS = 30000,
    PAUSE_NS = 100000000,
    TURN_TRIES = 150,
    COLLECTION_TRIES = 8,
    IN_PROGRESS = 338
};

/* One question. */
typedef struct resharding {
    sp_session_t *session;
    const sp_case_layout_t *laid;
    const bson_t *question;
    sp_reshard_request_t request;
    sp_sharded_t made;
    sp_conn_t *router;
    bson_iter_t docs;
    bool has_docs;
    sp_fate_t *fates;
    uint32_t count;
} resharding_t;

/* Else it waits at least five minutes before it commits. */
static bool hurry(sp_session_t *session, sp_error_t *error)
{
    return sp_conn_commandf(session->config, "admin", NULL, error,
                            "{\"setParameter\": 1, "
                            "\"reshardingMinimumOperationDurationMillis\": 0}");
}

static bool create_unsharded(resharding_t *resharding, sp_error_t *error)
{
    sp_session_t *session = resharding->session;
    bson_t command = BSON_INITIALIZER;
    snprintf(resharding->made.collection, sizeof resharding->made.collection,
             "c%" PRIx64 "_%" PRIu64, session->born, session->serial++);
    snprintf(resharding->made.ns, sizeof resharding->made.ns, "%s.%s", session->db,
             resharding->made.collection);
    bool ok = sp_catalog_database(session, error);
    if (ok && resharding->request.common.state == SP_REFINE_UNSHARDED) {
        BSON_APPEND_UTF8(&command, "create", resharding->made.collection);
        sp_append_majority(&command);
        ok = sp_conn_command(session->shards[session->primary], session->db, &command, NULL, error);
    }
    bson_destroy(&command);
    return ok;
}

static bool make_indexes(const resharding_t *resharding, const sp_layout_t *layout,
                         sp_error_t *error)
{
    sp_session_t *session = resharding->session;
    bson_iter_t iter = resharding->request.common.indexes;
    bool ok = true;
    for (unsigned i = 0; ok && bson_iter_next(&iter); i++) {
        for (unsigned j = 0; ok && j < sp_chunkmap_shard_count(layout->chunks); j++) {
            unsigned shard = 0;
            ok =
                sp_chunk_shard(session, sp_chunkmap_shard_name(layout->chunks, j), &shard, error) &&
                sp_key_change_make_index(session, shard, resharding->made.collection, &iter, i,
                                         error);
        }
        if (!ok)
            sp_error_prefix(error, "indexes[%u]", i);
    }
    return ok;
}

static bool fill(resharding_t *resharding, sp_error_t *error)
{
    return resharding->count == 0 ||
           sp_documents_insert(resharding->session, resharding->router, resharding->made.collection,
                               &resharding->docs, resharding->fates, resharding->count, error);
}

static bool prepare(resharding_t *resharding, const sp_layout_t *layout, sp_error_t *error)
{
    const sp_case_layout_t *laid = resharding->laid;
    if (resharding->request.common.state != SP_REFINE_SHARDED)
        return create_unsharded(resharding, error);
    if (!sp_sharded_make(resharding->session, &laid->key, laid->collation, &laid->chunks,
                         &resharding->made, error)) {
        resharding->made.collection[0] = '\0';
        return false;
    }
    return (resharding->request.keeps_zones ||
            sp_key_change_drop_zones(resharding->session, resharding->made.ns, error)) &&
           make_indexes(resharding, layout, error) && fill(resharding, error);
}

static void append_zones(bson_t *command, const sp_range_t *zones, unsigned count)
{
    bson_t array, zone;
    BSON_APPEND_ARRAY_BEGIN(command, "zones", &array);
    for (unsigned i = 0; i < count; i++) {
        char place[16], *name = bson_strdup_printf(SP_ZONE_PREFIX "%s", zones[i].name);
        snprintf(place, sizeof place, "%u", i);
        BSON_APPEND_DOCUMENT_BEGIN(&array, place, &zone);
        BSON_APPEND_DOCUMENT(&zone, "min", &zones[i].min);
        BSON_APPEND_DOCUMENT(&zone, "max", &zones[i].max);
        BSON_APPEND_UTF8(&zone, "zone", name);
        bson_append_document_end(&array, &zone);
        bson_free(name);
    }
    bson_append_array_end(command, &array);
}

static void append_preset(bson_t *command, const sp_range_t *chunks, unsigned count)
{
    bson_t array, chunk;
    BSON_APPEND_ARRAY_BEGIN(command, "_presetReshardedChunks", &array);
    for (unsigned i = 0; i < count; i++) {
        char place[16];
        snprintf(place, sizeof place, "%u", i);
        BSON_APPEND_DOCUMENT_BEGIN(&array, place, &chunk);
        BSON_APPEND_UTF8(&chunk, "recipientShardId", chunks[i].name);
        BSON_APPEND_DOCUMENT(&chunk, "min", &chunks[i].min);
        BSON_APPEND_DOCUMENT(&chunk, "max", &chunks[i].max);
        bson_append_document_end(&array, &chunk);
    }
    bson_append_array_end(command, &array);
}

static void build(const resharding_t *resharding, bson_t *command)
{
    const sp_reshard_request_t *request = &resharding->request;
    BSON_APPEND_UTF8(command, "_shardsvrReshardCollection", resharding->made.ns);
    BSON_APPEND_DOCUMENT(command, "key", &request->common.new_key);
    if (request->unique)
        BSON_APPEND_BOOL(command, "unique", true);
    if (request->numbered)
        BSON_APPEND_INT64(command, "numInitialChunks", request->number);
    if (request->has_collation)
        BSON_APPEND_DOCUMENT(command, "collation", &request->collation);
    if (request->has_zones)
        append_zones(command, request->zones, request->zone_count);
    if (request->has_preset)
        append_preset(command, request->preset, request->preset_count);
    bson_concat(command, &resharding->session->db_version);
    sp_append_majority(command);
}

/* A cluster reshards one collection at a time, and other workers do it too. Fails with IN_PROGRESS
 * where it does not get its turn. */
static bool reshard(const resharding_t *resharding, sp_error_t *error)
{
    sp_session_t *session = resharding->session;
    sp_conn_t *primary = session->shards[session->primary];
    bson_t command = BSON_INITIALIZER;
    bool ok = false, again = true;
    build(resharding, &command);
    sp_conn_set_timeout(primary, RESHARD_TIMEOUT_MS);
    for (unsigned tries = 1; again; tries++) {
        ok = sp_conn_command(primary, "admin", &command, NULL, error);
        again = !ok && error->domain == SP_ERROR_SERVER && error->code == IN_PROGRESS &&
                tries < TURN_TRIES && !sp_stop_requested();
        if (again)
            nanosleep(&(struct timespec){.tv_nsec = PAUSE_NS}, NULL);
    }
    sp_conn_set_timeout(primary, USUAL_TIMEOUT_MS);
    bson_destroy(&command);
    return ok;
}

/* Asks one shard which documents it holds, past any router. */
static bool look_up(const resharding_t *resharding, unsigned shard, uint32_t *times,
                    sp_error_t *error)
{
    bson_t command = BSON_INITIALIZER, reply;
    BSON_APPEND_UTF8(&command, "find", resharding->made.collection);
    sp_documents_append_options(&command, resharding->count);
    bool ok = sp_conn_command(resharding->session->shards[shard], resharding->session->db, &command,
                              &reply, error) &&
              sp_documents_count(&reply, times, resharding->count, error);
    bson_destroy(&command);
    bson_destroy(&reply);
    return ok;
}

/* Whether the document is due on that shard, by the model's rule for inserts. */
static bool is_due(sp_model_t *model, const sp_layout_t *layout, const bson_t *doc,
                   const char *shard)
{
    bson_t answer = BSON_INITIALIZER;
    bson_iter_t iter, first;
    sp_predict_insert(model, layout, doc, &answer);
    bool due = bson_iter_init(&iter, &answer) &&
               bson_iter_find_descendant(&iter, "shards.0", &first) &&
               strcmp(bson_iter_utf8(&first, NULL), shard) == 0;
    bson_destroy(&answer);
    return due;
}

/* Whether each stored document lies where the chunks say, and nowhere else. */
static bool check_places(const resharding_t *resharding, const sp_layout_t *layout, bool *placed,
                         sp_error_t *error)
{
    sp_session_t *session = resharding->session;
    sp_version_t version;
    bool ok = sp_version_parse(sp_target_version(session->target), &version, error);
    sp_model_t *model = ok ? sp_model_new(version, error) : NULL;
    uint32_t *times = bson_malloc0((resharding->count + 1) * sizeof *times);
    ok = model != NULL;
    *placed = true;
    for (unsigned shard = 0; ok && shard < session->shard_count; shard++) {
        bson_iter_t iter;
        memset(times, 0, resharding->count * sizeof *times);
        ok =
            look_up(resharding, shard, times, error) && bson_iter_recurse(&resharding->docs, &iter);
        for (uint32_t i = 0; ok && bson_iter_next(&iter); i++) {
            bson_t doc;
            bool due = !resharding->fates[i].refused && sp_value_document(&iter, &doc) &&
                       is_due(model, layout, &doc, session->at.names[shard]);
            *placed = *placed && times[i] == (due ? 1 : 0);
        }
    }
    bson_free(times);
    sp_model_free(model);
    return ok;
}

/* The zones by the names of their shards. */
static void append_zones_by_shard(const bson_t *described, bson_t *answer)
{
    bson_iter_t field, iter, part;
    bson_t zones, zone;
    BSON_APPEND_ARRAY_BEGIN(answer, "zones", &zones);
    bool ok = bson_iter_init_find(&field, described, "zones") && bson_iter_recurse(&field, &iter);
    while (ok && bson_iter_next(&iter)) {
        BSON_APPEND_ARRAY_BEGIN(&zones, bson_iter_key(&iter), &zone);
        if (bson_iter_recurse(&iter, &part)) {
            while (bson_iter_next(&part)) {
                sp_value_t value = sp_value_of(&part);
                const char *name = BSON_ITER_HOLDS_UTF8(&part) ? bson_iter_utf8(&part, NULL) : "";
                if (strncmp(name, SP_ZONE_PREFIX, strlen(SP_ZONE_PREFIX)) == 0)
                    BSON_APPEND_UTF8(&zone, bson_iter_key(&part), name + strlen(SP_ZONE_PREFIX));
                else
                    sp_value_append(&zone, bson_iter_key(&part), &value);
            }
        }
        bson_append_array_end(&zones, &zone);
    }
    bson_append_array_end(answer, &zones);
}

static bool describe(const resharding_t *resharding, bson_t *answer, sp_error_t *error)
{
    bson_t described = BSON_INITIALIZER;
    bool placed = true;
    bool ok = sp_key_change_describe(resharding->session, &resharding->made, &described, error);
    sp_layout_t *layout = ok ? sp_layout_new(&described, error) : NULL;
    ok = layout != NULL;
    if (ok) {
        bson_copy_to_excluding_noinit(&described, answer, "zones", NULL);
        append_zones_by_shard(&described, answer);
    }
    ok = ok &&
         sp_key_change_find_all(resharding->session, resharding->router, &resharding->made,
                                resharding->has_docs ? &resharding->docs : NULL, resharding->fates,
                                resharding->count, answer, error) &&
         (resharding->count == 0 || check_places(resharding, layout, &placed, error));
    if (ok)
        BSON_APPEND_BOOL(answer, "placed", placed);
    sp_layout_free(layout);
    bson_destroy(&described);
    return ok;
}

/* With a collection of its own, which is dropped again. */
static bool try_request(resharding_t *resharding, const sp_layout_t *layout, bson_t *answer,
                        sp_error_t *error)
{
    resharding->fates = sp_fates_new(resharding->count);
    bool ok = prepare(resharding, layout, error) && reshard(resharding, error) &&
              describe(resharding, answer, error);
    sp_fates_free(resharding->fates, resharding->count);
    /* A collection that cannot be dropped is only untidy. */
    if (resharding->made.collection[0] != '\0')
        sp_sharded_drop(resharding->session, resharding->made.collection, NULL);
    return ok;
}

/* What a server refuses is an answer; what brings none is none. 6.0.27 may go on refusing a
 * collection with IN_PROGRESS that came at the same instant as another, so a new one is tried. */
static bool ask(resharding_t *resharding, const sp_layout_t *layout, bson_t *answer,
                sp_error_t *error)
{
    sp_error_t failed = {0};
    bool ok = false, again = true;
    resharding->has_docs = resharding->request.common.state == SP_REFINE_SHARDED &&
                           bson_iter_init_find(&resharding->docs, resharding->question, "docs");
    if (resharding->has_docs)
        resharding->count = sp_case_count(&resharding->docs);
    for (unsigned tries = 1; again; tries++) {
        ok = try_request(resharding, layout, answer, &failed);
        again = !ok && failed.domain == SP_ERROR_SERVER && failed.code == IN_PROGRESS &&
                tries < COLLECTION_TRIES && !sp_stop_requested();
    }
    if (ok)
        return true;
    if (failed.code == IN_PROGRESS)
        return sp_error_set(error, SP_ERROR_INFRA, 0, "others do not end their resharding");
    return sp_answer_refusal(&failed, answer, error);
}

static bool execute_request(sp_session_t *session, const sp_case_layout_t *laid,
                            const sp_layout_t *layout, const bson_t *question, bson_t *answer,
                            sp_error_t *error)
{
    resharding_t resharding = {.session = session,
                               .laid = laid,
                               .question = question,
                               .router = session->shards[session->serial % session->shard_count]};
    bool ok = sp_reshard_request_read(question, layout, &resharding.request, error) &&
              ask(&resharding, layout, answer, error);
    sp_reshard_request_clear(&resharding.request);
    return ok;
}

static bool execute_one(sp_session_t *session, const bson_t *test, sp_answers_t *observed,
                        sp_error_t *error)
{
    sp_session_forget(session);
    return hurry(session, error) &&
           sp_case_put_each(session, test, execute_request, observed, error);
}

bool sp_execute_reshard(sp_session_t *session, bson_t *const *cases, uint32_t count,
                        sp_answers_t *observed, sp_error_t *error)
{
    return sp_execute_each(session, cases, count, execute_one, observed, error);
}
