/*
 * The beginning that a string must have to match a regular expression, as far as a server looks for
 * it.
 */
#ifndef SHARDPROOF_REGEX_PREFIX_H
#define SHARDPROOF_REGEX_PREFIX_H

#include "filter.h"

/* The literal text behind ^ or \A up to the first character that is not plain; "" where there is
 * none, or where an option (i, m behind ^) or an alternative makes it useless. Source: index bounds
 * of 6.0.5 and 6.0.27, faults included: the letter before {0} is counted in (docs/findings.md). */
const char *sp_regex_prefix(sp_arena_t *arena, const sp_regex_t *regex);

#endif
