#include "options.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

uint64_t sp_option_number(struct argp_state *state, const char *option, const char *text,
                          uint64_t least, uint64_t most)
{
    char *end;
    errno = 0;
    uint64_t number = strtoull(text, &end, 10);
    if (errno != 0 || *text < '0' || *text > '9' || *end != '\0' || number < least || number > most)
        argp_error(state, "--%s takes a whole number from %" PRIu64 " to %" PRIu64 ", not '%s'",
                   option, least, most, text);
    return number;
}
