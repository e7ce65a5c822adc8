/*
 * Chunks, as a case writes them ([min, max, "s1"]) and as config.chunks holds them.
 */
#ifndef SHARDPROOF_CHUNKS_H
#define SHARDPROOF_CHUNKS_H

#include "session.h"

#include "uuid.h"

#include "../oracles/value.h"

typedef struct sp_chunk {
    bson_t min, max;   /* borrowed */
    const char *shard; /* borrowed */
} sp_chunk_t;

/* Steps to the next chunk of a case's array; false at its end. */
bool sp_chunk_next(bson_iter_t *element, sp_chunk_t *chunk);

/* The number of the shard called `name`. False and SP_ERROR_USAGE where the cluster has none. */
bool sp_chunk_shard(const sp_session_t *session, const char *name, unsigned *shard,
                    sp_error_t *error);

/* Appends to `document` what one chunk, the `number`th, is in a table of the catalogue. */
typedef void sp_chunk_append_t(void *context, uint32_t number, const sp_chunk_t *chunk,
                               unsigned shard, bson_t *document);

/* Posts the insert of one document for each chunk of a case into config.`table`. */
bool sp_chunks_post_insert(sp_session_t *session, const bson_iter_t *chunks, const char *table,
                           sp_chunk_append_t *append, void *context, sp_error_t *error);

/* Reads config.chunks of the collection with `uuid`: posted first, and compared with the chunks of
 * a case when the reply is fetched. SP_ERROR_INFRA where they are not the same. */
bool sp_chunks_post_check(sp_session_t *session, const uint8_t uuid[SP_UUID_SIZE],
                          sp_error_t *error);
bool sp_chunks_fetch_check(sp_session_t *session, const char *ns, const bson_iter_t *chunks,
                           sp_error_t *error);

#endif
