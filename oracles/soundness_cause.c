#include "soundness_cause.h"

#include "extract.h"
#include "number.h"
#include "path_relation.h"
#include "storage.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

static const char *const symptoms[SP_SYMPTOMS] = {
    [SP_SYMPTOM_NONE] = "nothing",
    [SP_SYMPTOM_LOST] = "acknowledged, but on no shard",
    [SP_SYMPTOM_INVISIBLE] = "on a shard that does not own it, so that nothing finds it",
    [SP_SYMPTOM_UNMATCHED] = "no shard takes it for a match",
    [SP_SYMPTOM_INDEX_MISSES] = "the shard's index misses it",
    [SP_SYMPTOM_NOT_ASKED] = "given by its shard, but not through the router",
    [SP_SYMPTOM_REFUSED_BUT_STORED] = "refused, but stored",
    [SP_SYMPTOM_STORED_TWICE] = "stored twice",
    [SP_SYMPTOM_GIVEN_TWICE] = "given twice",
    [SP_SYMPTOM_INDEX_ADDS] = "the shard's index gives what does not match",
    [SP_SYMPTOM_ROUTER_ADDS] = "the router gives what does not match",
    [SP_SYMPTOM_ENDLESS] = "endless",
    [SP_SYMPTOM_INDEX_REFUSES] = "refused only where the index is used",
    [SP_SYMPTOM_ROUTER_REFUSES] = "the router refuses what the shards answer",
    [SP_SYMPTOM_SHARDS_REFUSE] = "the router answers what the shards refuse",
};

static const char *type_name(bson_type_t type)
{
    switch (type) {
    case BSON_TYPE_EOD:
        return "missing";
    case BSON_TYPE_DOUBLE:
        return "double";
    case BSON_TYPE_UTF8:
        return "string";
    case BSON_TYPE_DOCUMENT:
        return "object";
    case BSON_TYPE_ARRAY:
        return "array";
    case BSON_TYPE_BINARY:
        return "binary";
    case BSON_TYPE_UNDEFINED:
        return "undefined";
    case BSON_TYPE_OID:
        return "objectId";
    case BSON_TYPE_BOOL:
        return "bool";
    case BSON_TYPE_DATE_TIME:
        return "date";
    case BSON_TYPE_NULL:
        return "null";
    case BSON_TYPE_REGEX:
        return "regex";
    case BSON_TYPE_DBPOINTER:
        return "dbPointer";
    case BSON_TYPE_CODE:
        return "code";
    case BSON_TYPE_SYMBOL:
        return "symbol";
    case BSON_TYPE_CODEWSCOPE:
        return "code with scope";
    case BSON_TYPE_INT32:
        return "int";
    case BSON_TYPE_TIMESTAMP:
        return "timestamp";
    case BSON_TYPE_INT64:
        return "long";
    case BSON_TYPE_DECIMAL128:
        return "decimal";
    case BSON_TYPE_MAXKEY:
        return "maxKey";
    case BSON_TYPE_MINKEY:
        return "minKey";
    default:
        return "unknown";
    }
}

/* What sets a number apart from the everyday ones, for hashes above all. */
static const char *number_trait(const sp_value_t *number)
{
    bson_t holder = BSON_INITIALIZER;
    bson_iter_t iter;
    BSON_APPEND_DOUBLE(&holder, "", -INFINITY);
    BSON_APPEND_DOUBLE(&holder, "", INFINITY);
    BSON_APPEND_DOUBLE(&holder, "", -0x1p63);
    BSON_APPEND_DOUBLE(&holder, "", 0x1p63);
    BSON_APPEND_INT64(&holder, "", sp_number_for_hash(number));
    int orders[5] = {0};
    bool found = bson_iter_init(&iter, &holder);
    for (unsigned i = 0; found && i < 5; i++) {
        found = bson_iter_next(&iter);
        sp_value_t other = sp_value_of(&iter);
        orders[i] = sp_number_compare(number, &other);
    }
    assert(found);
    bson_destroy(&holder);
    if (orders[0] < 0)
        return " NaN";
    if (orders[0] == 0 || orders[1] == 0)
        return " infinite";
    if (orders[2] < 0 || orders[3] >= 0)
        return " beyond int64";
    if (sp_number_index_misreads(number))
        return " that indexes misread";
    return orders[4] == 0 ? "" : " with a fraction";
}

static void append_class(bson_string_t *text, const sp_value_t *value)
{
    bson_string_append(text, type_name(value->type));
    if (sp_value_is_number(value)) {
        bson_string_append(text, number_trait(value));
    } else if (sp_storage_replaces(value)) {
        bson_string_append(text, " (0, 0)");
    }
}

/* How a filter's path relates to the shard key; *field is the key field, or NULL. */
static const char *role_of(const sp_pattern_t *pattern, const char *path, const sp_path_t **field)
{
    const char *role = strcmp(path, "_id") == 0 ? "_id" : "another field";
    *field = NULL;
    for (unsigned i = 0; i < pattern->field_count; i++) {
        sp_path_relation_t relation = sp_path_relate(path, pattern->fields[i].text);
        if (relation == SP_PATHS_SAME) {
            *field = &pattern->fields[i];
            return (int)i == pattern->hashed ? "hashed key field" : "key field";
        }
        if (relation == SP_PATHS_ABOVE)
            role = (int)i == pattern->hashed ? "parent of hashed key field" : "parent of key field";
    }
    return role;
}

/* How much a condition says about what went wrong. */
enum { TELLS_NOTHING, TELLS_LITTLE, TELLS_TYPES, TELLS_SYMBOL, TELLS_EXTREME };

/* The most telling condition so far. */
typedef struct search {
    const sp_soundness_t *scene;
    const bson_t *doc; /* NULL: there is none */
    int tells;
    bson_string_t *text;
} search_t;

static const char *operator_group(const char *name)
{
    static const char *const equalities[] = {"$eq", "$in", "$all"};
    static const char *const ranges[] = {"$gt", "$gte", "$lt", "$lte"};
    static const char *const negations[] = {"$ne", "$nin", "$not"};
    for (unsigned i = 0; i < sizeof equalities / sizeof *equalities; i++) {
        if (strcmp(name, equalities[i]) == 0)
            return "equality";
    }
    for (unsigned i = 0; i < sizeof ranges / sizeof *ranges; i++) {
        if (strcmp(name, ranges[i]) == 0)
            return "range";
    }
    for (unsigned i = 0; i < sizeof negations / sizeof *negations; i++) {
        if (strcmp(name, negations[i]) == 0)
            return "negation";
    }
    return name[0] == '$' ? name : "equality";
}

static int how_telling(const sp_value_t *stored, const sp_value_t *asked)
{
    if (stored->type == BSON_TYPE_MINKEY || stored->type == BSON_TYPE_MAXKEY ||
        stored->type == BSON_TYPE_UNDEFINED || sp_storage_replaces(stored) ||
        sp_number_index_misreads(stored))
        return TELLS_EXTREME;
    if (stored->type == BSON_TYPE_SYMBOL || asked->type == BSON_TYPE_SYMBOL)
        return TELLS_SYMBOL;
    if (stored->type != asked->type && stored->type != BSON_TYPE_EOD)
        return TELLS_TYPES;
    return sp_value_same(stored, asked) ? TELLS_NOTHING : TELLS_LITTLE;
}

/* `name`: the operator, or the path where the value stands alone. */
static void weigh(search_t *search, const char *path, const char *name, const sp_value_t *asked)
{
    const sp_path_t *field;
    const char *role = role_of(search->scene->pattern, path, &field);
    sp_value_t stored = {.type = BSON_TYPE_EOD};
    bool knows_stored = field != NULL && search->doc != NULL;
    if (knows_stored)
        stored = sp_extract_path(search->doc, field);
    int tells = knows_stored ? how_telling(&stored, asked) : TELLS_LITTLE;
    if (tells <= search->tells)
        return;
    search->tells = tells;
    bson_string_truncate(search->text, 0);
    bson_string_append_printf(search->text, "; %s", role);
    if (knows_stored) {
        bson_string_append(search->text, " holding ");
        append_class(search->text, &stored);
    }
    bson_string_append_printf(search->text, ", %s with ", operator_group(name));
    append_class(search->text, asked);
}

/* The values that an operator asks for, one by one. */
static void weigh_operator(search_t *search, const char *path, const bson_iter_t *operator)
{
    bson_iter_t element;
    sp_value_t asked = sp_value_of(operator);
    if (!BSON_ITER_HOLDS_ARRAY(operator) || !bson_iter_recurse(operator, & element)) {
        weigh(search, path, bson_iter_key(operator), &asked);
        return;
    }
    while (bson_iter_next(&element)) {
        asked = sp_value_of(&element);
        weigh(search, path, bson_iter_key(operator), &asked);
    }
}

static bool is_operators(const bson_iter_t *value, bson_iter_t *first)
{
    return BSON_ITER_HOLDS_DOCUMENT(value) && bson_iter_recurse(value, first) &&
           bson_iter_next(first) && bson_iter_key(first)[0] == '$';
}

static void weigh_field(search_t *search, const bson_iter_t *condition)
{
    const char *path = bson_iter_key(condition);
    bson_iter_t operator, inner;
    if (!is_operators(condition, &operator)) {
        sp_value_t asked = sp_value_of(condition);
        weigh(search, path, path, &asked);
        return;
    }
    do {
        if (strcmp(bson_iter_key(&operator), "$not") == 0 && is_operators(&operator, & inner)) {
            do {
                sp_value_t asked = sp_value_of(&inner);
                weigh(search, path, "$not", &asked);
            } while (bson_iter_next(&inner));
        } else {
            weigh_operator(search, path, &operator);
        }
    } while (bson_iter_next(&operator));
}

/* Every condition of a filter, also those below $and, $or and $nor. */
static void weigh_filter(search_t *search, bson_iter_t *condition, unsigned depth)
{
    bson_iter_t member, inner;
    while (bson_iter_next(condition)) {
        if (bson_iter_key(condition)[0] != '$') {
            weigh_field(search, condition);
            continue;
        }
        if (depth == SP_DEPTH_MAX || !BSON_ITER_HOLDS_ARRAY(condition) ||
            !bson_iter_recurse(condition, &member))
            continue;
        while (bson_iter_next(&member)) {
            if (BSON_ITER_HOLDS_DOCUMENT(&member) && bson_iter_recurse(&member, &inner))
                weigh_filter(search, &inner, depth + 1);
        }
    }
}

static void append_condition(bson_string_t *text, const sp_soundness_t *scene, const bson_t *doc,
                             const bson_t *filter)
{
    bson_iter_t condition;
    search_t search = {
        .scene = scene, .doc = doc, .tells = TELLS_NOTHING, .text = bson_string_new("")};
    if (bson_iter_init(&condition, filter))
        weigh_filter(&search, &condition, 0);
    bson_string_append(text, search.text->str);
    bson_string_free(search.text, true);
}

/* What is stored in the shard key fields; only what a server replaces, where there is such. */
static void append_stored_key(bson_string_t *text, const sp_soundness_t *scene, const bson_t *doc)
{
    bool replaced = false;
    for (unsigned i = 0; i < scene->pattern->field_count; i++) {
        sp_value_t stored = sp_extract_path(doc, &scene->pattern->fields[i]);
        replaced = replaced || sp_storage_replaces(&stored);
    }
    if (replaced) {
        bson_string_append(text, "; a key field holding timestamp (0, 0)");
        return;
    }
    for (unsigned i = 0; i < scene->pattern->field_count; i++) {
        sp_value_t stored = sp_extract_path(doc, &scene->pattern->fields[i]);
        bson_string_append_printf(text, "%s%s holding ", i == 0 ? "; " : ", ",
                                  (int)i == scene->pattern->hashed ? "hashed key field"
                                                                   : "key field");
        append_class(text, &stored);
    }
}

static bool nth_document(const bson_iter_t *docs, uint32_t place, bson_t *doc)
{
    bson_iter_t element;
    if (!bson_iter_recurse(docs, &element))
        return false;
    while (bson_iter_next(&element)) {
        if (place-- == 0)
            return sp_value_document(&element, doc);
    }
    return false;
}

static bool is_about_document(sp_symptom_t symptom)
{
    return symptom < SP_SYMPTOM_ENDLESS;
}

/* What makes queries endless as far as is known, whatever they ask for. */
static void append_misread(bson_string_t *text, const sp_soundness_t *scene)
{
    bson_t doc;
    for (uint32_t i = 0; nth_document(&scene->docs, i, &doc); i++) {
        for (unsigned j = 0; j < scene->pattern->field_count; j++) {
            sp_value_t stored = sp_extract_path(&doc, &scene->pattern->fields[j]);
            if (sp_number_index_misreads(&stored)) {
                bson_string_append(text, "; a key field holding a decimal that indexes misread");
                return;
            }
        }
    }
}

/* Whether what was described compares differently under a collation. */
static bool concerns_collation(const char *text)
{
    return strstr(text, "string") != NULL || strstr(text, "symbol") != NULL ||
           strstr(text, "object") != NULL;
}

void sp_soundness_append_cause(const sp_soundness_t *scene, const bson_t *check,
                               sp_symptom_t symptom, int64_t which, bson_t *answer)
{
    bson_string_t *text = bson_string_new(symptoms[symptom]);
    bson_t doc, filter;
    bson_iter_t iter;
    bool known = is_about_document(symptom) && nth_document(&scene->docs, (uint32_t)which, &doc);
    /* Whatever was asked for. */
    bool anyhow = symptom == SP_SYMPTOM_LOST || symptom == SP_SYMPTOM_INVISIBLE;
    size_t before = text->len;
    if (symptom == SP_SYMPTOM_ENDLESS)
        append_misread(text, scene);
    if (symptom > SP_SYMPTOM_ENDLESS) {
        bson_string_append_printf(text, " with %" PRId64, which);
    } else if (!anyhow && text->len == before && bson_iter_init_find(&iter, check, "filter") &&
               sp_value_document(&iter, &filter)) {
        append_condition(text, scene, known ? &doc : NULL, &filter);
    }
    if (text->len == before && known)
        append_stored_key(text, scene, &doc);
    bool collated = scene->collated || bson_has_field(check, "collation");
    if (!anyhow && collated && concerns_collation(text->str))
        bson_string_append(text, ", under a collation");
    BSON_APPEND_UTF8(answer, "cause", text->str);
    bson_string_free(text, true);
}

bool sp_symptom_is(const char *cause, sp_symptom_t symptom)
{
    return strncmp(cause, symptoms[symptom], strlen(symptoms[symptom])) == 0;
}
