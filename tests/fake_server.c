#include "fake_server.h"

#include <arpa/inet.h>
#include <assert.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define OP_REPLY  1
#define OP_QUERY  2004
#define OP_MSG    2013
#define HEADER    16
#define TOTAL_MAX (64 * 1024 * 1024)
#define FLAG_SUM  1
#define FLAG_MORE 2

struct fake_server {
    pthread_t thread;
    int listener;
    int port;
    int stop[2];
    pthread_mutex_t lock;
    fake_answer_t answer;
    bson_t *reply;
    bson_t *last;
    unsigned connections;
};

static int32_t get(const uint8_t *at)
{
    uint32_t value;
    memcpy(&value, at, sizeof value);
    return (int32_t)BSON_UINT32_FROM_LE(value);
}

static void put(uint8_t *at, int32_t value)
{
    uint32_t little = BSON_UINT32_TO_LE((uint32_t)value);
    memcpy(at, &little, sizeof little);
}

/* False where the connection is over or the server is to stop. */
static bool read_all(const fake_server_t *server, int fd, uint8_t *to, size_t count)
{
    while (count > 0) {
        struct pollfd wait[2] = {{.fd = fd, .events = POLLIN},
                                 {.fd = server->stop[0], .events = POLLIN}};
        if (poll(wait, 2, -1) < 0 || wait[1].revents != 0)
            return false;
        ssize_t got = read(fd, to, count);
        if (got <= 0)
            return false;
        to += got;
        count -= (size_t)got;
    }
    return true;
}

static bool write_all(int fd, const uint8_t *from, size_t count)
{
    while (count > 0) {
        ssize_t sent = send(fd, from, count, MSG_NOSIGNAL);
        if (sent <= 0)
            return false;
        from += sent;
        count -= (size_t)sent;
    }
    return true;
}

static bool send_old_reply(int fd, int32_t request, const bson_t *document)
{
    uint8_t head[HEADER + 20] = {0};
    put(head, (int32_t)(sizeof head + document->len));
    put(head + 8, request);
    put(head + 12, OP_REPLY);
    put(head + HEADER, 8); /* AwaitCapable */
    put(head + HEADER + 16, 1);
    return write_all(fd, head, sizeof head) &&
           write_all(fd, bson_get_data(document), document->len);
}

/* Sends `document` the way `answer` says; false ends the connection. */
static bool send_reply(int fd, int32_t request, const bson_t *document, fake_answer_t answer)
{
    uint8_t head[HEADER + 5] = {0};
    uint8_t sum[4] = {0};
    size_t sum_size = answer == FAKE_CHECKSUM ? sizeof sum : 0;
    size_t length = document->len;
    put(head, answer == FAKE_LENGTH ? TOTAL_MAX : (int32_t)(sizeof head + length + sum_size));
    put(head + 8, answer == FAKE_STRANGER ? request + 1 : request);
    put(head + 12, answer == FAKE_OPCODE ? OP_REPLY : OP_MSG);
    put(head + HEADER, answer == FAKE_CHECKSUM ? FLAG_SUM : (answer == FAKE_MORE ? FLAG_MORE : 0));
    head[HEADER + 4] = answer == FAKE_KIND ? 1 : 0;

    uint8_t *body = bson_malloc(length);
    memcpy(body, bson_get_data(document), length);
    if (answer == FAKE_NEGATIVE)
        put(body, -5);
    if (answer == FAKE_BROKEN)
        body[4] = BSON_TYPE_UTF8;
    bool ok = write_all(fd, head, sizeof head) &&
              write_all(fd, body, answer == FAKE_CUT ? length / 2 : length) &&
              (sum_size == 0 || write_all(fd, sum, sum_size));
    bson_free(body);
    return ok && answer != FAKE_CUT && answer != FAKE_HANG_UP;
}

static bson_t *hello(void)
{
    return BCON_NEW("ismaster", BCON_BOOL(true), "isWritablePrimary", BCON_BOOL(true),
                    "maxBsonObjectSize", BCON_INT32(16777216), "maxMessageSizeBytes",
                    BCON_INT32(48000000), "maxWriteBatchSize", BCON_INT32(100000), "minWireVersion",
                    BCON_INT32(0), "maxWireVersion", BCON_INT32(17), "ok", BCON_DOUBLE(1));
}

static bool answer_command(fake_server_t *server, int fd, int32_t request, const bson_t *command)
{
    bson_iter_t iter;
    bool first = bson_iter_init(&iter, command) && bson_iter_next(&iter);
    const char *name = first ? bson_iter_key(&iter) : "";
    if (strcmp(name, "ping") == 0 || strcmp(name, "hello") == 0 || strcmp(name, "isMaster") == 0) {
        bson_t *document = hello();
        bool ok = send_reply(fd, request, document, FAKE_REPLY);
        bson_destroy(document);
        return ok;
    }
    pthread_mutex_lock(&server->lock);
    bson_destroy(server->last);
    server->last = bson_copy(command);
    fake_answer_t answer = server->answer;
    bson_t *reply = bson_copy(server->reply);
    pthread_mutex_unlock(&server->lock);
    bool ok =
        answer == FAKE_SILENT || (answer != FAKE_CLOSE && send_reply(fd, request, reply, answer));
    bson_destroy(reply);
    return ok;
}

/* One message; false ends the connection. */
static bool serve_message(fake_server_t *server, int fd)
{
    uint8_t head[HEADER];
    if (!read_all(server, fd, head, sizeof head) || get(head) < HEADER || get(head) > TOTAL_MAX)
        return false;
    size_t length = (size_t)get(head) - HEADER;
    uint8_t *body = bson_malloc(length + 1);
    bool ok = read_all(server, fd, body, length);
    bson_t command;
    if (ok && get(head + 12) == OP_QUERY) {
        bson_t *document = hello();
        ok = send_old_reply(fd, get(head + 4), document);
        bson_destroy(document);
    } else {
        ok = ok && bson_init_static(&command, body + 5, length - 5) &&
             answer_command(server, fd, get(head + 4), &command);
    }
    bson_free(body);
    return ok;
}

static void *serve(void *data)
{
    fake_server_t *server = data;
    for (;;) {
        struct pollfd wait[2] = {{.fd = server->listener, .events = POLLIN},
                                 {.fd = server->stop[0], .events = POLLIN}};
        if (poll(wait, 2, -1) < 0 || wait[1].revents != 0)
            return NULL;
        int fd = accept(server->listener, NULL, NULL);
        if (fd < 0)
            continue;
        pthread_mutex_lock(&server->lock);
        server->connections++;
        pthread_mutex_unlock(&server->lock);
        while (serve_message(server, fd))
            continue;
        close(fd);
    }
}

fake_server_t *fake_server_start(void)
{
    fake_server_t *server = bson_malloc0(sizeof *server);
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof address;
    pthread_mutex_init(&server->lock, NULL);
    server->reply = BCON_NEW("ok", BCON_DOUBLE(1));
    server->last = bson_new();
    server->listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    bool ok = server->listener >= 0 &&
              bind(server->listener, (const struct sockaddr *)&address, sizeof address) == 0 &&
              listen(server->listener, 8) == 0 &&
              getsockname(server->listener, (struct sockaddr *)&address, &length) == 0 &&
              pipe2(server->stop, O_CLOEXEC) == 0;
    assert(ok);
    server->port = ntohs(address.sin_port);
    int failed = pthread_create(&server->thread, NULL, serve, server);
    assert(failed == 0);
    return server;
}

void fake_server_stop(fake_server_t *server)
{
    close(server->stop[1]);
    pthread_join(server->thread, NULL);
    close(server->stop[0]);
    close(server->listener);
    pthread_mutex_destroy(&server->lock);
    bson_destroy(server->reply);
    bson_destroy(server->last);
    bson_free(server);
}

int fake_server_port(const fake_server_t *server)
{
    return server->port;
}

void fake_server_set(fake_server_t *server, fake_answer_t answer, const bson_t *reply)
{
    pthread_mutex_lock(&server->lock);
    server->answer = answer;
    bson_destroy(server->reply);
    server->reply = reply == NULL ? BCON_NEW("ok", BCON_DOUBLE(1)) : bson_copy(reply);
    pthread_mutex_unlock(&server->lock);
}

bson_t *fake_server_last(fake_server_t *server)
{
    pthread_mutex_lock(&server->lock);
    bson_t *last = bson_copy(server->last);
    pthread_mutex_unlock(&server->lock);
    return last;
}

unsigned fake_server_connections(fake_server_t *server)
{
    pthread_mutex_lock(&server->lock);
    unsigned connections = server->connections;
    pthread_mutex_unlock(&server->lock);
    return connections;
}
