#include "kinds_areas.h"

#include <string.h>

/* The kinds of each area are a part of one list. A write has no outcome "some shards": one that is
 * for more than one shard goes to all of them. */
static const sp_kind_t kinds[] = {
    /* find alone */
    {"operation", "find"},
    {"operation", "aggregate"},
    {"outcome", "some shards"},
    /* both */
    SP_KINDS_KEY_SHAPES,
    {"operator", "equality"},
    {"operator", "regex value"},
    {"operator", "$eq"},
    {"operator", "$gt"},
    {"operator", "$gte"},
    {"operator", "$lt"},
    {"operator", "$lte"},
    {"operator", "$ne"},
    {"operator", "$in"},
    {"operator", "$nin"},
    {"operator", "$and"},
    {"operator", "$or"},
    {"operator", "$nor"},
    {"operator", "$not"},
    {"operator", "$exists"},
    {"operator", "$type"},
    {"operator", "$mod"},
    {"operator", "$regex"},
    {"operator", "$options"},
    {"operator", "$all"},
    {"operator", "$elemMatch"},
    {"operator", "$size"},
    {"collation", "none"},
    {"collation", "collection's"},
    {"collation", "same as collection's"},
    {"collation", "simple"},
    {"collation", "other"},
    {"outcome", "one shard"},
    {"outcome", "all shards"},
    {"outcome", "error 2"},
    {"outcome", "error 51091"},
    /* write alone */
    {"operation", "updateOne"},
    {"operation", "updateMany"},
    {"operation", "upsert"},
    {"operation", "replaceOne"},
    {"operation", "deleteOne"},
    {"operation", "deleteMany"},
    {"outcome", "error 61"},
    {"outcome", "error 72"},
};

enum { KINDS = sizeof kinds / sizeof *kinds, FIND_ALONE = 3, WRITE_ALONE = 8 };

const sp_kind_t *sp_kinds_declared_query(const char *area, unsigned *count)
{
    if (strcmp(area, "find") == 0) {
        *count = KINDS - WRITE_ALONE;
        return kinds;
    }
    if (strcmp(area, "write") == 0) {
        *count = KINDS - FIND_ALONE;
        return kinds + FIND_ALONE;
    }
    *count = 0;
    return NULL;
}
