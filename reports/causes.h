/*
 * Differences by their cause, where the observed answer names one ({cause: "…"}).
 *
 * All are counted. Of each cause the smallest case is kept as its example, whether or not it is
 * among the findings that are kept. What is counted and kept is the same for any sequence in which
 * the differences come.
 */
#ifndef SHARDPROOF_CAUSES_H
#define SHARDPROOF_CAUSES_H

#include "kept.h"

/* Of more causes than this, those first by alphabet are told apart, and the others counted as one:
 * which causes came first or most often so far would depend on the sequence. */
#define SP_CAUSES_MAX 1000

typedef struct sp_cause {
    char *text; /* NULL: all causes beyond SP_CAUSES_MAX */
    uint64_t count;
    sp_kept_t *example;
    size_t example_size; /* of its case, in bytes of JSON */
} sp_cause_t;

typedef struct sp_causes {
    sp_cause_t *named[SP_CAUSES_MAX]; /* sorted by text */
    size_t size;
    sp_cause_t *others; /* or NULL */
} sp_causes_t;

/* The cause that an observed answer names, or NULL; good as long as `observed` is. */
const char *sp_cause_of(const bson_t *observed);

/* Counts a difference; one that names no cause is left out. */
void sp_causes_add(sp_causes_t *causes, const sp_finding_t *finding);

/* Frees what the causes hold. */
void sp_causes_clear(sp_causes_t *causes);

/* All causes, the most frequent first and the others last: *count of them. The array is to be freed
 * with bson_free, its elements stay the causes' own. */
const sp_cause_t **sp_causes_sorted(const sp_causes_t *causes, size_t *count);

/* Whether the example of any cause is of that scene and check. */
bool sp_causes_keep(const sp_causes_t *causes, uint64_t scene, uint32_t check);

#endif
