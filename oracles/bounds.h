/*
 * Index bounds: for each shard key field the intervals of values that can match.
 */
#ifndef SHARDPROOF_BOUNDS_H
#define SHARDPROOF_BOUNDS_H

#include "arena.h"
#include "filter.h"
#include "hash.h"
#include "pattern.h"

typedef struct sp_interval {
    sp_value_t start, end;
    bool start_in, end_in;
} sp_interval_t;

/* Ascending and disjoint. None: nothing can match. */
typedef struct sp_intervals {
    sp_interval_t *items;
    unsigned count, capacity;
} sp_intervals_t;

typedef struct sp_bounds {
    unsigned field_count;
    sp_intervals_t fields[SP_PATTERN_FIELDS_MAX];
} sp_bounds_t;

/* One interval from MinKey to MaxKey. */
bool sp_intervals_are_everything(const sp_intervals_t *intervals);
/* Exactly one value. */
bool sp_interval_is_point(const sp_interval_t *interval);

/* Adds one interval; an empty one is left out. Afterwards they may be neither ascending nor
 * disjoint until sp_intervals_settle. */
void sp_intervals_add(sp_arena_t *arena, sp_intervals_t *intervals, const sp_interval_t *interval);
/* Sorts, and joins what overlaps or touches. */
void sp_intervals_settle(sp_intervals_t *intervals);

void sp_intervals_set_everything(sp_arena_t *arena, sp_intervals_t *intervals);
/* Adds all of another; again to be settled. */
void sp_intervals_add_all(sp_arena_t *arena, sp_intervals_t *into, const sp_intervals_t *other);
void sp_intervals_intersect(sp_arena_t *arena, sp_intervals_t *into, const sp_intervals_t *other);
/* All values that are in none of the intervals. */
void sp_intervals_complement(sp_arena_t *arena, sp_intervals_t *intervals);

/* The intervals of one predicate (a leaf, NOT of a leaf, or ELEM_MATCH_VALUE) for a field of the
 * index; `hasher` where the field is hashed, else NULL. */
void sp_intervals_of(sp_arena_t *arena, sp_hasher_t *hasher, sp_version_t version,
                     const sp_node_t *predicate, sp_intervals_t *intervals);

#endif
