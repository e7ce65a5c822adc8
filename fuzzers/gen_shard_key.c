#include "gen_shard_key.h"

#include <stdio.h>

enum { SHAPE_FIELDS = 4, MANY_FIELDS = 33 };

#define COUNT(array) ((uint32_t)(sizeof(array) / sizeof *(array)))

/* "#" before a name makes that field the hashed one. */
typedef const char *const shape_t[SHAPE_FIELDS];

static void append_shape(shape_t shape, bson_t *key)
{
    for (unsigned i = 0; i < SHAPE_FIELDS && shape[i] != NULL; i++) {
        if (shape[i][0] == '#')
            BSON_APPEND_UTF8(key, shape[i] + 1, "hashed");
        else
            BSON_APPEND_INT32(key, shape[i], 1);
    }
}

void sp_gen_sound_shard_key(sp_producer_t *producer, bson_t *key)
{
    static shape_t shapes[] = {
        {"x"},        {"x"},           {"#x"},         {"x", "y"}, {"#x", "y"},
        {"x", "#y"},  {"x", "y", "z"}, {"_id"},        {"#_id"},   {"_id", "x"},
        {"x", "_id"}, {"#_id", "x"},   {"a.b"},        {"#a.b"},   {"a.b", "c"},
        {"a", "a.b"}, {"a.b", "a.c"},  {"_id.a"},      {"a.0"},    {"x", "#a.b"},
        {"a.b.c"},    {"x", "#_id.a"}, {"a.0.b", "x"}, {"_ftsx"},
    };
    append_shape(shapes[sp_draw_below(producer, COUNT(shapes))], key);
}

void sp_gen_series_shard_key(sp_producer_t *producer, bson_t *key)
{
    static shape_t shapes[] = {{"m"},   {"t"},          {"m", "t"},    {"#m"},
                               {"m.a"}, {"m.a", "m.b"}, {"#m.a", "t"}, {"m", "m.a"}};
    append_shape(shapes[sp_draw_below(producer, COUNT(shapes))], key);
}

static void append_decimal(bson_t *key, const char *name, const char *text)
{
    bson_decimal128_t number;
    bson_decimal128_from_string(text, &number);
    BSON_APPEND_DECIMAL128(key, name, &number);
}

static void append_one(sp_producer_t *producer, bson_t *key, const char *name)
{
    static const char *const decimals[] = {"1", "1.00", "0.6", "1.4", "1.5"};
    switch (sp_draw_below(producer, 8)) {
    case 0:
    case 1:
        BSON_APPEND_INT32(key, name, 1);
        break;
    case 2:
        BSON_APPEND_INT64(key, name, 1);
        break;
    case 3:
    case 4:
        BSON_APPEND_DOUBLE(key, name, 1.0);
        break;
    case 5:
        BSON_APPEND_DOUBLE(key, name, sp_draw_one_in(producer, 2) ? 1.5 : 1.9999);
        break;
    default:
        append_decimal(key, name, decimals[sp_draw_below(producer, COUNT(decimals))]);
    }
}

void sp_gen_shard_key_spelling(sp_producer_t *producer, const bson_t *sound, bson_t *key)
{
    bson_iter_t iter;
    for (bool more = bson_iter_init(&iter, sound); more && bson_iter_next(&iter);) {
        if (BSON_ITER_HOLDS_UTF8(&iter))
            BSON_APPEND_UTF8(key, bson_iter_key(&iter), "hashed");
        else
            append_one(producer, key, bson_iter_key(&iter));
    }
}

/* The macros of libbson look at a text twice: it must not be drawn in their arguments. */
static void append_word(bson_t *key, const char *name, const char *word)
{
    BSON_APPEND_UTF8(key, name, word);
}

static void append_bad_value(sp_producer_t *producer, bson_t *key, const char *name)
{
    static const char *const words[] = {"1", "Hashed", "text", "2d", "2dsphere", ""};
    static const double numbers[] = {0.9, -1.0, 2.0, 0.0, -0.5};
    static const char *const decimals[] = {"0.4", "1.6", "NaN", "-1"};
    bson_t child;
    switch (sp_draw_below(producer, 8)) {
    case 0:
        BSON_APPEND_INT32(key, name, sp_draw_one_in(producer, 2) ? -1 : 2);
        break;
    case 1:
        BSON_APPEND_INT32(key, name, 0);
        break;
    case 2:
        BSON_APPEND_DOUBLE(key, name, numbers[sp_draw_below(producer, COUNT(numbers))]);
        break;
    case 3:
        append_decimal(key, name, decimals[sp_draw_below(producer, COUNT(decimals))]);
        break;
    case 4:
        append_word(key, name, words[sp_draw_below(producer, COUNT(words))]);
        break;
    case 5:
        BSON_APPEND_BOOL(key, name, true);
        break;
    case 6:
        BSON_APPEND_NULL(key, name);
        break;
    default:
        BSON_APPEND_ARRAY_BEGIN(key, name, &child);
        BSON_APPEND_INT32(&child, "0", 1);
        bson_append_array_end(key, &child);
    }
}

static void append_sound_or_hashed(sp_producer_t *producer, bson_t *key, const char *name)
{
    if (sp_draw_one_in(producer, 4))
        BSON_APPEND_UTF8(key, name, "hashed");
    else
        BSON_APPEND_INT32(key, name, 1);
}

static void append_bad_path(sp_producer_t *producer, bson_t *key)
{
    static const char *const paths[] = {"",       "a..b",  ".a",      "a.",    "$a",
                                        "a.$b",   "a.$id", "a.$ref",  "a.$db", "$id",
                                        "a.$idx", "$**",   "a.$id.b", "a.$**", "."};
    append_sound_or_hashed(producer, key, paths[sp_draw_below(producer, COUNT(paths))]);
}

/* Some of the fields may come twice. */
static void append_many(sp_producer_t *producer, bson_t *key)
{
    uint32_t names = sp_draw_one_in(producer, 4) ? MANY_FIELDS - 1 : MANY_FIELDS + 1;
    uint32_t hashed = sp_draw_below(producer, 2 * MANY_FIELDS);
    for (uint32_t i = 0; i < MANY_FIELDS; i++) {
        char name[16];
        snprintf(name, sizeof name, "f%u", i % names);
        if (i == hashed)
            BSON_APPEND_UTF8(key, name, "hashed");
        else
            BSON_APPEND_INT32(key, name, 1);
    }
}

void sp_gen_unsound_shard_key(sp_producer_t *producer, bson_t *key)
{
    switch (sp_draw_below(producer, 10)) {
    case 0:
        break; /* without a field */
    case 1:
        append_bad_value(producer, key, "x");
        break;
    case 2:
        append_bad_path(producer, key);
        break;
    case 3: /* two hashed ones */
        BSON_APPEND_UTF8(key, "x", "hashed");
        append_word(key, sp_draw_one_in(producer, 2) ? "y" : "x", "hashed");
        break;
    case 4: /* one path twice */
        append_sound_or_hashed(producer, key, "x");
        if (sp_draw_one_in(producer, 2))
            BSON_APPEND_INT32(key, "y", 1);
        BSON_APPEND_INT32(key, "x", 1);
        break;
    case 5: /* what belongs to text indexes */
        if (sp_draw_one_in(producer, 2))
            BSON_APPEND_INT32(key, "x", 1);
        append_sound_or_hashed(producer, key, "_fts");
        break;
    case 6:
        append_many(producer, key);
        break;
    case 7: /* more than one reason */
        append_bad_path(producer, key);
        append_bad_value(producer, key, "x");
        append_bad_path(producer, key);
        break;
    case 8: /* a sound field first */
        append_sound_or_hashed(producer, key, "x");
        append_bad_path(producer, key);
        break;
    default:
        append_sound_or_hashed(producer, key, "x");
        append_bad_value(producer, key, "y");
    }
}

void sp_gen_unsound_series_key(sp_producer_t *producer, bson_t *key)
{
    static shape_t shapes[] = {
        {NULL},        {"x"},      {"_id"},  {"mm"},    {"control.min.t"}, {"meta"},
        {"m", "x"},    {"x", "m"}, {"t.a"},  {"#t"},    {"#m", "#t"},      {"#m", "#m.a"},
        {"m.a.", "t"}, {"m..a"},   {"m.$a"}, {"m.$id"}, {"m", "m"},
    };
    static shape_t early[] = {{"t", "m"}, {"t", "x"},  {"m.a", "t", "m.b"},
                              {"t", "t"}, {"#t", "x"}, {"x", "t", "m"}};
    if (sp_draw_one_in(producer, 3)) {
        append_shape(early[sp_draw_below(producer, COUNT(early))], key);
        return;
    }
    if (sp_draw_one_in(producer, 4)) {
        append_bad_value(producer, key, sp_draw_one_in(producer, 2) ? "t" : "m");
        return;
    }
    append_shape(shapes[sp_draw_below(producer, COUNT(shapes))], key);
}
