/*
 * Documents for a layout: their shard key values meet the chunk bounds or lie just beside them.
 */
#ifndef SHARDPROOF_GEN_DOCUMENTS_H
#define SHARDPROOF_GEN_DOCUMENTS_H

#include "gen_layout.h"

/* Appends `count` documents to the array `docs`, which is empty, each with an _id of its own. Some
 * lack shard key fields, have arrays or other values on the way to them, or fields twice. */
void sp_gen_documents(sp_producer_t *producer, const sp_layout_draw_t *layout, int32_t count,
                      bson_t *docs);

#endif
