/*
 * `shardproof server` as its users see it: output, exit status, and nothing left behind. The
 * program runs itself again as the command when its first argument is "server".
 */
#include "test_servers_common.h"

#include "../harness/servers/cmd_server.h"
#include "../harness/servers/files.h"
#include "../harness/servers/install.h"
#include "../harness/servers/registry.h"

#include <cjson/cJSON.h>
#include <fcntl.h>
#include <mongoc/mongoc.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define ARGUMENTS_MAX 16
#define OUTPUT_MAX    65536

static sp_binary_t server_binary;

/* What one run of the command gave. */
typedef struct {
    int status;
    char *out;
    char *err;
} result_t;

static pid_t launch(const char *arguments, const char *out, const char *err)
{
    char *copy = bson_strdup(arguments);
    char program[] = "/proc/self/exe";
    char word[] = "server";
    char *argv[ARGUMENTS_MAX] = {program, word};
    int n = 2;
    char *rest = NULL;
    for (char *a = strtok_r(copy, " ", &rest); a != NULL; a = strtok_r(NULL, " ", &rest)) {
        assert_in_range(n, 0, ARGUMENTS_MAX - 2);
        argv[n++] = a;
    }
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        int out_fd = open(out, O_WRONLY | O_CREAT | O_TRUNC, 0600);
        int err_fd = open(err, O_WRONLY | O_CREAT | O_TRUNC, 0600);
        if (dup2(out_fd, STDOUT_FILENO) < 0 || dup2(err_fd, STDERR_FILENO) < 0)
            _exit(99);
        execv("/proc/self/exe", argv);
        _exit(98);
    }
    bson_free(copy);
    return child;
}

static int wait_for(pid_t child)
{
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static result_t run(void **state, const char *arguments)
{
    char *out = sp_test_path(state, "out");
    char *err = sp_test_path(state, "err");
    result_t result = {.status = wait_for(launch(arguments, out, err))};
    result.out = sp_files_read(out, OUTPUT_MAX, NULL);
    result.err = sp_files_read(err, OUTPUT_MAX, NULL);
    assert_non_null(result.out);
    assert_non_null(result.err);
    bson_free(out);
    bson_free(err);
    return result;
}

static void release(result_t *result)
{
    bson_free(result->out);
    bson_free(result->err);
}

/* Runs, and checks the status and that the words are on standard output (0) or error (otherwise).
 */
static void assert_run(void **state, const char *arguments, int status, const char *words)
{
    result_t result = run(state, arguments);
    const char *where = status == 0 ? result.out : result.err;
    if (result.status != status || strstr(where, words) == NULL)
        fail_msg("server %s: status %d instead of %d, or no '%s' in:\n%s%s", arguments,
                 result.status, status, words, result.out, result.err);
    if (status != 0)
        assert_string_equal(result.out, "");
    release(&result);
}

static char *up(const char *more)
{
    return bson_strdup_printf("up --server %s %s", server_binary.mongod, more);
}

static void wrong_usage_exits_2(void **state)
{
    assert_run(state, "", 2, "Usage: shardproof server");
    assert_run(state, "nonsense", 2, "shardproof server nonsense");
    assert_run(state, "up --nonsense", 2, "nonsense");
    assert_run(state, "up --shards 0", 2, "from 1 to 32");
    assert_run(state, "up --shards 33", 2, "from 1 to 32");
    assert_run(state, "up --shards 3x", 2, "from 1 to 32");
    assert_run(state, "up --shards", 2, "requires an argument");
    assert_run(state, "up word", 2, "one argument too many");
    assert_run(state, "up --server 1.2.3", 2, SP_DEFAULT_SERVER);
    assert_run(state, "up --server /nonexistent/mongod", 2, "No such file");
    assert_run(state, "up --server mongodb://h/", 2, "runs already");
    assert_run(state, "install 1.2.3", 2, SP_DEFAULT_SERVER);
    assert_run(state, "down", 2, "no detached cluster");
    assert_run(state, "down 0123456789abcdef", 2, "0123456789abcdef");
    assert_run(state, "down --all 0123456789abcdef", 2, "either an ID or --all");
    assert_run(state, "status word", 2, "one argument too many");
    sp_test_assert_nothing_left(state);
}

static void help_exits_0(void **state)
{
    assert_run(state, "--help", 0, "Usage: shardproof server");
    static const char *const subcommands[] = {"install", "up", "status", "down", "list"};
    for (size_t i = 0; i < sizeof subcommands / sizeof *subcommands; i++) {
        char *arguments = bson_strdup_printf("%s --help", subcommands[i]);
        char *usage = bson_strdup_printf("Usage: shardproof server %s", subcommands[i]);
        assert_run(state, arguments, 0, usage);
        bson_free(arguments);
        arguments = bson_strdup_printf("%s --usage", subcommands[i]);
        assert_run(state, arguments, 0, usage);
        bson_free(arguments);
        bson_free(usage);
    }
}

static void failures_exit_3(void **state)
{
    setenv("SHARDPROOF_PYTHON", "/nonexistent/python", 1);
    assert_run(state, "install 6.0.5", 3, "SHARDPROOF_PYTHON");
    assert_run(state, "up", 3, "SHARDPROOF_PYTHON");
    unsetenv("SHARDPROOF_PYTHON");

    char *mongod = sp_test_source("fake_mongod.sh");
    char *arguments = bson_strdup_printf("up --server %s", mongod);
    setenv("FAKE_MONGOD", "dies", 1);
    assert_run(state, arguments, 3, "the disk is on fire");
    unsetenv("FAKE_MONGOD");
    bson_free(mongod);
    bson_free(arguments);
    sp_test_assert_nothing_left(state);

    char *file = sp_test_path(state, "file");
    sp_test_write(file, "", 0600);
    char *cache = bson_strdup(getenv("SHARDPROOF_CACHE"));
    setenv("SHARDPROOF_CACHE", file, 1);
    assert_run(state, "status", 3, "SHARDPROOF_CACHE");
    setenv("SHARDPROOF_CACHE", cache, 1);
    bson_free(cache);
    bson_free(file);
}

static void list_names_the_pins(void **state)
{
    assert_run(state, "list", 0, "6.0.27   not installed");
    result_t result = run(state, "list --json");
    cJSON *json = cJSON_Parse(result.out);
    size_t count;
    sp_pins(&count);
    assert_int_equal(cJSON_GetArraySize(json), count);
    cJSON_Delete(json);
    release(&result);
}

static const char *text_of(const cJSON *object, const char *name)
{
    const char *text = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(object, name));
    assert_non_null(text);
    return text;
}

static void cluster_goes_up_and_down(void **state)
{
    char *arguments = up("--shards 2 --json");
    result_t result = run(state, arguments);
    if (result.status != 0)
        fail_msg("%s", result.err);
    cJSON *json = cJSON_Parse(result.out);
    char *id = bson_strdup(text_of(json, "id"));
    assert_string_equal(text_of(json, "version"), SP_DEFAULT_SERVER);
    assert_non_null(strstr(text_of(json, "config"), "mongodb://127.0.0.1:"));
    const cJSON *shards = cJSON_GetObjectItemCaseSensitive(json, "shards");
    assert_int_equal(cJSON_GetArraySize(shards), 2);
    assert_string_equal(text_of(cJSON_GetArrayItem(shards, 1), "name"), "s2");

    /* It can be used by what only knows the URI. */
    sp_error_t error = {0};
    sp_cluster_t *cluster = sp_cluster_attach(text_of(json, "config"), &error);
    if (cluster == NULL)
        fail_msg("%s", error.message);
    sp_cluster_stop(cluster);
    cJSON_Delete(json);
    release(&result);

    result = run(state, "status --json");
    json = cJSON_Parse(result.out);
    assert_int_equal(cJSON_GetArraySize(json), 1);
    assert_string_equal(text_of(cJSON_GetArrayItem(json, 0), "id"), id);
    assert_string_equal(text_of(cJSON_GetArrayItem(json, 0), "state"), "ready");
    cJSON_Delete(json);
    release(&result);
    assert_run(state, "status", 0, "3 of 3 servers alive");
    assert_run(state, "down 0123456789abcdef", 2, "there is no cluster");
    assert_run(state, "down", 0, id);
    sp_test_assert_nothing_left(state);
    assert_run(state, "status", 0, "no cluster is running");
    bson_free(id);
    bson_free(arguments);
}

static void several_clusters_must_be_told_apart(void **state)
{
    char *arguments = up("--shards 1");
    assert_run(state, arguments, 0, "take it down with: shardproof server down ");
    result_t result = run(state, arguments);
    assert_int_equal(result.status, 0);
    char *id = bson_strndup(strstr(result.out, "server down ") + strlen("server down "), 16);
    release(&result);
    assert_run(state, "down", 2, "several clusters");
    char *down = bson_strdup_printf("down %s", id);
    assert_run(state, down, 0, id);
    assert_run(state, arguments, 0, "ready in");
    assert_run(state, "down --all", 0, "took down");
    sp_test_assert_nothing_left(state);
    bson_free(arguments);
    bson_free(down);
    bson_free(id);
}

static void cluster_of_a_living_process_is_not_taken_down(void **state)
{
    sp_error_t error = {0};
    sp_cluster_options_t options = {.mongod = server_binary.mongod, .shards = 1};
    sp_cluster_t *cluster = sp_cluster_start(&options, &error);
    assert_non_null(cluster);
    char *down = bson_strdup_printf("down %s", sp_cluster_id(cluster));
    assert_run(state, down, 2, "belongs to process");
    assert_run(state, "down", 2, "no detached cluster");
    assert_run(state, "down --all", 0, "");
    assert_run(state, "status", 0, "2 of 2 servers alive");
    sp_cluster_stop(cluster);
    sp_test_assert_nothing_left(state);
    bson_free(down);
}

static void interrupted_start_leaves_nothing(void **state)
{
    static const struct {
        int signal;
        int after_ms;
    } cases[] = {{SIGTERM, 20}, {SIGINT, 150}, {SIGHUP, 400}, {SIGTERM, 700}, {SIGINT, 1000}};
    char *arguments = up("--shards 3");
    char *out = sp_test_path(state, "out");
    char *err = sp_test_path(state, "err");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        pid_t child = launch(arguments, out, err);
        usleep((useconds_t)cases[i].after_ms * 1000);
        kill(child, cases[i].signal);
        int status;
        assert_int_equal(waitpid(child, &status, 0), child);
        /* Before it handles signals it just dies; after it is done it is just up. */
        bool up_already = WIFEXITED(status) && WEXITSTATUS(status) == 0;
        bool ended = WIFSIGNALED(status) || WEXITSTATUS(status) == 128 + cases[i].signal;
        assert_true(up_already || ended);
        if (up_already)
            assert_run(state, "down", 0, "took down");
        sp_test_assert_nothing_left(state);
    }
    bson_free(arguments);
    bson_free(out);
    bson_free(err);
}

static void output_that_is_lost_is_a_failure(void **state)
{
    char *err = sp_test_path(state, "err");
    char *arguments = up("--shards 1");
    assert_int_equal(wait_for(launch(arguments, "/dev/full", err)), 3);
    sp_test_assert_nothing_left(state);
    assert_int_equal(wait_for(launch("list", "/dev/full", err)), 3);
    bson_free(arguments);
    bson_free(err);
}

int main(int argc, char **argv)
{
    mongoc_init();
    if (argc > 1 && strcmp(argv[1], "server") == 0) {
        int status = sp_cmd_server(argc - 1, argv + 1);
        mongoc_cleanup();
        return status;
    }
    const struct CMUnitTest tests[] = {
#define WITH_FOLDER(test) cmocka_unit_test_setup_teardown(test, sp_test_enter, sp_test_leave)
        WITH_FOLDER(wrong_usage_exits_2),
        WITH_FOLDER(help_exits_0),
        WITH_FOLDER(failures_exit_3),
        WITH_FOLDER(list_names_the_pins),
        WITH_FOLDER(cluster_goes_up_and_down),
        WITH_FOLDER(several_clusters_must_be_told_apart),
        WITH_FOLDER(cluster_of_a_living_process_is_not_taken_down),
        WITH_FOLDER(interrupted_start_leaves_nothing),
        WITH_FOLDER(output_that_is_lost_is_a_failure),
    };
    sp_error_t error = {0};
    if (!sp_install(SP_DEFAULT_SERVER, &server_binary, &error)) {
        fprintf(stderr, "%s\n", error.message);
        return 1;
    }
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    mongoc_cleanup();
    return failed;
}
