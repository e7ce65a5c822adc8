#include "number.h"
#include "order.h"
#include "update_element.h"
#include "update_limits.h"

#include <assert.h>
#include <string.h>

/* Arguments */

static bool refuse(int32_t code, const char *what, sp_error_t *error)
{
    return sp_error_set(error, SP_ERROR_RULE, code, "%s", what);
}

static bool is_integer(const sp_value_t *value, int64_t *integer)
{
    if (!sp_value_is_number(value) || !sp_number_whole_part(value, integer))
        return false;
    int64_t little = (int64_t)BSON_UINT64_TO_LE((uint64_t)*integer);
    const sp_value_t whole = {BSON_TYPE_INT64, sizeof little, (const uint8_t *)&little};
    return sp_number_compare(value, &whole) == 0;
}

/* What $push or $addToSet adds. */
typedef struct additions {
    bool is_list; /* $each */
    sp_value_t value;
    bool has_position, has_slice;
    int64_t position, slice;
} additions_t;

static bool has_field(const sp_value_t *object, const char *name)
{
    bson_iter_t iter;
    return object->type == BSON_TYPE_DOCUMENT && sp_value_children(object, &iter) &&
           bson_iter_find(&iter, name);
}

static bool read_clause(const char *name, const sp_value_t *value, additions_t *additions,
                        sp_error_t *error)
{
    if (strcmp(name, "$each") == 0) {
        additions->value = *value;
        return value->type == BSON_TYPE_ARRAY ||
               refuse(SP_UPDATE_BAD_VALUE, "$each needs an array", error);
    }
    if (strcmp(name, "$position") == 0) {
        additions->has_position = true;
        return is_integer(value, &additions->position) ||
               refuse(SP_UPDATE_BAD_VALUE, "$position needs an integer", error);
    }
    if (strcmp(name, "$slice") == 0) {
        additions->has_slice = true;
        return is_integer(value, &additions->slice) ||
               refuse(SP_UPDATE_BAD_VALUE, "$slice needs an integer", error);
    }
    if (strcmp(name, "$sort") == 0)
        return sp_update_not_known("$sort", error);
    return refuse(SP_UPDATE_BAD_VALUE, "$push has something unknown beside $each", error);
}

static bool read_push(const sp_value_t *argument, additions_t *additions, sp_error_t *error)
{
    bson_iter_t iter;
    *additions = (additions_t){.is_list = has_field(argument, "$each"), .value = *argument};
    if (!additions->is_list || !sp_value_children(argument, &iter))
        return true;
    if (sp_update_repeats_name(argument))
        return sp_update_not_known("a name twice in an argument of $push", error);
    while (bson_iter_next(&iter)) {
        sp_value_t value = sp_value_of(&iter);
        if (!read_clause(bson_iter_key(&iter), &value, additions, error))
            return false;
    }
    return true;
}

/* $each counts where it comes first. */
static bool read_add_to_set(const sp_value_t *argument, additions_t *additions, sp_error_t *error)
{
    bson_iter_t iter;
    *additions = (additions_t){.value = *argument};
    additions->is_list = argument->type == BSON_TYPE_DOCUMENT &&
                         sp_value_children(argument, &iter) && bson_iter_next(&iter) &&
                         strcmp(bson_iter_key(&iter), "$each") == 0;
    if (!additions->is_list)
        return true;
    additions->value = sp_value_of(&iter);
    if (additions->value.type != BSON_TYPE_ARRAY)
        return refuse(SP_UPDATE_TYPE_MISMATCH, "$each needs an array", error);
    return !bson_iter_next(&iter) ||
           refuse(SP_UPDATE_BAD_VALUE, "$addToSet has something beside $each", error);
}

static bool check_pull(const sp_value_t *argument, sp_error_t *error)
{
    if (argument->type == BSON_TYPE_DOCUMENT || argument->type == BSON_TYPE_REGEX)
        return sp_update_not_known("$pull with a condition", error);
    return true;
}

bool sp_update_check_array_argument(sp_operator_t operation, const sp_value_t *argument,
                                    sp_error_t *error)
{
    additions_t additions;
    int64_t end;
    switch (operation) {
    case SP_OPERATOR_PUSH:
        return read_push(argument, &additions, error);
    case SP_OPERATOR_ADD_TO_SET:
        return read_add_to_set(argument, &additions, error);
    case SP_OPERATOR_POP:
        return (is_integer(argument, &end) && (end == 1 || end == -1)) ||
               refuse(SP_UPDATE_FAILED_TO_PARSE, "$pop needs 1 or -1", error);
    case SP_OPERATOR_PULL:
        return check_pull(argument, error);
    case SP_OPERATOR_PULL_ALL:
        return argument->type == BSON_TYPE_ARRAY ||
               refuse(SP_UPDATE_BAD_VALUE, "$pullAll needs an array", error);
    default:
        break;
    }
    assert(!"only these work on arrays");
    return false;
}

/* Additions */

/* The elements that come, as an array of their own. */
static sp_edit_t *list_of(sp_arena_t *arena, const additions_t *additions)
{
    sp_edit_t *list = sp_edit_new_array(arena, "");
    if (additions->is_list) {
        sp_edit_set(list, &additions->value);
        sp_edit_open(arena, list);
    } else {
        sp_edit_append(arena, list, sp_edit_new(arena, "", &additions->value));
    }
    return list;
}

/* Moves all elements of `from` into `into`, which is open, at `index`. */
static void insert(sp_edit_t *into, sp_edit_t *from, unsigned index)
{
    sp_edit_t **at = &into->first;
    if (from->child_count == 0)
        return;
    for (; index > 0 && *at != NULL; index--)
        at = &(*at)->next;
    from->last->next = *at;
    if (*at == NULL)
        into->last = from->last;
    *at = from->first;
    into->child_count += from->child_count;
}

static unsigned index_of(int64_t position, unsigned count)
{
    if (position >= 0)
        return position < count ? (unsigned)position : count;
    return position > -(int64_t)count ? (unsigned)(count + position) : 0;
}

/* Keeps the first, or where negative the last, elements; whether any went. */
static bool cut(sp_edit_t *array, int64_t slice)
{
    bool any = false;
    while (array->child_count > 0 &&
           (slice < 0 ? slice > -(int64_t)array->child_count : slice < array->child_count)) {
        sp_edit_remove(array, slice < 0 ? array->first : array->last);
        any = true;
    }
    return any;
}

static bool add(sp_arena_t *arena, const additions_t *additions, sp_edit_t *array)
{
    sp_edit_open(arena, array);
    sp_edit_t *list = list_of(arena, additions);
    bool any = list->child_count > 0;
    unsigned index = array->child_count;
    if (additions->has_position)
        index = index_of(additions->position, array->child_count);
    insert(array, list, index);
    return (additions->has_slice && cut(array, additions->slice)) || any;
}

static bool holds(const sp_operating_t *operating, const sp_edit_t *array, const sp_value_t *value)
{
    for (const sp_edit_t *at = array->first; at != NULL; at = at->next) {
        sp_value_t now = sp_edit_value(operating->arena, at);
        if (sp_value_compare_collated(operating->collator, &now, value) == 0)
            return true;
    }
    return false;
}

static bool add_to_set(const sp_operating_t *operating, const additions_t *additions,
                       sp_edit_t *array)
{
    bool any = false;
    sp_edit_open(operating->arena, array);
    const sp_edit_t *list = list_of(operating->arena, additions);
    for (const sp_edit_t *at = list->first; at != NULL; at = at->next) {
        if (holds(operating, array, &at->value))
            continue;
        sp_edit_append(operating->arena, array, sp_edit_new(operating->arena, "", &at->value));
        any = true;
    }
    return any;
}

static bool change_by_additions(sp_operating_t *operating, sp_place_t *place,
                                const sp_update_node_t *node)
{
    additions_t additions;
    bool pushes = node->operation == SP_OPERATOR_PUSH;
    bool sound = pushes ? read_push(&node->argument, &additions, operating->error)
                        : read_add_to_set(&node->argument, &additions, operating->error);
    assert(sound);
    bool is_new = place->element == NULL;
    sp_edit_t *array = is_new ? sp_edit_new_array(operating->arena, "") : place->element;
    if (array->value.type != BSON_TYPE_ARRAY)
        return refuse(SP_UPDATE_BAD_VALUE, "the update adds to what is no array", operating->error);
    bool any = pushes ? add(operating->arena, &additions, array)
                      : add_to_set(operating, &additions, array);
    if (!is_new)
        return !any || sp_element_got(operating, place);
    sp_value_t value = sp_edit_value(operating->arena, array);
    return sp_element_make(operating, place, &value);
}

/* Removals */

/* Whether a path could go on from what there is; that it does not is no error. */
static bool check_way(const sp_operating_t *operating, const sp_place_t *place)
{
    uint32_t index;
    while (place->above->element == NULL)
        place = place->above;
    const sp_edit_t *above = place->above->element;
    if (above->value.type == BSON_TYPE_DOCUMENT ||
        (above->value.type == BSON_TYPE_ARRAY && sp_place_index(place->name, &index)))
        return true;
    return refuse(SP_UPDATE_PATH_NOT_VIABLE, "the update cannot follow its path", operating->error);
}

static bool is_unwanted(const sp_operating_t *operating, const sp_update_node_t *node,
                        const sp_value_t *value)
{
    bson_iter_t iter;
    if (node->operation == SP_OPERATOR_PULL)
        return sp_value_compare_collated(operating->collator, value, &node->argument) == 0;
    bool sound = sp_value_children(&node->argument, &iter);
    while (sound && bson_iter_next(&iter)) {
        sp_value_t unwanted = sp_value_of(&iter);
        if (sp_value_compare_collated(operating->collator, value, &unwanted) == 0)
            return true;
    }
    return false;
}

static bool pull(const sp_operating_t *operating, const sp_update_node_t *node, sp_edit_t *array)
{
    bool any = false;
    for (sp_edit_t *at = array->first, *next; at != NULL; at = next) {
        sp_value_t value = sp_edit_value(operating->arena, at);
        next = at->next;
        if (is_unwanted(operating, node, &value)) {
            sp_edit_remove(array, at);
            any = true;
        }
    }
    return any;
}

static bool pop(const sp_update_node_t *node, sp_edit_t *array)
{
    int64_t end;
    if (array->child_count == 0)
        return false;
    bool sound = is_integer(&node->argument, &end);
    assert(sound);
    sp_edit_remove(array, end < 0 ? array->first : array->last);
    return true;
}

static bool change_by_removals(sp_operating_t *operating, sp_place_t *place,
                               const sp_update_node_t *node)
{
    bool pops = node->operation == SP_OPERATOR_POP;
    if (place->element == NULL)
        return check_way(operating, place);
    if (place->element->value.type != BSON_TYPE_ARRAY)
        return refuse(pops ? SP_UPDATE_TYPE_MISMATCH : SP_UPDATE_BAD_VALUE,
                      "the update takes from what is no array", operating->error);
    sp_edit_open(operating->arena, place->element);
    bool any = pops ? pop(node, place->element) : pull(operating, node, place->element);
    return !any || sp_element_lost(operating, place);
}

bool sp_element_change_array(sp_operating_t *operating, sp_place_t *place,
                             const sp_update_node_t *node)
{
    bool adds = node->operation == SP_OPERATOR_PUSH || node->operation == SP_OPERATOR_ADD_TO_SET;
    return adds ? change_by_additions(operating, place, node)
                : change_by_removals(operating, place, node);
}
