/*
 * The shard key value that a filter fixes.
 *
 * Whether it fixes one was asked with upserts through the routers of 6.0.5 and 6.0.27 (November
 * 2026), which answer 61 where it does not; which one follows from the shard that got the document.
 */
#include "../oracles/query_key.h"

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
    const char *filter;
    const char *values; /* one after the other; NULL: none */
} single[] = {
    {"{'x': 5}", "5"},
    {"{'x': {'$eq': 5}}", "5"},
    {"{'x': {'$in': [5]}}", "5"},
    {"{'x': {'$in': [5, 5.0]}}", "5"},
    {"{'x': {'$in': [5, 6]}}", NULL},
    {"{'x': {'$all': [5]}}", "5"},
    {"{'x': {'$gte': 5, '$lte': 5}}", NULL},
    {"{'$and': [{'x': 5}]}", "5"},
    {"{'$and': [{'$and': [{'y': 1}, {'x': 5}]}]}", "5"},
    {"{'$or': [{'x': 5}]}", "5"},
    {"{'$or': [{'x': 5}, {'x': 5}]}", NULL},
    {"{'$or': [{'x': 5}, {'$alwaysFalse': 1}]}", "5"},
    {"{'$nor': [{'x': {'$ne': 5}}]}", NULL},
    {"{'x': {'$not': {'$ne': 5}}}", NULL},
    {"{'x': 5, 'y': {'$gt': 1}}", "5"},
    {"{'x': 5, '$and': [{'x': 5}]}", NULL},
    {"{'x': 5, '$and': [{'x': 6}]}", NULL},
    {"{'x': 5, '$and': [{'x': {'$gt': 7}}]}", "5"},
    {"{'x.a': 5}", NULL},
    {"{'x': 5, 'x.a': 1}", NULL},
    {"{'x': 5, 'x.a': {'$gt': 1}}", "5"},
    {"{'xy': 1, 'x': 5}", "5"},
    {"{'x': {'$elemMatch': {'$eq': 5}}}", NULL},
    {"{'y': 5}", NULL},
    {"{}", NULL},
    {"{'x': null}", "null"},
    {"{'x': []}", NULL},
    {"{'x': [5]}", NULL},
    {"{'x': {}}", "{}"},
    {"{'x': {'a': [1]}}", "{ a: [ 1 ] }"},
    {"{'x': {'$eq': {'$a': 1}}}", NULL},
    {"{'x': {'a': {'$b': 1}}}", NULL},
    {"{'x': {'$eq': {'$regularExpression': {'pattern': 'a', 'options': ''}}}}", NULL},
    {"{'x': {'$regularExpression': {'pattern': 'a', 'options': ''}}}", NULL},
    {"{'x': {'a': {'$regularExpression': {'pattern': 'a', 'options': ''}}}}", "{ a: /a/ }"},
    {"{'x': {'$minKey': 1}}", "MinKey"},
    {"{'x': {'$maxKey': 1}}", "MaxKey"},
    {"{'x': {'$code': 'f', '$scope': {'$a': 1}}}", "CodeWScope( f, { $a: 1 })"},
    {"{'x': {'$code': 'f', '$scope': {'a': 1}}}", "CodeWScope( f, { a: 1 })"},
    {"{'x': {'$symbol': 'a'}}", "'a'"},
    {"{'x': {'$timestamp': {'t': 0, 'i': 0}}}", "Timestamp(0, 0)"},
    {"{'x': 5, '$alwaysFalse': 1}", NULL},
    {"{'x': 5, '$alwaysTrue': 1}", "5"},
};

static const struct row dotted[] = {
    {"{'a.b': 5}", "5"},
    {"{'a': {'b': 5}}", "5"},
    {"{'a': {'b': 5, 'c': 1}}", "5"},
    {"{'a': {'c': 1, 'b': 5}}", "5"},
    {"{'a': {'b': {'c': 5}}}", "{ c: 5 }"},
    {"{'a': {'c': 5}}", NULL},
    {"{'a': {'b': [5]}}", NULL},
    {"{'a': [{'b': 5}]}", NULL},
    {"{'a': 5}", NULL},
    {"{'a': {'b': 5}, 'a.b': 5}", NULL},
    {"{'a.b': 5, 'a.c': 1}", "5"},
    {"{'a': {'b': 5}, 'a.c': 1}", "5"},
    {"{'a.b.c': 5}", NULL},
    {"{'a.b': 5, 'a.b.c': 1}", NULL},
    {"{'a': {'$elemMatch': {'b': 5}}}", NULL},
    {"{'a.b': {'c': 5}}", "{ c: 5 }"},
    {"{'a': {'a.b': 5}}", NULL},
    {"{'a.0.b': 5}", NULL},
    {"{'a': {'b': {'$regularExpression': {'pattern': 'a', 'options': ''}}}}", NULL},
    {"{'a': {'b': 5, '$x': 1}}", "5"},
    {"{'a': {'$eq': {'b': {'$c': 5}}}}", NULL},
};

static const struct row twice_dotted[] = {
    {"{'a.b': 5, 'a.c': 7}", "5 7"},
    {"{'a': {'b': 5, 'c': 7}}", "5 7"},
    {"{'a': {'c': 7, 'b': 5}}", "5 7"},
    {"{'a': {'b': 5}, 'a.c': 7}", NULL},
    {"{'a': {'b': 5, 'c': 7}, 'a.c': 7}", NULL},
    {"{'a.b': 5}", NULL},
    {"{'a': {'b': 5}}", NULL},
};

static const struct row deep[] = {
    {"{'a.b.c': 5, 'd': 7}", "5 7"},
    {"{'a.b': {'c': 5}, 'd': 7}", "5 7"},
    {"{'a': {'b': {'c': 5}}, 'd': 7}", "5 7"},
    {"{'a': {'b': 5}, 'd': 7}", NULL},
    {"{'a': {'b': {'c': 5}}, 'a.b': {'c': 5}, 'd': 7}", NULL},
    {"{'a.b': 5, 'd': 7}", NULL},
    {"{'a': {'b': [{'c': 5}]}, 'd': 7}", NULL},
};

/* A value as an index bound of one point would be written, without the brackets. */
static void append_value(sp_arena_t *arena, const sp_value_t *value, bson_string_t *out)
{
    sp_intervals_t point = {0};
    sp_intervals_add(arena, &point, &(sp_interval_t){*value, *value, true, true});
    char *text = sp_intervals_text(&point);
    size_t half = (strlen(text) - 4) / 2; /* [value, value] */
    text[1 + half] = '\0';
    bson_string_append_printf(out, "%s%s", out->len > 0 ? " " : "", text + 1);
    bson_free(text);
}

static char *find_key(const sp_pattern_t *pattern, const char *filter_text)
{
    const sp_version_t version = {6, 0, 5};
    sp_arena_t arena;
    sp_arena_init(&arena);
    sp_error_t error = {0};
    bson_t *filter = sp_doc_from(filter_text);
    sp_node_t *root = sp_filter_parse(&arena, version, filter, &error);
    if (root == NULL)
        fail_msg("%s: %s", filter_text, error.message);
    sp_value_t values[SP_PATTERN_FIELDS_MAX];
    char *text = NULL;
    if (sp_query_key(pattern, sp_filter_normalize(&arena, version, NULL, root), values)) {
        bson_string_t *out = bson_string_new(NULL);
        for (unsigned i = 0; i < pattern->field_count; i++)
            append_value(&arena, &values[i], out);
        text = bson_string_free(out, false);
    }
    bson_destroy(filter);
    sp_arena_clear(&arena);
    return text;
}

static void check(const char *key_text, const struct row *rows, size_t count)
{
    bson_t *key = sp_doc_from(key_text);
    sp_pattern_t *pattern = sp_pattern_new(key, NULL);
    assert_non_null(pattern);
    for (size_t i = 0; i < count; i++) {
        char *values = find_key(pattern, rows[i].filter);
        const char *found = values != NULL ? values : "none";
        const char *wanted = rows[i].values != NULL ? rows[i].values : "none";
        if (strcmp(found, wanted) != 0)
            fail_msg("%s in %s: %s and not %s", key_text, rows[i].filter, found, wanted);
        bson_free(values);
    }
    sp_pattern_free(pattern);
    bson_destroy(key);
}

static void test_single(void **state)
{
    (void)state;
    check("{'x': 1}", single, COUNT(single));
}

static void test_dotted(void **state)
{
    (void)state;
    check("{'a.b': 1}", dotted, COUNT(dotted));
    check("{'a.b': 1, 'a.c': 1}", twice_dotted, COUNT(twice_dotted));
    check("{'a.b.c': 1, 'd': 1}", deep, COUNT(deep));
}

/* More equalities than can be kept: those that do not concern the key do not count. */
static void test_many_equalities(void **state)
{
    (void)state;
    bson_string_t *beside = bson_string_new("{'x': 5"), *inside = bson_string_new("{'x.y': 5");
    for (unsigned i = 0; i < 300; i++) {
        bson_string_append_printf(beside, ", 'y%u': 1", i);
        bson_string_append_printf(inside, ", 'x.y.z%u': 1", i);
    }
    bson_string_append(beside, "}");
    bson_string_append(inside, "}");
    const struct row rows[] = {{beside->str, "5"}, {inside->str, NULL}};
    check("{'x': 1}", rows, COUNT(rows));
    bson_string_free(beside, true);
    bson_string_free(inside, true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_single),
        cmocka_unit_test(test_dotted),
        cmocka_unit_test(test_many_equalities),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
