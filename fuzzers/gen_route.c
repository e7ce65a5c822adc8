#include "gen_documents.h"

void sp_gen_route(const sp_scene_context_t *context, sp_producer_t *producer, bson_t *scene)
{
    sp_layout_draw_t layout;
    bson_t docs = BSON_INITIALIZER;
    sp_gen_layout(context, producer, &layout, scene);
    sp_gen_documents(producer, &layout, SP_ROUTE_DOCS, &docs);
    BSON_APPEND_ARRAY(scene, "docs", &docs);
    bson_destroy(&docs);
    sp_layout_draw_clear(&layout);
}
