/*
 * How far a run is, on standard error: one line that is written over on a terminal, else a plain
 * line every ten seconds.
 */
#ifndef SHARDPROOF_PROGRESS_H
#define SHARDPROOF_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct sp_progress {
    bool terminal;
    double started; /* of this area, on the monotonic clock */
    double last_shown;
} sp_progress_t;

/* Seconds on the monotonic clock. */
double sp_now(void);

void sp_progress_start(sp_progress_t *progress);
/* `wanted` 0: until `seconds` are over. Shows nothing where it is too early for the next line. */
void sp_progress_show(sp_progress_t *progress, const char *area, uint64_t done, uint64_t wanted,
                      double seconds, uint64_t differences);
/* Leaves a terminal's line clean. */
void sp_progress_end(sp_progress_t *progress);

#endif
