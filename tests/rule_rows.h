/*
 * Rows of requests to one collection and the answers that the model must give.
 */
#ifndef SHARDPROOF_RULE_ROWS_H
#define SHARDPROOF_RULE_ROWS_H

#include "../oracles/case.h"

typedef bool sp_rule_predict_t(sp_model_t *model, const bson_t *test, sp_answers_t *answers,
                               sp_error_t *error);

typedef struct sp_rule_row {
    const char *request; /* in Extended JSON with single quotes, like the rest */
    const char *answer;  /* what of it is looked at */
    const char *before;  /* on 6.0.5, where that differs; else NULL */
} sp_rule_row_t;

/* Asks each row of the collection {key, chunks, …} that `layout` describes, on 6.0.5 and 6.0.27. */
void sp_assert_rule_rows(sp_rule_predict_t *predict, const char *layout, const sp_rule_row_t *rows,
                         size_t count);

/* The same on `version` alone. */
void sp_assert_rule_rows_of(sp_rule_predict_t *predict, const char *version, const char *layout,
                            const sp_rule_row_t *rows, size_t count);

/* Fails unless each request is refused as SP_ERROR_INPUT whose message has the row's answer in it.
 */
void sp_assert_rule_refuses(sp_rule_predict_t *predict, const char *layout,
                            const sp_rule_row_t *rows, size_t count);

/* The same on `version` instead of 6.0.27. */
void sp_assert_rule_refuses_on(sp_rule_predict_t *predict, const char *version, const char *layout,
                               const sp_rule_row_t *rows, size_t count);

#endif
