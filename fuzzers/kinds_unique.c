#include "kinds_areas.h"

#include "../oracles/order.h"
#include "../oracles/value.h"

#include <stdio.h>
#include <string.h>

static const char shape[] = "key shape";
static const char sharded[] = "sharded";
static const char collection_collation[] = "collation";
static const char index_fields[] = "index";
static const char option[] = "option";
static const char way[] = "way";
static const char value_kind[] = "value";
static const char outcome[] = "outcome";

static const sp_kind_t kinds[] = {
    {shape, "x:1"},
    {shape, "x:hashed"},
    {shape, "x:1,y:1"},
    {shape, "x:hashed,y:1"},
    {shape, "x:1,y:hashed"},
    {shape, "x:1,y:hashed,z:1"},
    {shape, "x:1,y:1,z:1"},
    {shape, "x:1,y:1,z:hashed"},
    {shape, "x:hashed,y:1,z:1,v:1"},
    {shape, "a.b:1"},
    {shape, "a.b:hashed"},
    {shape, "a.b:1,c:1"},
    {shape, "a.b:1,a.c:hashed"},
    {shape, "a.b.c:1,a.d:1,x:1"},
    {shape, "a.b.c:1"},
    {shape, "a.b.c:hashed"},
    {shape, "a:1,a.b:1"},
    {shape, "a:1,a.b:hashed"},
    {shape, "_id:1"},
    {shape, "_id:hashed"},
    {shape, "x:1,_id:1"},
    {shape, "_id:hashed,x:1"},
    {shape, "_id.a:1"},
    {shape, "x:1,_id.a:hashed"},
    {sharded, "unique"},
    {sharded, "not unique"},
    {collection_collation, "none"},
    {collection_collation, "collection's"},
    {index_fields, "shard key"},
    {index_fields, "shard key,p"},
    {index_fields, "shard key,p,q"},
    {index_fields, "shard key,p.a"},
    {index_fields, "shard key,p.a,p.b"},
    {index_fields, "shard key,p.0"},
    {index_fields, "shard key,p,p.a"},
    {index_fields, "shard key,p.0.a"},
    {index_fields, "shard key,p.a,q"},
    {index_fields, "shard key,p.a.0"},
    {index_fields, "shard key,p.0,p.1"},
    {index_fields, "shard key,_id"},
    {index_fields, "shard key,_id,p"},
    {index_fields, "shard key,p.0,p.a"},
    {index_fields, "shard key,q.a,p.a"},
    {index_fields, "shard key,p.1"},
    {index_fields, "shard key,p.0,q"},
    {index_fields, "shard key,p.0,p.0.a"},
    {index_fields, "shard key,p.0.a,p.a"},
    {index_fields, "shard key,p.0.a,p.1.a"},
    {index_fields, "shard key,p,p.0"},
    {index_fields, "shard key,p.0.0"},
    {index_fields, "shard key,p.a,p.b.c"},
    {index_fields, "shard key,p.0.a,p.1"},
    {index_fields, "from _id"},
    {index_fields, "others"},
    {index_fields, "hashed"},
    {option, "unique"},
    {option, "not unique"},
    {option, "sparse"},
    {option, "partialFilterExpression"},
    {option, "collation"},
    {option, "early"},
    {option, "hidden"},
    {option, "prepareUnique"},
    {way, "single"},
    {way, "unordered"},
    {way, "ordered"},
    {value_kind, "missing"},
    {value_kind, "null"},
    {value_kind, "undefined"},
    {value_kind, "array"},
    {value_kind, "empty array"},
    {value_kind, "array in array"},
    {value_kind, "object"},
    {value_kind, "object in array"},
    {value_kind, "decimal"},
    {value_kind, "double"},
    {value_kind, "string"},
    {value_kind, "symbol"},
    {value_kind, "timestamp"},
    {outcome, "inserted"},
    {outcome, "not tried"},
    {outcome, "one _id twice"},
    {outcome, "error 11000"},
    {outcome, "error 53"},
    {outcome, "error 61"},
    {outcome, "error 67"},
    {outcome, "error 72"},
    {outcome, "error 171"},
    {outcome, "error 201"},
    {outcome, "error 16746"},
    {outcome, "error 16764"},
    {outcome, "error 16766"},
};

enum { KINDS = sizeof kinds / sizeof *kinds };

const sp_kind_t *sp_kinds_declared_unique(unsigned *count)
{
    *count = KINDS;
    return kinds;
}

/* Where a kind goes: each declared one once. Once `ended`, nothing more is added. */
typedef struct sink {
    sp_kind_add_t *add;
    void *context;
    bool ended;
    bool put[KINDS];
} sink_t;

static void put(sink_t *sink, const char *dimension, const char *name)
{
    for (unsigned i = 0; i < KINDS; i++) {
        if (strcmp(kinds[i].dimension, dimension) != 0 || strcmp(kinds[i].name, name) != 0)
            continue;
        if (sink->put[i])
            return;
        sink->put[i] = true;
    }
    sink->ended = sink->ended || !sink->add(sink->context, dimension, name);
}

static bool find_document(const bson_t *in, const char *name, bson_t *document)
{
    bson_iter_t iter;
    return bson_iter_init_find(&iter, in, name) && sp_value_document(&iter, document);
}

static bool is_true(const bson_t *in, const char *name)
{
    bson_iter_t iter;
    return bson_iter_init_find(&iter, in, name) && bson_iter_as_bool(&iter);
}

/* The fields that an index has, as "shard key,p.a". */
static void add_fields(const bson_t *shard_key, const bson_t *key, sink_t *sink)
{
    bson_iter_t iter, key_iter;
    char name[64];
    bool hashed = false, begins = true;
    size_t size = (size_t)snprintf(name, sizeof name, "shard key");
    bool more = bson_iter_init(&iter, key) && bson_iter_next(&iter);
    bool from_id = more && strcmp(bson_iter_key(&iter), "_id") == 0;
    if (!bson_iter_init(&key_iter, shard_key))
        return;
    while (begins && bson_iter_next(&key_iter)) {
        begins = more && strcmp(bson_iter_key(&iter), bson_iter_key(&key_iter)) == 0;
        more = begins && bson_iter_next(&iter);
    }
    for (; more; more = bson_iter_next(&iter)) {
        if (size < sizeof name)
            size += (size_t)snprintf(name + size, sizeof name - size, ",%s", bson_iter_key(&iter));
    }
    if (bson_iter_init(&iter, key)) {
        while (bson_iter_next(&iter))
            hashed = hashed || BSON_ITER_HOLDS_UTF8(&iter);
    }
    put(sink, index_fields, hashed ? "hashed" : begins ? name : from_id ? "from _id" : "others");
}

static void add_options(const bson_t *index, sink_t *sink)
{
    static const char *const options[] = {
        "prepareUnique", "hidden", "sparse", "collation", "partialFilterExpression", "early"};
    if (!bson_has_field(index, "prepareUnique"))
        put(sink, option, is_true(index, "unique") ? "unique" : "not unique");
    for (unsigned i = 0; i < sizeof options / sizeof *options && !sink->ended; i++) {
        if (bson_has_field(index, options[i]))
            put(sink, option, options[i]);
    }
}

static void add_indexes(const bson_t *test, const bson_t *shard_key, sink_t *sink)
{
    bson_iter_t list, iter;
    bson_t index, key;
    if (!bson_iter_init_find(&list, test, "indexes") || !bson_iter_recurse(&list, &iter))
        return;
    while (!sink->ended && bson_iter_next(&iter)) {
        if (!sp_value_document(&iter, &index))
            continue;
        add_options(&index, sink);
        if (!sink->ended && find_document(&index, "key", &key))
            add_fields(shard_key, &key, sink);
    }
}

static const char *name_array(const bson_iter_t *array)
{
    bson_iter_t iter;
    const char *name = "empty array";
    bool sound = bson_iter_recurse(array, &iter);
    while (sound && bson_iter_next(&iter)) {
        if (BSON_ITER_HOLDS_ARRAY(&iter))
            return "array in array";
        name = BSON_ITER_HOLDS_DOCUMENT(&iter)        ? "object in array"
               : strcmp(name, "object in array") == 0 ? name
                                                      : "array";
    }
    return name;
}

/* What stands in the field that most indexes have. */
static const char *name_value(const bson_t *doc)
{
    bson_iter_t iter;
    if (!bson_iter_init_find(&iter, doc, "p"))
        return "missing";
    switch (bson_iter_type(&iter)) {
    case BSON_TYPE_NULL:
        return "null";
    case BSON_TYPE_UNDEFINED:
        return "undefined";
    case BSON_TYPE_ARRAY:
        return name_array(&iter);
    case BSON_TYPE_DOCUMENT:
        return "object";
    case BSON_TYPE_DECIMAL128:
        return "decimal";
    case BSON_TYPE_DOUBLE:
        return "double";
    case BSON_TYPE_UTF8:
        return "string";
    case BSON_TYPE_SYMBOL:
        return "symbol";
    case BSON_TYPE_TIMESTAMP:
        return "timestamp";
    default:
        return "another";
    }
}

static bool was_inserted(const bson_iter_t *code)
{
    return BSON_ITER_HOLDS_INT32(code) && bson_iter_int32(code) == 0;
}

/* Whether a document before `doc` has its _id too, and both were inserted. */
static bool shares_id(const bson_iter_t *docs, const bson_iter_t *codes, const bson_t *doc,
                      unsigned number)
{
    bson_iter_t id, doc_iter, code_iter, other_id;
    bson_t other;
    if (!bson_iter_init_find(&id, doc, "_id") || !bson_iter_recurse(docs, &doc_iter) ||
        !bson_iter_recurse(codes, &code_iter))
        return false;
    sp_value_t value = sp_value_of(&id);
    for (unsigned i = 0; i < number; i++) {
        if (!bson_iter_next(&doc_iter) || !bson_iter_next(&code_iter))
            return false;
        if (!was_inserted(&code_iter) || !sp_value_document(&doc_iter, &other) ||
            !bson_iter_init_find(&other_id, &other, "_id"))
            continue;
        sp_value_t other_value = sp_value_of(&other_id);
        if (sp_value_compare(&value, &other_value) == 0)
            return true;
    }
    return false;
}

static void add_code(const bson_iter_t *code, sink_t *sink)
{
    char name[32];
    snprintf(name, sizeof name, "error %lld", (long long)bson_iter_as_int64(code));
    put(sink, outcome,
        !BSON_ITER_HOLDS_INT32(code) ? "not tried"
        : was_inserted(code)         ? "inserted"
                                     : name);
}

static void add_documents(const bson_iter_t *question, const bson_t *answer, sink_t *sink)
{
    bson_iter_t docs = *question, codes, doc_iter, code_iter;
    bson_t doc;
    if (!bson_iter_find(&docs, "docs") || !bson_iter_recurse(&docs, &doc_iter))
        return;
    bool answered =
        bson_iter_init_find(&codes, answer, "codes") && bson_iter_recurse(&codes, &code_iter);
    for (unsigned i = 0; !sink->ended && bson_iter_next(&doc_iter); i++) {
        if (!sp_value_document(&doc_iter, &doc))
            continue;
        put(sink, value_kind, name_value(&doc));
        if (!answered || !bson_iter_next(&code_iter) || sink->ended)
            continue;
        add_code(&code_iter, sink);
        if (!sink->ended && was_inserted(&code_iter) && shares_id(&docs, &codes, &doc, i))
            put(sink, outcome, "one _id twice");
    }
}

void sp_kinds_of_unique(const bson_t *test, const bson_iter_t *question, const bson_t *answer,
                        sp_kind_add_t *add, void *context)
{
    sink_t sink = {.add = add, .context = context};
    bson_t key, collation;
    bson_iter_t iter = *question;
    if (!find_document(test, "key", &key) || !bson_iter_init_find(&iter, test, "key"))
        return;
    sink.ended = !sp_kinds_add_shape(&iter, add, context);
    if (!sink.ended)
        put(&sink, sharded, is_true(test, "unique") ? "unique" : "not unique");
    if (!sink.ended)
        put(&sink, collection_collation,
            find_document(test, "collation", &collation) ? "collection's" : "none");
    if (!sink.ended)
        add_indexes(test, &key, &sink);
    iter = *question;
    if (!sink.ended && bson_iter_find(&iter, "way") && BSON_ITER_HOLDS_UTF8(&iter))
        put(&sink, way, bson_iter_utf8(&iter, NULL));
    if (!sink.ended)
        add_documents(question, answer, &sink);
    if (!sink.ended)
        sp_kinds_add_outcome(answer, NULL, add, context);
}
