/* What the generator of the index area draws. */
#include "kinds_count.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void test_kinds(void **state)
{
    (void)state;
    static const sp_kinds_area_t area = {"index", sp_gen_index, sp_case_predict_index, 600,
                                         SP_INDEX_REQUESTS};
    sp_assert_kinds_come(&area);
}

/* Bytes that are used up give the plain choice, and a scene all the same. */
static void test_no_bytes(void **state)
{
    (void)state;
    static const sp_scene_context_t context = {.shards = 1};
    sp_version_t version;
    sp_producer_t producer;
    sp_answers_t answers = SP_ANSWERS_INITIALIZER;
    sp_error_t error = {0};
    bson_t scene = BSON_INITIALIZER;
    assert_true(sp_version_parse(SP_MODEL_DEFAULT_VERSION, &version, NULL));
    sp_model_t *model = sp_model_new(version, NULL);
    sp_producer_init(&producer, NULL, 0);
    sp_gen_index(&context, &producer, &scene);
    if (!sp_case_predict_index(model, &scene, &answers, &error))
        fail_msg("%s", error.message);
    assert_int_equal(answers.count, SP_INDEX_REQUESTS);
    sp_answers_clear(&answers);
    sp_model_free(model);
    bson_destroy(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kinds),
        cmocka_unit_test(test_no_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
