#include "gen_index.h"
#include "gen_index_value.h"

#include "../oracles/extjson.h"
#include "../oracles/value.h"

#include <assert.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const char *const names[] = {"y",   "x", "z", "q", "a",     "a.b",   "_id",   "h", "x.k",
                                    "a.c", "c", "b", "w", "x.k.l", "_id.a", "a.b.c", "t"};

static const char *const odd_names[] = {
    "",      ".",       "a.",  ".a",    "a..b",  "$a",      "a.$b", "a.$id", "$id",    "a.$ref",
    "a.$db", "a.$id.b", "$**", "a.$**", "$**.a", "a.$**.b", "_fts", "_ftsx", "a._fts", "wildcard",
};

static const char *const sound_values[] = {"1", "-1", "1", "\"hashed\"", "-1"};

static const char *const number_values[] = {
    "1",
    "-1",
    "{\"$numberDouble\":\"1.0\"}",
    "{\"$numberLong\":\"1\"}",
    "{\"$numberDecimal\":\"1\"}",
    "{\"$numberDecimal\":\"1.0\"}",
    "{\"$numberDouble\":\"-1.0\"}",
    "2",
    "-2",
    "{\"$numberDouble\":\"0.5\"}",
    "{\"$numberDouble\":\"-0.5\"}",
    "{\"$numberDouble\":\"1.5\"}",
    "{\"$numberDecimal\":\"-1\"}",
    "{\"$numberDecimal\":\"1.5\"}",
    "{\"$numberDecimal\":\"1.00000000000000000000001\"}",
    "{\"$numberDouble\":\"Infinity\"}",
    "{\"$numberDecimal\":\"-Infinity\"}",
    "{\"$numberLong\":\"4294967297\"}",
    "\"hashed\"",
};

static const char *const bad_values[] = {
    "0",
    "{\"$numberDouble\":\"0.0\"}",
    "{\"$numberDouble\":\"-0.0\"}",
    "{\"$numberLong\":\"0\"}",
    "{\"$numberDecimal\":\"0E-5\"}",
    "{\"$numberDouble\":\"NaN\"}",
    "{\"$numberDecimal\":\"NaN\"}",
    "\"\"",
    "\"foo\"",
    "\"1\"",
    "\"Hashed\"",
    "\"hashed \"",
    "\"hashed\\u0000\"",
    "\"btree\"",
    "\"wildcard\"",
    "\"geoHaystack\"",
    "true",
    "false",
    "null",
    "{}",
    "{\"a\":1}",
    "[]",
    "[1]",
    "{\"$oid\":\"000000000000000000000000\"}",
    "{\"$timestamp\":{\"t\":1,\"i\":1}}",
    "{\"$minKey\":1}",
    "{\"$maxKey\":1}",
    "{\"$undefined\":true}",
    "{\"$symbol\":\"hashed\"}",
    "{\"$code\":\"hashed\"}",
    "{\"$regularExpression\":{\"pattern\":\"a\",\"options\":\"\"}}",
    "{\"$date\":{\"$numberLong\":\"1\"}}",
};

static const char *const plugin_values[] = {"\"text\"", "\"2d\"", "\"2dsphere\"",
                                            "\"2dsphere_bucket\"", "\"hashed\""};

/* Patterns that are looked at as a whole. */
static const char *const whole[] = {
    "{}",
    "{}",
    "{\"_id\":1}",
    "{\"_id\":-1}",
    "{\"_id\":{\"$numberDouble\":\"1.0\"}}",
    "{\"_id\":{\"$numberDecimal\":\"-1.0\"}}",
    "{\"_id\":2}",
    "{\"_id\":{\"$numberDouble\":\"1.5\"}}",
    "{\"_id\":\"hashed\"}",
    "{\"$**\":1}",
    "{\"$**\":{\"$numberDouble\":\"0.5\"}}",
    "{\"a.$**\":1}",
    "{\"$**\":-1}",
    "{\"$**\":1,\"a\":1}",
    "{\"a\":1,\"$**\":1}",
    "{\"h\":\"hashed\",\"$**\":1}",
    "{\"h\":\"hashed\",\"$**\":-1}",
    "{\"h\":\"hashed\",\"a.$**\":1}",
    "{\"$**\":\"text\"}",
    "{\"a\":\"text\",\"$**\":1}",
    "{\"a\":\"text\",\"b\":1,\"c\":\"text\"}",
    "{\"_fts\":\"text\",\"_ftsx\":1}",
    "{\"a\":\"2d\",\"b\":\"2d\"}",
    "{\"b\":1,\"a\":\"2d\"}",
    "{\"h\":\"hashed\",\"z\":\"hashed\"}",
    "{\"z\":1,\"h\":\"hashed\",\"a\":\"hashed\"}",
};

void sp_gen_index_value(bson_t *into, const char *name, const char *text)
{
    bson_t holder;
    char *wrapped = bson_strdup_printf("{\"v\":%s}", text);
    bson_iter_t iter;
    bool read = sp_json_read(wrapped, strlen(wrapped), &holder, NULL) &&
                bson_iter_init_find(&iter, &holder, "v");
    assert(read);
    sp_value_t value = sp_value_of(&iter);
    sp_value_append(into, name, &value);
    bson_destroy(&holder);
    bson_free(wrapped);
}

#define DRAW(producer, table) (table)[sp_draw_below((producer), (uint32_t)COUNT(table))]

static const char *draw_value(sp_producer_t *producer, bool sound)
{
    uint32_t choice = sp_draw_below(producer, 64);
    if (sound || choice < 40)
        return DRAW(producer, sound_values);
    if (choice < 57)
        return DRAW(producer, number_values);
    return choice < 61 ? DRAW(producer, bad_values) : DRAW(producer, plugin_values);
}

/* At most one hashed field, and no path twice. */
static void append_field(sp_producer_t *producer, bool sound, const char *name, bson_t *pattern,
                         bool *hashed)
{
    bson_iter_t there;
    const char *text = draw_value(producer, sound);
    bool again = strcmp(text, "\"hashed\"") == 0 && *hashed && sound;
    if (bson_iter_init_find(&there, pattern, name) && (sound || !sp_draw_one_in(producer, 16)))
        return;
    *hashed = *hashed || strcmp(text, "\"hashed\"") == 0;
    sp_gen_index_value(pattern, name, again ? "1" : text);
}

static void append_fields(sp_producer_t *producer, bool sound, unsigned count, bson_t *pattern,
                          bool hashed)
{
    for (unsigned i = 0; i < count; i++) {
        const char *name = !sound && sp_draw_one_in(producer, 24) ? DRAW(producer, odd_names)
                                                                  : DRAW(producer, names);
        append_field(producer, sound, name, pattern, &hashed);
    }
}

/* The shard key, all of it or its beginning, its values as they are or not, and more behind it. */
static void append_key(sp_producer_t *producer, const bson_t *key, bool sound, bson_t *pattern)
{
    bson_iter_t iter;
    bool hashed = false;
    bool whole_key = !sp_draw_one_in(producer, 4);
    bool as_it_is = !sp_draw_one_in(producer, 3);
    for (bool more = bson_iter_init(&iter, key); more && bson_iter_next(&iter);) {
        sp_value_t value = sp_value_of(&iter);
        bool is_hashed = value.type == BSON_TYPE_UTF8;
        if (!whole_key && !bson_empty(pattern))
            break;
        if (as_it_is) {
            hashed = hashed || is_hashed;
            sp_value_append(pattern, bson_iter_key(&iter), &value);
        } else if (is_hashed && sp_draw_one_in(producer, 2)) {
            sp_gen_index_value(pattern, bson_iter_key(&iter), "1");
        } else {
            append_field(producer, sound, bson_iter_key(&iter), pattern, &hashed);
        }
    }
    append_fields(producer, sound, sp_draw_below(producer, 3), pattern, hashed);
}

static void append_many(sp_producer_t *producer, const bson_t *key, bson_t *pattern)
{
    unsigned count = 30 + sp_draw_below(producer, 5);
    if (sp_draw_one_in(producer, 2))
        bson_concat(pattern, key);
    for (unsigned i = 0; i < count; i++) {
        char *name = bson_strdup_printf("f%u", i);
        sp_gen_index_value(pattern, name, sp_draw_one_in(producer, 40) ? "\"hashed\"" : "1");
        bson_free(name);
    }
}

void sp_gen_index_pattern(sp_producer_t *producer, const bson_t *key, bool sound, bson_t *into,
                          const char *name)
{
    bson_t pattern = BSON_INITIALIZER;
    uint32_t choice = sp_draw_below(producer, 32);
    if (choice < 12) {
        append_key(producer, key, sound, &pattern);
    } else if (choice < 28 || sound) {
        append_fields(producer, sound, 1 + sp_draw_below(producer, 3), &pattern, false);
    } else if (choice < 31) {
        sp_gen_index_value(into, name, DRAW(producer, whole));
        bson_destroy(&pattern);
        return;
    } else {
        append_many(producer, key, &pattern);
    }
    if (bson_empty(&pattern))
        BSON_APPEND_INT32(&pattern, "y", 1);
    bson_append_document(into, name, -1, &pattern);
    bson_destroy(&pattern);
}
