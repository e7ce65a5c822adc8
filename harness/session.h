/*
 * One worker's connections to a target, and what it has made there.
 */
#ifndef SHARDPROOF_SESSION_H
#define SHARDPROOF_SESSION_H

#include "target.h"

typedef struct sp_session {
    sp_target_t *target;
    unsigned worker;
    sp_addresses_t at;
    sp_conn_t *config; /* NULL where the target has no config server */
    sp_conn_t *shards[SP_SHARDS_MAX];
    unsigned shard_count;

    /* the worker's own database for sharded collections; made at the first need */
    char db[64];
    unsigned primary; /* which shard is its primary */
    bool db_made;
    bson_t db_version;
    uint64_t serial; /* numbers the collections */
} sp_session_t;

sp_session_t *sp_session_open(sp_target_t *target, unsigned worker, sp_error_t *error);
void sp_session_close(sp_session_t *session); /* NULL is fine */

/* After a command that brought no answer: has the target recover, and connects anew where its
 * servers were replaced. False where the target is given up. */
bool sp_session_recover(sp_session_t *session, bool hangs, sp_error_t *error);

/* sp_target_watch for the session's target. */
int64_t sp_session_watch(sp_session_t *session);

/* Whether a server refuses with `code` because another server, or it itself, is down or not yet
 * itself again, so that it says nothing about what was asked. */
bool sp_code_is_trouble(int32_t code);

/* The connection for what any server can answer; workers are spread over the servers. */
sp_conn_t *sp_session_any(sp_session_t *session);

#endif
