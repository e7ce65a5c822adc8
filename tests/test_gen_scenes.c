#include "../fuzzers/scenes.h"

#include "../oracles/case.h"
#include "../oracles/extract.h"
#include "../oracles/order.h"
#include "from_json.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { HASH_SCENES = 20000, ORDER_SCENES = 20000, ROUTE_SCENES = 300, SHARDS = 3 };

typedef void generate_t(const sp_scene_context_t *context, sp_producer_t *producer, bson_t *scene);

static const struct generator {
    const char *area;
    generate_t *generate;
    size_t bytes;    /* at most what a run gives to a scene */
    unsigned scenes; /* of each kind as many as take a moment */
    uint64_t digest;
} generators[] = {
    {"hash", sp_gen_hash, 512, 4000, UINT64_C(0x435ea1a99723e28c)},
    {"order", sp_gen_order, 1024, 4000, UINT64_C(0xfaf50f18091f6797)},
    {"route", sp_gen_route, 65536, 40, UINT64_C(0x1912a0a9cad22154)},
    {"find", sp_gen_find, 65536, 40, UINT64_C(0x4e1dfa62b8236dc5)},
    {"write", sp_gen_write, 65536, 100, UINT64_C(0xd8477f64e66e006c)},
    {"soundness", sp_gen_soundness, 65536, 40, UINT64_C(0xaeaa964de9a9324e)},
};

enum { GENERATORS = sizeof generators / sizeof *generators, BYTES_MAX = 65536 };

static void generate(const struct generator *generator, uint64_t number, size_t size, bson_t *scene)
{
    static const sp_scene_context_t context = {.shards = SHARDS};
    uint8_t *bytes = bson_malloc(generator->bytes);
    sp_producer_t producer;
    sp_expand_seed(1, generator->area, number, bytes, generator->bytes);
    sp_producer_init(&producer, bytes, size);
    bson_init(scene);
    generator->generate(&context, &producer, scene);
    bson_free(bytes);
}

static uint64_t add_to_digest(uint64_t digest, const bson_t *doc)
{
    const uint8_t *bytes = bson_get_data(doc);
    for (uint32_t i = 0; i < doc->len; i++)
        digest = (digest ^ bytes[i]) * UINT64_C(0x100000001b3);
    return digest;
}

/*
 * A seed names a case, on every machine and with every compiler: corpora that one build grows are
 * run by another. Whenever a generator is changed on purpose the digests change with it; take over
 * the new ones after gcc and clang builds agree on them.
 */
static void test_same_scenes_everywhere(void **state)
{
    (void)state;
    bool same = true;
    for (size_t i = 0; i < GENERATORS; i++) {
        uint64_t digest = UINT64_C(0xcbf29ce484222325);
        for (uint64_t number = 0; number < generators[i].scenes; number++) {
            bson_t scene;
            generate(&generators[i], number, generators[i].bytes, &scene);
            digest = add_to_digest(digest, &scene);
            bson_destroy(&scene);
        }
        if (digest != generators[i].digest)
            print_error("the digest of %s is 0x%016" PRIx64 "\n", generators[i].area, digest);
        same = same && digest == generators[i].digest;
    }
    assert_true(same);
}

/* Inputs cut short anywhere, down to nothing, give sound scenes, each time the same. */
static void test_short_inputs(void **state)
{
    (void)state;
    static const size_t sizes[] = {0, 1, 2, 3, 7, 20, 50, 100, 200, 500};
    for (size_t i = 0; i < GENERATORS; i++) {
        for (size_t j = 0; j < sizeof sizes / sizeof *sizes; j++) {
            for (uint64_t number = 0; number < 5; number++) {
                bson_t first, second;
                generate(&generators[i], number, sizes[j], &first);
                generate(&generators[i], number, sizes[j], &second);
                assert_true(bson_equal(&first, &second));
                assert_true(sp_document_check(&first, NULL));
                bson_destroy(&first);
                bson_destroy(&second);
            }
        }
    }
}

static sp_model_t *make_model(void)
{
    sp_version_t version;
    assert_true(sp_version_parse(SP_MODEL_DEFAULT_VERSION, &version, NULL));
    sp_model_t *model = sp_model_new(version, NULL);
    assert_non_null(model);
    return model;
}

/* Every type comes, numbers are a third at least, and each type comes often enough to be met soon.
 */
static void test_hash_scenes(void **state)
{
    (void)state;
    static const bson_type_t types[] = {
        BSON_TYPE_DOUBLE,    BSON_TYPE_UTF8,      BSON_TYPE_DOCUMENT,   BSON_TYPE_ARRAY,
        BSON_TYPE_BINARY,    BSON_TYPE_UNDEFINED, BSON_TYPE_OID,        BSON_TYPE_BOOL,
        BSON_TYPE_DATE_TIME, BSON_TYPE_NULL,      BSON_TYPE_REGEX,      BSON_TYPE_DBPOINTER,
        BSON_TYPE_CODE,      BSON_TYPE_SYMBOL,    BSON_TYPE_CODEWSCOPE, BSON_TYPE_INT32,
        BSON_TYPE_TIMESTAMP, BSON_TYPE_INT64,     BSON_TYPE_DECIMAL128, BSON_TYPE_MAXKEY,
        BSON_TYPE_MINKEY};
    unsigned seen[256] = {0}, numbers = 0;
    sp_model_t *model = make_model();
    for (uint64_t number = 0; number < HASH_SCENES; number++) {
        bson_t scene;
        bson_iter_t iter;
        sp_answers_t answers = SP_ANSWERS_INITIALIZER;
        generate(&generators[0], number, generators[0].bytes, &scene);
        assert_true(bson_iter_init_find(&iter, &scene, "value"));
        sp_value_t value = sp_value_of(&iter);
        seen[(uint8_t)value.type]++;
        numbers += sp_value_is_number(&value);
        assert_true(sp_case_predict_hash(model, &scene, &answers, NULL));
        assert_int_equal(answers.count, 1);
        sp_answers_clear(&answers);
        bson_destroy(&scene);
    }
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        if (seen[(uint8_t)types[i]] < HASH_SCENES / 1000)
            fail_msg("type 0x%02x came %u times", (unsigned)types[i], seen[(uint8_t)types[i]]);
    }
    assert_true(numbers >= HASH_SCENES * 3 / 10);
    sp_model_free(model);
}

/* Pairs that are equal in different guises, and pairs just beside one another, both come often. */
static void test_order_scenes(void **state)
{
    (void)state;
    unsigned equal = 0, equal_guises = 0, near_numbers = 0, one_class = 0;
    sp_model_t *model = make_model();
    for (uint64_t number = 0; number < ORDER_SCENES; number++) {
        bson_t scene;
        bson_iter_t iter, inner;
        sp_answers_t answers = SP_ANSWERS_INITIALIZER;
        generate(&generators[1], number, generators[1].bytes, &scene);
        assert_true(bson_iter_init_find(&iter, &scene, "values") &&
                    bson_iter_recurse(&iter, &inner) && bson_iter_next(&inner));
        sp_value_t a = sp_value_of(&inner);
        assert_true(bson_iter_next(&inner));
        sp_value_t b = sp_value_of(&inner);
        assert_false(bson_iter_next(&inner));
        int order = sp_value_compare(&a, &b);
        equal += order == 0;
        equal_guises += order == 0 && a.type != b.type;
        one_class += sp_type_class(a.type) == sp_type_class(b.type);
        near_numbers += order != 0 && sp_value_is_number(&a) && sp_value_is_number(&b);
        assert_true(sp_case_predict_order(model, &scene, &answers, NULL));
        sp_answers_clear(&answers);
        bson_destroy(&scene);
    }
    assert_true(equal > ORDER_SCENES / 10);
    assert_true(equal_guises > ORDER_SCENES / 20);
    assert_true(near_numbers > ORDER_SCENES / 20);
    assert_true(one_class > ORDER_SCENES / 2);
    assert_true(one_class < ORDER_SCENES);
    sp_model_free(model);
}

static void assert_distinct_ids(const bson_t *scene)
{
    sp_value_t ids[SP_ROUTE_DOCS];
    bson_iter_t iter, docs, doc;
    unsigned count = 0;
    assert_true(bson_iter_init_find(&iter, scene, "docs") && bson_iter_recurse(&iter, &docs));
    while (bson_iter_next(&docs)) {
        assert_true(count < SP_ROUTE_DOCS);
        assert_true(bson_iter_recurse(&docs, &doc) && bson_iter_find(&doc, "_id"));
        ids[count] = sp_value_of(&doc);
        for (unsigned i = 0; i < count; i++)
            assert_int_not_equal(sp_value_compare(&ids[i], &ids[count]), 0);
        count++;
    }
    assert_int_equal(count, SP_ROUTE_DOCS);
}

typedef struct shapes {
    char names[64][128];
    unsigned count;
} shapes_t;

static void note_shape(shapes_t *shapes, const bson_t *scene)
{
    bson_iter_t iter;
    bson_t key;
    assert_true(bson_iter_init_find(&iter, scene, "key"));
    sp_value_t value = sp_value_of(&iter);
    assert_true(bson_init_static(&key, value.data, value.size));
    char *text = sp_text_of(&key);
    for (unsigned i = 0; i < shapes->count; i++) {
        if (strcmp(shapes->names[i], text) == 0) {
            bson_free(text);
            return;
        }
    }
    assert_true(shapes->count < 64 && strlen(text) < 128);
    snprintf(shapes->names[shapes->count++], 128, "%s", text);
    bson_free(text);
}

typedef struct routes {
    unsigned docs, owned, no_key, other_refusals, on_bounds, single_chunks, many_chunks;
    bool shards[SHARDS + 1];
} routes_t;

/* Whether the document's key is a bound of a chunk, where routing goes wrong first. */
static bool is_on_bound(const sp_layout_t *layout, sp_hasher_t *hasher, const bson_t *doc)
{
    bool found = false;
    bson_t key = BSON_INITIALIZER;
    if (sp_extract_key(layout->pattern, hasher, doc, &key, NULL)) {
        for (uint32_t i = 1; !found && i < sp_chunkmap_count(layout->chunks); i++) {
            bson_t min, max;
            sp_chunkmap_bounds(layout->chunks, i, &min, &max);
            found = sp_key_compare(&min, &key) == 0;
        }
    }
    bson_destroy(&key);
    return found;
}

static void note_answer(routes_t *routes, const bson_t *answer)
{
    bson_iter_t iter, inner;
    routes->docs++;
    if (bson_iter_init(&iter, answer) && bson_iter_find_descendant(&iter, "shards.0", &inner)) {
        const char *shard = bson_iter_utf8(&inner, NULL);
        assert_true(shard[0] == 's' && shard[1] >= '1' && shard[1] <= '0' + SHARDS);
        assert_int_equal(shard[2], '\0');
        routes->shards[shard[1] - '0'] = true;
        routes->owned++;
        return;
    }
    assert_true(bson_iter_init(&iter, answer) &&
                bson_iter_find_descendant(&iter, "error.code", &inner));
    routes->no_key += bson_iter_int32(&inner) == 61;
    routes->other_refusals += bson_iter_int32(&inner) != 61;
}

static void note_route(routes_t *routes, sp_model_t *model, const bson_t *scene)
{
    sp_answers_t answers = SP_ANSWERS_INITIALIZER;
    bson_iter_t iter, docs;
    sp_error_t error = {0};
    sp_layout_t *layout = sp_layout_new(scene, &error);
    if (layout == NULL) {
        fail_msg("%s", error.message);
        return;
    }
    assert_true(sp_case_predict_route(model, scene, &answers, NULL));
    assert_int_equal(answers.count, SP_ROUTE_DOCS);
    routes->single_chunks += sp_chunkmap_count(layout->chunks) == 1;
    routes->many_chunks += sp_chunkmap_count(layout->chunks) >= 5;
    assert_true(bson_iter_init_find(&iter, scene, "docs") && bson_iter_recurse(&iter, &docs));
    for (unsigned i = 0; i < SP_ROUTE_DOCS; i++) {
        bson_t doc;
        assert_true(bson_iter_next(&docs));
        sp_value_t value = sp_value_of(&docs);
        assert_true(bson_init_static(&doc, value.data, value.size));
        routes->on_bounds += is_on_bound(layout, model->hasher, &doc);
        note_answer(routes, answers.items[i]);
    }
    sp_answers_clear(&answers);
    sp_layout_free(layout);
}

static void test_route_scenes(void **state)
{
    (void)state;
    static shapes_t shapes;
    routes_t routes = {0};
    sp_model_t *model = make_model();
    for (uint64_t number = 0; number < ROUTE_SCENES; number++) {
        bson_t scene;
        generate(&generators[2], number, generators[2].bytes, &scene);
        assert_true(sp_document_check(&scene, NULL));
        assert_distinct_ids(&scene);
        note_shape(&shapes, &scene);
        note_route(&routes, model, &scene);
        bson_destroy(&scene);
    }
    static const char *const some[] = {"{'x': {'$numberInt': '1'}}", "{'x': 'hashed'}",
                                       "{'_id': 'hashed'}", "{'a.b': 'hashed'}",
                                       "{'x': {'$numberInt': '1'}, 'y': 'hashed'}"};
    for (size_t i = 0; i < sizeof some / sizeof *some; i++) {
        unsigned place = 0;
        while (place < shapes.count && strcmp(shapes.names[place], some[i]) != 0)
            place++;
        if (place == shapes.count)
            fail_msg("no scene has the key %s", some[i]);
    }
    assert_int_equal(shapes.count, 24); /* as many as gen_layout.c has */
    assert_int_equal(routes.docs, ROUTE_SCENES * SP_ROUTE_DOCS);
    assert_true(routes.owned > routes.docs * 8 / 10);
    assert_true(routes.no_key > routes.docs / 200);
    assert_true(routes.other_refusals > routes.docs / 500);
    assert_true(routes.on_bounds > routes.docs / 20);
    assert_true(routes.single_chunks > 0 && routes.single_chunks < ROUTE_SCENES / 3);
    assert_true(routes.many_chunks > ROUTE_SCENES / 4);
    for (unsigned i = 1; i <= SHARDS; i++)
        assert_true(routes.shards[i]);
    sp_model_free(model);
}

/* With one shard there is nothing to choose, and with many all come. */
static void test_number_of_shards(void **state)
{
    (void)state;
    for (unsigned shards = 1; shards <= 5; shards++) {
        const sp_scene_context_t context = {.shards = shards};
        unsigned highest = 0;
        for (uint64_t number = 0; number < 40; number++) {
            static uint8_t bytes[BYTES_MAX];
            sp_producer_t producer;
            bson_t scene = BSON_INITIALIZER;
            sp_expand_seed(1, "route", number, bytes, sizeof bytes);
            sp_producer_init(&producer, bytes, sizeof bytes);
            sp_gen_route(&context, &producer, &scene);
            sp_layout_t *layout = sp_layout_new(&scene, NULL);
            assert_non_null(layout);
            for (uint32_t i = 0; i < sp_chunkmap_count(layout->chunks); i++) {
                unsigned shard =
                    (unsigned)strtoul(sp_chunkmap_shard(layout->chunks, i) + 1, NULL, 10);
                assert_in_range(shard, 1, shards);
                highest = shard > highest ? shard : highest;
            }
            sp_layout_free(layout);
            bson_destroy(&scene);
        }
        assert_int_equal(highest, shards);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_scenes_everywhere),
        cmocka_unit_test(test_short_inputs),
        cmocka_unit_test(test_hash_scenes),
        cmocka_unit_test(test_order_scenes),
        cmocka_unit_test(test_route_scenes),
        cmocka_unit_test(test_number_of_shards),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
