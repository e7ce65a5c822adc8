#include "../reports/report_model.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* A difference to come. */
typedef struct coming {
    uint64_t scene;
    uint32_t check;
    const char *cause; /* or NULL */
    int padding;       /* how much larger the case is than the smallest */
    sp_again_t again;
} coming_t;

static sp_report_t *new_report(void)
{
    const sp_report_head_t head = {.seed = 1, .server_spec = "6.0.27"};
    return sp_report_new(&head);
}

static void add_verdict(sp_report_t *report, const coming_t *coming, sp_verdict_t verdict)
{
    char padding[512];
    memset(padding, 'x', sizeof padding);
    bson_t test = BSON_INITIALIZER, observed = BSON_INITIALIZER;
    bson_append_utf8(&test, "padding", -1, padding, coming->padding);
    if (coming->cause != NULL)
        BSON_APPEND_UTF8(&observed, "cause", coming->cause);
    const sp_finding_t finding = {.area = "soundness",
                                  .kind = SP_FINDING_DEFECT,
                                  .scene = coming->scene,
                                  .check = coming->check,
                                  .verdict = verdict,
                                  .rule = "rule",
                                  .test = &test,
                                  .observed = &observed,
                                  .again = coming->again};
    sp_report_add(report, &finding);
    bson_destroy(&test);
    bson_destroy(&observed);
}

static void add(sp_report_t *report, const coming_t *coming)
{
    add_verdict(report, coming, SP_MISMATCH);
}

static const sp_causes_t *causes_of(const sp_report_t *report)
{
    return &report->areas[0]->causes;
}

static void assert_cause(const sp_cause_t *cause, const char *text, uint64_t count, uint64_t scene,
                         uint32_t check)
{
    if (text == NULL)
        assert_null(cause->text);
    else
        assert_string_equal(cause->text, text);
    assert_int_equal(cause->count, count);
    assert_int_equal(cause->example->scene, scene);
    assert_int_equal(cause->example->check, check);
}

/* All sequences of up to five differences. */
static void add_in_sequence(sp_report_t *report, const coming_t *coming, size_t size,
                            unsigned sequence)
{
    size_t left[5] = {0, 1, 2, 3, 4};
    assert_true(size <= 5);
    for (size_t remaining = size; remaining > 0; remaining--) {
        size_t at = sequence % remaining;
        sequence /= (unsigned)remaining;
        add(report, &coming[left[at]]);
        memmove(&left[at], &left[at + 1], (4 - at) * sizeof *left);
    }
}

static void test_counted_by_cause(void **state)
{
    (void)state;
    static const coming_t coming[] = {{4, 0, "b", 9, 0},
                                      {1, 0, "a", 9, 0},
                                      {2, 7, "b", 3, 0},
                                      {9, 1, "b", 5, 0},
                                      {3, 3, NULL, 0, 0}};
    for (unsigned sequence = 0; sequence < 120; sequence++) {
        sp_report_t *report = new_report();
        add_in_sequence(report, coming, 5, sequence);
        size_t count;
        const sp_cause_t **sorted = sp_causes_sorted(causes_of(report), &count);
        assert_int_equal(count, 2);
        assert_cause(sorted[0], "b", 3, 2, 7);
        assert_cause(sorted[1], "a", 1, 1, 0);
        bson_free(sorted);
        sp_report_free(report);
    }
}

static void test_as_frequent_stand_by_alphabet(void **state)
{
    (void)state;
    static const coming_t coming[] = {{1, 0, "c", 0, 0}, {2, 0, "a", 0, 0}, {3, 0, "b", 0, 0}};
    sp_report_t *report = new_report();
    add_in_sequence(report, coming, 3, 0);
    size_t count;
    const sp_cause_t **sorted = sp_causes_sorted(causes_of(report), &count);
    assert_int_equal(count, 3);
    assert_cause(sorted[0], "a", 1, 2, 0);
    assert_cause(sorted[1], "b", 1, 3, 0);
    assert_cause(sorted[2], "c", 1, 1, 0);
    bson_free(sorted);
    sp_report_free(report);
}

static void test_the_example_is_the_smallest(void **state)
{
    (void)state;
    static const struct {
        coming_t coming[4];
        uint64_t scene;
        uint32_t check;
    } rows[] = {
        /* the size before the place */
        {{{1, 0, "a", 9, 0}, {2, 0, "a", 8, 0}, {7, 0, "a", 0, 0}, {8, 0, "a", 1, 0}}, 7, 0},
        /* the lowest scene, then check, of those as small */
        {{{5, 0, "a", 1, 0}, {4, 9, "a", 1, 0}, {4, 8, "a", 1, 0}, {3, 0, "a", 2, 0}}, 4, 8},
        /* what is flaky only at last, but then by the same rules */
        {{{1, 0, "a", 0, SP_AGAIN_OTHER},
          {2, 0, "a", 9, SP_AGAIN_SAME},
          {3, 0, "a", 7, SP_AGAIN_UNASKED},
          {4, 0, "a", 0, SP_AGAIN_OTHER}},
         3,
         0},
        {{{4, 0, "a", 2, SP_AGAIN_OTHER},
          {5, 0, "a", 1, SP_AGAIN_OTHER},
          {6, 0, "a", 1, SP_AGAIN_OTHER},
          {7, 0, "a", 3, SP_AGAIN_OTHER}},
         5,
         0},
    };
    for (size_t row = 0; row < sizeof rows / sizeof rows[0]; row++) {
        for (unsigned sequence = 0; sequence < 24; sequence++) {
            sp_report_t *report = new_report();
            add_in_sequence(report, rows[row].coming, 4, sequence);
            assert_int_equal(causes_of(report)->size, 1);
            assert_cause(causes_of(report)->named[0], "a", 4, rows[row].scene, rows[row].check);
            sp_report_free(report);
        }
    }
}

static void test_size_is_that_of_the_json(void **state)
{
    (void)state;
    sp_report_t *report = new_report();
    /* One byte as BSON, and six as JSON. */
    bson_t escaped = BSON_INITIALIZER, plain = BSON_INITIALIZER, observed = BSON_INITIALIZER;
    BSON_APPEND_UTF8(&escaped, "x", "\x01");
    BSON_APPEND_UTF8(&plain, "x", "aaa");
    BSON_APPEND_UTF8(&observed, "cause", "a");
    sp_finding_t finding = {
        .area = "soundness", .verdict = SP_MISMATCH, .test = &escaped, .observed = &observed};
    sp_report_add(report, &finding);
    finding.scene = 1;
    finding.test = &plain;
    sp_report_add(report, &finding);
    assert_cause(causes_of(report)->named[0], "a", 2, 1, 0);
    bson_destroy(&escaped);
    bson_destroy(&plain);
    bson_destroy(&observed);
    sp_report_free(report);
}

static void test_the_same_answer_twice(void **state)
{
    (void)state;
    for (int first = 0; first < 2; first++) {
        sp_report_t *report = new_report();
        const coming_t coming = {3, 1, "a", 0, 0};
        add_verdict(report, &coming, first == 0 ? SP_MISMATCH : SP_UNEXPECTED_ERROR);
        add_verdict(report, &coming, first == 0 ? SP_UNEXPECTED_ERROR : SP_MISMATCH);
        assert_cause(causes_of(report)->named[0], "a", 2, 3, 1);
        assert_int_equal(causes_of(report)->named[0]->example->verdict, SP_MISMATCH);
        sp_report_free(report);
    }
}

static void test_only_differences_count(void **state)
{
    (void)state;
    static const sp_verdict_t others[] = {SP_UNSUPPORTED, SP_KNOWN, SP_INFRASTRUCTURE};
    sp_report_t *report = new_report();
    const coming_t coming = {1, 0, "a", 0, 0};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        add_verdict(report, &coming, others[i]);
    assert_int_equal(causes_of(report)->size, 0);
    add_verdict(report, &coming, SP_UNEXPECTED_ERROR);
    assert_int_equal(causes_of(report)->size, 1);
    sp_report_free(report);
}

static void test_what_names_no_cause(void **state)
{
    (void)state;
    bson_t number = BSON_INITIALIZER, inner = BSON_INITIALIZER, empty = BSON_INITIALIZER,
           nested = BSON_INITIALIZER;
    BSON_APPEND_INT32(&number, "cause", 1);
    BSON_APPEND_UTF8(&inner, "cause", "a");
    BSON_APPEND_DOCUMENT(&nested, "error", &inner);
    BSON_APPEND_UTF8(&empty, "cause", "");
    const bson_t *const observed[] = {NULL, &number, &nested, &empty};
    sp_report_t *report = new_report();
    for (size_t i = 0; i < sizeof observed / sizeof observed[0]; i++) {
        const sp_finding_t finding = {.area = "soundness",
                                      .verdict = SP_MISMATCH,
                                      .check = (uint32_t)i,
                                      .observed = observed[i]};
        sp_report_add(report, &finding);
    }
    size_t count;
    bson_free(sp_causes_sorted(causes_of(report), &count));
    assert_int_equal(count, 0);
    assert_int_equal(sp_report_total(report, NULL, SP_MISMATCH), 4);
    bson_destroy(&number);
    bson_destroy(&inner);
    bson_destroy(&nested);
    bson_destroy(&empty);
    sp_report_free(report);
}

static void test_a_cause_is_made_safe(void **state)
{
    (void)state;
    char *text = bson_malloc0(10001);
    memset(text, 'x', 10000);
    text[0] = '\xff';
    sp_report_t *report = new_report();
    const coming_t coming = {1, 0, text, 0, 0};
    add(report, &coming);
    add(report, &coming);
    const sp_cause_t *cause = causes_of(report)->named[0];
    assert_int_equal(causes_of(report)->size, 1);
    assert_int_equal(cause->count, 2);
    assert_true(strlen(cause->text) < 4200);
    assert_true(bson_utf8_validate(cause->text, strlen(cause->text), false));
    bson_free(text);
    sp_report_free(report);
}

enum { DISTINCT = SP_CAUSES_MAX + 500, EACH = 3, CAME = DISTINCT * EACH };

static void add_numbered(sp_report_t *report, uint32_t number)
{
    char cause[16];
    snprintf(cause, sizeof cause, "c%04u", number % DISTINCT);
    /* The smallest of each cause comes in the middle of its three. */
    const coming_t coming = {number, 5, cause, number / DISTINCT == 1 ? 2 : 4, 0};
    add(report, &coming);
}

static void test_beyond_the_bounds(void **state)
{
    (void)state;
    /* Up, down, and two jumbles: the steps share no divisor with CAME. */
    static const uint32_t steps[] = {1, CAME - 1, 1999, 3001};
    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
        sp_report_t *report = new_report();
        for (uint32_t at = 0; at < CAME; at++)
            add_numbered(report, (uint32_t)((uint64_t)at * steps[i] % CAME));
        const sp_causes_t *causes = causes_of(report);
        assert_int_equal(report->areas[0]->buckets[SP_GROUP_DIFFERENCES].size, SP_FINDINGS_MAX);
        assert_int_equal(causes->size, SP_CAUSES_MAX);
        for (uint32_t at = 0; at < SP_CAUSES_MAX; at++) {
            char text[16];
            snprintf(text, sizeof text, "c%04u", at);
            assert_cause(causes->named[at], text, EACH, DISTINCT + at, 5);
        }
        assert_non_null(causes->others);
        assert_cause(causes->others, NULL, (uint64_t)EACH * (DISTINCT - SP_CAUSES_MAX),
                     DISTINCT + SP_CAUSES_MAX, 5);

        size_t count;
        const sp_cause_t **sorted = sp_causes_sorted(causes, &count);
        assert_int_equal(count, SP_CAUSES_MAX + 1);
        assert_string_equal(sorted[0]->text, "c0000");
        assert_null(sorted[SP_CAUSES_MAX]->text);
        bson_free(sorted);
        sp_report_free(report);
    }
}

static void test_no_others_at_the_bound(void **state)
{
    (void)state;
    sp_report_t *report = new_report();
    for (uint32_t at = SP_CAUSES_MAX; at > 0; at--)
        add_numbered(report, at - 1);
    assert_int_equal(causes_of(report)->size, SP_CAUSES_MAX);
    assert_null(causes_of(report)->others);
    sp_report_free(report);
}

static void test_examples_are_kept(void **state)
{
    (void)state;
    sp_report_t *report = new_report();
    for (uint32_t scene = 0; scene < SP_FINDINGS_MAX + 10; scene++) {
        const coming_t coming = {scene, 0, "a", scene == SP_FINDINGS_MAX + 5 ? 0 : 1, 0};
        add(report, &coming);
    }
    assert_true(sp_report_keeps(report, "soundness", SP_FINDINGS_MAX - 1, 0));
    assert_true(sp_report_keeps(report, "soundness", SP_FINDINGS_MAX + 5, 0));
    assert_false(sp_report_keeps(report, "soundness", SP_FINDINGS_MAX + 6, 0));
    assert_false(sp_report_keeps(report, "soundness", SP_FINDINGS_MAX + 5, 1));
    sp_report_free(report);

    report = new_report();
    for (uint32_t number = 0; number < CAME; number++)
        add_numbered(report, number);
    assert_true(sp_report_keeps(report, "soundness", DISTINCT + SP_CAUSES_MAX, 5));
    assert_false(sp_report_keeps(report, "soundness", DISTINCT + SP_CAUSES_MAX + 1, 5));
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
    static const coming_t coming[] = {{4, 0, "rare\x1b[31m", 0, 0},
                                      {5, 0, "often", 0, 0},
                                      {2, 1, "often", 0, 0},
                                      {7, 0, NULL, 0, 0}};
    sp_report_t *report = new_report();
    const sp_finding_t finding = {.area = "hash", .verdict = SP_MISMATCH};
    sp_report_add(report, &finding);
    add_in_sequence(report, coming, 4, 0);
    char *text = printed(report);
    assert_non_null(
        strstr(text, "\nDifferences: 1; the first of each area:\n\nhash-0-0: mismatch\n"));
    assert_non_null(strstr(text, "\nDefects, where the server contradicts itself: 4\n"
                                 "\nsoundness, by cause, each with its smallest case:\n"
                                 "      2 × often\n"
                                 "          cases/soundness-2-1.json\n"
                                 "      1 × rare [31m\n"
                                 "          cases/soundness-4-0.json\n"
                                 "\nsoundness-7-0: mismatch\n"));
    assert_null(strstr(text, "soundness-5-0"));
    assert_null(strstr(text, "more cause"));
    free(text);
    sp_report_free(report);
}

static void test_print_is_short(void **state)
{
    (void)state;
    for (uint32_t causes = 20; causes <= 22; causes++) {
        sp_report_t *report = new_report();
        for (uint32_t number = 0; number < causes; number++)
            add_numbered(report, number);
        char *text = printed(report);
        assert_non_null(strstr(text, "× c0019\n"));
        assert_null(strstr(text, "× c0020\n"));
        assert_int_equal(strstr(text, "more cause") != NULL, causes > 20);
        assert_int_equal(strstr(text, "\n        and 1 more cause\n") != NULL, causes == 21);
        assert_int_equal(strstr(text, "\n        and 2 more causes\n") != NULL, causes == 22);
        free(text);
        sp_report_free(report);
    }
}

static void test_no_defects_no_section(void **state)
{
    (void)state;
    sp_report_t *report = new_report();
    sp_report_count(report, "soundness", SP_MATCH, 7);
    char *text = printed(report);
    assert_null(strstr(text, "Defects"));
    free(text);
    sp_report_free(report);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_counted_by_cause),
        cmocka_unit_test(test_as_frequent_stand_by_alphabet),
        cmocka_unit_test(test_the_example_is_the_smallest),
        cmocka_unit_test(test_size_is_that_of_the_json),
        cmocka_unit_test(test_the_same_answer_twice),
        cmocka_unit_test(test_only_differences_count),
        cmocka_unit_test(test_what_names_no_cause),
        cmocka_unit_test(test_a_cause_is_made_safe),
        cmocka_unit_test(test_beyond_the_bounds),
        cmocka_unit_test(test_no_others_at_the_bound),
        cmocka_unit_test(test_examples_are_kept),
        cmocka_unit_test(test_print),
        cmocka_unit_test(test_print_is_short),
        cmocka_unit_test(test_no_defects_no_section),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
