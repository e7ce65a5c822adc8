/*
 * Numbers as the text inside Extended JSON, exactly: what cannot be held without rounding an
 * integer or a decimal, and what overflows or vanishes as a double, is refused.
 *
 * The readers take any bytes, which need not be terminated except for sp_number_read_double; on
 * failure `why` says what is wrong, to be put after the text in a message. Call the double
 * functions in the "C" locale.
 */
#ifndef SHARDPROOF_EXTJSON_NUMBER_H
#define SHARDPROOF_EXTJSON_NUMBER_H

#include <bson/bson.h>

#define SP_DOUBLE_TEXT_MAX 32

/* JSON's integers: a minus, then digits without a leading zero. */
bool sp_number_read_int64(const char *text, size_t size, int64_t *number, const char **why);
/* JSON's numbers, Infinity, -Infinity and NaN. `text` is terminated at `size`. */
bool sp_number_read_double(const char *text, size_t size, double *number, const char **why);
/* The same forms; digits and exponent are kept as given where 34 digits hold them. */
bool sp_number_read_decimal(const char *text, size_t size, bson_decimal128_t *number,
                            const char **why);

/* As many of 15, 16 or 17 digits as it takes to read back the same double, never looking like an
 * integer. A NaN loses its sign and payload. */
void sp_number_write_double(double number, char text[static SP_DOUBLE_TEXT_MAX]);

#endif
