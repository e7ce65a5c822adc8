/* Statements about missing fields, hashed values, changed values, zones and refining, each by its
 * number in docs/coverage.md, against a real cluster.
 */
#include "statements.h"

#include <stdio.h>
#include <string.h>

#define LEAST "{\"x\": {\"$minKey\": 1}}"
#define MOST  "{\"x\": {\"$maxKey\": 1}}"

static void missing_fields_lie_where_null_does(void **state)
{
    sp_place_t *place = *state;
    static const char *const keys[] = {"{\"x\": 1}", "{\"x\": \"hashed\"}", "{\"x\": 1, \"y\": 1}"};
    for (unsigned k = 0; k < 3; k++) {
        char name[16];
        snprintf(name, sizeof name, "missing%u", k);
        assert_int_equal(sp_place_shard(place, name, keys[k], ""), 0);
        assert_int_equal(sp_place_insert(place, name, "{\"z\": 1}"), 0);
        assert_int_equal(sp_place_insert(place, name, "{\"x\": null, \"y\": null}"), 0);
        assert_int_equal(sp_place_insert(place, name, "{\"x\": null}"), 0);
        unsigned holders = 0;
        for (unsigned i = 0; i < SP_STATEMENT_SHARDS; i++)
            holders += sp_place_count(place, i, name, "{}") > 0;
        assert_int_equal(holders, 1);
        /* Asking for null finds all, and is targeted; for absence, those without the field. */
        assert_int_equal(sp_place_asked(place, name, "{\"x\": null}"), 1);
        assert_int_equal(sp_place_direct(place, 0,
                                         "{\"clusterAggregate\": \"%s\", \"cursor\": {}, "
                                         "\"pipeline\": [{\"$match\": {\"x\": null}}, {\"$count\": "
                                         "\"n\"}]}",
                                         name),
                         0);
        assert_int_equal(sp_place_number(place, "cursor.firstBatch.0.n"), 3);
        assert_int_equal(sp_place_direct(place, 0,
                                         "{\"clusterAggregate\": \"%s\", \"cursor\": {}, "
                                         "\"pipeline\": [{\"$match\": {\"x\": {\"$exists\": "
                                         "false}}}, {\"$count\": \"n\"}]}",
                                         name),
                         0);
        assert_int_equal(sp_place_number(place, "cursor.firstBatch.0.n"), 1);
    }
}

static void missing_fields_do_not_hinder_sharding(void **state)
{
    sp_place_t *place = *state;
    assert_int_equal(sp_place_direct(place, place->session->primary,
                                     "{\"insert\": \"hinder\", \"documents\": [{\"z\": 1}]}"),
                     0);
    assert_int_equal(sp_place_direct(place, place->session->primary,
                                     "{\"createIndexes\": \"hinder\", \"indexes\": [{\"key\": "
                                     "{\"x\": 1}, \"name\": \"x\"}]}"),
                     0);
    assert_int_equal(sp_place_shard(place, "hinder", "{\"x\": 1}", ""), 0);
}

static void missing_fields_become_null_by_any_update(void **state)
{
    sp_place_t *place = *state;
    unsigned primary = place->session->primary;
    assert_int_equal(sp_place_shard(place, "setnull", "{\"x\": 1}", ""), 0);
    static const struct {
        const char *value, *multi;
        int32_t code;
    } updates[] = {
        {"null", "true", 0},
        {"null", "false", 0},
        {"5", "true", 72},
        {"5", "false", 20}, /* neither a retryable write nor a transaction */
    };
    for (int i = 0; i < 4; i++) {
        char document[48];
        snprintf(document, sizeof document, "{\"_id\": %d}", i);
        assert_int_equal(sp_place_insert(place, "setnull", document), 0);
        assert_int_equal(
            sp_place_versioned(place, primary, "setnull",
                               "{\"update\": \"setnull\", \"updates\": [{\"q\": {\"_id\": %d, "
                               "\"x\": null}, \"u\": {\"$set\": {\"x\": %s}}, \"multi\": %s}]}",
                               i, updates[i].value, updates[i].multi),
            updates[i].code);
    }
    assert_int_equal(sp_place_count_all(place, "setnull", "{\"x\": {\"$type\": \"null\"}}"), 2);
    char *retryable = sp_place_retryable(place);
    assert_int_equal(sp_place_versioned(place, primary, "setnull",
                                        "{\"update\": \"setnull\", \"updates\": [{\"q\": {\"_id\": "
                                        "3, \"x\": null}, \"u\": {\"$set\": {\"x\": 5}}}]%s}",
                                        retryable),
                     0);
    bson_free(retryable);
    assert_int_equal(sp_place_count_all(place, "setnull", "{\"x\": 5}"), 1);
}

static int64_t hash(sp_place_t *place, const char *value)
{
    assert_int_equal(sp_place_run(place, place->session->shards[0], "admin", NULL,
                                  "{\"_hashBSONElement\": %s}", value),
                     0);
    return sp_place_number(place, "out");
}

static void fractions_are_cut_off_before_hashing(void **state)
{
    int64_t two = hash(*state, "2");
    assert_int_equal(hash(*state, "2.2"), two);
    assert_int_equal(hash(*state, "2.3"), two);
    assert_int_equal(hash(*state, "2.9"), two);
    assert_int_not_equal(hash(*state, "3.0"), two);
    /* Above 2^53 doubles are whole numbers; the manual calls them unsupported, yet they are hashed.
     */
    assert_int_equal(hash(*state, "18014398509481984.0"),
                     hash(*state, "{\"$numberLong\": \"18014398509481984\"}"));
    /* They lie on one shard, and an equality finds only its own value. */
    assert_int_equal(sp_place_shard(*state, "cut", "{\"x\": \"hashed\"}", ""), 0);
    static const char *const values[] = {"{\"x\": 2.2}", "{\"x\": 2.3}", "{\"x\": 2.9}"};
    for (int i = 0; i < 3; i++)
        assert_int_equal(sp_place_insert(*state, "cut", values[i]), 0);
    unsigned holders = 0;
    for (unsigned i = 0; i < SP_STATEMENT_SHARDS; i++)
        holders += sp_place_count(*state, i, "cut", "{}") == 3;
    assert_int_equal(holders, 1);
    assert_int_equal(sp_place_direct(*state, 0,
                                     "{\"clusterAggregate\": \"cut\", \"cursor\": {}, "
                                     "\"pipeline\": [{\"$match\": {\"x\": 2.3}}, {\"$count\": "
                                     "\"n\"}]}"),
                     0);
    assert_int_equal(sp_place_number(*state, "cursor.firstBatch.0.n"), 1);
}

static void equality_is_targeted_and_ranges_are_broadcast_when_hashed(void **state)
{
    sp_place_t *place = *state;
    assert_int_equal(sp_place_shard(place, "asked", "{\"x\": \"hashed\"}", ""), 0);
    assert_int_equal(sp_place_asked(place, "asked", "{\"x\": 7}"), 1);
    assert_int_equal(sp_place_asked(place, "asked", "{\"x\": {\"$gt\": 7, \"$lt\": 9}}"),
                     SP_STATEMENT_SHARDS);
    assert_int_equal(sp_place_asked(place, "asked", "{\"y\": 7}"), SP_STATEMENT_SHARDS);
    /* An object is hashed as a whole. */
    assert_int_equal(sp_place_asked(place, "asked", "{\"x\": {\"a\": 1}}"), 1);
    assert_int_equal(sp_place_asked(place, "asked", "{\"x.a\": 1}"), SP_STATEMENT_SHARDS);
    assert_int_not_equal(hash(place, "{\"a\": 1}"), hash(place, "{\"a\": 2}"));
}

static int32_t set_zone(sp_place_t *place, const char *collection, const char *min, const char *max,
                        const char *zone)
{
    return sp_place_run(place, place->session->config, "admin", NULL,
                        "{\"_configsvrUpdateZoneKeyRange\": \"%s.%s\", \"min\": %s, \"max\": %s, "
                        "\"zone\": %s, \"writeConcern\": {\"w\": \"majority\"}}",
                        place->session->db, collection, min, max, zone);
}

static void zone_ranges_must_be_right(void **state)
{
    sp_place_t *place = *state;
    assert_int_equal(sp_place_run(place, place->session->config, "admin", NULL,
                                  "{\"_configsvrAddShardToZone\": \"%s\", \"zone\": \"near\", "
                                  "\"writeConcern\": {\"w\": \"majority\"}}",
                                  place->session->at.names[0]),
                     0);
    static const struct {
        const char *min, *max, *zone;
        int32_t code;
    } ranges[] = {
        {"{\"x\": 1}", "{\"x\": 10}", "\"near\"", 0},
        {"{\"x\": 5}", "{\"x\": 20}", "\"near\"", 178}, /* overlaps */
        {"{\"x\": 10}", "{\"x\": 20}", "\"near\"", 0},  /* an upper bound is outside */
        {"{\"x\": 30}", "{\"x\": 30}", "\"near\"", 9},  /* empty */
        {"{\"x\": 40}", "{\"x\": 30}", "\"near\"", 9},  /* the wrong way round */
        {"{\"x\": 40}", "{\"x\": 50}", "\"nowhere\"", 177},
        {"{\"x\": 10}", "{\"x\": 20}", "null", 0}, /* taken away */
        {"{\"x\": 5}", "{\"x\": 20}", "\"near\"", 178},
    };
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++)
        assert_int_equal(set_zone(place, "zoned", ranges[i].min, ranges[i].max, ranges[i].zone),
                         ranges[i].code);
    assert_int_equal(sp_place_run(place, place->session->config, "admin", NULL,
                                  "{\"_configsvrRemoveShardFromZone\": \"%s\", \"zone\": \"near\", "
                                  "\"writeConcern\": {\"w\": \"majority\"}}",
                                  place->session->at.names[0]),
                     163);
    /* The first chunks follow the ranges. */
    assert_int_equal(sp_place_shard(place, "zoned", "{\"x\": 1}", ""), 0);
    assert_int_equal(sp_place_chunks(place, "zoned", ""), 3);
    char *owned = bson_strdup_printf(", {\"min\": {\"x\": 1}, \"max\": {\"x\": 10}, \"shard\": "
                                     "\"%s\"}",
                                     place->session->at.names[0]);
    assert_int_equal(sp_place_chunks(place, "zoned", owned), 1);
    bson_free(owned);
    /* Once sharded, a range must be of the key, though it may name only its first fields. */
    assert_int_not_equal(set_zone(place, "zoned", "{\"y\": 1}", "{\"y\": 2}", "\"near\""), 0);
    assert_int_equal(sp_place_shard(place, "zoned2", "{\"a\": 1, \"b\": 1}", ""), 0);
    assert_int_equal(set_zone(place, "zoned2", "{\"a\": 1}", "{\"a\": 5}", "\"near\""), 0);
    assert_int_equal(sp_place_count_config(place, "tags",
                                           "{\"min\": {\"a\": 1, \"b\": {\"$minKey\": 1}}, "
                                           "\"max\": {\"a\": 5, \"b\": {\"$minKey\": 1}}}"),
                     1);
    /* Where the key is hashed, ranges are of hashes. */
    assert_int_equal(sp_place_shard(place, "zoned3", "{\"x\": \"hashed\"}", ""), 0);
    assert_int_equal(set_zone(place, "zoned3", "{\"x\": 1}", "{\"x\": 5}", "\"near\""), 72);
    assert_int_equal(set_zone(place, "zoned3", "{\"x\": {\"$numberLong\": \"1\"}}",
                              "{\"x\": {\"$numberLong\": \"5\"}}", "\"near\""),
                     0);
}

static void example_keys_of_a_guide(void **state)
{
    static const struct {
        const char *key;
        int32_t code;
    } keys[] = {
        {"{\"email\": 1}", 0},
        {"{\"_id\": \"hashed\"}", 0},
        {"{\"tenantId\": 1, \"_id\": 1}", 0},
        {"{\"deviceId\": 1, \"ts\": \"hashed\"}", 0},
        {"{\"customerId\": 1, \"orderDate\": 1}", 0},
        {"{\"deviceId\": 1, \"ts\": 1}", 0},
        {"{\"conversationId\": 1, \"sentAt\": -1}", 2}, /* recommended there, and refused */
        {"{\"a\": \"hashed\", \"b\": \"hashed\"}", 2},
    };
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        char name[16];
        snprintf(name, sizeof name, "guide%zu", i);
        assert_int_equal(sp_place_shard(*state, name, keys[i].key, ""), keys[i].code);
    }
}

static void a_tenant_lies_together_until_it_is_divided(void **state)
{
    sp_place_t *place = *state;
    static const char least[] = "{\"tenant\": {\"$minKey\": 1}, \"_id\": {\"$minKey\": 1}}";
    static const char most[] = "{\"tenant\": {\"$maxKey\": 1}, \"_id\": {\"$maxKey\": 1}}";
    static const char middle[] = "{\"tenant\": \"big\", \"_id\": 50}";
    assert_int_equal(sp_place_shard(place, "tenants", "{\"tenant\": 1, \"_id\": 1}", ""), 0);
    char *at = bson_strdup_printf("[%s]", middle);
    assert_int_equal(sp_place_split(place, "tenants", least, most, at), 0);
    bson_free(at);
    sp_place_move(place, "tenants", middle, most,
                  (place->session->primary + 1) % SP_STATEMENT_SHARDS);
    assert_int_equal(sp_place_asked(place, "tenants", "{\"tenant\": \"small\"}"), 1);
    assert_int_equal(sp_place_asked(place, "tenants", "{\"tenant\": \"big\"}"), 2);
    assert_int_equal(sp_place_asked(place, "tenants", "{\"tenant\": \"big\", \"_id\": 7}"), 1);
    assert_int_equal(sp_place_asked(place, "tenants", "{\"_id\": 7}"), 2);
}

static void zone_ranges_go_with_the_collection(void **state)
{
    sp_place_t *place = *state;
    sp_session_t *session = place->session;
    for (unsigned i = 0; i < 2; i++)
        assert_int_equal(
            sp_place_run(place, session->config, "admin", NULL,
                         "{\"_configsvrAddShardToZone\": \"%s\", \"zone\": \"gone%u\", "
                         "\"writeConcern\": {\"w\": \"majority\"}}",
                         session->at.names[0], i),
            0);
    assert_int_equal(sp_place_shard(place, "gone", "{\"x\": 1}", ""), 0);
    assert_int_equal(set_zone(place, "gone", "{\"x\": 1}", "{\"x\": 10}", "\"gone0\""), 0);
    assert_int_equal(set_zone(place, "gone", "{\"x\": 10}", "{\"x\": 20}", "\"gone1\""), 0);
    assert_int_equal(set_zone(place, "gone", "{\"x\": 1}", "{\"x\": 10}", "\"gone1\""), 178);
    static const char ours[] = "{\"tag\": {\"$in\": [\"gone0\", \"gone1\"]}}";
    assert_int_equal(sp_place_count_config(place, "tags", ours), 2);
    assert_int_equal(sp_place_run(place, session->shards[session->primary], session->db,
                                  &session->db_version,
                                  "{\"_shardsvrDropCollection\": \"gone\", \"writeConcern\": "
                                  "{\"w\": \"majority\"}}"),
                     0);
    assert_int_equal(sp_place_count_config(place, "tags", ours), 0);
}

static void refining_moves_nothing(void **state)
{
    sp_place_t *place = *state;
    sp_session_t *session = place->session;
    unsigned to = (session->primary + 1) % SP_STATEMENT_SHARDS;
    int64_t before[SP_STATEMENT_SHARDS];
    assert_int_equal(sp_place_shard(place, "refined", "{\"x\": 1}", ""), 0);
    assert_int_equal(sp_place_split(place, "refined", LEAST, MOST, "[{\"x\": 0}]"), 0);
    sp_place_move(place, "refined", "{\"x\": 0}", MOST, to);
    for (int i = -3; i < 5; i++) {
        char document[48]; /* none has the field that is to come */
        snprintf(document, sizeof document, "{\"x\": %d}", i);
        assert_int_equal(sp_place_insert(place, "refined", document), 0);
    }
    for (unsigned i = 0; i < SP_STATEMENT_SHARDS; i++)
        before[i] = sp_place_count(place, i, "refined", "{}");
    static const char refine[] =
        "{\"_shardsvrRefineCollectionShardKey\": \"refined\", \"newShardKey\": {\"x\": 1, \"y\": "
        "1}, \"writeConcern\": {\"w\": \"majority\"}}";
    sp_conn_t *primary = session->shards[session->primary];
    /* An index must be there first. */
    assert_int_not_equal(sp_place_run(place, primary, session->db, &session->db_version, refine),
                         0);
    for (unsigned i = 0; i < 2; i++)
        assert_int_equal(sp_place_direct(place, i == 0 ? session->primary : to,
                                         "{\"createIndexes\": \"refined\", \"indexes\": [{\"key\": "
                                         "{\"x\": 1, \"y\": 1}, \"name\": \"xy\"}]}"),
                         0);
    assert_int_equal(sp_place_run(place, primary, session->db, &session->db_version, refine), 0);
    assert_int_equal(sp_place_chunks(place, "refined", ""), 2);
    assert_int_equal(
        sp_place_chunks(place, "refined", ", {\"min\": {\"x\": 0, \"y\": {\"$minKey\": 1}}}"), 1);
    for (unsigned i = 0; i < SP_STATEMENT_SHARDS; i++)
        assert_int_equal(sp_place_count(place, i, "refined", "{}"), before[i]);
}

static void time_series_are_sharded_by_meta_field_and_time(void **state)
{
    static const struct {
        const char *key;
        int32_t code;
    } keys[] = {
        {"{\"m\": 1}", 0},           {"{\"m.a\": 1}", 0},        {"{\"t\": 1}", 0},
        {"{\"m\": 1, \"t\": 1}", 0}, {"{\"m\": \"hashed\"}", 0}, {"{\"t\": 1, \"m\": 1}", 5914000},
        {"{\"y\": 1}", 5914001},     {"{\"_id\": 1}", 5914001},  {"{\"t\": \"hashed\"}", 2},
    };
    sp_place_t *place = *state;
    sp_session_t *session = place->session;
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        char name[16];
        snprintf(name, sizeof name, "series%zu", i);
        int32_t code = sp_place_run(
            place, session->shards[session->primary], session->db, &session->db_version,
            "{\"_shardsvrCreateCollection\": \"%s\", \"shardKey\": %s, \"timeseries\": "
            "{\"timeField\": \"t\", \"metaField\": \"m\"}, \"writeConcern\": {\"w\": "
            "\"majority\"}}",
            name, keys[i].key);
        if (code != keys[i].code)
            fail_msg("%s: %d", keys[i].key, code);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SP_STATEMENT(801, missing_fields_lie_where_null_does),
        SP_STATEMENT(804, missing_fields_do_not_hinder_sharding),
        SP_STATEMENT(806, missing_fields_become_null_by_any_update),
        SP_STATEMENT(501, fractions_are_cut_off_before_hashing),
        SP_STATEMENT(503, equality_is_targeted_and_ranges_are_broadcast_when_hashed),
        SP_STATEMENT(702, zone_ranges_must_be_right),
        SP_STATEMENT(712, zone_ranges_go_with_the_collection),
        SP_STATEMENT(1207, a_tenant_lies_together_until_it_is_divided),
        SP_STATEMENT(102, example_keys_of_a_guide),
        SP_STATEMENT(1003, refining_moves_nothing),
        SP_STATEMENT(112, time_series_are_sharded_by_meta_field_and_time),
    };
    return cmocka_run_group_tests(tests, sp_place_enter, sp_place_leave);
}
