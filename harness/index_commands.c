#include "index_commands.h"

#include "../oracles/index.h"

#include <string.h>

/* The name that an index gets whose question gives none. */
#define ASKED_NAME "n10"

static bool find_document(const bson_t *document, const char *name, bson_t *found)
{
    bson_iter_t iter;
    return bson_iter_init_find(&iter, document, name) && sp_value_document(&iter, found);
}

void sp_index_create_command(bson_t *command, const char *collection, const bson_t *spec)
{
    bson_t list;
    BSON_APPEND_UTF8(command, "createIndexes", collection);
    BSON_APPEND_ARRAY_BEGIN(command, "indexes", &list);
    BSON_APPEND_DOCUMENT(&list, "0", spec);
    bson_append_array_end(command, &list);
}

void sp_index_insert_command(bson_t *command, const char *collection, const bson_t *doc)
{
    bson_t list;
    BSON_APPEND_UTF8(command, "insert", collection);
    BSON_APPEND_ARRAY_BEGIN(command, "documents", &list);
    BSON_APPEND_DOCUMENT(&list, "0", doc);
    bson_append_array_end(command, &list);
}

void sp_index_drop_command(bson_t *command, const char *collection, const bson_iter_t *which)
{
    sp_value_t value = sp_value_of(which);
    BSON_APPEND_UTF8(command, "dropIndexes", collection);
    sp_value_append(command, "index", &value);
}

void sp_index_drop_all_command(bson_t *command, const char *collection)
{
    BSON_APPEND_UTF8(command, "dropIndexes", collection);
    BSON_APPEND_UTF8(command, "index", "*");
}

void sp_index_list_command(bson_t *command, const char *collection)
{
    bson_t cursor;
    BSON_APPEND_UTF8(command, "listIndexes", collection);
    BSON_APPEND_DOCUMENT_BEGIN(command, "cursor", &cursor);
    bson_append_document_end(command, &cursor);
}

static bool build_create(bson_t *command, const char *collection, const bson_t *question)
{
    bson_t spec = BSON_INITIALIZER, key, options;
    bool ok =
        find_document(question, "index", &key) && find_document(question, "options", &options);
    if (ok) {
        BSON_APPEND_DOCUMENT(&spec, "key", &key);
        if (!bson_has_field(&options, "name"))
            BSON_APPEND_UTF8(&spec, "name", ASKED_NAME);
        bson_concat(&spec, &options);
        sp_index_create_command(command, collection, &spec);
    }
    bson_destroy(&spec);
    return ok;
}

bool sp_index_command(bson_t *command, const char *collection, const bson_t *question)
{
    bson_iter_t iter;
    bson_t document;
    const char *op = "";
    if (bson_iter_init_find(&iter, question, "op") && BSON_ITER_HOLDS_UTF8(&iter))
        op = bson_iter_utf8(&iter, NULL);
    if (strcmp(op, "createIndex") == 0)
        return build_create(command, collection, question);
    if (strcmp(op, "dropIndexes") == 0) {
        if (!bson_iter_init_find(&iter, question, "which"))
            return false;
        sp_index_drop_command(command, collection, &iter);
        return true;
    }
    if (strcmp(op, "insert") == 0) {
        if (!find_document(question, "doc", &document))
            return false;
        sp_index_insert_command(command, collection, &document);
        return true;
    }
    if (strcmp(op, "collMod") != 0 || !find_document(question, "change", &document))
        return false;
    BSON_APPEND_UTF8(command, "collMod", collection);
    BSON_APPEND_DOCUMENT(command, "index", &document);
    return true;
}

static void append_flag(const bson_t *spec, const char *name, bson_t *one)
{
    bson_iter_t iter;
    bool flag = false;
    if (bson_iter_init_find(&iter, spec, name)) {
        sp_value_t value = sp_value_of(&iter);
        if (sp_index_flag(&value, &flag) && flag)
            bson_append_bool(one, name, -1, true);
    }
}

bool sp_index_append_list(const bson_t *reply, bson_t *answer)
{
    bson_iter_t iter, batch, element, name;
    bson_t list, one;
    if (!bson_iter_init(&iter, reply) ||
        !bson_iter_find_descendant(&iter, "cursor.firstBatch", &batch) ||
        !BSON_ITER_HOLDS_ARRAY(&batch) || !bson_iter_recurse(&batch, &element))
        return false;
    BSON_APPEND_ARRAY_BEGIN(answer, "indexes", &list);
    while (bson_iter_next(&element)) {
        bson_t spec;
        bson_append_document_begin(&list, bson_iter_key(&element), -1, &one);
        if (sp_value_document(&element, &spec)) {
            if (bson_iter_init_find(&name, &spec, "name") && BSON_ITER_HOLDS_UTF8(&name))
                BSON_APPEND_UTF8(&one, "name", bson_iter_utf8(&name, NULL));
            append_flag(&spec, "unique", &one);
            append_flag(&spec, "prepareUnique", &one);
            append_flag(&spec, "hidden", &one);
        }
        bson_append_document_end(&list, &one);
    }
    bson_append_array_end(answer, &list);
    return true;
}
