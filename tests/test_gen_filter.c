#include "../fuzzers/gen_filter.h"

#include "../oracles/filter.h"
#include "../oracles/model.h"
#include "../oracles/number.h"
#include "../oracles/storage.h"
#include "from_json.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { FILTERS = 20000, PER_LAYOUT = 50, BYTES = 65536, USUAL_SIZE = 4096, SIZE_MAX_SEEN = 32768 };

static const sp_scene_context_t context = {.shards = 3};

typedef void check_filter_t(void *context, const sp_layout_draw_t *layout, const bson_t *filter);

/* Calls `check` for many filters of many layouts. */
static void for_each_filter(check_filter_t *check, void *counts)
{
    uint8_t *bytes = bson_malloc(BYTES);
    for (uint64_t scene = 0; scene < FILTERS / PER_LAYOUT; scene++) {
        sp_producer_t producer;
        sp_layout_draw_t layout;
        bson_t doc = BSON_INITIALIZER;
        sp_expand_seed(1, "filter", scene, bytes, BYTES);
        sp_producer_init(&producer, bytes, BYTES);
        sp_gen_layout(&context, &producer, &layout, &doc);
        for (unsigned i = 0; i < PER_LAYOUT; i++) {
            bson_t filter = BSON_INITIALIZER;
            sp_gen_filter(&producer, &layout, &filter);
            check(counts, &layout, &filter);
            bson_destroy(&filter);
        }
        assert_true(producer.left > 0);
        sp_layout_draw_clear(&layout);
        bson_destroy(&doc);
    }
    bson_free(bytes);
}

static void check_value(const sp_value_t *value)
{
    bson_iter_t iter;
    assert_false(sp_number_index_misreads(value));
    if (value->type == BSON_TYPE_CODEWSCOPE)
        assert_false(sp_storage_holds_dollar_name(value));
    if (!sp_value_has_children(value))
        return;
    assert_true(sp_value_children(value, &iter));
    while (bson_iter_next(&iter)) {
        sp_value_t child = sp_value_of(&iter);
        check_value(&child);
    }
}

static void check_sound(void *counts, const sp_layout_draw_t *layout, const bson_t *filter)
{
    (void)layout;
    unsigned *large = counts;
    assert_true(sp_document_check(filter, NULL));
    const sp_value_t whole = {BSON_TYPE_DOCUMENT, filter->len, bson_get_data(filter)};
    check_value(&whole);
    assert_true(filter->len < SIZE_MAX_SEEN);
    *large += filter->len > USUAL_SIZE;
}

/* Sound, small, and without what makes real servers loop. */
static void test_filters_are_sound(void **state)
{
    (void)state;
    unsigned large = 0;
    for_each_filter(check_sound, &large);
    assert_true(large < FILTERS / 500);
}

/* $and, $or and $nor inside one another. */
static unsigned logical_depth(bson_iter_t *filter)
{
    unsigned deepest = 0;
    while (bson_iter_next(filter)) {
        static const char *const names[] = {"$and", "$or", "$nor"};
        bool is_logical = false;
        bson_iter_t list, clause;
        for (unsigned i = 0; i < 3; i++)
            is_logical = is_logical || strcmp(bson_iter_key(filter), names[i]) == 0;
        if (!is_logical || !BSON_ITER_HOLDS_ARRAY(filter) || !bson_iter_recurse(filter, &list))
            continue;
        deepest = deepest == 0 ? 1 : deepest;
        while (bson_iter_next(&list)) {
            if (BSON_ITER_HOLDS_DOCUMENT(&list) && bson_iter_recurse(&list, &clause)) {
                unsigned depth = 1 + logical_depth(&clause);
                deepest = depth > deepest ? depth : deepest;
            }
        }
    }
    return deepest;
}

static void check_depth(void *counts, const sp_layout_draw_t *layout, const bson_t *filter)
{
    (void)layout;
    unsigned *depths = counts;
    bson_iter_t iter;
    assert_true(bson_iter_init(&iter, filter));
    unsigned depth = logical_depth(&iter);
    assert_in_range(depth, 0, 4);
    depths[depth]++;
}

static void test_depth(void **state)
{
    (void)state;
    unsigned depths[5] = {0};
    for_each_filter(check_depth, depths);
    for (unsigned i = 0; i < 5; i++)
        assert_true(depths[i] > FILTERS / 200);
}

typedef struct parsed {
    unsigned refused, other_codes;
} parsed_t;

static void check_parse(void *counts, const sp_layout_draw_t *layout, const bson_t *filter)
{
    (void)layout;
    parsed_t *parsed = counts;
    sp_version_t version;
    sp_arena_t arena;
    sp_error_t error = {0};
    assert_true(sp_version_parse(SP_MODEL_DEFAULT_VERSION, &version, NULL));
    sp_arena_init(&arena);
    if (sp_filter_parse(&arena, version, filter, &error) == NULL) {
        if (error.domain != SP_ERROR_RULE)
            fail_msg("%s: %s", sp_text_of(filter), error.message);
        parsed->refused++;
        parsed->other_codes += error.code != 2;
    }
    sp_arena_clear(&arena);
}

/* A few are refused, and of those some with other codes than 2; no filter is beyond the model. */
static void test_few_are_malformed(void **state)
{
    (void)state;
    parsed_t parsed = {0};
    for_each_filter(check_parse, &parsed);
    assert_true(parsed.refused > FILTERS * 3 / 100);
    assert_true(parsed.refused < FILTERS * 6 / 100);
    assert_true(parsed.other_codes > 0);
}

/* Any bytes, also few and none, give a filter, the same ones the same. */
static void test_any_bytes(void **state)
{
    (void)state;
    uint8_t bytes[700];
    for (unsigned fill = 0; fill < 256; fill++) {
        memset(bytes, (int)fill, sizeof bytes);
        for (size_t size = 0; size <= sizeof bytes; size += 100) {
            bson_t filters[2];
            for (unsigned i = 0; i < 2; i++) {
                sp_producer_t producer;
                sp_layout_draw_t layout;
                bson_t doc = BSON_INITIALIZER;
                bson_init(&filters[i]);
                sp_producer_init(&producer, bytes, size);
                sp_gen_layout(&context, &producer, &layout, &doc);
                sp_gen_filter(&producer, &layout, &filters[i]);
                sp_layout_draw_clear(&layout);
                bson_destroy(&doc);
            }
            assert_true(bson_equal(&filters[0], &filters[1]));
            assert_true(sp_document_check(&filters[0], NULL));
            assert_true(filters[0].len < SIZE_MAX_SEEN);
            bson_destroy(&filters[0]);
            bson_destroy(&filters[1]);
        }
    }
}

static void assert_key_document(const char *key, const char *values, unsigned fields, unsigned skip,
                                const char *wanted)
{
    sp_layout_draw_t layout = {0};
    bson_t *key_doc = sp_doc_from(key), *values_doc = sp_doc_from(values);
    bson_t doc = BSON_INITIALIZER;
    layout.pattern = sp_pattern_new(key_doc, NULL);
    assert_non_null(layout.pattern);
    sp_gen_key_document(&layout, values_doc, fields, skip, &doc);
    char *text = sp_text_of(&doc);
    assert_string_equal(text, wanted);
    bson_free(text);
    sp_pattern_free(layout.pattern);
    bson_destroy(key_doc);
    bson_destroy(values_doc);
    bson_destroy(&doc);
}

static void test_key_documents(void **state)
{
    (void)state;
    static const char three[] = "{'0': 'p', '1': 'q', '2': 'r'}";
    assert_key_document("{'x': 1, 'y': 'hashed'}", three, ~0u, 0, "{'x': 'p', 'y': 'q'}");
    assert_key_document("{'x': 1, 'y': 1}", three, 2, 0, "{'y': 'q'}");
    assert_key_document("{'x': 1, 'y': 1}", three, 0, 0, "{}");
    assert_key_document("{'a.b': 1, 'c': 1, 'a.d': 1}", three, ~0u, 0,
                        "{'a': {'b': 'p', 'd': 'r'}, 'c': 'q'}");
    assert_key_document("{'a.b.c': 1, 'a.d': 1, 'x': 1}", three, 3, 1,
                        "{'b': {'c': 'p'}, 'd': 'q'}");
    assert_key_document("{'a.b.c': 1, 'ab.c': 1}", three, 3, 0,
                        "{'a': {'b': {'c': 'p'}}, 'ab': {'c': 'q'}}");
    assert_key_document("{'a': 1, 'a.b': 1, 'ab': 1}", three, ~0u, 0, "{'a': 'p', 'ab': 'r'}");
    assert_key_document("{'a': 1, 'a.b': 1}", three, 2, 0, "{'a': {'b': 'q'}}");
}

typedef struct writes {
    unsigned count, with_collation, replacements, with_key, with_id;
} writes_t;

static void check_write(const bson_iter_t *write, writes_t *writes)
{
    bson_iter_t iter;
    bson_t filter, update;
    writes->count++;
    assert_true(bson_iter_recurse(write, &iter) && bson_iter_find(&iter, "op"));
    bool replaces = strcmp(bson_iter_utf8(&iter, NULL), "replaceOne") == 0;
    assert_true(bson_iter_find(&iter, "filter") && sp_value_document(&iter, &filter));
    assert_true(bson_iter_recurse(write, &iter));
    writes->with_collation += bson_iter_find(&iter, "collation");
    assert_true(bson_iter_recurse(write, &iter));
    assert_int_equal(bson_iter_find(&iter, "update"), replaces);
    if (!replaces)
        return;
    writes->replacements++;
    assert_true(sp_value_document(&iter, &update));
    assert_true(bson_iter_init_find(&iter, &update, "w"));
    assert_int_equal(bson_iter_int32(&iter), 5);
    writes->with_id += bson_has_field(&update, "_id");
    writes->with_key += bson_count_keys(&update) > 1;
    assert_true(bson_iter_init(&iter, &update));
    while (bson_iter_next(&iter))
        assert_int_not_equal(bson_iter_key(&iter)[0], '$');
}

/* Replacements come with their writes alone, hold w: 5 and mostly some of the shard key. */
static void test_writes(void **state)
{
    (void)state;
    writes_t writes = {0};
    uint8_t *bytes = bson_malloc(BYTES);
    for (uint64_t number = 0; number < 100; number++) {
        sp_producer_t producer;
        bson_t scene = BSON_INITIALIZER;
        bson_iter_t iter, inner;
        sp_expand_seed(1, "write", number, bytes, BYTES);
        sp_producer_init(&producer, bytes, BYTES);
        sp_gen_write(&context, &producer, &scene);
        assert_true(producer.left > 0);
        assert_true(bson_iter_init_find(&iter, &scene, "writes") &&
                    bson_iter_recurse(&iter, &inner));
        while (bson_iter_next(&inner))
            check_write(&inner, &writes);
        bson_destroy(&scene);
    }
    assert_int_equal(writes.count, 100 * SP_WRITE_WRITES);
    assert_in_range(writes.with_collation, writes.count / 5, writes.count * 3 / 10);
    assert_in_range(writes.replacements, writes.count / 8, writes.count / 5);
    assert_in_range(writes.with_key, writes.replacements * 6 / 10, writes.replacements - 1);
    assert_in_range(writes.with_id, writes.replacements / 6, writes.replacements * 6 / 10);
    bson_free(bytes);
}

/* Whether an upsert with this filter finds the whole shard key in it. */
static bool asks_for_key(sp_model_t *model, const sp_layout_t *layout, const bson_iter_t *query)
{
    bson_iter_t iter;
    bson_t filter, answer = BSON_INITIALIZER;
    sp_error_t error = {0};
    assert_true(bson_iter_recurse(query, &iter) && bson_iter_find(&iter, "filter"));
    assert_true(sp_value_document(&iter, &filter));
    const sp_write_t write = {.kind = SP_UPSERT, .query = {.filter = &filter}};
    if (!sp_predict_write(model, layout, &write, &answer, &error))
        fail_msg("%s: %s", sp_text_of(&filter), error.message);
    bool asks = bson_has_field(&answer, "shards");
    bson_destroy(&answer);
    return asks;
}

/* Of all filters a quarter at least asks for one shard key. */
static void test_whole_keys(void **state)
{
    (void)state;
    enum { SCENES = 50 };
    unsigned asking = 0;
    sp_version_t version;
    assert_true(sp_version_parse(SP_MODEL_DEFAULT_VERSION, &version, NULL));
    sp_model_t *model = sp_model_new(version, NULL);
    assert_non_null(model);
    uint8_t *bytes = bson_malloc(BYTES);
    for (uint64_t number = 0; number < SCENES; number++) {
        sp_producer_t producer;
        bson_t scene = BSON_INITIALIZER;
        bson_iter_t iter, inner;
        sp_expand_seed(1, "keys", number, bytes, BYTES);
        sp_producer_init(&producer, bytes, BYTES);
        sp_gen_find(&context, &producer, &scene);
        sp_layout_t *layout = sp_layout_new(&scene, NULL);
        assert_non_null(layout);
        assert_true(bson_iter_init_find(&iter, &scene, "queries") &&
                    bson_iter_recurse(&iter, &inner));
        while (bson_iter_next(&inner))
            asking += asks_for_key(model, layout, &inner);
        sp_layout_free(layout);
        bson_destroy(&scene);
    }
    assert_true(asking >= SCENES * SP_FIND_QUERIES / 4);
    assert_true(asking <= SCENES * SP_FIND_QUERIES / 2);
    bson_free(bytes);
    sp_model_free(model);
}

/* Layouts of many chunks come, and so do collations of the collection. */
static void test_find_scenes(void **state)
{
    (void)state;
    enum { SCENES = 100 };
    unsigned large = 0, with_collation = 0;
    uint8_t *bytes = bson_malloc(BYTES);
    for (uint64_t number = 0; number < SCENES; number++) {
        sp_producer_t producer;
        bson_t scene = BSON_INITIALIZER;
        bson_iter_t iter, inner;
        unsigned chunks = 0;
        sp_expand_seed(1, "find", number, bytes, BYTES);
        sp_producer_init(&producer, bytes, BYTES);
        sp_gen_find(&context, &producer, &scene);
        assert_true(producer.left > 0);
        assert_true(bson_iter_init_find(&iter, &scene, "chunks") &&
                    bson_iter_recurse(&iter, &inner));
        while (bson_iter_next(&inner))
            chunks++;
        assert_in_range(chunks, 1, SP_SPLITS_MAX + 1);
        large += chunks > 13;
        assert_true(bson_iter_init_find(&iter, &scene, "collation"));
        with_collation += BSON_ITER_HOLDS_DOCUMENT(&iter);
        assert_true(bson_iter_init_find(&iter, &scene, "shards"));
        assert_int_equal(bson_iter_int32(&iter), context.shards);
        bson_destroy(&scene);
    }
    assert_in_range(large, SCENES / 30, SCENES / 4);
    assert_in_range(with_collation, SCENES / 10, SCENES / 3);
    bson_free(bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_filters_are_sound), cmocka_unit_test(test_depth),
        cmocka_unit_test(test_few_are_malformed), cmocka_unit_test(test_any_bytes),
        cmocka_unit_test(test_key_documents),     cmocka_unit_test(test_writes),
        cmocka_unit_test(test_find_scenes),       cmocka_unit_test(test_whole_keys),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
