/*
 * A request to shard a collection, read from a question (docs/rules-shardcollection.md).
 */
#ifndef SHARDPROOF_SHARD_REQUEST_H
#define SHARDPROOF_SHARD_REQUEST_H

#include "index.h"
#include "shard_series.h"
#include "version.h"

/* As many as a collection may have, with that on _id. */
#define SP_REQUEST_INDEXES_MAX 64

typedef struct sp_shard_request {
    bson_t key;    /* the shard key; of the buckets, where the collection is a time series */
    bool unique;   /* what is asked for */
    bool numbered; /* with numInitialChunks */
    int64_t number;
    bool presplit;
    bool has_collation; /* it asks for this, borrowed: */
    bson_t asked_collation;

    bool view, capped;
    sp_series_t series;
    bool collated;    /* the collection has a collation that is not simple: */
    bson_t collation; /* borrowed */
    bool populated;   /* it has documents */
    bson_iter_t docs; /* stands before the first; not to be used without has_docs */
    bool has_docs;
    sp_index_t indexes[SP_REQUEST_INDEXES_MAX]; /* that on _id first, in their order */
    bson_t *index_keys[SP_REQUEST_INDEXES_MAX]; /* where the request has its own; else NULL */
    bson_t given_keys[SP_REQUEST_INDEXES_MAX];  /* borrowed; as the question has them */
    unsigned index_count;
    bool sharded; /* before, and then by this: */
    bson_t sharded_key;
    bool sharded_unique;
} sp_shard_request_t;

/* The request borrows from `question` and must be cleared, also after a failure. SP_ERROR_RULE with
 * the server's code where what is asked for has the wrong form, where the collection is a view, or
 * the key no key of a time series; SP_ERROR_INPUT where the question makes no sense. */
bool sp_shard_request_read(const bson_t *question, sp_shard_request_t *request, sp_error_t *error);
void sp_shard_request_clear(sp_shard_request_t *request);

#endif
