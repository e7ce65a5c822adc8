#include "shard_request.h"

#include "collation.h"
#include "number.h"

#include <assert.h>
#include <string.h>

enum { TYPE_MISMATCH = 14, VIEW_GIVEN = 166 };

/* A bson_t must not be copied: it may point into itself. */
static void borrow(const bson_t *from, bson_t *to)
{
    bool sound = bson_init_static(to, bson_get_data(from), from->len);
    assert(sound);
}

static bool refuse_input(sp_error_t *error, const char *field, const char *what)
{
    return sp_error_set(error, SP_ERROR_INPUT, 0, "'%s' must be %s", field, what);
}

static bool read_string(const bson_iter_t *iter, const char **text, sp_error_t *error)
{
    if (!BSON_ITER_HOLDS_UTF8(iter))
        return refuse_input(error, bson_iter_key(iter), "a string");
    *text = bson_iter_utf8(iter, NULL);
    return true;
}

static bool read_series(const bson_iter_t *iter, sp_series_t *series, sp_error_t *error)
{
    bson_iter_t field;
    if (!BSON_ITER_HOLDS_DOCUMENT(iter) || !bson_iter_recurse(iter, &field))
        return refuse_input(error, "timeseries", "a document");
    while (bson_iter_next(&field)) {
        const char *name = bson_iter_key(&field);
        if (strcmp(name, "timeField") == 0) {
            if (!read_string(&field, &series->time, error))
                return false;
        } else if (strcmp(name, "metaField") == 0) {
            if (!read_string(&field, &series->meta, error))
                return false;
        } else {
            return sp_error_set(error, SP_ERROR_INPUT, 0, "'timeseries' has the unknown field '%s'",
                                name);
        }
    }
    return series->time != NULL || refuse_input(error, "timeField", "a string");
}

static bool read_collection_option(const bson_iter_t *iter, sp_shard_request_t *request,
                                   sp_error_t *error)
{
    const char *name = bson_iter_key(iter);
    bson_t document;
    if (strcmp(name, "timeseries") == 0)
        return read_series(iter, &request->series, error);
    if (strcmp(name, "collation") == 0) {
        if (!sp_value_document(iter, &document))
            return refuse_input(error, name, "a document");
        request->collated = !sp_collation_is_simple(&document);
        borrow(&document, &request->collation);
        return true;
    }
    if (strcmp(name, "capped") == 0) {
        if (!BSON_ITER_HOLDS_BOOL(iter))
            return refuse_input(error, name, "true or false");
        request->capped = bson_iter_bool(iter);
        return true;
    }
    request->view = request->view || strcmp(name, "viewOn") == 0;
    static const char *const others[] = {"viewOn", "pipeline", "size", "max", "clusteredIndex"};
    for (unsigned i = 0; i < sizeof others / sizeof *others; i++) {
        if (strcmp(name, others[i]) == 0)
            return true;
    }
    return sp_error_set(error, SP_ERROR_INPUT, 0, "'collection' has the unknown field '%s'", name);
}

static bool read_collection(const bson_t *question, sp_shard_request_t *request, sp_error_t *error)
{
    bson_iter_t iter, option;
    if (!bson_iter_init_find(&iter, question, "collection"))
        return true;
    if (!BSON_ITER_HOLDS_DOCUMENT(&iter) || !bson_iter_recurse(&iter, &option))
        return refuse_input(error, "collection", "a document");
    bool ok = true;
    while (ok && bson_iter_next(&option))
        ok = read_collection_option(&option, request, error);
    return ok;
}

/* What an index is that says nothing about its collation. */
static void give_collation(const sp_shard_request_t *request, sp_index_t *index)
{
    if (request->collated && !index->has_collation) {
        index->has_collation = true;
        borrow(&request->collation, &index->collation);
    }
}

static void add_id_index(sp_shard_request_t *request)
{
    sp_index_t *index = &request->indexes[0];
    request->index_keys[0] = BCON_NEW("_id", BCON_INT32(1));
    *index = (sp_index_t){.name = "_id_", .unique = true};
    borrow(request->index_keys[0], &index->key);
    borrow(&index->key, &request->given_keys[0]);
    give_collation(request, index);
    request->index_count = 1;
}

static bool add_index(const bson_iter_t *iter, sp_shard_request_t *request, sp_error_t *error)
{
    bson_t spec;
    unsigned i = request->index_count;
    if (!sp_value_document(iter, &spec))
        return sp_error_set(error, SP_ERROR_INPUT, 0, "indexes[%u] is no document", i - 1);
    if (i == SP_REQUEST_INDEXES_MAX)
        return sp_error_set(error, SP_ERROR_INPUT, 0, "more than %d 'indexes'",
                            SP_REQUEST_INDEXES_MAX - 1);
    sp_index_t *index = &request->indexes[i];
    if (!sp_index_read(&spec, index, error))
        return sp_error_prefix(error, "indexes[%u]", i - 1);
    borrow(&index->key, &request->given_keys[i]);
    give_collation(request, index);
    request->index_count++;
    return true;
}

static bool read_indexes(const bson_t *question, sp_shard_request_t *request, sp_error_t *error)
{
    bson_iter_t iter, element;
    add_id_index(request);
    if (!bson_iter_init_find(&iter, question, "indexes"))
        return true;
    if (!BSON_ITER_HOLDS_ARRAY(&iter) || !bson_iter_recurse(&iter, &element))
        return refuse_input(error, "indexes", "an array");
    bool ok = true;
    while (ok && bson_iter_next(&element))
        ok = add_index(&element, request, error);
    return ok;
}

static bool read_docs(const bson_t *question, sp_shard_request_t *request, sp_error_t *error)
{
    bson_iter_t iter, element;
    if (bson_iter_init_find(&iter, question, "empty")) {
        if (!BSON_ITER_HOLDS_BOOL(&iter))
            return refuse_input(error, "empty", "true or false");
        request->populated = !bson_iter_bool(&iter);
    }
    if (!bson_iter_init_find(&iter, question, "docs"))
        return true;
    if (!BSON_ITER_HOLDS_ARRAY(&iter) || !bson_iter_recurse(&iter, &element))
        return refuse_input(error, "docs", "an array");
    request->has_docs = true;
    request->docs = element;
    while (bson_iter_next(&element)) {
        if (!BSON_ITER_HOLDS_DOCUMENT(&element))
            return sp_error_set(error, SP_ERROR_INPUT, 0, "docs[%s] is no document",
                                bson_iter_key(&element));
        request->populated = true;
    }
    return true;
}

static bool read_sharded(const bson_t *question, sp_shard_request_t *request, sp_error_t *error)
{
    bson_iter_t iter, field;
    if (!bson_iter_init_find(&iter, question, "sharded"))
        return true;
    if (!BSON_ITER_HOLDS_DOCUMENT(&iter) || !bson_iter_recurse(&iter, &field))
        return refuse_input(error, "sharded", "a document");
    while (bson_iter_next(&field)) {
        if (strcmp(bson_iter_key(&field), "key") == 0) {
            if (!sp_value_document(&field, &request->sharded_key))
                return refuse_input(error, "sharded.key", "a document");
            request->sharded = true;
        } else if (strcmp(bson_iter_key(&field), "unique") == 0) {
            if (!BSON_ITER_HOLDS_BOOL(&field))
                return refuse_input(error, "sharded.unique", "true or false");
            request->sharded_unique = bson_iter_bool(&field);
        } else {
            return sp_error_set(error, SP_ERROR_INPUT, 0, "'sharded' has the unknown field '%s'",
                                bson_iter_key(&field));
        }
    }
    return request->sharded || refuse_input(error, "sharded.key", "a document");
}

static bool mistyped(const bson_iter_t *iter, const char *what, sp_error_t *error)
{
    return sp_error_set(error, SP_ERROR_RULE, TYPE_MISMATCH, "'%s' must be %s", bson_iter_key(iter),
                        what);
}

static bool take_flag(const bson_iter_t *iter, bool *flag, sp_error_t *error)
{
    if (!BSON_ITER_HOLDS_BOOL(iter))
        return mistyped(iter, "true or false", error);
    *flag = bson_iter_bool(iter);
    return true;
}

static bool take_number(const bson_iter_t *iter, sp_shard_request_t *request, sp_error_t *error)
{
    sp_value_t value = sp_value_of(iter);
    if (!sp_value_is_number(&value))
        return mistyped(iter, "a number", error);
    request->numbered = true;
    request->number = sp_number_for_hash(&value);
    return true;
}

static bool take_collation(const bson_iter_t *iter, sp_shard_request_t *request, sp_error_t *error)
{
    request->has_collation = true;
    return sp_value_document(iter, &request->asked_collation) ||
           mistyped(iter, "a document", error);
}

static bool take_option(const bson_iter_t *iter, sp_shard_request_t *request, sp_error_t *error)
{
    const char *name = bson_iter_key(iter);
    if (BSON_ITER_HOLDS_NULL(iter))
        return true;
    if (strcmp(name, "unique") == 0)
        return take_flag(iter, &request->unique, error);
    if (strcmp(name, "presplitHashedZones") == 0)
        return take_flag(iter, &request->presplit, error);
    if (strcmp(name, "numInitialChunks") == 0)
        return take_number(iter, request, error);
    return take_collation(iter, request, error);
}

static bool is_option(const char *name)
{
    static const char *const names[] = {"unique", "presplitHashedZones", "numInitialChunks",
                                        "collation"};
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
        if (strcmp(names[i], name) == 0)
            return true;
    }
    return false;
}

/* Stands before the first option; none where there are none. */
static bool find_options(const bson_t *question, bson_iter_t *options, bool *any, sp_error_t *error)
{
    bson_iter_t iter, option;
    *any = bson_iter_init_find(&iter, question, "options");
    if (!*any)
        return true;
    if (!BSON_ITER_HOLDS_DOCUMENT(&iter) || !bson_iter_recurse(&iter, options))
        return refuse_input(error, "options", "a document");
    for (option = *options; bson_iter_next(&option);) {
        if (!is_option(bson_iter_key(&option)))
            return sp_error_set(error, SP_ERROR_INPUT, 0, "'options' has the unknown field '%s'",
                                bson_iter_key(&option));
    }
    return true;
}

/* The keys of a time series collection are those of its buckets. */
static bool translate(sp_shard_request_t *request, sp_error_t *error)
{
    bson_t buckets = BSON_INITIALIZER, sharded = BSON_INITIALIZER;
    bool ok = sp_series_shard_key(&request->series, &request->key, &buckets, error);
    if (ok && request->sharded) {
        ok = sp_series_shard_key(&request->series, &request->sharded_key, &sharded, NULL) ||
             sp_error_set(error, SP_ERROR_INPUT, 0,
                          "'sharded.key' is no key of this time series collection");
        bson_destroy(&request->sharded_key);
        bson_copy_to(&sharded, &request->sharded_key);
    }
    bson_destroy(&request->key);
    bson_copy_to(&buckets, &request->key);
    for (unsigned i = 1; ok && i < request->index_count; i++) {
        bson_t *key = request->index_keys[i] = bson_new();
        sp_series_index_key(&request->series, &request->given_keys[i], key);
        borrow(key, &request->indexes[i].key);
    }
    bson_destroy(&sharded);
    bson_destroy(&buckets);
    return ok;
}

bool sp_shard_request_read(const bson_t *question, sp_shard_request_t *request, sp_error_t *error)
{
    bson_iter_t iter, option;
    bool any = false;
    memset(request, 0, sizeof *request);
    bson_init(&request->key);
    bson_init(&request->sharded_key);
    if (!bson_iter_init_find(&iter, question, "key") || !sp_value_document(&iter, &request->key))
        return refuse_input(error, "key", "a document, the shard key pattern");
    bool ok = read_collection(question, request, error) && read_indexes(question, request, error) &&
              read_docs(question, request, error) && read_sharded(question, request, error) &&
              find_options(question, &option, &any, error);
    while (ok && any && bson_iter_next(&option))
        ok = take_option(&option, request, error);
    if (ok && request->view)
        ok = sp_error_set(error, SP_ERROR_RULE, VIEW_GIVEN, "a view cannot be sharded");
    return ok && (request->series.time == NULL || translate(request, error));
}

void sp_shard_request_clear(sp_shard_request_t *request)
{
    for (unsigned i = 0; i < request->index_count; i++) {
        if (request->index_keys[i] != NULL)
            bson_destroy(request->index_keys[i]);
    }
    bson_destroy(&request->key);
    bson_destroy(&request->sharded_key);
}
