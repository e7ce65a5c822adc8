/*
 * Sharded collections on a mongod-only cluster: made and dropped by the commands that a mongos
 * would send.
 *
 * Chunks are laid by zones: each shard has a zone of its own, and a collection that is sharded
 * while zones for it are there is given one chunk for each of their ranges, at once and on its
 * shard.
 */
#ifndef SHARDPROOF_SHARDED_H
#define SHARDPROOF_SHARDED_H

#include "chunks.h"

typedef struct sp_sharded {
    char collection[48];
    char ns[128]; /* database and collection */
    uint8_t uuid[SP_UUID_SIZE];
} sp_sharded_t;

/* Makes an empty collection in the session's database that is sharded by `key`, has the default
 * `collation` (NULL: none) and the chunks `chunks`, an array of [min, max, shard] in order; checks
 * the chunk table afterwards. Where it fails nothing is left to be dropped. */
bool sp_sharded_make(sp_session_t *session, const bson_t *key, const bson_t *collation,
                     const bson_iter_t *chunks, sp_sharded_t *made, sp_error_t *error);

/* Drops the collection, with its chunks and zones. */
bool sp_sharded_drop(sp_session_t *session, const char *collection, sp_error_t *error);

#endif
