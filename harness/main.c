#include "commands.h"
#include "servers/cmd_server.h"

#include <argp.h>
#include <mongoc/mongoc.h>
#include <stdio.h>
#include <string.h>

static const struct command {
    const char *name;
    int (*run)(int argc, char **argv);
    const char *summary;
} commands[] = {
    {"run", sp_cmd_run, "draw cases, ask a real server and the model, report differences"},
    {"replay", sp_cmd_replay, "recorded cases against the model alone, or a server"},
    {"draw", sp_cmd_draw, "the cases that a seed gives, as JSON lines"},
    {"record", sp_cmd_record, "cases with a server's answers, for the corpus"},
    {"ask", sp_cmd_ask, "the model as a filter: JSON lines in, JSON lines out"},
    {"explain", sp_cmd_explain, "which shards a query or write reaches, and why"},
    {"server", sp_cmd_server, "install, start, list and stop real servers"},
};

static void print_usage(FILE *out)
{
    fprintf(out, "usage: shardproof COMMAND [OPTION…]\n\n");
    for (unsigned i = 0; i < sizeof commands / sizeof *commands; i++)
        fprintf(out, "  %-8s %s\n", commands[i].name, commands[i].summary);
    fprintf(
        out,
        "\n`shardproof COMMAND --help` tells more. Exit status: 0 all as expected, 1 differences"
        " found,\n2 wrong usage or unreadable input, 3 the servers failed.\n");
}

int main(int argc, char **argv)
{
    argp_err_exit_status = 2;
    if (argc >= 2 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "help") == 0)) {
        print_usage(stdout);
        return 0;
    }
    if (argc >= 2 && strcmp(argv[1], "--version") == 0) {
        printf("shardproof %s\n", SP_VERSION);
        return 0;
    }
    for (unsigned i = 0; argc >= 2 && i < sizeof commands / sizeof *commands; i++) {
        if (strcmp(argv[1], commands[i].name) != 0)
            continue;
        mongoc_init();
        int status = commands[i].run(argc - 1, argv + 1);
        mongoc_cleanup();
        return status;
    }
    if (argc >= 2)
        fprintf(stderr, "shardproof: there is no command '%s'\n", argv[1]);
    print_usage(stderr);
    return 2;
}
