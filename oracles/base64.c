#include "base64.h"

#include <assert.h>
#include <openssl/evp.h>
#include <string.h>

/* OpenSSL counts in int; whole groups of three and of four bytes can be cut anywhere between. */
#define GROUPS_AT_ONCE ((size_t)1 << 20)

static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

void sp_base64_write(sp_bytes_t *to, const uint8_t *data, size_t size)
{
    while (size > 0) {
        size_t part = size < 3 * GROUPS_AT_ONCE ? size : 3 * GROUPS_AT_ONCE;
        size_t coded = (part + 2) / 3 * 4;
        /* OpenSSL adds a NUL. */
        uint8_t *out = sp_bytes_extend(to, coded + 1);
        int written = EVP_EncodeBlock(out, data, (int)part);
        assert(written >= 0 && (size_t)written == coded);
        to->size--;
        data += part;
        size -= part;
    }
}

static bool is_strict(const char *text, size_t size, size_t *padding, const char **why)
{
    *padding = 0;
    if (size % 4 != 0) {
        *why = "is no base64: its length is no multiple of 4";
        return false;
    }
    while (*padding < 2 && *padding < size && text[size - *padding - 1] == '=')
        (*padding)++;
    for (size_t i = 0; i < size - *padding; i++) {
        if (text[i] == '\0' || strchr(alphabet, text[i]) == NULL) {
            *why = "is no base64: it has a character outside its alphabet";
            return false;
        }
    }
    if (*padding > 0) {
        const char *last = strchr(alphabet, text[size - *padding - 1]);
        unsigned unused = *padding == 1 ? 0x3 : 0xF;
        if (((unsigned)(last - alphabet) & unused) != 0) {
            *why = "is no base64: the bits before its padding are not zero";
            return false;
        }
    }
    return true;
}

bool sp_base64_read(const char *text, size_t size, sp_bytes_t *to, const char **why)
{
    size_t padding;
    if (!is_strict(text, size, &padding, why))
        return false;
    const uint8_t *from = (const uint8_t *)text;
    while (size > 0) {
        size_t part = size < 4 * GROUPS_AT_ONCE ? size : 4 * GROUPS_AT_ONCE;
        int read = EVP_DecodeBlock(sp_bytes_extend(to, part / 4 * 3), from, (int)part);
        assert(read >= 0 && (size_t)read == part / 4 * 3);
        from += part;
        size -= part;
    }
    to->size -= padding;
    return true;
}
