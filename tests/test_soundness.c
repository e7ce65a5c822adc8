#include "../oracles/soundness.h"

#include "../oracles/answers.h"
#include "../oracles/case.h"
#include "../oracles/verdict.h"
#include "from_json.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

enum { DOCS = 3 };

/* How often each document came, one digit each; a number in front of ':' is an error's code. */
typedef struct row {
    const char *key, *docs;
    const char *acknowledged; /* 'y' or 'n' for each document */
    const char *check;
    const char *everything_routed, *everything_scanned;
    const char *routed, *direct, *scanned;
    bool complete, found;
    const char *cause; /* NULL: none */
    const char *missing, *extra;
} row_t;

#define KEY   "{'x': 'hashed', 'a.b': 1}"
#define THREE "[{'x': 1}, {'x': {'$numberDouble': '1.5'}, 'a': {'b': 'q'}}, {'x': null}]"

static const row_t rows[] = {
    {KEY, THREE, "yyy", "{'filter': {}, 'finds': [0, 1, 2]}", "111", "111", "111", "111", "111",
     true, true, NULL, "", ""},
    {KEY, THREE, "yyy", "{'filter': {'x': 1}}", "111", "111", "000", "000", "000", true, true, NULL,
     "", ""},
    /* not acknowledged: need not be there */
    {KEY, THREE, "yny", "{'filter': {}, 'finds': [0, 1, 2]}", "101", "101", "101", "101", "101",
     true, true, NULL, "", ""},
    {KEY, THREE, "yny", "{'filter': {}, 'finds': [0, 1, 2]}", "111", "111", "111", "111", "111",
     false, true,
     "refused, but stored; hashed key field holding double with a fraction, key field holding "
     "string",
     "", "1"},
    {KEY, THREE, "yyy", "{'filter': {'_id': 5}, 'finds': [2]}", "110", "111", "000", "001", "001",
     false, false,
     "on a shard that does not own it, so that nothing finds it; hashed key field holding null, "
     "key "
     "field holding missing",
     "2", ""},
    {KEY, "[{'x': {'$timestamp': {'t': 0, 'i': 0}}, 'a': 5}, {}, {}]", "yyy",
     "{'filter': {'x': 5}, 'finds': [0], 'collation': {'locale': 'en'}}", "011", "111", "000",
     "000", "000", true, false,
     "on a shard that does not own it, so that nothing finds it; a key field holding timestamp (0, "
     "0)",
     "0", ""},
    {KEY, THREE, "yyy", "{'filter': {}, 'finds': [0, 1, 2]}", "110", "110", "110", "110", "110",
     true, false,
     "acknowledged, but on no shard; hashed key field holding null, key field holding missing", "2",
     ""},
    {KEY, THREE, "yyy", "{'filter': {'x': {'$numberDecimal': '1.5'}}}", "111", "111", "000", "010",
     "010", false, true,
     "given by its shard, but not through the router; hashed key field holding double with a "
     "fraction, "
     "equality with decimal with a fraction",
     "1", ""},
    {KEY, THREE, "yyy", "{'filter': {'x': {'$in': [{'$numberDecimal': '1.5'}, 7]}, 'a.b': 'q'}}",
     "111", "111", "000", "000", "010", false, true,
     "the shard's index misses it; hashed key field holding double with a fraction, equality with "
     "decimal with a fraction",
     "1", ""},
    {KEY, THREE, "yyy", "{'filter': {'a': {'b': 'q'}}, 'finds': [1]}", "111", "111", "000", "000",
     "000", true, false, "no shard takes it for a match; parent of key field, equality with object",
     "1", ""},
    {KEY, THREE, "yyy", "{'filter': {'$and': [{'x': {'$ne': 2}}, {'y': 'z'}]}}", "111", "111",
     "100", "100", "000", false, true,
     "the shard's index gives what does not match; hashed key field holding int, negation with "
     "int",
     "", "0"},
    {KEY, THREE, "yyy", "{'filter': {'_id': {'$minKey': 1}}}", "111", "111", "100", "000", "000",
     false, true, "the router gives what does not match; _id, equality with minKey", "", "0"},
    {KEY, THREE, "yyy", "{'filter': {'$or': []}}", "111", "111", "200", "100", "100", false, true,
     "given twice; hashed key field holding int, key field holding missing", "", "0"},
    /* the most telling condition, wherever it is */
    {KEY, "[{'a': {'b': {'$maxKey': 1}}, 'x': 1}, {}, {}]", "yyy",
     "{'filter': {'$or': [{'y': 1}, {'$nor': [{'x': {'$numberLong': '1'}, 'a.b': {'$not': {'$lt': "
     "5}}}]}]}}",
     "111", "111", "100", "100", "000", false, true,
     "the shard's index gives what does not match; key field holding maxKey, negation with int", "",
     "0"},
    {KEY, "[{'a': {'b': 'A'}, 'x': 1}, {}, {}]", "yyy",
     "{'filter': {'x': {'$gte': 1}, 'a.b': {'$symbol': 'a'}}, 'collation': {'locale': 'en'}}",
     "111", "111", "000", "000", "100", false, true,
     "the shard's index misses it; key field holding string, equality with symbol, under a "
     "collation",
     "0", ""},
    {KEY, "[{'a': {'b': 'A'}, 'x': 1}, {}, {}]", "yyy",
     "{'filter': {'x': {'$gte': {'$numberLong': '1'}}, 'a.b': 'A'}, 'collation': {'locale': 'en'}}",
     "111", "111", "000", "000", "100", false, true,
     "the shard's index misses it; hashed key field holding int, range with long", "0", ""},
    {KEY, THREE, "yyy", "{'filter': {'x': 1}}", "111", "211", "100", "200", "200", false, true,
     "stored twice; hashed key field holding int, key field holding missing", "", "0"},
    /* several: the first gives the cause */
    {KEY, THREE, "yyy", "{'filter': {'x': null}, 'finds': [2]}", "111", "111", "010", "101", "101",
     false, false,
     "given by its shard, but not through the router; hashed key field holding int, "
     "equality with null",
     "0 2", "1"},
    /* refused alike: nothing need be found */
    {KEY, THREE, "yyy", "{'filter': {}, 'finds': [0]}", "111", "111", "2:000", "2:000", "2:000",
     true, true, NULL, "", ""},
    {KEY, THREE, "yyy", "{'filter': {}}", "111", "111", "111", "2:000", "2:000", false, true,
     "the router answers what the shards refuse with 2", "", ""},
};

static void read_seen(const char *text, sp_seen_t *seen, uint32_t times[DOCS])
{
    static char message[] = "no";
    const char *colon = strchr(text, ':');
    *seen = (sp_seen_t){.times = times};
    if (colon != NULL) {
        seen->code = (int32_t)strtol(text, NULL, 10);
        seen->message = message;
        text = colon + 1;
    }
    assert_int_equal(strlen(text), DOCS);
    for (unsigned i = 0; i < DOCS; i++)
        times[i] = (uint32_t)(text[i] - '0');
}

/* Judges a row; the answer is to be destroyed. */
static void judge(const row_t *row, bson_t *answer)
{
    uint32_t times[2 * SP_WAYS][DOCS];
    sp_seen_t everything[SP_WAYS], seen[SP_WAYS];
    bool acknowledged[DOCS];
    bson_t *key = sp_doc_from(row->key), *check = sp_doc_from(row->check);
    char *holder_text = bson_strdup_printf("{'docs': %s}", row->docs);
    bson_t *holder = sp_doc_from(holder_text);
    bson_free(holder_text);
    sp_pattern_t *pattern = sp_pattern_new(key, NULL);
    sp_soundness_t scene = {
        .pattern = pattern, .count = DOCS, .acknowledged = acknowledged, .everything = everything};
    assert_true(bson_iter_init_find(&scene.docs, holder, "docs"));
    for (unsigned i = 0; i < DOCS; i++)
        acknowledged[i] = row->acknowledged[i] == 'y';
    read_seen(row->everything_routed, &everything[SP_WAY_ROUTED], times[0]);
    read_seen(row->everything_scanned, &everything[SP_WAY_DIRECT], times[1]);
    read_seen(row->everything_scanned, &everything[SP_WAY_SCANNED], times[2]);
    read_seen(row->routed, &seen[SP_WAY_ROUTED], times[3]);
    read_seen(row->direct, &seen[SP_WAY_DIRECT], times[4]);
    read_seen(row->scanned, &seen[SP_WAY_SCANNED], times[5]);
    bson_init(answer);
    sp_soundness_judge(&scene, check, seen, answer);
    sp_pattern_free(pattern);
    bson_destroy(key);
    bson_destroy(check);
    bson_destroy(holder);
}

static void assert_places(const bson_t *answer, const char *name, const char *wanted)
{
    bson_iter_t iter, place;
    bson_string_t *text = bson_string_new("");
    if (bson_iter_init_find(&iter, answer, name) && bson_iter_recurse(&iter, &place)) {
        while (bson_iter_next(&place))
            bson_string_append_printf(text, "%s%d", text->len > 0 ? " " : "",
                                      bson_iter_int32(&place));
    }
    assert_string_equal(text->str, wanted);
    bson_string_free(text, true);
}

static bool truth(const bson_t *answer, const char *name)
{
    bson_iter_t iter;
    assert_true(bson_iter_init_find(&iter, answer, name) && BSON_ITER_HOLDS_BOOL(&iter));
    return bson_iter_bool(&iter);
}

static void test_judge(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        bson_t answer;
        bson_iter_t iter;
        judge(&rows[i], &answer);
        const char *cause =
            bson_iter_init_find(&iter, &answer, "cause") ? bson_iter_utf8(&iter, NULL) : "none";
        const char *wanted = rows[i].cause != NULL ? rows[i].cause : "none";
        if (strcmp(cause, wanted) != 0)
            fail_msg("row %zu: the cause is '%s', not '%s'", i, cause, wanted);
        assert_int_equal(truth(&answer, "complete"), rows[i].complete);
        assert_int_equal(truth(&answer, "found"), rows[i].found);
        assert_places(&answer, "missing", rows[i].missing);
        assert_places(&answer, "extra", rows[i].extra);
        bson_destroy(&answer);
    }
}

/* What only the router refuses is an error where none was expected. */
static void test_judge_errors(void **state)
{
    (void)state;
    static const struct {
        const char *routed, *direct, *scanned, *cause;
        int32_t code;
    } errors[] = {
        {"50:000", "000", "000", "endless; key field, equality with string", 50},
        {"50:000", "50:000", "000", "endless; key field, equality with string", 50},
        {"2:000", "111", "111", "the router refuses what the shards answer with 2", 2},
        {"2:000", "000", "3:111", "the router refuses what the shards answer with 2", 2},
        {"201:000", "201:111", "111", "refused only where the index is used with 201", 201},
    };
    bson_t *expected = sp_doc_from("{'complete': true, 'found': true}");
    for (size_t i = 0; i < COUNT(errors); i++) {
        row_t row = {KEY,
                     THREE,
                     "yyy",
                     "{'filter': {'a.b': 'r'}}",
                     "111",
                     "111",
                     errors[i].routed,
                     errors[i].direct,
                     errors[i].scanned,
                     false,
                     false,
                     NULL,
                     "",
                     ""};
        bson_t answer;
        bson_iter_t iter, code;
        judge(&row, &answer);
        assert_true(bson_iter_init_find(&iter, &answer, "cause"));
        assert_string_equal(bson_iter_utf8(&iter, NULL), errors[i].cause);
        assert_true(bson_iter_init(&iter, &answer) &&
                    bson_iter_find_descendant(&iter, "error.code", &code));
        assert_int_equal(bson_iter_as_int64(&code), errors[i].code);
        assert_int_equal(sp_judge(expected, &answer), SP_UNEXPECTED_ERROR);
        bson_destroy(&answer);
    }
    bson_destroy(expected);
}

static void test_narrow(void **state)
{
    (void)state;
    static const struct {
        uint32_t check;
        const char *observed, *narrow;
    } narrowed[] = {
        {0, "{'complete': false, 'found': true, 'missing': [2], 'extra': [0]}",
         "{'key': {'x': 1}, 'shards': 2, 'docs': [{'_id': 0}, {'_id': 2}], "
         "'checks': [{'filter': {'x': 1}, 'finds': [1]}]}"},
        {0, "{'complete': false, 'found': false, 'missing': [1], 'extra': []}",
         "{'key': {'x': 1}, 'shards': 2, 'docs': [{'_id': 1}], "
         "'checks': [{'filter': {'x': 1}, 'finds': [0]}]}"},
        {0, "{'complete': false, 'cause': 'given twice; key field', 'missing': [], 'extra': [1]}",
         "{'key': {'x': 1}, 'shards': 2, 'docs': [{'_id': 0}, {'_id': 1}, {'_id': 2}], "
         "'checks': [{'filter': {'x': 1}, 'finds': [1, 2]}]}"},
        /* no document is named: all may matter */
        {1, "{'error': {'code': 50}, 'cause': 'c'}",
         "{'key': {'x': 1}, 'shards': 2, 'docs': [{'_id': 0}, {'_id': 1}, {'_id': 2}], "
         "'checks': [{'filter': {}, 'collation': {'locale': 'en'}}]}"},
    };
    bson_t *test = sp_doc_from(
        "{'area': 'soundness', 'key': {'x': 1}, 'shards': 2, "
        "'docs': [{'_id': 0}, {'_id': 1}, {'_id': 2}], "
        "'checks': [{'filter': {'x': 1}, 'finds': [1, 2]}, "
        "{'filter': {}, 'collation': {'locale': 'en'}}], 'answers': [{'a': 1}, {'a': 2}]}");
    for (size_t i = 0; i < COUNT(narrowed); i++) {
        bson_t *observed = sp_doc_from(narrowed[i].observed), narrow = BSON_INITIALIZER;
        sp_soundness_narrow(test, narrowed[i].check, observed, &narrow);
        bson_t *wanted = sp_doc_from(narrowed[i].narrow);
        char *is = sp_text_of(&narrow), *should = sp_text_of(wanted);
        assert_string_equal(is, should);
        bson_free(is);
        bson_free(should);
        bson_destroy(wanted);
        bson_destroy(observed);
        bson_destroy(&narrow);
    }
    bson_destroy(test);
}

#define LAYOUT "'key': {'x': 1}, 'chunks': [[{'x': {'$minKey': 1}}, {'x': {'$maxKey': 1}}, 's1']], "

static void test_predict(void **state)
{
    (void)state;
    static const struct {
        const char *test;
        unsigned answers;
        const char *message; /* a part of it; NULL: the case is one */
    } tests[] = {
        {"{" LAYOUT "'docs': [{}], 'checks': [{'filter': {}, 'finds': [0]}, {'filter': {'x': 1}}]}",
         2, NULL},
        {"{" LAYOUT "'docs': [], 'checks': []}", 0, NULL},
        {"{" LAYOUT "'checks': []}", 0, "'docs'"},
        {"{" LAYOUT "'docs': {}, 'checks': []}", 0, "'docs'"},
        {"{" LAYOUT "'docs': []}", 0, "'checks'"},
        {"{" LAYOUT "'docs': [{}, 5], 'checks': []}", 0, "docs[1]"},
        {"{" LAYOUT "'docs': [], 'checks': [5]}", 0, "checks[0]"},
        {"{" LAYOUT "'docs': [], 'checks': [[]]}", 0, "checks[0]"},
        {"{" LAYOUT "'docs': [], 'checks': [{'filter': {}}, {}]}", 0, "checks[1]"},
        {"{" LAYOUT "'docs': [], 'checks': [{'filter': []}]}", 0, "'filter'"},
        {"{" LAYOUT "'docs': [], 'checks': [{'filter': {}, 'collation': 'en'}]}", 0, "'collation'"},
        {"{" LAYOUT "'docs': [{}], 'checks': [{'filter': {}, 'finds': [1]}]}", 0, "'finds'"},
        {"{" LAYOUT "'docs': [{}], 'checks': [{'filter': {}, 'finds': [-1]}]}", 0, "'finds'"},
        {"{" LAYOUT "'docs': [{}], 'checks': [{'filter': {}, 'finds': ['0']}]}", 0, "'finds'"},
        {"{" LAYOUT "'docs': [{}], 'checks': [{'filter': {}, 'finds': 0}]}", 0, "'finds'"},
        {"{'key': {'x': 1}, 'docs': [], 'checks': []}", 0, "chunks"},
    };
    for (size_t i = 0; i < COUNT(tests); i++) {
        bson_t *test = sp_doc_from(tests[i].test);
        sp_answers_t answers = SP_ANSWERS_INITIALIZER;
        sp_error_t error = {0};
        bool ok = sp_case_predict_soundness(NULL, test, &answers, &error);
        if (ok != (tests[i].message == NULL))
            fail_msg("%s: %s", tests[i].test, ok ? "taken" : error.message);
        if (ok) {
            assert_int_equal(answers.count, tests[i].answers);
            for (uint32_t j = 0; j < answers.count; j++)
                assert_true(truth(answers.items[j], "complete") &&
                            truth(answers.items[j], "found"));
        } else {
            assert_int_equal(error.domain, SP_ERROR_INPUT);
            if (tests[i].message != NULL)
                assert_non_null(strstr(error.message, tests[i].message));
        }
        sp_answers_clear(&answers);
        bson_destroy(test);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_judge),
        cmocka_unit_test(test_judge_errors),
        cmocka_unit_test(test_narrow),
        cmocka_unit_test(test_predict),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
