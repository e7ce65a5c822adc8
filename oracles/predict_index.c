/* What a shard answers about the indexes of a sharded collection. */
#include "case.h"
#include "index_world.h"
#include "rules.h"

#include <string.h>

/* The name that an index gets whose question gives none. */
#define ASKED_NAME "n10"

typedef struct question {
    const bson_t *document;
    const char *op;
} question_t;

static bool find(const bson_t *document, const char *name, bson_iter_t *iter, sp_error_t *error)
{
    return bson_iter_init_find(iter, document, name) ||
           sp_error_set(error, SP_ERROR_INPUT, 0, "it has no '%s'", name);
}

static bool find_document(const bson_t *document, const char *name, bson_t *found,
                          sp_error_t *error)
{
    bson_iter_t iter;
    return find(document, name, &iter, error) &&
           (sp_value_document(&iter, found) ||
            sp_error_set(error, SP_ERROR_INPUT, 0, "'%s' must be a document", name));
}

/* Stands before the first element of an array that may be missing; `there` says whether it is. */
static bool find_array(const bson_t *document, const char *name, bson_iter_t *elements, bool *there,
                       sp_error_t *error)
{
    bson_iter_t iter;
    *there = bson_iter_init_find(&iter, document, name);
    return !*there || (BSON_ITER_HOLDS_ARRAY(&iter) && bson_iter_recurse(&iter, elements)) ||
           sp_error_set(error, SP_ERROR_INPUT, 0, "'%s' must be an array", name);
}

/* What a server refuses before the question is simply not there then. */
static bool pass(bool done, const sp_error_t *failed, sp_error_t *error)
{
    if (done || failed->domain == SP_ERROR_RULE)
        return true;
    return sp_error_set(error, failed->domain, failed->code, "%s", failed->message);
}

static bool make_indexes(sp_index_world_t *world, const bson_t *question, sp_error_t *error)
{
    bson_iter_t iter;
    bool there;
    if (!find_array(question, "indexes", &iter, &there, error))
        return false;
    for (unsigned i = 0; there && bson_iter_next(&iter); i++) {
        bson_t document;
        bool made;
        sp_error_t failed = {0};
        if (!sp_value_document(&iter, &document))
            return sp_error_set(error, SP_ERROR_INPUT, 0, "indexes[%u] is no document", i);
        if (!pass(sp_index_world_create(world, &document, &made, &failed), &failed, error))
            return sp_error_prefix(error, "indexes[%u]", i);
    }
    return true;
}

static bool insert_docs(sp_index_world_t *world, const bson_t *question, sp_error_t *error)
{
    bson_iter_t iter;
    bool there;
    if (!find_array(question, "docs", &iter, &there, error))
        return false;
    for (unsigned i = 0; there && bson_iter_next(&iter); i++) {
        bson_t document;
        sp_error_t failed = {0};
        if (!sp_value_document(&iter, &document))
            return sp_error_set(error, SP_ERROR_INPUT, 0, "docs[%u] is no document", i);
        if (!pass(sp_index_world_insert(world, &document, &failed), &failed, error))
            return sp_error_prefix(error, "docs[%u]", i);
    }
    return true;
}

static bool drop_dropped(sp_index_world_t *world, const bson_t *question, sp_error_t *error)
{
    bson_iter_t iter;
    bool there;
    if (!find_array(question, "dropped", &iter, &there, error))
        return false;
    for (unsigned i = 0; there && bson_iter_next(&iter); i++) {
        sp_value_t which = sp_value_of(&iter);
        sp_error_t failed = {0};
        if (!pass(sp_index_world_drop(world, &which, &failed), &failed, error))
            return sp_error_prefix(error, "dropped[%u]", i);
    }
    return true;
}

/* {key, name, …}: the specification that createIndexes is sent. */
static bool append_spec(const bson_t *question, bson_t *spec, sp_error_t *error)
{
    bson_t key, options;
    bson_iter_t iter;
    if (!find_document(question, "index", &key, error) ||
        !find_document(question, "options", &options, error))
        return false;
    BSON_APPEND_DOCUMENT(spec, "key", &key);
    if (!bson_has_field(&options, "name"))
        BSON_APPEND_UTF8(spec, "name", ASKED_NAME);
    for (bool more = bson_iter_init(&iter, &options); more && bson_iter_next(&iter);) {
        sp_value_t value = sp_value_of(&iter);
        sp_value_append(spec, bson_iter_key(&iter), &value);
    }
    return true;
}

static bool answer_create(sp_index_world_t *world, const bson_t *question, bson_t *answer,
                          sp_error_t *error)
{
    bson_t spec = BSON_INITIALIZER;
    bool made = false;
    bool ok =
        append_spec(question, &spec, error) && sp_index_world_create(world, &spec, &made, error);
    bson_destroy(&spec);
    if (ok) {
        BSON_APPEND_BOOL(answer, "ok", true);
        BSON_APPEND_BOOL(answer, "made", made);
    }
    return ok;
}

static bool answer_insert(sp_index_world_t *world, const bson_t *question, bson_t *answer,
                          sp_error_t *error)
{
    bson_t doc;
    if (!find_document(question, "doc", &doc, error) || !sp_index_world_insert(world, &doc, error))
        return false;
    BSON_APPEND_BOOL(answer, "ok", true);
    return true;
}

static bool answer_drop(sp_index_world_t *world, const bson_t *question, bson_t *answer,
                        sp_error_t *error)
{
    bson_iter_t iter;
    if (!find(question, "which", &iter, error))
        return false;
    sp_value_t which = sp_value_of(&iter);
    if (!sp_index_world_drop(world, &which, error))
        return false;
    BSON_APPEND_BOOL(answer, "ok", true);
    sp_index_world_list(world, answer);
    return true;
}

static bool answer_change(sp_index_world_t *world, const bson_t *question, bson_t *answer,
                          sp_error_t *error)
{
    bson_t change;
    if (!find_document(question, "change", &change, error) ||
        !sp_index_world_change(world, &change, error))
        return false;
    BSON_APPEND_BOOL(answer, "ok", true);
    sp_index_world_list(world, answer);
    return true;
}

typedef bool answer_function(sp_index_world_t *world, const bson_t *question, bson_t *answer,
                             sp_error_t *error);

static answer_function *find_operation(const bson_t *question, sp_error_t *error)
{
    static const struct {
        const char *name;
        answer_function *answer;
    } operations[] = {
        {"createIndex", answer_create},
        {"insert", answer_insert},
        {"dropIndexes", answer_drop},
        {"collMod", answer_change},
    };
    bson_iter_t iter;
    const char *op = "";
    if (bson_iter_init_find(&iter, question, "op") && BSON_ITER_HOLDS_UTF8(&iter))
        op = bson_iter_utf8(&iter, NULL);
    for (size_t i = 0; i < sizeof operations / sizeof *operations; i++) {
        if (strcmp(op, operations[i].name) == 0)
            return operations[i].answer;
    }
    sp_error_set(error, SP_ERROR_INPUT, 0,
                 "'op' must be createIndex, insert, dropIndexes or collMod");
    return NULL;
}

static bool ask(sp_model_t *model, const bson_t *key, const bson_t *collation,
                const bson_t *question, bson_t *answer, sp_error_t *error)
{
    sp_index_world_t world;
    sp_error_t failed = {0};
    answer_function *operation = find_operation(question, error);
    if (operation == NULL)
        return false;
    bool ok = sp_index_world_init(&world, model, key, collation, error) &&
              make_indexes(&world, question, error) && insert_docs(&world, question, error) &&
              drop_dropped(&world, question, error);
    bool answered = ok && operation(&world, question, answer, &failed);
    sp_index_world_clear(&world);
    if (!ok || answered)
        return ok;
    return sp_answer_failure(&failed, answer, error);
}

bool sp_predict_index(sp_model_t *model, const bson_t *key, const bson_t *question, bson_t *answer,
                      sp_error_t *error)
{
    bson_t whole = BSON_INITIALIZER;
    bson_iter_t iter;
    bool ok = ask(model, key, NULL, question, &whole, error);
    for (bool more = ok && bson_iter_init(&iter, &whole); more && bson_iter_next(&iter);) {
        sp_value_t value = sp_value_of(&iter);
        if (strcmp(bson_iter_key(&iter), "made") != 0) /* which is for cases alone */
            sp_value_append(answer, bson_iter_key(&iter), &value);
    }
    bson_destroy(&whole);
    return ok;
}

typedef struct scene {
    sp_model_t *model;
    const bson_t *key, *collation;
} scene_t;

static bool ask_in_scene(void *context, const bson_t *question, bson_t *answer, sp_error_t *error)
{
    const scene_t *scene = context;
    return ask(scene->model, scene->key, scene->collation, question, answer, error);
}

bool sp_case_predict_index(sp_model_t *model, const bson_t *test, sp_answers_t *answers,
                           sp_error_t *error)
{
    sp_layout_t *layout = sp_layout_new(test, error);
    bool ok = layout != NULL;
    if (ok && sp_chunkmap_shard_count(layout->chunks) > 1)
        ok = sp_error_set(error, SP_ERROR_INPUT, 0,
                          "'chunks' must be of one shard, which is the one that is asked");
    if (ok) {
        scene_t scene = {model, layout->key, layout->collation};
        ok = sp_case_ask_each(test, "requests", ask_in_scene, &scene, answers, error);
    }
    sp_layout_free(layout);
    return ok;
}
