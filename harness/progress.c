#include "progress.h"

#include <inttypes.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

double sp_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

void sp_progress_start(sp_progress_t *progress)
{
    progress->terminal = isatty(STDERR_FILENO);
    progress->started = sp_now();
    progress->last_shown = progress->started;
}

void sp_progress_show(sp_progress_t *progress, const char *area, uint64_t done, uint64_t wanted,
                      double seconds, uint64_t differences)
{
    double now = sp_now(), elapsed = now - progress->started;
    if (now - progress->last_shown < (progress->terminal ? 0.5 : 10.0))
        return;
    progress->last_shown = now;
    double rate = elapsed > 0 ? (double)done / elapsed : 0;
    double left = seconds - elapsed;
    if (wanted > 0)
        left = rate > 0 ? (double)(wanted - (done < wanted ? done : wanted)) / rate : 0;
    fprintf(stderr, "%s%s: %" PRIu64 " done, %.0f/s, %" PRIu64 " differences, %.0f s left%s",
            progress->terminal ? "\r" : "", area, done, rate, differences, left > 0 ? left : 0,
            progress->terminal ? "\x1b[K" : "\n");
    fflush(stderr);
}

void sp_progress_end(sp_progress_t *progress)
{
    if (progress->terminal)
        fprintf(stderr, "\r\x1b[K");
}
