#include "error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* A message that was cut may end inside a character of UTF-8; what is left of that goes too. */
static void drop_partial_character(char *message)
{
    size_t end = strlen(message), start = end;
    while (start > 0 && end - start < 4 && ((unsigned char)message[start - 1] & 0xc0) == 0x80)
        start--;
    if (start == 0)
        return;
    unsigned char lead = (unsigned char)message[start - 1];
    size_t wanted = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc0 ? 2 : 1;
    if (end - start + 1 < wanted)
        message[start - 1] = '\0';
}

bool sp_error_set(sp_error_t *error, sp_error_domain_t domain, int32_t code, const char *format,
                  ...)
{
    if (error == NULL)
        return false;
    error->domain = domain;
    error->code = code;
    va_list args;
    va_start(args, format);
    int size = vsnprintf(error->message, sizeof error->message, format, args);
    va_end(args);
    if (size >= (int)sizeof error->message)
        drop_partial_character(error->message);
    return false;
}

bool sp_error_prefix(sp_error_t *error, const char *format, ...)
{
    if (error == NULL)
        return false;
    char prefix[sizeof error->message];
    va_list args;
    va_start(args, format);
    vsnprintf(prefix, sizeof prefix, format, args);
    va_end(args);

    char whole[2 * sizeof error->message + 2];
    snprintf(whole, sizeof whole, "%s: %s", prefix, error->message);
    memcpy(error->message, whole, sizeof error->message - 1);
    error->message[sizeof error->message - 1] = '\0';
    if (strlen(whole) >= sizeof error->message)
        drop_partial_character(error->message);
    return false;
}
