/*
 * Which shards a query or write reaches, and why: what there is to tell about it, and its writers.
 */
#ifndef SHARDPROOF_EXPLANATION_H
#define SHARDPROOF_EXPLANATION_H

#include "../oracles/model.h"

#include <stdio.h>

#define SP_EXPLAIN_SHOWN 20 /* of every list that may be long this many are kept and shown */

/* What decides over the shards. */
typedef enum sp_decision {
    SP_DECIDED_REFUSED,       /* a router refuses the query */
    SP_DECIDED_WHOLE_KEY,     /* the filter fixes the whole shard key */
    SP_DECIDED_BOUNDS,        /* index bounds of the shard key fields */
    SP_DECIDED_NO_BOUNDS,     /* no bounds: every shard that owns chunks */
    SP_DECIDED_CONTRADICTION, /* the bounds of a field are empty */
    SP_DECIDED_MAX_KEY,       /* only MaxKey in every field is asked for, which no chunk holds */
    SP_DECISIONS              /* how many there are */
} sp_decision_t;

/* Why a filter that fixes the whole shard key is not routed by it. */
typedef enum sp_unused_key {
    SP_KEY_NOT_UNUSED = 0,
    SP_KEY_UNUSED_COLLATION,
    SP_KEY_UNUSED_MAX_KEY, /* it is MaxKey in every field, which no chunk holds */
} sp_unused_key_t;

/* Why a shard key field has no bounds. */
typedef enum sp_unbounded {
    SP_FIELD_BOUNDED = 0,
    SP_UNBOUNDED_NEVER,      /* the whole filter can never match */
    SP_UNBOUNDED_UNNAMED,    /* no predicate names the field */
    SP_UNBOUNDED_RELATIVE,   /* predicates name only fields above or below it */
    SP_UNBOUNDED_COLLATION,  /* strings cannot be looked up under the query's collation */
    SP_UNBOUNDED_HASHED,     /* a hashed field knows equality only */
    SP_UNBOUNDED_BRANCHES,   /* not every branch of an $or bounds it */
    SP_UNBOUNDED_NO_LOOKUP,  /* the predicate cannot be looked up in an index */
    SP_UNBOUNDED_EVERYTHING, /* the predicates leave all values */
    SP_UNBOUNDED_FIRST,      /* it would be bounded, were the first field */
    SP_UNBOUNDED_BESIDE, /* another part of the filter counts, not the $or that would bound it */
    SP_UNBOUNDED_REASONS /* how many there are */
} sp_unbounded_t;

typedef struct sp_explain_question {
    const sp_layout_t *layout;
    const char *op; /* "find", "aggregate" or the write's name */
    bool writes;    /* whether `write.kind` counts; the query is write.query in any event */
    sp_write_t write;
} sp_explain_question_t;

typedef struct sp_explanation {
    const sp_explain_question_t *question;
    sp_version_t version;
    sp_arena_t arena; /* holds what the rest borrows */
    sp_decision_t decision;
    /* All up to `answer` is set only where the query is not refused. */
    bool simple;   /* strings are compared by their bytes */
    bool has_key;  /* the filter fixes the whole shard key: */
    bson_t key;    /* as the filter has it */
    bson_t lookup; /* as chunks have it: the hashed field as its hash */
    sp_unused_key_t unused;
    sp_targeting_t targeting;
    sp_unbounded_t unbounded[SP_PATTERN_FIELDS_MAX]; /* for each field; but for WHOLE_KEY */
    uint32_t range_count, chunk_count; /* all that follow from the bounds, and are hit */
    sp_key_range_t ranges[SP_EXPLAIN_SHOWN];
    uint32_t chunks[SP_EXPLAIN_SHOWN]; /* ascending */
    bson_t answer; /* what a router answers to the op, in the form of verdict.h */
} sp_explanation_t;

/* Explains what a router of the model's version does with `question`, which must outlive the
 * explanation. That it refuses is an explanation too. SP_ERROR_INPUT for what the model does not
 * know; then there is nothing to clear. */
bool sp_explain(sp_model_t *model, const sp_explain_question_t *question,
                sp_explanation_t *explanation, sp_error_t *error);
void sp_explanation_clear(sp_explanation_t *explanation);

/* For people. */
void sp_explanation_print(const sp_explanation_t *explanation, FILE *out);

/* One JSON document, as docs/explain.md describes it, in one line without its end; NULL where
 * memory ran out. To be freed with bson_free. */
char *sp_explanation_json(const sp_explanation_t *explanation);

#endif
