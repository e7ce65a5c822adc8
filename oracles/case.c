#include "case.h"

static bool find(const bson_t *test, const char *name, bson_iter_t *iter, sp_error_t *error)
{
    if (bson_iter_init_find(iter, test, name))
        return true;
    return sp_error_set(error, SP_ERROR_INPUT, 0, "the case has no '%s'", name);
}

static bool find_array(const bson_t *test, const char *name, bson_iter_t *iter, sp_error_t *error)
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
    if (!find_array(test, "values", &iter, error))
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
    bool ok = layout != NULL && find_array(test, "docs", &iter, error);
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

bool sp_case_answers(const bson_t *test, sp_answers_t *answers, sp_error_t *error)
{
    bson_iter_t iter;
    if (!bson_has_field(test, "answers"))
        return true;
    if (!find_array(test, "answers", &iter, error))
        return false;
    for (unsigned i = 0; bson_iter_next(&iter); i++) {
        bson_t answer;
        if (!sp_value_document(&iter, &answer))
            return sp_error_set(error, SP_ERROR_INPUT, 0, "answers[%u] is no document", i);
        bson_concat(sp_answers_add(answers), &answer);
    }
    return true;
}
