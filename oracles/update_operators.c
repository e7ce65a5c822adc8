#include "update_operators.h"

#include "order.h"
#include "update_element.h"
#include "update_number.h"

#include <assert.h>
#include <string.h>

static sp_value_t keep(sp_operating_t *operating, const sp_number_t *number)
{
    sp_number_t *kept = sp_arena_take(operating->arena, sizeof *kept);
    *kept = *number;
    return sp_number_value(kept);
}

/* Nothing times a number is 0 of that number's type; nothing plus a number is the number. */
static bool make_number(sp_operating_t *operating, sp_place_t *place, const sp_update_node_t *node)
{
    static const uint8_t zero_bytes[4] = {0};
    const sp_value_t zero = {BSON_TYPE_INT32, sizeof zero_bytes, zero_bytes};
    sp_number_t number;
    if (node->operation == SP_OPERATOR_INC)
        return sp_element_make(operating, place, &node->argument);
    bool fits = sp_number_multiply(&zero, &node->argument, &number);
    assert(fits);
    sp_value_t product = keep(operating, &number);
    return sp_element_make(operating, place, &product);
}

static bool calculate(sp_operating_t *operating, sp_place_t *place, const sp_update_node_t *node)
{
    sp_number_t number;
    if (place->element == NULL)
        return make_number(operating, place, node);
    sp_value_t now = place->element->value;
    if (!sp_value_is_number(&now))
        return sp_error_set(operating->error, SP_ERROR_RULE, SP_UPDATE_TYPE_MISMATCH,
                            "the update calculates with '%s', which is no number", place->name);
    bool fits = node->operation == SP_OPERATOR_INC
                    ? sp_number_add(&now, &node->argument, &number)
                    : sp_number_multiply(&now, &node->argument, &number);
    if (!fits)
        return sp_error_set(operating->error, SP_ERROR_RULE, SP_UPDATE_BAD_VALUE,
                            "the new number of '%s' would not fit 64 bits", place->name);
    sp_value_t result = keep(operating, &number);
    return sp_number_identical(&now, &result) || sp_element_replace(operating, place, &result);
}

static bool choose(sp_operating_t *operating, sp_place_t *place, const sp_update_node_t *node)
{
    if (place->element == NULL)
        return sp_element_make(operating, place, &node->argument);
    sp_value_t now = sp_edit_value(operating->arena, place->element);
    int order = sp_value_compare_collated(operating->collator, &node->argument, &now);
    bool better = node->operation == SP_OPERATOR_MIN ? order < 0 : order > 0;
    return !better || sp_element_replace(operating, place, &node->argument);
}

static bool apply_leaf(sp_operating_t *operating, sp_place_t *place, const sp_update_node_t *node)
{
    switch (node->operation) {
    case SP_OPERATOR_SET:
        return sp_element_set(operating, place, &node->argument);
    case SP_OPERATOR_UNSET:
        return place->element == NULL || sp_element_remove(operating, place);
    case SP_OPERATOR_INC:
    case SP_OPERATOR_MUL:
        return calculate(operating, place, node);
    case SP_OPERATOR_MIN:
    case SP_OPERATOR_MAX:
        return choose(operating, place, node);
    case SP_OPERATOR_RENAME:
        return sp_element_rename(operating, place, node);
    case SP_OPERATOR_PUSH:
    case SP_OPERATOR_ADD_TO_SET:
    case SP_OPERATOR_POP:
    case SP_OPERATOR_PULL:
    case SP_OPERATOR_PULL_ALL:
        return sp_element_change_array(operating, place, node);
    case SP_OPERATOR_RENAMED:
    case SP_OPERATOR_SET_ON_INSERT:
    case SP_OPERATOR_NONE:
        break;
    }
    return true;
}

/* Two spellings of one index, like 01 and 1, in one array: 6.0.5 and 6.0.27 abort, so nobody can
 * say what comes of it. */
static bool check_spellings(sp_operating_t *operating, const sp_place_t *place,
                            const sp_update_node_t *node)
{
    uint32_t index, next_index;
    if (place->element == NULL || place->element->value.type != BSON_TYPE_ARRAY)
        return true;
    for (const sp_update_node_t *child = node->first; child != NULL && child->next != NULL;
         child = child->next) {
        if (sp_place_index(child->name, &index) && sp_place_index(child->next->name, &next_index) &&
            index == next_index)
            return sp_update_not_known("an array index in two spellings (servers abort)",
                                       operating->error);
    }
    return true;
}

static bool apply(sp_operating_t *operating, sp_place_t *place, const sp_update_node_t *node);

/* $[]. */
static bool apply_to_elements(sp_operating_t *operating, sp_place_t *place,
                              const sp_update_node_t *child)
{
    if (place->element == NULL || place->element->value.type != BSON_TYPE_ARRAY)
        return sp_error_set(operating->error, SP_ERROR_RULE, SP_UPDATE_BAD_VALUE,
                            "the update has $[] where '%s' is no array", place->name);
    sp_edit_open(operating->arena, place->element);
    for (sp_edit_t *at = place->element->first; at != NULL; at = at->next) {
        sp_place_t below = {place, child->name, at, place->level + 1};
        if (!apply(operating, &below, child))
            return false;
    }
    return true;
}

/* No deeper than the paths of the update have parts, which is bounded. */
static bool apply(sp_operating_t *operating, sp_place_t *place, const sp_update_node_t *node)
{
    if (node->operation != SP_OPERATOR_NONE)
        return apply_leaf(operating, place, node);
    if (node->first != NULL && sp_update_is_every_element(node->first->name))
        return apply_to_elements(operating, place, node->first);
    for (const sp_update_node_t *child = node->first; child != NULL; child = child->next) {
        sp_place_t below = sp_place_below(operating->arena, place, child->name);
        if (!check_spellings(operating, place, node) || !apply(operating, &below, child))
            return false;
    }
    return true;
}

bool sp_update_operate(sp_arena_t *arena, const sp_update_node_t *tree,
                       const sp_collator_t *collator, sp_edit_t *document, bool *changed,
                       sp_error_t *error)
{
    bool has_id = sp_edit_field(arena, document, "_id") != NULL;
    sp_operating_t operating = {arena, collator, document, has_id, changed, error};
    sp_place_t place = sp_place_document(document);
    *changed = false;
    return apply(&operating, &place, tree);
}
