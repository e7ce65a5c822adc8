#ifndef SHARDPROOF_SHA256_H
#define SHARDPROOF_SHA256_H

#include "../../oracles/error.h"

#define SP_SHA256_TEXT 65 /* 64 hexadecimal digits and the end */

/* The SHA-256 of a file as lower-case hexadecimal digits. */
bool sp_sha256_file(const char *path, char text[SP_SHA256_TEXT], sp_error_t *error);

#endif
