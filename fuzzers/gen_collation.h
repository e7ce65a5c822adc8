/*
 * Collations of collections and of single queries.
 */
#ifndef SHARDPROOF_GEN_COLLATION_H
#define SHARDPROOF_GEN_COLLATION_H

#include "producer.h"

#include <bson/bson.h>

/* Appends `collation` to a scene that has its `key`: mostly null. Always so for the key {_id: 1},
 * whose index would have to be the one that a collection has, with its collation. */
void sp_gen_collection_collation(sp_producer_t *producer, bson_t *scene);

/* Appends to an index a `collation` that a server takes. */
void sp_gen_index_collation(sp_producer_t *producer, bson_t *index);

/* Appends `collation` to a query of that scene, or mostly nothing: often the collection's own or
 * the simple one, seldom one that a server refuses. */
void sp_gen_query_collation(sp_producer_t *producer, const bson_t *scene, bson_t *query);

/* Whether a server can look at `filter` in a collection with that scene's collation: to a symbol in
 * a condition on _id, whose index has it too, a shard answers 201 whatever the router did. */
bool sp_collation_bears_filter(const bson_t *scene, const bson_t *filter);

#endif
