/* Strings by a collation, and what it does to the values of $in. */
#include "../oracles/collator.h"
#include "../oracles/filter_normal.h"
#include "../oracles/order.h"
#include "from_json.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static int order_of(const char *collation, const char *a, const char *b)
{
    sp_error_t error = {0};
    bson_t *document = sp_doc_from(collation);
    sp_collator_t *collator = sp_collator_new(document, &error);
    assert_non_null(collator);
    int order = sp_collator_compare(collator, a, (uint32_t)strlen(a), b, (uint32_t)strlen(b));
    size_t a_size, b_size;
    char *a_key = sp_collator_key(collator, a, (uint32_t)strlen(a), &a_size);
    char *b_key = sp_collator_key(collator, b, (uint32_t)strlen(b), &b_size);
    bool same = a_size == b_size && memcmp(a_key, b_key, a_size) == 0;
    assert_int_equal(same, order == 0);
    bson_free(a_key);
    bson_free(b_key);
    sp_collator_free(collator);
    bson_destroy(document);
    return order;
}

static void test_each_setting_is_heeded(void **state)
{
    (void)state;
    static const struct row {
        const char *collation, *a, *b;
        int order;
    } rows[] = {
        {"{'locale': 'en'}", "a", "A", -1},
        {"{'locale': 'en'}", "A", "b", -1},
        {"{'locale': 'en', 'strength': 2}", "a", "A", 0},
        {"{'locale': 'en', 'strength': 2}", "a", "\u00e1", -1},
        {"{'locale': 'en', 'strength': 1}", "a", "\u00e1", 0},
        {"{'locale': 'en', 'strength': 1, 'caseLevel': true}", "a", "A", -1},
        {"{'locale': 'en', 'caseFirst': 'upper'}", "a", "A", 1},
        {"{'locale': 'en', 'caseFirst': 'off'}", "a", "A", -1},
        {"{'locale': 'en'}", "10", "2", -1},
        {"{'locale': 'en', 'numericOrdering': true}", "10", "2", 1},
        {"{'locale': 'en'}", "a b", "ab", -1},
        {"{'locale': 'en', 'alternate': 'shifted'}", "a b", "ab", 0},
        {"{'locale': 'en', 'alternate': 'shifted', 'maxVariable': 'space'}", "a-b", "ab", -1},
        {"{'locale': 'fr'}", "cot\u00e9", "c\u00f4te", -1},
        {"{'locale': 'fr', 'backwards': true}", "cot\u00e9", "c\u00f4te", 1},
        {"{'locale': 'sv'}", "z", "\u00f6", -1},
        {"{'locale': 'de'}", "z", "\u00f6", 1},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_int_equal(order_of(rows[i].collation, rows[i].a, rows[i].b), rows[i].order);
        assert_int_equal(order_of(rows[i].collation, rows[i].b, rows[i].a), -rows[i].order);
    }
}

static void test_what_is_no_utf8_can_be_compared(void **state)
{
    (void)state;
    assert_int_equal(order_of("{'locale': 'en'}", "\xc2", "\xc2"), 0);
    assert_int_equal(order_of("{'locale': 'en'}", "a\xc2", "b"), -1);
}

static void test_without_a_locale_there_is_no_collator(void **state)
{
    (void)state;
    sp_error_t error = {0};
    bson_t *collation = sp_doc_from("{'strength': 2}");
    assert_null(sp_collator_new(collation, &error));
    assert_int_equal(error.domain, SP_ERROR_INPUT);
    bson_destroy(collation);
}

/* The first of the values that are equal under {locale: "en", strength: 2} and how many are left of
 * {x: {$in: …}}; under `collation` NULL by bytes. */
static unsigned values_left(const char *filter_json, const char *collation_json, bson_type_t *first)
{
    sp_arena_t arena;
    sp_error_t error = {0};
    sp_arena_init(&arena);
    bson_t *filter = sp_doc_from(filter_json);
    sp_collator_t *collator = NULL;
    if (collation_json != NULL) {
        bson_t *collation = sp_doc_from(collation_json);
        collator = sp_collator_new(collation, &error);
        assert_non_null(collator);
        bson_destroy(collation);
    }
    const sp_version_t version = {6, 0, 5};
    sp_node_t *root = sp_filter_parse(&arena, version, filter, &error);
    assert_non_null(root);
    const sp_strings_t strings = {.simple = collator == NULL, .collator = collator};
    root = sp_filter_normalize(&arena, version, &strings, root);
    unsigned count = root->kind == SP_NODE_EQ ? 1 : root->value_count;
    *first = root->kind == SP_NODE_EQ ? root->value.type : root->values[0].type;
    sp_collator_free(collator);
    bson_destroy(filter);
    sp_arena_clear(&arena);
    return count;
}

/* From 6.0.5: under {x: 1}, {x: {$in: [Symbol(""), "\0"]}} with {locale: "en"} reaches one shard,
 * as the symbol alone does, and with the string first all, as strings under a collation do. */
static void test_in_counts_what_the_collation_holds_for_equal_once(void **state)
{
    (void)state;
    static const char symbol_first[] = "{'x': {'$in': [{'$symbol': ''}, '\\u0001']}}";
    static const char string_first[] = "{'x': {'$in': ['\\u0001', {'$symbol': ''}]}}";
    static const char english[] = "{'locale': 'en'}";
    bson_type_t first;
    assert_int_equal(values_left(symbol_first, english, &first), 1);
    assert_int_equal(first, BSON_TYPE_SYMBOL);
    assert_int_equal(values_left(string_first, english, &first), 1);
    assert_int_equal(first, BSON_TYPE_UTF8);
    assert_int_equal(values_left(symbol_first, NULL, &first), 2);

    static const char nested[] = "{'x': {'$in': [{'a': ['b']}, {'a': ['B']}, 1]}}";
    assert_int_equal(values_left(nested, "{'locale': 'en', 'strength': 2}", &first), 2);
    assert_int_equal(values_left(nested, english, &first), 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_setting_is_heeded),
        cmocka_unit_test(test_what_is_no_utf8_can_be_compared),
        cmocka_unit_test(test_without_a_locale_there_is_no_collator),
        cmocka_unit_test(test_in_counts_what_the_collation_holds_for_equal_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
