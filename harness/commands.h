/*
 * The subcommands. Each gets its own name as argv[0] and returns the process' exit status: 0 all as
 * expected, 1 differences found, 2 wrong usage or unreadable input, 3 the servers or the system
 * failed.
 */
#ifndef SHARDPROOF_COMMANDS_H
#define SHARDPROOF_COMMANDS_H

#include "../oracles/error.h"

int sp_cmd_run(int argc, char **argv);
int sp_cmd_replay(int argc, char **argv);
int sp_cmd_draw(int argc, char **argv);
int sp_cmd_record(int argc, char **argv);
int sp_cmd_ask(int argc, char **argv);
int sp_cmd_explain(int argc, char **argv);

/* The exit status that fits an error's domain. */
int sp_exit_status(const sp_error_t *error);
/* "shardproof: message" on standard error; returns sp_exit_status. */
int sp_complain(const sp_error_t *error);

#endif
