/*
 * A value with what a collation makes of its strings: what an index with that collation hashes.
 */
#ifndef SHARDPROOF_COLLATED_VALUE_H
#define SHARDPROOF_COLLATED_VALUE_H

#include "arena.h"
#include "collator.h"
#include "value.h"

/* `value` with each string in it, and in objects and arrays in it, in place of its sort key; in the
 * arena, or borrowed from `value`. Values whose strings are equal by the collation become the same
 * bytes. Servers' sort keys are of another ICU, so the hash of the result means nothing but that.
 * Observed on 6.0.5 and 6.0.27 (corpus/index, "hashes under a collation"): a hashed index with
 * strength 1, prepared to be unique, takes "á" for a duplicate of "a", also inside objects and
 * arrays; field names, code and scopes stay as they are. */
sp_value_t sp_collated_value(sp_arena_t *arena, const sp_collator_t *collator,
                             const sp_value_t *value);

#endif
