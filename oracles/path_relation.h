/*
 * How two dotted paths lie to one another.
 */
#ifndef SHARDPROOF_PATH_RELATION_H
#define SHARDPROOF_PATH_RELATION_H

typedef enum sp_path_relation {
    SP_PATHS_APART,
    SP_PATHS_SAME,
    SP_PATHS_ABOVE, /* a is above a.b */
    SP_PATHS_BELOW
} sp_path_relation_t;

/* Where `path` lies, seen from `other`. */
sp_path_relation_t sp_path_relate(const char *path, const char *other);

#endif
