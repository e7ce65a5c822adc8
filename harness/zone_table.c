#include "zone_table.h"

#include "catalog.h"
#include "chunks.h"
#include "delete_command.h"

#include <string.h>
#include <time.h>

char *sp_zone_own_name(const sp_zone_place_t *place, const char *zone)
{
    return bson_strdup_printf("%s-%s", place->ns, zone);
}

const char *sp_zone_case_name(const sp_zone_place_t *place, const char *name)
{
    size_t size = strlen(place->ns);
    bool own = strncmp(name, place->ns, size) == 0 && name[size] == '-';
    return own ? name + size + 1 : name;
}

/* Not inside one of libbson's macros, which may look at their arguments twice. */
static const char *next_index(uint32_t *count, char buffer[16])
{
    const char *index;
    bson_uint32_to_string((*count)++, &index, buffer, 16);
    return index;
}

static bool has_shard(const sp_zone_t *zone, unsigned shard)
{
    for (unsigned i = 0; i < zone->shard_count; i++) {
        if (zone->shards[i] == shard)
            return true;
    }
    return false;
}

/* Appends the names of a place's zones that the shard has. */
static void append_names(const sp_zone_place_t *place, unsigned shard, uint32_t *count,
                         bson_t *names)
{
    for (unsigned i = 0; i < place->zones.zone_count; i++) {
        char buffer[16];
        if (!has_shard(&place->zones.zones[i], shard))
            continue;
        char *name = sp_zone_own_name(place, place->zones.zones[i].name);
        const char *index = next_index(count, buffer);
        BSON_APPEND_UTF8(names, index, name);
        bson_free(name);
    }
}

/* One update of a shard's entry: zones are added to it ($each) or taken away ($in). */
static void append_update(const sp_session_t *session, const sp_zone_place_t *places,
                          uint32_t count, unsigned shard, bool adds, bson_t *update)
{
    bson_t part, field, tags, names;
    uint32_t name_count = 0;
    BSON_APPEND_DOCUMENT_BEGIN(update, "q", &part);
    BSON_APPEND_UTF8(&part, "_id", session->at.names[shard]);
    bson_append_document_end(update, &part);
    BSON_APPEND_DOCUMENT_BEGIN(update, "u", &part);
    BSON_APPEND_DOCUMENT_BEGIN(&part, adds ? "$addToSet" : "$pull", &field);
    BSON_APPEND_DOCUMENT_BEGIN(&field, "tags", &tags);
    BSON_APPEND_ARRAY_BEGIN(&tags, adds ? "$each" : "$in", &names);
    for (uint32_t i = 0; i < count; i++)
        append_names(&places[i], shard, &name_count, &names);
    bson_append_array_end(&tags, &names);
    bson_append_document_end(&field, &tags);
    bson_append_document_end(&part, &field);
    bson_append_document_end(update, &part);
}

static bool write_catalog(sp_session_t *session, const bson_t *command, sp_error_t *error)
{
    return sp_conn_post(session->config, "config", command, error) &&
           sp_catalog_fetch_write(session, error);
}

static bool set_zones(sp_session_t *session, const sp_zone_place_t *places, uint32_t count,
                      bool adds, sp_error_t *error)
{
    bson_t command = BSON_INITIALIZER, updates, update;
    uint32_t update_count = 0;
    BSON_APPEND_UTF8(&command, "update", "shards");
    BSON_APPEND_ARRAY_BEGIN(&command, "updates", &updates);
    for (unsigned i = 0; i < session->shard_count; i++) {
        char buffer[16];
        const char *index = next_index(&update_count, buffer);
        BSON_APPEND_DOCUMENT_BEGIN(&updates, index, &update);
        append_update(session, places, count, i, adds, &update);
        bson_append_document_end(&updates, &update);
    }
    bson_append_array_end(&command, &updates);
    sp_append_majority(&command);
    bool ok = write_catalog(session, &command, error);
    bson_destroy(&command);
    return ok;
}

static void append_range(const sp_zone_place_t *place, const sp_zone_range_t *range, bson_t *entry)
{
    bson_t id;
    char *name = sp_zone_own_name(place, range->zone);
    BSON_APPEND_DOCUMENT_BEGIN(entry, "_id", &id);
    BSON_APPEND_UTF8(&id, "ns", place->ns);
    sp_value_append(&id, "min", &range->min);
    bson_append_document_end(entry, &id);
    BSON_APPEND_UTF8(entry, "ns", place->ns);
    sp_value_append(entry, "min", &range->min);
    sp_value_append(entry, "max", &range->max);
    BSON_APPEND_UTF8(entry, "tag", name);
    bson_free(name);
}

static void append_collection(const sp_zone_place_t *place, uint32_t increment, bson_t *entry)
{
    bson_oid_t epoch;
    uint8_t uuid[SP_UUID_SIZE] = {0};
    uint32_t second = (uint32_t)time(NULL);
    bson_oid_init(&epoch, NULL);
    memcpy(uuid, epoch.bytes, sizeof epoch.bytes);
    BSON_APPEND_UTF8(entry, "_id", place->ns);
    BSON_APPEND_OID(entry, "lastmodEpoch", &epoch);
    BSON_APPEND_DATE_TIME(entry, "lastmod", (int64_t)second * 1000);
    BSON_APPEND_TIMESTAMP(entry, "timestamp", second, increment + 1);
    BSON_APPEND_BINARY(entry, "uuid", BSON_SUBTYPE_UUID, uuid, sizeof uuid);
    BSON_APPEND_DOCUMENT(entry, "key", place->paper_key);
    BSON_APPEND_BOOL(entry, "unique", false);
    BSON_APPEND_BOOL(entry, "noBalance", true);
}

static bool insert(sp_session_t *session, const char *table, const bson_t *entries, uint32_t count,
                   sp_error_t *error)
{
    return count == 0 || (sp_catalog_post_insert(session, table, entries, error) &&
                          sp_catalog_fetch_write(session, error));
}

static bool add_ranges(sp_session_t *session, const sp_zone_place_t *places, uint32_t count,
                       sp_error_t *error)
{
    bson_t entries = BSON_INITIALIZER, entry;
    uint32_t entry_count = 0;
    for (uint32_t i = 0; i < count; i++) {
        for (unsigned j = 0; j < places[i].zones.range_count; j++) {
            char buffer[16];
            const char *index = next_index(&entry_count, buffer);
            BSON_APPEND_DOCUMENT_BEGIN(&entries, index, &entry);
            append_range(&places[i], &places[i].zones.ranges[j], &entry);
            bson_append_document_end(&entries, &entry);
        }
    }
    bool ok = insert(session, "tags", &entries, entry_count, error);
    bson_destroy(&entries);
    return ok;
}

static bool add_collections(sp_session_t *session, const sp_zone_place_t *places, uint32_t count,
                            sp_error_t *error)
{
    bson_t entries = BSON_INITIALIZER, entry;
    uint32_t entry_count = 0;
    for (uint32_t i = 0; i < count; i++) {
        char buffer[16];
        if (places[i].paper_key == NULL)
            continue;
        const char *index = next_index(&entry_count, buffer);
        BSON_APPEND_DOCUMENT_BEGIN(&entries, index, &entry);
        append_collection(&places[i], i, &entry);
        bson_append_document_end(&entries, &entry);
    }
    bool ok = insert(session, "collections", &entries, entry_count, error);
    bson_destroy(&entries);
    return ok;
}

/* Deletes what has in `field` the name of one of the places; `papers`: of those on paper alone. */
static void remove_named(sp_session_t *session, const char *table, const char *field,
                         const sp_zone_place_t *places, uint32_t count, bool papers)
{
    bson_t command = BSON_INITIALIZER, filter = BSON_INITIALIZER, in, names;
    uint32_t name_count = 0;
    BSON_APPEND_DOCUMENT_BEGIN(&filter, field, &in);
    BSON_APPEND_ARRAY_BEGIN(&in, "$in", &names);
    for (uint32_t i = 0; i < count; i++) {
        char buffer[16];
        if (papers && places[i].paper_key == NULL)
            continue;
        const char *index = next_index(&name_count, buffer);
        BSON_APPEND_UTF8(&names, index, places[i].ns);
    }
    bson_append_array_end(&in, &names);
    bson_append_document_end(&filter, &in);
    sp_build_delete(&command, "delete", table, &filter);
    sp_append_majority(&command);
    if (name_count > 0)
        write_catalog(session, &command, NULL);
    bson_destroy(&filter);
    bson_destroy(&command);
}

bool sp_zone_table_lay(sp_session_t *session, const sp_zone_place_t *places, uint32_t count,
                       sp_error_t *error)
{
    return set_zones(session, places, count, true, error) &&
           add_ranges(session, places, count, error) &&
           add_collections(session, places, count, error);
}

void sp_zone_table_clear(sp_session_t *session, const sp_zone_place_t *places, uint32_t count)
{
    remove_named(session, "collections", "_id", places, count, true);
    remove_named(session, "tags", "ns", places, count, false);
    set_zones(session, places, count, false, NULL);
}
