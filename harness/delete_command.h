/*
 * The delete that takes all documents that match a filter.
 */
#ifndef SHARDPROOF_DELETE_COMMAND_H
#define SHARDPROOF_DELETE_COMMAND_H

#include <bson/bson.h>

/* Appends to `command`, which is empty, {delete: collection, deletes: [{q: filter, limit: 0}]};
 * `verb` is delete or, for a router, clusterDelete. `filter` may be NULL: everything. */
void sp_build_delete(bson_t *command, const char *verb, const char *collection,
                     const bson_t *filter);

#endif
