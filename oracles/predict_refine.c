/*
 * Refining a shard key: whether a server does it, and what the collection is like afterwards.
 */
#include "case.h"
#include "extract.h"
#include "refine_docs.h"
#include "refine_key.h"
#include "refine_request.h"

#include <assert.h>
#include <string.h>

enum { COMMAND_NOT_FOUND = 59, NAMESPACE_NOT_SHARDED = 118, INVALID_OPTIONS = 72 };

/* One question on its way to its answer. */
typedef struct refining {
    sp_model_t *model;
    const sp_layout_t *layout;
    const bson_t *key; /* the shard key as it is */
    sp_refine_request_t request;
    const char *first_shard; /* the owner of the first chunk, whose indexes are looked at */
    sp_refine_index_t indexes[SP_REFINE_INDEXES_MAX + 1]; /* of that shard */
    unsigned index_count;
} refining_t;

static void add_key_index(refining_t *refining)
{
    sp_refine_index_t *added = &refining->indexes[refining->index_count++];
    bool sound =
        bson_init_static(&added->index.key, bson_get_data(refining->key), refining->key->len);
    assert(sound);
    added->index.unique = refining->request.unique && !sp_pattern_is_id(refining->key);
}

static bool add_indexes(refining_t *refining, sp_error_t *error)
{
    bson_iter_t iter = refining->request.indexes;
    if (!refining->request.no_key_index || sp_pattern_is_id(refining->key))
        add_key_index(refining);
    while (bson_iter_next(&iter)) {
        bool here;
        sp_refine_index_t *added = &refining->indexes[refining->index_count];
        if (!sp_refine_request_index(&iter, refining->first_shard, &added->index, &here, error))
            return false;
        sp_refine_settle_collation(refining->layout, &added->index);
        refining->index_count += here;
    }
    return true;
}

/* Notes in the first shard's indexes that they have arrays in them. */
static bool enter(refining_t *refining, const bson_t *doc, sp_error_t *error)
{
    bool ok = true;
    for (unsigned i = 0; ok && i < refining->index_count; i++) {
        sp_index_entry_t entry = SP_ENTRY_PLAIN;
        ok =
            sp_refine_index_entry(refining->model, &refining->indexes[i].index, doc, &entry, error);
        refining->indexes[i].multikey |= entry == SP_ENTRY_ARRAY;
    }
    return ok;
}

/* Stores the documents; stored[i] says what became of each. */
static bool store(refining_t *refining, bool *stored, sp_error_t *error)
{
    bson_iter_t iter = refining->request.docs;
    bson_t doc;
    for (unsigned i = 0; bson_iter_next(&iter); i++) {
        bool sound = sp_value_document(&iter, &doc);
        assert(sound);
        const char *shard;
        bool ok = sp_refine_place(refining->model, refining->layout, &refining->request.indexes,
                                  &doc, &shard, error);
        stored[i] = ok && shard != NULL;
        if (!ok || (stored[i] && strcmp(shard, refining->first_shard) == 0 &&
                    !enter(refining, &doc, error)))
            return sp_error_prefix(error, "docs[%u]", i);
    }
    return true;
}

/* False, with the server's code, where the key stays as it is. */
static bool refine(const refining_t *refining, bool *changes, sp_error_t *error)
{
    const sp_refine_request_t *request = &refining->request;
    *changes = false;
    if (!sp_version_has(refining->model->version, SP_REFINES_KEYS))
        return sp_error_set(error, SP_ERROR_RULE, COMMAND_NOT_FOUND,
                            "this version has no command that refines a shard key");
    if (!sp_pattern_check(&request->new_key, refining->model->version, error))
        return false;
    if (request->state != SP_REFINE_SHARDED)
        return sp_error_set(error, SP_ERROR_RULE, NAMESPACE_NOT_SHARDED,
                            "the collection is not sharded");
    if (sp_refine_same_key(refining->key, &request->new_key))
        return true;
    if (!sp_refine_extends(refining->key, &request->new_key))
        return sp_error_set(error, SP_ERROR_RULE, INVALID_OPTIONS,
                            "the new shard key must begin with the whole of the old one");
    *changes = true;
    return sp_refine_check_indexes(refining->indexes, refining->index_count, request->unique,
                                   &request->new_key, refining->model->version, error);
}

static void append_range(bson_t *array, uint32_t number, const bson_t *min, const bson_t *max,
                         const char *name, const bson_t *new_key)
{
    char buffer[16];
    const char *index;
    bson_t range, bound;
    bson_uint32_to_string(number, &index, buffer, sizeof buffer);
    BSON_APPEND_ARRAY_BEGIN(array, index, &range);
    BSON_APPEND_DOCUMENT_BEGIN(&range, "0", &bound);
    sp_refine_bound(min, new_key, &bound);
    bson_append_document_end(&range, &bound);
    BSON_APPEND_DOCUMENT_BEGIN(&range, "1", &bound);
    sp_refine_bound(max, new_key, &bound);
    bson_append_document_end(&range, &bound);
    BSON_APPEND_UTF8(&range, "2", name);
    bson_append_array_end(array, &range);
}

static void append_ranges(const refining_t *refining, const bson_t *new_key, bson_t *answer)
{
    const sp_chunkmap_t *chunks = refining->layout->chunks;
    bson_iter_t iter = refining->request.zones;
    bson_t array, min, max;
    const char *name;
    BSON_APPEND_ARRAY_BEGIN(answer, "chunks", &array);
    for (uint32_t i = 0; i < sp_chunkmap_count(chunks); i++) {
        sp_chunkmap_bounds(chunks, i, &min, &max);
        append_range(&array, i, &min, &max, sp_chunkmap_shard(chunks, i), new_key);
    }
    bson_append_array_end(answer, &array);
    BSON_APPEND_ARRAY_BEGIN(answer, "zones", &array);
    for (uint32_t i = 0; bson_iter_next(&iter); i++) {
        bool sound = sp_refine_request_zone(&iter, &min, &max, &name);
        assert(sound);
        append_range(&array, i, &min, &max, name, new_key);
    }
    bson_append_array_end(answer, &array);
}

/* How many documents a router finds: all of them, and each by its own values. What has an array in
 * the new key is found by neither, since its shard takes it for another shard's. */
static bool append_found(const refining_t *refining, const bson_t *new_key, const bool *stored,
                         bson_t *answer, sp_error_t *error)
{
    bson_iter_t iter = refining->request.docs;
    int32_t found = 0, by_key = 0;
    sp_pattern_t *pattern = sp_pattern_new(new_key, NULL);
    if (pattern == NULL)
        return sp_error_set(error, SP_ERROR_INPUT, 0,
                            "'indexes' has an index that no server makes");
    for (unsigned i = 0; bson_iter_next(&iter); i++) {
        bson_t doc, key = BSON_INITIALIZER, filter = BSON_INITIALIZER;
        bool sound = sp_value_document(&iter, &doc);
        assert(sound);
        if (stored[i] && sp_extract_key(pattern, refining->model->hasher, &doc, &key, NULL)) {
            found++;
            by_key += sp_refine_own_filter(pattern, &doc, &filter);
        }
        bson_destroy(&key);
        bson_destroy(&filter);
    }
    BSON_APPEND_INT32(answer, "found", found);
    BSON_APPEND_INT32(answer, "foundByKey", by_key);
    sp_pattern_free(pattern);
    return true;
}

static bool predict(sp_model_t *model, const sp_layout_t *layout, const bson_t *question,
                    bson_t *answer, sp_error_t *error)
{
    refining_t *refining = bson_malloc0(sizeof *refining);
    bson_iter_t iter;
    bool *stored = NULL, changes = false;
    sp_error_t refused = {0};
    refining->model = model;
    refining->layout = layout;
    refining->first_shard = sp_chunkmap_shard(layout->chunks, 0);
    refining->key = layout->key;
    bool ok = sp_refine_request_read(question, layout, &refining->request, error) &&
              add_indexes(refining, error);
    if (ok) {
        uint32_t count = 0;
        for (iter = refining->request.docs; bson_iter_next(&iter);)
            count++;
        stored = bson_malloc0((count + 1) * sizeof *stored);
        ok = store(refining, stored, error);
    }
    if (ok && refine(refining, &changes, &refused)) {
        const bson_t *key = changes ? &refining->request.new_key : refining->key;
        BSON_APPEND_DOCUMENT(answer, "key", key);
        append_ranges(refining, key, answer);
        ok = append_found(refining, key, stored, answer, error);
    } else if (ok) {
        ok = sp_answer_failure(&refused, answer, error);
    }
    bson_free(stored);
    bson_free(refining);
    return ok;
}

bool sp_case_predict_refine(sp_model_t *model, const bson_t *test, sp_answers_t *answers,
                            sp_error_t *error)
{
    return sp_case_predict_each(model, test, "requests", predict, answers, error);
}
