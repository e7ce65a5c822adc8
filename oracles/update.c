#include "update.h"

#include "id_names.h"
#include "order.h"
#include "update_limits.h"
#include "update_operators.h"
#include "update_pipeline.h"

#include <string.h>

sp_update_form_t sp_update_form(const sp_value_t *update)
{
    bson_iter_t iter;
    if (update->type == BSON_TYPE_ARRAY)
        return SP_UPDATE_PIPELINE;
    if (sp_value_children(update, &iter) && bson_iter_next(&iter) && bson_iter_key(&iter)[0] == '$')
        return SP_UPDATE_OPERATORS;
    return SP_UPDATE_REPLACEMENT;
}

static bool check_operators(const sp_value_t *update, sp_error_t *error)
{
    sp_arena_t arena;
    sp_arena_init(&arena);
    bool ok = sp_update_tree(&arena, update, error) != NULL;
    sp_arena_clear(&arena);
    return ok;
}

bool sp_update_check(const sp_value_t *update, bool multi, sp_version_t version, sp_error_t *error)
{
    switch (sp_update_form(update)) {
    case SP_UPDATE_OPERATORS:
        return check_operators(update, error);
    case SP_UPDATE_PIPELINE:
        return sp_pipeline_check(update, version, error);
    case SP_UPDATE_REPLACEMENT:
        break;
    }
    if (multi)
        return sp_error_set(error, SP_ERROR_RULE, SP_UPDATE_FAILED_TO_PARSE,
                            "a replacement is for one document, not for many");
    return true;
}

typedef struct applying {
    sp_arena_t *arena;
    const sp_value_t *update;
    const bson_t *doc;
    sp_version_t version;
    const sp_collator_t *collator;
} applying_t;

static sp_value_t value_of(const bson_t *doc)
{
    return (sp_value_t){BSON_TYPE_DOCUMENT, doc->len, bson_get_data(doc)};
}

static bool same_bytes(const sp_value_t *a, const bson_t *doc)
{
    return a->size == doc->len && memcmp(a->data, bson_get_data(doc), doc->len) == 0;
}

static bool check_id(sp_version_t version, const sp_value_t *id, sp_error_t *error)
{
    bson_t object;
    if (id->type == BSON_TYPE_ARRAY || id->type == BSON_TYPE_REGEX ||
        id->type == BSON_TYPE_UNDEFINED)
        return sp_error_set(error, SP_ERROR_RULE, SP_UPDATE_INVALID_ID,
                            "_id cannot be an array, a regular expression or undefined");
    return id->type != BSON_TYPE_DOCUMENT || !bson_init_static(&object, id->data, id->size) ||
           sp_id_names_check(version, &object, false, error);
}

/* What a whole new document has. Every _id is looked at, be there two. */
static bool check_fields(const applying_t *applying, const sp_edit_t *document, bool names,
                         sp_error_t *error)
{
    for (const sp_edit_t *field = document->first; field != NULL; field = field->next) {
        if (names && !sp_update_check_name(document, field, error))
            return false;
        if (!sp_update_check_levels(&field->value, 1, error))
            return false;
        if (strcmp(field->name, "_id") == 0 && !check_id(applying->version, &field->value, error))
            return false;
    }
    return true;
}

/* Appends what a document becomes that is replaced as a whole: _id stays and stands at the front.
 */
static bool finish(const applying_t *applying, const sp_value_t *result, bool names, bson_t *after,
                   sp_error_t *error)
{
    bson_iter_t iter;
    sp_edit_t *document = sp_edit_new(applying->arena, "", result);
    sp_edit_t *id = sp_edit_field(applying->arena, document, "_id");
    if (!check_fields(applying, document, names, error))
        return false;
    if (bson_iter_init_find(&iter, applying->doc, "_id")) {
        sp_value_t old = sp_value_of(&iter);
        if (id != NULL && sp_value_compare(&id->value, &old) != 0)
            return sp_error_set(error, SP_ERROR_RULE, SP_UPDATE_IMMUTABLE,
                                "the update would change _id");
        sp_value_append(after, "_id", id == NULL ? &old : &id->value);
    } else if (id != NULL) {
        sp_value_append(after, "_id", &id->value);
    }
    if (id != NULL)
        sp_edit_remove(document, id);
    sp_edit_write(document, after);
    return true;
}

static bool replace(const applying_t *applying, const sp_value_t *result, bool names, bson_t *after,
                    bool *changed, sp_error_t *error)
{
    *changed = !same_bytes(result, applying->doc);
    if (*changed)
        return finish(applying, result, names, after, error);
    return bson_concat(after, applying->doc);
}

static bool operate(const applying_t *applying, bson_t *after, bool *changed, sp_error_t *error)
{
    const sp_value_t whole = value_of(applying->doc);
    const sp_update_node_t *tree = sp_update_tree(applying->arena, applying->update, error);
    sp_edit_t *document = sp_edit_new(applying->arena, "", &whole);
    if (tree == NULL ||
        !sp_update_operate(applying->arena, tree, applying->collator, document, changed, error))
        return false;
    sp_edit_write(document, after);
    return true;
}

/* Servers of 6.0 abort, or write a field's value over another one's, where an object has a name
 * twice before or after a pipeline. */
static bool refuse_repeated_names(const sp_value_t *document, sp_error_t *error)
{
    return !sp_update_repeats_name(document) ||
           sp_update_not_known("a pipeline where an object has a name twice (servers abort)",
                               error);
}

static bool run(const applying_t *applying, bson_t *after, bool *changed, sp_error_t *error)
{
    const sp_value_t whole = value_of(applying->doc);
    sp_value_t result;
    return refuse_repeated_names(&whole, error) &&
           sp_pipeline_run(applying->arena, applying->update, &whole, &result, error) &&
           refuse_repeated_names(&result, error) &&
           replace(applying, &result, false, after, changed, error);
}

static bool apply(applying_t applying, bool names, bson_t *after, bool *changed, sp_error_t *error)
{
    sp_arena_t arena;
    bool ok = false;
    sp_arena_init(&arena);
    applying.arena = &arena;
    switch (sp_update_form(applying.update)) {
    case SP_UPDATE_OPERATORS:
        ok = operate(&applying, after, changed, error);
        break;
    case SP_UPDATE_PIPELINE:
        ok = run(&applying, after, changed, error);
        break;
    case SP_UPDATE_REPLACEMENT:
        ok = replace(&applying, applying.update, names, after, changed, error);
        break;
    }
    sp_arena_clear(&arena);
    return ok;
}

bool sp_update_apply_collated(const sp_value_t *update, const bson_t *doc, sp_version_t version,
                              const sp_collator_t *collator, bson_t *after, bool *changed,
                              sp_error_t *error)
{
    return apply((applying_t){NULL, update, doc, version, collator}, true, after, changed, error);
}

bool sp_update_make_collated(const sp_value_t *update, const bson_t *doc, sp_version_t version,
                             const sp_collator_t *collator, bson_t *after, bool *changed,
                             sp_error_t *error)
{
    return apply((applying_t){NULL, update, doc, version, collator}, false, after, changed, error);
}

bool sp_update_apply(const sp_value_t *update, const bson_t *doc, sp_version_t version,
                     bson_t *after, bool *changed, sp_error_t *error)
{
    return sp_update_apply_collated(update, doc, version, NULL, after, changed, error);
}
