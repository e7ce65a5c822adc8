#include "kinds.h"

#include "kinds_areas.h"

#include "../oracles/value.h"

#include <stdio.h>
#include <string.h>

enum { SHAPE_SIZE = 256, OWNERS_MAX = 64 };

static const char key_shape[] = "key shape", operator_used[] = "operator";
static const char operation[] = "operation", collation_used[] = "collation";
static const char outcome[] = "outcome";

/* A bit each in an operator set, in this order. */
static const char *const operators[] = {
    "equality", "regex value", "$eq",  "$gt",        "$gte",  "$lt",     "$lte",    "$ne",
    "$in",      "$nin",        "$and", "$or",        "$nor",  "$not",    "$exists", "$type",
    "$mod",     "$regex",      "$all", "$elemMatch", "$size", "$options"};

enum { OPERATORS = sizeof operators / sizeof *operators, EQUALITY = 0, REGEX_VALUE = 1 };

static void mark_filter(bson_iter_t *filter, uint32_t *used);

static void mark_name(const char *name, uint32_t *used)
{
    for (unsigned i = REGEX_VALUE + 1; i < OPERATORS; i++) {
        if (strcmp(operators[i], name) == 0)
            *used |= 1u << i;
    }
}

static bool is_logical(const char *name)
{
    return strcmp(name, "$and") == 0 || strcmp(name, "$or") == 0 || strcmp(name, "$nor") == 0;
}

/* Whether `value` is an object whose first field's name begins with $; then `inner` stands before
 * that. */
static bool is_expression(const bson_iter_t *value, bson_iter_t *inner)
{
    bson_iter_t first;
    if (!BSON_ITER_HOLDS_DOCUMENT(value) || !bson_iter_recurse(value, inner))
        return false;
    first = *inner;
    return bson_iter_next(&first) && bson_iter_key(&first)[0] == '$';
}

static void mark_expression(bson_iter_t *expression, uint32_t *used);

/* Behind $elemMatch: a filter, or an expression on the element itself. */
static void mark_element(const bson_iter_t *value, uint32_t *used)
{
    bson_iter_t inner, first;
    if (!BSON_ITER_HOLDS_DOCUMENT(value) || !bson_iter_recurse(value, &inner))
        return;
    first = inner;
    if (bson_iter_next(&first) && bson_iter_key(&first)[0] == '$' &&
        !is_logical(bson_iter_key(&first)))
        mark_expression(&inner, used);
    else
        mark_filter(&inner, used);
}

static void mark_expression(bson_iter_t *expression, uint32_t *used)
{
    bson_iter_t inner;
    while (bson_iter_next(expression)) {
        const char *name = bson_iter_key(expression);
        mark_name(name, used);
        if (strcmp(name, "$elemMatch") == 0) {
            mark_element(expression, used);
        } else if (strcmp(name, "$not") == 0) {
            if (BSON_ITER_HOLDS_REGEX(expression))
                *used |= 1u << REGEX_VALUE;
            else if (is_expression(expression, &inner))
                mark_expression(&inner, used);
        } else if (strcmp(name, "$all") == 0 && BSON_ITER_HOLDS_ARRAY(expression) &&
                   bson_iter_recurse(expression, &inner)) {
            bson_iter_t element;
            while (bson_iter_next(&inner)) {
                if (is_expression(&inner, &element))
                    mark_expression(&element, used);
            }
        }
    }
}

static void mark_filter(bson_iter_t *filter, uint32_t *used)
{
    bson_iter_t inner, clause;
    while (bson_iter_next(filter)) {
        const char *name = bson_iter_key(filter);
        if (name[0] == '$') {
            mark_name(name, used);
            if (!is_logical(name) || !BSON_ITER_HOLDS_ARRAY(filter) ||
                !bson_iter_recurse(filter, &inner))
                continue;
            while (bson_iter_next(&inner)) {
                if (BSON_ITER_HOLDS_DOCUMENT(&inner) && bson_iter_recurse(&inner, &clause))
                    mark_filter(&clause, used);
            }
        } else if (is_expression(filter, &inner)) {
            mark_expression(&inner, used);
        } else {
            *used |= 1u << (BSON_ITER_HOLDS_REGEX(filter) ? REGEX_VALUE : EQUALITY);
        }
    }
}

static bool add_operators(const bson_iter_t *filter, sp_kind_add_t *add, void *context)
{
    uint32_t used = 0;
    bson_iter_t inner;
    if (bson_iter_recurse(filter, &inner))
        mark_filter(&inner, &used);
    for (unsigned i = 0; i < OPERATORS; i++) {
        if ((used & 1u << i) != 0 && !add(context, operator_used, operators[i]))
            return false;
    }
    return true;
}

bool sp_kinds_add_shape(const bson_iter_t *key, sp_kind_add_t *add, void *context)
{
    char shape[SHAPE_SIZE] = "";
    size_t used = 0;
    bson_iter_t inner;
    if (!bson_iter_recurse(key, &inner))
        return true;
    while (bson_iter_next(&inner) && used < sizeof shape)
        used +=
            (size_t)snprintf(shape + used, sizeof shape - used, "%s%s:%s", used > 0 ? "," : "",
                             bson_iter_key(&inner), BSON_ITER_HOLDS_UTF8(&inner) ? "hashed" : "1");
    return add(context, key_shape, shape);
}

static bool is_simple(const sp_value_t *collation)
{
    bson_iter_t iter;
    if (!sp_value_children(collation, &iter) || !bson_iter_find(&iter, "locale") ||
        !BSON_ITER_HOLDS_UTF8(&iter))
        return false;
    return strcmp(bson_iter_utf8(&iter, NULL), "simple") == 0;
}

static const char *name_collation(const bson_t *test, const bson_iter_t *question)
{
    bson_iter_t iter = *question;
    sp_value_t own = {0}, asked = {0};
    if (bson_iter_find(&iter, "collation") && BSON_ITER_HOLDS_DOCUMENT(&iter))
        asked = sp_value_of(&iter);
    if (bson_iter_init_find(&iter, test, "collation") && BSON_ITER_HOLDS_DOCUMENT(&iter))
        own = sp_value_of(&iter);
    if (asked.data == NULL)
        return own.data == NULL ? "none" : "collection's";
    if (own.data != NULL && own.size == asked.size && memcmp(own.data, asked.data, own.size) == 0)
        return "same as collection's";
    return is_simple(&asked) ? "simple" : "other";
}

/* How many shards own chunks. */
static unsigned count_owners(const bson_t *test)
{
    const char *owners[OWNERS_MAX];
    unsigned count = 0;
    bson_iter_t iter, chunks, chunk;
    if (!bson_iter_init_find(&iter, test, "chunks") || !bson_iter_recurse(&iter, &chunks))
        return 0;
    while (bson_iter_next(&chunks) && count < OWNERS_MAX) {
        if (!bson_iter_recurse(&chunks, &chunk) || !bson_iter_find(&chunk, "2") ||
            !BSON_ITER_HOLDS_UTF8(&chunk))
            continue;
        const char *shard = bson_iter_utf8(&chunk, NULL);
        unsigned known = 0;
        while (known < count && strcmp(owners[known], shard) != 0)
            known++;
        if (known == count)
            owners[count++] = shard;
    }
    return count;
}

static unsigned count_all_shards(const bson_t *test, bool is_write)
{
    bson_iter_t iter;
    if (is_write && bson_iter_init_find(&iter, test, "shards") && BSON_ITER_HOLDS_NUMBER(&iter))
        return (unsigned)bson_iter_as_int64(&iter);
    return count_owners(test);
}

bool sp_kinds_add_outcome(const bson_t *answer, const char *otherwise, sp_kind_add_t *add,
                          void *context)
{
    bson_iter_t iter, inner;
    if (bson_iter_init_find(&iter, answer, "error") && bson_iter_recurse(&iter, &inner) &&
        bson_iter_find(&inner, "code")) {
        char name[32];
        snprintf(name, sizeof name, "error %lld", (long long)bson_iter_as_int64(&inner));
        return add(context, outcome, name);
    }
    return bson_empty(answer) || otherwise == NULL || add(context, outcome, otherwise);
}

static bool add_outcome(const bson_t *test, bool is_write, const bson_t *answer, sp_kind_add_t *add,
                        void *context)
{
    bson_iter_t iter, inner;
    unsigned count = 0;
    if (bson_has_field(answer, "error"))
        return sp_kinds_add_outcome(answer, NULL, add, context);
    if (!bson_iter_init_find(&iter, answer, "shards") || !bson_iter_recurse(&iter, &inner))
        return true;
    while (bson_iter_next(&inner))
        count++;
    if (count <= 1)
        return add(context, outcome, count == 0 ? "no shard" : "one shard");
    return add(context, outcome,
               count < count_all_shards(test, is_write) ? "some shards" : "all shards");
}

/* `question` stands before the first field of question `check`. */
static bool find_question(const bson_t *test, const char *name, uint32_t check,
                          bson_iter_t *question)
{
    bson_iter_t iter, list;
    if (!bson_iter_init_find(&iter, test, name) || !bson_iter_recurse(&iter, &list))
        return false;
    for (uint32_t i = 0; i <= check; i++) {
        if (!bson_iter_next(&list))
            return false;
    }
    return BSON_ITER_HOLDS_DOCUMENT(&list) && bson_iter_recurse(&list, question);
}

static const struct area_kinds {
    const char *area;
    const char *questions;
    const sp_kind_t *(*declared)(unsigned *count);
    void (*of)(const bson_t *test, const bson_iter_t *question, const bson_t *answer,
               sp_kind_add_t *add, void *context);
} areas[] = {
    {"shardcollection", "requests", sp_kinds_declared_shardcollection, sp_kinds_of_shardcollection},
    {"chunks", "requests", sp_kinds_declared_chunks, sp_kinds_of_chunks},
    {"index", "requests", sp_kinds_declared_index, sp_kinds_of_index},
    {"unique", "requests", sp_kinds_declared_unique, sp_kinds_of_unique},
    {"keychange", "updates", sp_kinds_declared_keychange, sp_kinds_of_keychange},
    {"refine", "requests", sp_kinds_declared_refine, sp_kinds_of_refine},
    {"reshard", "requests", sp_kinds_declared_reshard, sp_kinds_of_reshard},
};

static const struct area_kinds *find_area(const char *name)
{
    for (unsigned i = 0; i < sizeof areas / sizeof *areas; i++) {
        if (strcmp(areas[i].area, name) == 0)
            return &areas[i];
    }
    return NULL;
}

const sp_kind_t *sp_kinds_declared(const char *area, unsigned *count)
{
    const struct area_kinds *kinds = find_area(area);
    return kinds != NULL ? kinds->declared(count) : sp_kinds_declared_query(area, count);
}

void sp_kinds_of(const char *area, const bson_t *test, uint32_t check, const bson_t *answer,
                 sp_kind_add_t *add, void *context)
{
    bson_iter_t question, iter;
    const struct area_kinds *kinds = find_area(area);
    if (kinds != NULL) {
        if (find_question(test, kinds->questions, check, &question))
            kinds->of(test, &question, answer, add, context);
        return;
    }
    bool is_write = strcmp(area, "write") == 0;
    if ((!is_write && strcmp(area, "find") != 0) ||
        !find_question(test, is_write ? "writes" : "queries", check, &question))
        return;
    if (bson_iter_init_find(&iter, test, "key") && !sp_kinds_add_shape(&iter, add, context))
        return;
    iter = question;
    if (bson_iter_find(&iter, "op") && BSON_ITER_HOLDS_UTF8(&iter) &&
        !add(context, operation, bson_iter_utf8(&iter, NULL)))
        return;
    iter = question;
    if (bson_iter_find(&iter, "filter") && BSON_ITER_HOLDS_DOCUMENT(&iter) &&
        !add_operators(&iter, add, context))
        return;
    if (!add(context, collation_used, name_collation(test, &question)))
        return;
    add_outcome(test, is_write, answer, add, context);
}
