#include "update_tree.h"

#include "path_relation.h"
#include "update_name_order.h"

#include <string.h>

/* A server keeps the number of parts in eight bits: a path of 257 parts is a path of one. */
#define PARTS_MAX 255

bool sp_update_not_known(const char *what, sp_error_t *error)
{
    return sp_error_set(error, SP_ERROR_INPUT, 0,
                        "the update has %s, which this model does not know: leave it out", what);
}

static const struct word {
    const char *name;
    sp_operator_t operation; /* NONE: it exists, but is not known here */
} words[] = {
    {"$set", SP_OPERATOR_SET},          {"$unset", SP_OPERATOR_UNSET},
    {"$inc", SP_OPERATOR_INC},          {"$mul", SP_OPERATOR_MUL},
    {"$min", SP_OPERATOR_MIN},          {"$max", SP_OPERATOR_MAX},
    {"$rename", SP_OPERATOR_RENAME},    {"$setOnInsert", SP_OPERATOR_SET_ON_INSERT},
    {"$currentDate", SP_OPERATOR_NONE}, {"$bit", SP_OPERATOR_NONE},
    {"$push", SP_OPERATOR_PUSH},        {"$addToSet", SP_OPERATOR_ADD_TO_SET},
    {"$pop", SP_OPERATOR_POP},          {"$pull", SP_OPERATOR_PULL},
    {"$pullAll", SP_OPERATOR_PULL_ALL},
};

static const struct word *find_word(const char *name)
{
    for (unsigned i = 0; i < sizeof words / sizeof *words; i++) {
        if (strcmp(name, words[i].name) == 0)
            return &words[i];
    }
    return NULL;
}

/* $, $[] and $[name]. */
static bool is_positional(const char *part, size_t size)
{
    return size > 0 && part[0] == '$' &&
           (size == 1 || (size >= 3 && part[1] == '[' && part[size - 1] == ']'));
}

static bool refuse_first(const char *path, sp_error_t *error)
{
    return sp_error_set(error, SP_ERROR_RULE, SP_UPDATE_BAD_VALUE,
                        "the update's path '%s' begins with a positional part", path);
}

static bool check_path(const char *path, sp_error_t *error)
{
    unsigned parts = 0;
    for (const char *part = path;; parts++) {
        size_t size = strcspn(part, ".");
        if (size == 0)
            return sp_error_set(error, SP_ERROR_RULE, SP_UPDATE_EMPTY_NAME,
                                "the update's path '%s' has a part without name", path);
        if (part[size] == '\0')
            break;
        part += size + 1;
    }
    if (parts >= PARTS_MAX)
        return sp_update_not_known("a path of more than 255 parts", error);
    return path[0] != '$' || strcspn(path, ".") != 1 || refuse_first(path, error);
}

/* `all`: $[] counts too. */
static bool has_positional_part(const char *path, bool all)
{
    for (const char *part = path;;) {
        size_t size = strcspn(part, ".");
        if (is_positional(part, size) && (all || size == 1))
            return true;
        if (part[size] == '\0')
            return false;
        part += size + 1;
    }
}

/* $[] and $[name]. */
static bool is_of_elements(const char *part, size_t size)
{
    return is_positional(part, size) && size > 1;
}

bool sp_update_is_every_element(const char *name)
{
    return strcmp(name, "$[]") == 0;
}

/* A server looks a name up among the update's array filters, of which there are none here. */
static bool check_element_name(const char *part, size_t size, sp_error_t *error)
{
    if (!is_of_elements(part, size) || size == 3)
        return true;
    return sp_error_set(error, SP_ERROR_RULE, SP_UPDATE_BAD_VALUE,
                        "the update has no array filter for '%s'", part);
}

static bool refuse_conflict(const char *path, sp_error_t *error)
{
    return sp_error_set(error, SP_ERROR_RULE, SP_UPDATE_CONFLICT,
                        "the update changes '%s' in two places", path);
}

/* The child of that name, or a new one in its place. */
static sp_update_node_t *child_named(sp_arena_t *arena, sp_update_node_t *parent, const char *name)
{
    sp_update_node_t **at = &parent->first;
    while (*at != NULL && sp_update_name_compare((*at)->name, name) < 0)
        at = &(*at)->next;
    if (*at != NULL && strcmp((*at)->name, name) == 0)
        return *at;
    sp_update_node_t *child = sp_arena_take(arena, sizeof *child);
    child->name = name;
    child->next = *at;
    *at = child;
    return child;
}

/* The new leaf for `path`; NULL where another path is in conflict with it. */
static sp_update_node_t *add_leaf(sp_arena_t *arena, sp_update_node_t *root, const char *path,
                                  sp_operator_t operation, sp_error_t *error)
{
    sp_update_node_t *node = root;
    if (is_of_elements(path, strcspn(path, "."))) {
        refuse_first(path, error);
        return NULL;
    }
    for (const char *part = path;;) {
        size_t size = strcspn(part, ".");
        if (node->operation != SP_OPERATOR_NONE) {
            refuse_conflict(path, error);
            return NULL;
        }
        if (node->first != NULL &&
            is_of_elements(part, size) !=
                is_of_elements(node->first->name, strlen(node->first->name))) {
            refuse_conflict(path, error);
            return NULL;
        }
        if (!check_element_name(part, size, error))
            return NULL;
        node = child_named(arena, node, sp_arena_text(arena, part, size));
        if (part[size] == '\0')
            break;
        part += size + 1;
    }
    if (node->operation != SP_OPERATOR_NONE || node->first != NULL) {
        refuse_conflict(path, error);
        return NULL;
    }
    node->operation = operation;
    return node;
}

static bool refuse_dynamic(const char *path, sp_error_t *error)
{
    return sp_error_set(error, SP_ERROR_RULE, SP_UPDATE_BAD_VALUE,
                        "$rename cannot work on '%s', which has a positional part", path);
}

static bool add_rename(sp_arena_t *arena, sp_update_node_t *root, const char *path,
                       const sp_value_t *argument, sp_error_t *error)
{
    if (add_leaf(arena, root, path, SP_OPERATOR_RENAMED, error) == NULL)
        return false;
    if (argument->type != BSON_TYPE_UTF8)
        return sp_error_set(error, SP_ERROR_RULE, SP_UPDATE_BAD_VALUE,
                            "$rename needs a string for '%s'", path);
    uint32_t size;
    const char *target = sp_value_text(argument, &size);
    if (strlen(target) != size)
        return sp_update_not_known("a $rename to a path with a NUL", error);
    if (sp_path_relate(path, target) != SP_PATHS_APART)
        return sp_error_set(error, SP_ERROR_RULE, SP_UPDATE_BAD_VALUE,
                            "$rename cannot move '%s' to '%s', which is on its own path", path,
                            target);
    if (!check_path(target, error))
        return false;
    if (has_positional_part(path, true))
        return refuse_dynamic(path, error);
    if (has_positional_part(target, true))
        return refuse_dynamic(target, error);
    sp_update_node_t *leaf = add_leaf(arena, root, target, SP_OPERATOR_RENAME, error);
    if (leaf == NULL)
        return false;
    leaf->source = path;
    return true;
}

static bool add_field(sp_arena_t *arena, sp_update_node_t *root, const struct word *word,
                      const char *path, const sp_value_t *argument, sp_error_t *error)
{
    bool of_numbers = word->operation == SP_OPERATOR_INC || word->operation == SP_OPERATOR_MUL;
    if (!check_path(path, error))
        return false;
    if (word->operation == SP_OPERATOR_RENAME)
        return add_rename(arena, root, path, argument, error);
    if (of_numbers && !sp_value_is_number(argument))
        return sp_error_set(error, SP_ERROR_RULE, SP_UPDATE_TYPE_MISMATCH,
                            "%s needs a number for '%s'", word->name, path);
    if (word->operation >= SP_OPERATOR_PUSH &&
        !sp_update_check_array_argument(word->operation, argument, error))
        return false;
    if (has_positional_part(path, false))
        return sp_update_not_known("the positional part $", error);
    sp_update_node_t *leaf = add_leaf(arena, root, path, word->operation, error);
    if (leaf == NULL)
        return false;
    leaf->argument = *argument;
    return true;
}

static bool add_operator(sp_arena_t *arena, sp_update_node_t *root, const char *name,
                         const sp_value_t *fields, sp_error_t *error)
{
    bson_iter_t iter;
    const struct word *word = find_word(name);
    if (word == NULL)
        return sp_error_set(error, SP_ERROR_RULE, SP_UPDATE_FAILED_TO_PARSE,
                            "'%s' is no update operator", name);
    if (fields->type != BSON_TYPE_DOCUMENT || !sp_value_children(fields, &iter))
        return sp_error_set(error, SP_ERROR_RULE, SP_UPDATE_FAILED_TO_PARSE, "%s needs an object",
                            name);
    while (bson_iter_next(&iter)) {
        sp_value_t argument = sp_value_of(&iter);
        if (word->operation == SP_OPERATOR_NONE)
            return sp_update_not_known(name, error);
        if (!add_field(arena, root, word, bson_iter_key(&iter), &argument, error))
            return false;
    }
    return true;
}

sp_update_node_t *sp_update_tree(sp_arena_t *arena, const sp_value_t *update, sp_error_t *error)
{
    bson_iter_t iter;
    sp_update_node_t *root = sp_arena_take(arena, sizeof *root);
    root->name = "";
    if (!sp_value_children(update, &iter)) {
        sp_error_set(error, SP_ERROR_INPUT, 0, "the update is a broken object");
        return NULL;
    }
    while (bson_iter_next(&iter)) {
        sp_value_t fields = sp_value_of(&iter);
        if (!add_operator(arena, root, bson_iter_key(&iter), &fields, error))
            return NULL;
    }
    return root;
}
