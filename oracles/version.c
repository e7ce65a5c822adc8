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
     "mongos 4.0.3 and 4.2.6 answer 61 to an insert without a key field, 4.4.2 takes it; the "
     "manual "
     "gives 4.4"},
    {SP_KEY_SIZE_LIMITED,
     ALWAYS,
     {4, 4, 0},
     SP_OBSERVED,
     "mongos 4.0.3 and 4.2.6 answer 13334 to long ranged keys, 4.2.6 from 513 bytes on; 4.4.2 "
     "takes "
     "them; the manual gives 4.4"},
    {SP_KEY_OF_512_REFUSED,
     ALWAYS,
     {4, 2, 0},
     SP_DOCUMENTED,
     "the message of 13334 wants less than 512 bytes, and so it is told of mongos 4.0.3; 4.2.6, "
     "which "
     "has the same message, takes 512"},
    {SP_COMPOUND_HASHED,
     {4, 4, 0},
     NEVER,
     SP_OBSERVED,
     "mongos 4.0.3 and 4.2.6 answer 2 to the pattern {a: 1, b: 'hashed'}, 4.4.2 shards on it; the "
     "manual gives 4.4"},
    {SP_MAX_KEY_IN_NO_CHUNK,
     ALWAYS,
     {6, 0, 24},
     SP_OBSERVED,
     "4.2.6, 4.4.2, 5.0.4 and 6.0.5 answer 61 to an insert of {x: MaxKey} under {x: 1}, 6.0.24 and "
     "6.0.27 take it; versions between were not seen"},
    {SP_ONE_UPDATE_NEEDS_KEY,
     ALWAYS,
     {4, 2, 0},
     SP_OBSERVED,
     "mongos 4.0.3 answers 61 to an update of one document by a part of the shard key; 4.2.6, "
     "4.4.2, "
     "5.0.4 and 6.0.5 target it"},
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
     "4.2.6, 4.4.2, 5.0.4 and 6.0.5 send them to every shard of the cluster, as the profilers "
     "show"},
    {SP_HASHED_ABSENCE_UNBOUNDED,
     ALWAYS,
     {4, 4, 0},
     SP_OBSERVED,
     "mongos 4.0.3 asks all shards for {x: {$exists: false}} under {x: 'hashed'}, and the planner "
     "of "
     "4.2.6 scans the collection; 4.4.2, 5.0.4 and 6.0.5 ask one shard"},
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
    {SP_CHUNKS_DEALT_BY_32_BITS,
     ALWAYS,
     {4, 4, 0},
     SP_OBSERVED,
     "4.2.6 deals the 5 chunks of numInitialChunks 2^32 + 5 round the shards, 4.4.2 to 6.0.5 to "
     "one "
     "shard; versions between were not seen"},
    {SP_ZONES_END_IN_HASHED,
     {4, 4, 0},
     NEVER,
     SP_OBSERVED,
     "4.2.6 answers 72 to sharding by {x: 'hashed'} with a zone from MinKey to MaxKey, 4.4.2 does "
     "it; versions between were not seen"},
    {SP_ZONES_PRESPLIT,
     {4, 4, 0},
     NEVER,
     SP_OBSERVED,
     "4.2.6 takes no notice of presplitHashedZones, 4.4.2 splits zones; the manual gives 4.4"},
    {SP_CHUNKS_COUNTED_IN_32_BITS,
     ALWAYS,
     {6, 0, 24},
     SP_OBSERVED,
     "6.0.5 makes 7 chunks for numInitialChunks 2^32 + 7, 6.0.27 answers 72; versions between were "
     "not seen"},
    {SP_REFINES_KEYS,
     {4, 4, 0},
     NEVER,
     SP_OBSERVED,
     "mongos 4.0.3 and 4.2.6 answer 59 to refineCollectionShardKey, 4.4.2 does it; the manual "
     "gives "
     "4.4"},
    {SP_REFINE_UNFIT_IS_96,
     ALWAYS,
     {6, 0, 0},
     SP_OBSERVED,
     "with a partial index on {x: 1, y: 1}, or an array in it, 4.4.2 and 5.0.4 answer 96 to "
     "refining {x: 1}, 6.0.5 72"},
    {SP_RESHARDS,
     {5, 0, 0},
     NEVER,
     SP_OBSERVED,
     "4.4.2 answers 59 to reshardCollection, 5.0.4 does it; the manual gives 5.0"},
    {SP_RESHARD_OPTIONS_FIRST,
     ALWAYS,
     {6, 0, 24},
     SP_OBSERVED,
     "6.0.5 answers 2 to reshardCollection with unique: true on a collection that is not sharded, "
     "6.0.27 118; versions between were not seen"},
    {SP_RESHARD_KEEPS_CHUNK_COUNT,
     ALWAYS,
     {6, 0, 24},
     SP_OBSERVED,
     "6.0.5 reshards a collection of 3 chunks and 20 documents into 3 chunks, 6.0.27 answers "
     "4952606, as it does for the number 90; versions between were not seen"},
    {SP_RESHARD_DIES_OF_ZONES,
     ALWAYS,
     {6, 0, 24},
     SP_OBSERVED,
     "the config server of 6.0.5 aborts, at every start again, after resharding {x: 1} to {x: "
     "'hashed'} where both have a zone from {x: MinKey}; 6.0.24 and 6.0.27 do it; versions between "
     "were not seen"},
    {SP_KEY_VALUES_IMMUTABLE,
     ALWAYS,
     {4, 2, 0},
     SP_OBSERVED,
     "mongos 4.0.3 answers 66 to every change of a shard key value, 4.2.6 takes it in a retryable "
     "write"},
    {SP_KEY_NUMBERS_ALIKE,
     {4, 2, 0},
     {4, 4, 0},
     SP_OBSERVED,
     "a plain {$set: {x: 10.0}} over the shard key value 10 is done by 4.2.6, 4.4.2 answers 20"},
    {SP_KEY_FIELDS_KEPT,
     {4, 2, 0},
     {4, 4, 0},
     SP_OBSERVED,
     "4.2.6 answers 4 to a retryable {$unset: {x: 1}} of a shard key field, 4.4.2 does it"},
    {SP_FIND_AND_MODIFY_TRIES_AGAIN,
     ALWAYS,
     {6, 0, 27},
     SP_OBSERVED,
     "a shard of 6.0.5 or 6.0.24 aborts over a findAndModify with upsert by _id in a transaction "
     "where an orphan has that _id, 6.0.27 answers 11000; versions between were not seen"},
    {SP_KEY_INDEX_KEPT,
     {6, 0, 0},
     NEVER,
     SP_OBSERVED,
     "6.0.5 answers 370 to dropping and 72 to hiding the only index that supports {x: 1}; 4.2.6, "
     "4.4.2 and 5.0.4 drop it"},
    {SP_HASHED_KEY_INDEX_KEPT,
     {6, 0, 0},
     {6, 0, 24},
     SP_OBSERVED,
     "6.0.5 answers 370 to dropping the index of {x: 'hashed'}, 6.0.24 and 6.0.27 drop it; the "
     "manual gives 6.0.12 for the change"},
    {SP_TTL_LOOKED_AT_LATE,
     {6, 0, 27},
     NEVER,
     SP_OBSERVED,
     "6.0.5 and 6.0.24 answer 67 to {x: 1} with expireAfterSeconds: -1 beside an index on {x: 1}, "
     "6.0.27 85; versions between were not seen"},
    {SP_BUCKET_SIZE_OPTION,
     {6, 0, 24},
     NEVER,
     SP_OBSERVED,
     "6.0.5 answers 197 to an index with bucketSize: 1, 6.0.24 and 6.0.27 make it; versions "
     "between were not seen"},
    {SP_KEY_PATHS_OF_REFERENCES,
     {6, 0, 24},
     NEVER,
     SP_OBSERVED,
     "6.0.5 answers 2 to sharding by {'a.$id': 1}, 6.0.24 and 6.0.27 do it; versions between were "
     "not seen"},
    {SP_UNFIT_INDEX_IS_96,
     ALWAYS,
     {5, 0, 0},
     SP_OBSERVED,
     "4.2.6 and 4.4.2 answer 96 to sharding by {x: 1} where the only index on it is multikey, "
     "5.0.4 "
     "and 6.0.5 answer 72"},
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
