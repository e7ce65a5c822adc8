/*
 * Field names that begin with $ inside an _id that an update makes.
 *
 * Not the rule for documents that are inserted (storage.h).
 */
#ifndef SHARDPROOF_ID_NAMES_H
#define SHARDPROOF_ID_NAMES_H

#include "value.h"
#include "version.h"

/* Whether a shard takes `id`, an object, from the filter of an upsert. `made_by_path`: not written
 * as an object but as paths below _id. DBRefs ($ref, $id and maybe $db, in this sequence) are fine;
 * other names are refused with 52 DollarPrefixedFieldName. Up to SP_ID_NAMES_DEEP objects inside it
 * count too, save that in $id, a DBRef must stand at the beginning, and what paths make does not
 * count; later it is the object itself alone, and a DBRef in pieces is 55 InvalidDBRef. Source:
 * observed on 6.0.5, 6.0.24 and 6.0.27. */
bool sp_id_names_check(sp_version_t version, const bson_t *id, bool made_by_path,
                       sp_error_t *error);

#endif
