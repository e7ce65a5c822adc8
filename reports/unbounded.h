/*
 * Why the bounds of a shard key field are all values.
 */
#ifndef SHARDPROOF_UNBOUNDED_H
#define SHARDPROOF_UNBOUNDED_H

#include "../oracles/plan.h"
#include "explanation.h"

/* For a field of the planner's pattern whose bounds are everything; `leading`: the first field has
 * a predicate that makes the index usable. */
sp_unbounded_t sp_unbounded_reason(const sp_planner_t *planner, const sp_node_t *root, bool leading,
                                   unsigned field);

#endif
