#include "gen_update_parts.h"

#include "gen_value.h"

#include "../oracles/update_limits.h"

#include <stdio.h>
#include <string.h>

#define EXPRESSION_DEPTH_MAX 2

static void append_expression(sp_update_draw_t *draw, const char *path, unsigned depth, bson_t *doc,
                              const char *key);

static void append_field_path(sp_update_draw_t *draw, bson_t *doc, const char *key)
{
    static const char *const variables[] = {"$$ROOT", "$$CURRENT.", "$$ROOT.", "$$REMOVE",
                                            "$$x",    "$$",         "$",       "$$ROOT.$"};
    char path[SP_UPDATE_PATH_SIZE], text[2 * SP_UPDATE_PATH_SIZE];
    sp_gen_update_path(draw, path);
    const char *before = "$", *behind = path;
    if (sp_draw_one_in(draw->producer, 8)) {
        before = variables[sp_draw_below(draw->producer, sizeof variables / sizeof *variables)];
        if (before[strlen(before) - 1] != '.')
            behind = "";
    }
    snprintf(text, sizeof text, "%s%s", before, behind);
    BSON_APPEND_UTF8(doc, key, text);
}

static void append_container(sp_update_draw_t *draw, const char *path, unsigned depth, bson_t *doc,
                             const char *key)
{
    static const char *const names[] = {"a", "b", "c", "x", "0", "d", "_id", "", "$a", "a.b"};
    const uint32_t plain_names = 7;
    bson_t inner;
    uint32_t count = sp_draw_below(draw->producer, 4);
    bool is_array = sp_draw_one_in(draw->producer, 2);
    if (is_array)
        BSON_APPEND_ARRAY_BEGIN(doc, key, &inner);
    else
        BSON_APPEND_DOCUMENT_BEGIN(doc, key, &inner);
    for (uint32_t i = 0; i < count; i++) {
        char buffer[16];
        bool rare = sp_draw_one_in(draw->producer, 32);
        const char *name =
            names[sp_draw_below(draw->producer, rare ? sizeof names / sizeof *names : plain_names)];
        if (is_array)
            bson_uint32_to_string(i, &name, buffer, sizeof buffer);
        append_expression(draw, path, depth + 1, &inner, name);
    }
    if (is_array)
        bson_append_array_end(doc, &inner);
    else
        bson_append_document_end(doc, &inner);
}

static void replace_value(bson_t *doc, const char *key)
{
    bson_reinit(doc);
    BSON_APPEND_INT32(doc, key, 3);
}

static void append_literal(sp_update_draw_t *draw, const char *path, bson_t *doc, const char *key)
{
    bson_t inner;
    const char *name = sp_draw_one_in(draw->producer, 6) ? "$const" : "$literal";
    bson_t value = BSON_INITIALIZER;
    sp_gen_update_value(draw, path, &value, name);
    sp_value_t whole = {BSON_TYPE_DOCUMENT, value.len, bson_get_data(&value)};
    if (sp_update_repeats_name(&whole))
        replace_value(&value, name);
    BSON_APPEND_DOCUMENT_BEGIN(doc, key, &inner);
    bson_concat(&inner, &value);
    bson_destroy(&value);
    if (sp_draw_one_in(draw->producer, 64))
        BSON_APPEND_INT32(&inner, "a", 1);
    bson_append_document_end(doc, &inner);
}

static void append_expression(sp_update_draw_t *draw, const char *path, unsigned depth, bson_t *doc,
                              const char *key)
{
    uint32_t choice = sp_draw_below(draw->producer, 16);
    if (choice < 4)
        append_literal(draw, path, doc, key);
    else if (choice < 8)
        append_field_path(draw, doc, key);
    else if (choice < 11 && depth < EXPRESSION_DEPTH_MAX)
        append_container(draw, path, depth, doc, key);
    else if (choice < 14)
        BSON_APPEND_INT32(doc, key, (int32_t)sp_draw_below(draw->producer, 8));
    else
        sp_gen_value(draw->producer, doc, key);
}

static void append_set(sp_update_draw_t *draw, bson_t *stage)
{
    const char *name = sp_draw_one_in(draw->producer, 3) ? "$addFields" : "$set";
    bson_t fields;
    uint32_t count = sp_draw_below(draw->producer, 4);
    if (sp_draw_one_in(draw->producer, 80)) {
        sp_gen_value(draw->producer, stage, name);
        return;
    }
    BSON_APPEND_DOCUMENT_BEGIN(stage, name, &fields);
    for (uint32_t i = 0; i < count; i++) {
        char path[SP_UPDATE_PATH_SIZE];
        sp_gen_update_path(draw, path);
        append_expression(draw, path, 0, &fields, path);
    }
    bson_append_document_end(stage, &fields);
}

static void append_unset(sp_update_draw_t *draw, bson_t *stage)
{
    bson_t paths;
    char path[SP_UPDATE_PATH_SIZE];
    uint32_t choice = sp_draw_below(draw->producer, 32);
    sp_gen_update_path(draw, path);
    if (choice < 14) {
        BSON_APPEND_UTF8(stage, "$unset", path);
    } else if (choice < 31) {
        uint32_t count = choice < 30 ? 1 + choice % 3 : 0;
        BSON_APPEND_ARRAY_BEGIN(stage, "$unset", &paths);
        for (uint32_t i = 0; i < count; i++) {
            char buffer[16];
            const char *index;
            bson_uint32_to_string(i, &index, buffer, sizeof buffer);
            if (sp_draw_one_in(draw->producer, 64))
                BSON_APPEND_INT32(&paths, index, 1);
            else
                BSON_APPEND_UTF8(&paths, index, path);
            sp_gen_update_path(draw, path);
        }
        bson_append_array_end(stage, &paths);
    } else {
        sp_gen_value(draw->producer, stage, "$unset");
    }
}

static void append_new_root(sp_update_draw_t *draw, bson_t *doc, const char *key)
{
    bson_t literal, fields;
    uint32_t choice = sp_draw_below(draw->producer, 12);
    if (choice < 2) {
        append_expression(draw, draw->source->paths[0], 0, doc, key);
    } else if (choice < 5) {
        BSON_APPEND_DOCUMENT_BEGIN(doc, key, &literal);
        BSON_APPEND_DOCUMENT(&literal, "$literal", draw->source->doc);
        bson_append_document_end(doc, &literal);
    } else {
        BSON_APPEND_DOCUMENT_BEGIN(doc, key, &fields);
        for (uint32_t i = 0; i < choice % 4; i++) {
            char path[SP_UPDATE_PATH_SIZE];
            sp_gen_update_path(draw, path);
            char *dot = strchr(path, '.');
            if (dot != NULL && !sp_draw_one_in(draw->producer, 16))
                *dot = '\0';
            append_expression(draw, path, 0, &fields, path);
        }
        bson_append_document_end(doc, &fields);
    }
}

static void append_replace(sp_update_draw_t *draw, bson_t *stage)
{
    bson_t root;
    uint32_t choice = sp_draw_below(draw->producer, 32);
    if (choice < 16) {
        append_new_root(draw, stage, "$replaceWith");
    } else if (choice < 31) {
        BSON_APPEND_DOCUMENT_BEGIN(stage, "$replaceRoot", &root);
        if (choice != 17)
            append_new_root(draw, &root, "newRoot");
        if (choice == 16)
            BSON_APPEND_INT32(&root, "x", 1);
        bson_append_document_end(stage, &root);
    } else {
        sp_gen_value(draw->producer, stage, "$replaceRoot");
    }
}

static void append_stage(sp_update_draw_t *draw, bson_t *stage)
{
    bson_t filter;
    uint32_t choice = sp_draw_below(draw->producer, 48);
    if (choice < 24) {
        append_set(draw, stage);
    } else if (choice < 34) {
        append_unset(draw, stage);
    } else if (choice < 44) {
        append_replace(draw, stage);
    } else if (choice < 46) { /* no stage of updates */
        BSON_APPEND_DOCUMENT_BEGIN(stage, "$match", &filter);
        bson_append_document_end(stage, &filter);
    } else if (choice == 46) {
        BSON_APPEND_INT32(stage, "stage", 1);
    }
    if (sp_draw_one_in(draw->producer, 100))
        append_set(draw, stage);
}

void sp_gen_update_stages(sp_update_draw_t *draw, bson_t *pipeline)
{
    uint32_t count = 1;
    if (sp_draw_one_in(draw->producer, 4))
        count = sp_draw_below(draw->producer, 4);
    for (uint32_t i = 0; i < count; i++) {
        char buffer[16];
        const char *index;
        bson_t stage;
        bson_uint32_to_string(i, &index, buffer, sizeof buffer);
        if (sp_draw_one_in(draw->producer, 200)) {
            sp_gen_value(draw->producer, pipeline, index);
            continue;
        }
        BSON_APPEND_DOCUMENT_BEGIN(pipeline, index, &stage);
        append_stage(draw, &stage);
        bson_append_document_end(pipeline, &stage);
    }
}
