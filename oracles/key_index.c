#include "key_index.h"

#include "collation.h"
#include "order.h"

#include <string.h>

bool sp_key_index_looks_fit(const sp_index_t *index, const bson_t *key, bool whole)
{
    bson_iter_t in_index, in_key;
    if (index->sparse || (index->has_collation && !sp_collation_is_simple(&index->collation)) ||
        !bson_iter_init(&in_index, &index->key) || !bson_iter_init(&in_key, key))
        return false;
    while (bson_iter_next(&in_key)) {
        if (!bson_iter_next(&in_index) ||
            strcmp(bson_iter_key(&in_index), bson_iter_key(&in_key)) != 0)
            return false;
        sp_value_t a = sp_value_of(&in_index), b = sp_value_of(&in_key);
        if (sp_value_compare(&a, &b) != 0)
            return false;
    }
    return !whole || !bson_iter_next(&in_index);
}

bool sp_key_index_serves(const sp_index_t *index, bool multikey, const bson_t *key,
                         sp_version_t version)
{
    bool shown = !index->hidden || !sp_version_has(version, SP_KEY_INDEX_KEPT);
    return !multikey && shown && !index->has_partial && sp_key_index_looks_fit(index, key, false);
}

bool sp_key_index_unique_fits(const bson_t *index, const bson_t *key, sp_version_t version)
{
    (void)version;
    bson_iter_t in_index, in_key;
    if (!bson_iter_init(&in_index, index) || !bson_iter_init(&in_key, key) ||
        !bson_iter_next(&in_index) || !bson_iter_next(&in_key))
        return false;
    if (strcmp(bson_iter_key(&in_index), "_id") == 0)
        return true;
    while (strcmp(bson_iter_key(&in_index), bson_iter_key(&in_key)) == 0) {
        if (!bson_iter_next(&in_key))
            return true;
        if (!bson_iter_next(&in_index))
            return false;
    }
    return false;
}
