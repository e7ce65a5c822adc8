/*
 * The standalone driver, linked to a target that fails on request (SP_TEST_TARGET).
 */
#include <fcntl.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

typedef struct run {
    int status;
    char output[8192];
} run_t;

static char folder[] = "/tmp/shardproof-driver-XXXXXX";

static void write_file(const char *name, const char *text)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, strlen(text), file), strlen(text));
    assert_int_equal(fclose(file), 0);
}

static void make_folder(const char *name)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    assert_int_equal(mkdir(path, 0700), 0);
}

/* Runs the target in the folder with these arguments, which the shell splits. */
static void run_target(const char *arguments, run_t *run)
{
    char command[2 * PATH_MAX];
    snprintf(command, sizeof command, "cd %s && %s %s 2>&1", folder, SP_TEST_TARGET, arguments);
    FILE *output = popen(command, "r"); // NOLINT(cert-env33-c): the test's own words
    assert_non_null(output);
    size_t size = fread(run->output, 1, sizeof run->output - 1, output);
    run->output[size] = '\0';
    int status = pclose(output);
    assert_true(WIFEXITED(status));
    run->status = WEXITSTATUS(status);
}

static int set_up(void **state)
{
    (void)state;
    if (mkdtemp(folder) == NULL)
        return -1;
    make_folder("good");
    make_folder("good/deeper");
    make_folder("bad");
    make_folder("none");
    write_file("good/a", "a");
    write_file("good/empty", "");
    write_file("good/deeper/b", "b");
    write_file("good/.hidden", "abort");
    write_file("bad/1-fine", "fine");
    write_file("bad/2-abort", "abort");
    write_file("bad/3-exit", "exit");
    write_file("bad/4-fine", "fine");
    write_file("hang", "hang");
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    static const char *const names[] = {
        "good/a", "good/empty", "good/deeper/b", "good/deeper", "good/.hidden",
        "good",   "bad/1-fine", "bad/2-abort",   "bad/3-exit",  "bad/4-fine",
        "bad",    "none",       "hang"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char path[PATH_MAX];
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        remove(path);
    }
    return rmdir(folder);
}

static void test_all_pass(void **state)
{
    (void)state;
    run_t run;
    run_target("good", &run);
    assert_int_equal(run.status, 0);
    assert_non_null(strstr(run.output, "ran 3 inputs, 0 failed"));
    run_target("good/a good/empty good/a", &run);
    assert_int_equal(run.status, 0);
    assert_non_null(strstr(run.output, "ran 3 inputs, 0 failed"));
}

/* Each failing file is named with what it did, and the others run all the same. */
static void test_failures_are_named(void **state)
{
    (void)state;
    run_t run;
    run_target("bad good", &run);
    assert_int_equal(run.status, 1);
    assert_non_null(strstr(run.output, "bad/2-abort: ended by signal 6"));
    assert_non_null(strstr(run.output, "bad/3-exit: ended with exit status 77"));
    assert_null(strstr(run.output, "fine"));
    assert_non_null(strstr(run.output, "ran 7 inputs, 2 failed"));
}

static void test_time_limit(void **state)
{
    (void)state;
    run_t run;
    run_target("-timeout=1 hang good/a", &run);
    assert_int_equal(run.status, 1);
    assert_non_null(strstr(run.output, "hang: still running after 1 s"));
    assert_non_null(strstr(run.output, "ran 2 inputs, 1 failed"));
}

/* That nothing ran must not look like a pass. */
static void test_nothing_to_run(void **state)
{
    (void)state;
    run_t run;
    run_target("none", &run);
    assert_int_equal(run.status, 2);
    assert_non_null(strstr(run.output, "no input to run"));
    run_target("", &run);
    assert_int_equal(run.status, 2);
    run_target("good missing", &run);
    assert_int_equal(run.status, 2);
    assert_non_null(strstr(run.output, "missing: No such file"));
    assert_non_null(strstr(run.output, "ran 3 inputs, 0 failed"));
    run_target("/dev/null", &run);
    assert_int_equal(run.status, 2);
    assert_non_null(strstr(run.output, "/dev/null: neither a file nor a folder"));
}

static void test_bad_options(void **state)
{
    (void)state;
    static const char *const options[] = {
        "-runs=5",     "-timeout=",  "-timeout=0",
        "-timeout=-1", "-timeout=x", "-timeout=1x",
        "--help",      "-timeout",   "-timeout=99999999999999999999"};
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        char arguments[64];
        run_t run;
        snprintf(arguments, sizeof arguments, "%s good", options[i]);
        run_target(arguments, &run);
        assert_int_equal(run.status, 2);
        assert_non_null(strstr(run.output, options[i]));
        assert_non_null(strstr(run.output, "usage: "));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_pass),    cmocka_unit_test(test_failures_are_named),
        cmocka_unit_test(test_time_limit),  cmocka_unit_test(test_nothing_to_run),
        cmocka_unit_test(test_bad_options),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
