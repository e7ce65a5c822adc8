#include "kinds_areas.h"

#include <string.h>

static const sp_kind_t kinds[] = {
    SP_KINDS_KEY_SHAPES,
    {"operation", "update"},
    {"operation", "findAndModify"},
    {"mode", "router"},
    {"mode", "shard"},
    {"mode", "retryable"},
    {"mode", "transaction"},
    {"option", "multi"},
    {"option", "upsert"},
    {"option", "collation"},
    {"option", "stored elsewhere"},
    {"form", "operators"},
    {"form", "replacement"},
    {"form", "pipeline"},
    {"update operator", "$set"},
    {"update operator", "$unset"},
    {"update operator", "$inc"},
    {"update operator", "$mul"},
    {"update operator", "$min"},
    {"update operator", "$max"},
    {"update operator", "$rename"},
    {"update operator", "$setOnInsert"},
    {"update operator", "stage $set"},
    {"update operator", "stage $addFields"},
    {"update operator", "stage $unset"},
    {"update operator", "stage $replaceWith"},
    {"outcome", "nothing found"},
    {"outcome", "nothing changed"},
    {"outcome", "changed"},
    {"outcome", "upserted"},
    {"outcome", "error 2"},
    {"outcome", "error 14"},
    {"outcome", "error 20"},
    {"outcome", "error 28"},
    {"outcome", "error 54"},
    {"outcome", "error 61"},
    {"outcome", "error 66"},
    {"outcome", "error 72"},
    {"outcome", "error 283"},
    {"outcome", "error 31025"},
};

const sp_kind_t *sp_kinds_declared_keychange(unsigned *count)
{
    *count = sizeof kinds / sizeof *kinds;
    return kinds;
}

/* Adds the string in the field, or `otherwise` where there is none. */
static bool add_text(const bson_iter_t *question, const char *field, const char *dimension,
                     const char *otherwise, sp_kind_add_t *add, void *context)
{
    bson_iter_t iter = *question;
    if (bson_iter_find(&iter, field) && BSON_ITER_HOLDS_UTF8(&iter))
        return add(context, dimension, bson_iter_utf8(&iter, NULL));
    return add(context, dimension, otherwise);
}

static bool add_options(const bson_iter_t *question, sp_kind_add_t *add, void *context)
{
    bson_iter_t iter = *question;
    while (bson_iter_next(&iter)) {
        const char *name = bson_iter_key(&iter);
        bool is_flag = strcmp(name, "multi") == 0 || strcmp(name, "upsert") == 0;
        if (is_flag && BSON_ITER_HOLDS_BOOL(&iter) && bson_iter_bool(&iter) &&
            !add(context, "option", name))
            return false;
        if (strcmp(name, "collation") == 0 && BSON_ITER_HOLDS_DOCUMENT(&iter) &&
            !add(context, "option", name))
            return false;
        if (strcmp(name, "stored") == 0 && BSON_ITER_HOLDS_UTF8(&iter) &&
            !add(context, "option", "stored elsewhere"))
            return false;
    }
    return true;
}

static bool add_stages(const bson_iter_t *pipeline, sp_kind_add_t *add, void *context)
{
    bson_iter_t stage, name;
    char text[64] = "stage ";
    if (!bson_iter_recurse(pipeline, &stage))
        return true;
    while (bson_iter_next(&stage)) {
        if (!BSON_ITER_HOLDS_DOCUMENT(&stage) || !bson_iter_recurse(&stage, &name) ||
            !bson_iter_next(&name))
            continue;
        bson_strncpy(text + 6, bson_iter_key(&name), sizeof text - 6);
        if (!add(context, "update operator", text))
            return false;
    }
    return true;
}

static bool add_update(const bson_iter_t *question, sp_kind_add_t *add, void *context)
{
    bson_iter_t update = *question, name;
    if (!bson_iter_find(&update, "update"))
        return true;
    if (BSON_ITER_HOLDS_ARRAY(&update))
        return add(context, "form", "pipeline") && add_stages(&update, add, context);
    if (!BSON_ITER_HOLDS_DOCUMENT(&update) || !bson_iter_recurse(&update, &name))
        return true;
    if (!bson_iter_next(&name) || bson_iter_key(&name)[0] != '$')
        return add(context, "form", "replacement");
    if (!add(context, "form", "operators"))
        return false;
    do {
        if (!add(context, "update operator", bson_iter_key(&name)))
            return false;
    } while (bson_iter_next(&name));
    return true;
}

static const char *name_outcome(const bson_t *answer)
{
    bson_iter_t iter;
    if (bson_has_field(answer, "upserted"))
        return "upserted";
    if (!bson_iter_init_find(&iter, answer, "n") || bson_iter_as_int64(&iter) == 0)
        return "nothing found";
    if (!bson_iter_init_find(&iter, answer, "nModified") || bson_iter_as_int64(&iter) == 0)
        return "nothing changed";
    return "changed";
}

void sp_kinds_of_keychange(const bson_t *test, const bson_iter_t *question, const bson_t *answer,
                           sp_kind_add_t *add, void *context)
{
    bson_iter_t key;
    if (bson_iter_init_find(&key, test, "key") && !sp_kinds_add_shape(&key, add, context))
        return;
    if (add_text(question, "op", "operation", "update", add, context) &&
        add_text(question, "mode", "mode", "router", add, context) &&
        add_options(question, add, context) && add_update(question, add, context))
        sp_kinds_add_outcome(answer, name_outcome(answer), add, context);
}
