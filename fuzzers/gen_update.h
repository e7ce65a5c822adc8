/*
 * Updates: operators, replacements and pipelines on and beside given paths, with values near those
 * that a document has; and some that a server refuses.
 *
 * What a server answers must be told by the model and be the same each time. So there is no
 * $currentDate and no $$NOW; Timestamp(0, 0) does not stand at the top of a replacement, where it
 * becomes the time; and a path has a number with leading zeros only where it is the update's only
 * path, because servers of 6.0 abort where one element of an array is named in two ways. For
 * documents in which an object has a name twice there are no pipelines, and such objects are not in
 * pipelines, because servers abort over them too. Paths have few parts: those of more than 255 are
 * cut by servers.
 */
#ifndef SHARDPROOF_GEN_UPDATE_H
#define SHARDPROOF_GEN_UPDATE_H

#include "../oracles/value.h"
#include "producer.h"

typedef struct sp_update_source {
    const char *const *paths; /* what updates are mostly about: the fields of a shard key */
    unsigned path_count;      /* at least 1 */
    const bson_t *doc;        /* the stored document; may be empty */
    const bson_t *values;     /* an array with values to choose from; may be NULL */
} sp_update_source_t;

/* Appends an update under `key`: an object, or an array where it is a pipeline. */
void sp_gen_update(sp_producer_t *producer, const sp_update_source_t *source, bson_t *question,
                   const char *key);

#endif
