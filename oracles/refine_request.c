#include "refine_request.h"

#include "order.h"

#include <string.h>

static bool read_state(const bson_iter_t *iter, sp_refine_state_t *state, sp_error_t *error)
{
    static const char *const names[] = {"sharded", "unsharded", "missing"};
    for (unsigned i = 0; BSON_ITER_HOLDS_UTF8(iter) && i < sizeof names / sizeof *names; i++) {
        if (strcmp(bson_iter_utf8(iter, NULL), names[i]) == 0) {
            *state = (sp_refine_state_t)i;
            return true;
        }
    }
    return sp_error_set(error, SP_ERROR_INPUT, 0,
                        "'collection' must be sharded, unsharded or missing");
}

static bool read_bool(const bson_iter_t *iter, bool *flag, sp_error_t *error)
{
    if (!BSON_ITER_HOLDS_BOOL(iter))
        return sp_error_set(error, SP_ERROR_INPUT, 0, "'%s' must be true or false",
                            bson_iter_key(iter));
    *flag = bson_iter_bool(iter);
    return true;
}

static bool read_array(const bson_iter_t *iter, bson_iter_t *array, sp_error_t *error)
{
    if (BSON_ITER_HOLDS_ARRAY(iter) && bson_iter_recurse(iter, array))
        return true;
    return sp_error_set(error, SP_ERROR_INPUT, 0, "'%s' must be an array", bson_iter_key(iter));
}

static bool read_field(const bson_iter_t *iter, sp_refine_request_t *request, sp_error_t *error)
{
    const char *name = bson_iter_key(iter);
    if (strcmp(name, "newKey") == 0)
        return sp_value_document(iter, &request->new_key) ||
               sp_error_set(error, SP_ERROR_INPUT, 0, "'newKey' must be a document");
    if (strcmp(name, "collection") == 0)
        return read_state(iter, &request->state, error);
    if (strcmp(name, "unique") == 0)
        return read_bool(iter, &request->unique, error);
    if (strcmp(name, "keyIndex") == 0) {
        bool has = true;
        bool ok = read_bool(iter, &has, error);
        request->no_key_index = !has;
        return ok;
    }
    if (strcmp(name, "indexes") == 0)
        return read_array(iter, &request->indexes, error);
    if (strcmp(name, "zones") == 0)
        return read_array(iter, &request->zones, error);
    if (strcmp(name, "docs") == 0)
        return read_array(iter, &request->docs, error);
    return true;
}

static bool check_on(const bson_iter_t *on, const char *shard, bool *found)
{
    bson_iter_t iter;
    *found = false;
    if (!BSON_ITER_HOLDS_ARRAY(on) || !bson_iter_recurse(on, &iter))
        return false;
    while (bson_iter_next(&iter)) {
        if (!BSON_ITER_HOLDS_UTF8(&iter))
            return false;
        *found = *found || strcmp(bson_iter_utf8(&iter, NULL), shard) == 0;
    }
    return true;
}

bool sp_refine_request_index(const bson_iter_t *iter, const char *shard, sp_index_t *index,
                             bool *on_shard, sp_error_t *error)
{
    bson_t spec;
    bson_iter_t on;
    *on_shard = true;
    if (!sp_value_document(iter, &spec))
        return sp_error_set(error, SP_ERROR_INPUT, 0, "it is no document");
    if (!sp_index_read(&spec, index, error))
        return false;
    if (bson_iter_init_find(&on, &spec, "on") && !check_on(&on, shard, on_shard))
        return sp_error_set(error, SP_ERROR_INPUT, 0, "'on' must be an array of shards' names");
    return true;
}

bool sp_refine_request_zone(const bson_iter_t *iter, bson_t *min, bson_t *max, const char **name)
{
    bson_iter_t part;
    if (!BSON_ITER_HOLDS_ARRAY(iter) || !bson_iter_recurse(iter, &part) || !bson_iter_next(&part) ||
        !sp_value_document(&part, min) || !bson_iter_next(&part) ||
        !sp_value_document(&part, max) || !bson_iter_next(&part) || !BSON_ITER_HOLDS_UTF8(&part))
        return false;
    *name = bson_iter_utf8(&part, NULL);
    return !bson_iter_next(&part);
}

static bool check_indexes(bson_iter_t iter, sp_error_t *error)
{
    sp_index_t index;
    bool on_shard, ok = true;
    for (unsigned i = 0; ok && bson_iter_next(&iter); i++) {
        ok = i < SP_REFINE_INDEXES_MAX
                 ? sp_refine_request_index(&iter, "", &index, &on_shard, error)
                 : sp_error_set(error, SP_ERROR_INPUT, 0, "a collection has at most %d indexes",
                                SP_REFINE_INDEXES_MAX);
        if (!ok)
            sp_error_prefix(error, "indexes[%u]", i);
    }
    return ok;
}

static bool check_zones(bson_iter_t iter, const sp_layout_t *layout, sp_error_t *error)
{
    bson_t min, max, last;
    const char *name;
    bool ok = true;
    for (unsigned i = 0; ok && bson_iter_next(&iter); i++) {
        if (!sp_refine_request_zone(&iter, &min, &max, &name))
            return sp_error_set(error, SP_ERROR_INPUT, 0, "zones[%u]: it is not [min, max, zone]",
                                i);
        ok = sp_pattern_fits(layout->pattern, &min, error) &&
             sp_pattern_fits(layout->pattern, &max, error);
        if (ok && sp_key_compare(&min, &max) >= 0)
            ok = sp_error_set(error, SP_ERROR_INPUT, 0, "the zone ends before it begins");
        if (ok && i > 0 && sp_key_compare(&last, &min) > 0)
            ok = sp_error_set(error, SP_ERROR_INPUT, 0, "it begins before the one before it ends");
        if (!ok)
            return sp_error_prefix(error, "zones[%u]", i);
        ok = bson_init_static(&last, bson_get_data(&max), max.len);
    }
    return ok;
}

static bool check_docs(bson_iter_t iter, sp_error_t *error)
{
    bson_t doc;
    for (unsigned i = 0; bson_iter_next(&iter); i++) {
        if (!sp_value_document(&iter, &doc))
            return sp_error_set(error, SP_ERROR_INPUT, 0, "docs[%u] is no document", i);
    }
    return true;
}

bool sp_refine_request_read(const bson_t *question, const sp_layout_t *layout,
                            sp_refine_request_t *request, sp_error_t *error)
{
    static const uint8_t nothing[] = {5, 0, 0, 0, 0};
    bson_iter_t iter;
    memset(request, 0, sizeof *request);
    bool sound = bson_iter_init_from_data(&request->indexes, nothing, sizeof nothing) &&
                 bson_iter_init_from_data(&request->zones, nothing, sizeof nothing) &&
                 bson_iter_init_from_data(&request->docs, nothing, sizeof nothing) &&
                 bson_iter_init(&iter, question);
    if (!sound)
        return sp_error_set(error, SP_ERROR_INPUT, 0, "it is no document");
    if (!bson_has_field(question, "newKey"))
        return sp_error_set(error, SP_ERROR_INPUT, 0, "it has no 'newKey'");
    bool ok = true;
    while (ok && bson_iter_next(&iter))
        ok = read_field(&iter, request, error);
    if (ok && request->unique && layout->pattern->hashed >= 0)
        ok = sp_error_set(error, SP_ERROR_INPUT, 0,
                          "'unique' must be false for a shard key with a hashed field");
    return ok && check_indexes(request->indexes, error) &&
           check_zones(request->zones, layout, error) && check_docs(request->docs, error);
}
