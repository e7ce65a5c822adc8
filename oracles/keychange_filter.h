/*
 * Whether a filter holds the whole shard key, as the shard sees it that is to change a value of it.
 */
#ifndef SHARDPROOF_KEYCHANGE_FILTER_H
#define SHARDPROOF_KEYCHANGE_FILTER_H

#include "filter.h"
#include "pattern.h"

/* The normalized filter has, at its top or in $and, one equality for each shard key field, on the
 * field or above it, and no two of them on one path or one above the other; none lies below a
 * field. An equality on an object counts for one field, whatever is in it: {a: {b: 1, c: 2}} is not
 * enough for a.b and a.c, {a: 5} is enough for a.b. Values do not matter, in contrast to the shard
 * key that a router looks for (query_key.h): regular expressions behind $eq are fine. Observed on
 * 6.0.5 and 6.0.27. */
bool sp_keychange_filter_holds_key(const sp_pattern_t *pattern, const sp_node_t *root);

#endif
