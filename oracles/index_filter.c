#include "index_filter.h"

#include "order.h"

#include <string.h>

enum { BAD_VALUE = 2, QUERY_FEATURE_NOT_ALLOWED = 224 };

/* Of $and, $or and conditions inside each other, as they are written. */
enum { LEVELS_MAX = 4 };

static bool fits_index(const sp_node_t *node)
{
    switch (node->kind) {
    case SP_NODE_AND:
    case SP_NODE_OR:
        for (unsigned i = 0; i < node->child_count; i++) {
            if (!fits_index(node->children[i]))
                return false;
        }
        return true;
    case SP_NODE_EQ:
    case SP_NODE_LT:
    case SP_NODE_LTE:
    case SP_NODE_GT:
    case SP_NODE_GTE:
    case SP_NODE_IN:
    case SP_NODE_EXISTS:
    case SP_NODE_TYPE:
        return true;
    default:
        return false;
    }
}

static unsigned levels_of_clause(const sp_node_t *clause);

static unsigned most(unsigned a, unsigned b)
{
    return a > b ? a : b;
}

/* What $and, $or and $all are made of; a branch is an AND around what stands in it. */
static unsigned levels_of(const sp_node_t *node)
{
    unsigned inside = 0;
    for (unsigned i = 0; i < node->child_count; i++) {
        const sp_node_t *child = node->children[i];
        inside =
            most(inside, child->kind == SP_NODE_AND ? levels_of_clause(child) : levels_of(child));
    }
    return 1 + inside;
}

/* A single condition stands for the AND around it. */
static unsigned levels_of_clause(const sp_node_t *clause)
{
    unsigned inside = 0;
    for (unsigned i = 0; i < clause->child_count; i++)
        inside = most(inside, levels_of(clause->children[i]));
    return inside + (clause->child_count != 1);
}

static bool is_joining(const char *name)
{
    return strcmp(name, "$and") == 0 || strcmp(name, "$or") == 0 || strcmp(name, "$nor") == 0;
}

/* The code for an operator that queries can have and indexes cannot; 0 for any other. */
static int32_t refused_operator(const char *name)
{
    if (strcmp(name, "$expr") == 0 || strcmp(name, "$jsonSchema") == 0)
        return QUERY_FEATURE_NOT_ALLOWED;
    if (strcmp(name, "$where") == 0 || strcmp(name, "$text") == 0)
        return BAD_VALUE;
    return 0;
}

static bool refuse_operator(const bson_iter_t *iter, bool is_first, sp_error_t *error)
{
    const char *name = bson_iter_key(iter);
    if (is_first)
        return sp_error_set(error, SP_ERROR_RULE, refused_operator(name),
                            "no index can have %s in its filter", name);
    return sp_error_set(error, SP_ERROR_INPUT, 0,
                        "the model has no rule for %s behind other conditions of an index's filter",
                        name);
}

/* Refuses such operators. Only of the first condition it is known that nothing before it is at
 * fault. */
static bool check_operators(bson_iter_t *clause, bool is_first, unsigned depth, sp_error_t *error)
{
    bool ok = depth <= SP_DEPTH_MAX;
    for (; ok && bson_iter_next(clause); is_first = false) {
        bson_iter_t branches, branch;
        if (refused_operator(bson_iter_key(clause)) != 0)
            return refuse_operator(clause, is_first, error);
        if (!is_joining(bson_iter_key(clause)) || !BSON_ITER_HOLDS_ARRAY(clause) ||
            !bson_iter_recurse(clause, &branches))
            continue;
        for (bool first = is_first; ok && bson_iter_next(&branches); first = false) {
            if (BSON_ITER_HOLDS_DOCUMENT(&branches) && bson_iter_recurse(&branches, &branch))
                ok = check_operators(&branch, first, depth + 1, error);
        }
    }
    return ok;
}

sp_node_t *sp_index_filter_parse(sp_arena_t *arena, sp_version_t version, const bson_t *filter,
                                 bool *fits, sp_error_t *error)
{
    bson_iter_t iter;
    if (!bson_iter_init(&iter, filter) || !check_operators(&iter, true, 0, error))
        return NULL;
    sp_node_t *root = sp_filter_parse(arena, version, filter, error);
    if (root == NULL)
        return NULL;
    *fits = fits_index(root) && levels_of_clause(root) <= LEVELS_MAX;
    return sp_filter_normalize(arena, version, NULL, root);
}

static bool same_values(const sp_value_t *a, const sp_value_t *b, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        if (sp_value_compare(&a[i], &b[i]) != 0)
            return false;
    }
    return true;
}

static bool same_regexes(const sp_node_t *a, const sp_node_t *b)
{
    if (a->regex_count != b->regex_count)
        return false;
    for (unsigned i = 0; i < a->regex_count; i++) {
        if (strcmp(a->regexes[i].pattern, b->regexes[i].pattern) != 0 ||
            strcmp(a->regexes[i].options, b->regexes[i].options) != 0)
            return false;
    }
    return true;
}

static bool same_types(const sp_node_t *a, const sp_node_t *b)
{
    return a->type_number == b->type_number && a->type_count == b->type_count &&
           (a->type_count == 0 ||
            memcmp(a->types, b->types, a->type_count * sizeof *a->types) == 0);
}

static bool same_path(const sp_node_t *a, const sp_node_t *b)
{
    if (a->path == NULL || b->path == NULL)
        return a->path == b->path;
    return strcmp(a->path, b->path) == 0;
}

static bool is_comparison(const sp_node_t *node)
{
    return node->kind >= SP_NODE_EQ && node->kind <= SP_NODE_GTE;
}

bool sp_index_filter_same(const sp_node_t *a, const sp_node_t *b)
{
    if (a->kind != b->kind || !same_path(a, b) || a->child_count != b->child_count ||
        a->value_count != b->value_count ||
        (is_comparison(a) && sp_value_compare(&a->value, &b->value) != 0) ||
        !same_values(a->values, b->values, a->value_count) || !same_regexes(a, b) ||
        !same_types(a, b))
        return false;
    for (unsigned i = 0; i < a->child_count; i++) {
        if (!sp_index_filter_same(a->children[i], b->children[i]))
            return false;
    }
    return true;
}
