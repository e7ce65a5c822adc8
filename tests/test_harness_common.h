/*
 * What the harness' tests share: a folder of their own, files in it, and documents written as JSON.
 */
#ifndef SHARDPROOF_TEST_HARNESS_COMMON_H
#define SHARDPROOF_TEST_HARNESS_COMMON_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <bson/bson.h>
#include <stdbool.h>

/* cmocka set-up and tear-down: *state becomes the path of an empty folder, removed afterwards. */
int sp_test_folder_make(void **state);
int sp_test_folder_remove(void **state);

/* `folder`/`name`; freed with bson_free. */
char *sp_test_in(void **state, const char *name);

/* Writes `size` bytes to a file in the folder, making the folders above it, and returns its path,
 * to be freed with bson_free. */
char *sp_test_file(void **state, const char *name, const void *data, size_t size);
char *sp_test_text(void **state, const char *name, const char *text);

/* A document from Extended JSON, to be destroyed; the test fails where it is none. */
bson_t *sp_test_doc(const char *json);

/* The test fails where the document is not exactly that, byte for byte. */
void sp_test_assert_doc(const bson_t *doc, const char *json);

#endif
