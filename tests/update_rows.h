/*
 * What updates make of documents, as tables.
 */
#ifndef SHARDPROOF_UPDATE_ROWS_H
#define SHARDPROOF_UPDATE_ROWS_H

#include <stddef.h>
#include <stdint.h>

typedef enum sp_update_outcome {
    SP_UPDATE_DONE,    /* and counted as modified */
    SP_UPDATE_NO_OP,   /* done, not counted */
    SP_UPDATE_REFUSED, /* whatever the document */
    SP_UPDATE_FAILED,  /* for this document */
} sp_update_outcome_t;

typedef struct sp_update_row {
    const char *doc, *update; /* single quotes; the update an object or an array */
    sp_update_outcome_t outcome;
    int32_t code;
    const char *after; /* where it is done */
} sp_update_row_t;

/* Fails the test at the first row that the model sees otherwise, as 6.0.5 or as 6.0.27. */
void sp_assert_update_rows(const sp_update_row_t *rows, size_t count);

#endif
