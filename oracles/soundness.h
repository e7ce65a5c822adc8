/*
 * Soundness: what a router finds is held against what the shards hold, without a model of either.
 *
 * Each check of a case is a filter, asked three ways: through the router, of every shard straight,
 * and of every shard by reading all it holds, past its indexes. The last of them is the truth; and
 * an acknowledged document must be found by the filters that the case says must find it.
 */
#ifndef SHARDPROOF_SOUNDNESS_H
#define SHARDPROOF_SOUNDNESS_H

#include "pattern.h"

typedef enum sp_way {
    SP_WAY_ROUTED,
    SP_WAY_DIRECT,  /* of each shard */
    SP_WAY_SCANNED, /* … and without an index */
    SP_WAYS         /* how many there are */
} sp_way_t;

/* What one way of asking gave. */
typedef struct sp_seen {
    int32_t code; /* not 0: an error, of the first shard that gave one */
    char *message;
    uint32_t *times; /* for each document how often it came */
} sp_seen_t;

typedef struct sp_soundness {
    const sp_pattern_t *pattern;
    bool collated;    /* the collection has a default collation */
    bson_iter_t docs; /* stands on the array of the documents as they were inserted */
    uint32_t count;   /* of documents */
    const bool *acknowledged;
    const sp_seen_t *everything; /* SP_WAYS of them, with the filter {} */
} sp_soundness_t;

/* Judges a check, {filter, collation?, finds?}, by what was seen, and appends
 *     {complete: true, found: true}
 * or, where the router's answer is not what the shards hold, or lacks what must be found,
 *     {complete, found, cause: "…", missing: [2, …], extra: […]}: documents by their place
 * or the router's error where the shards have an answer, with a `cause` beside it. Where the router
 * and the shards refuse alike nothing need be found. `cause` is the same for differences that look
 * alike: what happened, and the types of the values that were stored and asked for. */
void sp_soundness_judge(const sp_soundness_t *scene, const bson_t *check,
                        const sp_seen_t seen[SP_WAYS], bson_t *answer);

/* Appends to `narrow` the case of one check alone, but for `area`: of the documents only those that
 * `observed`, its answer, names as missing or extra, or all where it names none or tells of one
 * that was given twice. */
void sp_soundness_narrow(const bson_t *test, uint32_t check, const bson_t *observed,
                         bson_t *narrow);

#endif
