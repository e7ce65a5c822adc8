/*
 * Index bounds of single predicates.
 *
 * The bounds are what {explain: {find: …, hint: …}} prints as `indexBounds` on 6.0.5 and 6.0.27
 * (November 2026), which answer alike.
 */
#include "../oracles/bounds.h"

#include "../oracles/filter_normal.h"
#include "from_json.h"
#include "query_text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const struct row {
    const char *filter, *bounds;
} plain[] = {
    /* numbers */
    {"{'x': 5}", "[5, 5]"},
    {"{'x': 5.5}", "[5.5, 5.5]"},
    {"{'x': {'$numberLong': '5'}}", "[5, 5]"},
    {"{'x': {'$numberDecimal': '1.5'}}", "[1.5, 1.5]"},
    {"{'x': {'$lt': 5}}", "[-inf.0, 5)"},
    {"{'x': {'$lte': 5}}", "[-inf.0, 5]"},
    {"{'x': {'$gt': 5}}", "(5, inf.0]"},
    {"{'x': {'$gte': 5}}", "[5, inf.0]"},
    {"{'x': {'$lt': {'$numberDouble': 'NaN'}}}", ""},
    {"{'x': {'$lte': {'$numberDouble': 'NaN'}}}", "[nan.0, nan.0]"},
    {"{'x': {'$gt': {'$numberDouble': 'NaN'}}}", ""},
    {"{'x': {'$gte': {'$numberDouble': 'NaN'}}}", "[nan.0, nan.0]"},
    {"{'x': {'$numberDouble': 'NaN'}}", "[nan.0, nan.0]"},
    {"{'x': {'$lt': {'$numberDecimal': 'NaN'}}}", ""},
    {"{'x': {'$lt': {'$numberDouble': 'Infinity'}}}", "[-inf.0, inf.0)"},
    {"{'x': {'$gt': {'$numberDouble': 'Infinity'}}}", ""},
    {"{'x': {'$gte': {'$numberDouble': 'Infinity'}}}", "[inf.0, inf.0]"},
    {"{'x': {'$lt': {'$numberDouble': '-Infinity'}}}", ""},
    {"{'x': {'$lte': {'$numberDouble': '-Infinity'}}}", "[-inf.0, -inf.0]"},
    {"{'x': {'$gt': {'$numberDouble': '-Infinity'}}}", "(-inf.0, inf.0]"},
    {"{'x': {'$gte': {'$numberDecimal': '-Infinity'}}}", "[-Infinity, inf.0]"},
    {"{'x': {'$gt': {'$numberDecimal': '1E+400'}}}", "(1E+400, inf.0]"},
    /* null and ends */
    {"{'x': null}", "[undefined, undefined] [null, null]"},
    {"{'x': {'$lt': null}}", ""},
    {"{'x': {'$lte': null}}", "[undefined, undefined] [null, null]"},
    {"{'x': {'$gt': null}}", ""},
    {"{'x': {'$gte': null}}", "[undefined, undefined] [null, null]"},
    {"{'x': {'$minKey': 1}}", "[MinKey, MinKey]"},
    {"{'x': {'$maxKey': 1}}", "[MaxKey, MaxKey]"},
    {"{'x': {'$lt': {'$minKey': 1}}}", ""},
    {"{'x': {'$lte': {'$minKey': 1}}}", "[MinKey, MinKey]"},
    {"{'x': {'$gt': {'$minKey': 1}}}", "(MinKey, MaxKey]"},
    {"{'x': {'$gte': {'$minKey': 1}}}", "[MinKey, MaxKey]"},
    {"{'x': {'$lt': {'$maxKey': 1}}}", "[MinKey, MaxKey)"},
    {"{'x': {'$lte': {'$maxKey': 1}}}", "[MinKey, MaxKey]"},
    {"{'x': {'$gt': {'$maxKey': 1}}}", ""},
    {"{'x': {'$gte': {'$maxKey': 1}}}", "[MaxKey, MaxKey]"},
    /* texts and objects */
    {"{'x': 'a'}", "['a', 'a']"},
    {"{'x': {'$lt': 'a'}}", "['', 'a')"},
    {"{'x': {'$lte': 'a'}}", "['', 'a']"},
    {"{'x': {'$gt': 'a'}}", "('a', {})"},
    {"{'x': {'$gte': 'a'}}", "['a', {})"},
    {"{'x': {'$lt': ''}}", ""},
    {"{'x': {'$lte': ''}}", "['', '']"},
    {"{'x': {'$gte': ''}}", "['', {})"},
    {"{'x': {'$lt': {'a': 1}}}", "[{}, { a: 1 })"},
    {"{'x': {'$lte': {'a': 1}}}", "[{}, { a: 1 }]"},
    {"{'x': {'$gt': {'a': 1}}}", "({ a: 1 }, [])"},
    {"{'x': {'$gte': {'a': 1}}}", "[{ a: 1 }, [])"},
    {"{'x': {'$lt': {}}}", ""},
    {"{'x': {'$lte': {}}}", "[{}, {}]"},
    {"{'x': {'$gte': {}}}", "[{}, [])"},
    {"{'x': {'$eq': {'$gt': 5}}}", "[{ $gt: 5 }, { $gt: 5 }]"},
    /* others */
    {"{'x': {'$eq': {'$binary': {'base64': 'YWI=', 'subType': '00'}}}}",
     "[BinData(0, 6162), BinData(0, 6162)]"},
    {"{'x': {'$lt': {'$binary': {'base64': 'YWI=', 'subType': '00'}}}}",
     "[BinData(0, ), BinData(0, 6162))"},
    {"{'x': {'$lte': {'$binary': {'base64': 'YWI=', 'subType': '00'}}}}",
     "[BinData(0, ), BinData(0, 6162)]"},
    {"{'x': {'$gt': {'$binary': {'base64': 'YWI=', 'subType': '00'}}}}",
     "(BinData(0, 6162), ObjectId('000000000000000000000000'))"},
    {"{'x': {'$gte': {'$binary': {'base64': 'YWI=', 'subType': '00'}}}}",
     "[BinData(0, 6162), ObjectId('000000000000000000000000'))"},
    {"{'x': {'$gte': {'$binary': {'base64': 'YWI=', 'subType': '05'}}}}",
     "[BinData(5, 6162), ObjectId('000000000000000000000000'))"},
    {"{'x': {'$lt': {'$binary': {'base64': '', 'subType': '00'}}}}", ""},
    {"{'x': {'$gt': {'$binary': {'base64': '', 'subType': '80'}}}}",
     "(BinData(128, ), ObjectId('000000000000000000000000'))"},
    {"{'x': {'$lt': {'$oid': '010101010101010101010101'}}}",
     "[ObjectId('000000000000000000000000'), ObjectId('010101010101010101010101'))"},
    {"{'x': {'$lte': {'$oid': '010101010101010101010101'}}}",
     "[ObjectId('000000000000000000000000'), ObjectId('010101010101010101010101')]"},
    {"{'x': {'$gt': {'$oid': '010101010101010101010101'}}}",
     "(ObjectId('010101010101010101010101'), ObjectId('ffffffffffffffffffffffff')]"},
    {"{'x': {'$gte': {'$oid': '010101010101010101010101'}}}",
     "[ObjectId('010101010101010101010101'), ObjectId('ffffffffffffffffffffffff')]"},
    {"{'x': {'$lt': {'$oid': '000000000000000000000000'}}}", ""},
    {"{'x': {'$gte': {'$oid': 'ffffffffffffffffffffffff'}}}",
     "[ObjectId('ffffffffffffffffffffffff'), ObjectId('ffffffffffffffffffffffff')]"},
    {"{'x': {'$gt': {'$oid': 'ffffffffffffffffffffffff'}}}", ""},
    {"{'x': {'$lt': true}}", "[false, true)"},
    {"{'x': {'$lte': true}}", "[false, true]"},
    {"{'x': {'$gt': true}}", ""},
    {"{'x': {'$gte': true}}", "[true, true]"},
    {"{'x': {'$lt': false}}", ""},
    {"{'x': {'$lte': false}}", "[false, false]"},
    {"{'x': {'$gt': false}}", "(false, true]"},
    {"{'x': {'$gte': false}}", "[false, true]"},
    {"{'x': {'$lt': {'$date': {'$numberLong': '5'}}}}",
     "[new Date(-9223372036854775808), new Date(5))"},
    {"{'x': {'$lte': {'$date': {'$numberLong': '5'}}}}",
     "[new Date(-9223372036854775808), new Date(5)]"},
    {"{'x': {'$gt': {'$date': {'$numberLong': '5'}}}}",
     "(new Date(5), new Date(9223372036854775807)]"},
    {"{'x': {'$gte': {'$date': {'$numberLong': '5'}}}}",
     "[new Date(5), new Date(9223372036854775807)]"},
    {"{'x': {'$gte': {'$date': {'$numberLong': '9223372036854775807'}}}}",
     "[new Date(9223372036854775807), new Date(9223372036854775807)]"},
    {"{'x': {'$lt': {'$date': {'$numberLong': '-9223372036854775808'}}}}", ""},
    {"{'x': {'$lt': {'$timestamp': {'t': 1, 'i': 1}}}}", "[Timestamp(0, 0), Timestamp(1, 1))"},
    {"{'x': {'$lte': {'$timestamp': {'t': 1, 'i': 1}}}}", "[Timestamp(0, 0), Timestamp(1, 1)]"},
    {"{'x': {'$gt': {'$timestamp': {'t': 1, 'i': 1}}}}",
     "(Timestamp(1, 1), Timestamp(4294967295, 4294967295)]"},
    {"{'x': {'$gte': {'$timestamp': {'t': 1, 'i': 1}}}}",
     "[Timestamp(1, 1), Timestamp(4294967295, 4294967295)]"},
    {"{'x': {'$lt': {'$timestamp': {'t': 0, 'i': 0}}}}", ""},
    {"{'x': {'$timestamp': {'t': 0, 'i': 0}}}", "[Timestamp(0, 0), Timestamp(0, 0)]"},
    {"{'x': {'$lt': {'$code': 'f'}}}", "[, f)"},
    {"{'x': {'$lte': {'$code': 'f'}}}", "[, f]"},
    {"{'x': {'$gt': {'$code': 'f'}}}", "(f, CodeWScope( , {}))"},
    {"{'x': {'$gte': {'$code': 'f'}}}", "[f, CodeWScope( , {}))"},
    {"{'x': {'$lt': {'$code': 'f', '$scope': {'a': 1}}}}",
     "[CodeWScope( , {}), CodeWScope( f, { a: 1 }))"},
    {"{'x': {'$lte': {'$code': 'f', '$scope': {'a': 1}}}}",
     "[CodeWScope( , {}), CodeWScope( f, { a: 1 })]"},
    {"{'x': {'$gt': {'$code': 'f', '$scope': {'a': 1}}}}", "(CodeWScope( f, { a: 1 }), MaxKey)"},
    {"{'x': {'$gte': {'$code': 'f', '$scope': {'a': 1}}}}", "[CodeWScope( f, { a: 1 }), MaxKey)"},
    {"{'x': {'$gte': {'$code': 'f', '$scope': {}}}}", "[CodeWScope( f, {}), MaxKey)"},
    /* arrays */
    {"{'x': [1, 2]}", "[1, 1] [[ 1, 2 ], [ 1, 2 ]]"},
    {"{'x': []}", "[undefined, undefined] [[], []]"},
    {"{'x': [[1]]}", "[[ 1 ], [ 1 ]] [[ [ 1 ] ], [ [ 1 ] ]]"},
    {"{'x': ['a', 1]}", "['a', 'a'] [[ 'a', 1 ], [ 'a', 1 ]]"},
    {"{'x': [{'a': 1}]}", "[{ a: 1 }, { a: 1 }] [[ { a: 1 } ], [ { a: 1 } ]]"},
    {"{'x': [null]}", "[null, null] [[ null ], [ null ]]"},
    {"{'x': {'$lt': [3, 1]}}", "[MinKey, [ 3, 1 ]]"},
    {"{'x': {'$gt': [3, 1]}}", "[3, MaxKey]"},
    {"{'x': {'$lt': []}}", "[MinKey, []]"},
    {"{'x': {'$gt': []}}", "[MinKey, MaxKey]"},
    {"{'x': {'$lt': [{'a': 1}]}}", "[MinKey, [ { a: 1 } ]]"},
    {"{'x': {'$gt': [{'a': 1}]}}", "[{ a: 1 }, MaxKey]"},
    {"{'x': {'$lt': ['z']}}", "[MinKey, [ 'z' ]]"},
    {"{'x': {'$gt': ['z']}}", "['z', MaxKey]"},
    {"{'x': {'$lt': [{'$timestamp': {'t': 1, 'i': 1}}]}}", "[MinKey, Timestamp(1, 1)]"},
    {"{'x': {'$gt': [{'$timestamp': {'t': 1, 'i': 1}}]}}", "[[ Timestamp(1, 1) ], MaxKey]"},
    {"{'x': {'$lt': [{'$maxKey': 1}]}}", "[MinKey, MaxKey]"},
    {"{'x': {'$gt': [{'$maxKey': 1}]}}", "[[ MaxKey ], MaxKey]"},
    {"{'x': {'$lt': [{'$minKey': 1}]}}", "[MinKey, [ MinKey ]]"},
    {"{'x': {'$gt': [{'$minKey': 1}]}}", "[MinKey, MaxKey]"},
    {"{'x': {'$lt': [null]}}", "[MinKey, [ null ]]"},
    {"{'x': {'$gt': [null]}}", "[null, MaxKey]"},
    {"{'x': {'$lt': [true]}}", "[MinKey, true]"},
    {"{'x': {'$gt': [true]}}", "[[ true ], MaxKey]"},
    {"{'x': {'$lte': [3]}}", "[MinKey, [ 3 ]]"},
    {"{'x': {'$gte': ['a']}}", "['a', MaxKey]"},
    /* in and regex */
    {"{'x': {'$in': [null, 3]}}", "[undefined, undefined] [null, null] [3, 3]"},
    {"{'x': {'$in': [[1], 2]}}", "[1, 1] [2, 2] [[ 1 ], [ 1 ]]"},
    {"{'x': {'$in': [3, 1, 2]}}", "[1, 1] [2, 2] [3, 3]"},
    {"{'x': {'$in': [5, 5, 5.0]}}", "[5, 5]"},
    {"{'x': {'$in': []}}", ""},
    {"{'x': {'$in': [[], null]}}", "[undefined, undefined] [null, null] [[], []]"},
    {"{'x': {'$in': [{'$regularExpression': {'pattern': '^a', 'options': ''}}, 5]}}",
     "[5, 5] ['a', 'b') [/^a/, /^a/]"},
    {"{'x': {'$in': [{'a': 1}, {'$regularExpression': {'pattern': '^b', 'options': ''}}, "
     "{'$regularExpression': {'pattern': '^a', 'options': ''}}]}}",
     "['a', 'c') [{ a: 1 }, { a: 1 }] [/^a/, /^a/] [/^b/, /^b/]"},
    {"{'x': {'$in': [{'$regularExpression': {'pattern': '^a', 'options': ''}}, 'a', 'azz']}}",
     "['a', 'b') [/^a/, /^a/]"},
    {"{'x': {'$eq': {'$regularExpression': {'pattern': 'a', 'options': ''}}}}", "[/a/, /a/]"},
    {"{'x': {'$regularExpression': {'pattern': 'a', 'options': ''}}}", "['', {}) [/a/, /a/]"},
    {"{'x': {'$regularExpression': {'pattern': '^a', 'options': 'i'}}}", "['', {}) [/^a/i, /^a/i]"},
    {"{'x': {'$regularExpression': {'pattern': '^abc', 'options': ''}}}",
     "['abc', 'abd') [/^abc/, /^abc/]"},
    /* type */
    {"{'x': {'$type': -1}}", "[MinKey, MinKey]"},
    {"{'x': {'$type': 127}}", "[MaxKey, MaxKey]"},
    {"{'x': {'$type': 1}}", "[nan.0, inf.0]"},
    {"{'x': {'$type': 2}}", "['', {})"},
    {"{'x': {'$type': 3}}", "[{}, [])"},
    {"{'x': {'$type': 4}}", "[MinKey, MaxKey]"},
    {"{'x': {'$type': 5}}", "[BinData(0, ), ObjectId('000000000000000000000000'))"},
    {"{'x': {'$type': 6}}", "[undefined, undefined]"},
    {"{'x': {'$type': 7}}",
     "[ObjectId('000000000000000000000000'), ObjectId('ffffffffffffffffffffffff')]"},
    {"{'x': {'$type': 8}}", "[false, true]"},
    {"{'x': {'$type': 9}}", "[new Date(-9223372036854775808), new Date(9223372036854775807)]"},
    {"{'x': {'$type': 10}}", "[null, null]"},
    {"{'x': {'$type': 11}}", "[//, DBRef('',000000000000000000000000))"},
    {"{'x': {'$type': 12}}", "[DBRef('',000000000000000000000000), )"},
    {"{'x': {'$type': 13}}", "[, CodeWScope( , {}))"},
    {"{'x': {'$type': 14}}", "['', {})"},
    {"{'x': {'$type': 15}}", "[CodeWScope( , {}), MaxKey)"},
    {"{'x': {'$type': 16}}", "[nan.0, inf.0]"},
    {"{'x': {'$type': 17}}", "[Timestamp(0, 0), Timestamp(4294967295, 4294967295)]"},
    {"{'x': {'$type': 18}}", "[nan.0, inf.0]"},
    {"{'x': {'$type': 19}}", "[nan.0, inf.0]"},
    {"{'x': {'$type': 'number'}}", "[nan.0, inf.0]"},
    {"{'x': {'$type': ['int', 'string']}}", "[nan.0, inf.0] ['', {})"},
    {"{'x': {'$type': ['int', 'array']}}", "[MinKey, MaxKey]"},
    {"{'x': {'$type': ['object', 'null']}}", "[null, null] [{}, [])"},
    {"{'x': {'$type': ['null', 'undefined']}}", "[undefined, undefined] [null, null]"},
    {"{'x': {'$type': ['number', 'string', 'symbol']}}", "[nan.0, inf.0] ['', {})"},
    {"{'x': {'$mod': [2, 0]}}", "[nan.0, inf.0]"},
    {"{'x': {'$exists': true}}", "[MinKey, MaxKey]"},
    /* negation */
    {"{'x': {'$ne': 5}}", "[MinKey, 5) (5, MaxKey]"},
    {"{'x': {'$ne': null}}", "[MinKey, undefined) (null, MaxKey]"},
    {"{'x': {'$ne': {'$minKey': 1}}}", "(MinKey, MaxKey]"},
    {"{'x': {'$ne': {'$maxKey': 1}}}", "[MinKey, MaxKey)"},
    {"{'x': {'$ne': {'a': 1}}}", "[MinKey, { a: 1 }) ({ a: 1 }, MaxKey]"},
    {"{'x': {'$nin': [null, 3]}}", "[MinKey, undefined) (null, 3) (3, MaxKey]"},
    {"{'x': {'$nin': [1, 2]}}", "[MinKey, 1) (1, 2) (2, MaxKey]"},
    {"{'x': {'$nin': []}}", "[MinKey, MaxKey]"},
    {"{'x': {'$nin': [null, []]}}", "[MinKey, undefined) (null, []) ([], MaxKey]"},
    {"{'x': {'$nin': [[], null]}}", "[MinKey, undefined) (null, []) ([], MaxKey]"},
    {"{'x': {'$exists': false}}", "[null, null]"},
    {"{'x': {'$not': {'$lt': 5}}}", "[MinKey, -inf.0) [5, MaxKey]"},
    {"{'x': {'$not': {'$lte': 5}}}", "[MinKey, -inf.0) (5, MaxKey]"},
    {"{'x': {'$not': {'$gt': 5}}}", "[MinKey, 5] (inf.0, MaxKey]"},
    {"{'x': {'$not': {'$gte': 5}}}", "[MinKey, 5) (inf.0, MaxKey]"},
    {"{'x': {'$not': {'$lt': null}}}", "[MinKey, MaxKey]"},
    {"{'x': {'$not': {'$lte': null}}}", "[MinKey, undefined) (null, MaxKey]"},
    {"{'x': {'$not': {'$gt': null}}}", "[MinKey, MaxKey]"},
    {"{'x': {'$not': {'$gte': null}}}", "[MinKey, undefined) (null, MaxKey]"},
    {"{'x': {'$not': {'$lt': 'a'}}}", "[MinKey, '') ['a', MaxKey]"},
    {"{'x': {'$not': {'$lte': 'a'}}}", "[MinKey, '') ('a', MaxKey]"},
    {"{'x': {'$not': {'$gt': 'a'}}}", "[MinKey, 'a'] [{}, MaxKey]"},
    {"{'x': {'$not': {'$gte': 'a'}}}", "[MinKey, 'a') [{}, MaxKey]"},
    {"{'x': {'$not': {'$lt': {'$maxKey': 1}}}}", "[MaxKey, MaxKey]"},
    {"{'x': {'$not': {'$lte': {'$maxKey': 1}}}}", ""},
    {"{'x': {'$not': {'$gt': {'$maxKey': 1}}}}", "[MinKey, MaxKey]"},
    {"{'x': {'$not': {'$gte': {'$maxKey': 1}}}}", "[MinKey, MaxKey)"},
    {"{'x': {'$not': {'$gte': {'$numberDouble': 'NaN'}}}}", "[MinKey, nan.0) (nan.0, MaxKey]"},
    {"{'x': {'$not': {'$lt': {'$minKey': 1}}}}", "[MinKey, MaxKey]"},
    {"{'x': {'$not': {'$gte': {'$minKey': 1}}}}", ""},
    /* elements */
    {"{'x': {'$elemMatch': {'$gt': 1}}}", "(1, inf.0]"},
    {"{'x': {'$elemMatch': {'$gt': 1, '$lt': 5}}}", "(1, 5)"},
    {"{'x': {'$elemMatch': {'$gt': 5, '$lt': 1}}}", ""},
    {"{'x': {'$elemMatch': {'$in': []}}}", ""},
    {"{'x': {'$elemMatch': {'$in': [5, 5.0]}}}", "[5, 5]"},
    {"{'x': {'$elemMatch': {'$ne': 5}}}", "[MinKey, 5) (5, MaxKey]"},
    {"{'x': {'$elemMatch': {'$nin': [5, 6]}}}", "[MinKey, 5) (5, 6) (6, MaxKey]"},
    {"{'x': {'$elemMatch': {'$not': {'$gt': 5}}}}", "[MinKey, 5] (inf.0, MaxKey]"},
    {"{'x': {'$elemMatch': {'$gt': 5, '$ne': 7}}}", "(5, 7) (7, inf.0]"},
    {"{'x': {'$elemMatch': {'$exists': true}}}", "[MinKey, MaxKey]"},
    {"{'x': {'$elemMatch': {'$exists': false}}}", "[null, null]"},
    {"{'x': {'$elemMatch': {'$type': 'int'}}}", "[nan.0, inf.0]"},
    {"{'x': {'$elemMatch': {'$mod': [2, 0]}}}", "[nan.0, inf.0]"},
    {"{'x': {'$elemMatch': {'$eq': null}}}", "[undefined, undefined] [null, null]"},
    {"{'x': {'$elemMatch': {'$ne': null}}}", "[MinKey, undefined) (null, MaxKey]"},
    {"{'x': {'$elemMatch': {'$eq': [1]}}}", "[1, 1] [[ 1 ], [ 1 ]]"},
    {"{'x': {'$elemMatch': {'$in': [1, {'$regularExpression': {'pattern': 'a', 'options': ''}}]}}}",
     "[1, 1] ['', {}) [/a/, /a/]"},
};

static const struct row hashed[] = {
    {"{'x': 5}", "[4470791281878691347, 4470791281878691347]"},
    {"{'x': 5.9}", "[4470791281878691347, 4470791281878691347]"},
    {"{'x': null}",
     "[40158834000849533, 40158834000849533] [2338878944348059895, 2338878944348059895]"},
    {"{'x': 'a'}", "[2780795045148116090, 2780795045148116090]"},
    {"{'x': {'a': 1}}", "[-8705610352600103477, -8705610352600103477]"},
    {"{'x': {'$eq': {'$regularExpression': {'pattern': 'a', 'options': ''}}}}",
     "[-7327181645914333288, -7327181645914333288]"},
    {"{'x': [1]}", "[1, 1] [[ 1 ], [ 1 ]]"},
    {"{'x': []}", "[undefined, undefined] [[], []]"},
    {"{'x': [[1]]}", "[[ 1 ], [ 1 ]] [[ [ 1 ] ], [ [ 1 ] ]]"},
    {"{'x': {'$in': [5, 6]}}",
     "[-6504342592125989714, -6504342592125989714] [4470791281878691347, 4470791281878691347]"},
    {"{'x': {'$in': [5, null]}}",
     "[40158834000849533, 40158834000849533] [2338878944348059895, 2338878944348059895] "
     "[4470791281878691347, 4470791281878691347]"},
    {"{'x': {'$in': [[1], 2]}}", "[1, 1] [848411777775835583, 848411777775835583] [[ 1 ], [ 1 ]]"},
    {"{'x': {'$in': []}}", ""},
    {"{'x': {'$exists': true}}", "[MinKey, MaxKey]"},
    {"{'x': {'$exists': false}}", "[2338878944348059895, 2338878944348059895]"},
    {"{'x': {'$minKey': 1}}", "[7961148599568647290, 7961148599568647290]"},
    {"{'x': {'$maxKey': 1}}", "[5504842513779440750, 5504842513779440750]"},
};

static void check(const struct row *row, sp_hasher_t *hasher)
{
    const sp_version_t version = {6, 0, 5};
    sp_arena_t arena;
    sp_arena_init(&arena);
    sp_error_t error = {0};
    bson_t *filter = sp_doc_from(row->filter);
    sp_node_t *root = sp_filter_parse(&arena, version, filter, &error);
    if (root == NULL)
        fail_msg("%s: %s", row->filter, error.message);
    sp_intervals_t intervals = {0};
    sp_intervals_of(&arena, hasher, version, sp_filter_normalize(&arena, version, NULL, root),
                    &intervals);
    char *text = sp_intervals_text(&intervals);
    if (strcmp(text, row->bounds) != 0)
        fail_msg("%s: %s and not %s", row->filter, text, row->bounds);
    bson_free(text);
    bson_destroy(filter);
    sp_arena_clear(&arena);
}

static void test_plain(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(plain); i++)
        check(&plain[i], NULL);
}

/* Equality is hashed, but with an array neither that nor its first element. */
static void test_hashed(void **state)
{
    (void)state;
    sp_hasher_t *hasher = sp_hasher_new(NULL);
    assert_non_null(hasher);
    for (size_t i = 0; i < COUNT(hashed); i++)
        check(&hashed[i], hasher);
    sp_hasher_free(hasher);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plain),
        cmocka_unit_test(test_hashed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
