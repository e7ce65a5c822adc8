/*
 * How the cost of finding a chunk grows with their number: it should grow as the logarithm.
 *
 *     bench_chunkmap [LARGEST]      chunks in the largest map, default 1000000
 *
 * Prints for each size the nanoseconds of a look-up, and its ratio to the look-up among 1,000
 * chunks beside the ratio of the logarithms.
 */
#include "../fuzzers/producer.h"
#include "../oracles/chunkmap.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { KEYS = 4096, LOOK_UPS = 400000 };

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static void append_bound(bson_t *bound, uint32_t i, uint32_t count)
{
    bson_init(bound);
    if (i == 0)
        BSON_APPEND_MINKEY(bound, "x");
    else if (i == count)
        BSON_APPEND_MAXKEY(bound, "x");
    else
        BSON_APPEND_INT64(bound, "x", i);
}

static sp_chunkmap_t *build(const sp_pattern_t *pattern, uint32_t count)
{
    sp_chunkmap_t *map = sp_chunkmap_new(pattern);
    for (uint32_t i = 0; i < count; i++) {
        bson_t min, max;
        append_bound(&min, i, count);
        append_bound(&max, i + 1, count);
        sp_chunkmap_add(map, &min, &max, i % 2 == 0 ? "s1" : "s2", NULL);
        bson_destroy(&min);
        bson_destroy(&max);
    }
    if (!sp_chunkmap_seal(map, NULL))
        abort();
    return map;
}

static double measure(const sp_chunkmap_t *map, uint32_t count)
{
    bson_t *keys[KEYS];
    for (unsigned i = 0; i < KEYS; i++) {
        uint64_t at;
        sp_expand_seed(1, "bench", i, (uint8_t *)&at, sizeof at);
        keys[i] = bson_new();
        BSON_APPEND_INT64(keys[i], "x", (int64_t)(at % count));
    }
    uint64_t sum = 0;
    double begun = now();
    for (unsigned i = 0; i < LOOK_UPS; i++) {
        uint32_t chunk;
        sp_chunkmap_find(map, keys[i % KEYS], &chunk);
        sum += chunk;
    }
    double seconds = now() - begun;
    for (unsigned i = 0; i < KEYS; i++)
        bson_destroy(keys[i]);
    return sum == 0 ? 0 : seconds / LOOK_UPS * 1e9;
}

int main(int argc, char **argv)
{
    uint32_t largest = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : 1000000;
    bson_t *key = BCON_NEW("x", BCON_INT32(1));
    sp_pattern_t *pattern = sp_pattern_new(key, NULL);
    double first = 0;
    printf("%10s %12s %12s %12s\n", "chunks", "ns", "ratio", "log ratio");
    for (uint32_t count = 1000; count <= largest && count <= SP_CHUNKS_MAX; count *= 10) {
        sp_chunkmap_t *map = build(pattern, count);
        double cost = measure(map, count);
        first = count == 1000 ? cost : first;
        printf("%10u %12.0f %12.2f %12.2f\n", count, cost, cost / first, log(count) / log(1000));
        sp_chunkmap_free(map);
    }
    sp_pattern_free(pattern);
    bson_destroy(key);
    return 0;
}
