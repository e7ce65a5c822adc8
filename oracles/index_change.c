/* collMod of an index. */
#include "index_docs.h"

#include "number.h"

#include <string.h>

enum {
    BAD_VALUE = 2,
    INVALID_OPTIONS = 72,
    CANNOT_CONVERT_TO_UNIQUE = 359,
    HASHED_IS_NOT_UNIQUE = 16764,
};

typedef struct change {
    sp_value_t which;
    bool has_name, has_pattern;
    bool has_hidden, hidden;
    bool has_unique, unique;
    bool has_prepare, prepare;
    sp_value_t seconds;
} change_t;

static bool read_field(const bson_iter_t *iter, change_t *change, sp_error_t *error)
{
    const char *name = bson_iter_key(iter);
    sp_value_t value = sp_value_of(iter);
    bool sound = true;
    if (strcmp(name, "name") == 0) {
        change->has_name = sound = value.type == BSON_TYPE_UTF8;
        change->which = value;
    } else if (strcmp(name, "keyPattern") == 0) {
        change->has_pattern = sound = value.type == BSON_TYPE_DOCUMENT;
        change->which = value;
    } else if (strcmp(name, "hidden") == 0) {
        change->has_hidden = sound = sp_index_flag(&value, &change->hidden);
    } else if (strcmp(name, "unique") == 0) {
        change->has_unique = sound = sp_index_flag(&value, &change->unique);
    } else if (strcmp(name, "prepareUnique") == 0) {
        change->has_prepare = sound = sp_index_flag(&value, &change->prepare);
    } else if (strcmp(name, "expireAfterSeconds") == 0) {
        sound = sp_value_is_number(&value);
        change->seconds = value;
    } else {
        return sp_error_set(error, SP_ERROR_INPUT, 0, "the model has no rule for '%s' of a collMod",
                            name);
    }
    return sound ||
           sp_error_set(error, SP_ERROR_INPUT, 0, "'%s' of a collMod has the wrong type", name);
}

static bool read_change(const bson_t *document, change_t *change, sp_error_t *error)
{
    bson_iter_t iter;
    *change = (change_t){0};
    bool ok = bson_iter_init(&iter, document);
    while (ok && bson_iter_next(&iter))
        ok = read_field(&iter, change, error);
    return ok;
}

static bool refuse(sp_error_t *error, const char *why)
{
    return sp_error_set(error, SP_ERROR_RULE, INVALID_OPTIONS, "%s", why);
}

static bool check_form(const change_t *change, sp_error_t *error)
{
    if (change->has_name == change->has_pattern)
        return refuse(error, "an index is named by its name or by its key pattern");
    if (change->seconds.type != BSON_TYPE_EOD && sp_number_for_hash(&change->seconds) < 0)
        return refuse(error, "nothing expires before it is there");
    if (!change->has_hidden && !change->has_unique && !change->has_prepare &&
        change->seconds.type == BSON_TYPE_EOD)
        return refuse(error, "there is nothing to change");
    return true;
}

static bool check_seconds(const sp_index_spec_t *spec, sp_error_t *error)
{
    if (spec->is_id)
        return refuse(error, "nothing expires by the _id index");
    return sp_index_pattern_fields(&spec->index.key) == 1 ||
           refuse(error, "nothing expires by an index of several fields");
}

static bool check_unique(const sp_index_spec_t *spec, const change_t *change, sp_error_t *error)
{
    if (!change->has_unique)
        return true;
    if (!change->unique)
        return sp_error_set(error, SP_ERROR_RULE, BAD_VALUE,
                            "an index cannot be made one that is not unique");
    return spec->index.unique || spec->is_id || spec->index.prepare_unique ||
           refuse(error, "an index is made unique after prepareUnique");
}

/* The documents are looked at when nothing else is in the way, and the index last: prepareUnique
 * lets a hashed one pass. */
static bool check_made_unique(sp_index_world_t *world, const sp_index_spec_t *spec,
                              const change_t *change, sp_error_t *error)
{
    bool repeat = false;
    if (!change->has_unique || spec->index.unique || spec->is_id)
        return true;
    if (!sp_index_docs_repeat(world, spec, &repeat, error))
        return false;
    if (repeat)
        return sp_error_set(error, SP_ERROR_RULE, CANNOT_CONVERT_TO_UNIQUE,
                            "documents have one key of the index");
    return spec->kind != SP_INDEX_HASHED || sp_error_set(error, SP_ERROR_RULE, HASHED_IS_NOT_UNIQUE,
                                                         "a hashed index cannot be unique");
}

static bool check_hidden(const sp_index_world_t *world, unsigned place, const change_t *change,
                         sp_error_t *error)
{
    return !change->has_hidden || !change->hidden || !sp_index_world_needs(world, place) ||
           refuse(error, "the only index that supports the shard key cannot be hidden");
}

/* A change of prepareUnique stands alone, even where the others change nothing. */
static bool check_prepare(const sp_index_world_t *world, const sp_index_spec_t *spec,
                          const change_t *change, sp_error_t *error)
{
    if (!change->has_prepare || spec->index.unique || spec->is_id ||
        change->prepare == spec->index.prepare_unique)
        return true;
    if (change->prepare && !sp_index_world_takes_unique(world, spec))
        return refuse(error, "a unique index must begin with the shard key");
    return (!change->has_hidden && !change->has_unique && change->seconds.type == BSON_TYPE_EOD) ||
           refuse(error, "prepareUnique is changed alone");
}

bool sp_index_world_change(sp_index_world_t *world, const bson_t *document, sp_error_t *error)
{
    change_t change;
    unsigned place = 0;
    if (!read_change(document, &change, error) || !check_form(&change, error) ||
        !sp_index_world_find(world, &change.which, &place, error))
        return false;
    sp_index_spec_t *spec = world->indexes[place];
    if (change.seconds.type != BSON_TYPE_EOD && !check_seconds(spec, error))
        return false;
    if (change.has_hidden && spec->is_id)
        return sp_error_set(error, SP_ERROR_RULE, BAD_VALUE, "the _id index cannot be hidden");
    if (!check_unique(spec, &change, error) || !check_hidden(world, place, &change, error) ||
        !check_prepare(world, spec, &change, error) ||
        !check_made_unique(world, spec, &change, error))
        return false;
    if (change.has_hidden)
        spec->index.hidden = change.hidden;
    if (change.has_unique)
        spec->index.unique = !spec->is_id;
    if (change.has_prepare)
        spec->index.prepare_unique = change.prepare && !spec->index.unique && !spec->is_id;
    if (change.has_unique)
        spec->index.prepare_unique = false;
    return true;
}
