/*
 * What the executors read from cases of sharded collections, and how they say where things went.
 */
#ifndef SHARDPROOF_CASE_FIELDS_H
#define SHARDPROOF_CASE_FIELDS_H

#include "session.h"

#include "../oracles/case.h"
#include "../oracles/value.h"

typedef struct sp_case_layout {
    bson_t key;              /* borrowed */
    const bson_t *collation; /* NULL: none */
    bson_t collation_held;
    bson_iter_t chunks; /* stands on the array */
} sp_case_layout_t;

/* Reads `key`, `chunks`, `collation`, and holds `shards` against the cluster. SP_ERROR_INPUT where
 * they are none, SP_ERROR_USAGE where the cluster has not the shards that the case is made for. */
bool sp_case_layout(const bson_t *test, const sp_session_t *session, sp_case_layout_t *layout,
                    sp_error_t *error);

/* Holds `shards` of the case against the cluster, as above; a case without it suits every one. */
bool sp_case_shards(const bson_t *test, const sp_session_t *session, sp_error_t *error);

/* Stands on the array `name` of the case. */
bool sp_case_array(const bson_t *test, const char *name, bson_iter_t *array, sp_error_t *error);
uint32_t sp_case_count(const bson_iter_t *array);

/* Puts one request about a collection to the servers, and appends to `answer`. `laid` and `layout`
 * are the case's. */
typedef bool sp_case_request_t(sp_session_t *session, const sp_case_layout_t *laid,
                               const sp_layout_t *layout, const bson_t *request, bson_t *answer,
                               sp_error_t *error);

/* Puts each of the case's `requests` in turn, and adds one answer for each. */
bool sp_case_put_each(sp_session_t *session, const bson_t *test, sp_case_request_t *put,
                      sp_answers_t *observed, sp_error_t *error);

/* What becomes of a question that the server refused: that error alone as the answer, and true,
 * unless it says nothing about the question (sp_code_is_trouble, sp_code_is_stale, or no server
 * answered): then false, with `failed` handed on in `error`. */
bool sp_answer_refusal(const sp_error_t *failed, bson_t *answer, sp_error_t *error);

/* Appends {shards: […]}; bit i stands for the session's shard i. */
void sp_answer_shards(bson_t *answer, const sp_session_t *session, uint64_t shards);

#endif
