#include "upsert.h"

#include "id_names.h"
#include "path_relation.h"
#include "storage.h"

#include <string.h>

enum {
    ILLEGAL_OPERATION = 20,
    NOT_SINGLE_VALUE_FIELD = 54,
    CANNOT_BUILD_INDEX_KEYS = 201,
    EQUALITIES_MAX = 256
};

typedef struct equalities {
    const sp_node_t *items[EQUALITIES_MAX];
    unsigned count;
} equalities_t;

static bool take(const sp_node_t *node, equalities_t *equalities, sp_error_t *error)
{
    if (node->kind == SP_NODE_EQ) {
        for (unsigned i = 0; i < equalities->count; i++) {
            const char *before = equalities->items[i]->path;
            if (sp_path_relate(before, node->path) != SP_PATHS_APART)
                return sp_error_set(error, SP_ERROR_RULE, NOT_SINGLE_VALUE_FIELD,
                                    "the filter fixes both '%s' and '%s'", before, node->path);
        }
        if (equalities->count == EQUALITIES_MAX)
            return sp_error_set(error, SP_ERROR_INPUT, 0, "more than %d equalities in an upsert",
                                EQUALITIES_MAX);
        equalities->items[equalities->count++] = node;
    }
    for (unsigned i = 0; node->kind == SP_NODE_AND && i < node->child_count; i++) {
        if (!take(node->children[i], equalities, error))
            return false;
    }
    return true;
}

/* What the equalities make of _id: a value, or an object of the fields that paths lead to. */
typedef struct made_id {
    sp_value_t value; /* BSON_TYPE_EOD: not fixed as a whole */
    bson_t fields;
    bool holds_symbol;
} made_id_t;

static void add_field(made_id_t *id, const sp_node_t *node)
{
    const char *name = node->path + strlen("_id.");
    const char *end = strchr(name, '.');
    char *first = bson_strndup(name, end != NULL ? (size_t)(end - name) : strlen(name));
    bson_t empty = BSON_INITIALIZER;
    if (end == NULL)
        sp_value_append(&id->fields, first, &node->value);
    else if (!bson_has_field(&id->fields, first))
        BSON_APPEND_DOCUMENT(&id->fields, first, &empty);
    bson_destroy(&empty);
    bson_free(first);
}

static void make_id(const equalities_t *equalities, made_id_t *id)
{
    for (unsigned i = 0; i < equalities->count; i++) {
        const sp_node_t *node = equalities->items[i];
        sp_path_relation_t relation = sp_path_relate("_id", node->path);
        if (relation != SP_PATHS_SAME && relation != SP_PATHS_ABOVE)
            continue;
        id->holds_symbol = id->holds_symbol || sp_value_holds_symbol(&node->value);
        if (relation == SP_PATHS_SAME)
            id->value = node->value;
        else
            add_field(id, node);
    }
}

bool sp_upsert_id_check(sp_version_t version, const sp_value_t *id, sp_error_t *error)
{
    bson_t object, document = BSON_INITIALIZER;
    if (id->type == BSON_TYPE_DOCUMENT && bson_init_static(&object, id->data, id->size))
        return sp_id_names_check(version, &object, false, error);
    sp_value_append(&document, "_id", id);
    bool ok = sp_storage_check(&document, error);
    bson_destroy(&document);
    return ok;
}

static bool refuse_symbol(sp_error_t *error)
{
    return sp_error_set(error, SP_ERROR_RULE, CANNOT_BUILD_INDEX_KEYS,
                        "an _id with a symbol cannot be indexed under a collation");
}

bool sp_upsert_id_indexable(const sp_value_t *id, const bson_t *collation, sp_error_t *error)
{
    return collation == NULL || !sp_value_holds_symbol(id) || refuse_symbol(error);
}

static bool take_all(const sp_node_t *root, equalities_t *equalities, sp_error_t *error)
{
    equalities->count = 0;
    if (!take(root, equalities, error))
        return false;
    for (unsigned i = 0; i < equalities->count; i++) {
        if (equalities->items[i]->path[0] == '\0')
            return sp_error_set(error, SP_ERROR_RULE, ILLEGAL_OPERATION,
                                "the filter fixes the empty path");
    }
    return true;
}

bool sp_upsert_fields_check(const sp_node_t *root, sp_error_t *error)
{
    equalities_t equalities;
    return take_all(root, &equalities, error);
}

static bool check_made(sp_version_t version, const made_id_t *id, sp_error_t *error)
{
    return id->value.type == BSON_TYPE_EOD ? sp_id_names_check(version, &id->fields, true, error)
                                           : sp_upsert_id_check(version, &id->value, error);
}

bool sp_upsert_check(sp_version_t version, const sp_node_t *root, const bson_t *collation,
                     sp_error_t *error)
{
    equalities_t equalities;
    made_id_t id = {.value = {.type = BSON_TYPE_EOD}};
    if (!take_all(root, &equalities, error))
        return false;
    bson_init(&id.fields);
    make_id(&equalities, &id);
    bool ok = check_made(version, &id, error) &&
              (!id.holds_symbol || collation == NULL || refuse_symbol(error));
    bson_destroy(&id.fields);
    return ok;
}
