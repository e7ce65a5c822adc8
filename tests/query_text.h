/*
 * What the model makes of a filter as text, so that tests can hold it against what explain answers.
 */
#ifndef SHARDPROOF_QUERY_TEXT_H
#define SHARDPROOF_QUERY_TEXT_H

#include "../oracles/bounds.h"

/* "[MinKey, 5) (inf.0, MaxKey]": as a server writes `indexBounds`, but for single quotes where it
 * has double ones. Free it with bson_free. */
char *sp_intervals_text(const sp_intervals_t *intervals);

/* The same for each field, "; " between them. */
char *sp_bounds_text(const sp_bounds_t *bounds);

/* "and", "eq", "elementValue", … */
const char *sp_kind_text(sp_node_kind_t kind);

/* "and(eq x 5, not(in y 1 2))": kind, path, values as above. Free it with bson_free. */
char *sp_tree_text(const sp_node_t *node);

#endif
