/*
 * The documents of a case, inserted through a router, and what became of each.
 *
 * Each is marked with its number in a field of its own, since its own _id may be anything.
 */
#ifndef SHARDPROOF_DOCUMENTS_H
#define SHARDPROOF_DOCUMENTS_H

#include "fates.h"

/* Inserts the documents of the array `docs` through `router`, not in order, and notes in `fates`,
 * one for each, which were refused. SP_ERROR_SERVER where a refusal says nothing about the document
 * (sp_code_is_trouble). */
bool sp_documents_insert(sp_session_t *session, sp_conn_t *router, const char *collection,
                         const bson_iter_t *docs, sp_fate_t *fates, uint32_t count,
                         sp_error_t *error);

/* Appends `projection`, the marker alone, and what makes a find end with its first batch though it
 * finds all of `count` documents several times. */
void sp_documents_append_options(bson_t *find, uint32_t count);

/* Adds to times[i] for each document i in the reply to a find with these options. SP_ERROR_INFRA
 * where the reply is none, or has a document in it that was not inserted. */
bool sp_documents_count(const bson_t *reply, uint32_t *times, uint32_t count, sp_error_t *error);

#endif
