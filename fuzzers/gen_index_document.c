#include "gen_index.h"
#include "gen_index_value.h"

#define COUNT(array)          (sizeof(array) / sizeof((array)[0]))
#define DRAW(producer, table) (table)[sp_draw_below((producer), (uint32_t)COUNT(table))]

static const char *const roots[] = {"x", "y", "a", "z", "h", "q", "c", "b", "k", "w", "t"};
static const char *const inner[] = {"b", "c", "k", "a", "l"};

static const char *const scalars[] = {
    "1",
    "2",
    "{\"$numberDouble\":\"1.0\"}",
    "null",
    "\"a\"",
    "\"A\"",
    "{\"$numberDecimal\":\"2.0\"}",
    "3",
    "true",
    "\"\\u00e1\"",
    "{\"$numberDouble\":\"1.5\"}",
    "{\"$minKey\":1}",
    "{\"$maxKey\":1}",
    "{\"$numberDouble\":\"NaN\"}",
    "{\"$undefined\":true}",
    "{\"$regularExpression\":{\"pattern\":\"a\",\"options\":\"\"}}",
};

static const char *const ids[] = {"1",
                                  "2",
                                  "{\"$numberDouble\":\"1.0\"}",
                                  "\"a\"",
                                  "\"A\"",
                                  "{\"a\":1}",
                                  "{\"a\":[1,2]}",
                                  "null",
                                  "[1]",
                                  "{\"a\":{\"$numberDouble\":\"1.0\"}}",
                                  "3",
                                  "4"};

static void append_value(sp_producer_t *producer, unsigned depth, bson_t *into, const char *name);

static void append_object(sp_producer_t *producer, unsigned depth, bson_t *into, const char *name)
{
    bson_t object = BSON_INITIALIZER;
    unsigned count = sp_draw_below(producer, 3);
    for (unsigned i = 0; i < count; i++) {
        const char *field = DRAW(producer, inner);
        if (!bson_has_field(&object, field))
            append_value(producer, depth + 1, &object, field);
    }
    bson_append_document(into, name, -1, &object);
    bson_destroy(&object);
}

static void append_array(sp_producer_t *producer, unsigned depth, bson_t *into, const char *name)
{
    bson_t array = BSON_INITIALIZER;
    unsigned count = sp_draw_below(producer, 4);
    for (unsigned i = 0; i < count; i++) {
        char buffer[16];
        const char *key;
        bson_uint32_to_string(i, &key, buffer, sizeof buffer);
        append_value(producer, depth + 1, &array, key);
    }
    bson_append_array(into, name, -1, &array);
    bson_destroy(&array);
}

static void append_value(sp_producer_t *producer, unsigned depth, bson_t *into, const char *name)
{
    uint32_t choice = sp_draw_below(producer, 16);
    if (choice < 10 || depth > 3)
        sp_gen_index_value(into, name, sp_draw_one_in(producer, 3) ? DRAW(producer, scalars) : "1");
    else if (choice < 13)
        append_object(producer, depth, into, name);
    else
        append_array(producer, depth, into, name);
}

void sp_gen_index_document(sp_producer_t *producer, bson_t *into, const char *name)
{
    bson_t doc = BSON_INITIALIZER;
    bool many_arrays = sp_draw_one_in(producer, 4);
    if (sp_draw_one_in(producer, 3))
        sp_gen_index_value(&doc, "_id", DRAW(producer, ids));
    for (unsigned i = 0; i < COUNT(roots); i++) {
        if (sp_draw_below(producer, 16) >= 9)
            continue;
        if (many_arrays && sp_draw_one_in(producer, 2))
            append_array(producer, 0, &doc, roots[i]);
        else
            append_value(producer, 0, &doc, roots[i]);
    }
    bson_append_document(into, name, -1, &doc);
    bson_destroy(&doc);
}
