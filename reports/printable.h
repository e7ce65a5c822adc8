/*
 * Text that others wrote, made safe for a terminal.
 */
#ifndef SHARDPROOF_PRINTABLE_H
#define SHARDPROOF_PRINTABLE_H

#include <stddef.h>

/* `text` as valid UTF-8 without control characters, each of which becomes a space; cut as
 * sp_utf8_clean does. To be freed with bson_free. */
char *sp_printable(const char *text, size_t max);

#endif
