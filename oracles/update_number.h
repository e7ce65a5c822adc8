/*
 * What $inc and $mul make of two numbers.
 */
#ifndef SHARDPROOF_UPDATE_NUMBER_H
#define SHARDPROOF_UPDATE_NUMBER_H

#include "value.h"

typedef struct sp_number {
    bson_type_t type;
    uint8_t bytes[16]; /* as in BSON */
} sp_number_t;

sp_value_t sp_number_value(const sp_number_t *number);

/* The result has the wider type of the two: int32, int64, double, decimal; two int32 whose result
 * does not fit give an int64. A double beside a decimal counts with 15 digits. False where the
 * result fits no int64. */
bool sp_number_add(const sp_value_t *a, const sp_value_t *b, sp_number_t *sum);
bool sp_number_multiply(const sp_value_t *a, const sp_value_t *b, sp_number_t *product);

/* Of one type and equal. -0 and 0 are, and so are decimals with other scales; NaN never is. */
bool sp_number_identical(const sp_value_t *a, const sp_value_t *b);

#endif
