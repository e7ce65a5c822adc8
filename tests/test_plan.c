/*
 * Index bounds of whole filters, for an index on the shard key.
 *
 * The bounds are what {explain: {find: …, hint: …}} prints as `indexBounds` on 6.0.5 and 6.0.27
 * (November 2026), which answer alike. Only filters for which a server makes one scan: of several
 * ways it takes the one that costs least, and a router the first (test_targeting.c).
 */
#include "../oracles/plan.h"

#include "../oracles/collation.h"
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

#define X        "{'x': 1}"
#define XY       "{'x': 1, 'y': 1}"
#define HASHED   "{'x': 'hashed'}"
#define HASHED_Y "{'x': 'hashed', 'y': 1}"
#define X_HASHED "{'x': 1, 'y': 'hashed'}"
#define DOTTED   "{'a.b': 1}"
#define FRENCH   "{'locale': 'fr'}"
#define SIMPLE   "{'locale': 'simple'}"

static const struct row {
    const char *key, *filter, *collation, *bounds;
} rows[] = {
    {X, "{}", NULL, "[MinKey, MaxKey]"},
    {X, "{'y': 1}", NULL, "[MinKey, MaxKey]"},
    {X, "{'$alwaysFalse': 1}", NULL, "[MinKey, MaxKey]"},
    {X, "{'x': {'$gt': 1, '$lt': 5}}", NULL, "(1, 5)"},
    {X, "{'x': {'$gt': 5, '$lt': 1}}", NULL, ""},
    {X, "{'x': {'$gte': 5, '$lte': 5}}", NULL, "[5, 5]"},
    {X, "{'x': {'$gt': 5, '$lte': 5}}", NULL, ""},
    {X, "{'x': {'$ne': 5, '$gt': 2}}", NULL, "(2, 5) (5, inf.0]"},
    {X, "{'$and': [{'x': 5}, {'x': 6}]}", NULL, ""},
    {X, "{'x': {'$all': [1, 2]}}", NULL, ""},
    {X, "{'x': {'$all': [{'$regularExpression': {'pattern': '^a', 'options': ''}}, 1]}}", NULL, ""},
    {X, "{'x': {'$all': [{'$elemMatch': {'$gt': 1}}]}}", NULL, "(1, inf.0]"},
    {X, "{'x': {'$gt': 5}, '$comment': 'a'}", NULL, "(5, inf.0]"},
    {X, "{'x': {'$size': 1}}", NULL, "[MinKey, MaxKey]"},
    {X, "{'x': {'$bitsAllSet': 1}}", NULL, "[MinKey, MaxKey]"},
    {X, "{'x': {'$elemMatch': {'a': 1}}}", NULL, "[MinKey, MaxKey]"},
    {X, "{'x': {'$elemMatch': {}}}", NULL, "[MinKey, MaxKey]"},
    {X, "{'x': {'$elemMatch': {'$size': 1}}}", NULL, "[MinKey, MaxKey]"},
    {X, "{'x': {'$elemMatch': {'$gt': 5, '$size': 1}}}", NULL, "[MinKey, MaxKey]"},
    {X, "{'x': {'$elemMatch': {'$elemMatch': {'$gt': 1}}}}", NULL, "[MinKey, MaxKey]"},
    {X, "{'x': {'$elemMatch': {'$not': {'$gt': 1, '$lt': 5}}}}", NULL, "[MinKey, MaxKey]"},
    {X, "{'x': {'$elemMatch': {'$all': [1, 2]}}}", NULL, "[MinKey, MaxKey]"},
    {X,
     "{'x': {'$elemMatch': {'$nin': [1, {'$regularExpression': {'pattern': 'a', 'options': "
     "''}}]}}}",
     NULL, "[MinKey, MaxKey]"},
    {X, "{'x': {'$not': {'$elemMatch': {'$gt': 1}}}}", NULL, "[MinKey, MaxKey]"},
    {X, "{'x': {'$not': {'$regularExpression': {'pattern': '^a', 'options': ''}}}}", NULL,
     "[MinKey, MaxKey]"},
    {X, "{'x': {'$nin': [{'$regularExpression': {'pattern': '^a', 'options': ''}}, 5]}}", NULL,
     "[MinKey, MaxKey]"},
    {X, "{'x': {'$not': {'$mod': [2, 0]}}}", NULL, "[MinKey, MaxKey]"},
    {X, "{'x': {'$not': {'$type': 'int'}}}", NULL, "[MinKey, MaxKey]"},
    {X, "{'x': {'$not': {'$gt': 1, '$lt': 5}}}", NULL, "[MinKey, MaxKey]"},
    {X, "{'x': {'$not': {'$ne': 5}}}", NULL, "[MinKey, MaxKey]"},
    {X, "{'x': {'$not': {'$exists': false}}}", NULL, "[MinKey, MaxKey]"},
    {X, "{'x': {'$ne': [1]}}", NULL, "[MinKey, MaxKey]"},
    {X, "{'x': {'$ne': []}}", NULL, "[MinKey, MaxKey]"},
    {X, "{'x': {'$nin': [[1], 2]}}", NULL, "[MinKey, MaxKey]"},
    {X, "{'x': {'$nin': [[]]}}", NULL, "[MinKey, MaxKey]"},
    {X, "{'x': {'$nin': [null, [], 5]}}", NULL, "[MinKey, MaxKey]"},
    {X, "{'x': {'$not': {'$lt': [1]}}}", NULL, "[MinKey, MaxKey]"},
    {X, "{'$nor': [{'x': 5}]}", NULL, "[MinKey, 5) (5, MaxKey]"},
    {X, "{'$nor': [{'x': 5}, {'x': 6}]}", NULL, "[MinKey, MaxKey]"},
    {X, "{'$nor': [{'$or': [{'x': 5}, {'x': 6}]}]}", NULL, "[MinKey, 5) (5, 6) (6, MaxKey]"},
    {X, "{'$or': [{'x': 5}, {'y': 7}]}", NULL, "[MinKey, MaxKey]"},
    {X, "{'$and': [{'$or': [{'x': 5}, {'x': 6}]}, {'$or': [{'x': 5}, {'x': 9}]}]}", NULL, "[5, 5]"},
    {X, "{'$nor': [{'$or': [{'x': null}, {'x': []}, {'x': null}]}]}", NULL,
     "[MinKey, undefined) (null, []) ([], MaxKey]"},

    {XY, "{'x': 5}", NULL, "[5, 5]; [MinKey, MaxKey]"},
    {XY, "{'y': 5}", NULL, "[MinKey, MaxKey]; [MinKey, MaxKey]"},
    {XY, "{'x': 5, 'y': 6}", NULL, "[5, 5]; [6, 6]"},
    {XY, "{'x': {'$gt': 5}, 'y': {'$in': [1, 2]}}", NULL, "(5, inf.0]; [1, 1] [2, 2]"},
    {XY, "{'x': {'$exists': true}, 'y': 5}", NULL, "[MinKey, MaxKey]; [5, 5]"},
    {XY, "{'x': 5, '$or': [{'y': 1}, {'y': 2}]}", NULL, "[5, 5]; [1, 1] [2, 2]"},
    {XY, "{'$or': [{'x': 1}, {'x': 2}], 'y': 3}", NULL, "[1, 1] [2, 2]; [3, 3]"},
    {XY, "{'x': {'$size': 1}, 'y': 1}", NULL, "[MinKey, MaxKey]; [MinKey, MaxKey]"},
    {XY, "{'x': {'$elemMatch': {'$gt': 1, '$lt': 5}}, 'y': 1}", NULL, "(1, 5); [1, 1]"},
    {XY, "{'x': {'$type': 'array'}, 'y': 2}", NULL, "[MinKey, MaxKey]; [2, 2]"},
    {XY, "{'x': 1, 'y': {'$elemMatch': {'$gt': 3}}}", NULL, "[1, 1]; (3, inf.0]"},
    {XY, "{'x': {'$ne': 3}, 'y': 4}", NULL, "[MinKey, 3) (3, MaxKey]; [4, 4]"},
    {XY, "{'x': {'$ne': [1]}, 'y': 4}", NULL, "[MinKey, MaxKey]; [MinKey, MaxKey]"},
    {XY, "{'x': {'$not': {'$size': 1}}, 'y': 4}", NULL, "[MinKey, MaxKey]; [MinKey, MaxKey]"},
    {XY, "{'x': {'$not': {'$type': 'int'}}, 'y': 4}", NULL, "[MinKey, MaxKey]; [MinKey, MaxKey]"},
    {XY, "{'x': {'$not': {'$regularExpression': {'pattern': 'a', 'options': ''}}}, 'y': 4}", NULL,
     "[MinKey, MaxKey]; [MinKey, MaxKey]"},
    {XY, "{'x': {'$exists': false}, 'y': 4}", NULL, "[null, null]; [4, 4]"},
    {XY, "{'x': {'$nin': []}, 'y': 4}", NULL, "[MinKey, MaxKey]; [4, 4]"},
    {XY, "{'x': {'$lt': [1]}, 'y': 4}", NULL, "[MinKey, [ 1 ]]; [4, 4]"},
    {XY, "{'x': {'$in': []}, 'y': 4}", NULL, "; [4, 4]"},
    {XY, "{'$nor': [{'x': 3}, {'x': 4}], 'y': 4}", NULL, "[MinKey, MaxKey]; [MinKey, MaxKey]"},
    {XY, "{'x': {'$not': {'$lt': null}}, 'y': 4}", NULL, "[MinKey, MaxKey]; [4, 4]"},
    {XY, "{'x': {'$elemMatch': {'$size': 1}}, 'y': 4}", NULL, "[MinKey, MaxKey]; [MinKey, MaxKey]"},
    {XY, "{'x': {'$elemMatch': {'$exists': false}}, 'y': 4}", NULL, "[null, null]; [4, 4]"},
    {XY, "{'x': {'$not': {'$exists': false}}, 'y': 4}", NULL, "[MinKey, MaxKey]; [MinKey, MaxKey]"},

    {HASHED, "{'x': {'$lt': 5}}", NULL, "[MinKey, MaxKey]"},
    {HASHED, "{'x': {'$ne': 5}}", NULL, "[MinKey, MaxKey]"},
    {HASHED, "{'x': {'$type': 'int'}}", NULL, "[MinKey, MaxKey]"},
    {HASHED, "{'x': {'$elemMatch': {'$eq': 5}}}", NULL, "[MinKey, MaxKey]"},
    {HASHED, "{'x': {'$all': [5, 6]}}", NULL, ""},
    {HASHED, "{'x': {'$lte': null}}", NULL, "[MinKey, MaxKey]"},
    {HASHED, "{'x': {'$gte': {'$minKey': 1}}}", NULL, "[MinKey, MaxKey]"},
    {HASHED, "{'x': {'$in': [{'$regularExpression': {'pattern': 'a', 'options': ''}}, 2]}}", NULL,
     "[MinKey, MaxKey]"},
    {HASHED, "{'x': {'$in': [{'$regularExpression': {'pattern': 'a', 'options': ''}}]}}", NULL,
     "[MinKey, MaxKey]"},
    {HASHED, "{'x': {'$not': {'$ne': 5}}}", NULL, "[MinKey, MaxKey]"},
    {HASHED, "{'$and': [{'x': 5}, {'x': 6}]}", NULL, ""},
    {HASHED, "{'x': {'$not': {'$exists': false}}}", NULL, "[MinKey, MaxKey]"},
    {HASHED, "{'x': {'$eq': null, '$exists': true}}", NULL,
     "[40158834000849533, 40158834000849533] [2338878944348059895, 2338878944348059895]"},
    {HASHED, "{'x': {'$eq': null, '$exists': false}}", NULL,
     "[2338878944348059895, 2338878944348059895]"},

    {HASHED_Y, "{'x': 5, 'y': {'$gt': 6}}", NULL,
     "[4470791281878691347, 4470791281878691347]; (6, inf.0]"},
    {HASHED_Y, "{'y': 6}", NULL, "[MinKey, MaxKey]; [MinKey, MaxKey]"},
    {HASHED_Y, "{'x': {'$gt': 5}, 'y': 6}", NULL, "[MinKey, MaxKey]; [MinKey, MaxKey]"},
    {HASHED_Y, "{'x': {'$exists': true}, 'y': 6}", NULL, "[MinKey, MaxKey]; [6, 6]"},
    {HASHED_Y, "{'x': {'$exists': false}, 'y': 6}", NULL,
     "[2338878944348059895, 2338878944348059895]; [6, 6]"},

    {X_HASHED, "{'x': {'$gt': 5}, 'y': 6}", NULL,
     "(5, inf.0]; [-6504342592125989714, -6504342592125989714]"},
    {X_HASHED, "{'x': 5, 'y': {'$gt': 5}}", NULL, "[5, 5]; [MinKey, MaxKey]"},
    {X_HASHED, "{'x': 5, 'y': null}", NULL,
     "[5, 5]; [40158834000849533, 40158834000849533] [2338878944348059895, 2338878944348059895]"},
    {X_HASHED, "{'x': 5, 'y': {'$exists': false}}", NULL,
     "[5, 5]; [2338878944348059895, 2338878944348059895]"},
    {X_HASHED, "{'x': 5, 'y': {'$ne': 3}}", NULL, "[5, 5]; [MinKey, MaxKey]"},
    {X_HASHED,
     "{'x': 5, 'y': {'$in': [3, {'$regularExpression': {'pattern': 'a', 'options': ''}}]}}", NULL,
     "[5, 5]; [MinKey, MaxKey]"},
    {X_HASHED, "{'x': 5, 'y': [1]}", NULL, "[5, 5]; [1, 1] [[ 1 ], [ 1 ]]"},

    {DOTTED, "{'a.b': 5}", NULL, "[5, 5]"},
    {DOTTED, "{'a': {'b': 5}}", NULL, "[MinKey, MaxKey]"},
    {DOTTED, "{'a': {'$elemMatch': {'b': 5}}}", NULL, "[5, 5]"},
    {DOTTED, "{'a': {'$elemMatch': {'b': {'$gt': 1}, 'c': 3}}}", NULL, "(1, inf.0]"},
    {DOTTED, "{'a': null}", NULL, "[MinKey, MaxKey]"},
    {DOTTED, "{'a.b': null}", NULL, "[undefined, undefined] [null, null]"},
    {DOTTED, "{'a.b.c': 5}", NULL, "[MinKey, MaxKey]"},
    {DOTTED, "{'a.0.b': 5}", NULL, "[MinKey, MaxKey]"},
    {DOTTED, "{'a': {'$elemMatch': {'$or': [{'b': 5}, {'b': 6}]}}}", NULL, "[5, 5] [6, 6]"},
    {DOTTED, "{'a': {'$not': {'$elemMatch': {'b': 5}}}}", NULL, "[MinKey, MaxKey]"},
    {DOTTED, "{'a': {'$elemMatch': {'b': {'$ne': 5}}}}", NULL, "[MinKey, 5) (5, MaxKey]"},
    {DOTTED, "{'a.b': {'$elemMatch': {'$gt': 1}}}", NULL, "(1, inf.0]"},
    {DOTTED, "{'a': {'$elemMatch': {'b': {'$elemMatch': {'$gt': 3}}}}}", NULL, "(3, inf.0]"},
    {DOTTED, "{'a': {'$elemMatch': {'b': {'$gt': 3}, '$and': [{'b': {'$lt': 9}}]}}}", NULL,
     "(3, 9)"},
    {DOTTED, "{'a': {'$elemMatch': {'b': {'$gt': 3}}}, 'a.b': {'$lt': 9}}", NULL, "(3, 9)"},

    {X, "{'x': 5}", FRENCH, "[5, 5]"},
    {X, "{'x': 'a'}", FRENCH, "[MinKey, MaxKey]"},
    {X, "{'x': {'$gt': 'a'}}", FRENCH, "[MinKey, MaxKey]"},
    {X, "{'x': {'$gt': 5}}", FRENCH, "(5, inf.0]"},
    {X, "{'x': {'$in': [1, 'a']}}", FRENCH, "[MinKey, MaxKey]"},
    {X, "{'x': {'$in': [1, 2]}}", FRENCH, "[1, 1] [2, 2]"},
    {X, "{'x': {'a': 1}}", FRENCH, "[MinKey, MaxKey]"},
    {X, "{'x': [1]}", FRENCH, "[MinKey, MaxKey]"},
    {X, "{'x': {'$regularExpression': {'pattern': '^a', 'options': ''}}}", FRENCH,
     "['a', 'b') [/^a/, /^a/]"},
    {X, "{'x': {'$ne': 'a'}}", FRENCH, "[MinKey, MaxKey]"},
    {X, "{'x': {'$ne': 5}}", FRENCH, "[MinKey, 5) (5, MaxKey]"},
    {X, "{'x': {'$nin': [5, 'a']}}", FRENCH, "[MinKey, MaxKey]"},
    {X, "{'x': {'$type': 'string'}}", FRENCH, "['', {})"},
    {X, "{'x': {'$in': [{'$regularExpression': {'pattern': '^a', 'options': ''}}, 1]}}", FRENCH,
     "[1, 1] ['a', 'b') [/^a/, /^a/]"},
    {X, "{'x': {'$lt': {'$maxKey': 1}}}", FRENCH, "[MinKey, MaxKey)"},
    {X, "{'x': {'$elemMatch': {'$gt': 'a'}}}", FRENCH, "[MinKey, MaxKey]"},
    {X, "{'x': {'$elemMatch': {'$gt': 1}}}", FRENCH, "(1, inf.0]"},
    {X, "{'x': {'$not': {'$gt': 'a'}}}", FRENCH, "[MinKey, MaxKey]"},
    {X, "{'x': {'$gt': {'a': 1}, '$lt': 5}}", FRENCH, "[-inf.0, 5)"},
    {X, "{'x': {'$lt': {'$code': 'a'}}}", FRENCH, "[, a)"},
    {X, "{'x': {'$gte': []}}", FRENCH, "[MinKey, MaxKey]"},

    {XY, "{'x': 5, 'y': 'a'}", FRENCH, "[5, 5]; [MinKey, MaxKey]"},
    {XY, "{'x': 'a', 'y': 5}", FRENCH, "[MinKey, MaxKey]; [MinKey, MaxKey]"},
    {XY, "{'x': 5, '$and': [{'y': 'a'}, {'y': {'$gt': 3}}]}", FRENCH, "[5, 5]; (3, inf.0]"},

    {HASHED_Y, "{'x': 5, 'y': 'a'}", FRENCH,
     "[4470791281878691347, 4470791281878691347]; [MinKey, MaxKey]"},
    {HASHED_Y, "{'x': 'a', 'y': 5}", FRENCH, "[MinKey, MaxKey]; [MinKey, MaxKey]"},
    {HASHED_Y, "{'x': {'$in': [5, 'a']}}", FRENCH, "[MinKey, MaxKey]; [MinKey, MaxKey]"},
    {HASHED_Y, "{'x': {'$in': [5, 6]}}", FRENCH,
     "[-6504342592125989714, -6504342592125989714] [4470791281878691347, 4470791281878691347]; "
     "[MinKey, MaxKey]"},

    {X, "{'x': 'a'}", SIMPLE, "['a', 'a']"},
};

/* The bounds of a filter as text, to be freed with bson_free. */
static char *plan(const struct row *row, const char *version, bool *bounded, int32_t *refused)
{
    sp_arena_t arena;
    sp_arena_init(&arena);
    sp_error_t error = {0};
    bson_t *key = sp_doc_from(row->key), *filter = sp_doc_from(row->filter);
    bson_t *collation = row->collation != NULL ? sp_doc_from(row->collation) : NULL;
    sp_pattern_t *pattern = sp_pattern_new(key, &error);
    sp_hasher_t *hasher = sp_hasher_new(&error);
    assert_true(pattern != NULL && hasher != NULL);
    sp_planner_t planner = {.arena = &arena,
                            .hasher = hasher,
                            .pattern = pattern,
                            .simple = sp_collation_is_simple(collation),
                            .refused = refused};
    assert_true(sp_version_parse(version, &planner.version, &error));
    sp_node_t *root = sp_filter_parse(&arena, planner.version, filter, &error);
    if (root == NULL)
        fail_msg("%s: %s", row->filter, error.message);
    sp_bounds_t bounds;
    *bounded =
        sp_plan_bounds(&planner, sp_filter_normalize(&arena, planner.version, NULL, root), &bounds);
    assert_int_equal(bounds.field_count, pattern->field_count);
    char *text = sp_bounds_text(&bounds);
    sp_hasher_free(hasher);
    sp_pattern_free(pattern);
    bson_destroy(collation);
    bson_destroy(filter);
    bson_destroy(key);
    sp_arena_clear(&arena);
    return text;
}

static void check(const struct row *row, const char *version)
{
    bool bounded;
    int32_t refused;
    char *text = plan(row, version, &bounded, &refused);
    if (strcmp(text, row->bounds) != 0)
        fail_msg("%s %s %s: %s and not %s", version, row->key, row->filter, text, row->bounds);
    assert_int_equal(refused, 0);
    /* what is not bounded is everything in every field */
    if (!bounded)
        assert_true(strncmp(text, "[MinKey, MaxKey]", 16) == 0);
    bson_free(text);
}

static void test_bounds(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        check(&rows[i], "6.0.5");
        check(&rows[i], "6.0.27");
    }
}

/* mongos 4.0.3 asks all shards for it; later ones look it up. */
static void test_hashed_absence(void **state)
{
    (void)state;
    const struct row absent = {HASHED, "{'x': {'$exists': false}}", NULL, NULL};
    static const struct {
        const char *version;
        bool bounded;
    } versions[] = {{"4.0.3", false}, {"4.2.6", false}, {"4.4.0", true}, {"6.0.5", true}};
    for (size_t i = 0; i < COUNT(versions); i++) {
        bool bounded;
        int32_t refused;
        bson_free(plan(&absent, versions[i].version, &bounded, &refused));
        assert_int_equal(bounded, versions[i].bounded);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bounds),
        cmocka_unit_test(test_hashed_absence),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
