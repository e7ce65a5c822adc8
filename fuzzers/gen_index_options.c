#include "gen_index.h"
#include "gen_index_value.h"

#include <string.h>

#define COUNT(array)          (sizeof(array) / sizeof((array)[0]))
#define DRAW(producer, table) (table)[sp_draw_below((producer), (uint32_t)COUNT(table))]

static const char *const flags[] = {"true",
                                    "false",
                                    "1",
                                    "0",
                                    "{\"$numberDouble\":\"0.0\"}",
                                    "{\"$numberDouble\":\"NaN\"}",
                                    "{\"$numberDecimal\":\"0\"}",
                                    "{\"$numberLong\":\"1\"}",
                                    "{\"$numberDouble\":\"-0.0\"}"};

static const char *const wrong[] = {
    "null", "\"a\"", "{}", "[]", "5", "{\"$timestamp\":{\"t\":0,\"i\":1}}", "true"};

static const char *const seconds[] = {
    "3600",
    "0",
    "{\"$numberDouble\":\"5.5\"}",
    "{\"$numberLong\":\"2147483647\"}",
    "{\"$numberLong\":\"2147483648\"}",
    "-1",
    "{\"$numberDouble\":\"-0.5\"}",
    "{\"$numberDecimal\":\"-0.6\"}",
    "{\"$numberDecimal\":\"2147483647.4\"}",
    "{\"$numberDecimal\":\"2147483647.6\"}",
    "{\"$numberDouble\":\"NaN\"}",
    "{\"$numberDouble\":\"1e300\"}",
    "{\"$numberDouble\":\"-Infinity\"}",
    "true",
    "\"a\"",
    "null",
};

static const char *const filters[] = {
    "{\"k\":1}",
    "{\"q\":{\"$gt\":1}}",
    "{\"k\":{\"$numberDouble\":\"1.0\"}}",
    "{\"$and\":[{\"k\":1}]}",
    "{\"k\":{\"$exists\":true}}",
    "{\"k\":{\"$in\":[1,2]}}",
    "{\"$or\":[{\"k\":1},{\"q\":1}]}",
    "{\"q\":{\"$gte\":1,\"$lt\":5}}",
    "{\"q\":{\"$lt\":5,\"$gte\":1}}",
    "{\"k\":{\"$type\":\"number\"}}",
    "{\"k\":{\"$all\":[1]}}",
    "{}",
    "{\"k\":\"a\"}",
    "{\"a.b\":1}",
    "{\"_id\":{\"$gt\":3}}",
    "{\"x\":1}",
    "{\"k\":null}",
    "{\"k\":[1]}",
    "{\"$and\":[{\"$or\":[{\"k\":1},{\"k\":2}]},{\"q\":1}]}",
    "{\"$or\":[{\"$and\":[{\"k\":1},{\"q\":1}]},{\"q\":2}]}",
    "{\"$comment\":\"a\"}",
    "{\"$or\":[{\"$and\":[{\"$or\":[{\"k\":1},{\"q\":1}]},{\"q\":1}]},{\"k\":2}]}",
    "{\"$or\":[{\"$and\":[{\"q\":{\"$gt\":1,\"$lt\":5}}]}]}",
};

static const char *const bad_filters[] = {
    "{\"k\":{\"$ne\":1}}",
    "{\"k\":{\"$exists\":false}}",
    "{\"k\":{\"$not\":{\"$gt\":1}}}",
    "{\"k\":{\"$nin\":[1]}}",
    "{\"$nor\":[{\"k\":1}]}",
    "{\"k\":{\"$mod\":[2,1]}}",
    "{\"k\":{\"$size\":1}}",
    "{\"k\":{\"$elemMatch\":{\"$gt\":1}}}",
    "{\"k\":{\"$regex\":\"a\"}}",
    "{\"k\":{\"$in\":[{\"$regularExpression\":{\"pattern\":\"a\",\"options\":\"\"}}]}}",
    "{\"k\":{\"$in\":[]}}",
    "{\"k\":{\"$all\":[]}}",
    "{\"$alwaysTrue\":1}",
    "{\"$alwaysFalse\":1}",
    "{\"$bad\":1}",
    "{\"k\":{\"$bad\":1}}",
    "{\"$and\":[]}",
    "{\"$or\":5}",
    "{\"k\":{\"$in\":5}}",
    "{\"k\":{\"$type\":\"foo\"}}",
    "{\"k\":{\"$mod\":[]}}",
    "{\"k\":{\"$type\":[]}}",
    "{\"k\":{\"$bitsAllSet\":1}}",
    "{\"$expr\":true}",
    "{\"$and\":[{\"$jsonSchema\":{}}]}",
    "{\"$where\":\"1\"}",
    "{\"$text\":{\"$search\":\"a\"}}",
    "{\"$and\":[{\"$and\":[{\"$and\":[{\"$or\":[{\"k\":1},{\"q\":1}]}]}]}]}",
    "{\"$and\":[{\"$or\":[{\"$and\":[{\"q\":{\"$gt\":1,\"$lt\":5}}]}]}]}",
    "{\"k\":1,\"$or\":[{\"$and\":[{\"k\":{\"$all\":[1,2]}},{\"q\":1}]}]}",
};

static const char *const collations[] = {
    "{\"locale\":\"fr\"}",
    "{\"locale\":\"simple\"}",
    "{\"locale\":\"en\",\"strength\":2}",
    "{\"locale\":\"fr\",\"strength\":3}",
    "{\"locale\":\"en\",\"strength\":1}",
    "{\"locale\":\"en\"}",
};

static const char *const bad_collations[] = {
    "{}",
    "{\"locale\":\"xx\"}",
    "{\"locale\":\"en\",\"strength\":9}",
    "{\"strength\":1}",
    "{\"locale\":\"en\",\"foo\":1}",
    "{\"locale\":5}",
    "{\"locale\":\"simple\",\"strength\":9}",
    "{\"locale\":\"\"}",
};

static const char *const versions[] = {"2", "1", "{\"$numberDouble\":\"2.0\"}",
                                       "{\"$numberLong\":\"1\"}"};
static const char *const bad_versions[] = {"0",
                                           "3",
                                           "-1",
                                           "{\"$numberDouble\":\"1.5\"}",
                                           "{\"$numberDecimal\":\"1.5\"}",
                                           "{\"$numberDouble\":\"NaN\"}",
                                           "{\"$numberLong\":\"1099511627776\"}",
                                           "{\"$numberDouble\":\"Infinity\"}"};

static const char *const index_names[] = {"\"i0\"",        "\"i1\"",      "\"x_1\"", "\"_id_\"",
                                          "\"*\"",         "\"\"",        "\"a.b\"", "\"$a\"",
                                          "\"n\\u0000m\"", "\"x_hashed\""};

static const char *const other_names[] = {"bucketSize",
                                          "bits",
                                          "min",
                                          "dropDups",
                                          "ns",
                                          "_id",
                                          "default_language",
                                          "textIndexVersion",
                                          "coarsestIndexedLevel",
                                          "2dsphereIndexVersion"};
static const char *const unknown_names[] = {"bogus", "Unique", "hashVersion", "$x", "", "key2"};

typedef struct option_draw {
    const char *name;
    const char *const *values;
    unsigned count;
    const char *const *bad_values;
    unsigned bad_count;
    unsigned weight;
} option_draw_t;

#define VALUES(table) table, COUNT(table)

static const option_draw_t option_draws[] = {
    {"unique", VALUES(flags), VALUES(wrong), 8},
    {"sparse", VALUES(flags), VALUES(wrong), 5},
    {"partialFilterExpression", VALUES(filters), VALUES(bad_filters), 5},
    {"collation", VALUES(collations), VALUES(bad_collations), 4},
    {"prepareUnique", VALUES(flags), VALUES(wrong), 3},
    {"hidden", VALUES(flags), VALUES(wrong), 3},
    {"expireAfterSeconds", VALUES(seconds), VALUES(wrong), 3},
    {"background", VALUES(flags), VALUES(wrong), 1},
    {"v", VALUES(versions), VALUES(bad_versions), 2},
};

enum { WEIGHTS = 34 };

static const option_draw_t *draw_option(sp_producer_t *producer)
{
    uint32_t choice = sp_draw_below(producer, WEIGHTS);
    for (size_t i = 0; i + 1 < COUNT(option_draws); i++) {
        if (choice < option_draws[i].weight)
            return &option_draws[i];
        choice -= option_draws[i].weight;
    }
    return &option_draws[COUNT(option_draws) - 1];
}

static void append_option(sp_producer_t *producer, bool sound, bson_t *into)
{
    const option_draw_t *option = draw_option(producer);
    const char *text = option->values[0];
    if (bson_has_field(into, option->name))
        return;
    if (option->values == flags) {
        if (sp_draw_one_in(producer, 4))
            text = sound ? flags[sp_draw_below(producer, 2)] : DRAW(producer, flags);
    } else if (option->values != seconds || !sound) {
        text = option->values[sp_draw_below(producer, option->count)];
    }
    if (!sound && sp_draw_one_in(producer, 10))
        text = option->bad_values[sp_draw_below(producer, option->bad_count)];
    if (!sound && option->bad_values == bad_filters && sp_draw_one_in(producer, 24))
        text = DRAW(producer, wrong);
    sp_gen_index_value(into, option->name, text);
}

static void append_odd(sp_producer_t *producer, bson_t *into)
{
    if (sp_draw_one_in(producer, 3)) {
        sp_gen_index_value(into, DRAW(producer, unknown_names), DRAW(producer, wrong));
        return;
    }
    const char *name = DRAW(producer, other_names);
    if (strcmp(name, "default_language") == 0)
        sp_gen_index_value(into, name, sp_draw_one_in(producer, 4) ? "5" : "\"english\"");
    else
        sp_gen_index_value(into, name, sp_draw_one_in(producer, 4) ? "\"a\"" : "3");
}

void sp_gen_index_options(sp_producer_t *producer, bool sound, bson_t *into)
{
    static const unsigned counts[] = {0, 1, 1, 1, 2, 2, 3, 1};
    unsigned count = counts[sp_draw_below(producer, COUNT(counts))];
    if (!sound && sp_draw_one_in(producer, 24))
        append_odd(producer, into);
    for (unsigned i = 0; i < count; i++)
        append_option(producer, sound, into);
    if (!sound && sp_draw_one_in(producer, 8))
        sp_gen_index_value(into, "name", DRAW(producer, index_names));
}
