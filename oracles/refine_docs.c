#include "refine_docs.h"

#include "collation.h"
#include "extract.h"
#include "matcher.h"
#include "pattern.h"
#include "refine_request.h"

#include <assert.h>
#include <string.h>

enum { INTEGER_BITS = 53 };

/* The index's paths as a pattern; NULL for one that is no list of plain paths, a wildcard say. */
static sp_pattern_t *paths_of(const sp_index_t *index)
{
    bson_t paths = BSON_INITIALIZER;
    bson_iter_t iter;
    if (bson_iter_init(&iter, &index->key)) {
        while (bson_iter_next(&iter))
            BSON_APPEND_INT32(&paths, bson_iter_key(&iter), 1);
    }
    sp_pattern_t *pattern = sp_pattern_new(&paths, NULL);
    bson_destroy(&paths);
    return pattern;
}

static bool takes_part(const sp_index_t *index, const bson_t *doc, sp_version_t version, bool *part,
                       sp_error_t *error)
{
    *part = true;
    if (!index->has_partial)
        return true;
    sp_arena_t arena;
    sp_arena_init(&arena);
    const sp_node_t *filter = sp_filter_parse(&arena, version, &index->partial, error);
    bool ok = filter != NULL && sp_matches(filter, doc, NULL, part, error);
    if (!ok && error != NULL)
        error->domain = SP_ERROR_INPUT;
    sp_arena_clear(&arena);
    return ok || sp_error_prefix(error, "partialFilterExpression");
}

static bool holds_symbol(const sp_value_t *value)
{
    bson_iter_t iter;
    if (value->type == BSON_TYPE_SYMBOL)
        return true;
    if (value->type == BSON_TYPE_EOD || !sp_value_has_children(value) ||
        !sp_value_children(value, &iter))
        return false;
    while (bson_iter_next(&iter)) {
        sp_value_t child = sp_value_of(&iter);
        if (holds_symbol(&child))
            return true;
    }
    return false;
}

bool sp_refine_index_entry(const sp_index_t *index, const bson_t *doc, sp_version_t version,
                           sp_index_entry_t *entry, sp_error_t *error)
{
    bool part;
    if (!takes_part(index, doc, version, &part, error))
        return false;
    *entry = part ? SP_ENTRY_PLAIN : SP_ENTRY_NONE;
    sp_pattern_t *paths = part ? paths_of(index) : NULL;
    if (paths == NULL)
        return true;
    const uint8_t *array = NULL;
    for (unsigned i = 0; i < paths->field_count && *entry != SP_ENTRY_REFUSED; i++) {
        sp_value_t value = sp_extract_path(doc, &paths->fields[i]);
        if (index->has_collation && !sp_collation_is_simple(&index->collation) &&
            holds_symbol(&value))
            *entry = SP_ENTRY_REFUSED;
        if (value.type != BSON_TYPE_ARRAY)
            continue;
        bool other_array = array != NULL && array != value.data;
        *entry =
            other_array || sp_pattern_names_hashed(&index->key) ? SP_ENTRY_REFUSED : SP_ENTRY_ARRAY;
        array = value.data;
    }
    sp_pattern_free(paths);
    return true;
}

void sp_refine_settle_collation(const sp_layout_t *layout, sp_index_t *index)
{
    const bson_t *inherited = layout->collation;
    if (index->has_collation || inherited == NULL)
        return;
    index->has_collation = true;
    bool sound = bson_init_static(&index->collation, bson_get_data(inherited), inherited->len);
    assert(sound);
}

/* Where the router sends the document; NULL where it, or the shard itself, refuses it. */
static const char *find_shard(sp_model_t *model, const sp_layout_t *layout, const bson_t *doc)
{
    bson_t answer = BSON_INITIALIZER;
    bson_iter_t iter, first;
    const char *shard = NULL;
    sp_predict_insert(model, layout, doc, &answer);
    if (bson_iter_init(&iter, &answer) && bson_iter_find_descendant(&iter, "shards.0", &first)) {
        for (unsigned i = 0; i < layout->shard_count; i++) {
            if (strcmp(layout->shards[i], bson_iter_utf8(&first, NULL)) == 0)
                shard = layout->shards[i];
        }
    }
    bson_destroy(&answer);
    return shard;
}

bool sp_refine_place(sp_model_t *model, const sp_layout_t *layout, const bson_iter_t *indexes,
                     const bson_t *doc, const char **shard, sp_error_t *error)
{
    bson_iter_t iter = *indexes;
    *shard = find_shard(model, layout, doc);
    while (*shard != NULL && bson_iter_next(&iter)) {
        sp_index_t index;
        bool here;
        sp_index_entry_t entry = SP_ENTRY_PLAIN;
        if (!sp_refine_request_index(&iter, *shard, &index, &here, error))
            return false;
        sp_refine_settle_collation(layout, &index);
        if (here && !sp_refine_index_entry(&index, doc, model->version, &entry, error))
            return false;
        if (entry == SP_ENTRY_REFUSED)
            *shard = NULL;
    }
    return true;
}

static bool is_plain(const sp_value_t *value)
{
    switch (value->type) {
    case BSON_TYPE_EOD:
    case BSON_TYPE_NULL:
    case BSON_TYPE_BOOL:
    case BSON_TYPE_INT32:
    case BSON_TYPE_UTF8:
    case BSON_TYPE_DATE_TIME:
    case BSON_TYPE_OID:
        return true;
    case BSON_TYPE_INT64:
        return sp_value_int64(value) >> INTEGER_BITS == 0 ||
               sp_value_int64(value) >> INTEGER_BITS == -1;
    default:
        return false;
    }
}

bool sp_refine_own_filter(const sp_pattern_t *pattern, const bson_t *doc, bson_t *filter)
{
    for (unsigned i = 0; i < pattern->field_count; i++) {
        bson_t equal;
        sp_value_t value = sp_extract_path(doc, &pattern->fields[i]);
        if (!is_plain(&value))
            return false;
        BSON_APPEND_DOCUMENT_BEGIN(filter, pattern->fields[i].text, &equal);
        if (value.type == BSON_TYPE_EOD)
            BSON_APPEND_NULL(&equal, "$eq");
        else
            sp_value_append(&equal, "$eq", &value);
        bson_append_document_end(filter, &equal);
    }
    return true;
}
