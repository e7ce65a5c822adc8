/*
 * Where things are kept between runs.
 */
#ifndef SHARDPROOF_PATHS_H
#define SHARDPROOF_PATHS_H

#include "../../oracles/error.h"

/* The cache folder, as an absolute path: $SHARDPROOF_CACHE, else $XDG_CACHE_HOME/shardproof, else
 * ~/.cache/shardproof. Empty variables count as unset, and so does a relative $XDG_CACHE_HOME, as
 * its specification asks. The folder need not exist. NULL and SP_ERROR_SYSTEM where there is no
 * home either. The caller frees it with bson_free. */
char *sp_paths_cache(sp_error_t *error);

/* `name` inside the cache folder, made as a folder where it is missing. */
char *sp_paths_cache_folder(const char *name, sp_error_t *error);

/* The folder for temporary files, as an absolute path: `wanted` if not NULL, else $TMPDIR, else
 * /tmp. */
char *sp_paths_tmp(const char *wanted, sp_error_t *error);

/* The full path of the program `name`, looked for in $PATH unless it has a slash itself. NULL where
 * there is none that can be executed. */
char *sp_paths_program(const char *name);

#endif
