/*
 * The byte stream under a connection: TCP or a Unix socket, with TLS where the URI asks for it.
 */
#ifndef SHARDPROOF_STREAM_H
#define SHARDPROOF_STREAM_H

#include <mongoc/mongoc.h>

/* A mongoc_stream_initiator_t that connects and blocks for at most the URI's connectTimeoutMS.
 * `user_data` is a `mongoc_stream_t **` that gets the stream as well; the client keeps owning it.
 */
mongoc_stream_t *sp_stream_connect(const mongoc_uri_t *uri, const mongoc_host_list_t *host,
                                   void *user_data, bson_error_t *error);

#endif
