/*
 * The chunks area: collections are sharded with zones and options of all kinds, and the chunk table
 * tells what became of them; zone ranges are set, and the table of ranges tells.
 */
#include "../oracles/pattern.h"
#include "area.h"
#include "case_fields.h"
#include "catalog.h"
#include "chunks.h"
#include "range_table.h"
#include "zone_table.h"

#include <inttypes.h>
#include <stdio.h>

enum { STALE_TRIES = 10 };

/* A database for each primary shard that is asked for, made at the first need. */
typedef struct home {
    char db[80];
    bson_t *version; /* {databaseVersion: …}; NULL: not made yet */
} home_t;

typedef struct request {
    bson_t question;
    bson_t key; /* what the question has as `key`, where that is a document */
    bool updates, has_key;
    unsigned primary;
} request_t;

typedef struct asking {
    sp_session_t *session;
    home_t homes[SP_SHARDS_MAX];
    request_t *requests;
    sp_zone_place_t *places; /* one for each request */
    uint32_t count;
} asking_t;

/* The request at work. */
typedef struct work {
    sp_session_t *session;
    const request_t *request;
    const sp_zone_place_t *place;
    const home_t *home;
    bool there; /* the collection is to be dropped */
} work_t;

static bool read_version(sp_session_t *session, home_t *home, sp_error_t *error)
{
    bson_t entry = BSON_INITIALIZER;
    bson_iter_t iter;
    bool ok = sp_catalog_find(session, "databases", home->db, &entry, error);
    if (ok && bson_iter_init_find(&iter, &entry, "version")) {
        sp_value_t version = sp_value_of(&iter);
        home->version = bson_new();
        sp_value_append(home->version, "databaseVersion", &version);
    } else if (ok) {
        ok = sp_error_set(error, SP_ERROR_INFRA, 0, "the database %s has no version", home->db);
    }
    bson_destroy(&entry);
    return ok;
}

static bool make_home(asking_t *asking, unsigned primary, sp_error_t *error)
{
    sp_session_t *session = asking->session;
    home_t *home = &asking->homes[primary];
    if (home->version != NULL)
        return true;
    bson_t command = BSON_INITIALIZER;
    snprintf(home->db, sizeof home->db, "%s_on%u", session->db, primary + 1);
    BSON_APPEND_UTF8(&command, "_configsvrCreateDatabase", home->db);
    BSON_APPEND_UTF8(&command, "primaryShardId", session->at.names[primary]);
    sp_append_majority(&command);
    bool ok = sp_conn_command(session->config, "admin", &command, NULL, error) &&
              read_version(session, home, error);
    bson_destroy(&command);
    return ok;
}

static bool ask_primary(const work_t *work, const bson_t *command, sp_error_t *error)
{
    return sp_conn_command(work->session->shards[work->request->primary], work->home->db, command,
                           NULL, error);
}

static bool create_plain(work_t *work, sp_error_t *error)
{
    bson_t command = BSON_INITIALIZER;
    BSON_APPEND_UTF8(&command, "create", work->place->collection);
    sp_append_majority(&command);
    work->there = true;
    bool ok = ask_primary(work, &command, error);
    bson_destroy(&command);
    return ok;
}

/* An index on the shard key, unique where the key is to be: without it a collection with documents
 * is not sharded. */
static bool create_index(work_t *work, bool unique, sp_error_t *error)
{
    bson_t command = BSON_INITIALIZER, indexes, index;
    BSON_APPEND_UTF8(&command, "createIndexes", work->place->collection);
    BSON_APPEND_ARRAY_BEGIN(&command, "indexes", &indexes);
    BSON_APPEND_DOCUMENT_BEGIN(&indexes, "0", &index);
    BSON_APPEND_DOCUMENT(&index, "key", &work->request->key);
    BSON_APPEND_UTF8(&index, "name", "shard key");
    if (unique)
        BSON_APPEND_BOOL(&index, "unique", true);
    bson_append_document_end(&indexes, &index);
    bson_append_array_end(&command, &indexes);
    sp_append_majority(&command);
    bool ok = ask_primary(work, &command, error);
    bson_destroy(&command);
    return ok;
}

static bool populate(work_t *work, bool unique, sp_error_t *error)
{
    bson_t command = BSON_INITIALIZER, documents, document;
    BSON_APPEND_UTF8(&command, "insert", work->place->collection);
    BSON_APPEND_ARRAY_BEGIN(&command, "documents", &documents);
    BSON_APPEND_DOCUMENT_BEGIN(&documents, "0", &document);
    BSON_APPEND_INT32(&document, "_id", 1);
    bson_append_document_end(&documents, &document);
    bson_append_array_end(&command, &documents);
    sp_append_majority(&command);
    work->there = true;
    bool ok = (sp_pattern_is_id(&work->request->key) || create_index(work, unique, error)) &&
              ask_primary(work, &command, error);
    bson_destroy(&command);
    return ok;
}

static bool has_flag(const bson_t *doc, const char *name, bool otherwise)
{
    bson_iter_t iter;
    return bson_iter_init_find(&iter, doc, name) && BSON_ITER_HOLDS_BOOL(&iter)
               ? bson_iter_bool(&iter)
               : otherwise;
}

static bool shard(work_t *work, const bson_t *options, sp_error_t *error)
{
    bson_t command = BSON_INITIALIZER;
    BSON_APPEND_UTF8(&command, "_shardsvrCreateCollection", work->place->collection);
    BSON_APPEND_DOCUMENT(&command, "shardKey", &work->request->key);
    bson_concat(&command, options);
    bson_concat(&command, work->home->version);
    sp_append_majority(&command);
    work->there = true;
    bool ok = ask_primary(work, &command, error);
    for (unsigned tries = 0; !ok && error->domain == SP_ERROR_SERVER &&
                             sp_code_is_stale(error->code) && tries < STALE_TRIES;
         tries++)
        ok = ask_primary(work, &command, error);
    bson_destroy(&command);
    return ok;
}

static void drop(const work_t *work)
{
    bson_t command = BSON_INITIALIZER;
    BSON_APPEND_UTF8(&command, "_shardsvrDropCollection", work->place->collection);
    bson_concat(&command, work->home->version);
    sp_append_majority(&command);
    /* What cannot be dropped is only untidy: no name is used twice. */
    ask_primary(work, &command, NULL);
    bson_destroy(&command);
}

/* Whether what failed is the server's answer to the question; it is appended then. */
static bool ask_sharding(work_t *work, bson_t *answer, sp_error_t *error)
{
    const bson_t *question = &work->request->question;
    bson_t options = BSON_INITIALIZER, given;
    bson_iter_t iter;
    sp_error_t failed = {0};
    if (bson_iter_init_find(&iter, question, "options") && sp_value_document(&iter, &given))
        bson_concat(&options, &given);
    bool unique =
        has_flag(&options, "unique", false) && !sp_pattern_names_hashed(&work->request->key);
    bool ok = true;
    if (!has_flag(question, "empty", true))
        ok = populate(work, unique, error);
    else if (has_flag(question, "exists", false))
        ok = create_plain(work, error);
    if (ok)
        ok = shard(work, &options, &failed)
                 ? sp_range_table_chunks(work->session, work->place, answer, error)
                 : sp_answer_refusal(&failed, answer, error);
    if (work->there)
        drop(work);
    bson_destroy(&options);
    return ok;
}

static void append_bound(const work_t *work, const char *name, bson_t *command)
{
    bson_iter_t iter;
    if (bson_iter_init_find(&iter, &work->request->question, name)) {
        sp_value_t value = sp_value_of(&iter);
        sp_value_append(command, name, &value);
    }
}

static bool ask_update(const work_t *work, bson_t *answer, sp_error_t *error)
{
    bson_t command = BSON_INITIALIZER;
    bson_iter_t iter;
    sp_error_t failed = {0};
    BSON_APPEND_UTF8(&command, "_configsvrUpdateZoneKeyRange", work->place->ns);
    append_bound(work, "min", &command);
    append_bound(work, "max", &command);
    if (bson_iter_init_find(&iter, &work->request->question, "zone") &&
        BSON_ITER_HOLDS_UTF8(&iter)) {
        char *name = sp_zone_own_name(work->place, bson_iter_utf8(&iter, NULL));
        BSON_APPEND_UTF8(&command, "zone", name);
        bson_free(name);
    } else {
        BSON_APPEND_NULL(&command, "zone");
    }
    sp_append_majority(&command);
    bool ok = sp_conn_command(work->session->config, "admin", &command, NULL, &failed)
                  ? sp_range_table_zones(work->session, work->place, answer, error)
                  : sp_answer_refusal(&failed, answer, error);
    bson_destroy(&command);
    return ok;
}

static bool read_request(asking_t *asking, const bson_iter_t *element, request_t *request,
                         sp_zone_place_t *place, sp_error_t *error)
{
    sp_session_t *session = asking->session;
    bson_iter_t iter;
    if (!sp_value_document(element, &request->question))
        return sp_error_set(error, SP_ERROR_INPUT, 0, "a request is no document");
    request->updates = bson_has_field(&request->question, "op");
    request->has_key = bson_iter_init_find(&iter, &request->question, "key") &&
                       sp_value_document(&iter, &request->key);
    if (!request->has_key && !request->updates)
        return sp_error_set(error, SP_ERROR_INPUT, 0, "a request has no document 'key'");
    if (bson_iter_init_find(&iter, &request->question, "primary") && BSON_ITER_HOLDS_UTF8(&iter) &&
        !sp_chunk_shard(session, bson_iter_utf8(&iter, NULL), &request->primary, error))
        return false;
    if (!sp_zones_read(&request->question, session->shard_count, &place->zones, error) ||
        !make_home(asking, request->primary, error))
        return false;
    snprintf(place->collection, sizeof place->collection, "k%" PRIx64 "_%" PRIu64, session->born,
             session->serial++);
    snprintf(place->ns, sizeof place->ns, "%s.%s", asking->homes[request->primary].db,
             place->collection);
    /* To set a range the config server looks at no more than the key. */
    place->paper_key = request->updates && request->has_key ? &request->key : NULL;
    return true;
}

static bool ask(asking_t *asking, uint32_t number, bson_t *answer, sp_error_t *error)
{
    const request_t *request = &asking->requests[number];
    work_t work = {.session = asking->session,
                   .request = request,
                   .place = &asking->places[number],
                   .home = &asking->homes[request->primary]};
    return request->updates ? ask_update(&work, answer, error) : ask_sharding(&work, answer, error);
}

static bool ask_all(asking_t *asking, const bson_iter_t *array, sp_answers_t *observed,
                    sp_error_t *error)
{
    bson_iter_t iter;
    bool ok = bson_iter_recurse(array, &iter);
    for (uint32_t i = 0; ok && i < asking->count && bson_iter_next(&iter); i++)
        ok = read_request(asking, &iter, &asking->requests[i], &asking->places[i], error);
    if (!ok)
        return false;
    ok = sp_zone_table_lay(asking->session, asking->places, asking->count, error);
    for (uint32_t i = 0; ok && i < asking->count; i++)
        ok = ask(asking, i, sp_answers_add(observed), error);
    sp_zone_table_clear(asking->session, asking->places, asking->count);
    return ok;
}

static bool check_shards(const bson_t *test, const sp_session_t *session, sp_error_t *error)
{
    bson_iter_t iter;
    int64_t wanted = bson_iter_init_find(&iter, test, "shards") ? bson_iter_as_int64(&iter) : 0;
    return wanted == session->shard_count ||
           sp_error_set(error, SP_ERROR_USAGE, 0,
                        "the case is made for a cluster of %lld shards, and this one has %u: start "
                        "it with --shards %lld",
                        (long long)wanted, session->shard_count, (long long)wanted);
}

static bool execute_one(sp_session_t *session, const bson_t *test, sp_answers_t *observed,
                        sp_error_t *error)
{
    asking_t asking = {.session = session};
    bson_iter_t array;
    if (!sp_case_array(test, "requests", &array, error) || !check_shards(test, session, error))
        return false;
    asking.count = sp_case_count(&array);
    asking.requests = bson_malloc0((asking.count + 1) * sizeof *asking.requests);
    asking.places = bson_malloc0((asking.count + 1) * sizeof *asking.places);
    sp_session_forget(session);
    bool ok = ask_all(&asking, &array, observed, error);
    for (uint32_t i = 0; i < asking.count; i++)
        sp_zones_clear(&asking.places[i].zones);
    bson_free(asking.places);
    bson_free(asking.requests);
    for (unsigned i = 0; i < SP_SHARDS_MAX; i++)
        bson_destroy(asking.homes[i].version);
    return ok;
}

bool sp_execute_chunks(sp_session_t *session, bson_t *const *cases, uint32_t count,
                       sp_answers_t *observed, sp_error_t *error)
{
    return sp_execute_each(session, cases, count, execute_one, observed, error);
}
