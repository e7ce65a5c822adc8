#include "extjson_part.h"

#include "extjson_number.h"
#include "utf8.h"

#include <stdio.h>
#include <string.h>

const char *sp_json_part_text(const sp_json_scan_t *scan, const sp_json_part_t *part)
{
    return (const char *)scan->arena.data + part->start;
}

bool sp_json_read_part(sp_json_scan_t *scan, const char *what, bool no_nul, sp_json_part_t *part)
{
    sp_json_peek(scan);
    part->where = scan->at;
    part->start = scan->arena.size;
    if (!sp_json_string(scan, what, no_nul, &scan->arena))
        return false;
    part->size = scan->arena.size - part->start;
    part->given = true;
    sp_bytes_append_byte(&scan->arena, '\0');
    return true;
}

/* At most 40 bytes of the part, whole characters, control characters made visible. */
static void show_part(const sp_json_scan_t *scan, const sp_json_part_t *part, char shown[static 48])
{
    const char *text = sp_json_part_text(scan, part);
    size_t size = 0;
    while (size < part->size) {
        size_t length = sp_utf8_length(text + size, part->size - size);
        if (length == 0 || size + length > 40)
            break;
        size += length;
    }
    memcpy(shown, text, size);
    for (size_t i = 0; i < size; i++) {
        if ((uint8_t)shown[i] < 0x20 || shown[i] == 0x7F)
            shown[i] = '?';
    }
    snprintf(shown + size, 48 - size, "%s", size < part->size ? "..." : "");
}

bool sp_json_fail_part(sp_json_scan_t *scan, const char *name, const sp_json_part_t *part,
                       const char *why)
{
    char shown[48];
    show_part(scan, part, shown);
    return sp_json_fail(scan, part->where, "%s '%s' %s", name, shown, why);
}

static int hex_digit(char digit)
{
    static const char digits[] = "0123456789abcdef0123456789ABCDEF";
    const char *found = digit == '\0' ? NULL : strchr(digits, digit);
    return found == NULL ? -1 : (int)((found - digits) % 16);
}

bool sp_json_part_hex(const sp_json_scan_t *scan, const sp_json_part_t *part, uint8_t *bytes,
                      size_t size)
{
    const char *text = sp_json_part_text(scan, part);
    if (part->size != 2 * size)
        return false;
    for (size_t i = 0; i < size; i++) {
        int high = hex_digit(text[2 * i]);
        int low = hex_digit(text[2 * i + 1]);
        if (high < 0 || low < 0)
            return false;
        bytes[i] = (uint8_t)(high << 4 | low);
    }
    return true;
}

bool sp_json_read_oid(sp_json_scan_t *scan, sp_json_part_t *part)
{
    uint8_t bytes[12];
    if (!sp_json_read_part(scan, "the string of $oid", false, part))
        return false;
    if (!sp_json_part_hex(scan, part, bytes, sizeof bytes))
        return sp_json_fail_part(scan, "$oid", part, "is not 24 hexadecimal digits");
    memcpy(scan->arena.data + part->start, bytes, sizeof bytes);
    part->size = sizeof bytes;
    return true;
}

static bool read_oid_object(sp_json_scan_t *scan, const char *name, sp_json_part_t *part)
{
    sp_json_part_t key = {0};
    if (!sp_json_take(scan, '{') || !sp_json_read_part(scan, "\"$oid\"", true, &key))
        return false;
    if (strcmp(sp_json_part_text(scan, &key), "$oid") != 0)
        return sp_json_fail(scan, key.where, "expected {\"$oid\": ...} as the $id of %s", name);
    return sp_json_take(scan, ':') && sp_json_read_oid(scan, part) && sp_json_take(scan, '}');
}

static bool read_uint32(sp_json_scan_t *scan, sp_json_member_t *member)
{
    const char *why;
    int64_t number = -1;
    bool integral;
    int next = sp_json_peek(scan);
    size_t left = scan->size - scan->at;
    size_t length = next < 0 ? 0 : sp_json_number_length(scan->text + scan->at, left, &integral);
    if (length == 0)
        return sp_json_fail_expected(scan, "an integer");
    if (!sp_number_read_int64(scan->text + scan->at, length, &number, &why) || number < 0 ||
        number > UINT32_MAX)
        return sp_json_fail(scan, scan->at, "'%s' must be an integer from 0 to %u", member->name,
                            UINT32_MAX);
    member->number = (uint32_t)number;
    member->part.given = true;
    scan->at += length;
    return true;
}

static bool read_member(sp_json_scan_t *scan, const char *name, sp_json_member_t *member)
{
    char what[64];
    snprintf(what, sizeof what, "the string '%s' of %s", member->name, name);
    switch (member->kind) {
    case SP_JSON_STRING:
        return sp_json_read_part(scan, what, false, &member->part);
    case SP_JSON_CSTRING:
        return sp_json_read_part(scan, what, true, &member->part);
    case SP_JSON_UINT32:
        return read_uint32(scan, member);
    case SP_JSON_OID:
        return read_oid_object(scan, name, &member->part);
    }
    return false;
}

/* The member whose name comes next; NULL with an error where it is none, or one that was there
 * already. */
static sp_json_member_t *read_name(sp_json_scan_t *scan, const char *name,
                                   sp_json_member_t *members, size_t count)
{
    sp_json_part_t key = {0};
    if (!sp_json_read_part(scan, "a field name", false, &key))
        return NULL;
    scan->arena.size = key.start;
    for (size_t i = 0; i < count; i++) {
        if (strlen(members[i].name) != key.size ||
            memcmp(members[i].name, sp_json_part_text(scan, &key), key.size) != 0)
            continue;
        if (!members[i].part.given)
            return &members[i];
        sp_json_fail_part(scan, "the field", &key, "is there twice");
        return NULL;
    }
    char why[48];
    snprintf(why, sizeof why, "does not belong into %s", name);
    sp_json_fail_part(scan, "the field", &key, why);
    return NULL;
}

bool sp_json_read_members(sp_json_scan_t *scan, const char *name, sp_json_member_t *members,
                          size_t count)
{
    char what[64];
    snprintf(what, sizeof what, "the object of %s", name);
    if (sp_json_peek(scan) != '{')
        return sp_json_fail_expected(scan, what);
    scan->at++;
    for (size_t i = 0; i < count; i++) {
        if (sp_json_peek(scan) == '}') {
            const sp_json_member_t *missing = members;
            while (missing->part.given)
                missing++;
            return sp_json_fail(scan, scan->at, "%s lacks the field '%s'", name, missing->name);
        }
        if (i > 0 && !sp_json_take(scan, ','))
            return false;
        sp_json_member_t *member = read_name(scan, name, members, count);
        if (member == NULL || !sp_json_take(scan, ':') || !read_member(scan, name, member))
            return false;
    }
    return sp_json_take(scan, '}');
}
