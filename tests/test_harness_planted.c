/*
 * A run whose model is wrong on purpose: test_harness_planted SERVER FOLDER JOBS CASES
 *
 * The hash area with a predictor that rounds negative fractions down where servers cut them off.
 * Writes the report to FOLDER and ends with the run's exit status; test_cli_live.py looks at what
 * was found.
 */
#include "../harness/commands.h"
#include "../harness/runner.h"

#include <math.h>
#include <mongoc/mongoc.h>
#include <stdio.h>
#include <stdlib.h>

static bool wrong_predict(sp_model_t *model, const bson_t *test, sp_answers_t *answers,
                          sp_error_t *error)
{
    bson_iter_t iter;
    if (bson_iter_init_find(&iter, test, "value") && BSON_ITER_HOLDS_DOUBLE(&iter)) {
        double number = bson_iter_double(&iter);
        if (number < 0 && number > -1e15 && number != trunc(number)) {
            bson_t floored = BSON_INITIALIZER;
            BSON_APPEND_DOUBLE(&floored, "value", floor(number));
            bool ok = sp_case_predict_hash(model, &floored, answers, error);
            bson_destroy(&floored);
            return ok;
        }
    }
    return sp_case_predict_hash(model, test, answers, error);
}

static bool run(char **arguments, int *status, sp_error_t *error)
{
    sp_area_t wrong = *sp_area_find("hash");
    wrong.predict = wrong_predict;
    wrong.batch = 512; /* several batches for each worker */
    sp_run_plan_t plan = {
        .areas = {&wrong},
        .area_count = 1,
        .seed = 5,
        .cases = strtoull(arguments[3], NULL, 10),
        .jobs = (unsigned)strtoul(arguments[2], NULL, 10),
    };
    const sp_target_options_t options = {.server = arguments[0]};
    sp_report_t *report = NULL;
    bool interrupted;
    sp_target_t *target = sp_target_open(&options, error);
    bool ok = target != NULL && sp_version_parse(sp_target_version(target), &plan.version, error);
    if (ok) {
        const sp_report_head_t head = {.seed = plan.seed,
                                       .server_kind = sp_target_kind(target),
                                       .server_version = sp_target_version(target),
                                       .server_spec = sp_target_spec(target),
                                       .command = "test_harness_planted"};
        report = sp_report_new(&head);
        ok = sp_run(&plan, target, report, &interrupted, error) &&
             sp_report_write(report, arguments[1], interrupted, error);
        *status = sp_report_exit_status(report);
    }
    sp_report_free(report);
    sp_target_close(target, false);
    return ok;
}

int main(int argc, char **argv)
{
    sp_error_t error = {0};
    int status = 0;
    if (argc != 5) {
        fprintf(stderr, "usage: test_harness_planted SERVER FOLDER JOBS CASES\n");
        return 2;
    }
    mongoc_init();
    if (!run(argv + 1, &status, &error))
        status = sp_complain(&error);
    mongoc_cleanup();
    return status;
}
