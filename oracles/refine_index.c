#include "refine_index.h"

#include "refine_key.h"

#include <string.h>

enum { INVALID_OPTIONS = 72, OPERATION_FAILED = 96 };

static bool check_uniqueness(const sp_refine_index_t *indexes, unsigned count,
                             const bson_t *new_key, sp_version_t version, sp_error_t *error)
{
    for (unsigned i = 0; i < count; i++) {
        const sp_index_t *index = &indexes[i].index;
        if ((index->unique || index->prepare_unique) &&
            !sp_key_index_unique_fits(&index->key, new_key, version))
            return sp_error_set(error, SP_ERROR_RULE, INVALID_OPTIONS,
                                "a unique index does not begin with the new shard key");
    }
    return true;
}

/* What begins with _id is taken for unique; what is prepared to become so is not. */
static bool counts_as_unique(const sp_index_t *index)
{
    bson_iter_t iter;
    return index->unique || (bson_iter_init(&iter, &index->key) && bson_iter_next(&iter) &&
                             strcmp(bson_iter_key(&iter), "_id") == 0);
}

/* Uniqueness is promised by the index on the very key that was made first, be it sparse, partial or
 * of another collation, though none of these promises as much. */
static bool check_promise(const sp_refine_index_t *indexes, unsigned count, const bson_t *new_key,
                          sp_error_t *error)
{
    for (unsigned i = 0; i < count; i++) {
        if (sp_refine_same_key(&indexes[i].index.key, new_key))
            return counts_as_unique(&indexes[i].index) ||
                   sp_error_set(error, SP_ERROR_RULE, INVALID_OPTIONS,
                                "the collection is sharded as unique, and the index on the new "
                                "shard key is not");
    }
    return sp_error_set(error, SP_ERROR_RULE, INVALID_OPTIONS,
                        "the collection is sharded as unique, and no unique index is on the new "
                        "shard key");
}

bool sp_refine_check_indexes(const sp_refine_index_t *indexes, unsigned count, bool unique,
                             const bson_t *new_key, sp_version_t version, sp_error_t *error)
{
    if (!check_uniqueness(indexes, count, new_key, version, error) ||
        (unique && !check_promise(indexes, count, new_key, error)))
        return false;
    bool looks_fit = false;
    for (unsigned i = 0; i < count; i++) {
        if (sp_key_index_serves(&indexes[i].index, indexes[i].multikey, new_key, version))
            return true;
        looks_fit = looks_fit || sp_key_index_looks_fit(&indexes[i].index, new_key, false);
    }
    bool other = looks_fit && sp_version_has(version, SP_REFINE_UNFIT_IS_96);
    return sp_error_set(error, SP_ERROR_RULE, other ? OPERATION_FAILED : INVALID_OPTIONS,
                        "no index supports the new shard key: create one that begins with it");
}
