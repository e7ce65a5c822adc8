/*
 * Indexes that a collection has when it is to be sharded, and its documents.
 *
 * Only such are drawn as a server makes: what is refused is asked by the area `index`.
 */
#ifndef SHARDPROOF_GEN_SHARD_INDEX_H
#define SHARDPROOF_GEN_SHARD_INDEX_H

#include "producer.h"

#include <bson/bson.h>

typedef struct sp_index_draw {
    bool collated; /* the collection has a collation */
    bool capped;
    bool unique, hashed, text; /* one of the indexes is; filled here */
} sp_index_draw_t;

/* Appends to the array `indexes` some indexes, most of them on `key` or what is like it. `key` is
 * sound. */
void sp_gen_shard_indexes(sp_producer_t *producer, const bson_t *key, sp_index_draw_t *draw,
                          bson_t *indexes);
/* Those of a time series collection with the time field t and the meta field m. */
void sp_gen_series_indexes(sp_producer_t *producer, bson_t *indexes);

/* Appends to the array `docs` some documents that all these indexes take. */
void sp_gen_shard_docs(sp_producer_t *producer, const sp_index_draw_t *draw, bson_t *docs);
void sp_gen_series_docs(sp_producer_t *producer, bson_t *docs);

#endif
