/*
 * What became of the documents or writes of one case.
 */
#ifndef SHARDPROOF_FATES_H
#define SHARDPROOF_FATES_H

#include "session.h"

typedef struct sp_fate {
    uint64_t shards; /* bit i: it went to the session's shard i */
    bool refused;
    int32_t code;
    char *message;
} sp_fate_t;

sp_fate_t *sp_fates_new(uint32_t count);
void sp_fates_free(sp_fate_t *fates, uint32_t count);

void sp_fate_refuse(sp_fate_t *fate, int32_t code, const char *message);

/* Reads the writeErrors of a router's reply to a write command of `count` parts. SP_ERROR_SERVER
 * where one of them says that a server is in trouble, SP_ERROR_INFRA where they make no sense. */
bool sp_fates_read(const bson_t *reply, sp_fate_t *fates, uint32_t count, sp_error_t *error);

/* Appends {shards: […]} or {error: {…}}. */
void sp_fate_answer(const sp_fate_t *fate, const sp_session_t *session, bson_t *answer);

#endif
