#include "extjson.h"
#include "extjson_number.h"
#include "extjson_part.h"

#include <assert.h>
#include <locale.h>
#include <string.h>

static bool read_string(sp_json_scan_t *scan)
{
    size_t start = scan->out.size;
    sp_bytes_append_u32(&scan->out, 0);
    if (!sp_json_string(scan, "a string", false, &scan->out))
        return false;
    sp_bytes_append_byte(&scan->out, 0);
    sp_bytes_store_u32(&scan->out, start, (uint32_t)(scan->out.size - start - 4));
    return true;
}

static bool read_integer(sp_json_scan_t *scan, size_t length, bson_type_t *type)
{
    const char *why;
    int64_t number;
    if (!sp_number_read_int64(scan->text + scan->at, length, &number, &why))
        return sp_json_fail(scan, scan->at,
                            "the integer %s: write it as $numberDouble or $numberDecimal", why);
    scan->at += length;
    if (number < INT32_MIN || number > INT32_MAX) {
        *type = BSON_TYPE_INT64;
        sp_bytes_append_u64(&scan->out, (uint64_t)number);
    } else {
        *type = BSON_TYPE_INT32;
        sp_bytes_append_u32(&scan->out, (uint32_t)number);
    }
    return true;
}

static bool read_number(sp_json_scan_t *scan, bson_type_t *type)
{
    bool integral;
    size_t left = scan->size - scan->at;
    size_t length = sp_json_number_length(scan->text + scan->at, left, &integral);
    if (length == 0)
        return sp_json_fail(scan, scan->at, "the number that starts here is incomplete");
    if (integral)
        return read_integer(scan, length, type);

    /* strtod needs an end, which the text may lack. */
    size_t mark = scan->arena.size;
    sp_bytes_append(&scan->arena, scan->text + scan->at, length);
    sp_bytes_append_byte(&scan->arena, 0);
    const char *why;
    double number;
    bool ok = sp_number_read_double((const char *)scan->arena.data + mark, length, &number, &why);
    scan->arena.size = mark;
    if (!ok)
        return sp_json_fail(scan, scan->at, "the number %s", why);
    scan->at += length;
    *type = BSON_TYPE_DOUBLE;
    uint64_t bits;
    memcpy(&bits, &number, sizeof bits);
    sp_bytes_append_u64(&scan->out, bits);
    return true;
}

static bool enter(sp_json_scan_t *scan, size_t where)
{
    if (scan->depth == SP_DEPTH_MAX)
        return sp_json_fail(scan, where, "nested more than %d deep, which no server accepts",
                            SP_DEPTH_MAX);
    scan->keys[scan->depth++] = SP_JSON_NO_KEY;
    return true;
}

static void leave(sp_json_scan_t *scan, size_t start)
{
    assert(scan->depth > 0);
    scan->depth--;
    sp_bytes_append_byte(&scan->out, 0);
    sp_bytes_store_u32(&scan->out, start, (uint32_t)(scan->out.size - start));
}

/* The value of a field whose type byte is at `slot` and whose name follows that. */
static bool read_field_value(sp_json_scan_t *scan, size_t slot)
{
    bson_type_t type;
    scan->keys[scan->depth - 1] = slot + 1;
    if (!sp_json_read_value(scan, &type))
        return false;
    scan->out.data[slot] = (uint8_t)type;
    scan->keys[scan->depth - 1] = SP_JSON_NO_KEY;
    if (scan->out.size > SP_JSON_DOCUMENT_MAX)
        return sp_json_fail(scan, scan->at, "the document becomes larger than %u MiB",
                            SP_JSON_DOCUMENT_MAX >> 20);
    return true;
}

static bool read_array(sp_json_scan_t *scan)
{
    size_t start = scan->out.size;
    if (!enter(scan, scan->at))
        return false;
    scan->at++;
    sp_bytes_append_u32(&scan->out, 0);
    bool empty = sp_json_peek(scan) == ']';
    for (uint32_t i = 0; !empty; i++) {
        if (i > 0 && sp_json_peek(scan) == ']')
            break;
        if (i > 0 && sp_json_peek(scan) != ',')
            return sp_json_fail_expected(scan, "',' or ']'");
        scan->at += i > 0;
        char buffer[16];
        const char *name;
        size_t slot = scan->out.size;
        size_t length = bson_uint32_to_string(i, &name, buffer, sizeof buffer);
        sp_bytes_append_byte(&scan->out, 0);
        sp_bytes_append(&scan->out, name, length + 1);
        if (!read_field_value(scan, slot))
            return false;
    }
    scan->at++;
    leave(scan, start);
    return true;
}

/* Appends a free type byte and the field name that comes next. */
static bool read_field_name(sp_json_scan_t *scan, size_t *where)
{
    sp_json_peek(scan);
    *where = scan->at;
    sp_bytes_append_byte(&scan->out, 0);
    if (!sp_json_string(scan, "a field name", true, &scan->out))
        return false;
    sp_bytes_append_byte(&scan->out, 0);
    return true;
}

/* Whether the only field so far is the partner of `wrapper`, which comes second; if so, takes it to
 * the arena. */
static bool take_partner(sp_json_scan_t *scan, const sp_json_wrapper_t *wrapper, size_t first,
                         size_t end, sp_json_part_t *early)
{
    bson_type_t type;
    const char *partner = sp_json_wrapper_partner(wrapper, &type);
    const char *name = (const char *)scan->out.data + first + 1;
    if (partner == NULL || strcmp(name, partner) != 0 || scan->out.data[first] != (uint8_t)type)
        return false;
    size_t value = first + 1 + strlen(name) + 1;
    size_t size = end - value;
    if (type == BSON_TYPE_UTF8) {
        value += 4;
        size -= 5;
    }
    *early = (sp_json_part_t){.given = true, .start = scan->arena.size, .size = size};
    sp_bytes_append(&scan->arena, scan->out.data + value, size);
    sp_bytes_append_byte(&scan->arena, 0);
    return true;
}

/* An object's first name decides whether it is a wrapper; a wrapper's name after others is an
 * error, but for the two wrappers whose second field may come first. */
static bool read_object(sp_json_scan_t *scan, bson_type_t *type)
{
    size_t open = scan->at++;
    size_t start = scan->out.size;
    const unsigned depth = scan->depth;
    *type = BSON_TYPE_DOCUMENT;
    sp_bytes_append_u32(&scan->out, 0);
    const bool empty = sp_json_peek(scan) == '}';
    if (empty && !enter(scan, open))
        return false;
    for (size_t i = 0; !empty; i++) {
        if (i > 0 && sp_json_peek(scan) == '}')
            break;
        if (i > 0 && sp_json_peek(scan) != ',')
            return sp_json_fail_expected(scan, "',' or '}'");
        scan->at += i > 0;
        size_t where;
        size_t slot = scan->out.size;
        if (!read_field_name(scan, &where))
            return false;
        const sp_json_wrapper_t *wrapper = sp_json_wrapper_find(
            (const char *)scan->out.data + slot + 1, scan->out.size - slot - 2);
        if (wrapper != NULL) {
            sp_json_part_t early = {0};
            if (i > 1 || (i == 1 && !take_partner(scan, wrapper, start + 4, slot, &early)))
                return sp_json_fail(scan, where,
                                    "%s must be alone in its object; a document with such a "
                                    "field can be given with $raw",
                                    sp_json_wrapper_name(wrapper));
            scan->depth = depth;
            scan->out.size = start;
            return sp_json_read_wrapper(scan, wrapper, &early, type);
        }
        if ((i == 0 && !enter(scan, open)) || !sp_json_take(scan, ':') ||
            !read_field_value(scan, slot))
            return false;
    }
    scan->at++;
    leave(scan, start);
    return true;
}

bool sp_json_read_value(sp_json_scan_t *scan, bson_type_t *type)
{
    *type = BSON_TYPE_EOD;
    size_t mark = scan->arena.size;
    bool ok;
    int next = sp_json_peek(scan);
    if (next == '-' || (next >= '0' && next <= '9'))
        return read_number(scan, type);
    switch (next) {
    case '{':
        ok = read_object(scan, type);
        scan->arena.size = mark;
        return ok;
    case '[':
        *type = BSON_TYPE_ARRAY;
        return read_array(scan);
    case '"':
        *type = BSON_TYPE_UTF8;
        return read_string(scan);
    case 't':
    case 'f':
        *type = BSON_TYPE_BOOL;
        ok = sp_json_take_word(scan, "true");
        if (!ok && !sp_json_take_word(scan, "false"))
            break;
        sp_bytes_append_byte(&scan->out, ok);
        return true;
    case 'n':
        *type = BSON_TYPE_NULL;
        if (!sp_json_take_word(scan, "null"))
            break;
        return true;
    default:
        break;
    }
    return sp_json_fail_expected(scan, "a value");
}

static bool read_text(sp_json_scan_t *scan)
{
    bson_type_t type;
    bson_t whole;
    if (scan->size > SP_JSON_TEXT_MAX)
        return sp_error_set(scan->error, SP_ERROR_INPUT, 0,
                            "the text is larger than %u MiB, the most that is read",
                            SP_JSON_TEXT_MAX >> 20);
    if (sp_json_peek(scan) != '{')
        return sp_json_fail_expected(scan, "a document, which starts with '{',");
    size_t where = scan->at;
    if (!read_object(scan, &type))
        return false;
    if (type != BSON_TYPE_DOCUMENT)
        return sp_json_fail(scan, where,
                            "the whole text must be a document and is one value of another type; a "
                            "document with such a field can be given with $raw of type 03");
    if (sp_json_peek(scan) >= 0)
        return sp_json_fail_expected(scan, "nothing after the document");
    if (scan->out.size > SP_JSON_DOCUMENT_MAX)
        return sp_json_fail(scan, where, "the document is larger than %u MiB",
                            SP_JSON_DOCUMENT_MAX >> 20);
    /* Each $raw was looked at alone: only the whole shows how deep they reach. */
    return !scan->has_raw || (bson_init_static(&whole, scan->out.data, scan->out.size) &&
                              sp_document_check(&whole, scan->error));
}

bool sp_json_read(const char *text, size_t size, bson_t *doc, sp_error_t *error)
{
    bson_init(doc);
    /* A host program may have set a decimal comma. */
    locale_t c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    assert(c_locale != (locale_t)0);
    locale_t previous = uselocale(c_locale);

    sp_json_scan_t scan = {.text = text, .size = size, .error = error};
    bool ok = read_text(&scan);
    if (ok) {
        uint8_t *to = bson_reserve_buffer(doc, (uint32_t)scan.out.size);
        assert(to != NULL && scan.out.data != NULL);
        memcpy(to, scan.out.data, scan.out.size);
    }

    sp_bytes_free(&scan.out);
    sp_bytes_free(&scan.arena);
    uselocale(previous);
    freelocale(c_locale);
    return ok;
}
