#include "gen_collation.h"
#include "gen_unique_parts.h"
#include "scenes.h"

#include <stdio.h>

void sp_gen_unique(const sp_scene_context_t *context, sp_producer_t *producer, bson_t *scene)
{
    sp_layout_draw_t layout;
    bson_t requests = BSON_INITIALIZER;
    sp_gen_layout(context, producer, &layout, scene);
    sp_gen_collection_collation(producer, scene);
    BSON_APPEND_INT32(scene, "shards", (int32_t)context->shards);
    /* A hashed key cannot be unique. */
    bool unique = sp_draw_one_in(producer, layout.pattern->hashed < 0 ? 2 : 32);
    BSON_APPEND_BOOL(scene, "unique", unique);
    sp_gen_unique_indexes(producer, &layout, scene);
    for (uint32_t i = 0; i < SP_UNIQUE_REQUESTS; i++) {
        char place[16];
        bson_t request = BSON_INITIALIZER;
        snprintf(place, sizeof place, "%u", i);
        sp_gen_unique_docs(producer, &layout, &request);
        BSON_APPEND_DOCUMENT(&requests, place, &request);
        bson_destroy(&request);
    }
    BSON_APPEND_ARRAY(scene, "requests", &requests);
    bson_destroy(&requests);
    sp_layout_draw_clear(&layout);
}
