/*
 * Questions that give a range to a zone or take it away.
 */
#ifndef SHARDPROOF_GEN_ZONE_UPDATE_H
#define SHARDPROOF_GEN_ZONE_UPDATE_H

#include "gen_zones.h"

/* Appends {op: "updateZone", key, zones, zoneShards, min, max, zone}. */
void sp_gen_zone_update(const sp_scene_context_t *context, sp_producer_t *producer,
                        bson_t *question);

#endif
