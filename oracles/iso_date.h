/*
 * Dates in ISO 8601, as relaxed Extended JSON has them, as milliseconds since 1970 in UTC.
 */
#ifndef SHARDPROOF_ISO_DATE_H
#define SHARDPROOF_ISO_DATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* YYYY-MM-DDTHH:MM:SS, maybe .S to .SSS, then Z, +HH:MM, +HHMM or +HH; years 0000 to 9999, no leap
 * seconds. On failure `why` says what is wrong, to be put after the text in a message. */
bool sp_iso_date_read(const char *text, size_t size, int64_t *milliseconds, const char **why);

#endif
