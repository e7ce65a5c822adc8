#include "kinds_count.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void test_refine_kinds(void **state)
{
    (void)state;
    static const sp_kinds_area_t area = {.name = "refine",
                                         .generate = sp_gen_refine,
                                         .predict = sp_case_predict_refine,
                                         .scenes = 3000,
                                         .questions = SP_REFINE_REQUESTS};
    sp_assert_kinds_come(&area);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_refine_kinds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
