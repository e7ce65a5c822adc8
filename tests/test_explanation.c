#include "from_json.h"

#include "../reports/explain_words.h"
#include "../reports/explanation.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define MIN "{'$minKey': 1}"
#define MAX "{'$maxKey': 1}"

#define COMPOUND                                                                                   \
    "{'key': {'x': 1, 'y': 1}, 'chunks': [[{'x': " MIN ", 'y': " MIN "}, {'x': 0, 'y': " MIN       \
    "}, 's1'], [{'x': 0, 'y': " MIN "}, {'x': 10, 'y': 5}, 's2'], [{'x': 10, 'y': 5}, {'x': " MAX  \
    ", 'y': " MAX "}, 's3']]}"
#define HASHED                                                                                     \
    "{'key': {'a.b': 'hashed'}, 'chunks': [[{'a.b': " MIN "}, {'a.b': 0}, 's1'], [{'a.b': 0}, "    \
    "{'a.b': " MAX "}, 's2']]}"
#define LONE "{'key': {'x': 1}, 'chunks': [[{'x': " MIN "}, {'x': " MAX "}, 's1']]}"

/* A question and all that it is made of. */
typedef struct asked {
    bson_t *layout_doc, *filter, *collation, *replacement;
    sp_layout_t *layout;
    sp_model_t *model;
    sp_explain_question_t question;
    sp_explanation_t explanation;
} asked_t;

static asked_t *ask(const char *layout, const char *server, const char *op, const char *filter,
                    const char *collation, const char *replacement)
{
    asked_t *asked = bson_malloc0(sizeof *asked);
    sp_error_t error = {0};
    sp_version_t version;
    assert_true(sp_version_parse(server, &version, &error));
    asked->layout_doc = sp_doc_from(layout);
    asked->filter = sp_doc_from(filter);
    asked->collation = collation != NULL ? sp_doc_from(collation) : NULL;
    asked->replacement = replacement != NULL ? sp_doc_from(replacement) : NULL;
    asked->layout = sp_layout_new(asked->layout_doc, &error);
    asked->model = sp_model_new(version, &error);
    if (asked->layout == NULL || asked->model == NULL)
        fail_msg("%s", error.message);
    sp_explain_question_t *question = &asked->question;
    question->layout = asked->layout;
    question->op = op;
    question->writes = sp_write_kind_parse(op, &question->write.kind);
    question->write.query = (sp_query_t){asked->filter, asked->collation};
    question->write.replacement = asked->replacement;
    if (!sp_explain(asked->model, question, &asked->explanation, &error))
        fail_msg("%s: %s", filter, error.message);
    return asked;
}

static asked_t *find(const char *layout, const char *filter)
{
    return ask(layout, "6.0.27", "find", filter, NULL, NULL);
}

static void done(asked_t *asked)
{
    sp_explanation_clear(&asked->explanation);
    sp_model_free(asked->model);
    sp_layout_free(asked->layout);
    bson_destroy(asked->layout_doc);
    bson_destroy(asked->filter);
    bson_destroy(asked->collation);
    bson_destroy(asked->replacement);
    bson_free(asked);
}

static char *printed(const asked_t *asked)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    sp_explanation_print(&asked->explanation, out);
    assert_int_equal(fclose(out), 0);
    return text;
}

/* The text has each of the words, which a NULL ends. */
static void assert_says(const char *text, const char *const *words)
{
    for (; *words != NULL; words++) {
        if (strstr(text, *words) == NULL)
            fail_msg("'%s' is missing in:\n%s", *words, text);
    }
}

static void check_text(asked_t *asked, const char *const *words)
{
    char *text = printed(asked);
    assert_says(text, words);
    free(text);
    done(asked);
}

typedef struct sample {
    const char *layout, *filter, *collation;
    const char *decision, *reach;
    sp_unbounded_t unbounded[2];
} sample_t;

static const sample_t samples[] = {
    {COMPOUND, "{'x': 1, 'y': 2}", NULL, "whole-key", "targeted", {0}},
    {COMPOUND, "{'x': 1}", NULL, "bounds", "targeted", {0, SP_UNBOUNDED_UNNAMED}},
    {COMPOUND, "{'x': 10}", NULL, "bounds", "partial", {0, SP_UNBOUNDED_UNNAMED}},
    {COMPOUND, "{'x': {'$gt': -1}}", NULL, "bounds", "broadcast", {0, SP_UNBOUNDED_UNNAMED}},
    {COMPOUND, "{'x': {'$gt': 1}, 'y': 2}", NULL, "bounds", "partial", {0}},
    {COMPOUND, "{}", NULL, "no-bounds", "broadcast", {SP_UNBOUNDED_UNNAMED, SP_UNBOUNDED_UNNAMED}},
    {COMPOUND,
     "{'y': 1}",
     NULL,
     "no-bounds",
     "broadcast",
     {SP_UNBOUNDED_UNNAMED, SP_UNBOUNDED_FIRST}},
    {COMPOUND,
     "{'x.z': 1}",
     NULL,
     "no-bounds",
     "broadcast",
     {SP_UNBOUNDED_RELATIVE, SP_UNBOUNDED_UNNAMED}},
    {COMPOUND,
     "{'x': {'$size': 1}}",
     NULL,
     "no-bounds",
     "broadcast",
     {SP_UNBOUNDED_NO_LOOKUP, SP_UNBOUNDED_UNNAMED}},
    {COMPOUND,
     "{'x': {'$not': {'$type': 'string'}}}",
     NULL,
     "no-bounds",
     "broadcast",
     {SP_UNBOUNDED_NO_LOOKUP, SP_UNBOUNDED_UNNAMED}},
    {COMPOUND,
     "{'$or': [{'x': 1}, {'y': 1}]}",
     NULL,
     "no-bounds",
     "broadcast",
     {SP_UNBOUNDED_BRANCHES, SP_UNBOUNDED_BRANCHES}},
    {COMPOUND,
     "{'$or': [{'x': 1, 'y': 1}, {'x': 2}]}",
     NULL,
     "bounds",
     "targeted",
     {0, SP_UNBOUNDED_BRANCHES}},
    {COMPOUND,
     "{'$and': [{'$or': [{'x': 1}, {'x': {'$gt': 5}}]}, {'$or': [{'y': 1}, {'y': {'$gt': 5}}]}]}",
     NULL,
     "bounds",
     "partial",
     {0, SP_UNBOUNDED_BESIDE}},
    {COMPOUND,
     "{'x': {'$exists': true}}",
     NULL,
     "bounds",
     "broadcast",
     {SP_UNBOUNDED_EVERYTHING, SP_UNBOUNDED_UNNAMED}},
    {COMPOUND,
     "{'x': 1, '$and': [{'x': 2}]}",
     NULL,
     "contradiction",
     "targeted",
     {0, SP_UNBOUNDED_UNNAMED}},
    {COMPOUND, "{'x': {'$foo': 1}}", NULL, "refused", "refused", {0}},
    {COMPOUND,
     "{'x': 'a', 'y': 1}",
     "{'locale': 'fr'}",
     "no-bounds",
     "broadcast",
     {SP_UNBOUNDED_COLLATION, SP_UNBOUNDED_FIRST}},
    {COMPOUND, "{'x': 1, 'y': 1}", "{'locale': 'fr'}", "whole-key", "targeted", {0}},
    {COMPOUND,
     "{'x': 1, 'y': 'a'}",
     "{'locale': 'fr'}",
     "bounds",
     "targeted",
     {0, SP_UNBOUNDED_COLLATION}},
    {COMPOUND,
     "{'x': {'$elemMatch': {'y': 1}}}",
     NULL,
     "no-bounds",
     "broadcast",
     {SP_UNBOUNDED_NO_LOOKUP, SP_UNBOUNDED_UNNAMED}},
    {HASHED, "{'a.b': 5}", NULL, "whole-key", "targeted", {0}},
    {HASHED, "{'a': {'b': 5}}", NULL, "whole-key", "targeted", {0}},
    {HASHED, "{'a': {'$gt': {'b': 5}}}", NULL, "no-bounds", "broadcast", {SP_UNBOUNDED_RELATIVE}},
    {HASHED, "{'a.b': {'$gt': 5}}", NULL, "no-bounds", "broadcast", {SP_UNBOUNDED_HASHED}},
    {HASHED,
     "{'a.b': {'$in': ['x', 5]}}",
     "{'locale': 'fr'}",
     "no-bounds",
     "broadcast",
     {SP_UNBOUNDED_COLLATION}},
    {HASHED,
     "{'a': {'$elemMatch': {'b': {'$size': 1}}}}",
     NULL,
     "no-bounds",
     "broadcast",
     {SP_UNBOUNDED_NO_LOOKUP}},
    {LONE, "{}", NULL, "no-bounds", "targeted", {SP_UNBOUNDED_UNNAMED}},
    {LONE, "{'$alwaysFalse': 1}", NULL, "no-bounds", "targeted", {SP_UNBOUNDED_NEVER}},
    {LONE, "{'x': {'$in': []}}", NULL, "contradiction", "targeted", {0}},
};

static void test_decisions(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++) {
        const sample_t *sample = &samples[i];
        asked_t *asked =
            ask(sample->layout, "6.0.27", "find", sample->filter, sample->collation, NULL);
        const sp_explanation_t *explanation = &asked->explanation;
        print_message("%s\n", sample->filter);
        assert_string_equal(sp_words_of_decision(explanation), sample->decision);
        assert_string_equal(sp_words_of_reach(explanation), sample->reach);
        for (unsigned field = 0; field < 2; field++)
            assert_int_equal(explanation->unbounded[field], sample->unbounded[field]);
        done(asked);
    }
}

/* Whatever is asked, the shards are those that the model answers. */
static void test_shards_are_the_models(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++) {
        const sample_t *sample = &samples[i];
        asked_t *asked =
            ask(sample->layout, "6.0.27", "find", sample->filter, sample->collation, NULL);
        const sp_explanation_t *explanation = &asked->explanation;
        bson_iter_t iter, name;
        unsigned count = 0;
        if (bson_iter_init_find(&iter, &explanation->answer, "shards")) {
            assert_true(bson_iter_recurse(&iter, &name));
            while (bson_iter_next(&name))
                count++;
        }
        assert_int_equal(count, explanation->targeting.shard_count);
        done(asked);
    }
}

static void test_max_key(void **state)
{
    (void)state;
    const char *filter = "{'x': " MAX ", 'y': " MAX "}";
    check_text(ask(COMPOUND, "6.0.27", "find", filter, NULL, NULL),
               (const char *const[]){"whole shard key to one value", "targeted: 1 of 3",
                                     "find goes to s3", NULL});
    check_text(ask(COMPOUND, "6.0.5", "find", filter, NULL, NULL),
               (const char *const[]){"Fixed key          {x: MaxKey, y: MaxKey}",
                                     "but to MaxKey in every field, which no chunk holds",
                                     "Only MaxKey in every field can match", "Chunks hit: 0 of 3",
                                     "find goes to s1", NULL});
}

static void test_words(void **state)
{
    (void)state;
    check_text(find(COMPOUND, "{'x': {'$gte': 5}, 'y': {'$lt': 'm'}}"),
               (const char *const[]){
                   "{x: 1, y: 1}, chunks: 3, shards that own them: 3", "Fixed key          none",
                   "  x: from 5 (in) to the end of the numbers\n",
                   "  y: from the beginning of the strings to \"m\" (out)\n",
                   "Ranges of shard key values: 1",
                   "  from {x: 5, y: \"\"} to {x: Infinity, y: \"m\"} (in)\n", "Chunks hit: 2 of 3",
                   "  s2: from {x: 0, y: MinKey} to {x: 10, y: 5} (out)\n", "partial: 2 of 3",
                   "MongoDB 6.0.27", NULL});
    check_text(find(COMPOUND, "{'x': {'$type': 'string'}, 'y': {'$ne': 5}}"),
               (const char *const[]){"  x: all strings\n",
                                     "  y: one of these\n    from MinKey (in) to 5 (out)\n"
                                     "    from 5 (out) to MaxKey (in)\n",
                                     NULL});
    check_text(find(COMPOUND, "{'x': 1, '$and': [{'x': 2}]}"),
               (const char *const[]){"  x: no value\n", "no value of x meets all", "goes to s1",
                                     "Ranges of shard key values: 0", NULL});
    check_text(find(HASHED, "{'a.b': 5}"),
               (const char *const[]){"{a.b: \"hashed\"}",
                                     "{a.b: 5}, in chunks {a.b: 4470791281878691347}",
                                     "find goes to s2", NULL});
    check_text(find(LONE, "{}"), (const char *const[]){"there is only one", NULL});
    check_text(find(COMPOUND, "{'x': {'$foo': 1}}"),
               (const char *const[]){"refuses", "error 2 BadValue", NULL});
}

static void test_writes(void **state)
{
    (void)state;
    static const struct {
        const char *op, *filter, *words;
    } writes[] = {
        {"updateOne", "{'x': 1, 'y': 1}", "updateOne goes to s2\n"},
        {"updateOne", "{'x': 10}", "error 72 InvalidOptions"},
        {"deleteOne", "{'x': 10}", "error 61 ShardKeyNotFound"},
        {"updateMany", "{'x': 10}", "updateMany goes to s1, s2, s3; a write to more than one"},
        {"deleteMany", "{'x': 1}", "deleteMany goes to s2\n"},
        {"upsert", "{'x': 1}", "error 61 ShardKeyNotFound"},
        {"upsert", "{'x': 1, 'y': 1}", "upsert goes to s2\n"},
        {"replaceOne", "{'z': 1}", "replaceOne goes to s3; the shard key of the replacement"},
    };
    for (size_t i = 0; i < sizeof writes / sizeof *writes; i++) {
        bool replaces = strcmp(writes[i].op, "replaceOne") == 0;
        check_text(ask(COMPOUND, "6.0.27", writes[i].op, writes[i].filter, NULL,
                       replaces ? "{'x': 20, 'y': 1}" : NULL),
                   (const char *const[]){writes[i].words, NULL});
    }
}

/* 50 values meet 50 chunks: all are counted, 20 kept. */
static void test_long_lists_are_cut(void **state)
{
    (void)state;
    bson_string_t *layout =
        bson_string_new("{'key': {'x': 1}, 'chunks': [[{'x': " MIN "}, {'x': 0}, 's1']");
    bson_string_t *filter = bson_string_new("{'x': {'$in': [");
    for (int i = 0; i < 50; i++) {
        bson_string_append_printf(layout, ", [{'x': %d}, {'x': %d}, 's%d']", i, i + 1, i % 30);
        bson_string_append_printf(filter, "%s%d", i == 0 ? "" : ", ", i);
    }
    bson_string_append(layout, ", [{'x': 50}, {'x': " MAX "}, 's1']]}");
    bson_string_append(filter, "]}}");
    asked_t *asked = find(layout->str, filter->str);
    assert_int_equal(asked->explanation.chunk_count, 50);
    assert_int_equal(asked->explanation.range_count, 50);
    char *json = sp_explanation_json(&asked->explanation);
    assert_says(json, (const char *const[]){"\"chunks\":{\"count\":50,",
                                            "\"ranges\":{\"count\":50,", "\"s29\"]", NULL});
    assert_null(strstr(json, "\"min\":{\"x\": {\"$numberInt\": \"20\"}}"));
    bson_free(json);
    check_text(asked, (const char *const[]){"    … and 30 more\n", "  … and 30 more\n",
                                            ", … and 10 more\n", NULL});
    bson_string_free(layout, true);
    bson_string_free(filter, true);
}

/* A chunk that two ranges meet counts once, and one between two that none meets does not. */
static void test_chunks_count_once(void **state)
{
    (void)state;
    asked_t *asked = find(COMPOUND, "{'x': {'$in': [-1, -2, 20]}}");
    assert_int_equal(asked->explanation.range_count, 3);
    assert_int_equal(asked->explanation.chunk_count, 2);
    assert_int_equal(asked->explanation.chunks[0], 0);
    assert_int_equal(asked->explanation.chunks[1], 2);
    done(asked);
    asked = find(COMPOUND, "{'x': {'$ne': 5}}");
    assert_int_equal(asked->explanation.chunk_count, 3);
    done(asked);
}

static void test_nothing_harms_a_terminal(void **state)
{
    (void)state;
    asked_t *asked = find("{'key': {'x\\u001b': 1}, 'chunks': [[{'x\\u001b': " MIN
                          "}, {'x\\u001b': " MAX "}, 's\\u009b1']]}",
                          "{'x\\u001b': {'$gt': '\\u001b\\u009b\\u007f\\u0000'}, '\\u001b': 1}");
    char *text = printed(asked);
    for (const char *p = text; *p != '\0'; p++)
        assert_false(*p == '\x1b' || *p == '\x7f' || (p[0] == '\xc2' && p[1] == '\x9b'));
    free(text);
    done(asked);
}

static void test_a_long_value_is_cut(void **state)
{
    (void)state;
    char *value = bson_malloc(5001);
    memset(value, 'v', 5000);
    value[5000] = '\0';
    char *filter = bson_strdup_printf("{'x': '%s'}", value);
    asked_t *asked = find(LONE, filter);
    char *text = printed(asked);
    assert_in_range(strlen(text), 1000, 3000);
    assert_says(text, (const char *const[]){"bytes cut)", NULL});
    free(text);
    done(asked);
    bson_free(filter);
    bson_free(value);
}

static void test_values(void **state)
{
    (void)state;
    static const struct {
        const char *json, *words;
    } values[] = {
        {"5", "5"},
        {"{'$numberLong': '9223372036854775807'}", "9223372036854775807"},
        {"{'$numberDouble': '-Infinity'}", "-Infinity"},
        {"{'$numberDouble': 'NaN'}", "NaN"},
        {"1.5", "1.5"},
        {"{'$numberDecimal': '0.1'}", "decimal 0.1"},
        {MIN, "MinKey"},
        {MAX, "MaxKey"},
        {"{'$undefined': true}", "undefined"},
        {"null", "null"},
        {"'a:}b'", "\"a:}b\""},
        {"{'a': {'b': 1}}", "{ \"a\" : { \"b\" : 1 } }"},
        {"{}", "{  }"},
        {"[]", "[  ]"},
    };
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        bson_t *holder;
        sp_value_t value = sp_value_from(values[i].json, &holder);
        char *words = sp_words_of_value(&value);
        assert_string_equal(words, values[i].words);
        bson_free(words);
        bson_destroy(holder);
    }
}

static void test_what_the_model_does_not_know(void **state)
{
    (void)state;
    asked_t *asked = find(LONE, "{}");
    sp_explanation_t explanation;
    sp_explain_question_t question = asked->question;
    sp_error_t error = {0};
    bson_t *filter = sp_doc_from("{'$text': {'$search': 'a'}}");
    question.write.query.filter = filter;
    assert_false(sp_explain(asked->model, &question, &explanation, &error));
    assert_int_equal(error.domain, SP_ERROR_INPUT);
    assert_non_null(strstr(error.message, "$text"));
    bson_destroy(filter);
    done(asked);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_decisions),
        cmocka_unit_test(test_shards_are_the_models),
        cmocka_unit_test(test_max_key),
        cmocka_unit_test(test_words),
        cmocka_unit_test(test_writes),
        cmocka_unit_test(test_long_lists_are_cut),
        cmocka_unit_test(test_chunks_count_once),
        cmocka_unit_test(test_nothing_harms_a_terminal),
        cmocka_unit_test(test_a_long_value_is_cut),
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_what_the_model_does_not_know),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
