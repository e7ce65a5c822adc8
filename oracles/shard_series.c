#include "shard_series.h"

#include "value.h"

#include <string.h>

enum { BAD_VALUE = 2, TIME_NOT_LAST = 5914000, OTHER_FIELD = 5914001 };

/* What follows the meta field's name in the path ("" or ".a"); NULL where it is another field. */
static const char *behind_meta(const sp_series_t *series, const char *path)
{
    size_t size = series->meta == NULL ? 0 : strlen(series->meta);
    if (size == 0 || strncmp(path, series->meta, size) != 0)
        return NULL;
    return path[size] == '\0' || path[size] == '.' ? path + size : NULL;
}

static bool is_time(const sp_series_t *series, const char *path)
{
    return strcmp(path, series->time) == 0;
}

static void append(bson_t *buckets, const char *prefix, const char *name, const bson_iter_t *iter)
{
    char *path = bson_strdup_printf("%s%s", prefix, name);
    sp_value_t value = sp_value_of(iter);
    sp_value_append(buckets, path, &value);
    bson_free(path);
}

static bool check_fields(const sp_series_t *series, const bson_t *key, sp_error_t *error)
{
    bson_iter_t iter;
    unsigned left = bson_count_keys(key);
    for (bool more = bson_iter_init(&iter, key); more && bson_iter_next(&iter); left--) {
        const char *path = bson_iter_key(&iter);
        if (is_time(series, path)) {
            if (left > 1)
                return sp_error_set(error, SP_ERROR_RULE, TIME_NOT_LAST,
                                    "the time field '%s' must be the last of the shard key", path);
        } else if (behind_meta(series, path) == NULL) {
            return sp_error_set(error, SP_ERROR_RULE, OTHER_FIELD,
                                "'%s' is neither the time nor the meta field of the time series",
                                path);
        }
    }
    return bson_count_keys(key) > 0 ||
           sp_error_set(error, SP_ERROR_RULE, BAD_VALUE, "the shard key pattern is empty");
}

bool sp_series_shard_key(const sp_series_t *series, const bson_t *key, bson_t *buckets,
                         sp_error_t *error)
{
    bson_iter_t iter;
    if (!check_fields(series, key, error))
        return false;
    for (bool more = bson_iter_init(&iter, key); more && bson_iter_next(&iter);) {
        sp_value_t value = sp_value_of(&iter);
        const char *path = bson_iter_key(&iter), *rest = behind_meta(series, path);
        if (!is_time(series, path))
            append(buckets, "meta", rest, &iter);
        else if (sp_value_is_number(&value))
            append(buckets, "control.min.", path, &iter);
        else
            return sp_error_set(error, SP_ERROR_RULE, BAD_VALUE,
                                "the time field '%s' must be a number in the shard key", path);
    }
    return true;
}

void sp_series_index_key(const sp_series_t *series, const bson_t *key, bson_t *buckets)
{
    bson_iter_t iter;
    for (bool more = bson_iter_init(&iter, key); more && bson_iter_next(&iter);) {
        const char *path = bson_iter_key(&iter), *rest = behind_meta(series, path);
        bool up = BSON_ITER_HOLDS_NUMBER(&iter) && bson_iter_as_double(&iter) > 0;
        if (rest != NULL) {
            append(buckets, "meta", rest, &iter);
        } else {
            append(buckets, up ? "control.min." : "control.max.", path, &iter);
            append(buckets, up ? "control.max." : "control.min.", path, &iter);
        }
    }
}
