/* Values, keys and intervals in words. */
#include "../oracles/order.h"
#include "../oracles/type_range.h"
#include "document_json.h"
#include "explain_words.h"
#include "printable.h"

#include <math.h>
#include <string.h>

enum { VALUE_SHOWN = 160, DOCUMENT_SHOWN = 1000 };

/* Relaxed, since nobody reads {"$numberInt": "1"} with ease. */
static char *relaxed_json(const bson_t *doc)
{
    char *json = bson_as_relaxed_extended_json(doc, NULL);
    return json != NULL ? json : sp_document_json(doc, NULL);
}

char *sp_words_of_document(const bson_t *doc)
{
    char *json = relaxed_json(doc);
    char *words = sp_printable(json, DOCUMENT_SHOWN);
    bson_free(json);
    return words;
}

/* The name of a value that JSON has none for; NULL where it has one. */
static const char *name_of(const sp_value_t *value)
{
    switch (value->type) {
    case BSON_TYPE_MINKEY:
        return "MinKey";
    case BSON_TYPE_MAXKEY:
        return "MaxKey";
    case BSON_TYPE_UNDEFINED:
        return "undefined";
    case BSON_TYPE_DOUBLE:
        if (isnan(sp_value_double(value)))
            return "NaN";
        if (isinf(sp_value_double(value)))
            return sp_value_double(value) > 0 ? "Infinity" : "-Infinity";
        return NULL;
    default:
        return NULL;
    }
}

static char *words_of_decimal(const sp_value_t *value)
{
    uint64_t halves[2];
    char text[BSON_DECIMAL128_STRING];
    memcpy(halves, value->data, sizeof halves);
    const bson_decimal128_t decimal = {.low = BSON_UINT64_FROM_LE(halves[0]),
                                       .high = BSON_UINT64_FROM_LE(halves[1])};
    bson_decimal128_to_string(&decimal, text);
    return bson_strdup_printf("decimal %s", text);
}

char *sp_words_of_value(const sp_value_t *value)
{
    const char *name = name_of(value);
    if (name != NULL)
        return bson_strdup(name);
    if (value->type == BSON_TYPE_DECIMAL128)
        return words_of_decimal(value);
    bson_t holder = BSON_INITIALIZER;
    sp_value_append(&holder, "v", value);
    char *json = relaxed_json(&holder);
    /* What stands between the colon and the last brace. */
    const char *start = strchr(json, ':') + 1;
    start += strspn(start, " ");
    char *end = strrchr(json, '}');
    while (end > start && end[-1] == ' ')
        end--;
    *end = '\0';
    char *words = sp_printable(start, VALUE_SHOWN);
    bson_free(json);
    bson_destroy(&holder);
    return words;
}

char *sp_words_of_key(const bson_t *key)
{
    bson_string_t *out = bson_string_new("{");
    bson_iter_t iter;
    bool sound = bson_iter_init(&iter, key);
    for (bool first = true; sound && bson_iter_next(&iter); first = false) {
        sp_value_t value = sp_value_of(&iter);
        char *name = sp_printable(bson_iter_key(&iter), VALUE_SHOWN);
        char *words = sp_words_of_value(&value);
        bson_string_append_printf(out, "%s%s: %s", first ? "" : ", ", name, words);
        bson_free(words);
        bson_free(name);
    }
    bson_string_append(out, "}");
    return bson_string_free(out, false);
}

/* NULL for classes of one or two values, which speak for themselves. */
static const char *class_name(bson_type_t type)
{
    switch (type) {
    case BSON_TYPE_INT32:
    case BSON_TYPE_INT64:
    case BSON_TYPE_DOUBLE:
    case BSON_TYPE_DECIMAL128:
        return "numbers";
    case BSON_TYPE_UTF8:
    case BSON_TYPE_SYMBOL:
        return "strings";
    case BSON_TYPE_DOCUMENT:
        return "objects";
    case BSON_TYPE_ARRAY:
        return "arrays";
    case BSON_TYPE_BINARY:
        return "binary data";
    case BSON_TYPE_OID:
        return "ObjectIds";
    case BSON_TYPE_DATE_TIME:
        return "dates";
    case BSON_TYPE_TIMESTAMP:
        return "timestamps";
    case BSON_TYPE_REGEX:
        return "regular expressions";
    case BSON_TYPE_DBPOINTER:
        return "DBPointers";
    case BSON_TYPE_CODE:
        return "pieces of code";
    case BSON_TYPE_CODEWSCOPE:
        return "pieces of code with scope";
    default:
        return NULL;
    }
}

static bool is_start_of_class(const sp_interval_t *interval)
{
    sp_interval_t range = sp_type_range(interval->start.type);
    return class_name(interval->start.type) != NULL && interval->start_in &&
           sp_value_compare(&interval->start, &range.start) == 0;
}

/* Whether the interval ends where the class does that it begins in. */
static bool is_end_of_class(const sp_interval_t *interval)
{
    sp_interval_t range = sp_type_range(interval->start.type);
    return class_name(interval->start.type) != NULL && interval->end_in == range.end_in &&
           sp_value_compare(&interval->end, &range.end) == 0;
}

static char *words_of_end(const sp_value_t *value, bool in)
{
    char *words = sp_words_of_value(value);
    char *end = bson_strdup_printf("%s (%s)", words, in ? "in" : "out");
    bson_free(words);
    return end;
}

char *sp_words_of_interval(const sp_interval_t *interval)
{
    sp_interval_t copy = *interval;
    const sp_intervals_t alone = {&copy, 1, 1};
    const char *class = class_name(interval->start.type);
    if (sp_intervals_are_everything(&alone))
        return bson_strdup("any value");
    if (sp_interval_is_point(interval))
        return sp_words_of_value(&interval->start);
    bool from_start = is_start_of_class(interval), to_end = is_end_of_class(interval);
    if (from_start && to_end)
        return bson_strdup_printf("all %s", class);
    char *start = from_start ? bson_strdup_printf("the beginning of the %s", class)
                             : words_of_end(&interval->start, interval->start_in);
    char *end = to_end ? bson_strdup_printf("the end of the %s", class)
                       : words_of_end(&interval->end, interval->end_in);
    char *words = bson_strdup_printf("from %s to %s", start, end);
    bson_free(start);
    bson_free(end);
    return words;
}
