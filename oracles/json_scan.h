/*
 * Strict JSON (RFC 8259), token by token, and where in the text and in the document it went wrong.
 *
 * Internal to the Extended JSON reader.
 */
#ifndef SHARDPROOF_JSON_SCAN_H
#define SHARDPROOF_JSON_SCAN_H

#include "bytes.h"
#include "error.h"
#include "value.h"

#define SP_JSON_NO_KEY SIZE_MAX

typedef struct sp_json_scan {
    const char *text;
    size_t size;
    size_t at;                 /* the next byte to look at */
    sp_bytes_t out;            /* the BSON so far */
    sp_bytes_t arena;          /* strings that are not BSON themselves, such as a wrapper's parts */
    unsigned depth;            /* documents and arrays that are open */
    size_t keys[SP_DEPTH_MAX]; /* where in `out` each open one's current field name starts */
    bool has_raw;              /* whether a $raw was read */
    sp_error_t *error;
} sp_json_scan_t;

/* Sets the error `message` for the byte `where` of the text and returns false. */
bool sp_json_fail(sp_json_scan_t *scan, size_t where, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Fails with "expected WHAT but found …" at the next byte. */
bool sp_json_fail_expected(sp_json_scan_t *scan, const char *what);

/* Skips white space; the next byte, or -1 at the end of the text. */
int sp_json_peek(sp_json_scan_t *scan);
/* Skips white space and then exactly `byte`. */
bool sp_json_take(sp_json_scan_t *scan, char byte);
/* Takes `word` where it comes next; false, without an error, where it does not. */
bool sp_json_take_word(sp_json_scan_t *scan, const char *word);

/* Reads a string and appends it unescaped and without a terminator. `what` names it in messages.
 * With `no_nul`, \u0000 is refused. */
bool sp_json_string(sp_json_scan_t *scan, const char *what, bool no_nul, sp_bytes_t *to);

/* Length of the JSON number at the start of `text`, 0 where none is; `integral`: without fraction
 * and exponent. */
size_t sp_json_number_length(const char *text, size_t size, bool *integral);

#endif
