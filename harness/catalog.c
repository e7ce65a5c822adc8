#include "catalog.h"

#include "../oracles/value.h"

#include <string.h>

void sp_append_majority(bson_t *command)
{
    bson_t concern;
    BSON_APPEND_DOCUMENT_BEGIN(command, "writeConcern", &concern);
    BSON_APPEND_UTF8(&concern, "w", "majority");
    bson_append_document_end(command, &concern);
}

bool sp_catalog_find(sp_session_t *session, const char *collection, const char *id, bson_t *found,
                     sp_error_t *error)
{
    bson_t command = BSON_INITIALIZER, filter, reply, document;
    bson_iter_t iter, first;
    BSON_APPEND_UTF8(&command, "find", collection);
    BSON_APPEND_DOCUMENT_BEGIN(&command, "filter", &filter);
    BSON_APPEND_UTF8(&filter, "_id", id);
    bson_append_document_end(&command, &filter);
    BSON_APPEND_INT32(&command, "limit", 1);
    bool ok = sp_conn_command(session->config, "config", &command, &reply, error);
    if (ok && !(bson_iter_init(&iter, &reply) &&
                bson_iter_find_descendant(&iter, "cursor.firstBatch.0", &first) &&
                sp_value_document(&first, &document) && bson_concat(found, &document)))
        ok = sp_error_set(error, SP_ERROR_INFRA, 0, "config.%s lacks what was just made",
                          collection);
    bson_destroy(&command);
    bson_destroy(&reply);
    return ok;
}

bool sp_catalog_database(sp_session_t *session, sp_error_t *error)
{
    if (session->db_made)
        return true;
    bson_t command = BSON_INITIALIZER, entry = BSON_INITIALIZER;
    bson_iter_t iter;
    BSON_APPEND_UTF8(&command, "_configsvrCreateDatabase", session->db);
    BSON_APPEND_UTF8(&command, "primaryShardId", session->at.names[session->primary]);
    sp_append_majority(&command);
    bool ok = sp_conn_command(session->config, "admin", &command, NULL, error) &&
              sp_catalog_find(session, "databases", session->db, &entry, error);
    if (ok && bson_iter_init_find(&iter, &entry, "version")) {
        sp_value_t version = sp_value_of(&iter);
        bson_reinit(&session->db_version);
        sp_value_append(&session->db_version, "databaseVersion", &version);
        session->db_made = true;
    } else if (ok) {
        ok = sp_error_set(error, SP_ERROR_INFRA, 0, "the database %s has no version", session->db);
    }
    bson_destroy(&command);
    bson_destroy(&entry);
    return ok;
}

bool sp_catalog_post_insert(sp_session_t *session, const char *collection, const bson_t *documents,
                            sp_error_t *error)
{
    bson_t command = BSON_INITIALIZER;
    BSON_APPEND_UTF8(&command, "insert", collection);
    BSON_APPEND_ARRAY(&command, "documents", documents);
    sp_append_majority(&command);
    bool ok = sp_conn_post(session->config, "config", &command, error);
    bson_destroy(&command);
    return ok;
}

static bool read_refusal(bson_iter_t *refusal, sp_error_t *error)
{
    int64_t code = 0;
    const char *message = "no reason was given";
    while (bson_iter_next(refusal)) {
        if (strcmp(bson_iter_key(refusal), "code") == 0)
            code = bson_iter_as_int64(refusal);
        else if (strcmp(bson_iter_key(refusal), "errmsg") == 0 && BSON_ITER_HOLDS_UTF8(refusal))
            message = bson_iter_utf8(refusal, NULL);
    }
    return sp_error_set(error, SP_ERROR_SERVER, (int32_t)code, "writing to the config database: %s",
                        message);
}

bool sp_catalog_fetch_write(sp_session_t *session, sp_error_t *error)
{
    bson_t reply;
    bson_iter_t iter, refusal;
    bool ok = sp_conn_fetch(session->config, &reply, error);
    if (ok && ((bson_iter_init(&iter, &reply) &&
                bson_iter_find_descendant(&iter, "writeErrors.0", &refusal)) ||
               bson_iter_init_find(&refusal, &reply, "writeConcernError"))) {
        bson_iter_t fields;
        ok = bson_iter_recurse(&refusal, &fields)
                 ? read_refusal(&fields, error)
                 : sp_error_set(error, SP_ERROR_INFRA, 0,
                                "the config server's reply makes no sense");
    }
    bson_destroy(&reply);
    return ok;
}
