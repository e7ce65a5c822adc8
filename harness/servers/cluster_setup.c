#include "cluster_internal.h"
#include "files.h"
#include "ports.h"
#include "signals.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define PORT_TRIES  5
#define ELECTION_MS 1000

/* One server's way from spawned to primary, in a thread of its own. */
typedef struct {
    pthread_t thread;
    sp_cluster_t *cluster;
    unsigned index;
    int64_t deadline;
    sp_error_t error;
    bool started;
    bool ok;
} way_t;

static sp_conn_t *open_conn(const sp_cluster_t *cluster, unsigned index, int64_t deadline,
                            sp_error_t *error)
{
    sp_conn_t *conn =
        sp_conn_open(cluster->servers[index].uri, sp_cluster_left_ms(deadline), error);
    if (conn != NULL)
        sp_conn_stop_when(conn, sp_stop_requested);
    return conn;
}

/* Gives the server another port and starts it again. */
static bool change_port(sp_cluster_t *cluster, unsigned index, sp_error_t *error)
{
    sp_server_t *server = &cluster->servers[index];
    pthread_mutex_lock(&cluster->lock);
    sp_record_server_t *entry = &cluster->record.servers[index];
    entry->process.pid = 0;
    bool ok = sp_ports_pick(&entry->port, 1, error);
    if (ok) {
        bson_free(server->uri);
        server->uri = bson_strdup_printf("mongodb://127.0.0.1:%d/", entry->port);
        ok = sp_files_remove(server->data, error) && sp_files_remove(server->log, error) &&
             sp_server_spawn(cluster, index, error) && sp_registry_write(&cluster->record, error);
    }
    pthread_mutex_unlock(&cluster->lock);
    return ok;
}

/* A port that was free when it was picked may have been taken since. */
static bool wait_on_some_port(sp_cluster_t *cluster, unsigned index, int64_t deadline,
                              sp_error_t *error)
{
    for (int tries = 1;; tries++) {
        sp_error_t why = {0};
        if (sp_server_wait(cluster, index, deadline, &why))
            return true;
        if (why.domain != SP_ERROR_INFRA || why.code != EADDRINUSE)
            return sp_error_set(error, why.domain, why.code, "%s", why.message);
        if (tries == PORT_TRIES)
            return sp_error_set(
                error, SP_ERROR_INFRA, EADDRINUSE,
                "server %s found its port taken %d times in a row, although each was "
                "free just before; something takes ports on 127.0.0.1 very fast",
                cluster->servers[index].name, PORT_TRIES);
        if (!change_port(cluster, index, error))
            return false;
    }
}

static bool initiate(sp_cluster_t *cluster, unsigned index, int64_t deadline, sp_error_t *error)
{
    sp_conn_t *conn = open_conn(cluster, index, deadline, error);
    if (conn == NULL)
        return false;
    bool ok = sp_conn_commandf(
        conn, "admin", NULL, error,
        "{\"replSetInitiate\": {\"_id\": \"%s\"%s, \"members\": [{\"_id\": 0, \"host\": "
        "\"127.0.0.1:%d\"}], \"settings\": {\"electionTimeoutMillis\": %d}}}",
        cluster->servers[index].name, index == 0 ? ", \"configsvr\": true" : "",
        cluster->record.servers[index].port, ELECTION_MS);
    sp_conn_close(conn);
    if (!ok)
        return sp_error_prefix(error, "server %s refused to be initiated",
                               cluster->servers[index].name);
    return true;
}

static void *go(void *data)
{
    way_t *way = data;
    way->ok = wait_on_some_port(way->cluster, way->index, way->deadline, &way->error) &&
              initiate(way->cluster, way->index, way->deadline, &way->error) &&
              sp_server_wait_primary(way->cluster, way->index, way->deadline, &way->error);
    return NULL;
}

/* A server that died says more than others that waited for it in vain. */
static bool first_failure(const way_t *ways, unsigned count, sp_error_t *error)
{
    const way_t *worst = NULL;
    for (unsigned i = 0; i < count; i++)
        if (!ways[i].ok && (worst == NULL || worst->error.code == ETIMEDOUT))
            worst = &ways[i];
    if (worst == NULL)
        return true;
    return sp_error_set(error, worst->error.domain, worst->error.code, "%s", worst->error.message);
}

static bool bring_up_all(sp_cluster_t *cluster, int64_t deadline, sp_error_t *error)
{
    way_t *ways = bson_malloc0(cluster->count * sizeof *ways);
    for (unsigned i = 0; i < cluster->count; i++) {
        ways[i].cluster = cluster;
        ways[i].index = i;
        ways[i].deadline = deadline;
        int failed = pthread_create(&ways[i].thread, NULL, go, &ways[i]);
        ways[i].started = failed == 0;
        if (failed != 0)
            sp_error_set(&ways[i].error, SP_ERROR_SYSTEM, failed, "cannot start a thread: %s",
                         strerror(failed));
    }
    for (unsigned i = 0; i < cluster->count; i++)
        if (ways[i].started)
            pthread_join(ways[i].thread, NULL);
    bool ok = first_failure(ways, cluster->count, error);
    bson_free(ways);
    return ok;
}

static bool ask_version(sp_cluster_t *cluster, sp_conn_t *conn, sp_error_t *error)
{
    bson_t reply;
    bson_iter_t iter;
    bool ok = sp_conn_commandf(conn, "admin", &reply, error, "{\"buildInfo\": 1}");
    if (ok && bson_iter_init_find(&iter, &reply, "version") && BSON_ITER_HOLDS_UTF8(&iter))
        snprintf(cluster->version, sizeof cluster->version, "%s", bson_iter_utf8(&iter, NULL));
    bson_destroy(&reply);
    return ok;
}

static bool add_shards(const sp_cluster_t *cluster, sp_conn_t *conn, int64_t deadline,
                       sp_error_t *error)
{
    for (unsigned i = 1; i < cluster->count; i++) {
        const char *name = cluster->servers[i].name;
        sp_conn_set_timeout(conn, sp_cluster_left_ms(deadline));
        if (!sp_conn_commandf(conn, "admin", NULL, error,
                              "{\"_configsvrAddShard\": \"%s/127.0.0.1:%d\", \"name\": \"%s\", "
                              "\"writeConcern\": {\"w\": \"majority\"}}",
                              name, cluster->record.servers[i].port, name))
            return sp_error_prefix(error, "shard %s could not be added", name);
        if (!sp_cluster_may_wait(deadline, "adding the shards", error))
            return false;
    }
    return true;
}

bool sp_cluster_set_up(sp_cluster_t *cluster, int64_t deadline, sp_error_t *error)
{
    if (!bring_up_all(cluster, deadline, error))
        return false;
    sp_conn_t *conn = open_conn(cluster, 0, deadline, error);
    if (conn == NULL)
        return false;
    bool ok = ask_version(cluster, conn, error) && add_shards(cluster, conn, deadline, error);
    if (ok && !sp_conn_commandf(conn, "admin", NULL, error, "{\"_configsvrBalancerStop\": 1}"))
        ok = sp_error_prefix(error, "the balancer could not be stopped");
    sp_conn_close(conn);
    return ok;
}
