/*
 * Starting processes, and knowing them again: a pid alone may have been given to another since.
 */
#ifndef SHARDPROOF_PROCESS_H
#define SHARDPROOF_PROCESS_H

#include "../../oracles/error.h"

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* A process for sure: its pid and when it started, in the kernel's ticks since boot. pid 0: none.
 */
typedef struct sp_process {
    pid_t pid;
    uint64_t start;
} sp_process_t;

typedef struct sp_spawn {
    const char *const *argv;  /* argv[0] is the full path; ends with NULL */
    const char *library_path; /* put before LD_LIBRARY_PATH; NULL or "": unchanged */
    const char *log;          /* standard output and error are appended here */
    const char *folder;       /* the working directory, NULL: this one's */
    bool owned; /* killed when the thread that spawns it ends, so also with this process */
} sp_spawn_t;

/* Starts a process in a group of its own (a session of its own where it is not owned, so that it
 * survives the terminal), with as many open files as allowed and no core dumps. NB the kernel ends
 * an owned process when the *thread* that called this ends, not just when the process does. */
bool sp_process_spawn(const sp_spawn_t *spawn, sp_process_t *process, sp_error_t *error);

/* The process with this pid as it is now; pid 0 where there is none. */
sp_process_t sp_process_of(pid_t pid);

/* Says whether it still runs; a zombie does not. For processes that are not this one's children. */
bool sp_process_alive(const sp_process_t *process);

/* Says whether its first thread is over, though others may still be ending and hold its files. */
bool sp_process_ending(const sp_process_t *process);

/* Looks whether a child ended, and reaps it: true, with its wait status. Waits for at most
 * `timeout_ms`. A child that was reaped before counts as ended, with status 0. */
bool sp_process_ended(const sp_process_t *child, int timeout_ms, int *status);

/* Kills the process and what else is in its group if it leads one, and waits until it is gone.
 * False where it still lives after `timeout_ms`. Never touches another process that got the same
 * pid. */
bool sp_process_kill(const sp_process_t *process, int timeout_ms);

/* Says whether the process was started with `--dbpath` inside `folder`, i.e. is a server of the
 * cluster that lives there. */
bool sp_process_serves(pid_t pid, const char *folder);

/* All processes of this user for which sp_process_serves is true; how many, at most `max`. */
size_t sp_process_find(const char *folder, sp_process_t *found, size_t max);

#endif
