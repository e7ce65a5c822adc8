#include "base64.h"
#include "extjson.h"
#include "extjson_number.h"
#include "extjson_wrapper.h"
#include "utf8.h"

#include <assert.h>
#include <inttypes.h>
#include <locale.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* The writers of one type each return false where canonical Extended JSON would not read back to
 * the same bytes; what they wrote until then is dropped. */

static void write_value(sp_bytes_t *to, const sp_value_t *value);

/* For short texts only. */
static void write_format(sp_bytes_t *to, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void write_format(sp_bytes_t *to, const char *format, ...)
{
    char text[128];
    va_list args;
    va_start(args, format);
    int length = vsnprintf(text, sizeof text, format, args);
    va_end(args);
    assert(length >= 0 && (size_t)length < sizeof text);
    sp_bytes_append(to, text, (size_t)length);
}

static void write_escape(sp_bytes_t *to, char byte)
{
    static const char bytes[] = "\"\\\b\f\n\r\t";
    static const char names[] = "\"\\bfnrt";
    const char *found = byte == '\0' ? NULL : strchr(bytes, byte);
    if (found == NULL) {
        write_format(to, "\\u%04x", (unsigned)byte);
        return;
    }
    sp_bytes_append_byte(to, '\\');
    sp_bytes_append_byte(to, (uint8_t)names[found - bytes]);
}

static bool write_string(sp_bytes_t *to, const char *text, size_t size)
{
    sp_bytes_append_byte(to, '"');
    for (size_t at = 0; at < size;) {
        size_t plain = at;
        while (plain < size) {
            uint8_t byte = (uint8_t)text[plain];
            if (byte < 0x20 || byte == '"' || byte == '\\')
                break;
            size_t length = sp_utf8_length(text + plain, size - plain);
            if (length == 0)
                return false;
            plain += length;
        }
        sp_bytes_append(to, text + at, plain - at);
        at = plain;
        if (at < size)
            write_escape(to, text[at++]);
    }
    sp_bytes_append_byte(to, '"');
    return true;
}

static bool write_text(sp_bytes_t *to, const sp_value_t *value, const char *wrapper)
{
    uint32_t size;
    const char *text = sp_value_text(value, &size);
    if (wrapper != NULL)
        write_format(to, "{\"%s\": ", wrapper);
    if (!write_string(to, text, size))
        return false;
    if (wrapper != NULL)
        sp_bytes_append_byte(to, '}');
    return true;
}

static bool write_double(sp_bytes_t *to, const sp_value_t *value)
{
    char text[SP_DOUBLE_TEXT_MAX];
    double back;
    const char *why;
    sp_number_write_double(sp_value_double(value), text);
    /* Bits, not values: a NaN has many, and its sign. */
    if (!sp_number_read_double(text, strlen(text), &back, &why))
        return false;
    uint64_t bits;
    memcpy(&bits, &back, sizeof bits);
    if ((int64_t)bits != sp_value_int64(value))
        return false;
    write_format(to, "{\"$numberDouble\": \"%s\"}", text);
    return true;
}

static bool write_decimal(sp_bytes_t *to, const sp_value_t *value)
{
    const sp_value_t high = {BSON_TYPE_INT64, value->size - 8, value->data + 8};
    const bson_decimal128_t number = {.low = (uint64_t)sp_value_int64(value),
                                      .high = (uint64_t)sp_value_int64(&high)};
    char text[BSON_DECIMAL128_STRING];
    bson_decimal128_t back;
    const char *why;
    bson_decimal128_to_string(&number, text);
    if (!sp_number_read_decimal(text, strlen(text), &back, &why) || back.low != number.low ||
        back.high != number.high)
        return false;
    write_format(to, "{\"$numberDecimal\": \"%s\"}", text);
    return true;
}

static bool write_bool(sp_bytes_t *to, const sp_value_t *value)
{
    if (value->data[0] > 1)
        return false;
    sp_bytes_append_text(to, value->data[0] == 1 ? "true" : "false");
    return true;
}

static bool write_binary(sp_bytes_t *to, const sp_value_t *value)
{
    const uint8_t subtype = value->data[4];
    const uint8_t *data = value->data + 5;
    uint32_t size = value->size - 5;
    if (subtype == BSON_SUBTYPE_BINARY_DEPRECATED) {
        const sp_value_t inner = {BSON_TYPE_INT32, size, data};
        if (size < 4 || (uint32_t)sp_value_int32(&inner) != size - 4)
            return false;
        data += 4;
        size -= 4;
    }
    sp_bytes_append_text(to, "{\"$binary\": {\"base64\": \"");
    sp_base64_write(to, data, size);
    write_format(to, "\", \"subType\": \"%02x\"}}", subtype);
    return true;
}

static void write_oid(sp_bytes_t *to, const uint8_t *bytes)
{
    bson_oid_t oid;
    char text[25];
    memcpy(oid.bytes, bytes, sizeof oid.bytes);
    bson_oid_to_string(&oid, text);
    write_format(to, "{\"$oid\": \"%s\"}", text);
}

static bool write_regex(sp_bytes_t *to, const sp_value_t *value)
{
    const char *pattern = (const char *)value->data;
    const char *options = pattern + strlen(pattern) + 1;
    sp_bytes_append_text(to, "{\"$regularExpression\": {\"pattern\": ");
    if (!write_string(to, pattern, strlen(pattern)))
        return false;
    sp_bytes_append_text(to, ", \"options\": ");
    if (!write_string(to, options, strlen(options)))
        return false;
    sp_bytes_append_text(to, "}}");
    return true;
}

static bool write_pointer(sp_bytes_t *to, const sp_value_t *value)
{
    const sp_value_t text = {BSON_TYPE_UTF8, value->size - 12, value->data};
    uint32_t size;
    const char *name = sp_value_text(&text, &size);
    sp_bytes_append_text(to, "{\"$dbPointer\": {\"$ref\": ");
    if (!write_string(to, name, size))
        return false;
    sp_bytes_append_text(to, ", \"$id\": ");
    write_oid(to, value->data + value->size - 12);
    sp_bytes_append_text(to, "}}");
    return true;
}

static bool write_scoped_code(sp_bytes_t *to, const sp_value_t *value)
{
    uint32_t size;
    const char *code = sp_value_scoped_code(value, &size);
    const sp_value_t scope = sp_value_scope(value);
    sp_bytes_append_text(to, "{\"$code\": ");
    if (!write_string(to, code, size))
        return false;
    sp_bytes_append_text(to, ", \"$scope\": ");
    write_value(to, &scope);
    sp_bytes_append_byte(to, '}');
    return true;
}

/* An array's names must be the ones a reader gives it; a document's must be text and no wrapper's.
 */
static bool names_read_back(const sp_value_t *value)
{
    bson_iter_t iter;
    bool ok = sp_value_children(value, &iter);
    assert(ok);
    for (uint32_t i = 0; ok && bson_iter_next(&iter); i++) {
        const char *name = bson_iter_key(&iter);
        if (value->type == BSON_TYPE_ARRAY) {
            char buffer[16];
            const char *expected;
            bson_uint32_to_string(i, &expected, buffer, sizeof buffer);
            ok = strcmp(name, expected) == 0;
        } else {
            size_t size = strlen(name);
            ok = sp_utf8_is_valid(name, size) && sp_json_wrapper_find(name, size) == NULL;
        }
    }
    return ok;
}

static bool write_children(sp_bytes_t *to, const sp_value_t *value)
{
    if (!names_read_back(value))
        return false;
    const bool array = value->type == BSON_TYPE_ARRAY;
    const char *separator = "";
    bson_iter_t iter;
    bool ok = sp_value_children(value, &iter);
    assert(ok);
    sp_bytes_append_byte(to, array ? '[' : '{');
    while (bson_iter_next(&iter)) {
        const char *name = bson_iter_key(&iter);
        const sp_value_t child = sp_value_of(&iter);
        sp_bytes_append_text(to, separator);
        separator = ", ";
        if (!array) {
            ok = write_string(to, name, strlen(name));
            assert(ok);
            sp_bytes_append_text(to, ": ");
        }
        write_value(to, &child);
    }
    sp_bytes_append_byte(to, array ? ']' : '}');
    return true;
}

static bool write_canonical(sp_bytes_t *to, const sp_value_t *value)
{
    switch (value->type) {
    case BSON_TYPE_DOUBLE:
        return write_double(to, value);
    case BSON_TYPE_UTF8:
        return write_text(to, value, NULL);
    case BSON_TYPE_DOCUMENT:
    case BSON_TYPE_ARRAY:
        return write_children(to, value);
    case BSON_TYPE_BINARY:
        return write_binary(to, value);
    case BSON_TYPE_UNDEFINED:
        sp_bytes_append_text(to, "{\"$undefined\": true}");
        return true;
    case BSON_TYPE_OID:
        write_oid(to, value->data);
        return true;
    case BSON_TYPE_BOOL:
        return write_bool(to, value);
    case BSON_TYPE_DATE_TIME:
        write_format(to, "{\"$date\": {\"$numberLong\": \"%" PRId64 "\"}}", sp_value_int64(value));
        return true;
    case BSON_TYPE_NULL:
        sp_bytes_append_text(to, "null");
        return true;
    case BSON_TYPE_REGEX:
        return write_regex(to, value);
    case BSON_TYPE_DBPOINTER:
        return write_pointer(to, value);
    case BSON_TYPE_CODE:
        return write_text(to, value, "$code");
    case BSON_TYPE_SYMBOL:
        return write_text(to, value, "$symbol");
    case BSON_TYPE_CODEWSCOPE:
        return write_scoped_code(to, value);
    case BSON_TYPE_INT32:
        write_format(to, "{\"$numberInt\": \"%" PRId32 "\"}", sp_value_int32(value));
        return true;
    case BSON_TYPE_TIMESTAMP: {
        uint64_t both = (uint64_t)sp_value_int64(value);
        write_format(to, "{\"$timestamp\": {\"t\": %" PRIu32 ", \"i\": %" PRIu32 "}}",
                     (uint32_t)(both >> 32), (uint32_t)both);
        return true;
    }
    case BSON_TYPE_INT64:
        write_format(to, "{\"$numberLong\": \"%" PRId64 "\"}", sp_value_int64(value));
        return true;
    case BSON_TYPE_DECIMAL128:
        return write_decimal(to, value);
    case BSON_TYPE_MAXKEY:
        sp_bytes_append_text(to, "{\"$maxKey\": 1}");
        return true;
    case BSON_TYPE_MINKEY:
        sp_bytes_append_text(to, "{\"$minKey\": 1}");
        return true;
    case BSON_TYPE_EOD:
        break;
    }
    return false;
}

static void write_value(sp_bytes_t *to, const sp_value_t *value)
{
    size_t mark = to->size;
    if (write_canonical(to, value))
        return;
    to->size = mark;
    write_format(to, "{\"$raw\": {\"type\": \"%02x\", \"base64\": \"", (unsigned)value->type);
    sp_base64_write(to, value->data, value->size);
    sp_bytes_append_text(to, "\"}}");
}

char *sp_json_write(const bson_t *doc, size_t *size)
{
    if (!sp_document_check(doc, NULL))
        return NULL;
    locale_t c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    assert(c_locale != (locale_t)0);
    locale_t previous = uselocale(c_locale);

    sp_bytes_t text = {0};
    const sp_value_t whole = {BSON_TYPE_DOCUMENT, doc->len, bson_get_data(doc)};
    write_value(&text, &whole);
    if (size != NULL)
        *size = text.size;
    sp_bytes_append_byte(&text, '\0');

    uselocale(previous);
    freelocale(c_locale);
    return (char *)text.data;
}
