/*
 * Which regular expressions a server can compile.
 *
 * Servers up to 6.0 use PCRE 8 (the old one, not PCRE2), and so does this: of 40 000 random
 * patterns, two thirds of them faulty, 6.0.5 and 6.0.27 judged two otherwise than Debian's 8.39 (a
 * condition on a group whose name another one's begins with), and PCRE2 10.42 was wrong on 2600.
 */
#ifndef SHARDPROOF_REGEX_H
#define SHARDPROOF_REGEX_H

#include <stdbool.h>
#include <stdint.h>

/* Whether `pattern` compiles under `options`, of which i, m, s and x count. If not, *flaw says why;
 * it is a constant. */
bool sp_regex_compiles(const char *pattern, const char *options, const char **flaw);

/* Whether a pattern that compiles matches anywhere in `text`. False with *known false where it
 * would take too long or too deep a search to tell. */
bool sp_regex_matches(const char *pattern, const char *options, const char *text, uint32_t size,
                      bool *known);

#endif
