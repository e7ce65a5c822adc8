#include "test_harness_common.h"

#include "../harness/servers/files.h"
#include "../oracles/extjson.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int sp_test_folder_make(void **state)
{
    char *folder = bson_strdup("/tmp/shardproof-test-XXXXXX");
    if (mkdtemp(folder) == NULL)
        return -1;
    *state = folder;
    return 0;
}

int sp_test_folder_remove(void **state)
{
    bool ok = sp_files_remove(*state, NULL);
    bson_free(*state);
    return ok ? 0 : -1;
}

char *sp_test_in(void **state, const char *name)
{
    return bson_strdup_printf("%s/%s", (const char *)*state, name);
}

char *sp_test_file(void **state, const char *name, const void *data, size_t size)
{
    char *path = sp_test_in(state, name);
    char *folder = bson_strndup(path, (size_t)(strrchr(path, '/') - path));
    assert_true(sp_files_make_folder(folder, NULL));
    FILE *file = fopen(path, "we");
    assert_non_null(file);
    assert_int_equal(fwrite(data, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
    bson_free(folder);
    return path;
}

char *sp_test_text(void **state, const char *name, const char *text)
{
    return sp_test_file(state, name, text, strlen(text));
}

bson_t *sp_test_doc(const char *json)
{
    sp_error_t error = {0};
    bson_t doc;
    if (!sp_json_read(json, strlen(json), &doc, &error))
        fail_msg("%s: %s", json, error.message);
    bson_t *copy = bson_copy(&doc); /* on the heap a bson_t needs more alignment than malloc's */
    bson_destroy(&doc);
    return copy;
}

void sp_test_assert_doc(const bson_t *doc, const char *json)
{
    bson_t *wanted = sp_test_doc(json);
    char *is = sp_json_write(doc, NULL);
    char *should = sp_json_write(wanted, NULL);
    assert_non_null(is);
    assert_non_null(should);
    assert_string_equal(is, should);
    assert_true(bson_equal(doc, wanted));
    bson_free(is);
    bson_free(should);
    bson_destroy(wanted);
}
