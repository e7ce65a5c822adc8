#include "pattern.h"

#include "number.h"
#include "storage.h"

#include <string.h>

enum { BAD_VALUE = 2 };

static bool is_one(const sp_value_t *value)
{
    static const uint8_t one[4] = {1, 0, 0, 0};
    const sp_value_t int_one = {BSON_TYPE_INT32, sizeof one, one};
    return sp_value_is_number(value) && sp_number_compare(value, &int_one) == 0;
}

static bool is_hashed(const sp_value_t *value)
{
    uint32_t size;
    return value->type == BSON_TYPE_UTF8 &&
           strcmp(sp_value_text(value, &size), "hashed") == 0 && size == strlen("hashed");
}

/* Cuts "a.b" into its parts; false where one is empty or begins with $. */
static bool parse_path(const char *text, sp_path_t *path, sp_error_t *error)
{
    path->text = bson_strdup(text);
    path->parts = bson_strdup(text);
    path->part_count = 1;
    for (char *at = path->parts; *at != '\0'; at++) {
        if (*at == '.') {
            *at = '\0';
            path->part_count++;
        }
    }
    if (path->part_count > SP_PATH_PARTS_MAX)
        return sp_error_set(error, SP_ERROR_RULE, BAD_VALUE, "the path '%.100s…' has %u parts", text,
                            path->part_count);
    const char *part = path->parts;
    for (unsigned i = 0; i < path->part_count; i++) {
        if (*part == '\0')
            return sp_error_set(error, SP_ERROR_RULE, BAD_VALUE,
                                "the shard key path '%s' has an empty part", text);
        if (*part == '$')
            return sp_error_set(error, SP_ERROR_RULE, BAD_VALUE,
                                "the shard key path '%s' has a part that begins with $", text);
        part += strlen(part) + 1;
    }
    return true;
}

/* Whether one path is the other or leads into it: a and a.b, but not a and ab. */
static bool paths_overlap(const char *a, const char *b)
{
    size_t a_size = strlen(a), b_size = strlen(b);
    size_t shorter = a_size < b_size ? a_size : b_size;
    if (strncmp(a, b, shorter) != 0)
        return false;
    const char *longer = a_size > b_size ? a : b;
    return longer[shorter] == '\0' || longer[shorter] == '.';
}

static bool add_field(sp_pattern_t *pattern, const bson_iter_t *iter, sp_error_t *error)
{
    const char *name = bson_iter_key(iter);
    sp_value_t value = sp_value_of(iter);
    if (pattern->field_count == SP_PATTERN_FIELDS_MAX)
        return sp_error_set(error, SP_ERROR_RULE, BAD_VALUE,
                            "a shard key pattern has at most %d fields", SP_PATTERN_FIELDS_MAX);
    for (unsigned i = 0; i < pattern->field_count; i++) {
        if (paths_overlap(pattern->fields[i].text, name))
            return sp_error_set(error, SP_ERROR_RULE, BAD_VALUE,
                                "the shard key paths '%s' and '%s' overlap",
                                pattern->fields[i].text, name);
    }
    if (is_hashed(&value)) {
        if (pattern->hashed >= 0)
            return sp_error_set(error, SP_ERROR_RULE, BAD_VALUE,
                                "a shard key pattern has at most one hashed field");
        pattern->hashed = (int)pattern->field_count;
    } else if (!is_one(&value)) {
        return sp_error_set(error, SP_ERROR_RULE, BAD_VALUE,
                            "the shard key field '%s' must be 1 or \"hashed\"", name);
    }
    pattern->field_count++;
    return parse_path(name, &pattern->fields[pattern->field_count - 1], error);
}

sp_pattern_t *sp_pattern_new(const bson_t *pattern, sp_error_t *error)
{
    sp_pattern_t *parsed = bson_malloc0(sizeof *parsed);
    parsed->hashed = -1;
    bson_iter_t iter;
    bool ok = bson_iter_init(&iter, pattern);
    if (!ok)
        sp_error_set(error, SP_ERROR_INPUT, 0, "the shard key pattern is no document");
    while (ok && bson_iter_next(&iter))
        ok = add_field(parsed, &iter, error);
    if (ok && parsed->field_count == 0)
        ok = sp_error_set(error, SP_ERROR_RULE, BAD_VALUE, "the shard key pattern is empty");
    if (!ok) {
        sp_pattern_free(parsed);
        return NULL;
    }
    return parsed;
}

void sp_pattern_free(sp_pattern_t *pattern)
{
    if (pattern == NULL)
        return;
    for (unsigned i = 0; i < pattern->field_count; i++) {
        bson_free(pattern->fields[i].text);
        bson_free(pattern->fields[i].parts);
    }
    bson_free(pattern);
}

bool sp_pattern_fits(const sp_pattern_t *pattern, const bson_t *key, sp_error_t *error)
{
    bson_iter_t iter;
    if (!bson_iter_init(&iter, key))
        return sp_error_set(error, SP_ERROR_INPUT, 0, "the shard key value is no document");
    for (unsigned i = 0; i < pattern->field_count; i++) {
        const char *wanted = pattern->fields[i].text;
        if (!bson_iter_next(&iter))
            return sp_error_set(error, SP_ERROR_INPUT, 0, "a bound lacks the shard key field '%s'",
                                wanted);
        if (strcmp(bson_iter_key(&iter), wanted) != 0)
            return sp_error_set(error, SP_ERROR_INPUT, 0,
                                "a bound has the field '%s' where the shard key has '%s'",
                                bson_iter_key(&iter), wanted);
    }
    if (bson_iter_next(&iter))
        return sp_error_set(error, SP_ERROR_INPUT, 0,
                            "a bound has the field '%s', which the shard key has not",
                            bson_iter_key(&iter));
    return true;
}

bool sp_pattern_bound_storable(const bson_t *bound, sp_error_t *error)
{
    bson_iter_t iter;
    if (!bson_iter_init(&iter, bound))
        return sp_error_set(error, SP_ERROR_INPUT, 0, "the bound is no document");
    while (bson_iter_next(&iter)) {
        sp_value_t value = sp_value_of(&iter);
        if (value.type == BSON_TYPE_REGEX ||
            (value.type == BSON_TYPE_DOCUMENT && sp_storage_holds_dollar_name(&value, false)))
            return sp_error_set(error, SP_ERROR_RULE, BAD_VALUE,
                                "the value of '%s' cannot be stored in a chunk bound",
                                bson_iter_key(&iter));
    }
    return true;
}

bool sp_pattern_bound_hangs(const bson_t *bound)
{
    const sp_value_t value = {BSON_TYPE_DOCUMENT, bound->len, bson_get_data(bound)};
    return sp_storage_holds_dollar_name(&value, true) &&
           !sp_storage_holds_dollar_name(&value, false);
}
