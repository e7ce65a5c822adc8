#include "conn.h"

#include "stream.h"
#include "uri.h"
#include "wire.h"

#include <assert.h>
#include <errno.h>
#include <mongoc/mongoc.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct sp_conn {
    mongoc_uri_t *uri;
    int timeout_ms;
    mongoc_client_t *client; /* NULL: not connected */
    mongoc_stream_t *stream; /* the client's; valid as long as the client is asked nothing more */
    int32_t request;         /* the last one sent */
    unsigned due;            /* of the last so many the reply has not been fetched */
    bool (*stop)(void);
};

static mongoc_uri_t *parse(const char *text, sp_error_t *error)
{
    char *shown = sp_uri_redacted(text);
    bson_error_t why = {0};
    mongoc_uri_t *uri = mongoc_uri_new_with_error(text, &why);
    if (uri == NULL) {
        /* libmongoc's own words may quote the secret. */
        bool secret = strcmp(shown, text) != 0;
        sp_error_set(error, SP_ERROR_USAGE, 0,
                     "%s is no connection string: %s; it should look like mongodb://host:port/",
                     shown, secret ? "something in it is not escaped or not known" : why.message);
    } else {
        const mongoc_host_list_t *host = mongoc_uri_get_hosts(uri);
        if (host == NULL || host->next != NULL) {
            sp_error_set(error, SP_ERROR_USAGE, 0,
                         "%s must name exactly one server: connections go straight to it", shown);
            mongoc_uri_destroy(uri);
            uri = NULL;
        }
    }
    bson_free(shown);
    return uri;
}

static void apply_timeout(mongoc_uri_t *uri, int timeout_ms)
{
    mongoc_uri_set_option_as_int32(uri, MONGOC_URI_CONNECTTIMEOUTMS, timeout_ms);
    mongoc_uri_set_option_as_int32(uri, MONGOC_URI_SOCKETTIMEOUTMS, timeout_ms);
    mongoc_uri_set_option_as_int32(uri, MONGOC_URI_SERVERSELECTIONTIMEOUTMS, timeout_ms);
}

/* libmongoc reports every connection at level debug; what it warns of is worth knowing. */
static void on_driver_log(mongoc_log_level_t level, const char *domain, const char *message,
                          void *data)
{
    (void)data;
    if (level <= MONGOC_LOG_LEVEL_WARNING)
        fprintf(stderr, "shardproof: libmongoc (%s): %s\n", domain, message);
}

sp_conn_t *sp_conn_open(const char *uri, int timeout_ms, sp_error_t *error)
{
    assert(timeout_ms > 0);
    mongoc_log_set_handler(on_driver_log, NULL);
    mongoc_uri_t *parsed = parse(uri, error);
    if (parsed == NULL)
        return NULL;
    apply_timeout(parsed, timeout_ms);
    mongoc_uri_set_option_as_bool(parsed, MONGOC_URI_DIRECTCONNECTION, true);
    mongoc_uri_set_option_as_bool(parsed, MONGOC_URI_SERVERSELECTIONTRYONCE, true);
    mongoc_uri_set_option_as_bool(parsed, MONGOC_URI_RETRYREADS, false);
    mongoc_uri_set_option_as_bool(parsed, MONGOC_URI_RETRYWRITES, false);
    mongoc_uri_set_appname(parsed, "shardproof");

    sp_conn_t *conn = bson_malloc0(sizeof *conn);
    conn->uri = parsed;
    conn->timeout_ms = timeout_ms;
    return conn;
}

static void disconnect(sp_conn_t *conn)
{
    mongoc_client_destroy(conn->client);
    conn->client = NULL;
    conn->stream = NULL;
    conn->due = 0;
}

void sp_conn_close(sp_conn_t *conn)
{
    if (conn == NULL)
        return;
    disconnect(conn);
    mongoc_uri_destroy(conn->uri);
    bson_free(conn);
}

void sp_conn_set_timeout(sp_conn_t *conn, int timeout_ms)
{
    assert(timeout_ms > 0);
    conn->timeout_ms = timeout_ms;
    apply_timeout(conn->uri, timeout_ms);
}

void sp_conn_stop_when(sp_conn_t *conn, bool (*stop)(void))
{
    conn->stop = stop;
}

/* Makes libmongoc connect, shake hands and authenticate. A ping is the least that brings it to do
 * all. */
static bool connect_now(sp_conn_t *conn, sp_error_t *error)
{
    bson_error_t why = {0};
    conn->client = mongoc_client_new_from_uri_with_error(conn->uri, &why);
    if (conn->client == NULL)
        return sp_error_set(error, SP_ERROR_USAGE, 0, "the connection string cannot be used: %s",
                            why.message);
    mongoc_client_set_error_api(conn->client, MONGOC_ERROR_API_VERSION_2);
    mongoc_client_set_stream_initiator(conn->client, sp_stream_connect, &conn->stream);

    bson_t *ping = BCON_NEW("ping", BCON_INT32(1));
    /* A member that is not (yet) primary must do as well. */
    mongoc_read_prefs_t *any = mongoc_read_prefs_new(MONGOC_READ_PRIMARY_PREFERRED);
    bool ok = mongoc_client_command_simple(conn->client, "admin", ping, any, NULL, &why);
    mongoc_read_prefs_destroy(any);
    bson_destroy(ping);
    /* A server that refuses the ping is connected all the same. */
    if (ok || (why.domain == MONGOC_ERROR_SERVER && conn->stream != NULL)) {
        /* Forgets the ping's session, which would be ended on destruction: a round trip that may
         * hang. */
        mongoc_client_reset(conn->client);
        return true;
    }
    disconnect(conn);
    return sp_error_set(error, SP_ERROR_INFRA, ENOTCONN, "%s: %s",
                        mongoc_uri_get_hosts(conn->uri)->host_and_port, why.message);
}

/* The reply's verdict: true, or false with the server's code and words. */
static bool judge(const bson_t *reply, sp_error_t *error)
{
    bson_iter_t iter;
    if (bson_iter_init_find(&iter, reply, "ok") && bson_iter_as_bool(&iter))
        return true;

    int64_t code = 0;
    const char *name = "";
    const char *message = "the server gave no reason";
    if (bson_iter_init_find(&iter, reply, "code"))
        code = bson_iter_as_int64(&iter);
    if (bson_iter_init_find(&iter, reply, "codeName") && BSON_ITER_HOLDS_UTF8(&iter))
        name = bson_iter_utf8(&iter, NULL);
    if ((bson_iter_init_find(&iter, reply, "errmsg") ||
         bson_iter_init_find(&iter, reply, "$err")) &&
        BSON_ITER_HOLDS_UTF8(&iter))
        message = bson_iter_utf8(&iter, NULL);
    if (code < INT32_MIN || code > INT32_MAX)
        code = 0;
    return sp_error_set(error, SP_ERROR_SERVER, (int32_t)code, "%s (%d): %s",
                        name[0] == '\0' ? "error" : name, (int)code, message);
}

static bool make_ready(sp_conn_t *conn, sp_error_t *error)
{
    if (conn->client != NULL && conn->due == 0 && mongoc_stream_check_closed(conn->stream))
        disconnect(conn);
    return conn->client != NULL || connect_now(conn, error);
}

/* Puts the server's address before what went wrong; a connection that is of no more use goes. */
static bool fail(sp_conn_t *conn, const sp_error_t *why, sp_error_t *error)
{
    if (why->domain != SP_ERROR_INPUT)
        disconnect(conn);
    return sp_error_set(error, why->domain, why->code, "%s: %s",
                        mongoc_uri_get_hosts(conn->uri)->host_and_port, why->message);
}

bool sp_conn_post(sp_conn_t *conn, const char *db, const bson_t *command, sp_error_t *error)
{
    sp_error_t why = {0};
    int64_t deadline = bson_get_monotonic_time() + conn->timeout_ms * 1000LL;
    if (bson_has_field(command, "$db"))
        return sp_error_set(error, SP_ERROR_INPUT, 0, "a command must not bring its own $db");
    if (!make_ready(conn, error))
        return false;
    /* Numbers grow without a gap while replies are due, which the reply's own number relies on. */
    if (conn->due == 0 && conn->request > INT32_MAX / 2)
        conn->request = 0;
    if (!sp_wire_send(conn->stream, conn->request + 1, db, command, deadline, &why))
        return fail(conn, &why, error);
    conn->request++;
    conn->due++;
    return true;
}

bool sp_conn_fetch(sp_conn_t *conn, bson_t *reply, sp_error_t *error)
{
    sp_error_t why = {0};
    bson_t own = BSON_INITIALIZER;
    int64_t deadline = bson_get_monotonic_time() + conn->timeout_ms * 1000LL;
    if (reply == NULL)
        reply = &own;
    else
        bson_init(reply);
    bool ok;
    if (conn->due == 0) {
        ok = sp_error_set(error, SP_ERROR_INFRA, ENOTCONN, "%s: the connection was lost",
                          mongoc_uri_get_hosts(conn->uri)->host_and_port);
    } else {
        int32_t request = conn->request - (int32_t)--conn->due;
        ok = sp_wire_receive(conn->stream, request, reply, deadline, conn->stop, &why);
        ok = ok ? judge(reply, error) : fail(conn, &why, error);
    }
    bson_destroy(&own);
    return ok;
}

unsigned sp_conn_due(const sp_conn_t *conn)
{
    return conn->due;
}

void sp_conn_forget(sp_conn_t *conn)
{
    if (conn->due > 0)
        disconnect(conn);
}

bool sp_conn_command(sp_conn_t *conn, const char *db, const bson_t *command, bson_t *reply,
                     sp_error_t *error)
{
    sp_conn_forget(conn);
    if (sp_conn_post(conn, db, command, error))
        return sp_conn_fetch(conn, reply, error);
    if (reply != NULL)
        bson_init(reply);
    return false;
}

bool sp_conn_commandf(sp_conn_t *conn, const char *db, bson_t *reply, sp_error_t *error,
                      const char *format, ...)
{
    va_list args;
    va_start(args, format);
    char *json = bson_strdupv_printf(format, args);
    va_end(args);

    bson_error_t why;
    bool ok = false;
    bson_t *command = bson_new_from_json((const uint8_t *)json, -1, &why);
    if (command == NULL) {
        if (reply != NULL)
            bson_init(reply);
        sp_error_set(error, SP_ERROR_INPUT, 0, "the command is no valid JSON: %s", why.message);
    } else {
        ok = sp_conn_command(conn, db, command, reply, error);
        bson_destroy(command);
    }
    bson_free(json);
    return ok;
}
