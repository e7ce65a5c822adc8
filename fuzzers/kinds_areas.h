/*
 * The kinds of the areas that have a file of their own for them; kinds.c holds the table.
 *
 * sp_kinds_declared_AREA is sp_kinds_declared for that area. sp_kinds_of_AREA adds the kinds of one
 * question; `question` stands before its first field.
 */
#ifndef SHARDPROOF_KINDS_AREAS_H
#define SHARDPROOF_KINDS_AREAS_H

#include "kinds.h"

/* The key shapes of gen_layout.c, as rows of a table of sp_kind_t. */
#define SP_KINDS_KEY_SHAPES                                                                        \
    {"key shape", "x:1"}, {"key shape", "x:hashed"}, {"key shape", "x:1,y:1"},                     \
        {"key shape", "x:hashed,y:1"}, {"key shape", "x:1,y:hashed"},                              \
        {"key shape", "x:1,y:hashed,z:1"}, {"key shape", "x:1,y:1,z:1"},                           \
        {"key shape", "x:1,y:1,z:hashed"}, {"key shape", "x:hashed,y:1,z:1,v:1"},                  \
        {"key shape", "a.b:1"}, {"key shape", "a.b:hashed"}, {"key shape", "a.b:1,c:1"},           \
        {"key shape", "a.b:1,a.c:hashed"}, {"key shape", "a.b.c:1,a.d:1,x:1"},                     \
        {"key shape", "a.b.c:1"}, {"key shape", "a.b.c:hashed"}, {"key shape", "a:1,a.b:1"},       \
        {"key shape", "a:1,a.b:hashed"}, {"key shape", "_id:1"}, {"key shape", "_id:hashed"},      \
        {"key shape", "x:1,_id:1"}, {"key shape", "_id:hashed,x:1"}, {"key shape", "_id.a:1"},     \
    {                                                                                              \
        "key shape", "x:1,_id.a:hashed"                                                            \
    }

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
