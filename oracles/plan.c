#include "plan.h"

#include "collation.h"
#include "order.h"
#include "type_range.h"

#include <stdio.h>
#include <string.h>

/* A predicate that may bound a field of the index. */
typedef struct predicate {
    const sp_node_t *node;
    unsigned field;
} predicate_t;

typedef struct predicates {
    predicate_t *items;
    unsigned count, capacity;
} predicates_t;

/* An $or that stands beside predicates, and the path of the $elemMatch around it. */
typedef struct branching {
    const sp_node_t *node;
    const char *prefix;
} branching_t;

/* What an $and is made of, as far as an index is concerned. */
typedef struct conjunction {
    predicates_t predicates;
    branching_t *branchings;
    unsigned branching_count, branching_capacity;
} conjunction_t;

/* Whether comparing with a value needs the collation that the index does not have. */
static bool needs_collation(const sp_planner_t *planner, const sp_node_t *node)
{
    if (planner->simple)
        return false;
    if (node->kind != SP_NODE_IN)
        return sp_collation_concerns(node->value.type);
    for (unsigned i = 0; i < node->value_count; i++) {
        if (sp_collation_concerns(node->values[i].type))
            return true;
    }
    return false;
}

static bool is_comparison(const sp_node_t *node)
{
    return node->kind == SP_NODE_EQ || node->kind == SP_NODE_LT || node->kind == SP_NODE_LTE ||
           node->kind == SP_NODE_GT || node->kind == SP_NODE_GTE || node->kind == SP_NODE_IN;
}

/* {$nin: [null, []]}, in whatever sequence: the one negation with an array that is looked up. */
static bool is_null_and_empty_array(const sp_node_t *in)
{
    const uint32_t empty_size = 5;
    if (in->value_count != 2)
        return false;
    unsigned null_at = in->values[0].type == BSON_TYPE_NULL ? 0 : 1;
    const sp_value_t *other = &in->values[1 - null_at];
    return in->values[null_at].type == BSON_TYPE_NULL && other->type == BSON_TYPE_ARRAY &&
           other->size == empty_size;
}

/* Whether the opposite of a predicate can be looked up. Not where arrays come in, since an index
 * holds their elements; nor of $type, $mod, regular expressions and anything compound. */
static bool is_negatable(const sp_node_t *node)
{
    if (node->kind == SP_NODE_EXISTS)
        return true;
    if (!is_comparison(node))
        return false;
    if (node->kind != SP_NODE_IN)
        return node->value.type != BSON_TYPE_ARRAY;
    if (node->regex_count > 0)
        return false;
    for (unsigned i = 0; i < node->value_count; i++) {
        if (node->values[i].type == BSON_TYPE_ARRAY && !is_null_and_empty_array(node))
            return false;
    }
    return true;
}

/* A hashed field knows equality only, and whether there is a value. */
static bool bounds_hashed(const sp_planner_t *planner, const sp_node_t *node)
{
    switch (node->kind) {
    case SP_NODE_EQ:
    case SP_NODE_EXISTS:
        return true;
    case SP_NODE_IN:
        return node->regex_count == 0;
    case SP_NODE_NOT:
        return node->children[0]->kind == SP_NODE_EXISTS &&
               !sp_version_has(planner->version, SP_HASHED_ABSENCE_UNBOUNDED);
    default:
        return false;
    }
}

static bool bounds_field(const sp_planner_t *planner, const sp_node_t *node, bool hashed)
{
    const sp_node_t *compared = node->kind == SP_NODE_NOT ? node->children[0] : node;
    if (is_comparison(compared) && needs_collation(planner, compared))
        return false;
    if (hashed)
        return bounds_hashed(planner, node);
    switch (node->kind) {
    case SP_NODE_EXISTS:
    case SP_NODE_TYPE:
    case SP_NODE_MOD:
    case SP_NODE_REGEX:
        return true;
    case SP_NODE_NOT:
        return is_negatable(node->children[0]);
    case SP_NODE_ELEM_MATCH_VALUE:
        for (unsigned i = 0; i < node->child_count; i++) {
            if (node->children[i]->kind == SP_NODE_ELEM_MATCH_VALUE ||
                !bounds_field(planner, node->children[i], false))
                return false;
        }
        return node->child_count > 0;
    default:
        return is_comparison(node);
    }
}

static void add_predicate(const sp_planner_t *planner, predicates_t *predicates,
                          const sp_node_t *node, const char *path)
{
    const sp_pattern_t *pattern = planner->pattern;
    for (unsigned i = 0; i < pattern->field_count; i++) {
        if (strcmp(pattern->fields[i].text, path) != 0)
            continue;
        if (!bounds_field(planner, node, (int)i == pattern->hashed))
            return;
        predicates->items =
            sp_arena_grow(planner->arena, predicates->items, sizeof *predicates->items,
                          predicates->count, &predicates->capacity);
        predicates->items[predicates->count++] = (predicate_t){node, i};
        return;
    }
}

static const char *full_path(const sp_planner_t *planner, const char *prefix, const char *path)
{
    if (prefix[0] == '\0')
        return path;
    size_t size = strlen(prefix) + 1 + strlen(path) + 1;
    char *full = sp_arena_take(planner->arena, size);
    snprintf(full, size, "%s.%s", prefix, path);
    return full;
}

static void collect(const sp_planner_t *planner, const sp_node_t *node, const char *prefix,
                    conjunction_t *out)
{
    const sp_node_t *named = node->kind == SP_NODE_NOT ? node->children[0] : node;
    switch (node->kind) {
    case SP_NODE_AND:
        for (unsigned i = 0; i < node->child_count; i++)
            collect(planner, node->children[i], prefix, out);
        break;
    case SP_NODE_OR:
        out->branchings = sp_arena_grow(planner->arena, out->branchings, sizeof *out->branchings,
                                        out->branching_count, &out->branching_capacity);
        out->branchings[out->branching_count++] = (branching_t){node, prefix};
        break;
    case SP_NODE_ELEM_MATCH_OBJECT:
        collect(planner, node->children[0], full_path(planner, prefix, node->path), out);
        break;
    default:
        if (named->path != NULL)
            add_predicate(planner, &out->predicates, node, full_path(planner, prefix, named->path));
        break;
    }
}

static int32_t refusal_of(const sp_node_t *node, bool alone);

/* Nothing lies below the least symbol and the least DBPointer, and of nothing a server knows the
 * opposite. */
static int32_t refusal_of_negation(const sp_node_t *child, bool alone)
{
    if (child->kind == SP_NODE_EQ || child->kind == SP_NODE_IN || !is_comparison(child))
        return refusal_of(child, alone);
    if (child->value.type != BSON_TYPE_SYMBOL && child->value.type != BSON_TYPE_DBPOINTER)
        return 0;
    sp_interval_t range = sp_type_range(child->value.type);
    bool empty = child->kind == SP_NODE_LT && sp_value_compare(&child->value, &range.start) == 0;
    return empty ? 0 : SP_CANNOT_INVERT;
}

/* The code that a server fails with when it makes bounds of the predicate; 0: none. Bounds that are
 * `alone` are not brought in order by being united or intersected with others, and are looked at
 * for their order where the index has no hashed field. */
static int32_t refusal_of(const sp_node_t *node, bool alone)
{
    int32_t code = 0;
    switch (node->kind) {
    case SP_NODE_IN: /* the values are sorted by the collation */
        for (unsigned i = 1; alone && node->regex_count == 0 && i < node->value_count; i++) {
            if (sp_value_compare(&node->values[i - 1], &node->values[i]) > 0)
                code = SP_UNREACHABLE;
        }
        break;
    case SP_NODE_NOT:
        code = refusal_of_negation(node->children[0], alone);
        break;
    case SP_NODE_ELEM_MATCH_VALUE:
        for (unsigned i = 0; code == 0 && i < node->child_count; i++)
            code = refusal_of(node->children[i], alone && node->child_count == 1);
        break;
    default:
        break;
    }
    return code;
}

static bool is_only_one_of_field(const predicates_t *predicates, unsigned field)
{
    unsigned count = 0;
    for (unsigned i = 0; i < predicates->count; i++)
        count += predicates->items[i].field == field;
    return count == 1;
}

static void intersect_all(const sp_planner_t *planner, const predicates_t *predicates,
                          sp_bounds_t *bounds)
{
    bounds->field_count = planner->pattern->field_count;
    for (unsigned i = 0; i < bounds->field_count; i++) {
        bounds->fields[i] = (sp_intervals_t){0};
        sp_intervals_set_everything(planner->arena, &bounds->fields[i]);
    }
    for (unsigned i = 0; i < predicates->count; i++) {
        const predicate_t *predicate = &predicates->items[i];
        bool hashed = (int)predicate->field == planner->pattern->hashed;
        if (planner->refused != NULL && *planner->refused == 0 && !hashed)
            *planner->refused =
                refusal_of(predicate->node, planner->pattern->hashed < 0 &&
                                                is_only_one_of_field(predicates, predicate->field));
        sp_intervals_t intervals = {0};
        sp_intervals_of(planner->arena, hashed ? planner->hasher : NULL, planner->version,
                        predicate->node, &intervals);
        sp_intervals_intersect(planner->arena, &bounds->fields[predicate->field], &intervals);
    }
}

static bool plan(const sp_planner_t *planner, const sp_node_t *node, const char *prefix,
                 const predicates_t *outside, sp_bounds_t *bounds);

/* Every branch must be bounded by itself, with what stands beside the $or taken in. Brought in
 * order once, in the end, since there may be thousands. */
static bool plan_branches(const sp_planner_t *planner, const branching_t *branching,
                          const predicates_t *outside, sp_bounds_t *bounds)
{
    sp_bounds_t *branch = sp_arena_take(planner->arena, sizeof *branch);
    for (unsigned i = 0; i < branching->node->child_count; i++) {
        sp_bounds_t *into = i == 0 ? bounds : branch;
        if (!plan(planner, branching->node->children[i], branching->prefix, outside, into))
            return false;
        for (unsigned field = 0; i > 0 && field < bounds->field_count; field++)
            sp_intervals_add_all(planner->arena, &bounds->fields[field], &branch->fields[field]);
    }
    bool any = branching->node->child_count > 0;
    for (unsigned field = 0; any && field < bounds->field_count; field++)
        sp_intervals_settle(&bounds->fields[field]);
    return any;
}

static void add_outside(const sp_planner_t *planner, const predicates_t *outside,
                        predicates_t *predicates)
{
    for (unsigned i = 0; i < outside->count; i++) {
        predicates->items =
            sp_arena_grow(planner->arena, predicates->items, sizeof *predicates->items,
                          predicates->count, &predicates->capacity);
        predicates->items[predicates->count++] = outside->items[i];
    }
}

/* Plans one $or. What its branches are refused for does not count where it comes to nothing. */
static bool plan_branching(const sp_planner_t *planner, const branching_t *branching,
                           const predicates_t *outside, sp_bounds_t *bounds)
{
    int32_t refused = planner->refused != NULL ? *planner->refused : 0;
    bool planned = plan_branches(planner, branching, outside, bounds);
    if (!planned && planner->refused != NULL)
        *planner->refused = refused;
    return planned;
}

/* An $or whose branches are all bounded counts more than a predicate on the first field of the
 * index beside it, and of several such the first in the server's own sequence. A server works out
 * the others too, so they are looked at for what it would be refused for. */
static bool plan(const sp_planner_t *planner, const sp_node_t *node, const char *prefix,
                 const predicates_t *outside, sp_bounds_t *bounds)
{
    conjunction_t parts = {0};
    collect(planner, node, prefix, &parts);
    bool has_own = parts.predicates.count > 0, leading = false, planned = false;
    sp_bounds_t *others = NULL;
    add_outside(planner, outside, &parts.predicates);
    for (unsigned i = 0; i < parts.branching_count && !(planned && planner->refused == NULL); i++) {
        if (planned && others == NULL)
            others = sp_arena_take(planner->arena, sizeof *others);
        if (plan_branching(planner, &parts.branchings[i], &parts.predicates,
                           planned ? others : bounds))
            planned = true;
    }
    for (unsigned i = 0; i < parts.predicates.count; i++)
        leading = leading || parts.predicates.items[i].field == 0;
    if (!has_own || !leading || (planned && planner->refused == NULL))
        return planned;
    if (planned && others == NULL)
        others = sp_arena_take(planner->arena, sizeof *others);
    intersect_all(planner, &parts.predicates, planned ? others : bounds);
    return true;
}

/* Whether anything in the tree could be refused. */
static bool may_be_refused(const sp_node_t *node)
{
    if (refusal_of(node, true) != 0)
        return true;
    for (unsigned i = 0; i < node->child_count; i++) {
        if (may_be_refused(node->children[i]))
            return true;
    }
    return false;
}

const char *sp_plan_refusal_text(int32_t code)
{
    return code == SP_CANNOT_INVERT
               ? "a server cannot invert the bounds of a comparison with a symbol or DBPointer"
               : "a server fails over symbols in $in that the collation sorts otherwise than their "
                 "bytes";
}

bool sp_plan_bounds(const sp_planner_t *planner, const sp_node_t *root, sp_bounds_t *bounds)
{
    const predicates_t none = {0};
    sp_planner_t own = *planner;
    int32_t refused = 0;
    own.refused = may_be_refused(root) ? &refused : NULL;
    bool planned = plan(&own, root, "", &none, bounds);
    if (planner->refused != NULL)
        *planner->refused = refused;
    if (!planned)
        intersect_all(&own, &none, bounds);
    return planned;
}

int32_t sp_plan_refusal(const sp_planner_t *planner, const sp_node_t *root)
{
    int32_t refused = 0;
    sp_bounds_t bounds;
    sp_planner_t own = *planner;
    own.refused = &refused;
    if (may_be_refused(root))
        sp_plan_bounds(&own, root, &bounds);
    return refused;
}
