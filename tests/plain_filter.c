#include "plain_filter.h"

#include "../oracles/value.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

const char sp_plain_fields[SP_PLAIN_FIELDS][2] = {"x", "y", "z"};

static void draw_operand(sp_producer_t *producer, const char *op, bson_t *operators)
{
    bson_t values;
    if (strstr(op, "in") == NULL) {
        bson_append_int32(operators, op, -1, (int32_t)sp_draw_below(producer, 10));
        return;
    }
    bson_append_array_begin(operators, op, -1, &values);
    for (unsigned i = sp_draw_below(producer, 4); i > 0; i--)
        BSON_APPEND_INT32(&values, "0", (int32_t)sp_draw_below(producer, 10));
    bson_append_array_end(operators, &values);
}

void sp_draw_plain_predicate(sp_producer_t *producer, bson_t *filter)
{
    static const char ops[][5] = {"$eq", "$gt", "$gte", "$lt", "$lte", "$in", "$ne", "$nin"};
    const char *field = sp_plain_fields[sp_draw_below(producer, SP_PLAIN_FIELDS)];
    bson_t operators;
    if (sp_draw_one_in(producer, 3)) {
        bson_append_int32(filter, field, -1, (int32_t)sp_draw_below(producer, 10));
        return;
    }
    bson_append_document_begin(filter, field, -1, &operators);
    draw_operand(producer, ops[sp_draw_below(producer, COUNT(ops))], &operators);
    bson_append_document_end(filter, &operators);
}

static void draw_branches(sp_producer_t *producer, unsigned depth, const char *op, bson_t *filter)
{
    bson_t branches, branch;
    bson_append_array_begin(filter, op, -1, &branches);
    for (unsigned i = 1 + sp_draw_below(producer, 3); i > 0; i--) {
        BSON_APPEND_DOCUMENT_BEGIN(&branches, "0", &branch);
        sp_draw_plain_filter(producer, depth, &branch);
        bson_append_document_end(&branches, &branch);
    }
    bson_append_array_end(filter, &branches);
}

void sp_draw_plain_filter(sp_producer_t *producer, unsigned depth, bson_t *filter)
{
    static const char ops[][5] = {"$or", "$or", "$and", "$nor"};
    for (unsigned i = 1 + sp_draw_below(producer, 2); i > 0; i--) {
        if (depth > 0 && sp_draw_one_in(producer, 2))
            draw_branches(producer, depth - 1, ops[sp_draw_below(producer, COUNT(ops))], filter);
        else
            sp_draw_plain_predicate(producer, filter);
    }
}

static bool is_listed(const bson_iter_t *list, int32_t number)
{
    bson_iter_t item;
    assert_true(bson_iter_recurse(list, &item));
    while (bson_iter_next(&item)) {
        if (bson_iter_int32(&item) == number)
            return true;
    }
    return false;
}

static bool satisfies(const bson_iter_t *operator, int32_t number)
{
    const char *op = bson_iter_key(operator);
    if (strcmp(op, "$in") == 0)
        return is_listed(operator, number);
    if (strcmp(op, "$nin") == 0)
        return !is_listed(operator, number);
    int32_t other = bson_iter_int32(operator);
    if (strcmp(op, "$gt") == 0 || strcmp(op, "$gte") == 0)
        return number > other || (op[3] == 'e' && number == other);
    if (strcmp(op, "$lt") == 0 || strcmp(op, "$lte") == 0)
        return number < other || (op[3] == 'e' && number == other);
    return (number == other) == (strcmp(op, "$eq") == 0);
}

/* How many branches match. */
static unsigned count_matching(const bson_iter_t *list, const int32_t *doc, unsigned *of)
{
    bson_iter_t iter;
    bson_t branch;
    unsigned count = 0;
    assert_true(bson_iter_recurse(list, &iter));
    for (*of = 0; bson_iter_next(&iter); ++*of) {
        assert_true(sp_value_document(&iter, &branch));
        count += sp_plain_matches(&branch, doc);
    }
    return count;
}

static bool matches_clause(const bson_iter_t *clause, const int32_t *doc)
{
    const char *name = bson_iter_key(clause);
    bson_iter_t operator;
    if (name[0] == '$') {
        unsigned of, matching = count_matching(clause, doc, &of);
        if (strcmp(name, "$or") == 0)
            return matching > 0;
        return matching == (strcmp(name, "$and") == 0 ? of : 0);
    }
    int32_t number = doc[name[0] - 'x'];
    if (BSON_ITER_HOLDS_INT32(clause))
        return bson_iter_int32(clause) == number;
    assert_true(bson_iter_recurse(clause, &operator) && bson_iter_next(&operator));
    return satisfies(&operator, number);
}

bool sp_plain_matches(const bson_t *filter, const int32_t *doc)
{
    bson_iter_t iter;
    assert_true(bson_iter_init(&iter, filter));
    while (bson_iter_next(&iter)) {
        if (!matches_clause(&iter, doc))
            return false;
    }
    return true;
}
