/*
 * `shardproof server`: the servers installed and the clusters running on this machine.
 */
#ifndef SHARDPROOF_CMD_SERVER_H
#define SHARDPROOF_CMD_SERVER_H

/* Runs `shardproof server …`; argv[0] is the word "server", argv[1] the subcommand. Results go to
 * standard output, all else to standard error. Gives the exit status: 0 done, 2 wrong usage, 3 the
 * servers or the system failed, 128 + signal where `up` or `install` was interrupted. mongoc_init()
 * must have been called. Installs the signal handlers of signals.h. */
int sp_cmd_server(int argc, char **argv);

#endif
