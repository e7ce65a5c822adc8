/*
 * A real sharded cluster without mongos: one config server and N shards, each a replica set of one
 * mongod on 127.0.0.1, in a temporary folder of its own. See docs/real-servers.md.
 *
 * Ownership: an owned cluster lives and dies with this process; a detached one outlives it and is
 * taken down by `shardproof server down`. Either way a record under the cache folder names the pids
 * and the folder, so that the next start can remove what a killed harness left behind.
 *
 * Nothing is registered with atexit: who starts a cluster stops it, on every way out. mongoc_init()
 * must have been called.
 *
 * Thread safety: sp_cluster_watch and sp_cluster_last_death may be called by any thread, and all
 * that only reads; starting and stopping are for the thread that started it.
 */
#ifndef SHARDPROOF_CLUSTER_H
#define SHARDPROOF_CLUSTER_H

#include "../../oracles/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SP_SHARDS_MAX         32
#define SP_SHARDS_DEFAULT     3
#define SP_CLUSTER_TIMEOUT_MS 60000
#define SP_RESTARTS_MAX       20

typedef struct sp_cluster sp_cluster_t;

typedef struct sp_cluster_options {
    const char *mongod;       /* path of the binary */
    const char *library_path; /* for LD_LIBRARY_PATH of the servers only, or NULL */
    unsigned shards;          /* 1 … SP_SHARDS_MAX; 0: the default */
    bool detached;            /* outlive this process */
    const char *tmp;          /* where the folder is made; NULL: $TMPDIR, else /tmp */
    int timeout_ms;           /* until all is ready; 0: SP_CLUSTER_TIMEOUT_MS */
    /* More server parameters, each "name=value" as for --setParameter; ends with NULL; may be NULL.
     * They go to every server, the config server included. */
    const char *const *parameters;
} sp_cluster_options_t;

/* Starts all servers in parallel, makes the cluster, stops the balancer. First sweeps away what
 * killed harnesses left behind. On failure everything started is ended and removed, but the logs
 * are kept and named in the message. Gives up promptly, with SP_ERROR_SYSTEM and EINTR, when a stop
 * is requested (signals.h). SP_ERROR_SYSTEM also for no space or no right to write, SP_ERROR_INFRA
 * where a server dies or does not answer, SP_ERROR_USAGE for too many shards. */
sp_cluster_t *sp_cluster_start(const sp_cluster_options_t *options, sp_error_t *error);

/* Uses a running cluster, found by the URI of its config server: asks it for its shards. Refuses
 * (SP_ERROR_USAGE, saying what it found) what is no config server of such a cluster. */
sp_cluster_t *sp_cluster_attach(const char *config_uri, sp_error_t *error);

unsigned sp_cluster_shards(const sp_cluster_t *cluster);
/* Valid until the cluster is stopped. A started cluster's URIs have no credentials; an attached
 * one's have those of the URI it was attached by, so print them through sp_uri_redacted (uri.h). A
 * started cluster's shards are named "s1", "s2", … */
const char *sp_cluster_config_uri(const sp_cluster_t *cluster);
const char *sp_cluster_shard_uri(const sp_cluster_t *cluster, unsigned shard);
const char *sp_cluster_shard_name(const sp_cluster_t *cluster, unsigned shard);
/* As the servers say themselves in buildInfo, e.g. "6.0.5". */
const char *sp_cluster_version(const sp_cluster_t *cluster);
/* A folder for files of this run, NULL for an attached cluster. */
const char *sp_cluster_folder(const sp_cluster_t *cluster);
/* The name of its record, e.g. for `shardproof server down ID`; "" for an attached cluster. */
const char *sp_cluster_id(const sp_cluster_t *cluster);

/* Looks whether every process still lives; restarts what died on its old port and folder and waits
 * until it is primary again. `restarted` (may be NULL) gets how many. A server that dies more than
 * SP_RESTARTS_MAX times in one run is given up: SP_ERROR_INFRA. Does nothing for an attached
 * cluster. */
bool sp_cluster_watch(sp_cluster_t *cluster, unsigned *restarted, sp_error_t *error);

/* How often servers have died, and (in `text`, which may be NULL) what is known of the last time:
 * which server, how, and the reason from its log. Deaths are noticed by sp_cluster_watch. */
unsigned sp_cluster_last_death(sp_cluster_t *cluster, char *text, size_t size);

/* Asks that the servers' logs be kept when the cluster stops, under `folder` (made if missing); of
 * each the last 64 MiB. */
void sp_cluster_keep_logs(sp_cluster_t *cluster, const char *folder);

/* Ends all servers (SIGKILL: the data is thrown away), removes the folder and the record; also
 * those of a detached cluster. NULL is fine. An attached cluster is only let go. */
void sp_cluster_stop(sp_cluster_t *cluster);

/* Frees what this process knows of a detached cluster, which goes on running. NULL is fine. */
void sp_cluster_release(sp_cluster_t *cluster);

#endif
