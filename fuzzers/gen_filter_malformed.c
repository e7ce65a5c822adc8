#include "gen_filter_parts.h"

#include "../oracles/extjson.h"

#include <assert.h>
#include <string.h>

enum { TEXT_SIZE = 128 };

/* What stands behind a path; single quotes stand for double ones. */
static const char *const expressions[] = {
    "{'$foo': 1}",
    "{'$gt': 1, '$foo': 1}",
    "{'$gt': 1, 'b': 2}",
    "{'$and': [{'a': 1}]}",
    "{'$gt': {'$regularExpression': {'pattern': '^a', 'options': ''}}}",
    "{'$lte': {'$regularExpression': {'pattern': 'a', 'options': 'i'}}}",
    "{'$ne': {'$regularExpression': {'pattern': '^a', 'options': ''}}}",
    "{'$eq': {'$undefined': true}}",
    "{'$gte': {'$undefined': true}}",
    "{'$in': 1}",
    "{'$in': {}}",
    "{'$in': null}",
    "{'$in': [1, {'$gt': 1}]}",
    "{'$in': [{'$undefined': true}]}",
    "{'$nin': 'a'}",
    "{'$nin': [{'$eq': 1}]}",
    "{'$mod': [2]}",
    "{'$mod': []}",
    "{'$mod': [2, 1, 0]}",
    "{'$mod': [0, 1]}",
    "{'$mod': ['a', 1]}",
    "{'$mod': [2, 'a']}",
    "{'$mod': 2}",
    "{'$type': 'foo'}",
    "{'$type': 99}",
    "{'$type': 0}",
    "{'$type': 1.5}",
    "{'$type': []}",
    "{'$type': ['int', 'foo']}",
    "{'$type': null}",
    "{'$size': -1}",
    "{'$size': 1.5}",
    "{'$size': 'a'}",
    "{'$size': null}",
    "{'$regex': 5}",
    "{'$regex': '('}",
    "{'$regex': 'a', '$options': 'g'}",
    "{'$regex': 'a', '$options': 1}",
    "{'$regex': {'$regularExpression': {'pattern': 'a', 'options': 'i'}}, '$options': 'i'}",
    "{'$options': 'i'}",
    "{'$all': 5}",
    "{'$all': {'$elemMatch': {'a': 1}}}",
    "{'$all': [{'$gt': 1}]}",
    "{'$all': [{'$elemMatch': {'a': 1}}, 5]}",
    "{'$all': [5, {'$elemMatch': {'a': 1}}]}",
    "{'$elemMatch': 5}",
    "{'$elemMatch': []}",
    "{'$elemMatch': {'$foo': 1}}",
    "{'$elemMatch': {'$gt': 1, 'a': 1}}",
    "{'$not': 5}",
    "{'$not': {}}",
    "{'$not': []}",
    "{'$not': {'a': 1}}",
    "{'$not': {'$foo': 1}}",
    "{'$not': null}",
};

/* What stands in a filter. */
static const char *const clauses[] = {
    "{'$foo': 1}",
    "{'$gt': 1}",
    "{'$not': {'x': 1}}",
    "{'$and': []}",
    "{'$or': []}",
    "{'$nor': []}",
    "{'$and': {'x': 1}}",
    "{'$or': 5}",
    "{'$nor': null}",
    "{'$and': [5]}",
    "{'$or': [{'x': 1}, 5]}",
    "{'$or': [{'x': 1}, {'$and': []}]}",
    "{'$nor': [[]]}",
    "{'$in': [1]}",
};

static void read_text(const char *text, bson_t *doc)
{
    char json[TEXT_SIZE];
    size_t size = strlen(text);
    assert(size < sizeof json);
    for (size_t i = 0; i <= size; i++)
        json[i] = (char)(text[i] == '\'' ? '"' : text[i]);
    bool read = sp_json_read(json, size, doc, NULL);
    assert(read);
}

void sp_gen_malformed(sp_filter_draw_t *draw, bson_t *doc)
{
    bson_t part;
    if (sp_draw_one_in(draw->producer, 4)) {
        const uint32_t count = sizeof clauses / sizeof *clauses;
        read_text(clauses[sp_draw_below(draw->producer, count)], &part);
        bson_concat(doc, &part);
    } else {
        const uint32_t count = sizeof expressions / sizeof *expressions;
        read_text(expressions[sp_draw_below(draw->producer, count)], &part);
        const sp_pattern_t *pattern = draw->layout->pattern;
        uint32_t field = sp_draw_below(draw->producer, pattern->field_count + 1);
        BSON_APPEND_DOCUMENT(doc, field < pattern->field_count ? pattern->fields[field].text : "w",
                             &part);
    }
    bson_destroy(&part);
}
