/*
 * How fast the find area is, held against the least that its explains can take: a bare libmongoc
 * loop that sends them, prepared beforehand and for layouts that are there already, over as many
 * connections. Both ask one cluster in one run, in alternating rounds, the same questions.
 *
 *     bench_find [SERVER [SCENES [ROUNDS]]]
 */
#include "figures.h"

#include "../harness/batch.h"
#include "../harness/case_fields.h"
#include "../harness/paper.h"
#include "../harness/progress.h"
#include "../harness/runner.h"
#include "../harness/servers/install.h"

#include <mongoc/mongoc.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { JOBS = 2, ROUNDS_MAX = 99, SCENES_MAX = 100, SETTLE_SECONDS = 1 };

/* One scene with its layout laid, and its explains. */
typedef struct scene {
    sp_session_t *session; /* holds the layout */
    bson_t **explains;
    uint32_t count;
} scene_t;

typedef struct bare {
    const char *uri;
    scene_t *scenes;
    unsigned first, scene_count; /* every JOBS-th scene from the first on */
    uint64_t answers;
    bool ok;
    char why[512];
} bare_t;

static bool prepare(sp_target_t *target, unsigned number, const bson_t *test, scene_t *scene,
                    sp_error_t *error)
{
    sp_case_layout_t layout;
    bson_iter_t array, query;
    scene->session = sp_session_open(target, number, error);
    if (scene->session == NULL || !sp_case_layout(test, scene->session, &layout, error) ||
        !sp_case_array(test, "queries", &array, error) || !bson_iter_recurse(&array, &query) ||
        !sp_paper_lay(scene->session, &layout.key, layout.collation, &layout.chunks, number % JOBS,
                      error))
        return false;
    scene->explains = bson_malloc0((sp_case_count(&array) + 1) * sizeof *scene->explains);
    while (bson_iter_next(&query)) {
        scene->explains[scene->count] = bson_new();
        sp_build_explain(scene->explains[scene->count++], scene->session->paper.collection, &query);
    }
    return true;
}

static void clear(scene_t *scene)
{
    for (uint32_t i = 0; i < scene->count; i++)
        bson_destroy(scene->explains[i]);
    bson_free(scene->explains);
    sp_session_close(scene->session);
    *scene = (scene_t){0};
}

static void *ask(void *argument)
{
    bare_t *bare = argument;
    bson_error_t why;
    mongoc_client_t *client = mongoc_client_new(bare->uri);
    mongoc_client_set_error_api(client, MONGOC_ERROR_API_VERSION_2);
    bare->ok = true;
    for (unsigned at = bare->first; bare->ok && at < bare->scene_count; at += JOBS) {
        const scene_t *scene = &bare->scenes[at];
        for (uint32_t i = 0; bare->ok && i < scene->count; i++) {
            bson_t reply;
            /* That the server refuses a query is an answer, too. */
            bare->ok = mongoc_client_command_simple(client, scene->session->db, scene->explains[i],
                                                    NULL, &reply, &why) ||
                       why.domain == MONGOC_ERROR_SERVER;
            bson_destroy(&reply);
            bare->answers++;
        }
    }
    if (!bare->ok)
        snprintf(bare->why, sizeof bare->why, "%s", why.message);
    mongoc_client_destroy(client);
    return NULL;
}

/* Answers a second; 0 where it failed. */
static double measure_bare(sp_target_t *target, scene_t *scenes, unsigned scene_count)
{
    bare_t bare[JOBS];
    pthread_t threads[JOBS];
    sp_addresses_t at;
    char *uris[JOBS];
    uint64_t answers = 0;
    bool ok = true;
    sp_target_addresses(target, &at);
    double begun = sp_now();
    for (unsigned i = 0; i < JOBS; i++) {
        uris[i] = bson_strdup_printf("%s?directConnection=true", at.uris[i % at.count]);
        bare[i] =
            (bare_t){.uri = uris[i], .scenes = scenes, .first = i, .scene_count = scene_count};
        if (pthread_create(&threads[i], NULL, ask, &bare[i]) != 0)
            abort();
    }
    for (unsigned i = 0; i < JOBS; i++) {
        pthread_join(threads[i], NULL);
        answers += bare[i].answers;
        if (!bare[i].ok)
            fprintf(stderr, "bench_find: %s\n", bare[i].why);
        ok = ok && bare[i].ok;
    }
    double seconds = sp_now() - begun;
    for (unsigned i = 0; i < JOBS; i++)
        bson_free(uris[i]);
    sp_addresses_clear(&at);
    return ok ? (double)answers / seconds : 0;
}

static double measure_area(sp_target_t *target, const sp_run_plan_t *plan)
{
    sp_error_t error = {0};
    const sp_report_head_t head = {.seed = plan->seed};
    sp_report_t *report = sp_report_new(&head);
    bool interrupted;
    double begun = sp_now();
    bool ok = sp_run(plan, target, report, &interrupted, &error);
    double seconds = sp_now() - begun;
    uint64_t matches = sp_report_total(report, NULL, SP_MATCH);
    if (!ok)
        fprintf(stderr, "bench_find: %s\n", error.message);
    if (ok && matches < plan->cases)
        fprintf(stderr, "bench_find: only %llu of %llu answers match\n",
                (unsigned long long)matches, (unsigned long long)plan->cases);
    sp_report_free(report);
    return ok ? (double)plan->cases / seconds : 0;
}

/* The scenes that a run with this seed draws. */
static bool prepare_all(sp_target_t *target, const sp_run_plan_t *plan, scene_t *scenes,
                        unsigned count)
{
    const sp_scene_context_t context = {.shards = sp_target_shards(target)};
    sp_batch_t batch;
    sp_error_t error = {0};
    bool ok = true;
    sp_batch_init(&batch);
    for (unsigned i = 0; ok && i < count; i++) {
        sp_batch_generate(&batch, plan->areas[0], &context, plan->seed, i, 1);
        /* Numbered apart from the run's own workers. */
        ok = prepare(target, 2 * SP_JOBS_MAX + i, batch.cases[0], &scenes[i], &error);
    }
    sp_batch_clear(&batch);
    if (!ok)
        fprintf(stderr, "bench_find: %s\n", error.message);
    return ok;
}

static bool measure(sp_target_t *target, unsigned scene_count, unsigned rounds)
{
    double bare[ROUNDS_MAX], area[ROUNDS_MAX], ratio[ROUNDS_MAX];
    sp_run_plan_t plan = {.areas = {sp_area_find("find")}, .area_count = 1, .jobs = JOBS};
    sp_error_t error = {0};
    plan.cases = (uint64_t)scene_count * plan.areas[0]->scene_answers;
    if (!sp_version_parse(sp_target_version(target), &plan.version, &error)) {
        fprintf(stderr, "bench_find: %s\n", error.message);
        return false;
    }
    bool ok = true;
    for (unsigned i = 0; ok && i < rounds; i++) {
        scene_t scenes[SCENES_MAX] = {{0}};
        plan.seed = i;
        ok = prepare_all(target, &plan, scenes, scene_count);
        struct timespec pause = {.tv_sec = SETTLE_SECONDS};
        nanosleep(&pause, NULL); /* what a layout leaves behind for later is no part of the loop */
        bare[i] = ok ? measure_bare(target, scenes, scene_count) : 0;
        for (unsigned at = 0; at < scene_count; at++)
            clear(&scenes[at]);
        nanosleep(&pause, NULL);
        area[i] = ok ? measure_area(target, &plan) : 0;
        ok = bare[i] > 0 && area[i] > 0;
        ratio[i] = ok ? area[i] / bare[i] : 0;
        if (ok)
            printf("round %u: bare %.0f, area %.0f, ratio %.2f\n", i + 1, bare[i], area[i],
                   ratio[i]);
        fflush(stdout);
    }
    if (ok) {
        printf("mongod %s, %u layouts of %u queries, %d connections, %u rounds\n",
               sp_target_version(target), scene_count, plan.areas[0]->scene_answers, JOBS, rounds);
        printf("%-36s %12s %12s %12s\n", "", "lowest", "median", "highest");
        sp_print_figures("bare explains, a second", bare, rounds, "number");
        sp_print_figures("find area, answers checked a second", area, rounds, "number");
        sp_print_figures("ratio", ratio, rounds, "ratio");
    }
    return ok;
}

int main(int argc, char **argv)
{
    const char *server = argc > 1 ? argv[1] : SP_DEFAULT_SERVER;
    unsigned scenes = argc > 2 ? (unsigned)strtoul(argv[2], NULL, 10) : 50;
    unsigned rounds = argc > 3 ? (unsigned)strtoul(argv[3], NULL, 10) : 5;
    if (scenes < JOBS || scenes > SCENES_MAX || rounds < 1 || rounds > ROUNDS_MAX) {
        fprintf(stderr, "usage: bench_find [SERVER [SCENES (%d to %d) [ROUNDS (1 to %d)]]]\n", JOBS,
                SCENES_MAX, ROUNDS_MAX);
        return 2;
    }
    mongoc_init();
    sp_error_t error = {0};
    const sp_target_options_t options = {.server = server};
    sp_target_t *target = sp_target_open(&options, &error);
    int status = 3;
    if (target == NULL)
        fprintf(stderr, "bench_find: %s\n", error.message);
    else if (measure(target, scenes, rounds))
        status = 0;
    sp_target_close(target, false);
    mongoc_cleanup();
    return status;
}
