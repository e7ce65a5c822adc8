/*
 * Sharded collections on paper: chunks that are written into the cluster's catalogue, where routers
 * and shards learn of them, while no shard has a collection.
 *
 * Whoever only asks where a query would go needs no more than that, and a layout costs a tenth of a
 * real one. Each worker has one such collection, to which every layout gives a new epoch, as
 * dropping it and sharding it anew would.
 */
#ifndef SHARDPROOF_PAPER_H
#define SHARDPROOF_PAPER_H

#include "session.h"

/* Lays `chunks`, an array of [min, max, shard] in order, of a collection that is sharded by `key`
 * and has the default `collation` (NULL: none), and makes the shards that own some, and the router,
 * take notice. The collection is session->paper. The chunk table is checked afterwards. */
bool sp_paper_lay(sp_session_t *session, const bson_t *key, const bson_t *collation,
                  const bson_iter_t *chunks, unsigned router, sp_error_t *error);

/* The same in three steps, between which other work can be done while the servers are at theirs:
 * each posts what can be posted and fetches what the step before has posted, over the connections
 * of `session`. After a failure of any of them the layout is to be begun anew. */
bool sp_paper_begin(sp_session_t *session, const bson_t *key, const bson_t *collation,
                    const bson_iter_t *chunks, unsigned router, sp_error_t *error);
bool sp_paper_announce(sp_session_t *session, sp_error_t *error);
bool sp_paper_finish(sp_session_t *session, const bson_iter_t *chunks, sp_error_t *error);
/* The router that the layout on its way was begun for. */
unsigned sp_paper_router(const sp_session_t *session);
/* Gives up a layout that was begun. */
void sp_paper_forget(sp_session_t *session);

/* Removes what has been laid, where there is something. */
void sp_paper_drop(sp_session_t *session);

#endif
