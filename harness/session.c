#include "session.h"

#include <stdio.h>
#include <unistd.h>

enum { COMMAND_TIMEOUT_MS = 60000 };

sp_session_t *sp_session_open(sp_target_t *target, unsigned worker, sp_error_t *error)
{
    sp_session_t *session = bson_malloc0(sizeof *session);
    session->target = target;
    session->worker = worker;
    session->shard_count = sp_target_shards(target);
    session->shards = bson_malloc0(session->shard_count * sizeof(sp_conn_t *));
    session->primary = worker % session->shard_count;
    bson_init(&session->db_version);
    snprintf(session->db, sizeof session->db, "sp%ld_%u", (long)getpid(), worker);

    bool ok = true;
    const char *config = sp_target_config_uri(target);
    if (config != NULL) {
        session->config = sp_conn_open(config, COMMAND_TIMEOUT_MS, error);
        ok = session->config != NULL;
    }
    for (unsigned i = 0; ok && i < session->shard_count; i++) {
        session->shards[i] = sp_conn_open(sp_target_shard_uri(target, i), COMMAND_TIMEOUT_MS, error);
        ok = session->shards[i] != NULL;
    }
    if (!ok) {
        sp_session_close(session);
        return NULL;
    }
    return session;
}

void sp_session_close(sp_session_t *session)
{
    if (session == NULL)
        return;
    for (unsigned i = 0; i < session->shard_count; i++)
        sp_conn_close(session->shards[i]);
    sp_conn_close(session->config);
    bson_free(session->shards);
    bson_destroy(&session->db_version);
    bson_free(session);
}

sp_conn_t *sp_session_any(sp_session_t *session)
{
    return session->shards[session->worker % session->shard_count];
}
