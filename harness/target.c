#include "target.h"

#include "servers/install.h"
#include "servers/uri.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

struct sp_target {
    char *kind;
    char *version;
    char *spec;
    unsigned capabilities;
    char *alone_uri; /* of a server that is in no cluster */
    char *logs_folder;
    sp_binary_t *binary; /* of a cluster that was started; else NULL */
    unsigned shards;

    pthread_mutex_t lock;  /* guards what follows */
    sp_cluster_t *cluster; /* NULL for a server that stands alone */
    unsigned generation;
    int64_t upset_at; /* when servers were last restarted or replaced; 0: never */
};

enum { PROBE_TIMEOUT_MS = 20000 };

/* Asks `command` of the server at `uri`; the reply must be destroyed in any case. */
static bool probe(const char *uri, const char *db, const char *command, bson_t *reply,
                  sp_error_t *error)
{
    sp_conn_t *conn = sp_conn_open(uri, PROBE_TIMEOUT_MS, error);
    if (conn == NULL) {
        bson_init(reply);
        return false;
    }
    bool ok = sp_conn_commandf(conn, db, reply, error, "%s", command);
    sp_conn_close(conn);
    return ok;
}

static bool answers(const char *uri, const char *db, const char *command, sp_error_t *error)
{
    bson_t reply;
    bool ok = probe(uri, db, command, &reply, error);
    bson_destroy(&reply);
    return ok;
}

static char *read_version(const char *uri, sp_error_t *error)
{
    bson_t reply;
    bson_iter_t iter;
    char *version = NULL;
    if (probe(uri, "admin", "{\"buildInfo\": 1}", &reply, error)) {
        if (bson_iter_init_find(&iter, &reply, "version") && BSON_ITER_HOLDS_UTF8(&iter))
            version = bson_strdup(bson_iter_utf8(&iter, NULL));
        else
            sp_error_set(error, SP_ERROR_INFRA, 0, "the server names no version in buildInfo");
    }
    bson_destroy(&reply);
    return version;
}

/* A server that answers ok to a command nobody has made up would answer ok to anything. */
static bool refuses_nonsense(const char *uri)
{
    sp_error_t error = {0};
    return !answers(uri, "admin", "{\"shardproofMadeThisUp\": 1}", &error) &&
           error.domain == SP_ERROR_SERVER;
}

static const char *first_uri(const sp_target_t *target)
{
    return target->cluster != NULL ? sp_cluster_shard_uri(target->cluster, 0) : target->alone_uri;
}

static unsigned probe_capabilities(const sp_target_t *target)
{
    static const struct {
        const char *db, *command;
        unsigned capabilities;
    } probes[] = {
        {"admin", "{\"_hashBSONElement\": 1, \"seed\": 0}", SP_CAN_HASH},
        {"admin",
         "{\"aggregate\": 1, \"pipeline\": [{\"$documents\": [{}]}, {\"$project\": {\"h\": "
         "{\"$map\": "
         "{\"input\": \"$$v\", \"in\": {\"$toHashedIndexKey\": \"$$this\"}}}}}], "
         "\"let\": {\"v\": {\"$literal\": [1]}}, \"cursor\": {}}",
         SP_CAN_HASH | SP_HASHES_IN_BULK},
        {"admin",
         "{\"aggregate\": 1, \"pipeline\": [{\"$documents\": [{}]}, {\"$project\": {\"c\": "
         "{\"$cmp\": "
         "[\"$$v\", 2]}}}], \"let\": {\"v\": {\"$literal\": 1}}, \"cursor\": {}}",
         SP_CAN_COMPARE},
        /* The router's own commands are in every shard since 6.0; an unknown collection is simply
           empty. */
        {"shardproof_probe", "{\"clusterFind\": \"nothing\", \"filter\": {}}", SP_CAN_ROUTE},
    };
    const char *uri = first_uri(target);
    unsigned capabilities = 0;
    if (!refuses_nonsense(uri))
        return 0;
    for (unsigned i = 0; i < sizeof probes / sizeof *probes; i++) {
        if (answers(uri, probes[i].db, probes[i].command, NULL))
            capabilities |= probes[i].capabilities;
    }
    return target->cluster != NULL ? capabilities : capabilities & ~(unsigned)SP_CAN_ROUTE;
}

static bool start_cluster(sp_target_t *target, sp_error_t *error)
{
    const sp_cluster_options_t options = {
        .mongod = target->binary->mongod,
        .library_path =
            target->binary->library_path[0] != '\0' ? target->binary->library_path : NULL,
        .shards = target->shards,
    };
    target->cluster = sp_cluster_start(&options, error);
    target->generation++;
    return target->cluster != NULL;
}

static bool install_and_start(sp_target_t *target, const sp_target_options_t *options,
                              sp_error_t *error)
{
    target->binary = bson_malloc0(sizeof *target->binary);
    target->shards = options->shards;
    target->kind = bson_strdup("mongod-cluster");
    return sp_binary_find(options->server, target->binary, error) && start_cluster(target, error);
}

/* What stands behind a connection string: a config server of a cluster, a mongos, or one server. */
static bool attach(sp_target_t *target, const char *uri, sp_error_t *error)
{
    bson_t reply;
    bson_iter_t iter;
    bool ok = probe(uri, "admin", "{\"isMaster\": 1}", &reply, error);
    if (ok && bson_has_field(&reply, "configsvr")) {
        target->kind = bson_strdup("mongod-cluster");
        target->cluster = sp_cluster_attach(uri, error);
        ok = target->cluster != NULL;
    } else if (ok) {
        bool mongos = bson_iter_init_find(&iter, &reply, "msg") && BSON_ITER_HOLDS_UTF8(&iter) &&
                      strcmp(bson_iter_utf8(&iter, NULL), "isdbgrid") == 0;
        target->kind = bson_strdup(mongos ? "mongos" : "mongod");
        target->alone_uri = bson_strdup(uri);
    }
    bson_destroy(&reply);
    return ok;
}

sp_target_t *sp_target_open(const sp_target_options_t *options, sp_error_t *error)
{
    sp_target_t *target = bson_malloc0(sizeof *target);
    pthread_mutex_init(&target->lock, NULL);
    target->spec = sp_uri_redacted(options->server);
    target->logs_folder = bson_strdup(options->logs_folder);
    bool ok = sp_server_spec(options->server) == SP_SERVER_URI
                  ? attach(target, options->server, error)
                  : install_and_start(target, options, error);
    if (ok) {
        target->version = read_version(first_uri(target), error);
        ok = target->version != NULL;
    }
    if (!ok) {
        sp_target_close(target, true);
        return NULL;
    }
    target->capabilities = probe_capabilities(target);
    return target;
}

void sp_target_close(sp_target_t *target, bool keep_logs)
{
    if (target == NULL)
        return;
    if (target->cluster != NULL && keep_logs && target->logs_folder != NULL)
        sp_cluster_keep_logs(target->cluster, target->logs_folder);
    sp_cluster_stop(target->cluster);
    pthread_mutex_destroy(&target->lock);
    bson_free(target->binary);
    bson_free(target->kind);
    bson_free(target->version);
    bson_free(target->spec);
    bson_free(target->alone_uri);
    bson_free(target->logs_folder);
    bson_free(target);
}

const char *sp_target_kind(const sp_target_t *target)
{
    return target->kind;
}

const char *sp_target_version(const sp_target_t *target)
{
    return target->version;
}

const char *sp_target_spec(const sp_target_t *target)
{
    return target->spec;
}

unsigned sp_target_capabilities(const sp_target_t *target)
{
    return target->capabilities;
}

unsigned sp_target_shards(const sp_target_t *target)
{
    return target->cluster != NULL ? sp_cluster_shards(target->cluster) : 1;
}

bool sp_target_is_own(const sp_target_t *target)
{
    return target->binary != NULL;
}

void sp_target_addresses(sp_target_t *target, sp_addresses_t *addresses)
{
    *addresses = (sp_addresses_t){0};
    pthread_mutex_lock(&target->lock);
    addresses->generation = target->generation;
    addresses->count = target->cluster != NULL ? sp_cluster_shards(target->cluster) : 1;
    if (target->cluster != NULL)
        addresses->config = bson_strdup(sp_cluster_config_uri(target->cluster));
    for (unsigned i = 0; i < addresses->count; i++) {
        bool alone = target->cluster == NULL;
        addresses->uris[i] =
            bson_strdup(alone ? target->alone_uri : sp_cluster_shard_uri(target->cluster, i));
        addresses->names[i] = bson_strdup(alone ? "s1" : sp_cluster_shard_name(target->cluster, i));
    }
    pthread_mutex_unlock(&target->lock);
}

void sp_addresses_clear(sp_addresses_t *addresses)
{
    for (unsigned i = 0; i < addresses->count; i++) {
        bson_free(addresses->uris[i]);
        bson_free(addresses->names[i]);
    }
    bson_free(addresses->config);
    *addresses = (sp_addresses_t){0};
}

/* Takes the hanging servers' place. Their logs are kept: what hung them is worth knowing. */
static bool renew(sp_target_t *target, sp_error_t *error)
{
    if (target->binary == NULL)
        return sp_error_set(
            error, SP_ERROR_INFRA, 0,
            "the servers do not answer any more; they were not started here, so restart"
            " them and run again");
    if (target->generation > SP_RENEWALS_MAX)
        return sp_error_set(error, SP_ERROR_INFRA, 0, "the servers hung %d times and are given up",
                            SP_RENEWALS_MAX);
    fprintf(stderr, "shardproof: the servers hang; a new cluster takes their place\n");
    sp_cluster_t *hung = target->cluster;
    if (target->logs_folder != NULL) {
        char *folder = bson_strdup_printf("%s/hung-%u", target->logs_folder, target->generation);
        sp_cluster_keep_logs(hung, folder);
        bson_free(folder);
    }
    sp_cluster_stop(hung);
    target->cluster = NULL;
    return start_cluster(target, error);
}

/* With the lock held. */
static bool watch(sp_target_t *target, unsigned *restarted, sp_error_t *error)
{
    *restarted = 0;
    bool ok = target->cluster == NULL || sp_cluster_watch(target->cluster, restarted, error);
    if (*restarted > 0)
        target->upset_at = bson_get_monotonic_time();
    return ok;
}

bool sp_target_recover(sp_target_t *target, unsigned generation, bool hangs, sp_error_t *error)
{
    bool ok = true;
    pthread_mutex_lock(&target->lock);
    if (target->generation == generation) {
        unsigned restarted;
        ok = watch(target, &restarted, error);
        /* Whoever was restarted a moment ago was dead rather than hanging. */
        int64_t settled =
            target->upset_at == 0 ? INT64_MAX : bson_get_monotonic_time() - target->upset_at;
        if (ok && restarted == 0 && hangs && settled > SP_SETTLE_US) {
            ok = renew(target, error);
            target->upset_at = bson_get_monotonic_time();
        }
    } else if (target->cluster == NULL) {
        ok = sp_error_set(error, SP_ERROR_INFRA, 0, "the servers hung and could not be replaced");
    }
    pthread_mutex_unlock(&target->lock);
    return ok;
}

int64_t sp_target_watch(sp_target_t *target)
{
    unsigned restarted;
    pthread_mutex_lock(&target->lock);
    /* What cannot be restarted shows when the next command fails. */
    watch(target, &restarted, NULL);
    int64_t upset_at = target->upset_at;
    pthread_mutex_unlock(&target->lock);
    return upset_at;
}
