/*
 * A case: one document that holds a question to a server and all that is needed to ask it again.
 *
 *     {area: "hash",  value: V}
 *     {area: "order", values: [V, W]}
 *     {area: "route", key: {…}, chunks: [[min, max, "s1"], …], docs: [D, …]}
 *     {area: "find",  key, chunks, collation, shards, queries: [{op: "find", filter, collation},
 * …]} {area: "write", key, chunks, collation, shards, writes: [{op: "updateOne", filter, …}, …]}
 *     {area: "soundness", key, chunks, collation, shards, docs,
 *      checks: [{filter, collation, finds: [places in docs]}, …]}
 *
 * It may also carry `answers` (recorded, one for each question, in the form of verdict.h) and
 * `origin` (where the answers came from, or which seed and scene drew the case). See
 * docs/case-format.md.
 *
 * The functions here predict: they append to `answers` one answer for each question of the case.
 * SP_ERROR_INPUT, naming the field, where the document is no case of that area.
 */
#ifndef SHARDPROOF_CASE_H
#define SHARDPROOF_CASE_H

#include "answers.h"
#include "model.h"

bool sp_case_predict_hash(sp_model_t *model, const bson_t *test, sp_answers_t *answers,
                          sp_error_t *error);
bool sp_case_predict_order(sp_model_t *model, const bson_t *test, sp_answers_t *answers,
                           sp_error_t *error);
bool sp_case_predict_route(sp_model_t *model, const bson_t *test, sp_answers_t *answers,
                           sp_error_t *error);
bool sp_case_predict_find(sp_model_t *model, const bson_t *test, sp_answers_t *answers,
                          sp_error_t *error);
bool sp_case_predict_write(sp_model_t *model, const bson_t *test, sp_answers_t *answers,
                           sp_error_t *error);

/* Reads `filter` and `collation` of a query or write; they are borrowed through `filter` and
 * `collation`, which the caller provides. SP_ERROR_INPUT where they are no documents. */
bool sp_case_query(const bson_t *question, bson_t *filter, bson_t *collation, sp_query_t *query,
                   sp_error_t *error);

/* The areas of rules; each in a file predict_AREA.c of its own. */
bool sp_case_predict_shardcollection(sp_model_t *model, const bson_t *test, sp_answers_t *answers,
                                     sp_error_t *error);
bool sp_case_predict_chunks(sp_model_t *model, const bson_t *test, sp_answers_t *answers,
                            sp_error_t *error);
bool sp_case_predict_index(sp_model_t *model, const bson_t *test, sp_answers_t *answers,
                           sp_error_t *error);
bool sp_case_predict_unique(sp_model_t *model, const bson_t *test, sp_answers_t *answers,
                            sp_error_t *error);
bool sp_case_predict_keychange(sp_model_t *model, const bson_t *test, sp_answers_t *answers,
                               sp_error_t *error);
bool sp_case_predict_refine(sp_model_t *model, const bson_t *test, sp_answers_t *answers,
                            sp_error_t *error);
bool sp_case_predict_reshard(sp_model_t *model, const bson_t *test, sp_answers_t *answers,
                             sp_error_t *error);

bool sp_case_predict_soundness(sp_model_t *model, const bson_t *test, sp_answers_t *answers,
                               sp_error_t *error);

/* Iterates the elements of the case's array `name`. SP_ERROR_INPUT where there is none. */
bool sp_case_elements(const bson_t *test, const char *name, bson_iter_t *iter, sp_error_t *error);

/* Appends to `answer` the answer to one question of a case. */
typedef bool sp_case_ask_t(void *context, const bson_t *question, bson_t *answer,
                           sp_error_t *error);

/* Asks each question of the case's array `name` in turn, and adds one answer for each. The first
 * that fails ends it; the error then names the question. SP_ERROR_INPUT where one is no document.
 */
bool sp_case_ask_each(const bson_t *test, const char *name, sp_case_ask_t *ask, void *context,
                      sp_answers_t *answers, sp_error_t *error);

/* The same by an area's rules, about the layout of the case. */
typedef bool sp_case_predict_t(sp_model_t *model, const sp_layout_t *layout, const bson_t *question,
                               bson_t *answer, sp_error_t *error);
bool sp_case_predict_each(sp_model_t *model, const bson_t *test, const char *name,
                          sp_case_predict_t *predict, sp_answers_t *answers, sp_error_t *error);

/* Reads true or false; *flag is left where there is no field of that name. SP_ERROR_INPUT for
 * anything else, null too. */
bool sp_case_flag(const bson_t *question, const char *name, bool *flag, sp_error_t *error);

/* How many shards the cluster of the case has. SP_ERROR_INPUT where `shards` is missing, no whole
 * number, or not from 1 to SP_CHUNKMAP_SHARDS. */
bool sp_case_shard_count(const bson_t *test, unsigned *shards, sp_error_t *error);

/* Reads the recorded answers of a case; none at all is no error. */
bool sp_case_answers(const bson_t *test, sp_answers_t *answers, sp_error_t *error);

#endif
