#include "gen_documents.h"

#include "../oracles/extract.h"
#include "../oracles/order.h"
#include "gen_value.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

/* A shard key field's place in a document and what stands there. */
typedef struct leaf {
    const char *part; /* what is left of the path, part by part */
    unsigned parts_left;
    bson_t *value; /* under the key ""; empty: the field is missing */
} leaf_t;

/* What stands in a key field: mostly a value of the pool or beside one, so that bounds are met. */
static void draw_leaf(sp_producer_t *producer, const sp_layout_draw_t *layout, unsigned field,
                      leaf_t *leaf)
{
    leaf->value = bson_new();
    leaf->part = layout->pattern->fields[field].parts;
    leaf->parts_left = layout->pattern->fields[field].part_count;
    uint32_t choice = sp_draw_below(producer, 16);
    if (choice == 15)
        return;
    if (choice == 14) {
        sp_gen_value(producer, leaf->value, "");
        return;
    }
    sp_value_t value = sp_layout_draw_value(layout, producer, field);
    if (choice >= 6)
        sp_gen_value_near(producer, &value, leaf->value, "");
    else
        sp_value_append(leaf->value, "", &value);
}

static void append_leaves(sp_producer_t *producer, bson_t *doc, leaf_t *leaves, unsigned count);

/* What holds a path together: an object as a rule, else an array around it or a plain value in its
 * place. */
static void append_parent(sp_producer_t *producer, bson_t *doc, const char *name,
                          const bson_t *inner)
{
    uint32_t choice = sp_draw_below(producer, 32);
    if (choice == 31) {
        bson_t array;
        BSON_APPEND_ARRAY_BEGIN(doc, name, &array);
        BSON_APPEND_DOCUMENT(&array, "0", inner);
        bson_append_array_end(doc, &array);
    } else if (choice == 30) {
        sp_gen_value(producer, doc, name);
    } else {
        BSON_APPEND_DOCUMENT(doc, name, inner);
    }
}

/* All leaves whose path begins with the same part as the first one's go into one parent. */
static void append_group(sp_producer_t *producer, bson_t *doc, leaf_t *leaves, unsigned count)
{
    leaf_t inside[SP_SHAPE_FIELDS];
    unsigned inside_count = 0;
    const char *name = leaves[0].part;
    for (unsigned i = 0; i < count; i++) {
        if (leaves[i].parts_left < 2 || strcmp(leaves[i].part, name) != 0)
            continue;
        inside[inside_count] = leaves[i];
        inside[inside_count].part += strlen(name) + 1;
        inside[inside_count++].parts_left--;
        leaves[i].parts_left = 0; /* done at this level */
    }
    bson_t inner = BSON_INITIALIZER;
    append_leaves(producer, &inner, inside, inside_count);
    append_parent(producer, doc, name, &inner);
    bson_destroy(&inner);
}

static void append_leaves(sp_producer_t *producer, bson_t *doc, leaf_t *leaves, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        if (leaves[i].parts_left > 1) {
            append_group(producer, doc, leaves + i, count - i);
        } else if (leaves[i].parts_left == 1 && !bson_empty(leaves[i].value)) {
            bson_iter_t iter;
            bool found = bson_iter_init(&iter, leaves[i].value) && bson_iter_next(&iter);
            assert(found);
            sp_value_t value = sp_value_of(&iter);
            sp_value_append(doc, leaves[i].part, &value);
        }
    }
}

/* What lies in another field comes with that one's value, and seldom on its own, which would give
 * the document two fields of one name. */
static void leave_inner_out(sp_producer_t *producer, const sp_pattern_t *pattern, leaf_t *leaves)
{
    for (unsigned i = 0; i < pattern->field_count; i++) {
        size_t length = strlen(pattern->fields[i].text);
        for (unsigned j = 0; j < pattern->field_count; j++) {
            const char *path = pattern->fields[j].text;
            bool is_inner =
                strncmp(path, pattern->fields[i].text, length) == 0 && path[length] == '.';
            if (is_inner && !bson_empty(leaves[i].value) && !sp_draw_one_in(producer, 8))
                leaves[j].parts_left = 0;
        }
    }
}

static void draw_document(sp_producer_t *producer, const sp_layout_draw_t *layout, bson_t *doc)
{
    leaf_t leaves[SP_SHAPE_FIELDS] = {0};
    unsigned count = layout->pattern->field_count;
    for (unsigned i = 0; i < count; i++)
        draw_leaf(producer, layout, i, &leaves[i]);
    leave_inner_out(producer, layout->pattern, leaves);
    if (count > 1 && sp_draw_one_in(producer, 2)) { /* the sequence of fields must not matter */
        leaf_t first = leaves[0];
        leaves[0] = leaves[count - 1];
        leaves[count - 1] = first;
    }
    append_leaves(producer, doc, leaves, count);
    for (unsigned i = 0; i < count; i++)
        bson_destroy(leaves[i].value);
    if (sp_draw_one_in(producer, 32)) /* of two fields with one name the first counts */
        sp_gen_value(producer, doc, layout->pattern->fields[0].parts);
}

/* _id must be there and differ from those before: what a server answers to a duplicate depends on
 * where the other one lies, which is not what this area asks. */
static bool id_is_usable(const bson_t *doc, const bson_t *docs)
{
    bson_iter_t id, iter, other;
    if (!bson_iter_init_find(&id, doc, "_id"))
        return false;
    sp_value_t value = sp_value_of(&id);
    if (!bson_iter_init(&iter, docs))
        return false;
    while (bson_iter_next(&iter)) {
        if (!bson_iter_recurse(&iter, &other) || !bson_iter_find(&other, "_id"))
            return false;
        sp_value_t other_value = sp_value_of(&other);
        if (sp_value_compare(&value, &other_value) == 0)
            return false;
    }
    return true;
}

static bool pattern_uses_id(const sp_pattern_t *pattern)
{
    for (unsigned i = 0; i < pattern->field_count; i++) {
        if (strcmp(pattern->fields[i].parts, "_id") == 0)
            return true;
    }
    return false;
}

/* Gives the document an _id of its own where it has none or a used one. */
static void replace_id(bson_t *doc, const bson_t *docs, int32_t first_try, int32_t step)
{
    bson_t rest = BSON_INITIALIZER;
    bson_copy_to_excluding_noinit(doc, &rest, "_id", NULL);
    for (int32_t id = first_try;; id += step) {
        bson_reinit(doc);
        BSON_APPEND_INT32(doc, "_id", id);
        if (id_is_usable(doc, docs))
            break;
    }
    bson_concat(doc, &rest);
    bson_destroy(&rest);
}

void sp_gen_documents(sp_producer_t *producer, const sp_layout_draw_t *layout, int32_t count,
                      bson_t *docs)
{
    bool uses_id = pattern_uses_id(layout->pattern);
    for (int32_t i = 0; i < count; i++) {
        char index[16];
        snprintf(index, sizeof index, "%d", i);
        bson_t doc = BSON_INITIALIZER;
        draw_document(producer, layout, &doc);
        if (!uses_id)
            BSON_APPEND_INT32(&doc, "_id", i);
        else if (!id_is_usable(&doc, docs))
            replace_id(&doc, docs, i, count);
        BSON_APPEND_DOCUMENT(docs, index, &doc);
        bson_destroy(&doc);
    }
}
