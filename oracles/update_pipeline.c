#include "update_pipeline.h"

#include "filter.h"
#include "update_expression.h"
#include "update_projection.h"
#include "update_tree.h"

#include <assert.h>
#include <string.h>

enum {
    TYPE_MISMATCH = 14,
    INVALID_OPTIONS = 72,
    MATCH_NEEDS_OBJECT = 15959,
    UNSET_NEEDS_TEXT = 31002,
    UNSET_NEEDS_FIELD = 31119,
    UNSET_NEEDS_TEXTS = 31120,
    PATH_BELOW = 31249,
    PATH_AGAIN = 31250,
    POSITIONAL_END = 31324,
    POSITIONAL_MIDDLE = 31394,
    CONFLICTING_PATHS = 40176,
    EMPTY_OBJECT = 40180,
    NOT_ONE_OPERATOR = 40181,
    DOTTED_NAME = 40183,
    NO_OBJECT = 40228,
    REPLACE_ROOT_NEEDS_OBJECT = 40229,
    SET_NEEDS_OBJECT = 40272,
    NOT_ONE_STAGE = 40323,
    UNKNOWN_STAGE = 40324,
    MISSING_FIELD = 40414,
    UNKNOWN_FIELD = 40415,
};

typedef enum stage_kind {
    STAGE_SET,
    STAGE_UNSET,
    STAGE_PROJECT,
    STAGE_REPLACE_WITH,
    STAGE_REPLACE_ROOT,
    STAGE_MATCH, /* not in updates; of other such stages the own rules are not known */
} stage_kind_t;

static const struct word {
    const char *name;
    stage_kind_t kind;
} words[] = {
    {"$set", STAGE_SET},
    {"$addFields", STAGE_SET},
    {"$unset", STAGE_UNSET},
    {"$project", STAGE_PROJECT},
    {"$replaceWith", STAGE_REPLACE_WITH},
    {"$replaceRoot", STAGE_REPLACE_ROOT},
    {"$match", STAGE_MATCH},
};

typedef struct stage {
    const char *name;
    stage_kind_t kind;
    sp_value_t argument;
} stage_t;

static const struct word *find_word(const char *name)
{
    for (unsigned i = 0; i < sizeof words / sizeof *words; i++) {
        if (strcmp(name, words[i].name) == 0)
            return &words[i];
    }
    return NULL;
}

static bool read_stage(const sp_value_t *element, stage_t *stage, sp_error_t *error)
{
    bson_iter_t iter;
    bool any = sp_value_children(element, &iter) && bson_iter_next(&iter);
    if (any) {
        stage->name = bson_iter_key(&iter);
        stage->argument = sp_value_of(&iter);
    }
    if (!any || bson_iter_next(&iter))
        return sp_error_set(error, SP_ERROR_RULE, NOT_ONE_STAGE,
                            "a stage has not just one field, its name");
    const struct word *word = find_word(stage->name);
    if (word != NULL)
        stage->kind = word->kind;
    else if (stage->name[0] == '$')
        return sp_update_not_known(stage->name, error);
    else
        return sp_error_set(error, SP_ERROR_RULE, UNKNOWN_STAGE, "'%s' is no stage", stage->name);
    return true;
}

/* $set */

typedef struct setting {
    sp_arena_t *arena;
    sp_projection_t *root;
    sp_error_t *error;
} setting_t;

static bool refuse_operator(setting_t *setting, const char *path)
{
    return sp_error_set(setting->error, SP_ERROR_RULE, NOT_ONE_OPERATOR,
                        "$set has an operator and something beside it for '%s'", path);
}

/* Whether an object stands for an expression, or names fields inside a field. */
static bool read_object(setting_t *setting, const char *path, const sp_value_t *object,
                        bool *is_expression)
{
    bson_iter_t iter;
    if (!sp_value_children(object, &iter) || !bson_iter_next(&iter))
        return sp_error_set(setting->error, SP_ERROR_RULE, EMPTY_OBJECT,
                            "$set has an empty object for '%s'", path);
    *is_expression = bson_iter_key(&iter)[0] == '$';
    return !*is_expression || !bson_iter_next(&iter) || refuse_operator(setting, path);
}

static bool read_field(setting_t *setting, const char *path, const sp_value_t *value);

static bool read_fields(setting_t *setting, const char *above, const sp_value_t *object)
{
    bson_iter_t iter;
    bool sound = sp_value_children(object, &iter), ok = true;
    while (ok && sound && bson_iter_next(&iter)) {
        sp_value_t value = sp_value_of(&iter);
        const char *name = bson_iter_key(&iter);
        if (name[0] == '$')
            return refuse_operator(setting, above);
        if (strchr(name, '.') != NULL)
            return sp_error_set(setting->error, SP_ERROR_RULE, DOTTED_NAME,
                                "$set has the dotted name '%s' inside an object", name);
        char *path = bson_strdup_printf("%s.%s", above, name);
        ok = read_field(setting, sp_arena_text(setting->arena, path, strlen(path)), &value);
        bson_free(path);
    }
    return ok;
}

static bool read_field(setting_t *setting, const char *path, const sp_value_t *value)
{
    bool is_expression = true, above;
    if (!sp_field_path_check(path, setting->error))
        return false;
    if (value->type == BSON_TYPE_DOCUMENT && !read_object(setting, path, value, &is_expression))
        return false;
    if (!is_expression)
        return read_fields(setting, path, value);
    sp_projection_t *leaf = sp_projection_add(setting->arena, setting->root, path, &above);
    if (leaf == NULL)
        return sp_error_set(setting->error, SP_ERROR_RULE, CONFLICTING_PATHS,
                            "$set has '%s' twice, or something inside it as well", path);
    leaf->expression = *value;
    return true;
}

static bool check_expressions(const sp_projection_t *projection, sp_error_t *error)
{
    for (const sp_projection_t *child = projection->first; child != NULL; child = child->next) {
        bool ok = child->is_leaf ? sp_expression_check(&child->expression, error)
                                 : check_expressions(child, error);
        if (!ok)
            return false;
    }
    return true;
}

static sp_projection_t *read_set(sp_arena_t *arena, const stage_t *stage, sp_error_t *error)
{
    setting_t setting = {arena, sp_projection_new(arena, ""), error};
    bson_iter_t iter;
    if (stage->argument.type != BSON_TYPE_DOCUMENT || !sp_value_children(&stage->argument, &iter)) {
        sp_error_set(error, SP_ERROR_RULE, SET_NEEDS_OBJECT, "%s needs an object", stage->name);
        return NULL;
    }
    while (bson_iter_next(&iter)) {
        sp_value_t value = sp_value_of(&iter);
        if (!read_field(&setting, bson_iter_key(&iter), &value))
            return NULL;
    }
    return check_expressions(setting.root, error) ? setting.root : NULL;
}

/* $unset and $project */

/* $ as a part behind the first. */
static bool check_positional(const char *path, sp_error_t *error)
{
    size_t size = strlen(path);
    if (size >= 2 && strcmp(path + size - 2, ".$") == 0)
        return sp_error_set(error, SP_ERROR_RULE, POSITIONAL_END, "'%s' ends with .$", path);
    if (strstr(path, ".$.") != NULL)
        return sp_error_set(error, SP_ERROR_RULE, POSITIONAL_MIDDLE, "'%s' has $ in it", path);
    return true;
}

static bool add_unset(sp_arena_t *arena, sp_projection_t *root, const char *path, sp_error_t *error)
{
    bool above;
    if (!check_positional(path, error))
        return false;
    if (!sp_field_path_check(path, error))
        return false;
    if (sp_projection_add(arena, root, path, &above) == NULL)
        return sp_error_set(error, SP_ERROR_RULE, above ? PATH_BELOW : PATH_AGAIN,
                            "'%s' is taken away twice", path);
    return true;
}

static bool add_unset_text(sp_arena_t *arena, sp_projection_t *root, const sp_value_t *text,
                           sp_error_t *error)
{
    uint32_t size;
    const char *path = sp_value_text(text, &size);
    if (strlen(path) != size)
        return sp_update_not_known("a field path with a NUL", error);
    return add_unset(arena, root, path, error);
}

static sp_projection_t *refuse_unset(int32_t code, sp_error_t *error)
{
    sp_error_set(error, SP_ERROR_RULE, code,
                 "$unset needs a field path or an array of some field paths");
    return NULL;
}

static sp_projection_t *read_unset(sp_arena_t *arena, const stage_t *stage, sp_error_t *error)
{
    sp_projection_t *root = sp_projection_new(arena, "");
    bson_iter_t iter;
    bool any = false;
    if (stage->argument.type == BSON_TYPE_UTF8)
        return add_unset_text(arena, root, &stage->argument, error) ? root : NULL;
    if (stage->argument.type != BSON_TYPE_ARRAY || !sp_value_children(&stage->argument, &iter))
        return refuse_unset(UNSET_NEEDS_TEXT, error);
    for (bson_iter_t again = iter; bson_iter_next(&again); any = true) {
        if (bson_iter_type(&again) != BSON_TYPE_UTF8)
            return refuse_unset(UNSET_NEEDS_TEXTS, error);
    }
    if (!any)
        return refuse_unset(UNSET_NEEDS_FIELD, error);
    while (bson_iter_next(&iter)) {
        sp_value_t path = sp_value_of(&iter);
        if (!add_unset_text(arena, root, &path, error))
            return NULL;
    }
    return root;
}

/* The expression of $replaceWith or $replaceRoot. */
static bool read_replacement(const stage_t *stage, sp_value_t *expression, sp_error_t *error)
{
    bson_iter_t iter;
    *expression = stage->argument;
    if (stage->kind == STAGE_REPLACE_WITH)
        return true;
    if (stage->argument.type != BSON_TYPE_DOCUMENT || !sp_value_children(&stage->argument, &iter))
        return sp_error_set(error, SP_ERROR_RULE, REPLACE_ROOT_NEEDS_OBJECT,
                            "$replaceRoot needs an object");
    bool any = false;
    while (bson_iter_next(&iter)) {
        if (strcmp(bson_iter_key(&iter), "newRoot") != 0)
            return sp_error_set(error, SP_ERROR_RULE, UNKNOWN_FIELD,
                                "$replaceRoot takes newRoot alone, not '%s'", bson_iter_key(&iter));
        if (any)
            return sp_update_not_known("newRoot twice", error);
        *expression = sp_value_of(&iter);
        any = true;
    }
    if (!any)
        return sp_error_set(error, SP_ERROR_RULE, MISSING_FIELD, "$replaceRoot needs newRoot");
    return true;
}

static bool check_match(sp_arena_t *arena, sp_version_t version, const stage_t *stage,
                        sp_error_t *error)
{
    bson_t filter;
    if (stage->argument.type != BSON_TYPE_DOCUMENT ||
        !bson_init_static(&filter, stage->argument.data, stage->argument.size))
        return sp_error_set(error, SP_ERROR_RULE, MATCH_NEEDS_OBJECT, "$match needs an object");
    return sp_filter_parse(arena, version, &filter, error) != NULL;
}

static bool check_stage(sp_arena_t *arena, sp_version_t version, const stage_t *stage,
                        sp_error_t *error)
{
    sp_value_t expression;
    switch (stage->kind) {
    case STAGE_SET:
        return read_set(arena, stage, error) != NULL;
    case STAGE_UNSET:
        return read_unset(arena, stage, error) != NULL;
    case STAGE_PROJECT:
        return sp_update_not_known(stage->name, error);
    case STAGE_REPLACE_WITH:
    case STAGE_REPLACE_ROOT:
        return read_replacement(stage, &expression, error) &&
               sp_expression_check(&expression, error);
    case STAGE_MATCH:
        return check_match(arena, version, stage, error);
    }
    return true;
}

static bool check_stages(sp_arena_t *arena, sp_version_t version, const sp_value_t *pipeline,
                         sp_error_t *error)
{
    bson_iter_t iter;
    stage_t stage, refused = {.name = NULL};
    if (!sp_value_children(pipeline, &iter))
        return sp_error_set(error, SP_ERROR_INPUT, 0, "the pipeline is a broken array");
    for (bson_iter_t again = iter; bson_iter_next(&again);) {
        if (bson_iter_type(&again) != BSON_TYPE_DOCUMENT)
            return sp_error_set(error, SP_ERROR_RULE, TYPE_MISMATCH,
                                "a pipeline has something else than an object in it");
    }
    for (bson_iter_t again = iter; bson_iter_next(&again);) {
        sp_value_t element = sp_value_of(&again);
        if (!read_stage(&element, &stage, error))
            return false;
    }
    while (bson_iter_next(&iter)) {
        sp_value_t element = sp_value_of(&iter);
        if (!read_stage(&element, &stage, error) || !check_stage(arena, version, &stage, error))
            return false;
        if (stage.kind == STAGE_MATCH && refused.name == NULL)
            refused = stage;
    }
    if (refused.name != NULL)
        return sp_error_set(error, SP_ERROR_RULE, INVALID_OPTIONS, "an update cannot have %s",
                            refused.name);
    return true;
}

bool sp_pipeline_check(const sp_value_t *pipeline, sp_version_t version, sp_error_t *error)
{
    sp_arena_t arena;
    sp_arena_init(&arena);
    bool ok = check_stages(&arena, version, pipeline, error);
    sp_arena_clear(&arena);
    return ok;
}

static bool run_stage(sp_arena_t *arena, const stage_t *stage, sp_edit_t **document,
                      sp_error_t *error)
{
    sp_value_t expression;
    const sp_projection_t *projection;
    switch (stage->kind) {
    case STAGE_SET:
        projection = read_set(arena, stage, error);
        if (projection == NULL)
            return false;
        sp_projection_set(arena, projection, sp_edit_copy(arena, *document, ""), *document);
        return true;
    case STAGE_UNSET:
        projection = read_unset(arena, stage, error);
        if (projection == NULL)
            return false;
        sp_projection_unset(arena, projection, *document);
        return true;
    case STAGE_REPLACE_WITH:
    case STAGE_REPLACE_ROOT:
        if (!read_replacement(stage, &expression, error))
            return false;
        *document = sp_expression_value(arena, &expression, *document);
        return (*document != NULL && (*document)->value.type == BSON_TYPE_DOCUMENT) ||
               sp_error_set(error, SP_ERROR_RULE, NO_OBJECT, "%s makes no object", stage->name);
    case STAGE_PROJECT:
    case STAGE_MATCH:
        break;
    }
    assert(!"the pipeline was checked");
    return false;
}

bool sp_pipeline_run(sp_arena_t *arena, const sp_value_t *pipeline, const sp_value_t *document,
                     sp_value_t *result, sp_error_t *error)
{
    bson_iter_t iter;
    stage_t stage;
    sp_edit_t *now = sp_edit_new(arena, "", document);
    bool sound = sp_value_children(pipeline, &iter);
    assert(sound);
    while (bson_iter_next(&iter)) {
        sp_value_t element = sp_value_of(&iter);
        if (!read_stage(&element, &stage, error) || !run_stage(arena, &stage, &now, error))
            return false;
    }
    *result = sp_edit_value(arena, now);
    return true;
}
