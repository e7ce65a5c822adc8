#include "storage.h"

#include <string.h>

enum { BAD_VALUE = 2, OVERFLOW_CODE = 15, DOLLAR_PREFIXED_FIELD_NAME = 52, INVALID_ID_FIELD = 53 };

bool sp_storage_replaces(const sp_value_t *value)
{
    static const uint8_t empty[8] = {0};
    return value->type == BSON_TYPE_TIMESTAMP && memcmp(value->data, empty, sizeof empty) == 0;
}

bool sp_storage_holds_dollar_name(const sp_value_t *value)
{
    bson_iter_t iter;
    if (!sp_value_has_children(value) || !sp_value_children(value, &iter))
        return false;
    while (bson_iter_next(&iter)) {
        sp_value_t child = sp_value_of(&iter);
        if (bson_iter_key(&iter)[0] == '$' || sp_storage_holds_dollar_name(&child))
            return true;
    }
    return false;
}

/* Whether objects and arrays inside `iter`'s document are nested more than `allowed` levels deep.
 */
static bool nests_deeper(bson_iter_t *iter, unsigned allowed)
{
    while (bson_iter_next(iter)) {
        bson_iter_t inner;
        sp_value_t child = sp_value_of(iter);
        bool nests = child.type == BSON_TYPE_DOCUMENT || child.type == BSON_TYPE_ARRAY;
        if (nests && (allowed == 0 ||
                      (sp_value_children(&child, &inner) && nests_deeper(&inner, allowed - 1))))
            return true;
    }
    return false;
}

static bool check_id(const sp_value_t *id, sp_error_t *error)
{
    if (id->type == BSON_TYPE_ARRAY || id->type == BSON_TYPE_REGEX ||
        id->type == BSON_TYPE_UNDEFINED)
        return sp_error_set(error, SP_ERROR_RULE, INVALID_ID_FIELD,
                            "_id cannot be an array, a regular expression or undefined");
    if (id->type == BSON_TYPE_DOCUMENT && sp_storage_holds_dollar_name(id))
        return sp_error_set(error, SP_ERROR_RULE, DOLLAR_PREFIXED_FIELD_NAME,
                            "an _id object cannot have a field name that begins with $");
    return true;
}

bool sp_storage_check(const bson_t *doc, sp_error_t *error)
{
    bson_iter_t iter;
    bool has_id = false;
    if (!bson_iter_init(&iter, doc))
        return sp_error_set(error, SP_ERROR_INPUT, 0, "this is no document");
    if (nests_deeper(&iter, SP_STORED_LEVELS_MAX))
        return sp_error_set(error, SP_ERROR_RULE, OVERFLOW_CODE,
                            "the document has more than %d levels of objects and arrays in it",
                            SP_STORED_LEVELS_MAX);
    if (!bson_iter_init(&iter, doc))
        return sp_error_set(error, SP_ERROR_INPUT, 0, "this is no document");
    while (bson_iter_next(&iter)) {
        if (strcmp(bson_iter_key(&iter), "_id") != 0)
            continue;
        sp_value_t id = sp_value_of(&iter);
        if (!check_id(&id, error))
            return false;
        if (has_id)
            return sp_error_set(error, SP_ERROR_RULE, BAD_VALUE, "the document has two _id fields");
        has_id = true;
    }
    return true;
}
