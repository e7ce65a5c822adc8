/*
 * The commands of one question about indexes.
 */
#ifndef SHARDPROOF_INDEX_COMMANDS_H
#define SHARDPROOF_INDEX_COMMANDS_H

#include <bson/bson.h>
#include <stdbool.h>

/* Builds the command that a question asks for; `question` has its `op` and what belongs to it.
 * False for an op that is none. */
bool sp_index_command(bson_t *command, const char *collection, const bson_t *question);

/* Single steps. `which` stands on a name or key pattern. */
void sp_index_create_command(bson_t *command, const char *collection, const bson_t *spec);
void sp_index_insert_command(bson_t *command, const char *collection, const bson_t *doc);
void sp_index_drop_command(bson_t *command, const char *collection, const bson_iter_t *which);
void sp_index_drop_all_command(bson_t *command, const char *collection);
void sp_index_list_command(bson_t *command, const char *collection);

/* Appends `indexes` from a reply to listIndexes, as the model writes them. False where the reply is
 * none. */
bool sp_index_append_list(const bson_t *reply, bson_t *answer);

#endif
