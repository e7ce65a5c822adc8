#include "range_table.h"

#include "catalog.h"
#include "chunks.h"
#include "zone_table.h"

#include "../oracles/initial_chunks.h"

#include <string.h>

enum { ZONES_READ_MAX = 100000 };

static bool find_uuid(sp_session_t *session, const char *ns, uint8_t uuid[SP_UUID_SIZE],
                      sp_error_t *error)
{
    bson_t entry = BSON_INITIALIZER;
    bson_iter_t iter;
    uint32_t size = 0;
    const uint8_t *found = NULL;
    bool ok = sp_catalog_find(session, "collections", ns, &entry, error);
    if (ok && bson_iter_init_find(&iter, &entry, "uuid") && BSON_ITER_HOLDS_BINARY(&iter))
        bson_iter_binary(&iter, NULL, &size, &found);
    if (found != NULL && size == SP_UUID_SIZE)
        memcpy(uuid, found, SP_UUID_SIZE);
    else if (ok)
        ok = sp_error_set(error, SP_ERROR_INFRA, 0, "%s has no uuid", ns);
    bson_destroy(&entry);
    return ok;
}

/* Posts a find on a table of the catalogue, by lower bounds. */
static bool find_sorted(sp_session_t *session, const char *table, const bson_t *filter,
                        int32_t most, bson_t *reply, sp_error_t *error)
{
    bson_t command = BSON_INITIALIZER, sort;
    BSON_APPEND_UTF8(&command, "find", table);
    BSON_APPEND_DOCUMENT(&command, "filter", filter);
    BSON_APPEND_DOCUMENT_BEGIN(&command, "sort", &sort);
    BSON_APPEND_INT32(&sort, "min", 1);
    bson_append_document_end(&command, &sort);
    BSON_APPEND_INT32(&command, "limit", most);
    BSON_APPEND_INT32(&command, "batchSize", most);
    BSON_APPEND_BOOL(&command, "singleBatch", true);
    bool ok = sp_conn_command(session->config, "config", &command, reply, error);
    bson_destroy(&command);
    return ok;
}

/* Appends [min, max, name] for each document of the reply's batch; `field` has the name. */
static bool append_ranges(const sp_zone_place_t *place, const bson_t *reply, const char *field,
                          bson_t *ranges, uint32_t *count, sp_error_t *error)
{
    bson_iter_t iter, batch, min, max, name;
    *count = 0;
    if (!bson_iter_init(&iter, reply) ||
        !bson_iter_find_descendant(&iter, "cursor.firstBatch", &batch) ||
        !bson_iter_recurse(&batch, &iter))
        return sp_error_set(error, SP_ERROR_INFRA, 0, "the catalogue cannot be read");
    while (bson_iter_next(&iter)) {
        char buffer[16];
        const char *index;
        bson_t range;
        if (!bson_iter_recurse(&iter, &min) || !bson_iter_find(&min, "min") ||
            !bson_iter_recurse(&iter, &max) || !bson_iter_find(&max, "max") ||
            !bson_iter_recurse(&iter, &name) || !bson_iter_find(&name, field) ||
            !BSON_ITER_HOLDS_UTF8(&name))
            return sp_error_set(error, SP_ERROR_INFRA, 0, "the catalogue makes no sense");
        sp_value_t low = sp_value_of(&min), high = sp_value_of(&max);
        bson_uint32_to_string((*count)++, &index, buffer, sizeof buffer);
        BSON_APPEND_ARRAY_BEGIN(ranges, index, &range);
        sp_value_append(&range, "0", &low);
        sp_value_append(&range, "1", &high);
        BSON_APPEND_UTF8(&range, "2", sp_zone_case_name(place, bson_iter_utf8(&name, NULL)));
        bson_append_array_end(ranges, &range);
    }
    return true;
}

static bool count_chunks(sp_session_t *session, const bson_t *filter, bson_t *answer,
                         sp_error_t *error)
{
    bson_t command = BSON_INITIALIZER, reply;
    bson_iter_t iter;
    BSON_APPEND_UTF8(&command, "count", "chunks");
    BSON_APPEND_DOCUMENT(&command, "query", filter);
    bool ok = sp_conn_command(session->config, "config", &command, &reply, error);
    if (ok && bson_iter_init_find(&iter, &reply, "n"))
        BSON_APPEND_INT64(answer, "chunks", bson_iter_as_int64(&iter));
    else if (ok)
        ok = sp_error_set(error, SP_ERROR_INFRA, 0, "the chunks cannot be counted");
    bson_destroy(&reply);
    bson_destroy(&command);
    return ok;
}

bool sp_range_table_chunks(sp_session_t *session, const sp_zone_place_t *place, bson_t *answer,
                           sp_error_t *error)
{
    uint8_t uuid[SP_UUID_SIZE];
    uint32_t count;
    bson_t filter = BSON_INITIALIZER, reply, chunks = BSON_INITIALIZER;
    if (!find_uuid(session, place->ns, uuid, error))
        return false;
    BSON_APPEND_BINARY(&filter, "uuid", BSON_SUBTYPE_UUID, uuid, SP_UUID_SIZE);
    bool ok = find_sorted(session, "chunks", &filter, SP_CHUNKS_LISTED_MAX + 1, &reply, error) &&
              append_ranges(place, &reply, "shard", &chunks, &count, error);
    if (ok && count > SP_CHUNKS_LISTED_MAX)
        ok = count_chunks(session, &filter, answer, error);
    else if (ok)
        BSON_APPEND_ARRAY(answer, "chunks", &chunks);
    bson_destroy(&chunks);
    bson_destroy(&reply);
    bson_destroy(&filter);
    return ok;
}

bool sp_range_table_zones(sp_session_t *session, const sp_zone_place_t *place, bson_t *answer,
                          sp_error_t *error)
{
    uint32_t count;
    bson_t filter = BSON_INITIALIZER, reply, ranges = BSON_INITIALIZER;
    BSON_APPEND_UTF8(&filter, "ns", place->ns);
    bool ok = find_sorted(session, "tags", &filter, ZONES_READ_MAX, &reply, error) &&
              append_ranges(place, &reply, "tag", &ranges, &count, error);
    if (ok)
        BSON_APPEND_ARRAY(answer, "zones", &ranges);
    bson_destroy(&ranges);
    bson_destroy(&reply);
    bson_destroy(&filter);
    return ok;
}
