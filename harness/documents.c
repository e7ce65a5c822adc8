#include "documents.h"

#include "../oracles/value.h"

#include <stdio.h>
#include <string.h>

/* The field that holds a document's number, an int32. */
static const char marker[] = "shardproof#";

enum { COPIES_MAX = 64 };

static bool append_documents(bson_t *command, const bson_iter_t *docs, sp_error_t *error)
{
    bson_t array, doc;
    bson_iter_t iter;
    uint32_t count = 0;
    bool ok = bson_iter_recurse(docs, &iter);
    BSON_APPEND_ARRAY_BEGIN(command, "documents", &array);
    while (ok && bson_iter_next(&iter)) {
        char index[16];
        bson_t inner;
        snprintf(index, sizeof index, "%u", count);
        ok = sp_value_document(&iter, &doc) ||
             sp_error_set(error, SP_ERROR_INPUT, 0, "docs[%u] is no document", count);
        if (ok) {
            BSON_APPEND_DOCUMENT_BEGIN(&array, index, &inner);
            bson_concat(&inner, &doc);
            BSON_APPEND_INT32(&inner, marker, (int32_t)count);
            bson_append_document_end(&array, &inner);
        }
        count++;
    }
    bson_append_array_end(command, &array);
    return ok;
}

bool sp_documents_insert(sp_session_t *session, sp_conn_t *router, const char *collection,
                         const bson_iter_t *docs, sp_fate_t *fates, uint32_t count,
                         sp_error_t *error)
{
    bson_t command = BSON_INITIALIZER, reply = BSON_INITIALIZER;
    BSON_APPEND_UTF8(&command, "clusterInsert", collection);
    bool ok = append_documents(&command, docs, error);
    BSON_APPEND_BOOL(&command, "ordered", false);
    if (ok && count > 0) { /* without documents it would be no insert */
        bson_destroy(&reply);
        ok = sp_conn_command(router, session->db, &command, &reply, error) &&
             sp_fates_read(&reply, fates, count, error);
    }
    bson_destroy(&command);
    bson_destroy(&reply);
    return ok;
}

void sp_documents_append_options(bson_t *find, uint32_t count)
{
    bson_t projection;
    BSON_APPEND_DOCUMENT_BEGIN(find, "projection", &projection);
    BSON_APPEND_INT32(&projection, marker, 1);
    BSON_APPEND_INT32(&projection, "_id", 0);
    bson_append_document_end(find, &projection);
    BSON_APPEND_INT32(find, "batchSize", (int32_t)(count + 1) * COPIES_MAX);
    BSON_APPEND_BOOL(find, "singleBatch", true);
}

bool sp_documents_count(const bson_t *reply, uint32_t *times, uint32_t count, sp_error_t *error)
{
    bson_iter_t iter, batch, element, field;
    if (!bson_iter_init(&iter, reply) ||
        !bson_iter_find_descendant(&iter, "cursor.firstBatch", &batch) ||
        !bson_iter_recurse(&batch, &element))
        return sp_error_set(error, SP_ERROR_INFRA, 0, "a find without a cursor in its reply");
    while (bson_iter_next(&element)) {
        bool known = bson_iter_recurse(&element, &field) && bson_iter_find(&field, marker) &&
                     BSON_ITER_HOLDS_INT32(&field) && (uint32_t)bson_iter_int32(&field) < count;
        if (!known)
            return sp_error_set(error, SP_ERROR_INFRA, 0,
                                "a shard holds a document nobody inserted");
        times[bson_iter_int32(&field)]++;
    }
    return true;
}
