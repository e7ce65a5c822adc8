#include "filter_normal.h"

#include "filter_sort.h"
#include "order.h"

#include <stdlib.h>
#include <string.h>

typedef struct normalizer {
    sp_arena_t *arena;
    sp_version_t version;
    const sp_strings_t *strings;
} normalizer_t;

/* A value of an $in and where it stood. */
typedef struct listed {
    sp_value_t value;
    unsigned at;
} listed_t;

static int compare_listed(const void *a, const void *b, void *context)
{
    const listed_t *left = a, *right = b;
    int order = sp_value_compare_collated(context, &left->value, &right->value);
    return order != 0 ? order : (left->at > right->at) - (left->at < right->at);
}

/* Equal values count once, whatever their type, and strings by the collation; the first stays. */
static void drop_repeated_values(const normalizer_t *normalizer, sp_node_t *in)
{
    if (in->value_count < 2)
        return;
    listed_t *listed = sp_arena_take(normalizer->arena, in->value_count * sizeof *listed);
    for (unsigned i = 0; i < in->value_count; i++)
        listed[i] = (listed_t){in->values[i], i};
    qsort_r(listed, in->value_count, sizeof *listed, compare_listed, normalizer->strings->collator);
    unsigned kept = 0;
    for (unsigned i = 0; i < in->value_count; i++) {
        if (i == 0 || sp_value_compare_collated(normalizer->strings->collator,
                                                &in->values[kept - 1], &listed[i].value) != 0)
            in->values[kept++] = listed[i].value;
    }
    in->value_count = kept;
}

/* Whether the node is equality that an $or may gather into $in: not one with a regular expression
 * as its value, which $in would take for a pattern. */
static bool is_equality(const sp_node_t *node)
{
    return node->kind == SP_NODE_REGEX ||
           (node->kind == SP_NODE_EQ && node->value.type != BSON_TYPE_REGEX);
}

/* Whether child `at` of the $or may be gathered with others of its path. Under a collation equality
 * does not go with a regular expression that comes before it, which has none. */
static bool is_gatherable(const normalizer_t *normalizer, const sp_node_t *or_node, unsigned at)
{
    const sp_node_t *child = or_node->children[at];
    if (!is_equality(child))
        return false;
    if (normalizer->strings->simple || child->kind == SP_NODE_REGEX)
        return true;
    for (unsigned i = 0; i < at; i++) {
        const sp_node_t *first = or_node->children[i];
        if (is_equality(first) && strcmp(first->path, child->path) == 0)
            return first->kind == SP_NODE_EQ;
    }
    return true;
}

static void gather(sp_arena_t *arena, sp_node_t *in, const sp_node_t *node)
{
    if (node->kind == SP_NODE_REGEX)
        sp_node_add_regex(arena, in, &node->regexes[0]);
    else
        sp_node_add_value(arena, in, &node->value);
}

/* {$or: [{x: 1}, {x: 2}, {y: 3}]} is {$or: [{y: 3}, {x: {$in: [1, 2]}}]}: equalities with the path
 * of the first equality, as written, where there are two or more. Those on other paths stay. */
static void gather_equalities(const normalizer_t *normalizer, sp_node_t *or_node)
{
    sp_arena_t *arena = normalizer->arena;
    sp_node_t *in = NULL, *rest = sp_node_new(arena, SP_NODE_OR, NULL);
    unsigned gathered = 0;
    for (unsigned i = 0; i < or_node->child_count; i++) {
        sp_node_t *child = or_node->children[i];
        bool gatherable = is_gatherable(normalizer, or_node, i);
        if (in == NULL && gatherable)
            in = sp_node_new(arena, SP_NODE_IN, child->path);
        if (!gatherable || strcmp(child->path, in->path) != 0) {
            sp_node_add_child(arena, rest, child);
        } else {
            gather(arena, in, child);
            gathered++;
        }
    }
    if (gathered < 2)
        return;
    drop_repeated_values(normalizer, in);
    if (rest->child_count > 1 && sp_version_has(normalizer->version, SP_GATHERED_APART)) {
        sp_node_sort_children(arena, rest);
        or_node->child_count = 1;
        or_node->children[0] = rest;
    } else {
        or_node->children = rest->children;
        or_node->child_count = rest->child_count;
        or_node->child_capacity = rest->child_capacity;
    }
    sp_node_add_child(arena, or_node, in);
}

static sp_node_t *normalize(const normalizer_t *normalizer, sp_node_t *root);

/* An $and or $or of its normalized children. */
static sp_node_t *normalize_list(const normalizer_t *normalizer, sp_node_t *node)
{
    const bool is_and = node->kind == SP_NODE_AND;
    const sp_node_kind_t decides = is_and ? SP_NODE_ALWAYS_FALSE : SP_NODE_ALWAYS_TRUE;
    const sp_node_kind_t vanishes = is_and ? SP_NODE_ALWAYS_TRUE : SP_NODE_ALWAYS_FALSE;
    sp_node_t *flat = sp_node_new(normalizer->arena, node->kind, NULL);
    bool any = node->child_count > 0;
    for (unsigned i = 0; i < node->child_count; i++) {
        sp_node_t *child = normalize(normalizer, node->children[i]);
        if (child->kind == decides)
            return child;
        if (!is_and && child->kind == SP_NODE_AND && child->child_count == 0)
            return sp_node_new(normalizer->arena, SP_NODE_ALWAYS_TRUE, NULL);
        if (child->kind == node->kind) {
            for (unsigned j = 0; j < child->child_count; j++)
                sp_node_add_child(normalizer->arena, flat, child->children[j]);
        } else if (child->kind != vanishes) {
            sp_node_add_child(normalizer->arena, flat, child);
        }
    }
    if (!is_and && flat->child_count > 1)
        gather_equalities(normalizer, flat);
    if (flat->child_count == 1)
        return flat->children[0];
    if (flat->child_count == 0 && any)
        flat->kind = vanishes;
    sp_node_sort_children(normalizer->arena, flat);
    return flat;
}

static sp_node_t *normalize_in(const normalizer_t *normalizer, sp_node_t *node)
{
    drop_repeated_values(normalizer, node);
    if (node->value_count + node->regex_count != 1)
        return node;
    sp_node_t *one = sp_node_new(normalizer->arena,
                                 node->value_count == 1 ? SP_NODE_EQ : SP_NODE_REGEX, node->path);
    if (node->value_count == 1)
        one->value = node->values[0];
    else
        sp_node_add_regex(normalizer->arena, one, &node->regexes[0]);
    return one;
}

/* Of a single condition the opposite is left. Later servers first drop what never holds, and see
 * that nothing is left to hold beside what always does. */
static sp_node_t *normalize_nor(const normalizer_t *normalizer, sp_node_t *node)
{
    const bool simplifies = sp_version_has(normalizer->version, SP_NOR_SIMPLIFIED);
    bool always_true = false;
    unsigned kept = 0;
    for (unsigned i = 0; i < node->child_count; i++) {
        sp_node_t *child = normalize(normalizer, node->children[i]);
        always_true = always_true || child->kind == SP_NODE_ALWAYS_TRUE ||
                      (child->kind == SP_NODE_AND && child->child_count == 0);
        if (!simplifies || child->kind != SP_NODE_ALWAYS_FALSE)
            node->children[kept++] = child;
    }
    node->child_count = kept;
    if (kept == 0)
        node->kind = SP_NODE_ALWAYS_TRUE;
    else if (kept == 1)
        node->kind = SP_NODE_NOT;
    else if (simplifies && always_true)
        return sp_node_new(normalizer->arena, SP_NODE_ALWAYS_FALSE, NULL);
    sp_node_sort_children(normalizer->arena, node);
    return node;
}

static sp_node_t *normalize(const normalizer_t *normalizer, sp_node_t *root)
{
    switch (root->kind) {
    case SP_NODE_AND:
    case SP_NODE_OR:
        return normalize_list(normalizer, root);
    case SP_NODE_IN:
        return normalize_in(normalizer, root);
    case SP_NODE_NOR:
        return normalize_nor(normalizer, root);
    case SP_NODE_NOT:
    case SP_NODE_ELEM_MATCH_OBJECT:
    case SP_NODE_ELEM_MATCH_VALUE:
        for (unsigned i = 0; i < root->child_count; i++)
            root->children[i] = normalize(normalizer, root->children[i]);
        sp_node_sort_children(normalizer->arena, root);
        return root;
    default:
        return root;
    }
}

sp_node_t *sp_filter_normalize(sp_arena_t *arena, sp_version_t version, const sp_strings_t *strings,
                               sp_node_t *root)
{
    static const sp_strings_t by_bytes = {.simple = true};
    const normalizer_t normalizer = {arena, version, strings != NULL ? strings : &by_bytes};
    return normalize(&normalizer, root);
}
