/*
 * Case files: JSON lines named *.json or *.jsonl, alone or in folders.
 */
#ifndef SHARDPROOF_CORPUS_H
#define SHARDPROOF_CORPUS_H

#include "lines.h"

/* Called for each case, with where it stands for messages; false ends the walk. */
typedef bool (*sp_case_fn)(void *context, const bson_t *test, const char *file, unsigned line);
/* Called for each line or file that cannot be read, and where there is no case at all, which is
 * rather a mistake than a success; the walk goes on. */
typedef void (*sp_broken_fn)(void *context, const sp_error_t *error);

/* Walks `path`: a file or pipe, whatever its name, or a folder with all that is below it, in the
 * order of names. False where a call of `on_case` ended it. */
bool sp_corpus_walk(const char *path, sp_case_fn on_case, sp_broken_fn on_broken, void *context);

#endif
