/*
 * Drawn updates: any bytes make one, most are ones that the model knows, and every form comes.
 */
#include "../fuzzers/gen_update.h"
#include "../oracles/update.h"
#include "from_json.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define DRAWS 5000

typedef struct counts {
    unsigned forms[3], unknown, refused, failed, changed, unchanged;
} counts_t;

static void draw_one(sp_producer_t *producer, const bson_t *doc, counts_t *counts)
{
    static const char *const paths[] = {"a", "b.c", "d.0.x"};
    const sp_update_source_t source = {paths, 3, doc, NULL};
    const sp_version_t version = {6, 0, 27};
    bson_t question = BSON_INITIALIZER, after = BSON_INITIALIZER;
    bson_iter_t iter;
    sp_error_t error;
    bool changed;
    sp_gen_update(producer, &source, &question, "u");
    assert_true(sp_document_check(&question, &error));
    assert_true(bson_iter_init_find(&iter, &question, "u"));
    sp_value_t update = sp_value_of(&iter);
    counts->forms[sp_update_form(&update)]++;
    bool fine = sp_update_check(&update, false, version, &error);
    if (!fine)
        counts->refused += error.domain == SP_ERROR_RULE;
    else if (!sp_update_apply(&update, doc, version, &after, &changed, &error))
        counts->failed += error.domain == SP_ERROR_RULE;
    else
        *(changed ? &counts->changed : &counts->unchanged) += 1;
    if ((!fine || bson_empty(&after)) && error.domain == SP_ERROR_INPUT)
        counts->unknown++;
    if (bson_count_keys(&after) > 0)
        assert_true(sp_document_check(&after, &error));
    bson_destroy(&after);
    bson_destroy(&question);
}

static void test_draws(void **state)
{
    (void)state;
    counts_t counts = {0};
    bson_t *doc = sp_doc_from("{'_id': 1, 'a': 5, 'b': {'c': 'x'}, 'd': [{'x': 1}, 2]}");
    for (uint64_t i = 0; i < DRAWS; i++) {
        uint8_t bytes[2048];
        sp_producer_t producer;
        sp_expand_seed(1, "update", i, bytes, sizeof bytes);
        sp_producer_init(&producer, bytes, sizeof bytes);
        draw_one(&producer, doc, &counts);
    }
    bson_destroy(doc);
    for (unsigned i = 0; i < 3; i++)
        assert_true(counts.forms[i] > DRAWS / 20);
    assert_true(counts.unknown < DRAWS / 50);
    assert_true(counts.refused > DRAWS / 20);
    assert_true(counts.failed > DRAWS / 50);
    assert_true(counts.changed > DRAWS / 4);
    assert_true(counts.unchanged > DRAWS / 20);
}

static void test_no_bytes(void **state)
{
    (void)state;
    counts_t counts = {0};
    sp_producer_t producer;
    bson_t doc = BSON_INITIALIZER;
    sp_producer_init(&producer, NULL, 0);
    draw_one(&producer, &doc, &counts);
    bson_destroy(&doc);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_draws),
        cmocka_unit_test(test_no_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
