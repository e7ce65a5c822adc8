#include "session.h"

#include "paper.h"
#include "servers/signals.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

enum { COMMAND_TIMEOUT_MS = 30000 };

static sp_conn_t *open_conn(const char *uri, sp_error_t *error)
{
    sp_conn_t *conn = sp_conn_open(uri, COMMAND_TIMEOUT_MS, error);
    if (conn != NULL)
        sp_conn_stop_when(conn, sp_stop_requested);
    return conn;
}

static bool connect_all(sp_session_t *session, sp_error_t *error)
{
    sp_target_addresses(session->target, &session->at);
    session->shard_count = session->at.count;
    session->primary = session->worker % session->shard_count;
    session->db_made = false;
    session->zones_made = false;
    session->profiler_made = false;
    session->paper.laid = false;
    bool ok = true;
    if (session->at.config != NULL) {
        session->config = open_conn(session->at.config, error);
        ok = session->config != NULL;
    }
    for (unsigned i = 0; ok && i < session->shard_count; i++) {
        session->shards[i] = open_conn(session->at.uris[i], error);
        ok = session->shards[i] != NULL;
    }
    return ok;
}

static void disconnect_all(sp_session_t *session)
{
    for (unsigned i = 0; i < session->shard_count; i++) {
        sp_conn_close(session->shards[i]);
        session->shards[i] = NULL;
    }
    sp_conn_close(session->config);
    session->config = NULL;
    sp_addresses_clear(&session->at);
}

sp_session_t *sp_session_open(sp_target_t *target, unsigned worker, sp_error_t *error)
{
    sp_session_t *session = bson_malloc0(sizeof *session);
    session->target = target;
    session->worker = worker;
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    session->born = (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
    bson_init(&session->db_version);
    snprintf(session->db, sizeof session->db, "sp%ld_%u", (long)getpid(), worker);
    if (!connect_all(session, error)) {
        sp_session_close(session);
        return NULL;
    }
    return session;
}

void sp_session_close(sp_session_t *session)
{
    if (session == NULL)
        return;
    sp_session_close(session->twin);
    if (!sp_target_is_own(session->target))
        sp_paper_drop(session);
    sp_paper_forget(session);
    disconnect_all(session);
    bson_destroy(&session->db_version);
    bson_free(session);
}

bool sp_session_recover(sp_session_t *session, bool hangs, sp_error_t *error)
{
    if (!sp_target_recover(session->target, session->at.generation, hangs, error))
        return false;
    /* Of what was being prepared nothing is known any more. */
    sp_session_close(session->twin);
    session->twin = NULL;
    session->twin_leads = false;
    session->ahead = NULL;
    sp_paper_forget(session);
    disconnect_all(session);
    return connect_all(session, error);
}

void sp_session_forget(sp_session_t *session)
{
    if (session->config != NULL)
        sp_conn_forget(session->config);
    for (unsigned i = 0; i < session->shard_count; i++)
        sp_conn_forget(session->shards[i]);
}

int64_t sp_session_watch(sp_session_t *session)
{
    return sp_target_watch(session->target);
}

bool sp_code_is_trouble(int32_t code)
{
    static const int32_t codes[] = {
        6,     /* HostUnreachable */
        7,     /* HostNotFound */
        89,    /* NetworkTimeout */
        91,    /* ShutdownInProgress */
        133,   /* FailedToSatisfyReadPreference: a shard has no primary */
        194,   /* BalancerInterrupted: the config server has just become primary */
        189,   /* PrimarySteppedDown */
        262,   /* ExceededTimeLimit */
        384,   /* ConnectionError */
        9001,  /* SocketException */
        10107, /* NotWritablePrimary */
        11600, /* InterruptedAtShutdown */
        11602, /* InterruptedDueToReplStateChange */
        13435, /* NotPrimaryNoSecondaryOk */
        13436, /* NotPrimaryOrSecondary */
    };
    for (unsigned i = 0; i < sizeof codes / sizeof *codes; i++) {
        if (codes[i] == code)
            return true;
    }
    return false;
}

bool sp_code_is_stale(int32_t code)
{
    static const int32_t codes[] = {
        150,   /* StaleEpoch */
        249,   /* StaleDbVersion */
        13388, /* StaleConfig */
    };
    for (unsigned i = 0; i < sizeof codes / sizeof *codes; i++) {
        if (codes[i] == code)
            return true;
    }
    return false;
}

sp_conn_t *sp_session_any(sp_session_t *session)
{
    return session->shards[session->worker % session->shard_count];
}
