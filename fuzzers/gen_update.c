#include "gen_update.h"

#include "gen_number.h"
#include "gen_update_parts.h"
#include "gen_value.h"

#include "../oracles/storage.h"
#include "../oracles/update_limits.h"

#include <string.h>

/* Follows a path through objects and arrays; no server rule, just to find values to be near to. */
static bool find_in_document(const bson_t *doc, const char *path, sp_value_t *value)
{
    bson_iter_t iter, found;
    if (!bson_iter_init(&iter, doc) || !bson_iter_find_descendant(&iter, path, &found))
        return false;
    *value = sp_value_of(&found);
    return true;
}

/* Some element of an array, or field of a document. */
static bool any_of(sp_producer_t *producer, const bson_t *doc, sp_value_t *value)
{
    bson_iter_t iter;
    uint32_t count = doc == NULL ? 0 : bson_count_keys(doc);
    if (count == 0 || !bson_iter_init(&iter, doc))
        return false;
    for (uint32_t left = sp_draw_below(producer, count) + 1; left > 0; left--)
        bson_iter_next(&iter);
    *value = sp_value_of(&iter);
    return true;
}

void sp_gen_update_value(sp_update_draw_t *draw, const char *path, bson_t *doc, const char *key)
{
    sp_producer_t *producer = draw->producer;
    sp_value_t like;
    uint32_t choice = sp_draw_below(producer, 16);
    if (choice < 4) {
        BSON_APPEND_INT32(doc, key, (int32_t)sp_draw_below(producer, 8));
    } else if ((choice < 7 && any_of(producer, draw->source->values, &like)) ||
               (choice == 10 && any_of(producer, draw->source->doc, &like))) {
        sp_value_append(doc, key, &like);
    } else if (choice < 10 && find_in_document(draw->source->doc, path, &like)) {
        if (choice == 7)
            sp_value_append(doc, key, &like);
        else
            sp_gen_value_near(producer, &like, doc, key);
    } else if (choice < 13) {
        sp_gen_number(producer, doc, key);
    } else {
        sp_gen_value(producer, doc, key);
    }
}

/* Numbers, seldom something else. */
static void append_operand(sp_update_draw_t *draw, const char *path, bson_t *doc)
{
    sp_producer_t *producer = draw->producer;
    uint32_t choice = sp_draw_below(producer, 32);
    if (choice < 8)
        BSON_APPEND_INT32(doc, path, (int32_t)sp_draw_below(producer, 5) - 2);
    else if (choice < 31)
        sp_gen_number(producer, doc, path);
    else
        sp_gen_value(producer, doc, path);
}

typedef enum operator_kind {
    OPERATOR_OF_VALUES,
    OPERATOR_OF_NUMBERS,
    OPERATOR_RENAME,
    OPERATOR_OF_LISTS,  /* $push, $addToSet */
    OPERATOR_OF_ARRAYS, /* $pullAll */
    OPERATOR_PULL,
    OPERATOR_POP,
    OPERATOR_UNKNOWN, /* there is no such operator */
} operator_kind_t;

static const struct operator_row {
    const char *name;
    operator_kind_t kind;
    unsigned weight;
} operators[] = {
    {"$set", OPERATOR_OF_VALUES, 24},
    {"$unset", OPERATOR_OF_VALUES, 8},
    {"$inc", OPERATOR_OF_NUMBERS, 10},
    {"$mul", OPERATOR_OF_NUMBERS, 6},
    {"$min", OPERATOR_OF_VALUES, 5},
    {"$max", OPERATOR_OF_VALUES, 5},
    {"$push", OPERATOR_OF_LISTS, 3},
    {"$addToSet", OPERATOR_OF_LISTS, 3},
    {"$pull", OPERATOR_PULL, 2},
    {"$pullAll", OPERATOR_OF_ARRAYS, 2},
    {"$pop", OPERATOR_POP, 2},
    {"$rename", OPERATOR_RENAME, 8},
    {"$setOnInsert", OPERATOR_OF_VALUES, 2},
    {"$shift", OPERATOR_UNKNOWN, 1},
    {"w", OPERATOR_UNKNOWN, 1},
};

static const struct operator_row *draw_operator(sp_producer_t *producer)
{
    unsigned total = 0, at = 0;
    for (unsigned i = 0; i < sizeof operators / sizeof *operators; i++)
        total += operators[i].weight;
    uint32_t left = sp_draw_below(producer, total);
    while (left >= operators[at].weight)
        left -= operators[at++].weight;
    return &operators[at];
}

static void append_array(sp_update_draw_t *draw, const char *path, bson_t *doc, const char *key)
{
    bson_t array;
    uint32_t count = sp_draw_below(draw->producer, 4);
    BSON_APPEND_ARRAY_BEGIN(doc, key, &array);
    for (uint32_t i = 0; i < count; i++) {
        char buffer[16];
        const char *index;
        bson_uint32_to_string(i, &index, buffer, sizeof buffer);
        sp_gen_update_value(draw, path, &array, index);
    }
    bson_append_array_end(doc, &array);
}

static void append_integer(sp_update_draw_t *draw, bson_t *doc, const char *key)
{
    if (sp_draw_one_in(draw->producer, 8))
        sp_gen_number(draw->producer, doc, key);
    else
        BSON_APPEND_INT32(doc, key, (int32_t)sp_draw_below(draw->producer, 7) - 3);
}

/* $each and what stands beside it. */
static void append_list(sp_update_draw_t *draw, const char *path, bson_t *doc)
{
    bson_t list;
    BSON_APPEND_DOCUMENT_BEGIN(doc, path, &list);
    if (sp_draw_one_in(draw->producer, 4))
        append_integer(draw, &list, "$position");
    append_array(draw, path, &list, "$each");
    if (sp_draw_one_in(draw->producer, 4))
        append_integer(draw, &list, "$slice");
    bson_append_document_end(doc, &list);
}

/* A value that is no condition: of those little is known. */
static void append_pulled(sp_update_draw_t *draw, const char *path, bson_t *doc)
{
    bson_t drawn = BSON_INITIALIZER;
    bson_iter_t iter;
    sp_gen_update_value(draw, path, &drawn, "v");
    bool any = bson_iter_init_find(&iter, &drawn, "v");
    if (!any || BSON_ITER_HOLDS_DOCUMENT(&iter) || BSON_ITER_HOLDS_REGEX(&iter)) {
        BSON_APPEND_INT32(doc, path, 1);
    } else {
        sp_value_t value = sp_value_of(&iter);
        sp_value_append(doc, path, &value);
    }
    bson_destroy(&drawn);
}

static void append_array_argument(sp_update_draw_t *draw, operator_kind_t kind, const char *path,
                                  bson_t *fields)
{
    if (kind == OPERATOR_PULL)
        append_pulled(draw, path, fields);
    else if (kind == OPERATOR_POP)
        append_integer(draw, fields, path);
    else if (kind == OPERATOR_OF_ARRAYS && !sp_draw_one_in(draw->producer, 16))
        append_array(draw, path, fields, path);
    else if (kind == OPERATOR_OF_LISTS && sp_draw_one_in(draw->producer, 2))
        append_list(draw, path, fields);
    else
        sp_gen_update_value(draw, path, fields, path);
}

static void append_operator_field(sp_update_draw_t *draw, operator_kind_t kind, bson_t *fields)
{
    char path[SP_UPDATE_PATH_SIZE], target[SP_UPDATE_PATH_SIZE];
    sp_gen_update_path(draw, path);
    if (kind == OPERATOR_OF_NUMBERS) {
        append_operand(draw, path, fields);
    } else if (kind == OPERATOR_RENAME && !sp_draw_one_in(draw->producer, 40)) {
        draw->only_path = false;
        sp_gen_update_path(draw, target);
        BSON_APPEND_UTF8(fields, path, target);
    } else if (kind >= OPERATOR_OF_LISTS && kind <= OPERATOR_POP) {
        append_array_argument(draw, kind, path, fields);
    } else {
        sp_gen_update_value(draw, path, fields, path);
    }
}

static void append_operator(sp_update_draw_t *draw, bson_t *update)
{
    const struct operator_row *row = draw_operator(draw->producer);
    bson_t fields;
    if (sp_draw_one_in(draw->producer, 100)) {
        sp_gen_update_value(draw, "", update, row->name);
        return;
    }
    uint32_t count = 1;
    if (!draw->only_path)
        count = sp_draw_below(draw->producer, 4);
    BSON_APPEND_DOCUMENT_BEGIN(update, row->name, &fields);
    for (uint32_t i = 0; i < count; i++)
        append_operator_field(draw, row->kind, &fields);
    bson_append_document_end(update, &fields);
}

static void append_operators(sp_update_draw_t *draw, bson_t *update)
{
    draw->only_path = !sp_draw_one_in(draw->producer, 3);
    uint32_t count = draw->only_path ? 1 : 1 + sp_draw_below(draw->producer, 3);
    for (uint32_t i = 0; i < count; i++)
        append_operator(draw, update);
}

/* What is stored, for a replacement that changes little. */
static void copy_fields(sp_update_draw_t *draw, bson_t *update)
{
    bson_iter_t iter;
    bool whole = sp_draw_one_in(draw->producer, 6);
    if (!bson_iter_init(&iter, draw->source->doc))
        return;
    while (bson_iter_next(&iter)) {
        sp_value_t value = sp_value_of(&iter);
        const char *name = bson_iter_key(&iter);
        if (whole || sp_draw_one_in(draw->producer, 2))
            sp_value_append(update, name, &value);
        else if (strcmp(name, "_id") != 0 && sp_draw_one_in(draw->producer, 3))
            sp_gen_value_near(draw->producer, &value, update, name);
    }
}

/* A replacement must not begin with $, and a time that a server fills in cannot be foretold. */
static void append_new_fields(sp_update_draw_t *draw, bson_t *update)
{
    uint32_t count = sp_draw_below(draw->producer, 4);
    for (uint32_t i = 0; i < count; i++) {
        char path[SP_UPDATE_PATH_SIZE];
        sp_gen_update_path(draw, path);
        char *dot = strchr(path, '.');
        if (dot != NULL && !sp_draw_one_in(draw->producer, 16))
            *dot = '\0';
        if (path[0] == '$' && bson_empty(update))
            continue;
        sp_gen_update_value(draw, path, update, path);
    }
}

static void append_without_times(const bson_t *fields, bson_t *update)
{
    bson_iter_t iter;
    if (!bson_iter_init(&iter, fields))
        return;
    while (bson_iter_next(&iter)) {
        sp_value_t value = sp_value_of(&iter);
        if (sp_storage_replaces(&value))
            BSON_APPEND_TIMESTAMP(update, bson_iter_key(&iter), 0, 1);
        else
            sp_value_append(update, bson_iter_key(&iter), &value);
    }
}

static void append_replacement(sp_update_draw_t *draw, bson_t *update)
{
    bson_t fields = BSON_INITIALIZER;
    if (sp_draw_one_in(draw->producer, 2))
        copy_fields(draw, &fields);
    append_new_fields(draw, &fields);
    append_without_times(&fields, update);
    bson_destroy(&fields);
}

void sp_gen_update(sp_producer_t *producer, const sp_update_source_t *source, bson_t *question,
                   const char *key)
{
    sp_update_draw_t draw = {.producer = producer, .source = source};
    bson_t update;
    const sp_value_t stored = {BSON_TYPE_DOCUMENT, source->doc->len, bson_get_data(source->doc)};
    uint32_t choice = sp_draw_below(producer, 16);
    if (choice < 4 && !sp_update_repeats_name(&stored)) {
        BSON_APPEND_ARRAY_BEGIN(question, key, &update);
        sp_gen_update_stages(&draw, &update);
        bson_append_array_end(question, &update);
        return;
    }
    BSON_APPEND_DOCUMENT_BEGIN(question, key, &update);
    if (choice < 7)
        append_replacement(&draw, &update);
    else
        append_operators(&draw, &update);
    bson_append_document_end(question, &update);
}
