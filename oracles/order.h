/*
 * The order of BSON values: the one that chunk bounds, indexes and $cmp follow (without collation).
 *
 * A total order on all types: antisymmetric and transitive, and 0 exactly for values that a server
 * takes for the same key. Source: observed on 6.0.5 and 6.0.27 (`order` and `route` areas).
 */
#ifndef SHARDPROOF_ORDER_H
#define SHARDPROOF_ORDER_H

#include "collator.h"
#include "value.h"

/* The class a type sorts in. Types of one class (the numbers; strings and symbols) compare by
 * value. */
int sp_type_class(bson_type_t type);

/* -1, 0 or 1. */
int sp_value_compare(const sp_value_t *a, const sp_value_t *b);

/* The order that $cmp and sorting in memory follow. It differs in two oddities, by which values can
 * be equal here and differ in an index (docs/findings.md, 2 and 3): in an object that has a field
 * name twice the later field counts as if it held the first one's value; and of two DBPointers only
 * the length of the namespace and the ObjectId count. Neither reaches into the scope of code.
 * Observed on 6.0.5 and 6.0.27, `order` area. */
int sp_value_compare_in_expression(const sp_value_t *a, const sp_value_t *b);

/* The plain order, but with strings and symbols, at any depth, in the order of a collation (NULL:
 * as sp_value_compare). */
int sp_value_compare_collated(const sp_collator_t *collator, const sp_value_t *a,
                              const sp_value_t *b);

/* Field by field: class, then field name, then value; the shorter first where it is a prefix. */
int sp_document_compare(const bson_t *a, const bson_t *b);

/* Shard key values and chunk bounds: values in their places, field names not looked at. */
int sp_key_compare(const bson_t *a, const bson_t *b);

#endif
