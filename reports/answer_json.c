#include "answer_json.h"

#include "../oracles/value.h"
#include "document_json.h"

#include <cjson/cJSON.h>

#include <string.h>

static cJSON *convert(const bson_iter_t *iter);

static void convert_children(const bson_iter_t *iter, cJSON *parent, bool named)
{
    bson_iter_t child;
    if (!bson_iter_recurse(iter, &child))
        return;
    while (bson_iter_next(&child)) {
        if (named)
            cJSON_AddItemToObject(parent, bson_iter_key(&child), convert(&child));
        else
            cJSON_AddItemToArray(parent, convert(&child));
    }
}

/* What is said about an answer holds texts, small numbers, arrays and documents only. */
static cJSON *convert(const bson_iter_t *iter)
{
    cJSON *json = NULL;
    if (BSON_ITER_HOLDS_UTF8(iter)) {
        json = cJSON_CreateString(bson_iter_utf8(iter, NULL));
    } else if (BSON_ITER_HOLDS_BOOL(iter)) {
        json = cJSON_CreateBool(bson_iter_bool(iter));
    } else if (BSON_ITER_HOLDS_NUMBER(iter)) {
        json = cJSON_CreateNumber((double)bson_iter_as_int64(iter));
    } else if (BSON_ITER_HOLDS_ARRAY(iter)) {
        json = cJSON_CreateArray();
        convert_children(iter, json, false);
    } else if (BSON_ITER_HOLDS_DOCUMENT(iter)) {
        json = cJSON_CreateObject();
        convert_children(iter, json, true);
    } else {
        json = cJSON_CreateNull();
    }
    return json;
}

/* Chunk bounds, keys and documents, whose values may be anything; names, codes and places are not.
 */
static bool holds_values(const bson_iter_t *iter)
{
    static const char *const plain[] = {"error", "shards", "codes", "missing", "extra"};
    bool is_plain = false;
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
        is_plain = is_plain || strcmp(bson_iter_key(iter), plain[i]) == 0;
    return !is_plain && (BSON_ITER_HOLDS_ARRAY(iter) || BSON_ITER_HOLDS_DOCUMENT(iter));
}

/* As canonical Extended JSON, verbatim: a cJSON string would end at the first NUL. */
static cJSON *convert_values(const bson_iter_t *iter)
{
    static const char before[] = "{\"value\": ";
    bson_t holder = BSON_INITIALIZER;
    size_t size;
    sp_value_t value = sp_value_of(iter);
    sp_value_append(&holder, "value", &value);
    char *text = sp_document_json(&holder, &size);
    cJSON *json = NULL;
    if (strncmp(text, before, strlen(before)) == 0) {
        text[size - 1] = '\0'; /* the brace that closes `holder` */
        json = cJSON_CreateRaw(text + strlen(before));
    }
    bson_free(text);
    bson_destroy(&holder);
    return json != NULL ? json : cJSON_CreateNull();
}

char *sp_answer_json(const bson_t *answer)
{
    cJSON *json = cJSON_CreateObject();
    bson_iter_t iter;
    if (bson_iter_init(&iter, answer)) {
        while (bson_iter_next(&iter))
            cJSON_AddItemToObject(json, bson_iter_key(&iter),
                                  holds_values(&iter) ? convert_values(&iter) : convert(&iter));
    }
    char *printed = cJSON_PrintUnformatted(json);
    char *line = bson_strdup(printed != NULL ? printed : "{}");
    cJSON_free(printed);
    cJSON_Delete(json);
    return line;
}
