#include "../fuzzers/kinds.h"

#include "from_json.h"
#include "kinds_count.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void test_find_kinds(void **state)
{
    (void)state;
    static const sp_kinds_area_t area = {"find", sp_gen_find, sp_case_predict_find, 150,
                                         SP_FIND_QUERIES};
    sp_assert_kinds_come(&area);
}

static void test_write_kinds(void **state)
{
    (void)state;
    static const sp_kinds_area_t area = {"write", sp_gen_write, sp_case_predict_write, 400,
                                         SP_WRITE_WRITES};
    sp_assert_kinds_come(&area);
}

static bool write_kind(void *context, const char *dimension, const char *name)
{
    bson_string_append_printf(context, "%s=%s;", dimension, name);
    return true;
}

static void assert_kinds(const char *area, const char *test, uint32_t check, const char *answer,
                         const char *wanted)
{
    bson_t *test_doc = sp_doc_from(test), *answer_doc = sp_doc_from(answer);
    bson_string_t *text = bson_string_new(NULL);
    sp_kinds_of(area, test_doc, check, answer_doc, write_kind, text);
    assert_string_equal(text->str, wanted);
    bson_string_free(text, true);
    bson_destroy(test_doc);
    bson_destroy(answer_doc);
}

#define CHUNKS                                                                                     \
    "'chunks': [[{}, {}, 's1'], [{}, {}, 's3'], [{}, {}, 's1'], [{}, {}, 's2']], 'shards': 4"

static void test_what_a_question_is(void **state)
{
    (void)state;
    static const char find[] =
        "{'key': {'a.b': 1, 'y': 'hashed'}, 'collation': null, " CHUNKS ", 'queries': ["
        "{'op': 'find', 'filter': {'x': 1}},"
        "{'op': 'aggregate', 'filter': {'$or': [{'x': {'$not': {'$gt': 1}}}, {'x': {'$in': "
        "[{'$lt': 1}]}}]}, 'collation': {'locale': 'fr'}},"
        "{'op': 'find', 'filter': {'x': {'$all': [{'$elemMatch': {'$nor': [{'x': {'$mod': 1}}]}}, "
        "{'$elemMatch': {'$size': 1}}]}}, 'collation': {'locale': 'simple'}},"
        "{'op': 'find', 'filter': {'x': {'b': {'$gt': 1}}, 'y': {'$foo': 1}, '$foo': 1}}]}";
    assert_kinds("find", find, 0, "{'shards': ['s1']}",
                 "key shape=a.b:1,y:hashed;operation=find;operator=equality;collation=none;"
                 "outcome=one shard;");
    assert_kinds("find", find, 1, "{'shards': ['s1', 's2']}",
                 "key shape=a.b:1,y:hashed;operation=aggregate;operator=$gt;operator=$in;"
                 "operator=$or;operator=$not;collation=other;outcome=some shards;");
    assert_kinds("find", find, 2, "{'shards': ['s1', 's2', 's3']}",
                 "key shape=a.b:1,y:hashed;operation=find;operator=$nor;operator=$mod;"
                 "operator=$all;operator=$elemMatch;operator=$size;collation=simple;"
                 "outcome=all shards;");
    assert_kinds("find", find, 3, "{'error': {'code': 2}}",
                 "key shape=a.b:1,y:hashed;operation=find;operator=equality;collation=none;"
                 "outcome=error 2;");
    assert_kinds("find", find, 3, "{}",
                 "key shape=a.b:1,y:hashed;operation=find;operator=equality;collation=none;");
    assert_kinds("find", find, 4, "{}", "");
    assert_kinds("route", find, 0, "{}", "");
    assert_kinds("write", find, 0, "{}", "");
}

static void test_what_a_write_is(void **state)
{
    (void)state;
    static const char write[] =
        "{'key': {'x': 1}, 'collation': {'locale': 'fr'}, " CHUNKS ", 'writes': ["
        "{'op': 'upsert', 'filter': {'x': {'$regularExpression': {'pattern': 'a', 'options': "
        "''}}}},"
        "{'op': 'deleteOne', 'filter': {}, 'collation': {'locale': 'fr'}}]}";
    assert_kinds("write", write, 0, "{'shards': ['s1', 's2', 's3']}",
                 "key shape=x:1;operation=upsert;operator=regex value;collation=collection's;"
                 "outcome=some shards;");
    assert_kinds("write", write, 1, "{'shards': ['s1', 's2', 's3', 's4']}",
                 "key shape=x:1;operation=deleteOne;collation=same as collection's;"
                 "outcome=all shards;");
}

static bool stop(void *context, const char *dimension, const char *name)
{
    (void)dimension;
    (void)name;
    ++*(unsigned *)context;
    return false;
}

static void test_stop(void **state)
{
    (void)state;
    bson_t *test =
        sp_doc_from("{'key': {'x': 1}, 'queries': [{'op': 'find', 'filter': {'x': 1}}]}");
    bson_t *answer = sp_doc_from("{'shards': ['s1']}");
    unsigned calls = 0;
    sp_kinds_of("find", test, 0, answer, stop, &calls);
    assert_int_equal(calls, 1);
    bson_destroy(test);
    bson_destroy(answer);
}

/* Cases come from files too: what is missing or of another type adds nothing and breaks nothing. */
static void test_odd_cases(void **state)
{
    (void)state;
    assert_kinds("find", "{}", 0, "{}", "");
    assert_kinds("find", "{'queries': 5}", 0, "{}", "");
    assert_kinds("find", "{'queries': [5]}", 0, "{}", "");
    assert_kinds("find",
                 "{'queries': [{'op': 5, 'filter': 5, 'collation': 5}], 'key': 5, "
                 "'chunks': 5, 'collation': 5}",
                 0, "{'shards': 5, 'error': 5}", "collation=none;");
    assert_kinds("find",
                 "{'queries': [{'filter': {'$and': 5, '$or': [5], 'x': {'$all': 5, '$not': "
                 "5, '$elemMatch': 5}}}], 'chunks': [5, [], ['a', 'b', 'c']]}",
                 0, "{'shards': ['s1', 's2']}",
                 "operator=$and;operator=$or;operator=$not;operator=$all;operator=$elemMatch;"
                 "collation=none;outcome=all shards;");
    assert_kinds("write", "{'writes': [{}], 'shards': 'a'}", 0, "{'shards': []}",
                 "collation=none;outcome=no shard;");
}

static void test_areas_without_kinds(void **state)
{
    (void)state;
    static const char *const areas[] = {"hash", "order", "route", "", "finds"};
    for (unsigned i = 0; i < sizeof areas / sizeof *areas; i++) {
        unsigned count = 7;
        assert_null(sp_kinds_declared(areas[i], &count));
        assert_int_equal(count, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_find_kinds),
        cmocka_unit_test(test_write_kinds),
        cmocka_unit_test(test_what_a_question_is),
        cmocka_unit_test(test_what_a_write_is),
        cmocka_unit_test(test_stop),
        cmocka_unit_test(test_odd_cases),
        cmocka_unit_test(test_areas_without_kinds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
