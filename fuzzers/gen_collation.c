#include "gen_collation.h"

#include "../oracles/extjson.h"
#include "../oracles/value.h"

#include <assert.h>
#include <string.h>

static const char simple[] = "{\"locale\": \"simple\"}";

static const char *const valid[] = {
    "{\"locale\": \"fr\"}",
    "{\"locale\": \"en\", \"strength\": 1}",
    "{\"locale\": \"en\", \"strength\": 2}",
    "{\"locale\": \"en\"}",
    "{\"locale\": \"en_US\", \"strength\": 3}",
    "{\"locale\": \"de\", \"strength\": 1, \"caseLevel\": true}",
    "{\"locale\": \"sv\"}",
    "{\"locale\": \"es\", \"strength\": 3, \"caseFirst\": \"off\"}",
    "{\"locale\": \"en\", \"numericOrdering\": true}",
    "{\"locale\": \"en\", \"alternate\": \"shifted\"}",
    "{\"locale\": \"fr\", \"backwards\": true}",
    simple,
};

static const char *const invalid[] = {
    "{\"locale\": \"xx\"}",
    "{\"locale\": \"en\", \"strength\": 9}",
    "{\"locale\": \"en\", \"foo\": 1}",
    "{\"strength\": 2}",
    "{\"locale\": 5}",
    "{\"locale\": \"en\", \"caseFirst\": \"x\"}",
};

static void append_text(bson_t *doc, const char *text)
{
    bson_t collation;
    bool read = sp_json_read(text, strlen(text), &collation, NULL);
    assert(read);
    BSON_APPEND_DOCUMENT(doc, "collation", &collation);
    bson_destroy(&collation);
}

static const char *draw_valid(sp_producer_t *producer)
{
    return valid[sp_draw_below(producer, sizeof valid / sizeof *valid)];
}

static bool is_id_key(const bson_t *scene)
{
    bson_iter_t iter, key;
    if (!bson_iter_init_find(&iter, scene, "key") || !bson_iter_recurse(&iter, &key) ||
        !bson_iter_next(&key))
        return false;
    return strcmp(bson_iter_key(&key), "_id") == 0 && !BSON_ITER_HOLDS_UTF8(&key) &&
           !bson_iter_next(&key);
}

void sp_gen_collection_collation(sp_producer_t *producer, bson_t *scene)
{
    if (sp_draw_one_in(producer, 5) && !is_id_key(scene))
        append_text(scene, draw_valid(producer));
    else
        BSON_APPEND_NULL(scene, "collation");
}

void sp_gen_index_collation(sp_producer_t *producer, bson_t *index)
{
    append_text(index, draw_valid(producer));
}

/* Whether a symbol is anywhere in the value, and a field name anywhere in it is "_id". */
static void look_for_symbol_and_id(const sp_value_t *value, bool *has_symbol, bool *has_id)
{
    bson_iter_t iter;
    *has_symbol = *has_symbol || value->type == BSON_TYPE_SYMBOL;
    if (!sp_value_has_children(value) || !sp_value_children(value, &iter))
        return;
    while (bson_iter_next(&iter)) {
        sp_value_t child = sp_value_of(&iter);
        *has_id = *has_id || strcmp(bson_iter_key(&iter), "_id") == 0;
        look_for_symbol_and_id(&child, has_symbol, has_id);
    }
}

bool sp_collation_bears_filter(const bson_t *scene, const bson_t *filter)
{
    bson_iter_t iter;
    bool has_symbol = false, has_id = false;
    if (!bson_iter_init_find(&iter, scene, "collation") || !BSON_ITER_HOLDS_DOCUMENT(&iter))
        return true;
    const sp_value_t whole = {BSON_TYPE_DOCUMENT, filter->len, bson_get_data(filter)};
    look_for_symbol_and_id(&whole, &has_symbol, &has_id);
    return !has_symbol || !has_id;
}

void sp_gen_query_collation(sp_producer_t *producer, const bson_t *scene, bson_t *query)
{
    bson_iter_t own;
    uint32_t choice = sp_draw_below(producer, 16);
    if (choice < 12)
        return;
    bool has_own = bson_iter_init_find(&own, scene, "collation") && BSON_ITER_HOLDS_DOCUMENT(&own);
    if (choice == 15 && has_own)
        bson_append_iter(query, "collation", -1, &own);
    else if (choice == 14)
        append_text(query, simple);
    else if (choice == 13 && sp_draw_one_in(producer, 16))
        append_text(query, invalid[sp_draw_below(producer, sizeof invalid / sizeof *invalid)]);
    else
        append_text(query, draw_valid(producer));
}
