#include "kinds_areas.h"

#include "../oracles/pattern.h"
#include "../oracles/refine_key.h"

#include <stddef.h>
#include <string.h>

static const char key_shape[] = "key shape", new_key[] = "new key", collection[] = "collection";
static const char index_of[] = "index", with[] = "with", outcome[] = "outcome";

static const sp_kind_t kinds[] = {
    {key_shape, "x:1"},
    {key_shape, "x:hashed"},
    {key_shape, "x:1,y:1"},
    {key_shape, "x:hashed,y:1"},
    {key_shape, "x:1,y:hashed"},
    {key_shape, "x:1,y:hashed,z:1"},
    {key_shape, "x:1,y:1,z:1"},
    {key_shape, "x:1,y:1,z:hashed"},
    {key_shape, "x:hashed,y:1,z:1,v:1"},
    {key_shape, "a.b:1"},
    {key_shape, "a.b:hashed"},
    {key_shape, "a.b:1,c:1"},
    {key_shape, "a.b:1,a.c:hashed"},
    {key_shape, "a.b.c:1,a.d:1,x:1"},
    {key_shape, "a.b.c:1"},
    {key_shape, "a.b.c:hashed"},
    {key_shape, "a:1,a.b:1"},
    {key_shape, "a:1,a.b:hashed"},
    {key_shape, "_id:1"},
    {key_shape, "_id:hashed"},
    {key_shape, "x:1,_id:1"},
    {key_shape, "_id:hashed,x:1"},
    {key_shape, "_id.a:1"},
    {key_shape, "x:1,_id.a:hashed"},
    {new_key, "longer by one"},
    {new_key, "longer by more"},
    {new_key, "hashed behind"},
    {new_key, "the same"},
    {new_key, "of other fields"},
    {new_key, "no pattern"},
    {collection, "sharded"},
    {collection, "sharded as unique"},
    {collection, "without index on its key"},
    {collection, "unsharded"},
    {collection, "missing"},
    {index_of, "none"},
    {index_of, "the new key"},
    {index_of, "the new key and more"},
    {index_of, "another key"},
    {index_of, "sparse"},
    {index_of, "partialFilterExpression"},
    {index_of, "hidden"},
    {index_of, "unique"},
    {index_of, "prepareUnique"},
    {index_of, "collation"},
    {index_of, "on"},
    {with, "zones"},
    {with, "documents"},
    {with, "lost documents"},
    {with, "documents asked for by key"},
    {outcome, "refined"},
    {outcome, "unchanged"},
    {outcome, "error 2"},
    {outcome, "error 72"},
    {outcome, "error 118"},
};

const sp_kind_t *sp_kinds_declared_refine(unsigned *count)
{
    *count = sizeof kinds / sizeof *kinds;
    return kinds;
}

static bool document_in(bson_iter_t question, const char *name, bson_t *document)
{
    return bson_iter_find(&question, name) && sp_value_document(&question, document);
}

static bool add_new_key(const bson_t *key, const bson_t *wanted, sp_kind_add_t *add, void *context)
{
    const sp_version_t version = {6, 0, 27};
    if (!sp_pattern_check(wanted, version, NULL))
        return add(context, new_key, "no pattern");
    if (sp_refine_same_key(key, wanted))
        return add(context, new_key, "the same");
    if (!sp_refine_extends(key, wanted))
        return add(context, new_key, "of other fields");
    if (!sp_pattern_names_hashed(key) && sp_pattern_names_hashed(wanted) &&
        !add(context, new_key, "hashed behind"))
        return false;
    bool by_one = bson_count_keys(wanted) == bson_count_keys(key) + 1;
    return add(context, new_key, by_one ? "longer by one" : "longer by more");
}

static bool is_true(bson_iter_t question, const char *name, bool otherwise)
{
    return bson_iter_find(&question, name) && BSON_ITER_HOLDS_BOOL(&question)
               ? bson_iter_bool(&question)
               : otherwise;
}

static bool add_collection(const bson_iter_t *question, sp_kind_add_t *add, void *context)
{
    bson_iter_t iter = *question;
    if (bson_iter_find(&iter, "collection") && BSON_ITER_HOLDS_UTF8(&iter) &&
        strcmp(bson_iter_utf8(&iter, NULL), "sharded") != 0)
        return add(context, collection, bson_iter_utf8(&iter, NULL));
    if (!add(context, collection,
             is_true(*question, "unique", false) ? "sharded as unique" : "sharded"))
        return false;
    return is_true(*question, "keyIndex", true) ||
           add(context, collection, "without index on its key");
}

static bool add_index(const bson_t *index, const bson_t *wanted, sp_kind_add_t *add, void *context)
{
    static const char *const options[] = {"sparse", "partialFilterExpression", "hidden",
                                          "unique", "prepareUnique",           "collation",
                                          "on"};
    bson_iter_t iter;
    bson_t key;
    if (!bson_iter_init_find(&iter, index, "key") || !sp_value_document(&iter, &key))
        return true;
    const char *name = "another key";
    if (sp_refine_extends(wanted, &key))
        name = bson_count_keys(wanted) == bson_count_keys(&key) ? "the new key"
                                                                : "the new key and more";
    if (!add(context, index_of, name))
        return false;
    for (unsigned i = 0; i < sizeof options / sizeof *options; i++) {
        if (bson_has_field(index, options[i]) && !add(context, index_of, options[i]))
            return false;
    }
    return true;
}

static bool add_indexes(bson_iter_t question, const bson_t *wanted, sp_kind_add_t *add,
                        void *context)
{
    bson_iter_t iter;
    bson_t index;
    bool any = false;
    if (bson_iter_find(&question, "indexes") && BSON_ITER_HOLDS_ARRAY(&question) &&
        bson_iter_recurse(&question, &iter)) {
        while (bson_iter_next(&iter)) {
            any = true;
            if (sp_value_document(&iter, &index) && !add_index(&index, wanted, add, context))
                return false;
        }
    }
    return any || add(context, index_of, "none");
}

static uint32_t count_in(bson_iter_t question, const char *name)
{
    bson_iter_t iter;
    uint32_t count = 0;
    if (bson_iter_find(&question, name) && BSON_ITER_HOLDS_ARRAY(&question) &&
        bson_iter_recurse(&question, &iter)) {
        while (bson_iter_next(&iter))
            count++;
    }
    return count;
}

static int64_t number_in(const bson_t *answer, const char *name)
{
    bson_iter_t iter;
    return bson_iter_init_find(&iter, answer, name) ? bson_iter_as_int64(&iter) : 0;
}

static bool add_contents(const bson_iter_t *question, const bson_t *answer, sp_kind_add_t *add,
                         void *context)
{
    uint32_t docs = count_in(*question, "docs");
    bool lost = docs > 0 && bson_has_field(answer, "found") && number_in(answer, "found") < docs;
    return (count_in(*question, "zones") == 0 || add(context, with, "zones")) &&
           (docs == 0 || add(context, with, "documents")) &&
           (!lost || add(context, with, "lost documents")) &&
           (number_in(answer, "foundByKey") == 0 ||
            add(context, with, "documents asked for by key"));
}

void sp_kinds_of_refine(const bson_t *test, const bson_iter_t *question, const bson_t *answer,
                        sp_kind_add_t *add, void *context)
{
    bson_iter_t iter;
    bson_t key, wanted;
    if (!bson_iter_init_find(&iter, test, "key") || !sp_value_document(&iter, &key) ||
        !sp_kinds_add_shape(&iter, add, context) || !document_in(*question, "newKey", &wanted) ||
        !add_new_key(&key, &wanted, add, context) || !add_collection(question, add, context) ||
        !add_indexes(*question, &wanted, add, context) ||
        !add_contents(question, answer, add, context))
        return;
    sp_kinds_add_outcome(answer, sp_refine_same_key(&key, &wanted) ? "unchanged" : "refined", add,
                         context);
}
