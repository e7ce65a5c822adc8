#include "pattern.h"

#include "number.h"
#include "storage.h"

#include <assert.h>
#include <string.h>

enum { BAD_VALUE = 2, TOO_MANY_COMPOUND_KEYS = 13103 };

/* A server asks whether the number is 1 as an int32, so that 1.9 and NumberDecimal("0.6") pass. */
static bool is_one(const sp_value_t *value)
{
    return sp_value_is_number(value) && sp_number_for_hash(value) == 1;
}

static bool is_hashed(const sp_value_t *value)
{
    uint32_t size;
    return value->type == BSON_TYPE_UTF8 && strcmp(sp_value_text(value, &size), "hashed") == 0 &&
           size == strlen("hashed");
}

bool sp_pattern_names_hashed(const bson_t *key)
{
    bson_iter_t iter;
    for (bool more = bson_iter_init(&iter, key); more && bson_iter_next(&iter);) {
        sp_value_t value = sp_value_of(&iter);
        if (is_hashed(&value))
            return true;
    }
    return false;
}

bool sp_pattern_is_id(const bson_t *key)
{
    bson_iter_t iter;
    return bson_count_keys(key) == 1 && bson_iter_init_find(&iter, key, "_id") &&
           BSON_ITER_HOLDS_NUMBER(&iter);
}

static bool refuse_path(const char *text, const char *what, sp_error_t *error)
{
    return sp_error_set(error, SP_ERROR_RULE, BAD_VALUE, "the shard key path '%s' has %s", text,
                        what);
}

static bool starts_with_name(const char *part, const char *name)
{
    size_t size = strlen(name);
    return strncmp(part, name, size) == 0 && (part[size] == '\0' || part[size] == '.');
}

/* A part of a path, which ends where the text ends or at a dot. */
static bool check_part(const char *text, const char *part, bool references, sp_error_t *error)
{
    if (*part == '\0' || *part == '.')
        return refuse_path(text, "an empty part", error);
    if (*part != '$')
        return true;
    bool refers = starts_with_name(part, "$id") || starts_with_name(part, "$ref") ||
                  starts_with_name(part, "$db");
    return (references && refers && part != text) ||
           refuse_path(text, "a part that begins with $", error);
}

/* `references`: whether parts that a DBRef has are taken behind the first. */
static bool check_path(const char *text, bool references, sp_error_t *error)
{
    for (const char *part = text; part != NULL;) {
        if (!check_part(text, part, references, error))
            return false;
        part = strchr(part, '.');
        if (part != NULL)
            part++;
    }
    return true;
}

/* Cuts "a.b" into its parts. */
static void read_path(const char *text, sp_path_t *path)
{
    path->text = bson_strdup(text);
    path->size = (uint32_t)strlen(text);
    path->parts = bson_strdup(text);
    path->part_count = 1;
    for (char *at = path->parts; *at != '\0'; at++) {
        if (*at == '.') {
            *at = '\0';
            path->part_count++;
        }
    }
}

static bool refuse_second_hashed(sp_error_t *error)
{
    return sp_error_set(error, SP_ERROR_RULE, BAD_VALUE,
                        "a shard key pattern has at most one hashed field");
}

static bool check_value(const char *name, const sp_value_t *value, bool *hashed, sp_error_t *error)
{
    if (!is_hashed(value))
        return is_one(value) ||
               sp_error_set(error, SP_ERROR_RULE, BAD_VALUE,
                            "the shard key field '%s' must be 1 or \"hashed\"", name);
    if (*hashed)
        return refuse_second_hashed(error);
    *hashed = true;
    return true;
}

static bool refuse_empty(sp_error_t *error)
{
    return sp_error_set(error, SP_ERROR_RULE, BAD_VALUE, "the shard key pattern is empty");
}

bool sp_pattern_check(const bson_t *pattern, sp_version_t version, sp_error_t *error)
{
    bson_iter_t iter;
    bool references = sp_version_has(version, SP_KEY_PATHS_OF_REFERENCES), hashed = false;
    unsigned count = 0;
    if (!bson_iter_init(&iter, pattern))
        return sp_error_set(error, SP_ERROR_INPUT, 0, "the shard key pattern is no document");
    for (; bson_iter_next(&iter); count++) {
        sp_value_t value = sp_value_of(&iter);
        if (!check_path(bson_iter_key(&iter), references, error) ||
            !check_value(bson_iter_key(&iter), &value, &hashed, error))
            return false;
    }
    if (hashed && count > 1 && !sp_version_has(version, SP_COMPOUND_HASHED))
        return sp_error_set(error, SP_ERROR_RULE, BAD_VALUE,
                            "a hashed field must be the only one of a shard key pattern");
    return count > 0 || refuse_empty(error);
}

static bool add_field(sp_pattern_t *pattern, const bson_iter_t *iter, sp_error_t *error)
{
    const char *name = bson_iter_key(iter);
    sp_value_t value = sp_value_of(iter);
    if (pattern->field_count == SP_PATTERN_FIELDS_MAX)
        return sp_error_set(error, SP_ERROR_RULE, TOO_MANY_COMPOUND_KEYS,
                            "a shard key pattern has at most %d fields", SP_PATTERN_FIELDS_MAX);
    for (unsigned i = 0; i < pattern->field_count; i++) {
        if (strcmp(pattern->fields[i].text, name) == 0)
            return sp_error_set(error, SP_ERROR_RULE, BAD_VALUE,
                                "the shard key has the field '%s' twice", name);
    }
    bool hashed = pattern->hashed >= 0, was_hashed = hashed;
    if (!check_path(name, true, error) || !check_value(name, &value, &hashed, error))
        return false;
    if (hashed && !was_hashed)
        pattern->hashed = (int)pattern->field_count;
    read_path(name, &pattern->fields[pattern->field_count++]);
    return true;
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
        ok = refuse_empty(error);
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

void sp_pattern_key(const sp_pattern_t *pattern, sp_arena_t *arena, const sp_value_t *values,
                    bson_t *key)
{
    uint32_t size = 4 + 1; /* the document's length and its end */
    for (unsigned i = 0; i < pattern->field_count; i++)
        size += 1 + pattern->fields[i].size + 1 + values[i].size;
    uint8_t *data = sp_arena_take(arena, size), *at = data + 4;
    uint32_t size_le = BSON_UINT32_TO_LE(size);
    memcpy(data, &size_le, sizeof size_le);
    for (unsigned i = 0; i < pattern->field_count; i++) {
        const sp_path_t *field = &pattern->fields[i];
        *at++ = (uint8_t)values[i].type;
        memcpy(at, field->text, field->size + 1);
        at += field->size + 1;
        memcpy(at, values[i].data, values[i].size);
        at += values[i].size;
    }
    bool sound = bson_init_static(key, data, size);
    assert(sound);
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

bool sp_pattern_value_storable(const sp_value_t *value)
{
    return value->type != BSON_TYPE_REGEX &&
           (value->type != BSON_TYPE_DOCUMENT || !sp_storage_holds_dollar_name(value));
}

bool sp_pattern_bound_storable(const bson_t *bound, sp_error_t *error)
{
    bson_iter_t iter;
    if (!bson_iter_init(&iter, bound))
        return sp_error_set(error, SP_ERROR_INPUT, 0, "the bound is no document");
    while (bson_iter_next(&iter)) {
        sp_value_t value = sp_value_of(&iter);
        if (!sp_pattern_value_storable(&value))
            return sp_error_set(error, SP_ERROR_RULE, BAD_VALUE,
                                "the value of '%s' cannot be stored in a chunk bound",
                                bson_iter_key(&iter));
    }
    return true;
}

bool sp_pattern_bound_breaks(const bson_t *bound)
{
    bson_iter_t iter;
    if (!bson_iter_init(&iter, bound))
        return false;
    while (bson_iter_next(&iter)) {
        sp_value_t value = sp_value_of(&iter);
        if (value.type == BSON_TYPE_CODEWSCOPE && sp_storage_holds_dollar_name(&value))
            return true;
        if (sp_number_misread_inside(&value))
            return true;
    }
    return false;
}
