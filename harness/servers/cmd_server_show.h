/*
 * What the subcommands of `shardproof server` print on standard output.
 */
#ifndef SHARDPROOF_CMD_SERVER_SHOW_H
#define SHARDPROOF_CMD_SERVER_SHOW_H

#include "cluster.h"
#include "registry.h"

/* A cluster just started. */
void sp_show_started(const sp_cluster_t *cluster, double seconds, bool json);

/* All clusters on record. */
void sp_show_status(const sp_record_t *records, size_t count, bool json);

/* The pinned versions, which are installed, and where. */
void sp_show_pins(bool json);

#endif
