#include "bounds.h"

#include "order.h"

#include <assert.h>
#include <stdlib.h>

static const sp_value_t min_key = {BSON_TYPE_MINKEY, 0, (const uint8_t *)""};
static const sp_value_t max_key = {BSON_TYPE_MAXKEY, 0, (const uint8_t *)""};

bool sp_interval_is_point(const sp_interval_t *interval)
{
    return interval->start_in && interval->end_in &&
           sp_value_compare(&interval->start, &interval->end) == 0;
}

bool sp_intervals_are_everything(const sp_intervals_t *intervals)
{
    return intervals->count == 1 && intervals->items[0].start.type == BSON_TYPE_MINKEY &&
           intervals->items[0].end.type == BSON_TYPE_MAXKEY && intervals->items[0].start_in &&
           intervals->items[0].end_in;
}

void sp_intervals_add(sp_arena_t *arena, sp_intervals_t *intervals, const sp_interval_t *interval)
{
    int order = sp_value_compare(&interval->start, &interval->end);
    if (order > 0 || (order == 0 && !(interval->start_in && interval->end_in)))
        return;
    intervals->items = sp_arena_grow(arena, intervals->items, sizeof *intervals->items,
                                     intervals->count, &intervals->capacity);
    intervals->items[intervals->count++] = *interval;
}

void sp_intervals_set_everything(sp_arena_t *arena, sp_intervals_t *intervals)
{
    intervals->count = 0;
    sp_intervals_add(arena, intervals, &(sp_interval_t){min_key, max_key, true, true});
}

/* Where an interval begins: among equal values the one that holds its start is first. */
static int compare_starts(const sp_interval_t *a, const sp_interval_t *b)
{
    int order = sp_value_compare(&a->start, &b->start);
    return order != 0 ? order : (int)b->start_in - (int)a->start_in;
}

/* Among equal values the one that holds its end is last. */
static int compare_ends(const sp_interval_t *a, const sp_interval_t *b)
{
    int order = sp_value_compare(&a->end, &b->end);
    return order != 0 ? order : (int)a->end_in - (int)b->end_in;
}

static int compare_for_sorting(const void *a, const void *b)
{
    return compare_starts(a, b);
}

/* Whether nothing lies between the end of `a` and the start of `b`, which does not begin before
 * it. */
static bool touch(const sp_interval_t *a, const sp_interval_t *b)
{
    int order = sp_value_compare(&a->end, &b->start);
    return order > 0 || (order == 0 && (a->end_in || b->start_in));
}

void sp_intervals_settle(sp_intervals_t *intervals)
{
    if (intervals->count < 2)
        return;
    qsort(intervals->items, intervals->count, sizeof *intervals->items, compare_for_sorting);
    unsigned kept = 1;
    for (unsigned i = 1; i < intervals->count; i++) {
        sp_interval_t *last = &intervals->items[kept - 1];
        const sp_interval_t *next = &intervals->items[i];
        if (!touch(last, next)) {
            intervals->items[kept++] = *next;
        } else if (compare_ends(last, next) < 0) {
            last->end = next->end;
            last->end_in = next->end_in;
        }
    }
    intervals->count = kept;
}

void sp_intervals_add_all(sp_arena_t *arena, sp_intervals_t *into, const sp_intervals_t *other)
{
    for (unsigned i = 0; i < other->count; i++)
        sp_intervals_add(arena, into, &other->items[i]);
}

void sp_intervals_intersect(sp_arena_t *arena, sp_intervals_t *into, const sp_intervals_t *other)
{
    sp_intervals_t common = {0};
    for (unsigned i = 0, j = 0; i < into->count && j < other->count;) {
        const sp_interval_t *a = &into->items[i], *b = &other->items[j];
        const sp_interval_t *starts = compare_starts(a, b) >= 0 ? a : b;
        const sp_interval_t *ends = compare_ends(a, b) <= 0 ? a : b;
        sp_intervals_add(
            arena, &common,
            &(sp_interval_t){starts->start, ends->end, starts->start_in, ends->end_in});
        if (ends == a)
            i++;
        else
            j++;
    }
    *into = common;
}

/* There is no value between undefined and null, and a server does not list the gap. */
static void add_gap(sp_arena_t *arena, sp_intervals_t *rest, const sp_interval_t *gap)
{
    bool between = gap->start.type == BSON_TYPE_UNDEFINED && gap->end.type == BSON_TYPE_NULL &&
                   !gap->start_in && !gap->end_in;
    if (!between)
        sp_intervals_add(arena, rest, gap);
}

void sp_intervals_complement(sp_arena_t *arena, sp_intervals_t *intervals)
{
    sp_intervals_t rest = {0};
    sp_value_t start = min_key;
    bool start_in = true;
    for (unsigned i = 0; i < intervals->count; i++) {
        const sp_interval_t *item = &intervals->items[i];
        add_gap(arena, &rest, &(sp_interval_t){start, item->start, start_in, !item->start_in});
        start = item->end;
        start_in = !item->end_in;
    }
    sp_intervals_add(arena, &rest, &(sp_interval_t){start, max_key, start_in, true});
    *intervals = rest;
}
