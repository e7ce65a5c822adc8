#include "cluster_internal.h"
#include "uri.h"

#include <stdio.h>
#include <string.h>

#define ATTACH_MS 10000

static const char *text_field(const bson_t *document, const char *name)
{
    bson_iter_t iter;
    if (bson_iter_init_find(&iter, document, name) && BSON_ITER_HOLDS_UTF8(&iter))
        return bson_iter_utf8(&iter, NULL);
    return NULL;
}

static bool flag_field(const bson_t *document, const char *name)
{
    bson_iter_t iter;
    return bson_iter_init_find(&iter, document, name) && bson_iter_as_bool(&iter);
}

/* What kind of server answered so, for the message that refuses it. */
static bool check_config_server(const bson_t *hello, const char *shown, sp_error_t *error)
{
    const char *message = text_field(hello, "msg");
    const char *set = text_field(hello, "setName");
    const char *primary = text_field(hello, "primary");
    const char *ask = "the URI must be that of the cluster's config server";
    if (message != NULL && strcmp(message, "isdbgrid") == 0)
        return sp_error_set(error, SP_ERROR_USAGE, 0, "%s is a mongos; %s", shown, ask);
    if (!bson_has_field(hello, "configsvr"))
        return sp_error_set(error, SP_ERROR_USAGE, 0, "%s is %s%s, not a config server; %s", shown,
                            set == NULL ? "a server on its own" : "a member of replica set ",
                            set == NULL ? "" : set, ask);
    if (!flag_field(hello, "ismaster"))
        return sp_error_set(error, SP_ERROR_USAGE, 0,
                            "%s is a config server but not the primary; the primary is %s", shown,
                            primary == NULL ? "not known" : primary);
    return true;
}

/* Says whether the server at `uri` is the primary of its set. */
static bool is_primary(const char *uri, sp_error_t *error)
{
    sp_conn_t *conn = sp_conn_open(uri, ATTACH_MS, error);
    if (conn == NULL)
        return false;
    bson_t hello;
    bool ok = sp_conn_commandf(conn, "admin", &hello, error, "{\"isMaster\": 1}") &&
              flag_field(&hello, "ismaster");
    bson_destroy(&hello);
    sp_conn_close(conn);
    return ok;
}

/* `hosts` is "set/host:port,host:port"; the one that is primary becomes the shard's server. */
static bool add_shard(sp_cluster_t *cluster, const char *name, const char *hosts, sp_error_t *error)
{
    if (cluster->count == SP_SERVERS_MAX)
        return sp_error_set(error, SP_ERROR_USAGE, 0, "the cluster has more than %d shards",
                            SP_SHARDS_MAX);
    sp_error_t why = {0};
    const char *slash = strchr(hosts, '/');
    char *list = bson_strdup(slash == NULL ? hosts : slash + 1);
    char *rest = NULL;
    bool found = false;
    for (char *host = strtok_r(list, ",", &rest); host != NULL && !found;
         host = strtok_r(NULL, ",", &rest)) {
        char *uri = sp_uri_with_host(cluster->servers[0].uri, host);
        found = is_primary(uri, &why);
        if (found) {
            sp_server_t *server = &cluster->servers[cluster->count++];
            server->name = bson_strdup(name);
            server->uri = uri;
        } else {
            bson_free(uri);
        }
    }
    bson_free(list);
    if (!found)
        return sp_error_set(error, SP_ERROR_INFRA, why.code, "shard %s (%s) has no primary%s%s",
                            name, hosts, why.message[0] == '\0' ? "" : ": ", why.message);
    return true;
}

static bool add_shards(sp_cluster_t *cluster, const bson_t *found, sp_error_t *error)
{
    bson_iter_t iter;
    bson_iter_t batch;
    bson_iter_t shard;
    if (!bson_iter_init(&iter, found) ||
        !bson_iter_find_descendant(&iter, "cursor.firstBatch", &batch) ||
        !bson_iter_recurse(&batch, &shard))
        return sp_error_set(error, SP_ERROR_INFRA, 0, "the config server did not name its shards");
    while (bson_iter_next(&shard)) {
        bson_t entry;
        uint32_t length;
        const uint8_t *data;
        if (!BSON_ITER_HOLDS_DOCUMENT(&shard))
            continue;
        bson_iter_document(&shard, &length, &data);
        if (!bson_init_static(&entry, data, length))
            continue;
        const char *name = text_field(&entry, "_id");
        const char *hosts = text_field(&entry, "host");
        if (name == NULL || hosts == NULL)
            return sp_error_set(error, SP_ERROR_INFRA, 0,
                                "an entry of config.shards has no name or "
                                "host");
        if (!add_shard(cluster, name, hosts, error))
            return false;
    }
    if (cluster->count == 1)
        return sp_error_set(error, SP_ERROR_USAGE, 0, "the cluster has no shards yet");
    return true;
}

static bool ask(sp_cluster_t *cluster, sp_conn_t *conn, const char *shown, sp_error_t *error)
{
    bson_t hello;
    bson_t build = BSON_INITIALIZER;
    bson_t shards = BSON_INITIALIZER;
    bool ok = sp_conn_commandf(conn, "admin", &hello, error, "{\"isMaster\": 1}") &&
              check_config_server(&hello, shown, error) &&
              sp_conn_commandf(conn, "admin", &build, error, "{\"buildInfo\": 1}") &&
              sp_conn_commandf(conn, "config", &shards, error,
                               "{\"find\": \"shards\", \"sort\": {\"_id\": 1}, \"batchSize\": %d}",
                               SP_SHARDS_MAX + 1) &&
              add_shards(cluster, &shards, error);
    const char *version = ok ? text_field(&build, "version") : NULL;
    snprintf(cluster->version, sizeof cluster->version, "%s", version == NULL ? "" : version);
    bson_destroy(&hello);
    bson_destroy(&build);
    bson_destroy(&shards);
    return ok;
}

sp_cluster_t *sp_cluster_attach(const char *config_uri, sp_error_t *error)
{
    sp_conn_t *conn = sp_conn_open(config_uri, ATTACH_MS, error);
    if (conn == NULL)
        return NULL;
    sp_cluster_t *cluster = bson_malloc0(sizeof *cluster);
    pthread_mutex_init(&cluster->lock, NULL);
    cluster->attached = true;
    cluster->count = 1;
    cluster->servers[0].name = bson_strdup("config");
    cluster->servers[0].uri = bson_strdup(config_uri);
    char *shown = sp_uri_redacted(config_uri);
    if (!ask(cluster, conn, shown, error)) {
        sp_cluster_free(cluster);
        cluster = NULL;
    }
    bson_free(shown);
    sp_conn_close(conn);
    return cluster;
}
