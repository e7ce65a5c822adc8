#include "area.h"

#include <string.h>

static const sp_area_t areas[] = {
    {
        .name = "hash",
        .summary = "hashed index values of BSON values",
        .rule = "the hashed index value is the first 8 bytes of MD5(seed, class, value), numbers "
                "as int64",
        .needs = SP_CAN_HASH,
        .seed_bytes = 512,
        .scene_answers = 1,
        .batch = 4096,
        .weight = 1,
        .generate = sp_gen_hash,
        .predict = sp_case_predict_hash,
        .execute = sp_execute_hash,
    },
    {
        .name = "order",
        .summary = "comparison of two BSON values",
        .rule = "values compare by class, then by value; numbers exactly across their types",
        .needs = SP_CAN_COMPARE,
        .seed_bytes = 1024,
        .scene_answers = 1,
        .batch = 4096,
        .weight = 1,
        .generate = sp_gen_order,
        .predict = sp_case_predict_order,
        .execute = sp_execute_order,
    },
    {
        .name = "route",
        .summary = "which shard owns an inserted document",
        .rule =
            "a document lies on the shard whose chunk holds its shard key value, missing as null",
        .needs = SP_CAN_ROUTE,
        .seed_bytes = 65536,
        .scene_answers = SP_ROUTE_DOCS,
        .questions = "docs",
        .batch = 1,
        .weight = 2,
        .generate = sp_gen_route,
        .predict = sp_case_predict_route,
        .execute = sp_execute_route,
    },
    {
        .name = "find",
        .summary = "which shards a router asks for a query",
        .rule = "a query goes to the shards whose chunks its shard key value or index bounds meet, "
                "and without either to all that own chunks",
        .needs = SP_CAN_ROUTE,
        .seed_bytes = 262144,
        .scene_answers = SP_FIND_QUERIES,
        .questions = "queries",
        .batch = 1,
        .weight = 4,
        .generate = sp_gen_find,
        .predict = sp_case_predict_find,
        .execute = sp_execute_find,
    },
    {
        .name = "write",
        .summary = "which shards a router sends an update or delete to",
        .rule = "a write goes where a query with its filter would; one of a single document needs "
                "the whole shard key or an exact _id, an upsert the whole shard key",
        .needs = SP_CAN_ROUTE,
        .seed_bytes = 65536,
        .scene_answers = SP_WRITE_WRITES,
        .questions = "writes",
        .batch = 1,
        .weight = 2,
        .generate = sp_gen_write,
        .predict = sp_case_predict_write,
        .execute = sp_execute_write,
    },
    {
        .name = "shardcollection",
        .summary = "whether a collection can be sharded, and with which index",
        .rule = "a collection is sharded where the key pattern is valid, nothing contradicts it, "
                "and an index supports it or can be made",
        .needs = SP_CAN_ROUTE,
        .seed_bytes = 65536,
        .scene_answers = SP_SHARDING_REQUESTS,
        .questions = "requests",
        .batch = 1,
        .weight = 2,
        .generate = sp_gen_shardcollection,
        .predict = sp_case_predict_shardcollection,
        .execute = sp_execute_shardcollection,
    },
    {
        .name = "chunks",
        .summary = "the initial chunks of a collection",
        .rule =
            "one chunk on the primary shard, or ranges of hashes or zones dealt round the shards",
        .needs = SP_CAN_ROUTE,
        .seed_bytes = 65536,
        .scene_answers = SP_CHUNKS_REQUESTS,
        .questions = "requests",
        .batch = 1,
        .weight = 2,
        .generate = sp_gen_chunks,
        .predict = sp_case_predict_chunks,
        .execute = sp_execute_chunks,
    },
    {
        .name = "index",
        .summary = "indexes of a sharded collection",
        .rule = "a unique index must begin with the shard key, and one index that supports it must "
                "stay",
        .needs = SP_CAN_ROUTE,
        .seed_bytes = 65536,
        .scene_answers = SP_INDEX_REQUESTS,
        .questions = "requests",
        .batch = 1,
        .weight = 2,
        .generate = sp_gen_index,
        .predict = sp_case_predict_index,
        .execute = sp_execute_index,
    },
    {
        .name = "unique",
        .summary = "what uniqueness holds in a sharded collection",
        .rule = "a unique index holds on each shard by itself, and so for the whole shard key",
        .needs = SP_CAN_ROUTE,
        .seed_bytes = 65536,
        .scene_answers = SP_UNIQUE_REQUESTS,
        .questions = "requests",
        .batch = 1,
        .weight = 2,
        .generate = sp_gen_unique,
        .predict = sp_case_predict_unique,
        .execute = sp_execute_unique,
    },
    {
        .name = "keychange",
        .summary = "updates that change a shard key value",
        .rule = "a shard key value is changed by a retryable write or in a transaction alone, by "
                "the whole key, one document at a time",
        .needs = SP_CAN_ROUTE,
        .seed_bytes = 65536,
        .scene_answers = SP_KEYCHANGE_UPDATES,
        .questions = "updates",
        .batch = 1,
        .weight = 2,
        .generate = sp_gen_keychange,
        .predict = sp_case_predict_keychange,
        .execute = sp_execute_keychange,
    },
    {
        .name = "refine",
        .summary = "refining a shard key",
        .rule = "a key is refined by fields behind it that an index supports; chunk and zone "
                "bounds get MinKey for them",
        .needs = SP_CAN_ROUTE,
        .seed_bytes = 65536,
        .scene_answers = SP_REFINE_REQUESTS,
        .questions = "requests",
        .batch = 1,
        .weight = 1,
        .generate = sp_gen_refine,
        .predict = sp_case_predict_refine,
        .execute = sp_execute_refine,
    },
    {
        .name = "reshard",
        .summary = "resharding a collection",
        .rule =
            "a collection is resharded by another valid key, and every document is found under it",
        .needs = SP_CAN_ROUTE,
        .seed_bytes = 65536,
        .scene_answers = SP_RESHARD_REQUESTS,
        .questions = "requests",
        .batch = 1,
        .weight = 1,
        .generate = sp_gen_reshard,
        .predict = sp_case_predict_reshard,
        .execute = sp_execute_reshard,
    },
    {
        .name = "soundness",
        .summary = "whether a router finds what was acknowledged",
        .rule = "a router finds what the shards together hold, and every acknowledged document by "
                "its own values",
        .needs = SP_CAN_ROUTE,
        .seed_bytes = 65536,
        .scene_answers = SP_SOUNDNESS_CHECKS,
        .questions = "checks",
        .batch = 1,
        .weight = 2,
        .generate = sp_gen_soundness,
        .predict = sp_case_predict_soundness,
        .execute = sp_execute_soundness,
        .on_request = true, /* it finds defects of MongoDB itself in every run */
        .judges_itself = true,
        .narrow = sp_soundness_narrow,
    },
};

const sp_area_t *sp_areas(unsigned *count)
{
    *count = sizeof areas / sizeof *areas;
    return areas;
}

const sp_area_t *sp_area_find(const char *name)
{
    for (unsigned i = 0; i < sizeof areas / sizeof *areas; i++) {
        if (strcmp(areas[i].name, name) == 0)
            return &areas[i];
    }
    return NULL;
}

const sp_area_t *sp_area_of(const bson_t *test, sp_error_t *error)
{
    bson_iter_t iter;
    if (!bson_iter_init_find(&iter, test, "area") || !BSON_ITER_HOLDS_UTF8(&iter)) {
        sp_error_set(error, SP_ERROR_INPUT, 0, "a case needs 'area', the name of one");
        return NULL;
    }
    const sp_area_t *area = sp_area_find(bson_iter_utf8(&iter, NULL));
    if (area == NULL)
        sp_error_set(error, SP_ERROR_INPUT, 0, "there is no area '%s'",
                     bson_iter_utf8(&iter, NULL));
    return area;
}

bool sp_area_fits(const sp_area_t *area, const sp_target_t *target, sp_error_t *error)
{
    return (area->needs & ~sp_target_capabilities(target)) == 0 ||
           sp_error_set(error, SP_ERROR_USAGE, 0, "the server lacks what the area '%s' needs",
                        area->name);
}

bool sp_execute_each(sp_session_t *session, bson_t *const *cases, uint32_t count,
                     bool (*execute_one)(sp_session_t *session, const bson_t *test,
                                         sp_answers_t *observed, sp_error_t *error),
                     sp_answers_t *observed, sp_error_t *error)
{
    for (uint32_t i = 0; i < count; i++) {
        if (!execute_one(session, cases[i], observed, error))
            return false;
    }
    return true;
}
