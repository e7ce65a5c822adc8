#include "json_scan.h"

#include "utf8.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Columns count characters, as editors do; in broken UTF-8 every byte that cannot continue one
 * counts. */
static void locate(const sp_json_scan_t *scan, size_t where, size_t *line, size_t *column)
{
    *line = 1;
    *column = 1;
    for (size_t i = 0; i < where && i < scan->size; i++) {
        if (scan->text[i] == '\n') {
            (*line)++;
            *column = 1;
        } else if (((uint8_t)scan->text[i] & 0xC0) != 0x80) {
            (*column)++;
        }
    }
}

/* The path of the field being read, its end only where it is long. Empty at the top. */
static const char *field_path(const sp_json_scan_t *scan, char path[static 160])
{
    const size_t room = 160;
    size_t at = room - 1;
    path[at] = '\0';
    bool cut = false;
    for (unsigned i = scan->depth; i > 0 && !cut; i--) {
        if (scan->keys[i - 1] == SP_JSON_NO_KEY)
            continue;
        const char *key = (const char *)scan->out.data + scan->keys[i - 1];
        size_t size = strlen(key);
        bool dot = path[at] != '\0';
        cut = size + dot > at - 4;
        if (cut)
            break;
        if (dot)
            path[--at] = '.';
        at -= size;
        memcpy(path + at, key, size);
    }
    if (cut)
        memcpy(path + (at -= 3), "...", 3);
    for (char *c = path + at; *c != '\0'; c++) {
        if ((uint8_t)*c < 0x20 || *c == 0x7F)
            *c = '?';
    }
    return path + at;
}

bool sp_json_fail(sp_json_scan_t *scan, size_t where, const char *format, ...)
{
    char message[256];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);

    size_t line;
    size_t column;
    locate(scan, where, &line, &column);
    char buffer[160];
    const char *path = field_path(scan, buffer);
    if (path[0] == '\0')
        return sp_error_set(scan->error, SP_ERROR_INPUT, 0, "line %zu, column %zu: %s", line,
                            column, message);
    return sp_error_set(scan->error, SP_ERROR_INPUT, 0, "line %zu, column %zu, field '%s': %s",
                        line, column, path, message);
}

bool sp_json_fail_expected(sp_json_scan_t *scan, const char *what)
{
    int next = sp_json_peek(scan);
    if (next < 0)
        return sp_json_fail(scan, scan->at, "expected %s but the text ends", what);
    if (next > 0x20 && next < 0x7F)
        return sp_json_fail(scan, scan->at, "expected %s but found '%c'", what, next);
    return sp_json_fail(scan, scan->at, "expected %s but found the byte 0x%02X", what,
                        (unsigned)next);
}

int sp_json_peek(sp_json_scan_t *scan)
{
    while (scan->at < scan->size) {
        char next = scan->text[scan->at];
        if (next != ' ' && next != '\t' && next != '\n' && next != '\r')
            return (uint8_t)next;
        scan->at++;
    }
    return -1;
}

bool sp_json_take(sp_json_scan_t *scan, char byte)
{
    char what[] = {'\'', byte, '\'', '\0'};
    if (sp_json_peek(scan) != (uint8_t)byte)
        return sp_json_fail_expected(scan, what);
    scan->at++;
    return true;
}

bool sp_json_take_word(sp_json_scan_t *scan, const char *word)
{
    size_t length = strlen(word);
    if (scan->size - scan->at < length || memcmp(scan->text + scan->at, word, length) != 0)
        return false;
    scan->at += length;
    return true;
}

static int hex_digit(char digit)
{
    if (digit >= '0' && digit <= '9')
        return digit - '0';
    if (digit >= 'a' && digit <= 'f')
        return digit - 'a' + 10;
    if (digit >= 'A' && digit <= 'F')
        return digit - 'A' + 10;
    return -1;
}

/* The four digits after \u; the cursor stands on the first. */
static bool read_unit(sp_json_scan_t *scan, size_t escape, uint32_t *unit)
{
    *unit = 0;
    for (int i = 0; i < 4; i++, scan->at++) {
        int digit = scan->at < scan->size ? hex_digit(scan->text[scan->at]) : -1;
        if (digit < 0)
            return sp_json_fail(scan, escape, "expected four hexadecimal digits after \\u");
        *unit = *unit << 4 | (uint32_t)digit;
    }
    return true;
}

static bool read_code_point(sp_json_scan_t *scan, size_t escape, bool no_nul, sp_bytes_t *to)
{
    uint32_t point;
    if (!read_unit(scan, escape, &point))
        return false;
    if (point == 0 && no_nul)
        return sp_json_fail(scan, escape, "\\u0000 is not allowed here: BSON ends the text there");
    if (point >= 0xDC00 && point <= 0xDFFF)
        return sp_json_fail(scan, escape, "a low surrogate without the high one before it");
    if (point >= 0xD800 && point <= 0xDBFF) {
        uint32_t low = 0;
        if (sp_json_take_word(scan, "\\u") && !read_unit(scan, scan->at - 2, &low))
            return false;
        if (low < 0xDC00 || low > 0xDFFF)
            return sp_json_fail(scan, escape, "a high surrogate without the low one after it");
        point = 0x10000 + ((point - 0xD800) << 10) + (low - 0xDC00);
    }
    char encoded[4];
    sp_bytes_append(to, encoded, sp_utf8_encode(point, encoded));
    return true;
}

/* The cursor stands on the backslash. */
static bool read_escape(sp_json_scan_t *scan, bool no_nul, sp_bytes_t *to)
{
    static const char names[] = "\"\\/bfnrt";
    static const char bytes[] = "\"\\/\b\f\n\r\t";
    size_t escape = scan->at++;
    char name = '\0';
    if (scan->at < scan->size)
        name = scan->text[scan->at++];
    if (name == 'u')
        return read_code_point(scan, escape, no_nul, to);
    const char *found = name == '\0' ? NULL : strchr(names, name);
    if (found == NULL)
        return sp_json_fail(scan, escape,
                            "no such escape: JSON has \\\" \\\\ \\/ \\b \\f \\n \\r \\t "
                            "and \\u with four hexadecimal digits");
    sp_bytes_append_byte(to, (uint8_t)bytes[found - names]);
    return true;
}

/* Bytes at the cursor that stand for themselves. */
static size_t plain_length(const sp_json_scan_t *scan)
{
    size_t at = scan->at;
    while (at < scan->size) {
        uint8_t byte = (uint8_t)scan->text[at];
        if (byte < 0x20 || byte == '"' || byte == '\\')
            break;
        size_t length = byte < 0x80 ? 1 : sp_utf8_length(scan->text + at, scan->size - at);
        if (length == 0)
            break;
        at += length;
    }
    return at - scan->at;
}

bool sp_json_string(sp_json_scan_t *scan, const char *what, bool no_nul, sp_bytes_t *to)
{
    if (sp_json_peek(scan) != '"')
        return sp_json_fail_expected(scan, what);
    size_t quote = scan->at++;
    for (;;) {
        size_t plain = plain_length(scan);
        sp_bytes_append(to, scan->text + scan->at, plain);
        scan->at += plain;
        if (scan->at == scan->size)
            return sp_json_fail(scan, quote, "the string that starts here has no end");
        uint8_t next = (uint8_t)scan->text[scan->at];
        if (next == '"') {
            scan->at++;
            return true;
        }
        if (next < 0x20)
            return sp_json_fail(scan, scan->at,
                                "the control character 0x%02X in a string: write it as \\u%04x",
                                next, next);
        if (next != '\\')
            return sp_json_fail(scan, scan->at,
                                "the byte 0x%02X is no UTF-8: other bytes can be given with $raw",
                                next);
        if (!read_escape(scan, no_nul, to))
            return false;
    }
}

static size_t skip_digits(const char *text, size_t size, size_t at)
{
    while (at < size && text[at] >= '0' && text[at] <= '9')
        at++;
    return at;
}

size_t sp_json_number_length(const char *text, size_t size, bool *integral)
{
    *integral = true;
    size_t at = size > 0 && text[0] == '-' ? 1 : 0;
    size_t digits = skip_digits(text, size, at);
    if (digits == at)
        return 0;
    at = text[at] == '0' ? at + 1 : digits;

    if (at < size && text[at] == '.') {
        size_t end = skip_digits(text, size, at + 1);
        if (end == at + 1)
            return 0;
        *integral = false;
        at = end;
    }
    if (at < size && (text[at] == 'e' || text[at] == 'E')) {
        size_t start = at + 1;
        if (start < size && (text[start] == '+' || text[start] == '-'))
            start++;
        size_t end = skip_digits(text, size, start);
        if (end == start)
            return 0;
        *integral = false;
        at = end;
    }
    return at;
}
