/*
 * A cluster's catalogue: the config database, through the config server.
 */
#ifndef SHARDPROOF_CATALOG_H
#define SHARDPROOF_CATALOG_H

#include "session.h"

/* writeConcern majority, without which the config server refuses. */
void sp_append_majority(bson_t *command);

/* The worker's database, made at the first need. */
bool sp_catalog_database(sp_session_t *session, sp_error_t *error);

/* The document with `id` in config.`collection`, appended to `found`. SP_ERROR_INFRA where it is
 * not there. */
bool sp_catalog_find(sp_session_t *session, const char *collection, const char *id, bson_t *found,
                     sp_error_t *error);

/* Posts an insert into config.`collection`. */
bool sp_catalog_post_insert(sp_session_t *session, const char *collection, const bson_t *documents,
                            sp_error_t *error);
/* Fetches the reply to a posted insert, update or delete. SP_ERROR_SERVER also for what it has in
 * writeErrors or writeConcernError. */
bool sp_catalog_fetch_write(sp_session_t *session, sp_error_t *error);

#endif
