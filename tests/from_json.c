#include "from_json.h"

#include "../oracles/extjson.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void swap_quotes(char *text, char from, char to)
{
    for (; *text != '\0'; text++) {
        if (*text == from)
            *text = to;
    }
}

bson_t *sp_doc_from(const char *text)
{
    char *json = bson_strdup(text);
    swap_quotes(json, '\'', '"');
    bson_t read;
    sp_error_t error = {0};
    if (!sp_json_read(json, strlen(json), &read, &error))
        fail_msg("the test's own text %s cannot be read: %s", text, error.message);
    bson_t *doc = bson_copy(&read);
    bson_destroy(&read);
    bson_free(json);
    return doc;
}

sp_value_t sp_value_from(const char *text, bson_t **holder)
{
    char *whole = bson_strdup_printf("{'v': %s}", text);
    *holder = sp_doc_from(whole);
    bson_free(whole);
    bson_iter_t iter;
    assert_true(bson_iter_init_find(&iter, *holder, "v"));
    return sp_value_of(&iter);
}

char *sp_text_of(const bson_t *doc)
{
    char *text = sp_json_write(doc, NULL);
    assert_non_null(text);
    swap_quotes(text, '"', '\'');
    return text;
}
