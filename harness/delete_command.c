#include "delete_command.h"

void sp_build_delete(bson_t *command, const char *verb, const char *collection,
                     const bson_t *filter)
{
    bson_t list, one, query;
    bson_append_utf8(command, verb, -1, collection, -1);
    BSON_APPEND_ARRAY_BEGIN(command, "deletes", &list);
    BSON_APPEND_DOCUMENT_BEGIN(&list, "0", &one);
    BSON_APPEND_DOCUMENT_BEGIN(&one, "q", &query);
    if (filter != NULL)
        bson_concat(&query, filter);
    bson_append_document_end(&one, &query);
    BSON_APPEND_INT32(&one, "limit", 0);
    bson_append_document_end(&list, &one);
    bson_append_array_end(command, &list);
}
