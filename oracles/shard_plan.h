/*
 * Whether the shards can plan what a router, or anyone else, sends them.
 */
#ifndef SHARDPROOF_SHARD_PLAN_H
#define SHARDPROOF_SHARD_PLAN_H

#include "hash.h"
#include "targeting.h"

/* A shard plans the filter for the shard key's index and that on _id, whose collation is the
 * collection's. SP_ERROR_RULE with its code where it fails over that (plan.h). A filter that fixes
 * _id is found by its index alone, and nothing beside it is planned. */
bool sp_shard_plans(sp_arena_t *arena, sp_hasher_t *hasher, sp_version_t version,
                    const sp_layout_t *layout, const sp_parsed_query_t *parsed, sp_error_t *error);

#endif
