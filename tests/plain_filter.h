/*
 * Filters over whole numbers, and which documents match them: so plain that the matcher needs no
 * trust.
 */
#ifndef SHARDPROOF_PLAIN_FILTER_H
#define SHARDPROOF_PLAIN_FILTER_H

#include "../fuzzers/producer.h"

#include <bson/bson.h>

#define SP_PLAIN_FIELDS 3

extern const char sp_plain_fields[SP_PLAIN_FIELDS][2];

/* Appends {x: 5} or {x: {$gt: 5}} and the like; numbers are 0 to 9. */
void sp_draw_plain_predicate(sp_producer_t *producer, bson_t *filter);

/* Appends one or two predicates, $and, $or or $nor, nested `depth` levels at most. */
void sp_draw_plain_filter(sp_producer_t *producer, unsigned depth, bson_t *filter);

/* `doc` has a number for each field. */
bool sp_plain_matches(const bson_t *filter, const int32_t *doc);

#endif
