/*
 * Generators: bytes to a scene, one for each area.
 *
 * A scene is one case document (docs/case-format.md) that asks one question or many: a hash scene
 * is one value, a route scene is a layout and a hundred documents. `scene` is initialised empty by
 * the caller.
 */
#ifndef SHARDPROOF_SCENES_H
#define SHARDPROOF_SCENES_H

#include "producer.h"

#include <bson/bson.h>

/* How many documents a route scene routes. */
#define SP_ROUTE_DOCS 80
/* How many questions a find and a write scene have. */
#define SP_FIND_QUERIES 600
#define SP_WRITE_WRITES 60
/* Documents and checks of a soundness scene. */
#define SP_SOUNDNESS_DOCS   40
#define SP_SOUNDNESS_CHECKS 120

/* How many questions a scene of rules has. */
#define SP_SHARDING_REQUESTS 24
#define SP_CHUNKS_REQUESTS   8
#define SP_INDEX_REQUESTS    40
#define SP_UNIQUE_REQUESTS   40
#define SP_KEYCHANGE_UPDATES 60
#define SP_REFINE_REQUESTS   6
#define SP_RESHARD_REQUESTS  1

typedef struct sp_scene_context {
    unsigned shards; /* how many the server has: "s1" … */
} sp_scene_context_t;

/* {value: V} */
void sp_gen_hash(const sp_scene_context_t *context, sp_producer_t *producer, bson_t *scene);
/* {values: [V, W]}, W often equal to V in another guise or just beside it */
void sp_gen_order(const sp_scene_context_t *context, sp_producer_t *producer, bson_t *scene);
/* {key, chunks, docs}: documents near the chunk bounds */
void sp_gen_route(const sp_scene_context_t *context, sp_producer_t *producer, bson_t *scene);
/* {key, chunks, collation, shards, queries}: filters near the chunk bounds */
void sp_gen_find(const sp_scene_context_t *context, sp_producer_t *producer, bson_t *scene);
/* {key, chunks, collation, shards, writes} */
void sp_gen_write(const sp_scene_context_t *context, sp_producer_t *producer, bson_t *scene);
/* {key, chunks, collation, shards, docs, checks}: filters that must find documents, and others */
void sp_gen_soundness(const sp_scene_context_t *context, sp_producer_t *producer, bson_t *scene);

/* Scenes of rules; docs/case-format.md has what is in them. */
void sp_gen_shardcollection(const sp_scene_context_t *context, sp_producer_t *producer,
                            bson_t *scene);
void sp_gen_chunks(const sp_scene_context_t *context, sp_producer_t *producer, bson_t *scene);
void sp_gen_index(const sp_scene_context_t *context, sp_producer_t *producer, bson_t *scene);
void sp_gen_unique(const sp_scene_context_t *context, sp_producer_t *producer, bson_t *scene);
void sp_gen_keychange(const sp_scene_context_t *context, sp_producer_t *producer, bson_t *scene);
void sp_gen_refine(const sp_scene_context_t *context, sp_producer_t *producer, bson_t *scene);
void sp_gen_reshard(const sp_scene_context_t *context, sp_producer_t *producer, bson_t *scene);

#endif
