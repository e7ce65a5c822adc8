#include "gen_keychange_parts.h"

#include "../oracles/extract.h"
#include "../oracles/number.h"
#include "../oracles/storage.h"
#include "gen_collation.h"
#include "gen_documents.h"
#include "gen_questions.h"
#include "gen_value.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

/* Whether a server stores the document as it is and finds it by its values: no Timestamp(0, 0),
 * which becomes the current time; no number that an index misreads, and no code whose scope has a
 * field name that begins with $, since queries for these may never end. */
static bool is_usable(const bson_t *doc)
{
    bson_iter_t iter;
    if (!sp_storage_check(doc, NULL) || !bson_iter_init(&iter, doc))
        return false;
    while (bson_iter_next(&iter)) {
        sp_value_t value = sp_value_of(&iter);
        if (sp_storage_replaces(&value) || sp_number_misread_inside(&value) ||
            (value.type == BSON_TYPE_CODEWSCOPE && sp_storage_holds_dollar_name(&value)))
            return false;
    }
    return true;
}

/* No shard stores a document with an array in a shard key field or above it, and none of 6.0.5 one
 * that has MaxKey in every field. */
static bool has_key(const sp_pattern_t *pattern, const bson_t *doc)
{
    bool is_last = true;
    for (unsigned i = 0; i < pattern->field_count; i++) {
        sp_value_t value = sp_extract_path(doc, &pattern->fields[i]);
        if (value.type == BSON_TYPE_ARRAY)
            return false;
        is_last = is_last && value.type == BSON_TYPE_MAXKEY && (int)i != pattern->hashed;
    }
    return !is_last;
}

/* The index on _id takes no symbol under a collation. */
static bool has_sound_id(const bson_t *doc, const bson_t *scene)
{
    bson_iter_t iter;
    bson_t id = BSON_INITIALIZER;
    if (bson_iter_init_find(&iter, doc, "_id"))
        bson_append_iter(&id, NULL, 0, &iter);
    bool sound = sp_collation_bears_filter(scene, &id);
    bson_destroy(&id);
    return sound;
}

static void draw_document(sp_keychange_draw_t *draw, const bson_t *scene)
{
    bson_t docs = BSON_INITIALIZER, doc;
    bson_iter_t iter;
    bson_init(&draw->doc);
    sp_gen_documents(draw->producer, draw->layout, 1, &docs);
    if (bson_iter_init(&iter, &docs) && bson_iter_next(&iter) && sp_value_document(&iter, &doc) &&
        is_usable(&doc) && has_key(draw->layout->pattern, &doc) && has_sound_id(&doc, scene))
        bson_concat(&draw->doc, &doc);
    else
        BSON_APPEND_INT32(&draw->doc, "_id", 1);
    if (!bson_has_field(&draw->doc, "w") && sp_draw_one_in(draw->producer, 3))
        BSON_APPEND_INT32(&draw->doc, "w", (int32_t)sp_draw_below(draw->producer, 3));
    bson_destroy(&docs);
}

sp_value_t sp_keychange_value(const sp_keychange_draw_t *draw, unsigned field)
{
    return sp_extract_path(&draw->doc, &draw->layout->pattern->fields[field]);
}

static void draw_values(sp_keychange_draw_t *draw)
{
    bson_init(&draw->values);
    for (unsigned i = 0; i < draw->layout->pattern->field_count; i++) {
        char name[16];
        snprintf(name, sizeof name, "%u", i);
        sp_value_t value = sp_keychange_value(draw, i);
        if (value.type == BSON_TYPE_EOD)
            value.type = BSON_TYPE_NULL;
        sp_value_append(&draw->values, name, &value);
    }
}

static void append_array_of(const sp_value_t *value, bson_t *doc, const char *name)
{
    bson_t array;
    BSON_APPEND_ARRAY_BEGIN(doc, name, &array);
    if (value->type != BSON_TYPE_EOD)
        sp_value_append(&array, "0", value);
    bson_append_array_end(doc, &array);
}

void sp_gen_keychange_value(const sp_keychange_draw_t *draw, unsigned field, bson_t *doc,
                            const char *name)
{
    sp_producer_t *producer = draw->producer;
    sp_value_t own = sp_keychange_value(draw, field);
    sp_value_t pooled = sp_layout_draw_value(draw->layout, producer, field);
    uint32_t choice = sp_draw_below(producer, 32);
    if (own.type == BSON_TYPE_EOD && choice >= 10 && choice < 22)
        choice = 29;
    if (choice < 8)
        sp_value_append(doc, name, &pooled);
    else if (choice < 10)
        sp_gen_value_near(producer, &pooled, doc, name);
    else if (choice < 18)
        sp_gen_value_near(producer, &own, doc, name);
    else if (choice < 22)
        sp_value_append(doc, name, &own);
    else if (choice < 25)
        sp_gen_value(producer, doc, name);
    else if (choice < 27)
        append_array_of(&own, doc, name);
    else if (choice < 28)
        BSON_APPEND_MAXKEY(doc, name);
    else if (choice < 29)
        BSON_APPEND_MINKEY(doc, name);
    else
        BSON_APPEND_NULL(doc, name);
}

/* Under a collation it depends on the plan whether a symbol is found. */
static void append_collation(sp_producer_t *producer, const bson_t *scene, bson_t *question)
{
    bson_iter_t iter;
    bool has_filter = bson_iter_init_find(&iter, question, "filter");
    assert(has_filter);
    const sp_value_t filter = sp_value_of(&iter);
    bool has_own = bson_iter_init_find(&iter, scene, "collation") && !BSON_ITER_HOLDS_NULL(&iter);
    if (!sp_value_holds_symbol(&filter)) {
        sp_gen_query_collation(producer, scene, question);
    } else if (has_own) {
        bson_t simple = BSON_INITIALIZER;
        BSON_APPEND_UTF8(&simple, "locale", "simple");
        BSON_APPEND_DOCUMENT(question, "collation", &simple);
        bson_destroy(&simple);
    }
}

/* Where the document is stored, now and then where it does not belong. */
static void append_place(sp_producer_t *producer, const bson_t *scene, bson_t *question)
{
    bson_iter_t iter;
    char name[16];
    if (!sp_draw_one_in(producer, 16))
        return;
    int64_t shards = bson_iter_init_find(&iter, scene, "shards") ? bson_iter_as_int64(&iter) : 1;
    snprintf(name, sizeof name, "s%u", 1 + sp_draw_below(producer, (uint32_t)shards));
    BSON_APPEND_UTF8(question, "stored", name);
}

/* Whether an object anywhere in the value has two fields of one name. */
static bool holds_name_twice(const sp_value_t *value)
{
    bson_iter_t iter, other;
    if (!sp_value_has_children(value) || !sp_value_children(value, &iter))
        return false;
    while (bson_iter_next(&iter)) {
        sp_value_t child = sp_value_of(&iter);
        other = iter;
        if (bson_iter_find(&other, bson_iter_key(&iter)) || holds_name_twice(&child))
            return true;
    }
    return false;
}

/* A pipeline that meets an object with two fields of one name brings the server down. */
static void spare_server(bson_t *question)
{
    bson_iter_t iter;
    bson_t rest = BSON_INITIALIZER, update, set;
    const sp_value_t whole = {BSON_TYPE_DOCUMENT, question->len, bson_get_data(question)};
    if (bson_iter_init_find(&iter, question, "update") && BSON_ITER_HOLDS_ARRAY(&iter) &&
        holds_name_twice(&whole)) {
        bson_copy_to_excluding_noinit(question, &rest, "update", NULL);
        BSON_APPEND_DOCUMENT_BEGIN(&rest, "update", &update);
        BSON_APPEND_DOCUMENT_BEGIN(&update, "$set", &set);
        BSON_APPEND_INT32(&set, "w", 2);
        bson_append_document_end(&update, &set);
        bson_append_document_end(&rest, &update);
        bson_reinit(question);
        bson_concat(question, &rest);
    }
    bson_destroy(&rest);
}

static bool has_id_field(const sp_pattern_t *pattern)
{
    for (unsigned i = 0; i < pattern->field_count; i++) {
        if (strcmp(pattern->fields[i].text, "_id") == 0)
            return true;
    }
    return false;
}

/* Whether the filter gives the document that an upsert makes its _id. */
static bool fixes_id(const bson_t *question)
{
    bson_iter_t iter, id, inner;
    if (!bson_iter_init(&iter, question) || !bson_iter_find_descendant(&iter, "filter._id", &id))
        return false;
    return !BSON_ITER_HOLDS_REGEX(&id) &&
           (!BSON_ITER_HOLDS_DOCUMENT(&id) || !bson_iter_recurse(&id, &inner) ||
            !bson_iter_next(&inner) || bson_iter_key(&inner)[0] != '$' ||
            strcmp(bson_iter_key(&inner), "$eq") == 0);
}

static void append_question(sp_producer_t *producer, const sp_layout_draw_t *layout,
                            const bson_t *scene, bson_t *into)
{
    bson_t one = BSON_INITIALIZER, *question = &one;
    static const char *const modes[] = {"shard", "retryable", "transaction", "router"};
    sp_keychange_draw_t draw = {.producer = producer, .layout = layout};
    draw_document(&draw, scene);
    draw_values(&draw);
    const char *mode = modes[sp_draw_below(producer, 4)];
    bool routed = strcmp(mode, "router") == 0;
    bool finds = !routed && sp_draw_one_in(producer, 5);
    BSON_APPEND_DOCUMENT(question, "doc", &draw.doc);
    sp_gen_keychange_filter(&draw, scene, question);
    sp_gen_keychange_update(&draw, question);
    BSON_APPEND_BOOL(question, "multi", !finds && sp_draw_one_in(producer, 8));
    BSON_APPEND_UTF8(question, "mode", mode);
    if (finds)
        BSON_APPEND_UTF8(question, "op", "findAndModify");
    /* Where an _id belongs that the shard invents, nobody can know. */
    bool upserts =
        sp_draw_one_in(producer, 8) && (!has_id_field(layout->pattern) || fixes_id(question));
    if (upserts)
        BSON_APPEND_BOOL(question, "upsert", true);
    append_collation(producer, scene, question);
    /* An upsert by _id that finds an orphan in its way never ends outside of transactions, and as a
     * findAndModify ends the shard. */
    if (!routed && (!upserts || (strcmp(mode, "transaction") == 0 && !finds)))
        append_place(producer, scene, question);
    spare_server(question);
    bson_concat(into, question);
    bson_destroy(question);
    bson_destroy(&draw.values);
    bson_destroy(&draw.doc);
}

void sp_gen_keychange(const sp_scene_context_t *context, sp_producer_t *producer, bson_t *scene)
{
    sp_gen_layout_and_questions(context, producer, "updates", SP_KEYCHANGE_UPDATES, append_question,
                                scene);
}
