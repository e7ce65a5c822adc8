/*
 * Where the values of a type begin and end in BSON order, as index bounds write it.
 */
#ifndef SHARDPROOF_TYPE_RANGE_H
#define SHARDPROOF_TYPE_RANGE_H

#include "bounds.h"

/* The interval of a type's values, as {$type: …} has it. For types that have no last value it ends
 * before the least value of the next: strings before {}. NaN is a number. Source: index bounds of
 * 6.0.5 and 6.0.27. */
sp_interval_t sp_type_range(bson_type_t type);

/* What $gt and $lt compare with: the interval of the type, but without NaN for numbers, and up to
 * MaxKey and from MinKey for these two. */
sp_interval_t sp_type_bracket(bson_type_t type);

#endif
