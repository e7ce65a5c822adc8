/*
 * What a report holds: shared by the model and its writers, and by nobody else.
 */
#ifndef SHARDPROOF_REPORT_MODEL_H
#define SHARDPROOF_REPORT_MODEL_H

#include "causes.h"
#include "kept.h"
#include "report.h"

#include <stddef.h>
#include <time.h>

#define SP_AREA_NAME_MAX 63

/* Differences, findings that fail no run and infrastructure trouble have a bound each, so that none
 * of them can push out another; trouble comes as it likes, so it must not decide which differences
 * stay. */
typedef enum sp_group {
    SP_GROUP_DIFFERENCES,
    SP_GROUP_NOTED, /* unsupported, known */
    SP_GROUP_INFRASTRUCTURE,
    SP_GROUPS
} sp_group_t;

/* The lowest of the findings that came, sorted by scene and check. */
typedef struct sp_bucket {
    sp_kept_t *kept[SP_FINDINGS_MAX];
    size_t size;
    uint64_t came;
} sp_bucket_t;

typedef struct sp_area {
    char name[SP_AREA_NAME_MAX + 1];
    sp_finding_kind_t kind; /* of its findings */
    uint64_t counts[SP_VERDICTS];
    uint64_t scenes;
    double seconds;
    char *note;        /* or NULL */
    sp_tally_t *kinds; /* of questions; empty where the area counts none */
    sp_bucket_t buckets[SP_GROUPS];
    sp_causes_t causes; /* of its differences */
} sp_area_t;

struct sp_report {
    uint64_t seed;
    char *server_kind;
    char *server_version;
    char *server_spec;
    char *command;
    time_t started;                    /* by the calendar, for people */
    struct timespec origin;            /* by the clock that never jumps, for how long it took */
    sp_area_t *areas[SP_REPORT_AREAS]; /* sorted by name */
    size_t areas_size;
    char *folder; /* where it was written last, as it was named; or NULL */
};

/* Answers of all verdicts. */
uint64_t sp_area_answers(const sp_area_t *area);

/* Prints what kinds of questions were asked in `area`: one line for each dimension. */
void sp_report_print_kinds(FILE *out, const sp_area_t *area);

/* Answers per second; 0 where no time was measured. */
double sp_area_rate(const sp_area_t *area);

/* Seconds since the report was begun. */
double sp_report_seconds(const sp_report_t *report);

/* A command line that replays the case in `file`, run from where the report's folder was named. To
 * be freed with bson_free. */
char *sp_replay_command(const sp_report_t *report, const char *file);

/* Whether any group or cause of `area` keeps a finding of that scene and check. */
bool sp_report_keeps(const sp_report_t *report, const char *area, uint64_t scene, uint32_t check);

#endif
