/*
 * One question of the reshard area as a case writes it.
 */
#ifndef SHARDPROOF_RESHARD_REQUEST_H
#define SHARDPROOF_RESHARD_REQUEST_H

#include "refine_request.h"

/* As many chunks or zones as a request may name. */
#define SP_RESHARD_RANGES_MAX 64

/* [min, max, name] of a request; borrowed. */
typedef struct sp_range {
    bson_t min, max;
    const char *name;
} sp_range_t;

typedef struct sp_reshard_request {
    sp_refine_request_t common; /* newKey, collection, indexes, docs */
    bool keeps_zones;           /* the zones that laid the chunks are still there */
    bool unique;
    bool numbered;
    int64_t number; /* numInitialChunks */
    bool has_collation;
    bson_t collation; /* borrowed */
    bool has_zones, has_preset;
    sp_range_t *zones, *preset;
    unsigned zone_count, preset_count;
} sp_reshard_request_t;

/* Reads what sp_refine_request_read reads, keepZones, and of `options` unique, numInitialChunks,
 * collation, zones and presetReshardedChunks, the last two as [[min, max, name], …]: the zone of
 * the shard of that name, and that shard. SP_ERROR_INPUT, naming the field, where it is none. To be
 * cleared in any case. */
bool sp_reshard_request_read(const bson_t *question, const sp_layout_t *layout,
                             sp_reshard_request_t *request, sp_error_t *error);
void sp_reshard_request_clear(sp_reshard_request_t *request);

#endif
