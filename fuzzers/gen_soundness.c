#include "../oracles/extract.h"
#include "../oracles/number.h"
#include "../oracles/order.h"
#include "../oracles/storage.h"
#include "gen_collation.h"
#include "gen_documents.h"
#include "gen_filter.h"
#include "gen_value.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Such a number in an index can make a query endless, which costs seconds: not in every scene. */
enum { MISREAD_SCENES = 20, SPECIALS = 4, REDRAWS = 8 };

/* What a scene's checks are drawn from. */
typedef struct draft {
    sp_producer_t *producer;
    const sp_layout_draw_t *layout;
    const bson_t *scene; /* its key and collation */
    bson_t docs;
    bool misreads; /* numbers that an index misreads are let in */
} draft_t;

static void append_decimal(bson_t *out, const char *key, const char *text)
{
    bson_decimal128_t decimal;
    bool sound = bson_decimal128_from_string(text, &decimal);
    assert(sound);
    BSON_APPEND_DECIMAL128(out, key, &decimal);
}

/* Values that targeting, hashing and indexes may take for one another, or treat by rules of their
 * own. */
static void append_special(sp_producer_t *producer, bson_t *out, const char *key)
{
    static const char *const decimals[] = {
        "1.5", "2.5", "-0", "0E+10", "NaN", "-NaN", "Infinity", "9223372036854775808", "5.0", "0.1",
    };
    static const double doubles[] = {1.5, 2.5, -0.0, 0.0, NAN, -NAN, INFINITY, 0x1p63, 5.0, 0.1};
    static const char *const texts[] = {"a", "A", "\xc3\xa4", "ab", "aB", ""};
    bson_t inner;
    bson_oid_t oid = {{0}};
    /* Drawn beforehand: the macros below name their arguments more than once. */
    const char *text = texts[sp_draw_below(producer, sizeof texts / sizeof *texts)];
    switch (sp_draw_below(producer, 15)) {
    case 0:
        BSON_APPEND_NULL(out, key);
        break;
    case 1:
        BSON_APPEND_UNDEFINED(out, key);
        break;
    case 2:
        BSON_APPEND_REGEX(out, key, text, "");
        break;
    case 3:
        BSON_APPEND_TIMESTAMP(out, key, 0, sp_draw_below(producer, 2));
        break;
    case 4:
        BSON_APPEND_MINKEY(out, key);
        break;
    case 5:
        BSON_APPEND_MAXKEY(out, key);
        break;
    case 6: { /* one object in four spellings, and one that lacks a field */
        uint32_t choice = sp_draw_below(producer, 5);
        BSON_APPEND_DOCUMENT_BEGIN(out, key, &inner);
        if (choice < 2)
            BSON_APPEND_INT32(&inner, "a", (int32_t)choice);
        else if (choice == 2)
            BSON_APPEND_DOUBLE(&inner, "a", 1.0);
        else if (choice == 3)
            append_decimal(&inner, "a", "1.0");
        bson_append_document_end(out, &inner);
        break;
    }
    case 7: /* a name twice */
        BSON_APPEND_DOCUMENT_BEGIN(out, key, &inner);
        BSON_APPEND_INT32(&inner, "a", 1);
        BSON_APPEND_INT32(&inner, "a", (int32_t)sp_draw_below(producer, 3));
        bson_append_document_end(out, &inner);
        break;
    case 8:
        BSON_APPEND_DBPOINTER(out, key, text, &oid);
        break;
    case 9:
        BSON_APPEND_SYMBOL(out, key, text);
        break;
    case 10:
        BSON_APPEND_UTF8(out, key, text);
        break;
    case 11:
        BSON_APPEND_BOOL(out, key, sp_draw_one_in(producer, 2));
        break;
    case 12:
        append_decimal(out, key, decimals[sp_draw_below(producer, 10)]);
        break;
    default:
        BSON_APPEND_DOUBLE(out, key, doubles[sp_draw_below(producer, 10)]);
        break;
    }
}

/* Each pool has one such number then. */
static void append_misread(sp_producer_t *producer, bson_t *out, const char *key)
{
    static const char *const decimals[] = {"9007199254740993.5", "-9007199254740993.5",
                                           "9007199254740993.25"};
    append_decimal(out, key, decimals[sp_draw_below(producer, 3)]);
}

static void add_specials(sp_producer_t *producer, sp_layout_draw_t *layout, bool misreads)
{
    for (unsigned i = 0; i < layout->pattern->field_count; i++) {
        for (unsigned j = 0; j < SPECIALS; j++) {
            char index[16];
            snprintf(index, sizeof index, "%u", layout->pool_sizes[i]);
            if (j == 0 && misreads)
                append_misread(producer, &layout->pools[i], index);
            else
                append_special(producer, &layout->pools[i], index);
            layout->pool_sizes[i]++;
        }
    }
}

static sp_value_t whole(const bson_t *doc)
{
    return (sp_value_t){BSON_TYPE_DOCUMENT, doc->len, bson_get_data(doc)};
}

/* Whether a server stores the field as it came: it puts the time in place of an empty timestamp. */
static bool is_kept(const sp_path_t *path, const sp_value_t *value)
{
    return !sp_storage_replaces(value) || path->part_count > 1 || strcmp(path->text, "_id") == 0;
}

/* Whether it is for the clock to say where the document lies: the hash of the time that takes the
 * place of an empty timestamp is another one each time. */
static bool is_unsteady(const sp_pattern_t *pattern, const sp_value_t *value)
{
    bson_t doc;
    if (pattern->hashed < 0 || !bson_init_static(&doc, value->data, value->size))
        return false;
    sp_value_t stored = sp_extract_path(&doc, &pattern->fields[pattern->hashed]);
    return !is_kept(&pattern->fields[pattern->hashed], &stored);
}

/* Puts others in place of documents that are unsteady, or have numbers that indexes misread where
 * the scene is not to have them. */
static void draw_docs(draft_t *draft)
{
    bson_t drawn = BSON_INITIALIZER;
    bson_iter_t iter;
    sp_gen_documents(draft->producer, draft->layout, SP_SOUNDNESS_DOCS, &drawn);
    bool sound = bson_iter_init(&iter, &drawn);
    for (int32_t i = 0; sound && bson_iter_next(&iter); i++) {
        sp_value_t value = sp_value_of(&iter);
        bool misread = !draft->misreads && sp_number_misread_inside(&value);
        if (!misread && !is_unsteady(draft->layout->pattern, &value)) {
            sp_value_append(&draft->docs, bson_iter_key(&iter), &value);
            continue;
        }
        bson_t plain;
        BSON_APPEND_DOCUMENT_BEGIN(&draft->docs, bson_iter_key(&iter), &plain);
        BSON_APPEND_INT32(&plain, "_id", i + 1000 * SP_SOUNDNESS_DOCS);
        bson_append_document_end(&draft->docs, &plain);
    }
    assert(sound);
    bson_destroy(&drawn);
}

static bool nth_doc(const draft_t *draft, uint32_t place, bson_t *doc)
{
    char index[16];
    bson_iter_t iter;
    snprintf(index, sizeof index, "%u", place);
    return bson_iter_init_find(&iter, &draft->docs, index) && sp_value_document(&iter, doc);
}

/* Whether {path: value} asks for what equals `value`: regular expressions ask for strings, objects
 * with operators for something else, and undefined is refused. */
static bool asks_for_equal(const sp_value_t *value)
{
    bson_iter_t iter;
    if (value->type == BSON_TYPE_REGEX || value->type == BSON_TYPE_UNDEFINED ||
        value->type == BSON_TYPE_ARRAY)
        return false;
    return value->type != BSON_TYPE_DOCUMENT || !sp_value_children(value, &iter) ||
           !bson_iter_next(&iter) || bson_iter_key(&iter)[0] != '$';
}

/* Whether equality with `asked` must find a document that has `stored` there. Equal by the order of
 * values is enough, but for a symbol and a string under a collation. */
static bool must_equal(const sp_value_t *stored, const sp_value_t *asked)
{
    if (stored->type == BSON_TYPE_EOD || stored->type == BSON_TYPE_NULL)
        return asked->type == BSON_TYPE_NULL;
    if (stored->type == BSON_TYPE_ARRAY || stored->type == BSON_TYPE_UNDEFINED)
        return false;
    bool texts = stored->type == BSON_TYPE_UTF8 || stored->type == BSON_TYPE_SYMBOL;
    return (!texts || stored->type == asked->type) && sp_value_compare(stored, asked) == 0;
}

/* Equality filters: how they are spelled. */
typedef enum spelling { PLAIN, DOLLAR_EQ, IN_OF_ONE, IN_OF_TWO, RANGE, AND, SPELLINGS } spelling_t;

static void append_value(bson_t *out, const char *name, const sp_value_t *value)
{
    static const sp_value_t null = {.type = BSON_TYPE_NULL};
    sp_value_append(out, name, value->type == BSON_TYPE_EOD ? &null : value);
}

static void append_equality(bson_t *filter, const char *path, const sp_value_t *value,
                            spelling_t spelling)
{
    bson_t inner, list, member;
    switch (spelling) {
    case DOLLAR_EQ:
        BSON_APPEND_DOCUMENT_BEGIN(filter, path, &inner);
        append_value(&inner, "$eq", value);
        bson_append_document_end(filter, &inner);
        break;
    case IN_OF_ONE:
    case IN_OF_TWO:
        BSON_APPEND_DOCUMENT_BEGIN(filter, path, &inner);
        BSON_APPEND_ARRAY_BEGIN(&inner, "$in", &list);
        append_value(&list, "0", value);
        if (spelling == IN_OF_TWO)
            BSON_APPEND_UTF8(&list, "1", "nobody");
        bson_append_array_end(&inner, &list);
        bson_append_document_end(filter, &inner);
        break;
    case RANGE:
        BSON_APPEND_DOCUMENT_BEGIN(filter, path, &inner);
        append_value(&inner, "$gte", value);
        append_value(&inner, "$lte", value);
        bson_append_document_end(filter, &inner);
        break;
    case AND:
        BSON_APPEND_ARRAY_BEGIN(filter, "$and", &list);
        BSON_APPEND_DOCUMENT_BEGIN(&list, "0", &member);
        append_value(&member, path, value);
        bson_append_document_end(&list, &member);
        bson_append_array_end(filter, &list);
        break;
    case PLAIN:
    default:
        append_value(filter, path, value);
        break;
    }
}

/* A condition of a filter that must find documents: which value where, and how it is spelled. */
typedef struct condition {
    sp_path_t path;
    sp_value_t asked;
    spelling_t spelling;
} condition_t;

static bool condition_binds(const condition_t *condition)
{
    bool null = condition->asked.type == BSON_TYPE_NULL || condition->asked.type == BSON_TYPE_EOD;
    if (condition->spelling == RANGE && null)
        return false;
    if (condition->spelling == DOLLAR_EQ)
        return condition->asked.type != BSON_TYPE_UNDEFINED;
    return asks_for_equal(&condition->asked);
}

/* Documents that the conditions together must find. */
static void append_finds(const draft_t *draft, const condition_t *conditions, unsigned count,
                         bson_t *check)
{
    static const sp_value_t null = {.type = BSON_TYPE_NULL};
    bson_t finds, doc;
    uint32_t found = 0;
    BSON_APPEND_ARRAY_BEGIN(check, "finds", &finds);
    for (uint32_t i = 0; i < SP_SOUNDNESS_DOCS && nth_doc(draft, i, &doc); i++) {
        bool matches = true;
        for (unsigned j = 0; matches && j < count; j++) {
            const sp_value_t *asked = &conditions[j].asked;
            sp_value_t stored = sp_extract_path(&doc, &conditions[j].path);
            matches = condition_binds(&conditions[j]) &&
                      must_equal(&stored, asked->type == BSON_TYPE_EOD ? &null : asked) &&
                      is_kept(&conditions[j].path, &stored);
        }
        if (matches) {
            char index[16];
            snprintf(index, sizeof index, "%u", found++);
            BSON_APPEND_INT32(&finds, index, (int32_t)i);
        }
    }
    bson_append_array_end(check, &finds);
}

static bool stored_at(const draft_t *draft, uint32_t place, const sp_path_t *path,
                      sp_value_t *value)
{
    bson_t doc;
    bool found = nth_doc(draft, place, &doc);
    assert(found);
    *value = sp_extract_path(&doc, path);
    return value->type != BSON_TYPE_EOD;
}

/* A path that need not be freed. */
static sp_path_t id_path(void)
{
    static char text[] = "_id", parts[] = "_id\0";
    return (sp_path_t){.text = text, .parts = parts, .part_count = 1};
}

static spelling_t draw_spelling(sp_producer_t *producer)
{
    return sp_draw_one_in(producer, 2) ? (spelling_t)sp_draw_below(producer, SPELLINGS) : PLAIN;
}

/* A document's own values, or values near them, in some of: _id, each shard key field. */
static void draw_equalities(const draft_t *draft, bson_t *check)
{
    sp_producer_t *producer = draft->producer;
    const sp_pattern_t *pattern = draft->layout->pattern;
    condition_t conditions[SP_SHAPE_FIELDS + 1];
    bson_t near[SP_SHAPE_FIELDS + 1], filter = BSON_INITIALIZER;
    unsigned count = 0, choice = sp_draw_below(producer, 8);
    uint32_t place = sp_draw_below(producer, SP_SOUNDNESS_DOCS);
    uint32_t only = sp_draw_below(producer, pattern->field_count);
    bool nearby = sp_draw_one_in(producer, 3);
    if (choice < 2) /* _id alone, and with the key */
        conditions[count++].path = id_path();
    for (unsigned i = 0; choice != 0 && i < pattern->field_count; i++) {
        bool twice = choice == 1 && strcmp(pattern->fields[i].text, "_id") == 0;
        if ((choice < 6 || i == only) && !twice)
            conditions[count++].path = pattern->fields[i];
    }
    for (unsigned i = 0; i < count; i++) {
        bson_iter_t iter;
        bool has = stored_at(draft, place, &conditions[i].path, &conditions[i].asked);
        conditions[i].spelling = draw_spelling(producer);
        bson_init(&near[i]);
        if (has && nearby) {
            sp_gen_value_near(producer, &conditions[i].asked, &near[i], "");
            bool sound = bson_iter_init(&iter, &near[i]) && bson_iter_next(&iter);
            assert(sound);
            conditions[i].asked = sp_value_of(&iter);
        }
        append_equality(&filter, conditions[i].path.text, &conditions[i].asked,
                        conditions[i].spelling);
    }
    BSON_APPEND_DOCUMENT(check, "filter", &filter);
    append_finds(draft, conditions, count, check);
    for (unsigned i = 0; i < count; i++)
        bson_destroy(&near[i]);
    bson_destroy(&filter);
}

/* The objects around nested key fields, whole; or the fields themselves where none is nested. */
static void draw_parents(const draft_t *draft, bson_t *check)
{
    const sp_pattern_t *pattern = draft->layout->pattern;
    const sp_path_t *field = &pattern->fields[sp_draw_below(draft->producer, pattern->field_count)];
    char text[64];
    snprintf(text, sizeof text, "%s", field->parts); /* its first part */
    condition_t condition = {
        .path = {.text = text, .parts = text, .part_count = 1},
        .spelling = draw_spelling(draft->producer),
    };
    bson_t filter = BSON_INITIALIZER;
    uint32_t place = sp_draw_below(draft->producer, SP_SOUNDNESS_DOCS);
    stored_at(draft, place, &condition.path, &condition.asked);
    append_equality(&filter, text, &condition.asked, condition.spelling);
    BSON_APPEND_DOCUMENT(check, "filter", &filter);
    append_finds(draft, &condition, 1, check);
    bson_destroy(&filter);
}

static void draw_asked(const draft_t *draft, const sp_path_t *path, bson_t *out, const char *name)
{
    uint32_t place = sp_draw_below(draft->producer, SP_SOUNDNESS_DOCS);
    sp_value_t value;
    bool has = stored_at(draft, place, path, &value);
    if (sp_draw_one_in(draft->producer, 4))
        append_special(draft->producer, out, name);
    else if (has && sp_draw_one_in(draft->producer, 3))
        sp_gen_value_near(draft->producer, &value, out, name);
    else
        append_value(out, name, &value);
}

static void append_operator(const draft_t *draft, const sp_path_t *path, bson_t *out)
{
    static const char *const plain[] = {"$gt", "$gte", "$lt", "$lte", "$ne", "$eq"};
    static const char *const lists[] = {"$in", "$nin", "$all"};
    static const char *const types[] = {"null",  "undefined", "number", "object", "array",
                                        "regex", "minKey",    "string", "symbol", "bool"};
    sp_producer_t *producer = draft->producer;
    uint32_t choice = sp_draw_below(producer, 16);
    const char *type = types[sp_draw_below(producer, sizeof types / sizeof *types)];
    const char *regex = sp_draw_one_in(producer, 2) ? "^a" : "b";
    bson_t inner;
    if (choice < 7) {
        draw_asked(draft, path, out, plain[choice < 6 ? choice : 5]);
    } else if (choice < 11) {
        BSON_APPEND_ARRAY_BEGIN(out, lists[choice < 9 ? 0 : choice - 8], &inner);
        draw_asked(draft, path, &inner, "0");
        if (sp_draw_one_in(producer, 2))
            draw_asked(draft, path, &inner, "1");
        if (sp_draw_one_in(producer, 2))
            draw_asked(draft, path, &inner, "2");
        bson_append_array_end(out, &inner);
    } else if (choice == 11) {
        BSON_APPEND_BOOL(out, "$exists", sp_draw_one_in(producer, 2));
    } else if (choice == 12) {
        BSON_APPEND_UTF8(out, "$type", type);
    } else if (choice == 13) {
        BSON_APPEND_UTF8(out, "$regex", regex);
    } else if (choice == 14) {
        BSON_APPEND_DOCUMENT_BEGIN(out, "$elemMatch", &inner);
        draw_asked(draft, path, &inner, "$eq");
        bson_append_document_end(out, &inner);
    } else {
        BSON_APPEND_DOCUMENT_BEGIN(out, "$not", &inner);
        draw_asked(draft, path, &inner, "$lt");
        bson_append_document_end(out, &inner);
    }
}

static void append_condition(const draft_t *draft, const sp_path_t *path, bson_t *filter)
{
    bson_t operators;
    if (sp_draw_one_in(draft->producer, 4)) {
        draw_asked(draft, path, filter, path->text);
        return;
    }
    BSON_APPEND_DOCUMENT_BEGIN(filter, path->text, &operators);
    append_operator(draft, path, &operators);
    bson_append_document_end(filter, &operators);
}

/* Any filter on key fields: what it finds is for the shards to say. */
static void draw_free(const draft_t *draft, bson_t *check)
{
    sp_producer_t *producer = draft->producer;
    const sp_pattern_t *pattern = draft->layout->pattern;
    bson_t filter, list, member;
    uint32_t choice = sp_draw_below(producer, 8);
    BSON_APPEND_DOCUMENT_BEGIN(check, "filter", &filter);
    if (choice < 2) {
        BSON_APPEND_ARRAY_BEGIN(&filter, choice == 0 ? "$or" : "$nor", &list);
        for (unsigned i = 0; i < 2; i++) {
            BSON_APPEND_DOCUMENT_BEGIN(&list, i == 0 ? "0" : "1", &member);
            for (unsigned j = 0; j < pattern->field_count; j++)
                append_condition(draft, &pattern->fields[j], &member);
            bson_append_document_end(&list, &member);
        }
        bson_append_array_end(&filter, &list);
    } else {
        for (unsigned i = 0; i < pattern->field_count; i++) {
            if (i == 0 || !sp_draw_one_in(producer, 4))
                append_condition(draft, &pattern->fields[i], &filter);
        }
    }
    bson_append_document_end(check, &filter);
}

/* Any filter at all. */
static void draw_general(const draft_t *draft, bson_t *check)
{
    bson_t filter = BSON_INITIALIZER;
    sp_gen_filter(draft->producer, draft->layout, &filter);
    BSON_APPEND_DOCUMENT(check, "filter", &filter);
    bson_destroy(&filter);
}

static void draw_check(const draft_t *draft, bson_t *check)
{
    uint32_t choice = sp_draw_below(draft->producer, 16);
    if (choice < 8)
        draw_equalities(draft, check);
    else if (choice < 10)
        draw_parents(draft, check);
    else if (choice < 13)
        draw_free(draft, check);
    else
        draw_general(draft, check);
    sp_gen_query_collation(draft->producer, draft->scene, check);
}

/* The first check of each scene: everything that was acknowledged is there. */
static void append_everything(bson_t *check)
{
    bson_t filter = BSON_INITIALIZER, finds;
    BSON_APPEND_DOCUMENT(check, "filter", &filter);
    BSON_APPEND_ARRAY_BEGIN(check, "finds", &finds);
    for (int32_t i = 0; i < SP_SOUNDNESS_DOCS; i++) {
        char index[16];
        snprintf(index, sizeof index, "%d", i);
        BSON_APPEND_INT32(&finds, index, i);
    }
    bson_append_array_end(check, &finds);
    bson_destroy(&filter);
}

/* Not what costs seconds, nor what every shard refuses because of its index on _id. */
static bool is_wanted(const draft_t *draft, const bson_t *check)
{
    bson_iter_t iter;
    bson_t filter;
    sp_value_t value = whole(check);
    return (draft->misreads || !sp_number_misread_inside(&value)) &&
           bson_iter_init_find(&iter, check, "filter") && sp_value_document(&iter, &filter) &&
           sp_collation_bears_filter(draft->scene, &filter);
}

static void append_checks(const draft_t *draft, bson_t *scene)
{
    bson_t checks;
    BSON_APPEND_ARRAY_BEGIN(scene, "checks", &checks);
    for (unsigned i = 0; i < SP_SOUNDNESS_CHECKS; i++) {
        char index[16];
        snprintf(index, sizeof index, "%u", i);
        bson_t check = BSON_INITIALIZER;
        if (i == 0)
            append_everything(&check);
        else
            draw_check(draft, &check);
        for (unsigned tries = 0; !is_wanted(draft, &check); tries++) {
            bson_reinit(&check);
            if (tries < REDRAWS)
                draw_check(draft, &check);
            else
                append_everything(&check);
        }
        BSON_APPEND_DOCUMENT(&checks, index, &check);
        bson_destroy(&check);
    }
    bson_append_array_end(scene, &checks);
}

void sp_gen_soundness(const sp_scene_context_t *context, sp_producer_t *producer, bson_t *scene)
{
    sp_layout_draw_t layout;
    draft_t draft = {.producer = producer, .layout = &layout, .scene = scene};
    sp_gen_layout(context, producer, &layout, scene);
    sp_gen_collection_collation(producer, scene);
    BSON_APPEND_INT32(scene, "shards", (int32_t)context->shards);
    draft.misreads = sp_draw_one_in(producer, MISREAD_SCENES);
    add_specials(producer, &layout, draft.misreads);
    bson_init(&draft.docs);
    draw_docs(&draft);
    BSON_APPEND_ARRAY(scene, "docs", &draft.docs);
    append_checks(&draft, scene);
    bson_destroy(&draft.docs);
    sp_layout_draw_clear(&layout);
}
