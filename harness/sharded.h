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

/* The zone of the shard called s1 is shardproof-s1: a cluster may have zones of its own. */
#define SP_ZONE_PREFIX "shardproof-"

typedef struct sp_sharded {
    char collection[48];
    char ns[128]; /* database and collection */
    uint8_t uuid[SP_UUID_SIZE];
} sp_sharded_t;

typedef struct sp_sharded_spec {
    const bson_t *key;
    const bson_t *collation; /* the collection's default; NULL: none */
    const bson_t *indexes;   /* those made before it is sharded, as createIndexes takes them: an
                                array; NULL: none */
    bool unique;
    const bson_iter_t *chunks; /* stands on an array of [min, max, shard] in order */
} sp_sharded_spec_t;

/* Makes an empty collection in the session's database, sharded as `sharding` says; checks the chunk
 * table afterwards. Where it fails nothing is left to be dropped; SP_ERROR_SERVER where a server
 * refuses the collection, an index or the sharding. */
bool sp_sharded_make_as(sp_session_t *session, const sp_sharded_spec_t *sharding,
                        sp_sharded_t *made, sp_error_t *error);

/* Makes an empty collection in the session's database that is sharded by `key`, has the default
 * `collation` (NULL: none) and the chunks `chunks`, an array of [min, max, shard] in order; checks
 * the chunk table afterwards. Where it fails nothing is left to be dropped. */
bool sp_sharded_make(sp_session_t *session, const bson_t *key, const bson_t *collation,
                     const bson_iter_t *chunks, sp_sharded_t *made, sp_error_t *error);

/* The same, sharded with `unique`, which no key with a hashed field can be. */
bool sp_sharded_make_unique(sp_session_t *session, const bson_t *key, const bson_t *collation,
                            const bson_iter_t *chunks, sp_sharded_t *made, sp_error_t *error);

/* Deletes all documents of the collection on every shard, past any router: wherever they are. */
bool sp_sharded_empty(sp_session_t *session, const char *collection, sp_error_t *error);

/* Drops the collection, with its chunks and zones. */
bool sp_sharded_drop(sp_session_t *session, const char *collection, sp_error_t *error);

#endif
