/*
 * Sharded collections on a mongod-only cluster: made, split, spread and dropped by the commands
 * that a mongos would send. Which of them is dangerous, and how, is told in docs/real-servers.md.
 */
#ifndef SHARDPROOF_SHARDED_H
#define SHARDPROOF_SHARDED_H

#include "session.h"

typedef struct sp_sharded {
    char collection[48];
    char ns[128]; /* database and collection */
    bson_t key;
    bson_t identity; /* uuid, lastmodEpoch and timestamp, as in config.collections */
} sp_sharded_t;

/* Makes an empty collection sharded by `key` with a single chunk in the session's database.
 * sp_sharded_clear in any case. */
bool sp_sharded_create(sp_session_t *session, const bson_t *key, sp_sharded_t *made,
                       sp_error_t *error);

/* Splits and moves until the chunks are as `chunks` says, an array of [min, max, shard] in order,
 * and checks the chunk table afterwards. */
bool sp_sharded_arrange(sp_session_t *session, const sp_sharded_t *made, const bson_iter_t *chunks,
                        sp_error_t *error);

/* Drops the collection on the servers. */
bool sp_sharded_drop(sp_session_t *session, const sp_sharded_t *made, sp_error_t *error);
void sp_sharded_clear(sp_sharded_t *made);

#endif
