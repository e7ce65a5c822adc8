/* Folders, files, checksums, logs, connection strings. */
#include "test_servers_common.h"

#include "../harness/servers/files.h"
#include "../harness/servers/log.h"
#include "../harness/servers/paths.h"
#include "../harness/servers/ports.h"
#include "../harness/servers/sha256.h"
#include "../harness/servers/uri.h"

#include <bson/bson.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void assert_cache(const char *expected)
{
    sp_error_t error = {0};
    char *path = sp_paths_cache(&error);
    assert_non_null(path);
    assert_string_equal(path, expected);
    bson_free(path);
}

static void cache_folder_follows_the_environment(void **state)
{
    (void)state;
    char *home = bson_strdup(getenv("HOME"));
    char *xdg = bson_strdup(getenv("XDG_CACHE_HOME"));
    setenv("HOME", "/home/someone", 1);
    setenv("XDG_CACHE_HOME", "/var/xdg", 1);
    setenv("SHARDPROOF_CACHE", "/own", 1);
    assert_cache("/own");
    setenv("SHARDPROOF_CACHE", "", 1);
    assert_cache("/var/xdg/shardproof");
    unsetenv("SHARDPROOF_CACHE");
    assert_cache("/var/xdg/shardproof");
    setenv("XDG_CACHE_HOME", "relative/does/not/count", 1);
    assert_cache("/home/someone/.cache/shardproof");
    unsetenv("XDG_CACHE_HOME");
    assert_cache("/home/someone/.cache/shardproof");

    char here[4096];
    assert_non_null(getcwd(here, sizeof here));
    char *expected = bson_strdup_printf("%s/near", here);
    setenv("SHARDPROOF_CACHE", "near", 1);
    assert_cache(expected);
    bson_free(expected);

    if (home != NULL)
        setenv("HOME", home, 1);
    else
        unsetenv("HOME");
    if (xdg != NULL)
        setenv("XDG_CACHE_HOME", xdg, 1);
    bson_free(home);
    bson_free(xdg);
}

static void cache_that_cannot_be_made_is_named(void **state)
{
    char *file = sp_test_path(state, "file");
    sp_test_write(file, "", 0600);
    setenv("SHARDPROOF_CACHE", file, 1);
    sp_error_t error = {0};
    assert_null(sp_paths_cache_folder("servers", &error));
    assert_int_equal(error.domain, SP_ERROR_SYSTEM);
    assert_non_null(strstr(error.message, "SHARDPROOF_CACHE"));
    assert_non_null(strstr(error.message, file));
    bson_free(file);
}

static void tmp_folder(void **state)
{
    char *tmp = sp_paths_tmp(NULL, NULL);
    assert_string_equal(tmp, *state);
    bson_free(tmp);
    tmp = sp_paths_tmp("/elsewhere", NULL);
    assert_string_equal(tmp, "/elsewhere");
    bson_free(tmp);
    unsetenv("TMPDIR");
    tmp = sp_paths_tmp(NULL, NULL);
    assert_string_equal(tmp, "/tmp");
    bson_free(tmp);
}

static void programs_are_found(void **state)
{
    char *shell = sp_paths_program("sh");
    assert_non_null(shell);
    assert_int_equal(shell[0], '/');
    bson_free(shell);
    assert_null(sp_paths_program("no-such-program-at-all"));
    assert_null(sp_paths_program(*state));
    assert_null(sp_paths_program("/etc/passwd"));
}

static void folders_are_made_and_removed(void **state)
{
    sp_error_t error = {0};
    char *deep = sp_test_path(state, "a/b/c");
    char *top = sp_test_path(state, "a");
    char *outside = sp_test_path(state, "outside");
    char *link = sp_test_path(state, "a/b/link");
    assert_true(sp_files_make_folder(deep, &error));
    assert_true(sp_files_make_folder(deep, &error));
    sp_test_write(outside, "kept", 0600);
    assert_int_equal(symlink(outside, link), 0);
    assert_true(sp_files_remove(top, &error));
    assert_false(sp_test_exists(top));
    assert_true(sp_test_exists(outside));
    assert_true(sp_files_remove(top, &error));
    assert_false(sp_files_make_folder(outside, &error));
    assert_int_equal(error.code, ENOTDIR);
    bson_free(deep);
    bson_free(top);
    bson_free(outside);
    bson_free(link);
}

static void files_are_read_and_written(void **state)
{
    sp_error_t error = {0};
    char *path = sp_test_path(state, "file");
    char *copy = sp_test_path(state, "copy");
    assert_true(sp_files_write(path, "first", &error));
    assert_true(sp_files_write(path, "0123456789", &error));
    char *text = sp_files_read(path, 10, &error);
    assert_string_equal(text, "0123456789");
    bson_free(text);
    assert_null(sp_files_read(path, 9, &error));
    assert_int_equal(error.code, EFBIG);
    text = sp_files_tail(path, 3);
    assert_string_equal(text, "789");
    bson_free(text);
    assert_true(sp_files_copy_tail(path, copy, 4, &error));
    text = sp_files_read(copy, 100, &error);
    assert_string_equal(text, "6789");
    bson_free(text);
    assert_null(sp_files_read("/nonexistent/file", 9, &error));
    assert_int_equal(error.code, ENOENT);
    assert_null(sp_files_tail("/nonexistent/file", 9));
    assert_false(sp_files_write("/nonexistent/file", "", &error));
    assert_int_equal(sp_test_count(*state, "file"), 1);
    bson_free(path);
    bson_free(copy);
}

static void space_is_checked(void **state)
{
    sp_error_t error = {0};
    assert_true(sp_files_check_space(*state, 0, "", &error));
    assert_false(sp_files_check_space(*state, UINT64_MAX, "make room", &error));
    assert_int_equal(error.code, ENOSPC);
    assert_non_null(strstr(error.message, "make room"));
    assert_non_null(strstr(error.message, *state));
    assert_false(sp_files_check_space("/nonexistent", 0, "set TMPDIR", &error));
    assert_non_null(strstr(error.message, "set TMPDIR"));
}

static void sha256_of_files(void **state)
{
    sp_error_t error = {0};
    char text[SP_SHA256_TEXT];
    char *path = sp_test_path(state, "file");
    sp_test_write(path, "abc", 0600);
    assert_true(sp_sha256_file(path, text, &error));
    assert_string_equal(text, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    sp_test_write(path, "", 0600);
    assert_true(sp_sha256_file(path, text, &error));
    assert_string_equal(text, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    assert_false(sp_sha256_file("/nonexistent", text, &error));
    assert_int_equal(error.code, ENOENT);
    assert_false(sp_sha256_file(*state, text, &error));
    bson_free(path);
}

static void assert_reason(void **state, const char *log, const char *expected)
{
    char text[200];
    char *path = sp_test_path(state, "log");
    sp_test_write(path, log, 0600);
    sp_log_reason(path, text, sizeof text);
    assert_string_equal(text, expected);
    bson_free(path);
}

static void log_reasons_are_found(void **state)
{
    assert_reason(state,
                  "{\"s\":\"I\",\"msg\":\"starting\"}\n"
                  "{\"s\":\"F\",\"msg\":\"Invariant failure\",\"attr\":{\"expr\":\"a == b\"}}\n"
                  "{\"s\":\"F\",\"msg\":\"\\n\\n***aborting after invariant() failure\\n\\n\"}\n"
                  "{\"s\":\"F\",\"msg\":\"Writing fatal message\"}\n"
                  "{\"s\":\"I\",\"msg\":\"BACKTRACE\"}\n",
                  "Invariant failure {\"expr\":\"a == b\"}");
    assert_reason(state,
                  "{\"s\":\"E\",\"msg\":\"first\"}\n{\"s\":\"E\",\"msg\":\"second\"}\n"
                  "{\"s\":\"I\",\"msg\":\"shutting down\"}\n",
                  "second");
    assert_reason(state, "{\"s\":\"I\",\"msg\":\"one\"}\n{\"s\":\"I\",\"msg\":\"two\"}\n", "two");
    assert_reason(
        state,
        "2026-01-01T00:00:00.000+0000 I  CONTROL  [main] hello\n"
        "2026-01-01T00:00:00.000+0000 F  STORAGE  [initandlisten] no room\n"
        "2026-01-01T00:00:00.000+0000 F  -        [initandlisten] ***aborting after fassert\n"
        "2026-01-01T00:00:00.000+0000 I  CONTROL  [main] bye\n",
        "no room");
    assert_reason(state, "mongod: error while loading shared libraries: libssl.so.1.1\n",
                  "mongod: error while loading shared libraries: libssl.so.1.1");
    assert_reason(state, "{\"s\":\"F\",\"msg\":\"cut in the mid", "");
    assert_reason(state, "", "");
    char text[10] = "x";
    sp_log_reason("/nonexistent", text, sizeof text);
    assert_string_equal(text, "");
}

static void log_reasons_are_bounded_and_printable(void **state)
{
    char text[8];
    char *path = sp_test_path(state, "log");
    sp_test_write(path, "a\tb\x1b[31mcdefghijkl\n", 0600);
    sp_log_reason(path, text, sizeof text);
    assert_string_equal(text, "a b [31");
    sp_log_end(path, text, sizeof text);
    assert_true(strlen(text) < sizeof text);
    bson_free(path);
}

static void assert_redacted(const char *uri, const char *expected)
{
    char *shown = sp_uri_redacted(uri);
    assert_string_equal(shown, expected);
    bson_free(shown);
}

static void secrets_are_redacted(void **state)
{
    (void)state;
    assert_redacted("mongodb://h:1/", "mongodb://h:1/");
    assert_redacted("mongodb://u:secret@h:1/db?tls=true", "mongodb://u:***@h:1/db?tls=true");
    assert_redacted("mongodb://u@h:1/", "mongodb://u@h:1/");
    assert_redacted("mongodb://u:se@cr@h:1/", "mongodb://u:***@h:1/");
    assert_redacted("mongodb://u:se/cr@h:1/", "mongodb://u:***@h:1/");
    assert_redacted("mongodb://u:se?cr@h:1/", "mongodb://u:***@h:1/");
    assert_redacted("u:secret@h", "u:***@h");
    assert_redacted("mongodb://h/?TLSCertificateKeyFilePassword=secret&tls=true",
                    "mongodb://h/?TLSCertificateKeyFilePassword=***&tls=true");
    assert_redacted("mongodb://h/?authMechanismProperties=AWS_SESSION_TOKEN:secret",
                    "mongodb://h/?authMechanismProperties=***");
    assert_redacted("", "");
}

static void hosts_are_replaced(void **state)
{
    (void)state;
    static const char *const pairs[][2] = {
        {"mongodb://h:1/", "mongodb://n:2/"},
        {"mongodb://h", "mongodb://n:2"},
        {"mongodb://u:p@h:1,g:3/db?tls=true", "mongodb://u:p@n:2/db?tls=true"},
        {"mongodb://h:1/?replicaSet=c&tls=true", "mongodb://n:2/?&tls=true"},
        {"mongodb://h:1?tls=true", "mongodb://n:2?tls=true"},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        char *uri = sp_uri_with_host(pairs[i][0], "n:2");
        assert_string_equal(uri, pairs[i][1]);
        bson_free(uri);
    }
}

static void ports_are_free_and_different(void **state)
{
    (void)state;
    int ports[33];
    sp_error_t error = {0};
    assert_true(sp_ports_pick(ports, 33, &error));
    for (int i = 0; i < 33; i++) {
        assert_in_range(ports[i], 1024, 65535);
        assert_false(sp_ports_answer(ports[i]));
        for (int j = 0; j < i; j++)
            assert_int_not_equal(ports[i], ports[j]);
    }
    assert_false(sp_ports_pick(ports, 1000, &error));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define WITH_FOLDER(test) cmocka_unit_test_setup_teardown(test, sp_test_enter, sp_test_leave)
        WITH_FOLDER(cache_folder_follows_the_environment),
        WITH_FOLDER(cache_that_cannot_be_made_is_named),
        WITH_FOLDER(tmp_folder),
        WITH_FOLDER(programs_are_found),
        WITH_FOLDER(folders_are_made_and_removed),
        WITH_FOLDER(files_are_read_and_written),
        WITH_FOLDER(space_is_checked),
        WITH_FOLDER(sha256_of_files),
        WITH_FOLDER(log_reasons_are_found),
        WITH_FOLDER(log_reasons_are_bounded_and_printable),
        cmocka_unit_test(secrets_are_redacted),
        cmocka_unit_test(hosts_are_replaced),
        cmocka_unit_test(ports_are_free_and_different),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
