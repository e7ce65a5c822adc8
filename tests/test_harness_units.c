/* The small parts: the table of areas, exit statuses, answers as JSON. */
#include "test_harness_common.h"

#include "../harness/area.h"
#include "../harness/commands.h"
#include "../reports/answer_json.h"
#include "../reports/report.h"

#include <cjson/cJSON.h>
#include <string.h>

static void areas_are_complete(void **state)
{
    (void)state;
    unsigned count;
    const sp_area_t *areas = sp_areas(&count);
    assert_in_range(count, 1, SP_REPORT_AREAS);
    for (unsigned i = 0; i < count; i++) {
        const sp_area_t *area = &areas[i];
        assert_in_range(strlen(area->name), 1, 63);
        assert_int_equal(strspn(area->name, "abcdefghijklmnopqrstuvwxyz0123456789_-"),
                         strlen(area->name));
        assert_ptr_equal(sp_area_find(area->name), area); /* so no name is there twice */
        assert_true(strlen(area->summary) > 0 && strlen(area->rule) > 0);
        assert_true(area->seed_bytes > 0 && area->scene_answers > 0);
        assert_true(area->batch > 0 && area->weight > 0);
        assert_true(area->generate != NULL && area->predict != NULL && area->execute != NULL);
    }
}

static void unknown_areas_are_not_found(void **state)
{
    (void)state;
    static const char *const names[] = {"", "has", "hash ", "HASH", "hashh", "hash,order"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        assert_null(sp_area_find(names[i]));
}

static void exit_status_follows_the_domain(void **state)
{
    (void)state;
    static const struct {
        sp_error_domain_t domain;
        int status;
    } cases[] = {{SP_ERROR_USAGE, 2},  {SP_ERROR_INPUT, 2}, {SP_ERROR_RULE, 2},
                 {SP_ERROR_SERVER, 3}, {SP_ERROR_INFRA, 3}, {SP_ERROR_SYSTEM, 3}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        sp_error_t error;
        sp_error_set(&error, cases[i].domain, 1, "why");
        assert_int_equal(sp_exit_status(&error), cases[i].status);
    }
}

static void assert_json(const char *answer, const char *json)
{
    bson_t *doc = sp_test_doc(answer);
    char *line = sp_answer_json(doc);
    assert_string_equal(line, json);
    bson_free(line);
    bson_destroy(doc);
}

static void answers_become_plain_json(void **state)
{
    (void)state;
    assert_json("{}", "{}");
    assert_json("{\"hash\": \"-9223372036854775808\"}", "{\"hash\":\"-9223372036854775808\"}");
    assert_json("{\"order\": -1}", "{\"order\":-1}");
    assert_json("{\"order\": 0}", "{\"order\":0}");
    assert_json("{\"n\": {\"$numberLong\": \"4294967296\"}}", "{\"n\":4294967296}");
    assert_json("{\"shards\": []}", "{\"shards\":[]}");
    assert_json("{\"shards\": [\"s1\", \"s2\"]}", "{\"shards\":[\"s1\",\"s2\"]}");
    assert_json("{\"error\": {\"code\": null, \"message\": \"m\"}}",
                "{\"error\":{\"code\":null,\"message\":\"m\"}}");
    assert_json("{\"error\": {\"b\": [{\"c\": [1, null, true, false]}, {}, []]}}",
                "{\"error\":{\"b\":[{\"c\":[1,null,true,false]},{},[]]}}");
}

static void values_in_answers_are_extended_json(void **state)
{
    (void)state;
    assert_json(
        "{\"chunks\": [[{\"x\": {\"$minKey\": 1}}, {\"x\": 5}, \"s1\"]]}",
        "{\"chunks\":[[{\"x\": {\"$minKey\": 1}}, {\"x\": {\"$numberInt\": \"5\"}}, \"s1\"]]}");
    assert_json("{\"key\": {\"x\": \"a\\u0000b\"}}", "{\"key\":{\"x\": \"a\\u0000b\"}}");
    assert_json("{\"chunks\": []}", "{\"chunks\":[]}");
    assert_json("{\"missing\": [0], \"extra\": [], \"codes\": [0, null, 11000]}",
                "{\"missing\":[0],\"extra\":[],\"codes\":[0,null,11000]}");
}

static void texts_in_answers_are_escaped(void **state)
{
    (void)state;
    assert_json("{\"m\": \"\\\"quoted\\\" \\\\ \\n\\t / é 😀\"}",
                "{\"m\":\"\\\"quoted\\\" \\\\ \\n\\t / é 😀\"}");
    bson_t doc = BSON_INITIALIZER;
    BSON_APPEND_UTF8(&doc, "m\"k", "\x01\x1f\x7f\r");
    char *line = sp_answer_json(&doc);
    assert_null(strpbrk(line, "\x01\x1f\r\n"));
    cJSON *json = cJSON_Parse(line);
    assert_string_equal(cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(json, "m\"k")),
                        "\x01\x1f\x7f\r");
    cJSON_Delete(json);
    bson_free(line);
    bson_destroy(&doc);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(areas_are_complete),
        cmocka_unit_test(unknown_areas_are_not_found),
        cmocka_unit_test(exit_status_follows_the_domain),
        cmocka_unit_test(answers_become_plain_json),
        cmocka_unit_test(values_in_answers_are_extended_json),
        cmocka_unit_test(texts_in_answers_are_escaped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
