/*
 * Writes the seed corpus of the fuzz targets, which corpus/fuzz/ holds:
 *
 *     seed_corpus FOLDER
 *
 * makes FOLDER/hash and FOLDER/order: for each BSON type and some hard numbers the first scene that
 * has one, for each shape of shard key the first route scene that has it, and inputs of no and of
 * one byte. The same files on every machine, but others whenever a generator draws otherwise: run
 * it again then.
 */
#include "../oracles/number.h"
#include "gen_value.h"
#include "plain_number.h"
#include "scenes.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { VALUE_BYTES = 1024, ROUTE_BYTES = 16384, SCENES_MAX = 200000, SPARE = 64, SHAPES = 24 };

/* What order_fuzzer draws first: whether the input is three values or a route scene. */
enum { MODE_VALUES = 0, MODE_ROUTE = 7 };

typedef struct type_name {
    bson_type_t type;
    const char *name;
} type_name_t;

static const type_name_t types[] = {
    {BSON_TYPE_DOUBLE, "double"},      {BSON_TYPE_UTF8, "string"},
    {BSON_TYPE_DOCUMENT, "object"},    {BSON_TYPE_ARRAY, "array"},
    {BSON_TYPE_BINARY, "binary"},      {BSON_TYPE_UNDEFINED, "undefined"},
    {BSON_TYPE_OID, "objectid"},       {BSON_TYPE_BOOL, "bool"},
    {BSON_TYPE_DATE_TIME, "date"},     {BSON_TYPE_NULL, "null"},
    {BSON_TYPE_REGEX, "regex"},        {BSON_TYPE_DBPOINTER, "dbpointer"},
    {BSON_TYPE_CODE, "code"},          {BSON_TYPE_SYMBOL, "symbol"},
    {BSON_TYPE_CODEWSCOPE, "scope"},   {BSON_TYPE_INT32, "int32"},
    {BSON_TYPE_TIMESTAMP, "time"},     {BSON_TYPE_INT64, "int64"},
    {BSON_TYPE_DECIMAL128, "decimal"}, {BSON_TYPE_MAXKEY, "maxkey"},
    {BSON_TYPE_MINKEY, "minkey"},
};

static bool is_nan(const sp_plain_t *number)
{
    return number->kind == SP_PLAIN_NAN;
}

static bool is_infinite(const sp_plain_t *number)
{
    return number->kind == SP_PLAIN_INFINITE;
}

static bool is_two_63(const sp_plain_t *number)
{
    return number->kind == SP_PLAIN_FINITE && number->exponent == 19 && number->count == 19 &&
           memcmp(number->digits, "9223372036854775808", 19) == 0;
}

static bool is_tiny(const sp_plain_t *number)
{
    return number->kind == SP_PLAIN_FINITE && number->count > 0 && number->exponent < -307;
}

static bool is_half(const sp_plain_t *number)
{
    return number->kind == SP_PLAIN_FINITE && number->count == number->exponent + 1 &&
           number->count > 1 && number->digits[number->count - 1] == '5';
}

static const struct number_name {
    bool (*fits)(const sp_plain_t *number);
    const char *name;
} numbers[] = {
    {is_nan, "nan"},   {is_infinite, "infinite"}, {is_two_63, "two63"},
    {is_tiny, "tiny"}, {is_half, "half"},
};

static bool write_file(const char *folder, const char *area, const char *name, const uint8_t *data,
                       size_t size)
{
    char path[4096];
    int length = snprintf(path, sizeof path, "%s/%s/%s", folder, area, name);
    FILE *file = length < (int)sizeof path ? fopen(path, "wb") : NULL;
    bool ok = file != NULL && fwrite(data, 1, size, file) == size;
    if (file != NULL && fclose(file) != 0)
        ok = false;
    if (!ok)
        fprintf(stderr, "seed_corpus: cannot write %s: %s\n", path, strerror(errno));
    return ok;
}

/* Whether the value is of `type` and, where `fits` is given, such a number. */
static bool value_fits(const bson_t *doc, bson_type_t type, bool (*fits)(const sp_plain_t *number))
{
    bson_iter_t iter;
    if (!bson_iter_init_find(&iter, doc, "value") || bson_iter_type(&iter) != type)
        return false;
    if (fits == NULL)
        return true;
    sp_value_t value = sp_value_of(&iter);
    sp_plain_t number;
    sp_plain_read(&value, &number);
    return fits(&number);
}

/* The input for the first value that fits. What the generator drew lies at the end of the bytes, so
 * only that is kept, and some more for what a target draws afterwards. */
static bool write_value(const char *folder, const char *name, bson_type_t type,
                        bool (*fits)(const sp_plain_t *number))
{
    uint8_t data[VALUE_BYTES + 1];
    for (uint64_t scene = 0; scene < SCENES_MAX; scene++) {
        sp_producer_t producer;
        bson_t doc = BSON_INITIALIZER;
        sp_expand_seed(1, "hash", scene, data, VALUE_BYTES);
        sp_producer_init(&producer, data, VALUE_BYTES);
        sp_gen_value(&producer, &doc, "value");
        bool found = value_fits(&doc, type, fits);
        bson_destroy(&doc);
        if (!found)
            continue;
        size_t start = producer.left > SPARE ? producer.left - SPARE : 0;
        data[VALUE_BYTES] = MODE_VALUES;
        return write_file(folder, "hash", name, data + start, VALUE_BYTES - start) &&
               write_file(folder, "order", name, data + start, VALUE_BYTES - start + 1);
    }
    fprintf(stderr, "seed_corpus: no %s in %d scenes\n", name, SCENES_MAX);
    return false;
}

static bool write_values(const char *folder)
{
    for (unsigned i = 0; i < sizeof types / sizeof *types; i++) {
        if (!write_value(folder, types[i].name, types[i].type, NULL))
            return false;
    }
    static const type_name_t holders[] = {{BSON_TYPE_DOUBLE, "double"},
                                          {BSON_TYPE_DECIMAL128, "decimal"}};
    for (unsigned i = 0; i < 2 * sizeof numbers / sizeof *numbers; i++) {
        char name[64];
        snprintf(name, sizeof name, "%s-%s", holders[i % 2].name, numbers[i / 2].name);
        if (!write_value(folder, name, holders[i % 2].type, numbers[i / 2].fits))
            return false;
    }
    return true;
}

/* "route-x.hashed+y" */
static void name_shape(const bson_t *scene, char *name, size_t size)
{
    bson_iter_t iter, key;
    size_t used = (size_t)snprintf(name, size, "route");
    if (!bson_iter_init_find(&iter, scene, "key") || !bson_iter_recurse(&iter, &key))
        return;
    for (char join = '-'; bson_iter_next(&key) && used < size; join = '+')
        used += (size_t)snprintf(name + used, size - used, "%c%s%s", join, bson_iter_key(&key),
                                 BSON_ITER_HOLDS_UTF8(&key) ? ".hashed" : "");
}

static bool is_new(char (*seen)[64], unsigned count, const char *name)
{
    for (unsigned i = 0; i < count; i++) {
        if (strcmp(seen[i], name) == 0)
            return false;
    }
    return true;
}

static bool write_routes(const char *folder)
{
    static uint8_t data[ROUTE_BYTES + 2];
    const sp_scene_context_t context = {.shards = 3};
    char seen[SHAPES][64];
    unsigned count = 0;
    for (uint64_t scene = 0; scene < SCENES_MAX && count < SHAPES; scene++) {
        sp_producer_t producer;
        bson_t doc = BSON_INITIALIZER;
        char name[64];
        sp_expand_seed(1, "route", scene, data, ROUTE_BYTES);
        sp_producer_init(&producer, data, ROUTE_BYTES);
        sp_gen_route(&context, &producer, &doc);
        name_shape(&doc, name, sizeof name);
        bson_destroy(&doc);
        if (!is_new(seen, count, name))
            continue;
        memcpy(seen[count++], name, sizeof name);
        data[ROUTE_BYTES] = (uint8_t)(count % 2); /* one version or the other */
        data[ROUTE_BYTES + 1] = MODE_ROUTE;
        size_t start = producer.left;
        if (!write_file(folder, "order", name, data + start, ROUTE_BYTES + 2 - start))
            return false;
    }
    if (count < SHAPES)
        fprintf(stderr, "seed_corpus: only %u shapes in %d scenes\n", count, SCENES_MAX);
    return count == SHAPES;
}

static bool make_folder(const char *folder, const char *area)
{
    char path[4096];
    int length = snprintf(path, sizeof path, "%s/%s", folder, area);
    if (length < (int)sizeof path && (mkdir(path, 0777) == 0 || errno == EEXIST))
        return true;
    fprintf(stderr, "seed_corpus: cannot make %s: %s\n", path, strerror(errno));
    return false;
}

int main(int argc, char **argv)
{
    static const char *const areas[] = {"hash", "order"};
    if (argc != 2) {
        fprintf(stderr, "usage: seed_corpus FOLDER\n");
        return 2;
    }
    for (unsigned i = 0; i < 2; i++) {
        if (!make_folder(argv[1], areas[i]) ||
            !write_file(argv[1], areas[i], "empty", (const uint8_t *)"", 0) ||
            !write_file(argv[1], areas[i], "one-byte", (const uint8_t *)"\xff", 1))
            return 1;
    }
    return write_values(argv[1]) && write_routes(argv[1]) ? 0 : 1;
}
