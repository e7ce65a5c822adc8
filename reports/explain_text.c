#include "explain_words.h"
#include "printable.h"

#include <inttypes.h>
#include <string.h>

/* Prints `words`, which are freed, behind a label. */
static void print_words(FILE *out, const char *label, char *words)
{
    fprintf(out, "%-18s %s\n", label, words);
    bson_free(words);
}

static void print_more(FILE *out, const char *indent, uint32_t count)
{
    if (count > SP_EXPLAIN_SHOWN)
        fprintf(out, "%s… and %" PRIu32 " more\n", indent, count - SP_EXPLAIN_SHOWN);
}

static void print_head(const sp_explanation_t *explanation, FILE *out)
{
    const sp_explain_question_t *question = explanation->question;
    const sp_layout_t *layout = question->layout;
    sp_version_t version = explanation->version;
    bson_t *key = sp_explain_pattern(layout->pattern);
    char *pattern = sp_words_of_key(key);
    fprintf(out, "%-18s %s, chunks: %" PRIu32 ", shards that own them: %u\n", "Shard key", pattern,
            sp_chunkmap_count(layout->chunks), sp_chunkmap_shard_count(layout->chunks));
    bson_free(pattern);
    bson_destroy(key);
    if (layout->collation != NULL)
        print_words(out, "Default collation", sp_words_of_document(layout->collation));
    print_words(out, question->op, sp_words_of_document(question->write.query.filter));
    if (question->write.query.collation != NULL)
        print_words(out, "Query collation", sp_words_of_document(question->write.query.collation));
    if (question->write.replacement != NULL)
        print_words(out, "Replacement", sp_words_of_document(question->write.replacement));
    fprintf(out, "%-18s MongoDB %u.%u.%u\n\n", "Rules of", version.major, version.minor,
            version.patch);
}

static void print_key(const sp_explanation_t *explanation, FILE *out)
{
    if (!explanation->has_key) {
        fprintf(out, "%-18s none\n", "Fixed key");
        return;
    }
    char *key = sp_words_of_key(&explanation->key);
    fprintf(out, "%-18s %s", "Fixed key", key);
    bson_free(key);
    if (explanation->question->layout->pattern->hashed >= 0) {
        char *lookup = sp_words_of_key(&explanation->lookup);
        fprintf(out, ", in chunks %s", lookup);
        bson_free(lookup);
    }
    fputc('\n', out);
}

static void print_intervals(const sp_intervals_t *intervals, FILE *out)
{
    if (intervals->count != 1)
        fputs(intervals->count == 0 ? "no value" : "one of these", out);
    for (unsigned i = 0; i < sp_explain_shown(intervals->count); i++) {
        char *words = sp_words_of_interval(&intervals->items[i]);
        fprintf(out, "%s%s", intervals->count == 1 ? "" : "\n    ", words);
        bson_free(words);
    }
    fputc('\n', out);
    print_more(out, "    ", intervals->count);
}

static void print_bounds(const sp_explanation_t *explanation, FILE *out)
{
    const sp_pattern_t *pattern = explanation->question->layout->pattern;
    fprintf(out, "Bounds\n");
    for (unsigned i = 0; i < pattern->field_count; i++) {
        char *name = sp_printable(pattern->fields[i].text, SIZE_MAX);
        fprintf(out, "  %s%s: ", name, (int)i == pattern->hashed ? " (hashed)" : "");
        bson_free(name);
        if (explanation->unbounded[i] != SP_FIELD_BOUNDED)
            fprintf(out, "unbounded; %s\n", sp_words_of_unbounded(explanation, i));
        else
            print_intervals(&explanation->targeting.bounds.fields[i], out);
    }
}

static void print_span(FILE *out, const bson_t *min, const bson_t *max, const char *close)
{
    char *from = sp_words_of_key(min), *to = sp_words_of_key(max);
    fprintf(out, "from %s to %s (%s)\n", from, to, close);
    bson_free(from);
    bson_free(to);
}

static void print_ranges(const sp_explanation_t *explanation, FILE *out)
{
    fprintf(out, "Ranges of shard key values: %" PRIu32 "\n", explanation->range_count);
    for (uint32_t i = 0; i < sp_explain_shown(explanation->range_count); i++) {
        fprintf(out, "  ");
        print_span(out, &explanation->ranges[i].min, &explanation->ranges[i].max, "in");
    }
    print_more(out, "  ", explanation->range_count);
}

static void print_chunks(const sp_explanation_t *explanation, FILE *out)
{
    const sp_chunkmap_t *chunks = explanation->question->layout->chunks;
    fprintf(out, "Chunks hit: %" PRIu32 " of %" PRIu32 "\n", explanation->chunk_count,
            sp_chunkmap_count(chunks));
    for (uint32_t i = 0; i < sp_explain_shown(explanation->chunk_count); i++) {
        bson_t min, max;
        sp_chunkmap_bounds(chunks, explanation->chunks[i], &min, &max);
        char *shard = sp_printable(sp_chunkmap_shard(chunks, explanation->chunks[i]), SIZE_MAX);
        fprintf(out, "  %s: ", shard);
        bson_free(shard);
        print_span(out, &min, &max, "out");
    }
    print_more(out, "  ", explanation->chunk_count);
}

/* The names in the array `shards` of an answer; how many there are in *count. */
static char *words_of_shards(const bson_t *answer, unsigned *count)
{
    bson_string_t *out = bson_string_new(NULL);
    bson_iter_t iter, name;
    bool ok = bson_iter_init_find(&iter, answer, "shards") && bson_iter_recurse(&iter, &name);
    for (*count = 0; ok && bson_iter_next(&name); ++*count) {
        if (*count >= SP_EXPLAIN_SHOWN)
            continue;
        char *words = sp_printable(bson_iter_utf8(&name, NULL), SIZE_MAX);
        bson_string_append_printf(out, "%s%s", *count == 0 ? "" : ", ", words);
        bson_free(words);
    }
    if (*count > SP_EXPLAIN_SHOWN)
        bson_string_append_printf(out, ", … and %u more", *count - SP_EXPLAIN_SHOWN);
    return bson_string_free(out, false);
}

static void print_error(const sp_explanation_t *explanation, FILE *out)
{
    bson_iter_t answer, error;
    int32_t code = 0;
    const char *name = "", *message = "";
    bool ok = bson_iter_init_find(&answer, &explanation->answer, "error") &&
              bson_iter_recurse(&answer, &error);
    while (ok && bson_iter_next(&error)) {
        if (strcmp(bson_iter_key(&error), "code") == 0)
            code = bson_iter_int32(&error);
        else if (strcmp(bson_iter_key(&error), "codeName") == 0)
            name = bson_iter_utf8(&error, NULL);
        else
            message = bson_iter_utf8(&error, NULL);
    }
    char *words = sp_printable(message, SIZE_MAX);
    fprintf(out, "%-18s error %" PRId32 "%s%s: %s\n", "Answer", code, *name == '\0' ? "" : " ",
            name, words);
    bson_free(words);
}

/* Why a write goes elsewhere than a read with its filter would. */
static const char *words_of_spread(const sp_explanation_t *explanation, unsigned count)
{
    if (count == explanation->targeting.shard_count)
        return "";
    return count == 1 ? "; the shard key of the replacement says so"
                      : "; a write to more than one shard goes to all, whether they own chunks or "
                        "not";
}

static void print_answer(const sp_explanation_t *explanation, FILE *out)
{
    if (bson_has_field(&explanation->answer, "error")) {
        print_error(explanation, out);
        return;
    }
    unsigned count;
    char *shards = words_of_shards(&explanation->answer, &count);
    fprintf(out, "%-18s %s goes to %s%s\n", "Answer", explanation->question->op, shards,
            words_of_spread(explanation, count));
    bson_free(shards);
}

void sp_explanation_print(const sp_explanation_t *explanation, FILE *out)
{
    const sp_targeting_t *targeting = &explanation->targeting;
    print_head(explanation, out);
    if (explanation->decision != SP_DECIDED_REFUSED) {
        print_key(explanation, out);
        if (explanation->decision != SP_DECIDED_WHOLE_KEY) {
            print_bounds(explanation, out);
            print_ranges(explanation, out);
        }
        print_chunks(explanation, out);
        fprintf(out, "\n%-18s %s: %u of %u shards that own chunks\n", "Reach",
                sp_words_of_reach(explanation), targeting->shard_count,
                sp_chunkmap_shard_count(explanation->question->layout->chunks));
    }
    print_words(out, "Why", sp_words_of_why(explanation));
    print_answer(explanation, out);
}
