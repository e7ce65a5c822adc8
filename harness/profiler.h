/*
 * The shards' profilers: which shards a write has reached.
 *
 * A write carries its number as $comment inside its filter, since the profiler keeps the filter as
 * it arrived, on every shard that was sent it.
 */
#ifndef SHARDPROOF_PROFILER_H
#define SHARDPROOF_PROFILER_H

#include "fates.h"

/* Has all shards write down what reaches the session's database. */
bool sp_profiler_start(sp_session_t *session, sp_error_t *error);
/* Lets them be. What fails is only untidy. */
void sp_profiler_stop(sp_session_t *session);

/* Appends the mark of write number `index` to its filter. */
void sp_profiler_mark(bson_t *filter, uint32_t index);

/* Reads from all shards where the marked writes to the collection `ns` went, into fates[index] of
 * each. SP_ERROR_INFRA where there is more than one reply can hold. */
bool sp_profiler_read(sp_session_t *session, const char *ns, sp_fate_t *fates, uint32_t count,
                      sp_error_t *error);

#endif
