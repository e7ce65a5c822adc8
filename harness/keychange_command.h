/*
 * The commands that one question of the keychange area is asked by, and what their replies say.
 */
#ifndef SHARDPROOF_KEYCHANGE_COMMAND_H
#define SHARDPROOF_KEYCHANGE_COMMAND_H

#include "shard_versions.h"
#include "uuid.h"

#include "../oracles/keychange_question.h"

/* Where and in which session it is asked. */
typedef struct sp_keychange_place {
    const char *collection;
    const sp_shard_versions_t *versions;
    unsigned shard; /* the one that has the document */
    uint8_t session_id[SP_UUID_SIZE];
    int64_t txn_number; /* not used before in the session */
} sp_keychange_place_t;

/* What came of it. */
typedef struct sp_keychange_fate {
    bool refused;
    int32_t code;
    char *message;
    bool unasked;        /* nothing is known of the update; `message` says why */
    int64_t n, modified; /* -1: not told */
    bool upserted;
    bson_t upserted_id; /* under the name "_id"; empty where nothing was inserted */
    bson_t after;       /* the document afterwards; empty where it is not told */
} sp_keychange_fate_t;

void sp_keychange_fate_init(sp_keychange_fate_t *fate);
void sp_keychange_fate_clear(sp_keychange_fate_t *fate);

void sp_keychange_build_insert(const sp_keychange_t *change, const sp_keychange_place_t *place,
                               bson_t *command);
void sp_keychange_build_update(const sp_keychange_t *change, const sp_keychange_place_t *place,
                               bson_t *command);
/* For the database `admin`. */
void sp_keychange_build_commit(const sp_keychange_place_t *place, bson_t *command);
/* Everything there is, on the shard; through the router for what may have gone to another one. */
void sp_keychange_build_find(const sp_keychange_t *change, const sp_keychange_place_t *place,
                             bson_t *command);
void sp_keychange_build_delete(const sp_keychange_t *change, const sp_keychange_place_t *place,
                               bson_t *command);

void sp_keychange_refuse(sp_keychange_fate_t *fate, int32_t code, const char *message);
/* Without its document the question is unasked; `code` says why. */
void sp_keychange_read_insert(const bson_t *reply, sp_keychange_fate_t *fate);
void sp_keychange_read_update(const sp_keychange_t *change, const bson_t *reply,
                              sp_keychange_fate_t *fate);
/* After sp_keychange_read_update. */
void sp_keychange_read_find(const bson_t *reply, sp_keychange_fate_t *fate);

/* Appends {n, nModified, …} or {error: …}. */
void sp_keychange_answer(const sp_keychange_fate_t *fate, bson_t *answer);

#endif
