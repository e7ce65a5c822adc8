#include "index_pattern.h"

#include "number.h"
#include "order.h"

#include <string.h>

enum {
    BAD_VALUE = 2,
    CANNOT_CREATE_INDEX = 67,
    TOO_MANY_FIELDS = 13103,
    HASHED_IS_NOT_UNIQUE = 16764,
    TWO_2D_FIELDS = 16800,
    LATE_2D_FIELD = 16801,
    HASHED_TWICE = 31303,
};

enum { FIELDS_MAX = 32 };

static const char wildcard[] = "$**";
static const char wildcard_end[] = ".$**";

static bool refuse(sp_error_t *error, int32_t code, const char *field, const char *why)
{
    return sp_error_set(error, SP_ERROR_RULE, code, "the index field '%.100s' %s", field, why);
}

/* The text of a string value without a NUL in it; NULL for anything else. */
static const char *word_of(const sp_value_t *value)
{
    uint32_t size;
    if (value->type != BSON_TYPE_UTF8)
        return NULL;
    const char *text = sp_value_text(value, &size);
    return strlen(text) == size ? text : NULL;
}

static bool is_wildcard_name(const char *name)
{
    size_t size = strlen(name), end = strlen(wildcard_end);
    return strcmp(name, wildcard) == 0 ||
           (size > end && strcmp(name + size - end, wildcard_end) == 0);
}

/* The kind is that of the first field that is a string or a wildcard. False for a word that names
 * none. */
static bool read_kind(const bson_t *key, sp_index_kind_t *kind, sp_error_t *error)
{
    static const struct {
        const char *word;
        sp_index_kind_t kind;
    } kinds[] = {
        {"hashed", SP_INDEX_HASHED},
        {"text", SP_INDEX_TEXT},
        {"2d", SP_INDEX_2D},
        {"2dsphere", SP_INDEX_2DSPHERE},
        {"2dsphere_bucket", SP_INDEX_2DSPHERE_BUCKET},
    };
    bson_iter_t iter;
    *kind = SP_INDEX_PLAIN;
    for (bool more = bson_iter_init(&iter, key); more && bson_iter_next(&iter);) {
        sp_value_t value = sp_value_of(&iter);
        if (value.type == BSON_TYPE_UTF8) {
            const char *word = word_of(&value);
            for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
                if (word != NULL && strcmp(word, kinds[i].word) == 0) {
                    *kind = kinds[i].kind;
                    return true;
                }
            }
            return refuse(error, CANNOT_CREATE_INDEX, bson_iter_key(&iter),
                          "is of a kind that no server has");
        }
        if (is_wildcard_name(bson_iter_key(&iter))) {
            *kind = SP_INDEX_WILDCARD;
            return true;
        }
    }
    return true;
}

static const char *kind_word(sp_index_kind_t kind)
{
    static const char *const words[] = {
        [SP_INDEX_PLAIN] = "",
        [SP_INDEX_HASHED] = "hashed",
        [SP_INDEX_TEXT] = "text",
        [SP_INDEX_2D] = "2d",
        [SP_INDEX_2DSPHERE] = "2dsphere",
        [SP_INDEX_2DSPHERE_BUCKET] = "2dsphere_bucket",
        [SP_INDEX_WILDCARD] = "",
    };
    return words[kind];
}

static bool is_kind_word(const sp_value_t *value, sp_index_kind_t kind)
{
    const char *word = word_of(value);
    return word != NULL && strcmp(word, kind_word(kind)) == 0;
}

static int sign_of(const sp_value_t *number)
{
    static const uint8_t zero_bytes[4] = {0};
    static const sp_value_t zero = {BSON_TYPE_INT32, sizeof zero_bytes, zero_bytes};
    return sp_number_compare(number, &zero);
}

/* A number that an integer is made of, which is 1 or -1: 1.9 and NumberDecimal("0.6") are. */
static bool is_direction(const sp_value_t *value)
{
    int64_t whole = sp_value_is_number(value) ? sp_number_for_hash(value) : 0;
    return whole == 1 || whole == -1;
}

static bool check_value(const char *name, const sp_value_t *value, sp_index_kind_t kind,
                        sp_error_t *error)
{
    if (value->type == BSON_TYPE_UTF8)
        return is_kind_word(value, kind) ||
               refuse(error, CANNOT_CREATE_INDEX, name, "is of another kind than one before");
    if (!sp_value_is_number(value))
        return refuse(error, CANNOT_CREATE_INDEX, name, "is neither a number nor a string");
    if (sp_number_is_nan(value) || sign_of(value) == 0)
        return refuse(error, CANNOT_CREATE_INDEX, name, "is 0 or NaN");
    if (kind == SP_INDEX_WILDCARD && sign_of(value) < 0)
        return refuse(error, CANNOT_CREATE_INDEX, name, "is negative in a wildcard index");
    return true;
}

static bool is_reference_part(const char *part, size_t size)
{
    return (size == 3 && (memcmp(part, "$id", size) == 0 || memcmp(part, "$db", size) == 0)) ||
           (size == 4 && memcmp(part, "$ref", size) == 0);
}

/* Parts that are not empty and begin with no $, save those of a DBRef behind the first part. */
static bool check_parts(const char *name, sp_error_t *error)
{
    const char *part = name;
    for (bool first = true;; first = false) {
        size_t size = strcspn(part, ".");
        if (size == 0)
            return refuse(error, CANNOT_CREATE_INDEX, name, "has an empty part");
        if (part[0] == '$' && (first || !is_reference_part(part, size)))
            return refuse(error, CANNOT_CREATE_INDEX, name, "has a part that begins with $");
        if (part[size] == '\0')
            return true;
        part += size + 1;
    }
}

static bool check_name(const char *name, const sp_value_t *value, sp_index_kind_t kind,
                       sp_error_t *error)
{
    if (strcmp(name, "_fts") == 0 && kind != SP_INDEX_TEXT)
        return refuse(error, CANNOT_CREATE_INDEX, name, "is a name of text indexes' own");
    if (strcmp(name, wildcard) == 0 &&
        (value->type != BSON_TYPE_UTF8 || is_kind_word(value, SP_INDEX_TEXT)))
        return true;
    if (kind == SP_INDEX_WILDCARD && is_wildcard_name(name)) {
        char *start = bson_strndup(name, strlen(name) - strlen(wildcard_end));
        bool ok = check_parts(start, error);
        bson_free(start);
        return ok;
    }
    return check_parts(name, error);
}

static bool check_repeated(const bson_t *key, sp_error_t *error)
{
    bson_iter_t iter, before;
    bool more = bson_iter_init(&iter, key);
    for (unsigned place = 0; more && bson_iter_next(&iter); place++) {
        bool sound = bson_iter_init(&before, key);
        for (unsigned i = 0; sound && i < place && bson_iter_next(&before); i++) {
            if (strcmp(bson_iter_key(&before), bson_iter_key(&iter)) == 0)
                return refuse(error, BAD_VALUE, bson_iter_key(&iter), "comes twice");
        }
    }
    return true;
}

bool sp_index_pattern_check(const bson_t *key, sp_index_kind_t *kind, sp_error_t *error)
{
    bson_iter_t iter;
    if (bson_empty(key))
        return sp_error_set(error, SP_ERROR_RULE, CANNOT_CREATE_INDEX,
                            "the key pattern of an index is empty");
    if (!check_repeated(key, error) || !read_kind(key, kind, error))
        return false;
    bool ok = bson_iter_init(&iter, key);
    while (ok && bson_iter_next(&iter)) {
        sp_value_t value = sp_value_of(&iter);
        const char *name = bson_iter_key(&iter);
        ok = check_value(name, &value, *kind, error) && check_name(name, &value, *kind, error);
    }
    if (ok && *kind == SP_INDEX_WILDCARD && sp_index_pattern_fields(key) > 1)
        ok = sp_error_set(error, SP_ERROR_RULE, CANNOT_CREATE_INDEX,
                          "a wildcard index has one field");
    return ok;
}

/* Of a text field a server makes a weight, whose path has not even the parts of a DBRef. */
static bool check_weight(const char *name, sp_error_t *error)
{
    return strstr(name, ".$") == NULL || strcmp(name, wildcard) == 0 ||
           refuse(error, CANNOT_CREATE_INDEX, name, "is text, and has a part that begins with $");
}

bool sp_index_pattern_fits(const bson_t *key, sp_index_kind_t kind, sp_error_t *error)
{
    enum { BEFORE, IN_TEXT, AFTER } place = BEFORE;
    bson_iter_t iter;
    if (kind != SP_INDEX_TEXT)
        return true;
    for (bool more = bson_iter_init(&iter, key); more && bson_iter_next(&iter);) {
        sp_value_t value = sp_value_of(&iter);
        const char *name = bson_iter_key(&iter);
        bool is_text = value.type == BSON_TYPE_UTF8;
        if (strcmp(name, "_fts") == 0 || strcmp(name, "_ftsx") == 0)
            return refuse(error, CANNOT_CREATE_INDEX, name, "is a name of text indexes' own");
        if (is_text && place == AFTER)
            return refuse(error, CANNOT_CREATE_INDEX, name, "is text apart from the other text");
        if (!is_text && !is_direction(&value))
            return refuse(error, CANNOT_CREATE_INDEX, name,
                          "is neither 1 nor -1 beside a text field");
        if (is_text && !check_weight(name, error))
            return false;
        if (is_text)
            place = IN_TEXT;
        else if (place == IN_TEXT)
            place = AFTER;
    }
    return true;
}

static bool build_2d(const bson_t *key, sp_error_t *error)
{
    bson_iter_t iter;
    unsigned place = 0;
    bool seen = false;
    for (bool more = bson_iter_init(&iter, key); more && bson_iter_next(&iter); place++) {
        if (!BSON_ITER_HOLDS_UTF8(&iter))
            continue;
        if (seen)
            return refuse(error, TWO_2D_FIELDS, bson_iter_key(&iter), "is a second 2d field");
        if (place > 0)
            return refuse(error, LATE_2D_FIELD, bson_iter_key(&iter),
                          "is a 2d field that is not the first");
        seen = true;
    }
    return true;
}

bool sp_index_pattern_build(const bson_t *key, sp_index_kind_t kind, bool unique, sp_error_t *error)
{
    bson_iter_t iter;
    unsigned hashed = 0;
    if (sp_index_pattern_fields(key) > FIELDS_MAX)
        return sp_error_set(error, SP_ERROR_RULE, TOO_MANY_FIELDS, "an index has at most %d fields",
                            FIELDS_MAX);
    if (kind == SP_INDEX_2D)
        return build_2d(key, error);
    if (kind != SP_INDEX_HASHED)
        return true;
    if (unique)
        return sp_error_set(error, SP_ERROR_RULE, HASHED_IS_NOT_UNIQUE,
                            "a hashed index cannot be unique");
    for (bool more = bson_iter_init(&iter, key); more && bson_iter_next(&iter);)
        hashed += BSON_ITER_HOLDS_UTF8(&iter);
    return hashed <= 1 || sp_error_set(error, SP_ERROR_RULE, HASHED_TWICE,
                                       "an index has at most one hashed field");
}

bool sp_index_pattern_is_id(const bson_t *key)
{
    bson_iter_t iter;
    if (!bson_iter_init(&iter, key) || !bson_iter_next(&iter) ||
        strcmp(bson_iter_key(&iter), "_id") != 0)
        return false;
    sp_value_t value = sp_value_of(&iter);
    return is_direction(&value) && !bson_iter_next(&iter);
}

void sp_index_pattern_stored(const bson_t *key, sp_index_kind_t kind, bson_t *stored)
{
    bson_iter_t iter;
    bool seen = false;
    for (bool more = bson_iter_init(&iter, key); more && bson_iter_next(&iter);) {
        sp_value_t value = sp_value_of(&iter);
        if (kind != SP_INDEX_TEXT || value.type != BSON_TYPE_UTF8) {
            sp_value_append(stored, bson_iter_key(&iter), &value);
        } else if (!seen) {
            BSON_APPEND_UTF8(stored, "_fts", "text");
            BSON_APPEND_INT32(stored, "_ftsx", 1);
            seen = true;
        }
    }
}

unsigned sp_index_pattern_fields(const bson_t *key)
{
    return bson_count_keys(key);
}

bool sp_index_pattern_same(const bson_t *a, const bson_t *b)
{
    bson_iter_t left, right;
    if (!bson_iter_init(&left, a) || !bson_iter_init(&right, b))
        return false;
    while (bson_iter_next(&left)) {
        if (!bson_iter_next(&right) || strcmp(bson_iter_key(&left), bson_iter_key(&right)) != 0)
            return false;
        sp_value_t one = sp_value_of(&left), other = sp_value_of(&right);
        if (sp_value_compare(&one, &other) != 0)
            return false;
    }
    return !bson_iter_next(&right);
}
