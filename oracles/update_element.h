/*
 * Changing one element of a document by an operator, and what each such change must not do; for
 * update*.c alone.
 */
#ifndef SHARDPROOF_UPDATE_ELEMENT_H
#define SHARDPROOF_UPDATE_ELEMENT_H

#include "collator.h"
#include "update_place.h"
#include "update_tree.h"

typedef struct sp_operating {
    sp_arena_t *arena;
    const sp_collator_t *collator; /* NULL: strings compare by bytes */
    sp_edit_t *document;
    bool has_id; /* else, as while an upsert makes a document, _id may come */
    bool *changed;
    sp_error_t *error;
} sp_operating_t;

/* The changes: false and SP_ERROR_RULE where the new document could not be stored, or has another
 * _id. All but the first need an element in `place`. */
bool sp_element_make(sp_operating_t *operating, sp_place_t *place, const sp_value_t *value);
bool sp_element_replace(sp_operating_t *operating, sp_place_t *place, const sp_value_t *value);
/* Makes or replaces, but for an element that is that value, byte for byte. */
bool sp_element_set(sp_operating_t *operating, sp_place_t *place, const sp_value_t *value);
/* An element of an array becomes null, so that the others stay in their places. */
bool sp_element_remove(sp_operating_t *operating, sp_place_t *place);
/* Says that the array in `place` was changed in place: it has lost elements, or may have got
 * some. */
bool sp_element_lost(sp_operating_t *operating, sp_place_t *place);
bool sp_element_got(sp_operating_t *operating, sp_place_t *place);

/* $rename, at the place that the field goes to. */
bool sp_element_rename(sp_operating_t *operating, sp_place_t *place, const sp_update_node_t *node);
/* $push, $addToSet, $pop, $pull and $pullAll. */
bool sp_element_change_array(sp_operating_t *operating, sp_place_t *place,
                             const sp_update_node_t *node);

#endif
