/*
 * What the tests of the servers share: a folder of their own, used as cache and for temporary
 * files, so that no test sees another's clusters.
 */
#ifndef SHARDPROOF_TEST_SERVERS_COMMON_H
#define SHARDPROOF_TEST_SERVERS_COMMON_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../harness/servers/process.h"

#include <stdbool.h>

/* cmocka set-up and tear-down: *state becomes the path of an empty folder; $TMPDIR is that folder
 * and $SHARDPROOF_CACHE the folder "cache" in it. Afterwards all is removed. */
int sp_test_enter(void **state);
int sp_test_leave(void **state);

/* `folder`/`name`; freed with bson_free. */
char *sp_test_path(void **state, const char *name);

/* The path of a file that lies beside the tests' sources; freed with bson_free. */
char *sp_test_source(const char *name);

/* Writes a file with these permissions. */
void sp_test_write(const char *path, const char *text, unsigned mode);

bool sp_test_exists(const char *path);

/* How many entries of the folder have a name that begins with `prefix`; 0 where there is no folder.
 */
unsigned sp_test_count(const char *folder, const char *prefix);

/* Waits up to 20 s until the process has ended; says whether it has. */
bool sp_test_gone(const sp_process_t *process);

/* Of the servers that this test started nothing may be left: no process, folder or record. */
void sp_test_assert_nothing_left(void **state);

#endif
