#include "../fuzzers/gen_value.h"

#include "../oracles/order.h"
#include "from_json.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { SCENES = 20000 };

static void draw(uint64_t scene, const sp_value_t *like, bson_t *doc, sp_value_t *value)
{
    uint8_t bytes[512];
    sp_producer_t producer;
    bson_iter_t iter;
    bson_init(doc);
    sp_expand_seed(1, like == NULL ? "value" : "near", scene, bytes, sizeof bytes);
    sp_producer_init(&producer, bytes, sizeof bytes);
    if (like == NULL)
        sp_gen_value(&producer, doc, "v");
    else
        sp_gen_value_near(&producer, like, doc, "v");
    assert_int_equal(bson_count_keys(doc), 1);
    assert_true(sp_document_check(doc, NULL));
    assert_true(bson_iter_init_find(&iter, doc, "v"));
    *value = sp_value_of(&iter);
}

static unsigned depth_of(const sp_value_t *value)
{
    bson_iter_t iter;
    unsigned deepest = 0;
    if (!sp_value_has_children(value))
        return 0;
    assert_true(sp_value_children(value, &iter));
    while (bson_iter_next(&iter)) {
        sp_value_t child = sp_value_of(&iter);
        unsigned depth = depth_of(&child);
        deepest = depth > deepest ? depth : deepest;
    }
    return deepest + 1;
}

/* Servers take documents of 180 levels; a value is sent some levels below the top. */
static void test_depth(void **state)
{
    (void)state;
    unsigned deepest = 0;
    for (uint64_t scene = 0; scene < SCENES; scene++) {
        bson_t doc;
        sp_value_t value;
        draw(scene, NULL, &doc, &value);
        unsigned depth = depth_of(&value);
        assert_true(depth <= 150);
        deepest = depth > deepest ? depth : deepest;
        bson_destroy(&doc);
    }
    assert_true(deepest > 50);
}

/* A neighbour is of the same class, but for the scope of code, and not always the value itself. */
static void test_near_values(void **state)
{
    (void)state;
    unsigned of_type[256] = {0}, changed[256] = {0};
    for (uint64_t scene = 0; scene < 2 * (uint64_t)SCENES; scene++) {
        bson_t doc, near_doc;
        sp_value_t value, near_value;
        draw(scene, NULL, &doc, &value);
        draw(scene, &value, &near_doc, &near_value);
        assert_int_equal(sp_type_class(value.type), sp_type_class(near_value.type));
        of_type[(uint8_t)value.type]++;
        changed[(uint8_t)value.type] += sp_value_compare(&value, &near_value) != 0;
        bson_destroy(&doc);
        bson_destroy(&near_doc);
    }
    static const bson_type_t varied[] = {
        BSON_TYPE_DOUBLE,    BSON_TYPE_UTF8, BSON_TYPE_DOCUMENT,  BSON_TYPE_ARRAY,
        BSON_TYPE_BINARY,    BSON_TYPE_OID,  BSON_TYPE_DATE_TIME, BSON_TYPE_REGEX,
        BSON_TYPE_DBPOINTER, BSON_TYPE_CODE, BSON_TYPE_SYMBOL,    BSON_TYPE_INT32,
        BSON_TYPE_TIMESTAMP, BSON_TYPE_BOOL, BSON_TYPE_INT64,     BSON_TYPE_DECIMAL128};
    for (size_t i = 0; i < sizeof varied / sizeof *varied; i++) {
        unsigned type = (uint8_t)varied[i];
        if (changed[type] * 20 < of_type[type] || of_type[type] == 0)
            fail_msg("of %u values of type %u only %u have a neighbour", of_type[type], type,
                     changed[type]);
    }
}

/* A neighbour of a neighbour, and so on, stays sound and in bounds. */
static void test_chains_of_neighbours(void **state)
{
    (void)state;
    for (uint64_t chain = 0; chain < 100; chain++) {
        bson_t doc;
        sp_value_t value;
        draw(chain, NULL, &doc, &value);
        for (uint64_t link = 0; link < 100; link++) {
            bson_t next;
            sp_value_t near_value;
            draw(1000 * chain + link, &value, &next, &near_value);
            assert_true(near_value.size < 100000);
            bson_destroy(&doc);
            bson_copy_to(&next, &doc);
            bson_destroy(&next);
            bson_iter_t iter;
            assert_true(bson_iter_init_find(&iter, &doc, "v"));
            value = sp_value_of(&iter);
        }
        bson_destroy(&doc);
    }
}

/* Whatever the bytes, and however few: a value comes, always the same, and what is not needed
 * stays. */
/* A column with a bit flipped is none, and since 6.0.24 no message may hold such a one. */
static void test_columns_stay_columns(void **state)
{
    (void)state;
    static const uint8_t column[] = {0x10, 0, 1, 0, 0, 0, 0};
    bson_t like_doc = BSON_INITIALIZER;
    bson_iter_t iter;
    BSON_APPEND_BINARY(&like_doc, "v", (bson_subtype_t)7, column, sizeof column);
    assert_true(bson_iter_init_find(&iter, &like_doc, "v"));
    sp_value_t like = sp_value_of(&iter);
    for (uint64_t scene = 0; scene < 1000; scene++) {
        bson_t doc;
        sp_value_t value;
        draw(scene, &like, &doc, &value);
        assert_int_equal(sp_value_compare(&value, &like), 0);
        bson_destroy(&doc);
    }
    bson_destroy(&like_doc);
}

static void test_any_bytes(void **state)
{
    (void)state;
    uint8_t bytes[200];
    for (unsigned fill = 0; fill < 256; fill++) {
        memset(bytes, (int)fill, sizeof bytes);
        for (size_t size = 0; size <= sizeof bytes; size += 25) {
            bson_t first = BSON_INITIALIZER, second = BSON_INITIALIZER;
            sp_producer_t producer, again;
            sp_producer_init(&producer, bytes, size);
            sp_gen_value(&producer, &first, "v");
            sp_producer_init(&again, bytes, size);
            sp_gen_value(&again, &second, "v");
            assert_true(bson_equal(&first, &second));
            assert_int_equal(producer.left, again.left);
            assert_true(sp_document_check(&first, NULL));
            bson_destroy(&first);
            bson_destroy(&second);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_depth),
        cmocka_unit_test(test_near_values),
        cmocka_unit_test(test_chains_of_neighbours),
        cmocka_unit_test(test_any_bytes),
        cmocka_unit_test(test_columns_stay_columns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
