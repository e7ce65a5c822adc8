#include "gen_filter.h"

#include "gen_filter_parts.h"

#include <stdio.h>
#include <string.h>

enum { PREDICATES_MAX = 24, PATH_SIZE = 64 };

void sp_filter_draw_init(sp_filter_draw_t *draw, sp_producer_t *producer,
                         const sp_layout_draw_t *layout)
{
    draw->producer = producer;
    draw->layout = layout;
    draw->predicates_left = PREDICATES_MAX;
    draw->list_drawn = false;
}

/* The paths that lead to a shard key field, and those that lead on from it. */
static void append_beside_field(sp_filter_draw_t *draw, unsigned field, bson_t *doc)
{
    static const char *const behind[] = {"b", "0", "a", "0.b"};
    char path[PATH_SIZE];
    const char *text = draw->layout->pattern->fields[field].text;
    const char *dot = strrchr(text, '.');
    if (dot != NULL && sp_draw_one_in(draw->producer, 2)) {
        const char *first_dot = strchr(text, '.');
        if (sp_draw_one_in(draw->producer, 2))
            dot = first_dot;
        snprintf(path, sizeof path, "%.*s", (int)(dot - text), text);
    } else {
        snprintf(path, sizeof path, "%s.%s", text, behind[sp_draw_below(draw->producer, 4)]);
    }
    sp_gen_predicate(draw, path, field, doc);
}

static void append_logical(sp_filter_draw_t *draw, unsigned depth, bson_t *doc)
{
    static const char *const names[] = {"$and", "$or", "$or", "$nor"};
    bson_t list, clause;
    const char *name = names[sp_draw_below(draw->producer, 4)];
    BSON_APPEND_ARRAY_BEGIN(doc, name, &list);
    uint32_t count = 1 + sp_draw_below(draw->producer, 3);
    for (uint32_t i = 0; i < count; i++) {
        char index[16];
        snprintf(index, sizeof index, "%u", i);
        BSON_APPEND_DOCUMENT_BEGIN(&list, index, &clause);
        sp_gen_clauses(draw, depth + 1, &clause);
        bson_append_document_end(&list, &clause);
    }
    bson_append_array_end(doc, &list);
}

static void append_clause(sp_filter_draw_t *draw, unsigned depth, bson_t *doc)
{
    static const char *const others[] = {"w", "_id", "other"};
    uint32_t field = sp_draw_below(draw->producer, draw->layout->pattern->field_count);
    uint32_t choice = sp_draw_below(draw->producer, 16);
    if (choice >= 13 && depth < SP_FILTER_DEPTH_MAX && draw->predicates_left > 0)
        append_logical(draw, depth, doc);
    else if (choice == 12)
        append_beside_field(draw, field, doc);
    else if (choice == 11)
        sp_gen_predicate(draw, others[sp_draw_below(draw->producer, 3)], field, doc);
    else
        sp_gen_predicate(draw, draw->layout->pattern->fields[field].text, field, doc);
}

void sp_gen_clauses(sp_filter_draw_t *draw, unsigned depth, bson_t *doc)
{
    uint32_t count = 1;
    if (sp_draw_one_in(draw->producer, 3) && draw->predicates_left > 0)
        count += 1 + sp_draw_below(draw->producer, 2);
    for (uint32_t i = 0; i < count; i++)
        append_clause(draw, depth, doc);
}

/* Some condition on each of the first fields of the shard key, mostly equality. */
static void append_prefix(sp_filter_draw_t *draw, bson_t *doc)
{
    const sp_pattern_t *pattern = draw->layout->pattern;
    uint32_t count = 1 + sp_draw_below(draw->producer, pattern->field_count);
    for (uint32_t i = 0; i < count; i++) {
        if (i + 1 < count && !sp_draw_one_in(draw->producer, 3))
            sp_gen_operand(draw, i, SP_OPERAND_BARE, doc, pattern->fields[i].text);
        else
            sp_gen_predicate(draw, pattern->fields[i].text, i, doc);
    }
}

void sp_gen_filter(sp_producer_t *producer, const sp_layout_draw_t *layout, bson_t *filter)
{
    sp_filter_draw_t draw;
    sp_filter_draw_init(&draw, producer, layout);
    uint32_t choice = sp_draw_below(producer, 32);
    if (choice < 12) {
        bson_t values = BSON_INITIALIZER;
        sp_gen_key_values(producer, layout, &values);
        sp_gen_key_filter(producer, layout, &values, filter);
        bson_destroy(&values);
    } else if (choice == 12) {
        if (!sp_draw_one_in(producer, 4))
            sp_gen_id_filter(producer, layout, filter);
    } else if (choice < 18) {
        append_prefix(&draw, filter);
    } else if (choice == 18) {
        if (sp_draw_one_in(producer, 2))
            sp_gen_clauses(&draw, 0, filter);
        sp_gen_malformed(&draw, filter);
    } else {
        sp_gen_clauses(&draw, 0, filter);
    }
}
