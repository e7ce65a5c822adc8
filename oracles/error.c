#include "error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

bool sp_error_set(sp_error_t *error, sp_error_domain_t domain, int32_t code, const char *format,
                  ...)
{
    if (error == NULL)
        return false;
    error->domain = domain;
    error->code = code;
    va_list args;
    va_start(args, format);
    vsnprintf(error->message, sizeof error->message, format, args);
    va_end(args);
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
    return false;
}
