/*
 * The parts that questions about changed shard key values are made of; for gen_keychange*.c alone.
 */
#ifndef SHARDPROOF_GEN_KEYCHANGE_PARTS_H
#define SHARDPROOF_GEN_KEYCHANGE_PARTS_H

#include "gen_layout.h"

/* The document that is stored and its shard key values: for each field of the pattern, named "0",
 * "1", …; what is missing as null. */
typedef struct sp_keychange_draw {
    sp_producer_t *producer;
    const sp_layout_draw_t *layout;
    bson_t doc, values;
} sp_keychange_draw_t;

/* The document's value in shard key field `field`; BSON_TYPE_EOD where it has none. */
sp_value_t sp_keychange_value(const sp_keychange_draw_t *draw, unsigned field);

/* Appends a value for shard key field `field`: the document's own or one that equals it, one of
 * another chunk, an array. */
void sp_gen_keychange_value(const sp_keychange_draw_t *draw, unsigned field, bson_t *doc,
                            const char *name);

/* Appends `filter`, mostly one that finds the document. */
void sp_gen_keychange_filter(const sp_keychange_draw_t *draw, const bson_t *scene,
                             bson_t *question);
/* Appends `update`: mostly one that touches the shard key. */
void sp_gen_keychange_update(const sp_keychange_draw_t *draw, bson_t *question);

#endif
