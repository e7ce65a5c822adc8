#include "index_spec.h"

#include "collation.h"
#include "index_filter.h"
#include "number.h"

#include <math.h>
#include <string.h>

enum {
    BAD_VALUE = 2,
    FAILED_TO_PARSE = 9,
    TYPE_MISMATCH = 14,
    CANNOT_CREATE_INDEX = 67,
    INVALID_OPTION = 197,
};

/* What an option's value must be. */
typedef enum option_type {
    ANYTHING,
    FLAG, /* a boolean or a number */
    BOOLEAN,
    NUMBER,
    STRING,
    OBJECT,
    UNKNOWN_TO_MODEL,
} option_type_t;

typedef struct option {
    const char *name;
    option_type_t type;
    bool for_id;    /* a specification of the _id index can have it */
    bool looked_at; /* some rule looks at it, or it leaves nothing behind */
} option_t;

static const option_t options[] = {
    {"key", OBJECT, true, true},
    {"name", STRING, true, true},
    {"v", NUMBER, true, true},
    {"ns", ANYTHING, true, true},
    {"_id", ANYTHING, true, true},
    {"collation", OBJECT, true, true},
    {"unique", FLAG, false, true},
    {"prepareUnique", FLAG, false, true},
    {"sparse", FLAG, false, true},
    {"hidden", BOOLEAN, false, true},
    {"background", FLAG, false, true},
    {"partialFilterExpression", OBJECT, false, true},
    {"expireAfterSeconds", ANYTHING, false, true},
    {"dropDups", FLAG, false, false},
    {"bits", NUMBER, false, false},
    {"min", NUMBER, false, false},
    {"max", NUMBER, false, false},
    {"textIndexVersion", NUMBER, false, false},
    {"2dsphereIndexVersion", NUMBER, false, false},
    {"coarsestIndexedLevel", FLAG, false, false},
    {"finestIndexedLevel", FLAG, false, false},
    {"default_language", STRING, false, false},
    {"language_override", STRING, false, false},
    {"bucketSize", NUMBER, false, false},
    {"weights", UNKNOWN_TO_MODEL, false, false},
    {"storageEngine", UNKNOWN_TO_MODEL, false, false},
    {"wildcardProjection", UNKNOWN_TO_MODEL, false, false},
    {"clustered", UNKNOWN_TO_MODEL, false, false},
    {"originalSpec", UNKNOWN_TO_MODEL, false, false},
};

static const option_t *find_option(const char *name, sp_version_t version)
{
    if (strcmp(name, "bucketSize") == 0 && !sp_version_has(version, SP_BUCKET_SIZE_OPTION))
        return NULL;
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        if (strcmp(options[i].name, name) == 0)
            return &options[i];
    }
    return NULL;
}

static bool refuse(sp_error_t *error, int32_t code, const char *option, const char *why)
{
    return sp_error_set(error, SP_ERROR_RULE, code, "the index option '%.100s' %s", option, why);
}

/* Names come first: one that is unknown is refused before anything else is looked at. */
static bool check_names(const bson_t *document, sp_version_t version, sp_error_t *error)
{
    bson_iter_t iter;
    const char *unknown = NULL;
    for (bool more = bson_iter_init(&iter, document); more && bson_iter_next(&iter);) {
        const option_t *option = find_option(bson_iter_key(&iter), version);
        if (option == NULL)
            return refuse(error, INVALID_OPTION, bson_iter_key(&iter), "is none");
        if (option->type == UNKNOWN_TO_MODEL && unknown == NULL)
            unknown = option->name;
    }
    return unknown == NULL ||
           sp_error_set(error, SP_ERROR_INPUT, 0, "the model has no rule for the index option '%s'",
                        unknown);
}

static bool has_type(const sp_value_t *value, option_type_t type)
{
    bool flag;
    switch (type) {
    case FLAG:
        return sp_index_flag(value, &flag);
    case BOOLEAN:
        return value->type == BSON_TYPE_BOOL;
    case NUMBER:
        return sp_value_is_number(value);
    case STRING:
        return value->type == BSON_TYPE_UTF8;
    case OBJECT:
        return value->type == BSON_TYPE_DOCUMENT;
    default:
        return true;
    }
}

static bool check_version(const sp_value_t *value, sp_error_t *error)
{
    int64_t whole;
    double number = sp_number_nearest_double(value);
    if (!sp_number_whole_part(value, &whole) || whole < INT32_MIN || whole > INT32_MAX ||
        number != (double)whole)
        return refuse(error, BAD_VALUE, "v", "is no 32-bit integer");
    if (whole != 1 && whole != 2)
        return refuse(error, CANNOT_CREATE_INDEX, "v", "is neither 1 nor 2");
    return true;
}

/* Empty, or with a NUL in it. */
static bool is_odd_name(const sp_value_t *value)
{
    uint32_t size;
    const char *text = sp_value_text(value, &size);
    return size == 0 || strlen(text) != size;
}

/* One option as the specification is read, in the sequence that it is written in. */
static bool check_option(sp_arena_t *arena, sp_version_t version, const bson_iter_t *iter,
                         sp_index_spec_t *spec, bool *fits, sp_error_t *error)
{
    const char *name = bson_iter_key(iter);
    const option_t *option = find_option(name, version);
    sp_value_t value = sp_value_of(iter);
    if (!has_type(&value, option->type))
        return refuse(error, TYPE_MISMATCH, name, "is of the wrong type");
    spec->has_others = spec->has_others || !option->looked_at;
    if (strcmp(name, "key") == 0)
        return sp_index_pattern_check(&spec->index.key, &spec->kind, error);
    if (strcmp(name, "name") == 0)
        spec->has_odd_name = is_odd_name(&value);
    if (strcmp(name, "v") == 0)
        return check_version(&value, error);
    if (strcmp(name, "collation") == 0 && bson_empty(&spec->index.collation))
        return refuse(error, BAD_VALUE, name, "is empty");
    if (strcmp(name, "partialFilterExpression") == 0) {
        spec->partial = sp_index_filter_parse(arena, version, &spec->index.partial, fits, error);
        return spec->partial != NULL;
    }
    return true;
}

static bool is_old_version(const bson_t *document)
{
    bson_iter_t iter;
    int64_t whole = 0;
    if (!bson_iter_init_find(&iter, document, "v"))
        return false;
    sp_value_t value = sp_value_of(&iter);
    return sp_value_is_number(&value) && sp_number_whole_part(&value, &whole) && whole == 1;
}

/* What does not go together, as far as that is seen when everything was read. */
static bool check_together(const bson_t *document, const sp_index_spec_t *spec, sp_error_t *error)
{
    if (!bson_has_field(document, "name"))
        return refuse(error, FAILED_TO_PARSE, "name", "is missing");
    if (spec->index.unique && spec->index.prepare_unique)
        return refuse(error, CANNOT_CREATE_INDEX, "prepareUnique", "stands beside unique");
    if (is_old_version(document) && spec->index.has_collation)
        return refuse(error, CANNOT_CREATE_INDEX, "collation", "stands beside v: 1");
    if (is_old_version(document) && spec->kind == SP_INDEX_WILDCARD)
        return refuse(error, CANNOT_CREATE_INDEX, "v", "is 1 in a wildcard index");
    return true;
}

static bool check_id_options(const bson_t *document, sp_version_t version, sp_error_t *error)
{
    bson_iter_t iter;
    for (bool more = bson_iter_init(&iter, document); more && bson_iter_next(&iter);) {
        if (!find_option(bson_iter_key(&iter), version)->for_id)
            return refuse(error, INVALID_OPTION, bson_iter_key(&iter), "is none of an _id index");
    }
    return true;
}

static bool check_id(const bson_t *document, sp_version_t version, const sp_index_spec_t *spec,
                     sp_error_t *error)
{
    bson_t key = BSON_INITIALIZER;
    BSON_APPEND_INT32(&key, "_id", 1);
    bool ok =
        check_id_options(document, version, error) &&
        (sp_index_pattern_same(&spec->index.key, &key) ||
         sp_error_set(error, SP_ERROR_RULE, BAD_VALUE, "the key of an _id index must be {_id: 1}"));
    bson_destroy(&key);
    return ok;
}

static bool check_name(const sp_index_spec_t *spec, sp_error_t *error)
{
    if (strcmp(spec->index.name, "*") == 0 || strcmp(spec->index.name, "_id_") == 0)
        return refuse(error, BAD_VALUE, "name", "is one that only the server gives");
    return true;
}

static bool collates(const sp_index_t *index)
{
    return index->has_collation && !sp_collation_is_simple(&index->collation);
}

static bool check_collation(const bson_t *own, sp_index_spec_t *spec, sp_error_t *error)
{
    if (spec->index.has_collation && !sp_collation_check(&spec->index.collation, error))
        return false;
    if (spec->is_id && spec->index.has_collation) {
        const bson_t *asked = collates(&spec->index) ? &spec->index.collation : NULL;
        if ((asked == NULL) != (own == NULL) || (asked != NULL && !sp_collation_same(asked, own)))
            return sp_error_set(error, SP_ERROR_RULE, BAD_VALUE,
                                "the _id index must have the collation of the collection");
    }
    return true;
}

/* An index that says nothing of its collation has the collection's. */
static void inherit_collation(const bson_t *own, sp_index_spec_t *spec)
{
    if (!spec->index.has_collation && own != NULL && !spec->is_old) {
        spec->index.has_collation =
            bson_init_static(&spec->index.collation, bson_get_data(own), own->len);
    } else {
        spec->index.has_collation = collates(&spec->index);
    }
}

/* Languages and versions of text indexes are no matter of shard keys; what every server takes is
 * known, and what else there is not. */
static bool check_text(const bson_t *document, sp_error_t *error)
{
    bson_iter_t iter;
    const char *unknown = NULL;
    for (bool more = bson_iter_init(&iter, document); more && bson_iter_next(&iter);) {
        sp_value_t value = sp_value_of(&iter);
        const char *name = bson_iter_key(&iter);
        uint32_t size;
        if ((strcmp(name, "default_language") == 0 &&
             strcmp(sp_value_text(&value, &size), "english") != 0) ||
            (strcmp(name, "language_override") == 0 &&
             strpbrk(sp_value_text(&value, &size), ".$") != NULL) ||
            (strcmp(name, "textIndexVersion") == 0 && sp_number_nearest_double(&value) != 3))
            unknown = name;
    }
    return unknown == NULL ||
           sp_error_set(error, SP_ERROR_INPUT, 0,
                        "the model has no rule for this value of the index option '%s'", unknown);
}

/* What is looked at when the server has filled in what was left out. */
static bool check_filled(const bson_t *document, const sp_index_spec_t *spec, bool fits,
                         sp_error_t *error)
{
    const sp_index_t *index = &spec->index;
    const char *why = NULL;
    if (spec->has_odd_name)
        why = "its name is empty or has a NUL in it";
    else if (index->has_partial && index->sparse)
        why = "it is both sparse and partial";
    else if (!fits)
        why = "its filter has something in it that no index can have";
    else if (spec->kind == SP_INDEX_WILDCARD &&
             (index->sparse || index->unique || index->expire.type != BSON_TYPE_EOD))
        why = "a wildcard index is neither sparse nor unique, and nothing expires by it";
    else if (index->has_collation && (spec->kind == SP_INDEX_TEXT || spec->kind == SP_INDEX_2D ||
                                      spec->kind == SP_INDEX_2DSPHERE_BUCKET))
        why = "an index of its kind has no collation";
    if (why != NULL)
        return sp_error_set(error, SP_ERROR_RULE, CANNOT_CREATE_INDEX, "the index cannot be: %s",
                            why);
    return sp_index_pattern_fits(&index->key, spec->kind, error) &&
           (spec->kind != SP_INDEX_TEXT || check_text(document, error));
}

bool sp_index_spec_expires(const sp_index_spec_t *spec, sp_error_t *error)
{
    static const char name[] = "expireAfterSeconds";
    const sp_value_t *seconds = &spec->index.expire;
    if (seconds->type == BSON_TYPE_EOD)
        return true;
    if (!sp_value_is_number(seconds))
        return refuse(error, CANNOT_CREATE_INDEX, name, "is no number");
    int64_t whole = sp_number_for_hash(seconds); /* which is how a server cuts it, too */
    if (whole < 0 || whole > INT32_MAX)
        return refuse(error, CANNOT_CREATE_INDEX, name, "is not from 0 to 2147483647");
    return sp_index_pattern_fields(&spec->index.key) == 1 ||
           refuse(error, CANNOT_CREATE_INDEX, name, "is for indexes of one field");
}

bool sp_index_spec_read(sp_arena_t *arena, sp_version_t version, const bson_t *collation,
                        const bson_t *document, sp_index_spec_t *spec, sp_error_t *error)
{
    bson_iter_t iter;
    bool fits = true;
    *spec = (sp_index_spec_t){0};
    if (!bson_has_field(document, "key"))
        return sp_error_set(error, SP_ERROR_INPUT, 0, "an index needs 'key'");
    if (!check_names(document, version, error))
        return false;
    /* What ends this reading is refused below too, before anything behind it is looked at. */
    sp_index_read(document, &spec->index, NULL);
    bool ok = bson_iter_init(&iter, document);
    while (ok && bson_iter_next(&iter))
        ok = check_option(arena, version, &iter, spec, &fits, error);
    if (!ok || !check_together(document, spec, error))
        return false;
    spec->is_id = sp_index_pattern_is_id(&spec->index.key);
    spec->is_old = is_old_version(document);
    if (spec->is_id ? !check_id(document, version, spec, error) : !check_name(spec, error))
        return false;
    if (!sp_version_has(version, SP_TTL_LOOKED_AT_LATE) && !sp_index_spec_expires(spec, error))
        return false;
    if (!check_collation(collation, spec, error))
        return false;
    inherit_collation(collation, spec);
    return check_filled(document, spec, fits, error);
}
