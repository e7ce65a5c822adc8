/*
 * Whether a document makes an index multikey: it has an array on one of the index's paths.
 *
 * Observed on 6.0.5 and 6.0.27. Whether the array gives one key or many does not count, and an
 * empty one counts too. Where a number in the path takes an element of the array ("a.0"), the array
 * does not count, and neither does an array that the path ends at in that way.
 */
#ifndef SHARDPROOF_INDEX_MULTIKEY_H
#define SHARDPROOF_INDEX_MULTIKEY_H

#include "value.h"

/* `key` is the index's; of fields of a text index texts of more than one word count, as far as the
 * words do not fall together in it. */
bool sp_index_multikey(const bson_t *key, const bson_t *doc);

#endif
