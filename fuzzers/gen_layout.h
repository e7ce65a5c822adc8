/*
 * Layouts: a shard key pattern of one of many shapes, and chunks between bounds over values of all
 * types.
 */
#ifndef SHARDPROOF_GEN_LAYOUT_H
#define SHARDPROOF_GEN_LAYOUT_H

#include "../oracles/pattern.h"
#include "scenes.h"

#define SP_SHAPE_FIELDS 4
#define SP_POOL_MAX     8

/* Of a large layout. */
#define SP_LARGE_POOL_MAX 32
#define SP_SPLITS_MAX     60

/* What a layout was made from; documents are drawn from the same pools, so that they meet the
 * bounds. */
typedef struct sp_layout_draw {
    bson_t key; /* the shard key pattern document */
    sp_pattern_t *pattern;
    bson_t pools[SP_SHAPE_FIELDS]; /* for each field some values, as an array */
    uint32_t pool_sizes[SP_SHAPE_FIELDS];
} sp_layout_draw_t;

/* Draws a layout of up to 12 splits and appends `key` and `chunks` to `scene`. */
void sp_gen_layout(const sp_scene_context_t *context, sp_producer_t *producer,
                   sp_layout_draw_t *layout, bson_t *scene);
/* The same with up to SP_SPLITS_MAX splits and larger pools. */
void sp_gen_large_layout(const sp_scene_context_t *context, sp_producer_t *producer,
                         sp_layout_draw_t *layout, bson_t *scene);
void sp_layout_draw_clear(sp_layout_draw_t *layout);

/* Some value of the pool of field `field`. */
sp_value_t sp_layout_draw_value(const sp_layout_draw_t *layout, sp_producer_t *producer,
                                unsigned field);

#endif
