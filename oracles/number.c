#include "number.h"

#include <assert.h>
#include <bid_conf.h>
#include <bid_functions.h>
#include <math.h>
#include <string.h>

#define TWO_63 9223372036854775808.0

static BID_UINT128 load_decimal(const sp_value_t *value)
{
    assert(value->size >= 16);
    uint64_t low, high;
    memcpy(&low, value->data, sizeof low);
    memcpy(&high, value->data + 8, sizeof high);
    BID_UINT128 decimal;
    decimal.w[BID_LOW_128W] = BSON_UINT64_FROM_LE(low);
    decimal.w[BID_HIGH_128W] = BSON_UINT64_FROM_LE(high);
    return decimal;
}

static int64_t load_integer(const sp_value_t *value)
{
    return value->type == BSON_TYPE_INT32 ? sp_value_int32(value) : sp_value_int64(value);
}

bool sp_number_is_nan(const sp_value_t *value)
{
    if (value->type == BSON_TYPE_DOUBLE)
        return isnan(sp_value_double(value));
    if (value->type == BSON_TYPE_DECIMAL128)
        return bid128_isNaN(load_decimal(value));
    return false;
}

static int compare_integers(int64_t a, int64_t b)
{
    return (a > b) - (a < b);
}

static int compare_doubles(double a, double b)
{
    return (a > b) - (a < b);
}

static int compare_integer_to_double(int64_t integer, double number)
{
    if (number >= TWO_63)
        return -1;
    if (number < -TWO_63)
        return 1;
    int order = compare_integers(integer, (int64_t)number);
    return order != 0 ? order : compare_doubles(0, number - trunc(number));
}

static int compare_decimals(BID_UINT128 a, BID_UINT128 b)
{
    unsigned flags = 0;
    return bid128_quiet_greater(a, b, &flags) - bid128_quiet_less(a, b, &flags);
}

/* A double may need 767 digits, a decimal has 34. Cutting the double to 34 digits leaves no decimal
 * between the cut and the double, so the cut decides unless it equals the decimal; then what was
 * cut off does. */
static int compare_decimal_to_double(BID_UINT128 decimal, double number)
{
    unsigned flags = 0;
    BID_UINT128 cut = binary64_to_bid128(number, BID_ROUNDING_TO_ZERO, &flags);
    int order = compare_decimals(decimal, cut);
    if (order != 0 || (flags & BID_INEXACT_EXCEPTION) == 0)
        return order;
    return number > 0 ? -1 : 1;
}

static int compare_decimal(BID_UINT128 decimal, const sp_value_t *other)
{
    if (other->type == BSON_TYPE_DECIMAL128)
        return compare_decimals(decimal, load_decimal(other));
    if (other->type == BSON_TYPE_DOUBLE)
        return compare_decimal_to_double(decimal, sp_value_double(other));
    return compare_decimals(decimal, bid128_from_int64(load_integer(other)));
}

int sp_number_compare(const sp_value_t *a, const sp_value_t *b)
{
    assert(sp_value_is_number(a) && sp_value_is_number(b));
    bool a_nan = sp_number_is_nan(a), b_nan = sp_number_is_nan(b);
    if (a_nan || b_nan)
        return b_nan - a_nan;
    if (a->type == BSON_TYPE_DECIMAL128)
        return compare_decimal(load_decimal(a), b);
    if (b->type == BSON_TYPE_DECIMAL128)
        return -compare_decimal(load_decimal(b), a);
    if (a->type == BSON_TYPE_DOUBLE && b->type == BSON_TYPE_DOUBLE)
        return compare_doubles(sp_value_double(a), sp_value_double(b));
    if (b->type == BSON_TYPE_DOUBLE)
        return compare_integer_to_double(load_integer(a), sp_value_double(b));
    if (a->type == BSON_TYPE_DOUBLE)
        return -compare_integer_to_double(load_integer(b), sp_value_double(a));
    return compare_integers(load_integer(a), load_integer(b));
}

double sp_number_nearest_double(const sp_value_t *value)
{
    unsigned flags = 0;
    if (value->type == BSON_TYPE_DOUBLE)
        return sp_value_double(value);
    if (value->type == BSON_TYPE_DECIMAL128)
        return bid128_to_binary64(load_decimal(value), BID_ROUNDING_TO_NEAREST, &flags);
    return (double)load_integer(value);
}

static int64_t double_for_hash(double number)
{
    if (isnan(number))
        return 0;
    if (number > TWO_63)
        return INT64_MAX;
    /* 2^63 itself is not caught by the server's upper limit, which is INT64_MAX rounded to double,
     * and what the processor makes of the conversion is the least integer. */
    if (number == TWO_63 || number < -TWO_63)
        return INT64_MIN;
    return (int64_t)number;
}

static int64_t decimal_for_hash(BID_UINT128 decimal)
{
    if (bid128_isNaN(decimal))
        return 0;
    unsigned flags = 0;
    int64_t rounded = bid128_to_int64_rnint(decimal, &flags);
    if ((flags & BID_INVALID_EXCEPTION) == 0)
        return rounded;
    return bid128_isSigned(decimal) ? INT64_MIN : INT64_MAX;
}

int64_t sp_number_for_hash(const sp_value_t *value)
{
    if (value->type == BSON_TYPE_DOUBLE)
        return double_for_hash(sp_value_double(value));
    if (value->type == BSON_TYPE_DECIMAL128)
        return decimal_for_hash(load_decimal(value));
    return load_integer(value);
}

bool sp_number_whole_part(const sp_value_t *value, int64_t *whole)
{
    if (value->type == BSON_TYPE_DOUBLE) {
        double number = sp_value_double(value);
        if (!(number >= -TWO_63 && number < TWO_63))
            return false;
        *whole = (int64_t)number;
        return true;
    }
    if (value->type == BSON_TYPE_DECIMAL128) {
        unsigned flags = 0;
        *whole = bid128_to_int64_int(load_decimal(value), &flags);
        return (flags & BID_INVALID_EXCEPTION) == 0;
    }
    *whole = load_integer(value);
    return true;
}

bool sp_number_index_misreads(const sp_value_t *value)
{
    const int64_t first_unexact = (INT64_C(1) << 53) + 1;
    if (value->type != BSON_TYPE_DECIMAL128)
        return false;
    unsigned flags = 0;
    BID_UINT128 decimal = load_decimal(value);
    int64_t whole = bid128_to_int64_xint(decimal, &flags);
    bool has_fraction = (flags & BID_INEXACT_EXCEPTION) != 0;
    return has_fraction && (whole == first_unexact || whole == -first_unexact);
}

bool sp_number_misread_inside(const sp_value_t *value)
{
    bson_iter_t iter;
    if (sp_number_index_misreads(value))
        return true;
    if (!sp_value_has_children(value) || !sp_value_children(value, &iter))
        return false;
    while (bson_iter_next(&iter)) {
        sp_value_t child = sp_value_of(&iter);
        if (sp_number_misread_inside(&child))
            return true;
    }
    return false;
}
