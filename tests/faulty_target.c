/*
 * A fuzz target that goes wrong in the way its input names, for the tests of the standalone driver.
 */
#include "../fuzzers/fuzz_check.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *text = (const char *)data;
    if (size == 5 && memcmp(text, "abort", 5) == 0)
        abort();
    if (size == 4 && memcmp(text, "exit", 4) == 0)
        _exit(77);
    while (size == 4 && memcmp(text, "hang", 4) == 0)
        pause();
    return 0;
}
