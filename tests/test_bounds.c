/*
 * Interval algebra, against asking each of many values whether it is inside.
 */
#include "../oracles/bounds.h"

#include "../fuzzers/gen_value.h"
#include "../oracles/order.h"
#include "from_json.h"
#include "query_text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

enum { SCENES = 3000, POINTS_MAX = 48, INTERVALS_MAX = 5 };

/* A scene's values, all in one document, and two sets of intervals between them. */
typedef struct scene {
    sp_arena_t arena;
    bson_t values;
    sp_value_t points[POINTS_MAX];
    unsigned point_count;
    sp_intervals_t a, b;
} scene_t;

static void add_point(scene_t *scene, const sp_value_t *value)
{
    assert_true(scene->point_count < POINTS_MAX);
    scene->points[scene->point_count++] = *value;
}

static void draw_values(scene_t *scene, sp_producer_t *producer)
{
    bson_init(&scene->values);
    for (unsigned i = 0; i < 6; i++) {
        /* few distinct ones, so that ends meet */
        if (sp_draw_one_in(producer, 3))
            sp_gen_value(producer, &scene->values, "v");
        else
            BSON_APPEND_INT32(&scene->values, "v", (int32_t)sp_draw_below(producer, 5));
    }
    for (int32_t i = -1; i < 6; i++)
        BSON_APPEND_INT32(&scene->values, "v", i);
    for (unsigned i = 0; i < 5; i++)
        BSON_APPEND_DOUBLE(&scene->values, "v", i + 0.5);
    BSON_APPEND_MINKEY(&scene->values, "v");
    BSON_APPEND_MAXKEY(&scene->values, "v");
    BSON_APPEND_NULL(&scene->values, "v");
    BSON_APPEND_UNDEFINED(&scene->values, "v");
    BSON_APPEND_UTF8(&scene->values, "v", "");
    bson_iter_t iter;
    assert_true(bson_iter_init(&iter, &scene->values));
    while (bson_iter_next(&iter)) {
        sp_value_t value = sp_value_of(&iter);
        add_point(scene, &value);
    }
}

static void draw_intervals(scene_t *scene, sp_producer_t *producer, sp_intervals_t *intervals)
{
    unsigned count = sp_draw_below(producer, INTERVALS_MAX + 1);
    *intervals = (sp_intervals_t){0};
    for (unsigned i = 0; i < count; i++) {
        /* mostly in order; the others must be left out */
        const sp_value_t *start = &scene->points[sp_draw_below(producer, scene->point_count)];
        const sp_value_t *end = &scene->points[sp_draw_below(producer, scene->point_count)];
        if (sp_value_compare(start, end) > 0 && !sp_draw_one_in(producer, 8)) {
            const sp_value_t *other = start;
            start = end;
            end = other;
        }
        sp_intervals_add(&scene->arena, intervals,
                         &(sp_interval_t){*start, *end, sp_draw_one_in(producer, 2),
                                          sp_draw_one_in(producer, 2)});
    }
}

static void begin(scene_t *scene, uint64_t number)
{
    uint8_t bytes[512];
    sp_producer_t producer;
    sp_expand_seed(7, "bounds", number, bytes, sizeof bytes);
    sp_producer_init(&producer, bytes, sizeof bytes);
    scene->point_count = 0;
    sp_arena_init(&scene->arena);
    draw_values(scene, &producer);
    draw_intervals(scene, &producer, &scene->a);
    draw_intervals(scene, &producer, &scene->b);
}

static void end(scene_t *scene)
{
    bson_destroy(&scene->values);
    sp_arena_clear(&scene->arena);
}

static bool holds(const sp_intervals_t *intervals, const sp_value_t *value)
{
    for (unsigned i = 0; i < intervals->count; i++) {
        const sp_interval_t *item = &intervals->items[i];
        int from = sp_value_compare(&item->start, value), to = sp_value_compare(value, &item->end);
        if ((from < 0 || (from == 0 && item->start_in)) && (to < 0 || (to == 0 && item->end_in)))
            return true;
    }
    return false;
}

/* Which of the scene's values the intervals hold. */
static uint64_t membership(const scene_t *scene, const sp_intervals_t *intervals)
{
    uint64_t members = 0;
    for (unsigned i = 0; i < scene->point_count; i++) {
        if (holds(intervals, &scene->points[i]))
            members |= UINT64_C(1) << i;
    }
    return members;
}

/* Ascending, and between two of them at least one value is missing. */
static void assert_settled(const sp_intervals_t *intervals)
{
    for (unsigned i = 0; i < intervals->count; i++) {
        const sp_interval_t *item = &intervals->items[i];
        int order = sp_value_compare(&item->start, &item->end);
        assert_true(order < 0 || (order == 0 && item->start_in && item->end_in));
        if (i == 0)
            continue;
        order = sp_value_compare(&item[-1].end, &item->start);
        assert_true(order < 0 || (order == 0 && !item[-1].end_in && !item->start_in));
    }
}

static void test_settle(void **state)
{
    (void)state;
    scene_t scene;
    for (uint64_t i = 0; i < SCENES; i++) {
        begin(&scene, i);
        uint64_t before = membership(&scene, &scene.a);
        sp_intervals_settle(&scene.a);
        assert_settled(&scene.a);
        assert_int_equal(membership(&scene, &scene.a), before);
        end(&scene);
    }
}

static void unite(sp_arena_t *arena, sp_intervals_t *into, const sp_intervals_t *other)
{
    sp_intervals_add_all(arena, into, other);
    sp_intervals_settle(into);
}

static void test_unite(void **state)
{
    (void)state;
    scene_t scene;
    unsigned differ = 0;
    for (uint64_t i = 0; i < SCENES; i++) {
        begin(&scene, i);
        sp_intervals_settle(&scene.a);
        sp_intervals_settle(&scene.b);
        uint64_t a = membership(&scene, &scene.a), b = membership(&scene, &scene.b);
        unite(&scene.arena, &scene.a, &scene.b);
        assert_settled(&scene.a);
        assert_int_equal(membership(&scene, &scene.a), a | b);
        assert_int_equal(membership(&scene, &scene.b), b);
        differ += (a | b) != a && (a | b) != b;
        end(&scene);
    }
    assert_true(differ > SCENES / 4);
}

static void test_intersect(void **state)
{
    (void)state;
    scene_t scene;
    unsigned differ = 0;
    for (uint64_t i = 0; i < SCENES; i++) {
        begin(&scene, i);
        sp_intervals_settle(&scene.a);
        sp_intervals_settle(&scene.b);
        uint64_t a = membership(&scene, &scene.a), b = membership(&scene, &scene.b);
        sp_intervals_intersect(&scene.arena, &scene.a, &scene.b);
        assert_settled(&scene.a);
        assert_int_equal(membership(&scene, &scene.a), a & b);
        assert_int_equal(membership(&scene, &scene.b), b);
        differ += (a & b) != 0 && (a & b) != a && (a & b) != b;
        end(&scene);
    }
    assert_true(differ > SCENES / 10);
}

static void test_complement(void **state)
{
    (void)state;
    scene_t scene;
    for (uint64_t i = 0; i < SCENES; i++) {
        begin(&scene, i);
        sp_intervals_settle(&scene.a);
        uint64_t before = membership(&scene, &scene.a);
        uint64_t all = (UINT64_C(1) << scene.point_count) - 1;
        sp_intervals_complement(&scene.arena, &scene.a);
        assert_settled(&scene.a);
        assert_int_equal(membership(&scene, &scene.a), all & ~before);
        sp_intervals_complement(&scene.arena, &scene.a);
        assert_settled(&scene.a);
        assert_int_equal(membership(&scene, &scene.a), before);
        end(&scene);
    }
}

/* What is in neither is in both complements. */
static void test_laws(void **state)
{
    (void)state;
    scene_t scene;
    for (uint64_t i = 0; i < SCENES; i++) {
        begin(&scene, i);
        sp_intervals_t left = {0}, right = {0}, both = {0};
        unite(&scene.arena, &left, &scene.a);
        unite(&scene.arena, &right, &scene.b);
        unite(&scene.arena, &both, &left);
        unite(&scene.arena, &both, &right);
        sp_intervals_complement(&scene.arena, &both);
        sp_intervals_complement(&scene.arena, &left);
        sp_intervals_complement(&scene.arena, &right);
        sp_intervals_intersect(&scene.arena, &left, &right);
        assert_int_equal(membership(&scene, &both), membership(&scene, &left));
        end(&scene);
    }
}

static void test_everything_and_points(void **state)
{
    (void)state;
    sp_arena_t arena;
    sp_arena_init(&arena);
    sp_intervals_t intervals = {0};
    assert_false(sp_intervals_are_everything(&intervals));
    sp_intervals_complement(&arena, &intervals);
    assert_true(sp_intervals_are_everything(&intervals));
    sp_intervals_set_everything(&arena, &intervals);
    assert_true(sp_intervals_are_everything(&intervals));
    assert_int_equal(intervals.count, 1);
    sp_interval_t *all = &intervals.items[0];
    assert_false(sp_interval_is_point(all));
    all->end_in = false;
    assert_false(sp_intervals_are_everything(&intervals));
    all->end_in = true;
    all->start_in = false;
    assert_false(sp_intervals_are_everything(&intervals));
    all->start_in = true;
    all->end = all->start;
    assert_false(sp_intervals_are_everything(&intervals));
    assert_true(sp_interval_is_point(all));
    all->end_in = false;
    assert_false(sp_interval_is_point(all));
    sp_arena_clear(&arena);
}

/* Equal numbers of two types are one point, as in an index. */
static void test_numbers_of_two_types(void **state)
{
    (void)state;
    bson_t *holders[2];
    sp_value_t one = sp_value_from("{'$numberInt': '5'}", &holders[0]);
    sp_value_t other = sp_value_from("{'$numberDecimal': '5.00'}", &holders[1]);
    sp_arena_t arena;
    sp_arena_init(&arena);
    sp_intervals_t intervals = {0};
    sp_intervals_add(&arena, &intervals, &(sp_interval_t){one, other, true, true});
    assert_true(sp_interval_is_point(&intervals.items[0]));
    sp_intervals_add(&arena, &intervals, &(sp_interval_t){one, other, true, false});
    sp_intervals_add(&arena, &intervals, &(sp_interval_t){other, one, true, true});
    assert_int_equal(intervals.count, 2);
    sp_intervals_settle(&intervals);
    assert_int_equal(intervals.count, 1);
    sp_arena_clear(&arena);
    bson_destroy(holders[0]);
    bson_destroy(holders[1]);
}

/* The complement of undefined and null lists no gap between them: see {$ne: null} in
 * test_bounds_predicate.c. */
static void test_gap_without_values(void **state)
{
    (void)state;
    bson_t *holders[2];
    sp_value_t values[] = {sp_value_from("{'$undefined': true}", &holders[0]),
                           sp_value_from("null", &holders[1])};
    sp_arena_t arena;
    sp_arena_init(&arena);
    sp_intervals_t intervals = {0};
    for (size_t i = 0; i < COUNT(values); i++)
        sp_intervals_add(&arena, &intervals, &(sp_interval_t){values[i], values[i], true, true});
    sp_intervals_complement(&arena, &intervals);
    char *text = sp_intervals_text(&intervals);
    assert_string_equal(text, "[MinKey, undefined) (null, MaxKey]");
    bson_free(text);
    sp_arena_clear(&arena);
    bson_destroy(holders[0]);
    bson_destroy(holders[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_settle),
        cmocka_unit_test(test_unite),
        cmocka_unit_test(test_intersect),
        cmocka_unit_test(test_complement),
        cmocka_unit_test(test_laws),
        cmocka_unit_test(test_everything_and_points),
        cmocka_unit_test(test_numbers_of_two_types),
        cmocka_unit_test(test_gap_without_values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
