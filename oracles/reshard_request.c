#include "reshard_request.h"

#include "case.h"

#include <string.h>

static bool read_ranges(const bson_iter_t *field, sp_range_t **ranges, unsigned *count,
                        sp_error_t *error)
{
    const char *name = bson_iter_key(field);
    bson_iter_t iter;
    if (!BSON_ITER_HOLDS_ARRAY(field) || !bson_iter_recurse(field, &iter))
        return sp_error_set(error, SP_ERROR_INPUT, 0, "'%s' must be an array", name);
    bson_free(*ranges); /* of two fields of one name */
    *ranges = bson_malloc0(SP_RESHARD_RANGES_MAX * sizeof **ranges);
    for (*count = 0; bson_iter_next(&iter); ++*count) {
        sp_range_t *range = *ranges + *count;
        if (*count == SP_RESHARD_RANGES_MAX)
            return sp_error_set(error, SP_ERROR_INPUT, 0, "'%s' has more than %d ranges", name,
                                SP_RESHARD_RANGES_MAX);
        if (!sp_refine_request_zone(&iter, &range->min, &range->max, &range->name))
            return sp_error_set(error, SP_ERROR_INPUT, 0, "%s[%u] is not [min, max, name]", name,
                                *count);
    }
    return true;
}

static bool read_option(const bson_iter_t *iter, sp_reshard_request_t *request, sp_error_t *error)
{
    const char *name = bson_iter_key(iter);
    if (strcmp(name, "unique") == 0) {
        request->unique = BSON_ITER_HOLDS_BOOL(iter) && bson_iter_bool(iter);
        return BSON_ITER_HOLDS_BOOL(iter) ||
               sp_error_set(error, SP_ERROR_INPUT, 0, "'unique' must be true or false");
    }
    if (strcmp(name, "numInitialChunks") == 0) {
        request->numbered = BSON_ITER_HOLDS_INT32(iter) || BSON_ITER_HOLDS_INT64(iter);
        request->number = bson_iter_as_int64(iter);
        return request->numbered ||
               sp_error_set(error, SP_ERROR_INPUT, 0, "'numInitialChunks' must be an integer");
    }
    if (strcmp(name, "collation") == 0) {
        request->has_collation = sp_value_document(iter, &request->collation);
        return request->has_collation ||
               sp_error_set(error, SP_ERROR_INPUT, 0, "'collation' must be a document");
    }
    if (strcmp(name, "zones") == 0) {
        request->has_zones = true;
        return read_ranges(iter, &request->zones, &request->zone_count, error);
    }
    if (strcmp(name, "presetReshardedChunks") == 0) {
        request->has_preset = true;
        if (!read_ranges(iter, &request->preset, &request->preset_count, error))
            return false;
        return request->preset_count > 0 ||
               sp_error_set(error, SP_ERROR_INPUT, 0,
                            "'presetReshardedChunks' must not be empty: a config server dies of "
                            "it");
    }
    return sp_error_set(error, SP_ERROR_INPUT, 0, "there is no option '%s'", name);
}

static bool read_options(const bson_t *question, sp_reshard_request_t *request, sp_error_t *error)
{
    bson_iter_t field, iter;
    if (!bson_iter_init_find(&field, question, "options"))
        return true;
    if (!BSON_ITER_HOLDS_DOCUMENT(&field) || !bson_iter_recurse(&field, &iter))
        return sp_error_set(error, SP_ERROR_INPUT, 0, "'options' must be a document");
    bool ok = true;
    while (ok && bson_iter_next(&iter))
        ok = read_option(&iter, request, error);
    return ok;
}

bool sp_reshard_request_read(const bson_t *question, const sp_layout_t *layout,
                             sp_reshard_request_t *request, sp_error_t *error)
{
    memset(request, 0, sizeof *request);
    if (!sp_refine_request_read(question, layout, &request->common, error))
        return false;
    return sp_case_flag(question, "keepZones", &request->keeps_zones, error) &&
           read_options(question, request, error);
}

void sp_reshard_request_clear(sp_reshard_request_t *request)
{
    bson_free(request->zones);
    bson_free(request->preset);
}
