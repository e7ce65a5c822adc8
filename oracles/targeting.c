#include "targeting.h"

#include "collation.h"
#include "filter_normal.h"
#include "plan.h"
#include "query_key.h"

#include <assert.h>
#include <string.h>

enum { SHARD_KEY_NOT_FOUND = 61 };

static bool holds_text(const sp_value_t *value)
{
    return value->type == BSON_TYPE_SYMBOL || sp_collation_concerns(value->type);
}

/* How many values of equalities and $in there are in which strings, at any depth, could be equal by
 * a collation. */
static unsigned count_texts(const sp_node_t *node)
{
    unsigned count = node->kind == SP_NODE_EQ && holds_text(&node->value);
    for (unsigned i = 0; node->kind == SP_NODE_IN && i < node->value_count; i++)
        count += holds_text(&node->values[i]);
    for (unsigned i = 0; i < node->child_count; i++)
        count += count_texts(node->children[i]);
    return count;
}

bool sp_query_parse(sp_arena_t *arena, sp_version_t version, const sp_layout_t *layout,
                    const sp_query_t *query, sp_parsed_query_t *parsed, sp_error_t *error)
{
    bool has_own = query->collation != NULL && !bson_empty(query->collation);
    if (has_own && !sp_collation_check(query->collation, error))
        return false;
    sp_node_t *root = sp_filter_parse(arena, version, query->filter, error);
    if (root == NULL)
        return false;
    const bson_t *collation = has_own ? query->collation : layout->collation;
    parsed->simple = sp_collation_is_simple(collation);
    sp_strings_t strings = {.simple = parsed->simple};
    if (!parsed->simple && count_texts(root) > 1) {
        strings.collator = sp_collator_new(collation, error);
        if (strings.collator == NULL)
            return false;
    }
    parsed->root = sp_filter_normalize(arena, version, &strings, root);
    sp_collator_free(strings.collator);
    return true;
}

static void contact(sp_targeting_t *targeting, unsigned shard)
{
    uint64_t bit = UINT64_C(1) << shard % 64;
    if ((targeting->shards[shard / 64] & bit) == 0) {
        targeting->shards[shard / 64] |= bit;
        targeting->shard_count++;
    }
}

/* A hashed field may hold the hash of a string, so under a collation its value says nothing. */
static bool key_is_comparable(const sp_pattern_t *pattern, const bson_t *key)
{
    bson_iter_t iter;
    if (pattern->hashed >= 0 || !bson_iter_init(&iter, key))
        return false;
    while (bson_iter_next(&iter)) {
        if (sp_collation_concerns(bson_iter_type(&iter)))
            return false;
    }
    return true;
}

bool sp_target_found_key(sp_version_t version, const sp_layout_t *layout,
                         const sp_parsed_query_t *parsed, const bson_t *key,
                         sp_targeting_t *targeting, sp_error_t *error)
{
    memset(targeting, 0, sizeof *targeting);
    targeting->reach = SP_REACH_KEY;
    if (!parsed->simple && !key_is_comparable(layout->pattern, key))
        return sp_error_set(error, SP_ERROR_RULE, SHARD_KEY_NOT_FOUND,
                            "the shard key value cannot be looked up under this collation");
    uint32_t chunk;
    if (!sp_chunkmap_find(layout->chunks, key, &chunk) &&
        sp_version_has(version, SP_MAX_KEY_IN_NO_CHUNK))
        return sp_error_set(error, SP_ERROR_RULE, SHARD_KEY_NOT_FOUND,
                            "no chunk holds the shard key value that is MaxKey in every field");
    bool sound = bson_init_static(&targeting->key, bson_get_data(key), key->len);
    assert(sound);
    contact(targeting, sp_chunkmap_shard_number(layout->chunks, chunk));
    return true;
}

bool sp_target_key(sp_arena_t *arena, sp_hasher_t *hasher, sp_version_t version,
                   const sp_layout_t *layout, const sp_parsed_query_t *parsed,
                   sp_targeting_t *targeting, sp_error_t *error)
{
    const sp_pattern_t *pattern = layout->pattern;
    sp_value_t values[SP_PATTERN_FIELDS_MAX];
    if (!sp_query_key(pattern, parsed->root, values)) {
        memset(targeting, 0, sizeof *targeting);
        return sp_error_set(error, SP_ERROR_RULE, SHARD_KEY_NOT_FOUND,
                            "the filter does not fix every shard key field to one value");
    }
    if (pattern->hashed >= 0) {
        sp_value_t *hashed = &values[pattern->hashed];
        uint64_t hash = BSON_UINT64_TO_LE((uint64_t)sp_hash_value(hasher, hashed));
        uint8_t *data = sp_arena_take(arena, sizeof hash);
        memcpy(data, &hash, sizeof hash);
        *hashed = (sp_value_t){BSON_TYPE_INT64, sizeof hash, data};
    }
    bson_t key;
    sp_pattern_key(pattern, arena, values, &key);
    return sp_target_found_key(version, layout, parsed, &key, targeting, error);
}

typedef struct visit {
    const sp_chunkmap_t *chunks;
    sp_targeting_t *targeting;
} visit_t;

static bool visit_range(void *context, const sp_key_range_t *range)
{
    const visit_t *visit = context;
    unsigned all = sp_chunkmap_shard_count(visit->chunks);
    uint32_t first, last;
    if (!sp_chunks_of_range(visit->chunks, range, &first, &last))
        return true;
    for (uint32_t chunk = first; chunk <= last && visit->targeting->shard_count < all; chunk++)
        contact(visit->targeting, sp_chunkmap_shard_number(visit->chunks, chunk));
    return visit->targeting->shard_count < all;
}

static void contact_all(const sp_chunkmap_t *chunks, sp_targeting_t *targeting)
{
    for (unsigned i = 0; i < sp_chunkmap_shard_count(chunks); i++)
        contact(targeting, i);
}

bool sp_target_query(sp_arena_t *arena, sp_hasher_t *hasher, sp_version_t version,
                     const sp_layout_t *layout, const sp_parsed_query_t *parsed,
                     sp_targeting_t *targeting, sp_error_t *error)
{
    if (sp_target_key(arena, hasher, version, layout, parsed, targeting, NULL))
        return true;
    int32_t refused = 0;
    const sp_planner_t planner = {arena,   hasher,         layout->pattern,
                                  version, parsed->simple, &refused};
    targeting->reach = SP_REACH_BOUNDS;
    bool bounded = sp_plan_bounds(&planner, parsed->root, &targeting->bounds);
    if (refused != 0)
        return sp_error_set(error, SP_ERROR_RULE, refused, "%s", sp_plan_refusal_text(refused));
    if (!bounded) {
        targeting->reach = SP_REACH_ALL;
        contact_all(layout->chunks, targeting);
        return true;
    }
    visit_t visit = {layout->chunks, targeting};
    sp_bounds_each_range(arena, layout->pattern, &targeting->bounds, visit_range, &visit);
    if (targeting->shard_count == 0) {
        targeting->reach = SP_REACH_NOTHING;
        contact(targeting, sp_chunkmap_shard_number(layout->chunks, 0));
    }
    return true;
}
