#include "kinds_areas.h"

#include "../oracles/value.h"

#include <string.h>

static const char operation[] = "operation";
static const char index_kind[] = "index";
static const char option_kind[] = "option";
static const char shape[] = "key shape";
static const char outcome[] = "outcome";

static const sp_kind_t kinds[] = {
    {operation, "createIndex"},
    {operation, "createIndex over documents"},
    {operation, "createIndex beside indexes"},
    {operation, "createIndex after dropIndexes"},
    {operation, "insert"},
    {operation, "dropIndexes"},
    {operation, "dropIndexes of all"},
    {operation, "collMod"},
    {index_kind, "plain"},
    {index_kind, "hashed"},
    {index_kind, "text"},
    {index_kind, "2d"},
    {index_kind, "2dsphere"},
    {index_kind, "2dsphere_bucket"},
    {index_kind, "wildcard"},
    {index_kind, "of _id"},
    {index_kind, "empty"},
    {index_kind, "of more than 32 fields"},
    {index_kind, "of 32 fields or less"},
    {option_kind, "unique"},
    {option_kind, "prepareUnique"},
    {option_kind, "sparse"},
    {option_kind, "hidden"},
    {option_kind, "background"},
    {option_kind, "partialFilterExpression"},
    {option_kind, "collation"},
    {option_kind, "expireAfterSeconds"},
    {option_kind, "v"},
    {option_kind, "name"},
    {option_kind, "hidden in collMod"},
    {option_kind, "unique in collMod"},
    {option_kind, "prepareUnique in collMod"},
    {option_kind, "expireAfterSeconds in collMod"},
    {shape, "x:1"},
    {shape, "x:hashed"},
    {shape, "x:1,y:1"},
    {shape, "x:1,y:hashed"},
    {shape, "x:hashed,y:1"},
    {shape, "x:1,a.b:hashed,z:1"},
    {shape, "a.b:1"},
    {shape, "a.b:hashed"},
    {shape, "a.b:1,c:1"},
    {shape, "a:1,a.b:1"},
    {shape, "_id:1"},
    {shape, "_id:hashed"},
    {shape, "_id:1,x:1"},
    {shape, "x:1,_id:1"},
    {shape, "_id.a:1"},
    {shape, "x:1,_id.a:hashed"},
    {outcome, "made"},
    {outcome, "was there"},
    {outcome, "done"},
    {outcome, "error 2"},
    {outcome, "error 14"},
    {outcome, "error 27"},
    {outcome, "error 53"},
    {outcome, "error 67"},
    {outcome, "error 72"},
    {outcome, "error 85"},
    {outcome, "error 86"},
    {outcome, "error 171"},
    {outcome, "error 197"},
    {outcome, "error 370"},
    {outcome, "error 11000"},
    {outcome, "error 13103"},
    {outcome, "error 16764"},
    {outcome, "error 16766"},
    {outcome, "error 31303"},
};

const sp_kind_t *sp_kinds_declared_index(unsigned *count)
{
    *count = sizeof kinds / sizeof *kinds;
    return kinds;
}

static bool find(const bson_iter_t *question, const char *name, bson_iter_t *found)
{
    *found = *question;
    return bson_iter_find(found, name);
}

static bool is_word(const bson_iter_t *iter, const char *word)
{
    return BSON_ITER_HOLDS_UTF8(iter) && strcmp(bson_iter_utf8(iter, NULL), word) == 0;
}

static bool has_elements(const bson_iter_t *question, const char *name)
{
    bson_iter_t iter, elements;
    return find(question, name, &iter) && BSON_ITER_HOLDS_ARRAY(&iter) &&
           bson_iter_recurse(&iter, &elements) && bson_iter_next(&elements);
}

static bool add_operation(const bson_iter_t *question, sp_kind_add_t *add, void *context)
{
    bson_iter_t op, which;
    if (!find(question, "op", &op) || !BSON_ITER_HOLDS_UTF8(&op))
        return true;
    if (is_word(&op, "dropIndexes") && find(question, "which", &which) && is_word(&which, "*"))
        return add(context, operation, "dropIndexes of all");
    if (!is_word(&op, "createIndex"))
        return add(context, operation, bson_iter_utf8(&op, NULL));
    if (has_elements(question, "docs"))
        return add(context, operation, "createIndex over documents");
    if (has_elements(question, "dropped"))
        return add(context, operation, "createIndex after dropIndexes");
    return add(context, operation,
               has_elements(question, "indexes") ? "createIndex beside indexes" : "createIndex");
}

/* By its first field that is a string or a wildcard. */
static const char *name_index(const bson_iter_t *index)
{
    static const char *const words[] = {"hashed", "text", "2d", "2dsphere", "2dsphere_bucket"};
    bson_iter_t iter;
    unsigned count = 0;
    bool is_id = false;
    for (bool more = bson_iter_recurse(index, &iter); more && bson_iter_next(&iter); count++) {
        const char *name = bson_iter_key(&iter);
        for (unsigned i = 0; i < sizeof words / sizeof *words; i++) {
            if (is_word(&iter, words[i]))
                return words[i];
        }
        if (strstr(name, "$**") != NULL)
            return "wildcard";
        is_id = strcmp(name, "_id") == 0;
    }
    if (count == 0)
        return "empty";
    if (count == 1 && is_id)
        return "of _id";
    if (count > 8)
        return count > 32 ? "of more than 32 fields" : "of 32 fields or less";
    return "plain";
}

static bool add_options(const bson_iter_t *options, sp_kind_add_t *add, void *context)
{
    bson_iter_t iter;
    for (bool more = bson_iter_recurse(options, &iter); more && bson_iter_next(&iter);) {
        if (!add(context, option_kind, bson_iter_key(&iter)))
            return false;
    }
    return true;
}

static bool add_changes(const bson_iter_t *change, sp_kind_add_t *add, void *context)
{
    static const char *const names[][2] = {
        {"hidden", "hidden in collMod"},
        {"unique", "unique in collMod"},
        {"prepareUnique", "prepareUnique in collMod"},
        {"expireAfterSeconds", "expireAfterSeconds in collMod"},
    };
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
        bson_iter_t iter;
        if (bson_iter_recurse(change, &iter) && bson_iter_find(&iter, names[i][0]) &&
            !add(context, option_kind, names[i][1]))
            return false;
    }
    return true;
}

static const char *name_outcome(const bson_t *answer)
{
    bson_iter_t iter;
    if (!bson_iter_init_find(&iter, answer, "made"))
        return "done";
    return bson_iter_as_bool(&iter) ? "made" : "was there";
}

void sp_kinds_of_index(const bson_t *test, const bson_iter_t *question, const bson_t *answer,
                       sp_kind_add_t *add, void *context)
{
    bson_iter_t iter;
    if (bson_iter_init_find(&iter, test, "key") && !sp_kinds_add_shape(&iter, add, context))
        return;
    if (!add_operation(question, add, context))
        return;
    if (find(question, "index", &iter) && BSON_ITER_HOLDS_DOCUMENT(&iter) &&
        !add(context, index_kind, name_index(&iter)))
        return;
    if (find(question, "options", &iter) && BSON_ITER_HOLDS_DOCUMENT(&iter) &&
        !add_options(&iter, add, context))
        return;
    if (find(question, "change", &iter) && BSON_ITER_HOLDS_DOCUMENT(&iter) &&
        !add_changes(&iter, add, context))
        return;
    sp_kinds_add_outcome(answer, name_outcome(answer), add, context);
}
