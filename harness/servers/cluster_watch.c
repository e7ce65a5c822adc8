#include "cluster_internal.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define DYING_MS      5000
#define PORT_TRIES    10
#define PORT_PAUSE_NS 500000000L
#define LOG_MAX       (256LL * 1024 * 1024)

/* A server that is asked to log each operation would fill the disk in a long run. It appends, so it
 * goes on at the new end. */
static void bound_log(const sp_server_t *server)
{
    struct stat about;
    if (stat(server->log, &about) == 0 && about.st_size > LOG_MAX && truncate(server->log, 0) != 0)
        fprintf(stderr, "shardproof: cannot shorten %s: %s\n", server->log, strerror(errno));
}

/* Its old port may be in someone's hands for a moment. */
static bool start_again(sp_cluster_t *cluster, unsigned index, int64_t deadline, sp_error_t *error)
{
    for (int tries = 1;; tries++) {
        sp_error_t why = {0};
        if (sp_server_spawn(cluster, index, &why) && sp_registry_write(&cluster->record, &why) &&
            sp_server_wait(cluster, index, deadline, &why) &&
            sp_server_wait_primary(cluster, index, deadline, &why))
            return true;
        if (why.code != EADDRINUSE || tries == PORT_TRIES)
            return sp_error_set(error, why.domain, why.code, "after a restart: %s", why.message);
        nanosleep(&(struct timespec){.tv_nsec = PORT_PAUSE_NS}, NULL);
    }
}

static bool look_after(sp_cluster_t *cluster, unsigned index, unsigned *restarted,
                       sp_error_t *error)
{
    sp_server_t *server = &cluster->servers[index];
    const sp_process_t *process = &cluster->record.servers[index].process;
    int status;
    /* Its first thread may be over while others still are ending, and hold its files. */
    int wait_ms = sp_process_ending(process) ? DYING_MS : 0;
    if (!sp_process_ended(process, wait_ms, &status)) {
        bound_log(server);
        return true;
    }
    server->deaths++;
    cluster->deaths++;
    sp_server_describe_end(cluster, index, status, cluster->last_death, sizeof cluster->last_death);
    if (server->deaths > SP_RESTARTS_MAX)
        return sp_error_set(error, SP_ERROR_INFRA, 0,
                            "server %s died %u times and is given up; the last time: %s",
                            server->name, server->deaths, cluster->last_death);
    int64_t deadline = bson_get_monotonic_time() + cluster->timeout_ms * 1000LL;
    if (!start_again(cluster, index, deadline, error))
        return false;
    (*restarted)++;
    return true;
}

bool sp_cluster_watch(sp_cluster_t *cluster, unsigned *restarted, sp_error_t *error)
{
    unsigned count = 0;
    bool ok = true;
    if (!cluster->attached) {
        pthread_mutex_lock(&cluster->lock);
        for (unsigned i = 0; ok && i < cluster->count; i++)
            ok = look_after(cluster, i, &count, error);
        pthread_mutex_unlock(&cluster->lock);
    }
    if (restarted != NULL)
        *restarted = count;
    return ok;
}

unsigned sp_cluster_last_death(sp_cluster_t *cluster, char *text, size_t size)
{
    if (cluster->attached) {
        if (text != NULL && size > 0)
            text[0] = '\0';
        return 0;
    }
    pthread_mutex_lock(&cluster->lock);
    unsigned deaths = cluster->deaths;
    if (text != NULL && size > 0)
        snprintf(text, size, "%s", cluster->last_death);
    pthread_mutex_unlock(&cluster->lock);
    return deaths;
}
