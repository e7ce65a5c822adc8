#include "bytes.h"

#include <assert.h>
#include <bson/bson.h>
#include <string.h>

uint8_t *sp_bytes_extend(sp_bytes_t *bytes, size_t count)
{
    assert(count <= SIZE_MAX / 2 - bytes->size);
    size_t needed = bytes->size + count;
    if (bytes->data == NULL || needed > bytes->capacity) {
        size_t capacity = bytes->capacity < 256 ? 256 : bytes->capacity;
        while (capacity < needed)
            capacity *= 2;
        bytes->data = bson_realloc(bytes->data, capacity);
        bytes->capacity = capacity;
    }
    uint8_t *start = bytes->data + bytes->size;
    bytes->size = needed;
    return start;
}

void sp_bytes_append(sp_bytes_t *bytes, const void *data, size_t count)
{
    uint8_t *to = sp_bytes_extend(bytes, count);
    if (count > 0)
        memcpy(to, data, count);
}

void sp_bytes_append_text(sp_bytes_t *bytes, const char *text)
{
    sp_bytes_append(bytes, text, strlen(text));
}

void sp_bytes_append_byte(sp_bytes_t *bytes, uint8_t byte)
{
    *sp_bytes_extend(bytes, 1) = byte;
}

void sp_bytes_append_u32(sp_bytes_t *bytes, uint32_t number)
{
    uint32_t little = BSON_UINT32_TO_LE(number);
    sp_bytes_append(bytes, &little, sizeof little);
}

void sp_bytes_append_u64(sp_bytes_t *bytes, uint64_t number)
{
    uint64_t little = BSON_UINT64_TO_LE(number);
    sp_bytes_append(bytes, &little, sizeof little);
}

void sp_bytes_store_u32(sp_bytes_t *bytes, size_t at, uint32_t number)
{
    assert(at <= bytes->size && bytes->size - at >= 4);
    uint32_t little = BSON_UINT32_TO_LE(number);
    memcpy(bytes->data + at, &little, sizeof little);
}

void sp_bytes_free(sp_bytes_t *bytes)
{
    bson_free(bytes->data);
    *bytes = (sp_bytes_t){0};
}
