/*
 * The shard key value of a document.
 */
#ifndef SHARDPROOF_EXTRACT_H
#define SHARDPROOF_EXTRACT_H

#include "hash.h"
#include "pattern.h"

/* Follows `path` into `doc`. A missing field, or one inside something that is neither object nor
 * array, gives BSON_TYPE_EOD; an array at the end or on the way is given as it is, for the caller
 * to refuse. Of two fields with one name the first counts. */
sp_value_t sp_extract_path(const bson_t *doc, const sp_path_t *path);

/* Appends the shard key value of `doc` to `key` (initialised by the caller), the hashed field as
 * the hash. What is missing counts as null. SP_ERROR_RULE 61 ShardKeyNotFound where an array is in
 * the way. */
bool sp_extract_key(const sp_pattern_t *pattern, sp_hasher_t *hasher, const bson_t *doc,
                    bson_t *key, sp_error_t *error);

#endif
