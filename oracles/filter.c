#include "filter.h"

#include <assert.h>

sp_node_t *sp_node_new(sp_arena_t *arena, sp_node_kind_t kind, const char *path)
{
    sp_node_t *node = sp_arena_take(arena, sizeof *node);
    node->kind = kind;
    node->path = path;
    return node;
}

void sp_node_add_child(sp_arena_t *arena, sp_node_t *node, sp_node_t *child)
{
    assert(child != NULL);
    node->children = sp_arena_grow(arena, node->children, sizeof *node->children, node->child_count,
                                   &node->child_capacity);
    node->children[node->child_count++] = child;
}

void sp_node_add_value(sp_arena_t *arena, sp_node_t *node, const sp_value_t *value)
{
    node->values = sp_arena_grow(arena, node->values, sizeof *node->values, node->value_count,
                                 &node->value_capacity);
    node->values[node->value_count++] = *value;
}

void sp_node_add_regex(sp_arena_t *arena, sp_node_t *node, const sp_regex_t *regex)
{
    node->regexes = sp_arena_grow(arena, node->regexes, sizeof *node->regexes, node->regex_count,
                                  &node->regex_capacity);
    node->regexes[node->regex_count++] = *regex;
}

void sp_node_add_type(sp_arena_t *arena, sp_node_t *node, bson_type_t type)
{
    for (unsigned i = 0; i < node->type_count; i++) {
        if (node->types[i] == type)
            return;
    }
    node->types = sp_arena_grow(arena, node->types, sizeof *node->types, node->type_count,
                                &node->type_capacity);
    node->types[node->type_count++] = type;
}
