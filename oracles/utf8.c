#include "utf8.h"

#include <assert.h>

size_t sp_utf8_length(const char *text, size_t size)
{
    uint8_t first = (uint8_t)text[0];
    if (first < 0x80)
        return 1;
    if (first < 0xC2 || first > 0xF4)
        return 0;
    size_t length = first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
    if (length > size)
        return 0;

    /* Only the second byte's range depends on the first: that rules out overlong forms, surrogates
     * and what lies beyond U+10FFFF. */
    uint8_t low = first == 0xE0 ? 0xA0 : first == 0xF0 ? 0x90 : 0x80;
    uint8_t high = first == 0xED ? 0x9F : first == 0xF4 ? 0x8F : 0xBF;
    uint8_t second = (uint8_t)text[1];
    if (second < low || second > high)
        return 0;
    for (size_t i = 2; i < length; i++) {
        if (((uint8_t)text[i] & 0xC0) != 0x80)
            return 0;
    }
    return length;
}

bool sp_utf8_is_valid(const char *text, size_t size)
{
    for (size_t at = 0; at < size;) {
        size_t length = sp_utf8_length(text + at, size - at);
        if (length == 0)
            return false;
        at += length;
    }
    return true;
}

size_t sp_utf8_encode(uint32_t point, char out[static 4])
{
    assert(point <= 0x10FFFF && (point < 0xD800 || point > 0xDFFF));
    if (point < 0x80) {
        out[0] = (char)point;
        return 1;
    }
    if (point < 0x800) {
        out[0] = (char)(0xC0 | point >> 6);
        out[1] = (char)(0x80 | (point & 0x3F));
        return 2;
    }
    if (point < 0x10000) {
        out[0] = (char)(0xE0 | point >> 12);
        out[1] = (char)(0x80 | (point >> 6 & 0x3F));
        out[2] = (char)(0x80 | (point & 0x3F));
        return 3;
    }
    out[0] = (char)(0xF0 | point >> 18);
    out[1] = (char)(0x80 | (point >> 12 & 0x3F));
    out[2] = (char)(0x80 | (point >> 6 & 0x3F));
    out[3] = (char)(0x80 | (point & 0x3F));
    return 4;
}
