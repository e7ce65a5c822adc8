#include "gen_filter_parts.h"

#include "../oracles/storage.h"
#include "gen_value.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { OPERAND_SIZE_MAX = 400 };

sp_value_t sp_only_value(const bson_t *doc)
{
    bson_iter_t iter;
    bool found = bson_iter_init(&iter, doc) && bson_iter_next(&iter);
    assert(found);
    return sp_value_of(&iter);
}

static const char *first_name(const sp_value_t *value)
{
    bson_iter_t iter;
    if (value->type != BSON_TYPE_DOCUMENT || !sp_value_children(value, &iter) ||
        !bson_iter_next(&iter))
        return "";
    return bson_iter_key(&iter);
}

bool sp_operand_is_plain(const sp_value_t *value)
{
    return value->type != BSON_TYPE_REGEX && value->type != BSON_TYPE_UNDEFINED &&
           first_name(value)[0] != '$';
}

static bool holds_dollar_scope(const sp_value_t *value)
{
    bson_iter_t iter;
    if (value->type == BSON_TYPE_CODEWSCOPE && sp_storage_holds_dollar_name(value))
        return true;
    if (!sp_value_has_children(value) || !sp_value_children(value, &iter))
        return false;
    while (bson_iter_next(&iter)) {
        sp_value_t child = sp_value_of(&iter);
        if (holds_dollar_scope(&child))
            return true;
    }
    return false;
}

static bool is_refused(const sp_value_t *value, sp_operand_use_t use)
{
    if (value->type == BSON_TYPE_UNDEFINED)
        return true;
    return (use == SP_OPERAND_COMPARED && value->type == BSON_TYPE_REGEX) ||
           (use == SP_OPERAND_BARE && first_name(value)[0] == '$');
}

static void append_special(sp_producer_t *producer, bson_t *doc)
{
    bson_t empty = BSON_INITIALIZER;
    switch (sp_draw_below(producer, 9)) {
    case 0:
    case 1:
        BSON_APPEND_NULL(doc, "");
        break;
    case 2:
        BSON_APPEND_MINKEY(doc, "");
        break;
    case 3:
        BSON_APPEND_MAXKEY(doc, "");
        break;
    case 4:
        BSON_APPEND_DOCUMENT(doc, "", &empty);
        break;
    case 5:
        BSON_APPEND_ARRAY(doc, "", &empty);
        break;
    case 6:
        BSON_APPEND_UTF8(doc, "", "");
        break;
    case 7:
        BSON_APPEND_BOOL(doc, "", sp_draw_one_in(producer, 2));
        break;
    default:
        BSON_APPEND_DOUBLE(doc, "", NAN);
        break;
    }
    bson_destroy(&empty);
}

static void append_array_of(sp_producer_t *producer, const sp_value_t *value, bson_t *doc)
{
    bson_t array;
    BSON_APPEND_ARRAY_BEGIN(doc, "", &array);
    sp_value_append(&array, "0", value);
    if (sp_draw_one_in(producer, 2))
        sp_gen_value_near(producer, value, &array, "1");
    bson_append_array_end(doc, &array);
}

static void append_any(sp_filter_draw_t *draw, unsigned field, bson_t *doc)
{
    uint32_t choice = sp_draw_below(draw->producer, 32);
    if (choice == 31) { /* where it ought not to be */
        field = sp_draw_below(draw->producer, draw->layout->pattern->field_count);
    } else if (choice >= 29) {
        sp_gen_value(draw->producer, doc, "");
        return;
    } else if (choice >= 27) {
        append_special(draw->producer, doc);
        return;
    }
    sp_value_t value = sp_layout_draw_value(draw->layout, draw->producer, field);
    if (choice == 26)
        append_array_of(draw->producer, &value, doc);
    else if (choice >= 12)
        sp_gen_value_near(draw->producer, &value, doc, "");
    else
        sp_value_append(doc, "", &value);
}

void sp_gen_operand(sp_filter_draw_t *draw, unsigned field, sp_operand_use_t use, bson_t *doc,
                    const char *key)
{
    bson_t one = BSON_INITIALIZER;
    append_any(draw, field, &one);
    sp_value_t value = sp_only_value(&one);
    /* One refused value spoils the whole filter, so most are exchanged. */
    bool refused = is_refused(&value, use) && !sp_draw_one_in(draw->producer, 16);
    bool large = value.size > OPERAND_SIZE_MAX && !sp_draw_one_in(draw->producer, 16);
    if (use == SP_OPERAND_BARE && value.type == BSON_TYPE_REGEX)
        sp_gen_regex(draw, field, doc, key);
    else if (refused || large || sp_pattern_bound_breaks(&one) || holds_dollar_scope(&value))
        BSON_APPEND_INT32(doc, key, (int32_t)sp_draw_below(draw->producer, 21) - 10);
    else
        sp_value_append(doc, key, &value);
    bson_destroy(&one);
}

/* ^ and the text of a value in the pool, so that the bounds of a prefix are met as well. */
static bool make_prefix(sp_filter_draw_t *draw, unsigned field, char *pattern, size_t size)
{
    uint32_t length;
    sp_value_t value = sp_layout_draw_value(draw->layout, draw->producer, field);
    if (value.type != BSON_TYPE_UTF8)
        return false;
    const char *text = sp_value_text(&value, &length);
    for (uint32_t i = 0; i < length; i++) {
        bool is_letter = (text[i] >= 'a' && text[i] <= 'z') || (text[i] >= 'A' && text[i] <= 'Z');
        if (!is_letter && text[i] != '_')
            return false;
    }
    snprintf(pattern, size, "^%.*s", (int)length, text);
    return true;
}

static const char *draw_regex(sp_filter_draw_t *draw, unsigned field, char *pattern, size_t size)
{
    static const char *const patterns[] = {
        "^a",     "^ab",     "^a.*",   "a",       "^",          "",          "\\Aab",
        "^a|b",   "^ab?c",   "^a*",    "^a+b",    "^\\Qa.b\\E", "^\\Qab",    "^a\\.b",
        "^a\\wb", "^a\\\\b", "^a\\-b", "^[ab]",   "^(a)",       "(^a)",      "^a$",
        "a$",     "^.*",     ".*a",    "^a{2}",   "^ab{0}",     "^\xc3\xa9", "^a b #c",
        "^^a",    "(?i)^a",  "^(?i)a", "^ab|^ac", "^a\\|b",     "^A_z",      "\\Aa|b",
        "^a.",    "^ab\\Z",  "^ab\\b", "^a\nb",   "^ab.*$",     "^b",        "^z",
    };
    if (sp_draw_one_in(draw->producer, 3) && make_prefix(draw, field, pattern, size))
        return pattern;
    return patterns[sp_draw_below(draw->producer, sizeof patterns / sizeof *patterns)];
}

static const char *draw_regex_options(sp_filter_draw_t *draw)
{
    static const char *const options[] = {"",  "",  "",   "",   "",   "",   "i",    "m",
                                          "s", "x", "im", "ix", "ms", "sx", "imsx", "mx"};
    return options[sp_draw_below(draw->producer, sizeof options / sizeof *options)];
}

void sp_gen_regex(sp_filter_draw_t *draw, unsigned field, bson_t *doc, const char *key)
{
    char text[64];
    const char *pattern = draw_regex(draw, field, text, sizeof text);
    BSON_APPEND_REGEX(doc, key, pattern, draw_regex_options(draw));
}
