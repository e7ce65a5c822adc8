/*
 * The shard key value of a document.
 *
 * Which documents are refused, and that the others are not, was asked on 6.0.5 and 6.0.27 by
 * inserting them through the router (November 2026).
 */
#include "../oracles/extract.h"

#include "from_json.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* `key` is NULL where the document is refused with 61. */
static const struct row {
    const char *pattern, *doc, *key;
} rows[] = {
    {"{'x': 1}", "{'x': 5}", "{'x': 5}"},
    {"{'x': 1}", "{}", "{'x': null}"},
    {"{'x': 1}", "{'y': 5}", "{'x': null}"},
    {"{'x': 1}", "{'x': null}", "{'x': null}"},
    {"{'x': 1}", "{'x': {'$undefined': true}}", "{'x': {'$undefined': true}}"},
    {"{'x': 1}", "{'x': {'a': [1]}}", "{'x': {'a': [1]}}"},
    {"{'x': 1}", "{'x': {'$maxKey': 1}}", "{'x': {'$maxKey': 1}}"},
    {"{'x': 1}", "{'x': {'$regularExpression': {'pattern': 'a', 'options': ''}}}",
     "{'x': {'$regularExpression': {'pattern': 'a', 'options': ''}}}"},
    {"{'x': 1}", "{'x': []}", NULL},
    {"{'x': 1}", "{'x': [1]}", NULL},
    /* the first field of a name counts */
    {"{'x': 1}", "{'x': 1, 'x': 2}", "{'x': 1}"},
    {"{'x': 1}", "{'x': 1, 'x': []}", "{'x': 1}"},
    {"{'x': 1}", "{'x': [], 'x': 1}", NULL},
    /* paths */
    {"{'a.b': 1}", "{'a': {'b': 5}}", "{'a.b': 5}"},
    {"{'a.b': 1}", "{'a': {'c': 5}}", "{'a.b': null}"},
    {"{'a.b': 1}", "{}", "{'a.b': null}"},
    {"{'a.b': 1}", "{'a': 5}", "{'a.b': null}"},
    {"{'a.b': 1}", "{'a': null}", "{'a.b': null}"},
    {"{'a.b': 1}", "{'a': 'b'}", "{'a.b': null}"},
    {"{'a.b': 1}", "{'a.b': 5}", "{'a.b': null}"},
    {"{'a.b': 1}", "{'a': {'$code': 'f', '$scope': {'b': 1}}}", "{'a.b': null}"},
    {"{'a.b': 1}", "{'a': [{'b': 5}]}", NULL},
    {"{'a.b': 1}", "{'a': []}", NULL},
    {"{'a.b': 1}", "{'a': {'b': []}}", NULL},
    {"{'a.b': 1}", "{'a': {'c': 1}, 'a': {'b': 1}}", "{'a.b': null}"},
    {"{'a.b': 1}", "{'a': {'b': 1}, 'a': [{'b': 1}]}", "{'a.b': 1}"},
    {"{'a.b': 1}", "{'a': {'b': 1, 'b': []}}", "{'a.b': 1}"},
    {"{'a.b.c': 1}", "{'a': {'b': {'c': {'d': 1}}}}", "{'a.b.c': {'d': 1}}"},
    {"{'a.b.c': 1}", "{'a': {'b': [{'c': 1}]}}", NULL},
    {"{'a.b.c': 1}", "{'a': {'b': 7}}", "{'a.b.c': null}"},
    {"{'a.0': 1}", "{'a': [1]}", NULL},
    {"{'a.0': 1}", "{'a': {'0': 1}}", "{'a.0': 1}"},
    /* many fields, in the pattern's sequence and not the document's */
    {"{'x': 1, 'y': 1}", "{'y': 2, 'x': 1}", "{'x': 1, 'y': 2}"},
    {"{'x': 1, 'y': 1}", "{'y': 2}", "{'x': null, 'y': 2}"},
    {"{'x': 1, 'y': 1}", "{'x': 1, 'y': []}", NULL},
    {"{'a.b': 1, 'a.c': 1}", "{'a': {'c': 1, 'b': 2}}", "{'a.b': 2, 'a.c': 1}"},
    {"{'a': 1, 'a.b': 1}", "{'a': {'b': 2}}", "{'a': {'b': 2}, 'a.b': 2}"},
    {"{'a': 1, 'a.b': 1}", "{'a': 1}", "{'a': 1, 'a.b': null}"},
    {"{'a': 1, 'a.b': 1}", "{'a': {'b': []}}", NULL},
    {"{'_id': 1}", "{'_id': {'a': 1}}", "{'_id': {'a': 1}}"},
    /* hashes as in tests/test_hash.c */
    {"{'x': 'hashed'}", "{'x': {'$numberInt': '1'}}",
     "{'x': {'$numberLong': '5902408780260971510'}}"},
    {"{'x': 'hashed'}", "{'x': {'$numberDouble': '1.0'}}",
     "{'x': {'$numberLong': '5902408780260971510'}}"},
    {"{'x': 'hashed'}", "{}", "{'x': {'$numberLong': '2338878944348059895'}}"},
    {"{'x': 'hashed'}", "{'x': null}", "{'x': {'$numberLong': '2338878944348059895'}}"},
    {"{'x': 'hashed'}", "{'x': {'$maxKey': 1}}", "{'x': {'$numberLong': '5504842513779440750'}}"},
    {"{'x': 'hashed'}", "{'x': []}", NULL},
    {"{'x': 'hashed'}", "{'x': 1, 'x': []}", "{'x': {'$numberLong': '5902408780260971510'}}"},
    {"{'y': 1, 'a.b': 'hashed', 'z': 1}", "{'a': {'b': {'$numberInt': '1'}}, 'y': 'q'}",
     "{'y': 'q', 'a.b': {'$numberLong': '5902408780260971510'}, 'z': null}"},
    {"{'y': 1, 'a.b': 'hashed'}", "{'a': [], 'y': 'q'}", NULL},
};

static void check_row(const struct row *row, sp_hasher_t *hasher)
{
    sp_error_t error = {0};
    bson_t *pattern_doc = sp_doc_from(row->pattern), *doc = sp_doc_from(row->doc);
    sp_pattern_t *pattern = sp_pattern_new(pattern_doc, NULL);
    assert_non_null(pattern);
    bson_t key = BSON_INITIALIZER;
    bool ok = sp_extract_key(pattern, hasher, doc, &key, &error);
    if (ok != (row->key != NULL))
        fail_msg("%s of %s is %s", row->pattern, row->doc, ok ? "taken" : "refused");
    if (ok) {
        bson_t *wanted = sp_doc_from(row->key);
        char *text = sp_text_of(&key);
        if (!bson_equal(wanted, &key))
            fail_msg("%s of %s is %s", row->pattern, row->doc, text);
        bson_free(text);
        bson_destroy(wanted);
    } else {
        assert_int_equal(error.domain, SP_ERROR_RULE);
        assert_int_equal(error.code, 61);
        assert_non_null(strstr(error.message, "array at or above the shard key field '"));
    }
    bson_destroy(&key);
    sp_pattern_free(pattern);
    bson_destroy(doc);
    bson_destroy(pattern_doc);
}

static void test_keys(void **state)
{
    (void)state;
    sp_hasher_t *hasher = sp_hasher_new(NULL);
    assert_non_null(hasher);
    for (size_t i = 0; i < COUNT(rows); i++)
        check_row(&rows[i], hasher);
    sp_hasher_free(hasher);
}

static void test_message_names_the_field(void **state)
{
    (void)state;
    sp_error_t error = {0};
    sp_hasher_t *hasher = sp_hasher_new(NULL);
    bson_t *pattern_doc = sp_doc_from("{'x': 1, 'a.b': 1}"), *doc = sp_doc_from("{'a': []}");
    sp_pattern_t *pattern = sp_pattern_new(pattern_doc, NULL);
    bson_t key = BSON_INITIALIZER;
    assert_false(sp_extract_key(pattern, hasher, doc, &key, &error));
    assert_string_equal(error.message, "there is an array at or above the shard key field 'a.b'");
    assert_false(sp_extract_key(pattern, hasher, doc, &key, NULL));
    bson_destroy(&key);
    sp_pattern_free(pattern);
    bson_destroy(doc);
    bson_destroy(pattern_doc);
    sp_hasher_free(hasher);
}

static void test_path(void **state)
{
    (void)state;
    bson_t *pattern_doc = sp_doc_from("{'a.b': 1}");
    sp_pattern_t *pattern = sp_pattern_new(pattern_doc, NULL);
    static const struct {
        const char *doc;
        bson_type_t type;
    } found[] = {
        {"{'a': {'b': {'$numberInt': '1'}}}", BSON_TYPE_INT32},
        {"{'a': {'b': []}}", BSON_TYPE_ARRAY},
        {"{'a': [1]}", BSON_TYPE_ARRAY},
        {"{'a': {}}", BSON_TYPE_EOD},
        {"{'a': 1}", BSON_TYPE_EOD},
        {"{}", BSON_TYPE_EOD},
    };
    for (size_t i = 0; i < COUNT(found); i++) {
        bson_t *doc = sp_doc_from(found[i].doc);
        sp_value_t value = sp_extract_path(doc, &pattern->fields[0]);
        assert_int_equal(value.type, found[i].type);
        assert_true(value.type != BSON_TYPE_EOD || value.size == 0);
        bson_destroy(doc);
    }
    sp_pattern_free(pattern);
    bson_destroy(pattern_doc);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_keys),
        cmocka_unit_test(test_message_names_the_field),
        cmocka_unit_test(test_path),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
