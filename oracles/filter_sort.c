#include "filter_sort.h"

#include <stdlib.h>
#include <string.h>

/* The sequence in which a server sorts what stands side by side. */
static int rank_of(sp_node_kind_t kind)
{
    static const sp_node_kind_t sequence[] = {
        SP_NODE_AND,
        SP_NODE_OR,
        SP_NODE_ELEM_MATCH_OBJECT,
        SP_NODE_ELEM_MATCH_VALUE,
        SP_NODE_SIZE,
        SP_NODE_EQ,
        SP_NODE_LTE,
        SP_NODE_LT,
        SP_NODE_GT,
        SP_NODE_GTE,
        SP_NODE_REGEX,
        SP_NODE_MOD,
        SP_NODE_EXISTS,
        SP_NODE_IN,
        SP_NODE_OTHER,
        SP_NODE_NOT,
        SP_NODE_NOR,
        SP_NODE_TYPE,
        SP_NODE_ALWAYS_FALSE,
        SP_NODE_ALWAYS_TRUE,
    };
    int rank = 0;
    while (sequence[rank] != kind)
        rank++;
    return rank;
}

/* By kind, then path, then child by child; values do not count. */
static int compare_nodes(const sp_node_t *a, const sp_node_t *b)
{
    int order = rank_of(a->kind) - rank_of(b->kind);
    if (order == 0 && a->path != NULL && b->path != NULL)
        order = strcmp(a->path, b->path);
    for (unsigned i = 0; order == 0 && i < a->child_count && i < b->child_count; i++)
        order = compare_nodes(a->children[i], b->children[i]);
    if (order == 0)
        order = (a->child_count > b->child_count) - (a->child_count < b->child_count);
    return order;
}

typedef struct placed {
    sp_node_t *node;
    unsigned at;
} placed_t;

/* Those that compare alike stay in the sequence they came in. */
static int compare_placed(const void *a, const void *b)
{
    const placed_t *left = a, *right = b;
    int order = compare_nodes(left->node, right->node);
    return order != 0 ? order : (left->at > right->at) - (left->at < right->at);
}

void sp_node_sort_children(sp_arena_t *arena, sp_node_t *node)
{
    if (node->child_count < 2)
        return;
    placed_t *placed = sp_arena_take(arena, node->child_count * sizeof *placed);
    for (unsigned i = 0; i < node->child_count; i++)
        placed[i] = (placed_t){node->children[i], i};
    qsort(placed, node->child_count, sizeof *placed, compare_placed);
    for (unsigned i = 0; i < node->child_count; i++)
        node->children[i] = placed[i].node;
}
