#include "test_servers_common.h"

#include "../harness/servers/files.h"

#include <bson/bson.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

int sp_test_enter(void **state)
{
    char *folder = bson_strdup("/tmp/shardproof-test-XXXXXX");
    if (mkdtemp(folder) == NULL)
        return -1;
    char *cache = bson_strdup_printf("%s/cache", folder);
    setenv("TMPDIR", folder, 1);
    setenv("SHARDPROOF_CACHE", cache, 1);
    bson_free(cache);
    *state = folder;
    return 0;
}

int sp_test_leave(void **state)
{
    bool ok = sp_files_remove(*state, NULL);
    bson_free(*state);
    unsetenv("TMPDIR");
    unsetenv("SHARDPROOF_CACHE");
    return ok ? 0 : -1;
}

char *sp_test_path(void **state, const char *name)
{
    return bson_strdup_printf("%s/%s", (const char *)*state, name);
}

char *sp_test_source(const char *name)
{
    return bson_strdup_printf("%s/%s", SP_TEST_FOLDER, name);
}

void sp_test_write(const char *path, const char *text, unsigned mode)
{
    FILE *file = fopen(path, "we");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(chmod(path, mode), 0);
}

bool sp_test_exists(const char *path)
{
    struct stat about;
    return lstat(path, &about) == 0;
}

unsigned sp_test_count(const char *folder, const char *prefix)
{
    unsigned count = 0;
    DIR *open_folder = opendir(folder);
    if (open_folder == NULL)
        return 0;
    struct dirent *entry;
    while ((entry = readdir(open_folder)) != NULL)
        if (entry->d_name[0] != '.' && strncmp(entry->d_name, prefix, strlen(prefix)) == 0)
            count++;
    closedir(open_folder);
    return count;
}

bool sp_test_gone(const sp_process_t *process)
{
    for (int i = 0; i < 2000; i++) {
        if (!sp_process_alive(process))
            return true;
        nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
    }
    return false;
}

void sp_test_assert_nothing_left(void **state)
{
    sp_process_t found;
    char *records = sp_test_path(state, "cache/clusters");
    assert_int_equal(sp_test_count(*state, "shardproof-"), 0);
    assert_int_equal(sp_test_count(records, ""), sp_test_count(records, "lock"));
    assert_int_equal(sp_process_find(*state, &found, 1), 0);
    bson_free(records);
}
