/*
 * The objects by which Extended JSON gives what JSON lacks, such as {"$oid": "…"}.
 *
 * Internal to the Extended JSON reader and writer.
 */
#ifndef SHARDPROOF_EXTJSON_WRAPPER_H
#define SHARDPROOF_EXTJSON_WRAPPER_H

#include "json_scan.h"

/* A string kept in the arena, terminated, and where in the text it started. */
typedef struct sp_json_part {
    bool given;
    size_t start;
    size_t size;
    size_t where;
} sp_json_part_t;

typedef struct sp_json_wrapper sp_json_wrapper_t;

/* The wrapper of that name, or NULL. A field of such a name is never an ordinary field in a text.
 */
const sp_json_wrapper_t *sp_json_wrapper_find(const char *name, size_t size);
const char *sp_json_wrapper_name(const sp_json_wrapper_t *wrapper);

/* The name of the field that may come before the wrapper's own as well as after it, or NULL: the
 * order of the two means nothing. `type` is what that field's value must be. */
const char *sp_json_wrapper_partner(const sp_json_wrapper_t *wrapper, bson_type_t *type);

/* Reads a wrapper from behind its name to behind its closing brace and appends the value's bytes.
 * `early` holds the value of the partner where that came first: a string's text, a document's
 * bytes. */
bool sp_json_read_wrapper(sp_json_scan_t *scan, const sp_json_wrapper_t *wrapper,
                          const sp_json_part_t *early, bson_type_t *type);

/* Reads any value and appends its bytes; in extjson_read.c, for the scope of code. */
bool sp_json_read_value(sp_json_scan_t *scan, bson_type_t *type);

#endif
