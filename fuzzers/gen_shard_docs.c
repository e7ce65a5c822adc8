#include "gen_shard_index.h"

#include <stdio.h>
#include <string.h>

typedef struct values {
    sp_producer_t *producer;
    bool arrays;    /* an array may still come: two of them would not go together */
    int32_t number; /* another one for each document, so that unique indexes take all */
} values_t;

static void append_array(values_t *values, bson_t *doc, const char *name)
{
    bson_t array, object;
    values->arrays = false;
    BSON_APPEND_ARRAY_BEGIN(doc, name, &array);
    switch (sp_draw_below(values->producer, 5)) {
    case 0:
        break; /* empty */
    case 1:
        BSON_APPEND_INT32(&array, "0", values->number);
        break;
    case 2:
        BSON_APPEND_DOCUMENT_BEGIN(&array, "0", &object);
        BSON_APPEND_INT32(&object, "b", values->number);
        bson_append_document_end(&array, &object);
        break;
    case 3:
        BSON_APPEND_ARRAY_BEGIN(&array, "0", &object);
        BSON_APPEND_INT32(&object, "0", values->number);
        bson_append_array_end(&array, &object);
        break;
    default:
        BSON_APPEND_INT32(&array, "0", values->number);
        BSON_APPEND_INT32(&array, "1", values->number + 50);
    }
    bson_append_array_end(doc, &array);
}

/* What may be missing altogether, too. */
static void append_value(values_t *values, bson_t *doc, const char *name)
{
    switch (sp_draw_below(values->producer, 8)) {
    case 0:
    case 1:
    case 2:
        BSON_APPEND_INT32(doc, name, values->number);
        break;
    case 3:
        BSON_APPEND_UTF8(doc, name, values->number == 0 ? "a" : "b");
        break;
    case 4:
        BSON_APPEND_DOUBLE(doc, name, values->number + 0.5);
        break;
    case 5:
        if (values->number == 0) /* null, as what is missing, once */
            BSON_APPEND_NULL(doc, name);
        else
            BSON_APPEND_INT32(doc, name, values->number);
        break;
    case 6:
        if (values->number > 0)
            BSON_APPEND_INT32(doc, name, values->number);
        break;
    default:
        if (values->arrays)
            append_array(values, doc, name);
        else
            BSON_APPEND_INT64(doc, name, values->number);
    }
}

static void append_object(values_t *values, bson_t *doc, const char *name)
{
    bson_t object;
    if (sp_draw_one_in(values->producer, 3)) {
        append_value(values, doc, name);
        return;
    }
    BSON_APPEND_DOCUMENT_BEGIN(doc, name, &object);
    append_value(values, &object, "b");
    append_value(values, &object, "c");
    bson_append_document_end(doc, &object);
}

static void append_id(values_t *values, bson_t *doc)
{
    bson_t object;
    if (sp_draw_one_in(values->producer, 3)) {
        BSON_APPEND_DOCUMENT_BEGIN(doc, "_id", &object);
        append_value(values, &object, "a");
        BSON_APPEND_INT32(&object, "i", values->number);
        bson_append_document_end(doc, &object);
    } else {
        BSON_APPEND_INT32(doc, "_id", values->number);
    }
}

static void append_document(values_t *values, bson_t *doc)
{
    static const char *const words[] = {"foo", "foo bar"};
    append_id(values, doc);
    append_value(values, doc, "x");
    if (bson_has_field(doc, "x") && sp_draw_one_in(values->producer, 20))
        append_value(values, doc, "x"); /* of two fields of one name the first counts */
    append_value(values, doc, "y");
    append_object(values, doc, "a");
    if (sp_draw_one_in(values->producer, 2))
        append_value(values, doc, "z");
    if (sp_draw_one_in(values->producer, 4))
        append_value(values, doc, "c");
    if (sp_draw_one_in(values->producer, 2)) {
        const char *text = words[sp_draw_below(values->producer, 2)];
        BSON_APPEND_UTF8(doc, "t", text);
    }
}

static void append_element(bson_t *docs, uint32_t place, const bson_t *doc)
{
    char buffer[16];
    const char *name;
    bson_uint32_to_string(place, &name, buffer, sizeof buffer);
    BSON_APPEND_DOCUMENT(docs, name, doc);
}

void sp_gen_shard_docs(sp_producer_t *producer, const sp_index_draw_t *draw, bson_t *docs)
{
    /* One alone cannot be the second of a key. */
    uint32_t count = draw->unique ? 1 : 1 + sp_draw_below(producer, 3);
    for (uint32_t i = 0; i < count; i++) {
        bson_t doc = BSON_INITIALIZER;
        values_t values = {
            .producer = producer, .arrays = !draw->hashed && !draw->text, .number = (int32_t)i};
        append_document(&values, &doc);
        append_element(docs, i, &doc);
        bson_destroy(&doc);
    }
}

void sp_gen_series_docs(sp_producer_t *producer, bson_t *docs)
{
    bson_t doc = BSON_INITIALIZER;
    values_t values = {.producer = producer, .arrays = false};
    BSON_APPEND_DATE_TIME(&doc, "t", 1600000000000);
    if (sp_draw_one_in(producer, 2))
        append_value(&values, &doc, "m");
    append_element(docs, 0, &doc);
    bson_destroy(&doc);
}
