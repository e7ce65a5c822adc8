#include "query_text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void write_value(const sp_value_t *value, bson_string_t *out);

static void write_children(const sp_value_t *value, bool names, bson_string_t *out)
{
    bson_iter_t iter;
    const char *before = " ";
    bson_string_append(out, names ? "{" : "[");
    if (sp_value_children(value, &iter)) {
        for (; bson_iter_next(&iter); before = ", ") {
            sp_value_t child = sp_value_of(&iter);
            bson_string_append(out, before);
            if (names)
                bson_string_append_printf(out, "%s: ", bson_iter_key(&iter));
            write_value(&child, out);
        }
    }
    if (before[0] == ',')
        bson_string_append(out, " ");
    bson_string_append(out, names ? "}" : "]");
}

static void write_bytes(const uint8_t *data, size_t size, bson_string_t *out)
{
    for (size_t i = 0; i < size; i++)
        bson_string_append_printf(out, "%02x", data[i]);
}

static void write_number(const sp_value_t *value, bson_string_t *out)
{
    char text[BSON_DECIMAL128_STRING];
    if (value->type == BSON_TYPE_DOUBLE) {
        double number = sp_value_double(value);
        snprintf(text, sizeof text, "%.16g", isnan(number) ? fabs(number) : number);
        bson_string_append_printf(out, "%s%s", text, strpbrk(text, ".e") == NULL ? ".0" : "");
    } else if (value->type == BSON_TYPE_DECIMAL128) {
        bson_decimal128_t number;
        memcpy(&number.low, value->data, 8);
        memcpy(&number.high, value->data + 8, 8);
        number.low = BSON_UINT64_FROM_LE(number.low);
        number.high = BSON_UINT64_FROM_LE(number.high);
        bson_decimal128_to_string(&number, text);
        bson_string_append(out, text);
    } else {
        long long number = value->type == BSON_TYPE_INT32 ? (long long)sp_value_int32(value)
                                                          : (long long)sp_value_int64(value);
        bson_string_append_printf(out, "%lld", number);
    }
}

static void write_timestamp(const sp_value_t *value, bson_string_t *out)
{
    uint64_t both = (uint64_t)sp_value_int64(value);
    bson_string_append_printf(out, "Timestamp(%u, %u)", (unsigned)(both >> 32), (unsigned)both);
}

static void write_text(const char *before, const char *text, const char *after, bson_string_t *out)
{
    bson_string_append_printf(out, "%s%s%s", before, text, after);
}

/* What needs more than its text. */
static void write_compound(const sp_value_t *value, bson_string_t *out)
{
    uint32_t size;
    if (value->type == BSON_TYPE_BINARY) {
        bson_string_append_printf(out, "BinData(%u, ", value->data[4]);
        write_bytes(value->data + 5, value->size - 5, out);
    } else if (value->type == BSON_TYPE_DBPOINTER) {
        write_text("DBRef('", (const char *)value->data + 4, "',", out);
        write_bytes(value->data + value->size - 12, 12, out);
    } else {
        sp_value_t scope = sp_value_scope(value);
        write_text("CodeWScope( ", sp_value_scoped_code(value, &size), ", ", out);
        write_children(&scope, true, out);
    }
    bson_string_append(out, ")");
}

static void write_value(const sp_value_t *value, bson_string_t *out)
{
    uint32_t size;
    switch (value->type) {
    case BSON_TYPE_MINKEY:
        bson_string_append(out, "MinKey");
        break;
    case BSON_TYPE_MAXKEY:
        bson_string_append(out, "MaxKey");
        break;
    case BSON_TYPE_UNDEFINED:
        bson_string_append(out, "undefined");
        break;
    case BSON_TYPE_NULL:
        bson_string_append(out, "null");
        break;
    case BSON_TYPE_BOOL:
        bson_string_append(out, value->data[0] != 0 ? "true" : "false");
        break;
    case BSON_TYPE_UTF8:
    case BSON_TYPE_SYMBOL:
        write_text("'", sp_value_text(value, &size), "'", out);
        break;
    case BSON_TYPE_CODE:
        write_text("", sp_value_text(value, &size), "", out);
        break;
    case BSON_TYPE_DOCUMENT:
    case BSON_TYPE_ARRAY:
        write_children(value, value->type == BSON_TYPE_DOCUMENT, out);
        break;
    case BSON_TYPE_OID:
        bson_string_append(out, "ObjectId('");
        write_bytes(value->data, value->size, out);
        bson_string_append(out, "')");
        break;
    case BSON_TYPE_DATE_TIME:
        bson_string_append_printf(out, "new Date(%lld)", (long long)sp_value_int64(value));
        break;
    case BSON_TYPE_TIMESTAMP:
        write_timestamp(value, out);
        break;
    case BSON_TYPE_REGEX:
        write_text("/", (const char *)value->data, "/", out);
        bson_string_append(out, (const char *)value->data + strlen((const char *)value->data) + 1);
        break;
    case BSON_TYPE_BINARY:
    case BSON_TYPE_DBPOINTER:
    case BSON_TYPE_CODEWSCOPE:
        write_compound(value, out);
        break;
    default:
        write_number(value, out);
        break;
    }
}

static void write_intervals(const sp_intervals_t *intervals, bson_string_t *out)
{
    for (unsigned i = 0; i < intervals->count; i++) {
        const sp_interval_t *item = &intervals->items[i];
        write_text(i > 0 ? " " : "", item->start_in ? "[" : "(", "", out);
        write_value(&item->start, out);
        bson_string_append(out, ", ");
        write_value(&item->end, out);
        bson_string_append(out, item->end_in ? "]" : ")");
    }
}

char *sp_intervals_text(const sp_intervals_t *intervals)
{
    bson_string_t *out = bson_string_new(NULL);
    write_intervals(intervals, out);
    return bson_string_free(out, false);
}

char *sp_bounds_text(const sp_bounds_t *bounds)
{
    bson_string_t *out = bson_string_new(NULL);
    for (unsigned i = 0; i < bounds->field_count; i++) {
        bson_string_append(out, i > 0 ? "; " : "");
        write_intervals(&bounds->fields[i], out);
    }
    return bson_string_free(out, false);
}

static const char *const kinds[] = {
    [SP_NODE_AND] = "and",
    [SP_NODE_OR] = "or",
    [SP_NODE_NOR] = "nor",
    [SP_NODE_NOT] = "not",
    [SP_NODE_ELEM_MATCH_OBJECT] = "element",
    [SP_NODE_ELEM_MATCH_VALUE] = "elementValue",
    [SP_NODE_EQ] = "eq",
    [SP_NODE_LT] = "lt",
    [SP_NODE_LTE] = "lte",
    [SP_NODE_GT] = "gt",
    [SP_NODE_GTE] = "gte",
    [SP_NODE_IN] = "in",
    [SP_NODE_REGEX] = "regex",
    [SP_NODE_EXISTS] = "exists",
    [SP_NODE_TYPE] = "type",
    [SP_NODE_MOD] = "mod",
    [SP_NODE_SIZE] = "size",
    [SP_NODE_OTHER] = "other",
    [SP_NODE_ALWAYS_TRUE] = "true",
    [SP_NODE_ALWAYS_FALSE] = "false",
};

const char *sp_kind_text(sp_node_kind_t kind)
{
    return kinds[kind];
}

static void write_node(const sp_node_t *node, bson_string_t *out)
{
    bson_string_append(out, kinds[node->kind]);
    if (node->path != NULL && node->path[0] != '\0')
        write_text(" ", node->path, "", out);
    if (node->value.type != BSON_TYPE_EOD) {
        bson_string_append(out, " ");
        write_value(&node->value, out);
    }
    for (unsigned i = 0; i < node->value_count; i++) {
        bson_string_append(out, " ");
        write_value(&node->values[i], out);
    }
    for (unsigned i = 0; i < node->regex_count; i++)
        bson_string_append_printf(out, " /%s/%s", node->regexes[i].pattern,
                                  node->regexes[i].options);
    for (unsigned i = 0; i < node->child_count; i++) {
        bson_string_append(out, i == 0 ? "(" : ", ");
        write_node(node->children[i], out);
    }
    if (node->child_count > 0)
        bson_string_append(out, ")");
}

char *sp_tree_text(const sp_node_t *node)
{
    bson_string_t *out = bson_string_new(NULL);
    write_node(node, out);
    return bson_string_free(out, false);
}
