/*
 * Zone ranges for a shard key: over values of all types, as a server takes them and as it does not.
 */
#ifndef SHARDPROOF_GEN_ZONES_H
#define SHARDPROOF_GEN_ZONES_H

#include "gen_layout.h"

#define SP_ZONE_BOUNDS_MAX (SP_SPLITS_MAX + 2)

/* A shard key and bounds for it. */
typedef struct sp_zones_draw {
    sp_layout_draw_t layout;
    bson_t *bounds[SP_ZONE_BOUNDS_MAX]; /* in order, from MinKey to MaxKey in every field */
    unsigned count;
} sp_zones_draw_t;

void sp_zones_draw_init(const sp_scene_context_t *context, sp_producer_t *producer,
                        sp_zones_draw_t *draw);
void sp_zones_draw_clear(sp_zones_draw_t *draw);

/* Makes the bounds such as presplitHashedZones needs: MinKey in the hashed field and behind it
 * (there not with `keeps_rest`). Those that are then the same become one. */
void sp_zones_draw_presplit(sp_zones_draw_t *draw, bool keeps_rest);

/* A copy of `bound` with MaxKey as its hash. */
bson_t *sp_zone_hash_end(const sp_zones_draw_t *draw, const bson_t *bound);

/* How a bound can be wrong. */
typedef enum sp_zone_flaw {
    SP_ZONE_SHORT,   /* lacks the last fields */
    SP_ZONE_LONG,    /* has one field more */
    SP_ZONE_RENAMED, /* has another name for one */
    SP_ZONE_RETYPED, /* another type where the hash should be, or anywhere */
    SP_ZONE_EMPTY,
    SP_ZONE_FLAWS /* how many there are */
} sp_zone_flaw_t;

/* A copy of `bound` with the flaw. */
bson_t *sp_zone_flawed(sp_producer_t *producer, const sp_zones_draw_t *draw, const bson_t *bound,
                       sp_zone_flaw_t flaw);

/* "za", "zb", … */
const char *sp_zone_name(sp_producer_t *producer);

/* Appends [min, max, zone] to the array `zones`, but for one with the lower bound of one that is
 * there: the table of ranges holds each once. */
void sp_zones_append(bson_t *zones, const bson_t *min, const bson_t *max, const char *zone);

/* Appends `zoneShards` for all zones: most have some of the shards, and a few none. `forced`: that
 * one has at least one (NULL: none is). */
void sp_gen_zone_shards(const sp_scene_context_t *context, sp_producer_t *producer,
                        const char *forced, bson_t *question);

#endif
