#include "path_relation.h"

sp_path_relation_t sp_path_relate(const char *path, const char *other)
{
    while (*path != '\0' && *path == *other) {
        path++;
        other++;
    }
    if (*path == '\0' && *other == '\0')
        return SP_PATHS_SAME;
    if (*path == '\0' && *other == '.')
        return SP_PATHS_ABOVE;
    if (*other == '\0' && *path == '.')
        return SP_PATHS_BELOW;
    return SP_PATHS_APART;
}
