#include "case.h"

#include "rules.h"

#include <string.h>

static bool find(const bson_t *test, const char *name, bson_iter_t *iter, sp_error_t *error)
{
    if (bson_iter_init_find(iter, test, name))
        return true;
    return sp_error_set(error, SP_ERROR_INPUT, 0, "the case has no '%s'", name);
}

bool sp_case_elements(const bson_t *test, const char *name, bson_iter_t *iter, sp_error_t *error)
{
    bson_iter_t field;
    if (!find(test, name, &field, error))
        return false;
    if (BSON_ITER_HOLDS_ARRAY(&field) && bson_iter_recurse(&field, iter))
        return true;
    return sp_error_set(error, SP_ERROR_INPUT, 0, "'%s' must be an array", name);
}

bool sp_case_predict_hash(sp_model_t *model, const bson_t *test, sp_answers_t *answers,
                          sp_error_t *error)
{
    bson_iter_t iter;
    if (!find(test, "value", &iter, error))
        return false;
    sp_value_t value = sp_value_of(&iter);
    sp_predict_hash(model, &value, sp_answers_add(answers));
    return true;
}

bool sp_case_predict_order(sp_model_t *model, const bson_t *test, sp_answers_t *answers,
                           sp_error_t *error)
{
    bson_iter_t iter;
    if (!sp_case_elements(test, "values", &iter, error))
        return false;
    sp_value_t values[2];
    for (unsigned i = 0; i < 2; i++) {
        if (!bson_iter_next(&iter))
            return sp_error_set(error, SP_ERROR_INPUT, 0, "'values' must hold two values");
        values[i] = sp_value_of(&iter);
    }
    if (bson_iter_next(&iter))
        return sp_error_set(error, SP_ERROR_INPUT, 0, "'values' must hold two values");
    sp_predict_order(model, &values[0], &values[1], sp_answers_add(answers));
    return true;
}

bool sp_case_predict_route(sp_model_t *model, const bson_t *test, sp_answers_t *answers,
                           sp_error_t *error)
{
    bson_iter_t iter;
    sp_layout_t *layout = sp_layout_new(test, error);
    bool ok = layout != NULL && sp_case_elements(test, "docs", &iter, error);
    for (unsigned i = 0; ok && bson_iter_next(&iter); i++) {
        bson_t doc;
        if (!sp_value_document(&iter, &doc))
            ok = sp_error_set(error, SP_ERROR_INPUT, 0, "docs[%u] is no document", i);
        else
            sp_predict_insert(model, layout, &doc, sp_answers_add(answers));
    }
    sp_layout_free(layout);
    return ok;
}

bool sp_case_query(const bson_t *question, bson_t *filter, bson_t *collation, sp_query_t *query,
                   sp_error_t *error)
{
    bson_iter_t iter;
    *query = (sp_query_t){.filter = filter};
    if (!find(question, "filter", &iter, error))
        return sp_error_prefix(error, "a query or write");
    if (!sp_value_document(&iter, filter))
        return sp_error_set(error, SP_ERROR_INPUT, 0, "'filter' must be a document");
    if (!bson_iter_init_find(&iter, question, "collation") || BSON_ITER_HOLDS_NULL(&iter))
        return true;
    query->collation = collation;
    return sp_value_document(&iter, collation) ||
           sp_error_set(error, SP_ERROR_INPUT, 0, "'collation' must be null or a document");
}

static bool predict_query(sp_model_t *model, const sp_layout_t *layout, const bson_t *question,
                          bson_t *answer, sp_error_t *error)
{
    bson_t filter, collation;
    sp_query_t query;
    bson_iter_t op;
    if (!find(question, "op", &op, error))
        return false;
    if (!BSON_ITER_HOLDS_UTF8(&op) || (strcmp(bson_iter_utf8(&op, NULL), "find") != 0 &&
                                       strcmp(bson_iter_utf8(&op, NULL), "aggregate") != 0))
        return sp_error_set(error, SP_ERROR_INPUT, 0, "'op' must be find or aggregate");
    return sp_case_query(question, &filter, &collation, &query, error) &&
           sp_predict_find(model, layout, &query, answer, error);
}

static bool predict_write(sp_model_t *model, const sp_layout_t *layout, const bson_t *question,
                          bson_t *answer, sp_error_t *error)
{
    bson_t filter, collation, update;
    sp_write_t write = {.kind = SP_UPDATE_ONE};
    bson_iter_t iter;
    if (!find(question, "op", &iter, error))
        return false;
    if (!BSON_ITER_HOLDS_UTF8(&iter) ||
        !sp_write_kind_parse(bson_iter_utf8(&iter, NULL), &write.kind))
        return sp_error_set(error, SP_ERROR_INPUT, 0,
                            "'op' must be updateOne, updateMany, upsert, replaceOne, deleteOne or "
                            "deleteMany");
    if (!sp_case_query(question, &filter, &collation, &write.query, error))
        return false;
    if (write.kind == SP_REPLACE_ONE) {
        if (!find(question, "update", &iter, error))
            return false;
        if (!sp_value_document(&iter, &update))
            return sp_error_set(error, SP_ERROR_INPUT, 0, "'update' must be a document");
        write.replacement = &update;
    }
    return sp_predict_write(model, layout, &write, answer, error);
}

bool sp_case_ask_each(const bson_t *test, const char *name, sp_case_ask_t *ask, void *context,
                      sp_answers_t *answers, sp_error_t *error)
{
    bson_iter_t iter;
    bool ok = sp_case_elements(test, name, &iter, error);
    for (unsigned i = 0; ok && bson_iter_next(&iter); i++) {
        bson_t question;
        ok = sp_value_document(&iter, &question)
                 ? ask(context, &question, sp_answers_add(answers), error)
                 : sp_error_set(error, SP_ERROR_INPUT, 0, "it is no document");
        if (!ok)
            sp_error_prefix(error, "%s[%u]", name, i);
    }
    return ok;
}

bool sp_case_flag(const bson_t *question, const char *name, bool *flag, sp_error_t *error)
{
    bson_iter_t iter;
    if (!bson_iter_init_find(&iter, question, name))
        return true;
    if (!BSON_ITER_HOLDS_BOOL(&iter))
        return sp_error_set(error, SP_ERROR_INPUT, 0, "'%s' must be true or false", name);
    *flag = bson_iter_bool(&iter);
    return true;
}

bool sp_case_shard_count(const bson_t *test, unsigned *shards, sp_error_t *error)
{
    bson_iter_t iter;
    int64_t count = bson_iter_init_find(&iter, test, "shards") && BSON_ITER_HOLDS_INT(&iter)
                        ? bson_iter_as_int64(&iter)
                        : 0;
    *shards = (unsigned)count;
    return (count >= 1 && count <= SP_CHUNKMAP_SHARDS) ||
           sp_error_set(error, SP_ERROR_INPUT, 0, "'shards' must be from 1 to %d",
                        SP_CHUNKMAP_SHARDS);
}

typedef struct asked {
    sp_model_t *model;
    const sp_layout_t *layout;
    sp_case_predict_t *predict;
} asked_t;

static bool ask_of_layout(void *context, const bson_t *question, bson_t *answer, sp_error_t *error)
{
    const asked_t *asked = context;
    return asked->predict(asked->model, asked->layout, question, answer, error);
}

bool sp_case_predict_each(sp_model_t *model, const bson_t *test, const char *name,
                          sp_case_predict_t *predict, sp_answers_t *answers, sp_error_t *error)
{
    sp_layout_t *layout = sp_layout_new(test, error);
    asked_t asked = {model, layout, predict};
    bool ok = layout != NULL && sp_case_ask_each(test, name, ask_of_layout, &asked, answers, error);
    sp_layout_free(layout);
    return ok;
}

bool sp_case_predict_find(sp_model_t *model, const bson_t *test, sp_answers_t *answers,
                          sp_error_t *error)
{
    return sp_case_predict_each(model, test, "queries", predict_query, answers, error);
}

bool sp_case_predict_write(sp_model_t *model, const bson_t *test, sp_answers_t *answers,
                           sp_error_t *error)
{
    return sp_case_predict_each(model, test, "writes", predict_write, answers, error);
}

bool sp_case_predict_keychange(sp_model_t *model, const bson_t *test, sp_answers_t *answers,
                               sp_error_t *error)
{
    return sp_case_predict_each(model, test, "updates", sp_predict_keychange, answers, error);
}

bool sp_case_answers(const bson_t *test, sp_answers_t *answers, sp_error_t *error)
{
    bson_iter_t iter;
    if (!bson_has_field(test, "answers"))
        return true;
    if (!sp_case_elements(test, "answers", &iter, error))
        return false;
    for (unsigned i = 0; bson_iter_next(&iter); i++) {
        bson_t answer;
        if (!sp_value_document(&iter, &answer))
            return sp_error_set(error, SP_ERROR_INPUT, 0, "answers[%u] is no document", i);
        bson_concat(sp_answers_add(answers), &answer);
    }
    return true;
}
