/*
 * One collection with its indexes and documents on the shard that owns all of it: what
 * createIndexes, dropIndexes, collMod and inserts make of it.
 *
 * Observed on 6.0.5 and 6.0.27 with versioned commands; docs/rules-index.md.
 */
#ifndef SHARDPROOF_INDEX_WORLD_H
#define SHARDPROOF_INDEX_WORLD_H

#include "index_keys.h"
#include "index_spec.h"
#include "model.h"

#define SP_INDEX_WORLD_MAX      64  /* indexes; a server's own limit */
#define SP_INDEX_WORLD_DOCS_MAX 256 /* documents */

typedef struct sp_index_world {
    sp_model_t *model;
    const bson_t *key;       /* the shard key */
    const bson_t *collation; /* the collection's; NULL: none */
    sp_pattern_t *pattern;
    sp_arena_t arena;
    bson_t *documents[SP_INDEX_WORLD_MAX]; /* what the indexes were read from */
    sp_index_spec_t *indexes[SP_INDEX_WORLD_MAX];
    sp_keyed_index_t *keyed[SP_INDEX_WORLD_MAX]; /* NULL: not looked at yet */
    unsigned count;
    bson_t *docs[SP_INDEX_WORLD_DOCS_MAX];
    unsigned doc_count;
    uint32_t ids; /* how many _id were given */
} sp_index_world_t;

/* A collection sharded by `key`, with the indexes on _id and the shard key. All three must outlive
 * the world. SP_ERROR_INPUT for what is no shard key, or none of a collection with that collation.
 */
bool sp_index_world_init(sp_index_world_t *world, sp_model_t *model, const bson_t *key,
                         const bson_t *collation, sp_error_t *error);
void sp_index_world_clear(sp_index_world_t *world);

/* Each of these changes nothing and fails with SP_ERROR_RULE and the server's code where a server
 * refuses, and with SP_ERROR_INPUT where the model does not know. */

/* createIndexes of {key, name, …}; `made` says whether the index was not there before. */
bool sp_index_world_create(sp_index_world_t *world, const bson_t *document, bool *made,
                           sp_error_t *error);

/* An insert of one document. */
bool sp_index_world_insert(sp_index_world_t *world, const bson_t *doc, sp_error_t *error);

/* dropIndexes; `which` is a name, a key pattern, an array of names, or "*". */
bool sp_index_world_drop(sp_index_world_t *world, const sp_value_t *which, sp_error_t *error);

/* collMod; `change` is what it has as `index`: {name or keyPattern, hidden, …}. */
bool sp_index_world_change(sp_index_world_t *world, const bson_t *change, sp_error_t *error);

/* Appends `indexes`: [{name, unique, prepareUnique, hidden}, …], the flags where they are true. */
void sp_index_world_list(const sp_index_world_t *world, bson_t *answer);

/* For index_drop.c and index_change.c: the place of the one index that is meant, which is a name or
 * a key pattern. SP_ERROR_RULE, 27 for none and 181 for more than one. */
bool sp_index_world_find(const sp_index_world_t *world, const sp_value_t *which, unsigned *place,
                         sp_error_t *error);
/* Whether the collection needs the index for its shard key: it supports it, and no other does. */
bool sp_index_world_needs(const sp_index_world_t *world, unsigned place);
/* Whether the index may be unique beside the shard key. */
bool sp_index_world_takes_unique(const sp_index_world_t *world, const sp_index_spec_t *spec);

#endif
