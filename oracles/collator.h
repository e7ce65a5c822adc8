/*
 * Comparing strings by a collation.
 *
 * By ICU, as servers do, though theirs is of another age (57 in 6.0): where the tables of both
 * differ, so may the order of rare characters.
 */
#ifndef SHARDPROOF_COLLATOR_H
#define SHARDPROOF_COLLATOR_H

#include "error.h"

#include <bson/bson.h>

typedef struct sp_collator sp_collator_t;

/* A collator for a collation that sp_collation_check accepts and that is not simple. NULL and
 * SP_ERROR_INPUT where ICU does not know it. */
sp_collator_t *sp_collator_new(const bson_t *collation, sp_error_t *error);
void sp_collator_free(sp_collator_t *collator); /* NULL is fine */

/* -1, 0 or 1. What is no UTF-8 counts as U+FFFD. */
int sp_collator_compare(const sp_collator_t *collator, const char *a, uint32_t a_size,
                        const char *b, uint32_t b_size);

/* Bytes that are the same for strings that the collation holds for equal, without the closing NUL;
 * their number in *key_size. To be freed with bson_free. */
char *sp_collator_key(const sp_collator_t *collator, const char *text, uint32_t size,
                      size_t *key_size);

#endif
