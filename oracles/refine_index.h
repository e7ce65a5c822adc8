/*
 * Whether the indexes of a collection allow its shard key to be refined.
 */
#ifndef SHARDPROOF_REFINE_INDEX_H
#define SHARDPROOF_REFINE_INDEX_H

#include "key_index.h"

/* An index of the shard that is asked, the one that owns the first chunk. */
typedef struct sp_refine_index {
    sp_index_t index; /* with the collection's collation where it has none of its own */
    bool multikey;
} sp_refine_index_t;

/* `unique`: the collection is sharded with unique: true. SP_ERROR_RULE 72 where a unique index does
 * not go with `new_key`, or none supports it, 96 in older
 * versions where one looks as if it did. `new_key` has passed sp_pattern_check. */
bool sp_refine_check_indexes(const sp_refine_index_t *indexes, unsigned count, bool unique,
                             const bson_t *new_key, sp_version_t version, sp_error_t *error);

#endif
