#include "extjson_number.h"

#include "json_scan.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

__extension__ typedef unsigned __int128 u128_t;

#define DECIMAL_DIGITS       34
#define DECIMAL_EXPONENT_MIN (-6176)
#define DECIMAL_EXPONENT_MAX 6111

static bool is_word(const char *text, size_t size, const char *word)
{
    return size == strlen(word) && memcmp(text, word, size) == 0;
}

static bool is_json_number(const char *text, size_t size, bool *integral)
{
    return size > 0 && sp_json_number_length(text, size, integral) == size;
}

bool sp_number_read_int64(const char *text, size_t size, int64_t *number, const char **why)
{
    bool integral;
    if (!is_json_number(text, size, &integral) || !integral) {
        *why = "is no integer: expected digits, maybe after a minus, without a leading zero";
        return false;
    }
    bool negative = text[0] == '-';
    uint64_t limit = negative ? (uint64_t)INT64_MAX + 1 : INT64_MAX;
    uint64_t magnitude = 0;
    for (size_t i = negative; i < size; i++) {
        uint64_t digit = (uint64_t)(text[i] - '0');
        if (magnitude > (limit - digit) / 10) {
            *why = "does not fit into 64 bits";
            return false;
        }
        magnitude = magnitude * 10 + digit;
    }
    *number = negative ? (int64_t)(0 - magnitude) : (int64_t)magnitude;
    return true;
}

bool sp_number_read_double(const char *text, size_t size, double *number, const char **why)
{
    if (is_word(text, size, "NaN")) {
        const uint64_t quiet = UINT64_C(0x7FF8000000000000);
        memcpy(number, &quiet, sizeof quiet);
        return true;
    }
    if (is_word(text, size, "Infinity") || is_word(text, size, "-Infinity")) {
        *number = text[0] == '-' ? -INFINITY : INFINITY;
        return true;
    }
    bool integral;
    if (!is_json_number(text, size, &integral)) {
        *why = "is no number: expected a JSON number, Infinity, -Infinity or NaN";
        return false;
    }
    /* ERANGE would not do: it is set for exact subnormals too. */
    *number = strtod(text, NULL);
    if (isinf(*number)) {
        *why = "is out of a double's range";
        return false;
    }
    if (*number == 0 && strcspn(text, "123456789") < strcspn(text, "eE")) {
        *why = "is too close to zero for a double";
        return false;
    }
    return true;
}

typedef struct digits {
    bool negative;
    u128_t coefficient;
    int64_t exponent;
} digits_t;

/* Stops at what is so far out of range that no text has the digits to bring it back. */
static int64_t read_exponent(const char *text, size_t size)
{
    const int64_t far_away = INT64_C(1) << 40;
    bool negative = text[0] == '-';
    int64_t exponent = 0;
    for (size_t i = text[0] == '-' || text[0] == '+'; i < size && exponent < far_away; i++)
        exponent = exponent * 10 + (text[i] - '0');
    return negative ? -exponent : exponent;
}

/* Takes a JSON number apart. False where more than 34 digits matter. */
static bool read_digits(const char *text, size_t size, digits_t *digits)
{
    *digits = (digits_t){.negative = text[0] == '-'};
    int kept = 0;
    bool fraction = false;
    bool full = false;
    for (size_t i = digits->negative; i < size; i++) {
        if (text[i] == '.') {
            fraction = true;
            continue;
        }
        if (text[i] == 'e' || text[i] == 'E') {
            digits->exponent += read_exponent(text + i + 1, size - i - 1);
            break;
        }
        unsigned digit = (unsigned)(text[i] - '0');
        full = kept == DECIMAL_DIGITS;
        if (full && digit != 0)
            return false;
        if (!full) {
            digits->coefficient = digits->coefficient * 10 + digit;
            kept += digits->coefficient != 0;
        }
        digits->exponent += (full ? 1 : 0) - (fraction ? 1 : 0);
    }
    return true;
}

/* Moves the exponent into its range, as far as that leaves the value alone. */
static bool fit_exponent(digits_t *digits)
{
    static const u128_t limit = (u128_t)UINT64_C(1000000000000000000) * UINT64_C(1000000000000000);
    if (digits->coefficient == 0) {
        if (digits->exponent > DECIMAL_EXPONENT_MAX)
            digits->exponent = DECIMAL_EXPONENT_MAX;
        if (digits->exponent < DECIMAL_EXPONENT_MIN)
            digits->exponent = DECIMAL_EXPONENT_MIN;
        return true;
    }
    while (digits->exponent > DECIMAL_EXPONENT_MAX && digits->coefficient < limit) {
        digits->coefficient *= 10;
        digits->exponent--;
    }
    while (digits->exponent < DECIMAL_EXPONENT_MIN && digits->coefficient % 10 == 0) {
        digits->coefficient /= 10;
        digits->exponent++;
    }
    return digits->exponent <= DECIMAL_EXPONENT_MAX && digits->exponent >= DECIMAL_EXPONENT_MIN;
}

bool sp_number_read_decimal(const char *text, size_t size, bson_decimal128_t *number,
                            const char **why)
{
    number->low = 0;
    if (is_word(text, size, "NaN")) {
        number->high = UINT64_C(0x7C00000000000000);
        return true;
    }
    if (is_word(text, size, "Infinity") || is_word(text, size, "-Infinity")) {
        number->high = UINT64_C(0x7800000000000000) | (uint64_t)(text[0] == '-') << 63;
        return true;
    }
    bool integral;
    if (!is_json_number(text, size, &integral)) {
        *why = "is no decimal: expected a JSON number, Infinity, -Infinity or NaN";
        return false;
    }
    digits_t digits;
    if (!read_digits(text, size, &digits)) {
        *why = "has more than the 34 digits of a decimal";
        return false;
    }
    if (!fit_exponent(&digits)) {
        *why = "is out of a decimal's range, or would have to be rounded";
        return false;
    }
    number->low = (uint64_t)digits.coefficient;
    number->high = (uint64_t)digits.negative << 63 |
                   (uint64_t)(digits.exponent - DECIMAL_EXPONENT_MIN) << 49 |
                   (uint64_t)(digits.coefficient >> 64);
    return true;
}

void sp_number_write_double(double number, char text[static SP_DOUBLE_TEXT_MAX])
{
    if (isnan(number) || isinf(number)) {
        const char *word = isnan(number) ? "NaN" : number < 0 ? "-Infinity" : "Infinity";
        snprintf(text, SP_DOUBLE_TEXT_MAX, "%s", word);
        return;
    }
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, SP_DOUBLE_TEXT_MAX, "%.*g", digits, number);
        if (strtod(text, NULL) == number)
            break;
    }
    if (strpbrk(text, ".e") == NULL) {
        size_t size = strlen(text);
        snprintf(text + size, SP_DOUBLE_TEXT_MAX - size, ".0");
    }
}
