#include "gen_value.h"
#include "scenes.h"

void sp_gen_hash(const sp_scene_context_t *context, sp_producer_t *producer, bson_t *scene)
{
    (void)context;
    sp_gen_value(producer, scene, "value");
}
