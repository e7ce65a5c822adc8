/*
 * Where a router sends an update.
 */
#ifndef SHARDPROOF_KEYCHANGE_ROUTE_H
#define SHARDPROOF_KEYCHANGE_ROUTE_H

#include "keychange_question.h"
#include "model.h"

typedef struct sp_keychange_route {
    bool reaches;      /* the shard that was asked about is among those */
    const char *alone; /* the one shard that an upsert goes to; else NULL */
} sp_keychange_route_t;

/* Whether the update reaches the shard called `holder`. SP_ERROR_RULE where the router refuses it
 * before it looks at what the update is made of: 2, 12, 61, 72 and others. */
bool sp_keychange_route(sp_model_t *model, const sp_layout_t *layout, const sp_keychange_t *change,
                        const char *holder, sp_keychange_route_t *route, sp_error_t *error);

/* Whether the document lacks a field of the pattern. */
bool sp_keychange_lacks_field(const sp_pattern_t *pattern, const bson_t *doc);

#endif
