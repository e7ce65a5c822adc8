/* Clusters that do not come up, with a fake mongod. */
#include "test_servers_common.h"

#include "../harness/servers/cluster.h"
#include "../harness/servers/files.h"
#include "../harness/servers/signals.h"

#include <errno.h>
#include <mongoc/mongoc.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* Not even a child that nobody has waited for. */
static void assert_nothing_left(void **state)
{
    sp_test_assert_nothing_left(state);
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
}

static sp_error_t start_fails(const char *how, unsigned shards, int timeout_ms)
{
    sp_error_t error = {0};
    char *mongod = sp_test_source("fake_mongod.sh");
    setenv("FAKE_MONGOD", how, 1);
    sp_cluster_options_t options = {.mongod = mongod, .shards = shards, .timeout_ms = timeout_ms};
    assert_null(sp_cluster_start(&options, &error));
    unsetenv("FAKE_MONGOD");
    bson_free(mongod);
    return error;
}

static void assert_says(const sp_error_t *error, const char *words)
{
    if (strstr(error->message, words) == NULL)
        fail_msg("'%s' is not in: %s", words, error->message);
}

static void death_at_start_is_explained(void **state)
{
    sp_error_t error = start_fails("dies", 2, 0);
    assert_int_equal(error.domain, SP_ERROR_INFRA);
    assert_says(&error, "exit status 14");
    assert_says(&error, "the disk is on fire");
    assert_nothing_left(state);

    /* The logs are kept where the message says. */
    const char *logs = strstr(error.message, "(logs: ");
    assert_non_null(logs);
    char *folder = bson_strndup(logs + 7, strcspn(logs + 7, ")"));
    char *log = bson_strdup_printf("%s/config.log", folder);
    char *text = sp_files_read(log, 65536, NULL);
    assert_non_null(text);
    assert_non_null(strstr(text, "now exiting"));
    bson_free(text);
    bson_free(log);
    bson_free(folder);

    error = start_fails("full", 1, 0);
    assert_says(&error, "No space left on device");
    assert_nothing_left(state);
}

static void only_the_last_logs_are_kept(void **state)
{
    char *logs = sp_test_path(state, "cache/logs");
    for (int i = 0; i < 13; i++)
        start_fails("dies", 1, 0);
    assert_int_equal(sp_test_count(logs, ""), 10);
    bson_free(logs);
}

static void ports_that_stay_taken_are_given_up(void **state)
{
    sp_error_t error = start_fails("port-taken", 1, 0);
    assert_int_equal(error.domain, SP_ERROR_INFRA);
    assert_int_equal(error.code, EADDRINUSE);
    assert_says(&error, "port taken 5 times");
    assert_nothing_left(state);
}

static void server_that_never_answers_is_given_up(void **state)
{
    sp_error_t error = start_fails("hangs", 2, 500);
    assert_int_equal(error.domain, SP_ERROR_INFRA);
    assert_int_equal(error.code, ETIMEDOUT);
    assert_nothing_left(state);
}

static void bad_options_are_refused(void **state)
{
    sp_error_t error = start_fails("dies", SP_SHARDS_MAX + 1, 0);
    assert_int_equal(error.domain, SP_ERROR_USAGE);

    sp_cluster_options_t options = {.mongod = "/nonexistent/mongod"};
    assert_null(sp_cluster_start(&options, &error));
    assert_int_equal(error.domain, SP_ERROR_SYSTEM);
    assert_says(&error, "/nonexistent/mongod");

    options.mongod = "/bin/true";
    options.tmp = "/nonexistent";
    assert_null(sp_cluster_start(&options, &error));
    assert_int_equal(error.domain, SP_ERROR_SYSTEM);
    assert_says(&error, "TMPDIR");
    assert_nothing_left(state);
}

static void folder_that_cannot_be_written_is_named(void **state)
{
    char *closed = sp_test_path(state, "closed");
    assert_int_equal(mkdir(closed, 0500), 0);
    sp_error_t error = {0};
    /* Root may write everywhere but into what is no real folder. */
    sp_cluster_options_t options = {.mongod = "/bin/true",
                                    .tmp = geteuid() == 0 ? "/proc" : closed};
    assert_null(sp_cluster_start(&options, &error));
    assert_int_equal(error.domain, SP_ERROR_SYSTEM);
    assert_says(&error, "TMPDIR");
    assert_nothing_left(state);
    bson_free(closed);
}

static void attaching_needs_a_server(void **state)
{
    (void)state;
    sp_error_t error = {0};
    assert_null(sp_cluster_attach("mongodb://127.0.0.1:1/", &error));
    assert_int_equal(error.domain, SP_ERROR_INFRA);
    assert_null(sp_cluster_attach("nonsense", &error));
    assert_int_equal(error.domain, SP_ERROR_USAGE);
}

/* In a child, because a stop cannot be taken back. */
static void stop_ends_the_start(void **state)
{
    char *folder = bson_strdup(*state);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        sp_error_t error = {0};
        char *mongod = sp_test_source("fake_mongod.sh");
        sp_cluster_options_t options = {.mongod = mongod, .shards = 3};
        setenv("FAKE_MONGOD", "hangs", 1);
        sp_signals_install();
        sp_cluster_t *cluster = sp_cluster_start(&options, &error);
        _exit(cluster == NULL && error.domain == SP_ERROR_SYSTEM && error.code == EINTR ? 0 : 1);
    }
    sp_process_t found[8];
    while (sp_process_find(folder, found, 8) < 4)
        usleep(10000);
    kill(child, SIGTERM);
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_nothing_left(state);
    bson_free(folder);
}

static void second_signal_ends_at_once(void **state)
{
    (void)state;
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        sp_signals_install();
        if (sp_stop_requested() || sp_stop_status() != 0)
            _exit(1);
        raise(SIGTERM);
        if (!sp_stop_requested() || sp_stop_status() != 128 + SIGTERM)
            _exit(2);
        raise(SIGINT);
        _exit(3);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(WEXITSTATUS(status), 128 + SIGINT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define WITH_FOLDER(test) cmocka_unit_test_setup_teardown(test, sp_test_enter, sp_test_leave)
        WITH_FOLDER(death_at_start_is_explained),
        WITH_FOLDER(only_the_last_logs_are_kept),
        WITH_FOLDER(ports_that_stay_taken_are_given_up),
        WITH_FOLDER(server_that_never_answers_is_given_up),
        WITH_FOLDER(bad_options_are_refused),
        WITH_FOLDER(folder_that_cannot_be_written_is_named),
        cmocka_unit_test(attaching_needs_a_server),
        WITH_FOLDER(stop_ends_the_start),
        cmocka_unit_test(second_signal_ends_at_once),
    };
    mongoc_init();
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    mongoc_cleanup();
    return failed;
}
