#include "update_place.h"

#include "update_limits.h"
#include "update_tree.h"

#include <string.h>

#define GAP_MAX 1500000

sp_place_t sp_place_document(sp_edit_t *document)
{
    return (sp_place_t){.element = document};
}

bool sp_place_index(const char *name, uint32_t *index)
{
    uint64_t number = 0;
    if (*name == '\0' || name[strspn(name, "0123456789")] != '\0')
        return false;
    for (; *name != '\0'; name++) {
        number = 10 * number + (uint64_t)(*name - '0');
        if (number > UINT32_MAX)
            return false;
    }
    *index = (uint32_t)number;
    return true;
}

sp_edit_t *sp_place_find(sp_arena_t *arena, sp_edit_t *container, const char *name)
{
    uint32_t index;
    if (container->value.type == BSON_TYPE_DOCUMENT)
        return sp_edit_field(arena, container, name);
    if (container->value.type == BSON_TYPE_ARRAY && sp_place_index(name, &index))
        return sp_edit_element(arena, container, index);
    return NULL;
}

sp_place_t sp_place_below(sp_arena_t *arena, sp_place_t *above, const char *name)
{
    sp_edit_t *element = above->element == NULL ? NULL : sp_place_find(arena, above->element, name);
    return (sp_place_t){above, name, element, above->level + 1};
}

static bool refuse_field(const sp_place_t *place, sp_error_t *error)
{
    return sp_error_set(error, SP_ERROR_RULE, SP_UPDATE_PATH_NOT_VIABLE,
                        "the update cannot make a field '%s' in '%s'", place->name,
                        place->above->name);
}

static bool append_to_array(sp_arena_t *arena, const sp_place_t *place, sp_edit_t *array,
                            sp_error_t *error)
{
    const sp_value_t null = {.type = BSON_TYPE_NULL};
    uint32_t index;
    if (!sp_place_index(place->name, &index))
        return refuse_field(place, error);
    sp_edit_open(arena, array);
    if (index > array->child_count && index - array->child_count > GAP_MAX)
        return sp_error_set(error, SP_ERROR_RULE, SP_UPDATE_CANNOT_BACKFILL,
                            "the update makes an array more than %d elements longer", GAP_MAX);
    while (array->child_count < index)
        sp_edit_append(arena, array, sp_edit_new(arena, "", &null));
    sp_edit_append(arena, array, place->element);
    return true;
}

/* Hangs the new element of `place` into the one above, which exists. */
static bool hang(sp_arena_t *arena, const sp_place_t *place, sp_error_t *error)
{
    sp_edit_t *container = place->above->element;
    if (container->value.type == BSON_TYPE_ARRAY)
        return append_to_array(arena, place, container, error);
    if (container->value.type != BSON_TYPE_DOCUMENT)
        return refuse_field(place, error);
    sp_edit_append(arena, container, place->element);
    return place->above->above != NULL || sp_update_check_name(container, place->element, error);
}

bool sp_place_make(sp_arena_t *arena, sp_place_t *place, const sp_value_t *value, sp_error_t *error)
{
    sp_place_t *top = place;
    place->element = sp_edit_new(arena, place->name, value);
    while (top->above->element == NULL) {
        top->above->element = sp_edit_new_object(arena, top->above->name);
        sp_edit_append(arena, top->above->element, top->element);
        top = top->above;
    }
    return hang(arena, top, error) && sp_update_check_levels(value, place->level, error);
}
