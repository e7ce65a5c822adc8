#include "filter_parts.h"

#include <string.h>

static const struct alias {
    const char *name;
    bson_type_t type;
} aliases[] = {
    {"double", BSON_TYPE_DOUBLE},
    {"string", BSON_TYPE_UTF8},
    {"object", BSON_TYPE_DOCUMENT},
    {"array", BSON_TYPE_ARRAY},
    {"binData", BSON_TYPE_BINARY},
    {"undefined", BSON_TYPE_UNDEFINED},
    {"objectId", BSON_TYPE_OID},
    {"bool", BSON_TYPE_BOOL},
    {"date", BSON_TYPE_DATE_TIME},
    {"null", BSON_TYPE_NULL},
    {"regex", BSON_TYPE_REGEX},
    {"dbPointer", BSON_TYPE_DBPOINTER},
    {"javascript", BSON_TYPE_CODE},
    {"symbol", BSON_TYPE_SYMBOL},
    {"javascriptWithScope", BSON_TYPE_CODEWSCOPE},
    {"int", BSON_TYPE_INT32},
    {"timestamp", BSON_TYPE_TIMESTAMP},
    {"long", BSON_TYPE_INT64},
    {"decimal", BSON_TYPE_DECIMAL128},
    {"minKey", BSON_TYPE_MINKEY},
    {"maxKey", BSON_TYPE_MAXKEY},
};

static bool add_alias(sp_filter_parser_t *parser, const sp_value_t *name, sp_node_t *node)
{
    uint32_t size;
    const char *text = sp_value_text(name, &size);
    if (strlen(text) == size) {
        if (strcmp(text, "number") == 0) {
            node->type_number = true;
            return true;
        }
        for (unsigned i = 0; i < sizeof aliases / sizeof *aliases; i++) {
            if (strcmp(text, aliases[i].name) == 0) {
                sp_node_add_type(parser->arena, node, aliases[i].type);
                return true;
            }
        }
    }
    return sp_error_set(parser->error, SP_ERROR_RULE, SP_FILTER_BAD_VALUE,
                        "$type has '%s', which is the name of no BSON type", text);
}

static bool add_code(sp_filter_parser_t *parser, const sp_value_t *code, sp_node_t *node)
{
    int64_t number;
    bool ok = sp_filter_whole_number(code, &number) &&
              (number == -1 || (number >= 1 && number <= 0x13) || number == 0x7f);
    if (!ok)
        return sp_error_set(
            parser->error, SP_ERROR_RULE, SP_FILTER_BAD_VALUE,
            "$type has a number that stands for no BSON type: they are -1, 1 to 19 and 127");
    sp_node_add_type(parser->arena, node, number == -1 ? BSON_TYPE_MINKEY : (bson_type_t)number);
    return true;
}

static bool add_type(sp_filter_parser_t *parser, const sp_value_t *type, sp_node_t *node)
{
    if (type->type == BSON_TYPE_UTF8)
        return add_alias(parser, type, node);
    if (sp_value_is_number(type))
        return add_code(parser, type, node);
    return sp_error_set(parser->error, SP_ERROR_RULE, SP_FILTER_TYPE_MISMATCH,
                        "$type needs numbers or names of BSON types");
}

bool sp_filter_parse_type(sp_filter_parser_t *parser, const char *path, const sp_value_t *value,
                          sp_node_t *into)
{
    sp_node_t *node = sp_node_new(parser->arena, SP_NODE_TYPE, path);
    sp_node_add_child(parser->arena, into, node);
    if (value->type != BSON_TYPE_ARRAY)
        return add_type(parser, value, node);
    bson_iter_t iter;
    bool any = false;
    if (!sp_value_children(value, &iter))
        return sp_error_set(parser->error, SP_ERROR_RULE, SP_FILTER_BAD_VALUE,
                            "$type holds a broken array");
    while (bson_iter_next(&iter)) {
        sp_value_t type = sp_value_of(&iter);
        any = true;
        if (!add_type(parser, &type, node))
            return false;
    }
    if (!any)
        return sp_error_set(parser->error, SP_ERROR_RULE, SP_FILTER_FAILED_TO_PARSE,
                            "$type needs at least one type");
    return true;
}
