#include "gen_collation.h"
#include "gen_filter.h"

#include <stdio.h>

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
    sp_gen_collection_collation(producer, scene);
    BSON_APPEND_INT32(scene, "shards", (int32_t)context->shards);

    bson_t queries = BSON_INITIALIZER;
    for (int32_t i = 0; i < SP_FIND_QUERIES; i++) {
        char index[16];
        snprintf(index, sizeof index, "%d", i);
        bson_t query;
        BSON_APPEND_DOCUMENT_BEGIN(&queries, index, &query);
        append_query(producer, &layout, scene, &query);
        bson_append_document_end(&queries, &query);
    }
    BSON_APPEND_ARRAY(scene, "queries", &queries);
    bson_destroy(&queries);
    sp_layout_draw_clear(&layout);
}
