/*
 * A server that can only shake hands, and then misbehaves as it is told: for tests of what a
 * connection makes of bad answers.
 */
#ifndef SHARDPROOF_FAKE_SERVER_H
#define SHARDPROOF_FAKE_SERVER_H

#include <bson/bson.h>

typedef struct fake_server fake_server_t;

/* What it does with a command that is neither a hello nor a ping. */
typedef enum fake_answer {
    FAKE_REPLY,    /* sends the reply it was given */
    FAKE_CLOSE,    /* closes the connection without a word */
    FAKE_CUT,      /* closes it in the middle of the reply */
    FAKE_SILENT,   /* never answers */
    FAKE_OPCODE,   /* sends another kind of message */
    FAKE_STRANGER, /* answers another request */
    FAKE_LENGTH,   /* says the message is longer than any may be */
    FAKE_NEGATIVE, /* says the document has a negative length */
    FAKE_KIND,     /* sends a section of another kind */
    FAKE_MORE,     /* announces a further message */
    FAKE_BROKEN,   /* sends a document with an element that ends outside of it */
    FAKE_CHECKSUM, /* adds a checksum, which it may */
    FAKE_HANG_UP,  /* replies, then closes the connection */
} fake_answer_t;

fake_server_t *fake_server_start(void);
void fake_server_stop(fake_server_t *server);
int fake_server_port(const fake_server_t *server);

/* From now on. `reply` is copied; NULL: {ok: 1}. */
void fake_server_set(fake_server_t *server, fake_answer_t answer, const bson_t *reply);

/* A copy of the last command that was no hello or ping, to be destroyed by the caller. */
bson_t *fake_server_last(fake_server_t *server);

/* How many connections it has accepted. */
unsigned fake_server_connections(fake_server_t *server);

#endif
