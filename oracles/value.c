#include "value.h"

#include <assert.h>
#include <string.h>

sp_value_t sp_value_of(const bson_iter_t *iter)
{
    uint32_t start = iter->key + (uint32_t)strlen((const char *)iter->raw + iter->key) + 1;
    assert(start <= iter->next_off);
    return (sp_value_t){
        .type = (bson_type_t)iter->raw[iter->off],
        .size = iter->next_off - start,
        .data = iter->raw + start,
    };
}

bool sp_value_children(const sp_value_t *value, bson_iter_t *iter)
{
    if (value->type == BSON_TYPE_CODEWSCOPE) {
        sp_value_t scope = sp_value_scope(value);
        return bson_iter_init_from_data(iter, scope.data, scope.size);
    }
    return bson_iter_init_from_data(iter, value->data, value->size);
}

bool sp_value_document(const bson_iter_t *iter, bson_t *doc)
{
    sp_value_t value = sp_value_of(iter);
    return value.type == BSON_TYPE_DOCUMENT && bson_init_static(doc, value.data, value.size);
}

bool sp_value_append(bson_t *doc, const char *key, const sp_value_t *value)
{
    /* libbson has no call that appends raw value bytes, but it can append what an iterator stands
     * on; a one-field document around the bytes gives it one. */
    uint32_t key_size = (uint32_t)strlen(key) + 1;
    uint32_t size = 4 + 1 + key_size + value->size + 1;
    uint8_t small[256];
    uint8_t *raw = size <= sizeof small ? small : bson_malloc(size);
    uint32_t size_le = BSON_UINT32_TO_LE(size);
    memcpy(raw, &size_le, 4);
    raw[4] = (uint8_t)value->type;
    memcpy(raw + 5, key, key_size);
    if (value->size > 0) /* null and its like may have no data at all */
        memcpy(raw + 5 + key_size, value->data, value->size);
    raw[size - 1] = 0;

    bson_t whole;
    bool ok = bson_init_static(&whole, raw, size) && bson_concat(doc, &whole);
    if (raw != small)
        bson_free(raw);
    return ok;
}

bool sp_value_same(const sp_value_t *a, const sp_value_t *b)
{
    return a->type == b->type && a->size == b->size &&
           (a->size == 0 || memcmp(a->data, b->data, a->size) == 0);
}

bool sp_value_holds_symbol(const sp_value_t *value)
{
    bson_iter_t iter;
    if (value->type == BSON_TYPE_SYMBOL)
        return true;
    if ((value->type != BSON_TYPE_DOCUMENT && value->type != BSON_TYPE_ARRAY) ||
        !sp_value_children(value, &iter))
        return false;
    while (bson_iter_next(&iter)) {
        sp_value_t child = sp_value_of(&iter);
        if (sp_value_holds_symbol(&child))
            return true;
    }
    return false;
}

bool sp_value_is_number(const sp_value_t *value)
{
    return value->type == BSON_TYPE_INT32 || value->type == BSON_TYPE_INT64 ||
           value->type == BSON_TYPE_DOUBLE || value->type == BSON_TYPE_DECIMAL128;
}

bool sp_value_has_children(const sp_value_t *value)
{
    return value->type == BSON_TYPE_DOCUMENT || value->type == BSON_TYPE_ARRAY ||
           value->type == BSON_TYPE_CODEWSCOPE;
}

static uint32_t load_u32(const uint8_t *data)
{
    uint32_t little;
    memcpy(&little, data, sizeof little);
    return BSON_UINT32_FROM_LE(little);
}

int32_t sp_value_int32(const sp_value_t *value)
{
    assert(value->size >= 4);
    return (int32_t)load_u32(value->data);
}

int64_t sp_value_int64(const sp_value_t *value)
{
    assert(value->size >= 8);
    uint64_t little;
    memcpy(&little, value->data, sizeof little);
    return (int64_t)BSON_UINT64_FROM_LE(little);
}

double sp_value_double(const sp_value_t *value)
{
    int64_t bits = sp_value_int64(value);
    double number;
    memcpy(&number, &bits, sizeof number);
    return number;
}

const char *sp_value_text(const sp_value_t *value, uint32_t *size)
{
    assert(value->size >= 5);
    *size = load_u32(value->data) - 1;
    assert(*size <= value->size - 5);
    return (const char *)value->data + 4;
}

const char *sp_value_scoped_code(const sp_value_t *value, uint32_t *size)
{
    assert(value->type == BSON_TYPE_CODEWSCOPE && value->size >= 14);
    *size = load_u32(value->data + 4) - 1;
    assert(*size <= value->size - 14);
    return (const char *)value->data + 8;
}

sp_value_t sp_value_scope(const sp_value_t *value)
{
    uint32_t code_size;
    const char *code = sp_value_scoped_code(value, &code_size);
    const uint8_t *scope = (const uint8_t *)code + code_size + 1;
    return (sp_value_t){
        .type = BSON_TYPE_DOCUMENT,
        .size = value->size - (uint32_t)(scope - value->data),
        .data = scope,
    };
}

/* libbson looks at the outer length of code with scope only: here the code's and the scope's own
 * lengths must fill it exactly. */
static bool scoped_code_is_sound(const sp_value_t *value)
{
    const uint32_t least = 4 + 4 + 1 + 5; /* whole length, code length, empty code, empty scope */
    if (value->size < least)
        return false;
    uint32_t code_size = load_u32(value->data + 4);
    return code_size >= 1 && code_size <= value->size - least + 1 &&
           value->data[8 + code_size - 1] == 0 &&
           load_u32(value->data + 8 + code_size) == value->size - 8 - code_size;
}

static bool check_fields(bson_iter_t *iter, unsigned depth, sp_error_t *error)
{
    if (depth > SP_DEPTH_MAX)
        return sp_error_set(error, SP_ERROR_INPUT, 0,
                            "the document is nested more than %d deep, which no server accepts",
                            SP_DEPTH_MAX);
    while (bson_iter_next(iter)) {
        sp_value_t value = sp_value_of(iter);
        if (!sp_value_has_children(&value))
            continue;
        bson_iter_t inner;
        if ((value.type == BSON_TYPE_CODEWSCOPE && !scoped_code_is_sound(&value)) ||
            !sp_value_children(&value, &inner))
            return sp_error_set(error, SP_ERROR_INPUT, 0, "the field '%s' holds a broken document",
                                bson_iter_key(iter));
        if (!check_fields(&inner, depth + 1, error))
            return false;
    }
    if (iter->err_off != 0)
        return sp_error_set(error, SP_ERROR_INPUT, 0, "the BSON is broken at byte %u of a document",
                            iter->err_off);
    return true;
}

bool sp_document_check(const bson_t *doc, sp_error_t *error)
{
    bson_iter_t iter;
    if (!bson_iter_init(&iter, doc))
        return sp_error_set(error, SP_ERROR_INPUT, 0, "this is no BSON document");
    return check_fields(&iter, 1, error);
}
