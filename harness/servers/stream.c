#include "stream.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

#define DEFAULT_CONNECT_MS 10000

/* Always NULL, so that a caller can return it. */
static mongoc_stream_t *failed(bson_error_t *error, const mongoc_host_list_t *host, const char *why)
{
    bson_set_error(error, MONGOC_ERROR_STREAM, MONGOC_ERROR_STREAM_CONNECT,
                   "cannot connect to %s: %s", host->host_and_port, why);
    return NULL;
}

/* A connected socket, or NULL with the reason in `reason` (an errno). */
static mongoc_socket_t *connect_address(int family, const struct sockaddr *address,
                                        socklen_t length, int64_t expire_at, int *reason)
{
    mongoc_socket_t *socket = mongoc_socket_new(family, SOCK_STREAM, 0);
    if (socket == NULL) {
        *reason = errno;
        return NULL;
    }
    if (mongoc_socket_connect(socket, address, length, expire_at) != 0) {
        *reason = mongoc_socket_errno(socket);
        mongoc_socket_destroy(socket);
        return NULL;
    }
    return socket;
}

static mongoc_stream_t *connect_tcp(const mongoc_host_list_t *host, int64_t expire_at,
                                    bson_error_t *error)
{
    char port[16];
    bson_snprintf(port, sizeof port, "%u", (unsigned)host->port);
    struct addrinfo hints = {.ai_family = host->family, .ai_socktype = SOCK_STREAM};
    struct addrinfo *found = NULL;
    int status = getaddrinfo(host->host, port, &hints, &found);
    if (status != 0)
        return failed(error, host, gai_strerror(status));

    mongoc_socket_t *socket = NULL;
    int reason = 0;
    for (struct addrinfo *a = found; a != NULL && socket == NULL; a = a->ai_next)
        socket = connect_address(a->ai_family, a->ai_addr, a->ai_addrlen, expire_at, &reason);
    freeaddrinfo(found);
    if (socket == NULL)
        return failed(error, host, reason == 0 ? "no answer in time" : strerror(reason));

    int on = 1;
    /* Only slower without it. */
    (void)mongoc_socket_setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    return mongoc_stream_socket_new(socket);
}

static mongoc_stream_t *connect_unix(const mongoc_host_list_t *host, int64_t expire_at,
                                     bson_error_t *error)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (strlen(host->host) >= sizeof address.sun_path)
        return failed(error, host, "the path of the socket is too long");
    bson_strncpy(address.sun_path, host->host, sizeof address.sun_path);

    int reason = 0;
    mongoc_socket_t *socket = connect_address(AF_UNIX, (const struct sockaddr *)&address,
                                              sizeof address, expire_at, &reason);
    if (socket == NULL)
        return failed(error, host, reason == 0 ? "no answer in time" : strerror(reason));
    return mongoc_stream_socket_new(socket);
}

/* Wraps `plain`, which it owns from here on. */
static mongoc_stream_t *add_tls(mongoc_stream_t *plain, const mongoc_uri_t *uri,
                                const mongoc_host_list_t *host, int timeout_ms, bson_error_t *error)
{
    bool insecure = mongoc_uri_get_option_as_bool(uri, MONGOC_URI_TLSINSECURE, false);
    mongoc_ssl_opt_t options = {
        .pem_file = mongoc_uri_get_option_as_utf8(uri, MONGOC_URI_TLSCERTIFICATEKEYFILE, NULL),
        .pem_pwd =
            mongoc_uri_get_option_as_utf8(uri, MONGOC_URI_TLSCERTIFICATEKEYFILEPASSWORD, NULL),
        .ca_file = mongoc_uri_get_option_as_utf8(uri, MONGOC_URI_TLSCAFILE, NULL),
        .weak_cert_validation = insecure || mongoc_uri_get_option_as_bool(
                                                uri, MONGOC_URI_TLSALLOWINVALIDCERTIFICATES, false),
        .allow_invalid_hostname = insecure || mongoc_uri_get_option_as_bool(
                                                  uri, MONGOC_URI_TLSALLOWINVALIDHOSTNAMES, false),
    };
    mongoc_stream_t *tls = mongoc_stream_tls_new_with_hostname(plain, host->host, &options, 1);
    if (tls == NULL) {
        mongoc_stream_destroy(plain);
        return failed(error, host, "TLS could not be set up; check the URI's tls… options");
    }
    if (!mongoc_stream_tls_handshake_block(tls, host->host, timeout_ms, error)) {
        mongoc_stream_destroy(tls);
        return NULL;
    }
    return tls;
}

mongoc_stream_t *sp_stream_connect(const mongoc_uri_t *uri, const mongoc_host_list_t *host,
                                   void *user_data, bson_error_t *error)
{
    int timeout_ms =
        mongoc_uri_get_option_as_int32(uri, MONGOC_URI_CONNECTTIMEOUTMS, DEFAULT_CONNECT_MS);
    int64_t expire_at = bson_get_monotonic_time() + timeout_ms * 1000LL;
    mongoc_stream_t *stream = host->family == AF_UNIX ? connect_unix(host, expire_at, error)
                                                      : connect_tcp(host, expire_at, error);
    if (stream != NULL && mongoc_uri_get_tls(uri))
        stream = add_tls(stream, uri, host, timeout_ms, error);
    *(mongoc_stream_t **)user_data = stream;
    return stream;
}
