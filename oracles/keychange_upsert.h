/*
 * The document that an upsert inserts where it finds none.
 */
#ifndef SHARDPROOF_KEYCHANGE_UPSERT_H
#define SHARDPROOF_KEYCHANGE_UPSERT_H

#include "collator.h"
#include "filter.h"
#include "version.h"

/* Appends to `made` what `update` makes of the equalities of the normalized filter; a replacement
 * begins with its _id alone. `collator` (NULL: simple) is the update's. The document may lack the
 * _id, which the shard then invents. SP_ERROR_RULE with the server's code where that fails: 54
 * NotSingleValueField, 111 NotExactValueField and 20 for the filter's paths, the update's own
 * errors, and at last 52, 53 and 55 for an _id that cannot be stored. */
bool sp_keychange_upsert(sp_version_t version, const sp_node_t *root, const sp_collator_t *collator,
                         const sp_value_t *update, bson_t *made, sp_error_t *error);

#endif
