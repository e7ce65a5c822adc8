#include "kinds_areas.h"

#include "../oracles/value.h"

#include <string.h>

static const char shape[] = "key shape", key_value[] = "key value", place[] = "collection";
static const char index_kind[] = "index", option[] = "option", outcome[] = "outcome";

static const sp_kind_t kinds[] = {
    {shape, "x:1"},
    {shape, "x:hashed"},
    {shape, "x:1,y:1"},
    {shape, "x:hashed,y:1"},
    {shape, "x:1,y:hashed"},
    {shape, "x:1,y:1,z:1"},
    {shape, "_id:1"},
    {shape, "_id:hashed"},
    {shape, "_id:1,x:1"},
    {shape, "x:1,_id:1"},
    {shape, "a.b:1"},
    {shape, "a.b:hashed"},
    {shape, "a:1,a.b:1"},
    {shape, "a.b:1,a.c:1"},
    {shape, "a.0:1"},
    {shape, "_id.a:1"},
    {shape, "m:1"},
    {shape, "t:1"},
    {shape, "m:1,t:1"},
    {shape, "m:hashed"},
    {key_value, "int 1"},
    {key_value, "hashed"},
    {key_value, "long"},
    {key_value, "double"},
    {key_value, "decimal"},
    {key_value, "other int"},
    {key_value, "other"},
    {place, "none"},
    {place, "plain"},
    {place, "collation"},
    {place, "simple collation"},
    {place, "capped"},
    {place, "clustered"},
    {place, "view"},
    {place, "time series"},
    {place, "documents"},
    {place, "sharded"},
    {index_kind, "plain"},
    {index_kind, "descending"},
    {index_kind, "hashed"},
    {index_kind, "text"},
    {index_kind, "2dsphere"},
    {index_kind, "wildcard"},
    {index_kind, "unique"},
    {index_kind, "sparse"},
    {index_kind, "hidden"},
    {index_kind, "partialFilterExpression"},
    {index_kind, "collation"},
    {index_kind, "prepareUnique"},
    {index_kind, "expireAfterSeconds"},
    {option, "unique"},
    {option, "numInitialChunks"},
    {option, "presplitHashedZones"},
    {option, "collation"},
    {outcome, "sharded"},
    {outcome, "sharded with an index"},
    {outcome, "error 2"},
    {outcome, "error 14"},
    {outcome, "error 23"},
    {outcome, "error 67"},
    {outcome, "error 72"},
    {outcome, "error 86"},
    {outcome, "error 166"},
    {outcome, "error 13103"},
    {outcome, "error 31387"},
    {outcome, "error 5914000"},
    {outcome, "error 5914001"},
};

const sp_kind_t *sp_kinds_declared_shardcollection(unsigned *count)
{
    *count = sizeof kinds / sizeof *kinds;
    return kinds;
}

static bool find(const bson_iter_t *question, const char *name, bson_iter_t *found)
{
    *found = *question;
    return bson_iter_find(found, name);
}

static const char *name_value(const bson_iter_t *field)
{
    sp_value_t value = sp_value_of(field);
    switch (value.type) {
    case BSON_TYPE_INT32:
        return sp_value_int32(&value) == 1 ? "int 1" : "other int";
    case BSON_TYPE_INT64:
        return "long";
    case BSON_TYPE_DOUBLE:
        return "double";
    case BSON_TYPE_DECIMAL128:
        return "decimal";
    case BSON_TYPE_UTF8:
        return strcmp(bson_iter_utf8(field, NULL), "hashed") == 0 ? "hashed" : "other";
    default:
        return "other";
    }
}

/* Each once, however often it comes. */
static bool add_values(const bson_iter_t *key, sp_kind_add_t *add, void *context)
{
    static const char *const names[] = {"int 1",   "hashed",    "long", "double",
                                        "decimal", "other int", "other"};
    bool seen[sizeof names / sizeof *names] = {false};
    bson_iter_t field;
    if (!bson_iter_recurse(key, &field))
        return true;
    while (bson_iter_next(&field)) {
        for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
            seen[i] = seen[i] || strcmp(names[i], name_value(&field)) == 0;
    }
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
        if (seen[i] && !add(context, key_value, names[i]))
            return false;
    }
    return true;
}

static const char *name_collation(const bson_iter_t *options)
{
    bson_iter_t iter = *options, locale;
    if (!bson_iter_find_descendant(&iter, "collation.locale", &locale) ||
        !BSON_ITER_HOLDS_UTF8(&locale))
        return NULL;
    return strcmp(bson_iter_utf8(&locale, NULL), "simple") == 0 ? "simple collation" : "collation";
}

static bool add_place(const bson_iter_t *question, sp_kind_add_t *add, void *context)
{
    static const char *const fields[][2] = {{"capped", "capped"},
                                            {"clusteredIndex", "clustered"},
                                            {"viewOn", "view"},
                                            {"timeseries", "time series"}};
    bson_iter_t iter, options, option_at;
    if (!find(question, "collection", &iter) || !BSON_ITER_HOLDS_DOCUMENT(&iter) ||
        !bson_iter_recurse(&iter, &options))
        return add(context, place, "none");
    bool any = false, more = true;
    for (unsigned i = 0; more && i < sizeof fields / sizeof *fields; i++) {
        if (find(&options, fields[i][0], &option_at)) {
            any = true;
            more = add(context, place, fields[i][1]);
        }
    }
    const char *collation = name_collation(&options);
    if (more && collation != NULL)
        more = add(context, place, collation);
    return more && (any || collation != NULL || add(context, place, "plain"));
}

typedef enum index_mark {
    PLAIN,
    DESCENDING,
    HASHED,
    TEXT,
    SPHERE,
    WILDCARD,
    OPTIONS, /* the first of them */
    MARKS = OPTIONS + 7
} index_mark_t;

static const char *const mark_names[MARKS] = {"plain",
                                              "descending",
                                              "hashed",
                                              "text",
                                              "2dsphere",
                                              "wildcard",
                                              "unique",
                                              "sparse",
                                              "hidden",
                                              "partialFilterExpression",
                                              "collation",
                                              "prepareUnique",
                                              "expireAfterSeconds"};

static index_mark_t mark_field(const bson_iter_t *field)
{
    if (strcmp(bson_iter_key(field), "$**") == 0)
        return WILDCARD;
    if (BSON_ITER_HOLDS_UTF8(field)) {
        const char *word = bson_iter_utf8(field, NULL);
        for (index_mark_t mark = HASHED; mark <= SPHERE; mark++) {
            if (strcmp(mark_names[mark], word) == 0)
                return mark;
        }
    }
    return BSON_ITER_HOLDS_NUMBER(field) && bson_iter_as_double(field) < 0 ? DESCENDING : PLAIN;
}

static void mark_index(const bson_iter_t *index, bool *marks)
{
    bson_iter_t field, key_field;
    if (!BSON_ITER_HOLDS_DOCUMENT(index) || !bson_iter_recurse(index, &field))
        return;
    while (bson_iter_next(&field)) {
        if (strcmp(bson_iter_key(&field), "key") == 0 && BSON_ITER_HOLDS_DOCUMENT(&field) &&
            bson_iter_recurse(&field, &key_field)) {
            while (bson_iter_next(&key_field))
                marks[mark_field(&key_field)] = true;
        }
        for (unsigned i = OPTIONS; i < MARKS; i++)
            marks[i] = marks[i] || strcmp(mark_names[i], bson_iter_key(&field)) == 0;
    }
}

static bool add_indexes(const bson_iter_t *question, sp_kind_add_t *add, void *context)
{
    bool marks[MARKS] = {false}, more = true;
    bson_iter_t iter, index;
    if (!find(question, "indexes", &iter) || !BSON_ITER_HOLDS_ARRAY(&iter) ||
        !bson_iter_recurse(&iter, &index))
        return true;
    while (bson_iter_next(&index))
        mark_index(&index, marks);
    for (unsigned i = 0; more && i < MARKS; i++)
        more = !marks[i] || add(context, index_kind, mark_names[i]);
    return more;
}

static bool add_options(const bson_iter_t *question, sp_kind_add_t *add, void *context)
{
    bson_iter_t iter, field;
    if (!find(question, "options", &iter) || !BSON_ITER_HOLDS_DOCUMENT(&iter) ||
        !bson_iter_recurse(&iter, &field))
        return true;
    while (bson_iter_next(&field)) {
        if (!add(context, option, bson_iter_key(&field)))
            return false;
    }
    return true;
}

static const char *name_outcome(const bson_t *answer)
{
    bson_iter_t iter, first;
    bool made = bson_iter_init_find(&iter, answer, "made") && BSON_ITER_HOLDS_ARRAY(&iter) &&
                bson_iter_recurse(&iter, &first) && bson_iter_next(&first);
    return made ? "sharded with an index" : "sharded";
}

void sp_kinds_of_shardcollection(const bson_t *test, const bson_iter_t *question,
                                 const bson_t *answer, sp_kind_add_t *add, void *context)
{
    bson_iter_t iter;
    (void)test;
    if (find(question, "key", &iter) && BSON_ITER_HOLDS_DOCUMENT(&iter) &&
        !(sp_kinds_add_shape(&iter, add, context) && add_values(&iter, add, context)))
        return;
    if (!add_place(question, add, context))
        return;
    if (find(question, "docs", &iter) && !add(context, place, "documents"))
        return;
    if (find(question, "sharded", &iter) && !add(context, place, "sharded"))
        return;
    if (!add_indexes(question, add, context) || !add_options(question, add, context))
        return;
    sp_kinds_add_outcome(answer, name_outcome(answer), add, context);
}
