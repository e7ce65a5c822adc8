/*
 * Normal forms of filters.
 *
 * The trees follow from `parsedQuery` in what explain answers on 6.0.5, 6.0.24 and 6.0.27 (November
 * 2026); where they differ, 6.0.5 stands alone. There, {} stands for both an empty $and and what
 * always holds, and {$alwaysFalse: 1} for the opposite of {} too.
 */
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
    const char *filter, *tree;
    const char *later; /* on 6.0.24 and 6.0.27; NULL: the same */
} rows[] = {
    {"{}", "and", NULL},
    {"{'x': 5}", "eq x 5", NULL},
    {"{'x': 5, 'y': 6}", "and(eq x 5, eq y 6)", NULL},
    {"{'y': 6, 'x': 5}", "and(eq x 5, eq y 6)", NULL},
    {"{'$and': [{'x': 5}]}", "eq x 5", NULL},
    {"{'$and': [{'$and': [{'x': 5}, {'y': 6}]}, {'z': 7}]}", "and(eq x 5, eq y 6, eq z 7)", NULL},
    {"{'$or': [{'$or': [{'x': 5}, {'y': {'$gt': 6}}]}, {'z': 7}]}", "or(eq x 5, eq z 7, gt y 6)",
     NULL},
    {"{'$or': [{'x': 5}]}", "eq x 5", NULL},
    {"{'$or': [{'x': 5, 'y': 6}]}", "and(eq x 5, eq y 6)", NULL},
    {"{'$and': [{'$or': [{'x': 5}]}, {'y': 6}]}", "and(eq x 5, eq y 6)", NULL},
    {"{'$and': [{}, {}]}", "and", NULL},
    {"{'x': 5, '$and': [{}]}", "eq x 5", NULL},
    {"{'$or': [{}, {'x': 5}]}", "true", NULL},
    {"{'x': 5, '$and': [{'x': 5}]}", "and(eq x 5, eq x 5)", NULL},
    /* in */
    {"{'x': {'$in': [5]}}", "eq x 5", NULL},
    {"{'x': {'$in': []}}", "in x", NULL},
    {"{'x': {'$in': [3, 1, 2, 1]}}", "in x 1 2 3", NULL},
    {"{'x': {'$in': [5, 5]}}", "eq x 5", NULL},
    {"{'x': {'$in': ['b', 1, null]}}", "in x null 1 'b'", NULL},
    {"{'x': {'$in': [[]]}}", "eq x []", NULL},
    {"{'x': {'$in': [{'$regularExpression': {'pattern': '^a', 'options': ''}}]}}", "regex x /^a/",
     NULL},
    {"{'x': {'$in': [{'$regularExpression': {'pattern': '^a', 'options': ''}}, 5]}}", "in x 5 /^a/",
     NULL},
    {"{'x': {'$nin': [5]}}", "not(eq x 5)", NULL},
    {"{'x': {'$nin': [6, 5]}}", "not(in x 5 6)", NULL},
    {"{'x': {'$not': {'$in': [5]}}}", "not(eq x 5)", NULL},
    {"{'x': {'$elemMatch': {'$in': [5]}}}", "elementValue x(eq 5)", NULL},
    {"{'x': {'$elemMatch': {'$in': [5, 5]}}}", "elementValue x(eq 5)", NULL},
    /* or to in */
    {"{'$or': [{'x': 6}, {'x': 5}]}", "in x 5 6", NULL},
    {"{'$or': [{'x': 5}, {'x': 5}]}", "in x 5", NULL},
    {"{'$or': [{'x': 5}, {'x': 6}, {'y': 7}]}", "or(eq y 7, in x 5 6)", NULL},
    {"{'$or': [{'x': 5}, {'y': 7}, {'x': 6}, {'y': 8}]}", "or(or(eq y 7, eq y 8), in x 5 6)",
     "or(eq y 7, eq y 8, in x 5 6)"},
    {"{'$or': [{'x': 5}, {'x': {'$regularExpression': {'pattern': '^a', 'options': ''}}}]}",
     "in x 5 /^a/", NULL},
    {"{'$or': [{'x': {'$regularExpression': {'pattern': '^a', 'options': ''}}}, {'x': "
     "{'$regularExpression': {'pattern': 'b', 'options': 'i'}}}]}",
     "in x /^a/ /b/i", NULL},
    {"{'$or': [{'x': {'$eq': {'$regularExpression': {'pattern': 'a', 'options': ''}}}}, {'x': 6}, "
     "{'x': 7}]}",
     "or(eq x /a/, in x 6 7)", NULL},
    {"{'$or': [{'x': null}, {'x': [1]}]}", "in x null [ 1 ]", NULL},
    {"{'$or': [{'x': 5}, {'x': {'$in': [1, 2]}}]}", "or(eq x 5, in x 1 2)", NULL},
    {"{'$or': [{'x': {'$in': [5]}}, {'x': 7}]}", "in x 5 7", NULL},
    {"{'$or': [{'$and': [{'x': 5}]}, {'x': 7}]}", "in x 5 7", NULL},
    {"{'$or': [{'$or': [{'x': 5}, {'x': 6}]}, {'x': 7}]}", "or(eq x 7, in x 5 6)", NULL},
    {"{'$or': [{'x': 5}, {'x': {'$gt': 8}}]}", "or(eq x 5, gt x 8)", NULL},
    {"{'$or': [{'x': 5}, {'x': 6}, {'x': {'$gt': 8}}]}", "or(gt x 8, in x 5 6)", NULL},
    {"{'x': {'$elemMatch': {'$or': [{'b': 5}, {'b': 6}]}}}", "element x(in b 5 6)", NULL},
    {"{'$nor': [{'$or': [{'x': 5}, {'x': 6}]}]}", "not(in x 5 6)", NULL},
    {"{'$or': [{'y': 7}, {'x': 5}, {'y': 8}, {'x': 6}]}", "or(or(eq x 5, eq x 6), in y 7 8)",
     "or(eq x 5, eq x 6, in y 7 8)"},
    {"{'$or': [{'x': 5}, {'y': 7}, {'z': 1}, {'z': 2}]}", "or(eq x 5, eq y 7, eq z 1, eq z 2)",
     NULL},
    {"{'$or': [{'a': {'$gt': 1}}, {'x': 5}, {'x': 6}, {'z': 7}, {'z': 9}]}",
     "or(or(eq z 7, eq z 9, gt a 1), in x 5 6)", "or(eq z 7, eq z 9, gt a 1, in x 5 6)"},
    {"{'$or': [{'y': {'$regularExpression': {'pattern': 'a', 'options': ''}}}, {'x': 7}, {'x': 6}, "
     "{'z': 8}]}",
     "or(eq x 7, eq x 6, eq z 8, regex y /a/)", NULL},
    {"{'$or': [{'x': 5}, {'y': 7}, {'x': {'$regularExpression': {'pattern': 'a', 'options': ''}}}, "
     "{'y': 8}]}",
     "or(or(eq y 7, eq y 8), in x 5 /a/)", "or(eq y 7, eq y 8, in x 5 /a/)"},
    {"{'$nor': [{'$or': [{'x': 5}, {'x': 6}, {'a': 1}, {'a': 2}]}, {'b': 1}]}",
     "nor(or(or(eq a 1, eq a 2), in x 5 6), eq b 1)", "nor(or(eq a 1, eq a 2, in x 5 6), eq b 1)"},
    {"{'x': {'$elemMatch': {'$or': [{'b': 5}, {'b': 6}, {'c': 1}, {'c': 2}]}}}",
     "element x(or(or(eq c 1, eq c 2), in b 5 6))", "element x(or(eq c 1, eq c 2, in b 5 6))"},
    {"{'$or': [{'x': 5}, {'x': 6}, {'$or': [{'y': 1}, {'z': 1}]}]}",
     "or(or(eq y 1, eq z 1), in x 5 6)", "or(eq y 1, eq z 1, in x 5 6)"},
    {"{'$or': [{'$or': [{'x': 1}, {'z': 1}]}, {'x': 5}, {'x': 6}]}", "or(eq z 1, in x 1 5 6)",
     NULL},
    {"{'$nor': [{'$or': [{'x': null}, {'x': []}, {'x': null}]}]}", "not(in x null [])", NULL},
    {"{'$or': [{'x': 6}, {'x': 5}, {'x': 5.0}]}", "in x 5 6", NULL},
    {"{'$or': [{'$and': [{}, {}]}, {'x': 5}]}", "true", NULL},
    {"{'$or': [{'$or': [{}, {'x': 7}]}, {'x': 5}]}", "true", NULL},
    {"{'y': 3, '$or': [{}, {'x': 5}]}", "eq y 3", NULL},
    /* true, false */
    {"{'$alwaysTrue': 1}", "true", NULL},
    {"{'$alwaysFalse': 1}", "false", NULL},
    {"{'x': 5, '$alwaysTrue': 1}", "eq x 5", NULL},
    {"{'$and': [{'x': 5}, {'$alwaysTrue': 1}]}", "eq x 5", NULL},
    {"{'$and': [{'x': 5}, {'$alwaysFalse': 1}]}", "false", NULL},
    {"{'$or': [{'x': 5}, {'$alwaysTrue': 1}]}", "true", NULL},
    {"{'$or': [{'x': 5}, {'$alwaysFalse': 1}]}", "eq x 5", NULL},
    {"{'$or': [{'$alwaysFalse': 1}, {'$alwaysFalse': 1}]}", "false", NULL},
    {"{'$and': [{'$alwaysTrue': 1}, {'$alwaysTrue': 1}]}", "and", NULL},
    {"{'x': {'$all': []}}", "false", NULL},
    {"{'x': {'$not': {'$all': []}}}", "not(false)", NULL},
    {"{'x': {'$all': [5]}}", "eq x 5", NULL},
    {"{'x': {'$all': [5, 6]}}", "and(eq x 5, eq x 6)", NULL},
    {"{'x': {'$elemMatch': {'$gt': 7, '$all': [5]}}}", "elementValue x(eq 5, gt 7)", NULL},
    {"{'x': {'$elemMatch': {}}}", "element x(and)", NULL},
    /* not, nor */
    {"{'x': {'$not': {'$ne': 5}}}", "not(not(eq x 5))", NULL},
    {"{'x': {'$not': {'$gt': 1, '$lt': 5}}}", "not(and(lt x 5, gt x 1))", NULL},
    {"{'x': {'$not': {'$exists': false}}}", "not(not(exists x))", NULL},
    {"{'x': {'$not': {'$regularExpression': {'pattern': 'a', 'options': ''}}}}", "not(regex x /a/)",
     NULL},
    {"{'$nor': [{'x': 5}]}", "not(eq x 5)", NULL},
    {"{'$nor': [{'x': 5}, {'x': 6}]}", "nor(eq x 5, eq x 6)", NULL},
    {"{'$nor': [{'x': {'$gt': 5}}]}", "not(gt x 5)", NULL},
    {"{'$nor': [{'x': 5, 'y': 6}]}", "not(and(eq x 5, eq y 6))", NULL},
    {"{'$nor': [{'$nor': [{'x': 5}, {'x': 6}]}]}", "not(nor(eq x 5, eq x 6))", NULL},
    {"{'$nor': [{'z': 1}, {'x': {'$gt': 3}}, {'a': 1}]}", "nor(eq a 1, eq z 1, gt x 3)", NULL},
    {"{'$nor': [{'y': {'$all': []}}]}", "not(false)", "and"},
    {"{'$nor': [{'y': {'$all': []}}, {'y': {'$all': []}}]}", "nor(false, false)", "and"},
    {"{'$nor': [{'y': {'$all': []}}, {'x': 5}]}", "nor(eq x 5, false)", "not(eq x 5)"},
    {"{'$nor': [{'x': {'$gt': 5}}, {'y': {'$all': []}}]}", "nor(gt x 5, false)", "not(gt x 5)"},
    {"{'$nor': [{'$alwaysTrue': 1}]}", "not(true)", NULL},
    {"{'$nor': [{'$alwaysTrue': 1}, {'z': 1}]}", "nor(eq z 1, true)", "false"},
    {"{'$nor': [{}, {}]}", "nor(and, and)", "false"},
    {"{'$nor': [{'z': 3}, {}]}", "nor(and, eq z 3)", "false"},
    {"{'$nor': [{'$alwaysTrue': 1}, {'$alwaysFalse': 1}]}", "nor(false, true)", "not(true)"},
    {"{'$nor': [{'$alwaysFalse': 1}, {'x': 5}, {'y': 6}]}", "nor(eq x 5, eq y 6, false)",
     "nor(eq x 5, eq y 6)"},
    {"{'x': {'$gt': 32}, '$nor': [{'y': {'$all': []}}]}", "and(gt x 32, not(false))", "gt x 32"},
    {"{'x': {'$gt': 32}, '$nor': [{'y': {'$all': []}}, {'y': {'$all': []}}]}",
     "and(gt x 32, nor(false, false))", "gt x 32"},
    {"{'x': {'$gt': 32}, '$nor': [{'$nor': [{'y': {'$all': []}}]}, {'z': 1}]}",
     "and(gt x 32, nor(eq z 1, not(false)))", "false"},
    {"{'x': {'$gt': 32}, '$nor': [{'y': {'$not': {'$all': []}}}, {'z': 1}]}",
     "and(gt x 32, nor(eq z 1, not(false)))", NULL},
    {"{'x': {'$gt': 32}, '$nor': [{'$nor': [{'$alwaysTrue': 1}, {'$alwaysTrue': 1}]}, {'z': 1}]}",
     "and(gt x 32, nor(eq z 1, nor(true, true)))", "and(gt x 32, not(eq z 1))"},
    {"{'$or': [{'x': {'$gt': 32}}, {'$nor': [{'z': 1}, {'$alwaysTrue': 1}]}]}",
     "or(gt x 32, nor(eq z 1, true))", "gt x 32"},
    {"{'$or': [{'x': {'$gt': 32}}, {'$nor': [{'y': {'$all': []}}]}]}", "or(gt x 32, not(false))",
     "true"},
    /* sequence */
    {"{'x': {'$bitsAllSet': 1, '$ne': 5, '$in': [1, 2], '$type': 'int'}}",
     "and(in x 1 2, other x, not(eq x 5), type x)", NULL},
    {"{'b': 1, 'a': {'$gt': 1}, 'c': {'$elemMatch': {'d': 1}}, 'd': {'$elemMatch': {'$gt': 1}}}",
     "and(element c(eq d 1), elementValue d(gt 1), eq b 1, gt a 1)", NULL},
    {"{'a': {'$gt': 5}, 'b': {'$gt': 3}, 'c': 7, 'a.b': {'$gt': 1}}",
     "and(eq c 7, gt a 5, gt a.b 1, gt b 3)", NULL},
    {"{'$or': [{'b': 1, 'c': 1}, {'a': 1, 'b': 1}, {'a': 1, 'b': {'$lt': 1}}, {'a': 1}]}",
     "or(and(eq a 1, eq b 1), and(eq a 1, lt b 1), and(eq b 1, eq c 1), eq a 1)", NULL},
    {"{'$or': [{'a': 1, 'b': 1, 'c': 1}, {'a': 1, 'b': 1}]}",
     "or(and(eq a 1, eq b 1), and(eq a 1, eq b 1, eq c 1))", NULL},
    {"{'$or': [{'x': {'$gt': 7}}, {'x': {'$gt': 3}}, {'x': {'$gt': 5}}]}",
     "or(gt x 7, gt x 3, gt x 5)", NULL},
    {"{'$and': [{'$or': [{'x': {'$gt': 7}}, {'y': 1}]}, {'$or': [{'a': 1}, {'b': 2}]}, {'c': 1}]}",
     "and(or(eq a 1, eq b 2), or(eq y 1, gt x 7), eq c 1)", NULL},
    {"{'$or': [{'x': 1}, {'$and': [{'x': 2}, {'y': 3}]}]}", "or(and(eq x 2, eq y 3), eq x 1)",
     NULL},
    {"{'$or': [{'x': {'$elemMatch': {'$lt': 1}}}, {'x': {'$elemMatch': {'$gt': 1}}}, {'x': "
     "{'$elemMatch': {'$eq': 1, '$gt': 1}}}, {'x': {'$ne': 1}}, {'x': {'$not': {'$gt': 1}}}]}",
     "or(elementValue x(eq 1, gt 1), elementValue x(lt 1), elementValue x(gt 1), not(eq x 1), "
     "not(gt x 1))",
     NULL},
};

static void check(const char *filter_text, sp_version_t version, const char *wanted)
{
    sp_arena_t arena;
    sp_arena_init(&arena);
    sp_error_t error = {0};
    bson_t *filter = sp_doc_from(filter_text);
    sp_node_t *root = sp_filter_parse(&arena, version, filter, &error);
    if (root == NULL)
        fail_msg("%s: %s", filter_text, error.message);
    root = sp_filter_normalize(&arena, version, NULL, root);
    /* as explain writes it */
    if (root->kind == SP_NODE_ALWAYS_TRUE && strcmp(wanted, "and") == 0)
        root->kind = SP_NODE_AND;
    char *tree = sp_tree_text(root);
    if (strcmp(tree, wanted) != 0)
        fail_msg("%s on %u.%u.%u: %s and not %s", filter_text, version.major, version.minor,
                 version.patch, tree, wanted);
    bson_free(tree);
    bson_destroy(filter);
    sp_arena_clear(&arena);
}

static void test_first_version(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++)
        check(rows[i].filter, (sp_version_t){6, 0, 5}, rows[i].tree);
}

static void test_later_versions(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        const char *wanted = rows[i].later != NULL ? rows[i].later : rows[i].tree;
        check(rows[i].filter, (sp_version_t){6, 0, 24}, wanted);
        check(rows[i].filter, (sp_version_t){6, 0, 27}, wanted);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_first_version),
        cmocka_unit_test(test_later_versions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
