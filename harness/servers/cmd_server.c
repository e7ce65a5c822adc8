#include "cmd_server.h"

#include "cluster.h"
#include "cmd_server_show.h"
#include "install.h"
#include "registry.h"
#include "signals.h"

#include <argp.h>
#include <bson/bson.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXIT_OK     0
#define EXIT_USAGE  2
#define EXIT_FAILED 3
#define NAME        "shardproof server"
#define WORDS_MAX   64

enum {
    KEY_HELP = 'h',
    KEY_SERVER = 's',
    KEY_SHARDS = 'n',
    KEY_JSON = 'j',
    KEY_ALL = 'a',
    KEY_USAGE = 1, /* no letter */
};

/* What a subcommand was given. */
typedef struct {
    const char *server;
    unsigned shards;
    bool json;
    bool all;
    bool help;
    const char *words[WORDS_MAX];
    int count;
    int max; /* how many words it takes */
} arguments_t;

typedef struct {
    const char *name;
    int (*run)(const arguments_t *arguments);
    int words;
    const char *usage; /* of its words */
    const char *about;
    const struct argp_option *options;
} subcommand_t;

static int status_of(const sp_error_t *error)
{
    if (sp_stop_requested())
        return sp_stop_status();
    return error->domain == SP_ERROR_USAGE || error->domain == SP_ERROR_INPUT ? EXIT_USAGE
                                                                              : EXIT_FAILED;
}

static int fail(const sp_error_t *error)
{
    fprintf(stderr, "shardproof: %s\n", error->message);
    return status_of(error);
}

static int usage(const char *message)
{
    fprintf(stderr, "shardproof: %s\n", message);
    return EXIT_USAGE;
}

/* Output that did not arrive is a failure: it may be all a script gets. */
static int done(void)
{
    if (fflush(stdout) == 0 && !ferror(stdout))
        return EXIT_OK;
    fprintf(stderr, "shardproof: cannot write to standard output: %s\n", strerror(errno));
    return EXIT_FAILED;
}

static int run_install(const arguments_t *arguments)
{
    static const char *const by_default[] = {SP_DEFAULT_SERVER};
    const char *const *versions = arguments->count == 0 ? by_default : arguments->words;
    int count = arguments->count == 0 ? 1 : arguments->count;
    for (int i = 0; i < count; i++) {
        sp_error_t error = {0};
        sp_binary_t binary;
        if (!sp_install(versions[i], &binary, &error))
            return fail(&error);
        printf("%-8s %s\n", binary.version, binary.mongod);
    }
    return done();
}

static int run_up(const arguments_t *arguments)
{
    sp_error_t error = {0};
    sp_binary_t binary;
    if (!sp_binary_find(arguments->server, &binary, &error))
        return fail(&error);
    fprintf(stderr, "shardproof: starting a config server and %u shards of %s\n", arguments->shards,
            binary.mongod);
    int64_t start = bson_get_monotonic_time();
    sp_cluster_options_t options = {.mongod = binary.mongod,
                                    .library_path = binary.library_path,
                                    .shards = arguments->shards,
                                    .detached = true};
    sp_cluster_t *cluster = sp_cluster_start(&options, &error);
    if (cluster == NULL)
        return fail(&error);
    if (sp_stop_requested()) {
        sp_cluster_stop(cluster);
        fprintf(stderr, "shardproof: stopped on request\n");
        return sp_stop_status();
    }
    sp_show_started(cluster, (double)(bson_get_monotonic_time() - start) / 1e6, arguments->json);
    int status = done();
    /* Nobody would know of it. */
    if (status != EXIT_OK)
        sp_cluster_stop(cluster);
    else
        sp_cluster_release(cluster);
    return status;
}

static int run_status(const arguments_t *arguments)
{
    sp_record_t *records;
    size_t count;
    sp_error_t error = {0};
    if (!sp_registry_read(&records, &count, &error))
        return fail(&error);
    sp_show_status(records, count, arguments->json);
    sp_records_free(records, count);
    return done();
}

static int run_list(const arguments_t *arguments)
{
    sp_show_pins(arguments->json);
    return done();
}

static bool can_take_down(const sp_record_t *record)
{
    return !record->elsewhere && record->detached && record->ready;
}

/* The record meant by `id`, or by no id where there is just one to take down; NULL after saying
 * why. */
static const sp_record_t *choose(const sp_record_t *records, size_t count, const char *id)
{
    const sp_record_t *found = NULL;
    size_t candidates = 0;
    for (size_t i = 0; i < count; i++) {
        if (id == NULL ? !can_take_down(&records[i]) : strcmp(records[i].id, id) != 0)
            continue;
        found = &records[i];
        candidates++;
    }
    if (candidates == 0 && id == NULL)
        usage("no detached cluster is running");
    else if (candidates == 0)
        fprintf(stderr, "shardproof: there is no cluster %s; see: " NAME " status\n", id);
    else if (candidates > 1)
        usage("several clusters are running; name one (see: " NAME " status) or say --all");
    if (candidates != 1)
        return NULL;
    if (can_take_down(found))
        return found;
    fprintf(stderr, "shardproof: cluster %s belongs to process %ld%s; end that instead\n",
            found->id, (long)found->owner.pid, found->elsewhere ? " on another machine" : "");
    return NULL;
}

static bool take_down(const sp_record_t *record, sp_error_t *error)
{
    if (!sp_registry_end(record, error))
        return false;
    printf("took down %s\n", record->id);
    return true;
}

static int run_down(const arguments_t *arguments)
{
    sp_record_t *records;
    size_t count;
    sp_error_t error = {0};
    const char *id = arguments->count > 0 ? arguments->words[0] : NULL;
    if (arguments->all && id != NULL)
        return usage("say either an ID or --all");
    if (!sp_registry_read(&records, &count, &error))
        return fail(&error);
    int status = EXIT_OK;
    if (arguments->all) {
        for (size_t i = 0; i < count; i++)
            if (can_take_down(&records[i]) && !take_down(&records[i], &error))
                status = fail(&error);
    } else {
        const sp_record_t *record = choose(records, count, id);
        if (record == NULL)
            status = EXIT_USAGE;
        else if (!take_down(record, &error))
            status = fail(&error);
    }
    sp_records_free(records, count);
    return status == EXIT_OK ? done() : status;
}

#define OPTION_HELP                                                                                \
    {.name = "help", .key = KEY_HELP, .doc = "Show this help", .group = -1},                       \
    {                                                                                              \
        .name = "usage", .key = KEY_USAGE, .doc = "Show a short usage message", .group = -1        \
    }
#define OPTION_JSON                                                                                \
    {                                                                                              \
        .name = "json", .key = KEY_JSON, .doc = "Print JSON"                                       \
    }

static const struct argp_option UP_OPTIONS[] = {
    {.name = "server",
     .key = KEY_SERVER,
     .arg = "SPEC",
     .doc = "A pinned version or the path of a mongod (default: " SP_DEFAULT_SERVER ")"},
    {.name = "shards",
     .key = KEY_SHARDS,
     .arg = "N",
     .doc = "How many shards, 1 to 32 (default: 3)"},
    OPTION_JSON,
    OPTION_HELP,
    {0}};
static const struct argp_option DOWN_OPTIONS[] = {
    {.name = "all", .key = KEY_ALL, .doc = "Every detached cluster"}, OPTION_HELP, {0}};
static const struct argp_option JSON_OPTIONS[] = {OPTION_JSON, OPTION_HELP, {0}};
static const struct argp_option NO_OPTIONS[] = {OPTION_HELP, {0}};

static const subcommand_t SUBCOMMANDS[] = {
    {"install", run_install, WORDS_MAX, "[VERSION...]",
     "Fetch pinned servers into the cache folder (default: " SP_DEFAULT_SERVER ").", NO_OPTIONS},
    {"up", run_up, 0, "", "Start a sharded cluster that goes on running, and say where it is.",
     UP_OPTIONS},
    {"status", run_status, 0, "", "Show the clusters on this machine.", JSON_OPTIONS},
    {"down", run_down, 1, "[ID]",
     "Take down a cluster started with `up`; without an ID the only one.", DOWN_OPTIONS},
    {"list", run_list, 0, "", "Show the pinned servers, and which are installed.", JSON_OPTIONS},
};

static bool parse_count(const char *text, unsigned *count)
{
    char *end;
    errno = 0;
    long value = strtol(text, &end, 10);
    *count = (unsigned)value;
    return errno == 0 && *text != '\0' && *end == '\0' && value >= 1 && value <= SP_SHARDS_MAX;
}

static error_t parse(int key, char *value, struct argp_state *state)
{
    arguments_t *arguments = state->input;
    switch (key) {
    case KEY_HELP:
        argp_state_help(state, stdout, ARGP_HELP_SHORT_USAGE | ARGP_HELP_LONG | ARGP_HELP_DOC);
        arguments->help = true;
        return 0;
    case KEY_USAGE:
        argp_state_help(state, stdout, ARGP_HELP_USAGE);
        arguments->help = true;
        return 0;
    case KEY_SERVER:
        arguments->server = value;
        return 0;
    case KEY_SHARDS:
        if (parse_count(value, &arguments->shards))
            return 0;
        argp_error(state, "--shards takes a number from 1 to %d, not '%s'", SP_SHARDS_MAX, value);
        return EINVAL;
    case KEY_JSON:
        arguments->json = true;
        return 0;
    case KEY_ALL:
        arguments->all = true;
        return 0;
    case ARGP_KEY_ARG:
        if (arguments->count < arguments->max) {
            arguments->words[arguments->count++] = value;
            return 0;
        }
        argp_error(state, "'%s' is one argument too many", value);
        return EINVAL;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static int run_subcommand(const subcommand_t *subcommand, int argc, char **argv)
{
    arguments_t arguments = {
        .server = SP_DEFAULT_SERVER, .shards = SP_SHARDS_DEFAULT, .max = subcommand->words};
    struct argp argp = {.options = subcommand->options,
                        .parser = parse,
                        .args_doc = subcommand->usage,
                        .doc = subcommand->about};
    /* What argp shows as the program's name. */
    char name[64];
    snprintf(name, sizeof name, NAME " %s", subcommand->name);
    char *before = argv[0];
    argv[0] = name;
    error_t failed = argp_parse(&argp, argc, argv, ARGP_NO_EXIT | ARGP_NO_HELP, NULL, &arguments);
    argv[0] = before;
    if (failed != 0)
        return EXIT_USAGE;
    if (arguments.help)
        return done();
    sp_signals_install();
    /* Starting a cluster sweeps as well, but not as early. */
    sp_registry_sweep();
    return subcommand->run(&arguments);
}

static void print_help(FILE *to)
{
    fputs("Usage: " NAME " SUBCOMMAND [OPTION...]\n"
          "The real servers: fetching them, and clusters that go on running.\n\n",
          to);
    for (size_t i = 0; i < sizeof SUBCOMMANDS / sizeof *SUBCOMMANDS; i++)
        fprintf(to, "  %-8s %s\n", SUBCOMMANDS[i].name, SUBCOMMANDS[i].about);
    fputs("\nEach has its own --help. Exit status: 0 done, 2 wrong usage, 3 the servers or the "
          "system\n"
          "failed.\n",
          to);
}

int sp_cmd_server(int argc, char **argv)
{
    if (argc < 2) {
        print_help(stderr);
        return EXIT_USAGE;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 ||
        strcmp(argv[1], "help") == 0) {
        print_help(stdout);
        return done();
    }
    for (size_t i = 0; i < sizeof SUBCOMMANDS / sizeof *SUBCOMMANDS; i++)
        if (strcmp(argv[1], SUBCOMMANDS[i].name) == 0)
            return run_subcommand(&SUBCOMMANDS[i], argc - 1, argv + 1);
    fprintf(stderr, "shardproof: there is no `" NAME " %s`\n", argv[1]);
    print_help(stderr);
    return EXIT_USAGE;
}
