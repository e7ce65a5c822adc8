#include "kinds_count.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void test_reshard_kinds(void **state)
{
    (void)state;
    static const sp_kinds_area_t area = {.name = "reshard",
                                         .generate = sp_gen_reshard,
                                         .predict = sp_case_predict_reshard,
                                         .scenes = 20000,
                                         .questions = SP_RESHARD_REQUESTS};
    sp_assert_kinds_come(&area);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reshard_kinds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
