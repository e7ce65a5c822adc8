#include "index_multikey.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { PLACE_DIGITS_MAX = 7 };

/* The place in an array that a path part names: digits without leading zeros; false for any other.
 */
static bool read_place(const char *part, size_t size, uint32_t *place)
{
    if (size == 0 || size > PLACE_DIGITS_MAX || (part[0] == '0' && size > 1))
        return false;
    *place = 0;
    for (size_t i = 0; i < size; i++) {
        if (!isdigit((unsigned char)part[i]))
            return false;
        *place = 10 * *place + (uint32_t)(part[i] - '0');
    }
    return true;
}

/* The child called `part`, or in that place of an array. */
static bool find_child(const sp_value_t *parent, const char *part, size_t size, sp_value_t *child)
{
    bson_iter_t iter;
    uint32_t place = 0;
    bool is_array = parent->type == BSON_TYPE_ARRAY;
    if (!sp_value_children(parent, &iter) || (is_array && !read_place(part, size, &place)))
        return false;
    for (uint32_t i = 0; bson_iter_next(&iter); i++) {
        const char *name = bson_iter_key(&iter);
        if (is_array ? i == place : strncmp(name, part, size) == 0 && name[size] == '\0') {
            *child = sp_value_of(&iter);
            return true;
        }
    }
    return false;
}

static bool path_meets_array(const sp_value_t *root, const char *path)
{
    sp_value_t value = *root;
    bool taken_from_array = false;
    while (true) {
        size_t size = strcspn(path, ".");
        bool in_array = value.type == BSON_TYPE_ARRAY;
        if (!in_array && value.type != BSON_TYPE_DOCUMENT)
            return false;
        sp_value_t child;
        if (!find_child(&value, path, size, &child))
            return in_array;
        value = child;
        taken_from_array = in_array;
        if (path[size] == '\0')
            return value.type == BSON_TYPE_ARRAY && !taken_from_array;
        path += size + 1;
    }
}

static bool has_words(const sp_value_t *root, const char *path)
{
    sp_value_t value;
    uint32_t size;
    if (!find_child(root, path, strlen(path), &value) || value.type != BSON_TYPE_UTF8)
        return false;
    const char *text = sp_value_text(&value, &size);
    return memchr(text, ' ', size) != NULL;
}

static bool is_text(const bson_iter_t *field)
{
    return BSON_ITER_HOLDS_UTF8(field) && strcmp(bson_iter_utf8(field, NULL), "text") == 0;
}

bool sp_index_multikey(const bson_t *key, const bson_t *doc)
{
    bson_iter_t iter;
    sp_value_t root = {BSON_TYPE_DOCUMENT, doc->len, bson_get_data(doc)};
    for (bool more = bson_iter_init(&iter, key); more && bson_iter_next(&iter);) {
        const char *path = bson_iter_key(&iter);
        if (is_text(&iter) ? has_words(&root, path) : path_meets_array(&root, path))
            return true;
    }
    return false;
}
