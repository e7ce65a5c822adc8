/*
 * An area of behaviour: one generator, one predictor, one executor, one judge.
 *
 * All areas stand in one table (areas.c). Adding one adds its row, its generator in fuzzers/, its
 * predictor in oracles/ and its executor here, and touches nothing else.
 */
#ifndef SHARDPROOF_AREA_H
#define SHARDPROOF_AREA_H

#include "../fuzzers/scenes.h"
#include "../oracles/case.h"
#include "../oracles/soundness.h"
#include "session.h"

typedef struct sp_area {
    const char *name;
    const char *summary;
    const char *rule;       /* what the model holds the server to, in words, for reports */
    unsigned needs;         /* sp_capability_t of the server, or'ed */
    uint32_t seed_bytes;    /* how many bytes of the seed a scene may use up */
    uint32_t scene_answers; /* questions in one scene */
    uint32_t batch;         /* scenes that are executed together */
    const char *questions;  /* the case's array with one element for each question; NULL: the case
                               as a whole is one */
    unsigned weight;        /* share of the time of a run with a time limit */
    bool on_request;        /* a run leaves it out unless it is named */
    bool judges_itself;     /* the server is held against itself: no model is asked */

    void (*generate)(const sp_scene_context_t *context, sp_producer_t *producer, bson_t *scene);
    bool (*predict)(sp_model_t *model, const bson_t *test, sp_answers_t *answers,
                    sp_error_t *error);
    /* Appends to `observed` one answer for each question of each case. False: the batch as a whole
     * failed (SP_ERROR_SERVER, SP_ERROR_INFRA); `observed` is then cut back by the caller. */
    bool (*execute)(sp_session_t *session, bson_t *const *cases, uint32_t count,
                    sp_answers_t *observed, sp_error_t *error);
    /* Appends to `narrow` the case of one question alone (but for `area`), to show again what was
     * observed. NULL: the case without its other questions. */
    void (*narrow)(const bson_t *test, uint32_t check, const bson_t *observed, bson_t *narrow);
} sp_area_t;

/* The table; ends after *count rows. */
const sp_area_t *sp_areas(unsigned *count);
/* NULL for an unknown name. */
const sp_area_t *sp_area_find(const char *name);
/* The area that a case names; NULL and SP_ERROR_INPUT where it names none. */
const sp_area_t *sp_area_of(const bson_t *test, sp_error_t *error);

/* Whether the target has what the area needs; else SP_ERROR_USAGE. */
bool sp_area_fits(const sp_area_t *area, const sp_target_t *target, sp_error_t *error);

/* For executors that take one case at a time: the first that fails ends it. */
bool sp_execute_each(sp_session_t *session, bson_t *const *cases, uint32_t count,
                     bool (*execute_one)(sp_session_t *session, const bson_t *test,
                                         sp_answers_t *observed, sp_error_t *error),
                     sp_answers_t *observed, sp_error_t *error);

/* The executors of the table. */
bool sp_execute_hash(sp_session_t *session, bson_t *const *cases, uint32_t count,
                     sp_answers_t *observed, sp_error_t *error);
bool sp_execute_order(sp_session_t *session, bson_t *const *cases, uint32_t count,
                      sp_answers_t *observed, sp_error_t *error);
bool sp_execute_route(sp_session_t *session, bson_t *const *cases, uint32_t count,
                      sp_answers_t *observed, sp_error_t *error);
bool sp_execute_find(sp_session_t *session, bson_t *const *cases, uint32_t count,
                     sp_answers_t *observed, sp_error_t *error);
bool sp_execute_write(sp_session_t *session, bson_t *const *cases, uint32_t count,
                      sp_answers_t *observed, sp_error_t *error);
bool sp_execute_soundness(sp_session_t *session, bson_t *const *cases, uint32_t count,
                          sp_answers_t *observed, sp_error_t *error);

bool sp_execute_shardcollection(sp_session_t *session, bson_t *const *cases, uint32_t count,
                                sp_answers_t *observed, sp_error_t *error);
bool sp_execute_chunks(sp_session_t *session, bson_t *const *cases, uint32_t count,
                       sp_answers_t *observed, sp_error_t *error);
bool sp_execute_index(sp_session_t *session, bson_t *const *cases, uint32_t count,
                      sp_answers_t *observed, sp_error_t *error);
bool sp_execute_unique(sp_session_t *session, bson_t *const *cases, uint32_t count,
                       sp_answers_t *observed, sp_error_t *error);
bool sp_execute_keychange(sp_session_t *session, bson_t *const *cases, uint32_t count,
                          sp_answers_t *observed, sp_error_t *error);
bool sp_execute_refine(sp_session_t *session, bson_t *const *cases, uint32_t count,
                       sp_answers_t *observed, sp_error_t *error);
bool sp_execute_reshard(sp_session_t *session, bson_t *const *cases, uint32_t count,
                        sp_answers_t *observed, sp_error_t *error);

/* The command that asks for the hashes of all cases at once; for measuring what the server alone
 * can do. */
void sp_build_hash_command(bson_t *command, bson_t *const *cases, uint32_t count);
/* The explain that asks a router for the shards of one query ({op, filter, collation}); likewise.
 */
void sp_build_explain(bson_t *command, const char *collection, const bson_iter_t *query);

#endif
