/*
 * Documents that meet indexes: builds over them, and inserts.
 */
#ifndef SHARDPROOF_INDEX_DOCS_H
#define SHARDPROOF_INDEX_DOCS_H

#include "index_world.h"

/* An index made ready for documents; NULL for a wildcard index, which refuses none and is never
 * unique. SP_ERROR_INPUT for kinds that the model does not know the keys of. */
bool sp_index_docs_ready(const sp_index_world_t *world, const sp_index_spec_t *spec,
                         sp_keyed_index_t **keyed, sp_error_t *error);

/* Whether an index that is to be made can hold the documents that are there: SP_ERROR_RULE where
 * not, 11000 for two with one key in a unique index only after all else. */
bool sp_index_docs_build(sp_index_world_t *world, const sp_index_spec_t *spec, sp_error_t *error);

/* Whether two documents have one key in the index. */
bool sp_index_docs_repeat(sp_index_world_t *world, const sp_index_spec_t *spec, bool *repeat,
                          sp_error_t *error);

#endif
