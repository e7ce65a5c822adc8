/*
 * The reference model: what a server of a given version must answer.
 *
 * Each sp_predict_… appends one answer in the form of verdict.h to `answer`, which the caller has
 * initialised empty. That a server refuses something is an answer too.
 */
#ifndef SHARDPROOF_MODEL_H
#define SHARDPROOF_MODEL_H

#include "hash.h"
#include "layout.h"
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

/* Appends {error: {code, codeName, message}}. */
void sp_answer_error(bson_t *answer, int32_t code, const char *message);

#endif
