/*
 * The values that a dotted path of a filter leads to in a document.
 *
 * Through objects by name (of two fields with one name the first), through arrays into each object
 * in them and, where the path has the element's own number, into that element.
 */
#ifndef SHARDPROOF_MATCHER_PATH_H
#define SHARDPROOF_MATCHER_PATH_H

#include "value.h"

/* What becomes of an array at the very end of the path. */
typedef enum sp_leaf_arrays {
    SP_LEAF_WHOLE,    /* the array */
    SP_LEAF_ELEMENTS, /* each of its elements, and then the array */
} sp_leaf_arrays_t;

/* BSON_TYPE_EOD stands for a missing field. True ends the walk. */
typedef bool sp_path_visit_t(const sp_value_t *value, void *data);

/* Whether any visit ended the walk. `document` is an object, or an array that is taken for one. */
bool sp_path_walk(const sp_value_t *document, const char *path, sp_leaf_arrays_t leaf_arrays,
                  sp_path_visit_t *visit, void *data);

#endif
