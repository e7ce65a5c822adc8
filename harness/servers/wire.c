#include "wire.h"

#include <errno.h>
#include <poll.h>
#include <string.h>

#define OP_MSG        2013
#define HEADER_SIZE   16
#define PREFIX_SIZE   (HEADER_SIZE + 4 + 1) /* header, flags, kind of the first section */
#define FLAG_CHECKSUM 1u
#define FLAG_MORE     2u
#define CHECKSUM_SIZE 4
#define DEPTH_MAX     256 /* servers refuse deeper than 200 */
#define DOCUMENT_MIN  5
#define STOP_SLICE_MS 100
#define DB_NAME_MAX   255

static void put_int32(uint8_t *at, int32_t value)
{
    uint32_t little = BSON_UINT32_TO_LE((uint32_t)value);
    memcpy(at, &little, sizeof little);
}

static int32_t get_int32(const uint8_t *at)
{
    uint32_t little;
    memcpy(&little, at, sizeof little);
    return (int32_t)BSON_UINT32_FROM_LE(little);
}

static int32_t left_ms(int64_t deadline)
{
    int64_t left = (deadline - bson_get_monotonic_time()) / 1000;
    return left < 1 ? 1 : (left > INT32_MAX ? INT32_MAX : (int32_t)left);
}

static bool broken(sp_error_t *error, mongoc_stream_t *stream, const char *what, int reason)
{
    if (mongoc_stream_timed_out(stream) || reason == EAGAIN || reason == ETIMEDOUT)
        return sp_error_set(error, SP_ERROR_INFRA, ETIMEDOUT,
                            "%s: the server did not answer in time", what);
    if (reason == 0)
        return sp_error_set(error, SP_ERROR_INFRA, ECONNRESET,
                            "%s: the server closed the connection", what);
    return sp_error_set(error, SP_ERROR_INFRA, reason, "%s: %s", what, strerror(reason));
}

bool sp_wire_send(mongoc_stream_t *stream, int32_t request, const char *db, const bson_t *command,
                  int64_t deadline, sp_error_t *error)
{
    /* {$db: "…"} and the end of the document, which takes the place of the command's own last byte.
     */
    uint8_t tail[1 + 4 + 4 + DB_NAME_MAX + 1 + 1] = "\x02$db";
    size_t name = strlen(db);
    if (name == 0 || name > DB_NAME_MAX)
        return sp_error_set(error, SP_ERROR_INPUT, 0,
                            "a database name has 1 to %d bytes, this one has %zu", DB_NAME_MAX,
                            name);
    put_int32(tail + 5, (int32_t)name + 1);
    memcpy(tail + 9, db, name + 1);
    size_t tail_size = 9 + name + 1 + 1;

    size_t document = (size_t)command->len - 1 + tail_size;
    size_t total = PREFIX_SIZE + document;
    if (total > SP_WIRE_MESSAGE_MAX)
        return sp_error_set(error, SP_ERROR_INPUT, 0,
                            "the command takes %zu bytes, a message holds at most %d", total,
                            SP_WIRE_MESSAGE_MAX);
    uint8_t head[PREFIX_SIZE + 4] = {0};
    put_int32(head, (int32_t)total);
    put_int32(head + 4, request);
    put_int32(head + 12, OP_MSG);
    put_int32(head + PREFIX_SIZE, (int32_t)document);

    /* writev only reads, but its iovec cannot say so. */
    union {
        const uint8_t *read_only;
        uint8_t *plain;
    } body = {.read_only = bson_get_data(command) + 4};
    mongoc_iovec_t parts[] = {
        {.iov_base = head, .iov_len = sizeof head},
        {.iov_base = body.plain, .iov_len = (size_t)command->len - 5},
        {.iov_base = tail, .iov_len = tail_size},
    };
    errno = 0;
    ssize_t sent = mongoc_stream_writev(stream, parts, 3, left_ms(deadline));
    if (sent < 0 || (size_t)sent != total)
        return broken(error, stream, "sending the command", errno);
    return true;
}

static bool read_exactly(mongoc_stream_t *stream, void *buffer, size_t count, int64_t deadline,
                         sp_error_t *error)
{
    errno = 0;
    ssize_t got = mongoc_stream_read(stream, buffer, count, count, left_ms(deadline));
    if (got < 0 || (size_t)got != count)
        return broken(error, stream, "reading the reply", got >= 0 ? 0 : errno);
    return true;
}

static bool walk(const uint8_t *data, size_t length, unsigned depth)
{
    if (depth > DEPTH_MAX || length < DOCUMENT_MIN || length > INT32_MAX ||
        get_int32(data) != (int32_t)length || data[length - 1] != 0)
        return false;
    bson_iter_t iter;
    if (!bson_iter_init_from_data(&iter, data, length))
        return false;
    while (bson_iter_next(&iter)) {
        uint32_t inner = 0;
        const uint8_t *inside = NULL;
        bson_type_t type = bson_iter_type(&iter);
        if (type == BSON_TYPE_DOCUMENT)
            bson_iter_document(&iter, &inner, &inside);
        else if (type == BSON_TYPE_ARRAY)
            bson_iter_array(&iter, &inner, &inside);
        else if (type == BSON_TYPE_CODEWSCOPE)
            bson_iter_codewscope(&iter, NULL, &inner, &inside);
        else
            continue;
        if (inside == NULL || !walk(inside, inner, depth + 1))
            return false;
    }
    return iter.err_off == 0;
}

bool sp_wire_is_document(const uint8_t *data, size_t length)
{
    return walk(data, length, 0);
}

/* Checks the fixed part of a reply; gives the length of its document, or 0. */
static size_t document_length(const uint8_t *prefix, int32_t request, sp_error_t *error)
{
    int32_t total = get_int32(prefix);
    int32_t length = get_int32(prefix + PREFIX_SIZE);
    uint32_t flags = (uint32_t)get_int32(prefix + HEADER_SIZE);
    size_t checksum = (flags & FLAG_CHECKSUM) != 0 ? CHECKSUM_SIZE : 0;

    if (get_int32(prefix + 12) != OP_MSG)
        sp_error_set(error, SP_ERROR_INFRA, EPROTO, "the reply is no OP_MSG (opcode %d)",
                     get_int32(prefix + 12));
    else if (get_int32(prefix + 8) != request)
        sp_error_set(error, SP_ERROR_INFRA, EPROTO, "the reply answers another request");
    else if ((flags & FLAG_MORE) != 0)
        sp_error_set(error, SP_ERROR_INFRA, EPROTO, "the reply announces more nobody asked for");
    else if (total > SP_WIRE_MESSAGE_MAX || length < DOCUMENT_MIN || prefix[PREFIX_SIZE - 1] != 0 ||
             (int64_t)total != (int64_t)PREFIX_SIZE + length + (int64_t)checksum)
        sp_error_set(
            error, SP_ERROR_INFRA, EPROTO,
            "the reply is malformed: message of %d bytes, section of kind %d, document of %d",
            total, prefix[PREFIX_SIZE - 1], length);
    else
        return (size_t)length;
    return 0;
}

/* Waits for the first byte. What goes wrong shows when reading. */
static bool wait_for_reply(mongoc_stream_t *stream, int64_t deadline, bool (*stop)(void),
                           sp_error_t *error)
{
    if (stop == NULL)
        return true;
    while (!stop()) {
        mongoc_stream_poll_t poll = {.stream = stream, .events = POLLIN};
        int32_t left = left_ms(deadline);
        bool last = left <= STOP_SLICE_MS;
        if (mongoc_stream_poll(&poll, 1, last ? left : STOP_SLICE_MS) > 0 || last)
            return true;
    }
    return sp_error_set(error, SP_ERROR_INFRA, EINTR, "stopped on request");
}

bool sp_wire_receive(mongoc_stream_t *stream, int32_t request, bson_t *reply, int64_t deadline,
                     bool (*stop)(void), sp_error_t *error)
{
    uint8_t prefix[PREFIX_SIZE + 4];
    if (!wait_for_reply(stream, deadline, stop, error) ||
        !read_exactly(stream, prefix, sizeof prefix, deadline, error))
        return false;
    size_t length = document_length(prefix, request, error);
    if (length == 0)
        return false;

    uint8_t *data = bson_reserve_buffer(reply, (uint32_t)length);
    if (data == NULL)
        return sp_error_set(error, SP_ERROR_SYSTEM, ENOMEM, "no memory for a reply of %zu bytes",
                            length);
    memcpy(data, prefix + PREFIX_SIZE, 4);
    bool complete = read_exactly(stream, data + 4, length - 4, deadline, error);
    uint8_t checksum[CHECKSUM_SIZE];
    if (complete && ((uint32_t)get_int32(prefix + HEADER_SIZE) & FLAG_CHECKSUM) != 0)
        complete = read_exactly(stream, checksum, sizeof checksum, deadline, error);
    if (complete && !sp_wire_is_document(data, length))
        complete = sp_error_set(error, SP_ERROR_INFRA, EPROTO,
                                "the reply of %zu bytes is no well-formed BSON", length);
    if (!complete)
        bson_reinit(reply);
    return complete;
}
