#include "gen_refine_key.h"

#include "../oracles/value.h"
#include "gen_value.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

enum { INDEX_FIELDS_MAX = 32, MANY_FIELDS = 30 };

static const char *const new_names[] = {"w",   "w.v",   "y", "z",   "_id", "a", "a.b",
                                        "a.c", "_id.a", "x", "x.w", "aa",  "Y"};
static const char *const bad_names[] = {"", "$w", "w.", ".w", "w..v", "w.$v", "w.$id", "$id"};

/* A field of that very name: bson_has_field would follow its dots. */
static bool has_field(const bson_t *key, const char *name)
{
    bson_iter_t iter;
    return bson_iter_init_find(&iter, key, name);
}

/* Numbers that are 1, or that a server takes for it. */
static void append_one(sp_producer_t *producer, bson_t *key, const char *name)
{
    bson_decimal128_t decimal;
    static const char *const decimals[] = {"1", "1.0", "1.4", "0.6"};
    switch (sp_draw_below(producer, 16)) {
    case 11:
        BSON_APPEND_INT64(key, name, 1);
        break;
    case 12:
        BSON_APPEND_DOUBLE(key, name, 1.0);
        break;
    case 13:
        BSON_APPEND_DOUBLE(key, name, 1.5);
        break;
    case 14:
        bson_decimal128_from_string(decimals[sp_draw_below(producer, 4)], &decimal);
        BSON_APPEND_DECIMAL128(key, name, &decimal);
        break;
    case 15:
        if (sp_draw_one_in(producer, 4)) {
            BSON_APPEND_INT32(key, name, -1);
            break;
        }
        /* fall through */
    default:
        BSON_APPEND_INT32(key, name, 1);
    }
}

static void append_bad(sp_producer_t *producer, bson_t *key, const char *name)
{
    switch (sp_draw_below(producer, 8)) {
    case 0:
        BSON_APPEND_INT32(key, name, 0);
        break;
    case 1:
        BSON_APPEND_INT32(key, name, 2);
        break;
    case 2:
        BSON_APPEND_BOOL(key, name, true);
        break;
    case 3:
        BSON_APPEND_UTF8(key, name, "text");
        break;
    case 4:
        BSON_APPEND_UTF8(key, name, "1");
        break;
    case 5:
        BSON_APPEND_NULL(key, name);
        break;
    case 6:
        BSON_APPEND_INT64(key, name, INT64_C(0x100000001)); /* 1 as an int32 that overflowed */
        break;
    default:
        sp_gen_value(producer, key, name);
    }
}

static void append_new_field(sp_producer_t *producer, bson_t *key)
{
    const char *name = new_names[sp_draw_below(producer, sizeof new_names / sizeof *new_names)];
    uint32_t choice = sp_draw_below(producer, 32);
    if (has_field(key, name) && !sp_draw_one_in(producer, 16))
        name = "v2";
    if (choice == 31)
        name = bad_names[sp_draw_below(producer, sizeof bad_names / sizeof *bad_names)];
    if (choice == 30)
        append_bad(producer, key, name);
    else if (choice >= 26)
        BSON_APPEND_UTF8(key, name, "hashed");
    else
        append_one(producer, key, name);
}

static void append_many(sp_producer_t *producer, bson_t *key)
{
    char name[16];
    unsigned count = MANY_FIELDS - 3 + sp_draw_below(producer, 6);
    for (unsigned i = 0; i < count; i++) {
        snprintf(name, sizeof name, "f%u", i);
        BSON_APPEND_INT32(key, name, 1);
    }
}

/* The key's own fields; `change` is the place of one that is not taken over as it is. */
static void append_own(sp_producer_t *producer, const bson_t *key, uint32_t change, bson_t *into)
{
    bson_iter_t iter;
    if (!bson_iter_init(&iter, key))
        return;
    for (uint32_t i = 0; bson_iter_next(&iter); i++) {
        sp_value_t value = sp_value_of(&iter);
        const char *name = bson_iter_key(&iter);
        if (i != change)
            sp_value_append(into, name, &value);
        else if (value.type != BSON_TYPE_UTF8)
            append_one(producer, into, name);
        else if (sp_draw_one_in(producer, 2))
            BSON_APPEND_INT32(into, name, 1);
    }
}

void sp_gen_refined_key(sp_producer_t *producer, const bson_t *key, bson_t *new_key)
{
    uint32_t fields = bson_count_keys(key);
    uint32_t choice = sp_draw_below(producer, 32);
    uint32_t change =
        choice == 31 || sp_draw_one_in(producer, 8) ? sp_draw_below(producer, fields) : fields;
    if (choice == 30)
        append_new_field(producer, new_key); /* in front */
    if (choice != 29)
        append_own(producer, key, change, new_key);
    if (choice >= 27)
        return;
    if (choice == 26 && sp_draw_one_in(producer, 2))
        append_many(producer, new_key);
    for (uint32_t more = 1 + sp_draw_below(producer, 4) / 2; more > 0; more--)
        append_new_field(producer, new_key);
}

/* Whether an index can be on the field; those that cannot are for shard keys only. */
static bool name_fits_index(const char *name)
{
    size_t length = strlen(name);
    return length > 0 && strchr(name, '$') == NULL && strstr(name, "..") == NULL &&
           name[0] != '.' && name[length - 1] != '.';
}

static void append_index_field(sp_producer_t *producer, const bson_iter_t *iter, bool *hashed,
                               bson_t *index_key)
{
    sp_value_t value = sp_value_of(iter);
    const char *name = bson_iter_key(iter);
    bool asks_hash =
        BSON_ITER_HOLDS_UTF8(iter) && strcmp(bson_iter_utf8(iter, NULL), "hashed") == 0;
    uint32_t choice = sp_draw_below(producer, 32);
    if (choice == 31)
        BSON_APPEND_INT32(index_key, name, -1);
    else if (choice == 30 && !*hashed)
        asks_hash = !asks_hash;
    if (choice == 31)
        return;
    if (asks_hash && !*hashed) {
        BSON_APPEND_UTF8(index_key, name, "hashed");
        *hashed = true;
    } else if (choice >= 26 && sp_value_is_number(&value)) {
        append_one(producer, index_key, name);
    } else {
        BSON_APPEND_INT32(index_key, name, 1);
    }
}

/* Behind the fields, or in place of the last. */
static void append_more(sp_producer_t *producer, bool hashed, bson_t *index_key)
{
    static const char *const names[] = {"more", "w", "_id", "b.c"};
    const char *name = names[sp_draw_below(producer, 4)];
    if (has_field(index_key, name) || bson_count_keys(index_key) >= INDEX_FIELDS_MAX)
        return;
    if (!hashed && sp_draw_one_in(producer, 8))
        BSON_APPEND_UTF8(index_key, name, "hashed");
    else
        BSON_APPEND_INT32(index_key, name, sp_draw_one_in(producer, 4) ? -1 : 1);
}

void sp_gen_refine_index_key(sp_producer_t *producer, const bson_t *new_key, bson_t *index_key)
{
    bson_iter_t iter;
    bool hashed = false;
    uint32_t fields = bson_count_keys(new_key), choice = sp_draw_below(producer, 16);
    uint32_t dropped = choice == 15 && fields > 0 ? sp_draw_below(producer, fields) : fields;
    bool sound = bson_iter_init(&iter, new_key);
    assert(sound);
    for (uint32_t i = 0; bson_iter_next(&iter); i++) {
        if (i != dropped && name_fits_index(bson_iter_key(&iter)) &&
            !has_field(index_key, bson_iter_key(&iter)) &&
            bson_count_keys(index_key) < INDEX_FIELDS_MAX)
            append_index_field(producer, &iter, &hashed, index_key);
    }
    if (choice >= 9)
        append_more(producer, hashed, index_key);
    if (bson_empty(index_key))
        BSON_APPEND_INT32(index_key, "w", 1);
}

static void draw_new_pool(sp_producer_t *producer, bson_t *pool, uint32_t *size)
{
    bson_init(pool);
    uint32_t wanted = 1 + sp_draw_below(producer, 4);
    for (*size = 0; *size < wanted; ++*size) {
        char buffer[16];
        const char *index;
        bson_t one = BSON_INITIALIZER;
        bson_iter_t iter;
        bson_uint32_to_string(*size, &index, buffer, sizeof buffer);
        if (sp_draw_one_in(producer, 3))
            sp_gen_value(producer, &one, index);
        bool other = bson_iter_init_find(&iter, &one, index) && !BSON_ITER_HOLDS_ARRAY(&iter);
        if (other)
            bson_concat(pool, &one);
        else
            BSON_APPEND_INT32(pool, index, (int32_t)sp_draw_below(producer, 10));
        bson_destroy(&one);
    }
}

bool sp_gen_refined_layout(sp_producer_t *producer, const sp_layout_draw_t *layout,
                           const bson_t *new_key, sp_layout_draw_t *refined)
{
    memset(refined, 0, sizeof *refined);
    refined->pattern = sp_pattern_new(new_key, NULL);
    if (refined->pattern == NULL || refined->pattern->field_count > SP_SHAPE_FIELDS) {
        sp_pattern_free(refined->pattern);
        return false;
    }
    bson_copy_to(new_key, &refined->key);
    for (unsigned i = 0; i < refined->pattern->field_count; i++) {
        const char *name = refined->pattern->fields[i].text;
        bool known =
            i < layout->pattern->field_count && strcmp(layout->pattern->fields[i].text, name) == 0;
        if (known) {
            bson_copy_to(&layout->pools[i], &refined->pools[i]);
            refined->pool_sizes[i] = layout->pool_sizes[i];
        } else {
            draw_new_pool(producer, &refined->pools[i], &refined->pool_sizes[i]);
        }
    }
    return true;
}
