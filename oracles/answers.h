/*
 * A growing list of answers whose documents are used again from batch to batch.
 */
#ifndef SHARDPROOF_ANSWERS_H
#define SHARDPROOF_ANSWERS_H

#include <bson/bson.h>

typedef struct sp_answers {
    bson_t **items; /* pointers, since a bson_t may point into itself and must not move */
    uint32_t count;
    uint32_t made; /* items there are; the first `count` are in use */
    uint32_t capacity;
} sp_answers_t;

#define SP_ANSWERS_INITIALIZER                                                                     \
    {                                                                                              \
        0                                                                                          \
    }

/* A new empty answer at the end, good until the next one is added. */
bson_t *sp_answers_add(sp_answers_t *answers);
/* Forgets the answers from `count` on, and keeps their memory. */
void sp_answers_truncate(sp_answers_t *answers, uint32_t count);
void sp_answers_clear(sp_answers_t *answers);

#endif
