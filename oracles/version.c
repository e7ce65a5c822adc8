#include "version.h"

#include <ctype.h>

#define ALWAYS                                                                                     \
    {                                                                                              \
        0, 0, 0                                                                                    \
    }
#define NEVER                                                                                      \
    {                                                                                              \
        999, 0, 0                                                                                  \
    }

static const sp_difference_row_t table[] = {
    {SP_KEY_FIELDS_REQUIRED,
     ALWAYS,
     {4, 4, 0},
     SP_OBSERVED,
     "mongos 4.0.3 answers 61 to an insert without a key field; the manual gives 4.4 for the "
     "change"},
    {SP_KEY_SIZE_LIMITED,
     ALWAYS,
     {4, 4, 0},
     SP_OBSERVED,
     "mongos 4.0.3 answers 13334 to ranged keys of 512 bytes; the manual gives 4.4 for the change"},
    {SP_COMPOUND_HASHED,
     {4, 4, 0},
     NEVER,
     SP_OBSERVED,
     "6.0.5 shards on {a: 1, b: 'hashed'}, mongos 4.0.3 answers 2; the manual gives 4.4"},
    {SP_MAX_KEY_IN_NO_CHUNK,
     ALWAYS,
     {6, 0, 24},
     SP_OBSERVED,
     "6.0.5 answers 61 to an insert of {x: MaxKey} under {x: 1}, 6.0.24 and 6.0.27 take it; "
     "versions between were not seen"},
    {SP_ONE_UPDATE_NEEDS_KEY,
     ALWAYS,
     {4, 2, 0},
     SP_OBSERVED,
     "mongos 4.0.3 answers 61 to an update of one document by a part of the shard key, 6.0.5 "
     "targets it; versions between were not seen"},
    {SP_ONE_DELETE_NEEDS_KEY,
     ALWAYS,
     {6, 0, 24},
     SP_OBSERVED,
     "mongos 4.0.3 and 6.0.5 answer 61 to a delete of one document by a part of the shard key, "
     "6.0.24 and 6.0.27 target it; versions between were not seen"},
    {SP_WRITE_TO_OWNERS_ONLY,
     ALWAYS,
     {4, 2, 0},
     SP_OBSERVED,
     "the explained updates and deletes of mongos 4.0.3 name the shards that a find would reach; "
     "6.0.5 sends them to every shard of the cluster, as its profilers show"},
    {SP_HASHED_ABSENCE_UNBOUNDED,
     ALWAYS,
     {4, 2, 0},
     SP_OBSERVED,
     "mongos 4.0.3 asks all shards for {x: {$exists: false}} under {x: 'hashed'}, 6.0.5 one; "
     "versions between were not seen"},
    {SP_ARRAYS_BOUND_BY_TYPE,
     ALWAYS,
     {6, 0, 27},
     SP_OBSERVED,
     "under {x: 1} the bounds of {x: {$gt: [[1]]}} begin at [[1]] on 6.0.5 and 6.0.24, at [1] on "
     "6.0.27; versions between were not seen"},
    {SP_GATHERED_APART,
     ALWAYS,
     {6, 0, 24},
     SP_OBSERVED,
     "parsedQuery of {$or: [{x: 5}, {x: 6}, {y: 7}, {y: 8}]} has the conditions on y in an $or of "
     "their own on 6.0.5, beside {x: {$in: [5, 6]}} on 6.0.24 and 6.0.27; versions between were "
     "not "
     "seen"},
    {SP_ID_NAMES_DEEP,
     ALWAYS,
     {6, 0, 24},
     SP_OBSERVED,
     "6.0.5 answers 52 to an upsert by {x: 5, _id: {a: {$b: 1}}}, 6.0.24 and 6.0.27 do it; "
     "versions "
     "between were not seen"},
    {SP_NOR_SIMPLIFIED,
     {6, 0, 24},
     NEVER,
     SP_OBSERVED,
     "under {x: 1} 6.0.24 and 6.0.27 bound x for {$nor: [{x: {$gt: 5}}, {y: {$all: []}}]}, 6.0.5 "
     "does not; versions between were not seen"},
};

const sp_difference_row_t *sp_version_table(unsigned *count)
{
    *count = sizeof table / sizeof *table;
    return table;
}

int sp_version_compare(sp_version_t a, sp_version_t b)
{
    if (a.major != b.major)
        return a.major < b.major ? -1 : 1;
    if (a.minor != b.minor)
        return a.minor < b.minor ? -1 : 1;
    return (a.patch > b.patch) - (a.patch < b.patch);
}

/* Takes one to three digits from the start of *text. */
static bool take_number(const char **text, unsigned *number)
{
    const char *at = *text;
    *number = 0;
    for (; at - *text < 3 && isdigit((unsigned char)*at); at++)
        *number = 10 * *number + (unsigned)(*at - '0');
    bool any = at != *text;
    *text = at;
    return any;
}

static bool take_dot(const char **text)
{
    if (**text != '.')
        return false;
    ++*text;
    return true;
}

bool sp_version_parse(const char *text, sp_version_t *version, sp_error_t *error)
{
    const char *at = text;
    *version = (sp_version_t){0};
    bool ok = take_number(&at, &version->major) && take_dot(&at) &&
              take_number(&at, &version->minor) &&
              (*at == '\0' || (take_dot(&at) && take_number(&at, &version->patch) && *at == '\0'));
    if (!ok)
        return sp_error_set(error, SP_ERROR_USAGE, 0,
                            "'%s' is no server version: write it like 6.0.5", text);
    const sp_version_t first = {4, 0, 0}, after = {7, 0, 0};
    if (sp_version_compare(*version, first) < 0 || sp_version_compare(*version, after) >= 0)
        return sp_error_set(error, SP_ERROR_USAGE, 0,
                            "the model has rules for 4.0 up to 6.0, not for %s", text);
    return true;
}

bool sp_version_has(sp_version_t version, sp_difference_t difference)
{
    for (unsigned i = 0; i < sizeof table / sizeof *table; i++) {
        if (table[i].difference == difference && sp_version_compare(version, table[i].since) >= 0 &&
            sp_version_compare(version, table[i].before) < 0)
            return true;
    }
    return false;
}
