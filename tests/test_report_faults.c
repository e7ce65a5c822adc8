/*
 * What no test can bring about on a healthy machine: the linker puts these in the place of the
 * system calls that sp_write_file makes (-Wl,--wrap), and each fails when it is told to.
 */
#include "../reports/atomic_file.h"
#include "../reports/report.h"
#include "report_folder.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

typedef enum call { OPEN, WRITE, FSYNC, SYNCFS, CLOSE, RENAME, CALLS } call_t;

/* Per call: which errno it fails with, after how many calls that do not fail, and how often (0: for
 * ever). */
static int failing[CALLS];
static int healthy[CALLS];
static int recovers[CALLS];
/* How many bytes one write takes; 0: all. */
static size_t write_max;
static int interruptions;

static bool fails(call_t call)
{
    if (failing[call] == 0 || healthy[call]-- > 0)
        return false;
    errno = failing[call];
    if (recovers[call] > 0 && --recovers[call] == 0)
        failing[call] = 0;
    return true;
}

/* NOLINTBEGIN(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp): the linker's names */
int __real_open(const char *path, int flags, ...);
ssize_t __real_write(int file, const void *data, size_t size);
int __real_fsync(int file);
int __real_syncfs(int file);
int __real_close(int file);
int __real_rename(const char *from, const char *to);
int __wrap_open(const char *path, int flags, ...);
ssize_t __wrap_write(int file, const void *data, size_t size);
int __wrap_fsync(int file);
int __wrap_syncfs(int file);
int __wrap_close(int file);
int __wrap_rename(const char *from, const char *to);

int __wrap_open(const char *path, int flags, ...)
{
    return fails(OPEN) ? -1 : __real_open(path, flags, 0666);
}

ssize_t __wrap_write(int file, const void *data, size_t size)
{
    if (interruptions > 0) {
        interruptions--;
        errno = EINTR;
        return -1;
    }
    if (fails(WRITE))
        return -1;
    return __real_write(file, data, write_max > 0 && size > write_max ? write_max : size);
}

int __wrap_fsync(int file)
{
    return fails(FSYNC) ? -1 : __real_fsync(file);
}

int __wrap_syncfs(int file)
{
    return fails(SYNCFS) ? -1 : __real_syncfs(file);
}

int __wrap_close(int file)
{
    bool failed = fails(CLOSE);
    int code = errno;
    int closed = __real_close(file);
    errno = code;
    return failed ? -1 : closed;
}

int __wrap_rename(const char *from, const char *to)
{
    return fails(RENAME) ? -1 : __real_rename(from, to);
}
/* NOLINTEND(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp) */

static int set_up(void **state)
{
    *state = folder_new();
    return 0;
}

static void heal(void)
{
    memset(failing, 0, sizeof failing);
    memset(healthy, 0, sizeof healthy);
    memset(recovers, 0, sizeof recovers);
    write_max = 0;
    interruptions = 0;
}

static int tear_down(void **state)
{
    heal();
    folder_remove(*state);
    return 0;
}

static const struct {
    call_t call;
    int code;
    const char *remedy;
} faults[] = {
    {OPEN, EROFS, "a folder that you may write to"},
    {OPEN, EMFILE, "ulimit -n"},
    {OPEN, ENOSPC, "free some space"},
    {OPEN, EEXIST, "where a folder is needed"}, /* on every attempt at a name */
    {WRITE, ENOSPC, "free some space"},
    {WRITE, EDQUOT, "free some space"},
    {WRITE, EIO, "check the disk"},
    {FSYNC, ENOSPC, "free some space"},
    {FSYNC, EIO, "check the disk"},
    {CLOSE, EDQUOT, "free some space"},
    {RENAME, EACCES, "a folder that you may write to"},
    {RENAME, ELOOP, "write elsewhere"},
};

static void test_nothing_is_left_of_a_failure(void **state)
{
    char *path = folder_path(*state, "file");
    folder_put(*state, "file", "old");
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++) {
        heal();
        failing[faults[i].call] = faults[i].code;
        sp_error_t error = {0};
        bool written = sp_write_file(path, "new", 3, &error);
        heal();
        assert_false(written);
        assert_int_equal(error.domain, SP_ERROR_SYSTEM);
        assert_int_equal(error.code, faults[i].code);
        assert_non_null(strstr(error.message, path));
        assert_non_null(strstr(error.message, faults[i].remedy));
        assert_int_equal(folder_entries(*state, "."), 1);
        char *text = folder_read(*state, "file");
        assert_string_equal(text, "old");
        bson_free(text);
    }
    bson_free(path);
}

static void test_short_and_interrupted_writes(void **state)
{
    char *path = folder_path(*state, "file");
    write_max = 3;
    interruptions = 2;
    assert_true(sp_write_file(path, "0123456789", 10, NULL));
    heal();
    char *text = folder_read(*state, "file");
    assert_string_equal(text, "0123456789");
    bson_free(text);
    bson_free(path);
}

static void test_disk_full_in_the_middle_of_a_file(void **state)
{
    char *path = folder_path(*state, "file");
    write_max = 3;
    failing[WRITE] = ENOSPC;
    healthy[WRITE] = 2;
    sp_error_t error = {0};
    assert_false(sp_write_file(path, "0123456789", 10, &error));
    heal();
    assert_int_equal(error.code, ENOSPC);
    assert_int_equal(folder_entries(*state, "."), 0);
    bson_free(path);
}

static void test_a_name_that_is_taken_is_not_the_end(void **state)
{
    char *path = folder_path(*state, "file");
    failing[OPEN] = EEXIST;
    recovers[OPEN] = 3;
    assert_true(sp_write_file(path, "text", 4, NULL));
    assert_int_equal(recovers[OPEN], 0);
    assert_int_equal(folder_entries(*state, "."), 1);
    bson_free(path);
}

static sp_report_t *report_with_findings(uint64_t findings)
{
    const sp_report_head_t head = {.seed = 1};
    sp_report_t *report = sp_report_new(&head);
    for (uint64_t scene = 0; scene < findings; scene++) {
        const sp_finding_t finding = {.area = "hash", .scene = scene, .verdict = SP_MISMATCH};
        sp_report_add(report, &finding);
    }
    return report;
}

/* With 3 findings the fourth file is the report. */
static void test_disk_full_while_a_report_is_written(void **state)
{
    folder_put(*state, "report.json", "{\"older\": true}");
    for (int file = 0; file < 4; file++) {
        sp_report_t *report = report_with_findings(3);
        failing[WRITE] = ENOSPC;
        healthy[WRITE] = file;
        sp_error_t error = {0};
        bool written = sp_report_write(report, *state, false, &error);
        heal();
        sp_report_free(report);

        assert_false(written);
        assert_int_equal(error.code, ENOSPC);
        assert_non_null(strstr(error.message, file == 3 ? "/report.json: " : "/cases/hash-"));
        char *text = folder_read(*state, "report.json");
        assert_string_equal(text, "{\"older\": true}");
        bson_free(text);
    }
}

static void test_cases_that_do_not_reach_the_disk(void **state)
{
    sp_report_t *report = report_with_findings(3);
    failing[SYNCFS] = EIO;
    sp_error_t error = {0};
    bool written = sp_report_write(report, *state, false, &error);
    heal();
    sp_report_free(report);
    assert_false(written);
    assert_int_equal(error.code, EIO);
    assert_non_null(strstr(error.message, "/cases: "));
    assert_int_equal(folder_entries(*state, "."), 1);
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_FOLDER(test_nothing_is_left_of_a_failure),
        IN_FOLDER(test_short_and_interrupted_writes),
        IN_FOLDER(test_disk_full_in_the_middle_of_a_file),
        IN_FOLDER(test_a_name_that_is_taken_is_not_the_end),
        IN_FOLDER(test_disk_full_while_a_report_is_written),
        IN_FOLDER(test_cases_that_do_not_reach_the_disk),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
