/*
 * How fast the hash area checks values, beside what the server alone can do with them.
 *
 *     bench_hash [SERVER [VALUES [ROUNDS]]]
 *
 * In turn, ROUNDS times: a bare loop that sends one and the same ready-made command over as many
 * connections as the area has, and the area itself over as many other values. Prints both rates and
 * their ratio, lowest, median and highest.
 */
#include "figures.h"

#include "../harness/batch.h"
#include "../harness/progress.h"
#include "../harness/runner.h"
#include "../harness/servers/install.h"

#include <mongoc/mongoc.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { JOBS = 2, ROUNDS_MAX = 99 };

typedef struct bare {
    sp_target_t *target;
    unsigned number;
    uint64_t commands;
    bool ok;
    sp_error_t error;
} bare_t;

static void *send_bare(void *argument)
{
    bare_t *bare = argument;
    const sp_area_t *area = sp_area_find("hash");
    const sp_scene_context_t context = {.shards = 1};
    sp_batch_t batch;
    bson_t command = BSON_INITIALIZER;
    sp_batch_init(&batch);
    sp_batch_generate(&batch, area, &context, 1, (uint64_t)bare->number * area->batch, area->batch);
    sp_build_hash_command(&command, batch.cases, batch.count);
    sp_session_t *session = sp_session_open(bare->target, bare->number, &bare->error);
    bare->ok = session != NULL;
    for (uint64_t i = 0; bare->ok && i < bare->commands; i++)
        bare->ok = sp_conn_command(sp_session_any(session), "admin", &command, NULL, &bare->error);
    sp_session_close(session);
    bson_destroy(&command);
    sp_batch_clear(&batch);
    return NULL;
}

/* Values a second, or 0 with a message. */
static double measure_bare(sp_target_t *target, uint64_t values)
{
    const uint32_t batch = sp_area_find("hash")->batch;
    bare_t bare[JOBS];
    pthread_t threads[JOBS];
    double begun = sp_now();
    for (unsigned i = 0; i < JOBS; i++) {
        bare[i] = (bare_t){.target = target, .number = i, .commands = values / batch / JOBS};
        pthread_create(&threads[i], NULL, send_bare, &bare[i]);
    }
    bool ok = true;
    for (unsigned i = 0; i < JOBS; i++) {
        pthread_join(threads[i], NULL);
        if (!bare[i].ok)
            fprintf(stderr, "bench_hash: %s\n", bare[i].error.message);
        ok = ok && bare[i].ok;
    }
    double sent = (double)(bare[0].commands * JOBS) * batch;
    return ok ? sent / (sp_now() - begun) : 0;
}

static double measure_area(sp_target_t *target, uint64_t values, uint64_t seed)
{
    sp_run_plan_t plan = {.areas = {sp_area_find("hash")},
                          .area_count = 1,
                          .seed = seed,
                          .cases = values,
                          .jobs = JOBS};
    sp_error_t error = {0};
    if (!sp_version_parse(sp_target_version(target), &plan.version, &error)) {
        fprintf(stderr, "bench_hash: %s\n", error.message);
        return 0;
    }
    const sp_report_head_t head = {.seed = seed};
    sp_report_t *report = sp_report_new(&head);
    bool interrupted;
    double begun = sp_now();
    bool ok = sp_run(&plan, target, report, &interrupted, &error);
    double seconds = sp_now() - begun;
    uint64_t matches = sp_report_total(report, NULL, SP_MATCH);
    if (!ok)
        fprintf(stderr, "bench_hash: %s\n", error.message);
    if (ok && matches < values)
        fprintf(stderr, "bench_hash: only %llu of %llu values match\n", (unsigned long long)matches,
                (unsigned long long)values);
    sp_report_free(report);
    return ok ? (double)matches / seconds : 0;
}

int main(int argc, char **argv)
{
    const char *server = argc > 1 ? argv[1] : SP_DEFAULT_SERVER;
    uint64_t values = argc > 2 ? strtoull(argv[2], NULL, 10) : 1000000;
    unsigned rounds = argc > 3 ? (unsigned)strtoul(argv[3], NULL, 10) : 5;
    if (values < 100000 || rounds < 1 || rounds > ROUNDS_MAX) {
        fprintf(stderr,
                "usage: bench_hash [SERVER [VALUES (100000 and more) [ROUNDS (1 to 99)]]]\n");
        return 2;
    }
    mongoc_init();
    sp_error_t error = {0};
    const sp_target_options_t options = {.server = server};
    sp_target_t *target = sp_target_open(&options, &error);
    if (target == NULL) {
        fprintf(stderr, "bench_hash: %s\n", error.message);
        return 3;
    }
    double bare[ROUNDS_MAX], area[ROUNDS_MAX], ratio[ROUNDS_MAX];
    int status = 0;
    for (unsigned i = 0; i < rounds && status == 0; i++) {
        bare[i] = measure_bare(target, values);
        area[i] = measure_area(target, values, i);
        ratio[i] = bare[i] > 0 ? area[i] / bare[i] : 0;
        status = bare[i] > 0 && area[i] > 0 ? 0 : 3;
    }
    if (status == 0) {
        printf("mongod %s, %llu values, %d connections, %u rounds\n", sp_target_version(target),
               (unsigned long long)values, JOBS, rounds);
        printf("%-36s %12s %12s %12s\n", "", "lowest", "median", "highest");
        sp_print_figures("bare commands, values a second", bare, rounds, "number");
        sp_print_figures("hash area, values checked a second", area, rounds, "number");
        sp_print_figures("ratio", ratio, rounds, "ratio");
    }
    sp_target_close(target, false);
    mongoc_cleanup();
    return status;
}
