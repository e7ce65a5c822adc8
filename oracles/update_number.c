#include "update_number.h"

#include "number.h"

#include <bid_conf.h>
#include <bid_functions.h>
#include <math.h>
#include <string.h>

sp_value_t sp_number_value(const sp_number_t *number)
{
    uint32_t size = number->type == BSON_TYPE_INT32        ? 4
                    : number->type == BSON_TYPE_DECIMAL128 ? 16
                                                           : 8;
    return (sp_value_t){number->type, size, number->bytes};
}

static void store(sp_number_t *number, bson_type_t type, uint64_t bits)
{
    uint64_t little = BSON_UINT64_TO_LE(bits);
    *number = (sp_number_t){.type = type};
    memcpy(number->bytes, &little, sizeof little);
}

static void store_double(sp_number_t *number, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    store(number, BSON_TYPE_DOUBLE, bits);
}

static void store_decimal(sp_number_t *number, BID_UINT128 decimal)
{
    uint64_t low = BSON_UINT64_TO_LE(decimal.w[BID_LOW_128W]);
    uint64_t high = BSON_UINT64_TO_LE(decimal.w[BID_HIGH_128W]);
    number->type = BSON_TYPE_DECIMAL128;
    memcpy(number->bytes, &low, sizeof low);
    memcpy(number->bytes + 8, &high, sizeof high);
}

static BID_UINT128 load_decimal(const sp_value_t *value)
{
    sp_value_t high = *value;
    high.data += 8;
    BID_UINT128 decimal;
    decimal.w[BID_LOW_128W] = (uint64_t)sp_value_int64(value);
    decimal.w[BID_HIGH_128W] = (uint64_t)sp_value_int64(&high);
    return decimal;
}

/* The smallest decimal exponent with which `number` has 15 digits. */
static BID_UINT128 fifteen_digits(double number)
{
    const int digits = 15;
    unsigned flags = 0;
    BID_UINT128 exact = binary64_to_bid128(number, BID_ROUNDING_TO_NEAREST, &flags);
    if (number == 0 || !isfinite(number))
        return exact;
    int exponent = bid128_ilogb(exact, &flags) - (digits - 1);
    BID_UINT128 unit =
        bid128_scalbn(bid128_from_int32(1), exponent, BID_ROUNDING_TO_NEAREST, &flags);
    return bid128_quantize(exact, unit, BID_ROUNDING_TO_NEAREST, &flags);
}

static int64_t load_integer(const sp_value_t *value)
{
    return value->type == BSON_TYPE_INT32 ? sp_value_int32(value) : sp_value_int64(value);
}

static BID_UINT128 as_decimal(const sp_value_t *value)
{
    if (value->type == BSON_TYPE_DECIMAL128)
        return load_decimal(value);
    if (value->type == BSON_TYPE_DOUBLE)
        return fifteen_digits(sp_value_double(value));
    return bid128_from_int64(load_integer(value));
}

static double as_double(const sp_value_t *value)
{
    return value->type == BSON_TYPE_DOUBLE ? sp_value_double(value) : (double)load_integer(value);
}

static bool either_is(const sp_value_t *a, const sp_value_t *b, bson_type_t type)
{
    return a->type == type || b->type == type;
}

static void store_integer(const sp_value_t *a, const sp_value_t *b, int64_t integer,
                          sp_number_t *number)
{
    bool small = !either_is(a, b, BSON_TYPE_INT64) && integer >= INT32_MIN && integer <= INT32_MAX;
    store(number, small ? BSON_TYPE_INT32 : BSON_TYPE_INT64, (uint64_t)integer);
}

bool sp_number_add(const sp_value_t *a, const sp_value_t *b, sp_number_t *sum)
{
    int64_t integer;
    unsigned flags = 0;
    if (either_is(a, b, BSON_TYPE_DECIMAL128)) {
        store_decimal(sum,
                      bid128_add(as_decimal(a), as_decimal(b), BID_ROUNDING_TO_NEAREST, &flags));
        return true;
    }
    if (either_is(a, b, BSON_TYPE_DOUBLE)) {
        store_double(sum, as_double(a) + as_double(b));
        return true;
    }
    if (__builtin_add_overflow(load_integer(a), load_integer(b), &integer))
        return false;
    store_integer(a, b, integer, sum);
    return true;
}

bool sp_number_multiply(const sp_value_t *a, const sp_value_t *b, sp_number_t *product)
{
    int64_t integer;
    unsigned flags = 0;
    if (either_is(a, b, BSON_TYPE_DECIMAL128)) {
        store_decimal(product,
                      bid128_mul(as_decimal(a), as_decimal(b), BID_ROUNDING_TO_NEAREST, &flags));
        return true;
    }
    if (either_is(a, b, BSON_TYPE_DOUBLE)) {
        store_double(product, as_double(a) * as_double(b));
        return true;
    }
    if (__builtin_mul_overflow(load_integer(a), load_integer(b), &integer))
        return false;
    store_integer(a, b, integer, product);
    return true;
}

bool sp_number_identical(const sp_value_t *a, const sp_value_t *b)
{
    return a->type == b->type && !sp_number_is_nan(a) && !sp_number_is_nan(b) &&
           sp_number_compare(a, b) == 0;
}
