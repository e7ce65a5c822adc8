#include "matcher_leaf.h"

#include "number.h"
#include "order.h"
#include "regex.h"

#include <assert.h>
#include <string.h>

static bool is_nothing(bson_type_t type)
{
    return type == BSON_TYPE_EOD || type == BSON_TYPE_UNDEFINED || type == BSON_TYPE_NULL;
}

static bool satisfies(sp_node_kind_t kind, int order)
{
    switch (kind) {
    case SP_NODE_EQ:
        return order == 0;
    case SP_NODE_LT:
        return order < 0;
    case SP_NODE_LTE:
        return order <= 0;
    case SP_NODE_GT:
        return order > 0;
    case SP_NODE_GTE:
        return order >= 0;
    default:
        break;
    }
    assert(!"only comparisons come here");
    return false;
}

/* Only values of one class compare; what is missing, undefined and null are one. MinKey and MaxKey
 * lie below and above all classes. */
static bool compares(sp_node_kind_t kind, const sp_value_t *value, const sp_value_t *comparand,
                     const sp_collator_t *collator)
{
    if (is_nothing(value->type) && is_nothing(comparand->type))
        return satisfies(kind, 0);
    int value_class = sp_type_class(value->type), class = sp_type_class(comparand->type);
    if (value_class != class) {
        bool at_an_end = comparand->type == BSON_TYPE_MINKEY || comparand->type == BSON_TYPE_MAXKEY;
        return at_an_end && satisfies(kind, value_class - class);
    }
    if (sp_number_is_nan(value) || sp_number_is_nan(comparand))
        return sp_number_is_nan(value) && sp_number_is_nan(comparand) && satisfies(kind, 0);
    return satisfies(kind, sp_value_compare_collated(collator, value, comparand));
}

/* In strings and symbols; and a regular expression is found by itself. */
static bool finds(const sp_regex_t *regex, const sp_value_t *value, bool *known)
{
    if (value->type == BSON_TYPE_UTF8 || value->type == BSON_TYPE_SYMBOL) {
        uint32_t size;
        const char *text = sp_value_text(value, &size);
        bool told;
        bool found = sp_regex_matches(regex->pattern, regex->options, text, size, &told);
        *known = *known && told;
        return found;
    }
    if (value->type != BSON_TYPE_REGEX)
        return false;
    const char *pattern = (const char *)value->data;
    return strcmp(pattern, regex->pattern) == 0 &&
           strcmp(pattern + strlen(pattern) + 1, regex->options) == 0;
}

static bool is_in(const sp_node_t *leaf, const sp_value_t *value, const sp_collator_t *collator,
                  bool *known)
{
    for (unsigned i = 0; i < leaf->value_count; i++) {
        if (compares(SP_NODE_EQ, value, &leaf->values[i], collator))
            return true;
    }
    for (unsigned i = 0; i < leaf->regex_count; i++) {
        if (finds(&leaf->regexes[i], value, known))
            return true;
    }
    return false;
}

static bool is_of_type(const sp_node_t *leaf, const sp_value_t *value)
{
    if (value->type == BSON_TYPE_EOD)
        return false;
    if (leaf->type_number && sp_value_is_number(value))
        return true;
    for (unsigned i = 0; i < leaf->type_count; i++) {
        if (leaf->types[i] == value->type)
            return true;
    }
    return false;
}

static bool has_remainder(const sp_node_t *leaf, const sp_value_t *value)
{
    bson_iter_t iter;
    int64_t number, parts[2] = {1, 0};
    if (!sp_value_is_number(value) || !sp_number_whole_part(value, &number) ||
        !sp_value_children(&leaf->value, &iter))
        return false;
    for (unsigned i = 0; i < 2 && bson_iter_next(&iter); i++) {
        sp_value_t part = sp_value_of(&iter);
        if (!sp_number_whole_part(&part, &parts[i]))
            return false;
    }
    /* INT64_MIN % -1 is 0 and overflows. */
    int64_t remainder = parts[0] == -1 ? 0 : number % parts[0];
    return remainder == parts[1];
}

static bool has_size(const sp_node_t *leaf, const sp_value_t *value)
{
    bson_iter_t iter;
    int64_t wanted, count = 0;
    if (value->type != BSON_TYPE_ARRAY || !sp_value_children(value, &iter) ||
        !sp_number_whole_part(&leaf->value, &wanted))
        return false;
    while (bson_iter_next(&iter))
        count++;
    return count == wanted;
}

bool sp_leaf_holds(const sp_node_t *leaf, const sp_value_t *value, const sp_collator_t *collator,
                   bool *known)
{
    switch (leaf->kind) {
    case SP_NODE_EQ:
    case SP_NODE_LT:
    case SP_NODE_LTE:
    case SP_NODE_GT:
    case SP_NODE_GTE:
        return compares(leaf->kind, value, &leaf->value, collator);
    case SP_NODE_IN:
        return is_in(leaf, value, collator, known);
    case SP_NODE_REGEX:
        return finds(&leaf->regexes[0], value, known);
    case SP_NODE_EXISTS:
        return value->type != BSON_TYPE_EOD;
    case SP_NODE_TYPE:
        return is_of_type(leaf, value);
    case SP_NODE_MOD:
        return has_remainder(leaf, value);
    case SP_NODE_SIZE:
        return has_size(leaf, value);
    default:
        break;
    }
    assert(!"only leaves come here");
    return false;
}
