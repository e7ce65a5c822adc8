/*
 * One question of the keychange area: an update of one stored document.
 */
#ifndef SHARDPROOF_KEYCHANGE_QUESTION_H
#define SHARDPROOF_KEYCHANGE_QUESTION_H

#include "targeting.h"

/* How the update reaches the document. All but the first are sent, versioned, to one shard. */
typedef enum sp_keychange_mode {
    SP_KEYCHANGE_ROUTER, /* through the router, outside of any session */
    SP_KEYCHANGE_SHARD,  /* outside of any session */
    SP_KEYCHANGE_RETRYABLE,
    SP_KEYCHANGE_TRANSACTION,
    SP_KEYCHANGE_MODES /* how many there are */
} sp_keychange_mode_t;

/* "router", "shard", "retryable", "transaction". */
const char *sp_keychange_mode_name(sp_keychange_mode_t mode);

/* What is read borrows from the question. Must not move: `query` points into it. */
typedef struct sp_keychange {
    bson_t doc; /* what is stored before */
    bson_t filter, collation;
    sp_query_t query;  /* of the two */
    sp_value_t update; /* an object or array */
    sp_keychange_mode_t mode;
    bool multi, upsert;
    bool find_and_modify;
    const char *stored; /* the shard that has the document, and is asked; NULL: its owner */
} sp_keychange_t;

/* Reads {doc, filter, update, multi, mode, op, upsert, collation, stored}; all behind `update` may
 * be absent or null. SP_ERROR_INPUT, naming the field, for what makes no sense. */
bool sp_keychange_read(const bson_t *question, sp_keychange_t *change, sp_error_t *error);

/* Appends the document as a shard stores it when it is inserted: _id stands first. */
void sp_keychange_stored(const bson_t *doc, bson_t *stored);

/* The filter has _id and nothing else: {_id: 5}. Such an update is not planned at all; of two _id
 * it goes by the first. */
bool sp_keychange_is_by_id(const sp_keychange_t *change, const bson_t *collection_collation);

#endif
