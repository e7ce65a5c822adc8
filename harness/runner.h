/*
 * A run: every area, over several connections at once, until so many cases or so much time are
 * done.
 *
 * Which scenes are drawn depends on the seed alone, and each scene's verdicts on the scene alone,
 * so the same seed and number of cases give the same report with any number of jobs.
 */
#ifndef SHARDPROOF_RUNNER_H
#define SHARDPROOF_RUNNER_H

#include "../reports/report.h"
#include "area.h"

#define SP_JOBS_MAX 64

typedef struct sp_run_plan {
    const sp_area_t *areas[SP_REPORT_AREAS];
    unsigned area_count;
    uint64_t seed;
    uint64_t cases; /* questions for each area; 0: by time */
    double seconds; /* for all areas together; where cases is 0 */
    unsigned jobs;
    sp_version_t version; /* whose rules the model holds to */
} sp_run_plan_t;

/* Fills `report`. Areas that the target lacks the capabilities for are noted there and skipped.
 * `interrupted`: a stop was requested before the end. False only where the target was given up; the
 * report then has what was done. */
bool sp_run(const sp_run_plan_t *plan, sp_target_t *target, sp_report_t *report, bool *interrupted,
            sp_error_t *error);

#endif
