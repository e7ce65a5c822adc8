/*
 * What the subcommands' option parsers share.
 */
#ifndef SHARDPROOF_OPTIONS_H
#define SHARDPROOF_OPTIONS_H

#include <argp.h>
#include <stdint.h>

/* A whole number between the bounds; else ends the program with status 2, naming --`option`. */
uint64_t sp_option_number(struct argp_state *state, const char *option, const char *text,
                          uint64_t least, uint64_t most);

#endif
