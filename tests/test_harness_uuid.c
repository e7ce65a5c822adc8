/*
 * Random identifiers.
 */
#include "../harness/uuid.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { DRAWN = 1000 };

/* Sessions that were opened in one microsecond once had one identifier. */
static void test_draws_differ(void **state)
{
    (void)state;
    static uint8_t uuids[DRAWN][SP_UUID_SIZE];
    for (int i = 0; i < DRAWN; i++) {
        assert_true(sp_uuid_draw(uuids[i], NULL));
        assert_int_equal(uuids[i][6] >> 4, 4);
        assert_int_equal(uuids[i][8] >> 6, 2);
        for (int j = 0; j < i; j++)
            assert_memory_not_equal(uuids[i], uuids[j], SP_UUID_SIZE);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_draws_differ)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
