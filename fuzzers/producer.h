/*
 * Draws from bytes: the one way in which fuzz input, and a seed, becomes a case.
 *
 * Bytes are taken from the end, so that a mutation near the front of the input changes little. When
 * they are used up every draw gives 0, so any input decodes, always to the same case, and
 * generators end: 0 is the plain choice everywhere.
 */
#ifndef SHARDPROOF_PRODUCER_H
#define SHARDPROOF_PRODUCER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct sp_producer {
    const uint8_t *data;
    size_t left;
} sp_producer_t;

void sp_producer_init(sp_producer_t *producer, const uint8_t *data, size_t size);

/* `count` bytes (at most 8) as a number. */
uint64_t sp_draw_bits(sp_producer_t *producer, unsigned count);

/* 0 … bound - 1; `bound` is at least 1. Not quite even where bound does not divide a power of two.
 */
uint32_t sp_draw_below(sp_producer_t *producer, uint32_t bound);

/* True with a chance of one in `of`; false when the bytes are used up. */
bool sp_draw_one_in(sp_producer_t *producer, uint32_t of);

void sp_draw_bytes(sp_producer_t *producer, void *out, size_t size);

/* Fills `out` with the bytes that scene `scene` of `area` has under `seed`: what a run without fuzz
 * input decodes. The same on every machine. */
void sp_expand_seed(uint64_t seed, const char *area, uint64_t scene, uint8_t *out, size_t size);

#endif
