#include "filter_parts.h"
#include "number.h"

#include <bid_conf.h>
#include <bid_functions.h>

static sp_value_t of_int64(const int64_t *number)
{
    return (sp_value_t){BSON_TYPE_INT64, sizeof *number, (const uint8_t *)number};
}

static int compare_to(const sp_value_t *value, int64_t number)
{
    int64_t little = (int64_t)BSON_UINT64_TO_LE((uint64_t)number);
    sp_value_t other = of_int64(&little);
    return sp_number_compare(value, &other);
}

bool sp_filter_whole_number(const sp_value_t *value, int64_t *number)
{
    if (!sp_value_is_number(value))
        return false;
    *number = sp_number_for_hash(value);
    return compare_to(value, *number) == 0;
}

bool sp_filter_is_count(const sp_value_t *value)
{
    int64_t number;
    return sp_filter_whole_number(value, &number) && number >= 0 && number <= INT32_MAX;
}

bool sp_filter_is_mod_part(const sp_value_t *value, bool *zero)
{
    /* -2^63 - 1 and 2^63: what lies between has a whole part that fits. NaN is below everything. */
    static const uint8_t below[16] = {1, 0, 0, 0, 0, 0, 0, 0x80, 0, 0, 0, 0, 0, 0, 0x40, 0xb0};
    static const uint8_t above[16] = {0, 0, 0, 0, 0, 0, 0, 0x80, 0, 0, 0, 0, 0, 0, 0x40, 0x30};
    if (!sp_value_is_number(value))
        return false;
    *zero = compare_to(value, -1) > 0 && compare_to(value, 1) < 0;
    const sp_value_t least = {BSON_TYPE_DECIMAL128, sizeof below, below};
    const sp_value_t most = {BSON_TYPE_DECIMAL128, sizeof above, above};
    return sp_number_compare(value, &least) > 0 && sp_number_compare(value, &most) < 0;
}

/* Decimals are rounded to a double first, so that some just outside pass. */
static double as_double(const sp_value_t *value)
{
    if (value->type == BSON_TYPE_DOUBLE)
        return sp_value_double(value);
    if (value->type == BSON_TYPE_INT32)
        return sp_value_int32(value);
    if (value->type == BSON_TYPE_INT64)
        return (double)sp_value_int64(value);
    sp_value_t high = *value;
    high.data += 8;
    BID_UINT128 decimal;
    decimal.w[BID_LOW_128W] = (uint64_t)sp_value_int64(value);
    decimal.w[BID_HIGH_128W] = (uint64_t)sp_value_int64(&high);
    unsigned flags = 0;
    return bid128_to_binary64(decimal, BID_ROUNDING_TO_NEAREST, &flags);
}

bool sp_filter_is_rate(const sp_value_t *value)
{
    double rate = as_double(value);
    return rate >= 0 && rate <= 1;
}
