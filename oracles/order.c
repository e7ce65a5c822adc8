#include "order.h"

#include "collator.h"
#include "number.h"

#include <assert.h>
#include <string.h>

int sp_type_class(bson_type_t type)
{
    switch (type) {
    case BSON_TYPE_MINKEY:
        return -1;
    case BSON_TYPE_EOD:
    case BSON_TYPE_UNDEFINED:
        return 0;
    case BSON_TYPE_NULL:
        return 5;
    case BSON_TYPE_INT32:
    case BSON_TYPE_INT64:
    case BSON_TYPE_DOUBLE:
    case BSON_TYPE_DECIMAL128:
        return 10;
    case BSON_TYPE_UTF8:
    case BSON_TYPE_SYMBOL:
        return 15;
    case BSON_TYPE_DOCUMENT:
        return 20;
    case BSON_TYPE_ARRAY:
        return 25;
    case BSON_TYPE_BINARY:
        return 30;
    case BSON_TYPE_OID:
        return 35;
    case BSON_TYPE_BOOL:
        return 40;
    case BSON_TYPE_DATE_TIME:
        return 45;
    case BSON_TYPE_TIMESTAMP:
        return 47;
    case BSON_TYPE_REGEX:
        return 50;
    case BSON_TYPE_DBPOINTER:
        return 55;
    case BSON_TYPE_CODE:
        return 60;
    case BSON_TYPE_CODEWSCOPE:
        return 65;
    case BSON_TYPE_MAXKEY:
        return 127;
    }
    assert(!"libbson's iterator lets no other type through");
    return 0;
}

static int sign(int number)
{
    return (number > 0) - (number < 0);
}

static int compare_sizes(uint32_t a, uint32_t b)
{
    return (a > b) - (a < b);
}

/* Bytes as unsigned numbers, the shorter first where it is a prefix. */
static int compare_texts(const char *a, uint32_t a_size, const char *b, uint32_t b_size)
{
    int order = memcmp(a, b, a_size < b_size ? a_size : b_size);
    return order != 0 ? sign(order) : compare_sizes(a_size, b_size);
}

/* `collator` may be NULL: by bytes. */
static int compare_strings(const sp_value_t *a, const sp_value_t *b, const sp_collator_t *collator)
{
    uint32_t a_size, b_size;
    const char *a_text = sp_value_text(a, &a_size);
    const char *b_text = sp_value_text(b, &b_size);
    if (collator != NULL)
        return sp_collator_compare(collator, a_text, a_size, b_text, b_size);
    return compare_texts(a_text, a_size, b_text, b_size);
}

/* What is on the wire is length, subtype, bytes, and that is also what counts, in this sequence. */
static int compare_binaries(const sp_value_t *a, const sp_value_t *b)
{
    int order = compare_sizes(a->size, b->size);
    return order != 0 ? order : sign(memcmp(a->data + 4, b->data + 4, a->size - 4));
}

static int compare_regexes(const sp_value_t *a, const sp_value_t *b)
{
    const char *a_pattern = (const char *)a->data, *b_pattern = (const char *)b->data;
    int order = strcmp(a_pattern, b_pattern);
    if (order != 0)
        return sign(order);
    return sign(strcmp(a_pattern + strlen(a_pattern) + 1, b_pattern + strlen(b_pattern) + 1));
}

/* What the order is for. */
typedef enum compare_mode {
    BY_PLACE,     /* names of fields do not count: shard key values */
    BY_NAME,      /* names count: objects inside a value */
    IN_EXPRESSION /* names count, and $cmp's oddities too */
} compare_mode_t;

typedef struct how {
    compare_mode_t mode;
    const sp_collator_t *collator; /* of strings and symbols, at any depth; NULL: by bytes */
} how_t;

/* Length of the namespace and its closing NUL, then namespace and ObjectId; an expression looks at
 * the length and the ObjectId only. */
static int compare_dbpointers(const sp_value_t *a, const sp_value_t *b, compare_mode_t mode)
{
    const uint32_t oid_size = 12;
    int order = compare_sizes(a->size, b->size);
    if (order != 0)
        return order;
    uint32_t skipped = mode == IN_EXPRESSION ? a->size - oid_size : 0;
    return sign(memcmp(a->data + skipped, b->data + skipped, a->size - skipped));
}

static int compare(const sp_value_t *a, const sp_value_t *b, how_t how);

/* The value of the first field before `iter` that has the name of the one it stands on, or its own.
 */
static sp_value_t first_of_name(const sp_value_t *parent, const bson_iter_t *iter)
{
    bson_iter_t earlier;
    bool sound =
        sp_value_children(parent, &earlier) && bson_iter_find(&earlier, bson_iter_key(iter));
    assert(sound);
    return sp_value_of(&earlier);
}

static int compare_children(const sp_value_t *a, const sp_value_t *b, how_t how)
{
    bson_iter_t a_iter, b_iter;
    bool sound = sp_value_children(a, &a_iter) && sp_value_children(b, &b_iter);
    assert(sound);
    bool again = how.mode == IN_EXPRESSION && a->type == BSON_TYPE_DOCUMENT;
    const how_t inside = {how.mode == BY_PLACE ? BY_NAME : how.mode, how.collator};
    for (;;) {
        bool a_more = bson_iter_next(&a_iter), b_more = bson_iter_next(&b_iter);
        if (!a_more || !b_more)
            return a_more - b_more;
        sp_value_t a_value = again ? first_of_name(a, &a_iter) : sp_value_of(&a_iter);
        sp_value_t b_value = again ? first_of_name(b, &b_iter) : sp_value_of(&b_iter);
        int order = sign(sp_type_class(a_value.type) - sp_type_class(b_value.type));
        if (order == 0 && how.mode != BY_PLACE)
            order = sign(strcmp(bson_iter_key(&a_iter), bson_iter_key(&b_iter)));
        if (order == 0)
            order = compare(&a_value, &b_value, inside);
        if (order != 0)
            return order;
    }
}

/* $cmp's oddities do not reach into scopes. */
static int compare_scoped_code(const sp_value_t *a, const sp_value_t *b)
{
    uint32_t a_size, b_size;
    const char *a_code = sp_value_scoped_code(a, &a_size);
    const char *b_code = sp_value_scoped_code(b, &b_size);
    int order = compare_texts(a_code, a_size, b_code, b_size);
    return order != 0 ? order : compare_children(a, b, (how_t){BY_NAME, NULL});
}

static int compare_int64(int64_t a, int64_t b)
{
    return (a > b) - (a < b);
}

static int compare_timestamps(const sp_value_t *a, const sp_value_t *b)
{
    uint64_t left = (uint64_t)sp_value_int64(a), right = (uint64_t)sp_value_int64(b);
    return (left > right) - (left < right);
}

static int compare(const sp_value_t *a, const sp_value_t *b, how_t how)
{
    int order = sp_type_class(a->type) - sp_type_class(b->type);
    if (order != 0)
        return sign(order);
    switch (a->type) {
    case BSON_TYPE_EOD:
    case BSON_TYPE_UNDEFINED:
    case BSON_TYPE_NULL:
    case BSON_TYPE_MINKEY:
    case BSON_TYPE_MAXKEY:
        return 0;
    case BSON_TYPE_INT32:
    case BSON_TYPE_INT64:
    case BSON_TYPE_DOUBLE:
    case BSON_TYPE_DECIMAL128:
        return sp_number_compare(a, b);
    case BSON_TYPE_UTF8:
    case BSON_TYPE_SYMBOL:
        return compare_strings(a, b, how.collator);
    case BSON_TYPE_CODE:
        return compare_strings(a, b, NULL);
    case BSON_TYPE_DOCUMENT:
    case BSON_TYPE_ARRAY:
        return compare_children(a, b, how);
    case BSON_TYPE_BINARY:
        return compare_binaries(a, b);
    case BSON_TYPE_OID:
        return sign(memcmp(a->data, b->data, 12));
    case BSON_TYPE_BOOL:
        return (a->data[0] != 0) - (b->data[0] != 0);
    case BSON_TYPE_DATE_TIME:
        return compare_int64(sp_value_int64(a), sp_value_int64(b));
    case BSON_TYPE_TIMESTAMP:
        return compare_timestamps(a, b);
    case BSON_TYPE_REGEX:
        return compare_regexes(a, b);
    case BSON_TYPE_DBPOINTER:
        return compare_dbpointers(a, b, how.mode);
    case BSON_TYPE_CODEWSCOPE:
        return compare_scoped_code(a, b);
    }
    assert(!"every type is listed");
    return 0;
}

int sp_value_compare(const sp_value_t *a, const sp_value_t *b)
{
    return compare(a, b, (how_t){BY_NAME, NULL});
}

int sp_value_compare_in_expression(const sp_value_t *a, const sp_value_t *b)
{
    return compare(a, b, (how_t){IN_EXPRESSION, NULL});
}

int sp_value_compare_collated(const sp_collator_t *collator, const sp_value_t *a,
                              const sp_value_t *b)
{
    return compare(a, b, (how_t){BY_NAME, collator});
}

static sp_value_t as_value(const bson_t *doc)
{
    return (sp_value_t){BSON_TYPE_DOCUMENT, doc->len, bson_get_data(doc)};
}

int sp_document_compare(const bson_t *a, const bson_t *b)
{
    sp_value_t a_value = as_value(a), b_value = as_value(b);
    return compare_children(&a_value, &b_value, (how_t){BY_NAME, NULL});
}

int sp_key_compare(const bson_t *a, const bson_t *b)
{
    sp_value_t a_value = as_value(a), b_value = as_value(b);
    return compare_children(&a_value, &b_value, (how_t){BY_PLACE, NULL});
}
