#include "unique_setup.h"

#include "catalog.h"
#include "shard_versions.h"

#include <stdio.h>
#include <string.h>

static bool is_set(const bson_t *doc, const char *name)
{
    bson_iter_t iter;
    return bson_iter_init_find(&iter, doc, name) && bson_iter_as_bool(&iter);
}

/* Appends `index` as createIndexes takes it: with a name, and without what it does not know. */
static void append_index(bson_t *list, const char *place, const bson_t *index, unsigned number)
{
    bson_t one;
    char name[16];
    snprintf(name, sizeof name, "index%u", number);
    BSON_APPEND_DOCUMENT_BEGIN(list, place, &one);
    bson_copy_to_excluding_noinit(index, &one, "early", "name", NULL);
    BSON_APPEND_UTF8(&one, "name", name);
    bson_append_document_end(list, &one);
}

/* The indexes that are made before the collection is sharded, as a list; returns how many. */
static unsigned list_early(const bson_iter_t *indexes, bson_t *early)
{
    bson_iter_t iter;
    bson_t index;
    unsigned count = 0;
    bool sound = bson_iter_recurse(indexes, &iter);
    for (unsigned i = 0; sound && bson_iter_next(&iter); i++) {
        char buffer[16];
        const char *place;
        if (!sp_value_document(&iter, &index) || !is_set(&index, "early"))
            continue;
        bson_uint32_to_string(count++, &place, buffer, sizeof buffer);
        append_index(early, place, &index, i);
    }
    return count;
}

/* On each shard that owns chunks, as a router does it. */
static bool make_index(sp_session_t *session, const sp_sharded_t *made,
                       const sp_shard_versions_t *versions, const bson_t *index, unsigned number,
                       sp_error_t *error)
{
    bool ok = true;
    for (unsigned i = 0; ok && i < versions->count; i++) {
        bson_t command = BSON_INITIALIZER, list;
        BSON_APPEND_UTF8(&command, "createIndexes", made->collection);
        BSON_APPEND_ARRAY_BEGIN(&command, "indexes", &list);
        append_index(&list, "0", index, number);
        bson_append_array_end(&command, &list);
        bson_concat(&command, &versions->versions[i]);
        sp_append_majority(&command);
        if (versions->owns[i])
            ok = sp_conn_command(session->shards[i], session->db, &command, NULL, error);
        bson_destroy(&command);
    }
    return ok;
}

static bool make_late(sp_session_t *session, const sp_sharded_t *made, const bson_iter_t *indexes,
                      sp_error_t *error)
{
    sp_shard_versions_t versions;
    bson_iter_t iter;
    bson_t index;
    bool ok = sp_shard_versions_read(session, made, &versions, error) &&
              bson_iter_recurse(indexes, &iter);
    for (unsigned i = 0; ok && bson_iter_next(&iter); i++) {
        if (sp_value_document(&iter, &index) && !is_set(&index, "early"))
            ok = make_index(session, made, &versions, &index, i, error);
    }
    sp_shard_versions_clear(&versions);
    return ok;
}

bool sp_unique_setup(sp_session_t *session, const bson_t *test, const sp_case_layout_t *layout,
                     sp_sharded_t *made, sp_error_t *error)
{
    bson_iter_t indexes;
    bson_t early = BSON_INITIALIZER;
    if (!sp_case_array(test, "indexes", &indexes, error))
        return false;
    unsigned early_count = list_early(&indexes, &early);
    const sp_sharded_spec_t sharding = {
        .key = &layout->key,
        .collation = layout->collation,
        .unique = is_set(test, "unique"),
        .indexes = early_count > 0 ? &early : NULL,
        .chunks = &layout->chunks,
    };
    bool ok = sp_sharded_make_as(session, &sharding, made, error);
    if (ok && !make_late(session, made, &indexes, error)) {
        sp_sharded_drop(session, made->collection, NULL);
        ok = false;
    }
    bson_destroy(&early);
    return ok;
}
