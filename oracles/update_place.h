/*
 * Where a part of an update's path leads to in a document: an element, or where one would be made.
 */
#ifndef SHARDPROOF_UPDATE_PLACE_H
#define SHARDPROOF_UPDATE_PLACE_H

#include "update_edit.h"

typedef struct sp_place sp_place_t;
struct sp_place {
    sp_place_t *above; /* NULL: the document itself */
    const char *name;
    sp_edit_t *element; /* NULL: there is none */
    unsigned level;     /* 0: the document itself */
};

/* The child of an object or array that a part of a path names; NULL: there is none. */
sp_edit_t *sp_place_find(sp_arena_t *arena, sp_edit_t *container, const char *name);

sp_place_t sp_place_document(sp_edit_t *document);
/* The place that `name` leads to from `above`, which must stay where it is. */
sp_place_t sp_place_below(sp_arena_t *arena, sp_place_t *above, const char *name);

/* Makes an element with that value there, and all that is missing above it. Arrays are filled up
 * with null. SP_ERROR_RULE: 28 PathNotViable where what is above can have no such field, 34
 * CannotBackfillArray for too large a gap; 52, 55 and 15 as in update_limits.h. */
bool sp_place_make(sp_arena_t *arena, sp_place_t *place, const sp_value_t *value,
                   sp_error_t *error);

/* The index of an element that a part of a path means: digits, with leading zeros or not. False
 * where it is none or does not fit 32 bits. */
bool sp_place_index(const char *name, uint32_t *index);

#endif
