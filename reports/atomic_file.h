/*
 * Files that are there whole or not at all, and the folders for them.
 */
#ifndef SHARDPROOF_ATOMIC_FILE_H
#define SHARDPROOF_ATOMIC_FILE_H

#include "../oracles/error.h"

#include <stddef.h>

/* Makes `path` a file that holds `data`. Whoever looks sees the old file or the whole new one, also
 * after a crash; on failure the old one stays as it was. A link at `path` is replaced, not
 * followed; anything else that is no regular file is refused. SP_ERROR_SYSTEM, with errno as its
 * code, names the path. */
bool sp_write_file(const char *path, const char *data, size_t size, sp_error_t *error);

/* The same for many files, which would take long if each waited for the disk: a crash of the
 * machine may leave an empty file until sp_sync_folder was called. */
bool sp_write_file_unsynced(const char *path, const char *data, size_t size, sp_error_t *error);

/* Waits until all that was written below the folder `path` is on the disk. */
bool sp_sync_folder(const char *path, sp_error_t *error);

/* Makes the folder `path` and those above it where they are missing; fine where it is there
 * already. SP_ERROR_SYSTEM as above. */
bool sp_make_folders(const char *path, sp_error_t *error);

#endif
