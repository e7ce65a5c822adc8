/* Starting processes, knowing them again, ending them. */
#include "test_servers_common.h"

#include "../harness/servers/files.h"
#include "../harness/servers/process.h"
#include "../harness/servers/run.h"
#include "../harness/servers/spawner.h"

#include <bson/bson.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define WAIT_MS 20000

typedef struct {
    char *program;
    char *log;
} scene_t;

static scene_t enter(void **state)
{
    return (scene_t){.program = sp_test_source("fake_child.sh"), .log = sp_test_path(state, "log")};
}

static void leave(scene_t *scene)
{
    bson_free(scene->program);
    bson_free(scene->log);
}

static sp_process_t start(const scene_t *scene, const char *how, const char *argument, bool owned)
{
    sp_error_t error = {0};
    sp_process_t process = {0};
    const char *argv[] = {scene->program, how, argument, NULL};
    sp_spawn_t spawn = {.argv = argv, .log = scene->log, .owned = owned};
    assert_true(sp_process_spawn(&spawn, &process, &error));
    assert_true(process.pid > 0);
    assert_true(process.start > 0);
    return process;
}

static void child_gets_what_it_needs(void **state)
{
    scene_t scene = enter(state);
    sp_error_t error = {0};
    sp_process_t process = {0};
    struct rlimit files;
    int status;
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &files), 0);
    files.rlim_cur = 256;
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &files), 0);
    setenv("LD_LIBRARY_PATH", "/inherited", 1);
    const char *argv[] = {scene.program, "env", NULL};
    sp_spawn_t spawn = {.argv = argv,
                        .library_path = "/one:/two",
                        .log = scene.log,
                        .folder = *state,
                        .owned = true};
    assert_true(sp_process_spawn(&spawn, &process, &error));
    unsetenv("LD_LIBRARY_PATH");
    assert_true(sp_process_ended(&process, WAIT_MS, &status));
    assert_int_equal(status, 0);
    assert_null(getenv("LD_LIBRARY_PATH"));

    char limit[32] = "unlimited";
    if (files.rlim_max != RLIM_INFINITY)
        snprintf(limit, sizeof limit, "%llu", (unsigned long long)files.rlim_max);
    char *expected = bson_strdup_printf(
        "libraries=/one:/two:/inherited files=%s core=0 folder=%s\n", limit, (const char *)*state);
    char *text = sp_files_read(scene.log, 4096, &error);
    assert_string_equal(text, expected);
    bson_free(expected);
    bson_free(text);
    leave(&scene);
}

static void missing_program_is_an_error(void **state)
{
    scene_t scene = enter(state);
    sp_error_t error = {0};
    sp_process_t process;
    const char *argv[] = {"/nonexistent/program", NULL};
    sp_spawn_t spawn = {.argv = argv, .log = scene.log, .owned = true};
    assert_false(sp_process_spawn(&spawn, &process, &error));
    assert_int_equal(error.domain, SP_ERROR_SYSTEM);
    assert_int_equal(error.code, ENOENT);
    assert_non_null(strstr(error.message, "/nonexistent/program"));

    const char *shell[] = {"/bin/sh", "-c", "true", NULL};
    spawn.argv = shell;
    spawn.folder = "/nonexistent";
    assert_false(sp_process_spawn(&spawn, &process, &error));
    spawn.folder = NULL;
    spawn.log = "/nonexistent/log";
    assert_false(sp_process_spawn(&spawn, &process, &error));
    assert_non_null(strstr(error.message, "/nonexistent/log"));
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
    leave(&scene);
}

static void identity_survives_only_the_same_process(void **state)
{
    scene_t scene = enter(state);
    sp_process_t process = start(&scene, "sleep", NULL, true);
    sp_process_t other = process;
    int status;
    other.start++;
    assert_true(sp_process_alive(&process));
    assert_false(sp_process_alive(&other));

    /* The same pid in other hands is not touched. */
    assert_false(sp_process_kill(&other, 0));
    assert_true(sp_process_alive(&process));

    assert_true(sp_process_kill(&process, WAIT_MS));
    assert_false(sp_process_alive(&process));
    assert_true(sp_process_ended(&process, 0, &status));
    assert_true(sp_process_kill(&process, 0));
    sp_process_t none = {0};
    assert_true(sp_process_kill(&none, 0));
    assert_false(sp_process_alive(&none));
    leave(&scene);
}

static void status_of_a_child_is_told(void **state)
{
    scene_t scene = enter(state);
    int status;
    sp_process_t process = start(&scene, "fail", NULL, true);
    assert_true(sp_process_ended(&process, WAIT_MS, &status));
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 3);
    process = start(&scene, "die", NULL, true);
    assert_true(sp_process_ended(&process, WAIT_MS, &status));
    assert_true(WIFSIGNALED(status));
    assert_int_equal(WTERMSIG(status), SIGKILL);
    process = start(&scene, "sleep", NULL, true);
    assert_false(sp_process_ended(&process, 0, &status));
    assert_true(sp_process_kill(&process, WAIT_MS));
    leave(&scene);
}

static pid_t read_pid(const char *path)
{
    for (int i = 0; i < 2000; i++) {
        char *text = sp_files_read(path, 100, NULL);
        long pid = text != NULL && strchr(text, '\n') != NULL ? strtol(text, NULL, 10) : 0;
        bson_free(text);
        if (pid > 0)
            return (pid_t)pid;
        nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
    }
    return 0;
}

static void group_is_killed_with_its_leader(void **state)
{
    scene_t scene = enter(state);
    char *pid_file = sp_test_path(state, "pid");
    sp_process_t process = start(&scene, "wait", pid_file, true);
    sp_process_t inner = sp_process_of(read_pid(pid_file));
    assert_true(inner.pid > 0);
    assert_true(sp_process_kill(&process, WAIT_MS));
    assert_true(sp_test_gone(&inner));
    bson_free(pid_file);
    leave(&scene);
}

/* What the thread below leaves behind. */
typedef struct {
    const scene_t *scene;
    sp_spawner_t *spawner;
    sp_process_t process;
} thread_t;

static void *start_in_thread(void *data)
{
    thread_t *thread = data;
    const char *argv[] = {thread->scene->program, "sleep", NULL};
    sp_spawn_t spawn = {.argv = argv, .log = thread->scene->log, .owned = true};
    if (thread->spawner == NULL)
        sp_process_spawn(&spawn, &thread->process, NULL);
    else
        sp_spawner_spawn(thread->spawner, &spawn, &thread->process, NULL);
    return NULL;
}

static void owned_process_ends_with_its_thread(void **state)
{
    scene_t scene = enter(state);
    thread_t thread = {.scene = &scene};
    pthread_t id;
    int status;
    assert_int_equal(pthread_create(&id, NULL, start_in_thread, &thread), 0);
    pthread_join(id, NULL);
    assert_true(sp_process_ended(&thread.process, WAIT_MS, &status));
    leave(&scene);
}

static void spawner_outlives_the_asking_thread(void **state)
{
    scene_t scene = enter(state);
    sp_error_t error = {0};
    thread_t thread = {.scene = &scene, .spawner = sp_spawner_start(&error)};
    pthread_t id;
    int status;
    assert_non_null(thread.spawner);
    assert_int_equal(pthread_create(&id, NULL, start_in_thread, &thread), 0);
    pthread_join(id, NULL);
    assert_false(sp_process_ended(&thread.process, 300, &status));
    sp_spawner_stop(thread.spawner);
    assert_true(sp_process_ended(&thread.process, WAIT_MS, &status));
    sp_spawner_stop(NULL);
    leave(&scene);
}

static void owned_process_ends_with_a_killed_owner(void **state)
{
    scene_t scene = enter(state);
    char *pid_file = sp_test_path(state, "pid");
    pid_t owner = fork();
    assert_true(owner >= 0);
    if (owner == 0) {
        start(&scene, "wait", pid_file, true);
        pause();
        _exit(0);
    }
    pid_t inner_pid = read_pid(pid_file);
    assert_true(inner_pid > 0);
    sp_process_t child = sp_process_of(getpgid(inner_pid));
    assert_true(sp_process_alive(&child));
    kill(owner, SIGKILL);
    assert_int_equal(waitpid(owner, NULL, 0), owner);
    assert_true(sp_test_gone(&child));
    kill(inner_pid, SIGKILL);
    bson_free(pid_file);
    leave(&scene);
}

static void servers_are_known_by_their_folder(void **state)
{
    scene_t scene = enter(state);
    sp_error_t error = {0};
    sp_process_t process = {0};
    sp_process_t found[4];
    char *path = sp_test_path(state, "s1");
    char *longer = bson_strdup_printf("%sx", (const char *)*state);
    const char *argv[] = {scene.program, "sleep", "--dbpath", path, NULL};
    sp_spawn_t spawn = {.argv = argv, .log = scene.log, .owned = true};
    assert_true(sp_process_spawn(&spawn, &process, &error));
    assert_true(sp_process_serves(process.pid, *state));
    assert_false(sp_process_serves(process.pid, path));
    assert_false(sp_process_serves(process.pid, longer));
    assert_false(sp_process_serves(getpid(), *state));
    assert_int_equal(sp_process_find(*state, found, 4), 1);
    assert_int_equal(found[0].pid, process.pid);
    assert_int_equal(sp_process_find(longer, found, 4), 0);
    assert_true(sp_process_kill(&process, WAIT_MS));
    assert_int_equal(sp_process_find(*state, found, 4), 0);
    bson_free(path);
    bson_free(longer);
    leave(&scene);
}

static void run_tells_how_it_ended(void **state)
{
    scene_t scene = enter(state);
    sp_error_t error = {0};
    const char *argv[] = {scene.program, "env", NULL};
    assert_true(sp_run_program(argv, NULL, scene.log, WAIT_MS, &error));
    argv[1] = "fail";
    assert_false(sp_run_program(argv, NULL, scene.log, WAIT_MS, &error));
    assert_int_equal(error.domain, SP_ERROR_SYSTEM);
    assert_non_null(strstr(error.message, "status 3"));
    assert_non_null(strstr(error.message, "the reason"));
    argv[1] = "full";
    assert_false(sp_run_program(argv, NULL, scene.log, WAIT_MS, &error));
    assert_int_equal(error.code, ENOSPC);
    argv[1] = "die";
    assert_false(sp_run_program(argv, NULL, scene.log, WAIT_MS, &error));
    assert_non_null(strstr(error.message, "signal 9"));
    argv[1] = "sleep";
    assert_false(sp_run_program(argv, NULL, scene.log, 100, &error));
    assert_int_equal(error.code, ETIMEDOUT);
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
    leave(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define WITH_FOLDER(test) cmocka_unit_test_setup_teardown(test, sp_test_enter, sp_test_leave)
        WITH_FOLDER(child_gets_what_it_needs),
        WITH_FOLDER(missing_program_is_an_error),
        WITH_FOLDER(identity_survives_only_the_same_process),
        WITH_FOLDER(status_of_a_child_is_told),
        WITH_FOLDER(group_is_killed_with_its_leader),
        WITH_FOLDER(owned_process_ends_with_its_thread),
        WITH_FOLDER(spawner_outlives_the_asking_thread),
        WITH_FOLDER(owned_process_ends_with_a_killed_owner),
        WITH_FOLDER(servers_are_known_by_their_folder),
        WITH_FOLDER(run_tells_how_it_ended),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
