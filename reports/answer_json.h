/*
 * An answer (oracles/verdict.h) as plain JSON, the way `ask` prints it.
 */
#ifndef SHARDPROOF_ANSWER_JSON_H
#define SHARDPROOF_ANSWER_JSON_H

#include <bson/bson.h>

/* One line without its end. Free it with bson_free. */
char *sp_answer_json(const bson_t *answer);

#endif
