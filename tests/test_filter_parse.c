/*
 * Filters: what they mean, and which are refused.
 *
 * Codes were asked with find, clusterFind and {explain: {clusterFind: …}} on 6.0.5 and 6.0.27
 * (November 2026), which answer alike. Shapes follow from `parsedQuery` in what explain answers.
 */
#include "../oracles/filter.h"

#include "from_json.h"
#include "query_text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const sp_version_t version = {6, 0, 5};

static void write_value(const sp_value_t *value, bson_string_t *out)
{
    uint32_t size;
    if (value->type == BSON_TYPE_INT32)
        bson_string_append_printf(out, " %d", sp_value_int32(value));
    else if (value->type == BSON_TYPE_UTF8)
        bson_string_append_printf(out, " '%s'", sp_value_text(value, &size));
    else if (value->type != BSON_TYPE_EOD)
        bson_string_append_printf(out, " t%02x", (unsigned)value->type);
}

/* "and(gt a 1, not(eq b 2))": kind, path, values; other values than numbers and strings as their
 * type. */
static void write_node(const sp_node_t *node, bson_string_t *out)
{
    if (node == NULL)
        return;
    bson_string_append(out, sp_kind_text(node->kind));
    if (node->path != NULL)
        bson_string_append_printf(out, " %s", node->path[0] == '\0' ? "-" : node->path);
    write_value(&node->value, out);
    for (unsigned i = 0; i < node->value_count; i++)
        write_value(&node->values[i], out);
    for (unsigned i = 0; i < node->regex_count; i++)
        bson_string_append_printf(out, " /%s/%s", node->regexes[i].pattern,
                                  node->regexes[i].options);
    if (node->type_number)
        bson_string_append(out, " number");
    for (unsigned i = 0; i < node->type_count; i++)
        bson_string_append_printf(out, " t%02x", (unsigned)node->types[i]);
    if (node->child_count == 0)
        return;
    for (unsigned i = 0; i < node->child_count; i++) {
        bson_string_append(out, i == 0 ? "(" : ", ");
        write_node(node->children[i], out);
    }
    bson_string_append(out, ")");
}

static const struct shape {
    const char *filter, *tree;
} shapes[] = {
    {"{}", "and"},
    {"{'x': 5}", "and(eq x 5)"},
    {"{'x': 5, 'y': 'a'}", "and(eq x 5, eq y 'a')"},
    {"{'x': 5, 'x': 6}", "and(eq x 5, eq x 6)"},
    /* any name that does not begin with $ is a path */
    {"{'': 1}", "and(eq - 1)"},
    {"{'.a': 1, 'a..b': 1, 'a.': 1}", "and(eq .a 1, eq a..b 1, eq a. 1)"},
    {"{'a.$b': 1, 'a.$id': 1}", "and(eq a.$b 1, eq a.$id 1)"},
    /* and these three are too, at the top; what they hold stands for itself */
    {"{'$ref': 1, '$id': {'$gt': 1}, '$db': {'$regularExpression': {'pattern': '(', 'options': "
     "''}}}",
     "and(eq $ref 1, eq $id t03, eq $db t0b)"},

    {"{'a': {}}", "and(eq a t03)"},
    {"{'a': {'b': 1, '$gt': 1}}", "and(eq a t03)"},
    {"{'a': {'': 1}}", "and(eq a t03)"},
    {"{'a': {'$ref': 'c', '$id': 1}}", "and(eq a t03)"},
    {"{'a': {'$id': 1, '$ref': 'c'}}", "and(eq a t03)"},
    {"{'a': {'$gt': 1, '$ref': 'c', '$id': 2}}", "and(eq a t03)"},
    {"{'a': null, 'b': [1]}", "and(eq a t0a, eq b t04)"},
    {"{'a': {'$regularExpression': {'pattern': '^x', 'options': 'im'}}}", "and(regex a /^x/im)"},

    {"{'a': {'$gt': 1, '$lt': 5}}", "and(gt a 1, lt a 5)"},
    {"{'a': {'$gte': 1}, 'b': {'$lte': 5}}", "and(gte a 1, lte b 5)"},
    {"{'a': {'$gt': 1, '$gt': 2}}", "and(gt a 1, gt a 2)"},
    {"{'a': {'$eq': 1, '$ne': 2}}", "and(eq a 1, not(eq a 2))"},
    {"{'a': {'$eq': {'$foo': 1}}, 'b': {'$gt': {'$foo': 1}}}", "and(eq a t03, gt b t03)"},
    {"{'a': {'$eq': {'$regularExpression': {'pattern': '(', 'options': ''}}}}", "and(eq a t0b)"},

    {"{'a': {'$in': []}}", "and(in a)"},
    {"{'a': {'$in': [1, {'$regularExpression': {'pattern': 'x', 'options': 'i'}}, 'b']}}",
     "and(in a 1 'b' /x/i)"},
    {"{'a': {'$in': [[{'$foo': 1}], {'b': {'$foo': 1}}, {'$ref': 'c', '$id': 1}]}}",
     "and(in a t04 t03 t03)"},
    {"{'a': {'$nin': [1, 2]}}", "and(not(in a 1 2))"},

    {"{'a': {'$exists': true}}", "and(exists a)"},
    {"{'a': {'$exists': false}}", "and(not(exists a))"},
    {"{'a': {'$exists': null}}", "and(not(exists a))"},
    {"{'a': {'$exists': {'$undefined': true}}}", "and(not(exists a))"},
    {"{'a': {'$exists': 0}}", "and(not(exists a))"},
    {"{'a': {'$exists': {'$numberDouble': '-0.0'}}}", "and(not(exists a))"},
    {"{'a': {'$exists': {'$numberDecimal': '0.00'}}}", "and(not(exists a))"},
    {"{'a': {'$exists': {'$numberLong': '0'}}}", "and(not(exists a))"},
    {"{'a': {'$exists': {'$numberDouble': 'NaN'}}}", "and(exists a)"},
    {"{'a': {'$exists': {'$numberDecimal': 'NaN'}}}", "and(exists a)"},
    {"{'a': {'$exists': 0.5}}", "and(exists a)"},
    {"{'a': {'$exists': ''}}", "and(exists a)"},
    {"{'a': {'$exists': []}}", "and(exists a)"},

    {"{'a': {'$type': 1}}", "and(type a t01)"},
    {"{'a': {'$type': 'number'}}", "and(type a number)"},
    {"{'a': {'$type': ['int', 'number', 'int', 'string', 'minKey', 'maxKey']}}",
     "and(type a number t10 t02 tff t7f)"},
    {"{'a': {'$type': [-1, 127, {'$numberDouble': '2.0'}, {'$numberLong': '3'}, "
     "{'$numberDecimal': '4.0'}, 19]}}",
     "and(type a tff t7f t02 t03 t04 t13)"},
    {"{'a': {'$type': ['double', 'object', 'array', 'binData', 'undefined', 'objectId', 'bool', "
     "'date', 'null', 'regex']}}",
     "and(type a t01 t03 t04 t05 t06 t07 t08 t09 t0a t0b)"},
    {"{'a': {'$type': ['dbPointer', 'javascript', 'symbol', 'javascriptWithScope', 'timestamp', "
     "'long', 'decimal']}}",
     "and(type a t0c t0d t0e t0f t11 t12 t13)"},

    {"{'a': {'$mod': [3, 1]}}", "and(mod a t04)"},
    {"{'a': {'$mod': [-3.5, {'$numberDecimal': '0.4'}]}}", "and(mod a t04)"},
    {"{'a': {'$mod': [{'$numberDecimal': '9223372036854775807.9'}, "
     "{'$numberDouble': '-9223372036854775808.0'}]}}",
     "and(mod a t04)"},
    {"{'a': {'$mod': [{'$numberDecimal': '-9223372036854775808.5'}, 1]}}", "and(mod a t04)"},
    {"{'a': {'$size': 0}}", "and(size a 0)"},
    {"{'a': {'$size': {'$numberDecimal': '2147483647.0'}}}", "and(size a t13)"},
    {"{'a': {'$bitsAllSet': 5, '$bitsAnySet': [1, 2], '$bitsAllClear': {'$binary': {'base64': '', "
     "'subType': '00'}}, '$bitsAnyClear': []}}",
     "and(other a, other a, other a, other a)"},

    {"{'a': {'$regex': 'x'}}", "and(regex a /x/)"},
    {"{'a': {'$regex': 'x', '$options': 'i'}}", "and(regex a /x/i)"},
    {"{'a': {'$options': 'i', '$regex': 'x'}}", "and(regex a /x/i)"},
    {"{'a': {'$regex': 'x', '$gt': 1, '$options': 'imsxu'}}", "and(regex a /x/imsxu, gt a 1)"},
    {"{'a': {'$regex': {'$regularExpression': {'pattern': 'x', 'options': 'i'}}}}",
     "and(regex a /x/i)"},
    {"{'a': {'$regex': {'$regularExpression': {'pattern': 'x', 'options': ''}}, '$options': 'i'}}",
     "and(regex a /x/i)"},
    {"{'a': {'$options': '', '$regex': {'$regularExpression': {'pattern': 'x', 'options': 'i'}}}}",
     "and(regex a /x/i)"},
    {"{'a': {'$regex': '(', '$regex': 'x'}}", "and(regex a /x/, regex a /x/)"},

    {"{'a': {'$not': {'$gt': 1}}}", "and(not(and(gt a 1)))"},
    {"{'a': {'$not': {'$gt': 1, '$lt': 5}}}", "and(not(and(gt a 1, lt a 5)))"},
    {"{'a': {'$not': {'$not': {'$gt': 1}}}}", "and(not(and(not(and(gt a 1)))))"},
    {"{'a': {'$not': {'$regularExpression': {'pattern': 'x', 'options': ''}}}}",
     "and(not(regex a /x/))"},
    {"{'a': {'$not': {'$options': 'i', '$regex': 'x'}}}", "and(not(and(regex a /x/i)))"},

    {"{'a': {'$all': []}}", "and(false)"},
    {"{'a': {'$all': [1, null, {}, [2]]}}", "and(and(eq a 1, eq a t0a, eq a t03, eq a t04))"},
    {"{'a': {'$all': [{'$regularExpression': {'pattern': 'x', 'options': ''}}]}}",
     "and(and(regex a /x/))"},
    {"{'a': {'$all': [{'$foo': 1}, {'$not': 1}, {'$or': 1}, {'$where': 1}, {'$id': 1}]}}",
     "and(and(eq a t03, eq a t03, eq a t03, eq a t03, eq a t03))"},
    {"{'a': {'$all': [{'$elemMatch': {'b': 1}}, {'$elemMatch': {'$gt': 1}, 'q': 1}]}}",
     "and(and(element a(and(eq b 1)), elementValue a(gt - 1)))"},
    {"{'a': {'$all': [{'q': 1, '$elemMatch': 1}]}}", "and(and(eq a t03))"},

    {"{'a': {'$elemMatch': {}}}", "and(element a(and))"},
    {"{'a': {'$elemMatch': {'b': 1, 'c': {'$gt': 2}}}}", "and(element a(and(eq b 1, gt c 2)))"},
    {"{'a': {'$elemMatch': {'$gt': 1, '$ne': 3, '$in': [4]}}}",
     "and(elementValue a(gt - 1, not(eq - 3), in - 4))"},
    {"{'a': {'$elemMatch': {'$not': {'$gt': 1}}}}", "and(elementValue a(not(and(gt - 1))))"},
    {"{'a': {'$elemMatch': {'$or': [{'b': 1}]}}}", "and(element a(and(or(and(eq b 1)))))"},
    {"{'a': {'$elemMatch': {'$ref': 'c'}}}", "and(element a(and(eq $ref 'c')))"},
    {"{'a': {'$elemMatch': {'$comment': 1}}}", "and(element a(and))"},
    {"{'a': {'$elemMatch': {'$alwaysTrue': 1}}}", "and(element a(and(true)))"},
    {"{'a': {'$elemMatch': {'$elemMatch': {'b': 1}}}}",
     "and(elementValue a(element -(and(eq b 1))))"},

    {"{'$or': [{'a': 1}, {'b': 2, 'c': 3}]}", "and(or(and(eq a 1), and(eq b 2, eq c 3)))"},
    {"{'$and': [{}, {'a': 1}], '$nor': [{'b': 1}]}",
     "and(and(and, and(eq a 1)), nor(and(eq b 1)))"},
    {"{'$comment': {'$foo': 1}, 'a': 1}", "and(eq a 1)"},
    {"{'$alwaysTrue': 1, '$alwaysFalse': {'$numberDecimal': '1.0'}}", "and(true, false)"},
    {"{'$where': 'true'}", "and(other)"},
    {"{'$where': {'$code': 'true'}}", "and(other)"},
    {"{'$expr': 1}", "and(other)"},
    {"{'$expr': {'a': [1, 'x']}}", "and(other)"},
    {"{'$sampleRate': 0.5}", "and(other)"},
    {"{'$sampleRate': {'$numberDecimal': '1.0000000000000000000000001'}}", "and(other)"},
    {"{'$jsonSchema': {}}", "and"},
};

static sp_node_t *parse(sp_arena_t *arena, const bson_t *filter, sp_error_t *error)
{
    *error = (sp_error_t){0};
    return sp_filter_parse(arena, version, filter, error);
}

static void test_shapes(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(shapes); i++) {
        sp_arena_t arena;
        sp_error_t error;
        bson_t *filter = sp_doc_from(shapes[i].filter);
        sp_arena_init(&arena);
        sp_node_t *root = parse(&arena, filter, &error);
        if (root == NULL)
            fail_msg("%s: %s", shapes[i].filter, error.message);
        bson_string_t *tree = bson_string_new(NULL);
        write_node(root, tree);
        if (strcmp(tree->str, shapes[i].tree) != 0)
            fail_msg("%s is\n%s, not\n%s", shapes[i].filter, tree->str, shapes[i].tree);
        bson_string_free(tree, true);
        sp_arena_clear(&arena);
        bson_destroy(filter);
    }
}

#define REGEX(pattern, options)                                                                    \
    "{'$regularExpression': {'pattern': '" pattern "', 'options': '" options "'}}"

static const struct refusal {
    const char *filter;
    int32_t code;
} refusals[] = {
    /* the top level */
    {"{'$foo': 1}", 2},
    {"{'$': 1}", 2},
    {"{'$a.b': 1}", 2},
    {"{'$id.a': 1}", 2},
    {"{'$gt': 1}", 2},
    {"{'$not': {'a': 1}}", 2},
    {"{'$regex': 'x'}", 2},
    {"{'$near': 1}", 2},
    {"{'$or': []}", 2},
    {"{'$and': []}", 2},
    {"{'$nor': []}", 2},
    {"{'$or': {}}", 2},
    {"{'$or': 1}", 2},
    {"{'$or': [1]}", 2},
    {"{'$or': [{'a': 1}, [{'a': 1}]]}", 2},
    {"{'$or': [" REGEX("x", "") "]}", 2},
    {"{'$and': [{'$or': []}]}", 2},
    {"{'a': 1, '$and': [{'$foo': 1}]}", 2},
    {"{'$id': {'$undefined': true}}", 2},
    {"{'$where': ''}", 2},
    {"{'$where': 1}", 2},
    {"{'$where': null}", 2},
    {"{'$where': {'$symbol': 'true'}}", 2},
    {"{'$where': {'$code': 'true', '$scope': {}}}", 4649201},
    {"{'$text': 1}", 2},
    {"{'$jsonSchema': 1}", 14},
    {"{'$jsonSchema': []}", 14},
    {"{'$sampleRate': 'a'}", 2},
    {"{'$sampleRate': true}", 2},
    {"{'$sampleRate': -0.1}", 2},
    {"{'$sampleRate': 1.1}", 2},
    {"{'$sampleRate': {'$numberDouble': 'NaN'}}", 2},
    {"{'$sampleRate': {'$numberDecimal': 'NaN'}}", 2},
    {"{'$sampleRate': {'$numberDecimal': '1.00000000000000012'}}", 2},
    {"{'$alwaysTrue': 2}", 9},
    {"{'$alwaysTrue': 1.5}", 9},
    {"{'$alwaysTrue': 'x'}", 9},
    {"{'$alwaysTrue': true}", 9},
    {"{'$alwaysFalse': 0}", 9},
    {"{'$alwaysFalse': {'$numberLong': '4294967297'}}", 9},
    /* operators of a path */
    {"{'a': {'$undefined': true}}", 2},
    {"{'a': {'$foo': 1}}", 2},
    {"{'a': {'$': 1}}", 2},
    {"{'a': {'$GT': 1}}", 2},
    {"{'a': {'$gt': 1, 'b': 1}}", 2},
    {"{'a': {'$ref': 'c'}}", 2},
    {"{'a': {'$id': 1}}", 2},
    {"{'a': {'$db': 'd', '$gt': 1}}", 2},
    {"{'a': {'$comment': 1}}", 2},
    {"{'a': {'$or': [{'b': 1}]}}", 2},
    {"{'a': {'$where': 'true'}}", 2},
    {"{'a': {'$expr': 1}}", 2},
    {"{'a': {'$alwaysTrue': 1}}", 2},
    {"{'a': {'$maxDistance': 1}}", 2},
    {"{'a': {'$eq': {'$undefined': true}}}", 2},
    {"{'a': {'$ne': {'$undefined': true}}}", 2},
    {"{'a': {'$gt': {'$undefined': true}}}", 2},
    {"{'a': {'$gte': " REGEX("x", "") "}}", 2},
    {"{'a': {'$gt': " REGEX("x", "") "}}", 2},
    {"{'a': {'$lt': " REGEX("x", "") "}}", 2},
    {"{'a': {'$lte': " REGEX("x", "") "}}", 2},
    {"{'a': {'$ne': " REGEX("x", "") "}}", 2},
    {"{'a': {'$in': 1}}", 2},
    {"{'a': {'$in': {}}}", 2},
    {"{'a': {'$nin': null}}", 2},
    {"{'a': {'$in': [{'$gt': 1}]}}", 2},
    {"{'a': {'$in': [{'$foo': 1}]}}", 2},
    {"{'a': {'$in': [{'$id': 1}]}}", 2},
    {"{'a': {'$in': [{'$undefined': true}]}}", 2},
    {"{'a': {'$nin': [1, " REGEX("(", "") "]}}", 51091},
    {"{'a': {'$in': [" REGEX("x", "q") "]}}", 51108},
    /* $type */
    {"{'a': {'$type': []}}", 9},
    {"{'a': {'$type': 0}}", 2},
    {"{'a': {'$type': 20}}", 2},
    {"{'a': {'$type': -2}}", 2},
    {"{'a': {'$type': 255}}", 2},
    {"{'a': {'$type': 1.5}}", 2},
    {"{'a': {'$type': {'$numberDecimal': '1.00000000000000000000001'}}}", 2},
    {"{'a': {'$type': {'$numberDouble': 'NaN'}}}", 2},
    {"{'a': {'$type': {'$numberLong': '4294967298'}}}", 2},
    {"{'a': {'$type': 'foo'}}", 2},
    {"{'a': {'$type': ''}}", 2},
    {"{'a': {'$type': 'Number'}}", 2},
    {"{'a': {'$type': 'number\\u0000'}}", 2},
    {"{'a': {'$type': 'missing'}}", 2},
    {"{'a': {'$type': null}}", 14},
    {"{'a': {'$type': true}}", 14},
    {"{'a': {'$type': {}}}", 14},
    {"{'a': {'$type': [[1]]}}", 14},
    {"{'a': {'$type': ['foo', null]}}", 2},
    {"{'a': {'$type': [null, 'foo']}}", 14},
    /* $mod */
    {"{'a': {'$mod': 1}}", 2},
    {"{'a': {'$mod': {}}}", 2},
    {"{'a': {'$mod': []}}", 2},
    {"{'a': {'$mod': [3]}}", 2},
    {"{'a': {'$mod': [3, 1, 1]}}", 2},
    {"{'a': {'$mod': [0, 1]}}", 2},
    {"{'a': {'$mod': [0.9, 1]}}", 2},
    {"{'a': {'$mod': [{'$numberDecimal': '-0.9'}, 1]}}", 2},
    {"{'a': {'$mod': ['3', 1]}}", 2},
    {"{'a': {'$mod': [3, null]}}", 2},
    {"{'a': {'$mod': [3, true]}}", 2},
    {"{'a': {'$mod': [{'$numberDouble': 'NaN'}, 1]}}", 2},
    {"{'a': {'$mod': [3, {'$numberDouble': 'Infinity'}]}}", 2},
    {"{'a': {'$mod': [3, {'$numberDecimal': '-Infinity'}]}}", 2},
    {"{'a': {'$mod': [{'$numberDouble': '9223372036854775808.0'}, 1]}}", 2},
    {"{'a': {'$mod': [3, {'$numberDecimal': '9223372036854775808'}]}}", 2},
    {"{'a': {'$mod': [3, {'$numberDecimal': '-9223372036854775809'}]}}", 2},
    /* $size */
    {"{'a': {'$size': -1}}", 2},
    {"{'a': {'$size': 1.5}}", 2},
    {"{'a': {'$size': '1'}}", 2},
    {"{'a': {'$size': null}}", 2},
    {"{'a': {'$size': true}}", 2},
    {"{'a': {'$size': {'$numberLong': '2147483648'}}}", 2},
    {"{'a': {'$size': {'$numberDecimal': '2.2'}}}", 2},
    {"{'a': {'$size': {'$numberDouble': 'NaN'}}}", 2},
    /* bits: numbers answer with another code than positions */
    {"{'a': {'$bitsAllSet': -1}}", 9},
    {"{'a': {'$bitsAnySet': 1.5}}", 9},
    {"{'a': {'$bitsAllClear': {'$numberDouble': 'NaN'}}}", 9},
    {"{'a': {'$bitsAnyClear': {'$numberDecimal': '9223372036854775808'}}}", 9},
    {"{'a': {'$bitsAllSet': 'x'}}", 2},
    {"{'a': {'$bitsAllSet': {}}}", 2},
    {"{'a': {'$bitsAllSet': [-1]}}", 2},
    {"{'a': {'$bitsAllSet': [1.5]}}", 2},
    {"{'a': {'$bitsAllSet': ['x']}}", 2},
    {"{'a': {'$bitsAllSet': [{'$numberLong': '2147483648'}]}}", 2},
    /* regular expressions */
    {"{'a': " REGEX("(", "") "}", 51091},
    {"{'a': " REGEX("x\\\\Q", "") "}", 51091},
    {"{'a': " REGEX("x#", "x") "}", 51091},
    {"{'a': " REGEX("x", "q") "}", 51108},
    {"{'a': " REGEX("x", "l") "}", 51108},
    {"{'a': {'$regex': '('}}", 51091},
    {"{'a': {'$regex': '*'}}", 51091},
    {"{'a': {'$regex': {'$raw': {'type': '02', 'base64': 'AgAAAP8A'}}}}", 51091},
    {"{'a': {'$regex': 1}}", 2},
    {"{'a': {'$regex': null}}", 2},
    {"{'a': {'$regex': 'x\\u0000'}}", 2},
    {"{'a': {'$regex': 'x\\u0000', '$options': 'q'}}", 51108},
    {"{'a': {'$regex': '(', '$options': 'q'}}", 51108},
    {"{'a': {'$regex': 'x', '$options': 'g'}}", 51108},
    {"{'a': {'$regex': 'x', '$options': 'i\\u0000'}}", 51108},
    {"{'a': {'$regex': 'x', '$options': 1}}", 2},
    {"{'a': {'$options': 'i'}}", 2},
    {"{'a': {'$options': 'i', '$gt': 1}}", 2},
    {"{'a': {'$regex': " REGEX("x", "i") ", '$options': 'i'}}", 51075},
    {"{'a': {'$regex': " REGEX("x", "i") ", '$options': ''}}", 51075},
    {"{'a': {'$regex': " REGEX("x", "i") ", '$options': 1}}", 2},
    {"{'a': {'$options': 'i', '$regex': " REGEX("x", "i") "}}", 51074},
    {"{'a': {'$options': 'i', '$options': 'm', '$regex': 'x'}}", 51075},
    {"{'a': {'$regex': " REGEX("x", "i") ", '$regex': " REGEX("y", "i") "}}", 51074},
    /* $regex gathers what stands behind it before that is looked at, $options does not */
    {"{'a': {'$regex': 'x', '$type': [], '$options': 'q'}}", 51108},
    {"{'a': {'$options': 'q', '$type': [], '$regex': 'x'}}", 9},
    /* $not */
    {"{'a': {'$not': 1}}", 2},
    {"{'a': {'$not': []}}", 2},
    {"{'a': {'$not': {}}}", 2},
    {"{'a': {'$not': {'b': 1}}}", 2},
    {"{'a': {'$not': {'$foo': 1}}}", 2},
    {"{'a': {'$not': {'$ref': 'c', '$id': 1}}}", 2},
    {"{'a': {'$not': {'$type': []}}}", 9},
    {"{'a': {'$not': " REGEX("(", "") "}}", 51091},
    /* $all */
    {"{'a': {'$all': 1}}", 2},
    {"{'a': {'$all': {}}}", 2},
    {"{'a': {'$all': [{'$gt': 1}]}}", 2},
    {"{'a': {'$all': [1, {'$options': 1}]}}", 2},
    {"{'a': {'$all': [{'$near': 1}]}}", 2},
    {"{'a': {'$all': [1, {'$elemMatch': {'b': 1}}]}}", 2},
    {"{'a': {'$all': [{'$elemMatch': {'b': 1}}, 1]}}", 2},
    {"{'a': {'$all': [{'$elemMatch': {'b': 1}}, {}]}}", 2},
    {"{'a': {'$all': [{'$elemMatch': {'b': 1}}, {'$gt': 1}]}}", 2},
    {"{'a': {'$all': [{'$elemMatch': 1}]}}", 2},
    {"{'a': {'$all': [{'$elemMatch': {'b': {'$type': []}}}]}}", 9},
    {"{'a': {'$all': [{'$undefined': true}]}}", 2},
    {"{'a': {'$all': [" REGEX("(", "") "]}}", 51091},
    /* $elemMatch */
    {"{'a': {'$elemMatch': 1}}", 2},
    {"{'a': {'$elemMatch': []}}", 2},
    {"{'a': {'$elemMatch': {'$gt': 1, 'b': 1}}}", 2},
    {"{'a': {'$elemMatch': {'b': 1, '$gt': 1}}}", 2},
    {"{'a': {'$elemMatch': {'$or': [{'b': 1}], '$gt': 1}}}", 2},
    {"{'a': {'$elemMatch': {'$gt': 1, '$or': [{'b': 1}]}}}", 2},
    {"{'a': {'$elemMatch': {'$foo': 1}}}", 2},
    {"{'a': {'$elemMatch': {'$where': 'true'}}}", 2},
    {"{'a': {'$elemMatch': {'$or': [{'$where': 'true'}]}}}", 2},
    {"{'a': {'$elemMatch': {'b': 1, '$expr': 1}}}", 2},
    {"{'a': {'$elemMatch': {'$sampleRate': 1}}}", 2},
    {"{'a': {'$elemMatch': {'$text': {'$search': 'x'}}}}", 2},
    {"{'a': {'$elemMatch': {'$jsonSchema': 1}}}", 14},
    {"{'a': {'$elemMatch': {'$type': true, '$db': 1}}}", 2},
    {"{'a': {'$elemMatch': {'$type': true}}}", 14},
    /* the first fault counts */
    {"{'$or': [{'a': {'$type': []}}, 1]}", 9},
    {"{'$or': [1, {'a': {'$type': []}}]}", 2},
    {"{'a': " REGEX("(", "") ", 'b': {'$type': []}}", 51091},
};

static void check_refused(const char *text, sp_error_domain_t domain, int32_t code)
{
    sp_arena_t arena;
    sp_error_t error;
    bson_t *filter = sp_doc_from(text);
    sp_arena_init(&arena);
    if (parse(&arena, filter, &error) != NULL)
        fail_msg("%s is taken", text);
    if (error.domain != domain || error.code != code || error.message[0] == '\0')
        fail_msg("%s: domain %d, code %d, '%s'", text, (int)error.domain, (int)error.code,
                 error.message);
    assert_null(sp_filter_parse(&arena, version, filter, NULL));
    sp_arena_clear(&arena);
    bson_destroy(filter);
}

static void test_refusals(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(refusals); i++)
        check_refused(refusals[i].filter, SP_ERROR_RULE, refusals[i].code);
}

static void test_not_known(void **state)
{
    (void)state;
    static const char *const filters[] = {
        "{'$text': {'$search': 'x'}}",
        "{'a': {'$near': [1, 1]}}",
        "{'a': {'$geoWithin': {'$box': [[0, 0], [1, 1]]}}}",
        "{'a': {'$elemMatch': {'$geoIntersects': 1}}}",
        "{'a': {'$_internalExprEq': 1}}",
        "{'$_internalSchemaMinProperties': 1}",
        "{'a': {'$all': [{'$_internalExprEq': 1}]}}",
        /* these bound shard keys, or may be refused */
        "{'$expr': {'$eq': ['$x', 5]}}",
        "{'$expr': '$x'}",
        "{'$expr': {'a.b': 1}}",
        "{'$expr': ['$x']}",
        "{'$jsonSchema': {'required': ['x']}}",
    };
    for (size_t i = 0; i < COUNT(filters); i++)
        check_refused(filters[i], SP_ERROR_INPUT, 0);
}

/* {a: {$not: {$not: … {$gt: 1}}}}, `depth` objects inside each other. */
static bson_t *nested_nots(unsigned depth)
{
    bson_t *inner = bson_new();
    bson_append_int32(inner, "$gt", -1, 1);
    for (unsigned i = 2; i < depth; i++) {
        bson_t *outer = bson_new();
        bson_append_document(outer, "$not", -1, inner);
        bson_destroy(inner);
        inner = outer;
    }
    bson_t *filter = bson_new();
    bson_append_document(filter, "a", -1, inner);
    bson_destroy(inner);
    return filter;
}

/* A server looks no deeper than a document may be nested. */
static void test_deep(void **state)
{
    (void)state;
    sp_arena_t arena;
    sp_error_t error = {0};
    bson_t *filter = nested_nots(SP_DEPTH_MAX);
    assert_true(sp_document_check(filter, NULL));
    sp_arena_init(&arena);
    const sp_node_t *node = parse(&arena, filter, &error);
    unsigned nots = 0;
    while (node != NULL && node->child_count == 1) {
        nots += node->kind == SP_NODE_NOT;
        node = node->children[0];
    }
    assert_true(node != NULL && node->kind == SP_NODE_GT);
    assert_int_equal(nots, SP_DEPTH_MAX - 2);
    sp_arena_clear(&arena);
    bson_destroy(filter);
}

/* More values than the arena holds in itself, and than the first arrays of a node. */
static void test_wide(void **state)
{
    (void)state;
    sp_arena_t arena;
    sp_error_t error;
    bson_t filter = BSON_INITIALIZER, in = BSON_INITIALIZER, values = BSON_INITIALIZER;
    for (int i = 0; i < 5000; i++) {
        char key[16];
        snprintf(key, sizeof key, "%d", i);
        bson_append_int32(&values, key, -1, i);
    }
    bson_append_array(&in, "$in", -1, &values);
    bson_append_document(&filter, "a", -1, &in);
    sp_arena_init(&arena);
    const sp_node_t *root = parse(&arena, &filter, &error);
    assert_non_null(root);
    assert_int_equal(root->children[0]->value_count, 5000);
    assert_int_equal(sp_value_int32(&root->children[0]->values[4999]), 4999);
    sp_arena_clear(&arena);
    bson_destroy(&values);
    bson_destroy(&in);
    bson_destroy(&filter);
}

static int32_t regex_code(const char *part, unsigned times)
{
    sp_arena_t arena;
    sp_error_t error;
    bson_t filter = BSON_INITIALIZER;
    bson_string_t *pattern = bson_string_new(NULL);
    for (unsigned i = 0; i < times; i++)
        bson_string_append(pattern, part);
    bson_append_regex(&filter, "a", -1, pattern->str, "");
    sp_arena_init(&arena);
    bool ok = parse(&arena, &filter, &error) != NULL;
    int32_t code = error.code;
    assert_int_equal(ok, code == 0);
    sp_arena_clear(&arena);
    bson_string_free(pattern, true);
    bson_destroy(&filter);
    return code;
}

/* The longest patterns that a server was seen to take, and one longer each. */
static void test_regex_size(void **state)
{
    (void)state;
    assert_int_equal(regex_code("x", 32761), 0);
    assert_int_equal(regex_code("x", 32762), 51091);
    assert_int_equal(regex_code("(a)", 6552), 0);
    assert_int_equal(regex_code("(a)", 6553), 51091);
}

static void test_regex_syntax(void **state)
{
    (void)state;
    /* PCRE2 takes the first three. */
    static const char *const faulty[] = {"\\\\N{U+41}", "(*sr:x)", "(?^:x)", "a**", "[z-a]"};
    static const char *const fine[] = {"[[:<:]]x", "(*UCP)x", "(?<n>a)\\\\k<n>", "x{,3}", "(?xx)"};
    char text[128];
    for (size_t i = 0; i < COUNT(faulty); i++) {
        snprintf(text, sizeof text, "{'a': {'$regex': '%s'}}", faulty[i]);
        check_refused(text, SP_ERROR_RULE, 51091);
    }
    for (size_t i = 0; i < COUNT(fine); i++) {
        sp_arena_t arena;
        sp_error_t error;
        snprintf(text, sizeof text, "{'a': {'$regex': '%s'}}", fine[i]);
        bson_t *filter = sp_doc_from(text);
        sp_arena_init(&arena);
        if (parse(&arena, filter, &error) == NULL)
            fail_msg("%s: %s", text, error.message);
        sp_arena_clear(&arena);
        bson_destroy(filter);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shapes),       cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_not_known),    cmocka_unit_test(test_deep),
        cmocka_unit_test(test_wide),         cmocka_unit_test(test_regex_size),
        cmocka_unit_test(test_regex_syntax),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
