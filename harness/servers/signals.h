/*
 * Ctrl-C and its relatives: the first asks to stop, the second ends the process at once.
 */
#ifndef SHARDPROOF_SIGNALS_H
#define SHARDPROOF_SIGNALS_H

#include <stdbool.h>

/* Handles SIGINT, SIGTERM and SIGHUP (unless ignored, as under nohup) and ignores SIGPIPE.
 * Interrupted system calls are not restarted, so that waiting ends. */
void sp_signals_install(void);

/* True after the first of these signals. Without sp_signals_install always false. */
bool sp_stop_requested(void);

/* 128 + the signal's number, as shells count it; 0 where no stop was requested. */
int sp_stop_status(void);

#endif
