/*
 * A byte buffer that grows by doubling, so that building a text or a document is linear.
 *
 * Starts as all zeros. Running out of memory aborts, as everywhere in libbson.
 */
#ifndef SHARDPROOF_BYTES_H
#define SHARDPROOF_BYTES_H

#include <stddef.h>
#include <stdint.h>

typedef struct sp_bytes {
    uint8_t *data; /* from bson_malloc; NULL while nothing was ever added */
    size_t size;
    size_t capacity;
} sp_bytes_t;

/* Makes the buffer `count` bytes longer and returns where they start; the caller fills them. Good
 * until the buffer grows again. */
uint8_t *sp_bytes_extend(sp_bytes_t *bytes, size_t count);

void sp_bytes_append(sp_bytes_t *bytes, const void *data, size_t count);
void sp_bytes_append_text(sp_bytes_t *bytes, const char *text);
void sp_bytes_append_byte(sp_bytes_t *bytes, uint8_t byte);

/* Integers in BSON's byte order. */
void sp_bytes_append_u32(sp_bytes_t *bytes, uint32_t number);
void sp_bytes_append_u64(sp_bytes_t *bytes, uint64_t number);
void sp_bytes_store_u32(sp_bytes_t *bytes, size_t at, uint32_t number);

/* Frees the memory and leaves an empty buffer. */
void sp_bytes_free(sp_bytes_t *bytes);

#endif
