#include "escape.h"

#include "../oracles/utf8.h"

#include <bson/bson.h>
#include <stdbool.h>
#include <string.h>
#include <strings.h>

char *sp_utf8_clean(const char *text, size_t max)
{
    size_t length = strlen(text), at = 0;
    bson_string_t *out = bson_string_new(NULL);
    while (at < length) {
        size_t size = sp_utf8_length(text + at, length - at);
        const char *piece = size == 0 ? "\xef\xbf\xbd" : text + at;
        size_t piece_size = size == 0 ? 3 : size;
        if (out->len + piece_size > max)
            break;
        for (size_t i = 0; i < piece_size; i++)
            bson_string_append_c(out, piece[i]);
        at += size == 0 ? 1 : size;
    }
    if (at < length)
        bson_string_append_printf(out, "… (%zu bytes cut)", length - at);
    return bson_string_free(out, false);
}

/* The length of the first of `words` that `text` begins with, whatever its case; 0: none. */
static size_t begins_with(const char *text, const char *const *words)
{
    for (; *words != NULL; words++) {
        size_t length = strlen(*words);
        if (strncasecmp(text, *words, length) == 0)
            return length;
    }
    return 0;
}

static const char *const schemes[] = {"mongodb://", "mongodb+srv://", NULL};

static const char *const secrets[] = {
    "tlsCertificateKeyFilePassword=", "sslClientCertificateKeyPassword=", "AWS_SESSION_TOKEN:",
    "AWS_SESSION_TOKEN%3A", NULL};

static bool options_begin(const char *question_mark)
{
    const char *name = question_mark + 1;
    size_t length = strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ");
    return length > 0 && name[length] == '=';
}

/* The last @ before the options of the address whose part after the scheme is `address`, or NULL. A
 * password may hold any character where it was not encoded as it should be, so / does not end it.
 */
static const char *login_end(const char *address)
{
    const char *at = NULL;
    for (const char *p = address; strchr(" \t\r\n\v\f", *p) == NULL; p++) {
        if (*p == '?' && options_begin(p))
            break;
        if (*p == '@')
            at = p;
    }
    return at;
}

static void append(bson_string_t *out, const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++)
        bson_string_append_c(out, text[i]);
}

char *sp_redact(const char *text)
{
    bson_string_t *out = bson_string_new(NULL);
    while (*text != '\0') {
        size_t scheme = begins_with(text, schemes);
        size_t secret = begins_with(text, secrets);
        size_t length = scheme + secret > 0 ? scheme + secret : 1;
        append(out, text, length);
        text += length;
        if (secret > 0) {
            bson_string_append(out, "***");
            text += strcspn(text, "&, \t\r\n\"'");
        } else if (scheme > 0) {
            const char *end = login_end(text);
            const char *colon = end == NULL ? NULL : memchr(text, ':', (size_t)(end - text));
            if (colon != NULL) {
                append(out, text, (size_t)(colon - text) + 1);
                bson_string_append(out, "***");
                text = end;
            }
        }
    }
    return bson_string_free(out, false);
}

char *sp_shell_quote(const char *word)
{
    size_t plain = strspn(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "_@%+=:,./-");
    if (*word != '\0' && word[plain] == '\0')
        return bson_strdup(word);

    bson_string_t *out = bson_string_new("'");
    for (; *word != '\0'; word++) {
        if (*word == '\'')
            bson_string_append(out, "'\\''");
        else
            bson_string_append_c(out, *word);
    }
    bson_string_append_c(out, '\'');
    return bson_string_free(out, false);
}
