#include "extract.h"

#include <string.h>

enum { SHARD_KEY_NOT_FOUND = 61 };

static const sp_value_t missing = {BSON_TYPE_EOD, 0, (const uint8_t *)""};

static bool find_field(bson_iter_t *iter, const char *name)
{
    while (bson_iter_next(iter)) {
        if (strcmp(bson_iter_key(iter), name) == 0)
            return true;
    }
    return false;
}

sp_value_t sp_extract_path(const bson_t *doc, const sp_path_t *path)
{
    bson_iter_t iter;
    if (!bson_iter_init(&iter, doc))
        return missing;
    const char *part = path->parts;
    for (unsigned i = 0; i < path->part_count; i++, part += strlen(part) + 1) {
        if (!find_field(&iter, part))
            return missing;
        sp_value_t value = sp_value_of(&iter);
        if (i + 1 == path->part_count || value.type == BSON_TYPE_ARRAY)
            return value;
        if (value.type != BSON_TYPE_DOCUMENT || !sp_value_children(&value, &iter))
            return missing;
    }
    return missing;
}

bool sp_extract_key(const sp_pattern_t *pattern, sp_hasher_t *hasher, const bson_t *doc,
                    bson_t *key, sp_error_t *error)
{
    for (unsigned i = 0; i < pattern->field_count; i++) {
        const sp_path_t *path = &pattern->fields[i];
        sp_value_t value = sp_extract_path(doc, path);
        if (value.type == BSON_TYPE_ARRAY)
            return sp_error_set(error, SP_ERROR_RULE, SHARD_KEY_NOT_FOUND,
                                "there is an array at or above the shard key field '%s'",
                                path->text);
        if (value.type == BSON_TYPE_EOD)
            value.type = BSON_TYPE_NULL;
        if ((int)i == pattern->hashed)
            BSON_APPEND_INT64(key, path->text, sp_hash_value(hasher, &value));
        else
            sp_value_append(key, path->text, &value);
    }
    return true;
}
