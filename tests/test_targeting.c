/*
 * The shards of a read.
 *
 * What routers of 6.0.5, 6.0.24 and 6.0.27 name in {explain: {clusterFind: …}} (November 2026).
 */
#include "query_layout.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const sp_answer_row_t points_and_ranges[] = {
    {"{}", "s1 s2 s3", NULL},
    {"{'x': 5}", "s2", NULL},
    {"{'x': 10}", "s3", NULL},
    {"{'x': {'$lt': 10}}", "s1 s2 s3", NULL},
    {"{'x': {'$lte': 10}}", "s1 s2 s3", NULL},
    {"{'x': {'$gt': 5, '$lt': 10}}", "s2 s3", NULL},
    {"{'x': {'$gte': 10, '$lt': 20}}", "s1 s3", NULL},
    {"{'x': {'$gt': 9.5, '$lt': 10}}", "s2 s3", NULL},
    {"{'x': {'$in': [5, 15]}}", "s2 s3", NULL},
    {"{'x': {'$in': [-5, 25]}}", "s1", NULL},
    {"{'x': {'$ne': 5}}", "s1 s2 s3", NULL},
    {"{'x': 'a'}", "s2", NULL},
    {"{'x': null}", "s1", NULL},
    {"{'y': 1}", "s1 s2 s3", NULL},
    {"{'x': {'$gt': {'$numberDouble': 'NaN'}}}", "s1", NULL},
    {"{'x': {'$gt': 5, '$lt': 1}}", "s1", NULL},
    {"{'$and': [{'x': 15}, {'x': 25}]}", "s1", NULL},
    {"{'x': {'$in': []}}", "s1", NULL},
    {"{'x': {'$maxKey': 1}}", "s1", "s2"},
    {"{'x': {'$gte': {'$maxKey': 1}}}", "s1", NULL},
    {"{'x': {'$gt': {'$maxKey': 1}}}", "s1", NULL},
    {"{'x': {'$minKey': 1}}", "s1", NULL},
    {"{'x': {'$gt': 25}, 'y': {'$in': []}}", "s1 s2", NULL},
    {"{'y': {'$in': []}}", "s1 s2 s3", NULL},
    {"{'$alwaysFalse': 1}", "s1 s2 s3", NULL},
    {"{'x': {'$gt': 32}, '$alwaysFalse': 1}", "s1 s2 s3", NULL},
};

/* An $or counts more than a predicate beside it, the first of several most. */
static const sp_answer_row_t ors[] = {
    {"{'$or': [{'x': 5}, {'x': 15}]}", "s2 s3", NULL},
    {"{'$or': [{'x': 5}, {'y': 7}]}", "s1 s2 s3", NULL},
    {"{'x': 15, '$or': [{'x': 5}, {'x': {'$gt': 25}}]}", "s3", NULL},
    {"{'x': {'$gt': 12}, '$or': [{'x': 5}, {'x': {'$gt': 25}}]}", "s1 s2", NULL},
    {"{'x': {'$gt': 12, '$lt': 18}, '$or': [{'x': 5}, {'x': {'$gt': 35}}]}", "s1", NULL},
    {"{'x': 15, '$or': [{'x': 5}, {'y': {'$gt': 25}}]}", "s3", NULL},
    {"{'x': 15, '$or': [{'x': {'$regularExpression': {'pattern': '^a', 'options': ''}}}, {'x': 5, "
     "'z': 2}]}",
     "s3", NULL},
    {"{'x': {'$in': [15]}, 'y': 1, '$or': [{'x': {'$in': []}, '_id': 1}, {'x': "
     "{'$regularExpression': {'pattern': '^a', 'options': ''}}}, {'x': {'$regularExpression': "
     "{'pattern': '^a', 'options': ''}}, 'z': 2}]}",
     "s3", NULL},
    {"{'$or': [{'x': {'$gt': 32}}, {'y': {'$all': []}}]}", "s2", NULL},
    {"{'$or': [{'y': {'$all': []}}, {'y': {'$all': []}}]}", "s1 s2 s3", NULL},
    {"{'x': {'$gt': 32}, '$or': [{'y': {'$all': []}}, {'y': {'$all': []}}]}", "s1 s2 s3", NULL},
    {"{'$or': [{'x': 5}, {}]}", "s1 s2 s3", NULL},
    {"{'$or': [{'x': {'$not': {'$all': []}}}, {'x': 5}]}", "s1 s2 s3", NULL},
    {"{'$and': [{'$or': [{'x': 5}, {'x': 6}, {'a': 1, 'x': 7}, {'a': 2, 'x': 8}]}, {'$or': [{'x': "
     "15, 'b': 1}, {'x': {'$gt': 13, '$lt': 14}}]}]}",
     "s3", "s2"},
    {"{'$and': [{'$or': [{'x': {'$elemMatch': {'$lt': 7, '$gt': 5}}}, {'x': {'$elemMatch': {'$gt': "
     "6, '$lt': 7}}}]}, {'$or': [{'x': {'$elemMatch': {'$gte': 15, '$lt': 16}}}, {'x': "
     "{'$elemMatch': {'$lt': 17, '$gte': 16}}}]}]}",
     "s2", NULL},
    {"{'$and': [{'$or': [{'x': {'$elemMatch': {'$lt': 17, '$gte': 15}}}, {'x': {'$elemMatch': "
     "{'$gte': 16, '$lt': 17}}}]}, {'$or': [{'x': {'$elemMatch': {'$gt': 5, '$lt': 6}}}, {'x': "
     "{'$elemMatch': {'$lt': 7, '$gt': 6}}}]}]}",
     "s2", NULL},
};

static const sp_answer_row_t nors[] = {
    {"{'$nor': [{'x': {'$lt': 20}}]}", "s1 s2", NULL},
    {"{'$nor': [{'x': {'$lt': 20}}, {'y': {'$all': []}}]}", "s1 s2 s3", "s1 s2"},
    {"{'$nor': [{'y': {'$all': []}}]}", "s1 s2 s3", NULL},
    {"{'$nor': [{'x': {'$gt': 5}}, {'x': {'$in': []}}]}", "s1 s2 s3", NULL},
    {"{'$nor': [{'$or': [{'y': {'$all': []}}, {'x': {'$lt': 20}}]}]}", "s1 s2", NULL},
    {"{'x': {'$gt': 32}, '$nor': [{'$alwaysTrue': 1}, {'z': 1}]}", "s2", "s1 s2 s3"},
    {"{'x': {'$gt': 32}, '$nor': [{}]}", "s2", NULL},
    {"{'x': {'$gt': 32}, '$nor': [{}, {}]}", "s2", "s1 s2 s3"},
    {"{'x': {'$gt': 32}, '$nor': [{'y': {'$all': []}}, {'y': {'$all': []}}]}", "s2", NULL},
    {"{'$or': [{'x': {'$gt': 32}}, {'$nor': [{'z': 1}, {'$alwaysTrue': 1}]}]}", "s1 s2 s3", "s2"},
    {"{'$or': [{'x': {'$gt': 32}}, {'$nor': [{'$alwaysTrue': 1}]}]}", "s1 s2 s3", NULL},
    {"{'$or': [{'x': {'$gt': 32}}, {'$nor': [{}, {}]}]}", "s1 s2 s3", "s2"},
    {"{'x': {'$gt': 32}, '$nor': [{'$nor': [{'y': {'$all': []}}]}, {'z': 1}]}", "s2", "s1 s2 s3"},
    {"{'x': {'$gt': 32}, '$nor': [{'$or': [{}, {'x': 5}]}, {'z': 1}]}", "s2", "s1 s2 s3"},
    {"{'$or': [{'x': {'$gt': 32}}, {'$nor': [{'$or': [{}, {'x': 5}]}, {'z': 1}]}]}", "s1 s2 s3",
     "s2"},
    {"{'x': {'$gt': 32}, '$nor': [{'$or': [{}, {'x': 5}]}]}", "s2", NULL},
    {"{'x': {'$gt': 32}, '$nor': [{'$and': [{}, {}]}, {'z': 1}]}", "s2", "s1 s2 s3"},
    {"{'x': {'$gt': 32}, '$nor': [{'$and': [{'$alwaysTrue': 1}, {}]}, {'z': 1}]}", "s2",
     "s1 s2 s3"},
};

static const sp_answer_row_t compound[] = {
    {"{'x': {'$gt': 12}, '$or': [{'x': 5, 'y': 1}, {'x': 7, 'y': 2}]}", "s1", NULL},
    {"{'$or': [{'x': {'$gt': 25}}, {'x': {'$lt': -1}}], '$and': [{'$or': [{'x': 7, 'y': 7}, {'x': "
     "9}]}]}",
     "s2", NULL},
    {"{'$and': [{'$or': [{'x': 5, 'y': 1}, {'x': -2}]}, {'$or': [{'x': {'$gt': 13}}, {'x': 19}]}]}",
     "s1 s2", NULL},
    {"{'$and': [{'$or': [{'x': 15, 'y': 1}, {'x': 12}]}, {'$or': [{'x': {'$gt': 32}}, {'x': "
     "39}]}]}",
     "s3", NULL},
    {"{'y': 5}", "s1 s2 s3", NULL},
    {"{'x': 10, 'y': -1}", "s2", NULL},
    {"{'x': 10, 'y': 0}", "s3", NULL},
    {"{'x': 10}", "s2 s3", NULL},
    {"{'x': {'$in': [5, 15]}, 'y': 3}", "s2 s3", NULL},
};

/* What stands beside an $or is taken into its branches. */
static const sp_answer_row_t pushed_down[] = {
    {"{'x': 15, 'y': {'$gt': 1, '$lt': 3}}", "s2", NULL},
    {"{'x': {'$gt': 14}, 'y': {'$gt': 1, '$lt': 3}}", "s1 s2 s3", NULL},
    {"{'x': {'$gt': 15}, 'y': 1}", "s1 s2 s3", NULL},
    {"{'x': 15, '$or': [{'y': 5, 'q': 1}, {'y': 15, 'q': 2}]}", "s2 s3", NULL},
    {"{'x': 15, '$or': [{'y': 5, 'q': 1}, {'q': 2}]}", "s1 s2 s3", NULL},
    {"{'x': 15, '$or': [{'y': 5, 'q': 1}, {'x': 15, 'q': 2}]}", "s1 s2 s3", NULL},
    {"{'x': 15, '$or': [{'y': {'$gt': 11, '$lt': 12}}, {'y': 15, 'q': 2}]}", "s3", NULL},
    {"{'x': 15, 'y': {'$gt': 7}, '$or': [{'y': 5, 'q': 1}, {'y': 15, 'q': 2}]}", "s3", NULL},
    {"{'x': 15, '$or': [{'y': 5, '$or': [{'q': 1, 'w': 2}, {'q': 3}]}, {'y': 15, 'q': 2}]}",
     "s2 s3", NULL},
    {"{'x': 15, '$or': [{'q': 5, '$or': [{'y': 1, 'w': 2}, {'y': 3, 'w': 1}]}, {'y': 15, 'q': 2}]}",
     "s2 s3", NULL},
    {"{'x': 15, '$and': [{'$or': [{'y': 5, 'q': 1}, {'y': {'$gt': 18}, 'q': 2}]}, {'$or': [{'y': "
     "5, 'q': 1}, {'y': 15, 'q': 2}]}]}",
     "s2 s3", NULL},
    {"{'x': {'$ne': 7}, '$or': [{'x': 15, 'y': 5, 'q': 1}, {'x': 15, 'y': 15, 'q': 2}]}", "s2 s3",
     NULL},
    {"{'y': {'$ne': 7}, '$or': [{'x': 15, 'q': 1}, {'x': 15, 'y': 15, 'q': 2}]}", "s1 s2 s3", NULL},
    {"{'x': {'$in': [15, 16]}, '$or': [{'y': 5, 'q': 1}, {'y': 15, 'q': 2}]}", "s2 s3", NULL},
    {"{'$and': [{'$or': [{'x': 15, 'q': 1}, {'x': 15, 'q': 2}]}, {'$or': [{'y': 5, 'q': 1}, {'y': "
     "15, 'q': 2}]}]}",
     "s1 s2 s3", NULL},
    {"{'y': 5, '$or': [{'x': 15, 'q': 1}, {'$or': [{'x': 15, 'w': 1}, {'x': 15, 'w': 2}], 'e': "
     "1}]}",
     "s2", NULL},
    {"{'$and': [{'y': 5}, {'y': {'$lt': 3}}], '$or': [{'x': 15, 'q': 1}, {'x': 15, 'q': 2}]}", "s1",
     NULL},
    {"{'$or': [{'x': 15, 'y': 5, 'q': 1}, {'x': 14, 'y': 25, 'q': 1}]}", "s1 s2 s3", NULL},
};

static const sp_answer_row_t three_fields[] = {
    {"{'x': 15, 'y': 5, 'z': {'$in': [1, 25]}}", "s1 s2", NULL},
    {"{'x': 15, 'y': 5, 'z': {'$gt': 1, '$lt': 3}}", "s2", NULL},
    {"{'x': 15, 'y': 5}", "s1 s2 s3", NULL},
    {"{'x': 15, 'z': 1}", "s1 s2 s3", NULL},
    {"{'x': 15, 'y': {'$in': [4, 6]}, 'z': 1}", "s1 s2", NULL},
    {"{'x': {'$in': [14, 16]}, 'y': 5, 'z': 1}", "s1 s2", NULL},
    {"{'x': 15, 'y': 5, 'z': {'$nin': [1, 5]}}", "s1 s2 s3", NULL},
};

/* Which of several $ors comes first depends on what is gathered into $in. */
static const sp_answer_row_t gathered[] = {
    {"{'z': {'$gt': 3}, '$and': [{'$or': [{'z': 5}, {'z': 6}, {'y': 7}, {'y': 8}]}, {'$or': [{'z': "
     "15}, {'z': {'$gt': 33}}]}]}",
     "s1 s2 s3", NULL},
    {"{'z': {'$gt': 3}, '$and': [{'$or': [{'z': 5}, {'z': 6}, {'y': 7}]}, {'$or': [{'z': 15}, "
     "{'z': {'$gt': 33}}]}]}",
     "s1 s2 s3", NULL},
    {"{'z': {'$gt': 3}, '$and': [{'$or': [{'y': 8}, {'z': 5}, {'z': 6}]}, {'$or': [{'z': 15}, "
     "{'z': {'$gt': 33}}]}]}",
     "s1 s2 s3", NULL},
};

/* Strings, objects and arrays cannot be looked up under a collation. */
static const sp_answer_row_t collated[] = {
    {"{'x': 'a'}", "s1 s2 s3", NULL},
    {"{'x': 5}", "s2", NULL},
    {"{'x': -5}", "s1", NULL},
    {"{'x': {'$gt': 'b'}}", "s1 s2 s3", NULL},
    {"{'x': {'$lt': 0}}", "s1 s2", NULL},
    {"{'x': {'$in': ['a', -5]}}", "s1 s2 s3", NULL},
    {"{'x': {'$in': [-5, -6]}}", "s1", NULL},
    {"{'x': {}}", "s1 s2 s3", NULL},
    {"{'x': {'$symbol': 'a'}}", "s3", NULL},
    {"{'x': {'$type': 'string'}}", "s1 s2 s3", NULL},
    {"{'x': {'$regularExpression': {'pattern': '^b', 'options': ''}}}", "s1", NULL},
};

static const sp_answer_row_t own_collation[] = {
    {"{'filter': {'x': 'a'}}", "s3", NULL},
    {"{'filter': {'x': 'a'}, 'collation': {'locale': 'fr'}}", "s1 s2 s3", NULL},
    {"{'filter': {'x': 'a'}, 'collation': {'locale': 'simple'}}", "s3", NULL},
    {"{'filter': {'x': 'a'}, 'collation': {}}", "s3", NULL},
    {"{'filter': {'x': -5}, 'collation': {'locale': 'fr'}}", "s1", NULL},
    {"{'filter': {'x': 5}, 'collation': {'locale': 'fr', 'strength': 9}}", "51024", NULL},
    {"{'filter': {'x': 5}, 'collation': {'locale': 'xx'}}", "2", NULL},
};

static const sp_answer_row_t against_collation[] = {
    {"{'filter': {'x': 'a'}, 'collation': {'locale': 'simple'}}", "s3", NULL},
    {"{'filter': {'x': 'a'}, 'collation': {}}", "s1 s2 s3", NULL},
    {"{'filter': {'x': 'a'}, 'collation': {'locale': 'fr'}}", "s1 s2 s3", NULL},
    {"{'filter': {'x': {'$gt': 'b'}}, 'collation': {'locale': 'simple'}}", "s1", NULL},
};

static const sp_answer_row_t hashed[] = {
    {"{'x': 5}", "s1", NULL},
    {"{'x': 5.9}", "s1", NULL},
    {"{'x': {'$numberDecimal': '4.9'}}", "s1", NULL},
    {"{'x': {'$in': [5, 6]}}", "s1", NULL},
    {"{'x': {'$gt': 5}}", "s1 s2 s3", NULL},
    {"{'x': null}", "s3", NULL},
    {"{'x': {'$exists': false}}", "s3", NULL},
    {"{'x': [1]}", "s1 s3", NULL},
    {"{'x': []}", "s1", NULL},
    {"{'x': {'$in': []}}", "s1", NULL},
    {"{'x': {'$elemMatch': {'$eq': 5}}}", "s1 s2 s3", NULL},
};

static const sp_answer_row_t hashed_collated[] = {
    {"{'x': 5}", "s1", NULL},
    {"{'x': 'a'}", "s1 s2 s3", NULL},
    {"{'x': {'$in': [5, 6]}}", "s1", NULL},
};

static const sp_answer_row_t dotted[] = {
    {"{'a.b': 5, 'a.c': 7}", "s2", NULL},
    {"{'a': {'b': 5, 'c': 7}}", "s2", NULL},
    {"{'a': {'b': 5}}", "s1 s2 s3", NULL},
    {"{'a': {'b': 5, 'c': 7}, 'a.b': 5}", "s1 s2", NULL},
    {"{'a': {'$elemMatch': {'b': 5, 'c': 7}}}", "s2", NULL},
    {"{'a': {'$elemMatch': {'b': {'$lt': 5}}}}", "s1 s2", NULL},
};

/* SP_CANNOT_INVERT in plan.h. */
static const sp_answer_row_t refused[] = {
    {"{'x': {'$not': {'$eq': {'$symbol': 'a'}}}}", "s1 s2 s3", NULL},
    {"{'x': {'$not': {'$gt': {'$symbol': 'a'}}}}", "4457011", NULL},
    {"{'x': {'$not': {'$gte': {'$symbol': 'a'}}}}", "4457011", NULL},
    {"{'x': {'$not': {'$lt': {'$symbol': 'a'}}}}", "4457011", NULL},
    {"{'x': {'$not': {'$lte': {'$symbol': 'a'}}}}", "4457011", NULL},
    {"{'x': {'$not': {'$in': [{'$symbol': 'a'}, 7]}}}", "s1 s2 s3", NULL},
    {"{'x': {'$not': {'$gt': {'$dbPointer': {'$ref': 'a', '$id': {'$oid': "
     "'010101010101010101010101'}}}}}}",
     "4457011", NULL},
    {"{'x': {'$not': {'$eq': {'$dbPointer': {'$ref': 'a', '$id': {'$oid': "
     "'010101010101010101010101'}}}}}}",
     "s1 s2 s3", NULL},
    {"{'x': {'$not': {'$gt': {'$undefined': true}}}}", "2", NULL},
    {"{'y': {'$not': {'$gt': {'$symbol': 'a'}}}}", "s1 s2 s3", NULL},
    {"{'x': {'$elemMatch': {'$not': {'$gt': {'$symbol': 'a'}}}}}", "4457011", NULL},
    {"{'$nor': [{'x': {'$gt': {'$symbol': 'a'}}}]}", "4457011", NULL},
    {"{'$or': [{'x': {'$not': {'$gt': {'$symbol': 'a'}}}}, {'y': 4}]}", "s1 s2 s3", NULL},
    {"{'$or': [{'x': {'$not': {'$gt': {'$symbol': 'a'}}}}, {'x': 4}]}", "4457011", NULL},
    {"{'x': 5, '$and': [{'x': {'$not': {'$gt': {'$symbol': 'a'}}}}]}", "s2", NULL},
    {"{'x': {'$gt': 5}, '$and': [{'x': {'$not': {'$gt': {'$symbol': 'a'}}}}]}", "4457011", NULL},
    {"{'x': {'$gt': {'$symbol': 'a'}}}", "s2", NULL},
    {"{'x': {'$gt': 5}, '$or': [{'x': {'$not': {'$gt': {'$symbol': 'a'}}}}, {'y': 4}]}", "s1 s2 s3",
     NULL},
    {"{'$and': [{'$or': [{'x': 4, 'a': 1}, {'x': {'$gt': 5}}]}, {'x': {'$not': {'$gt': {'$symbol': "
     "'a'}}}}]}",
     "4457011", NULL},
    {"{'x': {'$type': 1}, '$bad': 1}", "2", NULL},
    {"{'$or': [{'x': {'$not': {'$gt': {'$symbol': 'a'}}}}, {'y': {'$not': {'$gt': 4}}}]}",
     "s1 s2 s3", NULL},
    {"{'x': 5, '$or': [{'x': {'$not': {'$gt': {'$symbol': 'a'}}}}, {'y': {'$not': {'$gt': 4}}}]}",
     "s2", NULL},
    {"{'x': {'$gt': 5}, '$or': [{'x': {'$not': {'$gt': {'$symbol': 'a'}}}, 'q': 1}, {'y': {'$not': "
     "{'$gt': 4}}, 'q': 1}]}",
     "s1 s2 s3", NULL},
    {"{'x': {'$gt': 25}, '$or': [{'x': {'$not': {'$gt': {'$symbol': 'a'}}}}, {'y': {'$not': "
     "{'$gt': 4}}}]}",
     "s1 s2", NULL},
};

/* Chunks go round s1, s2, s3. */
static const sp_answer_group_t groups[] = {
    {"{'key': {'x': 1}, 'splits': [{'x': 0}, {'x': 10}, {'x': 20}, {'x': 30}]}", points_and_ranges,
     COUNT(points_and_ranges)},
    {"{'key': {'x': 1}, 'splits': [{'x': 0}, {'x': 10}, {'x': 20}, {'x': 30}]}", ors, COUNT(ors)},
    {"{'key': {'x': 1}, 'splits': [{'x': 0}, {'x': 10}, {'x': 20}, {'x': 30}]}", nors, COUNT(nors)},
    {"{'key': {'x': 1, 'y': 1}, 'splits': [{'x': 0, 'y': 0}, {'x': 10, 'y': 0}, {'x': 20, 'y': 0}, "
     "{'x': 30, 'y': 0}]}",
     compound, COUNT(compound)},
    {"{'key': {'x': 1, 'y': 1}, 'splits': [{'x': 15, 'y': 0}, {'x': 15, 'y': 10}, {'x': 15, 'y': "
     "20}, {'x': 15, 'y': 30}]}",
     pushed_down, COUNT(pushed_down)},
    {"{'key': {'x': 1, 'y': 1, 'z': 1}, 'splits': [{'x': 15, 'y': 5, 'z': 0}, {'x': 15, 'y': 5, "
     "'z': 10}, {'x': 15, 'y': 5, 'z': 20}, {'x': 15, 'y': 5, 'z': 30}]}",
     three_fields, COUNT(three_fields)},
    {"{'key': {'z': 1, 'y': 1}, 'splits': [{'z': 0, 'y': 0}, {'z': 10, 'y': 0}, {'z': 20, 'y': 0}, "
     "{'z': 30, 'y': 0}]}",
     gathered, COUNT(gathered)},
    {"{'key': {'x': 1}, 'collation': {'locale': 'fr'}, 'splits': [{'x': 0}, {'x': 'a'}, {'x': "
     "'b'}]}",
     collated, COUNT(collated)},
    {"{'key': {'x': 1}, 'splits': [{'x': 0}, {'x': 'a'}, {'x': 'b'}]}", own_collation,
     COUNT(own_collation)},
    {"{'key': {'x': 1}, 'collation': {'locale': 'fr'}, 'splits': [{'x': 0}, {'x': 'a'}, {'x': "
     "'b'}]}",
     against_collation, COUNT(against_collation)},
    {"{'key': {'x': 'hashed'}, 'splits': [{'x': {'$numberLong': '-4000000000000000000'}}, {'x': "
     "{'$numberLong': '0'}}, {'x': {'$numberLong': '2500000000000000000'}}]}",
     hashed, COUNT(hashed)},
    {"{'key': {'x': 'hashed'}, 'collation': {'locale': 'fr'}, 'splits': [{'x': {'$numberLong': "
     "'-4000000000000000000'}}, {'x': {'$numberLong': '0'}}, {'x': {'$numberLong': "
     "'2500000000000000000'}}]}",
     hashed_collated, COUNT(hashed_collated)},
    {"{'key': {'a.b': 1, 'a.c': 1}, 'splits': [{'a.b': 5, 'a.c': 5}, {'a.b': 10, 'a.c': 5}]}",
     dotted, COUNT(dotted)},
    {"{'key': {'x': 1}, 'splits': [{'x': 0}, {'x': 10}, {'x': 20}, {'x': 30}]}", refused,
     COUNT(refused)},
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

/* Arrays in arrays are compared in another way since 6.0.27. */
static void test_nested_arrays(void **state)
{
    (void)state;
    static const struct {
        const char *filter, *shards, *in_6_0_27;
    } rows[] = {
        {"{'x': {'$gt': [[1]]}}", "s1", "s1 s2 s3"},
        {"{'x': {'$gte': [[1], 5]}}", "s1", "s1 s2 s3"},
        {"{'x': {'$gt': [[2, 1]]}}", "s1", "s1 s3"},
        {"{'x': {'$gt': [[]]}}", "s1 s3", "s1 s2 s3"},
        {"{'x': {'$lt': [[{'$maxKey': 1}]]}}", "s1 s2 s3", NULL},
        {"{'x': {'$gt': [1]}}", "s1 s2 s3", NULL},
        {"{'x': {'$gt': [{'a': [1]}]}}", "s1 s2 s3", NULL},
        {"{'x': {'$lt': [[1]]}}", "s1 s2 s3", NULL},
        {"{'x': [1]}", "s1 s2", NULL},
        {"{'x': [[1]]}", "s1 s2", NULL},
    };
    static const char *const versions[] = {"6.0.5", "6.0.24", "6.0.27"};
    sp_layout_t *layout =
        sp_layout_from("{'key': {'x': 1}, 'splits': [{'x': [1]}, {'x': [2]}, {'x': [[1]]}]}");
    for (size_t i = 0; i < COUNT(versions); i++) {
        sp_model_t *model = sp_model_of(versions[i]);
        for (size_t j = 0; j < COUNT(rows); j++)
            sp_assert_answer(model, layout, rows[j].filter,
                             i == 2 && rows[j].in_6_0_27 != NULL ? rows[j].in_6_0_27
                                                                 : rows[j].shards);
        sp_model_free(model);
    }
    sp_layout_free(layout);
}

/* Seen once in mongos 4.0.3; later ones ask a single shard. */
static void test_4_0_3(void **state)
{
    (void)state;
    sp_model_t *model = sp_model_of("4.0.3");
    sp_layout_t *layout = sp_layout_from("{'key': {'x': 'hashed'}, 'splits': [{'x': "
                                         "{'$numberLong': '0'}}]}");
    sp_assert_answer(model, layout, "{'filter': {'x': {'$exists': false}}}", "s1 s2");
    sp_assert_answer(model, layout, "{'filter': {'x': null}}", "s2");
    sp_layout_free(layout);
    sp_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_6_0_5),  cmocka_unit_test(test_6_0_24),
        cmocka_unit_test(test_6_0_27), cmocka_unit_test(test_nested_arrays),
        cmocka_unit_test(test_4_0_3),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
