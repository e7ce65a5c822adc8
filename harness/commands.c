#include "commands.h"

#include <stdio.h>

int sp_exit_status(const sp_error_t *error)
{
    switch (error->domain) {
    case SP_ERROR_USAGE:
    case SP_ERROR_INPUT:
    case SP_ERROR_RULE:
        return 2;
    default:
        return 3;
    }
}

int sp_complain(const sp_error_t *error)
{
    fprintf(stderr, "shardproof: %s\n", error->message);
    return sp_exit_status(error);
}
