#include "bounds.h"
#include "number.h"
#include "order.h"
#include "regex_prefix.h"
#include "type_range.h"

#include <assert.h>
#include <string.h>

typedef struct builder {
    sp_arena_t *arena;
    sp_hasher_t *hasher; /* NULL: the field is not hashed */
    sp_version_t version;
    sp_intervals_t *out;
} builder_t;

static void add(const builder_t *builder, const sp_value_t *start, const sp_value_t *end,
                bool start_in, bool end_in)
{
    sp_intervals_add(builder->arena, builder->out,
                     &(sp_interval_t){*start, *end, start_in, end_in});
}

static void add_point(const builder_t *builder, const sp_value_t *value)
{
    add(builder, value, value, true, true);
}

/* The value as it stands in the index. */
static void add_indexed(const builder_t *builder, const sp_value_t *value)
{
    if (builder->hasher == NULL) {
        add_point(builder, value);
        return;
    }
    uint64_t hash = BSON_UINT64_TO_LE((uint64_t)sp_hash_value(builder->hasher, value));
    uint8_t *data = sp_arena_take(builder->arena, sizeof hash);
    memcpy(data, &hash, sizeof hash);
    add_point(builder, &(sp_value_t){BSON_TYPE_INT64, sizeof hash, data});
}

static void add_null(const builder_t *builder, bool undefined_too)
{
    static const sp_value_t null_value = {BSON_TYPE_NULL, 0, (const uint8_t *)""};
    static const sp_value_t undefined = {BSON_TYPE_UNDEFINED, 0, (const uint8_t *)""};
    if (undefined_too)
        add_indexed(builder, &undefined);
    add_indexed(builder, &null_value);
}

/* What stands in an index for an array: its elements. MinKey stands for having none in comparisons,
 * undefined in equality. */
static sp_value_t first_element(const sp_value_t *array, bson_type_t where_empty)
{
    bson_iter_t iter;
    if (sp_value_children(array, &iter) && bson_iter_next(&iter))
        return sp_value_of(&iter);
    return (sp_value_t){where_empty, 0, (const uint8_t *)""};
}

/* Arrays are looked up as they are and by their first element, and neither is hashed, not even for
 * a hashed field. */
static void add_equality(const builder_t *builder, const sp_value_t *value)
{
    if (value->type == BSON_TYPE_NULL) {
        add_null(builder, true);
    } else if (value->type == BSON_TYPE_ARRAY) {
        sp_value_t first = first_element(value, BSON_TYPE_UNDEFINED);
        add_point(builder, &first);
        add_point(builder, value);
    } else {
        add_indexed(builder, value);
    }
}

static void add_array_comparison(const builder_t *builder, const sp_node_t *node)
{
    sp_interval_t all = sp_type_bracket(BSON_TYPE_MINKEY);
    sp_value_t first = first_element(&node->value, BSON_TYPE_MINKEY);
    if (first.type == BSON_TYPE_ARRAY && sp_version_has(builder->version, SP_ARRAYS_BOUND_BY_TYPE))
        first = node->value;
    bool first_is_less = sp_value_compare(&first, &node->value) < 0;
    if (node->kind == SP_NODE_LT || node->kind == SP_NODE_LTE)
        add(builder, &all.start, first_is_less ? &node->value : &first, true, true);
    else
        add(builder, first_is_less ? &first : &node->value, &all.end, true, true);
}

static void add_comparison(const builder_t *builder, const sp_node_t *node)
{
    const sp_value_t *value = &node->value;
    bool less = node->kind == SP_NODE_LT || node->kind == SP_NODE_LTE;
    bool or_equal = node->kind == SP_NODE_LTE || node->kind == SP_NODE_GTE;
    sp_interval_t bracket = sp_type_bracket(value->type);
    if (value->type == BSON_TYPE_ARRAY) {
        add_array_comparison(builder, node);
    } else if (value->type == BSON_TYPE_NULL) {
        if (or_equal)
            add_null(builder, true);
    } else if (sp_number_is_nan(value)) {
        if (or_equal)
            add_point(builder, value);
    } else if (less) {
        add(builder, &bracket.start, value, bracket.start_in, or_equal);
    } else {
        add(builder, value, &bracket.end, or_equal, bracket.end_in);
    }
}

static sp_value_t text_value(sp_arena_t *arena, const char *text, size_t size)
{
    uint8_t *data = sp_arena_take(arena, size + 5);
    uint32_t size_le = BSON_UINT32_TO_LE((uint32_t)size + 1);
    memcpy(data, &size_le, sizeof size_le);
    memcpy(data + 4, text, size);
    return (sp_value_t){BSON_TYPE_UTF8, (uint32_t)size + 5, data};
}

static sp_value_t regex_value(sp_arena_t *arena, const sp_regex_t *regex)
{
    size_t pattern_size = strlen(regex->pattern) + 1, options_size = strlen(regex->options) + 1;
    uint8_t *data = sp_arena_take(arena, pattern_size + options_size);
    memcpy(data, regex->pattern, pattern_size);
    memcpy(data + pattern_size, regex->options, options_size);
    return (sp_value_t){BSON_TYPE_REGEX, (uint32_t)(pattern_size + options_size), data};
}

/* The strings with the prefix, or all; and the expression itself, which may be stored. */
static void add_regex(const builder_t *builder, const sp_regex_t *regex)
{
    const char *prefix = sp_regex_prefix(builder->arena, regex);
    size_t size = strlen(prefix);
    sp_interval_t texts = sp_type_range(BSON_TYPE_UTF8);
    if (size > 0) {
        char *next = sp_arena_text(builder->arena, prefix, size);
        next[size - 1]++; /* no byte of a pattern is 0xff */
        texts.start = text_value(builder->arena, prefix, size);
        texts.end = text_value(builder->arena, next, size);
    }
    sp_intervals_add(builder->arena, builder->out, &texts);
    sp_value_t itself = regex_value(builder->arena, regex);
    add_point(builder, &itself);
}

static void add_types(const builder_t *builder, const sp_node_t *node)
{
    for (unsigned i = 0; i < node->type_count; i++) {
        if (node->types[i] == BSON_TYPE_ARRAY) {
            sp_intervals_set_everything(builder->arena, builder->out);
            return;
        }
        sp_interval_t range = sp_type_range(node->types[i]);
        sp_intervals_add(builder->arena, builder->out, &range);
    }
    if (node->type_number) {
        sp_interval_t range = sp_type_range(BSON_TYPE_DOUBLE);
        sp_intervals_add(builder->arena, builder->out, &range);
    }
}

static void add_in(const builder_t *builder, const sp_node_t *node)
{
    for (unsigned i = 0; i < node->value_count; i++)
        add_equality(builder, &node->values[i]);
    for (unsigned i = 0; i < node->regex_count; i++)
        add_regex(builder, &node->regexes[i]);
}

static void add_negation(const builder_t *builder, const sp_node_t *child)
{
    if (child->kind == SP_NODE_EXISTS) {
        add_null(builder, false);
        return;
    }
    sp_intervals_of(builder->arena, builder->hasher, builder->version, child, builder->out);
    sp_intervals_complement(builder->arena, builder->out);
}

static void add_elements(const builder_t *builder, const sp_node_t *node)
{
    sp_intervals_set_everything(builder->arena, builder->out);
    for (unsigned i = 0; i < node->child_count; i++) {
        sp_intervals_t child = {0};
        sp_intervals_of(builder->arena, builder->hasher, builder->version, node->children[i],
                        &child);
        sp_intervals_intersect(builder->arena, builder->out, &child);
    }
}

void sp_intervals_of(sp_arena_t *arena, sp_hasher_t *hasher, sp_version_t version,
                     const sp_node_t *predicate, sp_intervals_t *intervals)
{
    const builder_t builder = {arena, hasher, version, intervals};
    intervals->count = 0;
    switch (predicate->kind) {
    case SP_NODE_EQ:
        add_equality(&builder, &predicate->value);
        break;
    case SP_NODE_LT:
    case SP_NODE_LTE:
    case SP_NODE_GT:
    case SP_NODE_GTE:
        add_comparison(&builder, predicate);
        break;
    case SP_NODE_IN:
        add_in(&builder, predicate);
        break;
    case SP_NODE_REGEX:
        add_regex(&builder, &predicate->regexes[0]);
        break;
    case SP_NODE_TYPE:
        add_types(&builder, predicate);
        break;
    case SP_NODE_MOD: {
        sp_interval_t numbers = sp_type_range(BSON_TYPE_DOUBLE);
        sp_intervals_add(arena, intervals, &numbers);
        break;
    }
    case SP_NODE_NOT:
        add_negation(&builder, predicate->children[0]);
        break;
    case SP_NODE_ELEM_MATCH_VALUE:
        add_elements(&builder, predicate);
        break;
    default:
        assert(predicate->kind == SP_NODE_EXISTS && "no other predicate is looked up in an index");
        sp_intervals_set_everything(arena, intervals);
        break;
    }
    sp_intervals_settle(intervals);
}
