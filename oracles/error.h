/*
 * One error struct for the whole project, given by the caller and filled by whoever fails.
 *
 * Every function that can fail returns a bool (false: failed) or NULL and takes an `sp_error_t *`
 * as its last argument, which may be NULL where the caller does not care.
 */
#ifndef SHARDPROOF_ERROR_H
#define SHARDPROOF_ERROR_H

#include <stdbool.h>
#include <stdint.h>

/* Who is at fault; decides the exit status and whether a case is retried. */
typedef enum sp_error_domain {
    SP_ERROR_NONE = 0,
    SP_ERROR_USAGE,  /* the command line: exit status 2 */
    SP_ERROR_INPUT,  /* a file, a line or bytes that cannot be understood: exit status 2 */
    SP_ERROR_RULE,   /* the model says the server refuses this; `code` is the server's code */
    SP_ERROR_SERVER, /* the server answered with an error; `code` is its code */
    SP_ERROR_INFRA,  /* a server died, hung or could not be reached: exit status 3 */
    SP_ERROR_SYSTEM, /* the operating system refused; `code` is errno: exit status 3 */
} sp_error_domain_t;

typedef struct sp_error {
    sp_error_domain_t domain;
    int32_t code;      /* as the domain says; 0 where it has none */
    char message[504]; /* always terminated; cut short where it would not fit */
} sp_error_t;

/* Fills `error` (may be NULL) and returns false, so that a failing function can end in
 * `return sp_error_set(error, …);`. The message should name the remedy where there is one. */
bool sp_error_set(sp_error_t *error, sp_error_domain_t domain, int32_t code, const char *format,
                  ...) __attribute__((format(printf, 4, 5)));

/* Puts `prefix: ` before the message, for instance a file and line; returns false. */
bool sp_error_prefix(sp_error_t *error, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
