#include "gen_keychange_parts.h"

#include "../oracles/storage.h"
#include "../oracles/update.h"
#include "gen_filter.h"
#include "gen_number.h"
#include "gen_update.h"
#include "gen_value.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

enum { PATH_SIZE = 64 };

/* A path to the shard key field, above it, or below. */
static void draw_path(const sp_keychange_draw_t *draw, unsigned *field, char path[PATH_SIZE])
{
    const sp_pattern_t *pattern = draw->layout->pattern;
    *field = sp_draw_below(draw->producer, pattern->field_count);
    snprintf(path, PATH_SIZE, "%s", pattern->fields[*field].text);
    uint32_t choice = sp_draw_below(draw->producer, 16);
    char *dot = strrchr(path, '.');
    if (choice >= 13 && dot != NULL)
        *dot = '\0';
    else if (choice == 15)
        snprintf(path, PATH_SIZE, "%s.a", pattern->fields[*field].text);
}

/* A value for the path: where that leads above the field, an object with a value for it, as a rule.
 */
static void append_value(const sp_keychange_draw_t *draw, unsigned field, const char *path,
                         bson_t *doc, const char *name)
{
    const char *whole = draw->layout->pattern->fields[field].text;
    size_t length = strlen(path);
    bool above = strncmp(whole, path, length) == 0 && whole[length] == '.';
    bson_t object;
    if (!above || sp_draw_one_in(draw->producer, 4)) {
        sp_gen_keychange_value(draw, field, doc, name);
        return;
    }
    BSON_APPEND_DOCUMENT_BEGIN(doc, name, &object);
    sp_gen_keychange_value(draw, field, &object, whole + length + 1);
    if (sp_draw_one_in(draw->producer, 3))
        BSON_APPEND_INT32(&object, "q", 1);
    bson_append_document_end(doc, &object);
}

static void append_operator(const sp_keychange_draw_t *draw, bson_t *update)
{
    char path[PATH_SIZE];
    unsigned field;
    bson_t operands;
    sp_producer_t *producer = draw->producer;
    draw_path(draw, &field, path);
    uint32_t choice = sp_draw_below(producer, 24);
    if (choice < 12) {
        BSON_APPEND_DOCUMENT_BEGIN(update, "$set", &operands);
        append_value(draw, field, path, &operands, path);
        if (sp_draw_one_in(producer, 8) && strcmp(path, "_id") != 0)
            sp_gen_number(producer, &operands, "w");
    } else if (choice < 14) {
        BSON_APPEND_DOCUMENT_BEGIN(update, "$unset", &operands);
        BSON_APPEND_INT32(&operands, path, 1);
    } else if (choice < 17) {
        const char *name = sp_draw_one_in(producer, 3) ? "$mul" : "$inc";
        BSON_APPEND_DOCUMENT_BEGIN(update, name, &operands);
        if (sp_draw_one_in(producer, 2)) {
            sp_gen_number(producer, &operands, path);
        } else {
            BSON_APPEND_INT32(&operands, path, (int32_t)sp_draw_below(producer, 3));
        }
    } else if (choice < 19) {
        const char *name = sp_draw_one_in(producer, 2) ? "$min" : "$max";
        BSON_APPEND_DOCUMENT_BEGIN(update, name, &operands);
        append_value(draw, field, path, &operands, path);
    } else if (choice < 21) {
        BSON_APPEND_DOCUMENT_BEGIN(update, "$rename", &operands);
        if (sp_draw_one_in(producer, 3))
            BSON_APPEND_UTF8(&operands, "w", path);
        else
            BSON_APPEND_UTF8(&operands, path, "moved");
    } else {
        BSON_APPEND_DOCUMENT_BEGIN(update, "$setOnInsert", &operands);
        append_value(draw, field, path, &operands, path);
    }
    bson_append_document_end(update, &operands);
}

/* One operator or two, which may be the same one and then stands twice, or contradict each other;
 * or what has nothing to do with the shard key. */
static void append_operators(const sp_keychange_draw_t *draw, bson_t *update)
{
    bson_t operands;
    sp_producer_t *producer = draw->producer;
    uint32_t choice = sp_draw_below(producer, 16);
    if (choice < 2) {
        BSON_APPEND_DOCUMENT_BEGIN(update, "$set", &operands);
        BSON_APPEND_INT32(&operands, "w", 1);
        bson_append_document_end(update, &operands);
        return;
    }
    if (choice == 2) {
        BSON_APPEND_DOCUMENT_BEGIN(update, "$set", &operands);
        sp_gen_value(producer, &operands, "_id");
        bson_append_document_end(update, &operands);
        return;
    }
    append_operator(draw, update);
    if (choice < 6)
        append_operator(draw, update);
}

/* The document's own key values with some left out or changed. */
static void append_replacement(const sp_keychange_draw_t *draw, bson_t *update)
{
    sp_producer_t *producer = draw->producer;
    bson_t values = BSON_INITIALIZER;
    bson_iter_t iter;
    unsigned count = draw->layout->pattern->field_count;
    unsigned kept = sp_draw_one_in(producer, 2) ? ~0u : sp_draw_below(producer, 1u << count);
    bool changes = sp_draw_one_in(producer, 2);
    unsigned changed = sp_draw_below(producer, count);
    bool more = bson_iter_init(&iter, &draw->values);
    for (unsigned i = 0; more && bson_iter_next(&iter); i++) {
        sp_value_t value = sp_value_of(&iter);
        if (changes && i == changed)
            sp_gen_keychange_value(draw, i, &values, bson_iter_key(&iter));
        else
            sp_value_append(&values, bson_iter_key(&iter), &value);
    }
    if (sp_draw_one_in(producer, 4))
        BSON_APPEND_INT32(update, "w", 5);
    sp_gen_key_document(draw->layout, &values, kept, 0, update);
    if (!bson_has_field(update, "_id") && sp_draw_one_in(producer, 6)) {
        if (sp_draw_one_in(producer, 4))
            sp_gen_value(producer, update, "_id");
        else if (bson_iter_init_find(&iter, &draw->doc, "_id"))
            bson_append_iter(update, "_id", -1, &iter);
    }
    if (sp_draw_one_in(producer, 24))
        BSON_APPEND_INT32(update, "$inc", 1);
    bson_destroy(&values);
}

/* Numbers mean themselves in an expression; other values are said to. */
static void append_literal(const bson_t *one, bson_t *doc, const char *name)
{
    bson_iter_t iter;
    bson_t literal;
    if (!bson_iter_init(&iter, one) || !bson_iter_next(&iter))
        return;
    sp_value_t value = sp_value_of(&iter);
    if (sp_value_is_number(&value)) {
        sp_value_append(doc, name, &value);
        return;
    }
    BSON_APPEND_DOCUMENT_BEGIN(doc, name, &literal);
    sp_value_append(&literal, "$literal", &value);
    bson_append_document_end(doc, &literal);
}

static void append_stage(const sp_keychange_draw_t *draw, bson_t *stage)
{
    char path[PATH_SIZE];
    unsigned field;
    bson_t operands, one = BSON_INITIALIZER;
    sp_producer_t *producer = draw->producer;
    draw_path(draw, &field, path);
    uint32_t choice = sp_draw_below(producer, 8);
    if (choice < 5) {
        append_value(draw, field, path, &one, "");
        BSON_APPEND_DOCUMENT_BEGIN(stage, choice < 4 ? "$set" : "$addFields", &operands);
        append_literal(&one, &operands, path);
        bson_append_document_end(stage, &operands);
    } else if (choice < 7) {
        BSON_APPEND_UTF8(stage, "$unset", path);
    } else {
        bson_t replacement = BSON_INITIALIZER;
        append_replacement(draw, &replacement);
        BSON_APPEND_DOCUMENT_BEGIN(stage, "$replaceWith", &operands);
        BSON_APPEND_DOCUMENT(&operands, "$literal", &replacement);
        bson_append_document_end(stage, &operands);
        bson_destroy(&replacement);
    }
    bson_destroy(&one);
}

static void append_pipeline(const sp_keychange_draw_t *draw, bson_t *question)
{
    static const char *const names[] = {"0", "1", "2"};
    bson_t stages, stage;
    uint32_t count = sp_draw_one_in(draw->producer, 4) ? 2 : 1;
    BSON_APPEND_ARRAY_BEGIN(question, "update", &stages);
    for (uint32_t i = 0; i < count; i++) {
        BSON_APPEND_DOCUMENT_BEGIN(&stages, names[i], &stage);
        append_stage(draw, &stage);
        bson_append_document_end(&stages, &stage);
    }
    bson_append_array_end(question, &stages);
}

/* What a server stores otherwise: the time of day. */
static bool holds_time(const bson_t *update)
{
    bson_iter_t iter;
    if (!bson_iter_init(&iter, update))
        return false;
    while (bson_iter_next(&iter)) {
        sp_value_t value = sp_value_of(&iter);
        if (sp_storage_replaces(&value))
            return true;
    }
    return false;
}

/* Whether the model can tell what the update makes of the document: not so for positional paths. */
static bool is_known(const sp_value_t *update, const bson_t *doc)
{
    sp_version_t version;
    sp_error_t error = {0};
    bson_t after = BSON_INITIALIZER;
    bool changed, sound = sp_version_parse(SP_MODEL_DEFAULT_VERSION, &version, NULL);
    assert(sound);
    if (sp_update_check(update, false, version, &error))
        sp_update_apply(update, doc, version, &after, &changed, &error);
    bson_destroy(&after);
    return error.domain != SP_ERROR_INPUT;
}

/* Of any kind, but mostly on the shard key fields. */
static void append_any(const sp_keychange_draw_t *draw, bson_t *question)
{
    bson_t one = BSON_INITIALIZER;
    bson_iter_t iter;
    const char *paths[SP_SHAPE_FIELDS];
    const sp_pattern_t *pattern = draw->layout->pattern;
    for (unsigned i = 0; i < pattern->field_count; i++)
        paths[i] = pattern->fields[i].text;
    const sp_update_source_t source = {paths, pattern->field_count, &draw->doc, &draw->values};
    sp_gen_update(draw->producer, &source, &one, "update");
    bool found = bson_iter_init(&iter, &one) && bson_iter_next(&iter);
    assert(found);
    sp_value_t update = sp_value_of(&iter);
    if (is_known(&update, &draw->doc))
        bson_concat(question, &one);
    else
        BSON_APPEND_DOCUMENT(question, "update", &draw->doc);
    bson_destroy(&one);
}

void sp_gen_keychange_update(const sp_keychange_draw_t *draw, bson_t *question)
{
    uint32_t choice = sp_draw_below(draw->producer, 10);
    if (choice >= 8) {
        append_any(draw, question);
        return;
    }
    if (choice == 7) {
        append_pipeline(draw, question);
        return;
    }
    bson_t update = BSON_INITIALIZER;
    if (choice >= 5)
        append_replacement(draw, &update);
    else
        append_operators(draw, &update);
    if (holds_time(&update))
        bson_reinit(&update);
    BSON_APPEND_DOCUMENT(question, "update", &update);
    bson_destroy(&update);
}
