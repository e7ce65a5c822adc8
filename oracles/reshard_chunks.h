/*
 * The chunks of a collection that is sharded anew.
 */
#ifndef SHARDPROOF_RESHARD_CHUNKS_H
#define SHARDPROOF_RESHARD_CHUNKS_H

#include "hash.h"
#include "layout.h"
#include "reshard_request.h"

/* A document that a sample may be drawn from. */
typedef struct sp_sampled {
    bson_t *key;   /* its new shard key value, a hashed field as the hash */
    bson_t *value; /* the same with the field as it is: by it a sample is sorted */
} sp_sampled_t;

/* What the chunks are made from. */
typedef struct sp_reshard_plan {
    const sp_pattern_t *pattern; /* the new one */
    const sp_layout_t *layout;   /* the old one, for the shards */
    const sp_reshard_request_t *request;
    int64_t number;     /* of chunks that are asked for */
    sp_sampled_t *docs; /* those that have a new shard key value; are brought into order */
    unsigned doc_count;
    bool keyless;   /* there are documents that have none */
    bool draws_min; /* set: a value of the sample is MinKey in every field */
} sp_reshard_plan_t;

/* The chunks that a request names, and its zones: SP_ERROR_RULE with the server's code where they
 * make no sense. */
bool sp_reshard_check_preset(const sp_reshard_request_t *request, const sp_pattern_t *pattern,
                             const sp_layout_t *layout, sp_error_t *error);
bool sp_reshard_check_zones(const sp_reshard_request_t *request, sp_error_t *error);

/* The chunks of a request that names none: between the zones' bounds and, where they are too few,
 * between values of a sample. Appends [min, max, shard] of each to the array `chunks`, or leaves
 * *known false where it depends on which documents are drawn. SP_ERROR_RULE with the server's code
 * where it refuses; SP_ERROR_INPUT where even that depends on the drawing. */
bool sp_reshard_chunks(sp_reshard_plan_t *plan, bson_t *chunks, bool *known, sp_error_t *error);

#endif
