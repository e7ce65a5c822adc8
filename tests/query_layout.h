/*
 * Sharded collections for tests of query targeting, and what the model answers as text.
 */
#ifndef SHARDPROOF_QUERY_LAYOUT_H
#define SHARDPROOF_QUERY_LAYOUT_H

#include "../oracles/model.h"

/* A layout from {'key': {…}, 'splits': [{…}, …]} and, where they are there, 'collation' and
 * 'shards'. The chunks between the splits, which must ascend, go round s1, s2 and s3. */
sp_layout_t *sp_layout_from(const char *text);

sp_model_t *sp_model_of(const char *version);

/* {'filter': {…}, 'collation': {…}} or {'op': "updateOne", 'filter': {…}, 'collation': {…},
 * 'update': {…}} asked, or a filter alone: "s1 s3", the shards' names in order, or "61", the
 * error's code. The test fails where the model does not know the answer. Free it with bson_free. */
char *sp_answer_to(sp_model_t *model, const sp_layout_t *layout, const char *question);

void sp_assert_answer(sp_model_t *model, const sp_layout_t *layout, const char *question,
                      const char *wanted);

typedef struct sp_answer_row {
    const char *question, *answer;
    const char *later; /* on 6.0.24 and 6.0.27; NULL: the same */
} sp_answer_row_t;

typedef struct sp_answer_group {
    const char *layout;
    const sp_answer_row_t *rows;
    size_t count;
} sp_answer_group_t;

/* Asks every row's question of the model of `version`, which is one of the `later` or not. */
void sp_assert_answers(const char *version, bool later, const sp_answer_group_t *groups,
                       size_t count);

#endif
