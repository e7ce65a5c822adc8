/*
 * A sharded collection whose shard key changes as a whole: what is put there before, and what is
 * told of it afterwards.
 */
#ifndef SHARDPROOF_KEY_CHANGE_H
#define SHARDPROOF_KEY_CHANGE_H

#include "documents.h"
#include "sharded.h"

/* Takes all zones of the namespace out of the catalogue. */
bool sp_key_change_drop_zones(sp_session_t *session, const char *ns, sp_error_t *error);

/* Makes index `number` of a case, the document that `spec` stands on, on one shard. */
bool sp_key_change_make_index(sp_session_t *session, unsigned shard, const char *collection,
                              const bson_iter_t *spec, unsigned number, sp_error_t *error);

/* Appends {key, chunks: [[min, max, shard], …], zones: [[min, max, zone], …]} as the catalogue has
 * them. */
bool sp_key_change_describe(sp_session_t *session, const sp_sharded_t *made, bson_t *answer,
                            sp_error_t *error);

/* Appends {found, foundByKey}: how many of the documents of the array `docs` the router finds when
 * it is asked for all of them, and for each by its own values of answer.key where they are plain
 * (sp_refine_own_filter) and the document was stored. `docs` may be NULL where count is 0. */
bool sp_key_change_find_all(sp_session_t *session, sp_conn_t *router, const sp_sharded_t *made,
                            const bson_iter_t *docs, const sp_fate_t *fates, uint32_t count,
                            bson_t *answer, sp_error_t *error);

#endif
