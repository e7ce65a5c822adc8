#include "process.h"

#include <bson/bson.h>
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define STAT_MAX      4096
#define CMDLINE_MAX   65536
#define POLL_MS       5
#define FIELD_STATE   3
#define FIELD_START   22
#define FIELD_THREADS 20
#define STATES_OVER   "ZX"

/* Reads a file of /proc whole, always terminated; its length, or -1. */
static ssize_t read_proc(pid_t pid, const char *name, char *buffer, size_t size)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%ld/%s", (long)pid, name);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return -1;
    size_t have = 0;
    ssize_t got = 0;
    while (have < size - 1 && (got = read(fd, buffer + have, size - 1 - have)) > 0)
        have += (size_t)got;
    close(fd);
    buffer[have] = '\0';
    return got < 0 ? -1 : (ssize_t)have;
}

/* What /proc/PID/stat tells. */
typedef struct {
    char state;
    long threads;
    uint64_t start;
} about_t;

/* False where there is no such process. */
static bool read_stat(pid_t pid, about_t *about)
{
    char text[STAT_MAX];
    if (pid <= 0 || read_proc(pid, "stat", text, sizeof text) <= 0)
        return false;
    /* The name, in parentheses, may hold anything, even parentheses. */
    const char *at = strrchr(text, ')');
    if (at == NULL || at[1] != ' ')
        return false;
    at += 2;
    about->state = *at;
    for (int field = FIELD_STATE; field < FIELD_START; field++) {
        if (field == FIELD_THREADS)
            about->threads = strtol(at, NULL, 10);
        at = strchr(at, ' ');
        if (at == NULL)
            return false;
        at++;
    }
    about->start = strtoull(at, NULL, 10);
    return true;
}

sp_process_t sp_process_of(pid_t pid)
{
    about_t about;
    sp_process_t process = {0};
    if (read_stat(pid, &about)) {
        process.pid = pid;
        process.start = about.start;
    }
    return process;
}

static bool is_over(const about_t *about)
{
    return strchr(STATES_OVER, about->state) != NULL;
}

bool sp_process_alive(const sp_process_t *process)
{
    about_t about;
    /* Nobody may be there to reap a killed orphan, in a container for instance. */
    return read_stat(process->pid, &about) && about.start == process->start &&
           !(is_over(&about) && about.threads <= 1);
}

bool sp_process_ending(const sp_process_t *process)
{
    about_t about;
    return read_stat(process->pid, &about) && about.start == process->start && is_over(&about);
}

static int64_t now_ms(void)
{
    return bson_get_monotonic_time() / 1000;
}

static void pause_ms(int ms)
{
    struct timespec time = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000L};
    nanosleep(&time, NULL);
}

bool sp_process_ended(const sp_process_t *child, int timeout_ms, int *status)
{
    int64_t until = now_ms() + timeout_ms;
    *status = 0;
    for (;;) {
        pid_t got = waitpid(child->pid, status, WNOHANG);
        if (got == child->pid)
            return true;
        if (got < 0 && errno == ECHILD) {
            *status = 0;
            return !sp_process_alive(child);
        }
        if (now_ms() >= until)
            return false;
        pause_ms(POLL_MS);
    }
}

/* Signals through a descriptor where the kernel has them, so that the pid cannot change hands
 * between the look at it and the signal. */
static void signal_exactly(const sp_process_t *process, int number)
{
    int fd = (int)syscall(SYS_pidfd_open, process->pid, 0);
    if (fd < 0 && errno == ESRCH)
        return;
    if (!sp_process_alive(process)) {
        if (fd >= 0)
            close(fd);
        return;
    }
    if (getpgid(process->pid) == process->pid)
        kill(-process->pid, number);
    else if (fd >= 0)
        syscall(SYS_pidfd_send_signal, fd, number, NULL, 0);
    else
        kill(process->pid, number);
    if (fd >= 0)
        close(fd);
}

bool sp_process_kill(const sp_process_t *process, int timeout_ms)
{
    if (process->pid <= 0)
        return true;
    int64_t until = now_ms() + timeout_ms;
    signal_exactly(process, SIGKILL);
    int status;
    while (!sp_process_ended(process, 0, &status)) {
        if (now_ms() >= until)
            return false;
        pause_ms(POLL_MS);
    }
    return true;
}

bool sp_process_serves(pid_t pid, const char *folder)
{
    char *line = bson_malloc(CMDLINE_MAX);
    ssize_t length = read_proc(pid, "cmdline", line, CMDLINE_MAX);
    size_t prefix = strlen(folder);
    bool serves = false;
    const char *end = line + (length < 0 ? 0 : length);
    for (const char *word = line; word < end && !serves; word += strlen(word) + 1) {
        if (strcmp(word, "--dbpath") != 0)
            continue;
        const char *path = word + strlen(word) + 1;
        serves = path < end && strncmp(path, folder, prefix) == 0 && path[prefix] == '/';
    }
    bson_free(line);
    return serves;
}

size_t sp_process_find(const char *folder, sp_process_t *found, size_t max)
{
    size_t count = 0;
    DIR *proc = opendir("/proc");
    if (proc == NULL)
        return 0;
    struct dirent *entry;
    while (count < max && (entry = readdir(proc)) != NULL) {
        if (!isdigit((unsigned char)entry->d_name[0]))
            continue;
        sp_process_t process = sp_process_of((pid_t)strtol(entry->d_name, NULL, 10));
        if (process.pid > 0 && sp_process_serves(process.pid, folder))
            found[count++] = process;
    }
    closedir(proc);
    return count;
}
