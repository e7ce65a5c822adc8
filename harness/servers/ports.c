#include "ports.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#define FIRST_PORT        10000
#define DEFAULT_EPHEMERAL 32768
#define TRIES             200

static struct sockaddr_in local(int port)
{
    return (struct sockaddr_in){.sin_family = AF_INET,
                                .sin_port = htons((uint16_t)port),
                                .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
}

/* A socket bound to `port` (0: any), or -1. Holding it keeps the port from being picked twice. */
static int hold(int port)
{
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    struct sockaddr_in address = local(port);
    if (fd >= 0 && bind(fd, (const struct sockaddr *)&address, sizeof address) != 0) {
        int reason = errno;
        close(fd);
        errno = reason;
        return -1;
    }
    return fd;
}

static int port_of(int fd)
{
    struct sockaddr_in address = {0};
    socklen_t length = sizeof address;
    if (getsockname(fd, (struct sockaddr *)&address, &length) != 0)
        return -1;
    return ntohs(address.sin_port);
}

static int ephemeral_start(void)
{
    long start = 0;
    FILE *file = fopen("/proc/sys/net/ipv4/ip_local_port_range", "re");
    if (file != NULL) {
        char line[64] = "";
        if (fgets(line, sizeof line, file) != NULL)
            start = strtol(line, NULL, 10);
        fclose(file);
    }
    return start > FIRST_PORT && start <= UINT16_MAX ? (int)start : DEFAULT_EPHEMERAL;
}

static int hold_one(int limit)
{
    for (int i = 0; i < TRIES; i++) {
        uint16_t random;
        if (getrandom(&random, sizeof random, 0) != (ssize_t)sizeof random)
            break;
        int fd = hold(FIRST_PORT + random % (limit - FIRST_PORT));
        if (fd >= 0)
            return fd;
    }
    return hold(0);
}

bool sp_ports_pick(int *ports, size_t count, sp_error_t *error)
{
    int held[64];
    size_t have = 0;
    bool ok = true;
    int limit = ephemeral_start();
    if (count > sizeof held / sizeof *held)
        return sp_error_set(error, SP_ERROR_USAGE, 0, "%zu ports are too many at once", count);
    while (ok && have < count) {
        int fd = hold_one(limit);
        ports[have] = fd < 0 ? -1 : port_of(fd);
        if (fd >= 0)
            held[have++] = fd;
        if (fd < 0 || ports[have - 1] < 0)
            ok =
                sp_error_set(error, SP_ERROR_SYSTEM, errno,
                             "no free port on 127.0.0.1: %s; end what holds them", strerror(errno));
    }
    for (size_t i = 0; i < have; i++)
        close(held[i]);
    return ok;
}

bool sp_ports_answer(int port)
{
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    struct sockaddr_in address = local(port);
    bool answers = fd >= 0 && connect(fd, (const struct sockaddr *)&address, sizeof address) == 0;
    if (fd >= 0)
        close(fd);
    return answers;
}
