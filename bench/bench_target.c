/*
 * What one targeting decision costs, from the filter document to the set of shards, and how it
 * grows with the number of chunks: it should grow as the logarithm.
 *
 *     bench_target [LARGEST]        chunks in the largest layout, default 1000000
 *
 * Prints for each size and kind of filter the nanoseconds of a decision (median of several rounds)
 * and its ratio to the same among 1,000 chunks, beside the ratio of the logarithms. The kinds: the
 * whole key by equality, the same hashed, the first of two fields, a short range, an $in of ten.
 */
#include "../fuzzers/producer.h"
#include "../oracles/model.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { FILTERS = 4096, DECISIONS = 100000, ROUNDS = 5, SHARDS = 8 };

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

/* Bounds lie evenly over the values of int64, where hashes do. */
static int64_t bound_at(uint32_t i, uint32_t count)
{
    return (int64_t)(UINT64_MAX / count * i + (UINT64_C(1) << 63));
}

static void append_bound(bson_t *out, const char *name, const bson_t *key, uint32_t i,
                         uint32_t count)
{
    bson_t bound;
    bson_iter_t iter;
    BSON_APPEND_DOCUMENT_BEGIN(out, name, &bound);
    if (bson_iter_init(&iter, key)) {
        for (bool first = true; bson_iter_next(&iter); first = false) {
            if (i == count)
                BSON_APPEND_MAXKEY(&bound, bson_iter_key(&iter));
            else if (i == 0 || !first)
                BSON_APPEND_MINKEY(&bound, bson_iter_key(&iter));
            else
                BSON_APPEND_INT64(&bound, bson_iter_key(&iter), bound_at(i, count));
        }
    }
    bson_append_document_end(out, &bound);
}

static sp_layout_t *build(const bson_t *key, uint32_t count)
{
    bson_t *doc = bson_sized_new(128 * (size_t)count);
    bson_t chunks;
    BSON_APPEND_DOCUMENT(doc, "key", key);
    BSON_APPEND_ARRAY_BEGIN(doc, "chunks", &chunks);
    for (uint32_t i = 0; i < count; i++) {
        char index[16], shard[16];
        bson_t chunk;
        snprintf(index, sizeof index, "%u", i);
        snprintf(shard, sizeof shard, "s%u", i % SHARDS + 1);
        BSON_APPEND_ARRAY_BEGIN(&chunks, index, &chunk);
        append_bound(&chunk, "0", key, i, count);
        append_bound(&chunk, "1", key, i + 1, count);
        BSON_APPEND_UTF8(&chunk, "2", shard);
        bson_append_array_end(&chunks, &chunk);
    }
    bson_append_array_end(doc, &chunks);
    sp_error_t error = {0};
    sp_layout_t *layout = sp_layout_new(doc, &error);
    if (layout == NULL) {
        fprintf(stderr, "bench_target: %s\n", error.message);
        abort();
    }
    bson_destroy(doc);
    return layout;
}

static void draw_equality(int64_t value, bson_t *filter)
{
    BSON_APPEND_INT64(filter, "x", value);
}

static void draw_range(int64_t value, bson_t *filter)
{
    bson_t range;
    BSON_APPEND_DOCUMENT_BEGIN(filter, "x", &range);
    BSON_APPEND_INT64(&range, "$gte", value);
    BSON_APPEND_INT64(&range, "$lt", value < INT64_MAX - 1000 ? value + 1000 : INT64_MAX);
    bson_append_document_end(filter, &range);
}

static void draw_in(int64_t value, bson_t *filter)
{
    bson_t in, list;
    BSON_APPEND_DOCUMENT_BEGIN(filter, "x", &in);
    BSON_APPEND_ARRAY_BEGIN(&in, "$in", &list);
    for (char digit[2] = "0"; digit[0] <= '9'; digit[0]++)
        BSON_APPEND_INT64(&list, digit, (int64_t)((uint64_t)value * (uint64_t)digit[0]));
    bson_append_array_end(&in, &list);
    bson_append_document_end(filter, &in);
}

typedef struct kind {
    const char *name, *key;
    void (*draw)(int64_t value, bson_t *filter);
} kind_t;

static const kind_t kinds[] = {
    {"equality", "{\"x\": 1}", draw_equality},
    {"equality, hashed", "{\"x\": \"hashed\"}", draw_equality},
    {"first of two fields", "{\"x\": 1, \"y\": 1}", draw_equality},
    {"short range", "{\"x\": 1}", draw_range},
    {"$in of ten", "{\"x\": 1}", draw_in},
};

static int compare_figures(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;
    return (left > right) - (left < right);
}

/* Nanoseconds of one decision. */
static double measure(sp_model_t *model, const sp_layout_t *layout, bson_t **filters)
{
    double figures[ROUNDS];
    unsigned contacted = 0;
    for (unsigned round = 0; round < ROUNDS; round++) {
        double begun = now();
        for (unsigned i = 0; i < DECISIONS; i++) {
            const sp_query_t query = {.filter = filters[i % FILTERS]};
            sp_parsed_query_t parsed;
            sp_targeting_t targeting;
            sp_arena_t arena;
            sp_arena_init(&arena);
            if (!sp_query_parse(&arena, model->version, layout, &query, &parsed, NULL) ||
                !sp_target_query(&arena, model->hasher, model->version, layout, &parsed, &targeting,
                                 NULL))
                abort();
            contacted += targeting.shard_count;
            sp_arena_clear(&arena);
        }
        figures[round] = (now() - begun) / DECISIONS * 1e9;
    }
    qsort(figures, ROUNDS, sizeof *figures, compare_figures);
    return contacted > 0 ? figures[ROUNDS / 2] : 0;
}

static void bench(sp_model_t *model, const kind_t *kind, uint32_t largest)
{
    bson_t *key = bson_new_from_json((const uint8_t *)kind->key, -1, NULL);
    bson_t *filters[FILTERS];
    for (unsigned i = 0; i < FILTERS; i++) {
        int64_t value;
        sp_expand_seed(1, "bench", i, (uint8_t *)&value, sizeof value);
        filters[i] = bson_new();
        kind->draw(value, filters[i]);
    }
    double first = 0;
    for (uint32_t count = 1000; count <= largest && count <= SP_CHUNKS_MAX; count *= 10) {
        sp_layout_t *layout = build(key, count);
        double cost = measure(model, layout, filters);
        first = count == 1000 ? cost : first;
        printf("%-22s %10u %10.0f %10.2f %10.2f\n", kind->name, count, cost, cost / first,
               log(count) / log(1000));
        sp_layout_free(layout);
    }
    for (unsigned i = 0; i < FILTERS; i++)
        bson_destroy(filters[i]);
    bson_destroy(key);
}

int main(int argc, char **argv)
{
    uint32_t largest = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : 1000000;
    sp_version_t version;
    if (!sp_version_parse(SP_MODEL_DEFAULT_VERSION, &version, NULL))
        abort();
    sp_model_t *model = sp_model_new(version, NULL);
    if (model == NULL)
        abort();
    printf("%-22s %10s %10s %10s %10s\n", "filter", "chunks", "ns", "ratio", "log ratio");
    for (unsigned i = 0; i < sizeof kinds / sizeof *kinds; i++)
        bench(model, &kinds[i], largest);
    sp_model_free(model);
    return 0;
}
