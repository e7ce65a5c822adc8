/*
 * UTF-8 by RFC 3629: no overlong forms, no surrogates, nothing above U+10FFFF. libbson's own check
 * lets some of these through.
 */
#ifndef SHARDPROOF_UTF8_H
#define SHARDPROOF_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes of the character at the start of `text`, 1 to 4; 0 where it is none. `size` is at least 1.
 */
size_t sp_utf8_length(const char *text, size_t size);

bool sp_utf8_is_valid(const char *text, size_t size);

/* Encodes a code point that is no surrogate and at most U+10FFFF; returns the number of bytes. */
size_t sp_utf8_encode(uint32_t point, char out[static 4]);

#endif
