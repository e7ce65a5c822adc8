/*
 * shardproof replay: cases from files, against the model alone or a server.
 *
 * Against the model alone each recorded answer is held against what the model says now. With
 * --server the server is asked anew, and a recorded answer does not count.
 */
#include "../oracles/verdict.h"
#include "../reports/answer_json.h"
#include "batch.h"
#include "commands.h"
#include "corpus.h"
#include "options.h"
#include "servers/install.h"
#include "servers/signals.h"

#include <argp.h>
#include <assert.h>
#include <string.h>

enum { OPTION_SHARDS = 256, OPTION_MODEL };

typedef struct replayer {
    const char *server;        /* NULL: the model alone */
    const char *model_version; /* NULL: the case's own, or the default */
    unsigned shards;
    sp_target_t *target;
    sp_session_t *session;
    sp_model_t *model;
    sp_batch_t batch;
    uint64_t answers, unchecked, broken;
    uint64_t verdicts[SP_VERDICTS];
    bool gave_up;
} replayer_t;

static void on_broken(void *context, const sp_error_t *error)
{
    replayer_t *replayer = context;
    replayer->broken++;
    sp_complain(error);
}

static void complain_at(replayer_t *replayer, const char *file, unsigned line, sp_error_t *error)
{
    sp_error_prefix(error, "%s:%u", file, line);
    on_broken(replayer, error);
}

static void print_answers(const replayer_t *replayer, uint32_t index, sp_verdict_t verdict,
                          const char *file, unsigned line)
{
    const sp_batch_t *batch = &replayer->batch;
    char *expected = sp_answer_json(batch->expected.items[index]);
    char *observed = sp_answer_json(batch->observed.items[index]);
    printf("%s:%u: %s question %u: %s\n  rule:     %s\n  expected: %s\n  observed: %s\n", file,
           line, batch->area->name, index, sp_verdict_name(verdict), batch->area->rule, expected,
           observed);
    bson_free(expected);
    bson_free(observed);
}

static void judge(replayer_t *replayer, const char *file, unsigned line)
{
    const sp_batch_t *batch = &replayer->batch;
    for (uint32_t i = 0; i < batch->expected.count; i++) {
        sp_verdict_t verdict = sp_judge(batch->expected.items[i], batch->observed.items[i]);
        replayer->verdicts[verdict]++;
        replayer->answers++;
        if (verdict != SP_MATCH)
            print_answers(replayer, i, verdict, file, line);
    }
}

/* The other side of the comparison: the server's answers now, or those on record. True with none at
 * all where the case has none on record. */
static bool observe(replayer_t *replayer, const bson_t *test, sp_error_t *error)
{
    sp_batch_t *batch = &replayer->batch;
    if (replayer->target == NULL)
        return sp_case_answers(test, &batch->observed, error);
    if (!sp_area_fits(batch->area, replayer->target, error))
        return false;
    if (sp_batch_execute(batch, replayer->session, error))
        return true;
    replayer->gave_up = error->domain != SP_ERROR_USAGE;
    return false;
}

/* The model answers for the version that a case's answers come from, so that a corpus can hold
 * several versions. */
static void choose_version(replayer_t *replayer, const bson_t *test)
{
    bson_iter_t iter, version;
    if (replayer->model_version != NULL)
        return;
    bool known = bson_iter_init(&iter, test) &&
                 bson_iter_find_descendant(&iter, "origin.version", &version) &&
                 BSON_ITER_HOLDS_UTF8(&version) &&
                 sp_version_parse(bson_iter_utf8(&version, NULL), &replayer->model->version, NULL);
    if (!known) {
        bool parsed = sp_version_parse(SP_MODEL_DEFAULT_VERSION, &replayer->model->version, NULL);
        assert(parsed);
    }
}

static bool on_case(void *context, const bson_t *test, const char *file, unsigned line)
{
    replayer_t *replayer = context;
    sp_batch_t *batch = &replayer->batch;
    sp_error_t error = {0};
    choose_version(replayer, test);
    if (!sp_batch_take_case(batch, test, replayer->model, &error) ||
        !observe(replayer, test, &error))
        complain_at(replayer, file, line, &error);
    else if (batch->observed.count == 0)
        replayer->unchecked++;
    else if (batch->observed.count != batch->expected.count) {
        sp_error_set(&error, SP_ERROR_INPUT, 0, "%u answers are on record for %u questions",
                     batch->observed.count, batch->expected.count);
        complain_at(replayer, file, line, &error);
    } else {
        judge(replayer, file, line);
    }
    return !replayer->gave_up && !sp_stop_requested();
}

static bool open_server(replayer_t *replayer, sp_error_t *error)
{
    const sp_target_options_t options = {.server = replayer->server, .shards = replayer->shards};
    replayer->target = sp_target_open(&options, error);
    if (replayer->target == NULL)
        return false;
    replayer->model_version = sp_target_version(replayer->target);
    replayer->session = sp_session_open(replayer->target, 0, error);
    return replayer->session != NULL;
}

static int summarize(const replayer_t *replayer)
{
    uint64_t different = 0;
    for (unsigned i = 0; i < SP_VERDICTS; i++) {
        if (replayer->verdicts[i] > 0)
            printf("%s: %llu\n", sp_verdict_name((sp_verdict_t)i),
                   (unsigned long long)replayer->verdicts[i]);
        if (sp_verdict_differs((sp_verdict_t)i))
            different += replayer->verdicts[i];
    }
    if (replayer->unchecked > 0)
        printf("without a recorded answer, so not checked: %llu (ask a server with --server)\n",
               (unsigned long long)replayer->unchecked);
    printf("%llu answers checked, %llu differ, %llu lines or files unreadable\n",
           (unsigned long long)replayer->answers, (unsigned long long)different,
           (unsigned long long)replayer->broken);
    if (sp_stop_requested()) {
        fprintf(stderr, "stopped before the end\n");
        return different > 0 ? 1 : sp_stop_status();
    }
    if (replayer->gave_up)
        return 3;
    if (replayer->broken > 0)
        return 2;
    if (different > 0)
        return 1;
    return replayer->verdicts[SP_INFRASTRUCTURE] > 0 ? 3 : 0;
}

typedef struct arguments {
    replayer_t *replayer;
    char **paths;
} arguments_t;

static error_t parse_option(int key, char *text, struct argp_state *state)
{
    arguments_t *arguments = state->input;
    switch (key) {
    case 's':
        arguments->replayer->server = text;
        return 0;
    case OPTION_MODEL:
        arguments->replayer->model_version = text;
        return 0;
    case OPTION_SHARDS:
        arguments->replayer->shards =
            (unsigned)sp_option_number(state, "shards", text, 1, SP_SHARDS_MAX);
        return 0;
    case ARGP_KEY_ARGS:
        arguments->paths = state->argv + state->next;
        return 0;
    case ARGP_KEY_NO_ARGS:
        argp_error(state, "name at least one case file or folder");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

int sp_cmd_replay(int argc, char **argv)
{
    static const struct argp_option options[] = {
        {"server", 's', "SERVER", 0, "ask this server; without it the recorded answers are checked",
         0},
        {"model", OPTION_MODEL, "VERSION", 0,
         "whose rules the model holds to without a server; default the version that a case's "
         "answers come from, else " SP_MODEL_DEFAULT_VERSION,
         0},
        {"shards", OPTION_SHARDS, "N", 0, "shards of a cluster that is started; default 3", 0},
        {0},
    };
    static const struct argp argp = {options, parse_option, "PATH…", "Shows recorded cases again.",
                                     NULL,    NULL,         NULL};
    replayer_t replayer = {0};
    arguments_t arguments = {.replayer = &replayer};
    argp_parse(&argp, argc, argv, 0, NULL, &arguments);

    sp_error_t error = {0};
    sp_version_t version;
    sp_signals_install();
    sp_batch_init(&replayer.batch);
    bool ok = replayer.server == NULL || open_server(&replayer, &error);
    const char *named =
        replayer.model_version != NULL ? replayer.model_version : SP_MODEL_DEFAULT_VERSION;
    ok = ok && sp_version_parse(named, &version, &error);
    if (ok)
        replayer.model = sp_model_new(version, &error);
    int status;
    if (replayer.model != NULL) {
        for (char **path = arguments.paths; *path != NULL; path++) {
            if (!sp_corpus_walk(*path, on_case, on_broken, &replayer))
                break;
        }
        status = summarize(&replayer);
    } else {
        status = sp_complain(&error);
        if (sp_stop_requested())
            status = sp_stop_status();
    }
    sp_batch_clear(&replayer.batch);
    sp_model_free(replayer.model);
    sp_session_close(replayer.session);
    sp_target_close(replayer.target, false);
    return status;
}
