#include "type_range.h"

#define VALUE(type, bytes)                                                                         \
    {                                                                                              \
        (type), sizeof(bytes) - 1, (const uint8_t *)(bytes)                                        \
    }

static const sp_value_t nan_value = VALUE(BSON_TYPE_DOUBLE, "\0\0\0\0\0\0\xf8\x7f");
static const sp_value_t least_double = VALUE(BSON_TYPE_DOUBLE, "\0\0\0\0\0\0\xf0\xff");
static const sp_value_t most_double = VALUE(BSON_TYPE_DOUBLE, "\0\0\0\0\0\0\xf0\x7f");
static const sp_value_t empty_text = VALUE(BSON_TYPE_UTF8, "\x01\0\0\0\0");
static const sp_value_t empty_object = VALUE(BSON_TYPE_DOCUMENT, "\x05\0\0\0\0");
static const sp_value_t empty_array = VALUE(BSON_TYPE_ARRAY, "\x05\0\0\0\0");
static const sp_value_t empty_binary = VALUE(BSON_TYPE_BINARY, "\0\0\0\0\0");
static const sp_value_t least_id = VALUE(BSON_TYPE_OID, "\0\0\0\0\0\0\0\0\0\0\0\0");
static const sp_value_t most_id =
    VALUE(BSON_TYPE_OID, "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff");
static const sp_value_t no_value = VALUE(BSON_TYPE_BOOL, "\0");
static const sp_value_t yes_value = VALUE(BSON_TYPE_BOOL, "\x01");
static const sp_value_t least_date = VALUE(BSON_TYPE_DATE_TIME, "\0\0\0\0\0\0\0\x80");
static const sp_value_t most_date = VALUE(BSON_TYPE_DATE_TIME, "\xff\xff\xff\xff\xff\xff\xff\x7f");
static const sp_value_t least_timestamp = VALUE(BSON_TYPE_TIMESTAMP, "\0\0\0\0\0\0\0\0");
static const sp_value_t most_timestamp =
    VALUE(BSON_TYPE_TIMESTAMP, "\xff\xff\xff\xff\xff\xff\xff\xff");
static const sp_value_t empty_regex = VALUE(BSON_TYPE_REGEX, "\0\0");
static const sp_value_t least_pointer =
    VALUE(BSON_TYPE_DBPOINTER, "\x01\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0");
static const sp_value_t empty_code = VALUE(BSON_TYPE_CODE, "\x01\0\0\0\0");
static const sp_value_t empty_scoped_code =
    VALUE(BSON_TYPE_CODEWSCOPE, "\x0e\0\0\0\x01\0\0\0\0\x05\0\0\0\0");
static const sp_value_t min_key = VALUE(BSON_TYPE_MINKEY, "");
static const sp_value_t max_key = VALUE(BSON_TYPE_MAXKEY, "");
static const sp_value_t null_value = VALUE(BSON_TYPE_NULL, "");
static const sp_value_t undefined_value = VALUE(BSON_TYPE_UNDEFINED, "");

sp_interval_t sp_type_range(bson_type_t type)
{
    switch (type) {
    case BSON_TYPE_MINKEY:
        return (sp_interval_t){min_key, min_key, true, true};
    case BSON_TYPE_EOD:
    case BSON_TYPE_UNDEFINED:
        return (sp_interval_t){undefined_value, undefined_value, true, true};
    case BSON_TYPE_NULL:
        return (sp_interval_t){null_value, null_value, true, true};
    case BSON_TYPE_INT32:
    case BSON_TYPE_INT64:
    case BSON_TYPE_DOUBLE:
    case BSON_TYPE_DECIMAL128:
        return (sp_interval_t){nan_value, most_double, true, true};
    case BSON_TYPE_UTF8:
    case BSON_TYPE_SYMBOL:
        return (sp_interval_t){empty_text, empty_object, true, false};
    case BSON_TYPE_DOCUMENT:
        return (sp_interval_t){empty_object, empty_array, true, false};
    case BSON_TYPE_ARRAY:
        return (sp_interval_t){empty_array, empty_binary, true, false};
    case BSON_TYPE_BINARY:
        return (sp_interval_t){empty_binary, least_id, true, false};
    case BSON_TYPE_OID:
        return (sp_interval_t){least_id, most_id, true, true};
    case BSON_TYPE_BOOL:
        return (sp_interval_t){no_value, yes_value, true, true};
    case BSON_TYPE_DATE_TIME:
        return (sp_interval_t){least_date, most_date, true, true};
    case BSON_TYPE_TIMESTAMP:
        return (sp_interval_t){least_timestamp, most_timestamp, true, true};
    case BSON_TYPE_REGEX:
        return (sp_interval_t){empty_regex, least_pointer, true, false};
    case BSON_TYPE_DBPOINTER:
        return (sp_interval_t){least_pointer, empty_code, true, false};
    case BSON_TYPE_CODE:
        return (sp_interval_t){empty_code, empty_scoped_code, true, false};
    case BSON_TYPE_CODEWSCOPE:
        return (sp_interval_t){empty_scoped_code, max_key, true, false};
    case BSON_TYPE_MAXKEY:
        break;
    }
    return (sp_interval_t){max_key, max_key, true, true};
}

sp_interval_t sp_type_bracket(bson_type_t type)
{
    sp_interval_t range = sp_type_range(type);
    if (type == BSON_TYPE_MINKEY || type == BSON_TYPE_MAXKEY)
        return (sp_interval_t){min_key, max_key, true, true};
    if (range.start.type == BSON_TYPE_DOUBLE)
        range.start = least_double;
    return range;
}
