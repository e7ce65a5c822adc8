#include "process.h"

#include <bson/bson.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef CLOSE_RANGE_CLOEXEC
#define CLOSE_RANGE_CLOEXEC (1U << 2)
#endif

extern char **environ;

/* All that the child needs, made before the fork: between fork and exec it may not allocate. */
typedef struct {
    const sp_spawn_t *spawn;
    char **environment;
    char *library_variable;
    pid_t parent;
    int input;
    int log;
    int report;
} plan_t;

static const char LIBRARY_PATH[] = "LD_LIBRARY_PATH=";

static void make_environment(plan_t *plan)
{
    size_t count = 0;
    while (environ[count] != NULL)
        count++;
    plan->environment = bson_malloc0((count + 2) * sizeof *plan->environment);
    const char *add = plan->spawn->library_path;
    const char *inherited = "";
    size_t used = 0;
    for (size_t i = 0; i < count; i++) {
        if (add != NULL && *add != '\0' &&
            strncmp(environ[i], LIBRARY_PATH, sizeof LIBRARY_PATH - 1) == 0)
            inherited = environ[i] + sizeof LIBRARY_PATH - 1;
        else
            plan->environment[used++] = environ[i];
    }
    if (add == NULL || *add == '\0')
        return;
    plan->library_variable =
        bson_strdup_printf("%s%s%s%s", LIBRARY_PATH, add, *inherited == '\0' ? "" : ":", inherited);
    plan->environment[used] = plan->library_variable;
}

static void reset_signals(void)
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE};
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        signal(numbers[i], SIG_DFL);
}

/* Servers open a file for each collection and index, and inherit our limit. */
static void set_limits(void)
{
    struct rlimit files;
    if (getrlimit(RLIMIT_NOFILE, &files) == 0) {
        files.rlim_cur = files.rlim_max;
        setrlimit(RLIMIT_NOFILE, &files);
    }
    struct rlimit core;
    if (getrlimit(RLIMIT_CORE, &core) == 0) {
        core.rlim_cur = 0;
        setrlimit(RLIMIT_CORE, &core);
    }
}

/* Runs in the child: only async-signal-safe calls. */
_Noreturn static void become(const plan_t *plan)
{
    const sp_spawn_t *spawn = plan->spawn;
    int failed = 0;
    reset_signals();
    if (spawn->owned) {
        setpgid(0, 0);
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        /* The parent may have died before the line above took effect. */
        if (getppid() != plan->parent)
            _exit(1);
    } else {
        setsid();
    }
    set_limits();
    if (dup2(plan->input, STDIN_FILENO) < 0 || dup2(plan->log, STDOUT_FILENO) < 0 ||
        dup2(plan->log, STDERR_FILENO) < 0 || (spawn->folder != NULL && chdir(spawn->folder) != 0))
        failed = errno;
    /* Old kernels lack it; then only what was opened with O_CLOEXEC is closed. */
    syscall(SYS_close_range, 3U, ~0U, CLOSE_RANGE_CLOEXEC);
    if (failed == 0) {
        union {
            const char *const *read_only;
            char *const *plain;
        } argv = {.read_only = spawn->argv};
        execve(spawn->argv[0], argv.plain, plan->environment);
        failed = errno;
    }
    ssize_t told = write(plan->report, &failed, sizeof failed);
    _exit(told == (ssize_t)sizeof failed ? 127 : 126);
}

/* Waits until the child runs the program: 0, or the errno it reported. */
static int wait_for_exec(int report)
{
    int failed = 0;
    ssize_t got;
    do
        got = read(report, &failed, sizeof failed);
    while (got < 0 && errno == EINTR);
    return got == (ssize_t)sizeof failed ? failed : 0;
}

static bool start(plan_t *plan, int report_end, sp_process_t *process, sp_error_t *error)
{
    const char *program = plan->spawn->argv[0];
    pid_t pid = fork();
    if (pid < 0)
        return sp_error_set(error, SP_ERROR_SYSTEM, errno, "cannot start %s: %s", program,
                            strerror(errno));
    if (pid == 0)
        become(plan);
    close(plan->report);
    plan->report = -1;
    int failed = wait_for_exec(report_end);
    if (failed != 0) {
        waitpid(pid, NULL, 0);
        return sp_error_set(error, SP_ERROR_SYSTEM, failed, "cannot run %s: %s", program,
                            strerror(failed));
    }
    *process = sp_process_of(pid);
    /* Gone already: its parent will see that by the pid. */
    process->pid = pid;
    return true;
}

bool sp_process_spawn(const sp_spawn_t *spawn, sp_process_t *process, sp_error_t *error)
{
    plan_t plan = {.spawn = spawn, .parent = getpid(), .input = -1, .log = -1, .report = -1};
    int ends[2] = {-1, -1};
    bool ok = false;

    make_environment(&plan);
    plan.input = open("/dev/null", O_RDONLY | O_CLOEXEC);
    plan.log = open(spawn->log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (plan.input < 0 || plan.log < 0) {
        sp_error_set(error, SP_ERROR_SYSTEM, errno, "cannot write the log %s: %s", spawn->log,
                     strerror(errno));
        goto done;
    }
    if (pipe2(ends, O_CLOEXEC) != 0) {
        sp_error_set(error, SP_ERROR_SYSTEM, errno, "cannot make a pipe: %s", strerror(errno));
        goto done;
    }
    plan.report = ends[1];
    ok = start(&plan, ends[0], process, error);
done:
    if (ends[0] >= 0)
        close(ends[0]);
    if (plan.report >= 0)
        close(plan.report);
    if (plan.input >= 0)
        close(plan.input);
    if (plan.log >= 0)
        close(plan.log);
    bson_free(plan.library_variable);
    bson_free(plan.environment);
    return ok;
}
