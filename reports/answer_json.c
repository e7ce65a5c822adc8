#include "answer_json.h"

#include <cjson/cJSON.h>

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

/* Answers hold texts, small numbers, arrays and documents only. */
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

char *sp_answer_json(const bson_t *answer)
{
    cJSON *json = cJSON_CreateObject();
    bson_iter_t iter;
    if (bson_iter_init(&iter, answer)) {
        while (bson_iter_next(&iter))
            cJSON_AddItemToObject(json, bson_iter_key(&iter), convert(&iter));
    }
    char *printed = cJSON_PrintUnformatted(json);
    char *line = bson_strdup(printed != NULL ? printed : "{}");
    cJSON_free(printed);
    cJSON_Delete(json);
    return line;
}
