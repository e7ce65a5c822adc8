/* Connections: what is sent, and what becomes of good and bad answers. */
#include "fake_server.h"
#include "test_servers_common.h"

#include "../harness/servers/conn.h"
#include "../harness/servers/ports.h"
#include "../harness/servers/wire.h"

#include <errno.h>
#include <mongoc/mongoc.h>
#include <string.h>
#include <unistd.h>

#define TIMEOUT_MS 5000

typedef struct {
    fake_server_t *server;
    sp_conn_t *conn;
} scene_t;

static scene_t enter(int timeout_ms)
{
    sp_error_t error = {0};
    scene_t scene = {.server = fake_server_start()};
    char *uri = bson_strdup_printf("mongodb://127.0.0.1:%d/", fake_server_port(scene.server));
    scene.conn = sp_conn_open(uri, timeout_ms, &error);
    assert_non_null(scene.conn);
    bson_free(uri);
    return scene;
}

static void leave(scene_t *scene)
{
    sp_conn_close(scene->conn);
    fake_server_stop(scene->server);
}

/* Sends some command; the error it gives. */
static sp_error_t ask(const scene_t *scene)
{
    sp_error_t error = {0};
    bson_t reply;
    bool ok = sp_conn_commandf(scene->conn, "db", &reply, &error, "{\"x\": %d}", 1);
    assert_int_equal(ok, error.domain == SP_ERROR_NONE);
    bson_destroy(&reply);
    return error;
}

static void command_is_sent_as_it_is(void **state)
{
    (void)state;
    scene_t scene = enter(TIMEOUT_MS);
    bson_t *command = BCON_NEW("insert", "c", "documents", "[", "{", "_id", BCON_INT32(7), "}", "]",
                               "txnNumber", BCON_INT64(3));
    bson_t *expected = bson_copy(command);
    BSON_APPEND_UTF8(expected, "$db", "shop");
    assert_true(sp_conn_command(scene.conn, "shop", command, NULL, NULL));
    bson_t *sent = fake_server_last(scene.server);
    assert_true(bson_equal(sent, expected));
    bson_destroy(sent);
    bson_destroy(command);
    bson_destroy(expected);

    bson_t empty = BSON_INITIALIZER;
    assert_true(sp_conn_command(scene.conn, "d", &empty, NULL, NULL));
    sent = fake_server_last(scene.server);
    assert_int_equal(bson_count_keys(sent), 1);
    bson_destroy(sent);
    leave(&scene);
}

static void reply_is_given_whole(void **state)
{
    (void)state;
    scene_t scene = enter(TIMEOUT_MS);
    sp_error_t error = {0};
    size_t size = 9000000;
    char *text = bson_malloc(size);
    memset(text, 'x', size);
    bson_t big = BSON_INITIALIZER;
    assert_true(bson_append_utf8(&big, "big", 3, text, (int)size));
    BSON_APPEND_BOOL(&big, "ok", true);
    bson_t reply;
    const fake_answer_t ways[] = {FAKE_REPLY, FAKE_CHECKSUM, FAKE_REPLY};
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        fake_server_set(scene.server, ways[i], &big);
        assert_true(sp_conn_command(scene.conn, "db", &big, &reply, &error));
        assert_true(bson_equal(&reply, &big));
        bson_destroy(&reply);
    }
    assert_int_equal(fake_server_connections(scene.server), 1);
    bson_free(text);
    bson_destroy(&big);
    leave(&scene);
}

static void check_refusal(const scene_t *scene, bson_t *answer, int code, const char *words)
{
    sp_error_t error = {0};
    bson_t reply;
    fake_server_set(scene->server, FAKE_REPLY, answer);
    assert_false(sp_conn_commandf(scene->conn, "db", &reply, &error, "{\"x\": 1}"));
    assert_int_equal(error.domain, SP_ERROR_SERVER);
    assert_int_equal(error.code, code);
    assert_non_null(strstr(error.message, words));
    assert_true(bson_equal(&reply, answer));
    bson_destroy(&reply);
    bson_destroy(answer);
}

static void refusals_have_the_servers_code(void **state)
{
    (void)state;
    scene_t scene = enter(TIMEOUT_MS);
    check_refusal(&scene,
                  BCON_NEW("ok", BCON_DOUBLE(0), "code", BCON_INT32(61), "codeName",
                           "ShardKeyNotFound", "errmsg", "no key"),
                  61, "ShardKeyNotFound (61): no key");
    check_refusal(&scene, BCON_NEW("ok", BCON_INT32(0), "errmsg", "just no"), 0, "just no");
    check_refusal(&scene, BCON_NEW("ok", BCON_BOOL(false)), 0, "gave no reason");
    check_refusal(&scene, BCON_NEW("n", BCON_INT32(1)), 0, "gave no reason");
    check_refusal(&scene, BCON_NEW("ok", BCON_DOUBLE(0), "code", BCON_INT64(1LL << 40)), 0, "");
    check_refusal(&scene, BCON_NEW("ok", BCON_DOUBLE(0), "code", BCON_DOUBLE(72)), 72, "72");
    check_refusal(&scene, BCON_NEW("ok", BCON_DOUBLE(0), "errmsg", BCON_INT32(1)), 0, "");

    bson_t *write_errors = BCON_NEW("ok", BCON_DOUBLE(1), "writeErrors", "[", "{", "code",
                                    BCON_INT32(11000), "}", "]");
    fake_server_set(scene.server, FAKE_REPLY, write_errors);
    assert_int_equal(ask(&scene).domain, SP_ERROR_NONE);
    bson_destroy(write_errors);
    assert_int_equal(fake_server_connections(scene.server), 1);
    leave(&scene);
}

static void broken_answers_are_infrastructure(void **state)
{
    (void)state;
    scene_t scene = enter(TIMEOUT_MS);
    static const struct {
        fake_answer_t answer;
        const char *words;
    } cases[] = {
        {FAKE_CLOSE, "closed the connection"},
        {FAKE_CUT, "closed the connection"},
        {FAKE_OPCODE, "no OP_MSG"},
        {FAKE_STRANGER, "another request"},
        {FAKE_LENGTH, "malformed"},
        {FAKE_NEGATIVE, "malformed"},
        {FAKE_KIND, "malformed"},
        {FAKE_MORE, "announces more"},
        {FAKE_BROKEN, "no well-formed BSON"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        fake_server_set(scene.server, cases[i].answer, NULL);
        sp_error_t error = ask(&scene);
        assert_int_equal(error.domain, SP_ERROR_INFRA);
        assert_non_null(strstr(error.message, cases[i].words));
        /* The next command works again. */
        fake_server_set(scene.server, FAKE_REPLY, NULL);
        assert_int_equal(ask(&scene).domain, SP_ERROR_NONE);
    }
    leave(&scene);
}

static void silence_is_a_timeout(void **state)
{
    (void)state;
    scene_t scene = enter(TIMEOUT_MS);
    assert_int_equal(ask(&scene).domain, SP_ERROR_NONE);
    sp_conn_set_timeout(scene.conn, 100);
    fake_server_set(scene.server, FAKE_SILENT, NULL);
    sp_error_t error = ask(&scene);
    assert_int_equal(error.domain, SP_ERROR_INFRA);
    assert_int_equal(error.code, ETIMEDOUT);
    sp_conn_set_timeout(scene.conn, TIMEOUT_MS);
    fake_server_set(scene.server, FAKE_REPLY, NULL);
    assert_int_equal(ask(&scene).domain, SP_ERROR_NONE);
    leave(&scene);
}

static bool yes(void)
{
    return true;
}

static bool no(void)
{
    return false;
}

static void waiting_can_be_stopped(void **state)
{
    (void)state;
    scene_t scene = enter(TIMEOUT_MS);
    sp_conn_stop_when(scene.conn, no);
    assert_int_equal(ask(&scene).domain, SP_ERROR_NONE);
    sp_conn_stop_when(scene.conn, yes);
    fake_server_set(scene.server, FAKE_SILENT, NULL);
    sp_error_t error = ask(&scene);
    assert_int_equal(error.domain, SP_ERROR_INFRA);
    assert_int_equal(error.code, EINTR);
    sp_conn_set_timeout(scene.conn, 200);
    sp_conn_stop_when(scene.conn, no);
    assert_int_equal(ask(&scene).code, ETIMEDOUT);
    leave(&scene);
}

static void closed_connection_is_noticed_before_sending(void **state)
{
    (void)state;
    scene_t scene = enter(TIMEOUT_MS);
    fake_server_set(scene.server, FAKE_HANG_UP, NULL);
    assert_int_equal(ask(&scene).domain, SP_ERROR_NONE);
    usleep(100000);
    fake_server_set(scene.server, FAKE_REPLY, NULL);
    assert_int_equal(ask(&scene).domain, SP_ERROR_NONE);
    assert_int_equal(fake_server_connections(scene.server), 2);
    leave(&scene);
}

static void unreachable_server_is_named(void **state)
{
    (void)state;
    int port;
    sp_error_t error = {0};
    assert_true(sp_ports_pick(&port, 1, &error));
    char *uri = bson_strdup_printf("mongodb://127.0.0.1:%d/", port);
    char *host = bson_strdup_printf("127.0.0.1:%d", port);
    sp_conn_t *conn = sp_conn_open(uri, TIMEOUT_MS, &error);
    assert_non_null(conn);
    for (int i = 0; i < 2; i++) {
        bson_t reply;
        assert_false(sp_conn_commandf(conn, "admin", &reply, &error, "{\"ping\": 1}"));
        assert_int_equal(error.domain, SP_ERROR_INFRA);
        assert_non_null(strstr(error.message, host));
        assert_non_null(strstr(error.message, "refused"));
        bson_destroy(&reply);
    }
    sp_conn_close(conn);
    sp_conn_close(NULL);
    bson_free(uri);
    bson_free(host);
}

static bool post_number(const scene_t *scene, int32_t number, sp_error_t *error)
{
    bson_t command = BSON_INITIALIZER;
    BSON_APPEND_INT32(&command, "number", number);
    bool ok = sp_conn_post(scene->conn, "db", &command, error);
    bson_destroy(&command);
    return ok;
}

static void several_commands_can_be_under_way(void **state)
{
    (void)state;
    scene_t scene = enter(TIMEOUT_MS);
    sp_error_t error = {0};
    bson_t *refusal = BCON_NEW("ok", BCON_INT32(0), "code", BCON_INT32(9), "errmsg", "no"), reply;
    for (int round = 0; round < 3; round++) {
        for (int32_t i = 0; i < 20; i++) {
            fake_server_set(scene.server, FAKE_REPLY, NULL);
            assert_true(post_number(&scene, i, &error));
            assert_int_equal(sp_conn_due(scene.conn), i + 1);
        }
        for (unsigned i = 20; i > 0; i--) {
            assert_true(sp_conn_fetch(scene.conn, &reply, &error));
            bson_destroy(&reply);
            assert_int_equal(sp_conn_due(scene.conn), i - 1);
        }
    }
    /* A refusal is an answer like others: what comes after it is still to be had. */
    fake_server_set(scene.server, FAKE_REPLY, refusal);
    assert_true(post_number(&scene, 1, &error) && post_number(&scene, 2, &error));
    for (int i = 0; i < 2; i++) {
        assert_false(sp_conn_fetch(scene.conn, NULL, &error));
        assert_int_equal(error.domain, SP_ERROR_SERVER);
        assert_int_equal(error.code, 9);
    }
    assert_int_equal(fake_server_connections(scene.server), 1);
    bson_destroy(refusal);
    leave(&scene);
}

static void replies_that_nobody_posted_for_do_not_come(void **state)
{
    (void)state;
    scene_t scene = enter(TIMEOUT_MS);
    sp_error_t error = {0};
    bson_t reply;
    assert_false(sp_conn_fetch(scene.conn, &reply, &error));
    assert_int_equal(error.domain, SP_ERROR_INFRA);
    bson_destroy(&reply);
    /* Where the connection breaks all replies are lost, each told. */
    fake_server_set(scene.server, FAKE_CLOSE, NULL);
    assert_true(post_number(&scene, 1, &error));
    assert_false(sp_conn_fetch(scene.conn, NULL, &error));
    assert_int_equal(error.domain, SP_ERROR_INFRA);
    assert_int_equal(sp_conn_due(scene.conn), 0);
    assert_false(sp_conn_fetch(scene.conn, NULL, &error));
    assert_int_equal(error.domain, SP_ERROR_INFRA);
    leave(&scene);
}

/* The reply to a command is never that of an older one that was left behind. */
static void replies_left_behind_are_given_up(void **state)
{
    (void)state;
    scene_t scene = enter(TIMEOUT_MS);
    sp_error_t error = {0};
    bson_t *old = BCON_NEW("ok", BCON_INT32(1), "old", BCON_BOOL(true)), reply;
    fake_server_set(scene.server, FAKE_REPLY, old);
    for (int i = 0; i < 2; i++) {
        assert_true(post_number(&scene, 1, &error));
        bson_t *sent = NULL; /* until it has arrived */
        while (sent == NULL || !bson_has_field(sent, "number")) {
            bson_destroy(sent);
            usleep(1000);
            sent = fake_server_last(scene.server);
        }
        bson_destroy(sent);
        fake_server_set(scene.server, FAKE_REPLY, NULL);
        if (i == 0) {
            sp_conn_forget(scene.conn);
            assert_int_equal(sp_conn_due(scene.conn), 0);
        }
        assert_true(sp_conn_commandf(scene.conn, "db", &reply, &error, "{\"x\": 1}"));
        assert_false(bson_has_field(&reply, "old"));
        bson_destroy(&reply);
        assert_int_equal(fake_server_connections(scene.server), i + 2);
        fake_server_set(scene.server, FAKE_REPLY, old);
    }
    bson_destroy(old);
    leave(&scene);
}

static void bad_input_is_refused(void **state)
{
    (void)state;
    static const char *const uris[] = {
        "",
        "nonsense",
        "http://h/",
        "mongodb://",
        "mongodb://h:99999/",
        "mongodb://a:1,b:2/",
        "mongodb://u:topsecret@h:port/",
        "mongodb://u:top/secret@h/",
        "mongodb://u:topsecret@h/?authMechanism=GSSAPI&gssapiServiceName=%"};
    sp_error_t error;
    for (size_t i = 0; i < sizeof uris / sizeof *uris; i++) {
        memset(&error, 0, sizeof error);
        assert_null(sp_conn_open(uris[i], TIMEOUT_MS, &error));
        assert_int_equal(error.domain, SP_ERROR_USAGE);
        assert_null(strstr(error.message, "secret"));
    }

    scene_t scene = enter(TIMEOUT_MS);
    bson_t reply;
    assert_false(sp_conn_commandf(scene.conn, "db", &reply, &error, "{\"x\": "));
    assert_int_equal(error.domain, SP_ERROR_INPUT);
    bson_destroy(&reply);
    assert_false(sp_conn_commandf(scene.conn, "db", &reply, &error, "{\"x\": 1, \"$db\": \"y\"}"));
    assert_int_equal(error.domain, SP_ERROR_INPUT);
    bson_destroy(&reply);
    assert_false(sp_conn_commandf(scene.conn, "", NULL, &error, "{\"x\": 1}"));
    assert_int_equal(error.domain, SP_ERROR_INPUT);
    char long_name[400];
    memset(long_name, 'n', sizeof long_name - 1);
    long_name[sizeof long_name - 1] = '\0';
    assert_false(sp_conn_commandf(scene.conn, long_name, NULL, &error, "{\"x\": 1}"));
    assert_int_equal(error.domain, SP_ERROR_INPUT);

    size_t size = SP_WIRE_MESSAGE_MAX;
    uint8_t *data = bson_malloc0(size);
    bson_t huge = BSON_INITIALIZER;
    BSON_APPEND_BINARY(&huge, "b", BSON_SUBTYPE_BINARY, data, (uint32_t)size);
    assert_false(sp_conn_command(scene.conn, "db", &huge, NULL, &error));
    assert_int_equal(error.domain, SP_ERROR_INPUT);
    bson_destroy(&huge);
    bson_free(data);
    /* None of that broke the connection. */
    assert_int_equal(ask(&scene).domain, SP_ERROR_NONE);
    assert_int_equal(fake_server_connections(scene.server), 1);
    leave(&scene);
}

static void documents_are_checked(void **state)
{
    (void)state;
    bson_t *good =
        BCON_NEW("a", "{", "b", "[", BCON_INT32(1), BCON_UTF8("x"), "]", "}", "c", BCON_DOUBLE(2));
    const uint8_t *data = bson_get_data(good);
    assert_true(sp_wire_is_document(data, good->len));
    assert_false(sp_wire_is_document(data, good->len - 1));
    assert_false(sp_wire_is_document(data, 4));
    /* Each single wrong length or type inside is noticed or harmless, never read past the end. */
    uint8_t *copy = bson_malloc(good->len);
    for (uint32_t at = 0; at < good->len; at++) {
        for (unsigned value = 0; value < 256; value++) {
            memcpy(copy, data, good->len);
            copy[at] = (uint8_t)value;
            (void)sp_wire_is_document(copy, good->len);
        }
    }
    bson_free(copy);
    bson_destroy(good);

    static const uint8_t invalid_utf8[] = "\x0e\0\0\0\x02s\0\x02\0\0\0\xff\0";
    assert_true(sp_wire_is_document(invalid_utf8, sizeof invalid_utf8));

    bson_t deep = BSON_INITIALIZER;
    for (int i = 0; i < 300; i++) {
        bson_t outer = BSON_INITIALIZER;
        BSON_APPEND_DOCUMENT(&outer, "d", &deep);
        bson_destroy(&deep);
        bson_steal(&deep, &outer);
    }
    assert_false(sp_wire_is_document(bson_get_data(&deep), deep.len));
    bson_destroy(&deep);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(command_is_sent_as_it_is),
        cmocka_unit_test(reply_is_given_whole),
        cmocka_unit_test(refusals_have_the_servers_code),
        cmocka_unit_test(broken_answers_are_infrastructure),
        cmocka_unit_test(silence_is_a_timeout),
        cmocka_unit_test(waiting_can_be_stopped),
        cmocka_unit_test(closed_connection_is_noticed_before_sending),
        cmocka_unit_test(unreachable_server_is_named),
        cmocka_unit_test(several_commands_can_be_under_way),
        cmocka_unit_test(replies_that_nobody_posted_for_do_not_come),
        cmocka_unit_test(replies_left_behind_are_given_up),
        cmocka_unit_test(bad_input_is_refused),
        cmocka_unit_test(documents_are_checked),
    };
    mongoc_init();
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    mongoc_cleanup();
    return failed;
}
