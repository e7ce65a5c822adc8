/*
 * One question of the refine area as a case writes it.
 */
#ifndef SHARDPROOF_REFINE_REQUEST_H
#define SHARDPROOF_REFINE_REQUEST_H

#include "layout.h"
#include "refine_index.h"

/* As many as a collection has at most. */
#define SP_REFINE_INDEXES_MAX 64

typedef enum sp_refine_state {
    SP_REFINE_SHARDED,
    SP_REFINE_UNSHARDED, /* the collection is there, and not sharded */
    SP_REFINE_MISSING,
} sp_refine_state_t;

typedef struct sp_refine_request {
    bson_t new_key; /* borrowed, like all of this */
    sp_refine_state_t state;
    bool unique;       /* sharded with unique: true */
    bool no_key_index; /* the index on the shard key, made with the collection, was dropped */
    bson_iter_t indexes, zones, docs; /* stand before the first element */
} sp_refine_request_t;

/* Reads {newKey, collection, unique, keyIndex, indexes, zones, docs}, of which only the first must
 * be there. `indexes` are [{key, options…, on: ["s1", …]}, …] as createIndexes takes them, without
 * names; `on` is of the shards that own chunks those that have the index (all). `zones` are
 * [[min, max, name], …] in order. SP_ERROR_INPUT, naming the field, where it is none. */
bool sp_refine_request_read(const bson_t *question, const sp_layout_t *layout,
                            sp_refine_request_t *request, sp_error_t *error);

/* Reads index `i` of the request, on which `iter` stands. `on_shard` says whether `shard` has it.
 */
bool sp_refine_request_index(const bson_iter_t *iter, const char *shard, sp_index_t *index,
                             bool *on_shard, sp_error_t *error);

/* Reads [min, max, name] of `zones`, on which `iter` stands. */
bool sp_refine_request_zone(const bson_iter_t *iter, bson_t *min, bson_t *max, const char **name);

#endif
