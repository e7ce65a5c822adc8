#include "key_change.h"

#include "catalog.h"
#include "delete_command.h"

#include "../oracles/refine_docs.h"

#include <stdio.h>
#include <string.h>

enum { READ_MAX = 10000, STALE_TRIES = 10, FIND_TIME_MS = 10000 };

bool sp_key_change_drop_zones(sp_session_t *session, const char *ns, sp_error_t *error)
{
    bson_t command = BSON_INITIALIZER, filter = BSON_INITIALIZER;
    BSON_APPEND_UTF8(&filter, "ns", ns);
    sp_build_delete(&command, "delete", "tags", &filter);
    sp_append_majority(&command);
    bool ok = sp_conn_post(session->config, "config", &command, error) &&
              sp_catalog_fetch_write(session, error);
    bson_destroy(&filter);
    bson_destroy(&command);
    return ok;
}

bool sp_key_change_make_index(sp_session_t *session, unsigned shard, const char *collection,
                              const bson_iter_t *spec, unsigned number, sp_error_t *error)
{
    bson_t command = BSON_INITIALIZER, list, one;
    bson_iter_t iter;
    char name[16];
    snprintf(name, sizeof name, "index%u", number);
    BSON_APPEND_UTF8(&command, "createIndexes", collection);
    BSON_APPEND_ARRAY_BEGIN(&command, "indexes", &list);
    BSON_APPEND_DOCUMENT_BEGIN(&list, "0", &one);
    if (bson_iter_recurse(spec, &iter)) {
        while (bson_iter_next(&iter)) {
            sp_value_t value = sp_value_of(&iter);
            if (strcmp(bson_iter_key(&iter), "on") != 0)
                sp_value_append(&one, bson_iter_key(&iter), &value);
        }
    }
    BSON_APPEND_UTF8(&one, "name", name);
    bson_append_document_end(&list, &one);
    bson_append_array_end(&command, &list);
    sp_append_majority(&command);
    bool ok = sp_conn_command(session->shards[shard], session->db, &command, NULL, error);
    bson_destroy(&command);
    return ok;
}

/* {filter, sort: {min: 1}} of config.`table`. */
static void build_read(bson_t *command, const char *table, const bson_t *filter)
{
    bson_t sort;
    BSON_APPEND_UTF8(command, "find", table);
    BSON_APPEND_DOCUMENT(command, "filter", filter);
    BSON_APPEND_DOCUMENT_BEGIN(command, "sort", &sort);
    BSON_APPEND_INT32(&sort, "min", 1);
    bson_append_document_end(command, &sort);
    BSON_APPEND_INT32(command, "batchSize", READ_MAX);
    BSON_APPEND_BOOL(command, "singleBatch", true);
}

/* [min, max, name], the last of which is in `field`. */
static bool append_range(const bson_iter_t *element, const char *field, const char *index,
                         bson_t *ranges)
{
    bson_iter_t min, max, name;
    bson_t range;
    if (!bson_iter_recurse(element, &min) || !bson_iter_find(&min, "min") ||
        !bson_iter_recurse(element, &max) || !bson_iter_find(&max, "max") ||
        !bson_iter_recurse(element, &name) || !bson_iter_find(&name, field))
        return false;
    BSON_APPEND_ARRAY_BEGIN(ranges, index, &range);
    const sp_value_t values[] = {sp_value_of(&min), sp_value_of(&max), sp_value_of(&name)};
    static const char places[][2] = {"0", "1", "2"};
    for (unsigned i = 0; i < 3; i++)
        sp_value_append(&range, places[i], &values[i]);
    return bson_append_array_end(ranges, &range);
}

/* Appends what a table of the catalogue has as an array of [min, max, name]. */
static bool append_table(sp_session_t *session, const char *table, const bson_t *filter,
                         const char *field, const char *as, bson_t *answer, sp_error_t *error)
{
    bson_t command = BSON_INITIALIZER, reply, ranges = BSON_INITIALIZER;
    bson_iter_t iter, batch, element;
    build_read(&command, table, filter);
    bool ok = sp_conn_command(session->config, "config", &command, &reply, error);
    if (ok && (!bson_iter_init(&iter, &reply) ||
               !bson_iter_find_descendant(&iter, "cursor.firstBatch", &batch) ||
               !bson_iter_recurse(&batch, &element)))
        ok = sp_error_set(error, SP_ERROR_INFRA, 0, "config.%s cannot be read", table);
    for (uint32_t i = 0; ok && bson_iter_next(&element); i++) {
        char buffer[16];
        const char *index;
        bson_uint32_to_string(i, &index, buffer, sizeof buffer);
        ok = append_range(&element, field, index, &ranges) ||
             sp_error_set(error, SP_ERROR_INFRA, 0, "config.%s has a range without bounds", table);
    }
    if (ok)
        BSON_APPEND_ARRAY(answer, as, &ranges);
    bson_destroy(&ranges);
    bson_destroy(&command);
    bson_destroy(&reply);
    return ok;
}

bool sp_key_change_describe(sp_session_t *session, const sp_sharded_t *made, bson_t *answer,
                            sp_error_t *error)
{
    bson_t entry = BSON_INITIALIZER, chunks = BSON_INITIALIZER, zones = BSON_INITIALIZER;
    bson_iter_t key = {0}, uuid = {0};
    bool ok = sp_catalog_find(session, "collections", made->ns, &entry, error);
    if (ok &&
        (!bson_iter_init_find(&key, &entry, "key") || !bson_iter_init_find(&uuid, &entry, "uuid")))
        ok = sp_error_set(error, SP_ERROR_INFRA, 0, "%s has no key or no uuid", made->ns);
    if (ok) {
        sp_value_t key_value = sp_value_of(&key), uuid_value = sp_value_of(&uuid);
        sp_value_append(answer, "key", &key_value);
        sp_value_append(&chunks, "uuid", &uuid_value);
        BSON_APPEND_UTF8(&zones, "ns", made->ns);
    }
    ok = ok && append_table(session, "chunks", &chunks, "shard", "chunks", answer, error) &&
         append_table(session, "tags", &zones, "tag", "zones", answer, error);
    bson_destroy(&entry);
    bson_destroy(&chunks);
    bson_destroy(&zones);
    return ok;
}

/* Asks the router until its table is the newest. */
static bool find(sp_session_t *session, sp_conn_t *router, const sp_sharded_t *made,
                 const bson_t *filter, uint32_t *times, uint32_t count, sp_error_t *error)
{
    bson_t command = BSON_INITIALIZER, reply, simple;
    BSON_APPEND_UTF8(&command, "clusterFind", made->collection);
    BSON_APPEND_DOCUMENT(&command, "filter", filter);
    BSON_APPEND_DOCUMENT_BEGIN(&command, "collation", &simple);
    BSON_APPEND_UTF8(&simple, "locale", "simple");
    bson_append_document_end(&command, &simple);
    sp_documents_append_options(&command, count);
    BSON_APPEND_INT32(&command, "maxTimeMS", FIND_TIME_MS);
    bool ok = false, again = true;
    for (unsigned tries = 0; again && tries < STALE_TRIES; tries++) {
        ok = sp_conn_command(router, session->db, &command, &reply, error) &&
             sp_documents_count(&reply, times, count, error);
        again = !ok && error != NULL && error->domain == SP_ERROR_SERVER &&
                sp_code_is_stale(error->code);
        bson_destroy(&reply);
    }
    bson_destroy(&command);
    return ok;
}

static bool find_by_key(sp_session_t *session, sp_conn_t *router, const sp_sharded_t *made,
                        const sp_pattern_t *pattern, bson_iter_t docs, const sp_fate_t *fates,
                        uint32_t count, uint32_t *times, int32_t *found, sp_error_t *error)
{
    bool ok = true;
    for (uint32_t i = 0; ok && bson_iter_next(&docs); i++) {
        bson_t doc, filter = BSON_INITIALIZER;
        if (!fates[i].refused && sp_value_document(&docs, &doc) &&
            sp_refine_own_filter(pattern, &doc, &filter)) {
            memset(times, 0, count * sizeof *times);
            ok = find(session, router, made, &filter, times, count, error);
            *found += ok && times[i] == 1;
        }
        bson_destroy(&filter);
    }
    return ok;
}

/* The pattern of the key that the answer has already. */
static sp_pattern_t *answered_pattern(const bson_t *answer, sp_error_t *error)
{
    bson_iter_t iter;
    bson_t key;
    if (bson_iter_init_find(&iter, answer, "key") && sp_value_document(&iter, &key))
        return sp_pattern_new(&key, error);
    sp_error_set(error, SP_ERROR_INFRA, 0, "the collection has no shard key");
    return NULL;
}

bool sp_key_change_find_all(sp_session_t *session, sp_conn_t *router, const sp_sharded_t *made,
                            const bson_iter_t *docs, const sp_fate_t *fates, uint32_t count,
                            bson_t *answer, sp_error_t *error)
{
    bson_t everything = BSON_INITIALIZER;
    bson_iter_t iter;
    int32_t found = 0, by_key = 0;
    uint32_t *times = bson_malloc0((count + 1) * sizeof *times);
    sp_pattern_t *pattern = answered_pattern(answer, error);
    bool ok = pattern != NULL;
    if (ok && count > 0 && bson_iter_recurse(docs, &iter)) {
        ok = find(session, router, made, &everything, times, count, error);
        for (uint32_t i = 0; i < count; i++)
            found += times[i] == 1;
        ok = ok &&
             find_by_key(session, router, made, pattern, iter, fates, count, times, &by_key, error);
    }
    if (ok) {
        BSON_APPEND_INT32(answer, "found", found);
        BSON_APPEND_INT32(answer, "foundByKey", by_key);
    }
    sp_pattern_free(pattern);
    bson_free(times);
    bson_destroy(&everything);
    return ok;
}
