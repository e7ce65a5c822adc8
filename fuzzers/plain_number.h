/*
 * Numbers as decimal digits: the slow and simple second opinion on oracles/number.h.
 *
 * Shares no code with the model and not the decimal library either: integers and doubles are
 * spelled out by printf, which is exact in glibc, decimals are taken apart by hand.
 */
#ifndef SHARDPROOF_PLAIN_NUMBER_H
#define SHARDPROOF_PLAIN_NUMBER_H

#include "../oracles/value.h"

/* No double has more significant digits than 767. */
#define SP_PLAIN_DIGITS 767

typedef enum sp_plain_kind { SP_PLAIN_NAN, SP_PLAIN_FINITE, SP_PLAIN_INFINITE } sp_plain_kind_t;

/* A finite number is 0.DIGITS times ten to the exponent; zero has no digits. */
typedef struct sp_plain {
    bson_type_t type;
    sp_plain_kind_t kind;
    bool negative;
    int exponent;
    int count;
    char digits[SP_PLAIN_DIGITS];
} sp_plain_t;

/* `value` must be a number. */
void sp_plain_read(const sp_value_t *value, sp_plain_t *number);

/* -1, 0 or 1, as sp_number_compare. */
int sp_plain_compare(const sp_plain_t *a, const sp_plain_t *b);

bool sp_plain_is_integer(const sp_plain_t *number);

/* As sp_number_for_hash. */
int64_t sp_plain_for_hash(const sp_plain_t *number);

#endif
