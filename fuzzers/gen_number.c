#include "gen_number.h"

#include <math.h>
#include <string.h>

__extension__ typedef unsigned __int128 uint128_t;

enum { DECIMAL_BIAS = 6176, DECIMAL_EXPONENT_MAX = 6111, DECIMAL_DIGITS = 34 };

static uint128_t power_of_ten(unsigned exponent)
{
    uint128_t power = 1;
    while (exponent-- > 0)
        power *= 10;
    return power;
}

static bson_decimal128_t make_decimal(bool negative, uint128_t coefficient, int exponent)
{
    bson_decimal128_t decimal;
    decimal.low = (uint64_t)coefficient;
    decimal.high = (uint64_t)(coefficient >> 64) | (uint64_t)(exponent + DECIMAL_BIAS) << 49 |
                   (uint64_t)negative << 63;
    return decimal;
}

static void append_decimal(bson_t *doc, const char *key, bson_decimal128_t decimal)
{
    BSON_APPEND_DECIMAL128(doc, key, &decimal);
}

/* Draws stand in statements of their own throughout: compilers differ in which operand or argument
 * they evaluate first, and the same bytes must give the same case with all of them. */

/* An integer near an edge; also the base of the doubles and decimals near edges. */
static int64_t draw_integer(sp_producer_t *producer)
{
    static const int64_t edges[] = {
        0,
        INT64_C(1) << 31,
        INT64_C(1) << 32,
        INT64_C(1) << 52,
        INT64_C(1) << 53,
        INT64_C(1) << 54,
        INT64_C(1) << 62,
        INT64_MAX,
        INT64_MIN,
        1000000000000000000,
        4294967296000,
    };
    uint32_t choice = sp_draw_below(producer, 16);
    if (choice >= 13)
        return (int64_t)sp_draw_bits(producer, 8);
    if (choice >= 11)
        return (int64_t)sp_draw_below(producer, 41) - 20;
    uint64_t near = (uint64_t)edges[choice] + (uint64_t)((int64_t)sp_draw_below(producer, 7) - 3);
    return (int64_t)(sp_draw_one_in(producer, 2) ? 0 - near : near);
}

static double double_from_bits(uint64_t bits)
{
    double number;
    memcpy(&number, &bits, sizeof number);
    return number;
}

/* Between -2 and 2. */
static int draw_step(sp_producer_t *producer)
{
    return (int)sp_draw_below(producer, 5) - 2;
}

static double step_by_ulps(double number, int ulps)
{
    for (; ulps > 0; ulps--)
        number = nextafter(number, INFINITY);
    for (; ulps < 0; ulps++)
        number = nextafter(number, -INFINITY);
    return number;
}

static double draw_double(sp_producer_t *producer)
{
    static const double fixed[] = {
        0.0, -0.0, INFINITY, -INFINITY,          1e300, -1e300,   5e-324,   0.1, 0.5, 1.5,
        2.5, -0.5, 3.9999,   0.9999999999999999, 1e18,  0x1p1023, 0x1p-1022};
    switch (sp_draw_below(producer, 8)) {
    case 0: { /* an integer, or a few representable numbers beside it */
        double number = (double)draw_integer(producer);
        return step_by_ulps(number, draw_step(producer));
    }
    case 1: { /* 2^63 and 2^64, where integers end */
        double number = sp_draw_one_in(producer, 2) ? -0x1p63 : 0x1p63;
        number = step_by_ulps(number, draw_step(producer));
        return sp_draw_one_in(producer, 4) ? 2 * number : number;
    }
    case 2: { /* halves and other fractions */
        double number = (double)draw_integer(producer);
        return number / (double)(1u << sp_draw_below(producer, 5));
    }
    case 3: { /* subnormals */
        uint64_t sign = sp_draw_bits(producer, 1) & 1;
        return double_from_bits(sign << 63 | sp_draw_bits(producer, 7) >> 4);
    }
    case 4: { /* any bits at all: NaN with payloads among them, by chance and on purpose */
        uint64_t bits = sp_draw_bits(producer, 8);
        return double_from_bits(bits | (sp_draw_one_in(producer, 8) ? UINT64_C(0x7ff) << 52 : 0));
    }
    case 5: /* few digits */
        return ((double)sp_draw_below(producer, 2001) - 1000) / 100;
    default:
        return fixed[sp_draw_below(producer, sizeof fixed / sizeof *fixed)];
    }
}

/* An integer written with as many trailing zeros as asked and fit: 5, 5.0, 5.00 are one number. */
static bson_decimal128_t scaled_integer(int64_t integer, unsigned zeros)
{
    bool negative = integer < 0;
    uint64_t size = negative ? 0 - (uint64_t)integer : (uint64_t)integer;
    uint128_t coefficient = size;
    int exponent = 0;
    const uint128_t limit = power_of_ten(DECIMAL_DIGITS - 1);
    for (; zeros > 0 && coefficient < limit; zeros--, exponent--)
        coefficient *= 10;
    return make_decimal(negative, coefficient, exponent);
}

/* An integer and a fraction of up to 14 digits that is a half, or a hair more or less than one. */
static bson_decimal128_t integer_and_half(sp_producer_t *producer, int64_t integer)
{
    bool negative = integer < 0;
    uint64_t size = negative ? 0 - (uint64_t)integer : (uint64_t)integer;
    unsigned digits = 1 + sp_draw_below(producer, 14);
    uint128_t unit = power_of_ten(digits);
    uint128_t fraction = unit / 2 + sp_draw_below(producer, 3) - 1;
    return make_decimal(negative, (uint128_t)size * unit + fraction, -(int)digits);
}

/* A double's digits rounded to 34, or a unit beside them: where comparing by rounding goes wrong.
 */
static bson_decimal128_t near_double(sp_producer_t *producer, double number)
{
    char text[64];
    bson_decimal128_t decimal;
    snprintf(text, sizeof text, "%.*e", DECIMAL_DIGITS - 1, number);
    if (!isfinite(number) || !bson_decimal128_from_string(text, &decimal))
        return make_decimal(false, 0, 0);
    decimal.low += (uint64_t)sp_draw_below(producer, 3) - 1;
    return decimal;
}

static bson_decimal128_t draw_decimal(sp_producer_t *producer)
{
    switch (sp_draw_below(producer, 10)) {
    case 0:
    case 1: {
        int64_t integer = draw_integer(producer);
        return scaled_integer(integer, sp_draw_below(producer, 35));
    }
    case 2:
    case 3:
        return integer_and_half(producer, draw_integer(producer));
    case 4: { /* any exponent */
        uint128_t coefficient = (uint128_t)sp_draw_bits(producer, 6) << 64;
        coefficient |= sp_draw_bits(producer, 8);
        int exponent = (int)sp_draw_below(producer, DECIMAL_BIAS + DECIMAL_EXPONENT_MAX + 1);
        unsigned digits = sp_draw_below(producer, DECIMAL_DIGITS + 1);
        return make_decimal(sp_draw_one_in(producer, 2), coefficient % power_of_ten(digits),
                            exponent - DECIMAL_BIAS);
    }
    case 5: { /* exponents around which integers begin and end */
        uint128_t coefficient = sp_draw_bits(producer, 8);
        bool negative = sp_draw_one_in(producer, 2);
        return make_decimal(negative, coefficient, (int)sp_draw_below(producer, 41) - 30);
    }
    case 6: { /* any bits: infinities, NaN, significands that are not canonical */
        bson_decimal128_t decimal;
        decimal.low = sp_draw_bits(producer, 8);
        decimal.high = sp_draw_bits(producer, 8);
        if (sp_draw_one_in(producer, 2))
            decimal.high |= UINT64_C(0x60) << 56;
        return decimal;
    }
    case 7: { /* few digits */
        bool negative = sp_draw_one_in(producer, 2);
        uint32_t coefficient = sp_draw_below(producer, 1001);
        return make_decimal(negative, coefficient, -(int)sp_draw_below(producer, 4));
    }
    case 8:
        return near_double(producer, draw_double(producer));
    default: { /* zeros, infinities, NaN */
        static const uint64_t highs[] = {
            UINT64_C(0x3040) << 48, UINT64_C(0xb040) << 48, UINT64_C(0x7800) << 48,
            UINT64_C(0xf800) << 48, UINT64_C(0x7c00) << 48, UINT64_C(0xfc00) << 48,
            UINT64_C(0x7e00) << 48, UINT64_C(0x0000) << 48, UINT64_C(0x5ffe) << 48,
        };
        bson_decimal128_t decimal = {0};
        decimal.high = highs[sp_draw_below(producer, sizeof highs / sizeof *highs)];
        return decimal;
    }
    }
}

void sp_gen_number(sp_producer_t *producer, bson_t *doc, const char *key)
{
    switch (sp_draw_below(producer, 8)) {
    case 0:
        BSON_APPEND_INT32(doc, key, (int32_t)draw_integer(producer));
        break;
    case 1:
    case 2:
        BSON_APPEND_INT64(doc, key, draw_integer(producer));
        break;
    case 3:
    case 4:
        BSON_APPEND_DOUBLE(doc, key, draw_double(producer));
        break;
    default:
        append_decimal(doc, key, draw_decimal(producer));
        break;
    }
}

void sp_gen_number_near_double(sp_producer_t *producer, double number, bson_t *doc, const char *key)
{
    if (sp_draw_one_in(producer, 3))
        BSON_APPEND_DOUBLE(doc, key, step_by_ulps(number, draw_step(producer)));
    else
        append_decimal(doc, key, near_double(producer, number));
}

void sp_gen_number_near(sp_producer_t *producer, int64_t integer, bson_t *doc, const char *key)
{
    switch (sp_draw_below(producer, 6)) {
    case 0:
        if (integer >= INT32_MIN && integer <= INT32_MAX)
            BSON_APPEND_INT32(doc, key, (int32_t)integer);
        else
            BSON_APPEND_INT64(doc, key, integer);
        break;
    case 1:
        BSON_APPEND_INT64(doc, key, integer);
        break;
    case 2:
        BSON_APPEND_DOUBLE(doc, key, (double)integer);
        break;
    case 3:
        BSON_APPEND_DOUBLE(doc, key,
                           step_by_ulps((double)integer, sp_draw_one_in(producer, 2) ? 1 : -1));
        break;
    case 4:
        append_decimal(doc, key, scaled_integer(integer, sp_draw_below(producer, 20)));
        break;
    default:
        append_decimal(doc, key, integer_and_half(producer, integer));
        break;
    }
}
