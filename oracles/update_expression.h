/*
 * Aggregation expressions that an update's pipeline may have: constants, field paths, objects and
 * arrays of them.
 */
#ifndef SHARDPROOF_UPDATE_EXPRESSION_H
#define SHARDPROOF_UPDATE_EXPRESSION_H

#include "update_edit.h"

/* A path as projections and expressions take it. SP_ERROR_RULE: 40352, 40353 and 15998 for missing
 * names, 16410 for names that begin with $, 15 for more than 200 parts. */
bool sp_field_path_check(const char *path, sp_error_t *error);

/* Whether a server takes `expression`. SP_ERROR_RULE with its code where not; SP_ERROR_INPUT for
 * operators and variables that are not known here, which are named. */
bool sp_expression_check(const sp_value_t *expression, sp_error_t *error);

/* The value of an expression that was checked, for the object `document`, as a new element; NULL
 * where it has none. */
sp_edit_t *sp_expression_value(sp_arena_t *arena, const sp_value_t *expression,
                               sp_edit_t *document);

#endif
