/*
 * The document that an upsert makes where it finds none.
 */
#ifndef SHARDPROOF_UPSERT_H
#define SHARDPROOF_UPSERT_H

#include "filter.h"
#include "version.h"

/* Whether a shard can make a document from the equalities of the normalized filter and {$set: {w:
 * 1}}. SP_ERROR_RULE with its code where not: 54 NotSingleValueField for a path, or a path and one
 * below it, that are fixed twice; as sp_storage_check and
 * sp_id_names_check for its _id; 20 IllegalOperation for the empty path; 201 CannotBuildIndexKeys
 * where a symbol gets into _id though the collection has a `collation` (NULL: it has none). */
bool sp_upsert_check(sp_version_t version, const sp_node_t *root, const bson_t *collation,
                     sp_error_t *error);

/* The part of it that concerns the paths (54 and 20). */
bool sp_upsert_fields_check(const sp_node_t *root, sp_error_t *error);

/* Whether a shard takes this _id from an upsert (52, 53, 55), and whether its index does (201). */
bool sp_upsert_id_check(sp_version_t version, const sp_value_t *id, sp_error_t *error);
bool sp_upsert_id_indexable(const sp_value_t *id, const bson_t *collation, sp_error_t *error);

#endif
