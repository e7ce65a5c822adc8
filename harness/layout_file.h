/*
 * A sharded collection's layout from a file that people have: a layout line of `ask` or a case,
 * an array of chunks, or the documents of config.chunks as mongoexport writes them.
 */
#ifndef SHARDPROOF_LAYOUT_FILE_H
#define SHARDPROOF_LAYOUT_FILE_H

#include "../oracles/layout.h"

/* What is said beside the file. */
typedef struct sp_layout_given {
    const bson_t *key;       /* NULL: the file's; where both are there they must be the same */
    const bson_t *collation; /* the collection's default, instead of the file's; NULL: the file's */
    unsigned shards;         /* of the cluster, instead of the file's; 0: the file's */
} sp_layout_given_t;

/* NULL and SP_ERROR_INPUT, with file, line or chunk, and remedy, for what is no layout. */
sp_layout_t *sp_layout_file_read(const char *path, const sp_layout_given_t *given,
                                 sp_error_t *error);

#endif
