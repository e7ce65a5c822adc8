/*
 * The shard key value that a filter asks for, where it fixes all of it.
 */
#ifndef SHARDPROOF_QUERY_KEY_H
#define SHARDPROOF_QUERY_KEY_H

#include "filter.h"
#include "pattern.h"

/* For each field of the pattern the value that the normalized filter's equalities give it, in
 * `values`, which has as many elements as the pattern has fields. Only equalities that hold for the
 * whole filter count: at its top, and in $and. A field may get its value from an object above it
 * ({a: {b: 1}} for a.b). False where a field gets none, an array or a value that is not storable in
 * a chunk bound, where a path is fixed twice, or where an equality lies below a field. Source:
 * observed on 6.0.5 and 6.0.27, `find` area. */
bool sp_query_key(const sp_pattern_t *pattern, const sp_node_t *root, sp_value_t *values);

#endif
