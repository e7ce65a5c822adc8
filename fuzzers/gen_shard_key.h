/*
 * Shard key patterns for shardCollection, sound ones and others.
 */
#ifndef SHARDPROOF_GEN_SHARD_KEY_H
#define SHARDPROOF_GEN_SHARD_KEY_H

#include "producer.h"

#include <bson/bson.h>

/* Appends to `key` a pattern that every server takes, with 1 as an int32. */
void sp_gen_sound_shard_key(sp_producer_t *producer, bson_t *key);
/* The same for a time series collection with the time field t and the meta field m. */
void sp_gen_series_shard_key(sp_producer_t *producer, bson_t *key);

/* Appends the same pattern with 1 in other types, or as another number that counts as 1. */
void sp_gen_shard_key_spelling(sp_producer_t *producer, const bson_t *sound, bson_t *key);

/* Appends a pattern that is refused, by most versions at least: for a value, a path, the number of
 * its fields, or only when its index is made. */
void sp_gen_unsound_shard_key(sp_producer_t *producer, bson_t *key);
/* The same for a time series collection. */
void sp_gen_unsound_series_key(sp_producer_t *producer, bson_t *key);

#endif
