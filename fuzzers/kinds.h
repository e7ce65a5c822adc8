/*
 * What a question is, for counting: a run that never asks some kind of question has not tested it.
 */
#ifndef SHARDPROOF_KINDS_H
#define SHARDPROOF_KINDS_H

#include <bson/bson.h>

/*
 * "key shape": the shard key, as in "x:1,y:hashed"
 * "operator": each that is anywhere in the filter; "equality" and "regex value" without one
 * "operation": find, aggregate, updateOne, …
 * "collation": "none", "collection's", "same as collection's", "simple", "other"
 * "outcome": "one shard", "some shards", "all shards", "error 61", …
 */
typedef struct sp_kind {
    const char *dimension;
    const char *name;
} sp_kind_t;

/* Takes one kind; both texts are good during the call only, `name` may be one that is not declared.
 * Returns false to end the walk. */
typedef bool sp_kind_add_t(void *context, const char *dimension, const char *name);

/* Calls `add` once for each kind that question `check` of the case `test` is of; `answer` is what
 * was expected, and an empty one has no outcome. "all shards" are those that own a chunk, and for a
 * write those of the cluster. Areas without kinds, and questions that are not there, add nothing.
 */
void sp_kinds_of(const char *area, const bson_t *test, uint32_t check, const bson_t *answer,
                 sp_kind_add_t *add, void *context);

/* Those kinds of which each must make up at least SP_KIND_SHARE of the questions of `area`; NULL
 * and none for an area without. */
const sp_kind_t *sp_kinds_declared(const char *area, unsigned *count);

#define SP_KIND_SHARE 0.002

#endif
