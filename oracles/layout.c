#include "layout.h"

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
    layout->pattern = sp_pattern_new(&key, error);
    ok = layout->pattern != NULL;
    if (!ok)
        goto done;
    layout->chunks = sp_chunkmap_new(layout->pattern);
    ok = read_chunks(layout->chunks, doc, error);
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
    bson_free(layout);
}
