#include "path_relation.h"
#include "update_element.h"

#include <string.h>

/* The element that `path` leads to and the container it is in; NULL for both where there is none.
 * Fails where what is on the way has no such fields. */
static bool find_source(sp_operating_t *operating, const char *path, sp_edit_t **container,
                        sp_edit_t **element, bool *in_array)
{
    sp_edit_t *at = operating->document;
    *in_array = false;
    *element = NULL;
    for (const char *part = path;;) {
        uint32_t index;
        size_t size = strcspn(part, ".");
        char *name = sp_arena_text(operating->arena, part, size);
        bool is_array = at->value.type == BSON_TYPE_ARRAY;
        *in_array = *in_array || is_array;
        if (!sp_edit_is_container(at) || (is_array && !sp_place_index(name, &index)))
            return sp_error_set(operating->error, SP_ERROR_RULE, SP_UPDATE_PATH_NOT_VIABLE,
                                "$rename cannot follow the path '%s'", path);
        *container = at;
        at = sp_place_find(operating->arena, at, name);
        if (at == NULL)
            return true;
        if (part[size] == '\0')
            break;
        part += size + 1;
    }
    *element = at;
    return true;
}

static bool refuse_array(sp_operating_t *operating, const char *path)
{
    return sp_error_set(operating->error, SP_ERROR_RULE, SP_UPDATE_BAD_VALUE,
                        "$rename cannot work in arrays, as '%s' would", path);
}

bool sp_element_rename(sp_operating_t *operating, sp_place_t *place, const sp_update_node_t *node)
{
    sp_edit_t *container, *source;
    bool in_array;
    if (!find_source(operating, node->source, &container, &source, &in_array))
        return false;
    if (source == NULL)
        return true;
    if (in_array)
        return refuse_array(operating, node->source);
    for (const sp_place_t *at = place->above; at != NULL; at = at->above) {
        if (at->element != NULL && at->element->value.type == BSON_TYPE_ARRAY)
            return refuse_array(operating, node->name);
    }
    sp_value_t value = sp_edit_value(operating->arena, source);
    bool ok = place->element == NULL ? sp_element_make(operating, place, &value)
                                     : sp_element_replace(operating, place, &value);
    if (!ok)
        return false;
    sp_edit_remove(container, source);
    bool from_id = sp_path_relate("_id", node->source) == SP_PATHS_SAME ||
                   sp_path_relate("_id", node->source) == SP_PATHS_ABOVE;
    return !from_id || sp_error_set(operating->error, SP_ERROR_RULE, SP_UPDATE_IMMUTABLE,
                                    "the update would take _id away");
}
