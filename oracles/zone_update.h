/*
 * Giving a range of a collection to a zone, or taking it away: updateZoneKeyRange.
 *
 * Observed on 6.0.5 and 6.0.27.
 */
#ifndef SHARDPROOF_ZONE_UPDATE_H
#define SHARDPROOF_ZONE_UPDATE_H

#include "zones.h"

typedef struct sp_zone_update {
    const bson_t *key;   /* the collection's shard key, a valid pattern; NULL: it is not sharded */
    sp_value_t min, max; /* documents */
    const char *zone;    /* NULL: the range is taken away */
} sp_zone_update_t;

/* Appends to the array `after` (initialised empty by the caller) [min, max, zone] of each range
 * that is there afterwards, by their lower bounds. SP_ERROR_RULE with the server's code where it
 * refuses. */
bool sp_zone_update(const sp_zones_t *zones, const sp_zone_update_t *update, bson_t *after,
                    sp_error_t *error);

#endif
