/*
 * Zones: ranges of shard key values that are kept on some of the shards.
 */
#ifndef SHARDPROOF_ZONES_H
#define SHARDPROOF_ZONES_H

#include "pattern.h"
#include "version.h"

#define SP_ZONE_RANGES_MAX 10000

/* All borrowed from the document that was read. */
typedef struct sp_zone_range {
    sp_value_t min, max; /* documents; lower bound in, upper bound out */
    const char *zone;
} sp_zone_range_t;

typedef struct sp_zone {
    const char *name;
    unsigned *shards; /* from 0, in order */
    unsigned shard_count;
} sp_zone_t;

typedef struct sp_zones {
    sp_zone_range_t *ranges; /* of one collection, by their lower bounds */
    unsigned range_count;
    sp_zone_t *zones; /* those with shards, or that were named without */
    unsigned zone_count;
} sp_zones_t;

/* Reads `zones`, [[min, max, zone], …] in any order, and `zoneShards`, {zone: ["s1", …]}, from
 * `doc`, which must outlive them; none where a field is not there. `shards` is how many the cluster
 * has. SP_ERROR_INPUT, naming the field. `zones` is to be cleared in any case. */
bool sp_zones_read(const bson_t *doc, unsigned shards, sp_zones_t *zones, sp_error_t *error);
void sp_zones_clear(sp_zones_t *zones);

/* The zone of that name; NULL where no shard has it. */
const sp_zone_t *sp_zones_find(const sp_zones_t *zones, const char *name);

/* Whether a zone range can be there at all: SP_ERROR_RULE 2 BadValue for a bound without fields, 9
 * FailedToParse for a lower bound that is not below the upper one. */
bool sp_zone_range_check(const sp_value_t *min, const sp_value_t *max, sp_error_t *error);

/* Whether a collection with these ranges can be sharded by `pattern`: as above, and SP_ERROR_RULE
 * 72 InvalidOptions where bounds have other fields than the pattern, or a hashed field has another
 * value than a NumberLong, MinKey or MaxKey (4.2: than a NumberLong). */
bool sp_zones_check(const sp_zones_t *zones, const sp_pattern_t *pattern, sp_version_t version,
                    sp_error_t *error);

/* The number of the shard called `name`, "s1" to sN, from 0. */
bool sp_shard_number(const char *name, unsigned shards, unsigned *shard);

#endif
