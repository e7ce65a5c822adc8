/*
 * Numbers near where number handling breaks: the powers of two and ten at which types end or lose
 * integers, halves, subnormals, decimals of every exponent, one value in several types and scales.
 */
#ifndef SHARDPROOF_GEN_NUMBER_H
#define SHARDPROOF_GEN_NUMBER_H

#include "producer.h"

#include <bson/bson.h>

/* Appends a number of any of the four types under `key`. */
void sp_gen_number(sp_producer_t *producer, bson_t *doc, const char *key);

/* Appends a number that equals `integer`, in any type that can hold it exactly, or lies a hair
 * beside it. */
void sp_gen_number_near(sp_producer_t *producer, int64_t integer, bson_t *doc, const char *key);

/* Appends a double or decimal that equals `number` or lies a hair beside it. */
void sp_gen_number_near_double(sp_producer_t *producer, double number, bson_t *doc,
                               const char *key);

#endif
