/* The records of clusters, and sweeping away what was left behind. */
#include "test_servers_common.h"

#include "../harness/servers/files.h"
#include "../harness/servers/record.h"
#include "../harness/servers/registry.h"

#include <bson/bson.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define WAIT_MS 20000

/* A record with its folder and a file in it. */
static sp_record_t make_record(void **state, bool detached)
{
    sp_record_t record;
    assert_true(sp_record_init(&record, *state, detached, 2, NULL));
    char *file = bson_strdup_printf("%s/s1/data", record.folder);
    char *data = bson_strdup_printf("%s/s1", record.folder);
    assert_true(sp_files_make_folder(data, NULL));
    sp_test_write(file, "data", 0600);
    bson_free(file);
    bson_free(data);
    return record;
}

static char *file_of(void **state, const sp_record_t *record)
{
    return bson_strdup_printf("%s/cache/clusters/%s.json", (const char *)*state, record->id);
}

/* A process that looks like the server `index` of the record, on its own like one of a detached
 * cluster. */
static void start_server(void **state, sp_record_t *record, unsigned index)
{
    sp_error_t error = {0};
    char *program = sp_test_source("fake_child.sh");
    char *log = sp_test_path(state, "log");
    char *data = bson_strdup_printf("%s/%s", record->folder, record->servers[index].name);
    const char *argv[] = {program, "sleep", "--dbpath", data, NULL};
    sp_spawn_t spawn = {.argv = argv, .log = log};
    assert_true(sp_process_spawn(&spawn, &record->servers[index].process, &error));
    bson_free(program);
    bson_free(log);
    bson_free(data);
}

/* As if the owner had been killed. */
static void orphan(sp_record_t *record)
{
    record->owner.start++;
}

static void assert_left(void **state, const sp_record_t *record, bool expected)
{
    char *file = file_of(state, record);
    assert_int_equal(sp_test_exists(file), expected);
    assert_int_equal(sp_test_exists(record->folder), expected);
    bson_free(file);
}

static void record_survives_the_way_through_json(void **state)
{
    sp_error_t error = {0};
    sp_record_t record = make_record(state, true);
    sp_record_t again;
    char name[64];
    snprintf(name, sizeof name, "%s.json", record.id);
    snprintf(record.version, sizeof record.version, "6.0.5");
    record.ready = true;
    record.servers[1].port = 12345;
    record.servers[1].process = (sp_process_t){.pid = 77, .start = UINT64_MAX};
    char *text = sp_record_to_json(&record);
    assert_true(sp_record_from_json(text, name, &again, &error));
    assert_string_equal(again.id, record.id);
    assert_string_equal(again.folder, record.folder);
    assert_string_equal(again.version, "6.0.5");
    assert_int_equal(again.owner.pid, getpid());
    assert_int_equal(again.owner.start, record.owner.start);
    assert_true(again.detached && again.ready && !again.elsewhere);
    assert_int_equal(again.since, record.since);
    assert_int_equal(again.count, 2);
    assert_string_equal(again.servers[0].name, "config");
    assert_string_equal(again.servers[1].name, "s1");
    assert_int_equal(again.servers[1].port, 12345);
    assert_int_equal(again.servers[1].process.pid, 77);
    assert_true(again.servers[1].process.start == UINT64_MAX);

    /* The file's name is part of it. */
    sp_record_t other;
    assert_false(sp_record_from_json(text, "0123456789abcdef.json", &other, &error));
    assert_int_equal(error.domain, SP_ERROR_INPUT);
    bson_free(text);
    sp_record_clear(&record);
    sp_record_clear(&again);
}

static void folder_is_named_without_detours(void **state)
{
    sp_error_t error = {0};
    sp_record_t record;
    char *inside = sp_test_path(state, "a");
    char *detour = sp_test_path(state, "a/..//a/");
    assert_true(sp_files_make_folder(inside, NULL));
    assert_true(sp_record_init(&record, detour, false, 1, &error));
    char *expected = bson_strdup_printf("%s/shardproof-%s", inside, record.id);
    assert_string_equal(record.folder, expected);
    sp_record_clear(&record);
    assert_false(sp_record_init(&record, "/nonexistent", false, 1, &error));
    assert_int_equal(error.domain, SP_ERROR_SYSTEM);
    bson_free(inside);
    bson_free(detour);
    bson_free(expected);
}

/* `text` with the first `from` replaced. */
static char *replaced(const char *text, const char *from, const char *to)
{
    const char *at = strstr(text, from);
    assert_non_null(at);
    return bson_strdup_printf("%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
}

static void bad_fields_are_refused(void **state)
{
    sp_record_t record = make_record(state, false);
    sp_record_t other;
    char name[64];
    snprintf(name, sizeof name, "%s.json", record.id);
    char *text = sp_record_to_json(&record);
    char *folder = bson_strdup_printf("%s", record.folder);
    char *dots = bson_strdup_printf("/x/../shardproof-%s", record.id);
    char *relative = bson_strdup_printf("shardproof-%s", record.id);
    const char *const changes[][2] = {
        {"\"id\"", "\"ID\""},
        {"\"folder\"", "\"f\""},
        {"\"owner\"", "\"o\""},
        {"\"servers\"", "\"s\""},
        {"\"since\"", "\"s\""},
        {"\"host\"", "\"h\""},
        {"\"boot\"", "\"b\""},
        {"\"version\"", "\"v\""},
        {"\"config\"", "\"configserver\""},
        {"\"port\":\t0", "\"port\":\t-1"},
        {"\"port\":\t0", "\"port\":\t65536"},
        {"\"port\":\t0", "\"port\":\t0.5"},
        {"\"port\":\t0", "\"port\":\t\"0\""},
        {"\"pid\":\t0", "\"pid\":\t-1"},
        {"\"pid\":\t0", "\"pid\":\t1e300"},
        {"\"start\":\t\"0\"", "\"start\":\t\"\""},
        {"\"start\":\t\"0\"", "\"start\":\t\"-1\""},
        {"\"start\":\t\"0\"", "\"start\":\t\"99999999999999999999999\""},
        {folder, "/"},
        {folder, "/home"},
        {folder, dots},
        {folder, relative},
        {folder, ""},
    };
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        sp_error_t error = {0};
        char *bad = replaced(text, changes[i][0], changes[i][1]);
        if (sp_record_from_json(bad, name, &other, &error))
            fail_msg("accepted: %s", bad);
        assert_int_equal(error.domain, SP_ERROR_INPUT);
        bson_free(bad);
    }
    static const char *const rubbish[] = {"", "{", "[]", "null", "\"x\"", "{}", "\xff\xfe"};
    for (size_t i = 0; i < sizeof rubbish / sizeof *rubbish; i++)
        assert_false(sp_record_from_json(rubbish[i], name, &other, NULL));
    bson_free(text);
    bson_free(folder);
    bson_free(dots);
    bson_free(relative);
    sp_record_clear(&record);
}

static void corrupt_records_are_moved_aside(void **state)
{
    sp_record_t good = make_record(state, false);
    assert_true(sp_registry_write(&good, NULL));
    char *bad = sp_test_path(state, "cache/clusters/0123456789abcdef.json");
    char *aside = sp_test_path(state, "cache/clusters/bad/0123456789abcdef.json");
    sp_test_write(bad, "{\"id\": ", 0600);
    sp_record_t *records;
    size_t count;
    assert_true(sp_registry_read(&records, &count, NULL));
    assert_int_equal(count, 1);
    assert_string_equal(records[0].id, good.id);
    assert_false(sp_test_exists(bad));
    assert_true(sp_test_exists(aside));
    sp_records_free(records, count);
    assert_int_equal(sp_registry_sweep(), 0);
    assert_left(state, &good, true);
    bson_free(bad);
    bson_free(aside);
    sp_record_clear(&good);
}

static void living_owner_is_left_alone(void **state)
{
    sp_record_t record = make_record(state, false);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        pause();
        _exit(0);
    }
    record.owner = sp_process_of(child);
    start_server(state, &record, 1);
    assert_true(sp_registry_write(&record, NULL));
    assert_int_equal(sp_registry_sweep(), 0);
    assert_left(state, &record, true);
    assert_true(sp_process_alive(&record.servers[1].process));

    kill(child, SIGKILL);
    assert_int_equal(waitpid(child, NULL, 0), child);
    assert_int_equal(sp_registry_sweep(), 1);
    assert_left(state, &record, false);
    assert_false(sp_process_alive(&record.servers[1].process));
    sp_record_clear(&record);
}

static void owner_whose_pid_was_given_away_is_dead(void **state)
{
    sp_record_t record = make_record(state, false);
    orphan(&record);
    assert_true(sp_registry_write(&record, NULL));
    assert_int_equal(sp_registry_sweep(), 1);
    assert_left(state, &record, false);
    sp_record_clear(&record);
}

static void server_that_was_not_yet_recorded_is_ended(void **state)
{
    sp_record_t record = make_record(state, true);
    start_server(state, &record, 0);
    sp_process_t server = record.servers[0].process;
    record.servers[0].process = (sp_process_t){0};
    orphan(&record);
    assert_true(sp_registry_write(&record, NULL));
    assert_int_equal(sp_registry_sweep(), 1);
    assert_left(state, &record, false);
    assert_false(sp_process_alive(&server));
    sp_record_clear(&record);
}

static void others_with_a_servers_pid_are_not_ended(void **state)
{
    sp_record_t record = make_record(state, true);
    sp_record_t stranger = make_record(state, true);
    start_server(state, &stranger, 0);
    /* Right pid and start time, but it serves another folder. */
    record.servers[0].process = stranger.servers[0].process;
    record.ready = true;
    orphan(&record);
    assert_int_equal(sp_record_alive(&record), 0);
    assert_true(sp_registry_write(&record, NULL));
    assert_int_equal(sp_registry_sweep(), 1);
    assert_left(state, &record, false);
    assert_true(sp_process_alive(&stranger.servers[0].process));
    assert_true(sp_process_kill(&stranger.servers[0].process, WAIT_MS));
    sp_record_clear(&record);
    sp_record_clear(&stranger);
}

static void detached_cluster_lives_as_long_as_a_server(void **state)
{
    sp_record_t record = make_record(state, true);
    start_server(state, &record, 0);
    start_server(state, &record, 1);
    record.ready = true;
    orphan(&record);
    assert_true(sp_registry_write(&record, NULL));
    assert_int_equal(sp_registry_sweep(), 0);
    assert_int_equal(sp_record_alive(&record), 2);
    assert_true(sp_process_kill(&record.servers[0].process, WAIT_MS));
    assert_int_equal(sp_record_alive(&record), 1);
    assert_int_equal(sp_registry_sweep(), 0);
    assert_left(state, &record, true);
    assert_true(sp_process_kill(&record.servers[1].process, WAIT_MS));
    assert_int_equal(sp_registry_sweep(), 1);
    assert_left(state, &record, false);
    sp_record_clear(&record);
}

static void record_from_elsewhere_is_left_alone(void **state)
{
    sp_error_t error = {0};
    sp_record_t record = make_record(state, false);
    sp_record_t again;
    char name[64];
    snprintf(name, sizeof name, "%s.json", record.id);
    orphan(&record);
    char *text = sp_record_to_json(&record);
    char *foreign = replaced(text, "\"host\":\t\"", "\"host\":\t\"not-");
    char *path = file_of(state, &record);
    assert_true(sp_registry_write(&record, NULL));
    sp_test_write(path, foreign, 0600);
    assert_int_equal(sp_registry_sweep(), 0);
    assert_left(state, &record, true);
    bson_free(foreign);

    foreign = replaced(text, "\"pids\":\t\"", "\"pids\":\t\"not-");
    assert_true(sp_record_from_json(foreign, name, &again, &error));
    assert_true(again.elsewhere);
    sp_record_clear(&again);
    bson_free(foreign);

    /* The same host after a restart: nothing of it can be alive. */
    record.owner = sp_process_of(getpid());
    bson_free(text);
    text = sp_record_to_json(&record);
    foreign = replaced(text, "\"boot\":\t\"", "\"boot\":\t\"not-");
    sp_test_write(path, foreign, 0600);
    assert_int_equal(sp_registry_sweep(), 1);
    assert_left(state, &record, false);
    bson_free(foreign);
    bson_free(text);
    bson_free(path);
    sp_record_clear(&record);
}

static void folder_that_is_a_link_is_left_alone(void **state)
{
    sp_record_t record;
    char *target = sp_test_path(state, "precious");
    char *file = sp_test_path(state, "precious/file");
    assert_true(sp_record_init(&record, *state, false, 2, NULL));
    assert_true(sp_files_make_folder(target, NULL));
    sp_test_write(file, "kept", 0600);
    assert_int_equal(symlink(target, record.folder), 0);
    orphan(&record);
    assert_true(sp_registry_write(&record, NULL));
    assert_int_equal(sp_registry_sweep(), 0);
    assert_true(sp_test_exists(file));
    bson_free(target);
    bson_free(file);
    sp_record_clear(&record);
}

static void record_without_folder_is_removed(void **state)
{
    sp_record_t record;
    assert_true(sp_record_init(&record, *state, false, 2, NULL));
    orphan(&record);
    assert_true(sp_registry_write(&record, NULL));
    assert_int_equal(sp_registry_sweep(), 1);
    assert_left(state, &record, false);
    sp_record_clear(&record);
}

static void drafts_of_dead_writers_are_removed(void **state)
{
    sp_record_t record = make_record(state, false);
    assert_true(sp_registry_write(&record, NULL));
    char *dead = sp_test_path(state, "cache/clusters/0123456789abcdef.json.4194303.new");
    char *living = bson_strdup_printf("%s/cache/clusters/0123456789abcdef.json.%ld.new",
                                      (const char *)*state, (long)getpid());
    sp_test_write(dead, "", 0600);
    sp_test_write(living, "", 0600);
    assert_int_equal(sp_registry_sweep(), 0);
    assert_false(sp_test_exists(dead));
    assert_true(sp_test_exists(living));
    bson_free(dead);
    bson_free(living);
    sp_record_clear(&record);
}

static void many_sweeps_at_once_agree(void **state)
{
    enum { RECORDS = 20, SWEEPERS = 4 };
    pid_t children[SWEEPERS];
    for (int i = 0; i < RECORDS; i++) {
        sp_record_t record = make_record(state, false);
        orphan(&record);
        assert_true(sp_registry_write(&record, NULL));
        sp_record_clear(&record);
    }
    for (int i = 0; i < SWEEPERS; i++) {
        children[i] = fork();
        assert_true(children[i] >= 0);
        if (children[i] == 0)
            _exit((int)sp_registry_sweep());
    }
    int removed = 0;
    for (int i = 0; i < SWEEPERS; i++) {
        int status;
        assert_int_equal(waitpid(children[i], &status, 0), children[i]);
        assert_true(WIFEXITED(status));
        removed += WEXITSTATUS(status);
    }
    assert_int_equal(removed, RECORDS);
    assert_int_equal(sp_test_count(*state, "shardproof-"), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define WITH_FOLDER(test) cmocka_unit_test_setup_teardown(test, sp_test_enter, sp_test_leave)
        WITH_FOLDER(record_survives_the_way_through_json),
        WITH_FOLDER(folder_is_named_without_detours),
        WITH_FOLDER(bad_fields_are_refused),
        WITH_FOLDER(corrupt_records_are_moved_aside),
        WITH_FOLDER(living_owner_is_left_alone),
        WITH_FOLDER(owner_whose_pid_was_given_away_is_dead),
        WITH_FOLDER(server_that_was_not_yet_recorded_is_ended),
        WITH_FOLDER(others_with_a_servers_pid_are_not_ended),
        WITH_FOLDER(detached_cluster_lives_as_long_as_a_server),
        WITH_FOLDER(record_from_elsewhere_is_left_alone),
        WITH_FOLDER(folder_that_is_a_link_is_left_alone),
        WITH_FOLDER(record_without_folder_is_removed),
        WITH_FOLDER(drafts_of_dead_writers_are_removed),
        WITH_FOLDER(many_sweeps_at_once_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
