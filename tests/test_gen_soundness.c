#include "../fuzzers/scenes.h"

#include "../oracles/case.h"
#include "../oracles/layout.h"
#include "../oracles/number.h"
#include "from_json.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { SCENES = 400, SHARDS = 3, BYTES = 65536 };

typedef struct counts {
    unsigned checks, finding, several, empty_finds, collated_checks, collated_scenes, hashed_scenes;
    unsigned same_as_before, misread_scenes, empty_timestamps;
} counts_t;

static void generate(uint64_t number, size_t size, bson_t *scene)
{
    static const sp_scene_context_t context = {.shards = SHARDS};
    static uint8_t bytes[BYTES];
    sp_producer_t producer;
    sp_expand_seed(1, "soundness", number, bytes, sizeof bytes);
    sp_producer_init(&producer, bytes, size);
    bson_init(scene);
    sp_gen_soundness(&context, &producer, scene);
}

/* Whether a value in there is one that an index misreads, or a timestamp that a server replaces. */
static void look_into(const sp_value_t *value, bool *misread, unsigned *empty_timestamps)
{
    static const uint8_t empty[8] = {0};
    bson_iter_t iter;
    if (sp_value_is_number(value))
        *misread = *misread || sp_number_index_misreads(value);
    if (value->type == BSON_TYPE_TIMESTAMP)
        *empty_timestamps += memcmp(value->data, empty, sizeof empty) == 0;
    if (!sp_value_has_children(value) || !sp_value_children(value, &iter))
        return;
    while (bson_iter_next(&iter)) {
        sp_value_t child = sp_value_of(&iter);
        look_into(&child, misread, empty_timestamps);
    }
}

static unsigned count_elements(const bson_iter_t *array)
{
    bson_iter_t iter;
    unsigned count = 0;
    assert_true(BSON_ITER_HOLDS_ARRAY(array) && bson_iter_recurse(array, &iter));
    while (bson_iter_next(&iter))
        count++;
    return count;
}

static void note_checks(const bson_t *scene, counts_t *counts)
{
    bson_iter_t iter, element, finds;
    bson_t check, before = BSON_INITIALIZER;
    assert_true(bson_iter_init_find(&iter, scene, "checks"));
    assert_int_equal(count_elements(&iter), SP_SOUNDNESS_CHECKS);
    assert_true(bson_iter_recurse(&iter, &element));
    while (bson_iter_next(&element)) {
        assert_true(sp_value_document(&element, &check));
        counts->checks++;
        counts->collated_checks += bson_has_field(&check, "collation");
        counts->same_as_before += bson_equal(&check, &before);
        if (bson_iter_init_find(&finds, &check, "finds")) {
            unsigned count = count_elements(&finds);
            counts->finding += count > 0;
            counts->several += count > 1 && count < SP_SOUNDNESS_DOCS;
            counts->empty_finds += count == 0;
        }
        bson_destroy(&before);
        bson_copy_to(&check, &before);
    }
    bson_destroy(&before);
}

static void note_scene(const bson_t *scene, counts_t *counts)
{
    bson_iter_t iter;
    bool misread = false;
    sp_layout_t *layout = sp_layout_new(scene, NULL);
    assert_non_null(layout);
    counts->hashed_scenes += layout->pattern->hashed >= 0;
    counts->collated_scenes += layout->collation != NULL;
    assert_int_equal(layout->shard_count, SHARDS);
    assert_true(bson_iter_init_find(&iter, scene, "docs"));
    assert_int_equal(count_elements(&iter), SP_SOUNDNESS_DOCS);
    sp_value_t docs = sp_value_of(&iter);
    look_into(&docs, &misread, &counts->empty_timestamps);
    assert_true(bson_iter_init_find(&iter, scene, "checks"));
    sp_value_t checks = sp_value_of(&iter);
    look_into(&checks, &misread, &(unsigned){0});
    counts->misread_scenes += misread;
    sp_layout_free(layout);
}

static void test_scenes(void **state)
{
    (void)state;
    counts_t counts = {0};
    for (uint64_t number = 0; number < SCENES; number++) {
        bson_t scene;
        sp_answers_t answers = SP_ANSWERS_INITIALIZER;
        generate(number, BYTES, &scene);
        assert_true(sp_document_check(&scene, NULL));
        assert_true(sp_case_predict_soundness(NULL, &scene, &answers, NULL));
        assert_int_equal(answers.count, SP_SOUNDNESS_CHECKS);
        note_scene(&scene, &counts);
        note_checks(&scene, &counts);
        sp_answers_clear(&answers);
        bson_destroy(&scene);
    }
    assert_true(counts.finding > counts.checks / 3);
    assert_true(counts.several > counts.checks / 50);
    assert_true(counts.empty_finds < counts.checks / 3);
    assert_true(counts.same_as_before < counts.checks / 100);
    assert_true(counts.collated_checks > counts.checks / 20);
    assert_in_range(counts.collated_scenes, SCENES / 10, SCENES / 2);
    assert_in_range(counts.hashed_scenes, SCENES / 4, SCENES * 3 / 4);
    assert_true(counts.empty_timestamps > SCENES / 10);
    /* They cost time, so they come in one scene of twenty at the most; and yet they come. */
    assert_in_range(counts.misread_scenes, 1, SCENES / 10);
}

static void test_short_inputs(void **state)
{
    (void)state;
    static const size_t sizes[] = {0, 1, 7, 50, 200, 1000, 5000};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        bson_t first, second;
        sp_answers_t answers = SP_ANSWERS_INITIALIZER;
        generate(i, sizes[i], &first);
        generate(i, sizes[i], &second);
        assert_true(bson_equal(&first, &second));
        assert_true(sp_case_predict_soundness(NULL, &first, &answers, NULL));
        assert_int_equal(answers.count, SP_SOUNDNESS_CHECKS);
        sp_answers_clear(&answers);
        bson_destroy(&first);
        bson_destroy(&second);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_scenes),
        cmocka_unit_test(test_short_inputs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
