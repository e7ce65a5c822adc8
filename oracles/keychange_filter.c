#include "keychange_filter.h"

#include "path_relation.h"

typedef struct found {
    const sp_pattern_t *pattern;
    const char *paths[SP_PATTERN_FIELDS_MAX];
    unsigned count;
} found_t;

/* False where the equality spoils the whole. */
static bool take(found_t *found, const char *path)
{
    bool concerns = false;
    for (unsigned i = 0; i < found->pattern->field_count; i++) {
        sp_path_relation_t relation = sp_path_relate(path, found->pattern->fields[i].text);
        if (relation == SP_PATHS_BELOW)
            return false;
        concerns = concerns || relation != SP_PATHS_APART;
    }
    if (!concerns)
        return true;
    for (unsigned i = 0; i < found->count; i++) {
        if (sp_path_relate(path, found->paths[i]) != SP_PATHS_APART)
            return false;
    }
    /* All are apart and each covers a field, so there are no more of them than fields. */
    found->paths[found->count++] = path;
    return true;
}

static bool take_all(found_t *found, const sp_node_t *node)
{
    if (node->kind == SP_NODE_EQ)
        return take(found, node->path);
    for (unsigned i = 0; node->kind == SP_NODE_AND && i < node->child_count; i++) {
        if (!take_all(found, node->children[i]))
            return false;
    }
    return true;
}

bool sp_keychange_filter_holds_key(const sp_pattern_t *pattern, const sp_node_t *root)
{
    found_t found = {.pattern = pattern};
    return take_all(&found, root) && found.count == pattern->field_count;
}
