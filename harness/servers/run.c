#include "run.h"

#include "log.h"
#include "process.h"
#include "signals.h"

#include <bson/bson.h>
#include <errno.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define SLICE_MS 50
#define KILL_MS  5000

static bool judge(const char *program, int status, const char *log, sp_error_t *error)
{
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return true;
    char end[300];
    sp_log_end(log, end, sizeof end);
    if (strstr(end, "No space left on device") != NULL)
        return sp_error_set(error, SP_ERROR_SYSTEM, ENOSPC, "%s found no space left: %s", program,
                            end);
    if (WIFSIGNALED(status))
        return sp_error_set(error, SP_ERROR_SYSTEM, 0, "%s was ended by signal %d: %s", program,
                            WTERMSIG(status), end);
    return sp_error_set(error, SP_ERROR_SYSTEM, 0, "%s ended with status %d: %s", program,
                        WEXITSTATUS(status), end);
}

bool sp_run_program(const char *const *argv, const char *library_path, const char *log,
                    int timeout_ms, sp_error_t *error)
{
    if (unlink(log) != 0 && errno != ENOENT)
        return sp_error_set(error, SP_ERROR_SYSTEM, errno, "cannot replace the log %s: %s", log,
                            strerror(errno));
    sp_spawn_t spawn = {.argv = argv, .library_path = library_path, .log = log, .owned = true};
    sp_process_t process;
    if (!sp_process_spawn(&spawn, &process, error))
        return false;

    int64_t until = bson_get_monotonic_time() + timeout_ms * 1000LL;
    int status;
    while (!sp_process_ended(&process, SLICE_MS, &status)) {
        bool stop = sp_stop_requested();
        if (!stop && bson_get_monotonic_time() < until)
            continue;
        sp_process_kill(&process, KILL_MS);
        if (stop)
            return sp_error_set(error, SP_ERROR_SYSTEM, EINTR, "stopped on request");
        char end[300];
        sp_log_end(log, end, sizeof end);
        return sp_error_set(error, SP_ERROR_SYSTEM, ETIMEDOUT,
                            "%s did not end within %d s and was killed: %s", argv[0],
                            timeout_ms / 1000, end);
    }
    return judge(argv[0], status, log, error);
}
