#include "filter_parts.h"

#include <string.h>

typedef enum predicate {
    /* comparisons stand for their node kind */
    PREDICATE_EQ,
    PREDICATE_NE,
    PREDICATE_LT,
    PREDICATE_LTE,
    PREDICATE_GT,
    PREDICATE_GTE,
    PREDICATE_IN,
    PREDICATE_NIN,
    PREDICATE_NOT,
    PREDICATE_EXISTS,
    PREDICATE_TYPE,
    PREDICATE_MOD,
    PREDICATE_SIZE,
    PREDICATE_REGEX,
    PREDICATE_OPTIONS,
    PREDICATE_ALL,
    PREDICATE_ELEM_MATCH,
    PREDICATE_BITS,
    PREDICATE_GEO,
    PREDICATE_UNKNOWN,
} predicate_t;

static const struct word {
    const char *name;
    predicate_t meaning;
} words[] = {
    {"$eq", PREDICATE_EQ},
    {"$gt", PREDICATE_GT},
    {"$gte", PREDICATE_GTE},
    {"$lt", PREDICATE_LT},
    {"$lte", PREDICATE_LTE},
    {"$ne", PREDICATE_NE},
    {"$in", PREDICATE_IN},
    {"$nin", PREDICATE_NIN},
    {"$not", PREDICATE_NOT},
    {"$exists", PREDICATE_EXISTS},
    {"$type", PREDICATE_TYPE},
    {"$mod", PREDICATE_MOD},
    {"$size", PREDICATE_SIZE},
    {"$regex", PREDICATE_REGEX},
    {"$options", PREDICATE_OPTIONS},
    {"$all", PREDICATE_ALL},
    {"$elemMatch", PREDICATE_ELEM_MATCH},
    {"$bitsAllSet", PREDICATE_BITS},
    {"$bitsAllClear", PREDICATE_BITS},
    {"$bitsAnySet", PREDICATE_BITS},
    {"$bitsAnyClear", PREDICATE_BITS},
    {"$near", PREDICATE_GEO},
    {"$nearSphere", PREDICATE_GEO},
    {"$geoNear", PREDICATE_GEO},
    {"$within", PREDICATE_GEO},
    {"$geoWithin", PREDICATE_GEO},
    {"$geoIntersects", PREDICATE_GEO},
};

static predicate_t meaning_of(const char *name)
{
    for (unsigned i = 0; i < sizeof words / sizeof *words; i++) {
        if (strcmp(name, words[i].name) == 0)
            return words[i].meaning;
    }
    return PREDICATE_UNKNOWN;
}

static bool is_internal(const char *name)
{
    return strncmp(name, "$_internal", strlen("$_internal")) == 0;
}

/* The name of the first field; NULL for {} and whatever is no object. */
static const char *first_name(const sp_value_t *value)
{
    bson_iter_t iter;
    if (value->type != BSON_TYPE_DOCUMENT || !sp_value_children(value, &iter) ||
        !bson_iter_next(&iter))
        return NULL;
    return bson_iter_key(&iter);
}

/* The names of a database reference that an object has, wherever they stand. */
typedef struct reference {
    bool ref, id, db;
} reference_t;

static reference_t reference_in(const sp_value_t *value)
{
    reference_t found = {false, false, false};
    bson_iter_t iter;
    if (!sp_value_children(value, &iter))
        return found;
    while (bson_iter_next(&iter)) {
        const char *name = bson_iter_key(&iter);
        found.ref = found.ref || strcmp(name, "$ref") == 0;
        found.id = found.id || strcmp(name, "$id") == 0;
        found.db = found.db || strcmp(name, "$db") == 0;
    }
    return found;
}

/* An object that says what to do and does not stand for itself, as a whole reference does. */
static bool has_operators(const sp_value_t *value)
{
    const char *first = first_name(value);
    if (first == NULL || first[0] != '$')
        return false;
    reference_t reference = reference_in(value);
    return !reference.ref || !reference.id;
}

/* Whether $elemMatch looks at elements that are no objects. Here one name of a reference is enough.
 */
static bool is_of_values(const sp_value_t *condition)
{
    const char *first = first_name(condition);
    if (first == NULL || first[0] != '$' || sp_filter_is_top_level(first))
        return false;
    reference_t reference = reference_in(condition);
    return !reference.ref && !reference.id && !reference.db;
}

static void add_comparison(sp_filter_parser_t *parser, sp_node_kind_t kind, const char *path,
                           const sp_value_t *value, sp_node_t *into)
{
    sp_node_t *node = sp_node_new(parser->arena, kind, path);
    node->value = *value;
    sp_node_add_child(parser->arena, into, node);
}

static bool parse_comparison(sp_filter_parser_t *parser, sp_node_kind_t kind, const char *path,
                             const sp_value_t *value, sp_node_t *into)
{
    if (value->type == BSON_TYPE_UNDEFINED)
        return sp_error_set(parser->error, SP_ERROR_RULE, SP_FILTER_BAD_VALUE,
                            "'%s' cannot be compared with undefined", path);
    if (value->type == BSON_TYPE_REGEX && kind != SP_NODE_EQ)
        return sp_error_set(parser->error, SP_ERROR_RULE, SP_FILTER_BAD_VALUE,
                            "'%s' cannot be less or greater than a regular expression", path);
    add_comparison(parser, kind, path, value, into);
    return true;
}

bool sp_filter_parse_equality(sp_filter_parser_t *parser, const char *path, const sp_value_t *value,
                              sp_node_t *into)
{
    return parse_comparison(parser, SP_NODE_EQ, path, value, into);
}

/* A NOT that has been added to `into` and waits for its child. */
static sp_node_t *add_not(sp_filter_parser_t *parser, sp_node_t *into)
{
    sp_node_t *node = sp_node_new(parser->arena, SP_NODE_NOT, NULL);
    sp_node_add_child(parser->arena, into, node);
    return node;
}

static bool parse_ne(sp_filter_parser_t *parser, const char *path, const sp_value_t *value,
                     sp_node_t *into)
{
    if (value->type == BSON_TYPE_REGEX)
        return sp_error_set(parser->error, SP_ERROR_RULE, SP_FILTER_BAD_VALUE,
                            "$ne takes no regular expression: use $not");
    return sp_filter_parse_equality(parser, path, value, add_not(parser, into));
}

static bool add_in_value(sp_filter_parser_t *parser, const sp_value_t *value, sp_node_t *node)
{
    if (has_operators(value))
        return sp_error_set(parser->error, SP_ERROR_RULE, SP_FILTER_BAD_VALUE,
                            "$in and $nin take no object that begins with a $ name");
    if (value->type == BSON_TYPE_REGEX) {
        sp_regex_t regex;
        if (!sp_filter_regex_of(parser, node->path, value, &regex))
            return false;
        sp_node_add_regex(parser->arena, node, &regex);
        return true;
    }
    sp_node_add_value(parser->arena, node, value);
    return true;
}

static bool parse_in(sp_filter_parser_t *parser, const char *path, const sp_value_t *value,
                     sp_node_t *into)
{
    bson_iter_t iter;
    if (value->type != BSON_TYPE_ARRAY || !sp_value_children(value, &iter))
        return sp_error_set(parser->error, SP_ERROR_RULE, SP_FILTER_BAD_VALUE,
                            "$in and $nin need an array");
    sp_node_t *node = sp_node_new(parser->arena, SP_NODE_IN, path);
    sp_node_add_child(parser->arena, into, node);
    while (bson_iter_next(&iter)) {
        sp_value_t element = sp_value_of(&iter);
        if (!add_in_value(parser, &element, node))
            return false;
    }
    /* Looked at last: a faulty regular expression further on is refused first. */
    for (unsigned i = 0; i < node->value_count; i++) {
        if (node->values[i].type == BSON_TYPE_UNDEFINED)
            return sp_error_set(parser->error, SP_ERROR_RULE, SP_FILTER_BAD_VALUE,
                                "$in and $nin take no undefined");
    }
    return true;
}

/* Only null, undefined, false and zero are false; NaN is true. */
static bool is_true(const sp_value_t *value)
{
    int64_t number;
    if (value->type == BSON_TYPE_BOOL)
        return value->data[0] != 0;
    if (sp_filter_whole_number(value, &number))
        return number != 0;
    return value->type != BSON_TYPE_NULL && value->type != BSON_TYPE_UNDEFINED;
}

static void add_exists(sp_filter_parser_t *parser, const char *path, const sp_value_t *value,
                       sp_node_t *into)
{
    sp_node_t *parent = is_true(value) ? into : add_not(parser, into);
    sp_node_add_child(parser->arena, parent, sp_node_new(parser->arena, SP_NODE_EXISTS, path));
}

static bool parse_mod(sp_filter_parser_t *parser, const char *path, const sp_value_t *value,
                      sp_node_t *into)
{
    bson_iter_t iter;
    bool zero[2], ok = value->type == BSON_TYPE_ARRAY && sp_value_children(value, &iter);
    unsigned count = 0;
    for (; ok && bson_iter_next(&iter); count++) {
        sp_value_t part = sp_value_of(&iter);
        ok = count < 2 && sp_filter_is_mod_part(&part, &zero[count]);
    }
    if (!ok || count != 2 || zero[0])
        return sp_error_set(parser->error, SP_ERROR_RULE, SP_FILTER_BAD_VALUE,
                            "$mod needs an array of two numbers whose whole parts are int64, "
                            "the first of them not 0");
    sp_node_t *node = sp_node_new(parser->arena, SP_NODE_MOD, path);
    node->value = *value;
    sp_node_add_child(parser->arena, into, node);
    return true;
}

static bool parse_size(sp_filter_parser_t *parser, const char *path, const sp_value_t *value,
                       sp_node_t *into)
{
    if (!sp_filter_is_count(value))
        return sp_error_set(parser->error, SP_ERROR_RULE, SP_FILTER_BAD_VALUE,
                            "$size needs a whole number from 0 to 2147483647");
    sp_node_t *node = sp_node_new(parser->arena, SP_NODE_SIZE, path);
    node->value = *value;
    sp_node_add_child(parser->arena, into, node);
    return true;
}

static bool check_bit_positions(sp_filter_parser_t *parser, const sp_value_t *value)
{
    bson_iter_t iter;
    if (!sp_value_children(value, &iter))
        return sp_error_set(parser->error, SP_ERROR_RULE, SP_FILTER_BAD_VALUE,
                            "bit positions are a broken array");
    while (bson_iter_next(&iter)) {
        sp_value_t position = sp_value_of(&iter);
        if (!sp_filter_is_count(&position))
            return sp_error_set(parser->error, SP_ERROR_RULE, SP_FILTER_BAD_VALUE,
                                "a bit position must be a whole number from 0 to 2147483647");
    }
    return true;
}

/* $bitsAllSet and the others. */
static bool parse_bits(sp_filter_parser_t *parser, const char *path, const char *name,
                       const sp_value_t *value, sp_node_t *into)
{
    int64_t number;
    if (value->type == BSON_TYPE_ARRAY) {
        if (!check_bit_positions(parser, value))
            return false;
    } else if (sp_value_is_number(value)) {
        if (!sp_filter_whole_number(value, &number) || number < 0)
            return sp_error_set(parser->error, SP_ERROR_RULE, SP_FILTER_FAILED_TO_PARSE,
                                "%s needs a whole number that is not negative", name);
    } else if (value->type != BSON_TYPE_BINARY) {
        return sp_error_set(parser->error, SP_ERROR_RULE, SP_FILTER_BAD_VALUE,
                            "%s needs a number, an array or binary data", name);
    }
    sp_node_add_child(parser->arena, into, sp_node_new(parser->arena, SP_NODE_OTHER, path));
    return true;
}

static bool add_regex(sp_filter_parser_t *parser, const char *path, const sp_value_t *value,
                      sp_node_t *into)
{
    sp_node_t *leaf = sp_filter_regex_leaf(parser, path, value);
    if (leaf == NULL)
        return false;
    sp_node_add_child(parser->arena, into, leaf);
    return true;
}

static bool parse_options(sp_filter_parser_t *parser, const sp_value_t *operators)
{
    bson_iter_t iter;
    if (!sp_value_children(operators, &iter) || !bson_iter_find(&iter, "$regex"))
        return sp_error_set(parser->error, SP_ERROR_RULE, SP_FILTER_BAD_VALUE,
                            "$options needs a $regex beside it");
    return true;
}

static bool parse_operators(sp_filter_parser_t *parser, const char *path,
                            const sp_value_t *operators, sp_node_t *into);

static bool parse_not(sp_filter_parser_t *parser, const char *path, const sp_value_t *value,
                      sp_node_t *into)
{
    sp_node_t *node = add_not(parser, into);
    if (value->type == BSON_TYPE_REGEX)
        return add_regex(parser, path, value, node);
    if (value->type != BSON_TYPE_DOCUMENT)
        return sp_error_set(parser->error, SP_ERROR_RULE, SP_FILTER_BAD_VALUE,
                            "$not needs a regular expression or an object with operators");
    if (first_name(value) == NULL)
        return sp_error_set(parser->error, SP_ERROR_RULE, SP_FILTER_BAD_VALUE,
                            "$not has an empty object");
    sp_node_t *both = sp_node_new(parser->arena, SP_NODE_AND, NULL);
    sp_node_add_child(parser->arena, node, both);
    return parse_operators(parser, path, value, both);
}

static bool parse_elem_match(sp_filter_parser_t *parser, const char *path, const sp_value_t *value,
                             sp_node_t *into)
{
    if (value->type != BSON_TYPE_DOCUMENT)
        return sp_error_set(parser->error, SP_ERROR_RULE, SP_FILTER_BAD_VALUE,
                            "$elemMatch needs an object");
    bool of_values = is_of_values(value);
    sp_node_t *node = sp_node_new(
        parser->arena, of_values ? SP_NODE_ELEM_MATCH_VALUE : SP_NODE_ELEM_MATCH_OBJECT, path);
    sp_node_add_child(parser->arena, into, node);
    if (of_values)
        return parse_operators(parser, "", value, node);

    sp_node_t *fields = sp_node_new(parser->arena, SP_NODE_AND, NULL);
    sp_node_add_child(parser->arena, node, fields);
    bool was_in_element = parser->in_element;
    parser->in_element = true;
    bool ok = sp_filter_parse_fields(parser, value, fields);
    parser->in_element = was_in_element;
    return ok;
}

static bool is_elem_match(const sp_value_t *value)
{
    const char *first = first_name(value);
    return first != NULL && strcmp(first, "$elemMatch") == 0;
}

/* One of $all's values that is no $elemMatch. */
static bool add_all_value(sp_filter_parser_t *parser, const char *path, const sp_value_t *value,
                          sp_node_t *into)
{
    if (value->type == BSON_TYPE_REGEX)
        return add_regex(parser, path, value, into);
    const char *first = first_name(value);
    if (first != NULL) {
        if (is_internal(first))
            return sp_filter_not_known(parser, first);
        predicate_t meaning = meaning_of(first);
        if (meaning != PREDICATE_UNKNOWN && meaning != PREDICATE_NOT)
            return sp_error_set(parser->error, SP_ERROR_RULE, SP_FILTER_BAD_VALUE,
                                "$all takes values, or $elemMatch in each place, not %s", first);
    }
    return sp_filter_parse_equality(parser, path, value, into);
}

static bool add_all_element(sp_filter_parser_t *parser, const char *path, const sp_value_t *value,
                            sp_node_t *into)
{
    bson_iter_t iter;
    if (!is_elem_match(value) || !sp_value_children(value, &iter) || !bson_iter_next(&iter))
        return sp_error_set(parser->error, SP_ERROR_RULE, SP_FILTER_BAD_VALUE,
                            "$all must have $elemMatch in each place or in none");
    sp_value_t condition = sp_value_of(&iter);
    return parse_elem_match(parser, path, &condition, into);
}

static bool parse_all(sp_filter_parser_t *parser, const char *path, const sp_value_t *value,
                      sp_node_t *into)
{
    bson_iter_t iter;
    if (value->type != BSON_TYPE_ARRAY || !sp_value_children(value, &iter))
        return sp_error_set(parser->error, SP_ERROR_RULE, SP_FILTER_BAD_VALUE,
                            "$all needs an array");
    sp_node_t *node = sp_node_new(parser->arena, SP_NODE_AND, NULL);
    bool of_elements = false;
    for (bool first = true; bson_iter_next(&iter); first = false) {
        sp_value_t element = sp_value_of(&iter);
        of_elements = first ? is_elem_match(&element) : of_elements;
        bool ok = of_elements ? add_all_element(parser, path, &element, node)
                              : add_all_value(parser, path, &element, node);
        if (!ok)
            return false;
    }
    if (node->child_count == 0)
        node = sp_node_new(parser->arena, SP_NODE_ALWAYS_FALSE, NULL);
    sp_node_add_child(parser->arena, into, node);
    return true;
}

static bool parse_operator(sp_filter_parser_t *parser, const char *path, const char *name,
                           const sp_value_t *value, const sp_value_t *operators, sp_node_t *into)
{
    switch (meaning_of(name)) {
    case PREDICATE_EQ:
        return parse_comparison(parser, SP_NODE_EQ, path, value, into);
    case PREDICATE_LT:
        return parse_comparison(parser, SP_NODE_LT, path, value, into);
    case PREDICATE_LTE:
        return parse_comparison(parser, SP_NODE_LTE, path, value, into);
    case PREDICATE_GT:
        return parse_comparison(parser, SP_NODE_GT, path, value, into);
    case PREDICATE_GTE:
        return parse_comparison(parser, SP_NODE_GTE, path, value, into);
    case PREDICATE_NE:
        return parse_ne(parser, path, value, into);
    case PREDICATE_IN:
        return parse_in(parser, path, value, into);
    case PREDICATE_NIN:
        return parse_in(parser, path, value, add_not(parser, into));
    case PREDICATE_NOT:
        return parse_not(parser, path, value, into);
    case PREDICATE_EXISTS:
        add_exists(parser, path, value, into);
        return true;
    case PREDICATE_TYPE:
        return sp_filter_parse_type(parser, path, value, into);
    case PREDICATE_MOD:
        return parse_mod(parser, path, value, into);
    case PREDICATE_SIZE:
        return parse_size(parser, path, value, into);
    case PREDICATE_REGEX:
        return sp_filter_parse_regex(parser, path, operators, into);
    case PREDICATE_OPTIONS:
        return parse_options(parser, operators);
    case PREDICATE_ALL:
        return parse_all(parser, path, value, into);
    case PREDICATE_ELEM_MATCH:
        return parse_elem_match(parser, path, value, into);
    case PREDICATE_BITS:
        return parse_bits(parser, path, name, value, into);
    case PREDICATE_GEO:
        return sp_filter_not_known(parser, name);
    case PREDICATE_UNKNOWN:
        break;
    }
    if (is_internal(name))
        return sp_filter_not_known(parser, name);
    return sp_error_set(parser->error, SP_ERROR_RULE, SP_FILTER_BAD_VALUE,
                        "'%s' has '%s', which is no operator, where operators stand", path, name);
}

static bool parse_operators(sp_filter_parser_t *parser, const char *path,
                            const sp_value_t *operators, sp_node_t *into)
{
    bson_iter_t iter;
    if (!sp_value_children(operators, &iter))
        return sp_error_set(parser->error, SP_ERROR_RULE, SP_FILTER_BAD_VALUE,
                            "'%s' has a broken object", path);
    while (bson_iter_next(&iter)) {
        sp_value_t value = sp_value_of(&iter);
        if (!parse_operator(parser, path, bson_iter_key(&iter), &value, operators, into))
            return false;
    }
    return true;
}

bool sp_filter_parse_field(sp_filter_parser_t *parser, const char *path, const sp_value_t *value,
                           sp_node_t *into)
{
    if (value->type == BSON_TYPE_REGEX)
        return add_regex(parser, path, value, into);
    if (has_operators(value))
        return parse_operators(parser, path, value, into);
    return sp_filter_parse_equality(parser, path, value, into);
}
