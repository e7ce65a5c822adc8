/*
 * The beginning of a value's place in BSON order, as one number: for looking up among many.
 */
#ifndef SHARDPROOF_ORDER_PREFIX_H
#define SHARDPROOF_ORDER_PREFIX_H

#include "value.h"

/* A value that sorts before another has no greater prefix, and equal values have the same: where
 * prefixes differ they decide, where they do not sp_value_compare must. */
uint64_t sp_order_prefix(const sp_value_t *value);

#endif
