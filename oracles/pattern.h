/*
 * Shard key patterns: {a: 1}, {"a.b": 1, _id: "hashed"}.
 */
#ifndef SHARDPROOF_PATTERN_H
#define SHARDPROOF_PATTERN_H

#include "arena.h"
#include "value.h"
#include "version.h"

#define SP_PATTERN_FIELDS_MAX 32 /* as many as an index may have */

typedef struct sp_path {
    char *text;    /* "a.b" */
    uint32_t size; /* of the text, in bytes */
    char *parts;   /* "a\0b\0" */
    unsigned part_count;
} sp_path_t;

typedef struct sp_pattern {
    unsigned field_count;
    sp_path_t fields[SP_PATTERN_FIELDS_MAX];
    int hashed; /* index of the hashed field, -1 for none */
} sp_pattern_t;

/* Reads a pattern that some server takes. SP_ERROR_RULE with the code that servers give for what is
 * none: 2 BadValue for no field, a value other than "hashed" and the numbers that
 * sp_number_for_hash makes 1, two hashed fields, an empty path part, a part that begins with $ and
 * is not $id, $ref or $db behind the first part, one path twice; 13103 for too many fields. One
 * path may lead into another ({a: 1, "a.b": 1}). Observed on 6.0.5 to 6.0.27; what some versions
 * alone take is told apart by sp_pattern_check. */
sp_pattern_t *sp_pattern_new(const bson_t *pattern, sp_error_t *error);
void sp_pattern_free(sp_pattern_t *pattern); /* NULL is fine */

/* What a server of that version looks at before it looks at collection and indexes: 2 BadValue as
 * above, but neither for a path that comes twice nor for many fields, which only the making of an
 * index refuses. */
bool sp_pattern_check(const bson_t *pattern, sp_version_t version, sp_error_t *error);

/* Whether a field of `key`, a key pattern of an index or a shard key, valid or not, is "hashed". */
bool sp_pattern_names_hashed(const bson_t *key);
/* Whether it is {_id: 1} in any direction and type, and so the index that every collection has. */
bool sp_pattern_is_id(const bson_t *key);

/* A shard key value: `values`, one for each field, under the pattern's names. `key` lies in the
 * arena and needs no destroying. */
void sp_pattern_key(const sp_pattern_t *pattern, sp_arena_t *arena, const sp_value_t *values,
                    bson_t *key);

/* Whether `key` has a value for each field of the pattern and nothing else: the right names in the
 * right places, as chunk bounds must. SP_ERROR_INPUT says what is wrong. */
bool sp_pattern_fits(const sp_pattern_t *pattern, const bson_t *key, sp_error_t *error);

/* Whether a server takes the value, or all of `bound`, as a split point: it refuses (SP_ERROR_RULE,
 * 2 BadValue) regular expressions, and objects with a field name that begins with $, though
 * documents may hold both in their shard key fields. Observed on 6.0.5. */
bool sp_pattern_value_storable(const sp_value_t *value);
bool sp_pattern_bound_storable(const bson_t *bound, sp_error_t *error);

/* Whether `bound` is taken as a split point but breaks the collection (docs/findings.md, 1 and 4):
 * a value is code whose scope has a field name that begins with $, which the shards' own chunk
 * cache can never write, so that they hang; or a number in it is one that an index misreads, so
 * that a chunk moved from there stays where it was for the config server. */
bool sp_pattern_bound_breaks(const bson_t *bound);

#endif
