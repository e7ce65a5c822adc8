#include "refine_key.h"

#include "order.h"

#include <assert.h>
#include <string.h>

bool sp_refine_same_key(const bson_t *a, const bson_t *b)
{
    return sp_document_compare(a, b) == 0;
}

bool sp_refine_extends(const bson_t *key, const bson_t *new_key)
{
    bson_iter_t old_iter, new_iter;
    if (!bson_iter_init(&old_iter, key) || !bson_iter_init(&new_iter, new_key))
        return false;
    while (bson_iter_next(&old_iter)) {
        if (!bson_iter_next(&new_iter) ||
            strcmp(bson_iter_key(&old_iter), bson_iter_key(&new_iter)) != 0)
            return false;
        sp_value_t old_value = sp_value_of(&old_iter), new_value = sp_value_of(&new_iter);
        if (sp_value_compare(&old_value, &new_value) != 0)
            return false;
    }
    return true;
}

static bool is_global_max(const bson_t *bound)
{
    bson_iter_t iter;
    bool sound = bson_iter_init(&iter, bound);
    assert(sound);
    while (bson_iter_next(&iter)) {
        if (!BSON_ITER_HOLDS_MAXKEY(&iter))
            return false;
    }
    return true;
}

void sp_refine_bound(const bson_t *bound, const bson_t *new_key, bson_t *refined)
{
    bson_iter_t iter;
    uint32_t known = bson_count_keys(bound);
    bool max = is_global_max(bound);
    bool sound = bson_iter_init(&iter, new_key);
    assert(sound);
    bson_concat(refined, bound);
    for (uint32_t i = 0; bson_iter_next(&iter); i++) {
        if (i < known)
            continue;
        if (max)
            BSON_APPEND_MAXKEY(refined, bson_iter_key(&iter));
        else
            BSON_APPEND_MINKEY(refined, bson_iter_key(&iter));
    }
}
