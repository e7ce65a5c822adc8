/*
 * shardproof run: the live tier.
 */
#include "../reports/atomic_file.h"
#include "../reports/escape.h"
#include "commands.h"
#include "options.h"
#include "runner.h"
#include "servers/install.h"
#include "servers/signals.h"
#include "servers/uri.h"

#include <argp.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

enum { OPTION_CASES = 256, OPTION_SHARDS };

typedef struct arguments {
    const char *server;
    const char *areas; /* comma-separated, or NULL for all */
    const char *report;
    unsigned shards;
    sp_run_plan_t plan;
    bool seed_given;
} arguments_t;

static const struct argp_option options[] = {
    {"server", 's', "SERVER", 0,
     "a version (installed at first use), a path to a mongod, or the connection string of a config "
     "server"
     " or mongod; default " SP_DEFAULT_SERVER,
     0},
    {"areas", 'a', "LIST", 0, "areas to run, comma-separated; default all but those run on request",
     0},
    {"seed", 'S', "N", 0, "the seed that all cases are drawn from; default random", 0},
    {"cases", OPTION_CASES, "N", 0, "how many questions to ask in each area", 0},
    {"time", 't', "SECONDS", 0, "how long to run, all areas together; default 60", 0},
    {"jobs", 'j', "N", 0, "connections at work at once; default one for each processor", 0},
    {"shards", OPTION_SHARDS, "N", 0, "shards of a cluster that is started; default 3", 0},
    {"report", 'r', "DIR", 0, "folder of the report; default shardproof-report", 0},
    {0},
};

static double parse_seconds(struct argp_state *state, const char *text)
{
    char *end;
    double seconds = strtod(text, &end);
    if (end == text || *end != '\0' || !(seconds > 0) || seconds > 1e7)
        argp_error(state, "--time takes a number of seconds above 0, not '%s'", text);
    return seconds;
}

static error_t parse_option(int key, char *text, struct argp_state *state)
{
    arguments_t *arguments = state->input;
    switch (key) {
    case 's':
        arguments->server = text;
        return 0;
    case 'a':
        arguments->areas = text;
        return 0;
    case 'S':
        arguments->plan.seed = sp_option_number(state, "seed", text, 0, UINT64_MAX);
        arguments->seed_given = true;
        return 0;
    case OPTION_CASES:
        arguments->plan.cases = sp_option_number(state, "cases", text, 1, UINT64_C(1) << 48);
        return 0;
    case 't':
        arguments->plan.seconds = parse_seconds(state, text);
        return 0;
    case 'j':
        arguments->plan.jobs = (unsigned)sp_option_number(state, "jobs", text, 1, SP_JOBS_MAX);
        return 0;
    case OPTION_SHARDS:
        arguments->shards = (unsigned)sp_option_number(state, "shards", text, 1, SP_SHARDS_MAX);
        return 0;
    case 'r':
        arguments->report = text;
        return 0;
    case ARGP_KEY_END:
        if (arguments->plan.cases > 0 && arguments->plan.seconds > 0)
            argp_error(state, "--cases and --time exclude each other");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static bool choose_areas(const char *list, sp_run_plan_t *plan, sp_error_t *error)
{
    unsigned count;
    const sp_area_t *all = sp_areas(&count);
    for (unsigned i = 0; list == NULL && i < count; i++) {
        if (!all[i].on_request)
            plan->areas[plan->area_count++] = &all[i];
    }
    if (list == NULL)
        return true;

    bool ok = true;
    char *copy = bson_strdup(list), *rest = copy, *name;
    while (ok && (name = strsep(&rest, ",")) != NULL) {
        const sp_area_t *area = sp_area_find(name);
        for (unsigned i = 0; i < plan->area_count; i++)
            ok = ok && plan->areas[i] != area;
        if (area == NULL || !ok || plan->area_count == SP_REPORT_AREAS)
            ok = sp_error_set(error, SP_ERROR_USAGE, 0,
                              area == NULL
                                  ? "there is no area '%s': `shardproof run --help` lists them"
                                  : "the area '%s' is named twice",
                              name);
        else
            plan->areas[plan->area_count++] = area;
    }
    bson_free(copy);
    return ok;
}

/* The command line that does this run again: every choice spelled out, the defaults too. */
static char *same_command(const arguments_t *arguments, const char *server)
{
    const sp_run_plan_t *plan = &arguments->plan;
    bson_string_t *line = bson_string_new("shardproof run");
    char *quoted = sp_shell_quote(server);
    bson_string_append_printf(line, " --server %s --areas ", quoted);
    bson_free(quoted);
    for (unsigned i = 0; i < plan->area_count; i++)
        bson_string_append_printf(line, "%s%s", i > 0 ? "," : "", plan->areas[i]->name);
    bson_string_append_printf(line, " --seed %" PRIu64, plan->seed);
    if (plan->cases > 0)
        bson_string_append_printf(line, " --cases %" PRIu64, plan->cases);
    else
        bson_string_append_printf(line, " --time %g", plan->seconds);
    if (arguments->shards > 0)
        bson_string_append_printf(line, " --shards %u", arguments->shards);
    return bson_string_free(line, false);
}

/* Before servers are started: a report that cannot be written should be known now. */
static bool prepare_report(const char *folder, sp_error_t *error)
{
    if (!sp_make_folders(folder, error))
        return false;
    return access(folder, W_OK) == 0 ||
           sp_error_set(error, SP_ERROR_SYSTEM, errno,
                        "%s cannot be written to: %s; name another folder with --report", folder,
                        strerror(errno));
}

/* With servers up: runs, writes, prints. Returns the exit status. */
static int run_and_report(const arguments_t *arguments, sp_target_t *target, bool *failed)
{
    sp_error_t error = {0};
    sp_run_plan_t plan = arguments->plan;
    if (!sp_version_parse(sp_target_version(target), &plan.version, &error))
        return sp_complain(&error);
    char *command = same_command(arguments, sp_target_spec(target));
    const sp_report_head_t head = {
        .seed = plan.seed,
        .server_kind = sp_target_kind(target),
        .server_version = sp_target_version(target),
        .server_spec = sp_target_spec(target),
        .command = command,
    };
    fprintf(stderr, "%s\n", command);
    sp_report_t *report = sp_report_new(&head);
    bool interrupted = false;
    bool ran = sp_run(&plan, target, report, &interrupted, &error);
    int status = ran ? sp_report_exit_status(report) : sp_complain(&error);
    *failed = status != 0;
    if (!sp_report_write(report, arguments->report, interrupted, &error)) {
        *failed = true;
        status = sp_complain(&error);
    }
    sp_report_print(report, stdout);
    printf("report: %s/report.json\n", arguments->report);
    if (interrupted)
        fprintf(stderr, "stopped before the end; the report has what was done\n");
    sp_report_free(report);
    bson_free(command);
    return interrupted && status == 0 ? sp_stop_status() : status;
}

/* What stands below the options in --help: the areas from their table. argp frees what is returned.
 */
static char *list_areas(int key, const char *text, void *input)
{
    (void)input;
    if (key != ARGP_KEY_HELP_POST_DOC)
        return text != NULL ? strdup(text) : NULL;
    unsigned count;
    const sp_area_t *areas = sp_areas(&count);
    bson_string_t *list = bson_string_new("Areas:\n");
    for (unsigned i = 0; i < count; i++)
        bson_string_append_printf(list, "  %-10s %s%s\n", areas[i].name, areas[i].summary,
                                  areas[i].on_request ? " (only where --areas names it)" : "");
    bson_string_append(list, "Exit status: 0 no difference, 1 differences, 2 wrong usage, 3 the"
                             " servers failed.\n");
    char *own = strdup(list->str);
    bson_string_free(list, true);
    return own;
}

int sp_cmd_run(int argc, char **argv)
{
    static const struct argp argp = {
        options,
        parse_option,
        NULL,
        "Draws cases from a seed, holds a real server against the model, and writes every "
        "difference as a case that shows itself again.\v",
        NULL,
        list_areas,
        NULL};
    arguments_t arguments = {.server = SP_DEFAULT_SERVER, .report = "shardproof-report"};
    argp_parse(&argp, argc, argv, 0, NULL, &arguments);

    sp_error_t error = {0};
    sp_run_plan_t *plan = &arguments.plan;
    if (!choose_areas(arguments.areas, plan, &error) || !prepare_report(arguments.report, &error))
        return sp_complain(&error);
    if (plan->cases == 0 && plan->seconds == 0)
        plan->seconds = 60;
    if (plan->jobs == 0) {
        long processors = sysconf(_SC_NPROCESSORS_ONLN);
        plan->jobs = processors < 1             ? 1
                     : processors > SP_JOBS_MAX ? SP_JOBS_MAX
                                                : (unsigned)processors;
    }
    if (!arguments.seed_given &&
        getrandom(&plan->seed, sizeof plan->seed, 0) != (ssize_t)sizeof plan->seed)
        plan->seed = (uint64_t)getpid();

    sp_signals_install();
    char *logs = bson_strdup_printf("%s/logs", arguments.report);
    const sp_target_options_t target_options = {
        .server = arguments.server, .shards = arguments.shards, .logs_folder = logs};
    sp_target_t *target = sp_target_open(&target_options, &error);
    bool failed = false;
    int status = target != NULL ? run_and_report(&arguments, target, &failed) : sp_complain(&error);
    if (target == NULL && sp_stop_requested())
        status = sp_stop_status();
    sp_target_close(target, failed);
    bson_free(logs);
    return status;
}
