/* Real clusters: that they work, survive their servers' deaths, and leave nothing behind. */
#include "test_servers_common.h"

#include "../harness/servers/cluster.h"
#include "../harness/servers/conn.h"
#include "../harness/servers/files.h"
#include "../harness/servers/install.h"
#include "../harness/servers/registry.h"

#include <arpa/inet.h>
#include <errno.h>
#include <mongoc/mongoc.h>
#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define TIMEOUT_MS 20000

/* The default server, installed before the first test. */
static sp_binary_t server_binary;

static sp_cluster_t *start(unsigned shards)
{
    sp_error_t error = {0};
    sp_cluster_options_t options = {.mongod = server_binary.mongod,
                                    .library_path = server_binary.library_path,
                                    .shards = shards};
    sp_cluster_t *cluster = sp_cluster_start(&options, &error);
    if (cluster == NULL)
        fail_msg("%s", error.message);
    return cluster;
}

/* Runs a command that must be answered well; the caller destroys the reply. */
static void run(const char *uri, const char *db, const char *command, bson_t *reply)
{
    sp_error_t error = {0};
    sp_conn_t *conn = sp_conn_open(uri, TIMEOUT_MS, &error);
    assert_non_null(conn);
    if (!sp_conn_commandf(conn, db, reply, &error, "%s", command))
        fail_msg("%s: %s", command, error.message);
    sp_conn_close(conn);
}

static void run_only(const char *uri, const char *db, const char *command)
{
    bson_t reply;
    run(uri, db, command, &reply);
    bson_destroy(&reply);
}

/* The processes of the only cluster on record, config server first. */
static unsigned recorded(sp_process_t *processes)
{
    sp_record_t *records;
    size_t count;
    assert_true(sp_registry_read(&records, &count, NULL));
    assert_int_equal(count, 1);
    unsigned servers = records[0].count;
    for (unsigned i = 0; i < servers; i++)
        processes[i] = records[0].servers[i].process;
    sp_records_free(records, count);
    return servers;
}

static void kill_server(unsigned index)
{
    sp_process_t processes[SP_SERVERS_MAX] = {0};
    assert_in_range(index, 0, recorded(processes) - 1);
    assert_int_equal(kill(processes[index].pid, SIGKILL), 0);
    /* Waits until it is over, but leaves reaping it to the cluster. */
    siginfo_t info;
    assert_int_equal(waitid(P_PID, (id_t)processes[index].pid, &info, WEXITED | WNOWAIT), 0);
}

static void cluster_works_and_leaves_nothing(void **state)
{
    bson_iter_t iter;
    bson_iter_t inner;
    sp_cluster_t *cluster = start(2);
    assert_int_equal(sp_cluster_shards(cluster), 2);
    assert_string_equal(sp_cluster_version(cluster), SP_DEFAULT_SERVER);
    assert_string_equal(sp_cluster_shard_name(cluster, 0), "s1");
    assert_string_equal(sp_cluster_shard_name(cluster, 1), "s2");
    assert_true(sp_test_exists(sp_cluster_folder(cluster)));
    assert_int_equal(strlen(sp_cluster_id(cluster)), 16);
    for (unsigned i = 0; i < 2; i++)
        run_only(sp_cluster_shard_uri(cluster, i), "db",
                 "{\"clusterFind\": \"c\", \"filter\": {}}");

    const char *config = sp_cluster_config_uri(cluster);
    bson_t reply;
    run(config, "config", "{\"count\": \"shards\"}", &reply);
    assert_true(bson_iter_init_find(&iter, &reply, "n"));
    assert_int_equal(bson_iter_as_int64(&iter), 2);
    bson_destroy(&reply);
    run(config, "admin", "{\"_configsvrBalancerStatus\": 1}", &reply);
    assert_true(bson_iter_init_find(&iter, &reply, "mode"));
    assert_string_equal(bson_iter_utf8(&iter, NULL), "off");
    bson_destroy(&reply);
    /* The commands the harness depends on. */
    run(sp_cluster_shard_uri(cluster, 0), "admin", "{\"_hashBSONElement\": 1, \"seed\": 0}",
        &reply);
    assert_true(bson_iter_init_find(&iter, &reply, "out"));
    bson_destroy(&reply);
    run_only(config, "admin",
             "{\"_configsvrCreateDatabase\": \"db\", \"primaryShardId\": \"s2\", "
             "\"writeConcern\": {\"w\": \"majority\"}}");
    run(config, "config", "{\"find\": \"databases\", \"filter\": {\"_id\": \"db\"}}", &reply);
    assert_true(bson_iter_init(&iter, &reply) &&
                bson_iter_find_descendant(&iter, "cursor.firstBatch.0.primary", &inner));
    assert_string_equal(bson_iter_utf8(&inner, NULL), "s2");
    bson_destroy(&reply);

    char *logs = sp_test_path(state, "kept");
    char *log = sp_test_path(state, "kept/s2.log");
    sp_cluster_keep_logs(cluster, logs);
    sp_cluster_stop(cluster);
    sp_test_assert_nothing_left(state);
    assert_int_equal(sp_test_count(logs, ""), 3);
    char *text = sp_files_tail(log, 1000);
    assert_non_null(text);
    assert_int_not_equal(strlen(text), 0);
    bson_free(text);
    bson_free(log);
    bson_free(logs);
    sp_cluster_stop(NULL);
}

static void parameters_reach_the_servers(void **state)
{
    sp_error_t error = {0};
    bson_iter_t iter;
    const char *const parameters[] = {"orphanCleanupDelaySecs=7", NULL};
    sp_cluster_options_t options = {
        .mongod = server_binary.mongod, .shards = 1, .parameters = parameters};
    sp_cluster_t *cluster = sp_cluster_start(&options, &error);
    assert_non_null(cluster);
    bson_t reply;
    run(sp_cluster_shard_uri(cluster, 0), "admin",
        "{\"getParameter\": 1, \"orphanCleanupDelaySecs\": 1}", &reply);
    assert_true(bson_iter_init_find(&iter, &reply, "orphanCleanupDelaySecs"));
    assert_int_equal(bson_iter_as_int64(&iter), 7);
    bson_destroy(&reply);
    sp_cluster_stop(cluster);

    const char *const unknown[] = {"noSuchParameter=1", NULL};
    options.parameters = unknown;
    assert_null(sp_cluster_start(&options, &error));
    assert_int_equal(error.domain, SP_ERROR_INFRA);
    assert_non_null(strstr(error.message, "noSuchParameter"));
    sp_test_assert_nothing_left(state);
}

static void killed_servers_are_restarted(void **state)
{
    sp_error_t error = {0};
    unsigned restarted = 99;
    char death[400] = "x";
    sp_cluster_t *cluster = start(2);
    assert_true(sp_cluster_watch(cluster, &restarted, &error));
    assert_int_equal(restarted, 0);
    assert_int_equal(sp_cluster_last_death(cluster, death, sizeof death), 0);
    assert_string_equal(death, "");

    sp_conn_t *conn = sp_conn_open(sp_cluster_shard_uri(cluster, 1), TIMEOUT_MS, &error);
    bson_t reply;
    assert_true(sp_conn_commandf(conn, "db", NULL, &error,
                                 "{\"insert\": \"c\", \"documents\": [{\"_id\": 1}], "
                                 "\"writeConcern\": {\"w\": \"majority\", \"j\": true}}"));
    kill_server(2);
    assert_true(sp_cluster_watch(cluster, &restarted, &error));
    assert_int_equal(restarted, 1);
    assert_int_equal(sp_cluster_last_death(cluster, death, sizeof death), 1);
    assert_non_null(strstr(death, "server s2"));
    assert_non_null(strstr(death, "signal 9"));

    /* The very next command works, on the same data, and the server is primary. */
    bson_iter_t iter;
    assert_true(sp_conn_commandf(conn, "db", &reply, &error, "{\"count\": \"c\"}"));
    assert_true(bson_iter_init_find(&iter, &reply, "n"));
    assert_int_equal(bson_iter_as_int64(&iter), 1);
    bson_destroy(&reply);
    assert_true(sp_conn_commandf(conn, "admin", &reply, &error, "{\"hello\": 1}"));
    assert_true(bson_iter_init_find(&iter, &reply, "isWritablePrimary"));
    assert_true(bson_iter_as_bool(&iter));
    bson_destroy(&reply);

    /* All at once, the config server too. */
    for (unsigned i = 0; i < 3; i++)
        kill_server(i);
    assert_false(sp_conn_commandf(conn, "admin", NULL, &error, "{\"ping\": 1}"));
    assert_int_equal(error.domain, SP_ERROR_INFRA);
    assert_true(sp_cluster_watch(cluster, &restarted, &error));
    assert_int_equal(restarted, 3);
    assert_true(sp_conn_commandf(conn, "db", NULL, &error, "{\"clusterFind\": \"c\"}"));
    sp_conn_close(conn);
    sp_cluster_stop(cluster);
    sp_test_assert_nothing_left(state);
}

static void *watch(void *data)
{
    sp_error_t error = {0};
    unsigned restarted;
    if (!sp_cluster_watch(data, &restarted, &error))
        fprintf(stderr, "%s\n", error.message);
    return NULL;
}

static void restart_outlives_the_thread_that_watched(void **state)
{
    sp_error_t error = {0};
    unsigned restarted;
    pthread_t thread;
    sp_cluster_t *cluster = start(1);
    kill_server(1);
    assert_int_equal(pthread_create(&thread, NULL, watch, cluster), 0);
    pthread_join(thread, NULL);
    run_only(sp_cluster_shard_uri(cluster, 0), "admin", "{\"ping\": 1}");
    usleep(300000);
    assert_true(sp_cluster_watch(cluster, &restarted, &error));
    assert_int_equal(restarted, 0);
    assert_int_equal(sp_cluster_last_death(cluster, NULL, 0), 1);
    sp_cluster_stop(cluster);
    sp_test_assert_nothing_left(state);
}

static int listen_on(int port)
{
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_port = htons((uint16_t)port),
                                  .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int on = 1;
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    assert_true(fd >= 0);
    assert_int_equal(setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on), 0);
    assert_int_equal(bind(fd, (const struct sockaddr *)&address, sizeof address), 0);
    assert_int_equal(listen(fd, 8), 0);
    return fd;
}

static void *close_later(void *data)
{
    usleep(1500000);
    close(*(int *)data);
    return NULL;
}

static void port_taken_during_a_restart_is_waited_for(void **state)
{
    sp_error_t error = {0};
    unsigned restarted;
    pthread_t thread;
    sp_cluster_t *cluster = start(1);
    int port = atoi(strrchr(sp_cluster_shard_uri(cluster, 0), ':') + 1); // NOLINT(cert-err34-c)
    kill_server(1);
    int fd = listen_on(port);
    assert_int_equal(pthread_create(&thread, NULL, close_later, &fd), 0);
    if (!sp_cluster_watch(cluster, &restarted, &error))
        fail_msg("%s", error.message);
    pthread_join(thread, NULL);
    assert_int_equal(restarted, 1);
    run_only(sp_cluster_shard_uri(cluster, 0), "db", "{\"clusterFind\": \"c\"}");
    sp_cluster_stop(cluster);
    sp_test_assert_nothing_left(state);
}

static void port_taken_at_start_is_replaced(void **state)
{
    sp_error_t error = {0};
    char *mongod = sp_test_source("fake_mongod.sh");
    char *mark = sp_test_path(state, "mark");
    setenv("FAKE_MONGOD", "port-taken-once", 1);
    setenv("FAKE_MARK", mark, 1);
    setenv("FAKE_REAL", server_binary.mongod, 1);
    sp_cluster_options_t options = {.mongod = mongod, .shards = 1};
    sp_cluster_t *cluster = sp_cluster_start(&options, &error);
    if (cluster == NULL)
        fail_msg("%s", error.message);
    assert_true(sp_test_exists(mark));
    run_only(sp_cluster_shard_uri(cluster, 0), "db", "{\"clusterFind\": \"c\"}");
    sp_cluster_stop(cluster);
    unsetenv("FAKE_MONGOD");
    sp_test_assert_nothing_left(state);
    bson_free(mongod);
    bson_free(mark);
}

static void server_that_keeps_dying_is_given_up(void **state)
{
    sp_error_t error = {0};
    sp_cluster_t *cluster = start(1);
    for (int i = 0; i < SP_RESTARTS_MAX; i++) {
        kill_server(1);
        if (!sp_cluster_watch(cluster, NULL, &error))
            fail_msg("%s", error.message);
    }
    kill_server(1);
    assert_false(sp_cluster_watch(cluster, NULL, &error));
    assert_int_equal(error.domain, SP_ERROR_INFRA);
    assert_non_null(strstr(error.message, "s1"));
    sp_cluster_stop(cluster);
    sp_test_assert_nothing_left(state);
}

/* Forks a child that starts a cluster and then waits to be killed; returns when the cluster is
 * ready. */
static pid_t start_in_child(bool detached)
{
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        sp_cluster_options_t options = {
            .mongod = server_binary.mongod, .shards = 1, .detached = detached};
        bool ok = sp_cluster_start(&options, NULL) != NULL;
        if (write(ends[1], ok ? "y" : "n", 1) == 1)
            pause();
        _exit(0);
    }
    close(ends[1]);
    char answer = 'n';
    assert_int_equal(read(ends[0], &answer, 1), 1);
    close(ends[0]);
    assert_int_equal(answer, 'y');
    return child;
}

static void killed_owner_leaves_no_server(void **state)
{
    sp_process_t processes[SP_SERVERS_MAX] = {0};
    pid_t child = start_in_child(false);
    unsigned count = recorded(processes);
    assert_int_equal(count, 2);
    assert_int_equal(sp_registry_sweep(), 0);
    for (unsigned i = 0; i < count; i++)
        assert_true(sp_process_alive(&processes[i]));

    kill(child, SIGKILL);
    assert_int_equal(waitpid(child, NULL, 0), child);
    for (unsigned i = 0; i < count; i++)
        assert_true(sp_test_gone(&processes[i]));
    assert_int_equal(sp_test_count(*state, "shardproof-"), 1);
    assert_int_equal(sp_registry_sweep(), 1);
    sp_test_assert_nothing_left(state);
}

static void next_start_sweeps(void **state)
{
    pid_t child = start_in_child(false);
    kill(child, SIGKILL);
    assert_int_equal(waitpid(child, NULL, 0), child);
    sp_cluster_t *cluster = start(1);
    assert_int_equal(sp_test_count(*state, "shardproof-"), 1);
    sp_cluster_stop(cluster);
    sp_test_assert_nothing_left(state);
}

static void detached_cluster_outlives_its_owner(void **state)
{
    sp_process_t processes[SP_SERVERS_MAX] = {0};
    sp_record_t *records;
    size_t count;
    pid_t child = start_in_child(true);
    kill(child, SIGKILL);
    assert_int_equal(waitpid(child, NULL, 0), child);
    assert_int_equal(sp_registry_sweep(), 0);
    assert_int_equal(recorded(processes), 2);
    assert_true(sp_process_alive(&processes[0]));
    assert_true(sp_process_alive(&processes[1]));

    assert_true(sp_registry_read(&records, &count, NULL));
    assert_true(sp_registry_end(&records[0], NULL));
    sp_records_free(records, count);
    sp_test_assert_nothing_left(state);
}

static void owner_killed_in_mid_start_leaves_no_server(void **state)
{
    sp_process_t found[8];
    for (int detached = 0; detached < 2; detached++) {
        pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) {
            sp_cluster_options_t options = {
                .mongod = server_binary.mongod, .shards = 2, .detached = detached != 0};
            sp_cluster_start(&options, NULL);
            pause();
        }
        while (sp_process_find(*state, found, 8) < 2)
            usleep(1000);
        kill(child, SIGKILL);
        assert_int_equal(waitpid(child, NULL, 0), child);
        assert_int_equal(sp_registry_sweep(), 1);
        sp_test_assert_nothing_left(state);
    }
}

static void attaching_finds_the_shards(void **state)
{
    sp_error_t error = {0};
    sp_cluster_t *cluster = start(2);
    sp_cluster_t *attached = sp_cluster_attach(sp_cluster_config_uri(cluster), &error);
    if (attached == NULL)
        fail_msg("%s", error.message);
    assert_int_equal(sp_cluster_shards(attached), 2);
    for (unsigned i = 0; i < 2; i++) {
        assert_string_equal(sp_cluster_shard_name(attached, i), sp_cluster_shard_name(cluster, i));
        assert_string_equal(sp_cluster_shard_uri(attached, i), sp_cluster_shard_uri(cluster, i));
    }
    assert_string_equal(sp_cluster_version(attached), SP_DEFAULT_SERVER);
    assert_null(sp_cluster_folder(attached));
    assert_string_equal(sp_cluster_id(attached), "");
    assert_true(sp_cluster_watch(attached, NULL, &error));
    assert_int_equal(sp_cluster_last_death(attached, NULL, 0), 0);
    sp_cluster_stop(attached);
    run_only(sp_cluster_shard_uri(cluster, 0), "admin", "{\"ping\": 1}");

    assert_null(sp_cluster_attach(sp_cluster_shard_uri(cluster, 0), &error));
    assert_int_equal(error.domain, SP_ERROR_USAGE);
    assert_non_null(strstr(error.message, "replica set s1"));

    kill_server(2);
    assert_null(sp_cluster_attach(sp_cluster_config_uri(cluster), &error));
    assert_int_equal(error.domain, SP_ERROR_INFRA);
    assert_non_null(strstr(error.message, "shard s2"));
    sp_cluster_stop(cluster);
    sp_test_assert_nothing_left(state);
}

/* SHARDPROOF_TEST_VERSIONS="5.0.4 4.4.2" tries more than the default; each is some 40 MB to fetch.
 */
static void other_versions_come_up(void **state)
{
    const char *wanted = getenv("SHARDPROOF_TEST_VERSIONS");
    if (wanted == NULL)
        skip();
    char *cache = bson_strdup(getenv("SHARDPROOF_CACHE"));
    char *list = bson_strdup(wanted);
    char *rest = NULL;
    for (char *version = strtok_r(list, " ,", &rest); version != NULL;
         version = strtok_r(NULL, " ,", &rest)) {
        sp_error_t error = {0};
        sp_binary_t binary;
        unsetenv("SHARDPROOF_CACHE");
        if (!sp_install(version, &binary, &error))
            fail_msg("%s", error.message);
        setenv("SHARDPROOF_CACHE", cache, 1);
        sp_cluster_options_t options = {
            .mongod = binary.mongod, .library_path = binary.library_path, .shards = 2};
        sp_cluster_t *cluster = sp_cluster_start(&options, &error);
        if (cluster == NULL)
            fail_msg("%s", error.message);
        assert_string_equal(sp_cluster_version(cluster), version);
        kill_server(1);
        assert_true(sp_cluster_watch(cluster, NULL, &error));
        sp_cluster_stop(cluster);
        sp_test_assert_nothing_left(state);
    }
    bson_free(list);
    bson_free(cache);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define WITH_FOLDER(test) cmocka_unit_test_setup_teardown(test, sp_test_enter, sp_test_leave)
        WITH_FOLDER(cluster_works_and_leaves_nothing),
        WITH_FOLDER(parameters_reach_the_servers),
        WITH_FOLDER(killed_servers_are_restarted),
        WITH_FOLDER(restart_outlives_the_thread_that_watched),
        WITH_FOLDER(port_taken_during_a_restart_is_waited_for),
        WITH_FOLDER(port_taken_at_start_is_replaced),
        WITH_FOLDER(server_that_keeps_dying_is_given_up),
        WITH_FOLDER(killed_owner_leaves_no_server),
        WITH_FOLDER(next_start_sweeps),
        WITH_FOLDER(detached_cluster_outlives_its_owner),
        WITH_FOLDER(owner_killed_in_mid_start_leaves_no_server),
        WITH_FOLDER(attaching_finds_the_shards),
        WITH_FOLDER(other_versions_come_up),
    };
    mongoc_init();
    sp_error_t error = {0};
    if (!sp_install(SP_DEFAULT_SERVER, &server_binary, &error)) {
        fprintf(stderr, "%s\n", error.message);
        return 1;
    }
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    mongoc_cleanup();
    return failed;
}
