#include "gen_unique_parts.h"

#include "../oracles/extjson.h"
#include "gen_value.h"

#include <assert.h>
#include <string.h>

enum { GROUP_MAX = 12, LONG_TEXT = 1100 };

const char *const sp_unique_extras[SP_UNIQUE_EXTRAS] = {"p", "q", "h"};

/* Single quotes stand for double ones. */
static const char *const groups[][GROUP_MAX] = {
    {"1", "{'$numberLong': '1'}", "1.0", "{'$numberDecimal': '1'}", "{'$numberDecimal': '1.0'}",
     "{'$numberDecimal': '1.00'}", "[1]", "[1, 1]", "[1.0, 2]", "2"},
    {"0", "-0.0", "{'$numberDecimal': '-0'}", "{'$numberDecimal': '0E+3'}", "{'$numberLong': '0'}",
     "false", "null"},
    {"{'$numberDouble': 'NaN'}", "{'$numberDecimal': 'NaN'}",
     "{'$raw': {'type': '01', 'base64': 'AQAAAAAA+P8='}}", "{'$numberDecimal': 'Infinity'}",
     "{'$numberDouble': 'Infinity'}", "[{'$numberDouble': 'NaN'}]"},
    {"1.5", "{'$numberDecimal': '1.5'}", "{'$numberDecimal': '1.50'}", "2.5",
     "{'$numberDecimal': '2.5'}", "2", "1", "3.5", "{'$numberDecimal': '3.5'}"},
    {"null", "{'$undefined': true}", "[]", "[null]", "[{'$undefined': true}]", "[[]]", "[null, []]",
     "{}", "[{}]"},
    {"'a'", "'A'", "'\xc3\xa1'", "'b'", "['a', 'B']", "['b']", "{'$symbol': 'a'}",
     "{'$symbol': 'A'}", "[{'$symbol': 'b'}]", "''", "'ab'"},
    {"[1, 2]", "[2, 3]", "[3]", "[3, 3]", "2", "[[1, 2]]", "[[1], [2]]", "[[1.0, 2]]", "[1, [2]]",
     "[[[1, 2]]]", "[]"},
    {"{'a': 1, 'b': 2}", "{'b': 2, 'a': 1}", "{'a': 1.0, 'b': 2}", "{'a': 1}", "[{'a': 1, 'b': 2}]",
     "{'a': [1, 2], 'b': 2}", "{'a': null, 'b': 2}", "{'b': 2}", "{'a': 1, 'a': 3, 'b': 2}"},
    {"[{'a': 1, 'b': 2}, {'a': 2}]", "[{'a': 2}]", "[{'a': 1}, {'b': 2}]",
     "[{'a': [1, 2], 'b': 2}]", "[{'a': [1], 'b': [2]}]", "{'a': 2}", "[{'a': 2}, 5]",
     "[[{'a': 2}]]", "[[{'a': 1}], {'a': 2}]", "[{'a': []}, {'a': 2}]", "[[], {'a': 2}]"},
    {"[[{'a': 1}], [{'a': 2}]]", "[{'a': [1, 2]}, {'a': 3}]", "[{'a': [1]}, {'a': [1]}]",
     "[[1], [2]]", "[[[1]], 2]", "[[{'a': 1}]]", "[{'a': 1}, [3]]", "[[1], {'a': [2]}]",
     "[[{'0': 1}]]", "{'0': [3, 2]}", "[[1, 2], {'a': 2, 'b': {'c': 1}}]",
     "[{'a': 1, 'b': [{'c': 1}, {'c': 2}]}]"},
    {"[1, 2]", "[[1, 2], 3]", "{'0': 1}", "[{'0': 1}]", "[1, {'0': 1}]", "{'0': [1, 2]}",
     "[[{'a': 1}, {'a': 2}]]", "[{'a': 1}]", "{'0': {'a': 1}}", "[[], 1]", "[[1], [2]]",
     "{'a': [1, 2]}"},
    {"{'a': 'x'}", "{'a': 'X'}", "{'a': {'$symbol': 'x'}}", "[{'a': {'$symbol': 'x'}}]", "[['x']]",
     "[['X']]", "[[{'$symbol': 'x'}]]", "{'$code': 'x', '$scope': {'a': 'x'}}",
     "{'$code': 'x', '$scope': {'a': 'X'}}", "{'$code': 'x'}", "{'$code': 'X'}"},
    {"{'$timestamp': {'t': 0, 'i': 0}}", "{'$timestamp': {'t': 0, 'i': 1}}",
     "{'$date': {'$numberLong': '0'}}", "[{'$timestamp': {'t': 0, 'i': 0}}]", "{'$minKey': 1}",
     "{'$maxKey': 1}", "{'$oid': '000000000000000000000000'}", "true"},
};

enum { GROUPS = sizeof groups / sizeof *groups, LONG_TEXTS = GROUPS, ANYTHING };

unsigned sp_unique_group(sp_producer_t *producer)
{
    return sp_draw_below(producer, ANYTHING + 1);
}

/* Longer than an index entry could once be, and different in the last letter alone. */
static void append_long_text(sp_producer_t *producer, bson_t *doc, const char *key)
{
    char text[LONG_TEXT];
    memset(text, 'x', sizeof text);
    text[sizeof text - 1] = (char)('x' + sp_draw_below(producer, 2));
    bson_append_utf8(doc, key, -1, text, sizeof text);
}

static void append_json(bson_t *doc, const char *key, const char *json)
{
    char text[256];
    bson_t held;
    bson_iter_t iter;
    size_t size = 0;
    const char *const pieces[] = {"{\"v\": ", json, "}"};
    for (unsigned i = 0; i < 3; i++) {
        for (const char *at = pieces[i]; *at != '\0'; at++) {
            assert(size < sizeof text);
            text[size] = *at;
            if (*at == '\'')
                text[size] = '"';
            size++;
        }
    }
    bool read = sp_json_read(text, size, &held, NULL) && bson_iter_init_find(&iter, &held, "v");
    assert(read);
    sp_value_t value = sp_value_of(&iter);
    sp_value_append(doc, key, &value);
    bson_destroy(&held);
}

void sp_gen_unique_value(sp_producer_t *producer, unsigned group, bson_t *doc, const char *key)
{
    if (group == LONG_TEXTS) {
        append_long_text(producer, doc, key);
        return;
    }
    if (group > LONG_TEXTS) {
        sp_gen_value(producer, doc, key);
        return;
    }
    uint32_t count = 0;
    while (count < GROUP_MAX && groups[group][count] != NULL)
        count++;
    append_json(doc, key, groups[group][sp_draw_below(producer, count)]);
}
