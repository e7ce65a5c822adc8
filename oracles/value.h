/*
 * A BSON value as bytes: its type and the bytes that follow its field name.
 *
 * Hashing and ordering look at raw bytes (NaN payloads, binary subtype 2 with its inner length,
 * non-canonical decimals), which bson_value_t does not keep. A value borrows from the document it
 * was taken from and is good as long as that is unchanged.
 */
#ifndef SHARDPROOF_VALUE_H
#define SHARDPROOF_VALUE_H

#include "error.h"

#include <bson/bson.h>

/* Deepest nesting that is looked at. The server's own limit is 200 (BSONDepth in 6.0: 180 for
 * clients); deeper documents are refused by sp_document_check, so recursion everywhere else is
 * bounded. */
#define SP_DEPTH_MAX 200

typedef struct sp_value {
    bson_type_t type; /* BSON_TYPE_EOD: no value, as for a missing field */
    uint32_t size;
    const uint8_t *data;
} sp_value_t;

/* The value that `iter` stands on. */
sp_value_t sp_value_of(const bson_iter_t *iter);

/* Iterates the fields of an object, array or scope. False where the bytes are no document. */
bool sp_value_children(const sp_value_t *value, bson_iter_t *iter);

/* The object that `iter` stands on as a document, borrowed; false where it is none (arrays are
 * not). */
bool sp_value_document(const bson_iter_t *iter, bson_t *doc);

/* Appends the value under `key`, byte for byte. False only where `doc` would pass BSON's 2 GiB. */
bool sp_value_append(bson_t *doc, const char *key, const sp_value_t *value);

/* Whether both are of one type and the same bytes. */
bool sp_value_same(const sp_value_t *a, const sp_value_t *b);

/* Whether the value is a symbol, or an object or array with one in it; scopes of code are not
 * looked into. */
bool sp_value_holds_symbol(const sp_value_t *value);

/* Numbers of all four types. */
bool sp_value_is_number(const sp_value_t *value);
/* Objects, arrays and code with scope: what has fields inside. */
bool sp_value_has_children(const sp_value_t *value);

int32_t sp_value_int32(const sp_value_t *value);
int64_t sp_value_int64(const sp_value_t *value);
double sp_value_double(const sp_value_t *value);
/* A string's, symbol's or code's bytes, without the closing NUL. */
const char *sp_value_text(const sp_value_t *value, uint32_t *size);
/* The code and the scope of code with scope. */
const char *sp_value_scoped_code(const sp_value_t *value, uint32_t *size);
sp_value_t sp_value_scope(const sp_value_t *value);

/* Whether `doc` is sound through and through (lengths, terminators, types, UTF-8 not looked at) and
 * at most SP_DEPTH_MAX deep. Everything else in this library may assume it. SP_ERROR_INPUT with the
 * field. */
bool sp_document_check(const bson_t *doc, sp_error_t *error);

#endif
