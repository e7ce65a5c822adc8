/*
 * One connection to one server: sends commands, tells server errors from broken connections.
 *
 * libmongoc makes the connection (URI, TLS, handshake, authentication); the commands themselves are
 * framed here, because a harness must send exactly what it was given: no lsid, no $clusterTime, no
 * read preference is added, only $db. That also spares copying messages of several MB.
 *
 * A connection belongs to one thread at a time. Nothing is retried here: whoever asked knows
 * whether asking again is safe. After a failure the next command connects anew; a connection that
 * the server closed while nobody was asking is noticed before sending, and replaced.
 * mongoc_init() must have been called. Opening a connection makes libmongoc's own log go to stderr,
 * from warnings on.
 */
#ifndef SHARDPROOF_CONN_H
#define SHARDPROOF_CONN_H

#include "../../oracles/error.h"

#include <bson/bson.h>

typedef struct sp_conn sp_conn_t;

/* Opens a direct connection to `uri` (mongodb://host:port/…). `timeout_ms` bounds connecting and
 * each reply. Nothing is sent yet, so a server that is down shows at the first command. NULL and
 * SP_ERROR_USAGE where the URI cannot be parsed (the message never shows its password) or names
 * more than one host. */
sp_conn_t *sp_conn_open(const char *uri, int timeout_ms, sp_error_t *error);
void sp_conn_close(sp_conn_t *conn); /* NULL is fine */

/* Bounds what follows, like `timeout_ms` of sp_conn_open; an open connection stays open. */
void sp_conn_set_timeout(sp_conn_t *conn, int timeout_ms);

/* Makes waiting for a reply end early, with SP_ERROR_INFRA and EINTR, once `stop` says true; looked
 * at about every 100 ms. NULL: wait to the end. */
void sp_conn_stop_when(sp_conn_t *conn, bool (*stop)(void));

/* Runs `command` on database `db`. `reply` may be NULL; else it is always initialised and the
 * caller destroys it, also on failure. SP_ERROR_SERVER with the server's code where the server
 * answered {ok: 0} (a server error without code gives code 0), SP_ERROR_INFRA where no answer came,
 * or one that is no well-formed message. SP_ERROR_INPUT for a command no message can hold (over
 * 48,000,000 bytes) or one that has $db itself. `writeErrors` in the reply are no failure: the
 * caller reads them. */
bool sp_conn_command(sp_conn_t *conn, const char *db, const bson_t *command, bson_t *reply,
                     sp_error_t *error);

/* The two halves of sp_conn_command, for keeping several commands on their way: replies come in the
 * order of sending. How many may be under way is up to the caller, who must fetch them before so
 * much is written that neither side reads any more; some dozens of small ones are fine. */
bool sp_conn_post(sp_conn_t *conn, const char *db, const bson_t *command, sp_error_t *error);
bool sp_conn_fetch(sp_conn_t *conn, bson_t *reply, sp_error_t *error);
/* How many replies are still to be fetched; 0 after a failure that cost the connection. */
unsigned sp_conn_due(const sp_conn_t *conn);
/* Gives up the replies that are still to come, and the connection with them. sp_conn_command does
 * so by itself. */
void sp_conn_forget(sp_conn_t *conn);

/* The same with the command as relaxed Extended JSON made by printf; for commands built by hand.
 * SP_ERROR_INPUT where that is no valid JSON. */
bool sp_conn_commandf(sp_conn_t *conn, const char *db, bson_t *reply, sp_error_t *error,
                      const char *format, ...) __attribute__((format(printf, 5, 6)));

#endif
