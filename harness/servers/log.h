/*
 * Finding in a log why a program ended.
 */
#ifndef SHARDPROOF_LOG_H
#define SHARDPROOF_LOG_H

#include <stdbool.h>
#include <stddef.h>

/* The reason a server gave in its log `path`, in one line of at most `size` bytes: the last fatal
 * message, else the last error, else the last line. "" where the log is empty or cannot be read.
 * Knows the JSON lines of 4.4 and later and the plain text before. */
void sp_log_reason(const char *path, char *text, size_t size);

/* The end of any program's output, in one line of at most `size` bytes. */
void sp_log_end(const char *path, char *text, size_t size);

/* Says whether the server named a port that was taken. */
bool sp_log_port_taken(const char *path);

#endif
