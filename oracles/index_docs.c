#include "index_docs.h"

#include "extract.h"
#include "storage.h"

#include <string.h>

enum { UNSUPPORTED_FORMAT = 12, SHARD_KEY_NOT_FOUND = 61, DUPLICATE_KEY = 11000 };

bool sp_index_docs_ready(const sp_index_world_t *world, const sp_index_spec_t *spec,
                         sp_keyed_index_t **keyed, sp_error_t *error)
{
    *keyed = NULL;
    if (spec->kind == SP_INDEX_WILDCARD)
        return true;
    /* The collection's collation is in the specification already, where it counts. */
    *keyed = sp_keyed_index_new(&spec->index, NULL, world->model->version, error);
    return *keyed != NULL;
}

static bool make_keys(sp_index_world_t *world, const sp_keyed_index_t *keyed, const bson_t *doc,
                      sp_index_keys_t *keys, sp_error_t *error)
{
    *keys = (sp_index_keys_t){0};
    return sp_keyed_index_keys(keyed, world->model->hasher, &world->arena, doc, keys, error);
}

static bool holds_decimal(const sp_value_t *value)
{
    bson_iter_t iter;
    bool found = value->type == BSON_TYPE_DECIMAL128;
    bool more = (value->type == BSON_TYPE_DOCUMENT || value->type == BSON_TYPE_ARRAY) &&
                sp_value_children(value, &iter);
    while (!found && more && bson_iter_next(&iter)) {
        sp_value_t child = sp_value_of(&iter);
        found = holds_decimal(&child);
    }
    return found;
}

/* The keys of a document that is to come into the index. */
static bool make_new_keys(sp_index_world_t *world, const sp_index_spec_t *spec,
                          const sp_keyed_index_t *keyed, const bson_t *doc, sp_index_keys_t *keys,
                          sp_error_t *error)
{
    if (!make_keys(world, keyed, doc, keys, error))
        return false;
    unsigned values = keys->count * sp_keyed_index_fields(keyed);
    for (unsigned i = 0; spec->is_old && i < values; i++) {
        if (holds_decimal(&keys->values[i]))
            return sp_error_set(error, SP_ERROR_RULE, UNSUPPORTED_FORMAT,
                                "an index with v: 1 takes no decimals");
    }
    return true;
}

/* Whether one of the first `count` documents has a key of `keys`. */
static bool met_before(sp_index_world_t *world, const sp_keyed_index_t *keyed, unsigned count,
                       const sp_index_keys_t *keys, bool *met, sp_error_t *error)
{
    *met = false;
    for (unsigned i = 0; !*met && i < count; i++) {
        sp_index_keys_t others;
        if (!make_keys(world, keyed, world->docs[i], &others, error))
            return false;
        *met = sp_keyed_index_meet(keyed, keys, &others);
    }
    return true;
}

static bool find_repeated(sp_index_world_t *world, const sp_keyed_index_t *keyed, bool *repeat,
                          sp_error_t *error)
{
    *repeat = false;
    for (unsigned i = 0; !*repeat && i < world->doc_count; i++) {
        sp_index_keys_t keys;
        if (!make_keys(world, keyed, world->docs[i], &keys, error) ||
            !met_before(world, keyed, i, &keys, repeat, error))
            return false;
    }
    return true;
}

bool sp_index_docs_repeat(sp_index_world_t *world, const sp_index_spec_t *spec, bool *repeat,
                          sp_error_t *error)
{
    sp_keyed_index_t *keyed = NULL;
    *repeat = false;
    bool ok =
        world->doc_count == 0 || (sp_index_docs_ready(world, spec, &keyed, error) &&
                                  (keyed == NULL || find_repeated(world, keyed, repeat, error)));
    sp_keyed_index_free(keyed);
    return ok;
}

static bool refuse_repeated(sp_error_t *error, const char *name)
{
    return sp_error_set(error, SP_ERROR_RULE, DUPLICATE_KEY,
                        "the unique index '%.100s' would have one key twice", name);
}

static bool check_docs(sp_index_world_t *world, const sp_index_spec_t *spec,
                       const sp_keyed_index_t *keyed, sp_error_t *error)
{
    bool ok = true;
    for (unsigned i = 0; ok && i < world->doc_count; i++) {
        sp_index_keys_t keys;
        ok = make_new_keys(world, spec, keyed, world->docs[i], &keys, error);
    }
    return ok;
}

bool sp_index_docs_build(sp_index_world_t *world, const sp_index_spec_t *spec, sp_error_t *error)
{
    sp_keyed_index_t *keyed = NULL;
    bool repeat = false;
    if (world->doc_count == 0)
        return true;
    bool ok =
        sp_index_docs_ready(world, spec, &keyed, error) &&
        (keyed == NULL || (check_docs(world, spec, keyed, error) &&
                           (!spec->index.unique || find_repeated(world, keyed, &repeat, error))));
    sp_keyed_index_free(keyed);
    return ok && (!repeat || refuse_repeated(error, spec->index.name));
}

static bool is_unique(const sp_index_spec_t *spec)
{
    return spec->index.unique || spec->index.prepare_unique || spec->is_id;
}

static bool check_index(sp_index_world_t *world, unsigned place, const bson_t *doc,
                        sp_error_t *error)
{
    const sp_index_spec_t *spec = world->indexes[place];
    sp_index_keys_t keys;
    bool met = false;
    if (world->keyed[place] == NULL &&
        !sp_index_docs_ready(world, spec, &world->keyed[place], error))
        return false;
    const sp_keyed_index_t *keyed = world->keyed[place];
    if (keyed == NULL)
        return true;
    if (!make_new_keys(world, spec, keyed, doc, &keys, error) ||
        (is_unique(spec) && !met_before(world, keyed, world->doc_count, &keys, &met, error)))
        return false;
    return !met || refuse_repeated(error, spec->index.name);
}

static bool is_all_max(const bson_t *key)
{
    bson_iter_t iter;
    bool all = bson_iter_init(&iter, key);
    while (all && bson_iter_next(&iter))
        all = bson_iter_type(&iter) == BSON_TYPE_MAXKEY;
    return all;
}

/* The shard looks for the shard key last, when all indexes have taken the document. */
static bool check_key(sp_index_world_t *world, const bson_t *doc, sp_error_t *error)
{
    bson_t key = BSON_INITIALIZER;
    bool ok = sp_extract_key(world->pattern, world->model->hasher, doc, &key, error);
    if (ok && is_all_max(&key) && sp_version_has(world->model->version, SP_MAX_KEY_IN_NO_CHUNK))
        ok = sp_error_set(error, SP_ERROR_RULE, SHARD_KEY_NOT_FOUND,
                          "a key that is MaxKey in every field belongs to no chunk");
    bson_destroy(&key);
    return ok;
}

/* The document as it is stored: _id first, and given where it is missing. */
static bson_t *store(sp_index_world_t *world, const bson_t *doc)
{
    bson_t *stored = bson_new();
    bson_iter_t iter;
    sp_value_t id = {0};
    if (bson_iter_init_find(&iter, doc, "_id"))
        id = sp_value_of(&iter);
    if (id.type != BSON_TYPE_EOD) {
        sp_value_append(stored, "_id", &id);
    } else {
        bson_oid_t made = {{'s', 'h', 'a', 'r', 'd', 'p', 'r', 'o'}};
        uint32_t number = BSON_UINT32_TO_BE(++world->ids);
        memcpy(made.bytes + 8, &number, sizeof number);
        BSON_APPEND_OID(stored, "_id", &made);
    }
    for (bool more = bson_iter_init(&iter, doc); more && bson_iter_next(&iter);) {
        sp_value_t value = sp_value_of(&iter);
        if (strcmp(bson_iter_key(&iter), "_id") != 0)
            sp_value_append(stored, bson_iter_key(&iter), &value);
    }
    return stored;
}

bool sp_index_world_insert(sp_index_world_t *world, const bson_t *doc, sp_error_t *error)
{
    if (world->doc_count == SP_INDEX_WORLD_DOCS_MAX)
        return sp_error_set(error, SP_ERROR_INPUT, 0, "more than %d documents",
                            SP_INDEX_WORLD_DOCS_MAX);
    if (!sp_storage_check(doc, error))
        return false;
    bson_t *stored = store(world, doc);
    bool ok = true;
    for (unsigned i = 0; ok && i < world->count; i++)
        ok = check_index(world, i, stored, error);
    ok = ok && check_key(world, stored, error);
    if (ok)
        world->docs[world->doc_count++] = stored;
    else
        bson_destroy(stored);
    return ok;
}
