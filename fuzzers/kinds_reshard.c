#include "kinds_areas.h"

#include "../oracles/pattern.h"
#include "../oracles/refine_key.h"

#include <stddef.h>

static const char new_key[] = "new key", asked_with[] = "asked with", on[] = "on";
static const char outcome[] = "outcome";

static const sp_kind_t kinds[] = {
    {new_key, "one field"},
    {new_key, "one field, hashed"},
    {new_key, "more fields"},
    {new_key, "more fields, one hashed"},
    {new_key, "more than 32 fields"},
    {new_key, "the same"},
    {new_key, "no pattern"},
    {asked_with, "numInitialChunks"},
    {asked_with, "presetReshardedChunks"},
    {asked_with, "zones"},
    {asked_with, "collation"},
    {asked_with, "unique"},
    {on, "documents"},
    {on, "no documents"},
    {on, "zones that laid the chunks"},
    {on, "an index"},
    {on, "a unique index"},
    {on, "a collation"},
    {on, "unsharded"},
    {on, "missing"},
    {outcome, "resharded"},
    {outcome, "resharded by a sample"},
    {outcome, "unchanged"},
    {outcome, "error 2"},
    {outcome, "error 61"},
    {outcome, "error 70"},
    {outcome, "error 72"},
    {outcome, "error 118"},
    {outcome, "error 13103"},
    {outcome, "error 28747"},
    {outcome, "error 40414"},
    {outcome, "error 4952606"},
    {outcome, "error 4952607"},
};

const sp_kind_t *sp_kinds_declared_reshard(unsigned *count)
{
    *count = sizeof kinds / sizeof *kinds;
    return kinds;
}

static bool document_in(bson_iter_t question, const char *name, bson_t *document)
{
    return bson_iter_find(&question, name) && sp_value_document(&question, document);
}

static const char *name_key(const bson_t *key, const bson_t *wanted)
{
    const sp_version_t version = {6, 0, 27};
    if (!sp_pattern_check(wanted, version, NULL))
        return "no pattern";
    if (sp_refine_same_key(key, wanted))
        return "the same";
    if (bson_count_keys(wanted) > SP_PATTERN_FIELDS_MAX)
        return "more than 32 fields";
    if (bson_count_keys(wanted) == 1)
        return sp_pattern_names_hashed(wanted) ? "one field, hashed" : "one field";
    return sp_pattern_names_hashed(wanted) ? "more fields, one hashed" : "more fields";
}

static bool add_options(const bson_iter_t *question, sp_kind_add_t *add, void *context)
{
    bson_t options;
    bson_iter_t iter;
    if (!document_in(*question, "options", &options) || !bson_iter_init(&iter, &options))
        return true;
    while (bson_iter_next(&iter)) {
        if (!add(context, asked_with, bson_iter_key(&iter)))
            return false;
    }
    return true;
}

static bool add_index(bson_iter_t question, sp_kind_add_t *add, void *context)
{
    bson_iter_t iter;
    bson_t index;
    if (!bson_iter_find(&question, "indexes") || !BSON_ITER_HOLDS_ARRAY(&question) ||
        !bson_iter_recurse(&question, &iter) || !bson_iter_next(&iter) ||
        !sp_value_document(&iter, &index))
        return true;
    return add(context, on, bson_has_field(&index, "unique") ? "a unique index" : "an index");
}

static bool add_collection(const bson_t *test, const bson_iter_t *question, sp_kind_add_t *add,
                           void *context)
{
    bson_iter_t iter = *question;
    if (bson_iter_find(&iter, "collection") && BSON_ITER_HOLDS_UTF8(&iter))
        return add(context, on, bson_iter_utf8(&iter, NULL));
    iter = *question;
    if (bson_iter_find(&iter, "keepZones") && !add(context, on, "zones that laid the chunks"))
        return false;
    iter = *question;
    return add(context, on, bson_iter_find(&iter, "docs") ? "documents" : "no documents") &&
           add_index(*question, add, context) &&
           (!bson_iter_init_find(&iter, test, "collation") || !BSON_ITER_HOLDS_DOCUMENT(&iter) ||
            add(context, on, "a collation"));
}

void sp_kinds_of_reshard(const bson_t *test, const bson_iter_t *question, const bson_t *answer,
                         sp_kind_add_t *add, void *context)
{
    bson_iter_t iter;
    bson_t key, wanted, options;
    if (!bson_iter_init_find(&iter, test, "key") || !sp_value_document(&iter, &key) ||
        !document_in(*question, "newKey", &wanted) ||
        !add(context, new_key, name_key(&key, &wanted)) || !add_options(question, add, context) ||
        !add_collection(test, question, add, context))
        return;
    bool preset = document_in(*question, "options", &options) &&
                  bson_has_field(&options, "presetReshardedChunks");
    const char *done = preset ? "resharded" : "resharded by a sample";
    sp_kinds_add_outcome(answer, sp_refine_same_key(&key, &wanted) ? "unchanged" : done, add,
                         context);
}
