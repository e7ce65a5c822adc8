/* The keys of documents in indexes. What the rows say was found by inserting into a unique index of
 * a real server beside each document one that has a single value in its place: 6.0.5 and 6.0.27. */
#include "../oracles/index_keys.h"

#include "from_json.h"
#include "query_layout.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

static const sp_version_t version = {6, 0, 27};

static sp_keyed_index_t *index_from(const char *text, const char *collation, sp_error_t *error)
{
    bson_t *spec = sp_doc_from(text), *own = collation == NULL ? NULL : sp_doc_from(collation);
    sp_index_t index;
    assert_true(sp_index_read(spec, &index, NULL));
    assert_false(index.has_partial); /* it would have to outlive the index */
    sp_keyed_index_t *keyed = sp_keyed_index_new(&index, own, version, error);
    bson_destroy(spec);
    bson_destroy(own);
    return keyed;
}

/* "{'0': 1, '1': null} {'0': 2, '1': null}", or the error's code. */
static char *keys_text(const sp_keyed_index_t *index, const bson_t *doc)
{
    sp_arena_t arena;
    sp_index_keys_t keys = {0};
    sp_error_t error = {0};
    sp_hasher_t *hasher = sp_hasher_new(NULL);
    bson_string_t *text = bson_string_new(NULL);
    unsigned fields = sp_keyed_index_fields(index);
    sp_arena_init(&arena);
    bool ok = sp_keyed_index_keys(index, hasher, &arena, doc, &keys, &error);
    if (!ok) {
        assert_int_equal(error.domain, SP_ERROR_RULE);
        bson_string_append_printf(text, "%d", error.code);
    }
    for (unsigned i = 0; ok && i < keys.count; i++) {
        bson_t key = BSON_INITIALIZER;
        for (unsigned j = 0; j < fields; j++) {
            char name[4] = {(char)('0' + j)};
            sp_value_append(&key, name, &keys.values[i * fields + j]);
        }
        char *one = sp_text_of(&key);
        bson_string_append_printf(text, "%s%s", i == 0 ? "" : " ", one);
        bson_free(one);
        bson_destroy(&key);
    }
    sp_arena_clear(&arena);
    sp_hasher_free(hasher);
    return bson_string_free(text, false);
}

static const struct group {
    const char *index, *collation;
    struct {
        const char *doc, *keys;
    } rows[16];
} groups[] = {
    {"{'key': {'u': 1}}",
     NULL,
     {
         {"{}", "[null]"},
         {"{'u': 1}", "[1]"},
         {"{'u': {'a': 1}}", "[{'a': 1}]"},
         {"{'u': []}", "[{'$undefined': true}]"},
         {"{'u': [[]]}", "[[]]"},
         {"{'u': [[], 1]}", "[[]] [1]"},
         {"{'u': [null]}", "[null]"},
         {"{'u': [1, [2]]}", "[1] [[2]]"},
         {"{'u': [{'$undefined': true}]}", "[{'$undefined': true}]"},
         {"{'u': 1, 'u': 2}", "[1]"},
     }},
    {"{'key': {'u': -1}, 'sparse': true}",
     NULL,
     {
         {"{}", ""},
         {"{'u': null}", "[null]"},
         {"{'u': []}", "[{'$undefined': true}]"},
     }},
    {"{'key': {'u.a': 1}}",
     NULL,
     {
         {"{}", "[null]"},
         {"{'u': 5}", "[null]"},
         {"{'u': []}", "[null]"},
         {"{'u': [5]}", "[null]"},
         {"{'u': [{'a': 1}, {}]}", "[1] [null]"},
         {"{'u': [{'a': 1}, 5]}", "[1] [null]"},
         {"{'u': [[{'a': 1}]]}", "[null]"},
         {"{'u': [[{'a': 1}], {'a': 7}]}", "[null] [7]"},
         {"{'u': [{'a': [1, 2]}]}", "[1] [2]"},
         {"{'u': [{'a': [[1, 2]]}]}", "[[1, 2]]"},
         {"{'u': [{'a': []}, {'a': 3}]}", "[{'$undefined': true}] [3]"},
         {"{'u': {'a': []}}", "[{'$undefined': true}]"},
         {"{'u': {'a': [[]]}}", "[[]]"},
     }},
    {"{'key': {'u.a': 1}, 'sparse': true}",
     NULL,
     {
         {"{'u': []}", ""},
         {"{'u': [5]}", ""},
         {"{'u': null}", ""},
         {"{'u': [{'a': 1}, {}]}", "[1]"},
         {"{'u': {'a': []}}", "[{'$undefined': true}]"},
     }},
    {"{'key': {'u.a': 1, 'u.b': 1}}",
     NULL,
     {
         {"{'u': [{'a': 1, 'b': 2}, {'a': 3}]}", "[1, 2] [3, null]"},
         {"{'u': [{'a': [1, 2], 'b': 3}]}", "[1, 3] [2, 3]"},
         {"{'u': [{'a': [1, 2], 'b': [3]}]}", "171"},
         {"{'u': [{'a': 1}, {'b': [1, 2]}]}", "[1, null] [null, 1] [null, 2]"},
         {"{'u': [5, {'a': 1, 'b': 1}]}", "[null, null] [1, 1]"},
         {"{'u': [{'a': [1, 2]}, {'b': [3, 4]}]}", "[1, null] [2, null] [null, 3] [null, 4]"},
         {"{'u': [{'a': []}, {'b': []}]}",
          "[{'$undefined': true}, null] [null, {'$undefined': true}]"},
         {"{'u': [{'a': [], 'b': []}]}", "171"},
         {"{'u': []}", "[null, null]"},
     }},
    {"{'key': {'u': 1, 'v': 1}}",
     NULL,
     {
         {"{'u': [1, 2], 'v': [3]}", "171"},
         {"{'u': [], 'v': []}", "171"},
         {"{'u': [], 'v': 5}", "[{'$undefined': true}, 5]"},
         {"{'u': [1, 2], 'v': 5}", "[1, 5] [2, 5]"},
     }},
    {"{'key': {'u': 1, 'u.a': 1}}",
     NULL,
     {
         {"{'u': [{'a': 1}, {'a': 2}]}", "[{'a': 1}, 1] [{'a': 2}, 2]"},
         {"{'u': []}", "[{'$undefined': true}, null]"},
         {"{'u': [5]}", "[5, null]"},
     }},
    {"{'key': {'u.0': 1}}",
     NULL,
     {
         {"{'u': []}", "[null]"},
         {"{'u': [1, 2]}", "[1]"},
         {"{'u': [[]]}", "[{'$undefined': true}]"},
         {"{'u': [[1, 2]]}", "[[1, 2]]"},
         {"{'u': [[[1, 2]]]}", "[[[1, 2]]]"},
         {"{'u': [{'a': 1}]}", "[{'a': 1}]"},
         {"{'u': [{'0': 5}]}", "16746"},
         {"{'u': [7, {'0': 5}]}", "16746"},
         {"{'u': {'0': [1, 2]}}", "[1] [2]"},
         {"{'u': {'0': [[1, 2]]}}", "[[1, 2]]"},
     }},
    {"{'key': {'u.1': 1}}",
     NULL,
     {
         {"{'u': [1]}", "[null]"},
         {"{'u': [{'1': 3}]}", "[3]"},
         {"{'u': [{'1': 3}, 4]}", "16746"},
         {"{'u': [[1, 2]]}", "[null]"},
         {"{'u': [5, [1, 2]]}", "[[1, 2]]"},
         {"{'u': [{'1': [1, 2]}]}", "[1] [2]"},
     }},
    {"{'key': {'u.00': 1}}", NULL, {{"{'u': [1]}", "[null]"}, {"{'u': [{'00': 3}]}", "[3]"}}},
    {"{'key': {'u.4294967297': 1}}", NULL, {{"{'u': [1, 2]}", "[null] [null]"}}},
    {"{'key': {'u.0.a': 1}}",
     NULL,
     {
         {"{'u': [[]]}", "[null]"},
         {"{'u': [[{'a': 1}, 5]]}", "[1] [null]"},
         {"{'u': [[[{'a': 1}]]]}", "[null]"},
         {"{'u': [{'a': []}]}", "[{'$undefined': true}]"},
         {"{'u': [5, {'a': 1}]}", "[null]"},
         {"{'u': [{'0': {'a': 5}}]}", "16746"},
         {"{'u': [[{'a': [1, 2]}]]}", "[1] [2]"},
     }},
    {"{'key': {'u.0.1': 1}}",
     NULL,
     {
         {"{'u': [[1, 2]]}", "[2]"},
         {"{'u': [[[1, 2]]]}", "[null]"},
         {"{'u': [[{'1': 5}]]}", "[5]"},
         {"{'u': [{'1': 5}]}", "[5]"},
         {"{'u': [[4, [1, 2]]]}", "[[1, 2]]"},
         {"{'u': [[4, []]]}", "[{'$undefined': true}]"},
     }},
    {"{'key': {'u.0': 1, 'u.1': 1}}",
     NULL,
     {
         {"{'u': [1, 2]}", "[1, 2]"},
         {"{'u': [[1], 2]}", "[[1], 2]"},
         {"{'u': [[1], [2]]}", "171"},
         {"{'u': [[], []]}", "171"},
         {"{'u': [4]}", "[4, null]"},
     }},
    {"{'key': {'u.0': 1, 'u.a': 1}}",
     NULL,
     {
         {"{'u': [[1, 2], {'a': 2}]}", "[[1, 2], null] [[1, 2], 2]"},
         {"{'u': [[], {'a': 2}]}", "[{'$undefined': true}, null] [{'$undefined': true}, 2]"},
     }},
    {"{'key': {'u.0': 1, 'q': 1}}",
     NULL,
     {{"{'u': [1], 'q': [2]}", "171"}, {"{'u': [1]}", "[1, null]"}}},
    {"{'key': {'u.0.a': 1, 'u.1': 1}}",
     NULL,
     {
         {"{'u': [{'a': [1, 2]}, 3]}", "[1, 3] [2, 3]"},
         {"{'u': [{'a': [1, 2]}, [3]]}", "171"},
         {"{'u': [[{'a': 1}, {'a': 2}], 3]}", "[1, 3] [2, 3]"},
     }},
    {"{'key': {'h': 'hashed'}}",
     NULL,
     {
         {"{'h': {'a': [1]}}", "[{'$numberLong': '257246602315326777'}]"},
         {"{'h': 1.9}", "[{'$numberLong': '5902408780260971510'}]"},
         {"{'h': []}", "16766"},
     }},
    {"{'key': {'h.0': 'hashed', 'u': 1}}",
     NULL,
     {
         {"{'h': [1]}", "16766"},
         {"{'u': [1]}", "16766"},
     }},
    {"{'key': {'u': 1}}",
     "{'locale': 'en', 'strength': 2}",
     {
         {"{'u': 'a'}", "['a']"},
         {"{'u': {'$symbol': 'a'}}", "201"},
         {"{'u': [[{'$symbol': 'a'}]]}", "201"},
         {"{'u': {'a': [{'$symbol': 'a'}]}}", "201"},
         {"{'u': {'$code': 'f', '$scope': {'a': {'$symbol': 'a'}}}}",
          "[{'$code': 'f', '$scope': {'a': {'$symbol': 'a'}}}]"},
         {"{'v': {'$symbol': 'a'}}", "[null]"},
     }},
    /* The order in which faults are found. */
    {"{'key': {'p': 1, 'q': 1, 'x': 1}}",
     "{'locale': 'en'}",
     {{"{'x': {'$symbol': 'a'}, 'p': [1], 'q': [1]}", "171"}}},
    {"{'key': {'p.0': 1, 'x': 1}}",
     "{'locale': 'en'}",
     {
         {"{'x': {'$symbol': 'a'}, 'p': [1, {'0': 1}]}", "201"},
         {"{'x': {'$symbol': 'a'}, 'p': [{'0': 1}]}", "16746"},
         {"{'x': [1], 'p': [1, {'0': 1}]}", "171"},
     }},
    {"{'key': {'p.a': 1, 'p.b': 1}}",
     "{'locale': 'en'}",
     {
         {"{'p': [{'a': {'$symbol': 'a'}}, {'a': [1], 'b': [2]}]}", "201"},
         {"{'p': [{'a': [1], 'b': [2]}, {'a': {'$symbol': 'a'}}]}", "171"},
     }},
    {"{'key': {'p.0': 1, 'p.a': 1}}",
     "{'locale': 'en'}",
     {
         {"{'p': [{'$symbol': 'a'}, {'0': 1}]}", "201"},
         {"{'p': [1, {'a': {'$symbol': 'a'}, '0': 1}]}", "16746"},
     }},
    {"{'key': {'y': 1, 'p.0.a': 1, 'p.1.a': 1}}",
     "{'locale': 'en'}",
     {{"{'y': {'$symbol': 'a'}, 'p': [[1], [2]]}", "171"}}},
    {"{'key': {'u': 1}, 'collation': {'locale': 'simple'}}",
     "{'locale': 'en', 'strength': 2}",
     {{"{'u': {'$symbol': 'a'}}", "[{'$symbol': 'a'}]"}}},
    {"{'key': {'c': 'hashed', 'a': 1}, 'collation': {'locale': 'en'}}",
     NULL,
     {
         {"{'c': [{'$symbol': 'a'}]}", "16766"},
         {"{'c': {'$symbol': 'a'}, 'a': [1]}", "201"},
         {"{'a': [{'$symbol': 'a'}]}", "16766"},
     }},
};

/* The wanted text with its arrays of values as the documents that they are in keys_text. */
static char *wanted_text(const char *keys)
{
    bson_string_t *text = bson_string_new(NULL);
    char *holder = bson_strdup_printf("{'k': [%s]}", keys);
    if (keys[0] != '[') {
        bson_string_append(text, keys);
    } else {
        /* "[1] [2]" is no JSON: the spaces between keys become commas. */
        int depth = 0;
        for (char *at = holder; *at != '\0'; at++) {
            depth += (*at == '[' || *at == '{') - (*at == ']' || *at == '}');
            if (depth == 2 && *at == ' ' && at[-1] == ']')
                *at = ',';
        }
        bson_t *doc = sp_doc_from(holder);
        bson_iter_t iter, list;
        bool sound = bson_iter_init_find(&iter, doc, "k") && bson_iter_recurse(&iter, &list);
        for (unsigned i = 0; sound && bson_iter_next(&list); i++) {
            uint32_t size;
            const uint8_t *data;
            bson_t key;
            bson_iter_array(&list, &size, &data);
            assert_true(bson_init_static(&key, data, size));
            char *one = sp_text_of(&key);
            bson_string_append_printf(text, "%s%s", i == 0 ? "" : " ", one);
            bson_free(one);
        }
        bson_destroy(doc);
    }
    bson_free(holder);
    return bson_string_free(text, false);
}

static void test_keys(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(groups); i++) {
        sp_error_t error = {0};
        sp_keyed_index_t *index = index_from(groups[i].index, groups[i].collation, &error);
        if (index == NULL)
            fail_msg("%s: %s", groups[i].index, error.message);
        for (size_t j = 0; j < COUNT(groups[i].rows) && groups[i].rows[j].doc != NULL; j++) {
            bson_t *doc = sp_doc_from(groups[i].rows[j].doc);
            char *keys = keys_text(index, doc), *wanted = wanted_text(groups[i].rows[j].keys);
            if (strcmp(keys, wanted) != 0)
                fail_msg("%s %s: %s, not %s", groups[i].index, groups[i].rows[j].doc, keys, wanted);
            bson_free(wanted);
            bson_free(keys);
            bson_destroy(doc);
        }
        sp_keyed_index_free(index);
    }
}

static void test_partial(void **state)
{
    (void)state;
    bson_t *spec =
        sp_doc_from("{'key': {'u': 1}, 'partialFilterExpression': {'u': {'$gte': 'a'}}}");
    bson_t *collation = sp_doc_from("{'locale': 'en', 'strength': 2}");
    bson_t *in = sp_doc_from("{'u': 'B'}"), *out = sp_doc_from("{'u': 5}");
    sp_index_t index;
    assert_true(sp_index_read(spec, &index, NULL));
    for (unsigned collated = 0; collated < 2; collated++) {
        sp_keyed_index_t *keyed =
            sp_keyed_index_new(&index, collated != 0 ? collation : NULL, version, NULL);
        char *in_keys = keys_text(keyed, in), *out_keys = keys_text(keyed, out);
        assert_string_equal(out_keys, "");
        assert_string_equal(in_keys, collated != 0 ? "{'0': 'B'}" : "");
        bson_free(in_keys);
        bson_free(out_keys);
        sp_keyed_index_free(keyed);
    }
    bson_destroy(in);
    bson_destroy(out);
    bson_destroy(collation);
    bson_destroy(spec);
}

static bool meet(const char *spec, const char *a, const char *b)
{
    sp_keyed_index_t *index = index_from(spec, NULL, NULL);
    bson_t *a_doc = sp_doc_from(a), *b_doc = sp_doc_from(b);
    sp_index_keys_t a_keys = {0}, b_keys = {0};
    sp_arena_t arena;
    sp_arena_init(&arena);
    assert_true(sp_keyed_index_keys(index, NULL, &arena, a_doc, &a_keys, NULL));
    assert_true(sp_keyed_index_keys(index, NULL, &arena, b_doc, &b_keys, NULL));
    bool met = sp_keyed_index_meet(index, &a_keys, &b_keys);
    sp_arena_clear(&arena);
    bson_destroy(a_doc);
    bson_destroy(b_doc);
    sp_keyed_index_free(index);
    return met;
}

static void test_meet(void **state)
{
    (void)state;
    static const char plain[] = "{'key': {'u': 1}}";
    static const char folded[] = "{'key': {'u': 1}, 'collation': {'locale': 'en', 'strength': 1}}";
    assert_true(meet(plain, "{'u': 1}", "{'u': {'$numberDecimal': '1.00'}}"));
    assert_true(meet(plain, "{'u': 0}", "{'u': -0.0}"));
    assert_true(meet(plain, "{'u': [1, 2]}", "{'u': [2.0, 3]}"));
    assert_true(meet(plain, "{'u': 'a'}", "{'u': {'$symbol': 'a'}}"));
    assert_true(meet(plain, "{}", "{'u': null}"));
    assert_false(meet(plain, "{}", "{'u': []}"));
    assert_false(meet(plain, "{'u': 'a'}", "{'u': 'A'}"));
    assert_false(meet(plain, "{'u': {'a': 1, 'b': 1}}", "{'u': {'b': 1, 'a': 1}}"));
    assert_false(meet(plain, "{'u': 1}", "{'u': true}"));
    assert_true(meet(folded, "{'u': 'a'}", "{'u': 'A'}"));
    assert_true(meet(folded, "{'u': [['a']]}", "{'u': [['A']]}"));
    assert_true(meet(folded, "{'u': {'z': 'a'}}", "{'u': {'z': 'A'}}"));
    assert_false(meet(folded, "{'u': {'z': 'a'}}", "{'u': {'Z': 'a'}}"));
    assert_false(meet(folded, "{'u': {'$code': 'a'}}", "{'u': {'$code': 'A'}}"));
}

static void test_unknown(void **state)
{
    (void)state;
    static const char *const specs[] = {
        "{'key': {}}",
        "{'key': {'u': 'text'}}",
        "{'key': {'u': '2d'}}",
        "{'key': {'$**': 1}}",
        "{'key': {'u.$id': 1}}",
        "{'key': {'u..a': 1}}",
        "{'key': {'.u': 1}}",
        "{'key': {'u.': 1}}",
        "{'key': {'': 1}}",
        "{'key': {'u': null}}",
        "{'key': {'u': 1}, 'collation': {'locale': 'xx'}}",
        "{'key': {'u': 1}, 'collation': {'strength': 1}}",
    };
    for (size_t i = 0; i < COUNT(specs); i++) {
        sp_error_t error = {0};
        sp_keyed_index_t *index = index_from(specs[i], NULL, &error);
        if (index != NULL)
            fail_msg("accepted: %s", specs[i]);
        assert_int_equal(error.domain, SP_ERROR_INPUT);
    }
    sp_keyed_index_free(NULL);
}

static void test_many_fields(void **state)
{
    (void)state;
    bson_string_t *text = bson_string_new("{'key': {'u0': 1");
    for (unsigned i = 1; i < 32; i++)
        bson_string_append_printf(text, ", 'u%u': 1", i);
    char *fits = bson_strdup_printf("%s}}", text->str);
    char *does_not = bson_strdup_printf("%s, 'u32': 1}}", text->str);
    sp_keyed_index_t *index = index_from(fits, NULL, NULL);
    assert_non_null(index);
    assert_int_equal(sp_keyed_index_fields(index), 32);
    assert_null(index_from(does_not, NULL, NULL));
    sp_keyed_index_free(index);
    bson_free(fits);
    bson_free(does_not);
    bson_string_free(text, true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_keys),        cmocka_unit_test(test_partial),
        cmocka_unit_test(test_meet),        cmocka_unit_test(test_unknown),
        cmocka_unit_test(test_many_fields),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
