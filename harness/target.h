/*
 * What --server names, ready to be asked: a version (installed and started), a path to a mongod
 * (started), or a connection string (attached to).
 *
 * A server kind is a row of one small table in target.c; what a server can do is probed, never assumed
 * from its version string.
 */
#ifndef SHARDPROOF_TARGET_H
#define SHARDPROOF_TARGET_H

#include "../oracles/error.h"
#include "servers/conn.h"

typedef enum sp_capability {
    SP_CAN_EVALUATE = 1, /* evaluates expressions on values sent along */
    SP_CAN_ROUTE = 2,    /* has shards, a router, and lets each shard be asked directly */
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

/* URIs: of the config server (NULL where there is none), and of each server that holds data. */
const char *sp_target_config_uri(const sp_target_t *target);
unsigned sp_target_shards(const sp_target_t *target);
const char *sp_target_shard_uri(const sp_target_t *target, unsigned shard);
const char *sp_target_shard_name(const sp_target_t *target, unsigned shard);

/* Only one chunk can leave or enter a shard at a time, and a cluster refuses the second with an error: so
 * workers take turns in moving them. */
void sp_target_lock_moves(sp_target_t *target);
void sp_target_unlock_moves(sp_target_t *target);

/* After a broken connection: restarts what died. Any thread. SP_ERROR_INFRA where it is given up. */
bool sp_target_recover(sp_target_t *target, sp_error_t *error);

#endif
