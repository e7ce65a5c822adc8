/*
 * One worker's connections to a target, and what it has made there.
 */
#ifndef SHARDPROOF_SESSION_H
#define SHARDPROOF_SESSION_H

#include "target.h"

/* The worker's collection on paper; see paper.h. */
typedef struct sp_sheet sp_sheet_t;
typedef struct sp_paper {
    char collection[48], ns[128];
    bool laid;
    uint8_t uuid[16]; /* of the layout that it has now */
    uint32_t laid_count;
    sp_sheet_t *sheet; /* the layout on its way; NULL: none */
} sp_paper_t;

typedef struct sp_session sp_session_t;
struct sp_session {
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
    bool zones_made;    /* each shard has its zone */
    bool profiler_made; /* the database has what the profiler writes to, on each shard */
    uint64_t born;   /* when, in microseconds; makes names and versions that are not used again */
    uint64_t serial; /* numbers the collections */
    sp_paper_t paper;

    /* A second session, for what is prepared while this one is at work; NULL until it is needed. */
    sp_session_t *twin;
    bool twin_leads;        /* what was prepared last is in the twin, and in use */
    const bson_t *upcoming; /* the case that will be executed alone after the next one, at the same
                               place; NULL where that is not known. A hint, for one execution */
    const bson_t *ahead;    /* the case that the other session is being prepared for; NULL: none */
};

sp_session_t *sp_session_open(sp_target_t *target, unsigned worker, sp_error_t *error);
void sp_session_close(sp_session_t *session); /* NULL is fine */

/* After a command that brought no answer: has the target recover, and connects anew where its
 * servers were replaced. False where the target is given up. */
bool sp_session_recover(sp_session_t *session, bool hangs, sp_error_t *error);

/* Gives up all replies that are still to come. */
void sp_session_forget(sp_session_t *session);

/* sp_target_watch for the session's target. */
int64_t sp_session_watch(sp_session_t *session);

/* Whether a server refuses with `code` because another server, or it itself, is down or not yet
 * itself again, so that it says nothing about what was asked. */
bool sp_code_is_trouble(int32_t code);

/* Whether a server refuses with `code` because it, or who sent the command on, did not know the
 * newest routing table; asked again it may know it. */
bool sp_code_is_stale(int32_t code);

/* The connection for what any server can answer; workers are spread over the servers. */
sp_conn_t *sp_session_any(sp_session_t *session);

#endif
