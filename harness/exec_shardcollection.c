/*
 * The shardcollection area: each request has a collection of its own, which is made as the request
 * says, sharded, looked at and dropped.
 */
#include "area.h"
#include "case_fields.h"
#include "catalog.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { NAMESPACE_NOT_FOUND = 26, VIEW_GIVEN = 166 };

typedef struct sharding {
    sp_session_t *session;
    const bson_t *request;
    char collection[48];
    char stored[64]; /* where its documents are: the buckets of a time series */
    bool is_view, is_sharded;
    bson_t before; /* the names of the indexes that are there, as fields */
} sharding_t;

static sp_conn_t *primary(const sharding_t *sharding)
{
    return sharding->session->shards[sharding->session->primary];
}

static bool command(const sharding_t *sharding, const bson_t *doc, bson_t *reply, sp_error_t *error)
{
    return sp_conn_command(primary(sharding), sharding->session->db, doc, reply, error);
}

static bool find_array(const bson_t *request, const char *name, bson_iter_t *array)
{
    bson_iter_t first;
    return bson_iter_init_find(array, request, name) && BSON_ITER_HOLDS_ARRAY(array) &&
           bson_iter_recurse(array, &first) && bson_iter_next(&first);
}

static bool create(sharding_t *sharding, sp_error_t *error)
{
    bson_iter_t iter;
    bson_t options;
    if (!bson_iter_init_find(&iter, sharding->request, "collection") ||
        !sp_value_document(&iter, &options))
        return true;
    bool is_series = bson_has_field(&options, "timeseries");
    snprintf(sharding->stored, sizeof sharding->stored, "%s%s", is_series ? "system.buckets." : "",
             sharding->collection);
    sharding->is_view = bson_has_field(&options, "viewOn");
    bson_t create = BSON_INITIALIZER;
    BSON_APPEND_UTF8(&create, "create", sharding->collection);
    bson_concat(&create, &options);
    bool ok = command(sharding, &create, NULL, error);
    bson_destroy(&create);
    return ok;
}

static bool make_indexes(const sharding_t *sharding, sp_error_t *error)
{
    bson_iter_t array;
    if (!find_array(sharding->request, "indexes", &array))
        return true;
    bson_t create = BSON_INITIALIZER;
    sp_value_t indexes = sp_value_of(&array);
    BSON_APPEND_UTF8(&create, "createIndexes", sharding->collection);
    sp_value_append(&create, "indexes", &indexes);
    bool ok = command(sharding, &create, NULL, error);
    bson_destroy(&create);
    return ok;
}

static bool insert(const sharding_t *sharding, sp_error_t *error)
{
    bson_iter_t array, refusal;
    if (!find_array(sharding->request, "docs", &array))
        return true;
    bson_t insert = BSON_INITIALIZER, reply;
    sp_value_t docs = sp_value_of(&array);
    BSON_APPEND_UTF8(&insert, "insert", sharding->collection);
    sp_value_append(&insert, "documents", &docs);
    bool ok = command(sharding, &insert, &reply, error);
    if (ok && bson_iter_init_find(&refusal, &reply, "writeErrors")) {
        char *text = bson_as_relaxed_extended_json(&reply, NULL);
        ok = sp_error_set(error, SP_ERROR_SERVER, 0, "a document was refused: %.300s",
                          text == NULL ? "" : text);
        bson_free(text);
    }
    bson_destroy(&reply);
    bson_destroy(&insert);
    return ok;
}

/* `options` may be NULL. */
static bool shard(sharding_t *sharding, const bson_t *key, const bson_t *options, sp_error_t *error)
{
    bson_t shard = BSON_INITIALIZER;
    BSON_APPEND_UTF8(&shard, "_shardsvrCreateCollection", sharding->collection);
    BSON_APPEND_DOCUMENT(&shard, "shardKey", key);
    if (options != NULL)
        bson_concat(&shard, options);
    bson_concat(&shard, &sharding->session->db_version);
    sp_append_majority(&shard);
    bool ok = command(sharding, &shard, NULL, error);
    sharding->is_sharded = sharding->is_sharded || ok;
    bson_destroy(&shard);
    return ok;
}

/* As it was sharded before; a collection with a collation must be asked for so. */
static bool shard_before(sharding_t *sharding, sp_error_t *error)
{
    bson_iter_t iter, field;
    bson_t key, options = BSON_INITIALIZER, simple;
    if (!bson_iter_init_find(&iter, sharding->request, "sharded"))
        return true;
    bool ok = BSON_ITER_HOLDS_DOCUMENT(&iter) && bson_iter_recurse(&iter, &field) &&
              bson_iter_find(&field, "key") && sp_value_document(&field, &key);
    if (!ok)
        return sp_error_set(error, SP_ERROR_INPUT, 0, "'sharded' has no document 'key'");
    BSON_APPEND_BOOL(&options, "unique",
                     bson_iter_recurse(&iter, &field) && bson_iter_find(&field, "unique") &&
                         bson_iter_as_bool(&field));
    BSON_APPEND_DOCUMENT_BEGIN(&options, "collation", &simple);
    BSON_APPEND_UTF8(&simple, "locale", "simple");
    bson_append_document_end(&options, &simple);
    ok = shard(sharding, &key, &options, error);
    bson_destroy(&options);
    return ok;
}

typedef void take_index_t(sharding_t *sharding, const bson_t *index, const char *name, bson_t *to);

/* Calls `take` for each index of the collection; a collection that is not there has none. */
static bool each_index(sharding_t *sharding, take_index_t *take, bson_t *to, sp_error_t *error)
{
    bson_t list = BSON_INITIALIZER, reply, index;
    bson_iter_t iter, batch, element, name;
    sp_error_t failed = {0};
    BSON_APPEND_UTF8(&list, "listIndexes", sharding->stored);
    bool ok = command(sharding, &list, &reply, &failed);
    if (ok && bson_iter_init(&iter, &reply) &&
        bson_iter_find_descendant(&iter, "cursor.firstBatch", &batch) &&
        bson_iter_recurse(&batch, &element)) {
        while (bson_iter_next(&element)) {
            if (sp_value_document(&element, &index) && bson_iter_init_find(&name, &index, "name") &&
                BSON_ITER_HOLDS_UTF8(&name))
                take(sharding, &index, bson_iter_utf8(&name, NULL), to);
        }
    } else if (failed.domain == SP_ERROR_SERVER && failed.code == NAMESPACE_NOT_FOUND) {
        ok = true;
    } else {
        ok = ok ? sp_error_set(&failed, SP_ERROR_INFRA, 0, "listIndexes answers nonsense") : false;
        if (error != NULL)
            *error = failed;
    }
    bson_destroy(&list);
    bson_destroy(&reply);
    return ok;
}

static void note_name(sharding_t *sharding, const bson_t *index, const char *name, bson_t *to)
{
    (void)index;
    (void)to;
    BSON_APPEND_BOOL(&sharding->before, name, true);
}

/* The index on _id comes with the collection, where sharding made that. */
static void append_new(sharding_t *sharding, const bson_t *index, const char *name, bson_t *to)
{
    char buffer[16];
    const char *place;
    bson_t made;
    bson_iter_t iter; /* a name may have dots in it */
    if (bson_iter_init_find(&iter, &sharding->before, name) || strcmp(name, "_id_") == 0)
        return;
    bson_uint32_to_string(bson_count_keys(to), &place, buffer, sizeof buffer);
    BSON_APPEND_DOCUMENT_BEGIN(to, place, &made);
    bson_copy_to_excluding_noinit(index, &made, "v", "ns", NULL);
    bson_append_document_end(to, &made);
}

static bool count_chunks(const sharding_t *sharding, const sp_value_t *uuid, int32_t *count,
                         sp_error_t *error)
{
    bson_t ask = BSON_INITIALIZER, query, reply;
    bson_iter_t iter;
    BSON_APPEND_UTF8(&ask, "count", "chunks");
    BSON_APPEND_DOCUMENT_BEGIN(&ask, "query", &query);
    sp_value_append(&query, "uuid", uuid);
    bson_append_document_end(&ask, &query);
    bool ok = sp_conn_command(sharding->session->config, "config", &ask, &reply, error);
    *count = ok && bson_iter_init_find(&iter, &reply, "n") ? (int32_t)bson_iter_as_int64(&iter) : 0;
    bson_destroy(&ask);
    bson_destroy(&reply);
    return ok;
}

static bool append_entry(const sharding_t *sharding, const bson_t *entry, bson_t *answer,
                         sp_error_t *error)
{
    static const char *const fields[] = {"key", "unique"};
    bson_iter_t iter;
    int32_t count;
    for (unsigned i = 0; i < sizeof fields / sizeof *fields; i++) {
        if (bson_iter_init_find(&iter, entry, fields[i])) {
            sp_value_t value = sp_value_of(&iter);
            sp_value_append(answer, fields[i], &value);
        }
    }
    if (!bson_iter_init_find(&iter, entry, "uuid"))
        return sp_error_set(error, SP_ERROR_INFRA, 0, "a sharded collection has no uuid");
    sp_value_t uuid = sp_value_of(&iter);
    if (!count_chunks(sharding, &uuid, &count, error))
        return false;
    BSON_APPEND_INT32(answer, "chunks", count);
    return true;
}

static bool look(sharding_t *sharding, bson_t *answer, sp_error_t *error)
{
    bson_t entry = BSON_INITIALIZER, made = BSON_INITIALIZER;
    char ns[160];
    snprintf(ns, sizeof ns, "%s.%s", sharding->session->db, sharding->stored);
    BSON_APPEND_BOOL(answer, "ok", true);
    bool ok = sp_catalog_find(sharding->session, "collections", ns, &entry, error) &&
              append_entry(sharding, &entry, answer, error) &&
              each_index(sharding, append_new, &made, error);
    if (ok)
        BSON_APPEND_ARRAY(answer, "made", &made);
    bson_destroy(&made);
    bson_destroy(&entry);
    return ok;
}

static bool ask(sharding_t *sharding, bson_t *answer, sp_error_t *error)
{
    bson_iter_t iter;
    bson_t key, options;
    sp_error_t failed = {0};
    bool has_options = bson_iter_init_find(&iter, sharding->request, "options") &&
                       sp_value_document(&iter, &options);
    if (!bson_iter_init_find(&iter, sharding->request, "key") || !sp_value_document(&iter, &key))
        return sp_error_set(error, SP_ERROR_INPUT, 0, "a request has no document 'key'");
    if (shard(sharding, &key, has_options ? &options : NULL, &failed))
        return look(sharding, answer, error);
    return sp_answer_refusal(&failed, answer, error);
}

/* What cannot be set up as the request says is asked of no server. */
static bool answer_setup(const sp_error_t *failed, bson_t *answer, sp_error_t *error)
{
    if (failed->domain != SP_ERROR_SERVER || sp_code_is_trouble(failed->code)) {
        if (error != NULL)
            *error = *failed;
        return false;
    }
    BSON_APPEND_UTF8(answer, "unsupported", failed->message);
    return true;
}

/* What is not sharded is dropped faster by itself. What cannot be dropped is only untidy: no name
 * is used twice. */
static void drop(const sharding_t *sharding)
{
    bson_t drop = BSON_INITIALIZER;
    BSON_APPEND_UTF8(&drop, sharding->is_sharded ? "_shardsvrDropCollection" : "drop",
                     sharding->collection);
    if (sharding->is_sharded) {
        bson_concat(&drop, &sharding->session->db_version);
        sp_append_majority(&drop);
    }
    command(sharding, &drop, NULL, NULL);
    bson_destroy(&drop);
}

static bool execute_request(void *context, const bson_t *request, bson_t *answer, sp_error_t *error)
{
    sp_session_t *session = context;
    sharding_t sharding = {.session = session, .request = request};
    sp_error_t failed = {0};
    snprintf(sharding.collection, sizeof sharding.collection, "c%" PRIx64 "_%" PRIu64,
             session->born, session->serial++);
    snprintf(sharding.stored, sizeof sharding.stored, "%s", sharding.collection);
    bson_init(&sharding.before);
    bool set_up = create(&sharding, &failed) && make_indexes(&sharding, &failed) &&
                  insert(&sharding, &failed) && shard_before(&sharding, &failed) &&
                  (sharding.is_view || each_index(&sharding, note_name, NULL, &failed));
    bool ok = set_up ? ask(&sharding, answer, error) : answer_setup(&failed, answer, error);
    drop(&sharding);
    bson_destroy(&sharding.before);
    return ok;
}

static bool execute_one(sp_session_t *session, const bson_t *test, sp_answers_t *observed,
                        sp_error_t *error)
{
    sp_session_forget(session);
    return sp_case_shards(test, session, error) && sp_catalog_database(session, error) &&
           sp_case_ask_each(test, "requests", execute_request, session, observed, error);
}

bool sp_execute_shardcollection(sp_session_t *session, bson_t *const *cases, uint32_t count,
                                sp_answers_t *observed, sp_error_t *error)
{
    return sp_execute_each(session, cases, count, execute_one, observed, error);
}
