#include "update_element.h"

#include "update_limits.h"

#include <string.h>

/* The field at the top of the document that `place` is or lies in. */
static const char *top_name(const sp_place_t *place)
{
    while (place->above->above != NULL)
        place = place->above;
    return place->name;
}

static bool refuse_id(sp_operating_t *operating, const sp_place_t *place)
{
    if (!operating->has_id || strcmp(top_name(place), "_id") != 0)
        return true;
    return sp_error_set(operating->error, SP_ERROR_RULE, SP_UPDATE_IMMUTABLE,
                        "the update would change _id");
}

bool sp_element_make(sp_operating_t *operating, sp_place_t *place, const sp_value_t *value)
{
    *operating->changed = true;
    return sp_place_make(operating->arena, place, value, operating->error) &&
           refuse_id(operating, place);
}

bool sp_element_lost(sp_operating_t *operating, sp_place_t *place)
{
    *operating->changed = true;
    return refuse_id(operating, place);
}

bool sp_element_got(sp_operating_t *operating, sp_place_t *place)
{
    *operating->changed = true;
    if (place->level == 1 &&
        !sp_update_check_name(operating->document, place->element, operating->error))
        return false;
    sp_value_t value = sp_edit_value(operating->arena, place->element);
    return sp_update_check_levels(&value, place->level, operating->error) &&
           refuse_id(operating, place);
}

bool sp_element_replace(sp_operating_t *operating, sp_place_t *place, const sp_value_t *value)
{
    sp_edit_set(place->element, value);
    return sp_element_got(operating, place);
}

bool sp_element_set(sp_operating_t *operating, sp_place_t *place, const sp_value_t *value)
{
    if (place->element == NULL)
        return sp_element_make(operating, place, value);
    sp_value_t now = sp_edit_value(operating->arena, place->element);
    return sp_value_same(&now, value) || sp_element_replace(operating, place, value);
}

bool sp_element_remove(sp_operating_t *operating, sp_place_t *place)
{
    const sp_value_t null = {.type = BSON_TYPE_NULL};
    sp_edit_t *container = place->above->element;
    if (container->value.type == BSON_TYPE_ARRAY)
        sp_edit_set(place->element, &null);
    else
        sp_edit_remove(container, place->element);
    return sp_element_lost(operating, place);
}
