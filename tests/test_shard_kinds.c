#include "kinds_count.h"

#include "from_json.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void test_kinds(void **state)
{
    (void)state;
    static const sp_kinds_area_t area = {"shardcollection", sp_gen_shardcollection,
                                         sp_case_predict_shardcollection, 400,
                                         SP_SHARDING_REQUESTS};
    sp_assert_kinds_come(&area);
}

static bool write_kind(void *context, const char *dimension, const char *name)
{
    bson_string_append_printf(context, "%s=%s;", dimension, name);
    return true;
}

static void assert_kinds(const char *request, const char *answer, const char *wanted)
{
    char *text = bson_strdup_printf("{'requests': [%s]}", request);
    bson_t *test = sp_doc_from(text), *answer_doc = sp_doc_from(answer);
    bson_string_t *kinds = bson_string_new(NULL);
    sp_kinds_of("shardcollection", test, 0, answer_doc, write_kind, kinds);
    assert_string_equal(kinds->str, wanted);
    bson_string_free(kinds, true);
    bson_destroy(test);
    bson_destroy(answer_doc);
    bson_free(text);
}

static void test_what_a_request_is(void **state)
{
    (void)state;
    assert_kinds("{'key': {'x': 1}}", "{'ok': true, 'made': []}",
                 "key shape=x:1;key value=int 1;collection=none;outcome=sharded;");
    assert_kinds("{'key': {'x': 'hashed', 'y': 1.0}, 'collection': {}, 'options': {'unique': true, "
                 "'numInitialChunks': 2}}",
                 "{'ok': true, 'made': [{}]}",
                 "key shape=x:hashed,y:1;key value=hashed;key value=double;collection=plain;"
                 "option=unique;option=numInitialChunks;outcome=sharded with an index;");
    assert_kinds("{'key': {'x': -1}, 'collection': {'capped': true, 'collation': {'locale': "
                 "'en'}}, 'docs': [{}], 'indexes': [{'key': {'x': -1}, 'sparse': true}, {'key': "
                 "{'t': 'text'}}]}",
                 "{'error': {'code': 2}}",
                 "key shape=x:1;key value=other int;collection=capped;collection=collation;"
                 "collection=documents;index=descending;index=text;index=sparse;outcome=error 2;");
    assert_kinds("{'key': {'m': 1}, 'collection': {'timeseries': {'timeField': 't'}}, 'sharded': "
                 "{}}",
                 "{}", "key shape=m:1;key value=int 1;collection=time series;collection=sharded;");
    assert_kinds("{'collection': 5, 'indexes': 5, 'options': 5, 'key': 5}", "{}",
                 "collection=none;");
    assert_kinds("{'key': {'x': null}, 'indexes': [5, {'key': 5}], 'collection': {'collation': 5}}",
                 "{'error': 5}", "key shape=x:1;key value=other;collection=plain;outcome=sharded;");
}

static bool stop(void *context, const char *dimension, const char *name)
{
    (void)dimension;
    (void)name;
    return --*(int *)context > 0;
}

static void test_stop(void **state)
{
    (void)state;
    bson_t *test = sp_doc_from("{'requests': [{'key': {'x': 1, 'y': 'hashed'}, 'collection': "
                               "{'capped': true, 'collation': {'locale': 'en'}}, 'docs': [], "
                               "'sharded': {}, 'indexes': [{'key': {'x': 1}, 'unique': true}], "
                               "'options': {'unique': true}}]}");
    bson_t *answer = sp_doc_from("{'ok': true}");
    for (int most = 1; most < 12; most++) {
        int left = most;
        sp_kinds_of("shardcollection", test, 0, answer, stop, &left);
        assert_true(left >= 0);
    }
    bson_destroy(test);
    bson_destroy(answer);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kinds),
        cmocka_unit_test(test_what_a_request_is),
        cmocka_unit_test(test_stop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
