#include "runner.h"

#include "../fuzzers/kinds.h"
#include "batch.h"
#include "progress.h"
#include "servers/signals.h"

#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>

/* How many differences of a batch are asked a second time, to tell flaky from wrong. */
enum { CONFIRM_MAX = 16 };

/* How often the main thread looks at its workers. */
#define PAUSE_NS 20000000L
/* … and at the servers. */
#define WATCH_SECONDS 1.0

/* One area being run. Everything below the lock is guarded by it. */
typedef struct area_run {
    const sp_run_plan_t *plan;
    const sp_area_t *area;
    sp_target_t *target;
    double deadline; /* monotonic; used where end_scene is unbounded */

    pthread_mutex_t lock;
    sp_report_t *report;
    uint64_t next_scene, end_scene;
    uint64_t scenes_done, answers_done, differences;
    unsigned working;
    bool gave_up;
    sp_error_t error;
} area_run_t;

typedef struct worker {
    area_run_t *run;
    unsigned number;
    pthread_t thread;
    sp_model_t *model;
    sp_session_t *session;
    sp_batch_t batch, again;
    sp_batch_t ahead;  /* what comes after `batch`: known early, for what can be prepared */
    sp_tally_t *kinds; /* of all questions judged so far */
} worker_t;

/* The next scenes for a worker; false when there are none. */
static bool take_scenes(area_run_t *run, uint64_t *first, uint32_t *count)
{
    pthread_mutex_lock(&run->lock);
    bool over = run->gave_up || sp_stop_requested() || run->next_scene >= run->end_scene ||
                (run->plan->cases == 0 && sp_now() >= run->deadline);
    uint64_t left = run->end_scene - run->next_scene;
    *first = run->next_scene;
    *count = left < run->area->batch ? (uint32_t)left : run->area->batch;
    if (!over)
        run->next_scene += *count;
    pthread_mutex_unlock(&run->lock);
    return !over;
}

/* Asks one question alone and once more. */
static sp_again_t ask_again(worker_t *worker, const bson_t *narrow, const bson_t *observed)
{
    sp_batch_take(&worker->again, worker->run->area, narrow);
    if (!sp_batch_predict(&worker->again, worker->model, NULL) ||
        !sp_batch_execute(&worker->again, worker->session, NULL) ||
        worker->again.observed.count != 1)
        return SP_AGAIN_UNASKED;
    return sp_judge(observed, worker->again.observed.items[0]) == SP_MATCH ? SP_AGAIN_SAME
                                                                           : SP_AGAIN_OTHER;
}

static void report_difference(worker_t *worker, uint32_t scene, uint32_t check,
                              sp_verdict_t verdict, bool confirm)
{
    area_run_t *run = worker->run;
    sp_batch_t *batch = &worker->batch;
    uint32_t at = batch->first_answer[scene] + check;
    bson_t *narrow = sp_batch_narrow(batch, scene, check);
    sp_finding_t finding = {
        .area = run->area->name,
        .kind = run->area->judges_itself ? SP_FINDING_DEFECT : SP_FINDING_MODEL,
        .scene = batch->first_scene + scene,
        .check = check,
        .verdict = verdict,
        .rule = run->area->rule,
        .test = narrow,
        .expected = batch->expected.items[at],
        .observed = batch->observed.items[at],
        .again = confirm ? ask_again(worker, narrow, batch->observed.items[at]) : SP_AGAIN_UNASKED,
    };
    pthread_mutex_lock(&run->lock);
    sp_report_add(run->report, &finding);
    if (sp_verdict_differs(verdict))
        run->differences++;
    pthread_mutex_unlock(&run->lock);
    bson_destroy(narrow);
}

static bool count_kind(void *context, const char *dimension, const char *name)
{
    sp_tally_add(context, dimension, name, 1);
    return true;
}

static void judge(worker_t *worker)
{
    area_run_t *run = worker->run;
    sp_batch_t *batch = &worker->batch;
    uint64_t matches = 0;
    unsigned confirmed = 0;
    for (uint32_t scene = 0; scene < batch->count; scene++) {
        for (uint32_t at = batch->first_answer[scene]; at < batch->first_answer[scene + 1]; at++) {
            sp_verdict_t verdict = sp_judge(batch->expected.items[at], batch->observed.items[at]);
            sp_kinds_of(run->area->name, batch->cases[scene], at - batch->first_answer[scene],
                        batch->observed.items[at], count_kind, worker->kinds);
            if (verdict == SP_MATCH) {
                matches++;
                continue;
            }
            bool confirm = sp_verdict_differs(verdict) && confirmed < CONFIRM_MAX;
            confirmed += confirm;
            report_difference(worker, scene, at - batch->first_answer[scene], verdict, confirm);
        }
    }
    pthread_mutex_lock(&run->lock);
    sp_report_count(run->report, run->area->name, SP_MATCH, matches);
    run->scenes_done += batch->count;
    run->answers_done += batch->observed.count;
    pthread_mutex_unlock(&run->lock);
}

/* The worker's next batch, drawn; false where there is none. */
static bool draw_ahead(worker_t *worker)
{
    const area_run_t *run = worker->run;
    const sp_scene_context_t context = {.shards = sp_target_shards(run->target)};
    uint64_t first;
    uint32_t count;
    if (!take_scenes(worker->run, &first, &count))
        return false;
    sp_batch_generate(&worker->ahead, run->area, &context, run->plan->seed, first, count);
    return true;
}

static bool run_batches(worker_t *worker, sp_error_t *error)
{
    bool more = draw_ahead(worker);
    while (more) {
        sp_batch_t batch = worker->batch;
        worker->batch = worker->ahead;
        worker->ahead = batch;
        more = draw_ahead(worker);
        bool generated_is_sound = sp_batch_predict(&worker->batch, worker->model, error);
        assert(generated_is_sound);
        worker->session->upcoming =
            more && worker->ahead.count == 1 ? worker->ahead.cases[0] : NULL;
        if (!sp_batch_execute(&worker->batch, worker->session, error))
            return false;
        judge(worker);
    }
    return true;
}

static void *work(void *argument)
{
    worker_t *worker = argument;
    area_run_t *run = worker->run;
    sp_error_t error = {0};
    sp_batch_init(&worker->batch);
    sp_batch_init(&worker->again);
    sp_batch_init(&worker->ahead);
    worker->kinds = sp_tally_new();
    worker->model = sp_model_new(run->plan->version, &error);
    worker->session = sp_session_open(run->target, worker->number, &error);
    bool ok = worker->model != NULL && worker->session != NULL && run_batches(worker, &error);
    sp_session_close(worker->session);
    sp_model_free(worker->model);
    sp_batch_clear(&worker->batch);
    sp_batch_clear(&worker->again);
    sp_batch_clear(&worker->ahead);

    pthread_mutex_lock(&run->lock);
    sp_report_kinds(run->report, run->area->name, worker->kinds);
    if (!ok && !sp_stop_requested() && !run->gave_up) {
        run->gave_up = true;
        run->error = error;
    }
    run->working--;
    pthread_mutex_unlock(&run->lock);
    sp_tally_free(worker->kinds);
    return NULL;
}

/* Only the main thread may get signals: it is the one that waits and can stop the rest. */
static void start_workers(area_run_t *run, worker_t *workers, unsigned jobs, unsigned *started)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    for (*started = 0; *started < jobs; ++*started) {
        worker_t *worker = &workers[*started];
        *worker = (worker_t){.run = run, .number = *started};
        pthread_mutex_lock(&run->lock);
        run->working++;
        pthread_mutex_unlock(&run->lock);
        int failed = pthread_create(&worker->thread, NULL, work, worker);
        if (failed != 0) {
            pthread_mutex_lock(&run->lock);
            run->working--;
            run->gave_up = true;
            sp_error_set(&run->error, SP_ERROR_SYSTEM, failed, "no thread could be started: %s",
                         strerror(failed));
            pthread_mutex_unlock(&run->lock);
            break;
        }
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static void wait_for_workers(area_run_t *run, double seconds)
{
    sp_progress_t progress;
    sp_progress_start(&progress);
    double next_watch = sp_now() + WATCH_SECONDS;
    uint64_t wanted =
        run->plan->cases > 0 ? run->end_scene * (uint64_t)run->area->scene_answers : 0;
    for (;;) {
        pthread_mutex_lock(&run->lock);
        unsigned working = run->working;
        uint64_t done = run->answers_done, differences = run->differences;
        pthread_mutex_unlock(&run->lock);
        if (working == 0)
            break;
        sp_progress_show(&progress, run->area->name, done, wanted, seconds, differences);
        if (sp_now() >= next_watch) {
            sp_target_watch(run->target);
            next_watch = sp_now() + WATCH_SECONDS;
        }
        const struct timespec pause = {.tv_nsec = PAUSE_NS};
        nanosleep(&pause, NULL);
    }
    sp_progress_end(&progress);
}

static bool run_area(const sp_run_plan_t *plan, const sp_area_t *area, double seconds,
                     sp_target_t *target, sp_report_t *report, sp_error_t *error)
{
    double begun = sp_now();
    area_run_t run = {
        .plan = plan,
        .area = area,
        .target = target,
        .deadline = begun + seconds,
        .report = report,
        .end_scene = plan->cases > 0 ? (plan->cases + area->scene_answers - 1) / area->scene_answers
                                     : UINT64_MAX,
    };
    pthread_mutex_init(&run.lock, NULL);
    worker_t workers[SP_JOBS_MAX];
    unsigned started;
    start_workers(&run, workers, plan->jobs, &started);
    wait_for_workers(&run, seconds);
    for (unsigned i = 0; i < started; i++)
        pthread_join(workers[i].thread, NULL);
    pthread_mutex_destroy(&run.lock);

    const sp_area_end_t end = {
        .area = area->name,
        .scenes = run.scenes_done,
        .seconds = sp_now() - begun,
        .note = run.gave_up ? run.error.message : NULL,
    };
    sp_report_area_end(report, &end);
    if (run.gave_up && error != NULL)
        *error = run.error;
    return !run.gave_up;
}

static void note_skipped(sp_report_t *report, const sp_area_t *area, const char *why)
{
    const sp_area_end_t end = {.area = area->name, .note = why};
    sp_report_area_end(report, &end);
}

bool sp_run(const sp_run_plan_t *plan, sp_target_t *target, sp_report_t *report, bool *interrupted,
            sp_error_t *error)
{
    unsigned weights = 0;
    for (unsigned i = 0; i < plan->area_count; i++) {
        if (sp_area_fits(plan->areas[i], target, NULL))
            weights += plan->areas[i]->weight;
    }
    bool ok = true;
    for (unsigned i = 0; i < plan->area_count && ok; i++) {
        const sp_area_t *area = plan->areas[i];
        if (!sp_area_fits(area, target, NULL))
            note_skipped(report, area, "skipped: the server lacks what this area needs");
        else if (sp_stop_requested())
            note_skipped(report, area, "skipped: the run was stopped");
        else
            ok =
                run_area(plan, area, plan->seconds * area->weight / weights, target, report, error);
    }
    *interrupted = sp_stop_requested();
    return ok;
}
