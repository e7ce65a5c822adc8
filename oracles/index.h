/*
 * An index as createIndexes and listIndexes describe it: key pattern and options.
 */
#ifndef SHARDPROOF_INDEX_H
#define SHARDPROOF_INDEX_H

#include "value.h"

#include <stdbool.h>

typedef struct sp_index {
    bson_t key;       /* borrowed */
    const char *name; /* borrowed; NULL: none given */
    bool unique, prepare_unique, sparse, hidden;
    bool has_partial, has_collation;
    bson_t partial, collation; /* borrowed */
    sp_value_t expire;         /* expireAfterSeconds, of whatever type; BSON_TYPE_EOD: none */
} sp_index_t;

/* Reads {key: {…}, name, unique, prepareUnique, sparse, hidden, partialFilterExpression, collation,
 * expireAfterSeconds}, whose parts must outlive `index`; anything else in it is left alone.
 * SP_ERROR_INPUT where it has no key that is a document, or an option that is not of the type it
 * should be. Whether a server would take the index is not looked at (index_spec.h does). */
bool sp_index_read(const bson_t *spec, sp_index_t *index, sp_error_t *error);

/* What a server takes for a flag: a boolean or a number. False for anything else. */
bool sp_index_flag(const sp_value_t *value, bool *flag);

#endif
