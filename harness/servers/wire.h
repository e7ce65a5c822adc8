/*
 * MongoDB's OP_MSG: one command out, one reply in, over a connected stream.
 */
#ifndef SHARDPROOF_WIRE_H
#define SHARDPROOF_WIRE_H

#include "../../oracles/error.h"

#include <mongoc/mongoc.h>

/* What servers take and send at most (maxMessageSizeBytes). */
#define SP_WIRE_MESSAGE_MAX 48000000

/* Sends `command` with {$db: db} added at its end. Copies nothing. `deadline` is in microseconds of
 * bson_get_monotonic_time. SP_ERROR_INPUT where it is too long; else SP_ERROR_INFRA, after which
 * the stream is of no more use. */
bool sp_wire_send(mongoc_stream_t *stream, int32_t request, const char *db, const bson_t *command,
                  int64_t deadline, sp_error_t *error);

/* Reads the reply to `request` into `reply`, which must be initialised and empty. Gives up early
 * where `stop` (may be NULL) says so. SP_ERROR_INFRA for a broken stream, no reply in time, or
 * bytes that are no well-formed reply; then the stream is of no more use. The contents of the reply
 * are not judged. */
bool sp_wire_receive(mongoc_stream_t *stream, int32_t request, bson_t *reply, int64_t deadline,
                     bool (*stop)(void), sp_error_t *error);

/* True where `data` is a document whose every element lies inside it. Unlike bson_validate it lets
 * invalid UTF-8 pass, which servers store and return. */
bool sp_wire_is_document(const uint8_t *data, size_t length);

#endif
