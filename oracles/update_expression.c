#include "update_expression.h"

#include "update_tree.h"

#include <ctype.h>
#include <string.h>

#define PATH_PARTS_MAX 200

enum {
    FAILED_TO_PARSE = 9,
    OVERFLOW_CODE = 15,
    NOT_ONE_OPERATOR = 15983,
    EMPTY_PART = 15998,
    REPEATED_NAME = 16406,
    DOLLAR_PART = 16410,
    DOTTED_NAME = 16412,
    ONLY_A_DOLLAR = 16872,
    UNDEFINED_VARIABLE = 17276,
    EMPTY_PATH = 40352,
    ENDS_WITH_DOT = 40353,
};

/* Names of a DBRef's fields, which may stand in paths. */
static bool is_dbref_part(const char *part, size_t size)
{
    return (size == 4 && memcmp(part, "$ref", size) == 0) ||
           (size == 3 && (memcmp(part, "$id", size) == 0 || memcmp(part, "$db", size) == 0));
}

static bool refuse_path(int32_t code, const char *path, const char *why, sp_error_t *error)
{
    return sp_error_set(error, SP_ERROR_RULE, code, "the field path '%s' %s", path, why);
}

bool sp_field_path_check(const char *path, sp_error_t *error)
{
    unsigned parts = 1;
    size_t size = strlen(path);
    if (size == 0)
        return refuse_path(EMPTY_PATH, path, "is empty", error);
    if (path[size - 1] == '.')
        return refuse_path(ENDS_WITH_DOT, path, "ends with a dot", error);
    for (const char *part = path;; parts++) {
        size = strcspn(part, ".");
        if (size == 0)
            return refuse_path(EMPTY_PART, path, "has a part without name", error);
        if (part[0] == '$' && !is_dbref_part(part, size))
            return refuse_path(DOLLAR_PART, path, "has a part that begins with $", error);
        if (part[size] == '\0')
            break;
        part += size + 1;
    }
    if (parts > PATH_PARTS_MAX)
        return refuse_path(OVERFLOW_CODE, path, "has too many parts", error);
    return true;
}

typedef enum variable {
    VARIABLE_ROOT, /* $$CURRENT too */
    VARIABLE_REMOVE,
    VARIABLE_OTHER,
} variable_t;

/* The variable of "$$name.rest", given behind the dollars; *rest NULL: there is none. */
static variable_t variable_of(const char *name, const char **rest)
{
    size_t size = strcspn(name, ".");
    *rest = name[size] == '.' ? name + size + 1 : NULL;
    if ((size == 4 && memcmp(name, "ROOT", size) == 0) ||
        (size == 7 && memcmp(name, "CURRENT", size) == 0))
        return VARIABLE_ROOT;
    if (size == 6 && memcmp(name, "REMOVE", size) == 0)
        return VARIABLE_REMOVE;
    return VARIABLE_OTHER;
}

/* Names of variables begin with a small letter; a server's own ones with a capital one. */
static bool check_variable(const char *name, sp_error_t *error)
{
    const char *rest;
    if (variable_of(name, &rest) != VARIABLE_OTHER)
        return rest == NULL || sp_field_path_check(rest, error);
    if (name[0] == '\0' || name[0] == '.')
        return sp_error_set(error, SP_ERROR_RULE, FAILED_TO_PARSE,
                            "an expression has a variable without name");
    if (isupper((unsigned char)name[0]))
        return sp_update_not_known("a variable of the server's", error);
    for (const char *at = name; *at != '\0' && *at != '.'; at++) {
        bool letter = islower((unsigned char)*at) || (unsigned char)*at >= 0x80;
        if (!letter && (at == name || !(isalnum((unsigned char)*at) || *at == '_')))
            return sp_error_set(error, SP_ERROR_RULE, FAILED_TO_PARSE,
                                "'%s' is no name for a variable", name);
    }
    return sp_error_set(error, SP_ERROR_RULE, UNDEFINED_VARIABLE, "there is no variable '%s'",
                        name);
}

static bool check_text(const sp_value_t *expression, sp_error_t *error)
{
    uint32_t size;
    const char *text = sp_value_text(expression, &size);
    if (text[0] != '$')
        return true;
    if (strlen(text) != size)
        return sp_update_not_known("a field path with a NUL", error);
    if (size == 1)
        return refuse_path(ONLY_A_DOLLAR, text, "is nothing but a dollar", error);
    return text[1] == '$' ? check_variable(text + 2, error) : sp_field_path_check(text + 1, error);
}

static bool is_literal(const char *name)
{
    return strcmp(name, "$literal") == 0 || strcmp(name, "$const") == 0;
}

static bool check_operator(const char *name, bson_iter_t *behind, sp_error_t *error)
{
    if (bson_iter_next(behind))
        return sp_error_set(error, SP_ERROR_RULE, NOT_ONE_OPERATOR,
                            "an object with %s has more than one field", name);
    return is_literal(name) || sp_update_not_known(name, error);
}

static bool check_name(const char *name, sp_error_t *error)
{
    if (name[0] == '$' && !is_dbref_part(name, strlen(name)))
        return refuse_path(DOLLAR_PART, name, "begins with $", error);
    if (strchr(name, '.') != NULL)
        return refuse_path(DOTTED_NAME, name, "has a dot where a name should stand", error);
    if (name[0] == '\0')
        return refuse_path(EMPTY_PART, name, "has no name", error);
    return true;
}

/* Whether a field before the one that `iter` stands on has its name. */
static bool is_repeated(const sp_value_t *object, const bson_iter_t *iter)
{
    bson_iter_t earlier;
    bool sound =
        sp_value_children(object, &earlier) && bson_iter_find(&earlier, bson_iter_key(iter));
    return sound && earlier.off != iter->off;
}

/* No deeper than the document is nested, which sp_document_check bounds. */
bool sp_expression_check(const sp_value_t *expression, sp_error_t *error)
{
    bson_iter_t iter;
    if (expression->type == BSON_TYPE_UTF8)
        return check_text(expression, error);
    bool is_object = expression->type == BSON_TYPE_DOCUMENT;
    if ((!is_object && expression->type != BSON_TYPE_ARRAY) ||
        !sp_value_children(expression, &iter))
        return true;
    for (bool first = true; bson_iter_next(&iter); first = false) {
        const char *name = bson_iter_key(&iter);
        sp_value_t child = sp_value_of(&iter);
        if (is_object && first && name[0] == '$')
            return check_operator(name, &iter, error);
        if (is_object && !check_name(name, error))
            return false;
        if (is_object && is_repeated(expression, &iter))
            return refuse_path(REPEATED_NAME, name, "stands twice in an object", error);
        if (!sp_expression_check(&child, error))
            return false;
    }
    return true;
}

static sp_edit_t *field_of(sp_arena_t *arena, sp_edit_t *object, const char *path, size_t size)
{
    sp_edit_t *field = sp_edit_field(arena, object, sp_arena_text(arena, path, size));
    return field == NULL || field->value.type == BSON_TYPE_EOD ? NULL : field;
}

static sp_edit_t *follow(sp_arena_t *arena, sp_edit_t *object, const char *path);

/* What the objects in an array have; other elements, arrays too, give nothing. */
static sp_edit_t *follow_in_array(sp_arena_t *arena, sp_edit_t *array, const char *path)
{
    sp_edit_t *found = sp_edit_new_array(arena, "");
    sp_edit_open(arena, array);
    for (sp_edit_t *element = array->first; element != NULL; element = element->next) {
        if (element->value.type != BSON_TYPE_DOCUMENT)
            continue;
        sp_edit_t *value = follow(arena, element, path);
        if (value != NULL)
            sp_edit_append(arena, found, value);
    }
    return found;
}

static sp_edit_t *follow(sp_arena_t *arena, sp_edit_t *object, const char *path)
{
    size_t size = strcspn(path, ".");
    sp_edit_t *value = field_of(arena, object, path, size);
    if (value == NULL)
        return NULL;
    if (path[size] == '\0')
        return sp_edit_copy(arena, value, "");
    if (value->value.type == BSON_TYPE_DOCUMENT)
        return follow(arena, value, path + size + 1);
    if (value->value.type == BSON_TYPE_ARRAY)
        return follow_in_array(arena, value, path + size + 1);
    return NULL;
}

static sp_edit_t *value_of_text(sp_arena_t *arena, const sp_value_t *expression,
                                sp_edit_t *document)
{
    uint32_t size;
    const char *rest, *text = sp_value_text(expression, &size);
    if (text[0] != '$')
        return sp_edit_new(arena, "", expression);
    if (text[1] != '$')
        return follow(arena, document, text + 1);
    if (variable_of(text + 2, &rest) != VARIABLE_ROOT)
        return NULL;
    return rest == NULL ? sp_edit_copy(arena, document, "") : follow(arena, document, rest);
}

/* An array has null for what has no value; an object has a field that is not there. */
static sp_edit_t *value_of_container(sp_arena_t *arena, const sp_value_t *expression,
                                     sp_edit_t *document)
{
    bool is_array = expression->type == BSON_TYPE_ARRAY;
    const sp_value_t nothing = {.type = is_array ? BSON_TYPE_NULL : BSON_TYPE_EOD};
    sp_edit_t *made = is_array ? sp_edit_new_array(arena, "") : sp_edit_new_object(arena, "");
    bson_iter_t iter;
    bool sound = sp_value_children(expression, &iter);
    sp_edit_open(arena, made);
    while (sound && bson_iter_next(&iter)) {
        sp_value_t child = sp_value_of(&iter);
        sp_edit_t *value = sp_expression_value(arena, &child, document);
        if (value == NULL)
            value = sp_edit_new(arena, "", &nothing);
        value->name = bson_iter_key(&iter);
        sp_edit_append(arena, made, value);
    }
    return made;
}

sp_edit_t *sp_expression_value(sp_arena_t *arena, const sp_value_t *expression, sp_edit_t *document)
{
    bson_iter_t iter;
    if (expression->type == BSON_TYPE_UTF8)
        return value_of_text(arena, expression, document);
    if (expression->type == BSON_TYPE_DOCUMENT && sp_value_children(expression, &iter) &&
        bson_iter_next(&iter) && is_literal(bson_iter_key(&iter))) {
        sp_value_t literal = sp_value_of(&iter);
        return sp_edit_new(arena, "", &literal);
    }
    if (expression->type == BSON_TYPE_DOCUMENT || expression->type == BSON_TYPE_ARRAY)
        return value_of_container(arena, expression, document);
    return sp_edit_new(arena, "", expression);
}
