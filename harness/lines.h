/*
 * JSON lines: one document a line, from a file or standard input.
 */
#ifndef SHARDPROOF_LINES_H
#define SHARDPROOF_LINES_H

#include "../oracles/error.h"

#include <bson/bson.h>
#include <stdio.h>

typedef struct sp_lines {
    FILE *file;
    const char *name; /* for messages */
    unsigned number;  /* of the line read last, from 1 */
    char *buffer;
    size_t capacity;
    size_t size;
    bool failed; /* reading went wrong: nothing more will come */
} sp_lines_t;

typedef enum sp_line {
    SP_LINE_END,    /* no more lines */
    SP_LINE_READ,   /* `doc` holds a sound document */
    SP_LINE_BROKEN, /* `error` says file, line and what is wrong; reading can go on */
} sp_line_t;

/* `file` and `name` stay the caller's. */
void sp_lines_init(sp_lines_t *lines, FILE *file, const char *name);
void sp_lines_clear(sp_lines_t *lines);

/* The next line that is not blank. `doc` is initialised in any case; the caller destroys it. A file
 * that cannot be read on gives SP_LINE_BROKEN once and then SP_LINE_END. */
sp_line_t sp_lines_next(sp_lines_t *lines, bson_t *doc, sp_error_t *error);

#endif
