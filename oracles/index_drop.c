/* dropIndexes. */
#include "index_world.h"

#include "key_index.h"

#include <string.h>

enum {
    TYPE_MISMATCH = 14,
    INDEX_NOT_FOUND = 27,
    INVALID_OPTIONS = 72,
    CANNOT_DROP_KEY_INDEX = 370,
};

static void take_away(sp_index_world_t *world, unsigned place)
{
    unsigned behind = world->count - place - 1;
    bson_destroy(world->documents[place]);
    sp_keyed_index_free(world->keyed[place]);
    memmove(world->documents + place, world->documents + place + 1,
            behind * sizeof *world->documents);
    memmove(world->indexes + place, world->indexes + place + 1, behind * sizeof *world->indexes);
    memmove(world->keyed + place, world->keyed + place + 1, behind * sizeof *world->keyed);
    world->count--;
}

static bool is_id(const sp_index_world_t *world, unsigned place)
{
    return world->indexes[place]->is_id;
}

static bool drop_one(sp_index_world_t *world, const sp_value_t *which, sp_error_t *error)
{
    unsigned place = 0;
    if (!sp_index_world_find(world, which, &place, error))
        return false;
    /* A name is held against the shard key first, a key pattern against _id. */
    bool needed = sp_index_world_needs(world, place);
    if (is_id(world, place) && (!needed || which->type == BSON_TYPE_DOCUMENT))
        return sp_error_set(error, SP_ERROR_RULE, INVALID_OPTIONS,
                            "the _id index cannot be dropped");
    if (needed)
        return sp_error_set(error, SP_ERROR_RULE, CANNOT_DROP_KEY_INDEX,
                            "the only index that supports the shard key cannot be dropped");
    take_away(world, place);
    return true;
}

/* Whether "*" leaves the index; being hidden, it serves here all the same. */
static bool stays(const sp_index_world_t *world, unsigned place)
{
    sp_version_t version = world->model->version;
    sp_index_t shown = world->indexes[place]->index;
    shown.hidden = false;
    return is_id(world, place) ||
           (sp_version_has(version, SP_KEY_INDEX_KEPT) &&
            (world->pattern->hashed < 0 || sp_version_has(version, SP_HASHED_KEY_INDEX_KEPT)) &&
            sp_key_index_serves(&shown, false, world->key, version));
}

static void drop_all(sp_index_world_t *world)
{
    for (unsigned i = world->count; i > 0; i--) {
        if (!stays(world, i - 1))
            take_away(world, i - 1);
    }
}

static bool is_star(const sp_value_t *which)
{
    uint32_t size;
    return which->type == BSON_TYPE_UTF8 && strcmp(sp_value_text(which, &size), "*") == 0 &&
           size == 1;
}

bool sp_index_world_drop(sp_index_world_t *world, const sp_value_t *which, sp_error_t *error)
{
    if (is_star(which)) {
        drop_all(world);
        return true;
    }
    if (which->type != BSON_TYPE_UTF8 && which->type != BSON_TYPE_DOCUMENT)
        return sp_error_set(error, SP_ERROR_INPUT, 0,
                            "'which' must be a name, a key pattern or \"*\"");
    return drop_one(world, which, error);
}
