#include "../oracles/extjson.h"

#include "../oracles/bytes.h"
#include "../oracles/value.h"

#include <locale.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static void append_hex(sp_bytes_t *to, const char *hex)
{
    for (; *hex != '\0'; hex++) {
        if (*hex == ' ')
            continue;
        char digits[3] = {hex[0], hex[1], '\0'};
        assert_true(hex[1] != '\0');
        sp_bytes_append_byte(to, (uint8_t)strtoul(digits, NULL, 16));
        hex++;
    }
}

/* {"v": value} as bytes. */
static void make_document(sp_bytes_t *to, uint8_t type, const char *hex)
{
    sp_bytes_append_u32(to, 0);
    sp_bytes_append_byte(to, type);
    sp_bytes_append(to, "v", 2);
    append_hex(to, hex);
    sp_bytes_append_byte(to, 0);
    sp_bytes_store_u32(to, 0, (uint32_t)to->size);
}

static void assert_reads_as(const char *text, size_t size, const uint8_t *bytes, size_t count)
{
    /* An exact copy, so that a sanitizer sees a read beyond the end. */
    char *exact = malloc(size > 0 ? size : 1);
    assert_non_null(exact);
    if (size > 0)
        memcpy(exact, text, size);
    bson_t doc;
    sp_error_t error = {0};
    if (!sp_json_read(exact, size, &doc, &error))
        fail_msg("%.*s: %s", (int)size, text, error.message);
    if (doc.len != count || memcmp(bson_get_data(&doc), bytes, count) != 0) {
        char *seen = sp_json_write(&doc, NULL);
        fail_msg("%.*s reads as %s", (int)size, text, seen == NULL ? "a broken document" : seen);
    }
    bson_destroy(&doc);
    free(exact);
}

static char *write_bytes(const uint8_t *bytes, size_t count, size_t *size)
{
    bson_t doc;
    sp_error_t error = {0};
    assert_true(bson_init_static(&doc, bytes, count));
    if (!sp_document_check(&doc, &error))
        fail_msg("the test's own document is broken: %s", error.message);
    char *text = sp_json_write(&doc, size);
    assert_non_null(text);
    assert_int_equal(strlen(text), *size);
    assert_null(strchr(text, '\n'));
    return text;
}

static void assert_round_trip(const uint8_t *bytes, size_t count)
{
    size_t size;
    char *text = write_bytes(bytes, count, &size);
    assert_reads_as(text, size, bytes, count);
    bson_free(text);
}

/* Whether libbson's reader agrees; it does not where this one exists to do better. */
typedef enum other { AGREES, DIFFERS } other_t;

typedef struct pair {
    const char *text;
    const char *hex;
    uint8_t type;
    other_t libbson;
} pair_t;

/* What is written for these bytes is this text, and it reads as these bytes. */
static const pair_t canonical[] = {
    {"{\"$numberDouble\": \"1.0\"}", "000000000000f03f", 0x01, AGREES},
    {"{\"$numberDouble\": \"-1.5\"}", "000000000000f8bf", 0x01, AGREES},
    {"{\"$numberDouble\": \"0.0\"}", "0000000000000000", 0x01, AGREES},
    {"{\"$numberDouble\": \"-0.0\"}", "0000000000000080", 0x01, AGREES},
    {"{\"$numberDouble\": \"0.1\"}", "9a9999999999b93f", 0x01, AGREES},
    {"{\"$numberDouble\": \"0.30000000000000004\"}", "343333333333d33f", 0x01, AGREES},
    {"{\"$numberDouble\": \"9007199254740992.0\"}", "0000000000004043", 0x01, AGREES},
    {"{\"$numberDouble\": \"1e+20\"}", "408cb5781daf1544", 0x01, AGREES},
    {"{\"$numberDouble\": \"1.7976931348623157e+308\"}", "ffffffffffffef7f", 0x01, AGREES},
    {"{\"$numberDouble\": \"2.2250738585072014e-308\"}", "0000000000001000", 0x01, AGREES},
    {"{\"$numberDouble\": \"4.94065645841247e-324\"}", "0100000000000000", 0x01, DIFFERS},
    {"{\"$numberDouble\": \"Infinity\"}", "000000000000f07f", 0x01, AGREES},
    {"{\"$numberDouble\": \"-Infinity\"}", "000000000000f0ff", 0x01, AGREES},
    {"{\"$numberDouble\": \"NaN\"}", "000000000000f87f", 0x01, AGREES},
    {"{\"$raw\": {\"type\": \"01\", \"base64\": \"AAAAAAAA+P8=\"}}", "000000000000f8ff", 0x01,
     DIFFERS},
    {"{\"$raw\": {\"type\": \"01\", \"base64\": \"AQAAAAAA8H8=\"}}", "010000000000f07f", 0x01,
     DIFFERS},
    {"\"\"", "01000000 00", 0x02, AGREES},
    {"\"a\\\"\\\\/\\b\\f\\n\\r\\t\\u0001\\u001f\x7f\"", "0d000000 61225c2f080c0a0d09011f7f00", 0x02,
     AGREES},
    {"\"a\\u0000b\"", "04000000 61006200", 0x02, AGREES},
    {"\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\"", "0a000000 c3a9e282acf09f9880 00", 0x02, AGREES},
    {"{\"$raw\": {\"type\": \"02\", \"base64\": \"AgAAAP8A\"}}", "02000000 ff00", 0x02, DIFFERS},
    {"{\"$raw\": {\"type\": \"02\", \"base64\": \"AwAAAMCAAA==\"}}", "03000000 c08000", 0x02,
     DIFFERS},
    {"{\"$raw\": {\"type\": \"02\", \"base64\": \"BAAAAO2ggAA=\"}}", "04000000 eda08000", 0x02,
     DIFFERS},
    {"{}", "05000000 00", 0x03, AGREES},
    {"{\"a\": {\"$numberInt\": \"1\"}, \"a\": null, \"\": true}",
     "12000000 10610001000000 0a6100 08000100", 0x03, AGREES},
    {"{\"$gt\": {\"$numberInt\": \"5\"}}", "0e000000 1024677400 05000000 00", 0x03, AGREES},
    {"{\"$regex\": \"^a\", \"$options\": \"i\"}",
     "24000000 02247265676578 00 03000000 5e6100 02246f7074696f6e7300 02000000 6900 00", 0x03,
     DIFFERS},
    {"{\"$type\": \"string\"}", "17000000 02247479706500 07000000 737472696e6700 00", 0x03, AGREES},
    {"{\"$scope\": {}}", "12000000 032473636f706500 05000000 00 00", 0x03, DIFFERS},
    {"{\"$ref\": \"c\", \"$id\": {\"$numberInt\": \"1\"}}",
     "1a000000 022472656600 02000000 6300 1024696400 01000000 00", 0x03, AGREES},
    {"{\"$raw\": {\"type\": \"03\", \"base64\": \"DwAAABAkb2lkAAUAAAAA\"}}",
     "0f000000 10246f696400 05000000 00", 0x03, DIFFERS},
    {"{\"$raw\": {\"type\": \"03\", \"base64\": \"FwAAAAIkbnVtYmVySW50AAIAAAAxAAA=\"}}",
     "17000000 02246e756d626572496e7400 02000000 3100 00", 0x03, DIFFERS},
    {"{\"$raw\": {\"type\": \"03\", \"base64\": \"CwAAAAr/AAphAAA=\"}}",
     "0b000000 0aff00 0a6100 00", 0x03, DIFFERS},
    {"{\"a\": {\"$raw\": {\"type\": \"03\", \"base64\": \"CwAAAAokcmF3AAA=\"}}}",
     "13000000 036100 0b000000 0a2472617700 00 00", 0x03, DIFFERS},
    {"[]", "05000000 00", 0x04, AGREES},
    {"[null, [true]]", "14000000 0a3000 043100 09000000 08300001 00 00", 0x04, AGREES},
    {"{\"$raw\": {\"type\": \"04\", \"base64\": \"CAAAAAoxAAA=\"}}", "08000000 0a3100 00", 0x04,
     DIFFERS},
    {"{\"$raw\": {\"type\": \"04\", \"base64\": \"DAAAAAowMAAKMQAA\"}}",
     "0c000000 0a303000 0a3100 00", 0x04, DIFFERS},
    {"{\"$binary\": {\"base64\": \"\", \"subType\": \"00\"}}", "00000000 00", 0x05, AGREES},
    {"{\"$binary\": {\"base64\": \"//8=\", \"subType\": \"ff\"}}", "02000000 ff ffff", 0x05,
     AGREES},
    {"{\"$binary\": {\"base64\": \"//8=\", \"subType\": \"02\"}}", "06000000 02 02000000 ffff",
     0x05, AGREES},
    {"{\"$undefined\": true}", "", 0x06, AGREES},
    {"{\"$oid\": \"0123456789abcdef01234567\"}", "0123456789abcdef01234567", 0x07, AGREES},
    {"false", "00", 0x08, AGREES},
    {"true", "01", 0x08, AGREES},
    {"{\"$date\": {\"$numberLong\": \"9223372036854775807\"}}", "ffffffffffffff7f", 0x09, AGREES},
    {"{\"$date\": {\"$numberLong\": \"-9223372036854775808\"}}", "0000000000000080", 0x09, AGREES},
    {"null", "", 0x0A, AGREES},
    {"{\"$regularExpression\": {\"pattern\": \"a/b\", \"options\": \"zi\"}}", "612f6200 7a6900",
     0x0B, DIFFERS},
    {"{\"$raw\": {\"type\": \"0b\", \"base64\": \"/wAA\"}}", "ff00 00", 0x0B, DIFFERS},
    {"{\"$dbPointer\": {\"$ref\": \"c\", \"$id\": {\"$oid\": \"000000000000000000000001\"}}}",
     "02000000 6300 000000000000000000000001", 0x0C, AGREES},
    {"{\"$raw\": {\"type\": \"0c\", \"base64\": \"AgAAAP8AAAAAAAAAAAAAAAAB\"}}",
     "02000000 ff00 000000000000000000000001", 0x0C, DIFFERS},
    {"{\"$code\": \"f(\\u0000)\"}", "05000000 66280029 00", 0x0D, DIFFERS},
    {"{\"$symbol\": \"s\"}", "02000000 7300", 0x0E, AGREES},
    {"{\"$code\": \"f\", \"$scope\": {}}", "0f000000 02000000 6600 05000000 00", 0x0F, AGREES},
    {"{\"$code\": \"\", \"$scope\": {\"a\": {\"$code\": \"g\", \"$scope\": {\"b\": null}}}}",
     "23000000 01000000 00 1a000000 0f6100 12000000 02000000 6700 08000000 0a6200 00 00", 0x0F,
     DIFFERS},
    {"[{\"$code\": \"f\", \"$scope\": {}}]",
     "17000000 0f3000 0f000000 02000000 6600 05000000 00 00", 0x04, DIFFERS},
    {"{\"$code\": \"\", \"$scope\": {\"$raw\": {\"type\": \"03\", \"base64\": "
     "\"CwAAAAokb2lkAAA=\"}}}",
     "14000000 01000000 00 0b000000 0a246f696400 00", 0x0F, DIFFERS},
    {"{\"$numberInt\": \"-2147483648\"}", "00000080", 0x10, AGREES},
    {"{\"$timestamp\": {\"t\": 4294967295, \"i\": 1}}", "01000000 ffffffff", 0x11, AGREES},
    {"{\"$numberLong\": \"-9223372036854775808\"}", "0000000000000080", 0x12, AGREES},
    {"{\"$numberLong\": \"1\"}", "0100000000000000", 0x12, AGREES},
    {"{\"$numberDecimal\": \"1.10\"}", "6e000000000000000000000000003c30", 0x13, AGREES},
    {"{\"$numberDecimal\": \"-0\"}", "000000000000000000000000000040b0", 0x13, AGREES},
    {"{\"$numberDecimal\": \"0E-6176\"}", "00000000000000000000000000000000", 0x13, AGREES},
    {"{\"$numberDecimal\": \"1E-6176\"}", "01000000000000000000000000000000", 0x13, AGREES},
    {"{\"$numberDecimal\": \"9.999999999999999999999999999999999E+6144\"}",
     "ffffffff638e8d37c087adbe09edff5f", 0x13, AGREES},
    {"{\"$numberDecimal\": \"NaN\"}", "0000000000000000000000000000007c", 0x13, AGREES},
    {"{\"$numberDecimal\": \"-Infinity\"}", "000000000000000000000000000000f8", 0x13, AGREES},
    {"{\"$raw\": {\"type\": \"13\", \"base64\": \"AQAAAAAAAAAAAAAAAAAAfA==\"}}",
     "0100000000000000000000000000007c", 0x13, DIFFERS},
    {"{\"$raw\": {\"type\": \"13\", \"base64\": \"AAAAAAAAAAAAAAAAAAAA/A==\"}}",
     "000000000000000000000000000000fc", 0x13, DIFFERS},
    {"{\"$raw\": {\"type\": \"13\", \"base64\": \"AAAAAGSOjTfAh62+Ce1BMA==\"}}",
     "00000000648e8d37c087adbe09ed4130", 0x13, DIFFERS},
    {"{\"$raw\": {\"type\": \"13\", \"base64\": \"AQAAAAAAAAAAAAAAAAAQbA==\"}}",
     "0100000000000000000000000000106c", 0x13, DIFFERS},
    {"{\"$minKey\": 1}", "", 0xFF, AGREES},
    {"{\"$maxKey\": 1}", "", 0x7F, AGREES},
};

static void assert_libbson_agrees(const char *text, const sp_bytes_t *bytes)
{
    bson_t doc;
    bson_error_t error;
    if (!bson_init_from_json(&doc, text, -1, &error))
        fail_msg("libbson refuses %s: %s", text, error.message);
    assert_int_equal(doc.len, bytes->size);
    assert_memory_equal(bson_get_data(&doc), bytes->data, bytes->size);
    bson_destroy(&doc);
}

static void check_canonical_forms(bool ask_libbson)
{
    for (size_t i = 0; i < COUNT(canonical); i++) {
        const pair_t *pair = &canonical[i];
        sp_bytes_t bytes = {0};
        make_document(&bytes, pair->type, pair->hex);
        char *expected = bson_strdup_printf("{\"v\": %s}", pair->text);
        assert_reads_as(expected, strlen(expected), bytes.data, bytes.size);
        size_t size;
        char *text = write_bytes(bytes.data, bytes.size, &size);
        assert_string_equal(text, expected);

        if (ask_libbson && pair->libbson == AGREES)
            assert_libbson_agrees(text, &bytes);
        bson_free(text);
        bson_free(expected);
        sp_bytes_free(&bytes);
    }
}

static void test_canonical_forms(void **state)
{
    (void)state;
    check_canonical_forms(true);
}

/* Other texts that are read. */
typedef struct reading {
    const char *text;
    const char *hex;
    uint8_t type;
} reading_t;

static const reading_t lenient[] = {
    {"1", "01000000", 0x10},
    {"-0", "00000000", 0x10},
    {"2147483647", "ffffff7f", 0x10},
    {"2147483648", "0000008000000000", 0x12},
    {"-2147483649", "ffffff7fffffffff", 0x12},
    {"9223372036854775807", "ffffffffffffff7f", 0x12},
    {"-9223372036854775808", "0000000000000080", 0x12},
    {"1.0", "000000000000f03f", 0x01},
    {"1E2", "0000000000005940", 0x01},
    {"1e-2", "7b14ae47e17a843f", 0x01},
    {"-0.0", "0000000000000080", 0x01},
    {"0e999999999999", "0000000000000000", 0x01},
    {"5e-324", "0100000000000000", 0x01},
    {"\t\r\n [ 1 ,\n2 ]", "13000000 103000 01000000 103100 02000000 00", 0x04},
    {"\"\\/\\u00e9\\uD83D\\ude00\\u0041\"", "09000000 2fc3a9f09f9880 41 00", 0x02},
    {"{\"\\u0024oid\": \"0123456789ABCDEF01234567\"}", "0123456789abcdef01234567", 0x07},
    {"{\"$numberDouble\": \"1\"}", "000000000000f03f", 0x01},
    {"{\"$numberDouble\": \"10e-1\"}", "000000000000f03f", 0x01},
    {"{\"$numberDecimal\": \"1E+6144\"}", "000000000a5bc138938d44c64d31fe5f", 0x13},
    {"{\"$numberDecimal\": \"10E-6177\"}", "01000000000000000000000000000000", 0x13},
    {"{\"$numberDecimal\": \"0E-99999999999999999999\"}", "00000000000000000000000000000000", 0x13},
    {"{\"$numberDecimal\": \"0e99999\"}", "0000000000000000000000000000fe5f", 0x13},
    {"{\"$numberDecimal\": \"1E010\"}", "01000000000000000000000000005430", 0x13},
    {"{\"$numberDecimal\": \"1.000000000000000000000000000000000000\"}",
     "000000000a5bc138938d44c64d31fe2f", 0x13},
    {"{\"$binary\": {\"subType\": \"2\", \"base64\": \"AA==\"}}", "05000000 02 01000000 00", 0x05},
    {"{\"$binary\": \"AA==\", \"$type\": \"80\"}", "01000000 80 00", 0x05},
    {"{\"$type\": \"2\", \"$binary\": \"AA==\"}", "05000000 02 01000000 00", 0x05},
    {"{\"$uuid\": \"00112233-4455-6677-8899-aabbccDDEEFF\"}",
     "10000000 04 00112233445566778899aabbccddeeff", 0x05},
    {"{\"$timestamp\": {\"i\": 2, \"t\": 1}}", "02000000 01000000", 0x11},
    {"{\"$regularExpression\": {\"options\": \"\", \"pattern\": \"\\u00e9\"}}", "c3a900 00", 0x0B},
    {"{\"$dbPointer\": {\"$id\": {\"$oid\": \"000000000000000000000001\"}, \"$ref\": \"\"}}",
     "01000000 00 000000000000000000000001", 0x0C},
    {"{\"$scope\": {\"a\": 1}, \"$code\": \"f\"}",
     "16000000 02000000 6600 0c000000 106100 01000000 00", 0x0F},
    {"{\"$date\": \"1970-01-01T00:00:00Z\"}", "0000000000000000", 0x09},
    {"{\"$date\": \"1970-01-01T00:00:00.001Z\"}", "0100000000000000", 0x09},
    {"{\"$date\": \"1970-01-01T00:00:00.5+00\"}", "f401000000000000", 0x09},
    {"{\"$date\": \"1969-12-31T23:59:59.999Z\"}", "ffffffffffffffff", 0x09},
    {"{\"$date\": \"1970-01-01T01:00:00+01:00\"}", "0000000000000000", 0x09},
    {"{\"$date\": \"1969-12-31T19:00:00-0500\"}", "0000000000000000", 0x09},
    {"{\"$date\": \"2000-02-29T00:00:00Z\"}", "00e0a69add000000", 0x09},
    {"{\"$date\": \"9999-12-31T23:59:59.999Z\"}", "ffdb1fd277e60000", 0x09},
    {"{\"$date\": \"0000-01-01T00:00:00Z\"}", "00a0fb9075c7ffff", 0x09},
    {"{\"$date\": \"0000-03-01T00:00:00Z\"}", "0030f9c576c7ffff", 0x09},
    {"{\"$raw\": {\"base64\": \"AQAAAA==\", \"type\": \"10\"}}", "01000000", 0x10},
    {"{\"$raw\": {\"type\": \"fF\", \"base64\": \"\"}}", "", 0xFF},
};

static void test_other_forms(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(lenient); i++) {
        char *text = bson_strdup_printf(" {\"v\":%s} \n", lenient[i].text);
        sp_bytes_t bytes = {0};
        make_document(&bytes, lenient[i].type, lenient[i].hex);
        assert_reads_as(text, strlen(text), bytes.data, bytes.size);
        sp_bytes_free(&bytes);
        bson_free(text);
    }
}

typedef struct refusal {
    const char *text;
    const char *pieces[3]; /* the message has them all */
} refusal_t;

static const refusal_t refusals[] = {
    {"", {"line 1, column 1: ", "expected a document", "but the text ends"}},
    {" \n ", {"line 2, column 2: ", "the text ends"}},
    {"[]", {"line 1, column 1: ", "expected a document", "found '['"}},
    {"5", {"expected a document", "found '5'"}},
    {"\xEF\xBB\xBF{}", {"line 1, column 1: ", "found the byte 0xEF"}},
    {"{", {"column 2: ", "expected a field name but the text ends"}},
    {"{} x", {"column 4: ", "expected nothing after the document but found 'x'"}},
    {"{}{}", {"column 3: ", "nothing after"}},
    {"{\"a\": 1,}", {"column 9: ", "expected a field name but found '}'"}},
    {"{,}", {"column 2: ", "expected a field name but found ','"}},
    {"{\"a\" 1}", {"column 6: ", "expected ':' but found '1'"}},
    {"{\"a\": 1 \"b\": 2}", {"column 9: ", "expected ',' or '}' but found '\"'"}},
    {"{'a': 1}", {"expected a field name but found '''"}},
    {"{a: 1}", {"expected a field name but found 'a'"}},
    {"{\"a\": }", {"column 7, field 'a': ", "expected a value but found '}'"}},
    {"{\"a\": [1,]}", {"column 10, field 'a.1': ", "expected a value but found ']'"}},
    {"{\"a\": [1 2]}", {"column 10, field 'a': ", "expected ',' or ']' but found '2'"}},
    {"{\"a\": [1}", {"field 'a': ", "expected ',' or ']' but found '}'"}},
    {"{\n \"a\": {\"b\":\n  [0, nul]}}", {"line 3, column 7, field 'a.b.1': ", "a value", "'n'"}},
    {"{\"\xc3\xa9\": tru}", {"column 7, field '\xc3\xa9': ", "expected a value but found 't'"}},
    {"{\"a\": truely}", {"column 11: ", "expected ',' or '}' but found 'l'"}},
    {"{\"a\": NaN}", {"expected a value but found 'N'"}},
    {"{\"a\": 01}", {"column 8: ", "expected ',' or '}' but found '1'"}},
    {"{\"a\": +1}", {"expected a value but found '+'"}},
    {"{\"a\": .5}", {"expected a value but found '.'"}},
    {"{\"a\": -}", {"column 7, field 'a': ", "the number that starts here is incomplete"}},
    {"{\"a\": 1.}", {"the number that starts here is incomplete"}},
    {"{\"a\": 1e+}", {"the number that starts here is incomplete"}},
    {"{\"a\": 0x10}", {"expected ',' or '}' but found 'x'"}},
    {"{\"a\": 9223372036854775808}", {"64 bits", "write it as $numberDouble or $numberDecimal"}},
    {"{\"a\": -9223372036854775809}", {"64 bits", "write it as $numberDouble"}},
    {"{\"a\": 1e999}", {"column 7, field 'a': ", "out of a double's range"}},
    {"{\"a\": -1e-999}", {"too close to zero"}},
    {"{\"a\": // no\n 1}", {"expected a value but found '/'"}},
    /* Strings. */
    {"{\"a\": \"b", {"column 7, field 'a': ", "the string that starts here has no end"}},
    {"{\"a\": \"b\\", {"no such escape"}},
    {"{\"a\": \"b\\\"}", {"has no end"}},
    {"{\"a\": \"\\x41\"}", {"column 8, field 'a': ", "no such escape"}},
    {"{\"a\": \"\\u12g4\"}", {"column 8", "four hexadecimal digits after \\u"}},
    {"{\"a\": \"\\u12", {"column 8", "four hexadecimal digits"}},
    {"{\"a\": \"x\ty\"}", {"column 9", "control character 0x09", "\\u0009"}},
    {"{\"a\": \"x\ny\"}", {"line 1, column 9", "control character 0x0A"}},
    {"{\"a\": \"\xff\"}", {"column 8", "the byte 0xFF is no UTF-8", "$raw"}},
    {"{\"a\": \"\xc0\x80\"}", {"0xC0 is no UTF-8"}},
    {"{\"a\": \"\xed\xa0\x80\"}", {"0xED is no UTF-8"}},
    {"{\"a\": \"\xf4\x90\x80\x80\"}", {"0xF4 is no UTF-8"}},
    {"{\"a\": \"\xe2\x82", {"0xE2 is no UTF-8"}},
    {"{\"\xff\": 1}", {"0xFF is no UTF-8"}},
    {"{\"a\": \"\\ud800\"}", {"column 8", "a high surrogate without the low one"}},
    {"{\"a\": \"\\ud800\\u0041\"}", {"a high surrogate without the low one"}},
    {"{\"a\": \"\\ud800\\ud800\"}", {"a high surrogate without the low one"}},
    {"{\"a\": \"\\udc00\"}", {"a low surrogate without the high one"}},
    {"{\"a\\u0000b\": 1}", {"column 4: ", "\\u0000 is not allowed here"}},
    {"{\"a\\u0001\": x}", {"field 'a?': "}},
    /* Wrappers: what is inside. */
    {"{\"a\": {\"$numberInt\": 5}}", {"column 22, field 'a': ", "the string of $numberInt", "'5'"}},
    {"{\"a\": {\"$numberInt\": \"99999999999\"}}", {"'99999999999'", "does not fit into 32 bits"}},
    {"{\"a\": {\"$numberInt\": \"2147483648\"}}", {"does not fit into 32 bits"}},
    {"{\"a\": {\"$numberInt\": \"-2147483649\"}}", {"does not fit into 32 bits"}},
    {"{\"a\": {\"$numberInt\": \"\"}}", {"$numberInt '' is no integer"}},
    {"{\"a\": {\"$numberInt\": \"+1\"}}", {"is no integer"}},
    {"{\"a\": {\"$numberInt\": \"01\"}}", {"is no integer"}},
    {"{\"a\": {\"$numberInt\": \"1.0\"}}", {"is no integer"}},
    {"{\"a\": {\"$numberInt\": \" 1\"}}", {"is no integer"}},
    {"{\"a\": {\"$numberInt\": \"1\\u0000\"}}", {"$numberInt '1?' is no integer"}},
    {"{\"a\": {\"$numberLong\": \"x\"}}", {"field 'a'", "$numberLong 'x' is no integer"}},
    {"{\"a\": {\"$numberLong\": \"9223372036854775808\"}}", {"does not fit into 64 bits"}},
    {"{\"a\": {\"$numberLong\": \"1111111111111111111111111111111111111111111111\"}}",
     {"$numberLong '1111111111111111111111111111111111111111...' does not fit into 64 bits"}},
    {"{\"a\": {\"$numberDouble\": 1.5}}", {"the string of $numberDouble"}},
    {"{\"a\": {\"$numberDouble\": \"1,5\"}}", {"'1,5' is no number"}},
    {"{\"a\": {\"$numberDouble\": \"inf\"}}", {"is no number", "Infinity"}},
    {"{\"a\": {\"$numberDouble\": \"0x1p3\"}}", {"is no number"}},
    {"{\"a\": {\"$numberDouble\": \"nan(7)\"}}", {"is no number"}},
    {"{\"a\": {\"$numberDouble\": \"1.8e308\"}}", {"out of a double's range"}},
    {"{\"a\": {\"$numberDouble\": \"1e-400\"}}", {"too close to zero"}},
    {"{\"a\": {\"$numberDecimal\": \"1E+6145\"}}", {"'1E+6145'", "out of a decimal's range"}},
    {"{\"a\": {\"$numberDecimal\": \"1E-6177\"}}", {"out of a decimal's range"}},
    {"{\"a\": {\"$numberDecimal\": \"1E+99999999999999999999\"}}", {"out of a decimal's range"}},
    {"{\"a\": {\"$numberDecimal\": \"12345678901234567890123456789012345\"}}", {"34 digits"}},
    {"{\"a\": {\"$numberDecimal\": \"1.0000000000000000000000000000000001\"}}", {"34 digits"}},
    {"{\"a\": {\"$numberDecimal\": \"1e\"}}", {"is no decimal"}},
    {"{\"a\": {\"$numberDecimal\": \"sNaN\"}}", {"is no decimal"}},
    {"{\"a\": {\"$oid\": \"12\"}}", {"$oid '12' is not 24 hexadecimal digits"}},
    {"{\"a\": {\"$oid\": \"0123456789abcdef0123456g\"}}", {"is not 24 hexadecimal digits"}},
    {"{\"a\": {\"$oid\": 5}}", {"the string of $oid", "'5'"}},
    {"{\"a\": {\"$date\": {}}}", {"$date lacks the field '$numberLong'"}},
    {"{\"a\": {\"$date\": 5}}", {"the object of $date"}},
    {"{\"a\": {\"$date\": {\"$numberInt\": \"1\"}}}", {"'$numberInt' does not belong into $date"}},
    {"{\"a\": {\"$date\": {\"$numberLong\": \"1\", \"b\": 1}}}", {"expected '}' but found ','"}},
    {"{\"a\": {\"$date\": {\"$numberLong\": \"1.5\"}}}", {"is no integer"}},
    {"{\"a\": {\"$date\": \"yesterday\"}}", {"$date 'yesterday' is no date", "YYYY-MM-DD"}},
    {"{\"a\": {\"$date\": \"2021-02-29T00:00:00Z\"}}", {"is no day of the calendar"}},
    {"{\"a\": {\"$date\": \"1900-02-29T00:00:00Z\"}}", {"is no day of the calendar"}},
    {"{\"a\": {\"$date\": \"2021-13-01T00:00:00Z\"}}", {"is no day of the calendar"}},
    {"{\"a\": {\"$date\": \"2021-00-01T00:00:00Z\"}}", {"is no day of the calendar"}},
    {"{\"a\": {\"$date\": \"2021-01-00T00:00:00Z\"}}", {"is no day of the calendar"}},
    {"{\"a\": {\"$date\": \"2021-01-01T24:00:00Z\"}}", {"is no time of day"}},
    {"{\"a\": {\"$date\": \"2021-01-01T00:60:00Z\"}}", {"is no time of day"}},
    {"{\"a\": {\"$date\": \"2021-01-01T00:00:60Z\"}}", {"is no time of day", "leap seconds"}},
    {"{\"a\": {\"$date\": \"2021-01-01T00:00:00\"}}", {"is no date"}},
    {"{\"a\": {\"$date\": \"2021-01-01 00:00:00Z\"}}", {"is no date"}},
    {"{\"a\": {\"$date\": \"2021-01-01T00:00:00.1234Z\"}}", {"is no date"}},
    {"{\"a\": {\"$date\": \"2021-01-01T00:00:00.Z\"}}", {"is no date"}},
    {"{\"a\": {\"$date\": \"2021-01-01T00:00:00+24:00\"}}", {"is no date"}},
    {"{\"a\": {\"$date\": \"2021-01-01T00:00:00Zx\"}}", {"is no date"}},
    {"{\"a\": {\"$binary\": {\"base64\": \"AA=\", \"subType\": \"00\"}}}", {"no multiple of 4"}},
    {"{\"a\": {\"$binary\": {\"base64\": \"A A=\", \"subType\": \"00\"}}}",
     {"outside its alphabet"}},
    {"{\"a\": {\"$binary\": {\"base64\": \"A===\", \"subType\": \"00\"}}}",
     {"outside its alphabet"}},
    {"{\"a\": {\"$binary\": {\"base64\": \"AB==\", \"subType\": \"00\"}}}",
     {"padding are not zero"}},
    {"{\"a\": {\"$binary\": {\"base64\": \"AAB=\", \"subType\": \"00\"}}}",
     {"padding are not zero"}},
    {"{\"a\": {\"$binary\": {\"base64\": \"====\", \"subType\": \"00\"}}}", {"is no base64"}},
    {"{\"a\": {\"$binary\": {\"base64\": \"AA==AA==\", \"subType\": \"00\"}}}", {"alphabet"}},
    {"{\"a\": {\"$binary\": {\"base64\": \"\", \"subType\": \"100\"}}}", {"the subtype '100'"}},
    {"{\"a\": {\"$binary\": {\"base64\": \"\", \"subType\": \"0x\"}}}", {"hexadecimal digits"}},
    {"{\"a\": {\"$binary\": {\"base64\": \"\", \"subType\": \"\"}}}", {"hexadecimal digits"}},
    {"{\"a\": {\"$binary\": {\"base64\": \"\", \"subType\": 0}}}",
     {"the string 'subType' of $binary"}},
    {"{\"a\": {\"$binary\": {\"base64\": \"\"}}}", {"$binary lacks the field 'subType'"}},
    {"{\"a\": {\"$binary\": {\"subType\": \"00\"}}}", {"$binary lacks the field 'base64'"}},
    {"{\"a\": {\"$binary\": {\"base64\": \"\", \"base64\": \"\"}}}", {"'base64' is there twice"}},
    {"{\"a\": {\"$binary\": {\"base64\": \"\", \"type\": \"00\"}}}", {"'type' does not belong"}},
    {"{\"a\": {\"$binary\": \"\"}}", {"expected ',' but found '}'"}},
    {"{\"a\": {\"$binary\": \"\", \"subType\": \"00\"}}", {"only $type may stand beside $binary"}},
    {"{\"a\": {\"$type\": 0, \"$binary\": \"\"}}", {"$binary must be alone"}},
    {"{\"a\": {\"$type\": \"00\", \"$binary\": {\"base64\": \"\"}}}", {"the string of $binary"}},
    {"{\"a\": {\"$uuid\": \"00112233445566778899aabbccddeeff\"}}", {"is no UUID"}},
    {"{\"a\": {\"$uuid\": \"00112233-4455-6677-8899-aabbccddeefg\"}}", {"is no UUID"}},
    {"{\"a\": {\"$uuid\": \"0011223-34455-6677-8899-aabbccddeeff\"}}", {"is no UUID"}},
    {"{\"a\": {\"$timestamp\": {\"t\": -1, \"i\": 0}}}", {"'t' must be an integer from 0 to"}},
    {"{\"a\": {\"$timestamp\": {\"t\": 0, \"i\": 4294967296}}}", {"'i' must be an integer"}},
    {"{\"a\": {\"$timestamp\": {\"t\": 0.5, \"i\": 0}}}", {"'t' must be an integer"}},
    {"{\"a\": {\"$timestamp\": {\"t\": \"1\", \"i\": 0}}}", {"expected an integer"}},
    {"{\"a\": {\"$timestamp\": {\"t\": 1}}}", {"$timestamp lacks the field 'i'"}},
    {"{\"a\": {\"$timestamp\": 5}}", {"the object of $timestamp"}},
    {"{\"a\": {\"$regularExpression\": {\"pattern\": \"a\\u0000\", \"options\": \"\"}}}",
     {"\\u0000 is not allowed here"}},
    {"{\"a\": {\"$regularExpression\": {\"pattern\": \"\", \"options\": \"\\u0000\"}}}",
     {"\\u0000 is not allowed here"}},
    {"{\"a\": {\"$regularExpression\": {\"pattern\": \"a\"}}}", {"lacks the field 'options'"}},
    {"{\"a\": {\"$regularExpression\": \"a\"}}", {"the object of $regularExpression"}},
    {"{\"a\": {\"$code\": 5}}", {"the string of $code"}},
    {"{\"a\": {\"$code\": \"\", \"$scope\": 5}}", {"the $scope of $code must be a document"}},
    {"{\"a\": {\"$code\": \"\", \"$scope\": []}}", {"the $scope of $code must be a document"}},
    {"{\"a\": {\"$code\": \"\", \"$scope\": {\"$undefined\": true}}}", {"must be a document"}},
    {"{\"a\": {\"$code\": \"\", \"scope\": {}}}", {"only $scope may stand beside $code"}},
    {"{\"a\": {\"$code\": \"\", \"$scope\": {}, \"b\": 1}}", {"no other field", "$code"}},
    {"{\"a\": {\"$scope\": 1, \"$code\": \"\"}}", {"$code must be alone in its object"}},
    {"{\"a\": {\"$scope\": {}, \"$code\": \"\", \"b\": 1}}", {"no other field", "$code"}},
    {"{\"a\": {\"$scope\": {}, \"b\": 1, \"$code\": \"\"}}", {"$code must be alone"}},
    {"{\"a\": {\"$symbol\": null}}", {"the string of $symbol"}},
    {"{\"a\": {\"$dbPointer\": {\"$ref\": \"c\"}}}", {"$dbPointer lacks the field '$id'"}},
    {"{\"a\": {\"$dbPointer\": {\"$ref\": \"c\", \"$id\": \"x\"}}}",
     {"expected '{' but found '\"'"}},
    {"{\"a\": {\"$dbPointer\": {\"$ref\": \"c\", \"$id\": {\"id\": 1}}}}", {"{\"$oid\": ...}"}},
    {"{\"a\": {\"$dbPointer\": {\"$ref\": \"c\", \"$id\": {\"$oid\": \"0\"}}}}",
     {"24 hexadecimal"}},
    {"{\"a\": {\"$undefined\": false}}", {"expected true as the value of $undefined"}},
    {"{\"a\": {\"$minKey\": true}}", {"expected 1 as the value of $minKey"}},
    {"{\"a\": {\"$minKey\": 10}}", {"expected '}' but found '0'"}},
    {"{\"a\": {\"$maxKey\": -1}}", {"expected 1 as the value of $maxKey"}},
    /* Wrappers: what is beside. */
    {"{\"a\": {\"$oid\": \"0123456789abcdef01234567\", \"b\": 1}}",
     {"column 42, field 'a': ", "no other field may stand beside $oid", "$raw"}},
    {"{\"a\": {\"b\": 1, \"$oid\": \"0123456789abcdef01234567\"}}",
     {"column 16, field 'a': ", "$oid must be alone in its object"}},
    {"{\"a\": {\"$numberInt\": \"1\", \"$numberInt\": \"1\"}}",
     {"no other field may stand beside"}},
    {"{\"$numberInt\": \"1\"}", {"column 1: ", "the whole text must be a document", "type 03"}},
    {"{\"a\": 1, \"$numberInt\": \"1\"}", {"column 10: ", "$numberInt must be alone"}},
    {"{\"$oid\": 5}", {"the string of $oid"}},
    /* Raw values. */
    {"{\"a\": {\"$raw\": {\"type\": \"10\", \"base64\": \"AAAA\"}}}",
     {"field 'a'", "no sound value of type 10"}},
    {"{\"a\": {\"$raw\": {\"type\": \"10\", \"base64\": \"AAAAAAA=\"}}}", {"no sound value"}},
    {"{\"a\": {\"$raw\": {\"type\": \"08\", \"base64\": \"ARBhAAAAAAA=\"}}}", {"no sound value"}},
    {"{\"a\": {\"$raw\": {\"type\": \"08\", \"base64\": \"Ag==\"}}}",
     {"no sound value of type 08"}},
    {"{\"a\": {\"$raw\": {\"type\": \"00\", \"base64\": \"\"}}}", {"no sound value of type 00"}},
    {"{\"a\": {\"$raw\": {\"type\": \"20\", \"base64\": \"AAAAAA==\"}}}",
     {"no sound value of type 20"}},
    {"{\"a\": {\"$raw\": {\"type\": \"03\", \"base64\": \"BQAAAAE=\"}}}", {"no sound value"}},
    {"{\"a\": {\"$raw\": {\"type\": \"03\", \"base64\": \"\"}}}", {"no sound value"}},
    {"{\"a\": {\"$raw\": {\"type\": \"02\", \"base64\": \"AgAAAEEB\"}}}", {"no sound value"}},
    {"{\"a\": {\"$raw\": {\"type\": \"0f\", \"base64\": \"DwAAAAIAAABmAAYAAAAA\"}}}", {"no sound"}},
    {"{\"a\": {\"$raw\": {\"type\": \"1\", \"base64\": \"\"}}}", {"the type '1'", "hexadecimal"}},
    {"{\"a\": {\"$raw\": {\"type\": \"0a\", \"base64\": \"?\"}}}", {"is no base64"}},
    {"{\"a\": {\"$raw\": {\"type\": \"0a\"}}}", {"$raw lacks the field 'base64'"}},
    {"{\"a\": {\"$raw\": \"0a\"}}", {"the object of $raw"}},
    {"{\"$raw\": {\"type\": \"04\", \"base64\": \"BQAAAAA=\"}}", {"must be a document"}},
    {"{\"$raw\": {\"type\": \"03\", \"base64\": \"BQAAAAE=\"}}", {"no sound value of type 03"}},
    {"{\"$raw\": {\"type\": \"03\", \"base64\": \"BQAAAAA=\"}, \"a\": 1}", {"no other field"}},
};

static void test_refusals(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(refusals); i++) {
        const char *text = refusals[i].text;
        bson_t doc;
        sp_error_t error = {0};
        if (sp_json_read(text, strlen(text), &doc, &error))
            fail_msg("%s is not refused", text);
        assert_true(bson_empty(&doc));
        bson_destroy(&doc);
        assert_int_equal(error.domain, SP_ERROR_INPUT);
        assert_int_equal(strncmp(error.message, "line ", 5), 0);
        for (size_t p = 0; p < 3 && refusals[i].pieces[p] != NULL; p++) {
            if (strstr(error.message, refusals[i].pieces[p]) == NULL)
                fail_msg("%s: '%s' is not in: %s", text, refusals[i].pieces[p], error.message);
        }
        /* Nobody has to take the error. */
        assert_false(sp_json_read(text, strlen(text), &doc, NULL));
        bson_destroy(&doc);
    }
    bson_t doc;
    assert_false(sp_json_read("{\"a\": 1}\0", 9, &doc, NULL));
    bson_destroy(&doc);
    assert_false(sp_json_read("{\"a\0\": 1}", 9, &doc, NULL));
    bson_destroy(&doc);
}

static void test_long_field_paths_are_cut(void **state)
{
    (void)state;
    sp_bytes_t text = {0};
    for (int i = 0; i < 150; i++)
        sp_bytes_append_text(&text, "{\"name\": ");
    bson_t doc;
    sp_error_t error;
    assert_false(sp_json_read((const char *)text.data, text.size, &doc, &error));
    bson_destroy(&doc);
    assert_non_null(strstr(error.message, "field '...name.name."));
    assert_non_null(strstr(error.message, ".name': expected a value but the text ends"));

    text.size = 0;
    sp_bytes_append_text(&text, "{\"");
    memset(sp_bytes_extend(&text, 1000), 'k', 1000);
    sp_bytes_append_text(&text, "\": ");
    assert_false(sp_json_read((const char *)text.data, text.size, &doc, &error));
    bson_destroy(&doc);
    assert_non_null(strstr(error.message, "field '...': expected a value"));
    sp_bytes_free(&text);
}

/* `depth` documents around each other, the innermost with the text as its only value. */
static void nest(sp_bytes_t *text, const char *open, const char *inner, const char *close,
                 int depth)
{
    text->size = 0;
    sp_bytes_append_text(text, "{\"a\": ");
    for (int i = 1; i < depth; i++)
        sp_bytes_append_text(text, open);
    sp_bytes_append_text(text, inner);
    for (int i = 1; i < depth; i++)
        sp_bytes_append_text(text, close);
    sp_bytes_append_text(text, "}");
}

static void assert_depth(const sp_bytes_t *text, bool ok)
{
    bson_t doc;
    sp_error_t error = {0};
    bool read = sp_json_read((const char *)text->data, text->size, &doc, &error);
    if (read != ok)
        fail_msg("%.60s: %s", (const char *)text->data, error.message);
    if (ok) {
        assert_true(sp_document_check(&doc, NULL));
        assert_round_trip(bson_get_data(&doc), doc.len);
    } else {
        assert_non_null(strstr(error.message, "nested more than 200 deep"));
    }
    bson_destroy(&doc);
}

static void test_depth(void **state)
{
    (void)state;
    static const char *const shapes[][2] = {
        {"{\"a\": ", "}"},
        {"[", "]"},
        {"{\"$code\": \"\", \"$scope\": {\"a\": ", "}}"},
    };
    static const char *const leaves[] = {
        "1",
        "{\"$timestamp\": {\"t\": 1, \"i\": 1}}",
        "{\"$dbPointer\": {\"$ref\": \"\", \"$id\": {\"$oid\": \"0123456789abcdef01234567\"}}}",
    };
    sp_bytes_t text = {0};
    for (size_t s = 0; s < COUNT(shapes); s++) {
        for (size_t l = 0; l < COUNT(leaves); l++) {
            nest(&text, shapes[s][0], leaves[l], shapes[s][1], SP_DEPTH_MAX);
            assert_depth(&text, true);
            nest(&text, shapes[s][0], leaves[l], shapes[s][1], SP_DEPTH_MAX + 1);
            assert_depth(&text, false);
        }
        nest(&text, shapes[s][0], "{}", shapes[s][1], SP_DEPTH_MAX - 1);
        assert_depth(&text, true);
        nest(&text, shapes[s][0], "{}", shapes[s][1], SP_DEPTH_MAX);
        assert_depth(&text, false);
        nest(&text, shapes[s][0], "[]", shapes[s][1], SP_DEPTH_MAX);
        assert_depth(&text, false);
        nest(&text, shapes[s][0], "{}", shapes[s][1], 100000);
        assert_depth(&text, false);

        /* {"$oid": null}, which only $raw can give, is a level too. */
        static const char raw[] =
            "{\"$raw\": {\"type\": \"03\", \"base64\": \"CwAAAAokb2lkAAA=\"}}";
        nest(&text, shapes[s][0], raw, shapes[s][1], SP_DEPTH_MAX - 1);
        assert_depth(&text, true);
        nest(&text, shapes[s][0], raw, shapes[s][1], SP_DEPTH_MAX);
        assert_depth(&text, false);
    }
    sp_bytes_free(&text);
}

static void test_raw_top_level_may_be_as_deep_as_any(void **state)
{
    (void)state;
    sp_bytes_t bytes = {0};
    for (uint32_t i = 0; i < SP_DEPTH_MAX; i++) {
        sp_bytes_append_u32(&bytes, 5 + (SP_DEPTH_MAX - 1 - i) * 11);
        if (i + 1 < SP_DEPTH_MAX)
            sp_bytes_append(&bytes, "\x03$oid", 6);
    }
    memset(sp_bytes_extend(&bytes, SP_DEPTH_MAX), 0, SP_DEPTH_MAX);
    assert_round_trip(bytes.data, bytes.size);
    sp_bytes_free(&bytes);
}

static void test_limits(void **state)
{
    (void)state;
    bson_t doc;
    sp_error_t error;
    sp_bytes_t text = {0};
    memset(sp_bytes_extend(&text, SP_JSON_TEXT_MAX + 1), ' ', SP_JSON_TEXT_MAX + 1);
    memcpy(text.data, "{}", 2);
    assert_false(sp_json_read((const char *)text.data, text.size, &doc, &error));
    bson_destroy(&doc);
    assert_non_null(strstr(error.message, "the text is larger than 64 MiB"));
    assert_true(sp_json_read((const char *)text.data, SP_JSON_TEXT_MAX, &doc, &error));
    bson_destroy(&doc);

    memcpy(text.data, "{\"a\": \"", 7);
    memset(text.data + 7, 'x', SP_JSON_DOCUMENT_MAX);
    text.size = 7 + SP_JSON_DOCUMENT_MAX;
    sp_bytes_append_text(&text, "\"}");
    assert_false(sp_json_read((const char *)text.data, text.size, &doc, &error));
    bson_destroy(&doc);
    assert_non_null(strstr(error.message, "larger than 48 MiB"));

    text.size = 0;
    sp_bytes_append_text(&text, "{\"a\": [0");
    for (int i = 0; i < 5000000; i++)
        sp_bytes_append_text(&text, ",0");
    sp_bytes_append_text(&text, "]}");
    assert_false(sp_json_read((const char *)text.data, text.size, &doc, &error));
    bson_destroy(&doc);
    assert_non_null(strstr(error.message, "larger than 48 MiB"));
    sp_bytes_free(&text);
}

static void test_unsound_documents_are_not_written(void **state)
{
    (void)state;
    /* A subdocument without its end. */
    static const uint8_t bytes[] = {13, 0, 0, 0, 3, 'a', 0, 5, 0, 0, 0, 1, 0};
    bson_t doc;
    assert_true(bson_init_static(&doc, bytes, sizeof bytes));
    assert_null(sp_json_write(&doc, NULL));
}

static void test_large_binaries(void **state)
{
    (void)state;
    /* Around the size in which base64 is cut. */
    for (uint32_t size = (3u << 20) - 2; size <= (3u << 20) + 4; size++) {
        sp_bytes_t bytes = {0};
        sp_bytes_append_u32(&bytes, size + 13);
        sp_bytes_append(&bytes, "\x05v", 3);
        sp_bytes_append_u32(&bytes, size);
        sp_bytes_append_byte(&bytes, 0x80);
        uint8_t *data = sp_bytes_extend(&bytes, size);
        for (uint32_t i = 0; i < size; i++)
            data[i] = (uint8_t)(i * 2654435761u >> 24);
        sp_bytes_append_byte(&bytes, 0);
        assert_round_trip(bytes.data, bytes.size);
        sp_bytes_free(&bytes);
    }
}

static void append_decimal(sp_bytes_t *bytes, uint64_t high, uint64_t low)
{
    bytes->size = 0;
    sp_bytes_append_u32(bytes, 24);
    sp_bytes_append(bytes, "\x13v", 3);
    sp_bytes_append_u64(bytes, low);
    sp_bytes_append_u64(bytes, high);
    sp_bytes_append_byte(bytes, 0);
}

/* Every exponent with coefficients of 0, 1, 2, 33 and 34 digits and both signs: never $raw, and
 * libbson reads the same. */
static void test_decimals(void **state)
{
    (void)state;
    static const struct {
        uint64_t high;
        uint64_t low;
    } coefficients[] = {
        {0, 0},
        {0, 1},
        {0, 10},
        {0, 99},
        {UINT64_C(0x0000314DC6448D93), UINT64_C(0x38C15B0A00000000)}, /* 10^33 */
        {UINT64_C(0x0000314DC6448D93), UINT64_C(0x38C15B09FFFFFFFF)}, /* 10^33 - 1 */
        {UINT64_C(0x0001ED09BEAD87C0), UINT64_C(0x378D8E63FFFFFFFF)}, /* 10^34 - 1 */
        {UINT64_C(0x0001000000000000), 0},
    };
    sp_bytes_t bytes = {0};
    for (uint64_t exponent = 0; exponent <= 12287; exponent++) {
        for (size_t c = 0; c < COUNT(coefficients); c++) {
            uint64_t sign = (exponent + c) % 2;
            bson_decimal128_t number = {.high = sign << 63 | exponent << 49 | coefficients[c].high,
                                        .low = coefficients[c].low};
            append_decimal(&bytes, number.high, number.low);
            size_t size;
            char *text = write_bytes(bytes.data, bytes.size, &size);
            assert_null(strstr(text, "$raw"));
            assert_reads_as(text, size, bytes.data, bytes.size);

            char *digits = strstr(text, ": \"") + 3;
            *strchr(digits, '"') = '\0';
            bson_decimal128_t other;
            assert_true(bson_decimal128_from_string(digits, &other));
            assert_true(other.high == number.high && other.low == number.low);
            bson_free(text);
        }
    }
    sp_bytes_free(&bytes);
}

/* Only a locale with a comma can show this; where none is installed the test has nothing to look
 * at. */
static void test_locale_does_not_matter(void **state)
{
    (void)state;
    static const char *const names[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "de_DE"};
    const char *found = NULL;
    for (size_t i = 0; i < COUNT(names) && found == NULL; i++)
        found = setlocale(LC_NUMERIC, names[i]);
    if (found == NULL)
        skip();
    /* libbson's own reader does not stand this. */
    check_canonical_forms(false);
    test_other_forms(NULL);
    char text[16];
    snprintf(text, sizeof text, "%.1f", 0.5);
    assert_string_equal(text, "0,5");
    setlocale(LC_NUMERIC, "C");
}

/* SplitMix64. */
static uint64_t draw(uint64_t *seed)
{
    uint64_t z = (*seed += UINT64_C(0x9E3779B97F4A7C15));
    z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
    return z ^ z >> 31;
}

static uint32_t draw_below(uint64_t *seed, uint32_t limit)
{
    return (uint32_t)(draw(seed) % limit);
}

static void draw_text(uint64_t *seed, sp_bytes_t *to, bool nul)
{
    static const char *const pieces[] = {"a",        "$oid",         "\"",   "\\",   "\n", "\x7f",
                                         "\xc3\xa9", "\xe2\x82\xac", "\xff", "\x01", "/",  "}"};
    for (uint32_t n = draw_below(seed, 5); n > 0; n--) {
        uint32_t pick = draw_below(seed, 40);
        if (pick == 39 && nul)
            sp_bytes_append_byte(to, 0);
        else if (pick == 38)
            sp_bytes_append_byte(to, (uint8_t)(1 + draw_below(seed, 255)));
        else
            sp_bytes_append_text(to, pieces[pick < 30 ? 0 : pick % COUNT(pieces)]);
    }
}

static void draw_string(uint64_t *seed, sp_bytes_t *to)
{
    size_t start = to->size;
    sp_bytes_append_u32(to, 0);
    draw_text(seed, to, true);
    sp_bytes_append_byte(to, 0);
    sp_bytes_store_u32(to, start, (uint32_t)(to->size - start - 4));
}

static void draw_bytes(uint64_t *seed, sp_bytes_t *to, uint32_t count)
{
    for (; count > 0; count--)
        sp_bytes_append_byte(to, (uint8_t)draw(seed));
}

static void draw_name(uint64_t *seed, sp_bytes_t *to, bool array, uint32_t index)
{
    static const char *const names[] = {"$oid",
                                        "$numberInt",
                                        "$numberLong",
                                        "$numberDouble",
                                        "$numberDecimal",
                                        "$binary",
                                        "$code",
                                        "$scope",
                                        "$date",
                                        "$timestamp",
                                        "$regularExpression",
                                        "$symbol",
                                        "$raw",
                                        "$dbPointer",
                                        "$undefined",
                                        "$minKey",
                                        "$maxKey",
                                        "$uuid",
                                        "$type",
                                        "$gt",
                                        "$ref",
                                        "$id",
                                        "$regex",
                                        "$options"};
    char text[16];
    uint32_t pick = draw_below(seed, 32);
    if (array && pick > 0) {
        snprintf(text, sizeof text, "%u", index);
        sp_bytes_append_text(to, text);
    } else if (pick < 4) {
        sp_bytes_append_text(to, names[draw_below(seed, COUNT(names))]);
    } else {
        draw_text(seed, to, false);
    }
    sp_bytes_append_byte(to, 0);
}

static void draw_document(uint64_t *seed, sp_bytes_t *to, bool array, int depth);

static void draw_binary(uint64_t *seed, sp_bytes_t *to)
{
    uint32_t size = draw_below(seed, 9);
    bool old = draw_below(seed, 3) == 0;
    sp_bytes_append_u32(to, old ? size + 4 : size);
    sp_bytes_append_byte(to, old ? 2 : draw_below(seed, 2) == 0 ? 0x80 : 0);
    if (old)
        sp_bytes_append_u32(to, size);
    draw_bytes(seed, to, size);
}

static void draw_double(uint64_t *seed, sp_bytes_t *to)
{
    static const double special[] = {0.0, -0.0, 1.0, 0.1, 1e20, INFINITY, -INFINITY, 5e-324};
    uint64_t bits = draw(seed);
    if (draw_below(seed, 4) == 0)
        memcpy(&bits, &special[draw_below(seed, COUNT(special))], sizeof bits);
    else if (draw_below(seed, 4) == 0)
        bits |= UINT64_C(0x7FF0000000000000);
    sp_bytes_append_u64(to, bits);
}

static void draw_scoped_code(uint64_t *seed, sp_bytes_t *to, int depth)
{
    size_t start = to->size;
    sp_bytes_append_u32(to, 0);
    draw_string(seed, to);
    draw_document(seed, to, false, depth + 1);
    sp_bytes_store_u32(to, start, (uint32_t)(to->size - start));
}

static uint8_t draw_type(uint64_t *seed, int depth)
{
    static const uint8_t types[] = {0x03, 0x04, 0x0F, 0x03, 0x01, 0x02, 0x05, 0x06,
                                    0x07, 0x08, 0x09, 0x0A, 0x0B, 0x0C, 0x0D, 0x0E,
                                    0x10, 0x11, 0x12, 0x13, 0x7F, 0xFF};
    const uint32_t containers = depth < 6 ? 0 : 4;
    return types[containers + draw_below(seed, COUNT(types) - containers)];
}

static void draw_value(uint64_t *seed, sp_bytes_t *to, uint8_t type, int depth)
{
    switch (type) {
    case 0x01:
        draw_double(seed, to);
        break;
    case 0x02:
    case 0x0D:
    case 0x0E:
        draw_string(seed, to);
        break;
    case 0x03:
    case 0x04:
        draw_document(seed, to, type == 0x04, depth + 1);
        break;
    case 0x05:
        draw_binary(seed, to);
        break;
    case 0x07:
        draw_bytes(seed, to, 12);
        break;
    case 0x08:
        sp_bytes_append_byte(to, (uint8_t)draw_below(seed, 2));
        break;
    case 0x0B:
        draw_text(seed, to, false);
        sp_bytes_append_byte(to, 0);
        draw_text(seed, to, false);
        sp_bytes_append_byte(to, 0);
        break;
    case 0x0C:
        draw_string(seed, to);
        draw_bytes(seed, to, 12);
        break;
    case 0x0F:
        draw_scoped_code(seed, to, depth);
        break;
    case 0x10:
        draw_bytes(seed, to, 4);
        break;
    case 0x09:
    case 0x11:
    case 0x12:
        draw_bytes(seed, to, 8);
        break;
    case 0x13:
        draw_bytes(seed, to, 16);
        break;
    default: /* the types without bytes */
        break;
    }
}

static void draw_document(uint64_t *seed, sp_bytes_t *to, bool array, int depth)
{
    size_t start = to->size;
    sp_bytes_append_u32(to, 0);
    uint32_t count = draw_below(seed, 6);
    for (uint32_t i = 0; i < count; i++) {
        uint8_t type = draw_type(seed, depth);
        sp_bytes_append_byte(to, type);
        draw_name(seed, to, array, i);
        draw_value(seed, to, type, depth);
    }
    sp_bytes_append_byte(to, 0);
    sp_bytes_store_u32(to, start, (uint32_t)(to->size - start));
}

static void test_random_documents(void **state)
{
    (void)state;
    uint64_t seed = 20240229;
    sp_bytes_t bytes = {0};
    for (int i = 0; i < 10000; i++) {
        bytes.size = 0;
        draw_document(&seed, &bytes, false, 1);
        assert_round_trip(bytes.data, bytes.size);
    }
    sp_bytes_free(&bytes);
}

static const char complex_text[] =
    "{\"i\": {\"$numberInt\": \"1\"}, \"l\": {\"$numberLong\": \"-5\"}, \"d\": {\"$numberDouble\": "
    "\"1.5\"}, \"m\": {\"$numberDecimal\": \"-1.50E+7\"}, \"s\": "
    "\"a\\u00e9\\ud83d\\ude00\\n\xc3\xa9\", "
    "\"b\": {\"$binary\": {\"base64\": \"AQID\", \"subType\": \"02\"}}, \"B\": {\"$type\": \"00\", "
    "\"$binary\": \"AA==\"}, \"u\": {\"$uuid\": \"00112233-4455-6677-8899-aabbccddeeff\"}, \"o\": "
    "{\"$oid\": \"0123456789abcdef01234567\"}, \"t\": {\"$timestamp\": {\"t\": 7, \"i\": 8}}, "
    "\"D\": "
    "{\"$date\": {\"$numberLong\": \"9\"}}, \"E\": {\"$date\": \"2020-02-29T12:34:56.789+01:00\"}, "
    "\"r\": {\"$regularExpression\": {\"pattern\": \"^a\", \"options\": \"i\"}}, \"c\": "
    "{\"$code\": "
    "\"f\", \"$scope\": {\"x\": [{\"$code\": \"g\"}]}}, \"C\": {\"$scope\": {\"y\": null}, "
    "\"$code\": "
    "\"h\"}, \"S\": {\"$symbol\": \"y\"}, \"p\": {\"$dbPointer\": {\"$ref\": \"c\", \"$id\": "
    "{\"$oid\": \"0123456789abcdef01234567\"}}}, \"x\": [true, false, null, {\"$undefined\": "
    "true}, "
    "{\"$minKey\": 1}, {\"$maxKey\": 1}, 1, -2.5e3, 5000000000], \"R\": {\"$raw\": {\"type\": "
    "\"01\", "
    "\"base64\": \"AQAAAAAA+H8=\"}}, \"q\": {\"$gt\": {\"$regex\": \"^a\", \"$options\": \"i\"}}, "
    "\"Z\": {\"$raw\": {\"type\": \"03\", \"base64\": \"CwAAAAokb2lkAAA=\"}}}";

/* Reads an exact copy of the text; what is read must be sound and round-trip. */
static bool try_read(const char *text, size_t size)
{
    char *exact = malloc(size > 0 ? size : 1);
    assert_non_null(exact);
    memcpy(exact, text, size);
    bson_t doc;
    sp_error_t error = {0};
    bool ok = sp_json_read(exact, size, &doc, &error);
    if (ok)
        assert_round_trip(bson_get_data(&doc), doc.len);
    else
        assert_int_equal(error.domain, SP_ERROR_INPUT);
    bson_destroy(&doc);
    free(exact);
    return ok;
}

static void test_every_prefix_is_refused(void **state)
{
    (void)state;
    const size_t size = sizeof complex_text - 1;
    assert_true(try_read(complex_text, size));
    for (size_t i = 0; i < size; i++) {
        if (try_read(complex_text, i))
            fail_msg("the first %zu bytes are read", i);
    }
}

static void test_corruption(void **state)
{
    (void)state;
    static const uint8_t bytes[] = {0,   '"', '\\', '{', '}', '[', ']', ',',  ':',  '$', '0',
                                    '9', '-', '.',  'e', ' ', 'z', '=', 0x80, 0xC3, 0xFF};
    char text[sizeof complex_text];
    memcpy(text, complex_text, sizeof text);
    const size_t size = sizeof text - 1;
    size_t refused = 0;
    for (size_t i = 0; i < size; i++) {
        for (size_t b = 0; b < COUNT(bytes); b++) {
            text[i] = (char)bytes[b];
            refused += !try_read(text, size);
        }
        for (int bit = 0; bit < 8; bit++) {
            text[i] = (char)((uint8_t)complex_text[i] ^ 1u << bit);
            refused += !try_read(text, size);
        }
        text[i] = complex_text[i];
        /* One byte less. */
        char shorter[sizeof complex_text];
        memcpy(shorter, text, i);
        memcpy(shorter + i, text + i + 1, size - i);
        try_read(shorter, size - 1);
    }
    assert_true(refused > size);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_canonical_forms),
        cmocka_unit_test(test_other_forms),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_long_field_paths_are_cut),
        cmocka_unit_test(test_depth),
        cmocka_unit_test(test_raw_top_level_may_be_as_deep_as_any),
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_unsound_documents_are_not_written),
        cmocka_unit_test(test_large_binaries),
        cmocka_unit_test(test_decimals),
        cmocka_unit_test(test_locale_does_not_matter),
        cmocka_unit_test(test_random_documents),
        cmocka_unit_test(test_every_prefix_is_refused),
        cmocka_unit_test(test_corruption),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
