#include "keychange_route.h"

#include "collation.h"
#include "extract.h"
#include "update.h"

#include <string.h>

enum { UNSUPPORTED_FORMAT = 12, INVALID_OPTIONS = 72 };

bool sp_keychange_lacks_field(const sp_pattern_t *pattern, const bson_t *doc)
{
    for (unsigned i = 0; i < pattern->field_count; i++) {
        if (sp_extract_path(doc, &pattern->fields[i]).type == BSON_TYPE_EOD)
            return true;
    }
    return false;
}

/* What the router itself refuses in an update. */
static bool pass(const sp_keychange_t *change, sp_error_t *error)
{
    bson_iter_t iter;
    unsigned operators = 0, others = 0;
    if (change->update.type != BSON_TYPE_DOCUMENT || !sp_value_children(&change->update, &iter))
        return true;
    while (bson_iter_next(&iter)) {
        if (bson_iter_key(&iter)[0] == '$')
            operators++;
        else
            others++;
    }
    if (operators > 0 && others > 0)
        return sp_error_set(error, SP_ERROR_RULE, UNSUPPORTED_FORMAT,
                            "the update has operators and other fields");
    return !change->multi || operators > 0 ||
           sp_error_set(error, SP_ERROR_RULE, INVALID_OPTIONS, "a replacement is of one document");
}

/* By the whole shard key, which the filter must fix. */
static bool target_upsert(sp_model_t *model, const sp_layout_t *layout,
                          const sp_keychange_t *change, const char **shard, sp_error_t *error)
{
    sp_arena_t arena;
    sp_parsed_query_t parsed;
    sp_targeting_t targeting;
    sp_arena_init(&arena);
    bool ok =
        sp_query_parse(&arena, model->version, layout, &change->query, &parsed, error) &&
        sp_target_key(&arena, model->hasher, model->version, layout, &parsed, &targeting, error);
    for (unsigned i = 0; ok && i < sp_chunkmap_shard_count(layout->chunks); i++) {
        if ((targeting.shards[i / 64] >> i % 64 & 1) != 0)
            *shard = sp_chunkmap_shard_name(layout->chunks, i);
    }
    sp_arena_clear(&arena);
    return ok;
}

/* Where missing shard key fields are not null, a replacement without them leads nowhere. */
static bool is_too_poor(sp_version_t version, const sp_layout_t *layout, const bson_t *replacement)
{
    return sp_version_has(version, SP_KEY_FIELDS_REQUIRED) &&
           sp_keychange_lacks_field(layout->pattern, replacement);
}

static bool find_holder(const bson_t *answer, const char *holder, bool *reaches, sp_error_t *error)
{
    bson_iter_t iter, inner;
    if (bson_iter_init(&iter, answer) && bson_iter_find_descendant(&iter, "error.code", &inner))
        return sp_error_set(error, SP_ERROR_RULE, bson_iter_int32(&inner),
                            "the router refuses the filter");
    if (bson_iter_init_find(&iter, answer, "shards") && bson_iter_recurse(&iter, &inner)) {
        while (bson_iter_next(&inner))
            *reaches = *reaches || strcmp(bson_iter_utf8(&inner, NULL), holder) == 0;
    }
    return true;
}

static bool target_update(sp_model_t *model, const sp_layout_t *layout,
                          const sp_keychange_t *change, const char *holder, bool *reaches,
                          sp_error_t *error)
{
    bson_t replacement, answer = BSON_INITIALIZER;
    sp_write_t write = {.kind = change->multi ? SP_UPDATE_MANY : SP_UPDATE_ONE,
                        .query = change->query};
    if (sp_update_form(&change->update) == SP_UPDATE_REPLACEMENT &&
        bson_init_static(&replacement, change->update.data, change->update.size) &&
        !is_too_poor(model->version, layout, &replacement)) {
        write.kind = SP_REPLACE_ONE;
        write.replacement = &replacement;
    }
    bool ok = sp_predict_write(model, layout, &write, &answer, error) &&
              find_holder(&answer, holder, reaches, error);
    bson_destroy(&answer);
    return ok;
}

bool sp_keychange_route(sp_model_t *model, const sp_layout_t *layout, const sp_keychange_t *change,
                        const char *holder, sp_keychange_route_t *route, sp_error_t *error)
{
    const bson_t *own = change->query.collation;
    *route = (sp_keychange_route_t){.reaches = false};
    if ((own != NULL && !bson_empty(own) && !sp_collation_check(own, error)) ||
        !pass(change, error))
        return false;
    if (!change->upsert)
        return target_update(model, layout, change, holder, &route->reaches, error);
    if (!target_upsert(model, layout, change, &route->alone, error))
        return false;
    route->reaches = strcmp(route->alone, holder) == 0;
    return true;
}
