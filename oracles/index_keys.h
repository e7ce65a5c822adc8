/*
 * The keys that a document has in an index.
 *
 * Observed on 6.0.5 and 6.0.27, which do not differ (tests/test_index_keys.c has the values):
 *   - An array that a path ends at gives a key for each element, as it is: the elements of an array
 *     in it are not looked at. An empty one gives undefined.
 *   - A path goes on into each element of an array; what is no object there, an array too, counts
 *     as missing. So does what is in an empty array.
 *   - A path part that is a number takes that element of an array instead, where it has so many;
 * the other elements are not looked at, and an array that a path ends at so is a key as it is (an
 *     empty one again undefined).
 *   - Several fields may go through one array, element by element together.
 *   - What is missing counts as null. A sparse index leaves out a key whose fields are all missing.
 */
#ifndef SHARDPROOF_INDEX_KEYS_H
#define SHARDPROOF_INDEX_KEYS_H

#include "arena.h"
#include "collator.h"
#include "hash.h"
#include "index.h"
#include "version.h"

/* An index, made ready for documents. */
typedef struct sp_keyed_index sp_keyed_index_t;

/* `index` is copied, but for its partial filter, which must outlive what is made here. An index
 * without a collation of its own takes `collation`, the collection's default (NULL: simple).
 * SP_ERROR_INPUT for kinds of index that this model does not know (text, wildcard, …), and for
 * filters and collations that a server would not take. */
sp_keyed_index_t *sp_keyed_index_new(const sp_index_t *index, const bson_t *collation,
                                     sp_version_t version, sp_error_t *error);
void sp_keyed_index_free(sp_keyed_index_t *index); /* NULL is fine */

unsigned sp_keyed_index_fields(const sp_keyed_index_t *index);

/* Keys in no particular order; some may be equal. */
typedef struct sp_index_keys {
    unsigned count;
    unsigned capacity;
    sp_value_t *values; /* of key i, field j: values[i * fields + j] */
} sp_index_keys_t;

/* Adds to `keys`, which was initialised with zeros, all keys of `doc`; hashed fields as the hash.
 * The values borrow from `doc`, all else lies in the arena. SP_ERROR_RULE with the server's code
 * where the document cannot be in the index: 171 CannotIndexParallelArrays, 16746 for an array that
 * has both the element and the field that a number in a path names, 16766 for an array anywhere on
 * the way in an index with a hashed field, 201 CannotBuildIndexKeys for a symbol anywhere in a key
 * of an index with a collation. */
bool sp_keyed_index_keys(const sp_keyed_index_t *index, sp_hasher_t *hasher, sp_arena_t *arena,
                         const bson_t *doc, sp_index_keys_t *keys, sp_error_t *error);

/* Whether the index takes any key of `a` for one of `b`. */
bool sp_keyed_index_meet(const sp_keyed_index_t *index, const sp_index_keys_t *a,
                         const sp_index_keys_t *b);

#endif
