/*
 * The route area: a layout is made for real, documents go in through the router, and every shard is
 * asked directly what it holds.
 */
#include "area.h"
#include "sharded.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

/* Marks each document with its number, since its own _id may be anything. */
static const char marker[] = "shardproof#";

/* What became of one document. */
typedef struct fate {
    uint64_t shards; /* bit i: shard i holds it */
    bool refused;
    int32_t code;
    char *message;
} fate_t;

static bool find_array(const bson_t *test, const char *name, bson_iter_t *array, sp_error_t *error)
{
    if (bson_iter_init_find(array, test, name) && BSON_ITER_HOLDS_ARRAY(array))
        return true;
    return sp_error_set(error, SP_ERROR_INPUT, 0, "the case has no array '%s'", name);
}

static void append_documents(bson_t *command, const bson_iter_t *docs)
{
    bson_t array, doc;
    bson_iter_t iter;
    uint32_t count = 0;
    BSON_APPEND_ARRAY_BEGIN(command, "documents", &array);
    if (bson_iter_recurse(docs, &iter)) {
        while (bson_iter_next(&iter)) {
            char index[16];
            bson_t inner;
            snprintf(index, sizeof index, "%u", count);
            bool predicted = sp_value_document(&iter, &doc);
            assert(predicted); /* no case comes this far whose answers the model cannot tell */
            BSON_APPEND_DOCUMENT_BEGIN(&array, index, &inner);
            bson_concat(&inner, &doc);
            BSON_APPEND_INT32(&inner, marker, (int32_t)count);
            bson_append_document_end(&array, &inner);
            count++;
        }
    }
    bson_append_array_end(command, &array);
}

static bool read_write_error(const bson_iter_t *iter, fate_t *fates, uint32_t count,
                             sp_error_t *error)
{
    static const char nonsense[] = "the router's writeErrors make no sense";
    bson_iter_t field;
    int64_t index = -1, code = 0;
    const char *message = "";
    if (!bson_iter_recurse(iter, &field))
        return sp_error_set(error, SP_ERROR_INFRA, 0, "%s", nonsense);
    while (bson_iter_next(&field)) {
        if (strcmp(bson_iter_key(&field), "index") == 0)
            index = bson_iter_as_int64(&field);
        else if (strcmp(bson_iter_key(&field), "code") == 0)
            code = bson_iter_as_int64(&field);
        else if (strcmp(bson_iter_key(&field), "errmsg") == 0 && BSON_ITER_HOLDS_UTF8(&field))
            message = bson_iter_utf8(&field, NULL);
    }
    if (index < 0 || index >= count)
        return sp_error_set(error, SP_ERROR_INFRA, 0, "%s", nonsense);
    if (sp_code_is_trouble((int32_t)code))
        return sp_error_set(error, SP_ERROR_SERVER, (int32_t)code, "%s", message);
    bson_free(fates[index].message);
    fates[index].refused = true;
    fates[index].code = (int32_t)code;
    fates[index].message = bson_strdup(message);
    return true;
}

static bool read_write_errors(const bson_t *reply, fate_t *fates, uint32_t count, sp_error_t *error)
{
    bson_iter_t iter, element;
    if (!bson_iter_init_find(&iter, reply, "writeErrors"))
        return true;
    bool ok = bson_iter_recurse(&iter, &element) ||
              sp_error_set(error, SP_ERROR_INFRA, 0, "the router's writeErrors are no array");
    while (ok && bson_iter_next(&element))
        ok = read_write_error(&element, fates, count, error);
    return ok;
}

/* Any shard can be the router, and its routing table may be stale, as a mongos' may; so they take
 * turns. */
static bool insert(sp_session_t *session, const sp_sharded_t *made, const bson_iter_t *docs,
                   fate_t *fates, uint32_t count, sp_error_t *error)
{
    bson_t command = BSON_INITIALIZER, reply;
    sp_conn_t *router = session->shards[session->serial % session->shard_count];
    BSON_APPEND_UTF8(&command, "clusterInsert", made->collection);
    append_documents(&command, docs);
    BSON_APPEND_BOOL(&command, "ordered", false);
    bool ok = sp_conn_command(router, session->db, &command, &reply, error) &&
              read_write_errors(&reply, fates, count, error);
    bson_destroy(&command);
    bson_destroy(&reply);
    return ok;
}

/* Asks one shard, past any router, which of the documents it holds. */
static bool look_up(sp_session_t *session, const sp_sharded_t *made, unsigned shard, fate_t *fates,
                    uint32_t count, sp_error_t *error)
{
    bson_t command = BSON_INITIALIZER, projection, reply;
    bson_iter_t iter, batch, element, field;
    BSON_APPEND_UTF8(&command, "find", made->collection);
    BSON_APPEND_DOCUMENT_BEGIN(&command, "projection", &projection);
    BSON_APPEND_INT32(&projection, marker, 1);
    BSON_APPEND_INT32(&projection, "_id", 0);
    bson_append_document_end(&command, &projection);
    BSON_APPEND_INT32(&command, "batchSize", (int32_t)count + 1);
    BSON_APPEND_BOOL(&command, "singleBatch", true);
    bool ok = sp_conn_command(session->shards[shard], session->db, &command, &reply, error);
    if (ok && !(bson_iter_init(&iter, &reply) &&
                bson_iter_find_descendant(&iter, "cursor.firstBatch", &batch) &&
                bson_iter_recurse(&batch, &element)))
        ok = sp_error_set(error, SP_ERROR_INFRA, 0, "a find without a cursor in its reply");
    while (ok && bson_iter_next(&element)) {
        ok = bson_iter_recurse(&element, &field) && bson_iter_find(&field, marker) &&
             BSON_ITER_HOLDS_INT32(&field) && (uint32_t)bson_iter_int32(&field) < count;
        if (ok)
            fates[bson_iter_int32(&field)].shards |= UINT64_C(1) << shard;
        else
            sp_error_set(error, SP_ERROR_INFRA, 0, "a shard holds a document nobody inserted");
    }
    bson_destroy(&command);
    bson_destroy(&reply);
    return ok;
}

static void append_fate(const sp_session_t *session, const fate_t *fate, bson_t *answer)
{
    if (fate->refused) {
        sp_answer_error(answer, fate->code, fate->message);
        return;
    }
    bson_t shards;
    uint32_t count = 0;
    BSON_APPEND_ARRAY_BEGIN(answer, "shards", &shards);
    for (unsigned i = 0; i < session->shard_count; i++) {
        if ((fate->shards >> i & 1) == 0)
            continue;
        char index[16];
        snprintf(index, sizeof index, "%u", count++);
        BSON_APPEND_UTF8(&shards, index, session->at.names[i]);
    }
    bson_append_array_end(answer, &shards);
}

static uint32_t count_elements(const bson_iter_t *array)
{
    bson_iter_t iter;
    uint32_t count = 0;
    if (bson_iter_recurse(array, &iter)) {
        while (bson_iter_next(&iter))
            count++;
    }
    return count;
}

static bool execute_one(sp_session_t *session, const bson_t *test, sp_answers_t *observed,
                        sp_error_t *error)
{
    bson_iter_t chunks, docs, key_iter;
    bson_t key;
    if (!find_array(test, "chunks", &chunks, error) || !find_array(test, "docs", &docs, error))
        return false;
    if (!bson_iter_init_find(&key_iter, test, "key") || !sp_value_document(&key_iter, &key))
        return sp_error_set(error, SP_ERROR_INPUT, 0, "the case has no document 'key'");

    uint32_t count = count_elements(&docs);
    fate_t *fates = bson_malloc0((count + 1) * sizeof *fates);
    sp_sharded_t made;
    bool created = sp_sharded_create(session, &key, &made, error);
    bool ok = created && sp_sharded_arrange(session, &made, &chunks, error) &&
              insert(session, &made, &docs, fates, count, error);
    for (unsigned i = 0; ok && i < session->shard_count; i++)
        ok = look_up(session, &made, i, fates, count, error);
    for (uint32_t i = 0; i < count; i++) {
        if (ok)
            append_fate(session, &fates[i], sp_answers_add(observed));
        bson_free(fates[i].message);
    }
    /* A collection that cannot be dropped is only untidy. */
    if (created)
        sp_sharded_drop(session, &made, NULL);
    sp_sharded_clear(&made);
    bson_free(fates);
    return ok;
}

bool sp_execute_route(sp_session_t *session, bson_t *const *cases, uint32_t count,
                      sp_answers_t *observed, sp_error_t *error)
{
    for (uint32_t i = 0; i < count; i++) {
        if (!execute_one(session, cases[i], observed, error))
            return false;
    }
    return true;
}
