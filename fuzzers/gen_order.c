#include "gen_value.h"
#include "scenes.h"

#include <assert.h>

void sp_gen_order(const sp_scene_context_t *context, sp_producer_t *producer, bson_t *scene)
{
    (void)context;
    bson_t first = BSON_INITIALIZER;
    bson_iter_t iter;
    sp_gen_value(producer, &first, "0");
    bool found = bson_iter_init_find(&iter, &first, "0");
    assert(found);
    sp_value_t value = sp_value_of(&iter);

    bson_t values;
    BSON_APPEND_ARRAY_BEGIN(scene, "values", &values);
    sp_value_append(&values, "0", &value);
    if (sp_draw_one_in(producer, 3))
        sp_gen_value(producer, &values, "1");
    else
        sp_gen_value_near(producer, &value, &values, "1");
    bson_append_array_end(scene, &values);
    bson_destroy(&first);
}
