#include "keychange_question.h"

#include "case.h"
#include "collation.h"

#include <assert.h>
#include <string.h>

static const char *const mode_names[SP_KEYCHANGE_MODES] = {
    [SP_KEYCHANGE_ROUTER] = "router",
    [SP_KEYCHANGE_SHARD] = "shard",
    [SP_KEYCHANGE_RETRYABLE] = "retryable",
    [SP_KEYCHANGE_TRANSACTION] = "transaction",
};

const char *sp_keychange_mode_name(sp_keychange_mode_t mode)
{
    assert((unsigned)mode < SP_KEYCHANGE_MODES);
    return mode_names[mode];
}

/* Whether the question has the field, and not null in it. */
static bool has(const bson_t *question, const char *name, bson_iter_t *iter)
{
    return bson_iter_init_find(iter, question, name) && !BSON_ITER_HOLDS_NULL(iter);
}

static bool read_flag(const bson_t *question, const char *name, bool *flag, sp_error_t *error)
{
    bson_iter_t iter;
    return !has(question, name, &iter) || sp_case_flag(question, name, flag, error);
}

static bool read_text(const bson_t *question, const char *name, const char **text,
                      sp_error_t *error)
{
    bson_iter_t iter;
    if (!has(question, name, &iter))
        return true;
    if (!BSON_ITER_HOLDS_UTF8(&iter))
        return sp_error_set(error, SP_ERROR_INPUT, 0, "'%s' must be a string", name);
    *text = bson_iter_utf8(&iter, NULL);
    return true;
}

static bool read_mode(const bson_t *question, sp_keychange_mode_t *mode, sp_error_t *error)
{
    const char *name = mode_names[SP_KEYCHANGE_ROUTER];
    if (!read_text(question, "mode", &name, error))
        return false;
    for (unsigned i = 0; i < SP_KEYCHANGE_MODES; i++) {
        if (strcmp(mode_names[i], name) == 0) {
            *mode = (sp_keychange_mode_t)i;
            return true;
        }
    }
    return sp_error_set(error, SP_ERROR_INPUT, 0,
                        "'mode' must be router, shard, retryable or transaction");
}

/* A line of `ask` has its own word in `op`. */
static bool read_op(const bson_t *question, bool *find_and_modify, sp_error_t *error)
{
    const char *name = "update";
    if (!read_text(question, "op", &name, error))
        return false;
    *find_and_modify = strcmp(name, "findAndModify") == 0;
    return *find_and_modify || strcmp(name, "update") == 0 || strcmp(name, "keychange") == 0 ||
           sp_error_set(error, SP_ERROR_INPUT, 0, "'op' must be update or findAndModify");
}

static bool read_update(const bson_t *question, sp_value_t *update, sp_error_t *error)
{
    bson_iter_t iter;
    if (bson_iter_init_find(&iter, question, "update")) {
        *update = sp_value_of(&iter);
        if (update->type == BSON_TYPE_DOCUMENT || update->type == BSON_TYPE_ARRAY)
            return true;
    }
    return sp_error_set(error, SP_ERROR_INPUT, 0, "'update' must be a document or an array");
}

static bool check(const sp_keychange_t *change, sp_error_t *error)
{
    if (change->find_and_modify && change->mode == SP_KEYCHANGE_ROUTER)
        return sp_error_set(error, SP_ERROR_INPUT, 0,
                            "'mode': there is no findAndModify through the router");
    if (change->find_and_modify && change->multi)
        return sp_error_set(error, SP_ERROR_INPUT, 0,
                            "'multi': a findAndModify is of one document");
    if (change->stored != NULL && change->mode == SP_KEYCHANGE_ROUTER)
        return sp_error_set(error, SP_ERROR_INPUT, 0,
                            "'stored': through the router a document is stored at its owner");
    return true;
}

bool sp_keychange_read(const bson_t *question, sp_keychange_t *change, sp_error_t *error)
{
    bson_iter_t iter;
    memset(change, 0, sizeof *change);
    if (!bson_iter_init_find(&iter, question, "doc") || !sp_value_document(&iter, &change->doc))
        return sp_error_set(error, SP_ERROR_INPUT, 0, "'doc' must be a document");
    return sp_case_query(question, &change->filter, &change->collation, &change->query, error) &&
           read_update(question, &change->update, error) &&
           read_mode(question, &change->mode, error) &&
           read_op(question, &change->find_and_modify, error) &&
           read_flag(question, "multi", &change->multi, error) &&
           read_flag(question, "upsert", &change->upsert, error) &&
           read_text(question, "stored", &change->stored, error) && check(change, error);
}

void sp_keychange_stored(const bson_t *doc, bson_t *stored)
{
    bson_iter_t iter;
    if (bson_iter_init_find(&iter, doc, "_id")) {
        sp_value_t id = sp_value_of(&iter);
        sp_value_append(stored, "_id", &id);
    }
    if (!bson_iter_init(&iter, doc))
        return;
    for (bool seen = false; bson_iter_next(&iter);) {
        sp_value_t value = sp_value_of(&iter);
        bool is_id = strcmp(bson_iter_key(&iter), "_id") == 0;
        if (!is_id || seen)
            sp_value_append(stored, bson_iter_key(&iter), &value);
        seen = seen || is_id;
    }
}

static bool is_operators(const sp_value_t *value)
{
    bson_iter_t iter;
    return value->type == BSON_TYPE_DOCUMENT && sp_value_children(value, &iter) &&
           bson_iter_next(&iter) && bson_iter_key(&iter)[0] == '$';
}

/* What is looked up in the index on _id as it stands. */
static bool is_plain_id(const sp_value_t *id)
{
    switch (id->type) {
    case BSON_TYPE_ARRAY:
    case BSON_TYPE_REGEX:
    case BSON_TYPE_UNDEFINED:
    case BSON_TYPE_NULL:
    case BSON_TYPE_SYMBOL:
    case BSON_TYPE_DBPOINTER:
        return false;
    default:
        return !is_operators(id);
    }
}

bool sp_keychange_is_by_id(const sp_keychange_t *change, const bson_t *collection_collation)
{
    bson_iter_t iter;
    if (bson_empty(&change->filter))
        return false;
    for (bool more = bson_iter_init(&iter, &change->filter); more && bson_iter_next(&iter);) {
        sp_value_t id = sp_value_of(&iter);
        if (strcmp(bson_iter_key(&iter), "_id") != 0 || !is_plain_id(&id))
            return false;
    }
    const bson_t *own = change->query.collation;
    return own == NULL || bson_empty(own) || sp_collation_same(own, collection_collation);
}
