/*
 * Why a check of soundness went wrong, in words that are the same for what looks alike.
 */
#ifndef SHARDPROOF_SOUNDNESS_CAUSE_H
#define SHARDPROOF_SOUNDNESS_CAUSE_H

#include "soundness.h"

typedef enum sp_symptom {
    SP_SYMPTOM_NONE = 0,
    SP_SYMPTOM_LOST,
    SP_SYMPTOM_INVISIBLE,
    SP_SYMPTOM_UNMATCHED,
    SP_SYMPTOM_INDEX_MISSES,
    SP_SYMPTOM_NOT_ASKED,
    SP_SYMPTOM_REFUSED_BUT_STORED,
    SP_SYMPTOM_STORED_TWICE,
    SP_SYMPTOM_GIVEN_TWICE,
    SP_SYMPTOM_INDEX_ADDS,
    SP_SYMPTOM_ROUTER_ADDS,
    SP_SYMPTOM_ENDLESS,
    SP_SYMPTOM_INDEX_REFUSES,
    SP_SYMPTOM_ROUTER_REFUSES,
    SP_SYMPTOM_SHARDS_REFUSE,
    SP_SYMPTOMS /* how many there are */
} sp_symptom_t;

/* Appends {cause: "…"} to `answer`. `which` is the place of the document in question, or of the
 * last three symptoms the error's code. */
void sp_soundness_append_cause(const sp_soundness_t *scene, const bson_t *check,
                               sp_symptom_t symptom, int64_t which, bson_t *answer);

/* Whether `cause` tells of that symptom. */
bool sp_symptom_is(const char *cause, sp_symptom_t symptom);

#endif
