#include "gen_filter_parts.h"

#include <assert.h>
#include <string.h>

/* What is left of a path behind its first `skip` parts. */
static const char *path_behind(const sp_path_t *path, unsigned skip)
{
    const char *rest = path->text;
    while (skip-- > 0)
        rest = strchr(rest, '.') + 1;
    return rest;
}

/* Whether `path` lies in what `outer` names: a.b in a. */
static bool lies_in(const sp_path_t *path, const sp_path_t *outer)
{
    size_t length = strlen(outer->text);
    return strncmp(path->text, outer->text, length) == 0 && path->text[length] == '.';
}

static bool lies_in_another(const sp_pattern_t *pattern, unsigned field, unsigned fields)
{
    for (unsigned i = 0; i < pattern->field_count; i++) {
        if ((fields & 1u << i) != 0 && lies_in(&pattern->fields[field], &pattern->fields[i]))
            return true;
    }
    return false;
}

/* Whether both paths have more parts than `count` and the first `count` are the same. */
static bool share_parts(const sp_path_t *a, const sp_path_t *b, unsigned count)
{
    if (a->part_count <= count || b->part_count <= count)
        return false;
    size_t length = (size_t)(path_behind(a, count) - a->text);
    return strncmp(a->text, b->text, length) == 0;
}

static sp_value_t value_at(const bson_t *values, unsigned field)
{
    bson_iter_t iter;
    bool more = bson_iter_init(&iter, values) && bson_iter_next(&iter);
    while (more && field-- > 0)
        more = bson_iter_next(&iter);
    assert(more);
    return sp_value_of(&iter);
}

/* The first part of what is left, as a text of its own: `parts` holds it terminated. */
static const char *part_at(const sp_path_t *path, unsigned part)
{
    return path->parts + (path_behind(path, part) - path->text);
}

void sp_gen_key_document(const sp_layout_draw_t *layout, const bson_t *values, unsigned fields,
                         unsigned skip, bson_t *doc)
{
    const sp_pattern_t *pattern = layout->pattern;
    unsigned done = 0;
    for (unsigned i = 0; i < pattern->field_count; i++) {
        const sp_path_t *path = &pattern->fields[i];
        if ((fields & 1u << i) == 0 || (done & 1u << i) != 0 || lies_in_another(pattern, i, fields))
            continue;
        if (path->part_count == skip + 1) {
            sp_value_t value = value_at(values, i);
            sp_value_append(doc, part_at(path, skip), &value);
            continue;
        }
        unsigned inside = 0;
        for (unsigned j = i; j < pattern->field_count; j++) {
            if ((fields & 1u << j) != 0 && share_parts(path, &pattern->fields[j], skip + 1))
                inside |= 1u << j;
        }
        bson_t object;
        BSON_APPEND_DOCUMENT_BEGIN(doc, part_at(path, skip), &object);
        sp_gen_key_document(layout, values, inside, skip + 1, &object);
        bson_append_document_end(doc, &object);
        done |= inside;
    }
}

void sp_gen_key_values(sp_producer_t *producer, const sp_layout_draw_t *layout, bson_t *values)
{
    static const char *const names[] = {"0", "1", "2", "3"};
    sp_filter_draw_t draw;
    sp_filter_draw_init(&draw, producer, layout);
    for (unsigned i = 0; i < layout->pattern->field_count; i++)
        sp_gen_operand(&draw, i, SP_OPERAND_LITERAL, values, names[i]);
}

static void append_list_of(bson_t *expression, const char *name, const sp_value_t *value,
                           unsigned count)
{
    bson_t list;
    BSON_APPEND_ARRAY_BEGIN(expression, name, &list);
    for (unsigned i = 0; i < count; i++)
        sp_value_append(&list, i == 0 ? "0" : "1", value);
    bson_append_array_end(expression, &list);
}

/* Equality in one of its spellings, and two that only look like one. */
static void append_equality(sp_filter_draw_t *draw, const char *path, const sp_value_t *value,
                            bson_t *doc)
{
    bson_t expression = BSON_INITIALIZER, inner;
    uint32_t choice = sp_draw_below(draw->producer, 32);
    if (!sp_operand_is_plain(value) && !sp_draw_one_in(draw->producer, 16))
        choice = 31;
    switch (choice) {
    case 18:
    case 19:
    case 20:
    case 31:
        sp_value_append(&expression, "$eq", value);
        break;
    case 21:
    case 22:
    case 23:
        append_list_of(&expression, "$in", value, 1);
        break;
    case 24:
    case 25:
    case 26:
        append_list_of(&expression, "$all", value, 1);
        break;
    case 27:
        sp_value_append(&expression, "$gte", value);
        sp_value_append(&expression, "$lte", value);
        break;
    case 28:
        append_list_of(&expression, sp_draw_one_in(draw->producer, 2) ? "$in" : "$all", value, 2);
        break;
    case 29:
        BSON_APPEND_DOCUMENT_BEGIN(&expression, "$not", &inner);
        sp_value_append(&inner, "$ne", value);
        bson_append_document_end(&expression, &inner);
        break;
    case 30:
        sp_value_append(&expression, "$eq", value);
        BSON_APPEND_BOOL(&expression, "$exists", true);
        break;
    default:
        sp_value_append(doc, path, value);
        break;
    }
    if (!bson_empty(&expression))
        BSON_APPEND_DOCUMENT(doc, path, &expression);
    bson_destroy(&expression);
}

/* {$and: [clause]} */
static void append_wrapped(bson_t *doc, const char *name, const bson_t *clause)
{
    bson_t list;
    BSON_APPEND_ARRAY_BEGIN(doc, name, &list);
    BSON_APPEND_DOCUMENT(&list, "0", clause);
    bson_append_array_end(doc, &list);
}

/* The clause as it is, or inside logical operators that change nothing. */
static void append_clause(sp_filter_draw_t *draw, const bson_t *clause, bson_t *doc)
{
    bson_t inner = BSON_INITIALIZER;
    switch (sp_draw_below(draw->producer, 16)) {
    case 11:
    case 12:
        append_wrapped(doc, "$and", clause);
        break;
    case 13:
        append_wrapped(doc, "$or", clause);
        break;
    case 14:
        append_wrapped(&inner, "$and", clause);
        append_wrapped(doc, sp_draw_one_in(draw->producer, 2) ? "$or" : "$and", &inner);
        break;
    case 15:
        append_wrapped(&inner, sp_draw_one_in(draw->producer, 2) ? "$or" : "$and", clause);
        sp_gen_clauses(draw, SP_FILTER_DEPTH_MAX, &inner);
        append_wrapped(doc, "$and", &inner);
        break;
    default:
        bson_concat(doc, clause);
        break;
    }
    bson_destroy(&inner);
}

/* The field `field`, or with it all that share its first `cut` parts as one object; gives the
 * fields that were appended. */
static unsigned append_unit(sp_filter_draw_t *draw, const bson_t *values, unsigned field,
                            unsigned cut, bson_t *filter)
{
    const sp_pattern_t *pattern = draw->layout->pattern;
    const sp_path_t *path = &pattern->fields[field];
    bson_t clause = BSON_INITIALIZER, object = BSON_INITIALIZER;
    unsigned fields = 1u << field;
    if (cut == 0 || path->part_count <= cut) {
        sp_value_t value = value_at(values, field);
        append_equality(draw, path->text, &value, &clause);
    } else {
        for (unsigned i = 0; i < pattern->field_count; i++) {
            if (share_parts(path, &pattern->fields[i], cut))
                fields |= 1u << i;
        }
        sp_gen_key_document(draw->layout, values, fields, cut, &object);
        const sp_value_t value = {BSON_TYPE_DOCUMENT, object.len, bson_get_data(&object)};
        int length = (int)(path_behind(path, cut) - path->text) - 1;
        char *outer = bson_strdup_printf("%.*s", length, path->text);
        append_equality(draw, outer, &value, &clause);
        bson_free(outer);
    }
    append_clause(draw, &clause, filter);
    bson_destroy(&clause);
    bson_destroy(&object);
    return fields;
}

/* The shard key field that is the _id itself; -1 where there is none. */
static int find_id_field(const sp_pattern_t *pattern)
{
    for (unsigned i = 0; i < pattern->field_count; i++) {
        if (strcmp(pattern->fields[i].text, "_id") == 0)
            return (int)i;
    }
    return -1;
}

static void append_id(sp_filter_draw_t *draw, bson_t *filter)
{
    static const char *const texts[] = {"a", "b", "ab", ""};
    bson_t one = BSON_INITIALIZER;
    bson_oid_t oid = {{0}};
    int field = find_id_field(draw->layout->pattern);
    uint32_t choice = field < 0 ? sp_draw_below(draw->producer, 8) : 7;
    if (choice == 7) {
        sp_gen_operand(draw, field < 0 ? 0 : (unsigned)field, SP_OPERAND_LITERAL, &one, "");
    } else if (choice == 6) {
        BSON_APPEND_OID(&one, "", &oid);
    } else if (choice >= 3) {
        const char *text = texts[sp_draw_below(draw->producer, 4)];
        BSON_APPEND_UTF8(&one, "", text);
    } else {
        BSON_APPEND_INT32(&one, "", (int32_t)sp_draw_below(draw->producer, 10));
    }
    sp_value_t value = sp_only_value(&one);
    append_equality(draw, "_id", &value, filter);
    bson_destroy(&one);
}

static void append_key(sp_filter_draw_t *draw, const bson_t *values, bson_t *filter)
{
    const sp_pattern_t *pattern = draw->layout->pattern;
    unsigned cut = 0, done = 0;
    if (sp_draw_one_in(draw->producer, 3))
        cut = 1 + sp_draw_below(draw->producer, 2);
    /* A whole object says all about what lies in it. */
    bool leaves_inner_out = !sp_draw_one_in(draw->producer, 4);
    uint32_t start = sp_draw_below(draw->producer, pattern->field_count);
    for (unsigned i = 0; i < pattern->field_count; i++) {
        unsigned field = (i + start) % pattern->field_count;
        bool is_inner = lies_in_another(pattern, field, ~0u);
        if ((done & 1u << field) == 0 && !(is_inner && leaves_inner_out))
            done |= append_unit(draw, values, field, cut, filter);
    }
}

void sp_gen_key_filter(sp_producer_t *producer, const sp_layout_draw_t *layout,
                       const bson_t *values, bson_t *filter)
{
    sp_filter_draw_t draw;
    sp_filter_draw_init(&draw, producer, layout);
    bson_t key = BSON_INITIALIZER;
    bool takes_id = find_id_field(layout->pattern) < 0;
    if (takes_id && sp_draw_one_in(producer, 6))
        append_id(&draw, &key);
    append_key(&draw, values, &key);
    if (takes_id && sp_draw_one_in(producer, 8))
        append_id(&draw, &key);
    if (sp_draw_one_in(producer, 12))
        append_wrapped(filter, "$and", &key);
    else if (sp_draw_one_in(producer, 24))
        append_wrapped(filter, "$or", &key);
    else
        bson_concat(filter, &key);
    if (sp_draw_one_in(producer, 8))
        sp_gen_clauses(&draw, SP_FILTER_DEPTH_MAX - 1, filter);
    bson_destroy(&key);
}

void sp_gen_id_filter(sp_producer_t *producer, const sp_layout_draw_t *layout, bson_t *filter)
{
    sp_filter_draw_t draw;
    sp_filter_draw_init(&draw, producer, layout);
    bson_t id = BSON_INITIALIZER;
    append_id(&draw, &id);
    append_clause(&draw, &id, filter);
    bson_destroy(&id);
    if (find_id_field(layout->pattern) < 0 && sp_draw_one_in(producer, 4)) {
        bson_t values = BSON_INITIALIZER;
        sp_gen_key_values(producer, layout, &values);
        append_key(&draw, &values, filter);
        bson_destroy(&values);
    } else if (sp_draw_one_in(producer, 8)) {
        sp_gen_clauses(&draw, SP_FILTER_DEPTH_MAX, filter);
    }
}
