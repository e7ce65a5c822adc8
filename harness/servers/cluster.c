#include "cluster.h"

#include "cluster_internal.h"
#include "files.h"
#include "paths.h"
#include "ports.h"
#include "signals.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#define SERVER_MB 160 /* a server's files at start take about 105 MiB */
#define KILL_MS   10000

static char **copy_parameters(const char *const *parameters)
{
    if (parameters == NULL)
        return NULL;
    size_t count = 0;
    while (parameters[count] != NULL)
        count++;
    char **copy = bson_malloc0((count + 1) * sizeof *copy);
    for (size_t i = 0; i < count; i++)
        copy[i] = bson_strdup(parameters[i]);
    return copy;
}

static sp_cluster_t *new_cluster(const sp_cluster_options_t *options, unsigned shards)
{
    sp_cluster_t *cluster = bson_malloc0(sizeof *cluster);
    pthread_mutex_init(&cluster->lock, NULL);
    cluster->count = shards + 1;
    cluster->mongod = bson_strdup(options->mongod);
    cluster->library_path = bson_strdup(options->library_path);
    cluster->parameters = copy_parameters(options->parameters);
    cluster->timeout_ms = options->timeout_ms > 0 ? options->timeout_ms : SP_CLUSTER_TIMEOUT_MS;
    return cluster;
}

void sp_cluster_free(sp_cluster_t *cluster)
{
    sp_spawner_stop(cluster->spawner);
    for (unsigned i = 0; i < cluster->count; i++) {
        bson_free(cluster->servers[i].name);
        bson_free(cluster->servers[i].uri);
        bson_free(cluster->servers[i].data);
        bson_free(cluster->servers[i].log);
    }
    sp_record_clear(&cluster->record);
    pthread_mutex_destroy(&cluster->lock);
    bson_free(cluster->mongod);
    bson_free(cluster->library_path);
    bson_strfreev(cluster->parameters);
    bson_free(cluster->keep_logs);
    bson_free(cluster);
}

static void name_servers(sp_cluster_t *cluster)
{
    for (unsigned i = 0; i < cluster->count; i++) {
        const sp_record_server_t *entry = &cluster->record.servers[i];
        sp_server_t *server = &cluster->servers[i];
        server->name = bson_strdup(entry->name);
        server->uri = bson_strdup_printf("mongodb://127.0.0.1:%d/", entry->port);
        server->data = bson_strdup_printf("%s/%s", cluster->record.folder, entry->name);
        server->log = bson_strdup_printf("%s/%s.log", cluster->record.folder, entry->name);
    }
}

static bool make_folder(const sp_cluster_t *cluster, sp_error_t *error)
{
    const char *folder = cluster->record.folder;
    /* It has a random name; one that is there already is not ours. */
    if (mkdir(folder, 0700) == 0)
        return true;
    return sp_error_set(error, SP_ERROR_SYSTEM, errno,
                        "cannot make the folder %s: %s; set TMPDIR to a folder that can be written",
                        folder, strerror(errno));
}

/* The record is written before the folder is made, and that before anything is started in it. */
static bool prepare(sp_cluster_t *cluster, const sp_cluster_options_t *options, sp_error_t *error)
{
    char *tmp = sp_paths_tmp(options->tmp, error);
    int ports[SP_SERVERS_MAX];
    bool ok = tmp != NULL &&
              sp_files_check_space(tmp, (uint64_t)SERVER_MB * cluster->count,
                                   "make room, or set TMPDIR to a folder on another disk", error) &&
              sp_record_init(&cluster->record, tmp, options->detached, cluster->count, error) &&
              sp_ports_pick(ports, cluster->count, error);
    bson_free(tmp);
    if (!ok)
        return false;
    for (unsigned i = 0; i < cluster->count; i++)
        cluster->record.servers[i].port = ports[i];
    name_servers(cluster);
    if (!options->detached && (cluster->spawner = sp_spawner_start(error)) == NULL)
        return false;
    return sp_registry_write(&cluster->record, error) && make_folder(cluster, error);
}

static bool spawn_all(sp_cluster_t *cluster, sp_error_t *error)
{
    for (unsigned i = 0; i < cluster->count; i++)
        if (!sp_server_spawn(cluster, i, error))
            return false;
    return sp_registry_write(&cluster->record, error);
}

static bool mark_ready(sp_cluster_t *cluster, sp_error_t *error)
{
    snprintf(cluster->record.version, sizeof cluster->record.version, "%s", cluster->version);
    cluster->record.ready = true;
    return sp_registry_write(&cluster->record, error);
}

sp_cluster_t *sp_cluster_start(const sp_cluster_options_t *options, sp_error_t *error)
{
    assert(options->mongod != NULL);
    unsigned shards = options->shards == 0 ? SP_SHARDS_DEFAULT : options->shards;
    if (shards > SP_SHARDS_MAX) {
        sp_error_set(error, SP_ERROR_USAGE, 0, "a cluster has 1 to %d shards, not %u",
                     SP_SHARDS_MAX, shards);
        return NULL;
    }
    sp_registry_sweep();
    sp_cluster_t *cluster = new_cluster(options, shards);
    int64_t deadline = bson_get_monotonic_time() + cluster->timeout_ms * 1000LL;
    sp_error_t why = {0};
    bool ok = sp_cluster_may_wait(deadline, "the start", &why) && prepare(cluster, options, &why);
    if (ok) {
        ok = spawn_all(cluster, &why) && sp_cluster_set_up(cluster, deadline, &why) &&
             sp_cluster_may_wait(deadline, "the start", &why) && mark_ready(cluster, &why);
        if (!ok && !sp_stop_requested())
            sp_cluster_save_failure(cluster, &why);
    }
    if (ok)
        return cluster;
    /* Whatever was interrupted by it may have said so in its own way. */
    if (sp_stop_requested())
        sp_error_set(&why, SP_ERROR_SYSTEM, EINTR, "stopped on request");
    sp_cluster_stop(cluster);
    sp_error_set(error, why.domain, why.code, "%s", why.message);
    return NULL;
}

unsigned sp_cluster_shards(const sp_cluster_t *cluster)
{
    return cluster->count - 1;
}

const char *sp_cluster_config_uri(const sp_cluster_t *cluster)
{
    return cluster->servers[0].uri;
}

const char *sp_cluster_shard_uri(const sp_cluster_t *cluster, unsigned shard)
{
    assert(shard < sp_cluster_shards(cluster));
    return cluster->servers[shard + 1].uri;
}

const char *sp_cluster_shard_name(const sp_cluster_t *cluster, unsigned shard)
{
    assert(shard < sp_cluster_shards(cluster));
    return cluster->servers[shard + 1].name;
}

const char *sp_cluster_version(const sp_cluster_t *cluster)
{
    return cluster->version;
}

const char *sp_cluster_folder(const sp_cluster_t *cluster)
{
    return cluster->record.folder;
}

const char *sp_cluster_id(const sp_cluster_t *cluster)
{
    return cluster->record.id;
}

void sp_cluster_keep_logs(sp_cluster_t *cluster, const char *folder)
{
    bson_free(cluster->keep_logs);
    cluster->keep_logs = bson_strdup(folder);
}

static void kill_servers(sp_cluster_t *cluster)
{
    /* First to all, then waiting: they end side by side. */
    for (unsigned i = 0; i < cluster->count; i++)
        sp_process_kill(&cluster->record.servers[i].process, 0);
    for (unsigned i = 0; i < cluster->count; i++)
        if (!sp_process_kill(&cluster->record.servers[i].process, KILL_MS))
            fprintf(stderr, "shardproof: server %s (pid %ld) cannot be ended\n",
                    cluster->servers[i].name, (long)cluster->record.servers[i].process.pid);
}

void sp_cluster_stop(sp_cluster_t *cluster)
{
    if (cluster == NULL)
        return;
    /* Without a folder nothing was started. */
    if (!cluster->attached && cluster->record.folder != NULL) {
        sp_error_t why = {0};
        kill_servers(cluster);
        if (cluster->keep_logs != NULL && !sp_cluster_save_logs(cluster, cluster->keep_logs, &why))
            fprintf(stderr, "shardproof: the servers' logs could not be kept: %s\n", why.message);
        if (!sp_registry_end(&cluster->record, &why))
            fprintf(stderr, "shardproof: cluster %s could not be removed: %s\n", cluster->record.id,
                    why.message);
    }
    sp_cluster_free(cluster);
}

void sp_cluster_release(sp_cluster_t *cluster)
{
    if (cluster == NULL)
        return;
    assert(cluster->attached || cluster->record.detached);
    sp_cluster_free(cluster);
}
