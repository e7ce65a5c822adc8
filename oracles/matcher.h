/*
 * Whether a document matches a filter: a simple walk over the parsed filter, apart from the index
 * bounds that targeting works with.
 */
#ifndef SHARDPROOF_MATCHER_H
#define SHARDPROOF_MATCHER_H

#include "collator.h"
#include "filter.h"

/* `root` is a parsed filter, normalized or not. `collator` is NULL for simple comparison. Sets
 * `matches`. SP_ERROR_INPUT for what cannot be told without a server (SP_NODE_OTHER: $where and its
 * kind). */
bool sp_matches(const sp_node_t *root, const bson_t *doc, const sp_collator_t *collator,
                bool *matches, sp_error_t *error);

#endif
