#include "cluster_internal.h"
#include "files.h"
#include "log.h"
#include "ports.h"
#include "signals.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

#define POLL_MS        10
#define ARGUMENTS_MAX  128
#define EXIT_NET_ERROR 48 /* mongod's exit status where it cannot listen */
#define CACHE_GB       "0.25"
#define OPLOG_MB       "64"
/* Without this each server would make three log files of 100 MB at start; with it, one. */
#define ENGINE_CONFIG "log=(prealloc=false)"

int sp_cluster_left_ms(int64_t deadline)
{
    int64_t left = (deadline - bson_get_monotonic_time()) / 1000;
    return left < 1 ? 1 : (int)left;
}

bool sp_cluster_may_wait(int64_t deadline, const char *waiting_for, sp_error_t *error)
{
    if (sp_stop_requested())
        return sp_error_set(error, SP_ERROR_SYSTEM, EINTR, "stopped on request");
    if (bson_get_monotonic_time() >= deadline)
        return sp_error_set(error, SP_ERROR_INFRA, ETIMEDOUT, "%s took too long", waiting_for);
    return true;
}

static void pause_ms(int ms)
{
    nanosleep(&(struct timespec){.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000L}, NULL);
}

/* Fills `argv`, which has room for ARGUMENTS_MAX. */
static bool make_arguments(const sp_cluster_t *cluster, unsigned index, const char *port,
                           const char **argv, sp_error_t *error)
{
    const sp_server_t *server = &cluster->servers[index];
    const char *const fixed[] = {
        cluster->mongod, index == 0 ? "--configsvr" : "--shardsvr", "--dbpath", server->data,
        "--port", port, "--bind_ip", "127.0.0.1", "--nounixsocket",
        /* The name of the replica set is the shard's own. */
        "--replSet", server->name, "--oplogSize", OPLOG_MB, "--wiredTigerCacheSizeGB", CACHE_GB,
        "--wiredTigerEngineConfigString", ENGINE_CONFIG, "--setParameter", "enableTestCommands=1",
        "--setParameter", "diagnosticDataCollectionEnabled=false"};
    size_t n = sizeof fixed / sizeof *fixed;
    memcpy(argv, fixed, sizeof fixed);
    for (char **parameter = cluster->parameters; parameter != NULL && *parameter != NULL;
         parameter++) {
        if (n + 3 > ARGUMENTS_MAX)
            return sp_error_set(error, SP_ERROR_USAGE, 0, "too many server parameters");
        argv[n++] = "--setParameter";
        argv[n++] = *parameter;
    }
    argv[n] = NULL;
    return true;
}

bool sp_server_spawn(sp_cluster_t *cluster, unsigned index, sp_error_t *error)
{
    const sp_server_t *server = &cluster->servers[index];
    sp_record_server_t *entry = &cluster->record.servers[index];
    const char *argv[ARGUMENTS_MAX];
    char port[16];
    snprintf(port, sizeof port, "%d", entry->port);
    if (!make_arguments(cluster, index, port, argv, error) ||
        !sp_files_make_folder(server->data, error))
        return false;

    sp_spawn_t spawn = {.argv = argv,
                        .library_path = cluster->library_path,
                        .log = server->log,
                        .folder = cluster->record.folder,
                        .owned = cluster->spawner != NULL};
    sp_process_t process = {0};
    bool ok = cluster->spawner != NULL ? sp_spawner_spawn(cluster->spawner, &spawn, &process, error)
                                       : sp_process_spawn(&spawn, &process, error);
    if (ok)
        entry->process = process;
    return ok;
}

void sp_server_describe_end(const sp_cluster_t *cluster, unsigned index, int status, char *text,
                            size_t size)
{
    const sp_server_t *server = &cluster->servers[index];
    char reason[240];
    char how[40];
    sp_log_reason(server->log, reason, sizeof reason);
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL)
        snprintf(reason, sizeof reason, "killed by someone, or by the kernel for lack of memory");
    if (WIFSIGNALED(status))
        snprintf(how, sizeof how, "signal %d", WTERMSIG(status));
    else
        snprintf(how, sizeof how, "exit status %d", WEXITSTATUS(status));
    snprintf(text, size, "server %s (pid %ld) ended with %s: %s", server->name,
             (long)cluster->record.servers[index].process.pid, how,
             reason[0] == '\0' ? "it wrote no reason" : reason);
}

/* Whether it was started with our --dbpath: on a port that was taken someone else would answer. */
static bool is_ours(const sp_server_t *server, const bson_t *options)
{
    bson_iter_t iter;
    bson_iter_t path;
    return bson_iter_init(&iter, options) &&
           bson_iter_find_descendant(&iter, "parsed.storage.dbPath", &path) &&
           BSON_ITER_HOLDS_UTF8(&path) && strcmp(bson_iter_utf8(&path, NULL), server->data) == 0;
}

static bool answers(const sp_cluster_t *cluster, unsigned index, int64_t deadline)
{
    const sp_server_t *server = &cluster->servers[index];
    if (!sp_ports_answer(cluster->record.servers[index].port))
        return false;
    sp_conn_t *conn = sp_conn_open(server->uri, sp_cluster_left_ms(deadline), NULL);
    if (conn == NULL)
        return false;
    sp_conn_stop_when(conn, sp_stop_requested);
    bson_t reply;
    bool ok = sp_conn_commandf(conn, "admin", &reply, NULL, "{\"getCmdLineOpts\": 1}") &&
              is_ours(server, &reply);
    bson_destroy(&reply);
    sp_conn_close(conn);
    return ok;
}

bool sp_server_wait(sp_cluster_t *cluster, unsigned index, int64_t deadline, sp_error_t *error)
{
    char what[64];
    snprintf(what, sizeof what, "the start of server %s", cluster->servers[index].name);
    for (;;) {
        int status;
        if (sp_process_ended(&cluster->record.servers[index].process, 0, &status)) {
            char text[400];
            sp_server_describe_end(cluster, index, status, text, sizeof text);
            bool port = WIFEXITED(status) && WEXITSTATUS(status) == EXIT_NET_ERROR &&
                        sp_log_port_taken(cluster->servers[index].log);
            return sp_error_set(error, SP_ERROR_INFRA, port ? EADDRINUSE : 0, "%s", text);
        }
        if (answers(cluster, index, deadline))
            return true;
        if (!sp_cluster_may_wait(deadline, what, error))
            return false;
        pause_ms(POLL_MS);
    }
}

static bool is_primary(const bson_t *hello)
{
    bson_iter_t iter;
    return bson_iter_init_find(&iter, hello, "ismaster") && bson_iter_as_bool(&iter);
}

bool sp_server_wait_primary(sp_cluster_t *cluster, unsigned index, int64_t deadline,
                            sp_error_t *error)
{
    const sp_server_t *server = &cluster->servers[index];
    char what[64];
    snprintf(what, sizeof what, "the election of server %s", server->name);
    sp_conn_t *conn = sp_conn_open(server->uri, sp_cluster_left_ms(deadline), error);
    if (conn == NULL)
        return false;
    sp_conn_stop_when(conn, sp_stop_requested);
    bool ok = false;
    bool go_on = true;
    while (!ok && go_on) {
        bson_t reply;
        go_on = sp_conn_commandf(conn, "admin", &reply, error, "{\"isMaster\": 1}");
        ok = go_on && is_primary(&reply);
        bson_destroy(&reply);
        if (!ok && go_on) {
            go_on = sp_cluster_may_wait(deadline, what, error);
            pause_ms(POLL_MS);
        }
    }
    sp_conn_close(conn);
    return ok;
}
