#include "gen_keychange_parts.h"

#include "gen_collation.h"
#include "gen_filter_parts.h"

#include <string.h>

static void append_equality(const sp_keychange_draw_t *draw, const char *path,
                            const sp_value_t *value, bson_t *filter)
{
    bson_t expression;
    if (sp_operand_is_plain(value) && !sp_draw_one_in(draw->producer, 12)) {
        sp_value_append(filter, path, value);
        return;
    }
    BSON_APPEND_DOCUMENT_BEGIN(filter, path, &expression);
    sp_value_append(&expression, "$eq", value);
    bson_append_document_end(filter, &expression);
}

static void append_id(const sp_keychange_draw_t *draw, bson_t *filter)
{
    bson_iter_t iter;
    if (!bson_iter_init_find(&iter, &draw->doc, "_id"))
        return;
    sp_value_t id = sp_value_of(&iter);
    append_equality(draw, "_id", &id, filter);
}

/* The object or other value that the document has at the top of the field's path. */
static void append_parent(const sp_keychange_draw_t *draw, unsigned field, bson_t *filter)
{
    const char *name = draw->layout->pattern->fields[field].parts;
    bson_iter_t iter;
    sp_value_t value = {.type = BSON_TYPE_NULL};
    if (bson_iter_init_find(&iter, &draw->doc, name))
        value = sp_value_of(&iter);
    if (!bson_has_field(filter, name))
        append_equality(draw, name, &value, filter);
}

/* An equality for each field of the pattern that has its bit in `fields`, with the document's own
 * value. */
static void append_fields(const sp_keychange_draw_t *draw, unsigned fields, bool parents,
                          bson_t *filter)
{
    bson_iter_t iter;
    if (!bson_iter_init(&iter, &draw->values))
        return;
    for (unsigned i = 0; bson_iter_next(&iter); i++) {
        sp_value_t value = sp_value_of(&iter);
        if ((fields & 1u << i) == 0)
            continue;
        if (parents)
            append_parent(draw, i, filter);
        else if (!bson_has_field(filter, draw->layout->pattern->fields[i].text))
            append_equality(draw, draw->layout->pattern->fields[i].text, &value, filter);
    }
}

static void draw_filter(const sp_keychange_draw_t *draw, bson_t *filter)
{
    sp_producer_t *producer = draw->producer;
    uint32_t choice = sp_draw_below(producer, 32);
    if (choice >= 30) {
        sp_gen_filter(producer, draw->layout, filter);
    } else if (choice >= 29) {
        sp_gen_id_filter(producer, draw->layout, filter);
    } else if (choice >= 26) {
        sp_gen_key_filter(producer, draw->layout, &draw->values, filter);
        if (sp_draw_one_in(producer, 4) && !bson_has_field(filter, "_id"))
            append_id(draw, filter);
    } else {
        bool has_id = choice < 22;
        bool parents = sp_draw_one_in(producer, 10);
        unsigned fields = choice < 17   ? ~0u
                          : choice < 20 ? 0
                                        : sp_draw_below(producer, 1u << SP_SHAPE_FIELDS);
        bool id_first = sp_draw_one_in(producer, 2);
        if (has_id && id_first)
            append_id(draw, filter);
        append_fields(draw, fields, parents, filter);
        if (has_id && !id_first && !bson_has_field(filter, "_id"))
            append_id(draw, filter);
    }
}

void sp_gen_keychange_filter(const sp_keychange_draw_t *draw, const bson_t *scene, bson_t *question)
{
    bson_t filter = BSON_INITIALIZER;
    draw_filter(draw, &filter);
    if (!sp_collation_bears_filter(scene, &filter))
        bson_reinit(&filter);
    BSON_APPEND_DOCUMENT(question, "filter", &filter);
    bson_destroy(&filter);
}
