#include "query_key.h"

#include "extract.h"
#include "path_relation.h"

#include <string.h>

enum { EQUALITIES_MAX = 64 };

typedef struct equalities {
    const sp_node_t *items[EQUALITIES_MAX];
    unsigned count;
} equalities_t;

/* False where the equality spoils the whole key. */
static bool take_equality(const sp_pattern_t *pattern, const sp_node_t *node,
                          equalities_t *equalities)
{
    bool concerns = false;
    for (unsigned i = 0; i < pattern->field_count; i++) {
        sp_path_relation_t relation = sp_path_relate(node->path, pattern->fields[i].text);
        if (relation == SP_PATHS_BELOW)
            return false;
        concerns = concerns || relation != SP_PATHS_APART;
    }
    if (!concerns)
        return true;
    for (unsigned i = 0; i < equalities->count; i++) {
        if (sp_path_relate(node->path, equalities->items[i]->path) != SP_PATHS_APART)
            return false;
    }
    if (equalities->count == EQUALITIES_MAX)
        return false; /* more than the fields and their parents: some path came twice */
    equalities->items[equalities->count++] = node;
    return true;
}

static bool take_equalities(const sp_pattern_t *pattern, const sp_node_t *node,
                            equalities_t *equalities)
{
    if (node->kind == SP_NODE_EQ)
        return take_equality(pattern, node, equalities);
    for (unsigned i = 0; node->kind == SP_NODE_AND && i < node->child_count; i++) {
        if (!take_equalities(pattern, node->children[i], equalities))
            return false;
    }
    return true;
}

/* The value at what is left of the field's path inside an object that stands above it. */
static bool find_inside(const sp_node_t *above, const sp_path_t *field, sp_value_t *value)
{
    if (above->value.type != BSON_TYPE_DOCUMENT)
        return false;
    sp_path_t rest = {.text = field->text, .parts = field->parts, .part_count = field->part_count};
    for (const char *at = above->path; at != NULL; at = strchr(at, '.')) {
        at += *at == '.';
        rest.parts += strlen(rest.parts) + 1;
        rest.part_count--;
    }
    bson_t object;
    if (!bson_init_static(&object, above->value.data, above->value.size))
        return false;
    *value = sp_extract_path(&object, &rest);
    return value->type != BSON_TYPE_EOD;
}

/* What cannot be stored in a chunk bound, and arrays, is no shard key value for a query, though
 * documents may have it. */
static bool may_be_key(const sp_value_t *value)
{
    return value->type != BSON_TYPE_ARRAY && sp_pattern_value_storable(value);
}

static bool find_value(const equalities_t *equalities, const sp_path_t *field, sp_value_t *value)
{
    for (unsigned i = 0; i < equalities->count; i++) {
        const sp_node_t *node = equalities->items[i];
        sp_path_relation_t relation = sp_path_relate(node->path, field->text);
        if (relation == SP_PATHS_SAME)
            *value = node->value;
        if (relation == SP_PATHS_SAME ||
            (relation == SP_PATHS_ABOVE && find_inside(node, field, value)))
            return may_be_key(value);
        if (relation == SP_PATHS_ABOVE)
            return false;
    }
    return false;
}

bool sp_query_key(const sp_pattern_t *pattern, const sp_node_t *root, sp_value_t *values)
{
    equalities_t equalities;
    equalities.count = 0;
    if (!take_equalities(pattern, root, &equalities))
        return false;
    for (unsigned i = 0; i < pattern->field_count; i++) {
        if (!find_value(&equalities, &pattern->fields[i], &values[i]))
            return false;
    }
    return true;
}
