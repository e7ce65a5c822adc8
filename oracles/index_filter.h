/*
 * partialFilterExpression: which filters an index can have.
 *
 * Observed on 6.0.5 and 6.0.27; docs/rules-index.md.
 */
#ifndef SHARDPROOF_INDEX_FILTER_H
#define SHARDPROOF_INDEX_FILTER_H

#include "filter_normal.h"

/* Parses the filter of an index into its normal form, which lives in the arena and borrows from
 * `filter`. NULL and SP_ERROR_RULE with the code of what no filter may be; NULL and SP_ERROR_INPUT
 * for what the model does not know. `fits` says whether an index can have it (67 else, said later):
 * comparisons with a value, $in, $exists: true and $type, joined by $and and $or, four levels in
 * all. */
sp_node_t *sp_index_filter_parse(sp_arena_t *arena, sp_version_t version, const bson_t *filter,
                                 bool *fits, sp_error_t *error);

/* Whether a server takes both for one filter, so that indexes with them are the same index. */
bool sp_index_filter_same(const sp_node_t *a, const sp_node_t *b);

#endif
