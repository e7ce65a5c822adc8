#include "shard_indexes.h"

#include "extract.h"
#include "index_multikey.h"
#include "index_pattern.h"
#include "key_index.h"

#include <string.h>

enum {
    BAD_VALUE = 2,
    CANNOT_CREATE_INDEX = 67,
    INVALID_OPTIONS = 72,
    INDEX_KEY_SPECS_CONFLICT = 86,
    NOT_FIT = 96
};

static bool refuse(sp_error_t *error, int32_t code, const char *message)
{
    return sp_error_set(error, SP_ERROR_RULE, code, "%s", message);
}

/* An index that is only prepared to be unique counts as unique here. */
static bool check_unique(const sp_shard_request_t *request, sp_version_t version, sp_error_t *error)
{
    for (unsigned i = 0; i < request->index_count; i++) {
        const sp_index_t *index = &request->indexes[i];
        if ((index->unique || index->prepare_unique) &&
            !sp_key_index_unique_fits(&index->key, &request->key, version))
            return sp_error_set(error, SP_ERROR_RULE, INVALID_OPTIONS,
                                "the unique index '%s' does not begin with the shard key",
                                index->name == NULL ? "" : index->name);
    }
    return true;
}

static bool any_looks_fit(const sp_shard_request_t *request)
{
    for (unsigned i = 0; i < request->index_count; i++) {
        if (sp_key_index_looks_fit(&request->indexes[i], &request->key, false))
            return true;
    }
    return false;
}

/* The first on the shard key alone, whatever its options; NULL for none. */
static const sp_index_t *find_exact(const sp_shard_request_t *request)
{
    for (unsigned i = 0; i < request->index_count; i++) {
        if (sp_index_pattern_same(&request->indexes[i].key, &request->key))
            return &request->indexes[i];
    }
    return NULL;
}

static bool is_multikey(const sp_shard_request_t *request, unsigned index)
{
    bson_iter_t iter = request->docs;
    bson_t doc;
    while (request->has_docs && bson_iter_next(&iter)) {
        if (sp_value_document(&iter, &doc) && sp_index_multikey(&request->given_keys[index], &doc))
            return true;
    }
    return false;
}

/* Under {_id: "hashed"} nothing is asked of the index but to look fit. */
static bool is_hashed_id(const bson_t *key)
{
    bson_iter_t iter;
    return bson_count_keys(key) == 1 && bson_iter_init_find(&iter, key, "_id") &&
           BSON_ITER_HOLDS_UTF8(&iter);
}

static bool any_serves(const sp_shard_request_t *request, sp_version_t version)
{
    if (is_hashed_id(&request->key))
        return true;
    for (unsigned i = 0; i < request->index_count; i++) {
        if (sp_key_index_serves(&request->indexes[i], is_multikey(request, i), &request->key,
                                version))
            return true;
    }
    return false;
}

static bool have_key_fields(const sp_shard_request_t *request)
{
    bson_iter_t iter = request->docs;
    bson_t doc;
    bool have = true;
    sp_pattern_t *pattern = sp_pattern_new(&request->key, NULL);
    while (have && pattern != NULL && request->has_docs && bson_iter_next(&iter)) {
        bool sound = sp_value_document(&iter, &doc);
        for (unsigned i = 0; sound && have && i < pattern->field_count; i++)
            have = sp_extract_path(&doc, &pattern->fields[i]).type != BSON_TYPE_EOD;
    }
    sp_pattern_free(pattern);
    return have;
}

char *sp_shard_index_name(const bson_t *key)
{
    bson_iter_t iter;
    bson_string_t *name = bson_string_new(NULL);
    for (bool more = bson_iter_init(&iter, key); more && bson_iter_next(&iter);)
        bson_string_append_printf(name, "%s%s_%s", name->len == 0 ? "" : "_", bson_iter_key(&iter),
                                  BSON_ITER_HOLDS_UTF8(&iter) ? "hashed" : "1");
    return bson_string_free(name, false);
}

static bool is_on_id_alone(const bson_t *key)
{
    bson_iter_t iter;
    return bson_count_keys(key) == 1 && bson_iter_init_find(&iter, key, "_id") &&
           !BSON_ITER_HOLDS_UTF8(&iter);
}

static bool name_is_free(const sp_shard_request_t *request, sp_error_t *error)
{
    char *name = sp_shard_index_name(&request->key);
    bool is_free = true;
    for (unsigned i = 0; is_free && i < request->index_count; i++) {
        const sp_index_t *index = &request->indexes[i];
        is_free = index->name == NULL || strcmp(index->name, name) != 0;
    }
    bson_free(name);
    return is_free || refuse(error, INDEX_KEY_SPECS_CONFLICT,
                             "another index has the name that the shard key's would get");
}

/* In the sequence in which a server looks at an index that it makes. */
static bool can_make(const sp_shard_request_t *request, sp_error_t *error)
{
    sp_index_kind_t kind;
    if (!sp_index_pattern_check(&request->key, &kind, error))
        return false;
    /* That of a collection with a collation, or by a number that only counts as 1. */
    if (is_on_id_alone(&request->key))
        return refuse(error, BAD_VALUE, "the index on _id cannot be made anew");
    if (!name_is_free(request, error))
        return false;
    if (request->index_count == SP_REQUEST_INDEXES_MAX)
        return refuse(error, CANNOT_CREATE_INDEX, "the collection has too many indexes");
    return sp_index_pattern_build(&request->key, kind, request->unique, error);
}

static bool begins_with_id(const bson_t *key)
{
    bson_iter_t iter;
    return bson_iter_init(&iter, key) && bson_iter_next(&iter) &&
           strcmp(bson_iter_key(&iter), "_id") == 0;
}

bool sp_shard_indexes_check(const sp_shard_request_t *request, sp_version_t version, bool *makes,
                            sp_error_t *error)
{
    if (!check_unique(request, version, error))
        return false;
    bool fits = any_looks_fit(request);
    const sp_index_t *exact = find_exact(request);
    *makes = !fits || (request->unique && exact == NULL);
    if (*makes)
        return request->populated ? refuse(error, INVALID_OPTIONS,
                                           "no index of the collection supports the shard key")
                                  : can_make(request, error);
    /* What begins with _id counts as unique, and so does what is unique and sparse or partial. */
    if (request->unique && !exact->unique && !begins_with_id(&exact->key))
        return refuse(error, INVALID_OPTIONS, "the index on the shard key is not unique");
    if (!any_serves(request, version))
        return refuse(error,
                      sp_version_has(version, SP_UNFIT_INDEX_IS_96) ? NOT_FIT : INVALID_OPTIONS,
                      "no index on the shard key is free of arrays, shown and over all documents");
    return !sp_version_has(version, SP_KEY_FIELDS_REQUIRED) || have_key_fields(request) ||
           refuse(error, NOT_FIT, "a document lacks a field of the shard key");
}
