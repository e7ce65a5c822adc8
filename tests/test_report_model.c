#include "../reports/report_model.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static sp_report_t *new_report(void)
{
    const sp_report_head_t head = {.seed = UINT64_MAX,
                                   .server_kind = "mongod",
                                   .server_version = "6.0.5",
                                   .server_spec = "6.0.5",
                                   .command = "shardproof run --seed 18446744073709551615"};
    return sp_report_new(&head);
}

static void add(sp_report_t *report, const char *area, uint64_t scene, uint32_t check,
                sp_verdict_t verdict, const char *rule)
{
    bson_t test = BSON_INITIALIZER;
    BSON_APPEND_INT64(&test, "scene", (int64_t)scene);
    const sp_finding_t finding = {.area = area,
                                  .scene = scene,
                                  .check = check,
                                  .verdict = verdict,
                                  .rule = rule,
                                  .test = &test,
                                  .expected = &test,
                                  .observed = &test};
    sp_report_add(report, &finding);
    bson_destroy(&test);
}

static const sp_bucket_t *differences(const sp_report_t *report, size_t area)
{
    return &report->areas[area]->buckets[SP_GROUP_DIFFERENCES];
}

static void test_empty(void **state)
{
    (void)state;
    sp_report_t *report = new_report();
    assert_int_equal(sp_report_exit_status(report), 0);
    assert_int_equal(sp_report_total(report, NULL, SP_MATCH), 0);
    assert_int_equal(sp_report_total(report, "hash", SP_MISMATCH), 0);
    sp_report_free(report);
    sp_report_free(NULL);
}

static void test_head_may_lack_anything(void **state)
{
    (void)state;
    const sp_report_head_t head = {.seed = 1};
    sp_report_t *report = sp_report_new(&head);
    assert_string_equal(report->server_kind, "");
    assert_string_equal(report->server_version, "");
    assert_string_equal(report->server_spec, "");
    assert_string_equal(report->command, "");
    sp_report_free(report);
}

static void test_head_keeps_no_password(void **state)
{
    (void)state;
    const sp_report_head_t head = {
        .seed = 1,
        .server_spec = "mongodb://user:secret@host:27017/?tls=true",
        .command = "shardproof run --server 'mongodb://user:secret@host:27017/?tls=true' --seed 1"};
    sp_report_t *report = sp_report_new(&head);
    assert_string_equal(report->server_spec, "mongodb://user:***@host:27017/?tls=true");
    assert_string_equal(
        report->command,
        "shardproof run --server 'mongodb://user:***@host:27017/?tls=true' --seed 1");
    sp_report_free(report);
}

static void test_counts(void **state)
{
    (void)state;
    sp_report_t *report = new_report();
    sp_report_count(report, "hash", SP_MATCH, 5000000000);
    sp_report_count(report, "find", SP_MATCH, 7);
    sp_report_count(report, "hash", SP_MATCH, 1);
    sp_report_count(report, "find", SP_UNSUPPORTED, 2);
    add(report, "find", 1, 0, SP_MISMATCH, "rule");
    add(report, "find", 1, 1, SP_KNOWN, "rule");

    assert_int_equal(sp_report_total(report, "hash", SP_MATCH), 5000000001);
    assert_int_equal(sp_report_total(report, "find", SP_MATCH), 7);
    assert_int_equal(sp_report_total(report, NULL, SP_MATCH), 5000000008);
    assert_int_equal(sp_report_total(report, NULL, SP_UNSUPPORTED), 2);
    assert_int_equal(sp_report_total(report, NULL, SP_MISMATCH), 1);
    assert_int_equal(sp_report_total(report, NULL, SP_KNOWN), 1);
    assert_int_equal(sp_area_answers(report->areas[0]), 11);
    sp_report_free(report);
}

static void test_areas_are_sorted(void **state)
{
    (void)state;
    static const char *const names[] = {"route", "find", "write", "hash", "find"};
    sp_report_t *report = new_report();
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        sp_report_count(report, names[i], SP_MATCH, 1);
    assert_int_equal(report->areas_size, 4);
    assert_string_equal(report->areas[0]->name, "find");
    assert_string_equal(report->areas[1]->name, "hash");
    assert_string_equal(report->areas[2]->name, "route");
    assert_string_equal(report->areas[3]->name, "write");
    sp_report_free(report);
}

static void test_as_many_areas_as_fit(void **state)
{
    (void)state;
    sp_report_t *report = new_report();
    for (int i = SP_REPORT_AREAS; i > 0; i--) {
        char name[16];
        snprintf(name, sizeof name, "area%d", i);
        sp_report_count(report, name, SP_MATCH, (uint64_t)i);
    }
    assert_int_equal(sp_report_total(report, "area1", SP_MATCH), 1);
    assert_int_equal(sp_report_total(report, "area32", SP_MATCH), 32);
    assert_int_equal(sp_report_total(report, NULL, SP_MATCH), 32 * 33 / 2);
    sp_report_free(report);
}

static void test_exit_status(void **state)
{
    (void)state;
    static const int alone[SP_VERDICTS] = {
        [SP_MATCH] = 0,         [SP_MISMATCH] = 1,       [SP_UNEXPECTED_ERROR] = 1,
        [SP_MISSING_ERROR] = 1, [SP_UNSUPPORTED] = 0,    [SP_KNOWN] = 0,
        [SP_FIXED] = 1,         [SP_INFRASTRUCTURE] = 3,
    };
    for (int verdict = 0; verdict < SP_VERDICTS; verdict++) {
        sp_report_t *report = new_report();
        sp_report_count(report, "hash", (sp_verdict_t)verdict, 1);
        assert_int_equal(sp_report_exit_status(report), alone[verdict]);
        /* Trouble hides no difference, and the other way round. */
        sp_report_count(report, "find", SP_INFRASTRUCTURE, 1);
        assert_int_equal(sp_report_exit_status(report), alone[verdict] == 1 ? 1 : 3);
        sp_report_free(report);
    }
}

static void test_kept_in_order(void **state)
{
    (void)state;
    static const struct {
        uint64_t scene;
        uint32_t check;
    } came[] = {{3, 1}, {UINT64_MAX, 0}, {3, 0}, {0, UINT32_MAX}, {0, 0}, {1, 7}},
      sorted[] = {{0, 0}, {0, UINT32_MAX}, {1, 7}, {3, 0}, {3, 1}, {UINT64_MAX, 0}};
    sp_report_t *report = new_report();
    for (size_t i = 0; i < 6; i++)
        add(report, "hash", came[i].scene, came[i].check, SP_MISMATCH, "rule");
    const sp_bucket_t *bucket = differences(report, 0);
    assert_int_equal(bucket->size, 6);
    for (size_t i = 0; i < 6; i++) {
        assert_int_equal(bucket->kept[i]->scene, sorted[i].scene);
        assert_int_equal(bucket->kept[i]->check, sorted[i].check);
    }
    sp_report_free(report);
}

/* The numbers from 0 to n - 1 in a sequence that `seed` decides. */
static uint32_t *shuffled(uint32_t n, uint64_t seed)
{
    uint32_t *numbers = bson_malloc(n * sizeof *numbers);
    for (uint32_t i = 0; i < n; i++)
        numbers[i] = i;
    for (uint32_t i = n - 1; i > 0; i--) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        uint32_t other = (uint32_t)(seed >> 33) % (i + 1);
        uint32_t number = numbers[i];
        numbers[i] = numbers[other];
        numbers[other] = number;
    }
    return numbers;
}

static void test_the_lowest_are_kept_whatever_came_first(void **state)
{
    (void)state;
    enum { CAME = 3 * SP_FINDINGS_MAX };
    for (uint64_t seed = 0; seed < 5; seed++) {
        uint32_t *numbers = shuffled(CAME, seed);
        sp_report_t *report = new_report();
        for (uint32_t i = 0; i < CAME; i++)
            add(report, "hash", numbers[i] / 7, numbers[i] % 7, SP_MISMATCH, "rule");
        const sp_bucket_t *bucket = differences(report, 0);
        assert_int_equal(bucket->size, SP_FINDINGS_MAX);
        assert_int_equal(bucket->came, CAME);
        assert_int_equal(sp_report_total(report, "hash", SP_MISMATCH), CAME);
        for (uint32_t i = 0; i < SP_FINDINGS_MAX; i++) {
            assert_int_equal(bucket->kept[i]->scene, i / 7);
            assert_int_equal(bucket->kept[i]->check, i % 7);
        }
        sp_report_free(report);
        bson_free(numbers);
    }
}

static void test_the_bound_is_exact(void **state)
{
    (void)state;
    sp_report_t *report = new_report();
    for (uint32_t i = 0; i < SP_FINDINGS_MAX; i++)
        add(report, "hash", 10, i, SP_MISMATCH, "rule");
    const sp_bucket_t *bucket = differences(report, 0);
    assert_int_equal(bucket->size, SP_FINDINGS_MAX);

    add(report, "hash", 11, 0, SP_MISMATCH, "too high");
    assert_int_equal(bucket->size, SP_FINDINGS_MAX);
    assert_int_equal(bucket->kept[SP_FINDINGS_MAX - 1]->scene, 10);

    add(report, "hash", 9, 0, SP_MISMATCH, "the lowest");
    assert_int_equal(bucket->size, SP_FINDINGS_MAX);
    assert_int_equal(bucket->kept[0]->scene, 9);
    assert_int_equal(bucket->kept[SP_FINDINGS_MAX - 1]->check, SP_FINDINGS_MAX - 2);
    assert_int_equal(bucket->came, SP_FINDINGS_MAX + 2);
    sp_report_free(report);
}

static void test_kinds_do_not_push_out_each_other(void **state)
{
    (void)state;
    sp_report_t *report = new_report();
    add(report, "hash", 5000, 0, SP_FIXED, "rule");
    for (uint32_t i = 0; i < SP_FINDINGS_MAX + 1; i++) {
        add(report, "hash", 0, i, SP_INFRASTRUCTURE, "rule");
        add(report, "hash", 1, i, i % 2 == 0 ? SP_KNOWN : SP_UNSUPPORTED, "rule");
    }
    const sp_area_t *area = report->areas[0];
    assert_int_equal(area->buckets[SP_GROUP_DIFFERENCES].size, 1);
    assert_int_equal(area->buckets[SP_GROUP_NOTED].size, SP_FINDINGS_MAX);
    assert_int_equal(area->buckets[SP_GROUP_INFRASTRUCTURE].size, SP_FINDINGS_MAX);
    assert_int_equal(area->buckets[SP_GROUP_NOTED].came, SP_FINDINGS_MAX + 1);
    assert_int_equal(sp_report_exit_status(report), 1);
    sp_report_free(report);
}

static void test_an_area_does_not_push_out_another(void **state)
{
    (void)state;
    sp_report_t *report = new_report();
    add(report, "zones", 1000000, 0, SP_MISMATCH, "rule");
    for (uint32_t i = 0; i < SP_FINDINGS_MAX; i++)
        add(report, "hash", 0, i, SP_MISMATCH, "rule");
    assert_int_equal(differences(report, 1)->size, 1);
    sp_report_free(report);
}

static void test_the_same_answer_twice(void **state)
{
    (void)state;
    for (int first = 0; first < 2; first++) {
        static const char *const rules[] = {"alpha", "beta"};
        sp_report_t *report = new_report();
        add(report, "hash", 4, 2, SP_MISMATCH, rules[first]);
        add(report, "hash", 4, 2, SP_MISMATCH, rules[1 - first]);
        assert_int_equal(sp_report_total(report, "hash", SP_MISMATCH), 2);
        assert_int_equal(differences(report, 0)->size, 1);
        assert_string_equal(differences(report, 0)->kept[0]->rule, "alpha");
        sp_report_free(report);
    }
}

static void test_keeps(void **state)
{
    (void)state;
    sp_report_t *report = new_report();
    add(report, "hash", 4, 2, SP_MISMATCH, "rule");
    add(report, "hash", 5, 0, SP_INFRASTRUCTURE, "rule");
    assert_true(sp_report_keeps(report, "hash", 4, 2));
    assert_true(sp_report_keeps(report, "hash", 5, 0));
    assert_false(sp_report_keeps(report, "hash", 4, 1));
    assert_false(sp_report_keeps(report, "hash", 6, 0));
    assert_false(sp_report_keeps(report, "find", 4, 2));
    sp_report_free(report);
}

static void test_findings_are_copies(void **state)
{
    (void)state;
    char area[] = "hash", rule[] = "rule";
    sp_report_t *report = new_report();
    add(report, area, 1, 0, SP_MISMATCH, rule);
    memset(area, 'x', strlen(area));
    memset(rule, 'x', strlen(rule));
    assert_string_equal(report->areas[0]->name, "hash");
    assert_string_equal(differences(report, 0)->kept[0]->rule, "rule");
    sp_report_free(report);
}

static void test_a_finding_may_lack_documents(void **state)
{
    (void)state;
    const sp_finding_t finding = {.area = "hash", .verdict = SP_MISMATCH};
    sp_report_t *report = new_report();
    sp_report_add(report, &finding);
    assert_string_equal(differences(report, 0)->kept[0]->rule, "");
    assert_int_equal(differences(report, 0)->kept[0]->test->len, 5);
    sp_report_free(report);
}

static void test_area_end(void **state)
{
    (void)state;
    sp_report_t *report = new_report();
    sp_report_count(report, "hash", SP_MATCH, 300);
    sp_area_end_t end = {.area = "hash", .scenes = 10, .seconds = 4, .note = "first"};
    sp_report_area_end(report, &end);
    assert_true(sp_area_rate(report->areas[0]) == 75);

    end = (sp_area_end_t){.area = "hash", .scenes = 20, .seconds = 0};
    sp_report_area_end(report, &end);
    assert_int_equal(report->areas[0]->scenes, 20);
    assert_null(report->areas[0]->note);
    assert_true(sp_area_rate(report->areas[0]) == 0);

    static const char *const odd[] = {"nan", "-inf", "inf", "-1"};
    for (size_t i = 0; i < sizeof odd / sizeof odd[0]; i++) {
        end.seconds = strtod(odd[i], NULL);
        sp_report_area_end(report, &end);
        assert_true(report->areas[0]->seconds == 0);
    }
    sp_report_free(report);
}

static char *printed(const sp_report_t *report)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    sp_report_print(report, out);
    fclose(out);
    return text;
}

static void test_print(void **state)
{
    (void)state;
    sp_report_t *report = new_report();
    sp_report_count(report, "hash", SP_MATCH, 4321);
    add(report, "hash", 12, 3, SP_MISMATCH, "the hash of a NaN\x1b[31m\n\xc2\x9b is that of 0");
    add(report, "find", 7, 0, SP_INFRASTRUCTURE, "the server answers");
    const sp_area_end_t end = {.area = "refine", .note = "skipped: needs 4.4"};
    sp_report_area_end(report, &end);

    char *text = printed(report);
    assert_non_null(strstr(text, "4321"));
    assert_non_null(strstr(text, "mongod 6.0.5, seed 18446744073709551615\n"));
    assert_non_null(strstr(text, "Differences: 1; the first of each area:\n"));
    assert_non_null(strstr(text, "hash-12-3: mismatch\n"));
    assert_non_null(strstr(text, "cases/hash-12-3.json"));
    assert_non_null(strstr(text, "Trouble with the servers: 1; "));
    assert_non_null(strstr(text, "refine: skipped: needs 4.4\n"));
    assert_null(strchr(text, '\x1b'));
    assert_null(strstr(text, "\xc2\x9b"));
    free(text);
    sp_report_free(report);
}

static void test_print_is_short(void **state)
{
    (void)state;
    sp_report_t *report = new_report();
    static const char *const areas[] = {"chunks", "find", "hash", "route", "write"};
    for (size_t area = 0; area < 5; area++) {
        for (uint32_t scene = 0; scene < 100; scene++)
            add(report, areas[area], scene, 0, SP_MISMATCH, "rule");
    }
    char *text = printed(report);
    assert_non_null(strstr(text, "Differences: 500; "));
    assert_non_null(strstr(text, "hash-2-0: mismatch"));
    assert_null(strstr(text, "hash-3-0: mismatch"));
    assert_non_null(strstr(text, "route-2-0: mismatch"));
    assert_null(strstr(text, "write-0-0: mismatch"));
    free(text);
    sp_report_free(report);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_empty),
        cmocka_unit_test(test_head_may_lack_anything),
        cmocka_unit_test(test_head_keeps_no_password),
        cmocka_unit_test(test_counts),
        cmocka_unit_test(test_areas_are_sorted),
        cmocka_unit_test(test_as_many_areas_as_fit),
        cmocka_unit_test(test_exit_status),
        cmocka_unit_test(test_kept_in_order),
        cmocka_unit_test(test_the_lowest_are_kept_whatever_came_first),
        cmocka_unit_test(test_the_bound_is_exact),
        cmocka_unit_test(test_kinds_do_not_push_out_each_other),
        cmocka_unit_test(test_an_area_does_not_push_out_another),
        cmocka_unit_test(test_the_same_answer_twice),
        cmocka_unit_test(test_keeps),
        cmocka_unit_test(test_findings_are_copies),
        cmocka_unit_test(test_a_finding_may_lack_documents),
        cmocka_unit_test(test_area_end),
        cmocka_unit_test(test_print),
        cmocka_unit_test(test_print_is_short),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
