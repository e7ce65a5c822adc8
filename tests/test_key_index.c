/* What 6.0.5 and 6.0.27 answered to shardCollection beside such indexes. */
#include "../oracles/index_multikey.h"
#include "../oracles/key_index.h"

#include "from_json.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static const sp_version_t newest = {6, 0, 27};

#define COUNT(array) (sizeof(array) / sizeof *(array))

static const struct fit {
    const char *key, *index;
    bool looks_fit, serves;
} fits[] = {
    {"{'x': 1}", "{'key': {'x': 1}}", true, true},
    {"{'x': 1}", "{'key': {'x': 1.0}}", true, true},
    {"{'x': 1}", "{'key': {'x': {'$numberLong': '1'}}}", true, true},
    {"{'x': 1}", "{'key': {'x': {'$numberDecimal': '1.00'}}}", true, true},
    {"{'x': 1}", "{'key': {'x': 1.5}}", false, false},
    {"{'x': 1.5}", "{'key': {'x': 1.5}}", true, true},
    {"{'x': 1}", "{'key': {'x': 2}}", false, false},
    {"{'x': 1}", "{'key': {'x': -1}}", false, false},
    {"{'x': 1}", "{'key': {'x': 'hashed'}}", false, false},
    {"{'x': 1}", "{'key': {'x': 'text'}}", false, false},
    {"{'x': 1}", "{'key': {'y': 1, 'x': 1}}", false, false},
    {"{'x': 1}", "{'key': {'x': 1, 'y': -1}}", true, true},
    {"{'x': 1}", "{'key': {'x': 1, 'y': 'hashed'}}", true, true},
    {"{'x': 1}", "{'key': {'x': 1, 'g': '2dsphere'}}", true, true},
    {"{'x': 1, 'y': 1}", "{'key': {'x': 1}}", false, false},
    {"{'x': 1, 'y': 1}", "{'key': {'y': 1, 'x': 1}}", false, false},
    {"{'x': 'hashed'}", "{'key': {'x': 'hashed'}}", true, true},
    {"{'x': 'hashed'}", "{'key': {'x': 1}}", false, false},
    {"{'x': 1}", "{'key': {'x': 1}, 'unique': true}", true, true},
    {"{'x': 1}", "{'key': {'x': 1}, 'prepareUnique': true}", true, true},
    {"{'x': 1}", "{'key': {'x': 1}, 'expireAfterSeconds': 5}", true, true},
    {"{'x': 1}", "{'key': {'x': 1}, 'sparse': true}", false, false},
    {"{'x': 1}", "{'key': {'x': 1}, 'hidden': true}", true, false},
    {"{'x': 1}", "{'key': {'x': 1}, 'partialFilterExpression': {}}", true, false},
    {"{'x': 1}", "{'key': {'x': 1}, 'collation': {'locale': 'en'}}", false, false},
    {"{'x': 1}", "{'key': {'x': 1}, 'collation': {'locale': 'simple'}}", true, true},
};

static void test_fits(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(fits); i++) {
        bson_t *key = sp_doc_from(fits[i].key), *spec = sp_doc_from(fits[i].index);
        sp_index_t index;
        assert_true(sp_index_read(spec, &index, NULL));
        if (sp_key_index_looks_fit(&index, key, false) != fits[i].looks_fit ||
            sp_key_index_serves(&index, false, key, newest) != fits[i].serves)
            fail_msg("%s for %s", fits[i].index, fits[i].key);
        assert_int_equal(sp_key_index_looks_fit(&index, key, true),
                         fits[i].looks_fit && bson_count_keys(&index.key) == bson_count_keys(key));
        assert_false(sp_key_index_serves(&index, true, key, newest));
        bson_destroy(key);
        bson_destroy(spec);
    }
}

static const struct unique {
    const char *key, *index;
    bool fits;
} uniques[] = {
    {"{'x': 1}", "{'x': 1}", true},
    {"{'x': 1}", "{'x': -1}", true},
    {"{'x': 1}", "{'x': 2, 'y': 1}", true},
    {"{'x': 'hashed'}", "{'x': 1}", true},
    {"{'x': 1, 'y': 'hashed'}", "{'x': 1, 'y': '2dsphere'}", true},
    {"{'x': 1, 'y': 1}", "{'x': 1, 'y': 1, 'z': 1}", true},
    {"{'x': 1}", "{'y': 1}", false},
    {"{'x': 1}", "{'y': 1, 'x': 1}", false},
    {"{'x': 1, 'y': 1}", "{'x': 1}", false},
    {"{'x': 1, 'y': 1}", "{'y': 1, 'x': 1}", false},
    {"{'x': 1, 'y': 1}", "{'x': 1, 'z': 1, 'y': 1}", false},
    {"{'a.b': 1}", "{'a': 1}", false},
    {"{'a': 1}", "{'a.b': 1}", false},
    /* what begins with _id is let pass, whatever follows */
    {"{'x': 1}", "{'_id': 1, 'y': 1}", true},
    {"{'x': 1}", "{'_id': -1, 'y': 1}", true},
    {"{'x': 1}", "{'_id': '2dsphere'}", true},
    {"{'x': 1}", "{'_id.a': 1}", false},
    {"{'_id': 1}", "{'x': 1, '_id': 1}", false},
    {"{'x': 1}", "{}", false},
};

static void test_uniques(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(uniques); i++) {
        bson_t *key = sp_doc_from(uniques[i].key), *index = sp_doc_from(uniques[i].index);
        if (sp_key_index_unique_fits(index, key, newest) != uniques[i].fits)
            fail_msg("%s under %s", uniques[i].index, uniques[i].key);
        bson_destroy(key);
        bson_destroy(index);
    }
}

static const struct multikey {
    const char *index, *doc;
    bool is_multikey;
} multikeys[] = {
    {"{'x': 1}", "{'x': 1}", false},
    {"{'x': 1}", "{}", false},
    {"{'x': 1}", "{'x': [1]}", true},
    {"{'x': 1}", "{'x': []}", true},
    {"{'x': 1}", "{'x': {'a': [1]}}", false},
    {"{'x': 1, 'y': 1}", "{'x': 1, 'y': [1]}", true},
    {"{'x': 1, 'g': '2dsphere'}", "{'x': [1]}", true},
    {"{'a.b': 1}", "{'a': [{'b': 1}]}", true},
    {"{'a.b': 1}", "{'a': []}", true},
    {"{'a.b': 1}", "{'a': [1]}", true},
    {"{'a.b': 1}", "{'a': [[{'b': 1}]]}", true},
    {"{'a.b': 1}", "{'a': {'b': {'c': [1]}}}", false},
    {"{'a.b': 1}", "{'a': 5}", false},
    {"{'a.0': 1}", "{'a': [1, 2]}", false},
    {"{'a.0': 1}", "{'a': [[1, 2]]}", false},
    {"{'a.0': 1}", "{'a': [[]]}", false},
    {"{'a.0': 1}", "{'a': []}", true},
    {"{'a.1': 1}", "{'a': [1]}", true},
    {"{'a.00': 1}", "{'a': [1]}", true},
    {"{'a.99999999': 1}", "{'a': [1]}", true},
    {"{'a.0': 1}", "{'a': {'0': 1}}", false},
    {"{'a.0': 1}", "{'a': {'0': [1]}}", true},
    {"{'0': 1}", "{'0': [1]}", true},
    {"{'a.0.b': 1}", "{'a': [{'b': 1}]}", false},
    {"{'a.0.b': 1}", "{'a': [{'b': [1]}]}", true},
    {"{'a.0.b': 1}", "{'a': [5]}", false},
    {"{'a.b.0': 1}", "{'a': {'b': [3]}}", false},
    {"{'a.0.0': 1}", "{'a': [[1]]}", false},
    {"{'x': 1, 't': 'text'}", "{'x': 1, 't': 'foo'}", false},
    {"{'x': 1, 't': 'text'}", "{'x': 1, 't': 'foo bar'}", true},
    {"{'x': 1, 't': 'text'}", "{'x': 1}", false},
    {"{'x': 1, 't': 'text'}", "{'x': 1, 't': 5}", false},
};

static void test_multikeys(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(multikeys); i++) {
        bson_t *index = sp_doc_from(multikeys[i].index), *doc = sp_doc_from(multikeys[i].doc);
        if (sp_index_multikey(index, doc) != multikeys[i].is_multikey)
            fail_msg("%s over %s", multikeys[i].index, multikeys[i].doc);
        bson_destroy(index);
        bson_destroy(doc);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fits),
        cmocka_unit_test(test_uniques),
        cmocka_unit_test(test_multikeys),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
