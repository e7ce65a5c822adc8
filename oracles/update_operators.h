/*
 * Applying the operators of an update to a document; for update.c alone.
 */
#ifndef SHARDPROOF_UPDATE_OPERATORS_H
#define SHARDPROOF_UPDATE_OPERATORS_H

#include "collator.h"
#include "update_edit.h"
#include "update_tree.h"

/* Changes `document`, an object, in the sequence of the tree. `collator` (NULL: by bytes) is for
 * $min and $max. SP_ERROR_RULE with the server's code where it fails. */
bool sp_update_operate(sp_arena_t *arena, const sp_update_node_t *tree,
                       const sp_collator_t *collator, sp_edit_t *document, bool *changed,
                       sp_error_t *error);

#endif
