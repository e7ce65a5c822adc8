#include "shard_plan.h"

#include "collation.h"
#include "plan.h"

#include <string.h>

static bool is_id(const sp_parsed_query_t *parsed, const sp_node_t *node)
{
    return node->kind == SP_NODE_EQ && strcmp(node->path, "_id") == 0 &&
           (parsed->simple || !sp_collation_concerns(node->value.type));
}

static bool goes_by_id(const sp_parsed_query_t *parsed)
{
    const sp_node_t *root = parsed->root;
    bool found = is_id(parsed, root);
    for (unsigned i = 0; root->kind == SP_NODE_AND && i < root->child_count; i++)
        found = found || is_id(parsed, root->children[i]);
    return found;
}

static bool plan(sp_planner_t *planner, const sp_pattern_t *pattern, const sp_node_t *root,
                 sp_error_t *error)
{
    planner->pattern = pattern;
    int32_t refused = sp_plan_refusal(planner, root);
    return refused == 0 || sp_error_set(error, SP_ERROR_RULE, refused, "at the shard: %s",
                                        sp_plan_refusal_text(refused));
}

bool sp_shard_plans(sp_arena_t *arena, sp_hasher_t *hasher, sp_version_t version,
                    const sp_layout_t *layout, const sp_parsed_query_t *parsed, sp_error_t *error)
{
    char text[] = "_id", parts[] = "_id";
    sp_pattern_t id = {.field_count = 1, .hashed = -1};
    id.fields[0] = (sp_path_t){text, sizeof text - 1, parts, 1};
    sp_planner_t planner = {
        .arena = arena, .hasher = hasher, .version = version, .simple = parsed->simple};
    return goes_by_id(parsed) || (plan(&planner, layout->pattern, parsed->root, error) &&
                                  plan(&planner, &id, parsed->root, error));
}
