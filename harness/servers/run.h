/*
 * Running a program to its end.
 */
#ifndef SHARDPROOF_RUN_H
#define SHARDPROOF_RUN_H

#include "../../oracles/error.h"

/* Runs argv (argv[0] a full path, ends with NULL) with its output in the new file `log`. True where
 * it ended with status 0. SP_ERROR_SYSTEM otherwise, with the last lines of the log in the message;
 * also where it took longer than `timeout_ms` or a stop was requested, after killing it. */
bool sp_run_program(const char *const *argv, const char *library_path, const char *log,
                    int timeout_ms, sp_error_t *error);

#endif
