/*
 * Counts what an area's generator draws: each declared kind must come often enough.
 */
#ifndef SHARDPROOF_KINDS_COUNT_H
#define SHARDPROOF_KINDS_COUNT_H

#include "../fuzzers/kinds.h"
#include "../fuzzers/scenes.h"
#include "../oracles/case.h"

typedef struct sp_kinds_area {
    const char *name;
    void (*generate)(const sp_scene_context_t *context, sp_producer_t *producer, bson_t *scene);
    bool (*predict)(sp_model_t *model, const bson_t *test, sp_answers_t *answers,
                    sp_error_t *error);
    unsigned scenes;    /* enough that each shape of shard key comes often */
    unsigned questions; /* of each scene */
} sp_kinds_area_t;

/* Draws the scenes from fixed seeds, predicts them, and fails where one cannot be predicted, has
 * another number of questions, or a kind makes up less than SP_KIND_SHARE of all. */
void sp_assert_kinds_come(const sp_kinds_area_t *area);

#endif
