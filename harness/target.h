/*
 * What --server names, ready to be asked: a version (installed and started), a path to a mongod
 * (started), or a connection string (attached to).
 *
 * A server kind is a row of one small table in target.c; what a server can do is probed, never
 * assumed from its version string.
 */
#ifndef SHARDPROOF_TARGET_H
#define SHARDPROOF_TARGET_H

#include "../oracles/error.h"
#include "servers/cluster.h"
#include "servers/conn.h"

typedef enum sp_capability {
    SP_CAN_HASH = 1,       /* tells the hashed index value of a value, one by one at least */
    SP_HASHES_IN_BULK = 2, /* … and of thousands sent along in one command */
    SP_CAN_COMPARE = 4,    /* compares values sent along */
    SP_CAN_ROUTE = 8,      /* has shards, a router, and lets each shard be asked directly */
} sp_capability_t;

typedef struct sp_target sp_target_t;

typedef struct sp_target_options {
    const char *server;      /* version, path or connection string */
    unsigned shards;         /* for clusters that are started; 0: the default */
    const char *logs_folder; /* where the servers' logs go when something failed */
} sp_target_options_t;

sp_target_t *sp_target_open(const sp_target_options_t *options, sp_error_t *error);
/* `keep_logs`: something failed, so keep the logs of servers that were started. NULL is fine. */
void sp_target_close(sp_target_t *target, bool keep_logs);

const char *sp_target_kind(const sp_target_t *target);    /* "mongod-cluster", "mongod", … */
const char *sp_target_version(const sp_target_t *target); /* as the server says it */
const char *sp_target_spec(const sp_target_t *target);    /* --server, without a password */
unsigned sp_target_capabilities(const sp_target_t *target);

unsigned sp_target_shards(const sp_target_t *target);

/* Whether the servers were started here, so that they go with all that is in them. */
bool sp_target_is_own(const sp_target_t *target);

/* Where the servers are now: copies, to be cleared by the caller. The generation grows whenever the
 * servers were replaced by new ones, at other addresses and without what was stored. */
typedef struct sp_addresses {
    unsigned generation;
    char *config; /* NULL where there is no config server */
    unsigned count;
    char *uris[SP_SHARDS_MAX];
    char *names[SP_SHARDS_MAX];
} sp_addresses_t;

void sp_target_addresses(sp_target_t *target, sp_addresses_t *addresses);
void sp_addresses_clear(sp_addresses_t *addresses);

/* After a command that brought no answer, on servers of `generation`: restarts what died. Where
 * nothing died but `hangs` (the second try brought nothing either) the whole cluster is replaced by
 * a new one. Any thread. SP_ERROR_INFRA where the target is given up: what was attached to cannot
 * be restarted, and what was started is replaced SP_RENEWALS_MAX times at the most. */
bool sp_target_recover(sp_target_t *target, unsigned generation, bool hangs, sp_error_t *error);

/* Restarts servers that were started here and have died, whether or not anyone has noticed: a
 * router that needs one of them would else wait for it. Returns when servers were last restarted or
 * replaced, in microseconds of bson_get_monotonic_time; 0 for never. Any thread. */
int64_t sp_target_watch(sp_target_t *target);

#define SP_RENEWALS_MAX 8

/* For how long after a server's restart the others may still refuse what they should not, or keep
 * silent, in microseconds. */
#define SP_SETTLE_US 15000000

#endif
