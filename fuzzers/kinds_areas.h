/*
 * The kinds of the areas that have a file of their own for them; kinds.c holds the table.
 *
 * sp_kinds_declared_AREA is sp_kinds_declared for that area. sp_kinds_of_AREA adds the kinds of one
 * question; `question` stands before its first field.
 */
#ifndef SHARDPROOF_KINDS_AREAS_H
#define SHARDPROOF_KINDS_AREAS_H

#include "kinds.h"

/* Those of find and write. */
const sp_kind_t *sp_kinds_declared_query(const char *area, unsigned *count);

/* Adds the outcome "error N" or `otherwise`; nothing for an empty answer. False to end the walk. */
bool sp_kinds_add_outcome(const bson_t *answer, const char *otherwise, sp_kind_add_t *add,
                          void *context);
/* Adds the key shape of a shard key pattern on which `key` stands, as in "x:1,y:hashed". */
bool sp_kinds_add_shape(const bson_iter_t *key, sp_kind_add_t *add, void *context);

const sp_kind_t *sp_kinds_declared_shardcollection(unsigned *count);
void sp_kinds_of_shardcollection(const bson_t *test, const bson_iter_t *question,
                                 const bson_t *answer, sp_kind_add_t *add, void *context);
const sp_kind_t *sp_kinds_declared_chunks(unsigned *count);
void sp_kinds_of_chunks(const bson_t *test, const bson_iter_t *question, const bson_t *answer,
                        sp_kind_add_t *add, void *context);
const sp_kind_t *sp_kinds_declared_index(unsigned *count);
void sp_kinds_of_index(const bson_t *test, const bson_iter_t *question, const bson_t *answer,
                       sp_kind_add_t *add, void *context);
const sp_kind_t *sp_kinds_declared_unique(unsigned *count);
void sp_kinds_of_unique(const bson_t *test, const bson_iter_t *question, const bson_t *answer,
                        sp_kind_add_t *add, void *context);
const sp_kind_t *sp_kinds_declared_keychange(unsigned *count);
void sp_kinds_of_keychange(const bson_t *test, const bson_iter_t *question, const bson_t *answer,
                           sp_kind_add_t *add, void *context);
const sp_kind_t *sp_kinds_declared_refine(unsigned *count);
void sp_kinds_of_refine(const bson_t *test, const bson_iter_t *question, const bson_t *answer,
                        sp_kind_add_t *add, void *context);
const sp_kind_t *sp_kinds_declared_reshard(unsigned *count);
void sp_kinds_of_reshard(const bson_t *test, const bson_iter_t *question, const bson_t *answer,
                         sp_kind_add_t *add, void *context);

#endif
