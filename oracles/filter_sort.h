/*
 * The sequence in which a server has the conditions that stand side by side in a filter. It decides
 * which of several $or it looks up.
 */
#ifndef SHARDPROOF_FILTER_SORT_H
#define SHARDPROOF_FILTER_SORT_H

#include "filter.h"

/* Sorts by kind, then path, then child by child; values do not count, and what compares alike stays
 * in the sequence it came in. */
void sp_node_sort_children(sp_arena_t *arena, sp_node_t *node);

#endif
