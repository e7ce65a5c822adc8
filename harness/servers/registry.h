/*
 * The record of which clusters run: one JSON file for each under CACHE/clusters, written before
 * anything is started. So whatever way a harness ends, the next one finds what it left behind.
 */
#ifndef SHARDPROOF_REGISTRY_H
#define SHARDPROOF_REGISTRY_H

#include "../../oracles/error.h"
#include "cluster.h"
#include "process.h"

#define SP_CLUSTER_ID_SIZE 17 /* 16 hexadecimal digits and the end */
#define SP_SERVERS_MAX     (SP_SHARDS_MAX + 1)

/* One mongod. */
typedef struct sp_record_server {
    char name[8]; /* "config", "s1", … */
    int port;
    sp_process_t process; /* pid 0: not started (yet) */
} sp_record_server_t;

typedef struct sp_record {
    char id[SP_CLUSTER_ID_SIZE];
    char *folder;       /* always …/shardproof-<id> */
    char version[32];   /* "" until known */
    sp_process_t owner; /* who started it */
    bool detached;
    bool ready;     /* all is set up; from then on a detached cluster has no owner */
    bool elsewhere; /* on another machine or in another container that shares the cache folder */
    int64_t since;  /* seconds since 1970 */
    unsigned count;
    sp_record_server_t servers[SP_SERVERS_MAX]; /* the config server first */
} sp_record_t;

/* A new record with a random id, for a folder in `tmp`, owned by this process. */
bool sp_record_init(sp_record_t *record, const char *tmp, bool detached, unsigned servers,
                    sp_error_t *error);
void sp_record_clear(sp_record_t *record);

/* True while it must be left alone: its owner lives, or it is detached, ready and one of its
 * servers lives, or it is elsewhere. */
bool sp_record_in_use(const sp_record_t *record);
/* How many of its servers run. */
unsigned sp_record_alive(const sp_record_t *record);

/* Writes or replaces the record's file. */
bool sp_registry_write(const sp_record_t *record, sp_error_t *error);

/* Ends every server that still runs for it, removes its folder, then its file. */
bool sp_registry_end(const sp_record_t *record, sp_error_t *error);

/* Reads all records. A file that cannot be understood is named on stderr and moved to
 * CACHE/clusters/bad. The caller frees with sp_records_free. */
bool sp_registry_read(sp_record_t **records, size_t *count, sp_error_t *error);
void sp_records_free(sp_record_t *records, size_t count);

/* Ends and removes what nobody uses any more, one line on stderr for each. How many. Never fatal:
 * what cannot be removed is named on stderr and tried again next time. */
unsigned sp_registry_sweep(void);

#endif
