/*
 * The versions under which a router sends commands on to the shards of one collection.
 *
 * A shard that is asked without one applies none of the rules for sharded collections.
 */
#ifndef SHARDPROOF_SHARD_VERSIONS_H
#define SHARDPROOF_SHARD_VERSIONS_H

#include "sharded.h"

typedef struct sp_shard_versions {
    bool owns[SP_SHARDS_MAX];       /* the session's shard i owns chunks */
    bson_t versions[SP_SHARDS_MAX]; /* {shardVersion: {t, e, v}} */
    unsigned count;
} sp_shard_versions_t;

/* Reads the versions of the collection as the catalogue has them now. `versions` is always
 * initialised and the caller clears it, also on failure. */
bool sp_shard_versions_read(sp_session_t *session, const sp_sharded_t *made,
                            sp_shard_versions_t *versions, sp_error_t *error);
void sp_shard_versions_clear(sp_shard_versions_t *versions);

#endif
