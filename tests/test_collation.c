/*
 * Collations: which are accepted, and which are the same.
 *
 * Asked with clusterFind and in explain on 6.0.5 and 6.0.27 (November 2026), which answer alike;
 * what is the same was read off `options.collation` in listCollections.
 */
#include "../oracles/collation.h"

#include "from_json.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const struct row {
    const char *collation;
    int32_t code; /* 0: accepted */
} rows[] = {
    {"{}", 0},
    {"{'locale': 'fr'}", 0},
    {"{'strength': 1, 'locale': 'fr'}", 0},
    {"{'locale': 'fr', 'caseLevel': true, 'caseFirst': 'upper', 'strength': 2, 'numericOrdering': "
     "true, 'alternate': 'shifted', 'maxVariable': 'space', 'normalization': true, 'backwards': "
     "true, 'version': '57.1'}",
     0},
    /* locales */
    {"{'locale': 'en_US_POSIX'}", 0},
    {"{'locale': 'de@collation=phonebook'}", 0},
    {"{'locale': 'de_AT@collation=phonebook'}", 0},
    {"{'locale': 'sv@collation=standard'}", 0},
    {"{'locale': 'sv@collation=search'}", 0},
    {"{'locale': 'sr_Latn@collation=emoji'}", 0},
    {"{'locale': 'zh'}", 0},
    {"{'locale': 'zh_Hant'}", 0},
    {"{'locale': 'zu'}", 0},
    {"{'locale': 'af'}", 0},
    {"{'locale': ''}", 2},
    {"{'locale': 'xx'}", 2},
    {"{'locale': 'FR'}", 2},
    {"{'locale': 'fr-CA'}", 2},
    {"{'locale': 'fr_FR'}", 2},
    {"{'locale': 'en_GB'}", 2},
    {"{'locale': 'root'}", 2},
    {"{'locale': 'fr\\u0000'}", 2},
    {"{'locale': 'simple\\u0000'}", 2},
    {"{'locale': 'Simple'}", 2},
    {"{'locale': 'de@collation=standard'}", 2},
    {"{'locale': 'de@collation=pinyin'}", 2},
    {"{'locale': 'xx@collation=search'}", 2},
    {"{'locale': 'de@'}", 2},
    {"{'locale': 1}", 14},
    {"{'locale': {'$symbol': 'fr'}}", 14},
    {"{'locale': null}", 40414},
    {"{'locale': {'$undefined': true}}", 40414},
    {"{'strength': 1}", 40414},
    /* strength */
    {"{'locale': 'fr', 'strength': 5}", 0},
    {"{'locale': 'fr', 'strength': null}", 0},
    {"{'locale': 'fr', 'strength': 5.9}", 0},
    {"{'locale': 'fr', 'strength': {'$numberDecimal': '0.6'}}", 0},
    {"{'locale': 'fr', 'strength': {'$numberDecimal': '5.4'}}", 0},
    {"{'locale': 'fr', 'strength': 0}", 2},
    {"{'locale': 'fr', 'strength': 0.9}", 2},
    {"{'locale': 'fr', 'strength': -0.5}", 2},
    {"{'locale': 'fr', 'strength': {'$numberDouble': 'NaN'}}", 2},
    {"{'locale': 'fr', 'strength': {'$numberDecimal': '0.5'}}", 2},
    {"{'locale': 'fr', 'strength': 6}", 51024},
    {"{'locale': 'fr', 'strength': -1}", 51024},
    {"{'locale': 'fr', 'strength': {'$numberDecimal': '5.5'}}", 51024},
    {"{'locale': 'fr', 'strength': {'$numberLong': '4294967297'}}", 51024},
    {"{'locale': 'fr', 'strength': {'$numberDouble': '-Infinity'}}", 51024},
    {"{'locale': 'fr', 'strength': '1'}", 14},
    {"{'locale': 'fr', 'strength': true}", 14},
    /* the other fields */
    {"{'locale': 'fr', 'caseLevel': null}", 0},
    {"{'locale': 'fr', 'caseLevel': 1}", 14},
    {"{'locale': 'fr', 'caseFirst': 'off'}", 0},
    {"{'locale': 'fr', 'caseFirst': 'x'}", 2},
    {"{'locale': 'fr', 'caseFirst': ''}", 2},
    {"{'locale': 'fr', 'caseFirst': 'off\\u0000'}", 2},
    {"{'locale': 'fr', 'caseFirst': 1}", 14},
    {"{'locale': 'fr', 'numericOrdering': 'x'}", 14},
    {"{'locale': 'fr', 'alternate': 'x'}", 2},
    {"{'locale': 'fr', 'alternate': 1}", 14},
    {"{'locale': 'fr', 'maxVariable': 'x'}", 2},
    {"{'locale': 'fr', 'maxVariable': 1}", 14},
    {"{'locale': 'fr', 'normalization': 'x'}", 14},
    {"{'locale': 'fr', 'backwards': 1}", 14},
    {"{'locale': 'fr', 'backwards': null}", 14},
    {"{'backwards': 1}", 14},
    {"{'locale': 'fr', 'version': null}", 0},
    {"{'locale': 'fr', 'version': '58'}", 161},
    {"{'locale': 'fr', 'version': ''}", 161},
    {"{'locale': 'fr', 'version': '57.1\\u0000'}", 161},
    {"{'locale': 'fr', 'version': 57.1}", 14},
    {"{'locale': 'fr', 'foo': 1}", 40415},
    {"{'locale': 'fr', 'foo': null}", 40415},
    {"{'locale': 'fr', '': 1}", 40415},
    {"{'locale': 'fr', 'Strength': 1}", 40415},
    {"{'locale': 'fr', 'locale': 'fr'}", 40413},
    {"{'locale': 'fr', 'strength': 1, 'strength': 1}", 40413},
    {"{'locale': 'fr', 'strength': null, 'strength': 1}", 0},
    {"{'locale': 'fr', 'backwards': true, 'backwards': true}", 40413},
    {"{'locale': 'fr', 'locale': 1}", 14},
    /* what does not go together */
    {"{'locale': 'fr', 'caseFirst': 'upper', 'strength': 2}", 2},
    {"{'locale': 'fr', 'caseFirst': 'off', 'strength': 1}", 0},
    {"{'locale': 'fr', 'caseFirst': 'lower', 'strength': 1, 'caseLevel': true}", 0},
    {"{'locale': 'fr', 'backwards': true, 'strength': 1}", 2},
    {"{'locale': 'fr', 'backwards': false, 'strength': 1}", 0},
    {"{'locale': 'fr_CA', 'strength': 1}", 2},
    {"{'locale': 'fr_CA', 'strength': 1, 'backwards': false}", 0},
    {"{'locale': 'fr_CA@collation=search', 'strength': 1}", 0},
    {"{'locale': 'da', 'strength': 2}", 2},
    {"{'locale': 'mt', 'strength': 1}", 2},
    {"{'locale': 'da', 'strength': 1, 'caseFirst': 'off'}", 0},
    {"{'locale': 'da', 'strength': 1, 'caseFirst': null}", 0},
    {"{'locale': 'da', 'strength': 1, 'caseFirst': {'$undefined': true}}", 0},
    {"{'locale': 'da', 'strength': 1, 'caseLevel': false}", 2},
    {"{'locale': 'da', 'strength': 1, 'caseLevel': true}", 0},
    {"{'locale': 'da@collation=search', 'strength': 1}", 0},
    /* beside "simple" only types and words count */
    {"{'locale': 'simple'}", 0},
    {"{'locale': 'simple', 'strength': 0}", 0},
    {"{'locale': 'simple', 'strength': 1, 'backwards': true, 'version': 'x'}", 0},
    {"{'locale': 'simple', 'strength': 9}", 51024},
    {"{'locale': 'simple', 'strength': 'x'}", 14},
    {"{'locale': 'simple', 'caseFirst': 'x'}", 2},
    {"{'locale': 'simple', 'foo': 1}", 40415},
    /* the first fault counts, and those of single fields before all others */
    {"{'foo': 1, 'strength': 9}", 40415},
    {"{'strength': 9, 'foo': 1}", 51024},
    {"{'locale': 'xx', 'foo': 1}", 40415},
    {"{'locale': 'xx', 'version': 'x'}", 2},
    {"{'locale': 'fr', 'version': 'x', 'strength': 0}", 2},
    {"{'locale': 'fr', 'version': 'x', 'strength': 1, 'backwards': true}", 161},
};

static void test_check(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        sp_error_t error = {0};
        bson_t *collation = sp_doc_from(rows[i].collation);
        bool ok = sp_collation_check(collation, &error);
        if (ok != (rows[i].code == 0) || error.code != rows[i].code)
            fail_msg("%s: %d, '%s'", rows[i].collation, (int)error.code, error.message);
        assert_int_equal(error.domain, ok ? SP_ERROR_NONE : SP_ERROR_RULE);
        assert_int_equal(sp_collation_check(collation, NULL), ok);
        bson_destroy(collation);
    }
    assert_true(sp_collation_check(NULL, NULL));
}

/* 6.0.5 and 6.0.27 refuse each after another one, and take it in a new process. */
static void test_fickle(void **state)
{
    (void)state;
    static const char *const collations[] = {
        "{'locale': 'zh@collation=stroke'}",      "{'locale': 'zh_Hant@collation=pinyin'}",
        "{'locale': 'root@collation=emoji'}",     "{'locale': 'de@collation=search'}",
        "{'locale': 'bs_Cyrl@collation=search'}",
    };
    for (size_t i = 0; i < COUNT(collations); i++) {
        sp_error_t error = {0};
        bson_t *collation = sp_doc_from(collations[i]);
        assert_false(sp_collation_check(collation, &error));
        assert_int_equal(error.domain, SP_ERROR_INPUT);
        bson_destroy(collation);
    }
}

static void test_simple(void **state)
{
    (void)state;
    static const struct {
        const char *collation;
        bool simple;
    } cases[] = {
        {"{}", true},
        {"{'locale': 'simple'}", true},
        {"{'strength': 1, 'locale': 'simple'}", true},
        {"{'locale': 'fr'}", false},
        {"{'locale': 'en_US_POSIX'}", false},
    };
    assert_true(sp_collation_is_simple(NULL));
    for (size_t i = 0; i < COUNT(cases); i++) {
        bson_t *collation = sp_doc_from(cases[i].collation);
        assert_int_equal(sp_collation_is_simple(collation), cases[i].simple);
        bson_destroy(collation);
    }
}

static const struct pair {
    const char *a, *b;
    bool same;
} pairs[] = {
    {"{'locale': 'fr'}", "{'locale': 'fr'}", true},
    {"{'locale': 'fr'}",
     "{'version': '57.1', 'backwards': false, 'normalization': false, 'maxVariable': 'punct', "
     "'alternate': 'non-ignorable', 'numericOrdering': false, 'strength': 3, 'caseFirst': 'off', "
     "'caseLevel': false, 'locale': 'fr'}",
     true},
    {"{'locale': 'fr'}", "{'locale': 'fr', 'strength': null}", true},
    {"{'locale': 'fr', 'strength': 2}", "{'locale': 'fr', 'strength': 2.7}", true},
    {"{'locale': 'fr', 'strength': 4}", "{'locale': 'fr', 'strength': {'$numberDecimal': '3.5'}}",
     true},
    {"{'locale': 'fr_CA'}", "{'locale': 'fr_CA', 'backwards': true}", true},
    {"{'locale': 'da'}", "{'locale': 'da', 'caseFirst': 'off'}", true},
    {"{'locale': 'simple'}", "{}", true},
    {"{'locale': 'simple', 'strength': 1}", "{'locale': 'simple', 'strength': 2}", true},
    {"{'locale': 'simple'}", "{'locale': 'fr'}", false},
    {"{}", "{'locale': 'en_US_POSIX'}", false},
    {"{'locale': 'fr'}", "{'locale': 'fr_CA'}", false},
    {"{'locale': 'en'}", "{'locale': 'en_US'}", false},
    {"{'locale': 'fr_CA'}", "{'locale': 'fr_CA', 'backwards': false}", false},
    {"{'locale': 'da'}", "{'locale': 'da', 'caseFirst': 'upper'}", false},
    {"{'locale': 'fr'}", "{'locale': 'fr', 'strength': 2}", false},
    {"{'locale': 'fr'}", "{'locale': 'fr', 'caseLevel': true}", false},
    {"{'locale': 'fr'}", "{'locale': 'fr', 'caseFirst': 'lower'}", false},
    {"{'locale': 'fr'}", "{'locale': 'fr', 'numericOrdering': true}", false},
    {"{'locale': 'fr'}", "{'locale': 'fr', 'alternate': 'shifted'}", false},
    {"{'locale': 'fr'}", "{'locale': 'fr', 'maxVariable': 'space'}", false},
    {"{'locale': 'fr'}", "{'locale': 'fr', 'normalization': true}", false},
    {"{'locale': 'fr'}", "{'locale': 'fr', 'backwards': true}", false},
};

static void test_same(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(pairs); i++) {
        bson_t *a = sp_doc_from(pairs[i].a), *b = sp_doc_from(pairs[i].b);
        if (sp_collation_same(a, b) != pairs[i].same || sp_collation_same(b, a) != pairs[i].same)
            fail_msg("%s and %s: not %d", pairs[i].a, pairs[i].b, pairs[i].same);
        assert_true(sp_collation_same(a, a));
        assert_int_equal(sp_collation_same(NULL, b), sp_collation_is_simple(b));
        bson_destroy(a);
        bson_destroy(b);
    }
    assert_true(sp_collation_same(NULL, NULL));
}

static void test_concerns(void **state)
{
    (void)state;
    assert_true(sp_collation_concerns(BSON_TYPE_UTF8));
    assert_false(sp_collation_concerns(BSON_TYPE_SYMBOL));
    assert_true(sp_collation_concerns(BSON_TYPE_DOCUMENT));
    assert_true(sp_collation_concerns(BSON_TYPE_ARRAY));
    assert_false(sp_collation_concerns(BSON_TYPE_INT32));
    assert_false(sp_collation_concerns(BSON_TYPE_NULL));
    assert_false(sp_collation_concerns(BSON_TYPE_REGEX));
    assert_false(sp_collation_concerns(BSON_TYPE_CODE));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_check),    cmocka_unit_test(test_fickle),
        cmocka_unit_test(test_simple),   cmocka_unit_test(test_same),
        cmocka_unit_test(test_concerns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
