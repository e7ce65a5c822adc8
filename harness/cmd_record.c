/*
 * shardproof draw and shardproof record: how corpora of real answers come about.
 *
 *     shardproof draw --area hash --seed 1 --cases 100 > drawn.jsonl
 *     shardproof record drawn.jsonl --server 6.0.5 > recorded.jsonl
 */
#include "../oracles/extjson.h"
#include "batch.h"
#include "commands.h"
#include "corpus.h"
#include "options.h"
#include "servers/install.h"
#include "servers/signals.h"

#include <argp.h>
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <time.h>

static bool print_document(const bson_t *doc)
{
    char *text = sp_json_write(doc, NULL);
    bool ok = text != NULL && puts(text) >= 0;
    bson_free(text);
    return ok;
}

typedef struct draw_arguments {
    const sp_area_t *area;
    uint64_t seed, cases;
    unsigned shards;
} draw_arguments_t;

static error_t parse_draw(int key, char *text, struct argp_state *state)
{
    draw_arguments_t *arguments = state->input;
    switch (key) {
    case 'a':
        arguments->area = sp_area_find(text);
        if (arguments->area == NULL)
            argp_error(state, "there is no area '%s'", text);
        return 0;
    case 'S':
        arguments->seed = sp_option_number(state, "seed", text, 0, UINT64_MAX);
        return 0;
    case 'n':
        arguments->cases = sp_option_number(state, "cases", text, 1, 1000000);
        return 0;
    case 's':
        arguments->shards = (unsigned)sp_option_number(state, "shards", text, 1, SP_SHARDS_MAX);
        return 0;
    case ARGP_KEY_END:
        if (arguments->area == NULL)
            argp_error(state, "name an area with --area");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/* The same scenes that `run` draws from the seed, each with what it came from. */
static bool print_scene(const sp_batch_t *batch, uint64_t seed)
{
    bson_t doc = BSON_INITIALIZER, origin;
    char text[24];
    BSON_APPEND_UTF8(&doc, "area", batch->area->name);
    bson_concat(&doc, batch->cases[0]);
    BSON_APPEND_DOCUMENT_BEGIN(&doc, "origin", &origin);
    snprintf(text, sizeof text, "%" PRIu64, seed);
    BSON_APPEND_UTF8(&origin, "seed", text);
    BSON_APPEND_INT64(&origin, "scene", (int64_t)batch->first_scene);
    bson_append_document_end(&doc, &origin);
    bool ok = print_document(&doc);
    bson_destroy(&doc);
    return ok;
}

int sp_cmd_draw(int argc, char **argv)
{
    static const struct argp_option options[] = {
        {"area", 'a', "AREA", 0, "which area's cases", 0},
        {"seed", 'S', "N", 0, "the seed; default 0", 0},
        {"cases", 'n', "N", 0, "how many scenes; default 10", 0},
        {"shards", 's', "N", 0, "how many shards layouts may use; default 3", 0},
        {0},
    };
    static const struct argp argp = {
        options, parse_draw, NULL, "Writes the cases that a seed gives as JSON lines.",
        NULL,    NULL,       NULL};
    draw_arguments_t arguments = {.cases = 10, .shards = SP_SHARDS_DEFAULT};
    argp_parse(&argp, argc, argv, 0, NULL, &arguments);
    const sp_scene_context_t context = {.shards = arguments.shards};
    sp_batch_t batch;
    sp_batch_init(&batch);
    bool ok = true;
    for (uint64_t i = 0; ok && i < arguments.cases; i++) {
        sp_batch_generate(&batch, arguments.area, &context, arguments.seed, i, 1);
        ok = print_scene(&batch, arguments.seed);
    }
    sp_batch_clear(&batch);
    if (ok && fflush(stdout) == 0)
        return 0;
    fprintf(stderr, "shardproof: the cases could not be written to standard output\n");
    return 3;
}

typedef struct recorder {
    const char *server;
    unsigned shards;
    char **paths;
    sp_target_t *target;
    sp_session_t *session;
    sp_model_t *model;
    sp_batch_t batch;
    uint64_t recorded, broken;
    bool gave_up;
} recorder_t;

static void on_broken(void *context, const sp_error_t *error)
{
    ((recorder_t *)context)->broken++;
    sp_complain(error);
}

/* The case without what was recorded before, then the answers and where they come from. */
static bool print_recorded(const recorder_t *recorder, const bson_t *test)
{
    bson_t doc = BSON_INITIALIZER, answers, origin;
    const sp_answers_t *observed = &recorder->batch.observed;
    char date[16];
    time_t now = time(NULL);
    struct tm utc;
    bson_copy_to_excluding_noinit(test, &doc, "answers", "origin", NULL);
    BSON_APPEND_ARRAY_BEGIN(&doc, "answers", &answers);
    for (uint32_t i = 0; i < observed->count; i++) {
        char buffer[16];
        const char *index;
        bson_uint32_to_string(i, &index, buffer, sizeof buffer);
        BSON_APPEND_DOCUMENT(&answers, index, observed->items[i]);
    }
    bson_append_array_end(&doc, &answers);
    strftime(date, sizeof date, "%Y-%m-%d", gmtime_r(&now, &utc));
    BSON_APPEND_DOCUMENT_BEGIN(&doc, "origin", &origin);
    BSON_APPEND_UTF8(&origin, "kind", sp_target_kind(recorder->target));
    BSON_APPEND_UTF8(&origin, "version", sp_target_version(recorder->target));
    BSON_APPEND_UTF8(&origin, "date", date);
    bson_append_document_end(&doc, &origin);
    bool ok = print_document(&doc);
    bson_destroy(&doc);
    return ok;
}

/* What a server in trouble said is nothing to keep. */
static bool all_answered(const sp_answers_t *observed, sp_error_t *error)
{
    for (uint32_t i = 0; i < observed->count; i++) {
        if (bson_has_field(observed->items[i], "infrastructure"))
            return sp_error_set(error, SP_ERROR_INFRA, 0, "the server failed at question %u", i);
    }
    return true;
}

static bool on_case(void *context, const bson_t *test, const char *file, unsigned line)
{
    recorder_t *recorder = context;
    sp_error_t error = {0};
    if (!sp_batch_take_case(&recorder->batch, test, recorder->model, &error) ||
        !sp_area_fits(recorder->batch.area, recorder->target, &error)) {
        sp_error_prefix(&error, "%s:%u", file, line);
        on_broken(recorder, &error);
        return true;
    }
    bool ok = sp_batch_execute(&recorder->batch, recorder->session, &error) &&
              all_answered(&recorder->batch.observed, &error);
    if (ok && !print_recorded(recorder, test))
        ok = sp_error_set(&error, SP_ERROR_SYSTEM, errno, "the case could not be written: %s",
                          strerror(errno));
    if (ok) {
        recorder->recorded++;
    } else if (error.domain == SP_ERROR_USAGE) {
        sp_error_prefix(&error, "%s:%u", file, line);
        on_broken(recorder, &error);
    } else {
        recorder->gave_up = true;
        sp_error_prefix(&error, "%s:%u", file, line);
        sp_complain(&error);
    }
    return !recorder->gave_up && !sp_stop_requested();
}

static bool open_recorder(recorder_t *recorder, sp_error_t *error)
{
    const sp_target_options_t options = {.server = recorder->server, .shards = recorder->shards};
    sp_version_t version;
    recorder->target = sp_target_open(&options, error);
    if (recorder->target == NULL ||
        !sp_version_parse(sp_target_version(recorder->target), &version, error))
        return false;
    recorder->session = sp_session_open(recorder->target, 0, error);
    recorder->model = sp_model_new(version, error);
    return recorder->session != NULL && recorder->model != NULL;
}

static error_t parse_record(int key, char *text, struct argp_state *state)
{
    recorder_t *recorder = state->input;
    switch (key) {
    case 's':
        recorder->server = text;
        return 0;
    case 'n':
        recorder->shards = (unsigned)sp_option_number(state, "shards", text, 1, SP_SHARDS_MAX);
        return 0;
    case ARGP_KEY_ARGS:
        recorder->paths = state->argv + state->next;
        return 0;
    case ARGP_KEY_NO_ARGS:
        argp_error(state, "name at least one case file or folder");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

int sp_cmd_record(int argc, char **argv)
{
    static const struct argp_option options[] = {
        {"server", 's', "SERVER", 0, "whom to ask; default " SP_DEFAULT_SERVER, 0},
        {"shards", 'n', "N", 0, "shards of a cluster that is started; default 3", 0},
        {0},
    };
    static const struct argp argp = {options,
                                     parse_record,
                                     "PATH…",
                                     "Asks a server the questions of the cases and writes the "
                                     "cases with its answers as JSON lines.",
                                     NULL,
                                     NULL,
                                     NULL};
    recorder_t recorder = {.server = SP_DEFAULT_SERVER};
    argp_parse(&argp, argc, argv, 0, NULL, &recorder);
    sp_error_t error = {0};
    sp_signals_install();
    sp_batch_init(&recorder.batch);
    int status = 0;
    if (!open_recorder(&recorder, &error))
        status = sp_complain(&error);
    for (char **path = recorder.paths; status == 0 && *path != NULL; path++) {
        if (!sp_corpus_walk(*path, on_case, on_broken, &recorder))
            break;
    }
    fprintf(stderr, "%" PRIu64 " cases recorded, %" PRIu64 " lines or files unreadable\n",
            recorder.recorded, recorder.broken);
    if (status == 0)
        status = recorder.gave_up || fflush(stdout) != 0 ? 3 : recorder.broken > 0 ? 2 : 0;
    if (sp_stop_requested())
        status = sp_stop_status();
    sp_batch_clear(&recorder.batch);
    sp_model_free(recorder.model);
    sp_session_close(recorder.session);
    sp_target_close(recorder.target, false);
    return status;
}
