/*
 * Key patterns of indexes: {a: 1, "b.c": -1, d: "hashed"}.
 *
 * Observed on 6.0.5 and 6.0.27; docs/rules-index.md.
 */
#ifndef SHARDPROOF_INDEX_PATTERN_H
#define SHARDPROOF_INDEX_PATTERN_H

#include "value.h"

/* What a server goes by in whichever field of the pattern it comes first. */
typedef enum sp_index_kind {
    SP_INDEX_PLAIN,
    SP_INDEX_HASHED,
    SP_INDEX_TEXT,
    SP_INDEX_2D,
    SP_INDEX_2DSPHERE,
    SP_INDEX_2DSPHERE_BUCKET,
    SP_INDEX_WILDCARD,
} sp_index_kind_t;

/* What is refused when the pattern is read: SP_ERROR_RULE, 67 for names and values, 2 for a path
 * that comes twice. */
bool sp_index_pattern_check(const bson_t *key, sp_index_kind_t *kind, sp_error_t *error);

/* What is refused (67) once the whole specification was read: the make-up of text indexes. */
bool sp_index_pattern_fits(const bson_t *key, sp_index_kind_t kind, sp_error_t *error);

/* What is refused when the index is about to be built: 13103 for more than 32 fields, 16764 for a
 * unique hashed index, 31303 for two hashed fields, 16800 to 16802 for 2d indexes. */
bool sp_index_pattern_build(const bson_t *key, sp_index_kind_t kind, bool unique,
                            sp_error_t *error);

/* {_id: 1} and {_id: -1}, also where that is only the integer part of the number: a specification
 * of the _id index. */
bool sp_index_pattern_is_id(const bson_t *key);

/* Appends the pattern as it is stored: a text index has _fts and _ftsx in place of its text fields.
 */
void sp_index_pattern_stored(const bson_t *key, sp_index_kind_t kind, bson_t *stored);

unsigned sp_index_pattern_fields(const bson_t *key);

/* Same names in the same order, with values that compare as equal. */
bool sp_index_pattern_same(const bson_t *a, const bson_t *b);

#endif
