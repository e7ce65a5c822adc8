/* Walking case files: which are found, in which order, and that one bad file hides no other. */
#include "test_harness_common.h"

#include "../harness/corpus.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* What a walk met: "FILE:LINE=N " for each case, "!MESSAGE " for each broken one. */
typedef struct seen {
    bson_string_t *cases;
    bson_string_t *broken;
    size_t root_length;
    unsigned limit; /* ends the walk with this case; 0: never */
    unsigned count;
} seen_t;

static bool on_case(void *context, const bson_t *test, const char *file, unsigned line)
{
    seen_t *seen = context;
    bson_iter_t iter;
    assert_true(bson_iter_init_find(&iter, test, "n"));
    bson_string_append_printf(seen->cases, "%s:%u=%d ", file + seen->root_length, line,
                              (int)bson_iter_as_int64(&iter));
    return ++seen->count != seen->limit;
}

static void on_broken(void *context, const sp_error_t *error)
{
    seen_t *seen = context;
    assert_int_equal(error->domain, SP_ERROR_INPUT);
    bson_string_append_printf(seen->broken, "!%s ", error->message + seen->root_length);
}

/* Walks `name` in the test's folder and compares; `broken` are the beginnings of the messages. */
static void assert_walk(void **state, const char *name, const char *cases, const char *broken)
{
    char *path = sp_test_in(state, name);
    seen_t seen = {.cases = bson_string_new(NULL),
                   .broken = bson_string_new(NULL),
                   .root_length = strlen(*state) + 1};
    assert_true(sp_corpus_walk(path, on_case, on_broken, &seen));
    assert_string_equal(seen.cases->str, cases);
    if (broken == NULL)
        assert_string_equal(seen.broken->str, "");
    else if (strstr(seen.broken->str, broken) == NULL)
        fail_msg("no '%s' in '%s'", broken, seen.broken->str);
    bson_string_free(seen.cases, true);
    bson_string_free(seen.broken, true);
    bson_free(path);
}

static void write_text(void **state, const char *name, const char *text)
{
    bson_free(sp_test_text(state, name, text));
}

static void folders_are_walked_in_the_order_of_names(void **state)
{
    write_text(state, "c/b.jsonl", "{\"n\": 4}\n\n{\"n\": 5}\n");
    write_text(state, "c/a/z.json", "{\"n\": 2}");
    write_text(state, "c/a/deep/er/x.json", "{\"n\": 1}\n");
    write_text(state, "c/c.json", "{\"n\": 6}\n");
    write_text(state, "c/Z.json", "{\"n\": 0}\n");
    write_text(state, "c/aa.json", "{\"n\": 3}\n");
    assert_walk(state, "c",
                "c/Z.json:1=0 c/a/deep/er/x.json:1=1 c/a/z.json:1=2 c/aa.json:1=3 "
                "c/b.jsonl:1=4 c/b.jsonl:3=5 c/c.json:1=6 ",
                NULL);
}

static void other_files_are_ignored_in_folders(void **state)
{
    write_text(state, "c/README.md", "not JSON\n");
    write_text(state, "c/json", "not JSON\n");
    write_text(state, "c/x.json.bak", "not JSON\n");
    write_text(state, "c/x.jsonx", "not JSON\n");
    write_text(state, "c/x.JSON", "not JSON\n");
    write_text(state, "c/good.json", "{\"n\": 1}\n");
    assert_walk(state, "c", "c/good.json:1=1 ", NULL);
}

static void a_named_file_may_have_any_name(void **state)
{
    write_text(state, "case.txt", "{\"n\": 1}\n");
    write_text(state, "noname", "{\"n\": 2}\n");
    write_text(state, "-dash", "{\"n\": 3}\n");
    assert_walk(state, "case.txt", "case.txt:1=1 ", NULL);
    assert_walk(state, "noname", "noname:1=2 ", NULL);
    assert_walk(state, "-dash", "-dash:1=3 ", NULL);
}

static void links_are_followed_where_they_are_named(void **state)
{
    write_text(state, "real/x.json", "{\"n\": 1}\n");
    char *file = sp_test_in(state, "file-link"), *folder = sp_test_in(state, "folder-link");
    char *dangling = sp_test_in(state, "dangling");
    assert_int_equal(symlink("real/x.json", file), 0);
    assert_int_equal(symlink("real", folder), 0);
    assert_int_equal(symlink("nothing", dangling), 0);
    assert_walk(state, "file-link", "file-link:1=1 ", NULL);
    assert_walk(state, "folder-link", "folder-link/x.json:1=1 ", NULL);
    assert_walk(state, "dangling", "", "!dangling: it cannot be read: No such file");
    bson_free(file);
    bson_free(folder);
    bson_free(dangling);
}

static void a_loop_of_links_ends(void **state)
{
    write_text(state, "c/x.json", "{\"n\": 1}\n");
    char *link = sp_test_in(state, "c/again");
    assert_int_equal(symlink("..", link), 0);
    assert_walk(state, "c", "c/x.json:1=1 ", NULL);
    bson_free(link);
}

static void what_is_not_there_is_broken(void **state)
{
    assert_walk(state, "missing", "", "!missing: it cannot be read: No such file");
    write_text(state, "file", "{\"n\": 1}\n");
    assert_walk(state, "file/below", "", "!file/below: it cannot be read: ");
}

static void the_empty_path_is_broken(void **state)
{
    (void)state;
    seen_t seen = {.cases = bson_string_new(NULL), .broken = bson_string_new(NULL)};
    assert_true(sp_corpus_walk("", on_case, on_broken, &seen));
    assert_non_null(strstr(seen.broken->str, "it cannot be read"));
    bson_string_free(seen.cases, true);
    bson_string_free(seen.broken, true);
}

static void an_unreadable_file_hides_no_other(void **state)
{
    if (geteuid() == 0)
        skip(); /* root reads everything */
    write_text(state, "c/a.json", "{\"n\": 1}\n");
    write_text(state, "c/c.json", "{\"n\": 3}\n");
    char *path = sp_test_text(state, "c/b.json", "{\"n\": 2}\n");
    assert_int_equal(chmod(path, 0), 0);
    assert_walk(state, "c", "c/a.json:1=1 c/c.json:1=3 ", "!c/b.json: it cannot be read: Perm");
    bson_free(path);
}

static void broken_lines_hide_no_other(void **state)
{
    write_text(state, "c/a.json", "{\"n\": 1}\nnonsense\n{\"n\": 2}\n");
    write_text(state, "c/b.json", "{\"n\": ");
    write_text(state, "c/c.json", "{\"n\": 3}\n");
    assert_walk(state, "c", "c/a.json:1=1 c/a.json:3=2 c/c.json:1=3 ", "!c/a.json:2: ");
    assert_walk(state, "c", "c/a.json:1=1 c/a.json:3=2 c/c.json:1=3 ", "!c/b.json:1 (the last");
}

static void an_empty_folder_is_told(void **state)
{
    write_text(state, "c/sub/README", "");
    assert_walk(state, "c", "", "!c: there is no case in it");
}

static void the_walk_ends_when_told(void **state)
{
    write_text(state, "c/a.json", "{\"n\": 1}\n{\"n\": 2}\n{\"n\": 3}\n");
    write_text(state, "c/b.json", "{\"n\": 4}\n");
    char *path = sp_test_in(state, "c");
    for (unsigned limit = 1; limit <= 4; limit++) {
        seen_t seen = {.cases = bson_string_new(NULL),
                       .broken = bson_string_new(NULL),
                       .root_length = strlen(*state) + 1,
                       .limit = limit};
        assert_false(sp_corpus_walk(path, on_case, on_broken, &seen));
        assert_int_equal(seen.count, limit);
        bson_string_free(seen.cases, true);
        bson_string_free(seen.broken, true);
    }
    bson_free(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define WITH_FOLDER(test)                                                                          \
    cmocka_unit_test_setup_teardown(test, sp_test_folder_make, sp_test_folder_remove)
        WITH_FOLDER(folders_are_walked_in_the_order_of_names),
        WITH_FOLDER(other_files_are_ignored_in_folders),
        WITH_FOLDER(a_named_file_may_have_any_name),
        WITH_FOLDER(links_are_followed_where_they_are_named),
        WITH_FOLDER(a_loop_of_links_ends),
        WITH_FOLDER(what_is_not_there_is_broken),
        WITH_FOLDER(the_empty_path_is_broken),
        WITH_FOLDER(an_unreadable_file_hides_no_other),
        WITH_FOLDER(broken_lines_hide_no_other),
        WITH_FOLDER(an_empty_folder_is_told),
        WITH_FOLDER(the_walk_ends_when_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
