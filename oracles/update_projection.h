/*
 * The specifications of $set and $unset in a pipeline: trees over field paths.
 */
#ifndef SHARDPROOF_UPDATE_PROJECTION_H
#define SHARDPROOF_UPDATE_PROJECTION_H

#include "update_edit.h"

typedef struct sp_projection sp_projection_t;
struct sp_projection {
    const char *name;
    bool is_leaf;
    sp_value_t expression; /* of a leaf of $set */
    sp_projection_t *first, *last, *next;
};

sp_projection_t *sp_projection_new(sp_arena_t *arena, const char *name);
/* The leaf for `path`. NULL where another leaf is the same, above or below it; then *above says
 * that the other one is above. */
sp_projection_t *sp_projection_add(sp_arena_t *arena, sp_projection_t *root, const char *path,
                                   bool *above);

/* Gives the fields of `object` the values of their expressions, which see `document`. A field whose
 * expression has no value goes, or does not come, but keeps its place. */
void sp_projection_set(sp_arena_t *arena, const sp_projection_t *projection, sp_edit_t *document,
                       sp_edit_t *object);
/* Takes the fields away; they keep their places. */
void sp_projection_unset(sp_arena_t *arena, const sp_projection_t *projection, sp_edit_t *object);

#endif
