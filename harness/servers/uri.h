/*
 * Connection strings: showing them without their secrets, and making the one of a neighbour server.
 */
#ifndef SHARDPROOF_URI_H
#define SHARDPROOF_URI_H

/* `uri` with the password, and every option that can carry a secret, replaced by ***; for messages
 * and reports. Works by text, so also for what is no valid URI; where in doubt it hides too much.
 * The caller frees it with bson_free. */
char *sp_uri_redacted(const char *uri);

/* `uri` with `host` (host:port) in place of its hosts, keeping credentials and options; without the
 * option replicaSet, which would not fit another server. The caller frees it with bson_free. */
char *sp_uri_with_host(const char *uri, const char *host);

#endif
