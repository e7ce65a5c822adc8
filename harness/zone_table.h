/*
 * Zones and their ranges in a cluster's catalogue, for many collections at once.
 *
 * Written straight into the tables: the commands for it take one zone or range each, and long.
 * Zones are the whole cluster's, so each collection has its own, called after it.
 */
#ifndef SHARDPROOF_ZONE_TABLE_H
#define SHARDPROOF_ZONE_TABLE_H

#include "session.h"

#include "../oracles/zones.h"

typedef struct sp_zone_place {
    char collection[48], ns[144];
    sp_zones_t zones;
    const bson_t *paper_key; /* the collection is entered as one sharded by this, and is not there
                                otherwise; NULL: it is not entered */
} sp_zone_place_t;

/* What the cluster calls the collection's zone; to be freed with bson_free. */
char *sp_zone_own_name(const sp_zone_place_t *place, const char *zone);
/* What the case calls it; borrowed from `name`. */
const char *sp_zone_case_name(const sp_zone_place_t *place, const char *name);

bool sp_zone_table_lay(sp_session_t *session, const sp_zone_place_t *places, uint32_t count,
                       sp_error_t *error);
/* Takes all away again. What cannot be removed is only untidy: no name is used twice. */
void sp_zone_table_clear(sp_session_t *session, const sp_zone_place_t *places, uint32_t count);

#endif
