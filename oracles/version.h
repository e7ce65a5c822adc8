/*
 * Server versions and what differs between them: one table, one row a difference, each with its
 * source.
 *
 * Rules ask for the difference by name and never compare version numbers themselves.
 */
#ifndef SHARDPROOF_VERSION_H
#define SHARDPROOF_VERSION_H

#include "error.h"

#include <stdbool.h>

typedef struct sp_version {
    unsigned major, minor, patch;
} sp_version_t;

typedef enum sp_difference {
    SP_KEY_FIELDS_REQUIRED, /* a document without every shard key field is refused */
    SP_KEY_SIZE_LIMITED,    /* a ranged shard key value of more than 512 bytes is refused */
    SP_KEY_OF_512_REFUSED,  /* one of 512 bytes is refused too */
    SP_COMPOUND_HASHED,     /* a hashed field may stand beside others */
    SP_MAX_KEY_IN_NO_CHUNK, /* a key that is MaxKey in every field is refused, else the last chunk's
                             */
    SP_ONE_UPDATE_NEEDS_KEY, /* an update of one document must fix the whole shard key or _id: to
                              * reach a single shard is not enough */
    SP_ONE_DELETE_NEEDS_KEY, /* the same for a delete */
    SP_WRITE_TO_OWNERS_ONLY, /* a write to several shards goes to those it reaches, not to all */
    SP_HASHED_ABSENCE_UNBOUNDED, /* {$exists: false} does not bound a hashed field */
    SP_ARRAYS_BOUND_BY_TYPE, /* an array that begins with an array is compared as itself alone, not
                                with what it begins with */
    SP_GATHERED_APART,       /* what an $or does not gather into $in becomes an $or of its own */
    SP_NOR_SIMPLIFIED, /* conditions that never or always hold are simplified away inside $nor */
    SP_ID_NAMES_DEEP,  /* names in an upserted _id are looked at in every depth (id_names.h) */
    SP_CHUNKS_COUNTED_IN_32_BITS, /* numInitialChunks loses all but its lowest 32 bits */
    SP_CHUNKS_DEALT_BY_32_BITS,   /* … also where chunks are dealt to the shards */
    SP_ZONES_END_IN_HASHED,       /* zone bounds may have MinKey and MaxKey in a hashed field */
    SP_ZONES_PRESPLIT,            /* presplitHashedZones is known, else it counts for nothing */
    SP_REFINES_KEYS,              /* refineCollectionShardKey is there */
    SP_REFINE_UNFIT_IS_96,    /* refining answers 96 where an index looks fit and does not serve */
    SP_RESHARDS,              /* reshardCollection is there */
    SP_RESHARD_OPTIONS_FIRST, /* its options are looked at before the collection */
    SP_RESHARD_KEEPS_CHUNK_COUNT, /* without a number it makes as many chunks as there were */
    SP_RESHARD_DIES_OF_ZONES, /* the config server dies of a new zone that begins where an old one
                                 did */
    SP_KEY_VALUES_IMMUTABLE,  /* no update changes a shard key value, however it is sent */
    SP_KEY_NUMBERS_ALIKE, /* an equal number of another type is no change of a shard key value */
    SP_KEY_FIELDS_KEPT,   /* an update that takes a shard key field away is refused */
    SP_FIND_AND_MODIFY_TRIES_AGAIN, /* in a transaction too, where that ends the shard */
    SP_KEY_INDEX_KEPT, /* the last index that supports the shard key is not dropped or hidden */
    SP_HASHED_KEY_INDEX_KEPT, /* nor that of a key with a hashed field */
    SP_TTL_LOOKED_AT_LATE,    /* expireAfterSeconds is checked after collation and other indexes */
    SP_BUCKET_SIZE_OPTION,    /* bucketSize is an option of any index */
    SP_KEY_PATHS_OF_REFERENCES, /* $id, $ref and $db are taken as later parts of a shard key's path
                                 */
    SP_UNFIT_INDEX_IS_96, /* shardCollection answers 96 where an index looks fit and does not serve
                           */
    SP_DIFFERENCES        /* how many there are */
} sp_difference_t;

/* How a fact came into the table. */
typedef enum sp_evidence {
    SP_OBSERVED,   /* a real server was seen to do it */
    SP_DOCUMENTED, /* its documentation says so; no server here could be asked */
} sp_evidence_t;

typedef struct sp_difference_row {
    sp_difference_t difference;
    sp_version_t since, before; /* holds for since <= version < before */
    sp_evidence_t evidence;
    const char *source;
} sp_difference_row_t;

#define SP_MODEL_DEFAULT_VERSION "6.0.27"

/* "6.0.5" or "6.0"; SP_ERROR_USAGE for anything else, and for versions outside what the model
 * knows. */
bool sp_version_parse(const char *text, sp_version_t *version, sp_error_t *error);

/* -1, 0 or 1. */
int sp_version_compare(sp_version_t a, sp_version_t b);

/* Whether `difference` holds in `version`. */
bool sp_version_has(sp_version_t version, sp_difference_t difference);

/* The table, for printing; ends after *count rows. */
const sp_difference_row_t *sp_version_table(unsigned *count);

#endif
