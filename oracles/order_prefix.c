#include "order_prefix.h"

#include "number.h"
#include "order.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* What fits below the class. */
enum { REST_BYTES = 7, REST_BITS = 56 };

/* Doubles as unsigned numbers of the same order; NaN is below all. */
static uint64_t number_rest(double number)
{
    uint64_t bits;
    if (isnan(number))
        return 0;
    number += 0.0; /* makes -0 0 */
    memcpy(&bits, &number, sizeof bits);
    bits = bits >> 63 != 0 ? ~bits : bits | UINT64_C(1) << 63;
    return bits >> (64 - REST_BITS);
}

static uint64_t integer_rest(int64_t integer)
{
    return ((uint64_t)integer ^ UINT64_C(1) << 63) >> (64 - REST_BITS);
}

static uint64_t bytes_rest(const void *data, size_t size)
{
    const uint8_t *bytes = data;
    uint64_t rest = 0;
    for (size_t i = 0; i < REST_BYTES; i++)
        rest = rest << 8 | (i < size ? bytes[i] : 0);
    return rest;
}

static uint64_t text_rest(const sp_value_t *value)
{
    uint32_t size;
    const char *text = sp_value_text(value, &size);
    return bytes_rest(text, size);
}

static uint64_t rest_of(const sp_value_t *value)
{
    switch (value->type) {
    case BSON_TYPE_INT32:
    case BSON_TYPE_INT64:
    case BSON_TYPE_DOUBLE:
    case BSON_TYPE_DECIMAL128:
        return number_rest(sp_number_nearest_double(value));
    case BSON_TYPE_UTF8:
    case BSON_TYPE_SYMBOL:
    case BSON_TYPE_CODE:
        return text_rest(value);
    case BSON_TYPE_BINARY: /* the longer is the greater */
        return (uint64_t)value->size;
    case BSON_TYPE_OID:
        return bytes_rest(value->data, value->size);
    case BSON_TYPE_BOOL:
        return value->data[0] != 0;
    case BSON_TYPE_DATE_TIME:
        return integer_rest(sp_value_int64(value));
    case BSON_TYPE_TIMESTAMP:
        return (uint64_t)sp_value_int64(value) >> (64 - REST_BITS);
    default:
        return 0;
    }
}

uint64_t sp_order_prefix(const sp_value_t *value)
{
    uint64_t class = (uint64_t)sp_type_class(value->type) + 1; /* MinKey's is -1 */
    uint64_t rest = rest_of(value);
    assert(rest >> REST_BITS == 0);
    return class << REST_BITS | rest;
}
