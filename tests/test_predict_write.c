/*
 * The shards of a write, or the error that it ends with.
 *
 * What routers of 6.0.5, 6.0.24 and 6.0.27 were seen to do (November 2026): where a write went
 * stands in the profiles of the shards.
 */
#include "from_json.h"
#include "query_layout.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const sp_answer_row_t many[] = {
    {"{'op': 'updateMany', 'filter': {'x': 5}}", "s2", NULL},
    {"{'op': 'deleteMany', 'filter': {'x': 5}}", "s2", NULL},
    {"{'op': 'updateMany', 'filter': {'x': {'$gt': 25}}}", "s2", NULL},
    {"{'op': 'deleteMany', 'filter': {'x': {'$gt': 25}}}", "s2", NULL},
    {"{'op': 'updateMany', 'filter': {}}", "s1 s2 s3", NULL},
    {"{'op': 'deleteMany', 'filter': {}}", "s1 s2 s3", NULL},
    {"{'op': 'updateMany', 'filter': {'y': 1}}", "s1 s2 s3", NULL},
    {"{'op': 'deleteMany', 'filter': {'y': 1}}", "s1 s2 s3", NULL},
    {"{'op': 'updateMany', 'filter': {'x': {'$lt': 0}}}", "s1 s2 s3", NULL},
    {"{'op': 'deleteMany', 'filter': {'x': {'$lt': 0}}}", "s1 s2 s3", NULL},
    {"{'op': 'updateMany', 'filter': {'x': {'$gt': {'$maxKey': 1}}}}", "s1", NULL},
    {"{'op': 'deleteMany', 'filter': {'x': {'$gt': {'$maxKey': 1}}}}", "s1", NULL},
};

static const sp_answer_row_t one[] = {
    {"{'op': 'updateOne', 'filter': {'x': 5}}", "s2", NULL},
    {"{'op': 'deleteOne', 'filter': {'x': 5}}", "s2", NULL},
    {"{'op': 'updateOne', 'filter': {'x': {'$gt': 5}}}", "s2", NULL},
    {"{'op': 'deleteOne', 'filter': {'x': {'$gt': 5}}}", "61", "s2"},
    {"{'op': 'updateOne', 'filter': {'x': {'$gt': 25}}}", "s2", NULL},
    {"{'op': 'deleteOne', 'filter': {'x': {'$gt': 25}}}", "61", "s2"},
    {"{'op': 'updateOne', 'filter': {'y': 1}}", "72", NULL},
    {"{'op': 'deleteOne', 'filter': {'y': 1}}", "61", NULL},
    {"{'op': 'updateOne', 'filter': {'_id': 1}}", "s1 s2 s3", NULL},
    {"{'op': 'deleteOne', 'filter': {'_id': 1}}", "s1 s2 s3", NULL},
    {"{'op': 'updateOne', 'filter': {'_id': {'$in': [1]}}}", "s1 s2 s3", NULL},
    {"{'op': 'deleteOne', 'filter': {'_id': {'$in': [1]}}}", "s1 s2 s3", NULL},
    {"{'op': 'updateOne', 'filter': {'_id': {'$gt': 1}}}", "72", NULL},
    {"{'op': 'deleteOne', 'filter': {'_id': {'$gt': 1}}}", "61", NULL},
    {"{'op': 'updateOne', 'filter': {'_id': 1, 'x': {'$gt': 25}}}", "s2", NULL},
    {"{'op': 'deleteOne', 'filter': {'_id': 1, 'x': {'$gt': 25}}}", "s2", NULL},
    {"{'op': 'updateOne', 'filter': {'_id': [1]}}", "72", NULL},
    {"{'op': 'deleteOne', 'filter': {'_id': [1]}}", "61", NULL},
    {"{'op': 'updateOne', 'filter': {'_id': {'a': 1}}}", "s1 s2 s3", NULL},
    {"{'op': 'deleteOne', 'filter': {'_id': {'a': 1}}}", "s1 s2 s3", NULL},
    {"{'op': 'updateOne', 'filter': {'_id': {'$regularExpression': {'pattern': 'a', 'options': "
     "''}}}}",
     "72", NULL},
    {"{'op': 'deleteOne', 'filter': {'_id': {'$regularExpression': {'pattern': 'a', 'options': "
     "''}}}}",
     "61", NULL},
    {"{'op': 'updateOne', 'filter': {'_id': {'$in': [1, 2]}}}", "72", NULL},
    {"{'op': 'deleteOne', 'filter': {'_id': {'$in': [1, 2]}}}", "61", NULL},
    {"{'op': 'updateOne', 'filter': {'$or': [{'_id': 1}]}}", "s1 s2 s3", NULL},
    {"{'op': 'deleteOne', 'filter': {'$or': [{'_id': 1}]}}", "s1 s2 s3", NULL},
    {"{'op': 'updateOne', 'filter': {'$and': [{'_id': 1}, {'_id': 2}]}}", "72", NULL},
    {"{'op': 'deleteOne', 'filter': {'$and': [{'_id': 1}, {'_id': 2}]}}", "61", NULL},
    {"{'op': 'updateOne', 'filter': {'_id': 'a'}}", "s1 s2 s3", NULL},
    {"{'op': 'deleteOne', 'filter': {'_id': 'a'}}", "s1 s2 s3", NULL},
    {"{'op': 'updateOne', 'filter': {'_id.a': 1}}", "72", NULL},
    {"{'op': 'deleteOne', 'filter': {'_id.a': 1}}", "61", NULL},
};

static const sp_answer_row_t partial_key[] = {
    {"{'op': 'updateOne', 'filter': {'x': 5}}", "s2", NULL},
    {"{'op': 'deleteOne', 'filter': {'x': 5}}", "61", "s2"},
    {"{'op': 'updateOne', 'filter': {'x': 5, 'y': 1}}", "s2", NULL},
    {"{'op': 'deleteOne', 'filter': {'x': 5, 'y': 1}}", "s2", NULL},
    {"{'op': 'updateOne', 'filter': {'x': {'$gt': 2, '$lt': 5}}}", "s2", NULL},
    {"{'op': 'deleteOne', 'filter': {'x': {'$gt': 2, '$lt': 5}}}", "61", "s2"},
};

static const sp_answer_row_t id_under_collation[] = {
    {"{'op': 'updateOne', 'filter': {'_id': 'a'}}", "s1 s2 s3", NULL},
    {"{'op': 'deleteOne', 'filter': {'_id': 'a'}}", "s1 s2 s3", NULL},
    {"{'op': 'updateOne', 'filter': {'_id': 'a'}, 'collation': {'locale': 'fr'}}", "s1 s2 s3",
     NULL},
    {"{'op': 'deleteOne', 'filter': {'_id': 'a'}, 'collation': {'locale': 'fr'}}", "s1 s2 s3",
     NULL},
    {"{'op': 'updateOne', 'filter': {'_id': 'a'}, 'collation': {'locale': 'simple'}}", "72", NULL},
    {"{'op': 'deleteOne', 'filter': {'_id': 'a'}, 'collation': {'locale': 'simple'}}", "61", NULL},
    {"{'op': 'updateOne', 'filter': {'_id': 'a'}, 'collation': {'locale': 'sv'}}", "72", NULL},
    {"{'op': 'deleteOne', 'filter': {'_id': 'a'}, 'collation': {'locale': 'sv'}}", "61", NULL},
    {"{'op': 'updateOne', 'filter': {'_id': 1}}", "s1 s2 s3", NULL},
    {"{'op': 'deleteOne', 'filter': {'_id': 1}}", "s1 s2 s3", NULL},
    {"{'op': 'updateOne', 'filter': {'_id': 1}, 'collation': {'locale': 'fr'}}", "s1 s2 s3", NULL},
    {"{'op': 'deleteOne', 'filter': {'_id': 1}, 'collation': {'locale': 'fr'}}", "s1 s2 s3", NULL},
    {"{'op': 'updateOne', 'filter': {'_id': 1}, 'collation': {'locale': 'simple'}}", "s1 s2 s3",
     NULL},
    {"{'op': 'deleteOne', 'filter': {'_id': 1}, 'collation': {'locale': 'simple'}}", "s1 s2 s3",
     NULL},
    {"{'op': 'updateOne', 'filter': {'_id': 1}, 'collation': {'locale': 'sv'}}", "s1 s2 s3", NULL},
    {"{'op': 'deleteOne', 'filter': {'_id': 1}, 'collation': {'locale': 'sv'}}", "s1 s2 s3", NULL},
};

static const sp_answer_row_t id_without_collation[] = {
    {"{'op': 'updateOne', 'filter': {'_id': 'a'}, 'collation': {'locale': 'fr'}}", "72", NULL},
    {"{'op': 'deleteOne', 'filter': {'_id': 'a'}, 'collation': {'locale': 'fr'}}", "61", NULL},
    {"{'op': 'updateOne', 'filter': {'_id': 'a'}, 'collation': {'locale': 'simple'}}", "s1 s2 s3",
     NULL},
    {"{'op': 'deleteOne', 'filter': {'_id': 'a'}, 'collation': {'locale': 'simple'}}", "s1 s2 s3",
     NULL},
    {"{'op': 'updateOne', 'filter': {'_id': 1}, 'collation': {'locale': 'fr'}}", "s1 s2 s3", NULL},
    {"{'op': 'deleteOne', 'filter': {'_id': 1}, 'collation': {'locale': 'fr'}}", "s1 s2 s3", NULL},
    {"{'op': 'updateOne', 'filter': {'_id': 1}, 'collation': {'locale': 'simple'}}", "s1 s2 s3",
     NULL},
    {"{'op': 'deleteOne', 'filter': {'_id': 1}, 'collation': {'locale': 'simple'}}", "s1 s2 s3",
     NULL},
    {"{'op': 'updateOne', 'filter': {'_id': {'a': 1}}, 'collation': {'locale': 'fr'}}", "72", NULL},
    {"{'op': 'deleteOne', 'filter': {'_id': {'a': 1}}, 'collation': {'locale': 'fr'}}", "61", NULL},
    {"{'op': 'updateOne', 'filter': {'_id': {'a': 1}}, 'collation': {'locale': 'simple'}}",
     "s1 s2 s3", NULL},
    {"{'op': 'deleteOne', 'filter': {'_id': {'a': 1}}, 'collation': {'locale': 'simple'}}",
     "s1 s2 s3", NULL},
};

static const sp_answer_row_t replacement[] = {
    {"{'op': 'replaceOne', 'filter': {'x': 5}, 'update': {'x': 15}}", "s2", NULL},
    {"{'op': 'replaceOne', 'filter': {'x': 5}, 'update': {'w': 1}}", "s2", NULL},
    {"{'op': 'replaceOne', 'filter': {}, 'update': {'x': 15}}", "s3", NULL},
    {"{'op': 'replaceOne', 'filter': {}, 'update': {'w': 1}}", "s1", NULL},
    {"{'op': 'replaceOne', 'filter': {'_id': 1}, 'update': {'x': 25}}", "s1", NULL},
    {"{'op': 'replaceOne', 'filter': {'_id': 1}, 'update': {'w': 1}}", "s1", NULL},
    {"{'op': 'replaceOne', 'filter': {'y': 1}, 'update': {'x': [1]}}", "61", NULL},
    {"{'op': 'replaceOne', 'filter': {'x': {'$in': [5, 15]}}, 'update': {'x': 35}}", "s2", NULL},
    {"{'op': 'replaceOne', 'filter': {'x': {'$in': [5, 15]}}, 'update': {'x': null}}", "s1", NULL},
    {"{'op': 'replaceOne', 'filter': {'y': 1}, 'update': {'x': 15}}", "s3", NULL},
    {"{'op': 'replaceOne', 'filter': {'y': 1}, 'update': {'x': {'$maxKey': 1}}}", "61", "s2"},
    {"{'op': 'replaceOne', 'filter': {'y': 1}, 'update': {'x': {'$regularExpression': {'pattern': "
     "'a', 'options': ''}}}}",
     "s2", NULL},
    {"{'op': 'replaceOne', 'filter': {'y': 1}, 'update': {'x': {'a': 1}}}", "s2", NULL},
};

static const sp_answer_row_t replacement_by_id[] = {
    {"{'op': 'replaceOne', 'filter': {'_id': 5}, 'update': {'x': 15}}", "s2", NULL},
    {"{'op': 'replaceOne', 'filter': {'x': 5}, 'update': {'x': 15}}", "s1", NULL},
    {"{'op': 'replaceOne', 'filter': {'x': 5}, 'update': {'_id': 15}}", "s3", NULL},
    {"{'op': 'replaceOne', 'filter': {'_id': {'$gt': -5}}, 'update': {'x': 15}}", "s1", NULL},
    {"{'op': 'replaceOne', 'filter': {'_id': {'$gt': -5}}, 'update': {'_id': 15, 'x': 15}}", "s3",
     NULL},
};

static const sp_answer_row_t replacement_by_id_and_more[] = {
    {"{'op': 'replaceOne', 'filter': {'_id': 10}, 'update': {'x': 3}}", "s2", NULL},
    {"{'op': 'replaceOne', 'filter': {'_id': 10}, 'update': {'x': 7}}", "s3", NULL},
    {"{'op': 'replaceOne', 'filter': {'_id': 10}, 'update': {'_id': 10, 'x': 7}}", "s3", NULL},
    {"{'op': 'replaceOne', 'filter': {'_id': 10}, 'update': {'y': 7}}", "s2", NULL},
    {"{'op': 'replaceOne', 'filter': {'_id': {'$gte': 10}}, 'update': {'x': 7}}", "s1", NULL},
    {"{'op': 'replaceOne', 'filter': {'_id': {'$gte': 0}}, 'update': {'x': 7}}", "s1", NULL},
    {"{'op': 'replaceOne', 'filter': {'_id': 10}, 'update': {'_id': 9, 'x': 7}}", "s2", NULL},
    {"{'op': 'replaceOne', 'filter': {'_id': 10}, 'update': {'_id': 11, 'x': 3}}", "s3", NULL},
};

static const sp_answer_row_t replacement_under_collation[] = {
    {"{'op': 'replaceOne', 'filter': {'y': 1}, 'update': {'x': 'a'}}", "61", NULL},
    {"{'op': 'replaceOne', 'filter': {'y': 1}, 'update': {'x': 5}}", "s2", NULL},
    {"{'op': 'replaceOne', 'filter': {'y': 1}, 'update': {'x': 'a'}, 'collation': {'locale': "
     "'simple'}}",
     "s3", NULL},
};

static const sp_answer_row_t replacement_hashed[] = {
    {"{'op': 'replaceOne', 'filter': {'y': 1}, 'update': {'x': 5}}", "s1", NULL},
    {"{'op': 'replaceOne', 'filter': {'y': 1}, 'update': {'w': 5}}", "s3", NULL},
};

static const sp_answer_row_t upsert[] = {
    {"{'op': 'upsert', 'filter': {'x': 5}}", "s2", NULL},
    {"{'op': 'upsert', 'filter': {'x': 15, 'y': {'$gt': 1}}}", "s3", NULL},
    {"{'op': 'upsert', 'filter': {'x': {'$gt': 25}}}", "61", NULL},
    {"{'op': 'upsert', 'filter': {'y': 1}}", "61", NULL},
    {"{'op': 'upsert', 'filter': {'_id': 1}}", "61", NULL},
    {"{'op': 'upsert', 'filter': {'x': {'$in': [5]}}}", "s2", NULL},
    {"{'op': 'upsert', 'filter': {'x': {'$in': [5, 6]}}}", "61", NULL},
    {"{'op': 'upsert', 'filter': {'x': null}}", "s1", NULL},
    {"{'op': 'upsert', 'filter': {'x': [1]}}", "61", NULL},
    {"{'op': 'upsert', 'filter': {'x': {'$maxKey': 1}}}", "61", "s2"},
    {"{'op': 'upsert', 'filter': {'x': 5, '_id': [1]}}", "53", NULL},
    {"{'op': 'upsert', 'filter': {'x': 5, '_id': {'$in': [{'$regularExpression': {'pattern': 'a', "
     "'options': ''}}]}}}",
     "s2", NULL},
    {"{'op': 'upsert', 'filter': {'x': 5, '_id': {'$eq': {'$regularExpression': {'pattern': 'a', "
     "'options': ''}}}}}",
     "53", NULL},
    {"{'op': 'upsert', 'filter': {'x': 5, 'a': {'b': 1}, 'a.b': 1}}", "54", NULL},
    {"{'op': 'upsert', 'filter': {'x': 5, 'a.b': 1, 'a.c': 1}}", "s2", NULL},
    {"{'op': 'upsert', 'filter': {'x': 5, 'a.b': 1, 'a.b.c': 1}}", "54", NULL},
    {"{'op': 'upsert', 'filter': {'x': 5, 'ab': 1, 'a': 1}}", "s2", NULL},
    {"{'op': 'upsert', 'filter': {'x': 5, '$or': [{'y': 1}, {'y': 2}], 'y': 3}}", "s2", NULL},
    {"{'op': 'upsert', 'filter': {'x': 5, '$or': [{'y': 1}], 'y': 3}}", "54", NULL},
    {"{'op': 'upsert', 'filter': {'x': 5, '_id': {'$symbol': 'a'}}}", "s2", NULL},
    {"{'op': 'upsert', 'filter': {'x': 5, '_id': {'$undefined': true}}}", "2", NULL},
    {"{'op': 'upsert', 'filter': {'x': 5, 'w': 3}}", "s2", NULL},
    {"{'op': 'upsert', 'filter': {'x': 5, 'w.a': 3}}", "s2", NULL},
    {"{'op': 'upsert', 'filter': {'x': 5, '$and': [{'y': {'$all': [1]}}, {'y': 2}]}}", "54", NULL},
    {"{'op': 'upsert', 'filter': {'x': 5, 'y': {'$all': [1, 1]}}}", "54", NULL},
    {"{'op': 'upsert', 'filter': {'$bad': 1}}", "2", NULL},
    {"{'op': 'upsert', 'filter': {'x': 5, '_id': {'$gt': 1}}}", "s2", NULL},
};

static const sp_answer_row_t upsert_under_collation[] = {
    {"{'op': 'upsert', 'filter': {'x': 5, '_id': {'$symbol': 'a'}}}", "201", NULL},
    {"{'op': 'upsert', 'filter': {'x': 5, '_id': {'a': [{'$symbol': 'a'}]}}}", "201", NULL},
    {"{'op': 'upsert', 'filter': {'x': 5, '_id.a': {'$symbol': 'a'}}}", "201", NULL},
    {"{'op': 'upsert', 'filter': {'x': 5, '_id': {'$symbol': 'a'}}, 'collation': {'locale': "
     "'simple'}}",
     "201", NULL},
    {"{'op': 'upsert', 'filter': {'x': 'a'}}", "61", NULL},
    {"{'op': 'upsert', 'filter': {'x': 'a'}, 'collation': {'locale': 'simple'}}", "s3", NULL},
    {"{'op': 'upsert', 'filter': {'x': 5, 'y': {'$symbol': 'a'}}}", "s2", NULL},
    {"{'op': 'upsert', 'filter': {'x': {}}}", "61", NULL},
    {"{'op': 'upsert', 'filter': {'x': 5, '_id': {'$code': 'f', '$scope': {'a': {'$symbol': "
     "'a'}}}}}",
     "s2", NULL},
};

/* Chunks go round s1, s2, s3, and the cluster has all three. */
static const sp_answer_group_t groups[] = {
    {"{'key': {'x': 1}, 'shards': 3, 'splits': [{'x': 0}]}", many, COUNT(many)},
    {"{'key': {'x': 1}, 'shards': 3, 'splits': [{'x': 0}]}", one, COUNT(one)},
    {"{'key': {'x': 1, 'y': 1}, 'shards': 3, 'splits': [{'x': 0, 'y': 0}, {'x': 10, 'y': 0}, {'x': "
     "20, 'y': 0}, {'x': 30, 'y': 0}]}",
     partial_key, COUNT(partial_key)},
    {"{'key': {'x': 1}, 'collation': {'locale': 'fr'}, 'shards': 3, 'splits': [{'x': 0}, {'x': "
     "'a'}, {'x': 'b'}]}",
     id_under_collation, COUNT(id_under_collation)},
    {"{'key': {'x': 1}, 'shards': 3, 'splits': [{'x': 0}, {'x': 'a'}, {'x': 'b'}]}",
     id_without_collation, COUNT(id_without_collation)},
    {"{'key': {'x': 1}, 'shards': 3, 'splits': [{'x': 0}, {'x': 10}, {'x': 20}, {'x': 30}]}",
     replacement, COUNT(replacement)},
    {"{'key': {'_id': 1}, 'shards': 3, 'splits': [{'_id': 0}, {'_id': 10}]}", replacement_by_id,
     COUNT(replacement_by_id)},
    {"{'key': {'_id': 1, 'x': 1}, 'shards': 3, 'splits': [{'_id': 0, 'x': 0}, {'_id': 10, 'x': "
     "5}]}",
     replacement_by_id_and_more, COUNT(replacement_by_id_and_more)},
    {"{'key': {'x': 1}, 'collation': {'locale': 'fr'}, 'shards': 3, 'splits': [{'x': 0}, {'x': "
     "'a'}, {'x': 'b'}]}",
     replacement_under_collation, COUNT(replacement_under_collation)},
    {"{'key': {'x': 'hashed'}, 'shards': 3, 'splits': [{'x': {'$numberLong': "
     "'-4000000000000000000'}}, {'x': {'$numberLong': '0'}}, {'x': {'$numberLong': "
     "'2500000000000000000'}}]}",
     replacement_hashed, COUNT(replacement_hashed)},
    {"{'key': {'x': 1}, 'shards': 3, 'splits': [{'x': 0}, {'x': 10}, {'x': 20}, {'x': 30}]}",
     upsert, COUNT(upsert)},
    {"{'key': {'x': 1}, 'collation': {'locale': 'fr'}, 'shards': 3, 'splits': [{'x': 0}, {'x': "
     "'a'}, {'x': 'b'}]}",
     upsert_under_collation, COUNT(upsert_under_collation)},
};

static void test_6_0_5(void **state)
{
    (void)state;
    sp_assert_answers("6.0.5", false, groups, COUNT(groups));
}

static void test_6_0_24(void **state)
{
    (void)state;
    sp_assert_answers("6.0.24", true, groups, COUNT(groups));
}

static void test_6_0_27(void **state)
{
    (void)state;
    sp_assert_answers("6.0.27", true, groups, COUNT(groups));
}

/* Field names that begin with $ in an _id: not the rules for documents that are inserted. */
static void test_names_in_upserted_ids(void **state)
{
    (void)state;
    static const sp_answer_row_t rows[] = {
        {"{'op': 'upsert', 'filter': {'x': 5, '_id': {'$eq': {'$a': 1}}}}", "52", NULL},
        {"{'op': 'upsert', 'filter': {'x': 5, '_id': {'$eq': {'a': 1, '$a': 1}}}}", "52", NULL},
        {"{'op': 'upsert', 'filter': {'x': 5, '_id': {'a': {'$a': 1}}}}", "52", "s2"},
        {"{'op': 'upsert', 'filter': {'x': 5, '_id': {'a': [{'$a': 1}]}}}", "52", "s2"},
        {"{'op': 'upsert', 'filter': {'x': 5, '_id': {'a': {'$code': 'f', '$scope': {'$a': 1}}}}}",
         "52", "s2"},
        {"{'op': 'upsert', 'filter': {'x': 5, '_id': {'$code': 'f', '$scope': {'$a': 1}}}}", "s2",
         NULL},
        {"{'op': 'upsert', 'filter': {'x': 5, '_id': {'$eq': {'$ref': 'a', '$id': 1}}}}", "s2",
         NULL},
        {"{'op': 'upsert', 'filter': {'x': 5, '_id': {'a': {'$ref': 'a', '$id': 1}}}}", "s2", NULL},
        {"{'op': 'upsert', 'filter': {'x': 5, '_id': {'$eq': {'$ref': 'a', '$id': 1, 'a': 1}}}}",
         "s2", NULL},
        {"{'op': 'upsert', 'filter': {'x': 5, '_id': {'$eq': {'$ref': 'a', '$id': 1, '$a': 1}}}}",
         "52", NULL},
        {"{'op': 'upsert', 'filter': {'x': 5, '_id': {'$eq': {'$ref': 'a', '$id': {'$a': 1}}}}}",
         "s2", NULL},
        {"{'op': 'upsert', 'filter': {'x': 5, '_id': {'$eq': {'a': 1, '$ref': 'a', '$id': 1}}}}",
         "52", "s2"},
        {"{'op': 'upsert', 'filter': {'x': 5, '_id': {'$eq': {'$id': 1, '$ref': 'a'}}}}", "52",
         "55"},
        {"{'op': 'upsert', 'filter': {'x': 5, '_id': {'$eq': {'$ref': 'a'}}}}", "52", "55"},
        {"{'op': 'upsert', 'filter': {'x': 5, '_id': {'$eq': {'$id': 1}}}}", "52", "55"},
        {"{'op': 'upsert', 'filter': {'x': 5, '_id': {'$eq': {'$db': 'a'}}}}", "52", "55"},
        {"{'op': 'upsert', 'filter': {'x': 5, '_id': {'a': {'$id': 1}}}}", "52", "s2"},
        {"{'op': 'upsert', 'filter': {'x': 5, '_id.a': 1}}", "s2", NULL},
        {"{'op': 'upsert', 'filter': {'x': 5, '_id.$a': 1}}", "s2", "52"},
        {"{'op': 'upsert', 'filter': {'x': 5, '_id.$id': 1}}", "s2", "55"},
        {"{'op': 'upsert', 'filter': {'x': 5, '_id.a.$b': 1}}", "s2", NULL},
        {"{'op': 'upsert', 'filter': {'x': 5, 'y.$a': 1}}", "s2", NULL},
        {"{'op': 'upsert', 'filter': {'x': 5, '': 1}}", "20", NULL},

    };
    static const char *const versions[] = {"6.0.5", "6.0.24", "6.0.27"};
    sp_layout_t *layout = sp_layout_from("{'key': {'x': 1}, 'splits': [{'x': 0}]}");
    for (size_t i = 0; i < COUNT(versions); i++) {
        sp_model_t *model = sp_model_of(versions[i]);
        for (size_t j = 0; j < COUNT(rows); j++)
            sp_assert_answer(model, layout, rows[j].question,
                             i > 0 && rows[j].later != NULL ? rows[j].later : rows[j].answer);
        sp_model_free(model);
    }
    sp_layout_free(layout);
}

/* What mongos 4.0.3 was seen to refuse and to name in explained updates and deletes: no more than
 * the shards that a find reaches. */
static void test_4_0_3(void **state)
{
    (void)state;
    static const struct {
        const char *write, *shards;
    } rows[] = {
        {"{'op': 'updateMany', 'filter': {'x': {'$type': 'int'}}}", "s1 s2"},
        {"{'op': 'deleteMany', 'filter': {'w': {'$type': 'int'}}}", "s1 s2"},
        {"{'op': 'deleteMany', 'filter': {}}", "s1 s2"},
        {"{'op': 'updateMany', 'filter': {'x': -10}}", "s1"},
        {"{'op': 'updateOne', 'filter': {'x': {'$mod': [2, 0]}}}", "61"},
        {"{'op': 'deleteOne', 'filter': {'x': {'$gt': 5}}}", "61"},
        {"{'op': 'updateOne', 'filter': {'x': {'$gt': 5}}}", "61"},
        {"{'op': 'deleteOne', 'filter': {'w': {'$mod': [2, 0]}}}", "61"},
        {"{'op': 'updateOne', 'filter': {'x': {'$binary': {'base64': '', 'subType': '02'}}}}",
         "s2"},
        {"{'op': 'deleteOne', 'filter': {'x': -1}}", "s1"},
        {"{'op': 'upsert', 'filter': {'x': {'$in': []}}}", "61"},
        {"{'op': 'upsert', 'filter': {'x': {'$gt': 5}, 'w': 'BB'}}", "61"},
        {"{'op': 'upsert', 'filter': {'x': -6}}", "s1"},
    };
    sp_model_t *model = sp_model_of("4.0.3");
    sp_layout_t *layout = sp_layout_from("{'key': {'x': 1}, 'shards': 3, 'splits': [{'x': 0}]}");
    for (size_t i = 0; i < COUNT(rows); i++)
        sp_assert_answer(model, layout, rows[i].write, rows[i].shards);
    sp_layout_free(layout);
    sp_model_free(model);
}

static void test_kind_names(void **state)
{
    (void)state;
    static const char *const names[] = {
        [SP_UPDATE_ONE] = "updateOne", [SP_UPDATE_MANY] = "updateMany",
        [SP_UPSERT] = "upsert",        [SP_REPLACE_ONE] = "replaceOne",
        [SP_DELETE_ONE] = "deleteOne", [SP_DELETE_MANY] = "deleteMany",
    };
    sp_write_kind_t kind;
    assert_int_equal(COUNT(names), SP_WRITE_KINDS);
    for (unsigned i = 0; i < COUNT(names); i++) {
        assert_string_equal(sp_write_kind_name((sp_write_kind_t)i), names[i]);
        assert_true(sp_write_kind_parse(names[i], &kind));
        assert_int_equal(kind, i);
    }
    assert_false(sp_write_kind_parse("find", &kind));
    assert_false(sp_write_kind_parse("", &kind));
    assert_false(sp_write_kind_parse("updateone", &kind));
}

/* What the model does not know is no answer, and leaves `answer` as it was. */
static void test_unknown(void **state)
{
    (void)state;
    sp_model_t *model = sp_model_of("6.0.5");
    sp_layout_t *layout = sp_layout_from("{'key': {'x': 1}, 'splits': [{'x': 0}]}");
    bson_t *filter = sp_doc_from("{'$text': {'$search': 'a'}}"), answer = BSON_INITIALIZER;
    const sp_write_t write = {.kind = SP_UPDATE_MANY, .query = {.filter = filter}};
    sp_error_t error = {0};
    assert_false(sp_predict_write(model, layout, &write, &answer, &error));
    assert_int_equal(error.domain, SP_ERROR_INPUT);
    assert_false(sp_predict_find(model, layout, &write.query, &answer, NULL));
    assert_true(bson_empty(&answer));
    bson_destroy(&answer);
    bson_destroy(filter);
    sp_layout_free(layout);
    sp_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_6_0_5),   cmocka_unit_test(test_6_0_24),
        cmocka_unit_test(test_6_0_27),  cmocka_unit_test(test_names_in_upserted_ids),
        cmocka_unit_test(test_4_0_3),   cmocka_unit_test(test_kind_names),
        cmocka_unit_test(test_unknown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
