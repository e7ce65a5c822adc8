#include "plain_number.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

__extension__ typedef unsigned __int128 uint128_t;

enum { DECIMAL_BIAS = 6176, DECIMAL_DIGITS = 34 };

/* Takes digits of which the first stands just behind the point; cuts off zeros at both ends. */
static void set_digits(sp_plain_t *number, const char *digits, int count, int exponent)
{
    while (count > 0 && *digits == '0') {
        digits++;
        count--;
        exponent--;
    }
    while (count > 0 && digits[count - 1] == '0')
        count--;
    assert(count <= SP_PLAIN_DIGITS);
    memcpy(number->digits, digits, (size_t)count);
    number->count = count;
    number->exponent = count > 0 ? exponent : 0;
}

static void read_integer(int64_t integer, sp_plain_t *number)
{
    char text[24];
    int size = snprintf(text, sizeof text, "%" PRId64, integer);
    number->negative = integer < 0;
    int sign_size = number->negative ? 1 : 0;
    set_digits(number, text + sign_size, size - sign_size, size - sign_size);
}

static void read_double(uint64_t bits, sp_plain_t *number)
{
    const uint64_t exponent_mask = UINT64_C(0x7ff) << 52;
    number->negative = bits >> 63 != 0;
    if ((bits & exponent_mask) == exponent_mask) {
        number->kind = bits << 12 == 0 ? SP_PLAIN_INFINITE : SP_PLAIN_NAN;
        return;
    }
    double value;
    uint64_t size = bits & INT64_MAX;
    memcpy(&value, &size, sizeof value);
    char text[SP_PLAIN_DIGITS + 16];
    snprintf(text, sizeof text, "%.*e", SP_PLAIN_DIGITS - 1, value);
    char *exponent = strchr(text, 'e');
    assert(exponent != NULL && text[1] == '.');
    text[1] = text[0];
    set_digits(number, text + 1, (int)(exponent - text - 1),
               (int)strtol(exponent + 1, NULL, 10) + 1);
}

static void read_decimal(uint64_t low, uint64_t high, sp_plain_t *number)
{
    number->negative = high >> 63 != 0;
    unsigned top = (unsigned)(high >> 58) & 0x1f;
    if (top == 0x1f || top == 0x1e) {
        number->kind = top == 0x1f ? SP_PLAIN_NAN : SP_PLAIN_INFINITE;
        return;
    }
    /* More than 34 digits stand for 0, and the second form can hold nothing else. */
    uint128_t significand = 0;
    int exponent = (int)(high >> 47) & 0x3fff;
    if (top >> 3 != 3) {
        exponent = (int)(high >> 49) & 0x3fff;
        significand = (uint128_t)(high & ((UINT64_C(1) << 49) - 1)) << 64 | low;
    }
    char digits[40];
    int count = 0;
    for (uint128_t rest = significand; rest > 0; rest /= 10)
        digits[sizeof digits - (size_t)++count] = (char)('0' + (int)(rest % 10));
    if (count > DECIMAL_DIGITS)
        count = 0;
    set_digits(number, digits + sizeof digits - count, count, exponent - DECIMAL_BIAS + count);
}

static uint64_t load(const uint8_t *data, unsigned size)
{
    uint64_t number = 0;
    while (size-- > 0)
        number = number << 8 | data[size];
    return number;
}

void sp_plain_read(const sp_value_t *value, sp_plain_t *number)
{
    *number = (sp_plain_t){.type = value->type, .kind = SP_PLAIN_FINITE};
    if (value->type == BSON_TYPE_INT32)
        read_integer((int32_t)load(value->data, 4), number);
    else if (value->type == BSON_TYPE_INT64)
        read_integer((int64_t)load(value->data, 8), number);
    else if (value->type == BSON_TYPE_DOUBLE)
        read_double(load(value->data, 8), number);
    else if (value->type == BSON_TYPE_DECIMAL128)
        read_decimal(load(value->data, 8), load(value->data + 8, 8), number);
    else
        assert(!"sp_plain_read takes numbers only");
}

static int digit_at(const sp_plain_t *number, int place)
{
    return place < number->count ? number->digits[place] - '0' : 0;
}

/* Without regard to the sign. */
static int compare_sizes(const sp_plain_t *a, const sp_plain_t *b)
{
    if (a->kind == SP_PLAIN_INFINITE || b->kind == SP_PLAIN_INFINITE)
        return (a->kind == SP_PLAIN_INFINITE) - (b->kind == SP_PLAIN_INFINITE);
    if (a->count == 0 || b->count == 0)
        return (a->count != 0) - (b->count != 0);
    if (a->exponent != b->exponent)
        return a->exponent < b->exponent ? -1 : 1;
    for (int place = 0; place < a->count || place < b->count; place++) {
        int difference = digit_at(a, place) - digit_at(b, place);
        if (difference != 0)
            return difference < 0 ? -1 : 1;
    }
    return 0;
}

static bool is_zero(const sp_plain_t *number)
{
    return number->kind == SP_PLAIN_FINITE && number->count == 0;
}

int sp_plain_compare(const sp_plain_t *a, const sp_plain_t *b)
{
    if (a->kind == SP_PLAIN_NAN || b->kind == SP_PLAIN_NAN)
        return (b->kind == SP_PLAIN_NAN) - (a->kind == SP_PLAIN_NAN);
    bool a_negative = a->negative && !is_zero(a), b_negative = b->negative && !is_zero(b);
    if (a_negative != b_negative)
        return a_negative ? -1 : 1;
    return a_negative ? -compare_sizes(a, b) : compare_sizes(a, b);
}

bool sp_plain_is_integer(const sp_plain_t *number)
{
    return number->kind == SP_PLAIN_FINITE &&
           (number->count == 0 || number->count <= number->exponent);
}

/* Whether what stands behind the point makes a decimal one more, with halves to even. */
static bool rounds_up(const sp_plain_t *number, bool odd)
{
    if (number->exponent < 0 || number->count <= number->exponent)
        return false;
    int first = digit_at(number, number->exponent);
    bool exactly_half = first == 5 && number->count == number->exponent + 1;
    return exactly_half ? odd : first >= 5;
}

int64_t sp_plain_for_hash(const sp_plain_t *number)
{
    if (number->kind == SP_PLAIN_NAN)
        return 0;
    if (number->kind == SP_PLAIN_INFINITE || number->exponent > 19)
        return number->negative ? INT64_MIN : INT64_MAX;
    uint128_t whole = 0;
    for (int place = 0; place < number->exponent; place++)
        whole = 10 * whole + (unsigned)digit_at(number, place);
    if (number->type == BSON_TYPE_DECIMAL128 && rounds_up(number, whole % 2 == 1))
        whole++;
    const uint128_t two_63 = (uint128_t)1 << 63;
    if (number->negative)
        return whole >= two_63 ? INT64_MIN : -(int64_t)whole;
    if (whole < two_63)
        return (int64_t)whole;
    /* What the server makes of the double 2^63, and only of that. */
    bool is_two_63 = whole == two_63 && sp_plain_is_integer(number);
    return number->type == BSON_TYPE_DOUBLE && is_two_63 ? INT64_MIN : INT64_MAX;
}
