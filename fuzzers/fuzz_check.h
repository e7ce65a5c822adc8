/*
 * What the fuzz targets share: how a broken rule ends a run, and the rules that every generated
 * case obeys.
 */
#ifndef SHARDPROOF_FUZZ_CHECK_H
#define SHARDPROOF_FUZZ_CHECK_H

#include "../oracles/value.h"

/* Called by the fuzzing engine for each input; always 0. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Where `holds` is false, prints the rule and the case that breaks it, as one line of Extended
 * JSON, and aborts, which is how the engine learns of it. */
void sp_fuzz_check(bool holds, const char *rule, const bson_t *scene);

/* The scene passes sp_document_check, and reads back from its Extended JSON byte by byte. */
void sp_fuzz_check_scene(const bson_t *scene);

/* The value of the field `name`, which must be there. Borrowed. */
sp_value_t sp_fuzz_value(const bson_t *doc, const char *name);

#endif
