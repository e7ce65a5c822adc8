/*
 * The parts that filters are made of; for gen_filter*.c alone.
 */
#ifndef SHARDPROOF_GEN_FILTER_PARTS_H
#define SHARDPROOF_GEN_FILTER_PARTS_H

#include "gen_filter.h"

/* Logical operators inside one another. */
#define SP_FILTER_DEPTH_MAX 4

typedef struct sp_filter_draw {
    sp_producer_t *producer;
    const sp_layout_draw_t *layout;
    unsigned predicates_left; /* how many more the filter may have; bounds its size */
    bool list_drawn;          /* a long $in is there: a second one would multiply the ranges */
} sp_filter_draw_t;

void sp_filter_draw_init(sp_filter_draw_t *draw, sp_producer_t *producer,
                         const sp_layout_draw_t *layout);

/* Where a value is to stand, which decides what a server would refuse there. */
typedef enum sp_operand_use {
    SP_OPERAND_LITERAL,  /* behind $eq */
    SP_OPERAND_COMPARED, /* behind $gt, $ne, …: no regular expression */
    SP_OPERAND_BARE,     /* without operator, and inside $in, $nin, $all: no object that looks like
                            an expression; a regular expression matches */
} sp_operand_use_t;

/* Appends a value for the shard key field `field`, mostly one that bounds are near. Seldom one that
 * a server refuses in that use. */
void sp_gen_operand(sp_filter_draw_t *draw, unsigned field, sp_operand_use_t use, bson_t *doc,
                    const char *key);
/* The value in `doc`, which has one. Borrowed. */
sp_value_t sp_only_value(const bson_t *doc);
/* Whether `value` means itself where it stands without an operator. */
bool sp_operand_is_plain(const sp_value_t *value);

/* Appends a regular expression, hardly ever one that a server cannot compile. */
void sp_gen_regex(sp_filter_draw_t *draw, unsigned field, bson_t *doc, const char *key);

/* Appends one condition on `path`, whose values are like those of the shard key field `field`. */
void sp_gen_predicate(sp_filter_draw_t *draw, const char *path, unsigned field, bson_t *doc);
/* Appends an operator or several to `expression`, what stands behind a path; at most `depth` more
 * inside one another. */
void sp_gen_operators(sp_filter_draw_t *draw, unsigned field, unsigned depth, bson_t *expression);

/* Appends one to some conditions on any paths. */
void sp_gen_clauses(sp_filter_draw_t *draw, unsigned depth, bson_t *doc);

/* Appends something that a server refuses. */
void sp_gen_malformed(sp_filter_draw_t *draw, bson_t *doc);

#endif
