#include "filter_parts.h"

#include <string.h>

bool sp_filter_not_known(sp_filter_parser_t *parser, const char *name)
{
    return sp_error_set(parser->error, SP_ERROR_INPUT, 0,
                        "the filter has %s, which this model does not know: leave it out", name);
}

typedef enum top_level {
    TOP_AND,
    TOP_OR,
    TOP_NOR,
    TOP_COMMENT,
    TOP_WHERE,
    TOP_EXPR,
    TOP_JSON_SCHEMA,
    TOP_TEXT,
    TOP_SAMPLE_RATE,
    TOP_ALWAYS_TRUE,
    TOP_ALWAYS_FALSE,
    TOP_FIELD, /* $ref, $id, $db: names of fields */
    TOP_UNKNOWN,
} top_level_t;

static const struct word {
    const char *name;
    top_level_t meaning;
} words[] = {
    {"$and", TOP_AND},
    {"$or", TOP_OR},
    {"$nor", TOP_NOR},
    {"$comment", TOP_COMMENT},
    {"$where", TOP_WHERE},
    {"$expr", TOP_EXPR},
    {"$jsonSchema", TOP_JSON_SCHEMA},
    {"$text", TOP_TEXT},
    {"$sampleRate", TOP_SAMPLE_RATE},
    {"$alwaysTrue", TOP_ALWAYS_TRUE},
    {"$alwaysFalse", TOP_ALWAYS_FALSE},
    {"$ref", TOP_FIELD},
    {"$id", TOP_FIELD},
    {"$db", TOP_FIELD},
};

static top_level_t meaning_of(const char *name)
{
    for (unsigned i = 0; i < sizeof words / sizeof *words; i++) {
        if (strcmp(name, words[i].name) == 0)
            return words[i].meaning;
    }
    return TOP_UNKNOWN;
}

bool sp_filter_is_top_level(const char *name)
{
    return meaning_of(name) != TOP_UNKNOWN;
}

/* $and, $or, $nor. */
static bool parse_branches(sp_filter_parser_t *parser, const char *name, const sp_value_t *value,
                           sp_node_kind_t kind, sp_node_t *into)
{
    bson_iter_t iter;
    if (value->type != BSON_TYPE_ARRAY || !sp_value_children(value, &iter))
        return sp_error_set(parser->error, SP_ERROR_RULE, SP_FILTER_BAD_VALUE, "%s needs an array",
                            name);
    sp_node_t *node = sp_node_new(parser->arena, kind, NULL);
    while (bson_iter_next(&iter)) {
        sp_value_t branch = sp_value_of(&iter);
        if (branch.type != BSON_TYPE_DOCUMENT)
            return sp_error_set(parser->error, SP_ERROR_RULE, SP_FILTER_BAD_VALUE,
                                "%s needs objects in its array", name);
        sp_node_t *child = sp_node_new(parser->arena, SP_NODE_AND, NULL);
        if (!sp_filter_parse_fields(parser, &branch, child))
            return false;
        sp_node_add_child(parser->arena, node, child);
    }
    if (node->child_count == 0)
        return sp_error_set(parser->error, SP_ERROR_RULE, SP_FILTER_BAD_VALUE,
                            "%s needs an array with something in it", name);
    sp_node_add_child(parser->arena, into, node);
    return true;
}

static void add_leaf(sp_filter_parser_t *parser, sp_node_kind_t kind, sp_node_t *into)
{
    sp_node_add_child(parser->arena, into, sp_node_new(parser->arena, kind, NULL));
}

static bool refuse_in_element(sp_filter_parser_t *parser, const char *name)
{
    return sp_error_set(parser->error, SP_ERROR_RULE, SP_FILTER_BAD_VALUE,
                        "%s cannot stand inside $elemMatch", name);
}

static bool parse_where(sp_filter_parser_t *parser, const sp_value_t *value, sp_node_t *into)
{
    if (parser->in_element)
        return refuse_in_element(parser, "$where");
    if (value->type == BSON_TYPE_CODEWSCOPE)
        return sp_error_set(parser->error, SP_ERROR_RULE, SP_FILTER_WHERE_WITH_SCOPE,
                            "$where takes no code with scope");
    if (value->type != BSON_TYPE_UTF8 && value->type != BSON_TYPE_CODE)
        return sp_error_set(parser->error, SP_ERROR_RULE, SP_FILTER_BAD_VALUE, "$where needs code");
    uint32_t size;
    sp_value_text(value, &size);
    if (size == 0)
        return sp_error_set(parser->error, SP_ERROR_RULE, SP_FILTER_BAD_VALUE,
                            "the code of $where is empty");
    add_leaf(parser, SP_NODE_OTHER, into);
    return true;
}

/* Whether an expression is a constant, so that it says nothing about any field and is surely sound.
 * Any other may be refused, or bound a shard key: a router makes $gt of {$expr: {$gt: ["$x", 3]}}.
 */
static bool is_constant(const sp_value_t *value)
{
    bson_iter_t iter;
    uint32_t size;
    if (value->type == BSON_TYPE_UTF8)
        return sp_value_text(value, &size)[0] != '$';
    if (value->type != BSON_TYPE_DOCUMENT && value->type != BSON_TYPE_ARRAY)
        return true;
    if (!sp_value_children(value, &iter))
        return false;
    while (bson_iter_next(&iter)) {
        sp_value_t child = sp_value_of(&iter);
        /* In an object a name with a dot is refused. */
        if (value->type == BSON_TYPE_DOCUMENT && strpbrk(bson_iter_key(&iter), "$.") != NULL)
            return false;
        if (!is_constant(&child))
            return false;
    }
    return true;
}

static bool parse_expr(sp_filter_parser_t *parser, const sp_value_t *value, sp_node_t *into)
{
    if (parser->in_element)
        return refuse_in_element(parser, "$expr");
    if (!is_constant(value))
        return sp_filter_not_known(parser, "an $expr that is no constant");
    add_leaf(parser, SP_NODE_OTHER, into);
    return true;
}

static bool parse_json_schema(sp_filter_parser_t *parser, const sp_value_t *value)
{
    bson_iter_t iter;
    if (value->type != BSON_TYPE_DOCUMENT || !sp_value_children(value, &iter))
        return sp_error_set(parser->error, SP_ERROR_RULE, SP_FILTER_TYPE_MISMATCH,
                            "$jsonSchema needs an object");
    if (bson_iter_next(&iter))
        return sp_filter_not_known(parser, "a $jsonSchema that is not empty");
    return true;
}

static bool parse_sample_rate(sp_filter_parser_t *parser, const sp_value_t *value, sp_node_t *into)
{
    if (parser->in_element)
        return refuse_in_element(parser, "$sampleRate");
    if (!sp_value_is_number(value) || !sp_filter_is_rate(value))
        return sp_error_set(parser->error, SP_ERROR_RULE, SP_FILTER_BAD_VALUE,
                            "$sampleRate needs a number from 0 to 1");
    add_leaf(parser, SP_NODE_OTHER, into);
    return true;
}

static bool parse_always(sp_filter_parser_t *parser, const char *name, const sp_value_t *value,
                         sp_node_kind_t kind, sp_node_t *into)
{
    int64_t number;
    if (!sp_filter_whole_number(value, &number) || number != 1)
        return sp_error_set(parser->error, SP_ERROR_RULE, SP_FILTER_FAILED_TO_PARSE,
                            "%s needs the number 1", name);
    add_leaf(parser, kind, into);
    return true;
}

static bool parse_text(sp_filter_parser_t *parser, const sp_value_t *value)
{
    if (parser->in_element)
        return refuse_in_element(parser, "$text");
    if (value->type != BSON_TYPE_DOCUMENT)
        return sp_error_set(parser->error, SP_ERROR_RULE, SP_FILTER_BAD_VALUE,
                            "$text needs an object");
    return sp_filter_not_known(parser, "$text");
}

static bool parse_word(sp_filter_parser_t *parser, const char *name, const sp_value_t *value,
                       sp_node_t *into)
{
    switch (meaning_of(name)) {
    case TOP_AND:
        return parse_branches(parser, name, value, SP_NODE_AND, into);
    case TOP_OR:
        return parse_branches(parser, name, value, SP_NODE_OR, into);
    case TOP_NOR:
        return parse_branches(parser, name, value, SP_NODE_NOR, into);
    case TOP_COMMENT:
        return true;
    case TOP_WHERE:
        return parse_where(parser, value, into);
    case TOP_EXPR:
        return parse_expr(parser, value, into);
    case TOP_JSON_SCHEMA:
        return parse_json_schema(parser, value);
    case TOP_TEXT:
        return parse_text(parser, value);
    case TOP_SAMPLE_RATE:
        return parse_sample_rate(parser, value, into);
    case TOP_ALWAYS_TRUE:
        return parse_always(parser, name, value, SP_NODE_ALWAYS_TRUE, into);
    case TOP_ALWAYS_FALSE:
        return parse_always(parser, name, value, SP_NODE_ALWAYS_FALSE, into);
    case TOP_FIELD:
        return sp_filter_parse_equality(parser, name, value, into);
    case TOP_UNKNOWN:
        break;
    }
    if (strncmp(name, "$_internal", strlen("$_internal")) == 0)
        return sp_filter_not_known(parser, name);
    return sp_error_set(parser->error, SP_ERROR_RULE, SP_FILTER_BAD_VALUE,
                        "the filter has %s where only field names and operators like $and can "
                        "stand",
                        name);
}

bool sp_filter_parse_fields(sp_filter_parser_t *parser, const sp_value_t *filter, sp_node_t *into)
{
    bson_iter_t iter;
    if (!sp_value_children(filter, &iter))
        return sp_error_set(parser->error, SP_ERROR_RULE, SP_FILTER_BAD_VALUE,
                            "the filter holds a broken object");
    while (bson_iter_next(&iter)) {
        const char *name = bson_iter_key(&iter);
        sp_value_t value = sp_value_of(&iter);
        bool ok = name[0] == '$' ? parse_word(parser, name, &value, into)
                                 : sp_filter_parse_field(parser, name, &value, into);
        if (!ok)
            return false;
    }
    return true;
}

sp_node_t *sp_filter_parse(sp_arena_t *arena, sp_version_t version, const bson_t *filter,
                           sp_error_t *error)
{
    sp_filter_parser_t parser = {.arena = arena, .version = version, .error = error};
    sp_node_t *root = sp_node_new(arena, SP_NODE_AND, NULL);
    sp_value_t whole = {BSON_TYPE_DOCUMENT, filter->len, bson_get_data(filter)};
    return sp_filter_parse_fields(&parser, &whole, root) ? root : NULL;
}
