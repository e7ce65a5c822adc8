#include "gen_zone_update.h"

#include <string.h>

/* The ranges that are there. Those of a collection that is not sharded may be of several forms. */
static void append_ranges(sp_producer_t *producer, const sp_zones_draw_t *draw, bool sharded,
                          bson_t *question)
{
    bson_t zones = BSON_INITIALIZER;
    for (unsigned i = 0; i + 1 < draw->count; i++) {
        if (sp_draw_below(producer, 3) != 1)
            continue;
        const bson_t *bounds[2] = {draw->bounds[i], draw->bounds[i + 1]};
        bson_t *made[2] = {NULL, NULL};
        if (!sharded && sp_draw_one_in(producer, 6)) {
            sp_zone_flaw_t flaw = (sp_zone_flaw_t)sp_draw_below(producer, SP_ZONE_RETYPED);
            for (unsigned j = 0; j < 2; j++)
                bounds[j] = made[j] = sp_zone_flawed(producer, draw, bounds[j], flaw);
        }
        sp_zones_append(&zones, bounds[0], bounds[1], sp_zone_name(producer));
        for (unsigned j = 0; j < 2; j++)
            bson_destroy(made[j]);
    }
    BSON_APPEND_ARRAY(question, "zones", &zones);
    bson_destroy(&zones);
}

/* The same with some values in another guise or a hair beside. */
static bson_t *draw_bound(sp_producer_t *producer, const sp_zones_draw_t *draw, unsigned place,
                          bool flawed, sp_zone_flaw_t flaw)
{
    if (flawed)
        return sp_zone_flawed(producer, draw, draw->bounds[place], flaw);
    return bson_copy(draw->bounds[place]);
}

/* Mostly two bounds of the same layout, so that the range is one that is there, touches it, lies in
 * it or around it; sometimes with a flaw in one or both. */
static void append_range(sp_producer_t *producer, const sp_zones_draw_t *draw, bson_t *question)
{
    unsigned first = sp_draw_below(producer, draw->count - 1);
    unsigned span = sp_draw_one_in(producer, 3) ? draw->count - 1 - first : 1;
    unsigned last = first + (span > 1 ? 1 + sp_draw_below(producer, span) : span);
    if (sp_draw_one_in(producer, 24)) {
        unsigned lower = first;
        first = last;
        last = sp_draw_one_in(producer, 2) ? lower : first;
    }
    bool flawed = sp_draw_one_in(producer, 2);
    sp_zone_flaw_t flaw = (sp_zone_flaw_t)sp_draw_below(producer, SP_ZONE_FLAWS);
    uint32_t which = sp_draw_below(producer, 4);
    if (flaw == SP_ZONE_EMPTY && sp_draw_below(producer, 4) != 0)
        flaw = SP_ZONE_RETYPED;
    bson_t *min = draw_bound(producer, draw, first, flawed && which != 1, flaw);
    bson_t *max = draw_bound(producer, draw, last, flawed && which != 0, flaw);
    BSON_APPEND_DOCUMENT(question, "min", min);
    BSON_APPEND_DOCUMENT(question, "max", max);
    bson_destroy(min);
    bson_destroy(max);
}

static void append_zone(sp_producer_t *producer, bson_t *question)
{
    uint32_t choice = sp_draw_below(producer, 16);
    const char *zone = sp_zone_name(producer);
    if (choice == 15)
        zone = sp_draw_one_in(producer, 2) ? "" : "zx";
    if (choice < 11 || choice == 15)
        BSON_APPEND_UTF8(question, "zone", zone);
    else
        BSON_APPEND_NULL(question, "zone");
}

void sp_gen_zone_update(const sp_scene_context_t *context, sp_producer_t *producer,
                        bson_t *question)
{
    sp_zones_draw_t draw;
    sp_zones_draw_init(context, producer, &draw);
    bool sharded = sp_draw_below(producer, 3) != 0;
    BSON_APPEND_UTF8(question, "op", "updateZone");
    if (sharded)
        BSON_APPEND_DOCUMENT(question, "key", &draw.layout.key);
    else
        BSON_APPEND_NULL(question, "key");
    append_ranges(producer, &draw, sharded, question);
    sp_gen_zone_shards(context, producer, NULL, question);
    append_range(producer, &draw, question);
    append_zone(producer, question);
    sp_zones_draw_clear(&draw);
}
