/*
 * The form of a cluster's record. See registry.h for what it is for.
 */
#ifndef SHARDPROOF_RECORD_H
#define SHARDPROOF_RECORD_H

#include "registry.h"

/* The record as JSON, with where it was written; the caller frees it with bson_free. */
char *sp_record_to_json(const sp_record_t *record);

/* Reads what sp_record_to_json wrote into `record`, to be cleared with sp_record_clear. `file` is
 * the name the record must have by its id. SP_ERROR_INPUT for anything else; nothing needs clearing
 * then. */
bool sp_record_from_json(const char *text, const char *file, sp_record_t *record,
                         sp_error_t *error);

#endif
