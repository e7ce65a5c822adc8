/*
 * The form of a filter tree in which a server looks for shard keys and index bounds.
 */
#ifndef SHARDPROOF_FILTER_NORMAL_H
#define SHARDPROOF_FILTER_NORMAL_H

#include "collator.h"
#include "filter.h"

/* How a query compares strings. */
typedef struct sp_strings {
    bool simple;             /* by their bytes */
    sp_collator_t *collator; /* else by this one; it may be NULL where no two values could differ in
                                it */
} sp_strings_t;

/* Nested $and in $and and $or in $or are one; a single child stands for its parent; $in of one
 * value is equality, of nothing is never; double negation goes; what is always true or false is
 * drawn upwards. May change `root` in place. How the query compares strings matters for what counts
 * as repeated in $in, and for which regular expressions go into one; `strings` NULL: by their
 * bytes. */
sp_node_t *sp_filter_normalize(sp_arena_t *arena, sp_version_t version, const sp_strings_t *strings,
                               sp_node_t *root);

#endif
