/*
 * The collection of a `unique` case: sharded, unique or not, with indexes made before and after.
 */
#ifndef SHARDPROOF_UNIQUE_SETUP_H
#define SHARDPROOF_UNIQUE_SETUP_H

#include "case_fields.h"
#include "sharded.h"

/* Makes the collection with `unique` and `indexes` of the case. Where it fails nothing is left to
 * be dropped; SP_ERROR_SERVER where a server refuses the collection or an index. */
bool sp_unique_setup(sp_session_t *session, const bson_t *test, const sp_case_layout_t *layout,
                     sp_sharded_t *made, sp_error_t *error);

#endif
