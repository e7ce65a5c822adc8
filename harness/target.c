#include "target.h"

#include "servers/cluster.h"
#include "servers/install.h"
#include "servers/uri.h"

#include <pthread.h>
#include <string.h>

struct sp_target {
    char *kind;
    char *version;
    char *spec;
    unsigned capabilities;
    sp_cluster_t *cluster; /* NULL for a server that stands alone */
    char *alone_uri;
    char *logs_folder;
    pthread_mutex_t moves;
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

static unsigned probe_capabilities(const sp_target_t *target)
{
    static const char evaluate[] =
        "{\"aggregate\": 1, \"pipeline\": [{\"$documents\": [{}]}, {\"$project\": {\"h\": {\"$map\": "
        "{\"input\": \"$$v\", \"in\": {\"$toHashedIndexKey\": \"$$this\"}}}}}], "
        "\"let\": {\"v\": {\"$literal\": [1]}}, \"cursor\": {}}";
    unsigned capabilities = 0;
    const char *uri = sp_target_shard_uri(target, 0);
    if (!refuses_nonsense(uri))
        return 0;
    if (answers(uri, "admin", evaluate, NULL))
        capabilities |= SP_CAN_EVALUATE;
    /* The router's own commands are in every shard since 6.0; an unknown collection is simply empty. */
    if (target->cluster != NULL &&
        answers(uri, "shardproof_probe", "{\"clusterFind\": \"nothing\", \"filter\": {}}", NULL))
        capabilities |= SP_CAN_ROUTE;
    return capabilities;
}

static bool start_cluster(sp_target_t *target, const sp_target_options_t *options,
                          sp_error_t *error)
{
    sp_binary_t *binary = bson_malloc0(sizeof *binary);
    bool ok = sp_binary_find(options->server, binary, error);
    if (ok) {
        sp_cluster_options_t cluster = {
            .mongod = binary->mongod,
            .library_path = binary->library_path[0] != '\0' ? binary->library_path : NULL,
            .shards = options->shards,
        };
        target->cluster = sp_cluster_start(&cluster, error);
        ok = target->cluster != NULL;
    }
    bson_free(binary);
    target->kind = bson_strdup("mongod-cluster");
    return ok;
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
    pthread_mutex_init(&target->moves, NULL);
    target->spec = sp_uri_redacted(options->server);
    target->logs_folder = bson_strdup(options->logs_folder);
    bool ok = sp_server_spec(options->server) == SP_SERVER_URI
                  ? attach(target, options->server, error)
                  : start_cluster(target, options, error);
    if (ok) {
        target->version = read_version(sp_target_shard_uri(target, 0), error);
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
    pthread_mutex_destroy(&target->moves);
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

const char *sp_target_config_uri(const sp_target_t *target)
{
    return target->cluster != NULL ? sp_cluster_config_uri(target->cluster) : NULL;
}

unsigned sp_target_shards(const sp_target_t *target)
{
    return target->cluster != NULL ? sp_cluster_shards(target->cluster) : 1;
}

const char *sp_target_shard_uri(const sp_target_t *target, unsigned shard)
{
    return target->cluster != NULL ? sp_cluster_shard_uri(target->cluster, shard)
                                   : target->alone_uri;
}

const char *sp_target_shard_name(const sp_target_t *target, unsigned shard)
{
    return target->cluster != NULL ? sp_cluster_shard_name(target->cluster, shard) : "s1";
}

void sp_target_lock_moves(sp_target_t *target)
{
    pthread_mutex_lock(&target->moves);
}

void sp_target_unlock_moves(sp_target_t *target)
{
    pthread_mutex_unlock(&target->moves);
}

bool sp_target_recover(sp_target_t *target, sp_error_t *error)
{
    return target->cluster == NULL || sp_cluster_watch(target->cluster, NULL, error);
}
