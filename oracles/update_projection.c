#include "update_projection.h"

#include "update_expression.h"

#include <string.h>

sp_projection_t *sp_projection_new(sp_arena_t *arena, const char *name)
{
    sp_projection_t *projection = sp_arena_take(arena, sizeof *projection);
    projection->name = name;
    return projection;
}

static sp_projection_t *child_named(sp_arena_t *arena, sp_projection_t *parent, const char *name)
{
    sp_projection_t *child = parent->first;
    while (child != NULL && strcmp(child->name, name) != 0)
        child = child->next;
    if (child != NULL)
        return child;
    child = sp_projection_new(arena, name);
    if (parent->last == NULL)
        parent->first = child;
    else
        parent->last->next = child;
    parent->last = child;
    return child;
}

sp_projection_t *sp_projection_add(sp_arena_t *arena, sp_projection_t *root, const char *path,
                                   bool *above)
{
    sp_projection_t *node = root;
    *above = false;
    for (const char *part = path;;) {
        size_t size = strcspn(part, ".");
        node = child_named(arena, node, sp_arena_text(arena, part, size));
        bool is_last = part[size] == '\0';
        if (node->is_leaf) {
            *above = !is_last;
            return NULL;
        }
        if (is_last)
            break;
        part += size + 1;
    }
    if (node->first != NULL)
        return NULL;
    node->is_leaf = true;
    return node;
}

static void set_in_value(sp_arena_t *arena, const sp_projection_t *projection, sp_edit_t *document,
                         sp_edit_t *value)
{
    if (value->value.type == BSON_TYPE_ARRAY) {
        sp_edit_open(arena, value);
        for (sp_edit_t *child = value->first; child != NULL; child = child->next)
            set_in_value(arena, projection, document, child);
        return;
    }
    if (value->value.type != BSON_TYPE_DOCUMENT)
        sp_edit_set(value, &sp_edit_new_object(arena, "")->value);
    sp_projection_set(arena, projection, document, value);
}

/* The field of that name, be it one that is not there. */
static sp_edit_t *field_named(sp_arena_t *arena, sp_edit_t *object, const char *name)
{
    static const sp_value_t nothing = {.type = BSON_TYPE_EOD};
    sp_edit_t *field = sp_edit_field(arena, object, name);
    if (field == NULL) {
        field = sp_edit_new(arena, name, &nothing);
        sp_edit_append(arena, object, field);
    }
    return field;
}

void sp_projection_set(sp_arena_t *arena, const sp_projection_t *projection, sp_edit_t *document,
                       sp_edit_t *object)
{
    static const sp_value_t nothing = {.type = BSON_TYPE_EOD};
    for (const sp_projection_t *child = projection->first; child != NULL; child = child->next) {
        sp_edit_t *field = field_named(arena, object, child->name);
        if (!child->is_leaf) {
            set_in_value(arena, child, document, field);
            continue;
        }
        sp_edit_t *value = sp_expression_value(arena, &child->expression, document);
        if (value == NULL)
            sp_edit_set(field, &nothing);
        else
            sp_edit_take(field, value);
    }
}

static void unset_in_value(sp_arena_t *arena, const sp_projection_t *projection, sp_edit_t *value)
{
    if (value->value.type == BSON_TYPE_DOCUMENT)
        sp_projection_unset(arena, projection, value);
    if (value->value.type != BSON_TYPE_ARRAY)
        return;
    sp_edit_open(arena, value);
    for (sp_edit_t *child = value->first; child != NULL; child = child->next)
        unset_in_value(arena, projection, child);
}

void sp_projection_unset(sp_arena_t *arena, const sp_projection_t *projection, sp_edit_t *object)
{
    static const sp_value_t nothing = {.type = BSON_TYPE_EOD};
    for (const sp_projection_t *child = projection->first; child != NULL; child = child->next) {
        sp_edit_t *field = sp_edit_field(arena, object, child->name);
        if (field == NULL)
            continue;
        if (child->is_leaf)
            sp_edit_set(field, &nothing);
        else
            unset_in_value(arena, child, field);
    }
}
