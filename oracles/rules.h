/*
 * The model's answers about sharding itself: shard keys, indexes, chunks, changed values.
 *
 * Each sp_predict_… takes one question as a document, in the form of a case's (docs/case-format.md)
 * or an `ask` line's, and appends one answer to `answer`, which is initialised empty. That a server
 * refuses is an answer too. False and SP_ERROR_INPUT, naming the field, where the question makes no
 * sense or has something in it that the model does not know.
 */
#ifndef SHARDPROOF_RULES_H
#define SHARDPROOF_RULES_H

#include "model.h"

/* {op: "createIndex", index, options, …} on a collection sharded by `key`: {ok: true} or an error.
 */
bool sp_predict_index(sp_model_t *model, const bson_t *key, const bson_t *question, bson_t *answer,
                      sp_error_t *error);

/* {key, options, empty, indexes, …} on a cluster of `shards` shards, as `ask` asks: {chunks: [[min,
 * max], …]} or an error. */
bool sp_predict_shard_collection(sp_model_t *model, unsigned shards, const bson_t *question,
                                 bson_t *answer, sp_error_t *error);

/* {doc, filter, update, multi, mode, …}: {n, nModified} or an error. */
bool sp_predict_keychange(sp_model_t *model, const sp_layout_t *layout, const bson_t *question,
                          bson_t *answer, sp_error_t *error);

#endif
