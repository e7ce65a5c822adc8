/*
 * The indexes of a collection that is to be sharded, and the one that sharding makes.
 */
#ifndef SHARDPROOF_SHARD_INDEXES_H
#define SHARDPROOF_SHARD_INDEXES_H

#include "shard_request.h"

/* Whether the collection's indexes let it be sharded, and whether an index must be made for it
 * (`makes`). SP_ERROR_RULE with the server's code where not: 72 for a unique index that does not
 * begin with the shard key, for none that supports it, and for one that is not unique and should
 * be; or what the index that had to be made is refused with. */
bool sp_shard_indexes_check(const sp_shard_request_t *request, sp_version_t version, bool *makes,
                            sp_error_t *error);

/* The name of an index that is made for the shard key; to be freed. */
char *sp_shard_index_name(const bson_t *key);

#endif
