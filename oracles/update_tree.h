/*
 * The operators of an update as a tree over the parts of their paths; for update*.c alone.
 */
#ifndef SHARDPROOF_UPDATE_TREE_H
#define SHARDPROOF_UPDATE_TREE_H

#include "arena.h"
#include "value.h"

/* A server's error codes. */
enum {
    SP_UPDATE_BAD_VALUE = 2,
    SP_UPDATE_FAILED_TO_PARSE = 9,
    SP_UPDATE_TYPE_MISMATCH = 14,
    SP_UPDATE_OVERFLOW = 15,
    SP_UPDATE_PATH_NOT_VIABLE = 28,
    SP_UPDATE_CANNOT_BACKFILL = 34,
    SP_UPDATE_CONFLICT = 40,
    SP_UPDATE_DOLLAR_NAME = 52,
    SP_UPDATE_INVALID_ID = 53,
    SP_UPDATE_INVALID_DBREF = 55,
    SP_UPDATE_EMPTY_NAME = 56,
    SP_UPDATE_IMMUTABLE = 66,
};

typedef enum sp_operator {
    SP_OPERATOR_NONE, /* an inner part of paths */
    SP_OPERATOR_SET,
    SP_OPERATOR_UNSET,
    SP_OPERATOR_INC,
    SP_OPERATOR_MUL,
    SP_OPERATOR_MIN,
    SP_OPERATOR_MAX,
    SP_OPERATOR_RENAME,        /* at the new path */
    SP_OPERATOR_RENAMED,       /* at the old path; does nothing */
    SP_OPERATOR_SET_ON_INSERT, /* does nothing */
    SP_OPERATOR_PUSH,
    SP_OPERATOR_ADD_TO_SET,
    SP_OPERATOR_POP,
    SP_OPERATOR_PULL,
    SP_OPERATOR_PULL_ALL,
} sp_operator_t;

typedef struct sp_update_node sp_update_node_t;
struct sp_update_node {
    const char *name;
    sp_operator_t operation;
    sp_value_t argument;
    const char *source;             /* RENAME: the old path */
    sp_update_node_t *first, *next; /* children in the sequence they are applied in */
};

/* The root, which has no name. NULL and SP_ERROR_RULE or SP_ERROR_INPUT as sp_update_check. */
sp_update_node_t *sp_update_tree(sp_arena_t *arena, const sp_value_t *update, sp_error_t *error);

/* $[]; such a node has no sibling. */
bool sp_update_is_every_element(const char *name);

/* The argument of $push, $addToSet, $pop, $pull or $pullAll. */
bool sp_update_check_array_argument(sp_operator_t operation, const sp_value_t *argument,
                                    sp_error_t *error);

/* Fails with SP_ERROR_INPUT that names what is not known; returns false. */
bool sp_update_not_known(const char *what, sp_error_t *error);

#endif
