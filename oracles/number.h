/*
 * Numbers of the four BSON types as one line of numbers.
 *
 * Compared exactly, never by rounding one side to the other's type: 2^53 + 1 as int64 is more than
 * 2^53 as double, and the double 0.1 is more than the decimal 0.1. NaN of either type is one value,
 * below all others. -0 equals 0. Observed on 6.0.5 and 6.0.27 with $cmp and as chunk bounds.
 */
#ifndef SHARDPROOF_NUMBER_H
#define SHARDPROOF_NUMBER_H

#include "value.h"

/* -1, 0 or 1; both must be numbers. */
int sp_number_compare(const sp_value_t *a, const sp_value_t *b);

bool sp_number_is_nan(const sp_value_t *value); /* false for what is no number */

/* The double nearest to the number, whichever type it has; infinite where it is too large. Of two
 * numbers the lesser never gives the greater double. */
double sp_number_nearest_double(const sp_value_t *value);

/* The integer that stands for a number in a hash (observed on 6.0.5 and 6.0.27, `hash` area):
 * doubles are cut towards zero, but decimals are rounded to the nearest with halves to even; NaN is
 * 0; what does not fit becomes INT64_MAX or INT64_MIN, and the double 2^63 becomes INT64_MIN while
 * the decimal 2^63 becomes INT64_MAX. */
int64_t sp_number_for_hash(const sp_value_t *value);

/* The number without its fraction. False where that fits no int64, and for NaN. */
bool sp_number_whole_part(const sp_value_t *value, int64_t *whole);

/* Whether an index gives this number back as another one: a decimal with a fraction between 2^53 +
 * 1 and 2^53 + 2, or their negatives, comes back less (in size) by 1. Its place in the index is
 * right. Finding 4 in docs/findings.md: queries with $ne and covered queries go wrong, and so do
 * chunk bounds. */
bool sp_number_index_misreads(const sp_value_t *value);

/* Whether such a number is the value, or anywhere inside it. */
bool sp_number_misread_inside(const sp_value_t *value);

#endif
