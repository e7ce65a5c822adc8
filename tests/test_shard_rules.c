/* What 6.0.5 and 6.0.27 answered to shardCollection, and mongos 4.0.3 and 4.2.6 where they differ.
 */
#include "../oracles/case.h"
#include "../oracles/rules.h"

#include "from_json.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* The answer of one request on three shards; NULL for SP_ERROR_INPUT, with its message in `error`.
 */
static bson_t *answer_of(const char *request, const char *version_text, sp_error_t *error)
{
    sp_version_t version;
    sp_answers_t answers = SP_ANSWERS_INITIALIZER;
    assert_true(sp_version_parse(version_text, &version, NULL));
    sp_model_t *model = sp_model_new(version, NULL);
    char *text = bson_strdup_printf("{'shards': 3, 'requests': [%s]}", request);
    bson_t *test = sp_doc_from(text), *answer = NULL;
    *error = (sp_error_t){0};
    if (sp_case_predict_shardcollection(model, test, &answers, error)) {
        assert_int_equal(answers.count, 1);
        answer = bson_copy(answers.items[0]);
    } else {
        assert_int_equal(error->domain, SP_ERROR_INPUT);
    }
    sp_answers_clear(&answers);
    sp_model_free(model);
    bson_destroy(test);
    bson_free(text);
    return answer;
}

/* 0: it is sharded. */
static int32_t code_of(const char *request, const char *version)
{
    sp_error_t error;
    bson_iter_t iter, code;
    bson_t *answer = answer_of(request, version, &error);
    if (answer == NULL)
        fail_msg("%s: %s", request, error.message);
    int32_t found =
        bson_iter_init(&iter, answer) && bson_iter_find_descendant(&iter, "error.code", &code)
            ? bson_iter_int32(&code)
            : 0;
    assert_true(found != 0 || bson_has_field(answer, "ok"));
    bson_destroy(answer);
    return found;
}

static void assert_code(const char *request, int32_t wanted)
{
    static const char *const versions[] = {"6.0.5", "6.0.27"};
    for (size_t i = 0; i < COUNT(versions); i++) {
        int32_t code = code_of(request, versions[i]);
        if (code != wanted)
            fail_msg("%s on %s: %d, not %d", request, versions[i], code, wanted);
    }
}

static void assert_answer(const char *request, const char *wanted_text)
{
    sp_error_t error;
    bson_t *answer = answer_of(request, "6.0.27", &error), *wanted = sp_doc_from(wanted_text);
    assert_non_null(answer);
    if (!bson_equal(answer, wanted)) {
        char *text = bson_as_canonical_extended_json(answer, NULL);
        fail_msg("%s gives %s", request, text);
    }
    bson_destroy(answer);
    bson_destroy(wanted);
}

static void test_answers(void **state)
{
    (void)state;
    assert_answer("{'key': {'x': 1}}",
                  "{'ok': true, 'key': {'x': 1}, 'unique': false, 'chunks': 1, 'made': [{'key': "
                  "{'x': 1}, 'name': 'x_1'}]}");
    assert_answer("{'key': {'x': 1.5, 'a.b': 'hashed'}, 'options': {'unique': null}}",
                  "{'ok': true, 'key': {'x': 1.5, 'a.b': 'hashed'}, 'unique': false, 'chunks': 1, "
                  "'made': [{'key': {'x': 1.5, 'a.b': 'hashed'}, 'name': 'x_1_a.b_hashed'}]}");
    assert_answer("{'key': {'x': 'hashed'}, 'options': {'numInitialChunks': 2.9}}",
                  "{'ok': true, 'key': {'x': 'hashed'}, 'unique': false, 'chunks': 2, 'made': "
                  "[{'key': {'x': 'hashed'}, 'name': 'x_hashed'}]}");
    assert_answer("{'key': {'_id': 1}, 'options': {'unique': true}, 'docs': [{'_id': 1}]}",
                  "{'ok': true, 'key': {'_id': 1}, 'unique': true, 'chunks': 1, 'made': []}");
    assert_answer("{'key': {'x': 1}, 'options': {'unique': true}, 'indexes': [{'key': {'x': 1, "
                  "'y': 1}, 'name': 'n0'}]}",
                  "{'ok': true, 'key': {'x': 1}, 'unique': true, 'chunks': 1, 'made': [{'key': "
                  "{'x': 1}, 'name': 'x_1', 'unique': true}]}");
    assert_answer("{'key': {'m.a': 1, 't': 1}, 'collection': {'timeseries': {'timeField': 't', "
                  "'metaField': 'm'}}}",
                  "{'ok': true, 'key': {'meta.a': 1, 'control.min.t': 1}, 'unique': false, "
                  "'chunks': 1, 'made': [{'key': {'meta.a': 1, 'control.min.t': 1}, 'name': "
                  "'meta.a_1_control.min.t_1'}]}");
    /* the key stays as it was */
    assert_answer("{'key': {'x': {'$numberLong': '1'}}, 'sharded': {'key': {'x': 1.0}}, 'options': "
                  "{'numInitialChunks': 5, 'presplitHashedZones': true}}",
                  "{'ok': true, 'key': {'x': 1.0}, 'unique': false, 'chunks': 1, 'made': []}");
}

static const struct refused {
    const char *request;
    int32_t code;
} refused[] = {
    {"{'key': {}}", 2},
    {"{'key': {'x': -1}}", 2},
    {"{'key': {'x': true}}", 2},
    {"{'key': {'a..b': 1}}", 2},
    {"{'key': {'x': 'hashed', 'y': 'hashed'}}", 2},
    /* of the index that must be made */
    {"{'key': {'x': 1, 'x': 1}}", 2},
    {"{'key': {'_id': 1.5}}", 2},
    {"{'key': {'_fts': 1}}", 67},
    {"{'key': {'x': 1}, 'indexes': [{'key': {'y': 1}, 'name': 'x_1'}]}", 86},
    {"{'key': {'_fts': 1}, 'indexes': [{'key': {'y': 1}, 'name': '_fts_1'}]}", 67},
    {"{'key': {'x': 1}, 'docs': [{}], 'indexes': [{'key': {'y': 1}, 'name': 'x_1'}]}", 72},
    {"{'key': {'x': 1, 'x': 1}, 'docs': [{}]}", 72},
    {"{'key': {'x': 1, 'x': 1}, 'options': {'numInitialChunks': 2}}", 72},
    {"{'key': {'x': 1, 'x': 'hashed'}, 'options': {'presplitHashedZones': true}}", 31387},
    /* indexes that are there */
    {"{'key': {'x': 1}, 'docs': [{'x': 1}]}", 72},
    {"{'key': {'x': 1}, 'docs': [{'x': 1}], 'indexes': [{'key': {'x': 1}}]}", 0},
    {"{'key': {'x': 1}, 'docs': [{'x': [1]}], 'indexes': [{'key': {'x': 1}}]}", 72},
    {"{'key': {'x': 1}, 'docs': [{'x': 1, 'y': [1]}], 'indexes': [{'key': {'x': 1, 'y': 1}}]}", 72},
    {"{'key': {'x': 1}, 'docs': [{'x': 1, 'y': [1]}], 'indexes': [{'key': {'x': 1, 'y': 1}}, "
     "{'key': {'x': 1}}]}",
     0},
    {"{'key': {'x': 1}, 'docs': [{'x': 1}], 'indexes': [{'key': {'x': 1}, 'sparse': true}]}", 72},
    {"{'key': {'x': 1}, 'indexes': [{'key': {'x': 1}, 'sparse': true, 'name': 'n'}]}", 0},
    {"{'key': {'x': 1}, 'indexes': [{'key': {'x': 1}, 'sparse': true, 'name': 'x_1'}]}", 86},
    {"{'key': {'x': 1}, 'indexes': [{'key': {'x': 1}, 'hidden': true}]}", 72},
    {"{'key': {'x': 1}, 'indexes': [{'key': {'x': 1}, 'partialFilterExpression': {}}]}", 72},
    {"{'key': {'_id': 'hashed'}, 'indexes': [{'key': {'_id': 'hashed'}, 'hidden': true}]}", 0},
    {"{'key': {'_id': 'hashed'}, 'docs': [{}], 'indexes': [{'key': {'_id': 'hashed'}, "
     "'partialFilterExpression': {'q': 1}}]}",
     0},
    {"{'key': {'x': 1}, 'indexes': [{'key': {'y': 1}, 'unique': true}]}", 72},
    {"{'key': {'x': 1}, 'indexes': [{'key': {'y': 1}, 'prepareUnique': true}]}", 72},
    {"{'key': {'x': 1}, 'indexes': [{'key': {'_id': 1, 'y': 1}, 'unique': true}]}", 0},
    {"{'key': {'x': 1}, 'options': {'unique': true}, 'indexes': [{'key': {'x': 1}}]}", 72},
    {"{'key': {'x': 1}, 'options': {'unique': true}, 'indexes': [{'key': {'x': 1}, "
     "'prepareUnique': true}]}",
     72},
    {"{'key': {'x': 1}, 'options': {'unique': true}, 'docs': [{}], 'indexes': [{'key': {'x': 1, "
     "'y': 1}, 'unique': true}]}",
     72},
#define UNIQUE "'key': {'x': 1}, 'options': {'unique': true}"
    /* the first index on the very key must be unique, be it sparse or have a collation */
    {"{" UNIQUE ", 'indexes': [{'key': {'x': 1}, 'sparse': true, 'name': 'a'}, {'key': {'x': 1}, "
     "'unique': true}]}",
     72},
    {"{" UNIQUE ", 'indexes': [{'key': {'x': 1}, 'unique': true}, {'key': {'x': 1}}]}", 0},
    {"{" UNIQUE ", 'docs': [{}], 'indexes': [{'key': {'x': 1}, 'unique': true, 'sparse': true}, "
     "{'key': {'x': 1, 'y': 1}}]}",
     0},
    {"{" UNIQUE ", 'indexes': [{'key': {'x': 1}, 'collation': {'locale': 'fr'}}, {'key': {'x': 1, "
     "'y': 1}}]}",
     72},
    {"{'key': {'_id': 1, 'x': 1}, 'docs': [{}], 'options': {'unique': true}, 'indexes': [{'key': "
     "{'_id': 1, 'x': 1}}]}",
     0},
    /* options */
    {"{'key': {'x': 'hashed'}, 'options': {'unique': true}}", 72},
    {"{'key': {'x': 1}, 'options': {'unique': 1}}", 14},
    {"{'key': {'x': 2}, 'options': {'presplitHashedZones': 'a'}}", 14},
    {"{'key': {'x': 2}, 'options': {'collation': 5}}", 14},
    {"{'key': {'x': 1}, 'options': {'numInitialChunks': true}}", 14},
    {"{'key': {'x': 1}, 'options': {'numInitialChunks': 1}}", 72},
    {"{'key': {'x': 1}, 'options': {'numInitialChunks': 0}}", 0},
    {"{'key': {'x': 'hashed'}, 'options': {'numInitialChunks': -1}}", 72},
    {"{'key': {'x': 'hashed'}, 'options': {'numInitialChunks': 24577}}", 72},
    {"{'key': {'x': 'hashed'}, 'options': {'presplitHashedZones': true}}", 31387},
    {"{'key': {'x': 1}, 'options': {'collation': {'locale': 'simple'}}}", 0},
    {"{'key': {'x': 1}, 'options': {'collation': {'locale': 'en'}}}", 2},
    {"{'key': {'x': 1}, 'options': {'collation': {}}}", 40414},
    {"{'key': {'x': 1}, 'options': {'collation': {'locale': 'simple', 'bad': 1}}}", 40415},
    {"{'key': {'x': 1}, 'options': {'collation': {'locale': 'en', 'strength': 9}}}", 51024},
    {"{'key': {'x': 2}, 'options': {'collation': {}}}", 2},
    {"{'key': {'x': 1}, 'options': {'collation': {}, 'numInitialChunks': -1}}", 72},
    /* collections */
    {"{'key': {'x': 2}, 'collection': {'viewOn': 'b'}}", 166},
    {"{'key': {'x': 2}, 'collection': {'viewOn': 'b'}, 'options': {'unique': 1}}", 14},
    {"{'key': {'x': 1}, 'collection': {'capped': true, 'size': 1}}", 72},
    {"{'key': {'x': 1}, 'collection': {'capped': true}, 'options': {'presplitHashedZones': true}}",
     72},
    {"{'key': {'x': 1}, 'collection': {'collation': {'locale': 'en'}}}", 2},
    {"{'key': {'x': 1}, 'collection': {'collation': {'locale': 'en'}}, 'options': {'collation': "
     "{'locale': 'simple'}}}",
     0},
    {"{'key': {'_id': 1}, 'collection': {'collation': {'locale': 'en'}}, 'options': {'collation': "
     "{'locale': 'simple'}}}",
     2},
    {"{'key': {'x': 1}, 'docs': [{}], 'indexes': [{'key': {'x': 1}}], 'collection': {'collation': "
     "{'locale': 'en'}}, 'options': {'collation': {'locale': 'simple'}}}",
     72},
    {"{'key': {'x': 1}, 'docs': [{}], 'indexes': [{'key': {'x': 1}, 'collation': {'locale': "
     "'simple'}}], 'collection': {'collation': {'locale': 'en'}}, 'options': {'collation': "
     "{'locale': 'simple'}}}",
     0},
#define SERIES "'collection': {'timeseries': {'timeField': 't', 'metaField': 'm'}}"
    {"{'key': {}, " SERIES "}", 2},
    {"{'key': {'x': 1}, " SERIES "}", 5914001},
    {"{'key': {'mm': 1}, " SERIES "}", 5914001},
    {"{'key': {'t': 1, 'm': 1}, " SERIES "}", 5914000},
    {"{'key': {'t': 1, 'x': 1}, " SERIES "}", 5914000},
    {"{'key': {'t': 'hashed'}, " SERIES "}", 2},
    {"{'key': {'t': -1}, " SERIES "}", 2},
    {"{'key': {'m': 1}, 'collection': {'timeseries': {'timeField': 't'}}}", 5914001},
    {"{'key': {'m': 1}, 'docs': [{'m': 1}], " SERIES "}", 72},
    {"{'key': {'m': 1}, 'docs': [{'m': 1}], 'indexes': [{'key': {'m': 1, 't': 1}}], " SERIES "}",
     0},
    {"{'key': {'t': 1}, 'docs': [{'m': 1}], 'indexes': [{'key': {'t': -1}}], " SERIES "}", 72},
    {"{'key': {'m': 1}, 'sharded': {'key': {'m': 1}}, " SERIES "}", 0},
    {"{'key': {'m': 1}, 'sharded': {'key': {'m.a': 1}}, " SERIES "}", 23},
    /* again */
    {"{'key': {'x': 1}, 'sharded': {'key': {'y': 1}}}", 23},
    {"{'key': {'x': 1.5}, 'sharded': {'key': {'x': 1}}}", 23},
    {"{'key': {'x': 1}, 'sharded': {'key': {'x': 1}, 'unique': true}}", 23},
    {"{'key': {'x': 1}, 'options': {'unique': true}, 'sharded': {'key': {'x': 1}}}", 23},
    {"{'key': {'x': 2}, 'sharded': {'key': {'x': 1}}}", 2},
    {"{'key': {'x': 1}, 'sharded': {'key': {'x': 1}}, 'options': {'numInitialChunks': -1}}", 72},
    {"{'key': {'y': 1}, 'sharded': {'key': {'x': 1}}, 'collection': {'collation': {'locale': "
     "'en'}}}",
     2},
};

static void test_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(refused); i++)
        assert_code(refused[i].request, refused[i].code);
}

/* {f0: 1, …, f32: 1} */
static void test_many_fields(void **state)
{
    (void)state;
    bson_string_t *key = bson_string_new(NULL);
    for (unsigned i = 0; i < 33; i++)
        bson_string_append_printf(key, "%s'f%u': 1", i == 0 ? "" : ", ", i);
    char *empty = bson_strdup_printf("{'key': {%s}}", key->str);
    char *full = bson_strdup_printf("{'key': {%s}, 'docs': [{}]}", key->str);
    assert_code(empty, 13103);
    assert_code(full, 72);
    bson_free(empty);
    bson_free(full);
    bson_string_free(key, true);
}

/* The 65th index is one too many, but its name is looked at first. */
static void test_many_indexes(void **state)
{
    (void)state;
    for (unsigned count = 62; count <= 64; count++) {
        sp_error_t error;
        bson_string_t *indexes = bson_string_new(NULL);
        for (unsigned i = 0; i < count; i++)
            bson_string_append_printf(indexes, "%s{'key': {'f%u': 1}, 'name': 'f%u'}",
                                      i == 0 ? "" : ", ", i, i);
        char *plain = bson_strdup_printf("{'key': {'x': 1}, 'indexes': [%s]}", indexes->str);
        if (count < 64) {
            assert_code(plain, count == 62 ? 0 : 67);
        } else {
            assert_null(answer_of(plain, "6.0.27", &error));
            assert_non_null(strstr(error.message, "'indexes'"));
        }
        bson_free(plain);
        bson_string_free(indexes, true);
    }
}

static void test_versions(void **state)
{
    (void)state;
    static const char references[] = "{'key': {'a.$id': 1}}";
    assert_int_equal(code_of(references, "6.0.5"), 2);
    assert_int_equal(code_of(references, "6.0.24"), 0);
    static const char huge[] =
        "{'key': {'x': 'hashed'}, 'options': {'numInitialChunks': {'$numberLong': '4294967301'}}}";
    assert_int_equal(code_of(huge, "6.0.5"), 0);
    assert_int_equal(code_of(huge, "6.0.27"), 72);
    static const char multikey[] =
        "{'key': {'x': 1}, 'docs': [{'x': [1]}], 'indexes': [{'key': {'x': 1}}]}";
    assert_int_equal(code_of(multikey, "4.2.6"), 96);
    assert_int_equal(code_of(multikey, "4.4.2"), 96);
    assert_int_equal(code_of(multikey, "5.0.4"), 72);
    static const char without[] =
        "{'key': {'x': 1}, 'docs': [{'x': 1}, {}], 'indexes': [{'key': {'x': 1}}]}";
    assert_int_equal(code_of(without, "4.2.6"), 96);
    assert_int_equal(code_of(without, "4.4.2"), 0);
    static const char hidden[] =
        "{'key': {'x': 1}, 'docs': [{'x': 1}], 'indexes': [{'key': {'x': 1}, 'hidden': true}]}";
    assert_int_equal(code_of(hidden, "5.0.4"), 0);
    assert_int_equal(code_of(hidden, "6.0.5"), 72);
    assert_int_equal(code_of("{'key': {'x': 'hashed', 'y': 1}}", "4.0.3"), 2);
    assert_int_equal(code_of("{'key': {'x': -1}}", "4.0.3"), 2);
    assert_int_equal(code_of("{'key': {'x': 'hashed'}, 'options': {'unique': true}}", "4.0.3"), 72);
    assert_int_equal(code_of("{'key': {'x': 1}, 'options': {'numInitialChunks': 5}}", "4.0.3"), 72);
    assert_int_equal(code_of("{'key': {'x': 1}, 'docs': [{}]}", "4.0.3"), 72);
    assert_int_equal(code_of("{'key': {'x': 1}, 'sharded': {'key': {'x': 1}}}", "4.0.3"), 0);
    assert_int_equal(code_of("{'key': {'x': 1}, 'sharded': {'key': {'y': 1}}}", "4.0.3"), 23);
}

static const struct malformed {
    const char *request, *named;
} malformed[] = {
    {"5", "requests[0]"},
    {"{}", "'key'"},
    {"{'key': 5}", "'key'"},
    {"{'key': [1]}", "'key'"},
    {"{'key': {'x': 1}, 'options': 5}", "'options'"},
    {"{'key': {'x': 1}, 'options': {'other': 5}}", "'other'"},
    {"{'key': {'x': 1}, 'empty': 5}", "'empty'"},
    {"{'key': {'x': 1}, 'docs': 5}", "'docs'"},
    {"{'key': {'x': 1}, 'docs': [{}, 5]}", "docs[1]"},
    {"{'key': {'x': 1}, 'indexes': {}}", "'indexes'"},
    {"{'key': {'x': 1}, 'indexes': [5]}", "indexes[0]"},
    {"{'key': {'x': 1}, 'indexes': [{}]}", "indexes[0]"},
    {"{'key': {'x': 1}, 'indexes': [{'key': {'x': 1}}, {'key': 5}]}", "indexes[1]"},
    {"{'key': {'x': 1}, 'indexes': [{'key': {'x': 1}, 'sparse': 'a'}]}", "'sparse'"},
    {"{'key': {'x': 1}, 'collection': 5}", "'collection'"},
    {"{'key': {'x': 1}, 'collection': {'other': 5}}", "'other'"},
    {"{'key': {'x': 1}, 'collection': {'capped': 5}}", "'capped'"},
    {"{'key': {'x': 1}, 'collection': {'collation': 5}}", "'collation'"},
    {"{'key': {'x': 1}, 'collection': {'timeseries': 5}}", "'timeseries'"},
    {"{'key': {'x': 1}, 'collection': {'timeseries': {}}}", "'timeField'"},
    {"{'key': {'x': 1}, 'collection': {'timeseries': {'timeField': 5}}}", "'timeField'"},
    {"{'key': {'x': 1}, 'collection': {'timeseries': {'timeField': 't', 'metaField': 5}}}",
     "'metaField'"},
    {"{'key': {'x': 1}, 'collection': {'timeseries': {'timeField': 't', 'other': 5}}}", "'other'"},
    {"{'key': {'x': 1}, 'sharded': 5}", "'sharded'"},
    {"{'key': {'x': 1}, 'sharded': {}}", "'sharded.key'"},
    {"{'key': {'x': 1}, 'sharded': {'key': 5}}", "'sharded.key'"},
    {"{'key': {'x': 1}, 'sharded': {'key': {}, 'unique': 5}}", "'sharded.unique'"},
    {"{'key': {'x': 1}, 'sharded': {'key': {}, 'other': 5}}", "'other'"},
    {"{'key': {'m': 1}, 'sharded': {'key': {'x': 1}}, " SERIES "}", "'sharded.key'"},
};

static void test_malformed(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(malformed); i++) {
        sp_error_t error;
        if (answer_of(malformed[i].request, "6.0.27", &error) != NULL)
            fail_msg("%s is answered", malformed[i].request);
        if (strstr(error.message, malformed[i].named) == NULL)
            fail_msg("%s: %s", malformed[i].request, error.message);
    }
}

static void test_malformed_cases(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"{}", "'shards'"},
        {"{'shards': 0, 'requests': []}", "'shards'"},
        {"{'shards': 'a', 'requests': []}", "'shards'"},
        {"{'shards': 3}", "'requests'"},
        {"{'shards': 3, 'requests': 5}", "'requests'"},
    };
    sp_model_t *model = sp_model_new((sp_version_t){6, 0, 27}, NULL);
    for (size_t i = 0; i < COUNT(cases); i++) {
        sp_answers_t answers = SP_ANSWERS_INITIALIZER;
        sp_error_t error = {0};
        bson_t *test = sp_doc_from(cases[i][0]);
        assert_false(sp_case_predict_shardcollection(model, test, &answers, &error));
        assert_false(sp_case_predict_shardcollection(model, test, &answers, NULL));
        assert_int_equal(error.domain, SP_ERROR_INPUT);
        assert_non_null(strstr(error.message, cases[i][1]));
        sp_answers_clear(&answers);
        bson_destroy(test);
    }
    sp_model_free(model);
}

/* The form that `ask` gives: bounds without shards. */
static void test_asked(void **state)
{
    (void)state;
    sp_model_t *model = sp_model_new((sp_version_t){6, 0, 27}, NULL);
    bson_t *question = sp_doc_from("{'key': {'x': 'hashed'}, 'empty': true, 'options': "
                                   "{'numInitialChunks': {'$numberLong': '2'}}}");
    bson_t *wanted = sp_doc_from("{'chunks': [[{'x': {'$minKey': 1}}, {'x': {'$numberLong': "
                                 "'0'}}], [{'x': {'$numberLong': '0'}}, {'x': {'$maxKey': 1}}]]}");
    bson_t *populated = sp_doc_from("{'key': {'x': 1}, 'empty': false}");
    bson_t answer = BSON_INITIALIZER;
    sp_error_t error = {0};
    assert_true(sp_predict_shard_collection(model, 3, question, &answer, &error));
    assert_true(bson_equal(&answer, wanted));
    bson_reinit(&answer);
    assert_true(sp_predict_shard_collection(model, 3, populated, &answer, &error));
    assert_true(bson_has_field(&answer, "error"));
    bson_destroy(&answer);
    bson_destroy(populated);
    bson_destroy(question);
    bson_destroy(wanted);
    sp_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_answers),         cmocka_unit_test(test_refused),
        cmocka_unit_test(test_many_fields),     cmocka_unit_test(test_many_indexes),
        cmocka_unit_test(test_versions),        cmocka_unit_test(test_malformed),
        cmocka_unit_test(test_malformed_cases), cmocka_unit_test(test_asked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
