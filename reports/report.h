/*
 * What a run found, and its writers.
 *
 * A report is filled by one thread at a time (the collector holds the lock), then written. Findings
 * are bounded: of each area the SP_FINDINGS_MAX differences with the lowest scene and check are
 * kept, whatever the order they came in, so that the same seed writes the same report with any
 * number of jobs; all are counted. What fails no run (known, unsupported) and infrastructure
 * trouble are bounded apart from these in the same way, so that they push out no difference.
 *
 * Differences whose observed answer names its cause ({cause: "…"}) are also counted by cause, all
 * of them, and the smallest case of each cause is kept whether or not it is among the lowest.
 */
#ifndef SHARDPROOF_REPORT_H
#define SHARDPROOF_REPORT_H

#include "../oracles/error.h"
#include "../oracles/verdict.h"
#include "tally.h"

#include <bson/bson.h>
#include <stdint.h>
#include <stdio.h>

#define SP_FINDINGS_MAX 1000
#define SP_REPORT_AREAS 32 /* more is an invariant broken */

typedef struct sp_report sp_report_t;

/* What the server said when a difference was asked about a second time, alone. */
typedef enum sp_again {
    SP_AGAIN_UNASKED = 0,
    SP_AGAIN_SAME,  /* the same answer: it can be shown again */
    SP_AGAIN_OTHER, /* another answer: flaky, so look at the server's state rather than at the rule
                     */
} sp_again_t;

/* What a finding is about; all of an area are about the same. */
typedef enum sp_finding_kind {
    SP_FINDING_MODEL = 0, /* the model and the server differ */
    SP_FINDING_DEFECT,    /* the server contradicts itself */
} sp_finding_kind_t;

/* What a finding is made of; all is copied by sp_report_add. A document that is NULL counts as
 * empty. */
typedef struct sp_finding {
    const char *area; /* [a-z0-9_-]{1,63} */
    sp_finding_kind_t kind;
    uint64_t scene; /* which scene of the seed; with `check` what orders findings */
    uint32_t check; /* which answer of that scene */
    sp_verdict_t verdict;
    const char *rule;   /* what was expected and why, in words */
    const bson_t *test; /* the case as one document, itself enough to show the finding again */
    const bson_t *expected;
    const bson_t *observed;
    sp_again_t again;
} sp_finding_t;

typedef struct sp_report_head {
    uint64_t seed;
    const char *server_kind;    /* "mongod-cluster", "mongod", … */
    const char *server_version; /* as the server says it */
    const char *server_spec;    /* what --server was, without any password */
    const char *command;        /* the command line that does this run again */
} sp_report_head_t;

/* How one area ended, as sp_report_area_end is told. */
typedef struct sp_area_end {
    const char *area;
    uint64_t scenes;  /* executed */
    double seconds;   /* wall time */
    const char *note; /* e.g. why it was skipped, or NULL */
} sp_area_end_t;

/* Copies `head`; what is NULL in it counts as "". The clock of the run starts here. Passwords in
 * mongodb:// addresses are replaced by *** as a last guard. */
sp_report_t *sp_report_new(const sp_report_head_t *head);
void sp_report_free(sp_report_t *report); /* NULL is fine */

/* Counts `n` answers of `area` with `verdict`; findings are counted by sp_report_add instead. */
void sp_report_count(sp_report_t *report, const char *area, sp_verdict_t verdict, uint64_t n);

/* Adds to what kinds of questions were asked in `area`; `kinds` stays the caller's. */
void sp_report_kinds(sp_report_t *report, const char *area, const sp_tally_t *kinds);

/* Counts and keeps a finding, of any verdict but SP_MATCH. Should an answer (area, scene, check) be
 * added twice with a verdict of the same kind, both are counted and one is kept, the same one in
 * any order. */
void sp_report_add(sp_report_t *report, const sp_finding_t *finding);

/* Called again for the same area, the last call counts. */
void sp_report_area_end(sp_report_t *report, const sp_area_end_t *end);

/* Answers with `verdict` in `area`, or in all areas where `area` is NULL. */
uint64_t sp_report_total(const sp_report_t *report, const char *area, sp_verdict_t verdict);

/* 0 all as expected, 1 differences, 3 infrastructure trouble and no difference. */
int sp_report_exit_status(const sp_report_t *report);

/* Writes FOLDER/report.json (schema: reports/report-1.schema.json) and, before it,
 * FOLDER/cases/AREA-SCENE-CHECK.json for each finding and for the example of each cause; each file
 * whole or not at all. The folders are made where they are missing. Case files of an older report
 * in FOLDER that this one does not name are removed in the end; nothing else is. `interrupted`
 * marks a run that was stopped before its end. On failure (SP_ERROR_SYSTEM, naming the path) an
 * older report.json stays as it was. */
bool sp_report_write(sp_report_t *report, const char *folder, bool interrupted, sp_error_t *error);

/* A summary for people: areas with their counts and rates, what kinds of questions were asked, then
 * the first findings, or where their causes are named, these. Once the report was written, case
 * files are named as they are there. */
void sp_report_print(const sp_report_t *report, FILE *out);

#endif
