#include "index_world.h"

#include "collation.h"
#include "extract.h"
#include "index_docs.h"
#include "index_filter.h"
#include "key_index.h"
#include "number.h"

#include <assert.h>
#include <string.h>

enum {
    INDEX_NOT_FOUND = 27,
    CANNOT_CREATE_INDEX = 67,
    OPTIONS_CONFLICT = 85,
    KEYS_CONFLICT = 86,
    AMBIGUOUS_KEY_PATTERN = 181,
};

static void append_index(sp_index_world_t *world, bson_t *document, sp_index_spec_t *spec)
{
    world->documents[world->count] = document;
    world->keyed[world->count] = NULL;
    world->indexes[world->count++] = spec;
}

/* Takes over `document`, which a server must take. */
static bool add_own(sp_index_world_t *world, bson_t *document, sp_error_t *error)
{
    sp_index_spec_t *spec =
        sp_arena_take_aligned(&world->arena, sizeof *spec, _Alignof(sp_index_spec_t));
    bool ok = sp_index_spec_read(&world->arena, world->model->version, world->collation, document,
                                 spec, error);
    if (ok)
        append_index(world, document, spec);
    else
        bson_destroy(document);
    return ok;
}

/* The name that a server gives: a_1_b_hashed. */
static char *default_name(const bson_t *key)
{
    bson_string_t *name = bson_string_new(NULL);
    bson_iter_t iter;
    for (bool more = bson_iter_init(&iter, key); more && bson_iter_next(&iter);)
        bson_string_append_printf(name, "%s%s_%s", name->len == 0 ? "" : "_", bson_iter_key(&iter),
                                  BSON_ITER_HOLDS_UTF8(&iter) ? "hashed" : "1");
    return bson_string_free(name, false);
}

static bool add_id_index(sp_index_world_t *world, sp_error_t *error)
{
    bson_t *document = bson_new(), key;
    BSON_APPEND_DOCUMENT_BEGIN(document, "key", &key);
    BSON_APPEND_INT32(&key, "_id", 1);
    bson_append_document_end(document, &key);
    BSON_APPEND_UTF8(document, "name", "_id_");
    return add_own(world, document, error);
}

static bool add_key_index(sp_index_world_t *world, sp_error_t *error)
{
    bson_t *document = bson_new(), collation;
    char *name = default_name(world->key);
    BSON_APPEND_DOCUMENT(document, "key", world->key);
    BSON_APPEND_UTF8(document, "name", name);
    if (world->collation != NULL) {
        BSON_APPEND_DOCUMENT_BEGIN(document, "collation", &collation);
        BSON_APPEND_UTF8(&collation, "locale", "simple");
        bson_append_document_end(document, &collation);
    }
    bson_free(name);
    return add_own(world, document, error);
}

bool sp_index_world_init(sp_index_world_t *world, sp_model_t *model, const bson_t *key,
                         const bson_t *collation, sp_error_t *error)
{
    sp_error_t failed = {0};
    *world = (sp_index_world_t){.model = model, .key = key};
    sp_arena_init(&world->arena);
    if (collation != NULL && !sp_collation_is_simple(collation))
        world->collation = collation;
    world->pattern = sp_pattern_new(key, &failed);
    bool ok = world->pattern != NULL && add_id_index(world, &failed) &&
              (sp_index_pattern_is_id(key) || add_key_index(world, &failed));
    if (ok && sp_index_pattern_is_id(key) && world->collation != NULL)
        ok = sp_error_set(&failed, SP_ERROR_RULE, 0,
                          "a collection with a collation cannot be sharded by {_id: 1}");
    /* That a server would refuse it is no answer to anything that can be asked here. */
    return ok ||
           sp_error_set(error, SP_ERROR_INPUT, 0, "'key' and 'collation': %s", failed.message);
}

void sp_index_world_clear(sp_index_world_t *world)
{
    for (unsigned i = 0; i < world->count; i++) {
        bson_destroy(world->documents[i]);
        sp_keyed_index_free(world->keyed[i]);
    }
    for (unsigned i = 0; i < world->doc_count; i++)
        bson_destroy(world->docs[i]);
    sp_pattern_free(world->pattern);
    sp_arena_clear(&world->arena);
    *world = (sp_index_world_t){0};
}

static bool same_collation(const sp_index_t *a, const sp_index_t *b)
{
    return a->has_collation == b->has_collation &&
           (!a->has_collation || sp_collation_same(&a->collation, &b->collation));
}

static bool same_key(const sp_index_spec_t *a, const sp_index_spec_t *b)
{
    bson_t one = BSON_INITIALIZER, other = BSON_INITIALIZER;
    sp_index_pattern_stored(&a->index.key, a->kind, &one);
    sp_index_pattern_stored(&b->index.key, b->kind, &other);
    bool same = sp_index_pattern_same(&one, &other);
    bson_destroy(&one);
    bson_destroy(&other);
    return same;
}

/* What makes two indexes one: there cannot be both. */
static bool same_index(const sp_index_spec_t *a, const sp_index_spec_t *b)
{
    return same_key(a, b) && a->index.unique == b->index.unique &&
           a->index.sparse == b->index.sparse && same_collation(&a->index, &b->index) &&
           (a->partial == NULL) == (b->partial == NULL) &&
           (a->partial == NULL || sp_index_filter_same(a->partial, b->partial));
}

static bool same_seconds(const sp_value_t *a, const sp_value_t *b)
{
    if (a->type == BSON_TYPE_EOD || b->type == BSON_TYPE_EOD)
        return a->type == b->type;
    return sp_value_is_number(a) && sp_value_is_number(b) && sp_number_compare(a, b) == 0;
}

static bool same_options(const sp_index_spec_t *a, const sp_index_spec_t *b)
{
    return sp_index_pattern_same(&a->index.key, &b->index.key) &&
           a->index.prepare_unique == b->index.prepare_unique &&
           same_seconds(&a->index.expire, &b->index.expire) && !a->has_others && !b->has_others;
}

static const sp_index_spec_t *find_same(const sp_index_world_t *world, const sp_index_spec_t *spec)
{
    for (unsigned i = 0; i < world->count; i++) {
        if (same_index(world->indexes[i], spec))
            return world->indexes[i];
    }
    return NULL;
}

static const sp_index_spec_t *find_name(const sp_index_world_t *world, const char *name)
{
    for (unsigned i = 0; i < world->count; i++) {
        if (strcmp(world->indexes[i]->index.name, name) == 0)
            return world->indexes[i];
    }
    return NULL;
}

static bool check_text(const sp_index_world_t *world, const sp_index_spec_t *spec,
                       sp_error_t *error)
{
    for (unsigned i = 0; spec->kind == SP_INDEX_TEXT && i < world->count; i++) {
        if (world->indexes[i]->kind == SP_INDEX_TEXT)
            return sp_error_set(error, SP_ERROR_RULE, CANNOT_CREATE_INDEX,
                                "a collection has at most one text index");
    }
    return true;
}

/* Looks at the other indexes; `there` says that nothing is left to be made. */
static bool check_others(const sp_index_world_t *world, const sp_index_spec_t *spec, bool *there,
                         sp_error_t *error)
{
    *there = spec->is_id;
    if (spec->is_id)
        return true;
    const sp_index_spec_t *same = find_same(world, spec);
    const sp_index_spec_t *named = find_name(world, spec->index.name);
    if (named != NULL && named != same)
        return sp_error_set(error, SP_ERROR_RULE, KEYS_CONFLICT,
                            "there is another index with the name '%.100s'", spec->index.name);
    if (same == NULL)
        return check_text(world, spec, error);
    *there = named == same && same_options(same, spec);
    return *there || sp_error_set(error, SP_ERROR_RULE, OPTIONS_CONFLICT,
                                  "the index '%.100s' is the same but for its name or its options",
                                  same->index.name);
}

bool sp_index_world_takes_unique(const sp_index_world_t *world, const sp_index_spec_t *spec)
{
    bson_t stored = BSON_INITIALIZER;
    sp_index_pattern_stored(&spec->index.key, spec->kind, &stored);
    bool fits = sp_key_index_unique_fits(&stored, world->key, world->model->version);
    bson_destroy(&stored);
    return fits;
}

static bool check_unique(const sp_index_world_t *world, const sp_index_spec_t *spec,
                         sp_error_t *error)
{
    return (!spec->index.unique && !spec->index.prepare_unique) ||
           sp_index_world_takes_unique(world, spec) ||
           sp_error_set(error, SP_ERROR_RULE, CANNOT_CREATE_INDEX,
                        "a unique index must begin with the shard key");
}

bool sp_index_world_create(sp_index_world_t *world, const bson_t *document, bool *made,
                           sp_error_t *error)
{
    bool there = false;
    sp_version_t version = world->model->version;
    bson_t *copy = bson_copy(document);
    sp_index_spec_t *spec =
        sp_arena_take_aligned(&world->arena, sizeof *spec, _Alignof(sp_index_spec_t));
    bool ok = sp_index_spec_read(&world->arena, version, world->collation, copy, spec, error) &&
              check_others(world, spec, &there, error);
    *made = ok && !there;
    ok = ok && (there ||
                (sp_index_spec_expires(spec, error) && check_unique(world, spec, error) &&
                 sp_index_pattern_build(&spec->index.key, spec->kind, spec->index.unique, error)));
    ok = ok && (there || sp_index_docs_build(world, spec, error));
    if (ok && *made && world->count == SP_INDEX_WORLD_MAX)
        ok = sp_error_set(error, SP_ERROR_INPUT, 0, "more than %d indexes", SP_INDEX_WORLD_MAX);
    if (ok && *made) {
        append_index(world, copy, spec);
        return true;
    }
    *made = false;
    bson_destroy(copy);
    return ok;
}

static bool is_meant(const sp_index_spec_t *spec, const sp_value_t *which)
{
    bson_t key;
    uint32_t size;
    if (which->type == BSON_TYPE_UTF8) {
        const char *name = sp_value_text(which, &size);
        return strlen(name) == size && strcmp(spec->index.name, name) == 0;
    }
    return bson_init_static(&key, which->data, which->size) &&
           sp_index_pattern_same(&spec->index.key, &key);
}

bool sp_index_world_find(const sp_index_world_t *world, const sp_value_t *which, unsigned *place,
                         sp_error_t *error)
{
    unsigned found = 0;
    for (unsigned i = 0; i < world->count; i++) {
        if (is_meant(world->indexes[i], which)) {
            *place = i;
            found++;
        }
    }
    if (found == 0)
        return sp_error_set(error, SP_ERROR_RULE, INDEX_NOT_FOUND, "there is no such index");
    return found == 1 || sp_error_set(error, SP_ERROR_RULE, AMBIGUOUS_KEY_PATTERN,
                                      "%u indexes have this key pattern", found);
}

static bool serves(const sp_index_world_t *world, unsigned place)
{
    return sp_key_index_serves(&world->indexes[place]->index, false, world->key,
                               world->model->version);
}

bool sp_index_world_needs(const sp_index_world_t *world, unsigned place)
{
    if (!sp_version_has(world->model->version, SP_KEY_INDEX_KEPT) ||
        (world->pattern->hashed >= 0 &&
         !sp_version_has(world->model->version, SP_HASHED_KEY_INDEX_KEPT)) ||
        !serves(world, place))
        return false;
    for (unsigned i = 0; i < world->count; i++) {
        if (i != place && serves(world, i))
            return false;
    }
    return true;
}

void sp_index_world_list(const sp_index_world_t *world, bson_t *answer)
{
    bson_t list, one;
    BSON_APPEND_ARRAY_BEGIN(answer, "indexes", &list);
    for (unsigned i = 0; i < world->count; i++) {
        char buffer[16];
        const char *key;
        const sp_index_t *index = &world->indexes[i]->index;
        bson_uint32_to_string(i, &key, buffer, sizeof buffer);
        bson_append_document_begin(&list, key, -1, &one);
        BSON_APPEND_UTF8(&one, "name", index->name);
        if (index->unique)
            BSON_APPEND_BOOL(&one, "unique", true);
        if (index->prepare_unique)
            BSON_APPEND_BOOL(&one, "prepareUnique", true);
        if (index->hidden)
            BSON_APPEND_BOOL(&one, "hidden", true);
        bson_append_document_end(&list, &one);
    }
    bson_append_array_end(answer, &list);
}
