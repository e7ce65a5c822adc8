#include "../fuzzers/kinds.h"

#include "kinds_count.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void test_kinds(void **state)
{
    (void)state;
    static const sp_kinds_area_t area = {"keychange", sp_gen_keychange, sp_case_predict_keychange,
                                         600, SP_KEYCHANGE_UPDATES};
    sp_assert_kinds_come(&area);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_kinds)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
