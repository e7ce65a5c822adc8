#include "keychange_upsert.h"

#include "order.h"
#include "path_relation.h"
#include "update.h"
#include "upsert.h"

#include <string.h>

enum {
    DOLLAR_PREFIXED_FIELD_NAME = 52,
    INVALID_ID_FIELD = 53,
    NOT_SINGLE_VALUE_FIELD = 54,
    INVALID_DBREF = 55,
    IMMUTABLE_FIELD = 66,
    NOT_EXACT_VALUE_FIELD = 111,
    EQUALITIES_MAX = 256
};

/* An equality and what is left of its path. */
typedef struct equality {
    const char *path, *rest; /* NULL: done */
    const sp_value_t *value;
} equality_t;

typedef struct equalities {
    equality_t items[EQUALITIES_MAX];
    unsigned count;
} equalities_t;

static void take(const sp_node_t *node, bool id_alone, equalities_t *equalities)
{
    /* There are no more: sp_upsert_fields_check has counted them. */
    if (node->kind == SP_NODE_EQ && equalities->count < EQUALITIES_MAX &&
        (!id_alone || strcmp(node->path, "_id") == 0))
        equalities->items[equalities->count++] = (equality_t){node->path, node->path, &node->value};
    for (unsigned i = 0; node->kind == SP_NODE_AND && i < node->child_count; i++)
        take(node->children[i], id_alone, equalities);
}

/* Whether the path begins with the part of `length` bytes at `part`, and goes on. */
static bool goes_through(const char *path, const char *part, size_t length)
{
    return strncmp(path, part, length) == 0 && path[length] == '.';
}

/* No path is that of another or above it. */
static void append_equalities(equality_t *items, unsigned count, bson_t *doc)
{
    for (unsigned i = 0; i < count; i++) {
        const char *rest = items[i].rest;
        size_t length = rest != NULL ? strcspn(rest, ".") : 0;
        if (rest == NULL)
            continue;
        if (rest[length] == '\0') {
            sp_value_append(doc, rest, items[i].value);
            continue;
        }
        equality_t inside[EQUALITIES_MAX];
        unsigned inside_count = 0;
        bson_t object;
        for (unsigned j = i; j < count; j++) {
            if (items[j].rest == NULL || !goes_through(items[j].rest, rest, length))
                continue;
            inside[inside_count] = items[j];
            inside[inside_count++].rest += length + 1;
            if (j != i)
                items[j].rest = NULL;
        }
        bson_append_document_begin(doc, rest, (int)length, &object);
        append_equalities(inside, inside_count, &object);
        bson_append_document_end(doc, &object);
    }
}

/* Appends the fields of the operators called `name`. */
static void append_fields(const sp_value_t *update, const char *name, bson_t *fields)
{
    bson_iter_t iter;
    bson_t operands;
    if (!sp_value_children(update, &iter))
        return;
    while (bson_iter_next(&iter)) {
        if (strcmp(bson_iter_key(&iter), name) == 0 && sp_value_document(&iter, &operands))
            bson_concat(fields, &operands);
    }
}

/* As an insert sees it, $setOnInsert is $set. The two cannot have a path in common. */
static void spell_out(const sp_value_t *update, bson_t *spelled)
{
    bson_iter_t iter;
    bson_t fields = BSON_INITIALIZER;
    append_fields(update, "$set", &fields);
    append_fields(update, "$setOnInsert", &fields);
    bool more = sp_value_children(update, &iter);
    while (more && bson_iter_next(&iter)) {
        const char *name = bson_iter_key(&iter);
        sp_value_t value = sp_value_of(&iter);
        if (strcmp(name, "$set") != 0 && strcmp(name, "$setOnInsert") != 0)
            sp_value_append(spelled, name, &value);
    }
    if (!bson_empty(&fields) || bson_empty(spelled))
        BSON_APPEND_DOCUMENT(spelled, "$set", &fields);
    bson_destroy(&fields);
}

/* A replacement takes its _id from the filter alone, and only as a whole. */
static bool check_for_replacement(const sp_node_t *node, unsigned *ids, sp_error_t *error)
{
    sp_path_relation_t relation =
        node->kind == SP_NODE_EQ ? sp_path_relate(node->path, "_id") : SP_PATHS_APART;
    if (relation == SP_PATHS_BELOW)
        return sp_error_set(error, SP_ERROR_RULE, NOT_EXACT_VALUE_FIELD,
                            "a replacement needs a whole _id, and the filter has '%s'", node->path);
    if (relation == SP_PATHS_SAME && ++*ids > 1)
        return sp_error_set(error, SP_ERROR_RULE, NOT_SINGLE_VALUE_FIELD,
                            "the filter fixes _id twice");
    for (unsigned i = 0; node->kind == SP_NODE_AND && i < node->child_count; i++) {
        if (!check_for_replacement(node->children[i], ids, error))
            return false;
    }
    return true;
}

static bool check_filter(sp_update_form_t form, const sp_node_t *root, sp_error_t *error)
{
    unsigned ids = 0;
    return form == SP_UPDATE_REPLACEMENT ? check_for_replacement(root, &ids, error)
                                         : sp_upsert_fields_check(root, error);
}

/* Whether the document that the filter makes has its _id from paths below that. */
static bool has_id_by_path(const equalities_t *equalities)
{
    for (unsigned i = 0; i < equalities->count; i++) {
        if (sp_path_relate(equalities->items[i].path, "_id") == SP_PATHS_BELOW)
            return true;
    }
    return false;
}

static bool find_id(const sp_value_t *object, sp_value_t *id)
{
    bson_iter_t iter;
    if (object->type != BSON_TYPE_DOCUMENT || !sp_value_children(object, &iter) ||
        !bson_iter_find(&iter, "_id"))
        return false;
    *id = sp_value_of(&iter);
    return true;
}

/* What {$literal: …} stands for, or the value itself. */
static sp_value_t literal(const sp_value_t *value)
{
    bson_iter_t iter;
    bool is_literal = value->type == BSON_TYPE_DOCUMENT && sp_value_children(value, &iter) &&
                      bson_iter_next(&iter) && strcmp(bson_iter_key(&iter), "$literal") == 0;
    return is_literal ? sp_value_of(&iter) : *value;
}

/* The _id that a replacement or pipeline gives the document, as far as it is said outright;
 * otherwise *id is left as it was. */
static void find_given_id(const sp_value_t *update, sp_value_t *id)
{
    bson_iter_t stages, stage;
    sp_value_t given;
    if (update->type == BSON_TYPE_DOCUMENT) {
        find_id(update, id);
        return;
    }
    bool more = sp_value_children(update, &stages);
    while (more && bson_iter_next(&stages)) {
        if (!bson_iter_recurse(&stages, &stage) || !bson_iter_next(&stage))
            continue;
        sp_value_t operand = sp_value_of(&stage);
        operand = literal(&operand);
        if (find_id(&operand, &given))
            *id = literal(&given);
    }
}

static bool refuse_array(sp_error_t *error)
{
    return sp_error_set(error, SP_ERROR_RULE, NOT_SINGLE_VALUE_FIELD, "_id is an array");
}

/* An update that would give an _id which cannot be stored is refused for that, but not where it
 * makes a document for an upsert: there it counts first that the _id is an array, or another one
 * than the filter's. */
static bool refuse_id(const sp_value_t *update, const bson_t *base, const sp_error_t *failed,
                      sp_error_t *error)
{
    const sp_value_t whole = {BSON_TYPE_DOCUMENT, base->len, bson_get_data(base)};
    sp_value_t old = {.type = BSON_TYPE_EOD}, id;
    bool has_old = find_id(&whole, &old);
    id = old;
    find_given_id(update, &id);
    if (id.type == BSON_TYPE_ARRAY)
        return refuse_array(error);
    if (has_old && sp_value_compare(&id, &old) != 0)
        return sp_error_set(error, SP_ERROR_RULE, IMMUTABLE_FIELD, "the update would change _id");
    return sp_error_set(error, failed->domain, failed->code, "%s", failed->message);
}

static bool is_about_id(int32_t code)
{
    return code == DOLLAR_PREFIXED_FIELD_NAME || code == INVALID_ID_FIELD || code == INVALID_DBREF;
}

static bool apply(const sp_value_t *update, const bson_t *base, sp_version_t version,
                  const sp_collator_t *collator, bson_t *made, bool *changed, sp_error_t *error)
{
    sp_error_t failed = {0};
    if (sp_update_make_collated(update, base, version, collator, made, changed, &failed))
        return true;
    if (sp_update_form(update) != SP_UPDATE_OPERATORS && failed.domain == SP_ERROR_RULE &&
        is_about_id(failed.code))
        return refuse_id(update, base, &failed, error);
    return sp_error_set(error, failed.domain, failed.code, "%s", failed.message);
}

/* What a shard says of the _id of a document that it is to insert. `rewritten`: by a replacement or
 * pipeline that changes something. */
static bool check_id(sp_version_t version, const sp_node_t *root, const equalities_t *equalities,
                     bool rewritten, const bson_t *made, sp_error_t *error)
{
    bson_iter_t iter;
    if (!bson_iter_init_find(&iter, made, "_id"))
        return true;
    sp_value_t id = sp_value_of(&iter);
    if (rewritten && id.type == BSON_TYPE_ARRAY)
        return refuse_array(error);
    /* The update cannot have changed it. */
    return has_id_by_path(equalities) ? sp_upsert_check(version, root, NULL, error)
                                      : sp_upsert_id_check(version, &id, error);
}

bool sp_keychange_upsert(sp_version_t version, const sp_node_t *root, const sp_collator_t *collator,
                         const sp_value_t *update, bson_t *made, sp_error_t *error)
{
    sp_update_form_t form = sp_update_form(update);
    if (!check_filter(form, root, error))
        return false;
    bson_t base = BSON_INITIALIZER, spelled = BSON_INITIALIZER;
    equalities_t equalities;
    equalities.count = 0;
    take(root, form == SP_UPDATE_REPLACEMENT, &equalities);
    append_equalities(equalities.items, equalities.count, &base);
    sp_value_t as_insert = *update;
    if (form == SP_UPDATE_OPERATORS) {
        spell_out(update, &spelled);
        as_insert = (sp_value_t){BSON_TYPE_DOCUMENT, spelled.len, bson_get_data(&spelled)};
    }
    bool changed = false;
    bool ok =
        apply(&as_insert, &base, version, collator, made, &changed, error) &&
        check_id(version, root, &equalities, changed && form != SP_UPDATE_OPERATORS, made, error);
    bson_destroy(&spelled);
    bson_destroy(&base);
    return ok;
}
