/*
 * A tally: how often each kind came, for kinds that are named by a dimension and a name.
 *
 * Meant to be filled by one thread and merged at its end.
 */
#ifndef SHARDPROOF_TALLY_H
#define SHARDPROOF_TALLY_H

#include <stddef.h>
#include <stdint.h>

typedef struct sp_tally sp_tally_t;

typedef struct sp_tally_entry {
    const char *dimension, *name; /* the tally's own */
    uint64_t count;
} sp_tally_entry_t;

/* More kinds than this are counted as SP_TALLY_OTHERS of their dimension. */
#define SP_TALLY_MAX    4096
#define SP_TALLY_OTHERS "others"

sp_tally_t *sp_tally_new(void);
void sp_tally_free(sp_tally_t *tally); /* NULL is fine */

void sp_tally_add(sp_tally_t *tally, const char *dimension, const char *name, uint64_t count);
void sp_tally_merge(sp_tally_t *into, const sp_tally_t *from);

/* Sorts by dimension and name, and gives all entries: *count of them, good until something is
 * added. */
const sp_tally_entry_t *sp_tally_entries(sp_tally_t *tally, size_t *count);

#endif
