#include "fuzz_check.h"

#include "../oracles/extjson.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void sp_fuzz_check(bool holds, const char *rule, const bson_t *scene)
{
    if (holds)
        return;
    char *text = sp_json_write(scene, NULL);
    fprintf(stderr, "\nbroken rule: %s\ncase: %s\n", rule, text != NULL ? text : "(broken BSON)");
    bson_free(text);
    abort();
}

void sp_fuzz_check_scene(const bson_t *scene)
{
    sp_error_t error = {0};
    if (!sp_document_check(scene, &error))
        sp_fuzz_check(false, error.message, scene);

    size_t size;
    char *text = sp_json_write(scene, &size);
    sp_fuzz_check(text != NULL, "a case can be written", scene);
    bson_t again;
    if (!sp_json_read(text, size, &again, &error))
        sp_fuzz_check(false, error.message, scene);
    sp_fuzz_check(again.len == scene->len &&
                      memcmp(bson_get_data(&again), bson_get_data(scene), scene->len) == 0,
                  "a case reads back as it was written", scene);
    bson_destroy(&again);
    bson_free(text);
}

sp_value_t sp_fuzz_value(const bson_t *doc, const char *name)
{
    bson_iter_t iter;
    bool found = bson_iter_init_find(&iter, doc, name);
    assert(found);
    return sp_value_of(&iter);
}
