/*
 * Whether an index supports a shard key, and whether a unique one may stand beside it.
 *
 * Observed on 6.0.5 and 6.0.27 by shardCollection; docs/rules-shardcollection.md.
 */
#ifndef SHARDPROOF_KEY_INDEX_H
#define SHARDPROOF_KEY_INDEX_H

#include "index.h"
#include "version.h"

/* Whether an index on `index->key` that has `index`'s options can stand for the shard key `key`:
 * what shardCollection looks for, and what must be left when an index is dropped. The same as
 * sp_key_index_looks_fit, and neither multikey nor partial, nor hidden (before 6.0 it may be).
 * `multikey` says whether a document has, or had, an array in one of the index's fields. */
bool sp_key_index_serves(const sp_index_t *index, bool multikey, const bson_t *key,
                         sp_version_t version);

/* Whether an index is one that no other is made or asked for because of it: it begins with the
 * shard key, value for value, or with `whole` is on it alone, is not sparse and has no collation.
 * That it serves is another question, asked later. */
bool sp_key_index_looks_fit(const sp_index_t *index, const bson_t *key, bool whole);

/* Whether a unique index on `index` is one that a collection sharded by `key` can have: it begins
 * with the shard key's fields in their order, whatever their values, or with _id, which no router
 * looks after. */
bool sp_key_index_unique_fits(const bson_t *index, const bson_t *key, sp_version_t version);

#endif
