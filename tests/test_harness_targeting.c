/* The find and write areas against a real cluster: answers that are known, and what is left behind.
 */
#include "test_harness_common.h"

#include "../harness/area.h"
#include "../harness/paper.h"
#include "../harness/servers/install.h"
#include "../oracles/verdict.h"

#include <mongoc/mongoc.h>
#include <stdlib.h>
#include <string.h>

typedef struct scene {
    sp_target_t *target;
    sp_session_t *session;
    sp_answers_t observed;
} scene_t;

static int enter(void **state)
{
    sp_error_t error = {0};
    scene_t *scene = bson_malloc0(sizeof *scene);
    const sp_target_options_t options = {.server = SP_DEFAULT_SERVER, .shards = 3};
    *state = scene;
    scene->target = sp_target_open(&options, &error);
    if (scene->target == NULL)
        fail_msg("%s", error.message);
    scene->session = sp_session_open(scene->target, 1, &error);
    return scene->session != NULL ? 0 : -1;
}

static int leave(void **state)
{
    scene_t *scene = *state;
    sp_session_close(scene->session);
    sp_target_close(scene->target, false);
    sp_answers_clear(&scene->observed);
    bson_free(scene);
    return 0;
}

#define LAYOUT                                                                                     \
    "\"key\": {\"x\": 1}, \"shards\": 3, \"chunks\": [[{\"x\": {\"$minKey\": 1}}, {\"x\": 0}, "    \
    "\"s2\"], [{\"x\": 0}, {\"x\": \"m\"}, \"s1\"], [{\"x\": \"m\"}, {\"x\": {\"$maxKey\": 1}}, "  \
    "\"s3\"]]"

typedef struct question {
    const char *question, *answer; /* NULL: any error */
} question_t;

static bson_t *join(const char *area, const char *layout, const char *list,
                    const question_t *questions, size_t count)
{
    bson_string_t *json = bson_string_new(NULL);
    bson_string_append_printf(json, "{\"area\": \"%s\", %s, \"%s\": [", area, layout, list);
    for (size_t i = 0; i < count; i++)
        bson_string_append_printf(json, "%s%s", i > 0 ? ", " : "", questions[i].question);
    bson_string_append(json, "]}");
    bson_t *test = sp_test_doc(json->str);
    bson_string_free(json, true);
    return test;
}

static void check_answer(const question_t *question, const bson_t *observed)
{
    bson_t *expected = sp_test_doc(question->answer != NULL ? question->answer : "{\"error\": {}}");
    bool right = question->answer != NULL ? sp_judge(expected, observed) == SP_MATCH
                                          : bson_has_field(observed, "error");
    if (!right) {
        char *got = bson_as_relaxed_extended_json(observed, NULL);
        fail_msg("%s: %s", question->question, got);
    }
    bson_destroy(expected);
}

static void ask(scene_t *scene, const char *area, const char *layout, const char *list,
                const question_t *questions, size_t count)
{
    sp_error_t error = {0};
    bson_t *test = join(area, layout, list, questions, count);
    sp_answers_truncate(&scene->observed, 0);
    if (!sp_area_find(area)->execute(scene->session, &test, 1, &scene->observed, &error))
        fail_msg("%s", error.message);
    assert_int_equal(scene->observed.count, count);
    for (size_t i = 0; i < count; i++)
        check_answer(&questions[i], scene->observed.items[i]);
    bson_destroy(test);
}

#define S1  "{\"shards\": [\"s1\"]}"
#define S2  "{\"shards\": [\"s2\"]}"
#define S3  "{\"shards\": [\"s3\"]}"
#define ALL "{\"shards\": [\"s1\", \"s2\", \"s3\"]}"

static const question_t queries[] = {
    {"{\"op\": \"find\", \"filter\": {\"x\": 5}}", S1},
    {"{\"op\": \"aggregate\", \"filter\": {\"x\": 5}}", S1},
    {"{\"op\": \"find\", \"filter\": {\"x\": -5}}", S2},
    {"{\"op\": \"find\", \"filter\": {\"x\": {\"$gt\": \"z\"}}}", S3},
    {"{\"op\": \"find\", \"filter\": {\"y\": 5}}", ALL},
    {"{\"op\": \"aggregate\", \"filter\": {}}", ALL},
    {"{\"op\": \"find\", \"filter\": {\"x\": {\"$in\": [-1, 1]}}}",
     "{\"shards\": [\"s1\", \"s2\"]}"},
    {"{\"op\": \"find\", \"filter\": {\"x\": \"a\"}}", S1},
    {"{\"op\": \"find\", \"filter\": {\"x\": \"a\"}, \"collation\": {\"locale\": \"fr\"}}", ALL},
    {"{\"op\": \"aggregate\", \"filter\": {\"x\": \"a\"}, \"collation\": {\"locale\": \"fr\"}}",
     ALL},
    {"{\"op\": \"find\", \"filter\": {\"x\": {\"$nonsense\": 1}}}", "{\"error\": {\"code\": 2}}"},
    {"{\"op\": \"aggregate\", \"filter\": {\"x\": {\"$nonsense\": 1}}}",
     "{\"error\": {\"code\": 2}}"},
    {"{\"op\": \"find\", \"filter\": {}, \"collation\": {\"locale\": \"nowhere\"}}", NULL},
    {"{\"op\": \"find\", \"filter\": {\"x\": 6}}", S1}, /* refusals disturb nothing after them */
};

enum { QUERIES = sizeof queries / sizeof *queries };

static void queries_go_where_they_must(void **state)
{
    /* More often than there are routers, so that each has its turn. */
    for (int i = 0; i < 4; i++)
        ask(*state, "find", LAYOUT, "queries", queries, QUERIES);
}

static void a_new_layout_takes_the_place_of_the_old(void **state)
{
    static const question_t here[] = {{"{\"op\": \"find\", \"filter\": {\"x\": 5}}", S1}};
    static const question_t there[] = {
        {"{\"op\": \"find\", \"filter\": {\"x\": 5}}", S3},
        {"{\"op\": \"find\", \"filter\": {}}", S3},
        {"{\"op\": \"find\", \"filter\": {\"y\": 1}}", S3},
    };
    static const char whole[] =
        "\"key\": {\"x\": 1}, \"chunks\": [[{\"x\": {\"$minKey\": 1}}, {\"x\": {\"$maxKey\": 1}}, "
        "\"s3\"]]";
    static const question_t hashed[] = {
        {"{\"op\": \"find\", \"filter\": {\"z\": 1}}", S1}, /* its hash is 5902408780260971510 */
        {"{\"op\": \"find\", \"filter\": {\"z\": {\"$gt\": 1}}}", "{\"shards\": [\"s1\", \"s2\"]}"},
    };
    static const char hashes[] =
        "\"key\": {\"z\": \"hashed\"}, \"chunks\": [[{\"z\": {\"$minKey\": 1}}, {\"z\": "
        "{\"$numberLong\": \"5902408780260971510\"}}, \"s2\"], [{\"z\": {\"$numberLong\": "
        "\"5902408780260971510\"}}, {\"z\": {\"$maxKey\": 1}}, \"s1\"]]";
    for (int i = 0; i < 3; i++) {
        ask(*state, "find", LAYOUT, "queries", here, 1);
        ask(*state, "find", whole, "queries", there, 3);
        ask(*state, "find", hashes, "queries", hashed, 2);
    }
}

static void the_collections_collation_counts(void **state)
{
    static const question_t asked[] = {
        {"{\"op\": \"find\", \"filter\": {\"x\": \"a\"}}", ALL},
        {"{\"op\": \"find\", \"filter\": {\"x\": \"a\"}, \"collation\": {\"locale\": \"simple\"}}",
         S1},
        {"{\"op\": \"aggregate\", \"filter\": {\"x\": \"a\"}, \"collation\": {\"locale\": "
         "\"simple\"}}",
         S1},
        {"{\"op\": \"find\", \"filter\": {\"x\": 1}}", S1},
    };
    static const question_t done[] = {
        {"{\"op\": \"deleteMany\", \"filter\": {\"x\": \"a\"}}", ALL},
        {"{\"op\": \"deleteMany\", \"filter\": {\"x\": \"a\"}, \"collation\": {\"locale\": "
         "\"simple\"}}",
         S1},
    };
    ask(*state, "find", LAYOUT ", \"collation\": {\"locale\": \"fr\"}", "queries", asked, 4);
    ask(*state, "find", LAYOUT ", \"collation\": null", "queries", queries, QUERIES);
    ask(*state, "find", LAYOUT ", \"collation\": {\"locale\": \"simple\"}", "queries", queries,
        QUERIES);
    ask(*state, "write", LAYOUT ", \"collation\": {\"locale\": \"fr\"}", "writes", done, 2);
}

static void writes_go_where_they_must(void **state)
{
    static const question_t writes[] = {
        {"{\"op\": \"upsert\", \"filter\": {\"x\": 5}}", S1},
        {"{\"op\": \"updateOne\", \"filter\": {\"x\": 5}}", S1},
        {"{\"op\": \"updateMany\", \"filter\": {\"x\": {\"$gt\": \"z\"}}}", S3},
        {"{\"op\": \"upsert\", \"filter\": {\"x\": 5}}", S1}, /* the first one's is gone by now */
        {"{\"op\": \"upsert\", \"filter\": {\"x\": -5, \"_id\": 1}}", S2},
        {"{\"op\": \"upsert\", \"filter\": {\"x\": \"z\", \"_id\": 1}}", S3},
        {"{\"op\": \"replaceOne\", \"filter\": {\"x\": \"z\"}, \"update\": {\"x\": \"z\"}}", S3},
        {"{\"op\": \"deleteOne\", \"filter\": {\"x\": -5}}", S2},
        /* Of many documents, on more than one shard: all shards. */
        {"{\"op\": \"deleteMany\", \"filter\": {\"x\": {\"$lt\": 3}}}", ALL},
        {"{\"op\": \"deleteOne\", \"filter\": {\"_id\": 1}}", ALL},
        {"{\"op\": \"updateOne\", \"filter\": {\"y\": 1}}", "{\"error\": {\"code\": 72}}"},
        {"{\"op\": \"deleteOne\", \"filter\": {\"y\": 1}}", "{\"error\": {\"code\": 61}}"},
        {"{\"op\": \"upsert\", \"filter\": {\"y\": 1}}", "{\"error\": {\"code\": 61}}"},
        {"{\"op\": \"updateMany\", \"filter\": {\"x\": {\"$nonsense\": 1}}}",
         "{\"error\": {\"code\": 2}}"},
        /* Refused by the shard, whose profiler tells of it all the same. */
        {"{\"op\": \"upsert\", \"filter\": {\"x\": 5, \"w\": {\"a\": 1}, \"w.b\": 1}}",
         "{\"error\": {\"code\": 54}}"},
        /* A comment of the filter's own does not hide the harness' mark. */
        {"{\"op\": \"deleteMany\", \"filter\": {\"$comment\": \"shardproof-0\", \"x\": 5}}", S1},
    };
    for (int i = 0; i < 2; i++)
        ask(*state, "write", LAYOUT, "writes", writes, sizeof writes / sizeof *writes);
}

static void too_few_shards_are_told(void **state)
{
    static const struct {
        const char *layout, *words;
    } cases[] = {
        {"\"key\": {\"x\": 1}, \"shards\": 4, \"chunks\": [[{\"x\": {\"$minKey\": 1}}, {\"x\": "
         "{\"$maxKey\": 1}}, \"s1\"]]",
         "4 shards"},
        {"\"key\": {\"x\": 1}, \"chunks\": [[{\"x\": {\"$minKey\": 1}}, {\"x\": {\"$maxKey\": 1}}, "
         "\"s7\"]]",
         "'s7'"},
    };
    scene_t *scene = *state;
    const question_t write = {"{\"op\": \"deleteMany\", \"filter\": {}}", NULL};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        for (int area = 0; area < 2; area++) {
            sp_error_t error = {0};
            bson_t *test = area == 0 ? join("find", cases[i].layout, "queries", queries, 1)
                                     : join("write", cases[i].layout, "writes", &write, 1);
            assert_false(sp_area_of(test, NULL)
                             ->execute(scene->session, &test, 1, &scene->observed, &error));
            assert_int_equal(error.domain, SP_ERROR_USAGE);
            assert_non_null(strstr(error.message, cases[i].words));
            bson_destroy(test);
        }
    }
    /* … and whoever comes next is not troubled by it. */
    ask(scene, "find", LAYOUT, "queries", queries, QUERIES);
}

/* How many documents of config.`collection` match `filter`. */
static int64_t count_config(scene_t *scene, const char *collection, const char *filter)
{
    sp_error_t error = {0};
    bson_t reply;
    bson_iter_t iter;
    if (!sp_conn_commandf(scene->session->config, "config", &reply, &error,
                          "{\"count\": \"%s\", \"query\": %s}", collection, filter))
        fail_msg("%s", error.message);
    assert_true(bson_iter_init_find(&iter, &reply, "n"));
    int64_t n = bson_iter_as_int64(&iter);
    bson_destroy(&reply);
    return n;
}

static void nothing_is_left(void **state)
{
    scene_t *scene = *state;
    static const char ours[] = "{\"_id\": {\"$regex\": \"^sp[0-9]+_\"}}";
    ask(scene, "find", LAYOUT, "queries", queries, QUERIES);
    assert_int_equal(count_config(scene, "collections", ours), 1);
    /* Of all layouts only the last has chunks. */
    ask(scene, "find", LAYOUT, "queries", queries, QUERIES);
    assert_int_equal(count_config(scene, "chunks",
                                  "{\"history.validAfter\": {\"$exists\": true}, "
                                  "\"jumbo\": {\"$exists\": false}, \"min.x\": "
                                  "{\"$exists\": true}}"),
                     3);
    assert_int_equal(count_config(scene, "tags", "{}"), 0);
    sp_paper_drop(scene->session);
    assert_int_equal(count_config(scene, "collections", ours), 0);
    assert_int_equal(count_config(scene, "chunks", "{\"min.x\": {\"$exists\": true}}"), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(queries_go_where_they_must),
        cmocka_unit_test(a_new_layout_takes_the_place_of_the_old),
        cmocka_unit_test(the_collections_collation_counts),
        cmocka_unit_test(writes_go_where_they_must),
        cmocka_unit_test(too_few_shards_are_told),
        cmocka_unit_test(nothing_is_left),
    };
    mongoc_init();
    int failed = cmocka_run_group_tests(tests, enter, leave);
    mongoc_cleanup();
    return failed;
}
