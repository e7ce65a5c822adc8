/*
 * Whether one value satisfies one condition of a filter; for matcher.c alone.
 */
#ifndef SHARDPROOF_MATCHER_LEAF_H
#define SHARDPROOF_MATCHER_LEAF_H

#include "collator.h"
#include "filter.h"

/* Of EQ, LT, LTE, GT, GTE, IN, REGEX, EXISTS, TYPE, MOD and SIZE. BSON_TYPE_EOD: the field is
 * missing. *known becomes false where it cannot be told. */
bool sp_leaf_holds(const sp_node_t *leaf, const sp_value_t *value, const sp_collator_t *collator,
                   bool *known);

#endif
