#include "matcher.h"

#include "matcher_leaf.h"
#include "matcher_path.h"

#include <assert.h>

typedef struct matching {
    const sp_collator_t *collator;
    bool known; /* false: nobody can tell without a server */
} matching_t;

/* What a walk along a path looks for. */
typedef struct sought {
    matching_t *matching;
    const sp_node_t *node;
} sought_t;

static bool holds_for_document(matching_t *matching, const sp_node_t *node,
                               const sp_value_t *document);
static bool holds_for_value(matching_t *matching, const sp_node_t *node, const sp_value_t *value);

/* The elements of an array; those that are objects or arrays themselves are looked into. */
static bool has_matching_object(matching_t *matching, const sp_node_t *node,
                                const sp_value_t *array)
{
    bson_iter_t iter;
    if (array->type != BSON_TYPE_ARRAY || !sp_value_children(array, &iter))
        return false;
    while (bson_iter_next(&iter)) {
        sp_value_t element = sp_value_of(&iter);
        if ((element.type == BSON_TYPE_DOCUMENT || element.type == BSON_TYPE_ARRAY) &&
            holds_for_document(matching, node->children[0], &element))
            return true;
    }
    return false;
}

static bool holds_all_for_value(matching_t *matching, const sp_node_t *node,
                                const sp_value_t *value)
{
    for (unsigned i = 0; i < node->child_count; i++) {
        if (!holds_for_value(matching, node->children[i], value))
            return false;
    }
    return true;
}

static bool has_matching_value(matching_t *matching, const sp_node_t *node, const sp_value_t *array)
{
    bson_iter_t iter;
    if (array->type != BSON_TYPE_ARRAY || !sp_value_children(array, &iter))
        return false;
    while (bson_iter_next(&iter)) {
        sp_value_t element = sp_value_of(&iter);
        if (holds_all_for_value(matching, node, &element))
            return true;
    }
    return false;
}

static bool visit(const sp_value_t *value, void *data)
{
    const sought_t *sought = data;
    if (sought->node->kind == SP_NODE_ELEM_MATCH_OBJECT)
        return has_matching_object(sought->matching, sought->node, value);
    if (sought->node->kind == SP_NODE_ELEM_MATCH_VALUE)
        return has_matching_value(sought->matching, sought->node, value);
    return sp_leaf_holds(sought->node, value, sought->matching->collator, &sought->matching->known);
}

/* Elements of an array at the end of the path count one by one, but not where the condition is on
 * the array. */
static sp_leaf_arrays_t leaf_arrays_of(sp_node_kind_t kind)
{
    switch (kind) {
    case SP_NODE_EXISTS:
    case SP_NODE_SIZE:
    case SP_NODE_ELEM_MATCH_OBJECT:
    case SP_NODE_ELEM_MATCH_VALUE:
        return SP_LEAF_WHOLE;
    default:
        return SP_LEAF_ELEMENTS;
    }
}

/* The nodes that have only children; `holds` says whether one of them holds. */
typedef bool holds_t(matching_t *matching, const sp_node_t *node, const sp_value_t *value);

static bool combine(matching_t *matching, const sp_node_t *node, const sp_value_t *value,
                    holds_t *holds)
{
    bool wanted = node->kind == SP_NODE_OR || node->kind == SP_NODE_NOR;
    for (unsigned i = 0; i < node->child_count; i++) {
        if (holds(matching, node->children[i], value) == wanted)
            return node->kind == SP_NODE_OR;
    }
    return node->kind == SP_NODE_AND || node->kind == SP_NODE_NOR;
}

static bool holds(matching_t *matching, const sp_node_t *node, const sp_value_t *value,
                  holds_t *inside, bool *is_leaf)
{
    *is_leaf = false;
    switch (node->kind) {
    case SP_NODE_AND:
    case SP_NODE_OR:
    case SP_NODE_NOR:
        return combine(matching, node, value, inside);
    case SP_NODE_NOT:
        return !inside(matching, node->children[0], value);
    case SP_NODE_ALWAYS_TRUE:
        return true;
    case SP_NODE_ALWAYS_FALSE:
        return false;
    case SP_NODE_OTHER:
        matching->known = false;
        return false;
    default:
        *is_leaf = true;
        return false;
    }
}

static bool holds_for_document(matching_t *matching, const sp_node_t *node,
                               const sp_value_t *document)
{
    bool is_leaf;
    bool result = holds(matching, node, document, holds_for_document, &is_leaf);
    if (!is_leaf)
        return result;
    sought_t sought = {matching, node};
    return sp_path_walk(document, node->path, leaf_arrays_of(node->kind), visit, &sought);
}

/* Inside $elemMatch of values: the element itself is looked at, and arrays are not gone into. */
static bool holds_for_value(matching_t *matching, const sp_node_t *node, const sp_value_t *value)
{
    bool is_leaf;
    bool result = holds(matching, node, value, holds_for_value, &is_leaf);
    if (!is_leaf)
        return result;
    sought_t sought = {matching, node};
    return visit(value, &sought);
}

bool sp_matches(const sp_node_t *root, const bson_t *doc, const sp_collator_t *collator,
                bool *matches, sp_error_t *error)
{
    matching_t matching = {collator, true};
    const sp_value_t document = {BSON_TYPE_DOCUMENT, doc->len, bson_get_data(doc)};
    *matches = holds_for_document(&matching, root, &document);
    if (!matching.known)
        return sp_error_set(error, SP_ERROR_INPUT, 0,
                            "whether a document matches cannot be told without a server: leave "
                            "out $where, $sampleRate, $expr, $bits… and regular expressions that "
                            "search for long");
    return true;
}
