#include "gen_filter.h"
#include "gen_unique_parts.h"
#include "gen_value.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

enum { DOCS_MAX = 6, KEYS = 2 };

/* What the documents of one question are drawn from: little, so that they meet. */
typedef struct draft {
    sp_producer_t *producer;
    const sp_layout_draw_t *layout;
    bson_t keys[KEYS];                 /* a value for each shard key field */
    unsigned key_group;                /* for values that stand in for one of these */
    unsigned groups[SP_UNIQUE_EXTRAS]; /* what stands in the other fields */
    unsigned id_group;
} draft_t;

static void begin(draft_t *draft, sp_producer_t *producer, const sp_layout_draw_t *layout)
{
    draft->producer = producer;
    draft->layout = layout;
    for (unsigned i = 0; i < KEYS; i++) {
        bson_init(&draft->keys[i]);
        sp_gen_key_values(producer, layout, &draft->keys[i]);
    }
    draft->key_group = sp_unique_group(producer);
    draft->id_group = sp_unique_group(producer);
    for (unsigned i = 0; i < SP_UNIQUE_EXTRAS; i++)
        draft->groups[i] = sp_unique_group(producer);
}

/* One of the two keys, mostly as it is: else with a value beside its own, or another one. */
static void draw_key(const draft_t *draft, bson_t *values)
{
    sp_producer_t *producer = draft->producer;
    bson_iter_t iter;
    const bson_t *key = &draft->keys[sp_draw_one_in(producer, 4)];
    bool sound = bson_iter_init(&iter, key);
    while (sound && bson_iter_next(&iter)) {
        sp_value_t value = sp_value_of(&iter);
        uint32_t choice = sp_draw_below(producer, 16);
        if (choice >= 13)
            sp_gen_value_near(producer, &value, values, bson_iter_key(&iter));
        else if (choice == 12)
            sp_gen_unique_value(producer, draft->key_group, values, bson_iter_key(&iter));
        else
            sp_value_append(values, bson_iter_key(&iter), &value);
    }
}

static void append_key(const draft_t *draft, bson_t *doc)
{
    unsigned all = (1u << draft->layout->pattern->field_count) - 1, fields = all;
    bson_t values = BSON_INITIALIZER;
    draw_key(draft, &values);
    if (sp_draw_one_in(draft->producer, 8))
        fields = sp_draw_below(draft->producer, all + 1);
    sp_gen_key_document(draft->layout, &values, fields, 0, doc);
    bson_destroy(&values);
}

static void append_id(const draft_t *draft, bson_t *doc)
{
    sp_producer_t *producer = draft->producer;
    uint32_t choice = sp_draw_below(producer, 8);
    if (choice < 4)
        BSON_APPEND_INT32(doc, "_id", (int32_t)sp_draw_below(producer, 8));
    else if (choice == 4)
        sp_gen_unique_value(producer, draft->id_group, doc, "_id");
}

static void append_extras(const draft_t *draft, bson_t *doc)
{
    sp_producer_t *producer = draft->producer;
    for (unsigned i = 0; i < SP_UNIQUE_EXTRAS; i++) {
        uint32_t choice = sp_draw_below(producer, 16);
        if (choice < 11)
            sp_gen_unique_value(producer, draft->groups[i], doc, sp_unique_extras[i]);
        else if (choice == 11)
            sp_gen_unique_value(producer, sp_unique_group(producer), doc, sp_unique_extras[i]);
    }
    if (sp_draw_one_in(producer, 32)) /* of two fields with one name the first counts */
        sp_gen_unique_value(producer, draft->groups[0], doc, sp_unique_extras[0]);
}

static void draw_document(const draft_t *draft, bson_t *doc)
{
    if (sp_draw_one_in(draft->producer, 2)) {
        append_key(draft, doc);
        append_extras(draft, doc);
    } else {
        append_extras(draft, doc);
        append_key(draft, doc);
    }
    if (!bson_has_field(doc, "_id"))
        append_id(draft, doc);
}

void sp_gen_unique_docs(sp_producer_t *producer, const sp_layout_draw_t *layout, bson_t *question)
{
    static const char *const ways[] = {"single", "unordered", "ordered"};
    draft_t draft;
    bson_t docs;
    begin(&draft, producer, layout);
    uint32_t count = 2 + sp_draw_below(producer, DOCS_MAX - 1);
    BSON_APPEND_ARRAY_BEGIN(question, "docs", &docs);
    for (uint32_t i = 0; i < count; i++) {
        bson_t doc = BSON_INITIALIZER;
        char place[16];
        snprintf(place, sizeof place, "%u", i);
        draw_document(&draft, &doc);
        BSON_APPEND_DOCUMENT(&docs, place, &doc);
        bson_destroy(&doc);
    }
    bson_append_array_end(question, &docs);
    const char *way = ways[sp_draw_below(producer, 3)];
    BSON_APPEND_UTF8(question, "way", way);
    for (unsigned i = 0; i < KEYS; i++)
        bson_destroy(&draft.keys[i]);
}
