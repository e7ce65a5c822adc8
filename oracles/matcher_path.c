#include "matcher_path.h"

#include <string.h>

typedef struct walk {
    sp_leaf_arrays_t leaf_arrays;
    sp_path_visit_t *visit;
    void *data;
} walk_t;

static bool visit_missing(const walk_t *walk)
{
    const sp_value_t missing = {.type = BSON_TYPE_EOD};
    return walk->visit(&missing, walk->data);
}

static bool visit_leaf(const walk_t *walk, const sp_value_t *value)
{
    bson_iter_t iter;
    if (walk->leaf_arrays == SP_LEAF_ELEMENTS && value->type == BSON_TYPE_ARRAY &&
        sp_value_children(value, &iter)) {
        while (bson_iter_next(&iter)) {
            sp_value_t element = sp_value_of(&iter);
            if (walk->visit(&element, walk->data))
                return true;
        }
    }
    return walk->visit(value, walk->data);
}

/* The rest of `path` behind its first part; NULL where there is none. */
static const char *rest_of(const char *path, size_t *part_size)
{
    *part_size = strcspn(path, ".");
    return path[*part_size] == '.' ? path + *part_size + 1 : NULL;
}

static bool is_part(const char *name, const char *path, size_t part_size)
{
    return strncmp(name, path, part_size) == 0 && name[part_size] == '\0';
}

static bool walk_object(const walk_t *walk, const sp_value_t *object, const char *path);
static bool walk_array(const walk_t *walk, const sp_value_t *array, const char *path);

/* `path` is what is left behind `value`; NULL: nothing. */
static bool walk_on(const walk_t *walk, const sp_value_t *value, const char *path)
{
    if (path == NULL)
        return visit_leaf(walk, value);
    if (value->type == BSON_TYPE_DOCUMENT)
        return walk_object(walk, value, path);
    if (value->type == BSON_TYPE_ARRAY)
        return walk_array(walk, value, path);
    return visit_missing(walk);
}

static bool walk_object(const walk_t *walk, const sp_value_t *object, const char *path)
{
    size_t part_size;
    const char *rest = rest_of(path, &part_size);
    bson_iter_t iter;
    if (!sp_value_children(object, &iter))
        return false;
    while (bson_iter_next(&iter)) {
        if (!is_part(bson_iter_key(&iter), path, part_size))
            continue;
        sp_value_t value = sp_value_of(&iter);
        return walk_on(walk, &value, rest);
    }
    return visit_missing(walk);
}

/* The element that the path has the number of: at its end it counts as it is, and what is neither
 * object nor array has nothing below, not even something missing. */
static bool walk_element(const walk_t *walk, const sp_value_t *element, const char *path)
{
    if (path == NULL)
        return walk->visit(element, walk->data);
    if (element->type == BSON_TYPE_DOCUMENT)
        return walk_object(walk, element, path);
    return element->type == BSON_TYPE_ARRAY && walk_array(walk, element, path);
}

static bool walk_array(const walk_t *walk, const sp_value_t *array, const char *path)
{
    size_t part_size;
    const char *rest = rest_of(path, &part_size);
    bson_iter_t iter;
    if (*path == '\0') /* behind a dot at the very end */
        return visit_leaf(walk, array);
    if (!sp_value_children(array, &iter))
        return false;
    while (bson_iter_next(&iter)) {
        sp_value_t element = sp_value_of(&iter);
        if (element.type == BSON_TYPE_DOCUMENT && walk_object(walk, &element, path))
            return true;
        if (is_part(bson_iter_key(&iter), path, part_size) && walk_element(walk, &element, rest))
            return true;
    }
    return false;
}

bool sp_path_walk(const sp_value_t *document, const char *path, sp_leaf_arrays_t leaf_arrays,
                  sp_path_visit_t *visit, void *data)
{
    const walk_t walk = {leaf_arrays, visit, data};
    return walk_object(&walk, document, path);
}
