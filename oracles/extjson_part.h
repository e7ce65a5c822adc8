/*
 * What stands inside the wrappers of Extended JSON: strings with a meaning, and objects of fixed
 * members.
 *
 * Internal to the Extended JSON reader.
 */
#ifndef SHARDPROOF_EXTJSON_PART_H
#define SHARDPROOF_EXTJSON_PART_H

#include "extjson_wrapper.h"

typedef enum sp_json_kind {
    SP_JSON_STRING,
    SP_JSON_CSTRING, /* a string without NUL */
    SP_JSON_UINT32,  /* a bare integer */
    SP_JSON_OID,     /* {"$oid": "…"}: its part holds the twelve bytes */
} sp_json_kind_t;

typedef struct sp_json_member {
    const char *name;
    sp_json_kind_t kind;
    sp_json_part_t part;
    uint32_t number;
} sp_json_member_t;

/* The part's text; good until the arena grows. */
const char *sp_json_part_text(const sp_json_scan_t *scan, const sp_json_part_t *part);

/* Reads a string into the arena. `what` names it in messages. */
bool sp_json_read_part(sp_json_scan_t *scan, const char *what, bool no_nul, sp_json_part_t *part);

/* Fails with "$name 'the part' why". */
bool sp_json_fail_part(sp_json_scan_t *scan, const char *name, const sp_json_part_t *part,
                       const char *why);

/* Reads an object that has each of the members once, in any order, and nothing else. */
bool sp_json_read_members(sp_json_scan_t *scan, const char *name, sp_json_member_t *members,
                          size_t count);

/* Decodes `size` bytes from exactly twice as many hexadecimal digits. */
bool sp_json_part_hex(const sp_json_scan_t *scan, const sp_json_part_t *part, uint8_t *bytes,
                      size_t size);

/* Reads a string of 24 hexadecimal digits; `part` then holds the twelve bytes. */
bool sp_json_read_oid(sp_json_scan_t *scan, sp_json_part_t *part);

#endif
