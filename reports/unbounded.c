#include "unbounded.h"

#include <string.h>

/* How the filter speaks of a field. */
typedef struct mention {
    bool named, in_branch; /* in_branch: under an $or */
    bool relative;         /* a field above or below is named */
} mention_t;

/* Where `path` leads to `field` or above it, what is left of the field's path, "" for nothing; else
 * NULL. */
static const char *rest_of(const char *field, const char *path)
{
    size_t size = strlen(path);
    if (strncmp(field, path, size) != 0)
        return NULL;
    if (field[size] == '\0')
        return field + size;
    return field[size] == '.' ? field + size + 1 : NULL;
}

static void look_at_path(const char *path, const char *field, bool in_branch, mention_t *mention)
{
    const char *rest = rest_of(field, path);
    if (rest != NULL && *rest == '\0') {
        mention->named = true;
        mention->in_branch = mention->in_branch || in_branch;
    } else if (rest != NULL || rest_of(path, field) != NULL) {
        mention->relative = true;
    }
}

static void look(const sp_node_t *node, const char *field, bool in_branch, mention_t *mention)
{
    if (node->kind == SP_NODE_ELEM_MATCH_OBJECT) {
        const char *rest = rest_of(field, node->path);
        if (rest == NULL || *rest == '\0') {
            look_at_path(node->path, field, in_branch, mention);
            return;
        }
        field = rest;
    } else if (node->path != NULL) {
        look_at_path(node->path, field, in_branch, mention);
        return;
    }
    for (unsigned i = 0; i < node->child_count; i++)
        look(node->children[i], field, in_branch || node->kind == SP_NODE_OR, mention);
}

/* Plans for an index on that field alone: what would be, were it the first. */
static bool plan_alone(const sp_planner_t *planner, unsigned field, bool simple, bool hashed,
                       const sp_node_t *root, sp_intervals_t *intervals)
{
    sp_pattern_t alone = {
        .field_count = 1, .fields = {planner->pattern->fields[field]}, .hashed = hashed ? 0 : -1};
    sp_planner_t other = *planner;
    other.pattern = &alone;
    other.simple = simple;
    other.refused = NULL; /* by an index that there is not: no matter */
    sp_bounds_t bounds;
    bool bounded = sp_plan_bounds(&other, root, &bounds);
    *intervals = bounds.fields[0];
    return bounded;
}

sp_unbounded_t sp_unbounded_reason(const sp_planner_t *planner, const sp_node_t *root, bool leading,
                                   unsigned field)
{
    bool hashed = (int)field == planner->pattern->hashed;
    sp_intervals_t intervals;
    mention_t mention = {0};
    if (root->kind == SP_NODE_ALWAYS_FALSE)
        return SP_UNBOUNDED_NEVER;
    if (plan_alone(planner, field, planner->simple, hashed, root, &intervals)) {
        if (sp_intervals_are_everything(&intervals))
            return SP_UNBOUNDED_EVERYTHING;
        return leading ? SP_UNBOUNDED_BESIDE : SP_UNBOUNDED_FIRST;
    }
    if (!planner->simple && plan_alone(planner, field, true, hashed, root, &intervals))
        return SP_UNBOUNDED_COLLATION;
    if (hashed && plan_alone(planner, field, true, false, root, &intervals))
        return SP_UNBOUNDED_HASHED;
    look(root, planner->pattern->fields[field].text, false, &mention);
    if (mention.named)
        return mention.in_branch ? SP_UNBOUNDED_BRANCHES : SP_UNBOUNDED_NO_LOOKUP;
    return mention.relative ? SP_UNBOUNDED_RELATIVE : SP_UNBOUNDED_UNNAMED;
}
