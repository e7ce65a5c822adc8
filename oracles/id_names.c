#include "id_names.h"

#include <string.h>

enum { DOLLAR_PREFIXED_FIELD_NAME = 52, INVALID_DB_REF = 55 };

/* A field that begins with $ and what stands around it. */
typedef struct place {
    const char *before, *name, *after; /* "" where there is none */
    bson_type_t type;
} place_t;

static bool is_part_of_reference(const char *name)
{
    return strcmp(name, "$ref") == 0 || strcmp(name, "$id") == 0 || strcmp(name, "$db") == 0;
}

static bool is_in_place(const place_t *place, bool at_beginning)
{
    if (strcmp(place->name, "$ref") == 0)
        return place->type == BSON_TYPE_UTF8 && strcmp(place->after, "$id") == 0 &&
               (!at_beginning || place->before[0] == '\0');
    if (strcmp(place->name, "$id") == 0)
        return strcmp(place->before, "$ref") == 0;
    return strcmp(place->name, "$db") == 0 && place->type == BSON_TYPE_UTF8 &&
           strcmp(place->before, "$id") == 0;
}

static bool check_fields(bson_iter_t *iter, bool deep, sp_error_t *error)
{
    place_t place = {.before = "", .name = ""};
    while (bson_iter_next(iter)) {
        bson_iter_t next = *iter, inner;
        place.before = place.name;
        place.name = bson_iter_key(iter);
        place.after = bson_iter_next(&next) ? bson_iter_key(&next) : "";
        place.type = bson_iter_type(iter);
        bool odd = place.name[0] == '$' && !is_in_place(&place, deep);
        if (odd && !deep && is_part_of_reference(place.name))
            return sp_error_set(error, SP_ERROR_RULE, INVALID_DB_REF,
                                "'%s' in the _id is not part of a whole reference", place.name);
        if (odd)
            return sp_error_set(error, SP_ERROR_RULE, DOLLAR_PREFIXED_FIELD_NAME,
                                "an _id cannot have the field name '%s'", place.name);
        sp_value_t value = sp_value_of(iter);
        if (deep && strcmp(place.name, "$id") != 0 && sp_value_has_children(&value) &&
            sp_value_children(&value, &inner) && !check_fields(&inner, deep, error))
            return false;
    }
    return true;
}

bool sp_id_names_check(sp_version_t version, const bson_t *id, bool made_by_path, sp_error_t *error)
{
    bson_iter_t iter;
    bool deep = sp_version_has(version, SP_ID_NAMES_DEEP);
    if ((deep && made_by_path) || !bson_iter_init(&iter, id))
        return true;
    return check_fields(&iter, deep, error);
}
