#include "update_edit.h"

#include <assert.h>
#include <string.h>

sp_edit_t *sp_edit_new(sp_arena_t *arena, const char *name, const sp_value_t *value)
{
    sp_edit_t *element = sp_arena_take(arena, sizeof *element);
    element->name = name;
    element->value = *value;
    return element;
}

sp_edit_t *sp_edit_new_object(sp_arena_t *arena, const char *name)
{
    static const uint8_t empty[5] = {5, 0, 0, 0, 0};
    const sp_value_t object = {BSON_TYPE_DOCUMENT, sizeof empty, empty};
    return sp_edit_new(arena, name, &object);
}

sp_edit_t *sp_edit_new_array(sp_arena_t *arena, const char *name)
{
    sp_edit_t *array = sp_edit_new_object(arena, name);
    array->value.type = BSON_TYPE_ARRAY;
    return array;
}

bool sp_edit_is_container(const sp_edit_t *element)
{
    return element->value.type == BSON_TYPE_DOCUMENT || element->value.type == BSON_TYPE_ARRAY;
}

static void add(sp_edit_t *container, sp_edit_t *child)
{
    if (container->last == NULL)
        container->first = child;
    else
        container->last->next = child;
    container->last = child;
    container->child_count++;
}

sp_edit_t *sp_edit_copy(sp_arena_t *arena, const sp_edit_t *element, const char *name)
{
    sp_edit_t *copy = sp_edit_new(arena, name, &element->value);
    copy->open = element->open;
    for (const sp_edit_t *child = element->first; child != NULL; child = child->next)
        add(copy, sp_edit_copy(arena, child, child->name));
    return copy;
}

void sp_edit_open(sp_arena_t *arena, sp_edit_t *container)
{
    bson_iter_t iter;
    if (container->open)
        return;
    bool sound = sp_edit_is_container(container) && sp_value_children(&container->value, &iter);
    assert(sound);
    while (bson_iter_next(&iter)) {
        sp_value_t value = sp_value_of(&iter);
        add(container, sp_edit_new(arena, bson_iter_key(&iter), &value));
    }
    container->open = true;
}

sp_edit_t *sp_edit_field(sp_arena_t *arena, sp_edit_t *object, const char *name)
{
    sp_edit_open(arena, object);
    sp_edit_t *child = object->first;
    while (child != NULL && strcmp(child->name, name) != 0)
        child = child->next;
    return child;
}

sp_edit_t *sp_edit_element(sp_arena_t *arena, sp_edit_t *array, unsigned index)
{
    sp_edit_open(arena, array);
    if (index >= array->child_count)
        return NULL;
    sp_edit_t *child = array->first;
    while (index-- > 0)
        child = child->next;
    return child;
}

void sp_edit_append(sp_arena_t *arena, sp_edit_t *container, sp_edit_t *child)
{
    sp_edit_open(arena, container);
    add(container, child);
}

void sp_edit_remove(sp_edit_t *container, sp_edit_t *child)
{
    sp_edit_t *before = NULL;
    assert(container->open);
    if (container->first == child) {
        container->first = child->next;
    } else {
        before = container->first;
        while (before->next != child)
            before = before->next;
        before->next = child->next;
    }
    if (container->last == child)
        container->last = before;
    container->child_count--;
    child->next = NULL;
}

void sp_edit_set(sp_edit_t *element, const sp_value_t *value)
{
    element->value = *value;
    element->open = false;
    element->first = element->last = NULL;
    element->child_count = 0;
}

void sp_edit_take(sp_edit_t *element, const sp_edit_t *value)
{
    const sp_edit_t before = *element;
    *element = *value;
    element->name = before.name;
    element->next = before.next;
}

static void append_element(const sp_edit_t *element, const char *name, bson_t *doc);

static void append_children(const sp_edit_t *container, bson_t *doc)
{
    unsigned index = 0;
    for (const sp_edit_t *child = container->first; child != NULL; child = child->next) {
        char buffer[16];
        const char *name = child->name;
        if (child->value.type == BSON_TYPE_EOD)
            continue;
        if (container->value.type == BSON_TYPE_ARRAY)
            bson_uint32_to_string(index++, &name, buffer, sizeof buffer);
        append_element(child, name, doc);
    }
}

static void append_element(const sp_edit_t *element, const char *name, bson_t *doc)
{
    bson_t inner;
    if (!element->open) {
        sp_value_append(doc, name, &element->value);
    } else if (element->value.type == BSON_TYPE_ARRAY) {
        BSON_APPEND_ARRAY_BEGIN(doc, name, &inner);
        append_children(element, &inner);
        bson_append_array_end(doc, &inner);
    } else {
        BSON_APPEND_DOCUMENT_BEGIN(doc, name, &inner);
        append_children(element, &inner);
        bson_append_document_end(doc, &inner);
    }
}

sp_value_t sp_edit_value(sp_arena_t *arena, const sp_edit_t *element)
{
    if (!element->open)
        return element->value;
    bson_t doc = BSON_INITIALIZER;
    append_children(element, &doc);
    uint8_t *bytes = sp_arena_take(arena, doc.len);
    memcpy(bytes, bson_get_data(&doc), doc.len);
    const sp_value_t value = {element->value.type, doc.len, bytes};
    bson_destroy(&doc);
    return value;
}

void sp_edit_write(const sp_edit_t *object, bson_t *doc)
{
    if (object->open) {
        append_children(object, doc);
        return;
    }
    bson_t whole;
    bool sound = bson_init_static(&whole, object->value.data, object->value.size) &&
                 bson_concat(doc, &whole);
    assert(sound);
}
