/*
 * The chunks that a collection has when it has just been sharded, and the shard of each.
 *
 * Nothing in it is random: chunks are dealt to the shards in the order of their names (s1, s10,
 * s2, …), those of a zone to its shards as they were added to the cluster (s1, s2, …, s10).
 * Observed on 6.0.5, 6.0.24 and 6.0.27; docs/rules-chunks.md has the rules in words.
 */
#ifndef SHARDPROOF_INITIAL_CHUNKS_H
#define SHARDPROOF_INITIAL_CHUNKS_H

#include "version.h"
#include "zones.h"

/* A case lists so many chunks at the most; of more it has only the number. */
#define SP_CHUNKS_LISTED_MAX 3000

typedef struct sp_sharding {
    const bson_t *key;       /* a valid pattern */
    bool empty;              /* the collection has no documents, or is not there */
    bool numbered;           /* numInitialChunks is given */
    int64_t number;          /* numInitialChunks */
    bool presplit;           /* presplitHashedZones */
    const sp_zones_t *zones; /* of the collection; NULL: none */
    unsigned shards;         /* s1 to sN */
    unsigned primary;        /* which of them is the database's primary; from 0 */
} sp_sharding_t;

/* Reads numInitialChunks and presplitHashedZones from the options of a shardCollection; leaves all
 * others alone. SP_ERROR_RULE 14 TypeMismatch where they are not of the type they should be. */
bool sp_sharding_options(const bson_t *options, sp_sharding_t *sharding, sp_error_t *error);

/* Appends to the array `chunks` (initialised empty by the caller) [min, max, shard] of each, in
 * order. SP_ERROR_RULE with the server's code where it refuses what is asked of the chunks: their
 * number, or zones that do not fit. SP_ERROR_INPUT for what brings servers down or breaks the
 * collection (docs/rules-chunks.md, "Not asked"). */
bool sp_initial_chunks(const sp_sharding_t *sharding, sp_version_t version, bson_t *chunks,
                       sp_error_t *error);

/* Whether numInitialChunks may be so large (or small) on `shards` shards: SP_ERROR_RULE 72
 * InvalidOptions where not. Looked at before the collection is. */
bool sp_initial_number(sp_version_t version, unsigned shards, int64_t number, sp_error_t *error);

/* Where the range of all hashes is split for the (split + 1)th time, to make `chunks` chunks. */
int64_t sp_hashed_split(uint32_t chunks, uint32_t split);

#endif
