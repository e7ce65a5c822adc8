/*
 * From a filter to index bounds: which predicates a server lets bound the shard key index.
 *
 * The shard key is taken for an index without arrays and without collation. A predicate on its
 * first field makes it usable, further ones on any field narrow it. Of an $or every branch must
 * make it usable, and the bounds of the branches are united field by field, which loses which value
 * of one field went with which of another.
 */
#ifndef SHARDPROOF_PLAN_H
#define SHARDPROOF_PLAN_H

#include "bounds.h"

/* What the bounds of a query are derived from. */
typedef struct sp_planner {
    sp_arena_t *arena;
    sp_hasher_t *hasher;
    const sp_pattern_t *pattern;
    sp_version_t version;
    bool simple;      /* the query compares strings by their bytes, as the index does */
    int32_t *refused; /* set to the code that a server fails with, 0 where it does not; or NULL */
} sp_planner_t;

/* A server fails over two kinds of predicates, once some way to use the index has one as a part.
 * Both observed on 6.0.5, 6.0.24 and 6.0.27 (docs/findings.md). */
enum {
    /* the opposite of $gt, $gte, $lt and $lte with a symbol or DBPointer, whose bounds it holds for
     * inexact */
    SP_CANNOT_INVERT = 4457011,
    /* $in with symbols whose order by the collation is not that of their bytes, where no field of
     * the index is hashed */
    SP_UNREACHABLE = 6349900
};

/* A message for the codes above. */
const char *sp_plan_refusal_text(int32_t code);

/* The code that a server fails with when it plans the filter, 0 where it does not. Quick where
 * nothing in the filter could be refused. `planner->refused` counts for nothing. */
int32_t sp_plan_refusal(const sp_planner_t *planner, const sp_node_t *root);

/* Fills `bounds`; false where no predicate of the normalized filter makes the index usable, so that
 * every field is unbounded. */
bool sp_plan_bounds(const sp_planner_t *planner, const sp_node_t *root, sp_bounds_t *bounds);

#endif
