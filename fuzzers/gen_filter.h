/*
 * Query filters for a layout: every operator, nested or not, on and beside the shard key, with
 * values on and around the chunk bounds; whole shard keys in every spelling; and a few filters that
 * a server refuses.
 *
 * No value in a filter is a number that an index misreads (oracles/number.h), because real queries
 * for such ones may never end, or code whose scope has a field name that begins with $.
 */
#ifndef SHARDPROOF_GEN_FILTER_H
#define SHARDPROOF_GEN_FILTER_H

#include "gen_layout.h"

/* Appends a filter of any kind to `filter`. Hardly ever larger than 4 KB. */
void sp_gen_filter(sp_producer_t *producer, const sp_layout_draw_t *layout, bson_t *filter);

/* Appends to `values` a value for each shard key field, in order, named "0", "1", … */
void sp_gen_key_values(sp_producer_t *producer, const sp_layout_draw_t *layout, bson_t *values);

/* Appends a filter that asks for these values and for little else. Where the fields' paths share
 * parts it may ask for whole objects, and not for a field that lies in another one. */
void sp_gen_key_filter(sp_producer_t *producer, const sp_layout_draw_t *layout,
                       const bson_t *values, bson_t *filter);

/* Appends a filter that asks for one _id, and sometimes for the shard key as well. */
void sp_gen_id_filter(sp_producer_t *producer, const sp_layout_draw_t *layout, bson_t *filter);

/* Appends `values` (as from sp_gen_key_values) to `doc` where the shard key fields are in a
 * document, the first `skip` parts of the paths left out, and only those fields whose bit in
 * `fields` is set: {a: {b: 1, c: 2}} for a.b and a.c. A field that lies in another one is left out.
 */
void sp_gen_key_document(const sp_layout_draw_t *layout, const bson_t *values, unsigned fields,
                         unsigned skip, bson_t *doc);

#endif
