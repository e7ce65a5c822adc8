/*
 * What the files of the cluster share.
 */
#ifndef SHARDPROOF_CLUSTER_INTERNAL_H
#define SHARDPROOF_CLUSTER_INTERNAL_H

#include "cluster.h"
#include "conn.h"
#include "registry.h"
#include "spawner.h"

#include <pthread.h>

typedef struct sp_server {
    char *name;
    char *uri;
    char *data; /* --dbpath; NULL for an attached cluster, like the next */
    char *log;
    unsigned deaths;
} sp_server_t;

struct sp_cluster {
    bool attached;
    unsigned count; /* servers, the config server (the first) included */
    sp_server_t servers[SP_SERVERS_MAX];
    char version[32];

    /* Only where started here. */
    char *mongod;
    char *library_path;
    char **parameters;
    int timeout_ms;
    sp_spawner_t *spawner; /* NULL for a detached cluster */
    char *keep_logs;
    pthread_mutex_t lock; /* for what follows */
    sp_record_t record;
    unsigned deaths;
    char last_death[400];
};

/* Milliseconds left until `deadline` (microseconds of bson_get_monotonic_time), at least 1. */
int sp_cluster_left_ms(int64_t deadline);

/* False, with the reason, where it is time to give up: stop requested, or past the deadline while
 * `waiting_for`. */
bool sp_cluster_may_wait(int64_t deadline, const char *waiting_for, sp_error_t *error);

/* Starts the mongod of one server; the record gets its pid. */
bool sp_server_spawn(sp_cluster_t *cluster, unsigned index, sp_error_t *error);

/* Waits until the server answers on its port and is the one we started. */
bool sp_server_wait(sp_cluster_t *cluster, unsigned index, int64_t deadline, sp_error_t *error);

/* Waits until it is primary. */
bool sp_server_wait_primary(sp_cluster_t *cluster, unsigned index, int64_t deadline,
                            sp_error_t *error);

/* One line about how a server ended. */
void sp_server_describe_end(const sp_cluster_t *cluster, unsigned index, int status, char *text,
                            size_t size);

/* Makes a sharded cluster of servers that were spawned: waits for all, initiates them in parallel,
 * adds the shards, stops the balancer, asks the version. */
bool sp_cluster_set_up(sp_cluster_t *cluster, int64_t deadline, sp_error_t *error);

/* Copies the servers' logs into `folder`. */
bool sp_cluster_save_logs(const sp_cluster_t *cluster, const char *folder, sp_error_t *error);

/* Keeps the logs of a start that failed under CACHE/logs, the last ten of them, and names the place
 * in `error`. */
void sp_cluster_save_failure(const sp_cluster_t *cluster, sp_error_t *error);

/* Frees the memory, whatever of it is there. */
void sp_cluster_free(sp_cluster_t *cluster);

#endif
