/*
 * A batch: scenes of one area on their way from generation to verdicts.
 *
 * Memory is used again from batch to batch. The batch is what is "current" in a worker: it knows
 * the seed and the scenes it holds, so that whatever goes wrong can name its culprit.
 */
#ifndef SHARDPROOF_BATCH_H
#define SHARDPROOF_BATCH_H

#include "area.h"

typedef struct sp_batch {
    const sp_area_t *area;
    uint64_t first_scene;
    uint32_t count;
    bson_t **cases;         /* one for each scene */
    uint32_t *first_answer; /* where each scene's answers begin; one more entry than scenes */
    sp_answers_t expected, observed;
    uint32_t capacity;
    uint8_t *seed_bytes;
} sp_batch_t;

void sp_batch_init(sp_batch_t *batch);
void sp_batch_clear(sp_batch_t *batch);

/* Draws `count` scenes from `first_scene` on. */
void sp_batch_generate(sp_batch_t *batch, const sp_area_t *area, const sp_scene_context_t *context,
                       uint64_t seed, uint64_t first_scene, uint32_t count);

/* Takes one case that was read from a file. */
void sp_batch_take(sp_batch_t *batch, const sp_area_t *area, const bson_t *test);

/* The same, and finds the case's area and asks the model. SP_ERROR_INPUT where the case is none. */
bool sp_batch_take_case(sp_batch_t *batch, const bson_t *test, sp_model_t *model,
                        sp_error_t *error);

/* Asks the model. SP_ERROR_INPUT where a case is none. */
bool sp_batch_predict(sp_batch_t *batch, sp_model_t *model, sp_error_t *error);

/* Asks the server. Where the batch as a whole fails it is cut in halves until the culprit stands
 * alone; that one's answers are then the server's error, or {infrastructure: …} after a second try.
 * False only where the target is given up, a stop was requested, or the target is none for such
 * cases (SP_ERROR_USAGE: it has too few shards, say). */
bool sp_batch_execute(sp_batch_t *batch, sp_session_t *session, sp_error_t *error);

/* The case of one question alone: the scene without its other documents. Destroy it. */
bson_t *sp_batch_narrow(const sp_batch_t *batch, uint32_t scene, uint32_t check);

#endif
