#include "refine_docs.h"

#include "extract.h"
#include "index_keys.h"
#include "index_multikey.h"
#include "refine_request.h"

#include <assert.h>
#include <string.h>

enum { INTEGER_BITS = 53 };

bool sp_refine_index_entry(sp_model_t *model, const sp_index_t *index, const bson_t *doc,
                           sp_index_entry_t *entry, sp_error_t *error)
{
    sp_arena_t arena;
    sp_index_keys_t keys = {0};
    sp_error_t refused = {0};
    sp_keyed_index_t *keyed = sp_keyed_index_new(index, NULL, model->version, error);
    if (keyed == NULL)
        return false;
    sp_arena_init(&arena);
    bool taken = sp_keyed_index_keys(keyed, model->hasher, &arena, doc, &keys, &refused);
    if (!taken)
        *entry = SP_ENTRY_REFUSED;
    else if (keys.count == 0)
        *entry = SP_ENTRY_NONE;
    else
        *entry = sp_index_multikey(&index->key, doc) ? SP_ENTRY_ARRAY : SP_ENTRY_PLAIN;
    sp_arena_clear(&arena);
    sp_keyed_index_free(keyed);
    return taken || refused.domain == SP_ERROR_RULE ||
           sp_error_set(error, refused.domain, refused.code, "%s", refused.message);
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
        if (here && !sp_refine_index_entry(model, &index, doc, &entry, error))
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
