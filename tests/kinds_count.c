#include "kinds_count.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { BYTES = 65536, KINDS_MAX = 128 };

typedef struct counts {
    const sp_kind_t *kinds;
    unsigned kind_count;
    unsigned seen[KINDS_MAX];
    unsigned questions;
} counts_t;

static bool count_kind(void *context, const char *dimension, const char *name)
{
    counts_t *counts = context;
    for (unsigned i = 0; i < counts->kind_count; i++) {
        counts->seen[i] += strcmp(counts->kinds[i].dimension, dimension) == 0 &&
                           strcmp(counts->kinds[i].name, name) == 0;
    }
    return true;
}

/* Draws scenes from fixed seeds, predicts them and counts. */
static void count_area(const sp_kinds_area_t *area, sp_model_t *model, counts_t *counts)
{
    static const sp_scene_context_t context = {.shards = 3};
    uint8_t *bytes = bson_malloc(BYTES);
    for (uint64_t number = 0; number < area->scenes; number++) {
        sp_producer_t producer;
        sp_answers_t answers = SP_ANSWERS_INITIALIZER;
        sp_error_t error = {0};
        bson_t scene = BSON_INITIALIZER;
        BSON_APPEND_UTF8(&scene, "area", area->name);
        sp_expand_seed(7, area->name, number, bytes, BYTES);
        sp_producer_init(&producer, bytes, BYTES);
        area->generate(&context, &producer, &scene);
        if (!area->predict(model, &scene, &answers, &error))
            fail_msg("%s scene %u: %s", area->name, (unsigned)number, error.message);
        for (uint32_t i = 0; i < answers.count; i++)
            sp_kinds_of(area->name, &scene, i, answers.items[i], count_kind, counts);
        assert_int_equal(answers.count, area->questions);
        counts->questions += answers.count;
        sp_answers_clear(&answers);
        bson_destroy(&scene);
    }
    bson_free(bytes);
}

void sp_assert_kinds_come(const sp_kinds_area_t *area)
{
    sp_version_t version;
    assert_true(sp_version_parse(SP_MODEL_DEFAULT_VERSION, &version, NULL));
    sp_model_t *model = sp_model_new(version, NULL);
    counts_t counts = {0};
    bool enough = true;
    assert_non_null(model);
    counts.kinds = sp_kinds_declared(area->name, &counts.kind_count);
    assert_in_range(counts.kind_count, 1, KINDS_MAX);
    count_area(area, model, &counts);
    for (unsigned i = 0; i < counts.kind_count; i++) {
        if (counts.seen[i] >= SP_KIND_SHARE * counts.questions)
            continue;
        print_error("%s: of %u questions %u have the %s '%s'\n", area->name, counts.questions,
                    counts.seen[i], counts.kinds[i].dimension, counts.kinds[i].name);
        enough = false;
    }
    assert_true(enough);
    sp_model_free(model);
}
