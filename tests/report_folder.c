#include "report_folder.h"

#include <bson/bson.h>
#include <dirent.h>
#include <ftw.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

char *folder_path(const char *folder, const char *name)
{
    return bson_strdup_printf("%s/%s", folder, name);
}

char *folder_new(void)
{
    const char *base = getenv("TMPDIR");
    char *folder = folder_path(base == NULL ? "/tmp" : base, "shardproof-test-XXXXXX");
    assert_non_null(mkdtemp(folder));
    return folder;
}

static int remove_one(const char *path, const struct stat *info, int kind, struct FTW *walk)
{
    (void)info;
    (void)kind;
    (void)walk;
    return remove(path);
}

void folder_remove(char *folder)
{
    assert_int_equal(nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS), 0);
    bson_free(folder);
}

int folder_entries(const char *folder, const char *name)
{
    char *path = folder_path(folder, name);
    DIR *dir = opendir(path);
    bson_free(path);
    if (dir == NULL)
        return -1;
    int entries = 0;
    for (const struct dirent *entry = readdir(dir); entry != NULL; entry = readdir(dir)) {
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            entries++;
    }
    closedir(dir);
    return entries;
}

char *folder_read(const char *folder, const char *name)
{
    char *path = folder_path(folder, name);
    FILE *in = fopen(path, "rbe");
    bson_free(path);
    if (in == NULL)
        return NULL;
    bson_string_t *text = bson_string_new(NULL);
    for (int c = getc(in); c != EOF; c = getc(in))
        bson_string_append_c(text, (char)c);
    fclose(in);
    return bson_string_free(text, false);
}

void folder_put(const char *folder, const char *name, const char *text)
{
    char *path = folder_path(folder, name);
    FILE *out = fopen(path, "wbe");
    bson_free(path);
    assert_non_null(out);
    assert_true(fputs(text, out) >= 0);
    assert_int_equal(fclose(out), 0);
}
