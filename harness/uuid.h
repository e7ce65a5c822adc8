/*
 * Random identifiers, which no other session or machine has.
 */
#ifndef SHARDPROOF_UUID_H
#define SHARDPROOF_UUID_H

#include "../oracles/error.h"

#include <stdint.h>

#define SP_UUID_SIZE 16

/* Draws a UUID of version 4. SP_ERROR_SYSTEM where the system gives no random bytes. */
bool sp_uuid_draw(uint8_t uuid[SP_UUID_SIZE], sp_error_t *error);

#endif
