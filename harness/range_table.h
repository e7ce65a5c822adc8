/*
 * The chunks and zone ranges of a collection as the catalogue has them, in the form of answers.
 */
#ifndef SHARDPROOF_RANGE_TABLE_H
#define SHARDPROOF_RANGE_TABLE_H

#include "zone_table.h"

/* Appends {chunks: [[min, max, shard], …]}, in order; of more than SP_CHUNKS_LISTED_MAX their
 * number alone. */
bool sp_range_table_chunks(sp_session_t *session, const sp_zone_place_t *place, bson_t *answer,
                           sp_error_t *error);

/* Appends {zones: [[min, max, zone], …]}, in order, the zones called as the case calls them. */
bool sp_range_table_zones(sp_session_t *session, const sp_zone_place_t *place, bson_t *answer,
                          sp_error_t *error);

#endif
