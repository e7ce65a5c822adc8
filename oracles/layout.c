#include "layout.h"

#include "collation.h"

#include <stdio.h>
#include <string.h>

static bool add_chunk(sp_chunkmap_t *map, const bson_iter_t *chunk, sp_error_t *error)
{
    bson_t min, max;
    bson_iter_t part;
    bool ok = BSON_ITER_HOLDS_ARRAY(chunk) && bson_iter_recurse(chunk, &part) &&
              bson_iter_next(&part) && sp_value_document(&part, &min) && bson_iter_next(&part) &&
              sp_value_document(&part, &max) && bson_iter_next(&part) &&
              BSON_ITER_HOLDS_UTF8(&part);
    const char *shard = ok ? bson_iter_utf8(&part, NULL) : NULL;
    if (!ok || bson_iter_next(&part))
        return sp_error_set(error, SP_ERROR_INPUT, 0, "it must be [min, max, \"shard\"]");
    return sp_chunkmap_add(map, &min, &max, shard, error);
}

static bool read_chunks(sp_chunkmap_t *map, const bson_t *doc, sp_error_t *error)
{
    bson_iter_t iter, chunk;
    if (!bson_iter_init_find(&iter, doc, "chunks") || !BSON_ITER_HOLDS_ARRAY(&iter) ||
        !bson_iter_recurse(&iter, &chunk))
        return sp_error_set(error, SP_ERROR_INPUT, 0,
                            "a layout needs 'chunks': [[min, max, \"shard\"], …]");
    for (unsigned i = 0; bson_iter_next(&chunk); i++) {
        if (!add_chunk(map, &chunk, error))
            return sp_error_prefix(error, "chunk %u", i);
    }
    return sp_chunkmap_seal(map, error);
}

static bool read_collation(sp_layout_t *layout, const bson_t *doc, sp_error_t *error)
{
    bson_iter_t iter;
    bson_t collation;
    if (!bson_iter_init_find(&iter, doc, "collation") || BSON_ITER_HOLDS_NULL(&iter))
        return true;
    if (!sp_value_document(&iter, &collation))
        return sp_error_set(error, SP_ERROR_INPUT, 0,
                            "a layout's 'collation' must be null or a document");
    sp_error_t refused = {0};
    if (!sp_collation_check(&collation, &refused))
        return sp_error_set(error, SP_ERROR_INPUT, 0, "a layout's 'collation': %s",
                            refused.message);
    if (!sp_collation_is_simple(&collation))
        layout->collation = bson_copy(&collation);
    return true;
}

static bool add_shard(sp_layout_t *layout, const char *name, sp_error_t *error)
{
    for (unsigned i = 0; i < layout->shard_count; i++) {
        if (strcmp(layout->shards[i], name) == 0)
            return true;
    }
    if (layout->shard_count == SP_CHUNKMAP_SHARDS)
        return sp_error_set(error, SP_ERROR_INPUT, 0, "a cluster has at most %d shards",
                            SP_CHUNKMAP_SHARDS);
    layout->shards[layout->shard_count++] = bson_strdup(name);
    return true;
}

static bool read_shards(sp_layout_t *layout, const bson_t *doc, sp_error_t *error)
{
    bson_iter_t iter;
    int64_t count = 0;
    if (bson_iter_init_find(&iter, doc, "shards")) {
        count = BSON_ITER_HOLDS_INT(&iter) ? bson_iter_as_int64(&iter) : 0;
        if (count < 1 || count > SP_CHUNKMAP_SHARDS)
            return sp_error_set(error, SP_ERROR_INPUT, 0,
                                "a layout's 'shards' must be how many there are, 1 to %d",
                                SP_CHUNKMAP_SHARDS);
    }
    layout->shards = bson_malloc(SP_CHUNKMAP_SHARDS * sizeof *layout->shards);
    bool ok = true;
    for (unsigned i = 0; ok && i < sp_chunkmap_shard_count(layout->chunks); i++)
        ok = add_shard(layout, sp_chunkmap_shard_name(layout->chunks, i), error);
    for (unsigned i = 1; ok && i <= (uint64_t)count; i++) {
        char name[16];
        snprintf(name, sizeof name, "s%u", i);
        ok = add_shard(layout, name, error);
    }
    return ok;
}

sp_layout_t *sp_layout_new(const bson_t *doc, sp_error_t *error)
{
    sp_layout_t *layout = bson_malloc0(sizeof *layout);
    bson_iter_t iter;
    bson_t key;
    bool ok = bson_iter_init_find(&iter, doc, "key") && sp_value_document(&iter, &key);
    if (!ok) {
        sp_error_set(error, SP_ERROR_INPUT, 0, "a layout needs 'key', the shard key pattern");
        goto done;
    }
    layout->key = bson_copy(&key);
    layout->pattern = sp_pattern_new(&key, error);
    ok = layout->pattern != NULL;
    if (!ok)
        goto done;
    layout->chunks = sp_chunkmap_new(layout->pattern);
    ok = read_chunks(layout->chunks, doc, error) && read_collation(layout, doc, error) &&
         read_shards(layout, doc, error);
done:
    if (!ok) {
        sp_layout_free(layout);
        return NULL;
    }
    return layout;
}

void sp_layout_free(sp_layout_t *layout)
{
    if (layout == NULL)
        return;
    sp_chunkmap_free(layout->chunks);
    sp_pattern_free(layout->pattern);
    bson_destroy(layout->key);
    bson_destroy(layout->collation);
    for (unsigned i = 0; i < layout->shard_count; i++)
        bson_free(layout->shards[i]);
    bson_free(layout->shards);
    bson_free(layout);
}
