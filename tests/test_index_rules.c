/*
 * What a shard answers about the indexes of a sharded collection.
 *
 * What shards of 6.0.5 and 6.0.27 were seen to answer to versioned commands (November 2026).
 */
#include "from_json.h"
#include "query_layout.h"

#include "../oracles/case.h"
#include "../oracles/rules.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* `answer`: 0 for {ok: true}, else the code; `later`: on later versions, -1 the same. */
typedef struct create_row {
    const char *index, *options;
    int32_t answer, later;
} create_row_t;

static int32_t answer_of(sp_model_t *model, const char *key_text, const char *question_text)
{
    bson_t *key = sp_doc_from(key_text), *question = sp_doc_from(question_text);
    bson_t answer = BSON_INITIALIZER;
    sp_error_t error = {0};
    bson_iter_t iter, code;
    int32_t got = -1;
    if (!sp_predict_index(model, key, question, &answer, &error))
        fail_msg("%s: %s", question_text, error.message);
    if (bson_iter_init(&iter, &answer) && bson_iter_find_descendant(&iter, "error.code", &code))
        got = bson_iter_int32(&code);
    else if (bson_iter_init_find(&iter, &answer, "ok") && bson_iter_bool(&iter))
        got = 0;
    bson_destroy(&answer);
    bson_destroy(question);
    bson_destroy(key);
    return got;
}

static void assert_create(sp_model_t *model, const char *key, const create_row_t *row, bool later)
{
    char *question = bson_strdup_printf("{'op': 'createIndex', 'index': %s, 'options': %s}",
                                        row->index, row->options);
    int32_t got = answer_of(model, key, question);
    int32_t wanted = later && row->later >= 0 ? row->later : row->answer;
    if (got != wanted)
        fail_msg("%s under %s: %d, not %d", question, key, got, wanted);
    bson_free(question);
}

static const char *const versions[] = {"6.0.5", "6.0.24", "6.0.27"};

static void assert_creates_from(const char *key, const create_row_t *rows, size_t count,
                                size_t later)
{
    for (size_t i = 0; i < COUNT(versions); i++) {
        sp_model_t *model = sp_model_of(versions[i]);
        for (size_t j = 0; j < count; j++)
            assert_create(model, key, &rows[j], i >= later);
        sp_model_free(model);
    }
}

static void assert_creates(const char *key, const create_row_t *rows, size_t count)
{
    assert_creates_from(key, rows, count, 1);
}

static void test_patterns(void **state)
{
    (void)state;
    static const create_row_t rows[] = {
        {"{}", "{}", 67, -1},
        {"{'y': 0}", "{}", 67, -1},
        {"{'y': {'$numberDouble': '-0.0'}}", "{}", 67, -1},
        {"{'y': {'$numberDouble': 'NaN'}}", "{}", 67, -1},
        {"{'y': {'$numberDecimal': 'NaN'}}", "{}", 67, -1},
        {"{'y': 0.5}", "{}", 0, -1},
        {"{'y': -7}", "{}", 0, -1},
        {"{'y': {'$numberDecimal': '-Infinity'}}", "{}", 0, -1},
        {"{'y': ''}", "{}", 67, -1},
        {"{'y': 'foo'}", "{}", 67, -1},
        {"{'y': 'text'}", "{}", 0, -1},
        {"{'y': '2d'}", "{}", 0, -1},
        {"{'y': '2dsphere_bucket'}", "{}", 0, -1},
        {"{'y': 'geoHaystack'}", "{}", 67, -1},
        {"{'y': 'wildcard'}", "{}", 67, -1},
        {"{'y': 'Hashed'}", "{}", 67, -1},
        {"{'y': true}", "{}", 67, -1},
        {"{'y': null}", "{}", 67, -1},
        {"{'y': {'a': 1}}", "{}", 67, -1},
        {"{'': 1}", "{}", 67, -1},
        {"{'a.': 1}", "{}", 67, -1},
        {"{'.a': 1}", "{}", 67, -1},
        {"{'$a': 1}", "{}", 67, -1},
        {"{'a.$b': 1}", "{}", 67, -1},
        {"{'a.$id': 1}", "{}", 0, -1},
        {"{'a.$id.$ref': 1}", "{}", 0, -1},
        {"{'$id': 1}", "{}", 67, -1},
        {"{'y': 1, 'y': 0}", "{}", 2, -1},
        {"{'y': 'hashed', 'y': 'text'}", "{}", 2, -1},
        {"{'y': 1, 'y.a': 1}", "{}", 0, -1},
        {"{'y': 'hashed', 'z': 'hashed'}", "{}", 31303, -1},
        {"{'y': '2d', 'z': '2d'}", "{}", 16800, -1},
        {"{'y': 1, 'z': '2d'}", "{}", 16801, -1},
        {"{'y': '2d', 'z': 'hashed'}", "{}", 67, -1},
        {"{'y': 'text', 'a': 1, 'z': 'text'}", "{}", 67, -1},
        {"{'y': 1.5, 'z': 'text'}", "{}", 0, -1},
        {"{'y': {'$numberDecimal': '1.5'}, 'z': 'text'}", "{}", 67, -1},
        {"{'y': 2, 'z': 'text'}", "{}", 67, -1},
        {"{'_fts': 1}", "{}", 67, -1},
        {"{'_fts': 'text', '_ftsx': 1}", "{}", 67, -1},
        {"{'a.$ref': 1, 'b': 'text'}", "{}", 0, -1},
        {"{'a.$ref': 'text'}", "{}", 67, -1},
        {"{'b': 'text', 'a.$id.c': 'text'}", "{}", 67, -1},
        {"{'_ftsx': 1}", "{}", 0, -1},
    };
    assert_creates("{'x': 1}", rows, COUNT(rows));
}

static void test_wildcards(void **state)
{
    (void)state;
    static const create_row_t rows[] = {
        {"{'$**': 1}", "{}", 0, -1},
        {"{'a.$**': 1}", "{}", 0, -1},
        {"{'$**': -1}", "{}", 67, -1},
        {"{'$**': 0.5}", "{}", 0, -1},
        {"{'$**.a': 1}", "{}", 67, -1},
        {"{'a.$**.b': 1}", "{}", 67, -1},
        {"{'$**': 'hashed'}", "{}", 67, -1},
        {"{'$**': 'text'}", "{}", 0, -1},
        {"{'$**': 1, 'a': 1}", "{}", 67, -1},
        {"{'a': 1, '$**': 1}", "{}", 67, -1},
        {"{'h': 'hashed', '$**': -1}", "{}", 0, -1},
        {"{'h': 'hashed', 'a.$**': 1}", "{}", 67, -1},
        {"{'$**': 1, 'h': 'hashed'}", "{}", 67, -1},
        {"{'$**': 1}", "{'unique': true}", 67, -1},
        {"{'$**': 1}", "{'sparse': true}", 67, -1},
        {"{'$**': 1}", "{'expireAfterSeconds': 1}", 67, -1},
        {"{'$**': 1}", "{'v': 1}", 67, -1},
        {"{'$**': 1}", "{'hidden': true, 'collation': {'locale': 'fr'}}", 0, -1},
    };
    assert_creates("{'x': 1}", rows, COUNT(rows));
}

static void test_unique(void **state)
{
    (void)state;
    static const create_row_t rows[] = {
        {"{'x': 1, 'y': 1}", "{'unique': true}", 0, -1},
        {"{'x': -1}", "{'unique': true}", 0, -1},
        {"{'x': 2}", "{'prepareUnique': true}", 0, -1},
        {"{'y': 1, 'x': 1}", "{'unique': true}", 67, -1},
        {"{'y': 1}", "{'prepareUnique': true}", 67, -1},
        {"{'y': 1}", "{'unique': {'$numberDouble': 'NaN'}}", 67, -1},
        {"{'y': 1}", "{'unique': 0}", 0, -1},
        {"{'x': 'hashed'}", "{'unique': true}", 16764, -1},
        {"{'x': 'hashed'}", "{'prepareUnique': true}", 0, -1},
        {"{'x': 1, 'y': 'hashed', 'z': 'hashed'}", "{'unique': true}", 16764, -1},
        {"{'y': 'hashed', 'z': 'hashed'}", "{'unique': true}", 67, -1},
        {"{'_id': 1, 'y': 1}", "{'unique': true}", 0, -1},
        {"{'_id': 'hashed'}", "{'unique': true}", 16764, -1},
        {"{'x.k': 1}", "{'unique': true}", 67, -1},
        {"{'x': '2d'}", "{'unique': true}", 0, -1},
        {"{'x': 1, 'y': 'text'}", "{'unique': true}", 0, -1},
        {"{'x': 'text'}", "{'unique': true}", 67, -1},
        {"{'_id': 'text'}", "{'unique': true}", 67, -1},
        {"{'x': 1, 'z': 1}", "{'unique': true, 'prepareUnique': true}", 67, -1},
        {"{'x': 1, 'z': 1}", "{'unique': true, 'collation': {'locale': 'fr'}}", 0, -1},
        {"{'x': 1, 'z': 1}", "{'unique': true, 'partialFilterExpression': {'a': 1}}", 0, -1},
    };
    assert_creates("{'x': 1}", rows, COUNT(rows));
    static const create_row_t compound[] = {
        {"{'x': 1, 'y': 1}", "{'unique': true}", 0, -1},
        {"{'x': 1, 'y': 'hashed'}", "{'unique': true}", 16764, -1},
        {"{'x': 1}", "{'unique': true}", 67, -1},
        {"{'x': 1, 'z': 1, 'y': 1}", "{'unique': true}", 67, -1},
    };
    assert_creates("{'x': 1, 'y': 'hashed'}", compound, COUNT(compound));
}

static void test_id_indexes(void **state)
{
    (void)state;
    static const create_row_t rows[] = {
        {"{'_id': 1}", "{}", 0, -1},
        {"{'_id': {'$numberDecimal': '1.0'}}", "{'name': 'x_1'}", 0, -1},
        {"{'_id': -1}", "{}", 2, -1},
        {"{'_id': 1.9}", "{}", 2, -1},
        {"{'_id': {'$numberDecimal': '0.6'}}", "{}", 2, -1},
        {"{'_id': {'$numberDecimal': '1.5'}}", "{}", 0, -1},
        {"{'_id': 0.9}", "{'sparse': true}", 0, -1},
        {"{'_id': 1.9}", "{'sparse': true}", 197, -1},
        {"{'_id': 1}", "{'sparse': true}", 197, -1},
        {"{'_id': 1}", "{'unique': false}", 197, -1},
        {"{'_id': -1}", "{'hidden': true}", 197, -1},
        {"{'_id': 1}", "{'expireAfterSeconds': 'a'}", 197, -1},
        {"{'_id': 1}", "{'partialFilterExpression': {}}", 197, -1},
        {"{'_id': 1}", "{'collation': {'locale': 'simple'}}", 0, -1},
        {"{'_id': 1}", "{'collation': {'locale': 'fr'}}", 2, -1},
        {"{'_id': 1}", "{'collation': {'locale': 'fr', 'strength': 9}}", 51024, -1},
        {"{'_id': 1}", "{'unique': true, 'prepareUnique': true}", 67, -1},
        {"{'_id': 1}", "{'name': ''}", 67, -1},
        {"{'_id': -1}", "{'name': ''}", 2, -1},
        {"{'_id': 1}", "{'name': '*'}", 0, -1},
        {"{'_id': 1}", "{'v': 1, '_id': 5, 'ns': 5}", 0, -1},
        {"{'_id': 2}", "{'hidden': true}", 0, -1},
        {"{'_id': 0}", "{'sparse': true}", 67, -1},
    };
    assert_creates("{'x': 1}", rows, COUNT(rows));
}

static void test_options(void **state)
{
    (void)state;
    static const create_row_t rows[] = {
        {"{'q': 1}", "{'sparse': 1, 'hidden': true, 'background': 0}", 0, -1},
        {"{'q': 1}", "{'hidden': 1}", 14, -1},
        {"{'q': 1}", "{'sparse': null}", 14, -1},
        {"{'q': 1}", "{'unique': 'a'}", 14, -1},
        {"{'q': 1}", "{'partialFilterExpression': []}", 14, -1},
        {"{'q': 1}", "{'collation': 5}", 14, -1},
        {"{'q': 1}", "{'collation': {}}", 2, -1},
        {"{'q': 1}", "{'collation': {'locale': 'xx'}}", 2, -1},
        {"{'q': 1}", "{'collation': {'strength': 1}}", 40414, -1},
        {"{'q': 1}", "{'v': 1}", 0, -1},
        {"{'q': 1}", "{'v': 3}", 67, -1},
        {"{'q': 1}", "{'v': 1.5}", 2, -1},
        {"{'q': 1}", "{'v': 'a'}", 14, -1},
        {"{'q': 1}", "{'v': 1, 'collation': {'locale': 'simple'}}", 67, -1},
        {"{'q': 1}", "{'bogus': 1}", 197, -1},
        {"{'q': 0}", "{'sparse': 'a', 'bogus': 1}", 197, -1},
        {"{'q': 1}", "{'bucketSize': 1}", 197, 0},
        {"{'q': 1}", "{'bucketSize': 'a'}", 197, 14},
        {"{'q': 1}", "{'bits': 5}", 0, -1},
        {"{'q': 1}", "{'min': 'a'}", 14, -1},
        {"{'q': 1}", "{'name': 5}", 14, -1},
        {"{'q': 1}", "{'name': ''}", 67, -1},
        {"{'q': 1}", "{'name': '*'}", 2, -1},
        {"{'q': 1}", "{'name': '_id_'}", 2, -1},
        {"{'q': 1}", "{'name': '*', 'sparse': true, 'partialFilterExpression': {}}", 2, -1},
        {"{'q': 1}", "{'name': '*', 'unique': true, 'prepareUnique': true}", 67, -1},
        {"{'q': 1}", "{'name': 'x_1'}", 86, -1},
        {"{'q': 1}", "{'collation': {}, 'sparse': 'a'}", 2, -1},
        {"{'q': 1}", "{'sparse': 'a', 'collation': {}}", 14, -1},
        {"{'q': 'text'}", "{'collation': {'locale': 'fr'}}", 67, -1},
        {"{'q': '2d'}", "{'collation': {'locale': 'fr'}}", 67, -1},
        {"{'q': '2dsphere'}", "{'collation': {'locale': 'fr'}}", 0, -1},
        {"{'q': '2d'}", "{'collation': {'locale': 'simple'}}", 0, -1},
    };
    assert_creates("{'x': 1}", rows, COUNT(rows));
}

static void test_expiry(void **state)
{
    (void)state;
    static const create_row_t rows[] = {
        {"{'q': 1}", "{'expireAfterSeconds': 0}", 0, -1},
        {"{'q': 1}", "{'expireAfterSeconds': {'$numberLong': '2147483648'}}", 67, -1},
        {"{'q': 1}", "{'expireAfterSeconds': {'$numberDecimal': '2147483647.4'}}", 0, -1},
        {"{'q': 1}", "{'expireAfterSeconds': -1}", 67, -1},
        {"{'q': 1}", "{'expireAfterSeconds': -0.5}", 0, -1},
        {"{'q': 1}", "{'expireAfterSeconds': {'$numberDecimal': '-0.6'}}", 67, -1},
        {"{'q': 1}", "{'expireAfterSeconds': {'$numberDouble': 'NaN'}}", 0, -1},
        {"{'q': 1}", "{'expireAfterSeconds': true}", 67, -1},
        {"{'q': 'hashed'}", "{'expireAfterSeconds': 1}", 0, -1},
        {"{'_id': 'text'}", "{'expireAfterSeconds': 1}", 0, -1},
        {"{'q': 1, 'r': 1}", "{'expireAfterSeconds': 1}", 67, -1},
        {"{'x': 1}", "{'expireAfterSeconds': 1}", 85, -1},
        {"{'x': 1}", "{'expireAfterSeconds': -1}", 67, 85},
        {"{'q': 1}", "{'expireAfterSeconds': -1, 'name': 'x_1'}", 67, 86},
        {"{'q': 1}", "{'expireAfterSeconds': -1, 'collation': {'locale': 'fr', 'strength': 9}}", 67,
         51024},
    };
    assert_creates_from("{'x': 1}", rows, COUNT(rows), 2);
}

static void test_filters(void **state)
{
    (void)state;
    static const create_row_t rows[] = {
        {"{'q': 1}", "{'partialFilterExpression': {}}", 0, -1},
        {"{'q': 1}", "{'partialFilterExpression': {'a': {'$lte': 2, '$gt': 7}}}", 0, -1},
        {"{'q': 1}", "{'partialFilterExpression': {'a': {'$in': [1]}}}", 0, -1},
        {"{'q': 1}", "{'partialFilterExpression': {'$or': [{'a': 1}, {'b': 1}]}}", 0, -1},
        {"{'q': 1}", "{'partialFilterExpression': {'a': {'$exists': true}}}", 0, -1},
        {"{'q': 1}", "{'partialFilterExpression': {'a': {'$exists': false}}}", 67, -1},
        {"{'q': 1}", "{'partialFilterExpression': {'a': {'$ne': 1}}}", 67, -1},
        {"{'q': 1}", "{'partialFilterExpression': {'a': {'$mod': [2, 1]}}}", 67, -1},
        {"{'q': 1}", "{'partialFilterExpression': {'$nor': [{'a': 1}]}}", 67, -1},
        {"{'q': 1}", "{'partialFilterExpression': {'$bad': 1}}", 2, -1},
        {"{'q': 1}", "{'partialFilterExpression': {'$expr': true}}", 224, -1},
        {"{'q': 1}", "{'partialFilterExpression': {'$and': [{'$jsonSchema': {}}]}}", 224, -1},
        {"{'q': 1}", "{'partialFilterExpression': {'$where': '1'}}", 2, -1},
        {"{'q': 1}", "{'partialFilterExpression': {'a': {'$all': [1, 2]}}}", 0, -1},
        {"{'q': 1}", "{'partialFilterExpression': {'$or': [{'$or': [{'$or': [{'a': 1}]}]}]}}", 0,
         -1},
        {"{'q': 1}",
         "{'partialFilterExpression': {'$or': [{'$or': [{'$or': [{'$or': [{'a': 1}]}]}]}]}}", 67,
         -1},
        {"{'q': 1}",
         "{'partialFilterExpression': {'$or': [{'$and': [{'a': {'$gt': 1, '$lt': 5}}]}]}}", 0, -1},
        {"{'q': 1}",
         "{'partialFilterExpression': {'$and': [{'$or': [{'$and': [{'a': {'$gt': 1, '$lt': "
         "5}}]}]}]}}",
         67, -1},
        {"{'q': 1}",
         "{'partialFilterExpression': {'c': 1, '$or': [{'$and': [{'$or': [{'a': 1}]}]}]}}", 67, -1},
        {"{'q': 1}", "{'sparse': true, 'partialFilterExpression': {}}", 67, -1},
        {"{'q': 1}", "{'sparse': true, 'partialFilterExpression': {'$bad': 1}}", 2, -1},
    };
    assert_creates("{'x': 1}", rows, COUNT(rows));
}

/* {x: 1} is the shard key's own index, which is called x_1. */
static void test_same_indexes(void **state)
{
    (void)state;
    static const create_row_t rows[] = {
        {"{'x': 1}", "{}", 85, -1},
        {"{'x': 1}", "{'name': 'x_1'}", 0, -1},
        {"{'x': 1, 'y': 1}", "{'name': 'x_1'}", 86, -1},
        {"{'x': 1.0}", "{'name': 'x_1', 'hidden': true, 'v': 1, 'background': true}", 0, -1},
        {"{'x': 1}", "{'hidden': true}", 85, -1},
        {"{'x': 1}", "{'sparse': true}", 0, -1},
        {"{'x': 1}", "{'unique': true}", 0, -1},
        {"{'x': 1}", "{'unique': true, 'name': 'x_1'}", 86, -1},
        {"{'x': 1}", "{'prepareUnique': true}", 85, -1},
        {"{'x': 1}", "{'collation': {'locale': 'fr'}}", 0, -1},
        {"{'x': 1}", "{'collation': {'locale': 'simple'}}", 85, -1},
        {"{'x': 1}", "{'partialFilterExpression': {'a': 1}}", 0, -1},
        {"{'x': -1}", "{}", 0, -1},
    };
    assert_creates("{'x': 1}", rows, COUNT(rows));
}

typedef struct question_row {
    const char *key, *question;
    int32_t answer, later;
} question_row_t;

static void assert_questions(const question_row_t *rows, size_t count)
{
    for (size_t i = 0; i < COUNT(versions); i++) {
        sp_model_t *model = sp_model_of(versions[i]);
        for (size_t j = 0; j < count; j++) {
            int32_t wanted = i > 0 && rows[j].later >= 0 ? rows[j].later : rows[j].answer;
            int32_t got = answer_of(model, rows[j].key, rows[j].question);
            if (got != wanted)
                fail_msg("%s: %d, not %d", rows[j].question, got, wanted);
        }
        sp_model_free(model);
    }
}

#define ONE(spec)  "'indexes': [" spec "], "
#define X          "{'x': 1}"
#define DROP(more) "{'op': 'dropIndexes', " more "}"

static void test_drops(void **state)
{
    (void)state;
    static const question_row_t rows[] = {
        {X, DROP("'which': 'x_1'"), 370, -1},
        {X, DROP("'which': {'x': 1.0}"), 370, -1},
        {X, DROP("'which': '*'"), 0, -1},
        {X, DROP("'which': '_id_'"), 72, -1},
        {"{'_id': 1}", DROP("'which': '_id_'"), 370, -1},
        {"{'_id': 1}", DROP("'which': {'_id': 1}"), 72, -1},
        {X, DROP("'which': 'nope'"), 27, -1},
        {X, DROP("'which': {}"), 27, -1},
        {X, DROP(ONE("{'key': {'x': 1, 'y': 1}, 'name': 'i'}") "'which': 'x_1'"), 0, -1},
        {X, DROP(ONE("{'key': {'x': 1, 'h': 'hashed'}, 'name': 'i'}") "'which': 'x_1'"), 0, -1},
        {X, DROP(ONE("{'key': {'x': 1}, 'name': 'i', 'unique': true}") "'which': 'x_1'"), 0, -1},
        {X, DROP(ONE("{'key': {'x': -1}, 'name': 'i'}") "'which': 'x_1'"), 370, -1},
        {X, DROP(ONE("{'key': {'x': 2}, 'name': 'i'}") "'which': 'x_1'"), 370, -1},
        {X, DROP(ONE("{'key': {'x': 'hashed'}, 'name': 'i'}") "'which': 'x_1'"), 370, -1},
        {X, DROP(ONE("{'key': {'x': 1, 'y': 1}, 'name': 'i', 'hidden': true}") "'which': 'x_1'"),
         370, -1},
        {X, DROP(ONE("{'key': {'x': 1}, 'name': 'i', 'sparse': true}") "'which': 'x_1'"), 370, -1},
        {X, DROP(ONE("{'key': {'x': 1}, 'name': 'i', 'sparse': true}") "'which': {'x': 1}"), 181,
         -1},
        {X,
         DROP(ONE("{'key': {'x': 1}, 'name': 'i', 'partialFilterExpression': {}}") "'which': "
                                                                                   "'x_1'"),
         370, -1},
        {X,
         DROP(ONE("{'key': {'x': 1}, 'name': 'i', 'collation': {'locale': 'fr'}}") "'which': "
                                                                                   "'x_1'"),
         370, -1},
        {X,
         DROP(ONE("{'key': {'x': 1, 'y': 1}, 'name': 'i'}") "'docs': [{'x': 1, 'y': [1, 2]}], "
                                                            "'which': 'x_1'"),
         0, -1},
        {"{'x': 'hashed'}", DROP("'which': 'x_hashed'"), 370, 0},
        {"{'x': 1, 'y': 'hashed'}", DROP("'which': 'x_1_y_hashed'"), 370, 0},
        /* What was dropped can be made again. */
        {"{'x': 'hashed'}",
         "{'op': 'createIndex', 'dropped': ['x_hashed'], 'index': {'x': 'hashed'}, 'options': {}}",
         85, 0},
        {X,
         "{'op': 'createIndex', 'indexes': [{'key': {'x': 1, 'y': 1}, 'name': 'i'}], 'dropped': "
         "['x_1'], 'index': {'x': 1}, 'options': {}}",
         0, -1},
    };
    assert_questions(rows, COUNT(rows));
}

/* What "*" leaves beside _id, being hidden or not. */
static void test_star(void **state)
{
    (void)state;
    static const struct {
        const char *spec;
        bool left;
    } rows[] = {
        {"'key': {'x': 1, 'y': 1}", true},
        {"'key': {'x': 1, 'y': 1}, 'hidden': true", true},
        {"'key': {'x': 1}, 'unique': true, 'hidden': true", true},
        {"'key': {'x': -1}, 'hidden': true", false},
        {"'key': {'x': 1}, 'sparse': true, 'hidden': true", false},
        {"'key': {'x': 1}, 'partialFilterExpression': {}, 'hidden': true", false},
        {"'key': {'x': 1}, 'collation': {'locale': 'fr'}, 'hidden': true", false},
    };
    sp_model_t *model = sp_model_of("6.0.27");
    bson_t *key = sp_doc_from(X);
    for (size_t i = 0; i < COUNT(rows); i++) {
        char *text =
            bson_strdup_printf(DROP("'indexes': [{'name': 'i', %s}], 'which': '*'"), rows[i].spec);
        bson_t *question = sp_doc_from(text), answer = BSON_INITIALIZER;
        bson_iter_t iter, left;
        assert_true(sp_predict_index(model, key, question, &answer, NULL));
        assert_true(bson_iter_init(&iter, &answer));
        if (bson_iter_find_descendant(&iter, "indexes.2.name", &left) != rows[i].left)
            fail_msg("%s: %s", text, rows[i].left ? "dropped" : "left");
        bson_destroy(&answer);
        bson_destroy(question);
        bson_free(text);
    }
    bson_destroy(key);
    sp_model_free(model);
}

/* A text index is stored under other names. */
static void test_text_beside_text(void **state)
{
    (void)state;
#define TEXT "{'op': 'createIndex', 'indexes': [{'key': {'q': 'text'}, 'name': 't'}], "
    static const question_row_t rows[] = {
        {X, TEXT "'index': {'q': 'text'}, 'options': {'name': 't'}}", 0, -1},
        {X, TEXT "'index': {'q': 'text'}, 'options': {}}", 85, -1},
        {X, TEXT "'index': {'r': 'text'}, 'options': {}}", 85, -1},
        {X, TEXT "'index': {'q': 'text', 'r': 1}, 'options': {}}", 67, -1},
        {X, TEXT "'index': {'r': 1}, 'options': {'name': 't'}}", 86, -1},
    };
    assert_questions(rows, COUNT(rows));
}

#define CHANGE(more) "{'op': 'collMod', " more "}"

static void test_changes(void **state)
{
    (void)state;
    static const question_row_t rows[] = {
        {X, CHANGE("'change': {'name': 'x_1', 'hidden': true}"), 72, -1},
        {X, CHANGE("'change': {'keyPattern': {'x': 1.0}, 'hidden': true}"), 72, -1},
        {X, CHANGE("'change': {'name': 'x_1', 'hidden': false}"), 0, -1},
        {X,
         CHANGE(ONE("{'key': {'x': 1, 'y': 1}, 'name': 'i'}") "'change': {'name': 'x_1', 'hidden': "
                                                              "true}"),
         0, -1},
        {"{'x': 'hashed'}", CHANGE("'change': {'name': 'x_hashed', 'hidden': true}"), 72, 0},
        {X, CHANGE("'change': {'name': '_id_', 'hidden': false}"), 2, -1},
        {X, CHANGE("'change': {'name': 'nope', 'hidden': false}"), 27, -1},
        {X, CHANGE("'change': {'name': 'x_1'}"), 72, -1},
        {X, CHANGE("'change': {'hidden': true}"), 72, -1},
        {X, CHANGE("'change': {'name': 'x_1', 'keyPattern': {'x': 1}, 'hidden': true}"), 72, -1},
        {X, CHANGE("'change': {'name': 'x_1', 'unique': true}"), 72, -1},
        {X, CHANGE("'change': {'name': 'x_1', 'unique': false}"), 2, -1},
        {X, CHANGE("'change': {'name': 'x_1', 'unique': false, 'hidden': true}"), 2, -1},
        {X, CHANGE("'change': {'name': '_id_', 'unique': true}"), 0, -1},
        {X, CHANGE("'change': {'name': 'x_1', 'prepareUnique': true}"), 0, -1},
        {X, CHANGE("'change': {'name': 'x_1', 'prepareUnique': true, 'hidden': false}"), 72, -1},
        {X, CHANGE("'change': {'name': 'x_1', 'prepareUnique': false, 'hidden': false}"), 0, -1},
        {X,
         CHANGE(ONE("{'key': {'q': 1}, 'name': 'i'}") "'change': {'name': 'i', 'prepareUnique': "
                                                      "true}"),
         72, -1},
        {X,
         CHANGE(
             ONE("{'key': {'x': 1, 'p': 1}, 'name': 'i', 'prepareUnique': true}") "'change': "
                                                                                  "{'name': 'i', "
                                                                                  "'unique': "
                                                                                  "true}"),
         0, -1},
        {X,
         CHANGE(
             ONE("{'key': {'x': 'hashed'}, 'name': 'i', 'prepareUnique': true}") "'change': "
                                                                                 "{'name': 'i', "
                                                                                 "'unique': true}"),
         16764, -1},
        {X,
         CHANGE(
             ONE("{'key': {'x': 1, 'h': 'hashed'}, 'name': 'i', 'prepareUnique': true}") "'change':"
                                                                                         " {'name':"
                                                                                         " 'i', "
                                                                                         "'unique':"
                                                                                         " true}"),
         16764, -1},
        {X,
         CHANGE(ONE(
             "{'key': {'x': '2d'}, 'name': 'i', 'prepareUnique': true}") "'change': {'name': 'i', "
                                                                         "'unique': true}"),
         0, -1},
        {X, CHANGE("'change': {'name': 'x_1', 'expireAfterSeconds': 5}"), 0, -1},
        {X, CHANGE("'change': {'name': 'nope', 'expireAfterSeconds': -1}"), 72, -1},
        {X, CHANGE("'change': {'name': '_id_', 'expireAfterSeconds': 5}"), 72, -1},
        {X,
         CHANGE(ONE("{'key': {'x': 1, 'p': 1}, 'name': 'i'}") "'change': {'name': 'i', "
                                                              "'expireAfterSeconds': 5}"),
         72, -1},
    };
    assert_questions(rows, COUNT(rows));
}

#define INSERT(more) "{'op': 'insert', " more "}"
#define BUILD(docs, index, options)                                                                \
    "{'op': 'createIndex', 'docs': [" docs "], 'index': " index ", 'options': " options "}"

static void test_documents(void **state)
{
    (void)state;
    static const question_row_t rows[] = {
        {X, INSERT("'doc': {'x': [1]}"), 61, -1},
        {X, INSERT("'doc': {'x': {'$maxKey': 1}}"), 61, 0},
        {X, INSERT("'doc': {'x': {'a': [1]}}"), 0, -1},
        {X, INSERT("'doc': {'_id': [1], 'x': [1]}"), 53, -1},
        {X, INSERT("'docs': [{'_id': 1, 'x': 5}], 'doc': {'_id': 1.0, 'x': 6}"), 11000, -1},
        {"{'x': 'hashed'}", INSERT("'doc': {'x': [1]}"), 16766, -1},
        {X, INSERT(ONE("{'key': {'h': 'hashed'}, 'name': 'i'}") "'doc': {'h': []}"), 16766, -1},
        {X, INSERT(ONE("{'key': {'h.a': 'hashed'}, 'name': 'i'}") "'doc': {'h': [{'a': 1}]}"),
         16766, -1},
        {X, INSERT(ONE("{'key': {'h': 'hashed'}, 'name': 'i'}") "'doc': {'h': {'a': [1]}}"), 0, -1},
        {X, INSERT(ONE("{'key': {'a': 1, 'h': 'hashed'}, 'name': 'i'}") "'doc': {'a': [1]}"), 16766,
         -1},
        {X, INSERT(ONE("{'key': {'a': 1, 'b': 1}, 'name': 'i'}") "'doc': {'a': [], 'b': [1]}"), 171,
         -1},
        {X,
         INSERT(ONE("{'key': {'a.b': 1, 'a.c': 1}, 'name': 'i'}") "'doc': {'a': [{'b': [1], 'c': "
                                                                  "2}]}"),
         0, -1},
        {X,
         INSERT(ONE("{'key': {'a': 1, 'b': 1}, 'name': 'i', 'partialFilterExpression': {'k': "
                    "1}}") "'doc': {'a': [1], 'b': [1]}"),
         0, -1},
        /* Indexes in the sequence in which they were made, the shard key last. */
        {X,
         INSERT(ONE("{'key': {'h': 'hashed'}, 'name': 'i'}, {'key': {'a': 1, 'b': 1}, 'name': "
                    "'j'}") "'doc': {'x': [1], 'a': [1], 'b': [1], 'h': [1]}"),
         16766, -1},
        {X,
         INSERT(ONE("{'key': {'a': 1, 'b': 1}, 'name': 'j'}, {'key': {'h': 'hashed'}, 'name': "
                    "'i'}") "'doc': {'x': [1], 'a': [1], 'b': [1], 'h': [1]}"),
         171, -1},
        {X,
         INSERT(
             ONE("{'key': {'x': 1, 'b': 1}, 'name': 'i', 'prepareUnique': true}") "'docs': "
                                                                                  "[{'x': 1, "
                                                                                  "'b': [1, "
                                                                                  "2]}], 'doc': "
                                                                                  "{'x': 1, 'b': "
                                                                                  "2.0}"),
         11000, -1},
        /* Other values of one hash: prepareUnique takes them for the same. */
        {X,
         INSERT(ONE(
             "{'key': {'x': 'hashed'}, 'name': 'i', 'prepareUnique': true}") "'docs': [{'x': 1}], "
                                                                             "'doc': {'x': 1.5}"),
         11000, -1},
        {X,
         INSERT(
             ONE("{'key': {'x': 'hashed'}, 'name': 'i'}") "'docs': [{'x': 1}], 'doc': {'x': 1.5}"),
         0, -1},
        /* Indexes of the old version and decimals. */
        {X,
         INSERT(ONE("{'key': {'c': 1}, 'name': 'i', 'v': 1}") "'doc': {'x': [1], 'c': {'a': "
                                                              "[{'$numberDecimal': '2'}]}}"),
         12, -1},
        {X, BUILD("{'c': {'$numberDecimal': '2'}}", "{'c': 1}", "{'v': 1}"), 12, -1},
        {X, BUILD("{'c': {'$numberDecimal': '2'}}", "{'c': 'hashed'}", "{'v': 1}"), 0, -1},
        {X, BUILD("{'h': [1]}", "{'h': 'hashed'}", "{}"), 16766, -1},
        {X, BUILD("{'a': [1], 'b': [1]}", "{'a': 1, 'b': 1}", "{'sparse': true}"), 171, -1},
        {X, BUILD("{'x': 1}, {'x': 1}", "{'x': 1}", "{'unique': true}"), 11000, -1},
        {X, BUILD("{'x': 1}, {'x': 1}", "{'x': 1, 'y': 1}", "{'prepareUnique': true}"), 0, -1},
        {X, BUILD("{}, {}", "{'x': 1, 'y': 1}", "{'unique': true, 'sparse': true}"), 0, -1},
        {X,
         BUILD("{'x': 1}, {'x': 1}, {'x': 2, 'y': [1], 'z': [1]}", "{'x': 1, 'y': 1, 'z': 1}",
               "{'unique': true}"),
         171, -1},
    };
    assert_questions(rows, COUNT(rows));
}

static void test_older_servers(void **state)
{
    (void)state;
    static const char *const older[] = {"4.2.6", "4.4.2", "5.0.4"};
    for (size_t i = 0; i < COUNT(older); i++) {
        sp_model_t *model = sp_model_of(older[i]);
        assert_int_equal(answer_of(model, X, DROP("'which': 'x_1'")), 0);
        assert_int_equal(answer_of(model, X,
                                   "{'op': 'createIndex', 'index': {'y': 1}, 'options': "
                                   "{'unique': true}}"),
                         67);
        sp_model_free(model);
    }
}

static void assert_input(const char *question_text, const char *named)
{
    bson_t *key = sp_doc_from(X), *question = sp_doc_from(question_text);
    bson_t answer = BSON_INITIALIZER;
    sp_model_t *model = sp_model_of("6.0.27");
    sp_error_t error = {0};
    if (sp_predict_index(model, key, question, &answer, &error))
        fail_msg("%s was answered", question_text);
    assert_int_equal(error.domain, SP_ERROR_INPUT);
    if (strstr(error.message, named) == NULL)
        fail_msg("%s: '%s' does not name %s", question_text, error.message, named);
    assert_true(bson_empty(&answer));
    sp_model_free(model);
    bson_destroy(&answer);
    bson_destroy(question);
    bson_destroy(key);
}

static void test_bad_questions(void **state)
{
    (void)state;
    static const char *const rows[][2] = {
        {"{}", "'op'"},
        {"{'op': 5}", "'op'"},
        {"{'op': 'createIndexes'}", "'op'"},
        {"{'op': 'createIndex'}", "'index'"},
        {"{'op': 'createIndex', 'index': 5, 'options': {}}", "'index'"},
        {"{'op': 'createIndex', 'index': [], 'options': {}}", "'index'"},
        {"{'op': 'createIndex', 'index': {'y': 1}}", "'options'"},
        {"{'op': 'createIndex', 'index': {'y': 1}, 'options': 5}", "'options'"},
        {"{'op': 'createIndex', 'index': {'y': 1}, 'options': {'weights': {}}}", "'weights'"},
        {"{'op': 'createIndex', 'index': {'y': 1}, 'options': {'wildcardProjection': {}}}",
         "'wildcardProjection'"},
        {"{'op': 'createIndex', 'index': {'y': 1}, 'options': {'partialFilterExpression': {'b': "
         "1, '$expr': '$a'}}}",
         "$expr"},
        {"{'op': 'createIndex', 'indexes': 5, 'index': {'y': 1}, 'options': {}}", "'indexes'"},
        {"{'op': 'createIndex', 'indexes': [5], 'index': {'y': 1}, 'options': {}}", "indexes[0]"},
        {"{'op': 'createIndex', 'indexes': [{}], 'index': {'y': 1}, 'options': {}}", "indexes[0]"},
        {"{'op': 'createIndex', 'docs': {}, 'index': {'y': 1}, 'options': {}}", "'docs'"},
        {"{'op': 'createIndex', 'docs': [{}, 5], 'index': {'y': 1}, 'options': {}}", "docs[1]"},
        {"{'op': 'createIndex', 'dropped': 5, 'index': {'y': 1}, 'options': {}}", "'dropped'"},
        {"{'op': 'createIndex', 'dropped': [5], 'index': {'y': 1}, 'options': {}}", "dropped[0]"},
        {"{'op': 'createIndex', 'docs': [{}], 'index': {'y': 'text'}, 'options': {}}", "'y'"},
        {"{'op': 'insert'}", "'doc'"},
        {"{'op': 'insert', 'doc': 5}", "'doc'"},
        {"{'op': 'dropIndexes'}", "'which'"},
        {"{'op': 'dropIndexes', 'which': 5}", "'which'"},
        {"{'op': 'collMod'}", "'change'"},
        {"{'op': 'collMod', 'change': []}", "'change'"},
        {"{'op': 'collMod', 'change': {'name': 5}}", "'name'"},
        {"{'op': 'collMod', 'change': {'keyPattern': 5}}", "'keyPattern'"},
        {"{'op': 'collMod', 'change': {'hidden': 'a'}}", "'hidden'"},
        {"{'op': 'collMod', 'change': {'unique': null}}", "'unique'"},
        {"{'op': 'collMod', 'change': {'prepareUnique': {}}}", "'prepareUnique'"},
        {"{'op': 'collMod', 'change': {'expireAfterSeconds': 'a'}}", "'expireAfterSeconds'"},
        {"{'op': 'collMod', 'change': {'bogus': 1}}", "'bogus'"},
    };
    for (size_t i = 0; i < COUNT(rows); i++)
        assert_input(rows[i][0], rows[i][1]);
}

static void assert_bad_case(const char *text, const char *named)
{
    bson_t *test = sp_doc_from(text);
    sp_model_t *model = sp_model_of("6.0.27");
    sp_answers_t answers = SP_ANSWERS_INITIALIZER;
    sp_error_t error = {0};
    if (sp_case_predict_index(model, test, &answers, &error))
        fail_msg("%s was answered", text);
    assert_int_equal(error.domain, SP_ERROR_INPUT);
    if (strstr(error.message, named) == NULL)
        fail_msg("%s: '%s' does not name %s", text, error.message, named);
    sp_answers_clear(&answers);
    sp_model_free(model);
    bson_destroy(test);
}

#define CHUNKS(key, shard)                                                                         \
    "'key': {'" key "': 1}, 'chunks': [[{'" key "': {'$minKey': 1}}, {'" key                       \
    "': {'$maxKey': 1}}, '" shard "']], "

static void test_bad_cases(void **state)
{
    (void)state;
    assert_bad_case("{}", "key");
    assert_bad_case("{" CHUNKS("x", "s1") "'shards': 2}", "'requests'");
    assert_bad_case("{" CHUNKS("x", "s1") "'requests': 5}", "'requests'");
    assert_bad_case("{" CHUNKS("x", "s1") "'requests': [5]}", "requests[0]");
    assert_bad_case("{" CHUNKS("x", "s1") "'requests': [{'op': 'insert', 'doc': {}}, {}]}",
                    "requests[1]");
    assert_bad_case("{" CHUNKS("_id", "s1") "'collation': {'locale': 'fr'}, 'requests': [{'op': "
                                            "'insert', 'doc': {}}]}",
                    "'collation'");
    assert_bad_case("{'key': {'x': 1}, 'chunks': [[{'x': {'$minKey': 1}}, {'x': 0}, 's1'], [{'x': "
                    "0}, {'x': {'$maxKey': 1}}, 's2']], 'requests': []}",
                    "'chunks'");
}

/* {ok, made}: whether anything was made. */
static void test_made(void **state)
{
    (void)state;
    bson_t *test = sp_doc_from(
        "{" CHUNKS("x", "s1") "'collation': {'locale': 'fr'}, 'requests': [{'op': 'createIndex', "
                              "'index': {'_id': 1}, 'options': {}}, {'op': 'createIndex', 'index': "
                              "{'x': 1}, 'options': {}}, {'op': 'collMod', 'indexes': [{'key': "
                              "{'x': 1, 'y': 1}, 'name': 'i', 'unique': true}], 'change': {'name': "
                              "'i', 'hidden': true}}]}");
    static const char *const wanted[] = {
        "{'ok': true, 'made': false}",
        "{'ok': true, 'made': true}",
        ("{'ok': true, 'indexes': [{'name': '_id_'}, {'name': 'x_1'}, {'name': 'i', 'unique': "
         "true, "
         "'hidden': true}]}"),
    };
    sp_model_t *model = sp_model_of("6.0.27");
    sp_answers_t answers = SP_ANSWERS_INITIALIZER;
    sp_error_t error = {0};
    if (!sp_case_predict_index(model, test, &answers, &error))
        fail_msg("%s", error.message);
    assert_int_equal(answers.count, COUNT(wanted));
    for (unsigned i = 0; i < COUNT(wanted); i++) {
        bson_t *expected = sp_doc_from(wanted[i]);
        assert_true(bson_equal(answers.items[i], expected));
        bson_destroy(expected);
    }
    sp_answers_clear(&answers);
    sp_model_free(model);
    bson_destroy(test);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_patterns),
        cmocka_unit_test(test_wildcards),
        cmocka_unit_test(test_unique),
        cmocka_unit_test(test_id_indexes),
        cmocka_unit_test(test_options),
        cmocka_unit_test(test_expiry),
        cmocka_unit_test(test_filters),
        cmocka_unit_test(test_same_indexes),
        cmocka_unit_test(test_drops),
        cmocka_unit_test(test_star),
        cmocka_unit_test(test_text_beside_text),
        cmocka_unit_test(test_changes),
        cmocka_unit_test(test_documents),
        cmocka_unit_test(test_older_servers),
        cmocka_unit_test(test_bad_questions),
        cmocka_unit_test(test_bad_cases),
        cmocka_unit_test(test_made),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
