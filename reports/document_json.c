#include "document_json.h"

#include "../oracles/base64.h"
#include "../oracles/extjson.h"

static char *as_base64(const bson_t *document, size_t *size)
{
    sp_bytes_t text = {0};
    sp_bytes_append_text(&text, "{\"bson\": \"");
    sp_base64_write(&text, bson_get_data(document), document->len);
    sp_bytes_append_text(&text, "\"}");
    *size = text.size;
    sp_bytes_append_byte(&text, '\0');
    return (char *)text.data;
}

char *sp_document_json(const bson_t *document, size_t *size)
{
    size_t length;
    char *json = sp_json_write(document, &length);
    if (json == NULL)
        json = as_base64(document, &length);
    if (size != NULL)
        *size = length;
    return json;
}
