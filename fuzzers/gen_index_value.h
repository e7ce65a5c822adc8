/*
 * Values of index specifications, from Extended JSON.
 */
#ifndef SHARDPROOF_GEN_INDEX_VALUE_H
#define SHARDPROOF_GEN_INDEX_VALUE_H

#include <bson/bson.h>

/* Appends the value that `text` is, which must be good. */
void sp_gen_index_value(bson_t *into, const char *name, const char *text);

#endif
