/*
 * Any document as JSON text, also one that is broken.
 */
#ifndef SHARDPROOF_DOCUMENT_JSON_H
#define SHARDPROOF_DOCUMENT_JSON_H

#include <bson/bson.h>
#include <stddef.h>

/* `document` as one line of canonical Extended JSON v2 (oracles/extjson.h), or as
 * {"bson": "<base64 of the bytes>"} where that cannot be: the bytes are no BSON, or it is nested
 * deeper than SP_DEPTH_MAX. Always valid JSON in valid UTF-8. `size` may be NULL. To be freed with
 * bson_free. */
char *sp_document_json(const bson_t *document, size_t *size);

#endif
