/*
 * Indexes of a sharded collection, as specifications and documents.
 */
#ifndef SHARDPROOF_GEN_INDEX_H
#define SHARDPROOF_GEN_INDEX_H

#include "producer.h"

#include <bson/bson.h>

/* Appends under `name` a key pattern that has to do with the shard key `key`, or not. `sound`: one
 * that a server takes, and whose entries the model knows. */
void sp_gen_index_pattern(sp_producer_t *producer, const bson_t *key, bool sound, bson_t *into,
                          const char *name);

/* Appends options to `into`, in any sequence; `sound`: such as a server takes one by one. */
void sp_gen_index_options(sp_producer_t *producer, bool sound, bson_t *into);

/* Appends under `name` a document with fields of the names that patterns have: few values, so that
 * keys repeat, and arrays. */
void sp_gen_index_document(sp_producer_t *producer, bson_t *into, const char *name);

#endif
