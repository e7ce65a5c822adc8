#include "index_keys.h"

#include "collated_value.h"
#include "collation.h"
#include "matcher.h"
#include "order.h"

#include <string.h>

enum {
    FIELDS_MAX = 32,
    CANNOT_INDEX_PARALLEL_ARRAYS = 171,
    CANNOT_BUILD_INDEX_KEYS = 201,
    AMBIGUOUS_FIELD_NAME = 16746,
    HASHED_ARRAY = 16766,
};

typedef struct key_field {
    char *parts; /* "a\0b\0", ending with an empty one */
    bool hashed;
} key_field_t;

struct sp_keyed_index {
    unsigned field_count;
    key_field_t fields[FIELDS_MAX];
    bool hashed; /* one of the fields is */
    bool sparse;
    sp_arena_t arena;        /* holds the filter's tree */
    const sp_node_t *filter; /* NULL: none */
    sp_collator_t *collator; /* NULL: simple */
};

static char *split(const char *path)
{
    size_t size = strlen(path);
    char *parts = bson_malloc0(size + 2);
    memcpy(parts, path, size + 1);
    for (char *dot = strchr(parts, '.'); dot != NULL; dot = strchr(dot + 1, '.'))
        *dot = '\0';
    return parts;
}

static bool read_field(sp_keyed_index_t *index, const bson_iter_t *iter, sp_error_t *error)
{
    const char *path = bson_iter_key(iter);
    bool hashed = BSON_ITER_HOLDS_UTF8(iter) && strcmp(bson_iter_utf8(iter, NULL), "hashed") == 0;
    sp_value_t value = sp_value_of(iter);
    if (index->field_count == FIELDS_MAX)
        return sp_error_set(error, SP_ERROR_INPUT, 0, "an index has at most %d fields", FIELDS_MAX);
    bool has_empty_part = path[0] == '\0' || path[0] == '.' || strstr(path, "..") != NULL ||
                          path[strlen(path) - 1] == '.';
    if ((!hashed && !sp_value_is_number(&value)) || has_empty_part || strchr(path, '$') != NULL)
        return sp_error_set(error, SP_ERROR_INPUT, 0,
                            "the model does not know the keys of an index on '%s'", path);
    index->fields[index->field_count++] = (key_field_t){split(path), hashed};
    index->hashed = index->hashed || hashed;
    return true;
}

static bool read_fields(sp_keyed_index_t *index, const bson_t *key, sp_error_t *error)
{
    bson_iter_t iter;
    bool ok = bson_iter_init(&iter, key);
    while (ok && bson_iter_next(&iter))
        ok = read_field(index, &iter, error);
    return ok && (index->field_count > 0 ||
                  sp_error_set(error, SP_ERROR_INPUT, 0, "an index's 'key' must have a field"));
}

static bool read_collation(sp_keyed_index_t *index, const sp_index_t *spec, const bson_t *collation,
                           sp_error_t *error)
{
    sp_error_t refused = {0};
    if (spec->has_collation)
        collation = &spec->collation;
    if (collation == NULL || bson_empty(collation))
        return true;
    if (!sp_collation_check(collation, &refused))
        return sp_error_set(error, SP_ERROR_INPUT, 0, "an index's 'collation': %s",
                            refused.message);
    if (sp_collation_is_simple(collation))
        return true;
    index->collator = sp_collator_new(collation, error);
    return index->collator != NULL;
}

static bool read_filter(sp_keyed_index_t *index, const sp_index_t *spec, sp_version_t version,
                        sp_error_t *error)
{
    sp_error_t refused = {0};
    if (!spec->has_partial)
        return true;
    index->filter = sp_filter_parse(&index->arena, version, &spec->partial, &refused);
    return index->filter != NULL ||
           sp_error_set(error, SP_ERROR_INPUT, 0, "an index's 'partialFilterExpression': %s",
                        refused.message);
}

sp_keyed_index_t *sp_keyed_index_new(const sp_index_t *spec, const bson_t *collation,
                                     sp_version_t version, sp_error_t *error)
{
    sp_keyed_index_t *index = bson_malloc0(sizeof *index);
    sp_arena_init(&index->arena);
    index->sparse = spec->sparse;
    if (read_fields(index, &spec->key, error) && read_collation(index, spec, collation, error) &&
        read_filter(index, spec, version, error))
        return index;
    sp_keyed_index_free(index);
    return NULL;
}

void sp_keyed_index_free(sp_keyed_index_t *index)
{
    if (index == NULL)
        return;
    for (unsigned i = 0; i < index->field_count; i++)
        bson_free(index->fields[i].parts);
    sp_arena_clear(&index->arena);
    sp_collator_free(index->collator);
    bson_free(index);
}

unsigned sp_keyed_index_fields(const sp_keyed_index_t *index)
{
    return index->field_count;
}

/* By which step a field has come to where it is; it decides what an array means there. */
typedef enum arrival {
    BY_NAME,   /* its elements are values of the field */
    BY_NUMBER, /* it is one value, and none at all where it is empty */
    AS_ELEMENT /* of an array that gives a key for each element: it is one value */
} arrival_t;

/* How far a field has come in a document. */
typedef struct cursor {
    sp_value_t at;     /* BSON_TYPE_EOD: missing */
    const char *parts; /* of the path that are left */
    arrival_t arrival;
} cursor_t;

/* One document on its way into one index. */
typedef struct expansion {
    const sp_keyed_index_t *index;
    sp_hasher_t *hasher;
    sp_arena_t *arena;
    sp_index_keys_t *keys;
    sp_error_t *error;
} expansion_t;

static const sp_value_t missing = {BSON_TYPE_EOD, 0, (const uint8_t *)""};
static const sp_value_t undefined = {BSON_TYPE_UNDEFINED, 0, (const uint8_t *)""};

static bool is_number(const char *part)
{
    return strspn(part, "0123456789") == strlen(part) && (part[0] != '0' || part[1] == '\0');
}

static sp_value_t find_child(const sp_value_t *value, const char *name)
{
    bson_iter_t iter;
    return sp_value_children(value, &iter) && bson_iter_find(&iter, name) ? sp_value_of(&iter)
                                                                          : missing;
}

static bool is_empty(const sp_value_t *array)
{
    bson_iter_t iter;
    return !sp_value_children(array, &iter) || !bson_iter_next(&iter);
}

/* The element of an array that is at place `part`; missing where it has none. */
static sp_value_t find_element(const sp_value_t *array, const char *part)
{
    bson_iter_t iter;
    char buffer[16];
    const char *index;
    if (!is_number(part) || !sp_value_children(array, &iter))
        return missing;
    for (uint32_t i = 0; bson_iter_next(&iter); i++) {
        bson_uint32_to_string(i, &index, buffer, sizeof buffer);
        if (strcmp(index, part) == 0)
            return sp_value_of(&iter);
    }
    return missing;
}

static void step(cursor_t *cursor, sp_value_t to, arrival_t arrival)
{
    cursor->at = to;
    cursor->parts += strlen(cursor->parts) + 1;
    cursor->arrival = arrival;
}

/* Follows the path to its end or to the next array; whether it came to one that is to be looked
 * into, or that must be no other than that of another field. */
static bool follow(cursor_t *cursor)
{
    while (cursor->parts[0] != '\0' && cursor->at.type == BSON_TYPE_DOCUMENT)
        step(cursor, find_child(&cursor->at, cursor->parts), BY_NAME);
    if (cursor->at.type == BSON_TYPE_ARRAY)
        return cursor->parts[0] != '\0' || cursor->arrival != AS_ELEMENT;
    if (cursor->parts[0] != '\0')
        cursor->at = missing;
    return false;
}

static bool check_symbols(const expansion_t *expansion, const sp_value_t *value)
{
    return expansion->index->collator == NULL || !sp_value_holds_symbol(value) ||
           sp_error_set(expansion->error, SP_ERROR_RULE, CANNOT_BUILD_INDEX_KEYS,
                        "a symbol has no place in an index with a collation");
}

static sp_value_t hash_of(const expansion_t *expansion, const sp_value_t *value)
{
    const sp_collator_t *collator = expansion->index->collator;
    sp_value_t collated =
        collator != NULL ? sp_collated_value(expansion->arena, collator, value) : *value;
    int64_t hash = sp_hash_value(expansion->hasher, &collated);
    uint64_t *little_endian = sp_arena_take(expansion->arena, sizeof *little_endian);
    *little_endian = BSON_UINT64_TO_LE((uint64_t)hash);
    return (sp_value_t){BSON_TYPE_INT64, sizeof *little_endian, (const uint8_t *)little_endian};
}

static sp_value_t *add_key(const expansion_t *expansion)
{
    sp_index_keys_t *keys = expansion->keys;
    unsigned size = expansion->index->field_count;
    if (keys->count == keys->capacity)
        keys->values = sp_arena_grow(expansion->arena, keys->values, size * sizeof *keys->values,
                                     keys->count, &keys->capacity);
    return keys->values + (size_t)keys->count++ * size;
}

/* All fields have come to their end. */
static bool finish_key(const expansion_t *expansion, const cursor_t *cursors)
{
    const sp_keyed_index_t *index = expansion->index;
    bool found = false;
    for (unsigned i = 0; i < index->field_count; i++)
        found = found || cursors[i].at.type != BSON_TYPE_EOD;
    if (!found && index->sparse)
        return true;
    sp_value_t *key = add_key(expansion);
    for (unsigned i = 0; i < index->field_count; i++) {
        key[i] = cursors[i].at;
        if (key[i].type == BSON_TYPE_EOD)
            key[i].type = BSON_TYPE_NULL;
        if (!check_symbols(expansion, &key[i]))
            return false;
        if (index->fields[i].hashed)
            key[i] = hash_of(expansion, &key[i]);
    }
    return true;
}

static bool expand(const expansion_t *expansion, const cursor_t *from);

/* `element` is one of the array that the fields in `through` have come to; NULL: it has none. */
static bool expand_element(const expansion_t *expansion, const cursor_t *cursors, uint32_t through,
                           const sp_value_t *element)
{
    cursor_t inside[FIELDS_MAX];
    for (unsigned i = 0; i < expansion->index->field_count; i++) {
        inside[i] = cursors[i];
        if ((through >> i & 1) == 0)
            continue;
        bool ends = inside[i].parts[0] == '\0';
        inside[i].arrival = AS_ELEMENT;
        if (element == NULL)
            inside[i].at = ends ? undefined : missing;
        else if (ends || element->type == BSON_TYPE_DOCUMENT)
            inside[i].at = *element;
        else
            inside[i].at = missing;
    }
    return expand(expansion, inside);
}

/* A field that has come to an array: goes on to the element that its path names (`numbered`), has
 * come so to the array itself, which then is its value, or has a value in each element (`through`).
 */
static void pass(cursor_t *cursor, uint32_t bit, uint32_t *numbered, uint32_t *through)
{
    if (cursor->parts[0] == '\0' && cursor->arrival == BY_NUMBER) {
        if (is_empty(&cursor->at))
            cursor->at = undefined;
        cursor->arrival = AS_ELEMENT;
        return;
    }
    sp_value_t element = find_element(&cursor->at, cursor->parts);
    if (element.type == BSON_TYPE_EOD) {
        *through |= bit;
        return;
    }
    *numbered |= bit;
    step(cursor, element, BY_NUMBER);
}

/* An element must not have a field whose name is the number by which a field, `before` its step, is
 * to be found. */
static bool check_numbers(const expansion_t *expansion, const cursor_t *before, uint32_t numbered,
                          const sp_value_t *element)
{
    for (unsigned i = 0; element->type == BSON_TYPE_DOCUMENT && numbered >> i != 0; i++) {
        if ((numbered >> i & 1) != 0 && find_child(element, before[i].parts).type != BSON_TYPE_EOD)
            return sp_error_set(expansion->error, SP_ERROR_RULE, AMBIGUOUS_FIELD_NAME,
                                "the array has an element %s and a field of that name in it",
                                before[i].parts);
    }
    return true;
}

/* All fields of the index go on to their next array; which of them have one. It must be the same
 * for all. */
static bool follow_all(const expansion_t *expansion, cursor_t *cursors, uint32_t *at_array,
                       sp_value_t *array)
{
    *at_array = 0;
    for (unsigned i = 0; i < expansion->index->field_count; i++) {
        bool stops = follow(&cursors[i]);
        if (stops && expansion->index->hashed)
            return sp_error_set(expansion->error, SP_ERROR_RULE, HASHED_ARRAY,
                                "an index with a hashed field takes no arrays");
        if (expansion->index->hashed && !check_symbols(expansion, &cursors[i].at))
            return false;
        if (!stops)
            continue;
        if (*at_array != 0 && array->data != cursors[i].at.data)
            return sp_error_set(expansion->error, SP_ERROR_RULE, CANNOT_INDEX_PARALLEL_ARRAYS,
                                "two fields of the index lie in different arrays");
        *array = cursors[i].at;
        *at_array |= UINT32_C(1) << i;
    }
    return true;
}

/* Goes through the elements of an array one by one, in so far as a server can be seen to: keys come
 * before what is wrong with the elements behind. Without a field that has a value in each of them
 * they all give the same key. */
static bool expand_array(const expansion_t *expansion, const sp_value_t *array,
                         const cursor_t *before, const cursor_t *cursors, uint32_t numbered,
                         uint32_t through)
{
    bson_iter_t iter;
    bool ok = sp_value_children(array, &iter);
    for (unsigned i = 0; ok && bson_iter_next(&iter); i++) {
        sp_value_t element = sp_value_of(&iter);
        ok = check_numbers(expansion, before, numbered, &element);
        if (ok && (through != 0 || i == 0))
            ok = expand_element(expansion, cursors, through, &element);
    }
    return ok;
}

/* Recursion is as deep as the document at most: each step goes into an array. */
static bool expand(const expansion_t *expansion, const cursor_t *from)
{
    const unsigned count = expansion->index->field_count;
    cursor_t before[FIELDS_MAX], cursors[FIELDS_MAX];
    uint32_t at_array, numbered = 0, through = 0;
    sp_value_t array;
    memcpy(before, from, count * sizeof *from);
    if (!follow_all(expansion, before, &at_array, &array))
        return false;
    if (at_array == 0)
        return finish_key(expansion, before);
    memcpy(cursors, before, count * sizeof *before);
    for (unsigned i = 0; i < count; i++) {
        if ((at_array >> i & 1) != 0)
            pass(&cursors[i], UINT32_C(1) << i, &numbered, &through);
    }
    if (is_empty(&array))
        return expand_element(expansion, cursors, through, NULL);
    return expand_array(expansion, &array, before, cursors, numbered, through);
}

bool sp_keyed_index_keys(const sp_keyed_index_t *index, sp_hasher_t *hasher, sp_arena_t *arena,
                         const bson_t *doc, sp_index_keys_t *keys, sp_error_t *error)
{
    const expansion_t expansion = {index, hasher, arena, keys, error};
    const sp_value_t whole = {BSON_TYPE_DOCUMENT, doc->len, bson_get_data(doc)};
    cursor_t cursors[FIELDS_MAX];
    bool matches = true;
    if (index->filter != NULL && !sp_matches(index->filter, doc, index->collator, &matches, error))
        return false;
    for (unsigned i = 0; i < index->field_count; i++)
        cursors[i] = (cursor_t){whole, index->fields[i].parts, BY_NAME};
    return !matches || expand(&expansion, cursors);
}

static bool equal(const sp_keyed_index_t *index, const sp_value_t *a, const sp_value_t *b)
{
    for (unsigned i = 0; i < index->field_count; i++) {
        if (sp_value_compare_collated(index->collator, &a[i], &b[i]) != 0)
            return false;
    }
    return true;
}

bool sp_keyed_index_meet(const sp_keyed_index_t *index, const sp_index_keys_t *a,
                         const sp_index_keys_t *b)
{
    for (unsigned i = 0; i < a->count; i++) {
        for (unsigned j = 0; j < b->count; j++) {
            if (equal(index, a->values + (size_t)i * index->field_count,
                      b->values + (size_t)j * index->field_count))
                return true;
        }
    }
    return false;
}
