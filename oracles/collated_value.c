#include "collated_value.h"

#include <assert.h>

static void append_collated(bson_t *into, const char *name, const sp_collator_t *collator,
                            const sp_value_t *value);

static void append_children(bson_t *into, const sp_collator_t *collator, const sp_value_t *value)
{
    bson_iter_t iter;
    bool sound = sp_value_children(value, &iter);
    assert(sound);
    while (bson_iter_next(&iter)) {
        sp_value_t child = sp_value_of(&iter);
        append_collated(into, bson_iter_key(&iter), collator, &child);
    }
}

static void append_collated(bson_t *into, const char *name, const sp_collator_t *collator,
                            const sp_value_t *value)
{
    bson_t children;
    if (value->type == BSON_TYPE_UTF8) {
        uint32_t size;
        const char *text = sp_value_text(value, &size);
        size_t key_size;
        char *key = sp_collator_key(collator, text, size, &key_size);
        bson_append_utf8(into, name, -1, key, (int)key_size);
        bson_free(key);
    } else if (value->type == BSON_TYPE_DOCUMENT) {
        bson_append_document_begin(into, name, -1, &children);
        append_children(&children, collator, value);
        bson_append_document_end(into, &children);
    } else if (value->type == BSON_TYPE_ARRAY) {
        bson_append_array_begin(into, name, -1, &children);
        append_children(&children, collator, value);
        bson_append_array_end(into, &children);
    } else {
        sp_value_append(into, name, value);
    }
}

sp_value_t sp_collated_value(sp_arena_t *arena, const sp_collator_t *collator,
                             const sp_value_t *value)
{
    if (value->type != BSON_TYPE_UTF8 && value->type != BSON_TYPE_DOCUMENT &&
        value->type != BSON_TYPE_ARRAY)
        return *value;
    bson_t holder = BSON_INITIALIZER, kept;
    bson_iter_t iter;
    append_collated(&holder, "", collator, value);
    uint8_t *bytes =
        (uint8_t *)sp_arena_text(arena, (const char *)bson_get_data(&holder), holder.len);
    bool sound = bson_init_static(&kept, bytes, holder.len) && bson_iter_init(&iter, &kept) &&
                 bson_iter_next(&iter);
    assert(sound);
    bson_destroy(&holder);
    return sp_value_of(&iter);
}
