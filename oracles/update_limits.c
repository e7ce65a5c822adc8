#include "update_limits.h"

#include "update_tree.h"

#include <string.h>

static bool refuse_dbref(const char *name, sp_error_t *error)
{
    return sp_error_set(error, SP_ERROR_RULE, SP_UPDATE_INVALID_DBREF,
                        "the update leaves '%s' where it is no part of a DBRef", name);
}

static const sp_edit_t *before(const sp_edit_t *document, const sp_edit_t *field)
{
    const sp_edit_t *at = document->first;
    if (at == field)
        return NULL;
    while (at->next != field)
        at = at->next;
    return at;
}

static bool is_named(const sp_edit_t *field, const char *name)
{
    return field != NULL && strcmp(field->name, name) == 0;
}

bool sp_update_check_name(const sp_edit_t *document, const sp_edit_t *field, sp_error_t *error)
{
    if (field->name[0] != '$')
        return true;
    if (is_named(field, "$ref"))
        return (field->value.type == BSON_TYPE_UTF8 && is_named(field->next, "$id")) ||
               refuse_dbref(field->name, error);
    if (is_named(field, "$id"))
        return is_named(before(document, field), "$ref") || refuse_dbref(field->name, error);
    if (is_named(field, "$db"))
        return (field->value.type == BSON_TYPE_UTF8 && is_named(before(document, field), "$id")) ||
               refuse_dbref(field->name, error);
    return sp_error_set(error, SP_ERROR_RULE, SP_UPDATE_DOLLAR_NAME,
                        "the update leaves a field '%s' at the top of the document", field->name);
}

static bool refuse_levels(sp_error_t *error)
{
    return sp_error_set(error, SP_ERROR_RULE, SP_UPDATE_OVERFLOW,
                        "the update makes more than %d levels of fields", SP_UPDATE_LEVELS_MAX);
}

bool sp_update_check_levels(const sp_value_t *value, unsigned level, sp_error_t *error)
{
    bson_iter_t iter;
    if (level > SP_UPDATE_LEVELS_MAX)
        return refuse_levels(error);
    if ((value->type != BSON_TYPE_DOCUMENT && value->type != BSON_TYPE_ARRAY) ||
        !sp_value_children(value, &iter))
        return true;
    while (bson_iter_next(&iter)) {
        sp_value_t child = sp_value_of(&iter);
        if (!sp_update_check_levels(&child, level + 1, error))
            return false;
    }
    return true;
}

bool sp_update_repeats_name(const sp_value_t *value)
{
    bson_iter_t iter;
    if ((value->type != BSON_TYPE_DOCUMENT && value->type != BSON_TYPE_ARRAY) ||
        !sp_value_children(value, &iter))
        return false;
    while (bson_iter_next(&iter)) {
        bson_iter_t earlier;
        sp_value_t child = sp_value_of(&iter);
        bool found =
            sp_value_children(value, &earlier) && bson_iter_find(&earlier, bson_iter_key(&iter));
        if ((found && earlier.off != iter.off) || sp_update_repeats_name(&child))
            return true;
    }
    return false;
}
