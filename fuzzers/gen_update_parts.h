/*
 * The parts that updates are made of; for gen_update*.c alone.
 */
#ifndef SHARDPROOF_GEN_UPDATE_PARTS_H
#define SHARDPROOF_GEN_UPDATE_PARTS_H

#include "gen_update.h"

#include <bson/bson.h>

#define SP_UPDATE_PATH_SIZE 96

typedef struct sp_update_draw {
    sp_producer_t *producer;
    const sp_update_source_t *source;
    bool only_path; /* the update will have no other path */
} sp_update_draw_t;

/* A path of operators: one of the source's, one above, below or beside it, or any. Seldom one that
 * a server refuses. */
void sp_gen_update_path(sp_update_draw_t *draw, char path[SP_UPDATE_PATH_SIZE]);

/* A value for a field: mostly one near what the document has at `path`, or one of the source's. */
void sp_gen_update_value(sp_update_draw_t *draw, const char *path, bson_t *doc, const char *key);

/* Appends the stages of a pipeline. */
void sp_gen_update_stages(sp_update_draw_t *draw, bson_t *pipeline);

#endif
