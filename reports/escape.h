/*
 * Makes text safe for where it goes: into JSON, into a report that others read, into a shell.
 *
 * All return a new string, to be freed with bson_free.
 */
#ifndef SHARDPROOF_ESCAPE_H
#define SHARDPROOF_ESCAPE_H

#include <stddef.h>

/* `text` as valid UTF-8: each byte that is none becomes U+FFFD. What is longer than `max` bytes is
 * cut between two characters, and the text then ends by saying how many bytes are missing. */
char *sp_utf8_clean(const char *text, size_t max);

/* `text` with every password in it replaced by ***: those in mongodb:// and mongodb+srv://
 * addresses and in the options of such an address that are secrets. The last guard, for text that
 * should have none: where an address is malformed, rather too much is replaced than too little. */
char *sp_redact(const char *text);

/* `word` so that a POSIX shell reads it as that one word; as it is where it needs no quotes. */
char *sp_shell_quote(const char *word);

#endif
