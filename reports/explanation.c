#include "explanation.h"

#include "../oracles/query_key.h"
#include "unbounded.h"

#include <assert.h>
#include <string.h>

/* A copy in the arena: bounds are borrowed, and good for a moment only. */
static void keep(sp_arena_t *arena, const bson_t *doc, bson_t *kept)
{
    uint8_t *data = sp_arena_take(arena, doc->len);
    memcpy(data, bson_get_data(doc), doc->len);
    bool sound = bson_init_static(kept, data, doc->len);
    assert(sound);
}

static void find_key(sp_explanation_t *explanation, sp_hasher_t *hasher, const sp_node_t *root)
{
    const sp_pattern_t *pattern = explanation->question->layout->pattern;
    sp_arena_t *arena = &explanation->arena;
    sp_value_t values[SP_PATTERN_FIELDS_MAX];
    explanation->has_key = sp_query_key(pattern, root, values);
    if (!explanation->has_key)
        return;
    sp_pattern_key(pattern, arena, values, &explanation->key);
    if (pattern->hashed >= 0) {
        sp_value_t *hashed = &values[pattern->hashed];
        uint64_t hash = BSON_UINT64_TO_LE((uint64_t)sp_hash_value(hasher, hashed));
        uint8_t *data = sp_arena_take(arena, sizeof hash);
        memcpy(data, &hash, sizeof hash);
        *hashed = (sp_value_t){BSON_TYPE_INT64, sizeof hash, data};
    }
    sp_pattern_key(pattern, arena, values, &explanation->lookup);
}

/* Asks again as if strings were compared by their bytes: what then still fails is MaxKey's fault.
 */
static sp_unused_key_t why_unused(const sp_explanation_t *explanation,
                                  const sp_parsed_query_t *parsed)
{
    sp_parsed_query_t simple = *parsed;
    sp_targeting_t targeting;
    simple.simple = true;
    return sp_target_found_key(explanation->version, explanation->question->layout, &simple,
                               &explanation->lookup, &targeting, NULL)
               ? SP_KEY_UNUSED_COLLATION
               : SP_KEY_UNUSED_MAX_KEY;
}

static bool has_empty_field(const sp_bounds_t *bounds)
{
    for (unsigned i = 0; i < bounds->field_count; i++) {
        if (bounds->fields[i].count == 0)
            return true;
    }
    return false;
}

static sp_decision_t decision_of(const sp_targeting_t *targeting)
{
    switch (targeting->reach) {
    case SP_REACH_KEY:
        return SP_DECIDED_WHOLE_KEY;
    case SP_REACH_BOUNDS:
        return SP_DECIDED_BOUNDS;
    case SP_REACH_ALL:
        return SP_DECIDED_NO_BOUNDS;
    case SP_REACH_NOTHING:
        break;
    }
    return has_empty_field(&targeting->bounds) ? SP_DECIDED_CONTRADICTION : SP_DECIDED_MAX_KEY;
}

/* Ranges begin one behind the other, so no chunk before the last one taken comes new. */
static void take_chunks(sp_explanation_t *explanation, uint32_t first, uint32_t last,
                        uint32_t *behind)
{
    for (uint32_t chunk = first > *behind ? first : *behind; chunk <= last; chunk++) {
        if (explanation->chunk_count < SP_EXPLAIN_SHOWN)
            explanation->chunks[explanation->chunk_count] = chunk;
        explanation->chunk_count++;
        *behind = chunk + 1;
    }
}

typedef struct visit {
    sp_explanation_t *explanation;
    uint32_t behind; /* the first chunk that was not taken yet */
} visit_t;

static bool take_range(void *context, const sp_key_range_t *range)
{
    visit_t *visit = context;
    sp_explanation_t *explanation = visit->explanation;
    if (explanation->range_count < SP_EXPLAIN_SHOWN) {
        sp_key_range_t *kept = &explanation->ranges[explanation->range_count];
        keep(&explanation->arena, &range->min, &kept->min);
        keep(&explanation->arena, &range->max, &kept->max);
    }
    explanation->range_count++;
    uint32_t first, last;
    if (sp_chunks_of_range(explanation->question->layout->chunks, range, &first, &last))
        take_chunks(explanation, first, last, &visit->behind);
    return true;
}

static void find_ranges(sp_explanation_t *explanation)
{
    const sp_layout_t *layout = explanation->question->layout;
    visit_t visit = {explanation, 0};
    if (explanation->decision == SP_DECIDED_WHOLE_KEY) {
        uint32_t chunk;
        sp_chunkmap_find(layout->chunks, &explanation->lookup, &chunk);
        take_chunks(explanation, chunk, chunk, &visit.behind);
        return;
    }
    sp_bounds_each_range(&explanation->arena, layout->pattern, &explanation->targeting.bounds,
                         take_range, &visit);
}

static void find_unbounded(sp_explanation_t *explanation, sp_hasher_t *hasher,
                           const sp_parsed_query_t *parsed)
{
    const sp_targeting_t *targeting = &explanation->targeting;
    const sp_planner_t planner = {.arena = &explanation->arena,
                                  .hasher = hasher,
                                  .pattern = explanation->question->layout->pattern,
                                  .version = explanation->version,
                                  .simple = parsed->simple};
    for (unsigned i = 0; i < planner.pattern->field_count; i++) {
        if (sp_intervals_are_everything(&targeting->bounds.fields[i]))
            explanation->unbounded[i] =
                sp_unbounded_reason(&planner, parsed->root, targeting->reach != SP_REACH_ALL, i);
    }
}

/* Leaves the decision at SP_DECIDED_REFUSED where a router refuses the query. */
static void explain_query(sp_model_t *model, sp_explanation_t *explanation)
{
    const sp_explain_question_t *question = explanation->question;
    sp_parsed_query_t parsed;
    if (!sp_query_parse(&explanation->arena, model->version, question->layout,
                        &question->write.query, &parsed, NULL) ||
        !sp_target_query(&explanation->arena, model->hasher, model->version, question->layout,
                         &parsed, &explanation->targeting, NULL))
        return;
    explanation->simple = parsed.simple;
    find_key(explanation, model->hasher, parsed.root);
    explanation->decision = decision_of(&explanation->targeting);
    if (explanation->has_key && explanation->decision != SP_DECIDED_WHOLE_KEY)
        explanation->unused = why_unused(explanation, &parsed);
    if (explanation->decision != SP_DECIDED_WHOLE_KEY)
        find_unbounded(explanation, model->hasher, &parsed);
    find_ranges(explanation);
}

bool sp_explain(sp_model_t *model, const sp_explain_question_t *question,
                sp_explanation_t *explanation, sp_error_t *error)
{
    const sp_write_t *write = &question->write;
    memset(explanation, 0, sizeof *explanation);
    explanation->question = question;
    explanation->version = model->version;
    explanation->decision = SP_DECIDED_REFUSED;
    sp_arena_init(&explanation->arena);
    bson_init(&explanation->answer);
    bool ok =
        question->writes
            ? sp_predict_write(model, question->layout, write, &explanation->answer, error)
            : sp_predict_find(model, question->layout, &write->query, &explanation->answer, error);
    if (ok)
        explain_query(model, explanation);
    else
        sp_explanation_clear(explanation);
    return ok;
}

void sp_explanation_clear(sp_explanation_t *explanation)
{
    sp_arena_clear(&explanation->arena);
    bson_destroy(&explanation->answer);
}
