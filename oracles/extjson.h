/*
 * Extended JSON v2, byte for byte.
 *
 * Cases, the `ask` format, corpora and reports are lines of it, and what is read must be what was
 * written: libbson's own reader and writer lose NaN payloads, non-canonical decimals, invalid
 * UTF-8, the order of regex options and more. A value for which canonical Extended JSON would not
 * read back to the same bytes is written as {"$raw": {"type": "01", "base64": "…"}}, our own
 * extension: the BSON type in hex and the value's bytes as they follow the field name.
 */
#ifndef SHARDPROOF_EXTJSON_H
#define SHARDPROOF_EXTJSON_H

#include "error.h"

#include <bson/bson.h>

/* The longest text that is read, and the largest document made from it, in bytes. The server's own
 * limit is 16 MiB for a stored document and 48 MB for a message. */
#define SP_JSON_TEXT_MAX     (64u << 20)
#define SP_JSON_DOCUMENT_MAX (48u << 20)

/*
 * Reads one JSON object into `doc`, which is initialised in any case and destroyed by the caller.
 * Nothing but white space may follow it. The order of fields and duplicate fields are kept.
 *
 * Canonical and relaxed forms are read alike: a bare integer is an int32 where it fits and else an
 * int64
 * (-0 is the int32 0), a bare real is a double, dates may be ISO 8601 strings. Beside $raw,
 * the legacy {"$binary": "…", "$type": "00"} and {"$uuid": "…"} are read. Only the exact names of
 * Extended JSON's wrappers mean anything, so {"$gt": 5} or {"$regex": "a", "$options": "i"} stay
 * documents; but a wrapper's name with anything else than its form is an error and never a
 * document. A document that has such a field is written as $raw of type 03; at the top level that
 * stands for the whole.
 *
 * Fails with SP_ERROR_INPUT, and the message names line, column (in characters), the field and what
 * was expected: the text is no strict JSON (RFC 8259, valid UTF-8), a number does not fit exactly,
 * a name holds a NUL, the nesting passes SP_DEPTH_MAX, or text or document are larger than the
 * limits above.
 */
bool sp_json_read(const char *text, size_t size, bson_t *doc, sp_error_t *error);

/*
 * The document as one line of canonical Extended JSON v2, terminated; free it with bson_free. Never
 * fails on a document that sp_document_check accepts, and returns NULL for any other. sp_json_read
 * gives the same bytes again as long as text and document are within its limits. `size` may be
 * NULL.
 */
char *sp_json_write(const bson_t *doc, size_t *size);

#endif
