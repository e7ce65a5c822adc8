#include "../reports/document_json.h"
#include "../reports/escape.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

typedef struct sample {
    const char *text;
    const char *wanted;
} sample_t;

static void test_utf8_clean(void **state)
{
    (void)state;
    static const sample_t samples[] = {
        {"", ""},
        {"plain", "plain"},
        {"é€😀", "é€😀"},
        {"a\xff"
         "b",
         "a\xef\xbf\xbd"
         "b"},
        {"cut \xe2\x82", "cut \xef\xbf\xbd\xef\xbf\xbd"},
        {"overlong \xc0\xaf", "overlong \xef\xbf\xbd\xef\xbf\xbd"},
        {"nul \xc0\x80", "nul \xef\xbf\xbd\xef\xbf\xbd"},
        {"surrogate \xed\xa0\x80", "surrogate \xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"},
        {"beyond \xf4\x90\x80\x80", "beyond \xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"},
    };
    for (size_t i = 0; i < sizeof samples / sizeof samples[0]; i++) {
        char *clean = sp_utf8_clean(samples[i].text, 1000);
        assert_string_equal(clean, samples[i].wanted);
        bson_free(clean);
    }
}

static void test_utf8_clean_cuts_between_characters(void **state)
{
    (void)state;
    static const struct {
        size_t max;
        const char *wanted;
    } samples[] = {
        {6, "a€é… (3 bytes cut)"}, {9, "a€é€"}, {8, "a€é… (3 bytes cut)"}, {3, "a… (8 bytes cut)"},
        {0, "… (9 bytes cut)"},
    };
    for (size_t i = 0; i < sizeof samples / sizeof samples[0]; i++) {
        char *clean = sp_utf8_clean("a€é€", samples[i].max);
        assert_string_equal(clean, samples[i].wanted);
        bson_free(clean);
    }
}

static void test_redact(void **state)
{
    (void)state;
    static const sample_t samples[] = {
        {"", ""},
        {"6.0.5", "6.0.5"},
        {"mongodb://", "mongodb://"},
        {"mongodb://host:27017/db", "mongodb://host:27017/db"},
        {"mongodb://user@host:27017", "mongodb://user@host:27017"},
        {"mongodb://user:pass@host:27017", "mongodb://user:***@host:27017"},
        {"mongodb://user:@host", "mongodb://user:***@host"},
        {"mongodb+srv://user:pass@host/db", "mongodb+srv://user:***@host/db"},
        {"MongoDB://user:pass@host", "MongoDB://user:***@host"},
        {"mongodb://user:p:a:s:s@host", "mongodb://user:***@host"},
        {"mongodb://user:p@ss@host", "mongodb://user:***@host"},
        {"mongodb://user:p/a?ss@host", "mongodb://user:***@host"},
        {"mongodb://user:p'ss\"@host", "mongodb://user:***@host"},
        {"mongodb://u:p@a:1,b:2/db?x=y@z", "mongodb://u:***@a:1,b:2/db?x=y@z"},
        {"mongodb://h:1/?appName=a@b", "mongodb://h:1/?appName=a@b"},
        {"--server 'mongodb://u:p@h' --report a@b", "--server 'mongodb://u:***@h' --report a@b"},
        {"mongodb://u:p@h mongodb://v:q@i", "mongodb://u:***@h mongodb://v:***@i"},
        {"mongodb://u:p@h,mongodb://v:q@i", "mongodb://u:***@i"},
        {"mongodb://h/?tlsCertificateKeyFilePassword=pw&tls=true",
         "mongodb://h/?tlsCertificateKeyFilePassword=***&tls=true"},
        {"mongodb://k:s@h/?authMechanismProperties=AWS_SESSION_TOKEN:tok,A:b",
         "mongodb://k:***@h/?authMechanismProperties=AWS_SESSION_TOKEN:***,A:b"},
        {"http://user:pass@host", "http://user:pass@host"},
    };
    for (size_t i = 0; i < sizeof samples / sizeof samples[0]; i++) {
        char *redacted = sp_redact(samples[i].text);
        assert_string_equal(redacted, samples[i].wanted);
        bson_free(redacted);
    }
}

static void test_shell_quote(void **state)
{
    (void)state;
    static const sample_t samples[] = {
        {"plain-1.0_x/y=z", "plain-1.0_x/y=z"},
        {"", "''"},
        {"two words", "'two words'"},
        {"it's", "'it'\\''s'"},
        {"$HOME", "'$HOME'"},
        {"mongodb://u:***@h/?a&b", "'mongodb://u:***@h/?a&b'"},
        {"~", "'~'"},
        {"#x", "'#x'"},
    };
    for (size_t i = 0; i < sizeof samples / sizeof samples[0]; i++) {
        char *quoted = sp_shell_quote(samples[i].text);
        assert_string_equal(quoted, samples[i].wanted);
        bson_free(quoted);
    }
}

static void test_a_shell_reads_each_byte_back(void **state)
{
    (void)state;
    char word[256];
    for (int i = 0; i < 255; i++)
        word[i] = (char)(i + 1);
    word[255] = '\0';

    char *quoted = sp_shell_quote(word);
    char *command = bson_strdup_printf("printf %%s %s", quoted);
    FILE *shell = popen(command, "r"); /* NOLINT(cert-env33-c): a shell is what is tested */
    assert_non_null(shell);
    char read_back[sizeof word + 1];
    size_t size = fread(read_back, 1, sizeof read_back, shell);
    assert_int_equal(pclose(shell), 0);
    assert_int_equal(size, 255);
    assert_memory_equal(read_back, word, 255);
    bson_free(command);
    bson_free(quoted);
}

/* Checks that `document` becomes `wanted`, and that the length is told. */
static void check_json(bson_t *document, const char *wanted)
{
    size_t length;
    char *json = sp_document_json(document, &length);
    assert_string_equal(json, wanted);
    assert_int_equal(length, strlen(json));
    bson_free(json);
    bson_destroy(document);
}

static void test_document_json(void **state)
{
    (void)state;
    check_json(bson_new(), "{}");

    bson_t *document = bson_new();
    bson_append_utf8(document, "s", -1, "a\0b\"", 4);
    BSON_APPEND_INT64(document, "l", INT64_MIN);
    bson_append_utf8(document, "u", -1, "\xff", 1);
    check_json(document,
               "{\"s\": \"a\\u0000b\\\"\", \"l\": {\"$numberLong\": \"-9223372036854775808\"}, "
               "\"u\": {\"$raw\": {\"type\": \"02\", \"base64\": \"AgAAAP8A\"}}}");
}

static void test_a_broken_document_is_base64(void **state)
{
    (void)state;
    /* {s: …}, where the string says it is longer than the document. */
    bson_t document;
    static const uint8_t short_string[] = {13, 0, 0, 0, 2, 's', 0, 9, 0, 0, 0, 0, 0};
    assert_true(bson_init_static(&document, short_string, sizeof short_string));
    check_json(&document, "{\"bson\": \"DQAAAAJzAAkAAAAAAA==\"}");
}

static void test_a_deep_document_is_base64(void **state)
{
    (void)state;
    bson_t *document = bson_new();
    for (int depth = 0; depth < 250; depth++) {
        bson_t *outer = bson_new();
        BSON_APPEND_DOCUMENT(outer, "a", document);
        bson_destroy(document);
        document = outer;
    }
    char *json = sp_document_json(document, NULL);
    assert_memory_equal(json, "{\"bson\": \"", 10);
    bson_free(json);
    bson_destroy(document);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_utf8_clean),
        cmocka_unit_test(test_utf8_clean_cuts_between_characters),
        cmocka_unit_test(test_redact),
        cmocka_unit_test(test_shell_quote),
        cmocka_unit_test(test_a_shell_reads_each_byte_back),
        cmocka_unit_test(test_document_json),
        cmocka_unit_test(test_a_broken_document_is_base64),
        cmocka_unit_test(test_a_deep_document_is_base64),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
