#include "gen_collation.h"
#include "gen_filter.h"
#include "gen_questions.h"
#include "gen_value.h"

#include "../oracles/model.h"

#include <string.h>

/* The filter, and with what likelihood it asks for the whole shard key (then for `values`) or for
 * one _id. */
static void append_filter(sp_producer_t *producer, const sp_layout_draw_t *layout,
                          const bson_t *scene, sp_write_kind_t kind, const bson_t *values,
                          bson_t *write)
{
    bson_t filter = BSON_INITIALIZER;
    bool upserts = kind == SP_UPSERT;
    bool is_many = kind == SP_UPDATE_MANY || kind == SP_DELETE_MANY;
    uint32_t choice = sp_draw_below(producer, 16);
    if (choice < (upserts ? 8u : is_many ? 1u : 3u))
        sp_gen_key_filter(producer, layout, values, &filter);
    else if (choice < (upserts ? 9u : is_many ? 4u : 8u))
        sp_gen_id_filter(producer, layout, &filter);
    else
        sp_gen_filter(producer, layout, &filter);
    if (!sp_collation_bears_filter(scene, &filter))
        bson_reinit(&filter);
    BSON_APPEND_DOCUMENT(write, "filter", &filter);
    bson_destroy(&filter);
}

/* Other values than those that the filter asks for, or the same ones, with an array here and there.
 */
static void draw_stored_values(sp_producer_t *producer, const sp_layout_draw_t *layout,
                               const bson_t *values, bson_t *stored)
{
    bson_iter_t iter;
    bson_t drawn = BSON_INITIALIZER, array;
    bool others = sp_draw_one_in(producer, 2);
    if (others)
        sp_gen_key_values(producer, layout, &drawn);
    if (bson_iter_init(&iter, others ? &drawn : values)) {
        while (bson_iter_next(&iter)) {
            sp_value_t value = sp_value_of(&iter);
            const char *name = bson_iter_key(&iter);
            if (sp_draw_one_in(producer, 24)) {
                BSON_APPEND_ARRAY_BEGIN(stored, name, &array);
                sp_value_append(&array, "0", &value);
                bson_append_array_end(stored, &array);
            } else {
                sp_value_append(stored, name, &value);
            }
        }
    }
    bson_destroy(&drawn);
}

static unsigned draw_stored_fields(sp_producer_t *producer)
{
    uint32_t choice = sp_draw_below(producer, 8);
    if (choice < 5)
        return ~0u;
    return choice < 7 ? sp_draw_below(producer, 1u << SP_SHAPE_FIELDS) : 0;
}

static void append_replacement(sp_producer_t *producer, const sp_layout_draw_t *layout,
                               const bson_t *values, bson_t *write)
{
    bson_t replacement = BSON_INITIALIZER, stored = BSON_INITIALIZER;
    draw_stored_values(producer, layout, values, &stored);
    BSON_APPEND_INT32(&replacement, "w", 5);
    sp_gen_key_document(layout, &stored, draw_stored_fields(producer), 0, &replacement);
    if (!bson_has_field(&replacement, "_id") && sp_draw_one_in(producer, 4)) {
        if (sp_draw_one_in(producer, 3))
            BSON_APPEND_UTF8(&replacement, "_id", "a");
        else
            BSON_APPEND_INT32(&replacement, "_id", (int32_t)sp_draw_below(producer, 10));
    }
    BSON_APPEND_DOCUMENT(write, "update", &replacement);
    bson_destroy(&replacement);
    bson_destroy(&stored);
}

static void append_write(sp_producer_t *producer, const sp_layout_draw_t *layout,
                         const bson_t *scene, bson_t *write)
{
    static const char *const names[SP_WRITE_KINDS] = {"updateOne",  "updateMany", "upsert",
                                                      "replaceOne", "deleteOne",  "deleteMany"};
    bson_t values = BSON_INITIALIZER;
    sp_write_kind_t kind = (sp_write_kind_t)(sp_draw_bits(producer, 2) % SP_WRITE_KINDS);
    BSON_APPEND_UTF8(write, "op", names[kind]);
    sp_gen_key_values(producer, layout, &values);
    append_filter(producer, layout, scene, kind, &values, write);
    sp_gen_query_collation(producer, scene, write);
    if (kind == SP_REPLACE_ONE)
        append_replacement(producer, layout, &values, write);
    bson_destroy(&values);
}

void sp_gen_write(const sp_scene_context_t *context, sp_producer_t *producer, bson_t *scene)
{
    sp_gen_layout_and_questions(context, producer, "writes", SP_WRITE_WRITES, append_write, scene);
}
