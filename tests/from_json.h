/*
 * Documents and values for tests from Extended JSON, in which single quotes stand for double ones.
 */
#ifndef SHARDPROOF_FROM_JSON_H
#define SHARDPROOF_FROM_JSON_H

#include "../oracles/value.h"

/* Fails the test where the text cannot be read. Free it with bson_destroy. */
bson_t *sp_doc_from(const char *text);

/* The value that `text` is; it borrows from *holder, which the caller frees with bson_destroy. */
sp_value_t sp_value_from(const char *text, bson_t **holder);

/* The document as Extended JSON with single quotes; free it with bson_free. */
char *sp_text_of(const bson_t *doc);

#endif
