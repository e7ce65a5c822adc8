/*
 * Keys of time series collections, which are stored as buckets: {m: 1, t: 1} becomes {meta: 1,
 * "control.min.t": 1}.
 */
#ifndef SHARDPROOF_SHARD_SERIES_H
#define SHARDPROOF_SHARD_SERIES_H

#include "error.h"

#include <bson/bson.h>

typedef struct sp_series {
    const char *time; /* the time field; NULL: the collection is no time series */
    const char *meta; /* the meta field; NULL: none */
} sp_series_t;

/* Appends to `buckets` the shard key of the buckets. SP_ERROR_RULE with the server's code for a
 * field that is neither (5914001), a time field that is not the last (5914000), and a pattern that
 * is empty or has the time field not as a number (2). */
bool sp_series_shard_key(const sp_series_t *series, const bson_t *key, bson_t *buckets,
                         sp_error_t *error);

/* Appends to `buckets` the key of an index of the buckets, of time and meta field alone. */
void sp_series_index_key(const sp_series_t *series, const bson_t *key, bson_t *buckets);

#endif
