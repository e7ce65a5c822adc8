#include "producer.h"

#include <assert.h>
#include <endian.h>
#include <string.h>

void sp_producer_init(sp_producer_t *producer, const uint8_t *data, size_t size)
{
    producer->data = data;
    producer->left = size;
}

uint64_t sp_draw_bits(sp_producer_t *producer, unsigned count)
{
    assert(count <= 8);
    uint64_t bits = 0;
    while (count-- > 0 && producer->left > 0)
        bits = bits << 8 | producer->data[--producer->left];
    return bits;
}

uint32_t sp_draw_below(sp_producer_t *producer, uint32_t bound)
{
    assert(bound >= 1);
    if (bound == 1)
        return 0;
    /* Up to a sixteenth uneven for small bounds, where a byte is worth more than evenness. */
    unsigned bytes = bound <= 16 ? 1 : bound <= 256 ? 2 : bound <= 65536 ? 3 : 5;
    return (uint32_t)(sp_draw_bits(producer, bytes) % bound);
}

bool sp_draw_one_in(sp_producer_t *producer, uint32_t of)
{
    return sp_draw_below(producer, of) == of - 1;
}

void sp_draw_bytes(sp_producer_t *producer, void *out, size_t size)
{
    uint8_t *bytes = out;
    for (size_t i = 0; i < size; i++)
        bytes[i] = (uint8_t)sp_draw_bits(producer, 1);
}

/* SplitMix64: a counter through a mixer, so that any state can be entered directly. */
static uint64_t mix(uint64_t number)
{
    number = (number ^ (number >> 30)) * 0xbf58476d1ce4e5b9u;
    number = (number ^ (number >> 27)) * 0x94d049bb133111ebu;
    return number ^ (number >> 31);
}

void sp_expand_seed(uint64_t seed, const char *area, uint64_t scene, uint8_t *out, size_t size)
{
    const uint64_t step = 0x9e3779b97f4a7c15u;
    uint64_t state = mix(seed + step);
    for (const char *at = area; *at != '\0'; at++)
        state = mix(state ^ (uint8_t)*at);
    state = mix(state ^ scene);
    for (size_t at = 0; at < size; at += sizeof state) {
        state += step;
        uint64_t little = htole64(mix(state));
        memcpy(out + at, &little, size - at < sizeof little ? size - at : sizeof little);
    }
}
