#include "index.h"

#include "number.h"

#include <string.h>

bool sp_index_flag(const sp_value_t *value, bool *flag)
{
    static const uint8_t zero_bytes[4] = {0};
    static const sp_value_t zero = {BSON_TYPE_INT32, sizeof zero_bytes, zero_bytes};
    if (value->type == BSON_TYPE_BOOL)
        *flag = value->data[0] != 0;
    else if (sp_value_is_number(value))
        *flag = sp_number_compare(value, &zero) != 0;
    else
        return false;
    return true;
}

static bool read_flag(const bson_iter_t *iter, bool *flag, sp_error_t *error)
{
    sp_value_t value = sp_value_of(iter);
    return sp_index_flag(&value, flag) ||
           sp_error_set(error, SP_ERROR_INPUT, 0, "an index's '%s' must be true or false",
                        bson_iter_key(iter));
}

static bool read_document(const bson_iter_t *iter, bson_t *document, sp_error_t *error)
{
    return sp_value_document(iter, document) ||
           sp_error_set(error, SP_ERROR_INPUT, 0, "an index's '%s' must be a document",
                        bson_iter_key(iter));
}

static bool read_option(const bson_iter_t *iter, sp_index_t *index, sp_error_t *error)
{
    const char *name = bson_iter_key(iter);
    if (strcmp(name, "key") == 0)
        return read_document(iter, &index->key, error);
    if (strcmp(name, "unique") == 0)
        return read_flag(iter, &index->unique, error);
    if (strcmp(name, "prepareUnique") == 0)
        return read_flag(iter, &index->prepare_unique, error);
    if (strcmp(name, "sparse") == 0)
        return read_flag(iter, &index->sparse, error);
    if (strcmp(name, "hidden") == 0)
        return read_flag(iter, &index->hidden, error);
    if (strcmp(name, "expireAfterSeconds") == 0) {
        index->expire = sp_value_of(iter);
    } else if (strcmp(name, "name") == 0) {
        if (!BSON_ITER_HOLDS_UTF8(iter))
            return sp_error_set(error, SP_ERROR_INPUT, 0, "an index's 'name' must be a string");
        index->name = bson_iter_utf8(iter, NULL);
    } else if (strcmp(name, "partialFilterExpression") == 0) {
        index->has_partial = true;
        return read_document(iter, &index->partial, error);
    } else if (strcmp(name, "collation") == 0) {
        index->has_collation = true;
        return read_document(iter, &index->collation, error);
    }
    return true;
}

bool sp_index_read(const bson_t *spec, sp_index_t *index, sp_error_t *error)
{
    bson_iter_t iter;
    *index = (sp_index_t){0};
    if (!bson_has_field(spec, "key"))
        return sp_error_set(error, SP_ERROR_INPUT, 0, "an index needs 'key'");
    bool ok = bson_iter_init(&iter, spec);
    while (ok && bson_iter_next(&iter))
        ok = read_option(&iter, index, error);
    return ok;
}
