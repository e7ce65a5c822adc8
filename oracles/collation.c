#include "collation.h"

#include "number.h"

#include <string.h>

enum {
    BAD_VALUE = 2,
    TYPE_MISMATCH = 14,
    INCOMPATIBLE_VERSION = 161,
    DUPLICATE_FIELD = 40413,
    MISSING_FIELD = 40414,
    UNKNOWN_FIELD = 40415,
    OUT_OF_RANGE = 51024,
};

#define ICU_VERSION "57.1"

typedef enum field {
    FIELD_LOCALE,
    FIELD_CASE_LEVEL,
    FIELD_CASE_FIRST,
    FIELD_STRENGTH,
    FIELD_NUMERIC_ORDERING,
    FIELD_ALTERNATE,
    FIELD_MAX_VARIABLE,
    FIELD_NORMALIZATION,
    FIELD_BACKWARDS,
    FIELD_VERSION,
    FIELDS
} field_t;

static const char *const field_names[FIELDS] = {
    [FIELD_LOCALE] = "locale",
    [FIELD_CASE_LEVEL] = "caseLevel",
    [FIELD_CASE_FIRST] = "caseFirst",
    [FIELD_STRENGTH] = "strength",
    [FIELD_NUMERIC_ORDERING] = "numericOrdering",
    [FIELD_ALTERNATE] = "alternate",
    [FIELD_MAX_VARIABLE] = "maxVariable",
    [FIELD_NORMALIZATION] = "normalization",
    [FIELD_BACKWARDS] = "backwards",
    [FIELD_VERSION] = "version",
};

/* The words of the fields that take one; the first is the default. */
static const char *const words[FIELDS][4] = {
    [FIELD_CASE_FIRST] = {"off", "upper", "lower"},
    [FIELD_ALTERNATE] = {"non-ignorable", "shifted"},
    [FIELD_MAX_VARIABLE] = {"punct", "space"},
};

typedef struct text {
    const char *start;
    uint32_t size;
} text_t;

/* A collation document as a server reads it. What counts in comparing strings stands in `settings`:
 * booleans as 0 and 1, words as their place in `words`. */
typedef struct collation {
    bool has[FIELDS];
    bool names_case_first; /* be it as null */
    text_t locale, version;
    int64_t settings[FIELDS];
} collation_t;

static bool text_equal(text_t a, text_t b)
{
    return a.size == b.size && (a.size == 0 || memcmp(a.start, b.start, a.size) == 0);
}

static bool text_is(text_t text, const char *word)
{
    return text_equal(text, (text_t){word, (uint32_t)strlen(word)});
}

/* Every language that a server was seen to accept alone. 6.0.5 and 6.0.27 were asked all words of
 * up to three letters, and for what they took of these 700 regions, 56 scripts and 20 variants. */
static const char *const locales[] = {
    "af",      "am",      "ar",  "as",    "az",          "be", "bg", "bn",      "bo",  "bs",
    "bs_Cyrl", "ca",      "chr", "cs",    "cy",          "da", "de", "de_AT",   "dsb", "dz",
    "ee",      "el",      "en",  "en_US", "en_US_POSIX", "eo", "es", "et",      "fa",  "fa_AF",
    "fi",      "fil",     "fo",  "fr",    "fr_CA",       "ga", "gl", "gu",      "ha",  "haw",
    "he",      "hi",      "hr",  "hsb",   "hu",          "hy", "id", "ig",      "is",  "it",
    "ja",      "ka",      "kk",  "kl",    "km",          "kn", "ko", "kok",     "ky",  "lb",
    "lkt",     "ln",      "lo",  "lt",    "lv",          "mk", "ml", "mn",      "mr",  "ms",
    "mt",      "my",      "nb",  "ne",    "nl",          "nn", "om", "or",      "pa",  "pl",
    "ps",      "pt",      "ro",  "ru",    "se",          "si", "sk", "sl",      "smn", "sq",
    "sr",      "sr_Latn", "sv",  "sw",    "ta",          "te", "th", "to",      "tr",  "ug",
    "uk",      "ur",      "vi",  "wae",   "yi",          "yo", "zh", "zh_Hant", "zu",
};

/* The variants of locales beyond those that all have. */
static const char *const variants[] = {
    "ar@collation=compat",       "bn@collation=traditional", "de@collation=phonebook",
    "de_AT@collation=phonebook", "es@collation=traditional", "fi@collation=traditional",
    "ja@collation=unihan",       "kn@collation=traditional", "ko@collation=searchjl",
    "ko@collation=unihan",       "ln@collation=phonetic",    "si@collation=dictionary",
    "sv@collation=standard",     "vi@collation=traditional",
};

/* Whether they are accepted depends on which locales the server was asked for before: it refuses
 * zh@collation=stroke after zh_Hant, and root@collation=emoji after fr@collation=emoji. */
static const char *const fickle[] = {
    "bs@collation=search",
    "bs_Cyrl@collation=search",
    "de@collation=search",
    "de_AT@collation=search",
};
static const char *const fickle_prefixes[] = {
    "root@collation=",
    "zh@collation=",
    "zh_Hant@collation=",
};

static bool is_one_of(const char *const *list, size_t count, text_t text)
{
    for (size_t i = 0; i < count; i++) {
        if (text_is(text, list[i]))
            return true;
    }
    return false;
}

#define IS_ONE_OF(list, text) is_one_of((list), sizeof(list) / sizeof *(list), (text))

static bool is_fickle(text_t locale)
{
    if (IS_ONE_OF(fickle, locale))
        return true;
    for (size_t i = 0; i < sizeof fickle_prefixes / sizeof *fickle_prefixes; i++) {
        size_t size = strlen(fickle_prefixes[i]);
        if (locale.size > size && memcmp(locale.start, fickle_prefixes[i], size) == 0)
            return true;
    }
    return false;
}

static bool is_known_locale(text_t locale)
{
    static const char *const everywhere[] = {"@collation=emoji", "@collation=eor",
                                             "@collation=search"};
    const char *at = memchr(locale.start, '@', locale.size);
    if (at == NULL)
        return IS_ONE_OF(locales, locale);
    text_t base = {locale.start, (uint32_t)(at - locale.start)};
    text_t variant = {at, locale.size - base.size};
    return IS_ONE_OF(variants, locale) ||
           (IS_ONE_OF(everywhere, variant) && IS_ONE_OF(locales, base));
}

static bool refuse_type(field_t field, const char *wanted, sp_error_t *error)
{
    return sp_error_set(error, SP_ERROR_RULE, TYPE_MISMATCH, "a collation's '%s' must be %s",
                        field_names[field], wanted);
}

static bool check_type(field_t field, const sp_value_t *value, sp_error_t *error)
{
    switch (field) {
    case FIELD_LOCALE:
    case FIELD_CASE_FIRST:
    case FIELD_ALTERNATE:
    case FIELD_MAX_VARIABLE:
    case FIELD_VERSION:
        return value->type == BSON_TYPE_UTF8 || refuse_type(field, "a string", error);
    case FIELD_STRENGTH:
        return sp_value_is_number(value) || refuse_type(field, "a number", error);
    case FIELD_CASE_LEVEL:
    case FIELD_NUMERIC_ORDERING:
    case FIELD_NORMALIZATION:
        return value->type == BSON_TYPE_BOOL || refuse_type(field, "true or false", error);
    case FIELD_BACKWARDS: /* looked at later, when it is known to be no duplicate */
    case FIELDS:
        break;
    }
    return true;
}

static bool take_word(field_t field, text_t text, collation_t *into, sp_error_t *error)
{
    for (unsigned i = 0; words[field][i] != NULL; i++) {
        if (text_is(text, words[field][i])) {
            into->settings[field] = i;
            return true;
        }
    }
    return sp_error_set(error, SP_ERROR_RULE, BAD_VALUE,
                        "a collation's '%s' is '%.*s', which is none of its words",
                        field_names[field], (int)text.size, text.start);
}

static bool take_strength(const sp_value_t *value, collation_t *into, sp_error_t *error)
{
    int64_t strength = sp_number_for_hash(value);
    if (strength < 0 || strength > 5)
        return sp_error_set(error, SP_ERROR_RULE, OUT_OF_RANGE,
                            "a collation's strength must be from 1 to 5");
    into->settings[FIELD_STRENGTH] = strength;
    return true;
}

static bool take_value(field_t field, const sp_value_t *value, collation_t *into, sp_error_t *error)
{
    text_t text = {NULL, 0};
    if (value->type == BSON_TYPE_UTF8)
        text.start = sp_value_text(value, &text.size);
    switch (field) {
    case FIELD_LOCALE:
        into->locale = text;
        return true;
    case FIELD_VERSION:
        into->version = text;
        return true;
    case FIELD_CASE_FIRST:
    case FIELD_ALTERNATE:
    case FIELD_MAX_VARIABLE:
        return take_word(field, text, into, error);
    case FIELD_STRENGTH:
        return take_strength(value, into, error);
    case FIELD_CASE_LEVEL:
    case FIELD_NUMERIC_ORDERING:
    case FIELD_NORMALIZATION:
    case FIELD_BACKWARDS:
        if (value->type != BSON_TYPE_BOOL)
            return refuse_type(field, "true or false", error);
        into->settings[field] = value->data[0] != 0;
        return true;
    case FIELDS:
        break;
    }
    return true;
}

static bool take_field(const bson_iter_t *iter, collation_t *into, sp_error_t *error)
{
    const char *name = bson_iter_key(iter);
    sp_value_t value = sp_value_of(iter);
    unsigned field = 0;
    while (field < FIELDS && strcmp(name, field_names[field]) != 0)
        field++;
    if (field == FIELDS)
        return sp_error_set(error, SP_ERROR_RULE, UNKNOWN_FIELD,
                            "a collation has no field named '%s'", name);
    into->names_case_first = into->names_case_first || field == FIELD_CASE_FIRST;
    /* null is as good as absent, but for `backwards`. */
    if (field != FIELD_BACKWARDS &&
        (value.type == BSON_TYPE_NULL || value.type == BSON_TYPE_UNDEFINED))
        return true;
    if (!check_type((field_t)field, &value, error))
        return false;
    if (into->has[field])
        return sp_error_set(error, SP_ERROR_RULE, DUPLICATE_FIELD,
                            "a collation has the field '%s' twice", name);
    into->has[field] = true;
    return take_value((field_t)field, &value, into, error);
}

static bool read_fields(const bson_t *document, collation_t *into, sp_error_t *error)
{
    bson_iter_t iter;
    *into = (collation_t){.settings = {[FIELD_STRENGTH] = 3}};
    if (!bson_iter_init(&iter, document))
        return sp_error_set(error, SP_ERROR_INPUT, 0, "the collation is no document");
    while (bson_iter_next(&iter)) {
        if (!take_field(&iter, into, error))
            return false;
    }
    if (!into->has[FIELD_LOCALE])
        return sp_error_set(error, SP_ERROR_RULE, MISSING_FIELD, "a collation needs a locale");
    if (!into->has[FIELD_BACKWARDS])
        into->settings[FIELD_BACKWARDS] = text_is(into->locale, "fr_CA");
    return true;
}

static bool check_locale(text_t locale, sp_error_t *error)
{
    if (is_fickle(locale))
        return sp_error_set(error, SP_ERROR_INPUT, 0,
                            "whether a server takes the locale '%.*s' depends on what it was asked "
                            "before: use another",
                            (int)locale.size, locale.start);
    if (!is_known_locale(locale))
        return sp_error_set(error, SP_ERROR_RULE, BAD_VALUE, "'%.*s' is no locale for a collation",
                            (int)locale.size, locale.start);
    return true;
}

/* Danish and Maltese sort upper case first unless told otherwise, be it by null, and are refused
 * for it, though a server writes their default as "off". */
static bool has_case_first(const collation_t *collation)
{
    if (collation->names_case_first)
        return collation->settings[FIELD_CASE_FIRST] != 0;
    return text_is(collation->locale, "da") || text_is(collation->locale, "mt");
}

bool sp_collation_check(const bson_t *collation, sp_error_t *error)
{
    collation_t read;
    if (collation == NULL || bson_empty(collation))
        return true;
    if (!read_fields(collation, &read, error))
        return false;
    if (text_is(read.locale, "simple"))
        return true;
    if (!check_locale(read.locale, error))
        return false;
    int64_t strength = read.settings[FIELD_STRENGTH];
    if (strength == 0)
        return sp_error_set(error, SP_ERROR_RULE, BAD_VALUE,
                            "a collation's strength must be from 1 to 5, not 0");
    if (read.has[FIELD_VERSION] && !text_is(read.version, ICU_VERSION))
        return sp_error_set(error, SP_ERROR_RULE, INCOMPATIBLE_VERSION,
                            "a collation's version must be %s", ICU_VERSION);
    if (has_case_first(&read) && strength <= 2 && read.settings[FIELD_CASE_LEVEL] == 0)
        return sp_error_set(error, SP_ERROR_RULE, BAD_VALUE,
                            "caseFirst needs a strength of 3 or more, or caseLevel");
    if (read.settings[FIELD_BACKWARDS] != 0 && strength == 1)
        return sp_error_set(error, SP_ERROR_RULE, BAD_VALUE,
                            "backwards needs a strength of 2 or more");
    return true;
}

bool sp_collation_is_simple(const bson_t *collation)
{
    collation_t read;
    return collation == NULL || bson_empty(collation) ||
           (read_fields(collation, &read, NULL) && text_is(read.locale, "simple"));
}

bool sp_collation_same(const bson_t *a, const bson_t *b)
{
    collation_t left, right;
    bool simple = sp_collation_is_simple(a);
    if (simple || sp_collation_is_simple(b))
        return simple && sp_collation_is_simple(b);
    return read_fields(a, &left, NULL) && read_fields(b, &right, NULL) &&
           text_equal(left.locale, right.locale) &&
           memcmp(left.settings, right.settings, sizeof left.settings) == 0;
}

bool sp_collation_concerns(bson_type_t type)
{
    return type == BSON_TYPE_UTF8 || type == BSON_TYPE_DOCUMENT || type == BSON_TYPE_ARRAY;
}
