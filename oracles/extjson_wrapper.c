#include "extjson_wrapper.h"

#include "base64.h"
#include "extjson_number.h"
#include "extjson_part.h"
#include "iso_date.h"

#include <stdio.h>
#include <string.h>

typedef bool reader_t(sp_json_scan_t *scan, const sp_json_wrapper_t *wrapper,
                      const sp_json_part_t *early, bson_type_t *type);

struct sp_json_wrapper {
    const char *name;
    reader_t *read;
    const char *partner;
    bson_type_t type; /* the reader may say otherwise */
    bson_type_t partner_type;
};

static void append_string(sp_json_scan_t *scan, const sp_json_part_t *part)
{
    sp_bytes_append_u32(&scan->out, (uint32_t)part->size + 1);
    sp_bytes_append(&scan->out, sp_json_part_text(scan, part), part->size + 1);
}

static bool read_text(sp_json_scan_t *scan, const sp_json_wrapper_t *wrapper, sp_json_part_t *part)
{
    char what[48];
    snprintf(what, sizeof what, "the string of %s", wrapper->name);
    return sp_json_read_part(scan, what, false, part);
}

static bool read_integer(sp_json_scan_t *scan, const sp_json_wrapper_t *wrapper,
                         const sp_json_part_t *early, bson_type_t *type)
{
    (void)early;
    sp_json_part_t part = {0};
    const char *why;
    int64_t number;
    if (!read_text(scan, wrapper, &part))
        return false;
    if (!sp_number_read_int64(sp_json_part_text(scan, &part), part.size, &number, &why))
        return sp_json_fail_part(scan, wrapper->name, &part, why);
    if (*type == BSON_TYPE_INT64) {
        sp_bytes_append_u64(&scan->out, (uint64_t)number);
        return true;
    }
    if (number < INT32_MIN || number > INT32_MAX)
        return sp_json_fail_part(scan, wrapper->name, &part, "does not fit into 32 bits");
    sp_bytes_append_u32(&scan->out, (uint32_t)number);
    return true;
}

static bool read_double(sp_json_scan_t *scan, const sp_json_wrapper_t *wrapper,
                        const sp_json_part_t *early, bson_type_t *type)
{
    (void)early, (void)type;
    sp_json_part_t part = {0};
    const char *why;
    double number;
    if (!read_text(scan, wrapper, &part))
        return false;
    if (!sp_number_read_double(sp_json_part_text(scan, &part), part.size, &number, &why))
        return sp_json_fail_part(scan, wrapper->name, &part, why);
    uint64_t bits;
    memcpy(&bits, &number, sizeof bits);
    sp_bytes_append_u64(&scan->out, bits);
    return true;
}

static bool read_decimal(sp_json_scan_t *scan, const sp_json_wrapper_t *wrapper,
                         const sp_json_part_t *early, bson_type_t *type)
{
    (void)early, (void)type;
    sp_json_part_t part = {0};
    const char *why;
    bson_decimal128_t number;
    if (!read_text(scan, wrapper, &part))
        return false;
    if (!sp_number_read_decimal(sp_json_part_text(scan, &part), part.size, &number, &why))
        return sp_json_fail_part(scan, wrapper->name, &part, why);
    sp_bytes_append_u64(&scan->out, number.low);
    sp_bytes_append_u64(&scan->out, number.high);
    return true;
}

static bool append_binary(sp_json_scan_t *scan, const sp_json_part_t *base64,
                          const sp_json_part_t *subtype)
{
    const char *digits = sp_json_part_text(scan, subtype);
    if (subtype->size < 1 || subtype->size > 2 ||
        strspn(digits, "0123456789abcdefABCDEF") != subtype->size)
        return sp_json_fail_part(scan, "the subtype", subtype,
                                 "is not one or two hexadecimal digits");
    uint8_t byte = (uint8_t)strtoul(digits, NULL, 16);
    /* Subtype 2 has a second length inside, which the text leaves out. */
    const bool inner = byte == BSON_SUBTYPE_BINARY_DEPRECATED;
    size_t start = scan->out.size;
    sp_bytes_append_u32(&scan->out, 0);
    sp_bytes_append_byte(&scan->out, byte);
    if (inner)
        sp_bytes_append_u32(&scan->out, 0);

    const char *why;
    size_t data = scan->out.size;
    if (!sp_base64_read(sp_json_part_text(scan, base64), base64->size, &scan->out, &why))
        return sp_json_fail_part(scan, "$binary", base64, why);
    uint32_t size = (uint32_t)(scan->out.size - data);
    sp_bytes_store_u32(&scan->out, start, inner ? size + 4 : size);
    if (inner)
        sp_bytes_store_u32(&scan->out, start + 5, size);
    return true;
}

/* Where another field stands beside a wrapper's own, it must be `name`; the cursor then is behind
 * the colon. */
static bool read_partner_name(sp_json_scan_t *scan, const sp_json_wrapper_t *wrapper)
{
    sp_json_part_t key = {0};
    char what[32];
    snprintf(what, sizeof what, "\"%s\"", wrapper->partner);
    if (!sp_json_take(scan, ',') || !sp_json_read_part(scan, what, false, &key))
        return false;
    if (key.size != strlen(wrapper->partner) ||
        memcmp(sp_json_part_text(scan, &key), wrapper->partner, key.size) != 0)
        return sp_json_fail(scan, key.where, "only %s may stand beside %s", wrapper->partner,
                            wrapper->name);
    return sp_json_take(scan, ':');
}

static bool read_binary(sp_json_scan_t *scan, const sp_json_wrapper_t *wrapper,
                        const sp_json_part_t *early, bson_type_t *type)
{
    (void)type;
    if (!early->given && sp_json_peek(scan) != '"') {
        sp_json_member_t members[] = {{"base64", SP_JSON_STRING, {0}, 0},
                                      {"subType", SP_JSON_STRING, {0}, 0}};
        return sp_json_read_members(scan, wrapper->name, members, 2) &&
               append_binary(scan, &members[0].part, &members[1].part);
    }
    sp_json_part_t base64 = {0};
    sp_json_part_t subtype = *early;
    if (!read_text(scan, wrapper, &base64))
        return false;
    if (!early->given && (!read_partner_name(scan, wrapper) ||
                          !sp_json_read_part(scan, "the string of $type", false, &subtype)))
        return false;
    return append_binary(scan, &base64, &subtype);
}

static bool read_uuid(sp_json_scan_t *scan, const sp_json_wrapper_t *wrapper,
                      const sp_json_part_t *early, bson_type_t *type)
{
    (void)early, (void)type;
    static const size_t dashes[] = {8, 13, 18, 23};
    sp_json_part_t part = {0};
    if (!read_text(scan, wrapper, &part))
        return false;
    const char *text = sp_json_part_text(scan, &part);
    bool ok = part.size == 36;
    for (size_t i = 0; ok && i < 4; i++)
        ok = text[dashes[i]] == '-';

    sp_json_part_t digits = {.start = scan->arena.size, .size = 32};
    for (size_t i = 0; ok && i < 36; i++) {
        if (i != 8 && i != 13 && i != 18 && i != 23)
            sp_bytes_append_byte(&scan->arena, scan->arena.data[part.start + i]);
    }
    uint8_t bytes[16];
    if (!ok || !sp_json_part_hex(scan, &digits, bytes, sizeof bytes))
        return sp_json_fail_part(scan, wrapper->name, &part,
                                 "is no UUID: expected hexadecimal digits as 8-4-4-4-12");
    sp_bytes_append_u32(&scan->out, sizeof bytes);
    sp_bytes_append_byte(&scan->out, BSON_SUBTYPE_UUID);
    sp_bytes_append(&scan->out, bytes, sizeof bytes);
    return true;
}

static bool read_oid(sp_json_scan_t *scan, const sp_json_wrapper_t *wrapper,
                     const sp_json_part_t *early, bson_type_t *type)
{
    (void)wrapper, (void)early, (void)type;
    sp_json_part_t part = {0};
    if (!sp_json_read_oid(scan, &part))
        return false;
    sp_bytes_append(&scan->out, sp_json_part_text(scan, &part), part.size);
    return true;
}

static bool read_date(sp_json_scan_t *scan, const sp_json_wrapper_t *wrapper,
                      const sp_json_part_t *early, bson_type_t *type)
{
    (void)early, (void)type;
    const char *why;
    int64_t milliseconds;
    sp_json_member_t number = {"$numberLong", SP_JSON_STRING, {0}, 0};
    sp_json_part_t *part = &number.part;
    if (sp_json_peek(scan) == '"') {
        if (!read_text(scan, wrapper, part))
            return false;
        if (!sp_iso_date_read(sp_json_part_text(scan, part), part->size, &milliseconds, &why))
            return sp_json_fail_part(scan, wrapper->name, part, why);
    } else {
        if (!sp_json_read_members(scan, wrapper->name, &number, 1))
            return false;
        if (!sp_number_read_int64(sp_json_part_text(scan, part), part->size, &milliseconds, &why))
            return sp_json_fail_part(scan, number.name, part, why);
    }
    sp_bytes_append_u64(&scan->out, (uint64_t)milliseconds);
    return true;
}

static bool read_timestamp(sp_json_scan_t *scan, const sp_json_wrapper_t *wrapper,
                           const sp_json_part_t *early, bson_type_t *type)
{
    (void)early, (void)type;
    sp_json_member_t members[] = {{"t", SP_JSON_UINT32, {0}, 0}, {"i", SP_JSON_UINT32, {0}, 0}};
    if (!sp_json_read_members(scan, wrapper->name, members, 2))
        return false;
    sp_bytes_append_u32(&scan->out, members[1].number);
    sp_bytes_append_u32(&scan->out, members[0].number);
    return true;
}

static bool read_regex(sp_json_scan_t *scan, const sp_json_wrapper_t *wrapper,
                       const sp_json_part_t *early, bson_type_t *type)
{
    (void)early, (void)type;
    sp_json_member_t members[] = {{"pattern", SP_JSON_CSTRING, {0}, 0},
                                  {"options", SP_JSON_CSTRING, {0}, 0}};
    if (!sp_json_read_members(scan, wrapper->name, members, 2))
        return false;
    for (size_t i = 0; i < 2; i++)
        sp_bytes_append(&scan->out, sp_json_part_text(scan, &members[i].part),
                        members[i].part.size + 1);
    return true;
}

static bool read_pointer(sp_json_scan_t *scan, const sp_json_wrapper_t *wrapper,
                         const sp_json_part_t *early, bson_type_t *type)
{
    (void)early, (void)type;
    sp_json_member_t members[] = {{"$ref", SP_JSON_STRING, {0}, 0}, {"$id", SP_JSON_OID, {0}, 0}};
    if (!sp_json_read_members(scan, wrapper->name, members, 2))
        return false;
    append_string(scan, &members[0].part);
    sp_bytes_append(&scan->out, sp_json_part_text(scan, &members[1].part), members[1].part.size);
    return true;
}

static bool read_symbol(sp_json_scan_t *scan, const sp_json_wrapper_t *wrapper,
                        const sp_json_part_t *early, bson_type_t *type)
{
    (void)early, (void)type;
    sp_json_part_t part = {0};
    if (!read_text(scan, wrapper, &part))
        return false;
    append_string(scan, &part);
    return true;
}

static bool read_code(sp_json_scan_t *scan, const sp_json_wrapper_t *wrapper,
                      const sp_json_part_t *early, bson_type_t *type)
{
    sp_json_part_t part = {0};
    if (!read_text(scan, wrapper, &part))
        return false;
    if (!early->given && sp_json_peek(scan) != ',') {
        append_string(scan, &part);
        return true;
    }
    *type = BSON_TYPE_CODEWSCOPE;
    size_t start = scan->out.size;
    sp_bytes_append_u32(&scan->out, 0);
    append_string(scan, &part);
    if (early->given) {
        sp_bytes_append(&scan->out, sp_json_part_text(scan, early), early->size);
    } else {
        bson_type_t scope;
        if (!read_partner_name(scan, wrapper))
            return false;
        sp_json_peek(scan);
        size_t where = scan->at;
        if (!sp_json_read_value(scan, &scope))
            return false;
        if (scope != BSON_TYPE_DOCUMENT)
            return sp_json_fail(scan, where, "the $scope of $code must be a document");
    }
    sp_bytes_store_u32(&scan->out, start, (uint32_t)(scan->out.size - start));
    return true;
}

static bool read_word(sp_json_scan_t *scan, const sp_json_wrapper_t *wrapper,
                      const sp_json_part_t *early, bson_type_t *type)
{
    (void)early;
    const char *word = *type == BSON_TYPE_UNDEFINED ? "true" : "1";
    char what[48];
    snprintf(what, sizeof what, "%s as the value of %s", word, wrapper->name);
    return sp_json_peek(scan) >= 0 && sp_json_take_word(scan, word)
               ? true
               : sp_json_fail_expected(scan, what);
}

/* Whether the bytes are exactly one sound value of the type. At the top level they are the
 * document. */
static bool raw_is_sound(const sp_json_scan_t *scan, const sp_value_t *value, sp_error_t *error)
{
    bson_t doc;
    bson_iter_t iter;
    if (scan->depth == 0 && value->type == BSON_TYPE_DOCUMENT)
        return bson_init_static(&doc, value->data, value->size) && sp_document_check(&doc, error);

    sp_bytes_t whole = {0};
    sp_bytes_append_u32(&whole, value->size + 7);
    sp_bytes_append_byte(&whole, (uint8_t)value->type);
    sp_bytes_append_byte(&whole, 0);
    sp_bytes_append(&whole, value->data, value->size);
    sp_bytes_append_byte(&whole, 0);
    bool ok = bson_init_static(&doc, whole.data, whole.size) && sp_document_check(&doc, error) &&
              bson_iter_init(&iter, &doc) && bson_iter_next(&iter);
    if (ok) {
        sp_value_t found = sp_value_of(&iter);
        ok = found.type == value->type && found.size == value->size;
    }
    sp_bytes_free(&whole);
    return ok;
}

static bool read_raw(sp_json_scan_t *scan, const sp_json_wrapper_t *wrapper,
                     const sp_json_part_t *early, bson_type_t *type)
{
    (void)early;
    const char *why;
    uint8_t byte;
    sp_json_member_t members[] = {{"type", SP_JSON_STRING, {0}, 0},
                                  {"base64", SP_JSON_STRING, {0}, 0}};
    const sp_json_part_t *base64 = &members[1].part;
    if (!sp_json_read_members(scan, wrapper->name, members, 2))
        return false;
    if (!sp_json_part_hex(scan, &members[0].part, &byte, 1))
        return sp_json_fail_part(scan, "the type", &members[0].part,
                                 "is not two hexadecimal digits");
    size_t start = scan->out.size;
    if (!sp_base64_read(sp_json_part_text(scan, base64), base64->size, &scan->out, &why))
        return sp_json_fail_part(scan, wrapper->name, base64, why);

    *type = (bson_type_t)byte;
    scan->has_raw = true;
    sp_error_t error = {0};
    sp_value_t value = {
        .type = *type, .size = (uint32_t)(scan->out.size - start), .data = scan->out.data + start};
    if (!raw_is_sound(scan, &value, &error))
        return sp_json_fail(scan, base64->where,
                            "the bytes of $raw are no sound value of type %02x%s%.160s", byte,
                            error.message[0] == '\0' ? "" : ": ", error.message);
    return true;
}

static const sp_json_wrapper_t wrappers[] = {
    {"$numberInt", read_integer, NULL, BSON_TYPE_INT32, BSON_TYPE_EOD},
    {"$numberLong", read_integer, NULL, BSON_TYPE_INT64, BSON_TYPE_EOD},
    {"$numberDouble", read_double, NULL, BSON_TYPE_DOUBLE, BSON_TYPE_EOD},
    {"$numberDecimal", read_decimal, NULL, BSON_TYPE_DECIMAL128, BSON_TYPE_EOD},
    {"$oid", read_oid, NULL, BSON_TYPE_OID, BSON_TYPE_EOD},
    {"$date", read_date, NULL, BSON_TYPE_DATE_TIME, BSON_TYPE_EOD},
    {"$binary", read_binary, "$type", BSON_TYPE_BINARY, BSON_TYPE_UTF8},
    {"$uuid", read_uuid, NULL, BSON_TYPE_BINARY, BSON_TYPE_EOD},
    {"$timestamp", read_timestamp, NULL, BSON_TYPE_TIMESTAMP, BSON_TYPE_EOD},
    {"$regularExpression", read_regex, NULL, BSON_TYPE_REGEX, BSON_TYPE_EOD},
    {"$code", read_code, "$scope", BSON_TYPE_CODE, BSON_TYPE_DOCUMENT},
    {"$symbol", read_symbol, NULL, BSON_TYPE_SYMBOL, BSON_TYPE_EOD},
    {"$dbPointer", read_pointer, NULL, BSON_TYPE_DBPOINTER, BSON_TYPE_EOD},
    {"$undefined", read_word, NULL, BSON_TYPE_UNDEFINED, BSON_TYPE_EOD},
    {"$minKey", read_word, NULL, BSON_TYPE_MINKEY, BSON_TYPE_EOD},
    {"$maxKey", read_word, NULL, BSON_TYPE_MAXKEY, BSON_TYPE_EOD},
    {"$raw", read_raw, NULL, BSON_TYPE_EOD, BSON_TYPE_EOD},
};

const sp_json_wrapper_t *sp_json_wrapper_find(const char *name, size_t size)
{
    if (size == 0 || name[0] != '$')
        return NULL;
    for (size_t i = 0; i < sizeof wrappers / sizeof wrappers[0]; i++) {
        if (strlen(wrappers[i].name) == size && memcmp(wrappers[i].name, name, size) == 0)
            return &wrappers[i];
    }
    return NULL;
}

const char *sp_json_wrapper_name(const sp_json_wrapper_t *wrapper)
{
    return wrapper->name;
}

const char *sp_json_wrapper_partner(const sp_json_wrapper_t *wrapper, bson_type_t *type)
{
    *type = wrapper->partner_type;
    return wrapper->partner;
}

bool sp_json_read_wrapper(sp_json_scan_t *scan, const sp_json_wrapper_t *wrapper,
                          const sp_json_part_t *early, bson_type_t *type)
{
    *type = wrapper->type;
    if (!sp_json_take(scan, ':') || !wrapper->read(scan, wrapper, early, type))
        return false;
    if (sp_json_peek(scan) == ',')
        return sp_json_fail(
            scan, scan->at,
            "no other field may stand beside %s; a document with such a field can be "
            "given with $raw",
            wrapper->name);
    return sp_json_take(scan, '}');
}
