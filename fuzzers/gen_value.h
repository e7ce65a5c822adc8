/*
 * BSON values of every type and depth.
 */
#ifndef SHARDPROOF_GEN_VALUE_H
#define SHARDPROOF_GEN_VALUE_H

#include "../oracles/value.h"
#include "producer.h"

/* Appends a value of any type under `key`. Numbers come far more often than anything else. */
void sp_gen_value(sp_producer_t *producer, bson_t *doc, const char *key);

/* Appends a value that equals `like` in another guise, lies beside it, or is it: numbers in other
 * types and scales, texts one byte longer or shorter, containers that differ in one child or lack
 * the last, other bytes with one bit flipped. */
void sp_gen_value_near(sp_producer_t *producer, const sp_value_t *like, bson_t *doc,
                       const char *key);

#endif
