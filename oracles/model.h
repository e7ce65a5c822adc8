/*
 * The reference model: what a server of a given version must answer.
 *
 * Each sp_predict_… appends one answer in the form of verdict.h to `answer`, which the caller has
 * initialised empty. That a server refuses something is an answer too. Those that return bool fail
 * with SP_ERROR_INPUT where the question has something in it that the model does not know.
 */
#ifndef SHARDPROOF_MODEL_H
#define SHARDPROOF_MODEL_H

#include "hash.h"
#include "layout.h"
#include "targeting.h"
#include "version.h"

/* For one thread at a time. */
typedef struct sp_model {
    sp_version_t version;
    sp_hasher_t *hasher;
} sp_model_t;

sp_model_t *sp_model_new(sp_version_t version, sp_error_t *error);
void sp_model_free(sp_model_t *model); /* NULL is fine */

/* {hash: "…"}: the hashed index value. */
void sp_predict_hash(sp_model_t *model, const sp_value_t *value, bson_t *answer);

/* {order: -1|0|1} */
void sp_predict_order(sp_model_t *model, const sp_value_t *a, const sp_value_t *b, bson_t *answer);

/* {shards: ["…"]}: the one shard that must own `doc` after an insert through the router. */
void sp_predict_insert(sp_model_t *model, const sp_layout_t *layout, const bson_t *doc,
                       bson_t *answer);

/* {shards: […]}: the shards that a router contacts for a read. */
bool sp_predict_find(sp_model_t *model, const sp_layout_t *layout, const sp_query_t *query,
                     bson_t *answer, sp_error_t *error);

typedef enum sp_write_kind {
    SP_UPDATE_ONE,
    SP_UPDATE_MANY,
    SP_UPSERT, /* of one document */
    SP_REPLACE_ONE,
    SP_DELETE_ONE,
    SP_DELETE_MANY,
    SP_WRITE_KINDS /* how many there are */
} sp_write_kind_t;

/* "updateOne", "updateMany", "upsert", "replaceOne", "deleteOne", "deleteMany". */
const char *sp_write_kind_name(sp_write_kind_t kind);
bool sp_write_kind_parse(const char *name, sp_write_kind_t *kind);

typedef struct sp_write {
    sp_write_kind_t kind;
    sp_query_t query;
    const bson_t *replacement; /* SP_REPLACE_ONE only; the other updates are {$set: {w: 1}} */
} sp_write_t;

/* {shards: […]}: the shards that a router contacts for a write to an empty collection; or the error
 * that it, or the shard that was to do it, gives. */
bool sp_predict_write(sp_model_t *model, const sp_layout_t *layout, const sp_write_t *write,
                      bson_t *answer, sp_error_t *error);

/* Appends {error: {code, codeName, message}}. */
void sp_answer_error(bson_t *answer, int32_t code, const char *message);

/* What becomes of a question whose rules failed: true with that error as the answer where it is one
 * of the server (SP_ERROR_RULE); else false, with `failed` handed on in `error`. */
bool sp_answer_failure(const sp_error_t *failed, bson_t *answer, sp_error_t *error);

#endif
