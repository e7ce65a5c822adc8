#include "gen_collation.h"
#include "gen_filter.h"
#include "gen_questions.h"

static void append_query(sp_producer_t *producer, const sp_layout_draw_t *layout,
                         const bson_t *scene, bson_t *query)
{
    bson_t filter = BSON_INITIALIZER;
    const char *op = sp_draw_below(producer, 100) >= 85 ? "aggregate" : "find";
    BSON_APPEND_UTF8(query, "op", op);
    sp_gen_filter(producer, layout, &filter);
    if (!sp_collation_bears_filter(scene, &filter))
        bson_reinit(&filter);
    BSON_APPEND_DOCUMENT(query, "filter", &filter);
    bson_destroy(&filter);
    sp_gen_query_collation(producer, scene, query);
}

void sp_gen_find(const sp_scene_context_t *context, sp_producer_t *producer, bson_t *scene)
{
    sp_layout_draw_t layout;
    if (sp_draw_one_in(producer, 8))
        sp_gen_large_layout(context, producer, &layout, scene);
    else
        sp_gen_layout(context, producer, &layout, scene);
    sp_gen_questions(context, producer, &layout, "queries", SP_FIND_QUERIES, append_query, scene);
    sp_layout_draw_clear(&layout);
}
