#include "gen_filter_parts.h"

#include "../oracles/order.h"
#include "gen_value.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

/* Of values that are equal under a collation a server keeps one, and in lists up to this long the
 * first. In longer ones its sort decides, which the model does not know; whether that matters
 * depends on symbols, so they stay out. */
enum { KEEPS_FIRST_MAX = 16 };

enum { LIST_MAX = 64, LIST_SIZE_MAX = 2048, NESTED_OPERATORS_MAX = 2 };

static void append_compared(sp_filter_draw_t *draw, unsigned field, bson_t *expression)
{
    static const char *const names[] = {"$gt", "$gte", "$lt", "$lte"};
    const char *name = names[sp_draw_below(draw->producer, 4)];
    sp_gen_operand(draw, field, SP_OPERAND_COMPARED, expression, name);
}

/* From both sides, seldom the wrong way round. */
static void append_range(sp_filter_draw_t *draw, unsigned field, bson_t *expression)
{
    bson_t low = BSON_INITIALIZER, high = BSON_INITIALIZER;
    sp_gen_operand(draw, field, SP_OPERAND_COMPARED, &low, "");
    sp_value_t low_value = sp_only_value(&low);
    if (sp_draw_one_in(draw->producer, 5))
        sp_value_append(&high, "", &low_value);
    else
        sp_gen_operand(draw, field, SP_OPERAND_COMPARED, &high, "");
    sp_value_t high_value = sp_only_value(&high);
    if (sp_value_compare(&low_value, &high_value) > 0 && !sp_draw_one_in(draw->producer, 8)) {
        sp_value_t kept = low_value;
        low_value = high_value;
        high_value = kept;
    }
    const char *low_name = sp_draw_one_in(draw->producer, 2) ? "$gt" : "$gte";
    const char *high_name = sp_draw_one_in(draw->producer, 2) ? "$lte" : "$lt";
    sp_value_append(expression, low_name, &low_value);
    sp_value_append(expression, high_name, &high_value);
    bson_destroy(&low);
    bson_destroy(&high);
}

static uint32_t draw_list_count(sp_filter_draw_t *draw)
{
    if (!draw->list_drawn && sp_draw_one_in(draw->producer, 10)) {
        draw->list_drawn = true;
        return 5 + sp_draw_below(draw->producer, LIST_MAX - 4);
    }
    return sp_draw_below(draw->producer, 5);
}

static void append_element(sp_filter_draw_t *draw, unsigned field, bool no_symbols, bson_t *list,
                           const char *index)
{
    bson_t one = BSON_INITIALIZER;
    bson_iter_t iter;
    sp_gen_operand(draw, field, SP_OPERAND_BARE, &one, index);
    bool found = bson_iter_init_find(&iter, &one, index);
    assert(found);
    sp_value_t value = sp_value_of(&iter);
    if (no_symbols && value.type == BSON_TYPE_SYMBOL)
        value.type = BSON_TYPE_UTF8;
    sp_value_append(list, index, &value);
    bson_destroy(&one);
}

static void append_list(sp_filter_draw_t *draw, unsigned field, bson_t *expression,
                        const char *name)
{
    bson_t list;
    BSON_APPEND_ARRAY_BEGIN(expression, name, &list);
    uint32_t count = draw_list_count(draw);
    for (uint32_t i = 0; i < count && list.len < LIST_SIZE_MAX; i++) {
        char index[16];
        snprintf(index, sizeof index, "%u", i);
        if (sp_draw_one_in(draw->producer, 24))
            sp_gen_regex(draw, field, &list, index);
        else
            append_element(draw, field, count > KEEPS_FIRST_MAX, &list, index);
    }
    bson_append_array_end(expression, &list);
}

static void append_exists(sp_filter_draw_t *draw, bson_t *expression)
{
    switch (sp_draw_below(draw->producer, 10)) {
    case 9:
        BSON_APPEND_NULL(expression, "$exists");
        break;
    case 8:
        BSON_APPEND_UTF8(expression, "$exists", "a");
        break;
    case 7:
        BSON_APPEND_DOUBLE(expression, "$exists", 0.0);
        break;
    case 6:
        BSON_APPEND_INT32(expression, "$exists", (int32_t)sp_draw_below(draw->producer, 2));
        break;
    default:
        BSON_APPEND_BOOL(expression, "$exists", !sp_draw_one_in(draw->producer, 3));
        break;
    }
}

static void append_type_name(sp_filter_draw_t *draw, bson_t *doc, const char *key)
{
    static const char *const names[] = {
        "number",    "double",     "string",    "object",
        "array",     "binData",    "undefined", "objectId",
        "bool",      "date",       "null",      "regex",
        "dbPointer", "javascript", "symbol",    "javascriptWithScope",
        "int",       "timestamp",  "long",      "decimal",
        "minKey",    "maxKey"};
    static const int32_t codes[] = {1,  2,  3,  4,  5,  6,  7,  8,  9,   10, 11,
                                    12, 13, 14, 15, 16, 17, 18, 19, 127, -1};
    uint32_t form = sp_draw_below(draw->producer, 6);
    if (form < 3) {
        const uint32_t count = sizeof names / sizeof *names;
        const char *name = names[sp_draw_below(draw->producer, count)];
        BSON_APPEND_UTF8(doc, key, name);
        return;
    }
    int32_t code = codes[sp_draw_below(draw->producer, sizeof codes / sizeof *codes)];
    if (form == 3)
        BSON_APPEND_INT64(doc, key, code);
    else if (form == 4)
        BSON_APPEND_DOUBLE(doc, key, code);
    else
        BSON_APPEND_INT32(doc, key, code);
}

static void append_type(sp_filter_draw_t *draw, bson_t *expression)
{
    bson_t list;
    if (!sp_draw_one_in(draw->producer, 4)) {
        append_type_name(draw, expression, "$type");
        return;
    }
    BSON_APPEND_ARRAY_BEGIN(expression, "$type", &list);
    uint32_t count = 1 + sp_draw_below(draw->producer, 3);
    for (uint32_t i = 0; i < count; i++) {
        char index[16];
        snprintf(index, sizeof index, "%u", i);
        append_type_name(draw, &list, index);
    }
    bson_append_array_end(expression, &list);
}

static void append_mod(sp_filter_draw_t *draw, bson_t *expression)
{
    bson_t list;
    BSON_APPEND_ARRAY_BEGIN(expression, "$mod", &list);
    int32_t divisor = 1 + (int32_t)sp_draw_below(draw->producer, 5);
    if (sp_draw_one_in(draw->producer, 4))
        BSON_APPEND_DOUBLE(&list, "0", divisor + 0.5);
    else
        BSON_APPEND_INT32(&list, "0", sp_draw_one_in(draw->producer, 8) ? -divisor : divisor);
    BSON_APPEND_INT64(&list, "1", (int64_t)sp_draw_below(draw->producer, 5) - 2);
    bson_append_array_end(expression, &list);
}

static void append_size(sp_filter_draw_t *draw, bson_t *expression)
{
    int32_t size = (int32_t)sp_draw_below(draw->producer, 4);
    uint32_t form = sp_draw_below(draw->producer, 4);
    if (form == 3)
        BSON_APPEND_DOUBLE(expression, "$size", size);
    else if (form == 2)
        BSON_APPEND_INT64(expression, "$size", size);
    else
        BSON_APPEND_INT32(expression, "$size", size);
}

/* As an own type, as text, with options beside it or in it, on either side. */
static void append_regex(sp_filter_draw_t *draw, unsigned field, bson_t *expression)
{
    bson_t one = BSON_INITIALIZER;
    sp_gen_regex(draw, field, &one, "");
    sp_value_t value = sp_only_value(&one);
    const char *pattern = (const char *)value.data;
    const char *options = pattern + strlen(pattern) + 1;
    switch (sp_draw_below(draw->producer, 5)) {
    case 0:
        BSON_APPEND_UTF8(expression, "$regex", pattern);
        if (*options != '\0')
            BSON_APPEND_UTF8(expression, "$options", options);
        break;
    case 1:
        BSON_APPEND_UTF8(expression, "$options", options);
        BSON_APPEND_UTF8(expression, "$regex", pattern);
        break;
    case 2:
        BSON_APPEND_REGEX(expression, "$regex", pattern, "");
        BSON_APPEND_UTF8(expression, "$options", options);
        break;
    case 3:
        BSON_APPEND_UTF8(expression, "$regex", pattern);
        break;
    default:
        sp_value_append(expression, "$regex", &value);
        break;
    }
    bson_destroy(&one);
}

/* Conditions on the element itself, or on fields inside it. */
static void append_elem_match(sp_filter_draw_t *draw, unsigned field, unsigned depth, bson_t *doc)
{
    static const char *const names[] = {"b", "a", "0", "b.c", "x", ""};
    bson_t inner;
    BSON_APPEND_DOCUMENT_BEGIN(doc, "$elemMatch", &inner);
    uint32_t choice = sp_draw_below(draw->producer, 8);
    if (choice < 4 && depth > 0) {
        sp_gen_operators(draw, field, depth - 1, &inner);
    } else if (choice < 7) {
        const char *name = names[sp_draw_below(draw->producer, sizeof names / sizeof *names)];
        sp_gen_operand(draw, field, SP_OPERAND_BARE, &inner, name);
    } else if (depth > 0) {
        sp_gen_clauses(draw, SP_FILTER_DEPTH_MAX, &inner);
    }
    bson_append_document_end(doc, &inner);
}

static void append_all(sp_filter_draw_t *draw, unsigned field, unsigned depth, bson_t *expression)
{
    bson_t list, element;
    if (!sp_draw_one_in(draw->producer, 6)) {
        append_list(draw, field, expression, "$all");
        return;
    }
    BSON_APPEND_ARRAY_BEGIN(expression, "$all", &list);
    uint32_t count = 1 + sp_draw_below(draw->producer, 2);
    for (uint32_t i = 0; i < count; i++) {
        BSON_APPEND_DOCUMENT_BEGIN(&list, i == 0 ? "0" : "1", &element);
        append_elem_match(draw, field, depth, &element);
        bson_append_document_end(&list, &element);
    }
    bson_append_array_end(expression, &list);
}

static void append_not(sp_filter_draw_t *draw, unsigned field, unsigned depth, bson_t *expression)
{
    bson_t inner;
    if (sp_draw_one_in(draw->producer, 6)) {
        sp_gen_regex(draw, field, expression, "$not");
        return;
    }
    BSON_APPEND_DOCUMENT_BEGIN(expression, "$not", &inner);
    if (depth > 0)
        sp_gen_operators(draw, field, depth - 1, &inner);
    else
        append_compared(draw, field, &inner);
    bson_append_document_end(expression, &inner);
}

static void append_operator(sp_filter_draw_t *draw, unsigned field, unsigned depth,
                            bson_t *expression)
{
    switch (sp_draw_below(draw->producer, 32)) {
    case 0:
    case 1:
    case 2:
        sp_gen_operand(draw, field, SP_OPERAND_LITERAL, expression, "$eq");
        break;
    case 3:
    case 4:
    case 5:
    case 6:
    case 7:
        append_list(draw, field, expression, "$in");
        break;
    case 8:
    case 9:
        sp_gen_operand(draw, field, SP_OPERAND_COMPARED, expression, "$ne");
        break;
    case 10:
        append_list(draw, field, expression, "$nin");
        break;
    case 11:
    case 12:
        append_exists(draw, expression);
        break;
    case 13:
    case 14:
    case 15:
        append_type(draw, expression);
        break;
    case 16:
        append_mod(draw, expression);
        break;
    case 17:
        append_size(draw, expression);
        break;
    case 18:
    case 19:
        append_regex(draw, field, expression);
        break;
    case 20:
        append_all(draw, field, depth, expression);
        break;
    case 21:
        append_elem_match(draw, field, depth, expression);
        break;
    case 22:
    case 23:
        append_not(draw, field, depth, expression);
        break;
    case 24:
    case 25:
    case 26:
    case 27:
    case 28:
        append_range(draw, field, expression);
        break;
    default:
        append_compared(draw, field, expression);
        break;
    }
}

void sp_gen_operators(sp_filter_draw_t *draw, unsigned field, unsigned depth, bson_t *expression)
{
    uint32_t count = 1 + (sp_draw_one_in(draw->producer, 6) ? 1 : 0);
    if (sp_draw_one_in(draw->producer, 32))
        count = 4;
    for (uint32_t i = 0; i < count; i++)
        append_operator(draw, field, depth, expression);
}

void sp_gen_predicate(sp_filter_draw_t *draw, const char *path, unsigned field, bson_t *doc)
{
    bson_t expression;
    if (draw->predicates_left > 0)
        draw->predicates_left--;
    uint32_t choice = sp_draw_below(draw->producer, 16);
    if (choice < 3) {
        sp_gen_operand(draw, field, SP_OPERAND_BARE, doc, path);
    } else if (choice == 3) {
        sp_gen_regex(draw, field, doc, path);
    } else {
        BSON_APPEND_DOCUMENT_BEGIN(doc, path, &expression);
        sp_gen_operators(draw, field, NESTED_OPERATORS_MAX, &expression);
        bson_append_document_end(doc, &expression);
    }
}
