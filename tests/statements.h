/*
 * Real clusters for tests that check single statements of docs/coverage.md: short ways to shard,
 * split, move, insert through a router, and to see where things lie.
 *
 * Whatever goes wrong otherwise than asked for fails the running test.
 */
#ifndef SHARDPROOF_TEST_STATEMENTS_H
#define SHARDPROOF_TEST_STATEMENTS_H

#include "test_harness_common.h"

#include "../harness/session.h"

enum { SP_STATEMENT_SHARDS = 3 };

typedef struct sp_place {
    sp_target_t *target;
    sp_session_t *session;
    bson_t reply;   /* of the last command */
    unsigned calls; /* makes session ids that are not used again */
} sp_place_t;

/* cmocka group set-up and tear-down: *state becomes a sp_place_t with a cluster of three shards and
 * the default server. */
int sp_place_enter(void **state);
int sp_place_leave(void **state);

/* Sends a command to `conn` and returns 0, or the code it was refused with (that of its first write
 * error too). The reply stays in place->reply. `more` (NULL: nothing) is appended to the command.
 */
int32_t sp_place_run(sp_place_t *place, sp_conn_t *conn, const char *db, const bson_t *more,
                     const char *format, ...) __attribute__((format(printf, 5, 6)));

/* The same on the session's database, straight to a shard; without and with its shardVersion of
 * `collection`, as a router sends it. */
int32_t sp_place_direct(sp_place_t *place, unsigned shard, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
int32_t sp_place_versioned(sp_place_t *place, unsigned shard, const char *collection,
                           const char *format, ...) __attribute__((format(printf, 4, 5)));

/* The fields of a retryable write, as JSON that begins with a comma; the caller frees it. */
char *sp_place_retryable(sp_place_t *place);

/* Shards a collection, with `options` as JSON fields that begin with a comma, or "". */
int32_t sp_place_shard(sp_place_t *place, const char *collection, const char *key,
                       const char *options);
/* Splits the chunk from `min` to `max` of the primary shard at `at`, a list of points. */
int32_t sp_place_split(sp_place_t *place, const char *collection, const char *min, const char *max,
                       const char *at);
/* Moves the chunk from `min` to `max` and has all shards know it. */
void sp_place_move(sp_place_t *place, const char *collection, const char *min, const char *max,
                   unsigned to);
/* Inserts one document through a router. */
int32_t sp_place_insert(sp_place_t *place, const char *collection, const char *document);

/* How many documents match on one shard, asked directly, and on all together. */
int64_t sp_place_count(sp_place_t *place, unsigned shard, const char *collection,
                       const char *filter);
int64_t sp_place_count_all(sp_place_t *place, const char *collection, const char *filter);
/* How many documents of the config database match. */
int64_t sp_place_count_config(sp_place_t *place, const char *collection, const char *filter);
/* How many chunks the collection has, with `filter` as JSON fields that begin with a comma, or "".
 */
int64_t sp_place_chunks(sp_place_t *place, const char *collection, const char *filter);
/* How many shards a router asks for a query. */
unsigned sp_place_asked(sp_place_t *place, const char *collection, const char *filter);

/* The value of a path in the last reply. */
bool sp_place_find(const sp_place_t *place, const char *path, bson_iter_t *found);
int64_t sp_place_number(const sp_place_t *place, const char *path);

/* Runs one statement's check as a test of its own, by its number in docs/coverage.md. */
#define SP_STATEMENT(number, function)                                                             \
    {                                                                                              \
#number " " #function, function, NULL, NULL, NULL                                          \
    }

#endif
