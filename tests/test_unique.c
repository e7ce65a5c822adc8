/* The model of the `unique` area: what each document of a question becomes. The answers are those
 * that real servers of 6.0.5 and 6.0.27 gave. */
#include "../oracles/case.h"
#include "../oracles/extjson.h"

#include "from_json.h"
#include "kinds_count.h"
#include "query_layout.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* s1 has what is less than 5, s2 the rest; of hashes s1 has those below 0, s3 those from 2^62 on.
 */
#define RANGED                                                                                     \
    "'area': 'unique', 'key': {'x': 1}, 'chunks': [[{'x': {'$minKey': 1}}, {'x': 5}, 's1'], "      \
    "[{'x': 5}, {'x': {'$maxKey': 1}}, 's2']], 'collation': null, 'shards': 3, "
#define HASHED                                                                                     \
    "'area': 'unique', 'key': {'x': 'hashed'}, 'chunks': [[{'x': {'$minKey': 1}}, {'x': "          \
    "{'$numberLong': '0'}}, 's1'], [{'x': {'$numberLong': '0'}}, {'x': {'$numberLong': "           \
    "'4611686018427387904'}}, 's2'], [{'x': {'$numberLong': '4611686018427387904'}}, {'x': "       \
    "{'$maxKey': 1}}, 's3']], 'collation': null, 'shards': 3, "
#define COLLATED                                                                                   \
    "'area': 'unique', 'key': {'x': 1}, 'chunks': [[{'x': {'$minKey': 1}}, {'x': 'L'}, 's1'], "    \
    "[{'x': 'L'}, {'x': {'$maxKey': 1}}, 's2']], 'collation': {'locale': 'en', 'strength': 2}, "   \
    "'shards': 3, "
#define BY_ID                                                                                      \
    "'area': 'unique', 'key': {'_id': 1}, 'chunks': [[{'_id': {'$minKey': 1}}, {'_id': 5}, "       \
    "'s1'], "                                                                                      \
    "[{'_id': 5}, {'_id': {'$maxKey': 1}}, 's2']], 'collation': null, 'shards': 3, "
#define ASK(docs) "'requests': [{'way': 'single', 'docs': [" docs "]}]}"

/* The case with double quotes, and its first answer as text. */
static char *answer_to(const char *version, const char *test)
{
    bson_t *doc = sp_doc_from(test);
    sp_model_t *model = sp_model_of(version);
    sp_answers_t answers = SP_ANSWERS_INITIALIZER;
    sp_error_t error = {0};
    if (!sp_case_predict_unique(model, doc, &answers, &error))
        fail_msg("%s: %s", test, error.message);
    bson_iter_t iter, codes;
    bson_string_t *text = bson_string_new(NULL);
    assert_true(answers.count > 0);
    if (bson_iter_init_find(&iter, answers.items[0], "codes") && bson_iter_recurse(&iter, &codes)) {
        while (bson_iter_next(&codes)) {
            if (BSON_ITER_HOLDS_NULL(&codes))
                bson_string_append(text, " -");
            else
                bson_string_append_printf(text, " %d", bson_iter_int32(&codes));
        }
    } else if (bson_iter_init_find(&iter, answers.items[0], "error") &&
               bson_iter_recurse(&iter, &codes) && bson_iter_find(&codes, "code")) {
        bson_string_append_printf(text, " error %d", bson_iter_int32(&codes));
    }
    sp_answers_clear(&answers);
    sp_model_free(model);
    bson_destroy(doc);
    return bson_string_free(text, false);
}

static const struct row {
    const char *test, *codes;
} rows[] = {
    /* The shard key is unique everywhere, whatever guise it has; _id on each shard. */
    {"{" RANGED "'unique': true, 'indexes': [], " ASK(
         "{'_id': 1, 'x': 1}, {'_id': 2, 'x': 1.0}, {'_id': 1, 'x': 7}, {'_id': 1, 'x': 2}, "
         "{'_id': "
         "9, 'x': {'$numberDecimal': '1.00'}}, {'x': null}, {}, {'x': {'$undefined': true}}"),
     " 0 11000 0 11000 11000 0 11000 0"},
    {"{" RANGED "'unique': false, 'indexes': [], " ASK(
         "{'x': 1}, {'x': 1}, {'_id': 1, 'x': 1}, {'_id': 1.0, 'x': 6}, {'_id': 1, 'x': 7}"),
     " 0 0 0 0 11000"},
    {"{" BY_ID "'unique': true, 'indexes': [], " ASK(
         "{'_id': 1}, {'_id': {'$numberLong': '1'}}, {'_id': 5}, {'_id': 5.0}, {}, {}"),
     " 0 11000 0 11000 0 0"},
    /* What is behind the shard key: equal numbers, zeros, NaNs, arrays, nulls. */
    {"{" RANGED "'unique': false, 'indexes': [{'key': {'x': 1, 'p': 1}, 'unique': true}], " ASK(
         "{'x': 1, 'p': 0.0}, {'x': 1, 'p': -0.0}, {'x': 7, 'p': 0}, {'x': 1, 'p': "
         "{'$numberDouble': "
         "'NaN'}}, {'x': 1, 'p': {'$numberDecimal': 'NaN'}}, {'x': 1}, {'x': 1, 'p': null}, {'x': "
         "1, "
         "'p': []}, {'x': 1, 'p': {'$undefined': true}}, {'x': 1, 'p': [[]]}"),
     " 0 11000 0 0 11000 0 11000 0 11000 0"},
    {"{" RANGED "'unique': false, 'indexes': [{'key': {'x': 1, 'p': 1}, 'unique': true}], " ASK(
         "{'x': 1, 'p': [1, 1]}, {'x': 1, 'p': [1, 2]}, {'x': 1, 'p': 2}, {'x': 1, 'p': 3}, {'x': "
         "1, "
         "'p': [2, 3, 4]}, {'x': 7, 'p': 1}"),
     " 0 11000 0 0 11000 0"},
    {"{" RANGED "'unique': false, 'indexes': [{'key': {'x': 1, 'p': 1}, 'unique': true}], " ASK(
         "{'x': 1, 'p': {'a': 1, 'b': 2}}, {'x': 1, 'p': {'b': 2, 'a': 1}}, {'x': 1, 'p': {'a': "
         "1.0, "
         "'b': 2}}"),
     " 0 0 11000"},
    {"{" RANGED "'unique': false, 'indexes': [{'key': {'x': 1, 'p': 1}, 'unique': true, 'sparse': "
     "true}], " ASK("{}, {}, {'x': 1}, {'x': 1}, {'p': 1}, {'p': 1}"),
     " 0 0 0 11000 0 11000"},
    {"{" RANGED "'unique': false, 'indexes': [{'key': {'x': 1, 'p': 1}, 'unique': true, "
     "'partialFilterExpression': {'p': {'$gt': 1}}}], " ASK(
         "{'x': 1}, {'x': 1}, {'x': 1, 'p': 1}, {'x': 1, 'p': 1}, {'x': 1, 'p': 2}, {'x': 1, 'p': "
         "2}, "
         "{'x': 1, 'p': [1, 2]}, {'x': 1, 'p': [0, 1]}, {'x': 1, 'p': [1, 3]}"),
     " 0 0 0 0 0 11000 11000 0 0"},
    /* Prepared to be unique is unique for all that is inserted, and goes by hashes where it has
     * them.
     */
    {"{" RANGED
     "'unique': false, 'indexes': [{'key': {'x': 1, 'p': 1}, 'prepareUnique': true}], " ASK(
         "{'x': 1, 'p': 1}, {'x': 1, 'p': 1}, {'x': 1, 'p': 5}, {'x': 1, 'p': [5, 6]}"),
     " 0 11000 0 11000"},
    {"{" RANGED "'unique': false, 'indexes': [{'key': {'x': 1, 'p': 'hashed'}, 'prepareUnique': "
     "true}], " ASK("{'x': 1, 'p': 1.2}, {'x': 1, 'p': 1.9}, {'x': 1, 'p': 2}"),
     " 0 11000 0"},
    {"{" RANGED
     "'unique': false, 'indexes': [{'key': {'p': 1}, 'prepareUnique': true}], " ASK("{}"),
     " error 67"},
    {"{" RANGED "'unique': false, 'indexes': [{'key': {'x': 1, 'p': 1}, 'unique': true, 'hidden': "
     "true}], " ASK("{'x': 1, 'p': 1}, {'x': 1, 'p': 1}"),
     " 0 11000"},
    /* Beside an index that only looks as if it served the shard key no other is made; _id has one.
     */
    {"{" RANGED "'unique': false, 'indexes': [{'key': {'x': 1, 'p': 1}, 'hidden': true, 'early': "
     "true}], " ASK("{}"),
     " error 72"},
    {"{" RANGED "'unique': true, 'indexes': [{'key': {'x': 1, 'p': 1}, 'hidden': true, 'early': "
     "true}], " ASK("{}, {}"),
     " 0 11000"},
    {"{" BY_ID "'unique': false, 'indexes': [{'key': {'_id': 1, 'p': 1}, 'unique': true, "
     "'partialFilterExpression': {'p': 1}, 'early': true}], " ASK("{'_id': 'a'}, {'_id': 'a'}"),
     " 0 11000"},
    /* An empty timestamp becomes the time. */
    {"{" RANGED "'unique': true, 'indexes': [{'key': {'x': 1, 'p': 1}, 'unique': true}], " ASK(
         "{'x': {'$timestamp': {'t': 0, 'i': 0}}}, {'x': {'$timestamp': {'t': 0, 'i': 0}}}, "
         "{'_id': "
         "{'$timestamp': {'t': 0, 'i': 0}}, 'x': 20}, {'_id': {'$timestamp': {'t': 0, 'i': 0}}, "
         "'x': "
         "21}"),
     " 0 0 0 11000"},
    /* Of several indexes the one that was made first decides, and that on _id before all. */
    {"{" RANGED "'unique': true, 'indexes': [{'key': {'x': 1, 'p': 1, 'q': 1}}, {'key': {'h': "
     "'hashed'}}], " ASK(
         "{'_id': 1, 'x': 1}, {'_id': 2, 'x': 1, 'p': [1], 'q': [1]}, {'_id': 1, 'x': 2, 'p': [1], "
         "'q': [1]}, {'_id': 1, 'x': 1, 'h': [1]}, {'_id': 9, 'x': 4, 'h': [1]}, {'_id': 9, 'x': "
         "4, "
         "'h': [1], 'p': [1], 'q': [1]}, {'x': [1]}"),
     " 0 11000 11000 11000 16766 171 61"},
    {"{" RANGED
     "'unique': true, 'indexes': [{'key': {'h': 'hashed'}}, {'key': {'x': 1, 'p': 1, 'q': "
     "1}, 'early': true}], " ASK("{'_id': 9, 'x': 4, 'h': [1], 'p': [1], 'q': [1]}, {'x': 1}, "
                                 "{'x': 1, 'p': [1], 'q': [1]}"),
     " 171 0 171"},
    /* A hashed key: equal numbers of two types may lie on two shards. */
    {"{" HASHED "'unique': false, 'indexes': [{'key': {'x': 1}, 'unique': true}], " ASK(
         "{'x': 1.5}, {'x': {'$numberDecimal': '1.5'}}, {'x': 2.5}, {'x': {'$numberDecimal': "
         "'2.5'}}, {'x': 1}, {'x': 1.0}, {'x': {'$numberDecimal': '1.00'}}"),
     " 0 0 0 11000 0 11000 11000"},
    /* A collation joins what the shards keep apart. */
    {"{" COLLATED "'unique': true, 'indexes': [{'key': {'x': 1, 'p': 1}, 'unique': true}], " ASK(
         "{'_id': 'a', 'x': 1, 'p': 'a'}, {'_id': 'A', 'x': 2}, {'_id': 'A', 'x': 'z'}, {'_id': "
         "'z', "
         "'x': 'a'}, {'_id': 'y', 'x': 'A'}, {'_id': 'w', 'x': 'aA'}, {'_id': 'v', 'x': 'aa'}, "
         "{'x': "
         "3, 'p': {'$symbol': 'b'}}, {'x': 4, 'p': {'a': [{'$symbol': 'b'}]}}, {'_id': {'$symbol': "
         "'b'}, 'x': 5}"),
     " 0 11000 0 0 0 0 11000 201 201 201"},
    {"{" RANGED "'unique': false, 'indexes': [{'key': {'_id': 1, 'p': 1}, 'unique': true, "
     "'collation': {'locale': 'en', 'strength': 2}}], " ASK(
         "{'_id': 'a', 'x': 1, 'p': 1}, {'_id': 'A', 'x': 1, 'p': 1}, {'_id': 'A', 'x': 6, 'p': "
         "1}"),
     " 0 11000 0"},
    /* Refused in the shard, or by the router. */
    {"{" RANGED
     "'unique': false, 'indexes': [], " ASK("{'_id': [1], 'x': 1}, {'_id': {'$undefined': true}, "
                                            "'x': 1}, {'_id': {'$eq': 1}, 'x': 1}, "
                                            "{'x': [1]}"),
     " 53 53 52 61"},
    {"{" RANGED "'unique': true, 'indexes': [], 'requests': [{'way': 'ordered', 'docs': [{'x': 1}, "
     "{'x': 1}, {'x': 2}]}]}",
     " 0 11000 -"},
    {"{" RANGED
     "'unique': true, 'indexes': [], 'requests': [{'way': 'unordered', 'docs': [{'x': 1}, "
     "{'x': 1}, {'x': 2}]}]}",
     " 0 11000 0"},
    {"{" RANGED "'unique': true, 'indexes': [], 'requests': [{'way': 'ordered', 'docs': []}]}", ""},
    /* What cannot be made. */
    {"{" HASHED "'unique': true, 'indexes': [], " ASK("{}"), " error 72"},
    {"{" RANGED "'unique': true, 'indexes': [{'key': {'p': 1}, 'unique': true}], " ASK("{}"),
     " error 67"},
    {"{" RANGED
     "'unique': true, 'indexes': [{'key': {'p': 1, 'x': 1}, 'unique': true, 'early': true}], " ASK(
         "{}"),
     " error 72"},
    {"{" RANGED
     "'unique': true, 'indexes': [{'key': {'x': 1, 'p': 'hashed'}, 'unique': true}], " ASK("{}"),
     " error 16764"},
    {"{" RANGED "'unique': true, 'indexes': [{'key': {'p': 'hashed'}, 'unique': true}], " ASK("{}"),
     " error 67"},
    {"{" HASHED "'unique': true, 'indexes': [{'key': {'p': 1}, 'unique': true}, {'key': {'p': "
     "'hashed'}, 'unique': true, 'early': true}], " ASK("{}"),
     " error 16764"},
};

static void test_answers(void **state)
{
    (void)state;
    static const char *const versions[] = {"6.0.5", "6.0.24", "6.0.27"};
    for (size_t i = 0; i < COUNT(versions); i++) {
        for (size_t j = 0; j < COUNT(rows); j++) {
            char *codes = answer_to(versions[i], rows[j].test);
            if (strcmp(codes, rows[j].codes) != 0)
                fail_msg("%s: %s\n  is %s, not%s", versions[i], rows[j].test, codes, rows[j].codes);
            bson_free(codes);
        }
    }
}

/* A shard key that is MaxKey in every field has a chunk in later versions only. */
static void test_max_key(void **state)
{
    (void)state;
    static const char test[] =
        "{" RANGED
        "'unique': true, 'indexes': [], " ASK("{'x': {'$maxKey': 1}}, {'x': {'$maxKey': 1}}");
    char *before = answer_to("6.0.5", test), *after = answer_to("6.0.27", test);
    assert_string_equal(before, " 61 61");
    assert_string_equal(after, " 0 11000");
    bson_free(before);
    bson_free(after);
}

#define DOCS "'requests': [{'way': 'single', 'docs': [{}]}]"

/* Each with a word of the message, which must name what is wrong. */
static const struct bad {
    const char *test, *word;
} bad[] = {
    {"{}", "key"},
    {"{'key': 5}", "key"},
    {"{" RANGED "'unique': 5, 'indexes': [], " DOCS "}", "unique"},
    {"{" RANGED "'unique': true, " DOCS "}", "indexes"},
    {"{" RANGED "'unique': true, 'indexes': {}, " DOCS "}", "indexes"},
    {"{" RANGED "'unique': true, 'indexes': [5], " DOCS "}", "indexes[0]"},
    {"{" RANGED "'unique': true, 'indexes': [{'key': {'x': 1}}, {}], " DOCS "}", "indexes[1]"},
    {"{" RANGED "'unique': true, 'indexes': [{'key': 5}], " DOCS "}", "key"},
    {"{" RANGED "'unique': true, 'indexes': [{'key': {}}], " DOCS "}", "key"},
    {"{" RANGED "'unique': true, 'indexes': [{'key': {'p': 'text'}}], " DOCS "}", "'p'"},
    {"{" RANGED "'unique': true, 'indexes': [{'key': {'p.$**': 1}}], " DOCS "}", "'p.$**'"},
    {"{" RANGED "'unique': true, 'indexes': [{'key': {'p..a': 1}}], " DOCS "}", "'p..a'"},
    {"{" RANGED "'unique': true, 'indexes': [{'key': {'': 1}}], " DOCS "}", "''"},
    {"{" RANGED "'unique': true, 'indexes': [{'key': {'p.': 1}}], " DOCS "}", "'p.'"},
    {"{" RANGED "'unique': true, 'indexes': [{'key': {'p': true}}], " DOCS "}", "'p'"},
    {"{" RANGED "'unique': true, 'indexes': [{'key': {'p': 1}, 'early': 5}], " DOCS "}", "early"},
    {"{" RANGED "'unique': true, 'indexes': [{'key': {'p': 1}, 'unique': 'a'}], " DOCS "}",
     "unique"},
    {"{" RANGED "'unique': true, 'indexes': [{'key': {'p': 1}, 'sparse': 'a'}], " DOCS "}",
     "sparse"},
    {"{" RANGED "'unique': true, 'indexes': [{'key': {'p': 1}, 'collation': 5}], " DOCS "}",
     "collation"},
    {"{" RANGED
     "'unique': true, 'indexes': [{'key': {'p': 1}, 'collation': {'locale': 'xx'}}], " DOCS "}",
     "collation"},
    {"{" RANGED
     "'unique': true, 'indexes': [{'key': {'p': 1}, 'partialFilterExpression': 5}], " DOCS "}",
     "partialFilterExpression"},
    {"{" RANGED
     "'unique': true, 'indexes': [{'key': {'p': 1}, 'partialFilterExpression': {'$foo': 1}}], " DOCS
     "}",
     "partialFilterExpression"},
    {"{" RANGED "'unique': true, 'indexes': []}", "requests"},
    {"{" RANGED "'unique': true, 'indexes': [], 'requests': 5}", "requests"},
    {"{" RANGED "'unique': true, 'indexes': [], 'requests': [5]}", "requests[0]"},
    {"{" RANGED "'unique': true, 'indexes': [], 'requests': [{'way': 'single'}]}", "docs"},
    {"{" RANGED "'unique': true, 'indexes': [], 'requests': [{'way': 'single', 'docs': 5}]}",
     "docs"},
    {"{" RANGED "'unique': true, 'indexes': [], 'requests': [{'way': 'single', 'docs': [5]}]}",
     "docs[0]"},
    {"{" RANGED "'unique': true, 'indexes': [], 'requests': [{'docs': [{}]}]}", "way"},
    {"{" RANGED "'unique': true, 'indexes': [], 'requests': [{'way': 'x', 'docs': [{}]}]}", "way"},
    {"{" RANGED "'unique': true, 'indexes': [], 'requests': [{'way': 5, 'docs': [{}]}]}", "way"},
};

static void assert_refused(const char *test, const char *word)
{
    bson_t *doc = sp_doc_from(test);
    sp_model_t *model = sp_model_of("6.0.27");
    sp_answers_t answers = SP_ANSWERS_INITIALIZER;
    sp_error_t error = {0};
    if (sp_case_predict_unique(model, doc, &answers, &error))
        fail_msg("accepted: %s", test);
    assert_int_equal(error.domain, SP_ERROR_INPUT);
    if (strstr(error.message, word) == NULL)
        fail_msg("%s\n  should name %s: %s", test, word, error.message);
    sp_answers_clear(&answers);
    sp_model_free(model);
    bson_destroy(doc);
}

static void test_bad_cases(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(bad); i++)
        assert_refused(bad[i].test, bad[i].word);
}

/* A list of `count` times `item`. */
static char *repeat(const char *before, const char *item, unsigned count, const char *after)
{
    bson_string_t *text = bson_string_new(before);
    for (unsigned i = 0; i < count; i++)
        bson_string_append_printf(text, "%s%s", i == 0 ? "" : ", ", item);
    bson_string_append(text, after);
    return bson_string_free(text, false);
}

static void test_limits(void **state)
{
    (void)state;
    char *indexes =
        repeat("{" RANGED "'unique': true, 'indexes': [", "{'key': {'p': 1}}", 40, "], " DOCS "}");
    char *docs = repeat("{" RANGED "'unique': true, 'indexes': [], 'requests': [{'way': 'single', "
                        "'docs': [",
                        "{}", 65, "]}]}");
    assert_refused(indexes, "indexes");
    assert_refused(docs, "docs");
    bson_free(indexes);
    bson_free(docs);
}

static void test_kinds(void **state)
{
    (void)state;
    static const sp_kinds_area_t area = {"unique", sp_gen_unique, sp_case_predict_unique, 1200,
                                         SP_UNIQUE_REQUESTS};
    sp_assert_kinds_come(&area);
}

static bool write_kind(void *context, const char *dimension, const char *name)
{
    bson_string_append_printf(context, "%s=%s;", dimension, name);
    return true;
}

static void assert_kinds(const char *test, const char *answer, const char *wanted)
{
    bson_t *test_doc = sp_doc_from(test), *answer_doc = sp_doc_from(answer);
    bson_string_t *text = bson_string_new(NULL);
    sp_kinds_of("unique", test_doc, 0, answer_doc, write_kind, text);
    assert_string_equal(text->str, wanted);
    bson_string_free(text, true);
    bson_destroy(test_doc);
    bson_destroy(answer_doc);
}

static void test_what_a_question_is(void **state)
{
    (void)state;
    assert_kinds(
        "{" RANGED
        "'unique': true, 'indexes': [{'key': {'x': 1, 'p.a': 1}, 'unique': true, 'sparse': "
        "true}, {'key': {'_id': 1, 'p': 1}, 'unique': true}, {'key': {'h': 'hashed'}}], "
        "'requests': [{'way': 'ordered', 'docs': [{'_id': 1, 'x': 1, 'p': 1}, {'_id': 1.0, "
        "'x': 7, 'p': [[]]}, {}, {}]}]}",
        "{'codes': [0, 0, 11000, null]}",
        "key shape=x:1;sharded=unique;collation=none;option=unique;option=sparse;"
        "index=shard key,p.a;index=from _id;option=not unique;index=hashed;way=ordered;"
        "value=another;outcome=inserted;value=array in array;outcome=one _id twice;"
        "value=missing;outcome=error 11000;outcome=not tried;");
    assert_kinds("{" COLLATED
                 "'unique': false, 'indexes': [], 'requests': [{'way': 'single', 'docs': "
                 "[]}]}",
                 "{'error': {'code': 72}}",
                 "key shape=x:1;sharded=not unique;collation=collection's;way=single;"
                 "outcome=error 72;");
    assert_kinds("{'key': {'x': 1}, 'indexes': 5, 'requests': [{'docs': 5, 'way': 5}]}", "{}",
                 "key shape=x:1;sharded=not unique;collation=none;");
    assert_kinds("{'key': 5, 'requests': [{}]}", "{}", "");
    assert_kinds("{'key': {'x': 1}, 'indexes': [5, {'key': 5}, {'key': {}}], 'requests': [{'docs': "
                 "[5, {'p': []}]}]}",
                 "{'codes': 5}",
                 "key shape=x:1;sharded=not unique;collation=none;option=not unique;index=others;"
                 "value=empty array;");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_answers),   cmocka_unit_test(test_max_key),
        cmocka_unit_test(test_bad_cases), cmocka_unit_test(test_limits),
        cmocka_unit_test(test_kinds),     cmocka_unit_test(test_what_a_question_is),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
