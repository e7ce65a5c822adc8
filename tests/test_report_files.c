#include "../reports/atomic_file.h"
#include "../reports/report.h"
#include "report_folder.h"

#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#define NOBODY 65534

static int set_up(void **state)
{
    *state = folder_new();
    return 0;
}

static int tear_down(void **state)
{
    folder_remove(*state);
    return 0;
}

static bool write_text(const char *folder, const char *name, const char *text, sp_error_t *error)
{
    char *path = folder_path(folder, name);
    bool written = sp_write_file(path, text, strlen(text), error);
    bson_free(path);
    return written;
}

static void assert_text(const char *folder, const char *name, const char *wanted)
{
    char *text = folder_read(folder, name);
    assert_non_null(text);
    assert_string_equal(text, wanted);
    bson_free(text);
}

/* The message must name the path that failed and what to do about it. */
static void assert_refused(const sp_error_t *error, int code, const char *name, const char *remedy)
{
    assert_int_equal(error->domain, SP_ERROR_SYSTEM);
    assert_int_equal(error->code, code);
    assert_non_null(strstr(error->message, name));
    assert_non_null(strstr(error->message, remedy));
}

static void test_write_and_replace(void **state)
{
    assert_true(write_text(*state, "file", "first", NULL));
    assert_text(*state, "file", "first");
    assert_true(write_text(*state, "file", "", NULL));
    assert_text(*state, "file", "");
    assert_int_equal(folder_entries(*state, "."), 1);
}

static void test_mode_follows_the_umask(void **state)
{
    mode_t old = umask(027);
    assert_true(write_text(*state, "file", "text", NULL));
    umask(old);
    char *path = folder_path(*state, "file");
    struct stat info;
    assert_int_equal(stat(path, &info), 0);
    assert_int_equal(info.st_mode & 0777, 0640);
    bson_free(path);
}

static void test_in_the_current_folder(void **state)
{
    char *before = getcwd(NULL, 0);
    assert_int_equal(chdir(*state), 0);
    bool written = sp_write_file("file", "text", 4, NULL);
    assert_int_equal(chdir(before), 0);
    free(before);
    assert_true(written);
    assert_text(*state, "file", "text");
}

static void test_a_link_is_replaced(void **state)
{
    char *target = folder_path(*state, "target"), *link = folder_path(*state, "link");
    folder_put(*state, "target", "old");
    assert_int_equal(symlink(target, link), 0);
    assert_true(write_text(*state, "link", "new", NULL));
    assert_text(*state, "target", "old");
    assert_text(*state, "link", "new");
    bson_free(target);
    bson_free(link);
}

static void test_no_such_folder(void **state)
{
    sp_error_t error = {0};
    assert_false(write_text(*state, "missing/file", "text", &error));
    assert_refused(&error, ENOENT, "missing/file", "make its folder first");
}

static void test_folder_is_a_file(void **state)
{
    sp_error_t error = {0};
    folder_put(*state, "plain", "text");
    assert_false(write_text(*state, "plain/file", "text", &error));
    assert_refused(&error, ENOTDIR, "plain/file", "where a folder is needed");
}

static void test_file_is_a_folder(void **state)
{
    sp_error_t error = {0};
    assert_false(write_text(*state, ".", "text", &error));
    assert_refused(&error, EISDIR, "/.", "where a file is needed");
    assert_int_equal(folder_entries(*state, "."), 0);
}

static void test_name_too_long(void **state)
{
    char name[512];
    memset(name, 'x', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    sp_error_t error = {0};
    assert_false(write_text(*state, name, "text", &error));
    assert_refused(&error, ENAMETOOLONG, "xxx", "cannot write");
    assert_int_equal(folder_entries(*state, "."), 0);
}

static void test_empty_path(void **state)
{
    (void)state;
    sp_error_t error = {0};
    assert_false(sp_write_file("", "text", 4, &error));
    assert_int_equal(error.domain, SP_ERROR_SYSTEM);
    assert_false(sp_make_folders("", &error));
    assert_int_equal(error.code, ENOENT);
}

static void test_a_device_is_no_file(void **state)
{
    /* A pipe by name stands for devices: a test must not try to take /dev/null away. */
    char *path = folder_path(*state, "pipe");
    assert_int_equal(mkfifo(path, 0600), 0);
    sp_error_t error = {0};
    assert_false(sp_write_file(path, "text", 4, &error));
    assert_refused(&error, EINVAL, path, "no regular file");
    struct stat info;
    assert_int_equal(lstat(path, &info), 0);
    assert_true(S_ISFIFO(info.st_mode));
    bson_free(path);
}

static void test_a_read_only_folder(void **state)
{
    folder_put(*state, "file", "old");
    /* From inside, since a folder above may be closed to anyone else. */
    char *before = getcwd(NULL, 0);
    assert_int_equal(chdir(*state), 0);
    assert_int_equal(chmod(".", 0555), 0);
    bool root = geteuid() == 0; /* whom no mode stops */
    if (root)
        assert_int_equal(seteuid(NOBODY), 0);
    sp_error_t error = {0}, folder_error = {0};
    bool written = sp_write_file("file", "new", 3, &error);
    bool made = sp_make_folders("sub/sub", &folder_error);
    if (root)
        assert_int_equal(seteuid(0), 0);
    assert_int_equal(chmod(".", 0755), 0);
    assert_int_equal(chdir(before), 0);
    free(before);

    assert_false(written);
    assert_refused(&error, EACCES, "cannot write file:", "a folder that you may write to");
    assert_text(*state, "file", "old");
    assert_false(made);
    assert_refused(&folder_error, EACCES, "the folder sub:", "a folder that you may write to");
}

static void test_no_room_in_the_file(void **state)
{
    folder_put(*state, "file", "old");
    struct rlimit old, small;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
    small = old;
    small.rlim_cur = 100;
    void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
    char *text = bson_malloc0(1001);
    memset(text, 'x', 1000);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    sp_error_t error = {0};
    bool written = write_text(*state, "file", text, &error);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
    signal(SIGXFSZ, handler);
    bson_free(text);

    assert_false(written);
    assert_refused(&error, EFBIG, "/file", "ulimit -f");
    assert_text(*state, "file", "old");
    assert_int_equal(folder_entries(*state, "."), 1);
}

static void test_make_folders(void **state)
{
    static const char *const names[] = {"a", "a", "a/b/c", "a/b/c/", "d//e", "./f/../g"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        char *path = folder_path(*state, names[i]);
        assert_true(sp_make_folders(path, NULL));
        assert_int_equal(folder_entries(path, ".") >= 0, 1);
        bson_free(path);
    }
    assert_true(sp_make_folders("/", NULL));
    assert_true(sp_make_folders(".", NULL));
}

static void test_make_folders_where_a_file_is(void **state)
{
    folder_put(*state, "plain", "text");
    static const char *const names[] = {"plain", "plain/sub"};
    for (size_t i = 0; i < 2; i++) {
        char *path = folder_path(*state, names[i]);
        sp_error_t error = {0};
        assert_false(sp_make_folders(path, &error));
        assert_refused(&error, EEXIST, "/plain:", "where a folder is needed");
        bson_free(path);
    }
}

static sp_report_t *report_with(uint64_t first_scene, uint64_t last_scene)
{
    const sp_report_head_t head = {.seed = 1, .server_spec = "6.0.5"};
    sp_report_t *report = sp_report_new(&head);
    for (uint64_t scene = first_scene; scene <= last_scene; scene++) {
        const sp_finding_t finding = {
            .area = "hash", .scene = scene, .verdict = SP_MISMATCH, .rule = "rule"};
        sp_report_add(report, &finding);
    }
    return report;
}

static void write_report(const char *folder, uint64_t first_scene, uint64_t last_scene)
{
    sp_report_t *report = report_with(first_scene, last_scene);
    sp_error_t error = {0};
    if (!sp_report_write(report, folder, false, &error))
        fail_msg("%s", error.message);
    sp_report_free(report);
}

static void test_report_makes_its_folders(void **state)
{
    char *folder = folder_path(*state, "out/today");
    write_report(folder, 1, 3);
    assert_int_equal(folder_entries(folder, "."), 2);
    assert_int_equal(folder_entries(folder, "cases"), 3);
    assert_text(folder, "cases/hash-2-0.json", "{}\n");
    bson_free(folder);
}

static void test_cases_of_an_older_report_go(void **state)
{
    write_report(*state, 1, 9);
    folder_put(*state, "cases/hash-77-0.json", "not named by the older report\n");
    folder_put(*state, "cases/notes.txt", "nor this\n");
    write_report(*state, 8, 11);
    assert_int_equal(folder_entries(*state, "cases"), 4 + 2);
    char *gone = folder_read(*state, "cases/hash-7-0.json");
    assert_null(gone);
    assert_text(*state, "cases/hash-8-0.json", "{}\n");
    assert_text(*state, "cases/hash-77-0.json", "not named by the older report\n");
}

static void write_caused(const char *folder, uint64_t scene)
{
    bson_t observed = BSON_INITIALIZER;
    BSON_APPEND_UTF8(&observed, "cause", "one");
    const sp_report_head_t head = {.seed = 1};
    sp_report_t *report = sp_report_new(&head);
    sp_finding_t finding = {.area = "hash", .verdict = SP_MISMATCH, .observed = &observed};
    for (finding.check = 0; finding.check < SP_FINDINGS_MAX; finding.check++)
        sp_report_add(report, &finding);
    /* Listed nowhere but as the example of its cause. */
    bson_reinit(&observed);
    BSON_APPEND_UTF8(&observed, "cause", "another");
    finding.scene = scene;
    finding.check = 0;
    sp_report_add(report, &finding);
    bson_destroy(&observed);
    assert_true(sp_report_write(report, folder, false, NULL));
    sp_report_free(report);
}

static void test_examples_of_an_older_report_go(void **state)
{
    write_caused(*state, 8);
    assert_int_equal(folder_entries(*state, "cases"), SP_FINDINGS_MAX + 1);
    assert_text(*state, "cases/hash-8-0.json", "{}\n");
    write_caused(*state, 8);
    assert_text(*state, "cases/hash-8-0.json", "{}\n");
    write_caused(*state, 9);
    assert_int_equal(folder_entries(*state, "cases"), SP_FINDINGS_MAX + 1);
    assert_text(*state, "cases/hash-9-0.json", "{}\n");
}

static void test_an_older_report_names_what_is_not_ours(void **state)
{
    folder_put(*state, "precious-1-2.json", "text");
    char *cases = folder_path(*state, "cases");
    assert_true(sp_make_folders(cases, NULL));
    bson_free(cases);
    folder_put(*state, "cases/x.json", "text");
    folder_put(*state, "report.json",
               "{\"findings\": [{\"case_file\": \"cases/../precious-1-2.json\"},"
               "{\"case_file\": \"precious-1-2.json\"}, {\"case_file\": \"cases/x.json\"},"
               "{\"case_file\": \"cases/-1-2.json\"}, {\"case_file\": \"cases/\"},"
               "{\"case_file\": 1}, {}, 7], \"infrastructure\": \"cases/x.json\"}");
    write_report(*state, 1, 1);
    assert_text(*state, "precious-1-2.json", "text");
    assert_text(*state, "cases/x.json", "text");
}

static void test_an_older_report_that_is_none(void **state)
{
    folder_put(*state, "report.json", "{\"findings\": [");
    write_report(*state, 1, 1);
    folder_put(*state, "report.json", "");
    write_report(*state, 1, 1);
    assert_int_equal(folder_entries(*state, "cases"), 1);
}

static void check_report_refused(const char *folder, int code, const char *name)
{
    sp_report_t *report = report_with(1, 3);
    sp_error_t error = {0};
    assert_false(sp_report_write(report, folder, false, &error));
    assert_refused(&error, code, name, ";");
    sp_report_free(report);
}

static void test_report_folder_is_a_file(void **state)
{
    folder_put(*state, "plain", "text");
    char *folder = folder_path(*state, "plain");
    check_report_refused(folder, EEXIST, "/plain:");
    assert_text(*state, "plain", "text");
    bson_free(folder);
}

static void test_report_places_are_taken(void **state)
{
    folder_put(*state, "cases", "a file where the folder should be");
    check_report_refused(*state, EEXIST, "/cases:");
    char *path = folder_path(*state, "cases");
    assert_int_equal(unlink(path), 0);
    bson_free(path);

    path = folder_path(*state, "report.json");
    assert_true(sp_make_folders(path, NULL));
    check_report_refused(*state, EISDIR, "/report.json:");
    bson_free(path);
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_FOLDER(test_write_and_replace),
        IN_FOLDER(test_mode_follows_the_umask),
        IN_FOLDER(test_in_the_current_folder),
        IN_FOLDER(test_a_link_is_replaced),
        IN_FOLDER(test_no_such_folder),
        IN_FOLDER(test_folder_is_a_file),
        IN_FOLDER(test_file_is_a_folder),
        IN_FOLDER(test_name_too_long),
        IN_FOLDER(test_empty_path),
        IN_FOLDER(test_a_device_is_no_file),
        IN_FOLDER(test_a_read_only_folder),
        IN_FOLDER(test_no_room_in_the_file),
        IN_FOLDER(test_make_folders),
        IN_FOLDER(test_make_folders_where_a_file_is),
        IN_FOLDER(test_report_makes_its_folders),
        IN_FOLDER(test_cases_of_an_older_report_go),
        IN_FOLDER(test_examples_of_an_older_report_go),
        IN_FOLDER(test_an_older_report_names_what_is_not_ours),
        IN_FOLDER(test_an_older_report_that_is_none),
        IN_FOLDER(test_report_folder_is_a_file),
        IN_FOLDER(test_report_places_are_taken),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
