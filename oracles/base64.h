/*
 * Base64 (RFC 4648) with padding, strict: OpenSSL's decoder skips white space and ignores stray
 * bits.
 */
#ifndef SHARDPROOF_BASE64_H
#define SHARDPROOF_BASE64_H

#include "bytes.h"

#include <stdbool.h>

void sp_base64_write(sp_bytes_t *to, const uint8_t *data, size_t size);

/* Appends the decoded bytes to `to`. On failure `why` says what is wrong, to be put after the name
 * of the text in a message, and nothing was appended. */
bool sp_base64_read(const char *text, size_t size, sp_bytes_t *to, const char **why);

#endif
