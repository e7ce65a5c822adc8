#include "gen_questions.h"

#include "gen_collation.h"

void sp_gen_questions(const sp_scene_context_t *context, sp_producer_t *producer,
                      const sp_layout_draw_t *layout, const char *name, uint32_t count,
                      sp_gen_question_t *append, bson_t *scene)
{
    sp_gen_collection_collation(producer, scene);
    BSON_APPEND_INT32(scene, "shards", (int32_t)context->shards);
    bson_t questions = BSON_INITIALIZER;
    for (uint32_t i = 0; i < count; i++) {
        char buffer[16];
        const char *index;
        bson_t question;
        bson_uint32_to_string(i, &index, buffer, sizeof buffer);
        BSON_APPEND_DOCUMENT_BEGIN(&questions, index, &question);
        append(producer, layout, scene, &question);
        bson_append_document_end(&questions, &question);
    }
    BSON_APPEND_ARRAY(scene, name, &questions);
    bson_destroy(&questions);
}

void sp_gen_layout_and_questions(const sp_scene_context_t *context, sp_producer_t *producer,
                                 const char *name, uint32_t count, sp_gen_question_t *append,
                                 bson_t *scene)
{
    sp_layout_draw_t layout;
    sp_gen_layout(context, producer, &layout, scene);
    sp_gen_questions(context, producer, &layout, name, count, append, scene);
    sp_layout_draw_clear(&layout);
}
