#include "explain_words.h"

#include "printable.h"

#include <assert.h>

uint32_t sp_explain_shown(uint32_t count)
{
    return count < SP_EXPLAIN_SHOWN ? count : SP_EXPLAIN_SHOWN;
}

bson_t *sp_explain_pattern(const sp_pattern_t *pattern)
{
    bson_t *doc = bson_new();
    for (unsigned i = 0; i < pattern->field_count; i++) {
        if ((int)i == pattern->hashed)
            BSON_APPEND_UTF8(doc, pattern->fields[i].text, "hashed");
        else
            BSON_APPEND_INT32(doc, pattern->fields[i].text, 1);
    }
    return doc;
}

static const char *const unbounded_words[SP_UNBOUNDED_REASONS] = {
    [SP_UNBOUNDED_NEVER] = "what can never match bounds nothing",
    [SP_UNBOUNDED_UNNAMED] = "no predicate names it",
    [SP_UNBOUNDED_RELATIVE] = "predicates name only a field above or below it",
    [SP_UNBOUNDED_COLLATION] =
        "under this collation strings, and what may hold some, cannot be looked up",
    [SP_UNBOUNDED_HASHED] = "a hashed field knows equality only",
    [SP_UNBOUNDED_BRANCHES] = "not every branch of an $or bounds it",
    [SP_UNBOUNDED_NO_LOOKUP] = "what the filter says about it cannot be looked up in an index",
    [SP_UNBOUNDED_EVERYTHING] = "what the filter says about it leaves every value",
    [SP_UNBOUNDED_FIRST] = "bounds count only where the first shard key field has some",
    [SP_UNBOUNDED_BESIDE] =
        "the $or that would bound it does not count: another part of the filter does",
};

const char *sp_words_of_unbounded(const sp_explanation_t *explanation, unsigned field)
{
    sp_unbounded_t reason = explanation->unbounded[field];
    assert(reason != SP_FIELD_BOUNDED && reason < SP_UNBOUNDED_REASONS);
    return unbounded_words[reason];
}

static unsigned owner_count(const sp_explanation_t *explanation)
{
    return sp_chunkmap_shard_count(explanation->question->layout->chunks);
}

const char *sp_words_of_reach(const sp_explanation_t *explanation)
{
    unsigned count = explanation->targeting.shard_count;
    if (explanation->decision == SP_DECIDED_REFUSED)
        return "refused";
    if (count == 1)
        return "targeted";
    return count == owner_count(explanation) ? "broadcast" : "partial";
}

const char *sp_words_of_decision(const sp_explanation_t *explanation)
{
    static const char *const names[SP_DECISIONS] = {
        [SP_DECIDED_REFUSED] = "refused",
        [SP_DECIDED_WHOLE_KEY] = "whole-key",
        [SP_DECIDED_BOUNDS] = "bounds",
        [SP_DECIDED_NO_BOUNDS] = "no-bounds",
        [SP_DECIDED_CONTRADICTION] = "contradiction",
        [SP_DECIDED_MAX_KEY] = "max-key",
    };
    assert(explanation->decision < SP_DECISIONS);
    return names[explanation->decision];
}

static char *field_name(const sp_explanation_t *explanation, unsigned field)
{
    return sp_printable(explanation->question->layout->pattern->fields[field].text, 160);
}

static void append_first_field(const sp_explanation_t *explanation, bson_string_t *out)
{
    char *name = field_name(explanation, 0);
    bson_string_append_printf(out, "The first shard key field, %s, is unbounded: %s.", name,
                              sp_words_of_unbounded(explanation, 0));
    bson_free(name);
}

static void append_bounds(const sp_explanation_t *explanation, bson_string_t *out)
{
    unsigned count = explanation->targeting.shard_count, all = owner_count(explanation);
    if (explanation->unbounded[0] != SP_FIELD_BOUNDED) {
        append_first_field(explanation, out);
        bson_string_append_c(out, ' ');
    }
    bson_string_append(out, "The ranges that the bounds leave meet chunks of ");
    if (count == 1)
        bson_string_append(out, "one shard only.");
    else if (count == all)
        bson_string_append(out, "every shard that owns any.");
    else
        bson_string_append_printf(out, "%u of the %u shards that own chunks.", count, all);
}

static void append_no_bounds(const sp_explanation_t *explanation, bson_string_t *out)
{
    append_first_field(explanation, out);
    bson_string_append(out, owner_count(explanation) == 1
                                ? " So every shard that owns chunks is asked, and there is "
                                  "only one."
                                : " So every shard that owns chunks is asked.");
}

static void append_contradiction(const sp_explanation_t *explanation, bson_string_t *out)
{
    const sp_bounds_t *bounds = &explanation->targeting.bounds;
    unsigned field = 0;
    while (field < bounds->field_count && bounds->fields[field].count > 0)
        field++;
    char *name = field_name(explanation, field);
    bson_string_append_printf(out,
                              "Nothing can match: no value of %s meets all that is asked of it. "
                              "One shard is asked all the same, that of the first chunk.",
                              name);
    bson_free(name);
}

static void append_unused_key(const sp_explanation_t *explanation, bson_string_t *out)
{
    if (explanation->unused == SP_KEY_UNUSED_COLLATION)
        bson_string_append(out, "The filter fixes the whole shard key, but chunks are laid out by "
                                "simple comparison and strings, or their hashes, cannot be looked "
                                "up in them under another collation. ");
    if (explanation->unused == SP_KEY_UNUSED_MAX_KEY)
        bson_string_append(out, "The filter fixes the whole shard key, but to MaxKey in every "
                                "field, which no chunk holds in this version. ");
}

char *sp_words_of_why(const sp_explanation_t *explanation)
{
    bson_string_t *out = bson_string_new(NULL);
    append_unused_key(explanation, out);
    switch (explanation->decision) {
    case SP_DECIDED_REFUSED:
        bson_string_append(out, "A router refuses the query, so no shard is asked.");
        break;
    case SP_DECIDED_WHOLE_KEY:
        bson_string_append(out, "The filter fixes the whole shard key to one value, and one chunk "
                                "holds it.");
        break;
    case SP_DECIDED_BOUNDS:
        append_bounds(explanation, out);
        break;
    case SP_DECIDED_NO_BOUNDS:
        append_no_bounds(explanation, out);
        break;
    case SP_DECIDED_CONTRADICTION:
        append_contradiction(explanation, out);
        break;
    case SP_DECIDED_MAX_KEY:
        bson_string_append(out, "Only MaxKey in every field can match, which no chunk holds. One "
                                "shard is asked all the same, that of the first chunk.");
        break;
    case SP_DECISIONS:
        break;
    }
    return bson_string_free(out, false);
}
