/*
 * The parts of a `unique` scene; for gen_unique*.c alone.
 */
#ifndef SHARDPROOF_GEN_UNIQUE_PARTS_H
#define SHARDPROOF_GEN_UNIQUE_PARTS_H

#include "gen_layout.h"

/* Fields beside the shard key that indexes and documents have. */
#define SP_UNIQUE_EXTRAS 3

extern const char *const sp_unique_extras[SP_UNIQUE_EXTRAS];

/* Groups of values that an index may take for one another, or just not. */
unsigned sp_unique_group(sp_producer_t *producer);
void sp_gen_unique_value(sp_producer_t *producer, unsigned group, bson_t *doc, const char *key);

/* Appends `indexes` to a scene that has its `key`, `collation` and `unique`. */
void sp_gen_unique_indexes(sp_producer_t *producer, const sp_layout_draw_t *layout, bson_t *scene);

/* Appends a question: `docs`, and the `way` in which they are inserted. */
void sp_gen_unique_docs(sp_producer_t *producer, const sp_layout_draw_t *layout, bson_t *question);

#endif
