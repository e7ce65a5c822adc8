#include "targeting.h"

#include <string.h>

/* Places that the ends of one range are put in, field by field. */
typedef struct ends {
    sp_value_t mins[SP_PATTERN_FIELDS_MAX], maxs[SP_PATTERN_FIELDS_MAX];
} ends_t;

/* The first field whose bounds are more than one value; the number of fields where none is. */
static unsigned find_spread(const sp_bounds_t *bounds)
{
    unsigned field = 0;
    while (field < bounds->field_count && bounds->fields[field].count == 1 &&
           sp_interval_is_point(&bounds->fields[field].items[0]))
        field++;
    return field;
}

void sp_bounds_each_range(sp_arena_t *arena, const sp_pattern_t *pattern, const sp_bounds_t *bounds,
                          bool (*visit)(void *context, const sp_key_range_t *range), void *context)
{
    ends_t ends;
    for (unsigned i = 0; i < bounds->field_count; i++) {
        const sp_intervals_t *field = &bounds->fields[i];
        if (field->count == 0)
            return;
        ends.mins[i] = field->items[0].start;
        ends.maxs[i] = field->items[field->count - 1].end;
    }
    unsigned spread = find_spread(bounds);
    unsigned count = spread < bounds->field_count ? bounds->fields[spread].count : 1;
    for (unsigned i = 0; i < count; i++) {
        if (spread < bounds->field_count) {
            ends.mins[spread] = bounds->fields[spread].items[i].start;
            ends.maxs[spread] = bounds->fields[spread].items[i].end;
        }
        sp_key_range_t range;
        sp_pattern_key(pattern, arena, ends.mins, &range.min);
        sp_pattern_key(pattern, arena, ends.maxs, &range.max);
        if (!visit(context, &range))
            return;
    }
}

bool sp_chunks_of_range(const sp_chunkmap_t *chunks, const sp_key_range_t *range, uint32_t *first,
                        uint32_t *last)
{
    if (!sp_chunkmap_find(chunks, &range->min, first))
        return false;
    *last = *first;
    if (!bson_equal(&range->min, &range->max)) /* the last chunk for what lies behind it */
        sp_chunkmap_find(chunks, &range->max, last);
    return true;
}
