#include "../oracles/value.h"

#include "../oracles/bytes.h"
#include "from_json.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const char *const every_type[] = {
    "{'$minKey': 1}",
    "{'$maxKey': 1}",
    "{'$undefined': true}",
    "null",
    "true",
    "{'$numberInt': '-5'}",
    "{'$numberLong': '-5'}",
    "{'$numberDouble': '-5.0'}",
    "{'$numberDecimal': '-5'}",
    "'a\\u0000b'",
    "{'$symbol': 'a'}",
    "{'$code': 'a'}",
    "{'$code': 'f', '$scope': {'a': 1}}",
    "{'a': 1}",
    "[1, 2]",
    "{'$binary': {'base64': 'YWI=', 'subType': '02'}}",
    "{'$oid': '0102030405060708090a0b0c'}",
    "{'$date': {'$numberLong': '-1'}}",
    "{'$timestamp': {'t': 1, 'i': 2}}",
    "{'$regularExpression': {'pattern': 'a', 'options': 'i'}}",
    "{'$dbPointer': {'$ref': 'a', '$id': {'$oid': '0102030405060708090a0b0c'}}}",
};

/* What is appended under another name is the same value, and the two ways to it give one size. */
static void test_append(void **state)
{
    (void)state;
    bson_t all = BSON_INITIALIZER;
    for (size_t i = 0; i < COUNT(every_type); i++) {
        bson_t *holder;
        bson_iter_t iter;
        sp_value_t value = sp_value_from(every_type[i], &holder);
        char name[32];
        snprintf(name, sizeof name, "field %zu", i);
        assert_true(sp_value_append(&all, name, &value));
        assert_true(bson_iter_init_find(&iter, &all, name));
        sp_value_t copy = sp_value_of(&iter);
        assert_int_equal(copy.type, value.type);
        assert_int_equal(copy.size, value.size);
        assert_memory_equal(copy.data, value.data, value.size);
        bson_destroy(holder);
    }
    assert_int_equal(bson_count_keys(&all), COUNT(every_type));
    assert_true(sp_document_check(&all, NULL));
    bson_destroy(&all);
}

static void test_append_large(void **state)
{
    (void)state;
    char *text = bson_malloc(100001);
    memset(text, 'x', 100000);
    text[100000] = '\0';
    bson_t from = BSON_INITIALIZER, to = BSON_INITIALIZER;
    BSON_APPEND_UTF8(&from, "", text);
    bson_iter_t iter;
    assert_true(bson_iter_init(&iter, &from) && bson_iter_next(&iter));
    sp_value_t value = sp_value_of(&iter);
    assert_int_equal(value.size, 4 + 100001);
    assert_true(sp_value_append(&to, "", &value));
    assert_true(bson_equal(&from, &to));
    bson_destroy(&from);
    bson_destroy(&to);
    bson_free(text);
}

static sp_value_t value_of(const char *text, bson_t **holder)
{
    return sp_value_from(text, holder);
}

static void test_numbers(void **state)
{
    (void)state;
    bson_t *holder;
    sp_value_t value = value_of("{'$numberInt': '-2147483648'}", &holder);
    assert_int_equal(sp_value_int32(&value), INT32_MIN);
    bson_destroy(holder);
    value = value_of("{'$numberLong': '-9223372036854775808'}", &holder);
    assert_true(sp_value_int64(&value) == INT64_MIN);
    bson_destroy(holder);
    value = value_of("{'$numberDouble': '-1.5'}", &holder);
    assert_true(sp_value_double(&value) == -1.5);
    bson_destroy(holder);
    static const bson_type_t numbers[] = {BSON_TYPE_INT32, BSON_TYPE_INT64, BSON_TYPE_DOUBLE,
                                          BSON_TYPE_DECIMAL128};
    for (size_t i = 0; i < COUNT(every_type); i++) {
        value = value_of(every_type[i], &holder);
        bool is_number = false;
        for (size_t j = 0; j < COUNT(numbers); j++)
            is_number = is_number || value.type == numbers[j];
        assert_int_equal(sp_value_is_number(&value), is_number);
        assert_int_equal(sp_value_has_children(&value), value.type == BSON_TYPE_DOCUMENT ||
                                                            value.type == BSON_TYPE_ARRAY ||
                                                            value.type == BSON_TYPE_CODEWSCOPE);
        bson_destroy(holder);
    }
}

static void test_texts(void **state)
{
    (void)state;
    static const char *const texts[] = {"'a\\u0000b'", "{'$symbol': 'a\\u0000b'}",
                                        "{'$code': 'a\\u0000b'}"};
    for (size_t i = 0; i < COUNT(texts); i++) {
        bson_t *holder;
        uint32_t size;
        sp_value_t value = value_of(texts[i], &holder);
        const char *text = sp_value_text(&value, &size);
        assert_int_equal(size, 3);
        assert_memory_equal(text, "a\0b", 4);
        bson_destroy(holder);
    }
    bson_t *holder;
    uint32_t size;
    sp_value_t value = value_of("''", &holder);
    assert_string_equal(sp_value_text(&value, &size), "");
    assert_int_equal(size, 0);
    bson_destroy(holder);
}

static void test_scope(void **state)
{
    (void)state;
    bson_t *holder;
    bson_iter_t iter;
    uint32_t size;
    sp_value_t value =
        value_of("{'$code': 'f\\u0000g', '$scope': {'a': {'$numberInt': '7'}}}", &holder);
    assert_memory_equal(sp_value_scoped_code(&value, &size), "f\0g", 4);
    assert_int_equal(size, 3);
    sp_value_t scope = sp_value_scope(&value);
    assert_int_equal(scope.type, BSON_TYPE_DOCUMENT);
    assert_int_equal(scope.size, 12);
    assert_true(sp_value_children(&value, &iter) && bson_iter_next(&iter));
    assert_string_equal(bson_iter_key(&iter), "a");
    assert_int_equal(bson_iter_int32(&iter), 7);
    assert_false(bson_iter_next(&iter));
    bson_destroy(holder);
}

static void test_document(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(every_type); i++) {
        bson_t *holder, doc;
        bson_iter_t iter;
        sp_value_t value = sp_value_from(every_type[i], &holder);
        assert_true(bson_iter_init_find(&iter, holder, "v"));
        bool is_document = value.type == BSON_TYPE_DOCUMENT;
        assert_int_equal(sp_value_document(&iter, &doc), is_document);
        if (is_document) {
            assert_int_equal(doc.len, value.size);
            assert_ptr_equal(bson_get_data(&doc), value.data);
        }
        bson_destroy(holder);
    }
}

static void test_children_of_no_document(void **state)
{
    (void)state;
    bson_iter_t iter;
    static const uint8_t short_one[] = {4, 0, 0, 0};
    static const uint8_t wrong_length[] = {6, 0, 0, 0, 0};
    static const uint8_t no_end[] = {5, 0, 0, 0, 1};
    const sp_value_t values[] = {
        {BSON_TYPE_DOCUMENT, 0, short_one},
        {BSON_TYPE_DOCUMENT, sizeof short_one, short_one},
        {BSON_TYPE_DOCUMENT, sizeof wrong_length, wrong_length},
        {BSON_TYPE_ARRAY, sizeof no_end, no_end},
    };
    for (size_t i = 0; i < COUNT(values); i++)
        assert_false(sp_value_children(&values[i], &iter));
}

/* A document of these bytes, in a block of exactly their size. */
static bool check_bytes(const uint8_t *bytes, size_t size, sp_error_t *error)
{
    uint8_t *exact = malloc(size > 0 ? size : 1);
    assert_non_null(exact);
    memcpy(exact, bytes, size);
    bson_t doc;
    bool ok = bson_init_static(&doc, exact, size) && sp_document_check(&doc, error);
    free(exact);
    return ok;
}

/* One field "v" of `type` with these bytes, wrapped into a document of the right length. */
static bool check_field(uint8_t type, const char *bytes, size_t size, sp_error_t *error)
{
    sp_bytes_t doc = {0};
    sp_bytes_append_u32(&doc, (uint32_t)(4 + 1 + 2 + size + 1));
    sp_bytes_append_byte(&doc, type);
    sp_bytes_append(&doc, "v", 2);
    sp_bytes_append(&doc, bytes, size);
    sp_bytes_append_byte(&doc, 0);
    bool ok = check_bytes(doc.data, doc.size, error);
    sp_bytes_free(&doc);
    return ok;
}

#define FIELD(type, bytes) (type), (bytes), sizeof(bytes) - 1

static const struct broken {
    const char *what;
    uint8_t type;
    const char *bytes;
    size_t size;
} broken[] = {
    {"a short double", FIELD(0x01, "1234567")},
    {"a long double", FIELD(0x01, "123456789")},
    {"a string without length", FIELD(0x02, "")},
    {"a string of length 0", FIELD(0x02, "\0\0\0\0")},
    {"a string that ends without NUL", FIELD(0x02, "\1\0\0\0a")},
    {"a string longer than the document", FIELD(0x02, "\x7f\0\0\0a\0")},
    {"a string of negative length", FIELD(0x02, "\xff\xff\xff\xff\0")},
    {"a document of length 4", FIELD(0x03, "\4\0\0\0")},
    {"a document longer than its parent", FIELD(0x03, "\x20\0\0\0\0")},
    {"a document without end", FIELD(0x03, "\5\0\0\0\1")},
    {"a broken document inside", FIELD(0x03, "\x08\0\0\0\x10\0\0\0")},
    {"an array of length 4", FIELD(0x04, "\4\0\0\0")},
    {"a binary without subtype", FIELD(0x05, "\0\0\0\0")},
    {"a binary longer than the document", FIELD(0x05, "\5\0\0\0\0abc")},
    {"subtype 2 with a wrong inner length", FIELD(0x05, "\5\0\0\0\2\5\0\0\0a")},
    {"subtype 2 without an inner length", FIELD(0x05, "\1\0\0\0\2a")},
    {"a short ObjectId", FIELD(0x07, "12345678901")},
    {"a bool of 2", FIELD(0x08, "\2")},
    {"a bool without a byte", FIELD(0x08, "")},
    {"a short date", FIELD(0x09, "1234567")},
    {"a regex without options", FIELD(0x0b, "a\0")},
    {"a regex without an end", FIELD(0x0b, "a")},
    {"a DBPointer without ObjectId", FIELD(0x0c, "\1\0\0\0\0")},
    {"a DBPointer with a short ObjectId", FIELD(0x0c, "\1\0\0\0\00012345678901")},
    {"code that ends without NUL", FIELD(0x0d, "\1\0\0\0a")},
    {"a symbol of length 0", FIELD(0x0e, "\0\0\0\0")},
    {"scoped code too short", FIELD(0x0f, "\x0d\0\0\0\1\0\0\0\0\5\0\0\0")},
    {"scoped code without NUL", FIELD(0x0f, "\x0e\0\0\0\1\0\0\0a\5\0\0\0\0")},
    {"scoped code whose code has length 0", FIELD(0x0f, "\x0e\0\0\0\0\0\0\0\0\5\0\0\0\0")},
    {"scoped code whose code reaches into the scope",
     FIELD(0x0f, "\x0e\0\0\0\2\0\0\0\0\5\0\0\0\0")},
    {"scoped code whose code is longer than all",
     FIELD(0x0f, "\x0e\0\0\0\xff\xff\xff\x7f\0\5\0\0\0\0")},
    {"scoped code whose scope does not fill it", FIELD(0x0f, "\x0f\0\0\0\1\0\0\0\0\5\0\0\0\0\0")},
    {"scoped code with a broken scope", FIELD(0x0f, "\x11\0\0\0\1\0\0\0\0\x08\0\0\0\x10\0\0\0")},
    {"a short int32", FIELD(0x10, "123")},
    {"a short timestamp", FIELD(0x11, "1234567")},
    {"a short int64", FIELD(0x12, "1234567")},
    {"a short decimal", FIELD(0x13, "123456789012345")},
    {"a null with bytes", FIELD(0x0a, "a")},
    {"an unknown type", FIELD(0x14, "")},
    {"type 0 in the middle", FIELD(0x00, "")},
    {"type 0x80", FIELD(0x80, "")},
};

static void test_broken_documents(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(broken); i++) {
        sp_error_t error = {0};
        if (check_field(broken[i].type, broken[i].bytes, broken[i].size, &error))
            fail_msg("%s is taken", broken[i].what);
        assert_true(error.domain == SP_ERROR_INPUT || error.domain == SP_ERROR_NONE);
    }
}

static void test_sound_fields(void **state)
{
    (void)state;
    static const struct broken sound[] = {
        {"an empty string", FIELD(0x02, "\1\0\0\0\0")},
        {"a string that is no UTF-8", FIELD(0x02, "\2\0\0\0\xff\0")},
        {"an empty document", FIELD(0x03, "\5\0\0\0\0")},
        {"an array with odd names", FIELD(0x04, "\x08\0\0\0\x0a"
                                                "7\0\0")},
        {"an empty binary", FIELD(0x05, "\0\0\0\0\0")},
        {"an empty binary of subtype 2", FIELD(0x05, "\4\0\0\0\2\0\0\0\0")},
        {"an empty regex", FIELD(0x0b, "\0\0")},
        {"the least scoped code", FIELD(0x0f, "\x0e\0\0\0\1\0\0\0\0\5\0\0\0\0")},
        {"a DBPointer", FIELD(0x0c, "\1\0\0\0\000123456789012")},
    };
    for (size_t i = 0; i < COUNT(sound); i++) {
        sp_error_t error = {0};
        if (!check_field(sound[i].type, sound[i].bytes, sound[i].size, &error))
            fail_msg("%s: %s", sound[i].what, error.message);
    }
}

/* A last field without bytes of its own must not pass for the end mark. */
static void test_missing_end_mark(void **state)
{
    (void)state;
    static const uint8_t null_field[] = {6, 0, 0, 0, 0x0a, 0};
    static const uint8_t min_key[] = {7, 0, 0, 0, 0xff, 'a', 0};
    static const uint8_t regex[] = {10, 0, 0, 0, 0x0b, 'a', 0, 'b', 0, 0};
    static const uint8_t inner[] = {14, 0, 0, 0, 0x03, 'd', 0, 6, 0, 0, 0, 0x0a, 0, 0};
    sp_error_t error = {0};
    assert_false(check_bytes(null_field, sizeof null_field, &error));
    assert_int_equal(error.domain, SP_ERROR_INPUT);
    assert_false(check_bytes(min_key, sizeof min_key, NULL));
    assert_false(check_bytes(regex, sizeof regex, NULL));
    assert_false(check_bytes(inner, sizeof inner, NULL));
}

/* `depth` documents in one another, arrays in between. */
static void nest(bson_t *doc, unsigned depth)
{
    bson_init(doc);
    for (unsigned i = 1; i < depth; i++) {
        bson_t outer = BSON_INITIALIZER;
        if (i % 2 == 0)
            BSON_APPEND_DOCUMENT(&outer, "0", doc);
        else
            BSON_APPEND_ARRAY(&outer, "0", doc);
        bson_destroy(doc);
        bson_copy_to(&outer, doc);
        bson_destroy(&outer);
    }
}

static void test_depth(void **state)
{
    (void)state;
    bson_t doc;
    sp_error_t error = {0};
    nest(&doc, SP_DEPTH_MAX);
    assert_true(sp_document_check(&doc, NULL));
    bson_destroy(&doc);
    nest(&doc, SP_DEPTH_MAX + 1);
    assert_false(sp_document_check(&doc, &error));
    assert_int_equal(error.domain, SP_ERROR_INPUT);
    assert_non_null(strstr(error.message, "nested more than 200 deep"));
    bson_destroy(&doc);
    nest(&doc, 5000);
    assert_false(sp_document_check(&doc, NULL));
    bson_destroy(&doc);
}

/* No byte of a sound document can be changed, nor its end cut off, in a way that reads outside of
 * it. */
static void test_damaged_documents(void **state)
{
    (void)state;
    bson_t all = BSON_INITIALIZER;
    for (size_t i = 0; i < COUNT(every_type); i++) {
        bson_t *holder;
        sp_value_t value = sp_value_from(every_type[i], &holder);
        sp_value_append(&all, "v", &value);
        bson_destroy(holder);
    }
    uint8_t *bytes = bson_malloc(all.len);
    memcpy(bytes, bson_get_data(&all), all.len);
    static const uint8_t values[] = {0, 1, 2, 4, 0x7f, 0x80, 0xff};
    for (uint32_t at = 0; at < all.len; at++) {
        uint8_t kept = bytes[at];
        for (size_t i = 0; i < COUNT(values); i++) {
            bytes[at] = values[i];
            (void)check_bytes(bytes, all.len, NULL);
        }
        bytes[at] = kept;
    }
    for (uint32_t size = 5; size < all.len; size++) {
        uint32_t size_le = BSON_UINT32_TO_LE(size);
        uint8_t *cut = bson_malloc(size);
        memcpy(cut, bytes, size);
        memcpy(cut, &size_le, sizeof size_le);
        cut[size - 1] = 0;
        (void)check_bytes(cut, size, NULL);
        bson_free(cut);
    }
    bson_free(bytes);
    bson_destroy(&all);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_append),
        cmocka_unit_test(test_append_large),
        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_texts),
        cmocka_unit_test(test_scope),
        cmocka_unit_test(test_document),
        cmocka_unit_test(test_children_of_no_document),
        cmocka_unit_test(test_broken_documents),
        cmocka_unit_test(test_sound_fields),
        cmocka_unit_test(test_missing_end_mark),
        cmocka_unit_test(test_depth),
        cmocka_unit_test(test_damaged_documents),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
