/*
 * Small helpers for files and folders. Strings returned are freed with bson_free.
 */
#ifndef SHARDPROOF_FILES_H
#define SHARDPROOF_FILES_H

#include "../../oracles/error.h"

#include <stddef.h>
#include <stdint.h>

/* Makes the folder and those above it, for this user only. Fine where it exists. */
bool sp_files_make_folder(const char *path, sp_error_t *error);

/* Removes a file or a whole folder, without following symbolic links. Fine where it does not exist.
 */
bool sp_files_remove(const char *path, sp_error_t *error);

/* Writes `text` so that a reader sees either the old file or the whole new one. */
bool sp_files_write(const char *path, const char *text, sp_error_t *error);

/* The whole file; NULL where it cannot be read or is longer than `limit` bytes. */
char *sp_files_read(const char *path, size_t limit, sp_error_t *error);

/* The last `limit` bytes at most; NULL where it cannot be read. */
char *sp_files_tail(const char *path, size_t limit);

/* Copies the last `limit` bytes of `from` to the new file `to`. */
bool sp_files_copy_tail(const char *from, const char *to, size_t limit, sp_error_t *error);

/* Says whether the file system that holds the existing folder `path` has `need_mb` MiB left; else
 * SP_ERROR_SYSTEM and ENOSPC with both numbers and `remedy`. */
bool sp_files_check_space(const char *path, uint64_t need_mb, const char *remedy,
                          sp_error_t *error);

#endif
