/*
 * The hashed index value of a BSON value.
 *
 * MD5 over a seed of four zero bytes and the value, of which the first eight bytes are a
 * little-endian int64. A value goes in as its class (int32), its name with the closing NUL where it
 * is a field of another, then: a number as the int64 of sp_number_for_hash; objects, arrays and
 * scopes field by field and then an end mark; everything else as its raw bytes. So 1, 1.9 and
 * NumberDecimal("1") hash alike, and that is a promise of the documentation only for the first two.
 * Source: observed, `hash` area, 6.0.5 and 6.0.27.
 */
#ifndef SHARDPROOF_HASH_H
#define SHARDPROOF_HASH_H

#include "value.h"

/* The working memory of one MD5; for one thread at a time. */
typedef struct sp_hasher sp_hasher_t;

/* NULL where OpenSSL offers no MD5 (FIPS mode): SP_ERROR_SYSTEM. */
sp_hasher_t *sp_hasher_new(sp_error_t *error);
void sp_hasher_free(sp_hasher_t *hasher); /* NULL is fine */

int64_t sp_hash_value(sp_hasher_t *hasher, const sp_value_t *value);

#endif
