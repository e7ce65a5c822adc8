#include "gen_unique_parts.h"

#include "../oracles/collation.h"
#include "../oracles/extjson.h"
#include "../oracles/order.h"
#include "gen_collation.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

enum { SUFFIX_FIELDS = 2, INDEXES_MAX = 4 };

/* What an index has behind the shard key. */
static const char *const suffixes[][SUFFIX_FIELDS] = {
    {"p"},          {NULL},       {"p", "q"},       {"p.a"},          {"p.a", "p.b"},
    {"p.0"},        {"p", "p.a"}, {"p.0.a"},        {"p.a", "q"},     {"p.a.0"},
    {"p.0", "p.1"}, {"_id"},      {"_id", "p"},     {"p.0", "p.a"},   {"q.a", "p.a"},
    {"p.1"},        {"p.0", "q"}, {"p.0", "p.0.a"}, {"p.0.a", "p.a"}, {"p.0.a", "p.1.a"},
    {"p", "p.0"},   {"p.0.0"},    {"p.a", "p.b.c"}, {"p.0.a", "p.1"},
};

/* Without the shard key: never unique, but they refuse documents as well. */
static const char *const others[] = {
    "{\"h\": \"hashed\"}",           "{\"p\": 1, \"q\": 1}",  "{\"h.a\": \"hashed\", \"q\": 1}",
    "{\"h\": 1, \"p\": \"hashed\"}", "{\"h.0\": \"hashed\"}", "{\"p.a\": 1, \"q.b\": 1}",
    "{\"p.0\": 1, \"h\": -1}",
};

static const char *const filters[] = {
    "{\"p\": {\"$gt\": 1}}",
    "{\"p\": {\"$exists\": true}}",
    "{\"p\": 1}",
    "{\"p\": {\"$type\": \"number\"}}",
    "{\"p\": {\"$in\": [1, \"a\", null]}}",
    "{\"$and\": [{\"p\": {\"$gte\": 1}}, {\"q\": {\"$lt\": 5}}]}",
    "{\"$or\": [{\"p\": 1}, {\"q\": \"a\"}]}",
    "{\"p.a\": 1}",
    "{\"p\": null}",
    "{\"p\": {\"$lte\": \"a\"}}",
    "{\"q\": {\"$exists\": true}}",
    "{\"p\": []}",
    "{\"p\": {\"$type\": [\"array\", \"string\"]}}",
    "{\"p\": {\"$gte\": {\"a\": 1}}}",
    "{\"p.0\": {\"$gte\": 1, \"$lt\": 3}}",
    "{}",
};

/* How an index is held to be unique. */
typedef enum hold { FREE, UNIQUE, PREPARED } hold_t;

static void append_parsed(bson_t *doc, const char *name, const char *json)
{
    bson_t parsed;
    bool read = sp_json_read(json, strlen(json), &parsed, NULL);
    assert(read);
    BSON_APPEND_DOCUMENT(doc, name, &parsed);
    bson_destroy(&parsed);
}

static void append_direction(sp_producer_t *producer, bson_t *key, const char *field)
{
    BSON_APPEND_INT32(key, field, sp_draw_one_in(producer, 4) ? -1 : 1);
}

/* The shard key, its hashed field as a plain one, and more fields behind it. */
static void append_prefixed(sp_producer_t *producer, const sp_layout_draw_t *layout, bson_t *key)
{
    const char *const *suffix =
        suffixes[sp_draw_below(producer, sizeof suffixes / sizeof *suffixes)];
    for (unsigned i = 0; i < layout->pattern->field_count; i++)
        append_direction(producer, key, layout->pattern->fields[i].text);
    for (unsigned i = 0; i < SUFFIX_FIELDS && suffix[i] != NULL; i++) {
        if (!bson_has_field(key, suffix[i]))
            append_direction(producer, key, suffix[i]);
    }
    if (bson_count_keys(key) == 1 && bson_has_field(key, "_id")) /* it is there already */
        append_direction(producer, key, "p");
}

/* What begins with _id may be unique whatever the shard key is. */
static void append_by_id(sp_producer_t *producer, bson_t *key)
{
    static const char *const fields[] = {"p", "q", "p.a"};
    BSON_APPEND_INT32(key, "_id", 1);
    append_direction(producer, key, fields[sp_draw_below(producer, 3)]);
}

/* Unique, and begins with something else: refused. */
static void append_unfit(sp_producer_t *producer, const sp_layout_draw_t *layout, bson_t *key)
{
    BSON_APPEND_INT32(key, "p", 1);
    if (sp_draw_one_in(producer, 2))
        BSON_APPEND_INT32(key, layout->pattern->fields[0].text, 1);
}

static bool same_key(const bson_t *a, const bson_t *b)
{
    bson_iter_t left, right;
    bool sound = bson_iter_init(&left, a) && bson_iter_init(&right, b);
    while (sound) {
        bool more = bson_iter_next(&left);
        if (more != bson_iter_next(&right))
            return false;
        if (!more)
            return true;
        sp_value_t left_value = sp_value_of(&left), right_value = sp_value_of(&right);
        if (strcmp(bson_iter_key(&left), bson_iter_key(&right)) != 0 ||
            sp_value_compare(&left_value, &right_value) != 0)
            return false;
    }
    return false;
}

/* Two indexes on the same fields are one for a server, or not: that is another area's question. */
static bool is_there(const bson_t *key, const bson_t *indexes)
{
    bson_iter_t iter, other;
    bson_t other_key;
    bool found = false;
    bool sound = bson_iter_init(&iter, indexes);
    while (sound && !found && bson_iter_next(&iter)) {
        found = bson_iter_recurse(&iter, &other) && bson_iter_find(&other, "key") &&
                sp_value_document(&other, &other_key) && same_key(key, &other_key);
    }
    return found;
}

/* An index that is only prepared to be unique is so for all that is inserted, hashed or not. */
static void append_options(sp_producer_t *producer, hold_t hold, bson_t *index)
{
    BSON_APPEND_BOOL(index, hold == PREPARED ? "prepareUnique" : "unique", hold != FREE);
    if (sp_draw_one_in(producer, 16))
        BSON_APPEND_BOOL(index, "hidden", true);
    uint32_t choice = sp_draw_below(producer, 4);
    if (choice == 1)
        BSON_APPEND_BOOL(index, "sparse", true);
    else if (choice == 2)
        append_parsed(index, "partialFilterExpression",
                      filters[sp_draw_below(producer, sizeof filters / sizeof *filters)]);
}

/* A second index on the shard key itself must differ by its collation, and comes second. */
static void append_circumstances(sp_producer_t *producer, bool is_shard_key, bson_t *index)
{
    if (is_shard_key) {
        append_parsed(index, "collation", "{\"locale\": \"en\", \"strength\": 2}");
        return;
    }
    if (sp_draw_one_in(producer, 4))
        sp_gen_index_collation(producer, index);
    if (sp_draw_one_in(producer, 3))
        BSON_APPEND_BOOL(index, "early", true);
}

/* Appends an index to `index`; false where it would be there twice. */
static bool draw_index(sp_producer_t *producer, const sp_layout_draw_t *layout,
                       const bson_t *indexes, bson_t *index)
{
    bson_t key = BSON_INITIALIZER;
    uint32_t choice = sp_draw_below(producer, 64);
    hold_t hold = sp_draw_one_in(producer, 8) ? PREPARED : UNIQUE;
    if (choice >= 63) {
        append_unfit(producer, layout, &key);
    } else if (choice >= 54) {
        append_by_id(producer, &key);
    } else if (choice >= 42) {
        bson_t parsed;
        const char *json = others[sp_draw_below(producer, sizeof others / sizeof *others)];
        bool read = sp_json_read(json, strlen(json), &parsed, NULL);
        assert(read);
        bson_concat(&key, &parsed);
        bson_destroy(&parsed);
        hold = sp_draw_one_in(producer, 16) ? UNIQUE : FREE;
    } else {
        append_prefixed(producer, layout, &key);
        if (hold == PREPARED && sp_draw_one_in(producer, 3) && !bson_has_field(&key, "h"))
            BSON_APPEND_UTF8(&key, "h", "hashed");
        else if (sp_draw_one_in(producer, 8))
            hold = FREE;
    }
    bool is_new = !is_there(&key, indexes);
    if (is_new) {
        BSON_APPEND_DOCUMENT(index, "key", &key);
        append_options(producer, hold, index);
        append_circumstances(producer, same_key(&key, &layout->key), index);
    }
    bson_destroy(&key);
    return is_new;
}

void sp_gen_unique_indexes(sp_producer_t *producer, const sp_layout_draw_t *layout, bson_t *scene)
{
    bson_t indexes = BSON_INITIALIZER;
    uint32_t wanted = 1 + sp_draw_below(producer, INDEXES_MAX), count = 0;
    for (uint32_t i = 0; i < wanted; i++) {
        bson_t index = BSON_INITIALIZER;
        char place[16];
        snprintf(place, sizeof place, "%u", count);
        if (draw_index(producer, layout, &indexes, &index)) {
            BSON_APPEND_DOCUMENT(&indexes, place, &index);
            count++;
        }
        bson_destroy(&index);
    }
    BSON_APPEND_ARRAY(scene, "indexes", &indexes);
    bson_destroy(&indexes);
}
