#include "keychange_command.h"

#include "delete_command.h"

#include "../oracles/model.h"

#include <string.h>

enum { TIME_MS = 20000 };

static void append_concern(bson_t *command)
{
    bson_t concern;
    BSON_APPEND_DOCUMENT_BEGIN(command, "writeConcern", &concern);
    BSON_APPEND_INT32(&concern, "w", 1);
    bson_append_document_end(command, &concern);
}

static void append_session(const sp_keychange_place_t *place, bson_t *command)
{
    bson_t session;
    BSON_APPEND_DOCUMENT_BEGIN(command, "lsid", &session);
    BSON_APPEND_BINARY(&session, "id", BSON_SUBTYPE_UUID, place->session_id,
                       sizeof place->session_id);
    bson_append_document_end(command, &session);
    BSON_APPEND_INT64(command, "txnNumber", place->txn_number);
}

void sp_keychange_build_insert(const sp_keychange_t *change, const sp_keychange_place_t *place,
                               bson_t *command)
{
    bson_t documents;
    BSON_APPEND_UTF8(command, "insert", place->collection);
    BSON_APPEND_ARRAY_BEGIN(command, "documents", &documents);
    BSON_APPEND_DOCUMENT(&documents, "0", &change->doc);
    bson_append_array_end(command, &documents);
    append_concern(command);
}

static void append_one(const sp_keychange_t *change, bson_t *command)
{
    bson_t list, one;
    BSON_APPEND_ARRAY_BEGIN(command, "updates", &list);
    BSON_APPEND_DOCUMENT_BEGIN(&list, "0", &one);
    BSON_APPEND_DOCUMENT(&one, "q", &change->filter);
    sp_value_append(&one, "u", &change->update);
    BSON_APPEND_BOOL(&one, "multi", change->multi);
    BSON_APPEND_BOOL(&one, "upsert", change->upsert);
    if (change->query.collation != NULL)
        BSON_APPEND_DOCUMENT(&one, "collation", change->query.collation);
    bson_append_document_end(&list, &one);
    bson_append_array_end(command, &list);
}

static void append_find_and_modify(const sp_keychange_t *change, bson_t *command)
{
    BSON_APPEND_DOCUMENT(command, "query", &change->filter);
    sp_value_append(command, "update", &change->update);
    BSON_APPEND_BOOL(command, "upsert", change->upsert);
    if (change->query.collation != NULL)
        BSON_APPEND_DOCUMENT(command, "collation", change->query.collation);
}

void sp_keychange_build_update(const sp_keychange_t *change, const sp_keychange_place_t *place,
                               bson_t *command)
{
    bool routed = change->mode == SP_KEYCHANGE_ROUTER;
    BSON_APPEND_UTF8(command,
                     change->find_and_modify ? "findAndModify"
                     : routed                ? "clusterUpdate"
                                             : "update",
                     place->collection);
    if (change->find_and_modify)
        append_find_and_modify(change, command);
    else
        append_one(change, command);
    if (!routed)
        bson_concat(command, &place->versions->versions[place->shard]);
    /* A clusterUpdate with a transaction number takes the shard down. */
    if (change->mode == SP_KEYCHANGE_RETRYABLE || change->mode == SP_KEYCHANGE_TRANSACTION)
        append_session(place, command);
    if (change->mode == SP_KEYCHANGE_TRANSACTION) {
        BSON_APPEND_BOOL(command, "startTransaction", true);
        BSON_APPEND_BOOL(command, "autocommit", false);
    } else {
        append_concern(command);
    }
    BSON_APPEND_INT32(command, "maxTimeMS", TIME_MS);
}

void sp_keychange_build_commit(const sp_keychange_place_t *place, bson_t *command)
{
    BSON_APPEND_INT32(command, "commitTransaction", 1);
    append_session(place, command);
    BSON_APPEND_BOOL(command, "autocommit", false);
    append_concern(command);
}

/* An upsert through the router may insert on any shard. */
static bool goes_elsewhere(const sp_keychange_t *change)
{
    return change->mode == SP_KEYCHANGE_ROUTER && change->upsert;
}

void sp_keychange_build_find(const sp_keychange_t *change, const sp_keychange_place_t *place,
                             bson_t *command)
{
    BSON_APPEND_UTF8(command, goes_elsewhere(change) ? "clusterFind" : "find", place->collection);
    BSON_APPEND_INT32(command, "batchSize", 8);
    BSON_APPEND_BOOL(command, "singleBatch", true);
}

void sp_keychange_build_delete(const sp_keychange_t *change, const sp_keychange_place_t *place,
                               bson_t *command)
{
    sp_build_delete(command, goes_elsewhere(change) ? "clusterDelete" : "delete", place->collection,
                    NULL);
    append_concern(command);
}

void sp_keychange_fate_init(sp_keychange_fate_t *fate)
{
    memset(fate, 0, sizeof *fate);
    bson_init(&fate->upserted_id);
    bson_init(&fate->after);
}

void sp_keychange_fate_clear(sp_keychange_fate_t *fate)
{
    bson_free(fate->message);
    bson_destroy(&fate->upserted_id);
    bson_destroy(&fate->after);
}

void sp_keychange_refuse(sp_keychange_fate_t *fate, int32_t code, const char *message)
{
    bson_free(fate->message);
    fate->refused = true;
    fate->code = code;
    fate->message = bson_strdup(message);
}

static void leave_unasked(sp_keychange_fate_t *fate, const char *why)
{
    bson_free(fate->message);
    fate->unasked = true;
    fate->message = bson_strdup(why);
}

static bool read_number(const bson_t *reply, const char *path, int64_t *number)
{
    bson_iter_t iter, inner;
    if (!bson_iter_init(&iter, reply) || !bson_iter_find_descendant(&iter, path, &inner) ||
        !BSON_ITER_HOLDS_NUMBER(&inner))
        return false;
    *number = bson_iter_as_int64(&inner);
    return true;
}

static void read_upserted(const bson_t *reply, const char *path, sp_keychange_fate_t *fate)
{
    bson_iter_t iter, inner;
    if (!bson_iter_init(&iter, reply) || !bson_iter_find_descendant(&iter, path, &inner))
        return;
    sp_value_t id = sp_value_of(&inner);
    fate->upserted = true;
    sp_value_append(&fate->upserted_id, "_id", &id);
}

static bool read_write_error(const bson_t *reply, sp_keychange_fate_t *fate)
{
    int64_t code;
    bson_iter_t iter, message;
    if (!read_number(reply, "writeErrors.0.code", &code))
        return false;
    bool has_text = bson_iter_init(&iter, reply) &&
                    bson_iter_find_descendant(&iter, "writeErrors.0.errmsg", &message) &&
                    BSON_ITER_HOLDS_UTF8(&message);
    sp_keychange_refuse(fate, (int32_t)code, has_text ? bson_iter_utf8(&message, NULL) : "");
    return true;
}

void sp_keychange_read_insert(const bson_t *reply, sp_keychange_fate_t *fate)
{
    if (!read_write_error(reply, fate))
        return;
    char *why = bson_strdup_printf("the document cannot be stored: %s", fate->message);
    fate->refused = false;
    leave_unasked(fate, why);
    bson_free(why);
}

void sp_keychange_read_update(const sp_keychange_t *change, const bson_t *reply,
                              sp_keychange_fate_t *fate)
{
    if (change->find_and_modify) {
        fate->modified = -1;
        if (read_number(reply, "lastErrorObject.n", &fate->n))
            read_upserted(reply, "lastErrorObject.upserted", fate);
        else
            leave_unasked(fate, "the reply to a findAndModify makes no sense");
    } else if (!read_write_error(reply, fate)) {
        if (read_number(reply, "n", &fate->n) && read_number(reply, "nModified", &fate->modified))
            read_upserted(reply, "upserted.0._id", fate);
        else
            leave_unasked(fate, "the reply to an update makes no sense");
    }
}

/* Whether `doc` is the one that the fate is about: that which was inserted, or the only one. */
static bool is_concerned(const sp_keychange_fate_t *fate, const bson_t *doc)
{
    bson_iter_t wanted, had;
    if (!fate->upserted)
        return true;
    if (!bson_iter_init_find(&wanted, &fate->upserted_id, "_id") ||
        !bson_iter_init_find(&had, doc, "_id"))
        return false;
    sp_value_t a = sp_value_of(&wanted), b = sp_value_of(&had);
    return a.type == b.type && a.size == b.size && memcmp(a.data, b.data, a.size) == 0;
}

void sp_keychange_read_find(const bson_t *reply, sp_keychange_fate_t *fate)
{
    bson_iter_t iter, batch, element;
    bson_t doc;
    unsigned count = 0;
    if (fate->refused || fate->n == 0 || !bson_iter_init(&iter, reply) ||
        !bson_iter_find_descendant(&iter, "cursor.firstBatch", &batch) ||
        !bson_iter_recurse(&batch, &element))
        return;
    while (bson_iter_next(&element)) {
        if (!sp_value_document(&element, &doc) || !is_concerned(fate, &doc))
            continue;
        bson_reinit(&fate->after);
        bson_concat(&fate->after, &doc);
        count++;
    }
    if (count != 1)
        bson_reinit(&fate->after);
}

void sp_keychange_answer(const sp_keychange_fate_t *fate, bson_t *answer)
{
    if (fate->unasked) {
        BSON_APPEND_UTF8(answer, "infrastructure", fate->message);
    } else if (fate->refused) {
        sp_answer_error(answer, fate->code, fate->message);
    } else {
        BSON_APPEND_INT64(answer, "n", fate->n);
        if (fate->modified >= 0)
            BSON_APPEND_INT64(answer, "nModified", fate->modified);
        if (!bson_empty(&fate->after))
            BSON_APPEND_DOCUMENT(answer, "after", &fate->after);
        if (fate->upserted)
            BSON_APPEND_BOOL(answer, "upserted", true);
    }
}
