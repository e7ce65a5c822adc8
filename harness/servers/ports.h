/*
 * Free TCP ports on 127.0.0.1.
 */
#ifndef SHARDPROOF_PORTS_H
#define SHARDPROOF_PORTS_H

#include "../../oracles/error.h"

#include <stddef.h>

/* Picks `count` different ports nobody listens on. They lie below the range from which the kernel
 * gives outgoing connections theirs, as long as there are enough: in that range a port may be taken
 * again before the server listens on it, and a client waiting for the server may even connect to
 * itself. Another process can still take one meanwhile; whoever binds must be ready to ask again.
 */
bool sp_ports_pick(int *ports, size_t count, sp_error_t *error);

/* Says whether something listens on 127.0.0.1:`port`, by connecting. */
bool sp_ports_answer(int port);

#endif
