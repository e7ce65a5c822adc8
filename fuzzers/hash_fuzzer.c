/*
 * Fuzz target: hashed index values.
 *
 * Checks, of a generated value and of one beside it:
 *  - the case is sound BSON and reads back from its Extended JSON byte by byte;
 *  - the hash depends on the value alone: not on where its bytes lie, nor on what came before;
 *  - it changes when the value is put into an object or an array, and with the field's name;
 *  - a number hashes like the int64 that a second, plain implementation makes of it;
 *  - one integer hashes alike as int32, int64, double and decimal, wherever the type holds it
 *    exactly, and the decimal in whatever scale; every zero hashes like 0, and so does every NaN.
 * Left out: the double 2^63, which hashes as the least int64 by the server's rule, so it is not
 * held against the decimal 2^63.
 *
 * Does not check that the hashes are a server's: tests/test_hash.c and the live area `hash` do.
 */
#include "../oracles/hash.h"
#include "../oracles/number.h"
#include "fuzz_check.h"
#include "gen_number.h"
#include "gen_value.h"
#include "plain_number.h"
#include "scenes.h"

#include <assert.h>
#include <string.h>

static int64_t hash_with_fresh_hasher(const sp_value_t *value)
{
    sp_hasher_t *hasher = sp_hasher_new(NULL);
    assert(hasher != NULL);
    int64_t hash = sp_hash_value(hasher, value);
    sp_hasher_free(hasher);
    return hash;
}

/* A copy in a block of its own that ends with the value, at an odd address. */
static int64_t hash_elsewhere(sp_hasher_t *hasher, const sp_value_t *value)
{
    uint8_t *block = bson_malloc(value->size + 1);
    memcpy(block + 1, value->data, value->size);
    const sp_value_t copy = {value->type, value->size, block + 1};
    int64_t hash = sp_hash_value(hasher, &copy);
    bson_free(block);
    return hash;
}

static int64_t hash_in(sp_hasher_t *hasher, bson_type_t type, const char *name,
                       const sp_value_t *value)
{
    bson_t outer = BSON_INITIALIZER;
    sp_value_append(&outer, name, value);
    const sp_value_t wrapped = {type, outer.len, bson_get_data(&outer)};
    int64_t hash = sp_hash_value(hasher, &wrapped);
    bson_destroy(&outer);
    return hash;
}

static void check_hash(sp_hasher_t *hasher, const sp_value_t *value, const bson_t *scene)
{
    int64_t hash = sp_hash_value(hasher, value);
    sp_fuzz_check(hash == sp_hash_value(hasher, value), "hashing twice gives one hash", scene);
    sp_fuzz_check(hash == hash_with_fresh_hasher(value), "a hasher keeps nothing", scene);
    sp_fuzz_check(hash == hash_elsewhere(hasher, value), "a hash is of the bytes alone", scene);
    int64_t in_object = hash_in(hasher, BSON_TYPE_DOCUMENT, "0", value);
    int64_t in_array = hash_in(hasher, BSON_TYPE_ARRAY, "0", value);
    sp_fuzz_check(in_object != hash_in(hasher, BSON_TYPE_DOCUMENT, "1", value),
                  "the name of a field is hashed with it", scene);
    sp_fuzz_check(hash != in_object && hash != in_array && in_object != in_array,
                  "a value, an object around it and an array around it hash differently", scene);
}

static int64_t hash_integer(sp_hasher_t *hasher, int64_t integer)
{
    const uint64_t little = BSON_UINT64_TO_LE((uint64_t)integer);
    const sp_value_t value = {BSON_TYPE_INT64, sizeof little, (const uint8_t *)&little};
    return sp_hash_value(hasher, &value);
}

static void check_number(sp_hasher_t *hasher, const sp_value_t *value, const bson_t *scene)
{
    sp_plain_t plain;
    sp_plain_read(value, &plain);
    int64_t integer = sp_plain_for_hash(&plain);
    sp_fuzz_check(sp_number_for_hash(value) == integer,
                  "a number is cut or rounded to the integer its digits give", scene);
    sp_fuzz_check(sp_hash_value(hasher, value) == hash_integer(hasher, integer),
                  "a number hashes like that integer", scene);
}

static bson_decimal128_t decimal(uint64_t coefficient, int exponent, bool negative)
{
    const int bias = 6176;
    bson_decimal128_t made;
    made.low = coefficient;
    made.high = (uint64_t)(exponent + bias) << 49 | (uint64_t)negative << 63;
    return made;
}

/* All the guises that `integer` has, exactly. */
static void append_guises(sp_producer_t *producer, int64_t integer, bson_t *guises)
{
    BSON_APPEND_INT64(guises, "int64", integer);
    if (integer >= INT32_MIN && integer <= INT32_MAX)
        BSON_APPEND_INT32(guises, "int32", (int32_t)integer);
    double number = (double)integer;
    if (number < 0x1p63 && (int64_t)number == integer)
        BSON_APPEND_DOUBLE(guises, "double", number);
    if (integer == 0)
        BSON_APPEND_DOUBLE(guises, "-0.0", -0.0);

    uint64_t size = integer < 0 ? 0 - (uint64_t)integer : (uint64_t)integer;
    bson_decimal128_t made = decimal(size, 0, integer < 0);
    BSON_APPEND_DECIMAL128(guises, "decimal", &made);
    int exponent = 0;
    for (unsigned zeros = sp_draw_below(producer, 20); zeros > 0 && size <= UINT64_MAX / 10;
         zeros--) {
        size *= 10;
        exponent--;
    }
    bool negative = integer < 0;
    if (integer == 0) { /* any exponent will do, and either sign */
        exponent = (int)sp_draw_below(producer, 6176 + 6112) - 6176;
        negative = sp_draw_one_in(producer, 2);
    }
    made = decimal(size, exponent, negative);
    BSON_APPEND_DECIMAL128(guises, "scaled", &made);
}

static void append_nans(sp_producer_t *producer, bson_t *guises)
{
    uint64_t payload = sp_draw_bits(producer, 8);
    uint64_t bits = payload | UINT64_C(0x7ff) << 52;
    double number;
    memcpy(&number, &bits, sizeof number);
    bson_decimal128_t made = {.low = payload, .high = payload | UINT64_C(0x7c) << 56};
    BSON_APPEND_DECIMAL128(guises, "decimal NaN", &made);
    if (bits << 12 != 0)
        BSON_APPEND_DOUBLE(guises, "double NaN", number);
}

static void check_guises(sp_hasher_t *hasher, sp_producer_t *producer, int64_t integer)
{
    bson_t guises = BSON_INITIALIZER;
    append_guises(producer, integer, &guises);
    if (integer == 0)
        append_nans(producer, &guises);
    int64_t wanted = hash_integer(hasher, integer);
    bson_iter_t iter;
    bool sound = bson_iter_init(&iter, &guises);
    assert(sound);
    while (bson_iter_next(&iter)) {
        sp_value_t value = sp_value_of(&iter);
        sp_fuzz_check(sp_hash_value(hasher, &value) == wanted,
                      "one integer hashes alike in all types", &guises);
        check_number(hasher, &value, &guises);
    }
    sp_fuzz_check_scene(&guises);
    bson_destroy(&guises);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const sp_scene_context_t context = {.shards = 3};
    sp_producer_t producer;
    sp_producer_init(&producer, data, size);
    sp_hasher_t *hasher = sp_hasher_new(NULL);
    assert(hasher != NULL);

    bson_t scene = BSON_INITIALIZER, near = BSON_INITIALIZER;
    sp_gen_hash(&context, &producer, &scene);
    sp_fuzz_check_scene(&scene);
    sp_value_t value = sp_fuzz_value(&scene, "value");
    sp_gen_value_near(&producer, &value, &near, "value");
    sp_fuzz_check_scene(&near);
    sp_value_t near_value = sp_fuzz_value(&near, "value");

    check_hash(hasher, &value, &scene);
    check_hash(hasher, &near_value, &near);
    if (sp_value_is_number(&value)) {
        check_number(hasher, &value, &scene);
        check_number(hasher, &near_value, &near);
        check_guises(hasher, &producer, sp_number_for_hash(&value));
    } else {
        check_guises(hasher, &producer, (int64_t)sp_draw_bits(&producer, 8));
    }

    bson_destroy(&near);
    bson_destroy(&scene);
    sp_hasher_free(hasher);
    return 0;
}
