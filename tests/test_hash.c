/*
 * Hashed index values against those of real servers.
 *
 * All hashes in the tables are what $toHashedIndexKey gave on 6.0.5 and on 6.0.27, which agreed on
 * each of them (asked in November 2026, values sent as the bytes that the texts here stand for).
 */
#include "../oracles/hash.h"

#include "../fuzzers/gen_value.h"
#include "from_json.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

typedef struct hash_row {
    const char *value;
    int64_t hash;
} hash_row_t;

static const hash_row_t integers[] = {
    {"{'$numberInt': '0'}", INT64_C(4854801880128277513)},
    {"{'$numberInt': '1'}", INT64_C(5902408780260971510)},
    {"{'$numberInt': '-1'}", INT64_C(1140205862565771219)},
    {"{'$numberInt': '2147483647'}", INT64_C(1143184177162245883)},
    {"{'$numberInt': '-2147483648'}", INT64_C(6165898260261354870)},
    {"{'$numberLong': '2147483648'}", INT64_C(-6026746251351052787)},
    {"{'$numberLong': '4294967296'}", INT64_C(890332835440824946)},
    {"{'$numberLong': '9007199254740992'}", INT64_C(-4751030678854255901)},
    {"{'$numberLong': '9007199254740993'}", INT64_C(-4223421864049415010)},
    {"{'$numberLong': '9223372036854775807'}", INT64_C(921523596458303250)},
    {"{'$numberLong': '-9223372036854775808'}", INT64_C(4532067210535695462)},
};

static const hash_row_t doubles[] = {
    {"{'$numberDouble': '0.0'}", INT64_C(4854801880128277513)},
    {"{'$numberDouble': '-0.0'}", INT64_C(4854801880128277513)},
    {"{'$numberDouble': '1.0'}", INT64_C(5902408780260971510)},
    {"{'$numberDouble': '0.5'}", INT64_C(4854801880128277513)},
    {"{'$numberDouble': '-0.5'}", INT64_C(4854801880128277513)},
    {"{'$numberDouble': '1.9999999999999998'}", INT64_C(5902408780260971510)},
    {"{'$numberDouble': '2.5'}", INT64_C(848411777775835583)},
    {"{'$numberDouble': '3.5'}", INT64_C(-1529429926180645992)},
    {"{'$numberDouble': '-1.5'}", INT64_C(1140205862565771219)},
    {"{'$numberDouble': '4.94065645841247e-324'}", INT64_C(4854801880128277513)},
    {"{'$numberDouble': '2.2250738585072014e-308'}", INT64_C(4854801880128277513)},
    {"{'$numberDouble': '4294967296.5'}", INT64_C(890332835440824946)},
    {"{'$numberDouble': '9007199254740992.0'}", INT64_C(-4751030678854255901)},
    {"{'$numberDouble': '9223372036854774784.0'}", INT64_C(-5819673466895598527)},
    {"{'$numberDouble': '9223372036854775808.0'}", INT64_C(4532067210535695462)},
    {"{'$numberDouble': '9223372036854777856.0'}", INT64_C(921523596458303250)},
    {"{'$numberDouble': '-9223372036854775808.0'}", INT64_C(4532067210535695462)},
    {"{'$numberDouble': '-9223372036854777856.0'}", INT64_C(4532067210535695462)},
    {"{'$numberDouble': '1e+300'}", INT64_C(921523596458303250)},
    {"{'$numberDouble': '-1e+300'}", INT64_C(4532067210535695462)},
    {"{'$numberDouble': 'Infinity'}", INT64_C(921523596458303250)},
    {"{'$numberDouble': '-Infinity'}", INT64_C(4532067210535695462)},
    {"{'$numberDouble': 'NaN'}", INT64_C(4854801880128277513)},
    {"{'$raw': {'type': '01', 'base64': 'AQAAAAAA8H8='}}", INT64_C(4854801880128277513)},
    {"{'$raw': {'type': '01', 'base64': 'AAAAAAAA+P8='}}", INT64_C(4854801880128277513)},
    {"{'$raw': {'type': '01', 'base64': '//////////8='}}", INT64_C(4854801880128277513)},
};

static const hash_row_t decimals[] = {
    {"{'$numberDecimal': '0'}", INT64_C(4854801880128277513)},
    {"{'$numberDecimal': '-0'}", INT64_C(4854801880128277513)},
    {"{'$numberDecimal': '0E-6176'}", INT64_C(4854801880128277513)},
    {"{'$numberDecimal': '0E+6111'}", INT64_C(4854801880128277513)},
    {"{'$numberDecimal': '1'}", INT64_C(5902408780260971510)},
    {"{'$numberDecimal': '1.0'}", INT64_C(5902408780260971510)},
    {"{'$numberDecimal': '1.000000000000000000000000000000000'}", INT64_C(5902408780260971510)},
    {"{'$numberDecimal': '0.5'}", INT64_C(4854801880128277513)},
    {"{'$numberDecimal': '0.5000000000000000000000000000000001'}", INT64_C(5902408780260971510)},
    {"{'$numberDecimal': '0.4999999999999999999999999999999999'}", INT64_C(4854801880128277513)},
    {"{'$numberDecimal': '1.5'}", INT64_C(848411777775835583)},
    {"{'$numberDecimal': '2.5'}", INT64_C(848411777775835583)},
    {"{'$numberDecimal': '2.500000000000000000000000000000000'}", INT64_C(848411777775835583)},
    {"{'$numberDecimal': '2.500000000000000000000000000000001'}", INT64_C(-1529429926180645992)},
    {"{'$numberDecimal': '3.5'}", INT64_C(2433984061343616404)},
    {"{'$numberDecimal': '-0.5'}", INT64_C(4854801880128277513)},
    {"{'$numberDecimal': '-1.5'}", INT64_C(4563317049361071164)},
    {"{'$numberDecimal': '-2.5'}", INT64_C(4563317049361071164)},
    {"{'$numberDecimal': '1E+18'}", INT64_C(9163520264488138694)},
    {"{'$numberDecimal': '9007199254740993'}", INT64_C(-4223421864049415010)},
    {"{'$numberDecimal': '9007199254740993.5'}", INT64_C(7008066163313208426)},
    {"{'$numberDecimal': '9223372036854775807'}", INT64_C(921523596458303250)},
    {"{'$numberDecimal': '9223372036854775807.4'}", INT64_C(921523596458303250)},
    {"{'$numberDecimal': '9223372036854775807.5'}", INT64_C(921523596458303250)},
    {"{'$numberDecimal': '9223372036854775806.5'}", INT64_C(-7004977212089732901)},
    {"{'$numberDecimal': '9223372036854775808'}", INT64_C(921523596458303250)},
    {"{'$numberDecimal': '-9223372036854775808'}", INT64_C(4532067210535695462)},
    {"{'$numberDecimal': '-9223372036854775808.5'}", INT64_C(4532067210535695462)},
    {"{'$numberDecimal': '-9223372036854775809'}", INT64_C(4532067210535695462)},
    {"{'$numberDecimal': '1E+19'}", INT64_C(921523596458303250)},
    {"{'$numberDecimal': '1E+6144'}", INT64_C(921523596458303250)},
    {"{'$numberDecimal': '-9.999999999999999999999999999999999E+6144'}",
     INT64_C(4532067210535695462)},
    {"{'$numberDecimal': '1E-6176'}", INT64_C(4854801880128277513)},
    {"{'$numberDecimal': 'Infinity'}", INT64_C(921523596458303250)},
    {"{'$numberDecimal': '-Infinity'}", INT64_C(4532067210535695462)},
    {"{'$numberDecimal': 'NaN'}", INT64_C(4854801880128277513)},
    {"{'$raw': {'type': '13', 'base64': 'AQAAAAAAAAAAAAAAAAAAfg=='}}",
     INT64_C(4854801880128277513)},
    {"{'$raw': {'type': '13', 'base64': 'BQAAAAAAAAAAAAAAAAAA/A=='}}",
     INT64_C(4854801880128277513)},
    {"{'$raw': {'type': '13', 'base64': '//////////////////9BMA=='}}",
     INT64_C(4854801880128277513)},
    {"{'$raw': {'type': '13', 'base64': 'AAAAAGSOjTfAh62+Ce1BMA=='}}",
     INT64_C(4854801880128277513)},
    {"{'$raw': {'type': '13', 'base64': 'BwAAAAAAAAAAAAAAAAAQbA=='}}",
     INT64_C(4854801880128277513)},
};

static const hash_row_t texts[] = {
    {"''", INT64_C(2049396243249673340)},
    {"'a'", INT64_C(2780795045148116090)},
    {"'a\\u0000b'", INT64_C(5846247960051164223)},
    {"'é'", INT64_C(-590412542577746911)},
    {"{'$raw': {'type': '02', 'base64': 'AgAAAP8A'}}", INT64_C(7684323120049767037)},
    {"{'$symbol': 'a'}", INT64_C(2780795045148116090)},
    {"{'$symbol': ''}", INT64_C(2049396243249673340)},
    {"{'$code': 'f'}", INT64_C(5961458073249776817)},
    {"{'$code': ''}", INT64_C(7255252265315203695)},
    {"{'$regularExpression': {'pattern': '^a', 'options': 'i'}}", INT64_C(-4002937104504074689)},
    {"{'$regularExpression': {'pattern': '', 'options': ''}}", INT64_C(4059912250979542871)},
    {"{'$dbPointer': {'$ref': 'a.b', '$id': {'$oid': '010101010101010101010101'}}}",
     INT64_C(3030881320743368990)},
};

static const hash_row_t others[] = {
    {"{'$minKey': 1}", INT64_C(7961148599568647290)},
    {"{'$undefined': true}", INT64_C(40158834000849533)},
    {"null", INT64_C(2338878944348059895)},
    {"{'$maxKey': 1}", INT64_C(5504842513779440750)},
    {"true", INT64_C(6405873908747105701)},
    {"false", INT64_C(6289544573401934092)},
    {"{'$oid': '000000000000000000000000'}", INT64_C(-4293118519463489418)},
    {"{'$oid': '0102030405060708090a0b0c'}", INT64_C(-140497795844738701)},
    {"{'$date': {'$numberLong': '0'}}", INT64_C(-1178696894582842035)},
    {"{'$date': {'$numberLong': '-1'}}", INT64_C(-9185066864950842249)},
    {"{'$date': {'$numberLong': '9223372036854775807'}}", INT64_C(-9123994247521981395)},
    {"{'$timestamp': {'t': 0, 'i': 0}}", INT64_C(-7867208682377458672)},
    {"{'$timestamp': {'t': 1, 'i': 2}}", INT64_C(6130793394493442031)},
    {"{'$timestamp': {'t': 4294967295, 'i': 4294967295}}", INT64_C(6597648654384840920)},
    {"{'$binary': {'base64': '', 'subType': '00'}}", INT64_C(-6439747103366268393)},
    {"{'$binary': {'base64': '', 'subType': '80'}}", INT64_C(-3734835911195279464)},
    {"{'$binary': {'base64': 'YWI=', 'subType': '00'}}", INT64_C(-5211738885555603998)},
    {"{'$binary': {'base64': 'YWI=', 'subType': '02'}}", INT64_C(-5196275061304894491)},
    {"{'$binary': {'base64': 'AAECAwQFBgcICQoLDA0ODw==', 'subType': '03'}}",
     INT64_C(-2526773079452695435)},
    {"{'$binary': {'base64': 'AAECAwQFBgcICQoLDA0ODw==', 'subType': '04'}}",
     INT64_C(6084661258071355978)},
    {"{'$binary': {'base64': '/w==', 'subType': '05'}}", INT64_C(451870227418638222)},
};

static const hash_row_t containers[] = {
    {"{}", INT64_C(7980500913326740417)},
    {"[]", INT64_C(8849948234993459283)},
    {"{'a': {'$numberInt': '1'}}", INT64_C(-8705610352600103477)},
    {"{'a': {'$numberDouble': '1.9'}}", INT64_C(-8705610352600103477)},
    {"{'b': {'$numberInt': '1'}}", INT64_C(8344889663970221592)},
    {"{'': null}", INT64_C(4620907374094077922)},
    {"{'a': null, 'b': null}", INT64_C(4556204953403849776)},
    {"{'b': null, 'a': null}", INT64_C(9105058209804919964)},
    {"{'a': {'$numberInt': '1'}, 'a': {'$numberInt': '2'}}", INT64_C(3795734627925793608)},
    {"{'a': {}}", INT64_C(-7846132695519428032)},
    {"{'a': []}", INT64_C(-665754093432998349)},
    {"[null]", INT64_C(8693821054885483359)},
    {"[[]]", INT64_C(260292682558267699)},
    {"[{'$numberDecimal': '2.5'}]", INT64_C(-3930871118797755671)},
    {"[{'$numberDouble': '3.5'}]", INT64_C(-5072532836484191751)},
    {"[{'$numberDouble': '9223372036854775808.0'}]", INT64_C(8768734892265760534)},
    {"[{'$numberDecimal': '9223372036854775808'}]", INT64_C(-8004105924988875044)},
    {"{'a': {'b': [{'c': 'd'}]}}", INT64_C(-5783333521065658362)},
    {"{'$code': 'f', '$scope': {}}", INT64_C(48067101601693779)},
    {"{'$code': 'f', '$scope': {'a': {'$numberInt': '1'}}}", INT64_C(-3703999343207558250)},
    {"{'$code': 'f', '$scope': {'a': {'$numberDouble': '1.5'}}}", INT64_C(-3703999343207558250)},
    {"{'$code': '', '$scope': {}}", INT64_C(1613428063302525268)},
    {"{'a': {'$code': 'f', '$scope': {'a': {'$numberInt': '1'}}}}", INT64_C(3558381050963863499)},
    {"[{'$minKey': 1}, {'$maxKey': 1}]", INT64_C(-7272048833026435125)},
    {"{'a': {'$undefined': true}}", INT64_C(-5020042896593412596)},
};

static int set_up(void **state)
{
    *state = sp_hasher_new(NULL);
    return *state == NULL ? -1 : 0;
}

static int tear_down(void **state)
{
    sp_hasher_free(*state);
    return 0;
}

static void check_rows(sp_hasher_t *hasher, const hash_row_t *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        bson_t *holder;
        sp_value_t value = sp_value_from(rows[i].value, &holder);
        int64_t hash = sp_hash_value(hasher, &value);
        if (hash != rows[i].hash)
            fail_msg("%s hashes to %lld, a server to %lld", rows[i].value, (long long)hash,
                     (long long)rows[i].hash);
        bson_destroy(holder);
    }
}

static void test_integers(void **state)
{
    check_rows(*state, integers, COUNT(integers));
}

static void test_doubles(void **state)
{
    check_rows(*state, doubles, COUNT(doubles));
}

static void test_decimals(void **state)
{
    check_rows(*state, decimals, COUNT(decimals));
}

static void test_texts(void **state)
{
    check_rows(*state, texts, COUNT(texts));
}

static void test_other_types(void **state)
{
    check_rows(*state, others, COUNT(others));
}

static void test_containers(void **state)
{
    check_rows(*state, containers, COUNT(containers));
}

/* A missing field has no bytes, and the class of undefined. */
static void test_no_value(void **state)
{
    bson_t *holder;
    const sp_value_t none = {BSON_TYPE_EOD, 0, (const uint8_t *)""};
    sp_value_t undefined = sp_value_from("{'$undefined': true}", &holder);
    assert_true(sp_hash_value(*state, &none) == sp_hash_value(*state, &undefined));
    bson_destroy(holder);
}

static bool is_among(const hash_row_t *rows, size_t count, const char *value)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(rows[i].value, value) == 0)
            return true;
    }
    return false;
}

static int64_t hash_of(sp_hasher_t *hasher, const char *text)
{
    bson_t *holder;
    sp_value_t value = sp_value_from(text, &holder);
    int64_t hash = sp_hash_value(hasher, &value);
    bson_destroy(holder);
    return hash;
}

/* What the manual promises in words: doubles are cut, so that 2.3, 2.2 and 2.9 hash alike. */
static void test_promises_of_the_manual(void **state)
{
    const char *alike[] = {"2.3", "2.2", "2.9", "2", "{'$numberLong': '2'}"};
    for (size_t i = 1; i < COUNT(alike); i++)
        assert_true(hash_of(*state, alike[0]) == hash_of(*state, alike[i]));
    /* The documented rule does not hold for decimals, which are rounded. */
    assert_true(hash_of(*state, "{'$numberDecimal': '2.9'}") != hash_of(*state, "2.9"));
    assert_true(hash_of(*state, "{'$numberDecimal': '2.9'}") == hash_of(*state, "3"));
    /* The one number that its own type splits. */
    const char *two_63[] = {"{'$numberDouble': '9223372036854775808.0'}",
                            "{'$numberDecimal': '9223372036854775808'}"};
    assert_true(is_among(doubles, COUNT(doubles), two_63[0]));
    assert_true(is_among(decimals, COUNT(decimals), two_63[1]));
    assert_true(hash_of(*state, two_63[0]) != hash_of(*state, two_63[1]));
}

/* Any sequence of values gives the hashes that a fresh hasher gives each of them. */
static void test_hasher_keeps_nothing(void **state)
{
    for (uint64_t scene = 0; scene < 2000; scene++) {
        uint8_t bytes[256];
        sp_producer_t producer;
        bson_t doc = BSON_INITIALIZER;
        bson_iter_t iter;
        sp_expand_seed(7, "hash", scene, bytes, sizeof bytes);
        sp_producer_init(&producer, bytes, sizeof bytes);
        sp_gen_value(&producer, &doc, "v");
        assert_true(bson_iter_init_find(&iter, &doc, "v"));
        sp_value_t value = sp_value_of(&iter);
        sp_hasher_t *fresh = sp_hasher_new(NULL);
        assert_non_null(fresh);
        assert_true(sp_hash_value(*state, &value) == sp_hash_value(fresh, &value));
        sp_hasher_free(fresh);
        bson_destroy(&doc);
    }
}

static void test_free_nothing(void **state)
{
    (void)state;
    sp_hasher_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_integers),
        cmocka_unit_test(test_doubles),
        cmocka_unit_test(test_decimals),
        cmocka_unit_test(test_texts),
        cmocka_unit_test(test_other_types),
        cmocka_unit_test(test_containers),
        cmocka_unit_test(test_no_value),
        cmocka_unit_test(test_promises_of_the_manual),
        cmocka_unit_test(test_hasher_keeps_nothing),
        cmocka_unit_test(test_free_nothing),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
