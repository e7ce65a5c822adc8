/*
 * A thread that starts processes for others. The kernel ends an owned process when the thread that
 * forked it ends; this one lasts as long as the cluster, whichever thread asks.
 */
#ifndef SHARDPROOF_SPAWNER_H
#define SHARDPROOF_SPAWNER_H

#include "process.h"

typedef struct sp_spawner sp_spawner_t;

sp_spawner_t *sp_spawner_start(sp_error_t *error);

/* sp_process_spawn in that thread. Any thread may call it; one request at a time is served. */
bool sp_spawner_spawn(sp_spawner_t *spawner, const sp_spawn_t *spawn, sp_process_t *process,
                      sp_error_t *error);

/* Ends the thread, and thereby every owned process it started that still runs. NULL is fine. */
void sp_spawner_stop(sp_spawner_t *spawner);

#endif
