/*
 * Scenes that ask many questions of one layout.
 */
#ifndef SHARDPROOF_GEN_QUESTIONS_H
#define SHARDPROOF_GEN_QUESTIONS_H

#include "gen_layout.h"

/* Appends to `question` what is asked of the layout of `scene`. */
typedef void sp_gen_question_t(sp_producer_t *producer, const sp_layout_draw_t *layout,
                               const bson_t *scene, bson_t *question);

/* Appends to a scene that has its `key` and `chunks` the rest: `collation`, `shards`, and `count`
 * questions as the array `name`. */
void sp_gen_questions(const sp_scene_context_t *context, sp_producer_t *producer,
                      const sp_layout_draw_t *layout, const char *name, uint32_t count,
                      sp_gen_question_t *append, bson_t *scene);

/* A whole scene: a layout that sp_gen_layout draws, and such questions of it. */
void sp_gen_layout_and_questions(const sp_scene_context_t *context, sp_producer_t *producer,
                                 const char *name, uint32_t count, sp_gen_question_t *append,
                                 bson_t *scene);

#endif
