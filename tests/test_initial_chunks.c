/* All answers are those of servers: 6.0.5 and 6.0.27 where no version is named. */
#include "../oracles/initial_chunks.h"

#include "../oracles/case.h"
#include "from_json.h"
#include "kinds_count.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

typedef struct row {
    const char *question, *answer;
} row_t;

static void write_bound(const bson_iter_t *bound, bson_string_t *text)
{
    bson_iter_t iter;
    assert_true(bson_iter_recurse(bound, &iter));
    for (unsigned i = 0; bson_iter_next(&iter); i++) {
        bson_string_append(text, i > 0 ? "," : "");
        if (BSON_ITER_HOLDS_MINKEY(&iter))
            bson_string_append(text, "-");
        else if (BSON_ITER_HOLDS_MAXKEY(&iter))
            bson_string_append(text, "+");
        else if (BSON_ITER_HOLDS_UTF8(&iter))
            bson_string_append(text, bson_iter_utf8(&iter, NULL));
        else if (BSON_ITER_HOLDS_INT(&iter))
            bson_string_append_printf(text, "%lld", (long long)bson_iter_as_int64(&iter));
        else
            bson_string_append_printf(text, "type %02x", (unsigned)bson_iter_type(&iter));
    }
}

/* "-@s1 0@s2": lower bounds and shards; upper bounds must be the next lower ones. With `whole` also
 * the upper ones: "0:10@za". */
static void write_ranges(const bson_iter_t *ranges, bool whole, bson_string_t *text)
{
    bson_iter_t range, part;
    bson_string_t *end = bson_string_new(NULL);
    assert_true(bson_iter_recurse(ranges, &range));
    for (unsigned i = 0; bson_iter_next(&range); i++) {
        bson_string_append(text, i > 0 ? " " : "");
        assert_true(bson_iter_recurse(&range, &part) && bson_iter_next(&part));
        uint32_t begin = text->len;
        write_bound(&part, text);
        if (i > 0 && !whole)
            assert_string_equal(text->str + begin, end->str);
        assert_true(bson_iter_next(&part));
        bson_string_truncate(end, 0);
        write_bound(&part, end);
        if (whole)
            bson_string_append_printf(text, ":%s", end->str);
        assert_true(bson_iter_next(&part));
        bson_string_append_printf(text, "@%s", bson_iter_utf8(&part, NULL));
    }
    for (const char *at = end->str; !whole && *at != '\0'; at++)
        assert_true(*at == '+' || *at == ',');
    bson_string_free(end, true);
}

static char *text_of(const bson_t *answer)
{
    bson_string_t *text = bson_string_new(NULL);
    bson_iter_t iter, code;
    if (bson_iter_init_find(&iter, answer, "error")) {
        assert_true(bson_iter_recurse(&iter, &code) && bson_iter_find(&code, "code"));
        bson_string_append_printf(text, "error %lld", (long long)bson_iter_as_int64(&code));
    } else if (bson_iter_init_find(&iter, answer, "zones")) {
        write_ranges(&iter, true, text);
    } else {
        assert_true(bson_iter_init_find(&iter, answer, "chunks"));
        if (BSON_ITER_HOLDS_ARRAY(&iter))
            write_ranges(&iter, false, text);
        else
            bson_string_append_printf(text, "%lld", (long long)bson_iter_as_int64(&iter));
    }
    return bson_string_free(text, false);
}

static bool predict(const char *version, unsigned shards, const char *question,
                    sp_answers_t *answers, sp_error_t *error)
{
    sp_version_t parsed;
    char *text = bson_strdup_printf("{'shards': %u, 'requests': [%s]}", shards, question);
    bson_t *test = sp_doc_from(text);
    assert_true(sp_version_parse(version, &parsed, NULL));
    sp_model_t *model = sp_model_new(parsed, NULL);
    assert_non_null(model);
    bool ok = sp_case_predict_chunks(model, test, answers, error);
    sp_model_free(model);
    bson_destroy(test);
    bson_free(text);
    return ok;
}

static void assert_row(const char *version, unsigned shards, const row_t *row)
{
    sp_answers_t answers = SP_ANSWERS_INITIALIZER;
    sp_error_t error = {0};
    if (!predict(version, shards, row->question, &answers, &error))
        fail_msg("%s: %s", row->question, error.message);
    assert_int_equal(answers.count, 1);
    char *text = text_of(answers.items[0]);
    if (strcmp(text, row->answer) != 0)
        fail_msg("%s: %s, not %s", row->question, text, row->answer);
    bson_free(text);
    sp_answers_clear(&answers);
}

static void assert_rows(unsigned shards, const row_t *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        assert_row("6.0.5", shards, &rows[i]);
        assert_row("6.0.27", shards, &rows[i]);
    }
}

#define DEFAULT_OF_3                                                                               \
    "-@s1 -6148914691236517204@s1 -3074457345618258602@s2 0@s2 3074457345618258602@s3 "            \
    "6148914691236517204@s3"

static void test_hashed(void **state)
{
    (void)state;
    static const row_t rows[] = {
        {"{'key': {'x': 'hashed'}}", DEFAULT_OF_3},
        {"{'key': {'x': 'hashed'}, 'primary': 's2'}", DEFAULT_OF_3},
        {"{'key': {'x': 'hashed'}, 'exists': true}", DEFAULT_OF_3},
        {"{'key': {'x': 'hashed'}, 'options': {'numInitialChunks': 0}}", DEFAULT_OF_3},
        {"{'key': {'x': 'hashed'}, 'options': {'numInitialChunks': -0.5}}", DEFAULT_OF_3},
        {"{'key': {'x': 'hashed'}, 'options': {'numInitialChunks': null}}", DEFAULT_OF_3},
        {"{'key': {'x': 'hashed'}, 'options': {'presplitHashedZones': null}}", DEFAULT_OF_3},
        {"{'key': {'x': 'hashed', 'y': 1, 'z': 1}, 'primary': 's2'}",
         "-,-,-@s1 -6148914691236517204,-,-@s1 -3074457345618258602,-,-@s2 0,-,-@s2 "
         "3074457345618258602,-,-@s3 6148914691236517204,-,-@s3"},
        {"{'key': {'x': 'hashed'}, 'options': {'numInitialChunks': 1}}", "-@s1"},
        {"{'key': {'x': 'hashed'}, 'options': {'numInitialChunks': 1.0}}", "-@s1"},
        {"{'key': {'x': 'hashed'}, 'options': {'numInitialChunks': 2.999}}", "-@s1 0@s2"},
        {"{'key': {'x': 'hashed'}, 'options': {'numInitialChunks': 3}}",
         "-@s1 -3074457345618258602@s2 3074457345618258602@s3"},
        {"{'key': {'x': 'hashed'}, 'options': {'numInitialChunks': {'$numberDecimal': '3.5'}}}",
         "-@s1 -4611686018427387902@s2 0@s3 4611686018427387902@s1"},
        {"{'key': {'x': 'hashed'}, 'options': {'numInitialChunks': 5}}",
         "-@s1 -5534023222112865483@s2 -1844674407370955161@s3 1844674407370955161@s1 "
         "5534023222112865483@s2"},
        {"{'key': {'x': 'hashed'}, 'options': {'numInitialChunks': 7}}",
         "-@s1 -6588122883467697005@s1 -3952873730080618203@s2 -1317624576693539401@s2 "
         "1317624576693539401@s3 3952873730080618203@s3 6588122883467697005@s1"},
        {"{'key': {'x': 'hashed'}, 'options': {'numInitialChunks': 24576}}", "24576"},
        {"{'key': {'x': 'hashed'}, 'options': {'unique': true}}", "error 72"},
        {"{'key': {'x': 'hashed'}, 'options': {'unique': false, 'numInitialChunks': 2}}",
         "-@s1 0@s2"},
        {"{'key': {'_id': 'hashed'}, 'empty': false, 'primary': 's2'}", "-@s2"},
        {"{'key': {'x': 'hashed'}, 'options': {'numInitialChunks': 1}, 'primary': 's3'}", "-@s3"},
        {"{'key': {'x': 'hashed'}, 'options': {'numInitialChunks': 2}, 'primary': 's3'}",
         "-@s3 0@s2"},
        {"{'key': {'x': 'hashed'}, 'options': {'numInitialChunks': 2}, 'primary': 's2'}",
         "-@s2 0@s2"},
        {"{'key': {'x': 'hashed'}, 'options': {'numInitialChunks': 3}, 'primary': 's3'}",
         "-@s1 -3074457345618258602@s2 3074457345618258602@s3"},
    };
    assert_rows(3, rows, COUNT(rows));
}

/* From the samples: what a router was asked for. */
static void test_five_shards(void **state)
{
    (void)state;
    static const row_t row = {
        "{'key': {'a.b': 'hashed'}}",
        "-@s1 -7378697629483820640@s1 -5534023222112865480@s2 -3689348814741910320@s2 "
        "-1844674407370955160@s3 0@s3 1844674407370955160@s4 3689348814741910320@s4 "
        "5534023222112865480@s5 7378697629483820640@s5"};
    assert_rows(5, &row, 1);
}

static void test_4_0_3(void **state)
{
    (void)state;
    static const row_t rows[] = {
        {"{'key': {'x': 'hashed'}}",
         "-@s1 -6917529027641081850@s1 -4611686018427387900@s2 -2305843009213693950@s2 0@s3 "
         "2305843009213693950@s3 4611686018427387900@s4 6917529027641081850@s4"},
        {"{'key': {'x': 'hashed'}, 'options': {'numInitialChunks': 5}}",
         "-@s1 -5534023222112865483@s2 -1844674407370955161@s3 1844674407370955161@s4 "
         "5534023222112865483@s1"},
        {"{'key': {'x': 1}, 'options': {'numInitialChunks': 5}}", "error 72"},
        {"{'key': {'x': 'hashed'}, 'empty': false}", "-@s1"},
    };
    for (size_t i = 0; i < COUNT(rows); i++)
        assert_row("4.0.3", 4, &rows[i]);
}

static void test_one_chunk(void **state)
{
    (void)state;
    static const row_t rows[] = {
        {"{'key': {'x': 1}, 'primary': 's2'}", "-@s2"},
        {"{'key': {'x': 1}, 'options': {'unique': true}}", "-@s1"},
        {"{'key': {'y': 1, 'x': 'hashed'}, 'primary': 's2'}", "-,-@s2"},
        {"{'key': {'x': 1}, 'options': {'numInitialChunks': 0}}", "-@s1"},
        {"{'key': {'y': 1, 'x': 'hashed'}, 'options': {'numInitialChunks': 0}}", "-,-@s1"},
        {"{'key': {'_id': 1}, 'empty': false, 'options': {'numInitialChunks': 0}}", "-@s1"},
    };
    assert_rows(3, rows, COUNT(rows));
}

static void test_refused_numbers(void **state)
{
    (void)state;
    static const row_t rows[] = {
        {"{'key': {'x': 'hashed'}, 'options': {'numInitialChunks': 24577}}", "error 72"},
        {"{'key': {'x': 'hashed'}, 'options': {'numInitialChunks': -1}}", "error 72"},
        {"{'key': {'x': 'hashed'}, 'options': {'numInitialChunks': 2147483647}}", "error 72"},
        {"{'key': {'x': 'hashed'}, 'options': {'numInitialChunks': {'$numberLong': "
         "'2147483648'}}}",
         "error 72"},
        {"{'key': {'x': 'hashed'}, 'options': {'numInitialChunks': {'$numberLong': "
         "'9223372036854775807'}}}",
         "error 72"},
        {"{'key': {'x': 'hashed'}, 'options': {'numInitialChunks': 'a'}}", "error 14"},
        {"{'key': {'x': 'hashed'}, 'options': {'numInitialChunks': true}}", "error 14"},
        {"{'key': {'x': 'hashed'}, 'options': {'presplitHashedZones': 1}}", "error 14"},
        {"{'key': {'x': 'hashed'}, 'options': {'unique': 1}}", "error 14"},
        {"{'key': {'x': 1}, 'options': {'numInitialChunks': 1}}", "error 72"},
        {"{'key': {'y': 1, 'x': 'hashed'}, 'options': {'numInitialChunks': 1}}", "error 72"},
        {"{'key': {'_id': 1}, 'empty': false, 'options': {'numInitialChunks': 1}}", "error 72"},
        {"{'key': {'x': 2}}", "error 2"},
    };
    assert_rows(3, rows, COUNT(rows));
}

/* 6.0.5 looks at the lowest 32 bits, but deals chunks by the whole number. */
static void test_numbers_beyond_32_bits(void **state)
{
    (void)state;
    static const row_t rows[] = {
        {"{'key': {'x': 'hashed'}, 'options': {'numInitialChunks': {'$numberLong': "
         "'4294967303'}}}",
         "-@s1 -6588122883467697005@s1 -3952873730080618203@s1 -1317624576693539401@s1 "
         "1317624576693539401@s1 3952873730080618203@s1 6588122883467697005@s1"},
        {"{'key': {'x': 'hashed'}, 'options': {'numInitialChunks': {'$numberLong': "
         "'-9223372036854775805'}}}",
         "-@s1 -3074457345618258602@s1 3074457345618258602@s1"},
        {"{'key': {'x': 'hashed'}, 'options': {'numInitialChunks': {'$numberLong': "
         "'-4294967295'}}}",
         "-@s1"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        const row_t refused = {rows[i].question, "error 72"};
        assert_row("6.0.5", 3, &rows[i]);
        assert_row("6.0.24", 3, &refused);
        assert_row("6.0.27", 3, &refused);
    }
}

/* What 4.2.6 does otherwise than 4.4.2 and 5.0.4. */
static void test_4_2_to_5_0(void **state)
{
    (void)state;
    static const struct {
        const char *question, *before, *since;
    } rows[] = {
        {"{'key': {'x': 'hashed', 'y': 1}}", "error 2",
         "-,-@s1 -6148914691236517204,-@s1 -3074457345618258602,-@s2 0,-@s2 "
         "3074457345618258602,-@s3 "
         "6148914691236517204,-@s3"},
        {"{'key': {'x': 'hashed'}, 'options': {'presplitHashedZones': true}}", DEFAULT_OF_3,
         "error 31387"},
        {"{'key': {'x': 'hashed'}, 'zones': [[{'x': {'$minKey': 1}}, {'x': {'$maxKey': 1}}, "
         "'za']], "
         "'zoneShards': {'za': ['s2', 's3']}, 'options': {'presplitHashedZones': true}}",
         "error 72", "-@s2 -4611686018427387902@s2 0@s3 4611686018427387902@s3"},
        {"{'key': {'x': 'hashed'}, 'options': {'numInitialChunks': {'$numberLong': "
         "'4294967301'}}}",
         "-@s1 -5534023222112865483@s2 -1844674407370955161@s3 1844674407370955161@s1 "
         "5534023222112865483@s2",
         "-@s1 -5534023222112865483@s1 -1844674407370955161@s1 1844674407370955161@s1 "
         "5534023222112865483@s1"},
        {"{'key': {'x': 'hashed'}, 'options': {'numInitialChunks': 2}, 'primary': 's3'}",
         "-@s3 0@s2", "-@s3 0@s2"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        const row_t before = {rows[i].question, rows[i].before};
        const row_t since = {rows[i].question, rows[i].since};
        assert_row("4.2.6", 3, &before);
        assert_row("4.4.2", 3, &since);
        assert_row("5.0.4", 3, &since);
    }
}

static void test_splits(void **state)
{
    (void)state;
    for (uint32_t chunks = 2; chunks < 200; chunks++) {
        for (uint32_t i = 0; i + 1 < chunks; i++) {
            assert_true(sp_hashed_split(chunks, i) == -sp_hashed_split(chunks, chunks - 2 - i));
            assert_true(i == 0 || sp_hashed_split(chunks, i) > sp_hashed_split(chunks, i - 1));
        }
    }
    assert_true(sp_hashed_split(1000000, 999998) == INT64_MAX / 1000000 * 999998);
}

/* s10 stands before s2, but not in a zone. */
static void test_twelve_shards(void **state)
{
    (void)state;
    static const char question[] = "{'key': {'x': 'hashed'}}";
    static const char zoned[] =
        "{'key': {'x': 'hashed'}, 'options': {'presplitHashedZones': true}, 'zones': "
        "[[{'x': {'$minKey': 1}}, {'x': {'$maxKey': 1}}, 'za']], 'zoneShards': {'za': ['s12', "
        "'s11', 's10', 's9', 's8', 's7', 's6', 's5', 's4', 's3', 's2', 's1']}}";
    static const unsigned by_name[] = {1, 10, 11, 12, 2, 3, 4, 5, 6, 7, 8, 9};
    const char *const questions[] = {question, zoned};
    for (size_t i = 0; i < COUNT(questions); i++) {
        sp_answers_t answers = SP_ANSWERS_INITIALIZER;
        bson_iter_t iter, chunk, part;
        assert_true(predict("6.0.5", 12, questions[i], &answers, NULL));
        assert_true(bson_iter_init_find(&iter, answers.items[0], "chunks"));
        assert_true(bson_iter_recurse(&iter, &chunk));
        for (unsigned j = 0; j < 24; j++) {
            char name[16];
            snprintf(name, sizeof name, "s%u", i == 0 ? by_name[j / 2] : j / 2 + 1);
            assert_true(bson_iter_next(&chunk) && bson_iter_recurse(&chunk, &part) &&
                        bson_iter_find(&part, "2"));
            assert_string_equal(bson_iter_utf8(&part, NULL), name);
        }
        assert_false(bson_iter_next(&chunk));
        sp_answers_clear(&answers);
    }
}

#define M         "{'$minKey': 1}"
#define X         "{'$maxKey': 1}"
#define L(number) "{'$numberLong': '" #number "'}"

static void test_zones(void **state)
{
    (void)state;
    static const row_t rows[] = {
        {"{'key': {'x': 1}, 'zones': [[{'x': 0}, {'x': 10}, 'za']], 'zoneShards': {'za': ['s2']}}",
         "-@s1 0@s2 10@s2"},
        {"{'key': {'x': 1}, 'zones': [[{'x': 0}, {'x': 10}, 'za']], 'zoneShards': {'za': ['s2']}, "
         "'primary': 's2'}",
         "-@s1 0@s2 10@s2"},
        {"{'key': {'x': 1}, 'zones': [[{'x': " M "}, {'x': " X "}, 'za']], 'zoneShards': {'za': "
         "['s3', 's1', 's2']}}",
         "-@s1"},
        {"{'key': {'x': 1}, 'zones': [[{'x': 20}, {'x': 25}, 'za'], [{'x': 0}, {'x': 5}, 'za'], "
         "[{'x': 10}, {'x': 15}, 'za']], 'zoneShards': {'za': ['s3', 's1', 's2']}}",
         "-@s1 0@s1 5@s2 10@s2 15@s3 20@s3 25@s1"},
        {"{'key': {'x': 1}, 'zones': [[{'x': 0}, {'x': 10}, 'zb'], [{'x': 10}, {'x': 20}, 'za'], "
         "[{'x': 20}, {'x': 30}, 'zb'], [{'x': 30}, {'x': 40}, 'za'], [{'x': 40}, {'x': 50}, "
         "'zb']], 'zoneShards': {'za': ['s3', 's1'], 'zb': ['s2', 's3']}}",
         "-@s1 0@s2 10@s1 20@s3 30@s3 40@s2 50@s2"},
        {"{'key': {'x': 1}, 'zones': [[{'x': 0}, {'x': 10}, 'za'], [{'x': 20}, {'x': 30}, 'zn']], "
         "'zoneShards': {'za': ['s2'], 'zn': []}}",
         "error 50973"},
        {"{'key': {'_id': 1}, 'empty': false, 'zones': [[{'_id': 0}, {'_id': 10}, 'zn']]}", "-@s1"},
        {"{'key': {'x': 'hashed'}, 'zones': [[{'x': " L(0) "}, {'x': " L(
             10) "}, 'za']], "
                 "'zoneShards': {'za': ['s2']}, 'options': {'numInitialChunks': 6}}",
         "-@s1 0@s2 10@s2"},
        {"{'key': {'x': 'hashed'}, 'zones': [[{'x': 0}, {'x': 10}, 'za']], 'zoneShards': {'za': "
         "['s2']}}",
         "error 72"},
        {"{'key': {'y': 1, 'x': 'hashed'}, 'zones': [[{'y': 0, 'x': " M "}, {'y': 5, 'x': 7}, "
         "'za']], 'zoneShards': {'za': ['s2']}}",
         "error 72"},
        {"{'key': {'x': 1}, 'zones': [[{'x': 10}, {'x': 0}, 'za']], 'zoneShards': {'za': ['s2']}}",
         "error 9"},
        {"{'key': {'x': 1}, 'zones': [[{'x': 10}, {'x': 0}, 'za']], 'zoneShards': {'za': ['s2']}, "
         "'options': {'numInitialChunks': 2}}",
         "error 9"},
        {"{'key': {'x': 1}, 'zones': [[{'x': 10}, {'x': 0}, 'za']], 'zoneShards': {'za': ['s2']}, "
         "'options': {'numInitialChunks': 99999}}",
         "error 72"},
        {"{'key': {'x': 1}, 'zones': [[{'y': 0}, {'y': 10}, 'za']], 'zoneShards': {'za': ['s2']}}",
         "error 72"},
        {"{'key': {'x': 1, 'y': 1}, 'zones': [[{'x': 0}, {'x': 10}, 'za']], 'zoneShards': {'za': "
         "['s2']}}",
         "error 72"},
        {"{'key': {'x': 1}, 'zones': [[{'x': 0, 'y': 0}, {'x': 10, 'y': 0}, 'za']], 'zoneShards': "
         "{'za': ['s2']}}",
         "error 72"},
        {"{'key': {'x': 1}, 'zones': [[{}, {'x': 5}, 'za']], 'zoneShards': {'za': ['s2']}}",
         "error 2"},
        {"{'key': {'_id': 1}, 'empty': false, 'zones': [[{'y': 0}, {'y': 10}, 'za']]}", "error 72"},
        {"{'key': {'_id': 1}, 'empty': false, 'zones': [[{'_id': 9}, {'_id': 5}, 'za']]}",
         "error 9"},
        {"{'key': {'y': 1, 'x': 1}, 'zones': [[{'y': 0, 'x': " M "}, {'y': " X ", 'x': " M
         "}, 'za']], 'zoneShards': {'za': ['s2']}}",
         "-,-@s1 0,-@s2 +,-@s2"},
    };
    assert_rows(3, rows, COUNT(rows));
}

#define WHOLE(shards)                                                                              \
    "'zones': [[{'x': " M "}, {'x': " X "}, 'za']], 'zoneShards': {'za': [" shards "]}"
#define TWO "'zoneShards': {'za': ['s2', 's3'], 'zb': ['s1', 's2']}"
#define APART                                                                                      \
    "'zones': [[{'y': 0, 'x': " M "}, {'y': 10, 'x': " M "}, 'za'], [{'y': 20, 'x': " M            \
    "}, {'y': 30, 'x': " M "}, 'zb']]"
#define SPLIT "'options': {'presplitHashedZones': true}"

static void test_presplit(void **state)
{
    (void)state;
    static const row_t rows[] = {
        {"{'key': {'x': 'hashed'}, " SPLIT ", " WHOLE("'s2'") "}", "-@s2 0@s2"},
        {"{'key': {'x': 'hashed'}, " SPLIT ", " WHOLE("'s3', 's2'") "}",
         "-@s2 -4611686018427387902@s2 0@s3 4611686018427387902@s3"},
        {"{'key': {'x': 'hashed'}, 'options': {'presplitHashedZones': true, 'numInitialChunks': "
         "1}, " WHOLE("'s3', 's2'") "}",
         "-@s2 0@s3"},
        {"{'key': {'x': 'hashed'}, 'options': {'presplitHashedZones': true, 'numInitialChunks': "
         "5}, " WHOLE("'s3', 's2'") "}",
         "-@s2 -6148914691236517204@s2 -3074457345618258602@s2 0@s3 3074457345618258602@s3 "
         "6148914691236517204@s3"},
        {"{'key': {'y': 1, 'x': 'hashed'}, " SPLIT ", " APART ", " TWO "}",
         "-,-@s1 0,-@s2 0,-3074457345618258602@s3 0,3074457345618258602@s3 10,-@s2 20,-@s1 "
         "20,-3074457345618258602@s1 20,3074457345618258602@s2 30,-@s3"},
        {"{'key': {'y': 1, 'x': 'hashed'}, 'options': {'presplitHashedZones': true, "
         "'numInitialChunks': 7}, " APART ", " TWO "}",
         "-,-@s1 0,-@s2 0,-5534023222112865483@s2 0,-1844674407370955161@s3 "
         "0,1844674407370955161@s3 0,5534023222112865483@s3 10,-@s2 20,-@s1 "
         "20,-5534023222112865483@s1 20,-1844674407370955161@s1 20,1844674407370955161@s2 "
         "20,5534023222112865483@s2 30,-@s3"},
        {"{'key': {'y': 1, 'x': 'hashed'}, " SPLIT ", 'zones': [[{'y': 0, 'x': " M
         "}, {'y': 10, 'x': " X "}, 'za']], 'zoneShards': {'za': ['s2']}}",
         "-,-@s1 0,-@s2 0,0@s2 10,+@s2"},
        {"{'key': {'y': 1, 'x': 'hashed'}, " SPLIT ", 'zones': [[{'y': 0, 'x': " M "}, {'y': " X
         ", 'x': " X "}, 'za']], 'zoneShards': {'za': ['s2']}}",
         "-,-@s1 0,-@s2 0,0@s2"},
        {"{'key': {'x': 'hashed'}, " SPLIT "}", "error 31387"},
        {"{'key': {'x': 1}, " SPLIT ", " WHOLE("'s2'") "}", "error 31387"},
        {"{'key': {'_id': 'hashed'}, 'empty': false, " SPLIT ", 'zones': [[{'_id': " M
         "}, {'_id': " X "}, 'za']], 'zoneShards': {'za': ['s2']}}",
         "error 31387"},
        {"{'key': {'x': 'hashed'}, " SPLIT ", 'zones': [[{'x': " M
         "}, {'x': " L(0) "}, 'za']], "
                          "'zoneShards': {'za': ['s2']}}",
         "error 31412"},
        {"{'key': {'x': 'hashed', 'y': 1}, " SPLIT ", 'zones': [[{'x': " M ", 'y': " M "}, {'x': " X
         ", 'y': " M "}, 'za']], 'zoneShards': {'za': ['s2']}}",
         "error 31412"},
        {"{'key': {'y': 1, 'x': 'hashed'}, " SPLIT ", 'zones': [[{'y': " M ", 'x': " M "}, {'y': " X
         ", 'x': " X "}, 'za']], 'zoneShards': {'za': ['s2']}}",
         "error 31388"},
        {"{'key': {'y': 1, 'x': 'hashed'}, " SPLIT ", 'zones': [[{'y': 0, 'x': " L(
             0) "}, {'y': 10, 'x': " M "}, 'za']], 'zoneShards': {'za': ['s2']}}",
         "error 31389"},
        {"{'key': {'y': 1, 'x': 'hashed'}, " SPLIT ", 'zones': [[{'y': 0, 'x': " L(
             3) "}, {'y': 0.0, 'x': " X "}, 'za']], 'zoneShards': {'za': ['s2']}}",
         "error 31390"},
        {"{'key': {'y': 1, 'x': 'hashed', 'z': 1}, " SPLIT ", 'zones': [[{'y': 0, 'x': " M
         ", 'z': 1}, {'y': 1, 'x': " M ", 'z': " M "}, 'za']], 'zoneShards': {'za': ['s2']}}",
         "error 31391"},
        {"{'key': {'y': 1, 'x': 'hashed'}, " SPLIT ", " APART ", 'zoneShards': {'za': ['s2']}}",
         "error 50973"},
    };
    assert_rows(3, rows, COUNT(rows));
}

#define BEFORE                                                                                     \
    "'zones': [[{'x': 0}, {'x': 10}, 'za'], [{'x': 100}, {'x': " L(200) "}, 'zb']], "              \
                                                                        "'zoneShards': {'za': "    \
                                                                        "['s1'], 'zb': ['s2']}"

static void test_zone_updates(void **state)
{
    (void)state;
#define UPDATE(key, min, max, zone)                                                                \
    "{'op': 'updateZone', 'key': " key ", 'min': " min ", 'max': " max ", 'zone': " zone           \
    ", " BEFORE "}"
    static const row_t rows[] = {
        {UPDATE("null", "{'x': 10}", "{'x': 20}", "'za'"), "0:10@za 10:20@za 100:200@zb"},
        {UPDATE("null", "{'x': 0}", "{'x': 10}", "'za'"), "0:10@za 100:200@zb"},
        {UPDATE("{'x': 1}", "{'x': " L(0) "}", "{'x': 10}", "'za'"), "0:10@za 100:200@zb"},
        {UPDATE("{'x': 1}", "{'x': 0}", "{'x': 10}", "'zb'"), "error 178"},
        {UPDATE("{'x': 1}", "{'x': 5}", "{'x': 15}", "'za'"), "error 178"},
        {UPDATE("{'x': 1}", "{'x': 0}", "{'x': 10}", "null"), "100:200@zb"},
        {UPDATE("{'x': 1}", "{'x': 0}", "{'x': 9}", "null"), "0:10@za 100:200@zb"},
        {UPDATE("{'x': 1}", "{'x': 50}", "{'x': 60}", "'zn'"), "error 177"},
        {UPDATE("{'x': 1}", "{'x': 50}", "{'x': 60}", "''"), "error 177"},
        {UPDATE("{'x': 1}", "{'x': 7}", "{'x': 7}", "'zn'"), "error 9"},
        {UPDATE("{'x': 1}", "{'x': 8}", "{'x': 7}", "null"), "error 9"},
        {UPDATE("{'x': 1}", "{}", "{'x': 7}", "null"), "error 2"},
        {UPDATE("{'x': 1}", "{'x': 7}", "{}", "'za'"), "error 2"},
        {UPDATE("{'x': 1}", "{'y': 1}", "{'y': 2}", "'zn'"), "error 177"},
        {UPDATE("{'x': 1}", "{'y': 1}", "{'y': 2}", "'za'"), "error 61"},
        {UPDATE("{'x': 1}", "{'y': 1}", "{'y': 2}", "null"), "error 61"},
        {UPDATE("{'x': 1}", "{'x': 50, 'y': 1}", "{'x': 60, 'y': 1}", "'za'"), "error 61"},
        {UPDATE("null", "{'x': 50}", "{'y': 60}", "null"), "error 61"},
        {UPDATE("null", "{'x': 50}", "{'x': 60, 'y': 1}", "'za'"), "error 61"},
        {UPDATE("null", "{'y': 5}", "{'x': 7}", "'za'"), "error 9"},
        {UPDATE("null", "{'y': 1}", "{'y': 2}", "'za'"), "error 16634"},
        {UPDATE("null", "{'y': 1}", "{'y': 2}", "null"), "0:10@za 100:200@zb"},
        {UPDATE("null", "{'x': 50, 'y': 1}", "{'x': 60, 'y': 1}", "'za'"),
         "0:10@za 50,1:60,1@za 100:200@zb"},
        {UPDATE("null", "{'x': 0, 'y': " M "}", "{'x': 10, 'y': " M "}", "'za'"),
         "0:10@za 0,-:10,-@za 100:200@zb"},
        {UPDATE("null", "{'x': 0, 'y': " M "}", "{'x': 10, 'y': " M "}", "null"),
         "0:10@za 100:200@zb"},
        {UPDATE("{'x': 1}", "{'x': [1]}", "{'x': [2]}", "'zn'"), "error 2"},
        {UPDATE("{'x': 1}", "{'x': [2]}", "{'x': [1]}", "'zn'"), "error 9"},
        {UPDATE("{'x': 1}", "{'x': [1]}", "{'x': [2]}", "null"), "0:10@za 100:200@zb"},
        {UPDATE("{'x': 1}", "{'x': {'a': {'$b': 1}}}", "{'x': {'a': {'$b': 2}}}", "'za'"),
         "error 2"},
        {"{'op': 'updateZone', 'key': {'x': 'hashed'}, 'min': {'x': 0}, 'max': {'x': 9}, 'zone': "
         "'za', 'zoneShards': {'za': ['s1']}}",
         "error 72"},
        {"{'op': 'updateZone', 'key': {'x': 'hashed'}, 'min': {'x': 0}, 'max': {'x': 9}, 'zone': "
         "null, 'zoneShards': {'za': ['s1']}}",
         ""},
        {"{'op': 'updateZone', 'key': {'x': 'hashed'}, 'min': {'x': " L(
             0) "}, 'max': {'x': " X "}, 'zone': 'za', 'zoneShards': {'za': ['s1']}}",
         "0:+@za"},
        {"{'op': 'updateZone', 'key': {'x': 1, 'y': 1}, 'min': {'x': 5}, 'max': {'x': " X
         "}, 'zone': 'za', 'zoneShards': {'za': ['s1']}, 'zones': [[{'x': 0, 'y': " M
         "}, {'x': 5, 'y': 1}, 'za']]}",
         "error 178"},
        {"{'op': 'updateZone', 'key': {'x': 1, 'y': 1}, 'min': {'x': 5}, 'max': {'x': " X
         "}, 'zone': 'za', 'zoneShards': {'za': ['s1']}, 'zones': [[{'x': 0, 'y': " M
         "}, {'x': 5, 'y': " M "}, 'za']]}",
         "0,-:5,-@za 5,-:+,-@za"},
        {"{'op': 'updateZone', 'key': null, 'min': {'x': 0}, 'max': {'x': 11}, 'zone': 'za', "
         "'zoneShards': {'za': ['s1']}, 'zones': [[{'x': 0}, {'x': 10}, 'za'], [{'x': 200, 'y': "
         "1}, {'x': 200, 'y': 3}, 'za']]}",
         "error 349"},
        {"{'op': 'updateZone', 'key': null, 'min': {'x': 0}, 'max': {'x': 1}, 'zone': 'za', "
         "'zoneShards': {'za': ['s1']}, 'zones': [[{'x': 200, 'y': 1}, {'x': 300, 'y': 1}, 'za'], "
         "[{'a': 1}, {'a': 2}, 'za']]}",
         "error 16634"},
        {"{'op': 'updateZone', 'key': null, 'min': {'x': 900, 'y': 1}, 'max': {'x': 901, 'y': 1}, "
         "'zone': 'za', 'zoneShards': {'za': ['s1']}, 'zones': [[{'x': 0, 'y': 3}, {'x': 5, 'y': "
         "1}, 'za'], [{'x': 5}, {'x': 9}, 'za']]}",
         "error 178"},
        {"{'op': 'updateZone', 'key': null, 'min': {'x': 0}, 'max': {'x': 1}, 'zone': 'za', "
         "'zoneShards': {'za': ['s1']}, 'zones': [[{'x': 200, 'y': 1}, {'x': 300, 'y': 1}, 'za'], "
         "[{'x': 500}, {'x': 400}, 'za']]}",
         "error 349"},
        {"{'op': 'updateZone', 'key': null, 'min': {'x': 0}, 'max': {'x': 1}, 'zone': 'za', "
         "'zoneShards': {'za': ['s1']}, 'zones': [[{'x': 600, 'y': 1}, {'x': 700, 'y': 1}, 'za'], "
         "[{'x': 500}, {'x': 400}, 'za']]}",
         "error 9"},
    };
    assert_rows(3, rows, COUNT(rows));
}

static void test_bad_input(void **state)
{
    (void)state;
    static const struct {
        const char *question, *named;
    } rows[] = {
        {"5", "requests[0]"},
        {"{}", "'key'"},
        {"{'key': 5}", "'key'"},
        {"{'key': {'x': 1}, 'options': []}", "'options'"},
        {"{'key': {'x': 1}, 'options': {'a': 1}}", "'options'"},
        {"{'key': {'x': 1}, 'empty': 1}", "'empty'"},
        {"{'key': {'x': 1}, 'exists': 1}", "'exists'"},
        {"{'key': {'x': 1}, 'primary': 1}", "'primary'"},
        {"{'key': {'x': 1}, 'primary': 's4'}", "'primary'"},
        {"{'key': {'x': 1}, 'primary': 's01'}", "'primary'"},
        {"{'key': {'x': 1}, 'zones': {}}", "'zones'"},
        {"{'key': {'x': 1}, 'zones': [5]}", "zones[0]"},
        {"{'key': {'x': 1}, 'zones': [[]]}", "zones[0]"},
        {"{'key': {'x': 1}, 'zones': [[{'x': 1}]]}", "zones[0]"},
        {"{'key': {'x': 1}, 'zones': [[{'x': 1}, 5, 'za']]}", "zones[0]"},
        {"{'key': {'x': 1}, 'zones': [[[], {'x': 1}, 'za']]}", "zones[0]"},
        {"{'key': {'x': 1}, 'zones': [[{'x': 1}, {'x': 2}]]}", "zones[0]"},
        {"{'key': {'x': 1}, 'zones': [[{'x': 1}, {'x': 2}, 5]]}", "zones[0]"},
        {"{'key': {'x': 1}, 'zones': [[{'x': 1}, {'x': 2}, 'za', 1]]}", "zones[0]"},
        {"{'key': {'x': 1}, 'zoneShards': []}", "'zoneShards'"},
        {"{'key': {'x': 1}, 'zoneShards': {'za': 's1'}}", "zoneShards['za']"},
        {"{'key': {'x': 1}, 'zoneShards': {'za': [1]}}", "zoneShards['za']"},
        {"{'key': {'x': 1}, 'zoneShards': {'za': ['s4']}}", "zoneShards['za']"},
        {"{'key': {'x': 1}, 'zoneShards': {'za': ['s1'], 'za': ['s1']}}", "'zoneShards'"},
        {"{'key': {'x': 1}, 'op': 'shard'}", "'op'"},
        {"{'key': {'x': 1}, 'op': 1}", "'op'"},
        {"{'op': 'updateZone', 'key': null, 'max': {'x': 1}, 'zone': null}", "'min'"},
        {"{'op': 'updateZone', 'key': null, 'min': [], 'max': {'x': 1}, 'zone': null}", "'min'"},
        {"{'op': 'updateZone', 'key': null, 'min': {'x': 1}, 'max': 5, 'zone': null}", "'max'"},
        {"{'op': 'updateZone', 'key': null, 'min': {'x': 1}, 'max': {'x': 2}}", "'zone'"},
        {"{'op': 'updateZone', 'key': null, 'min': {'x': 1}, 'max': {'x': 2}, 'zone': 1}",
         "'zone'"},
        {"{'op': 'updateZone', 'min': {'x': 1}, 'max': {'x': 2}, 'zone': null}", "'key'"},
        {"{'op': 'updateZone', 'key': {}, 'min': {'x': 1}, 'max': {'x': 2}, 'zone': null}",
         "'key'"},
        /* what brings servers down or breaks the collection */
        {"{'key': {'x': 'hashed'}, 'options': {'numInitialChunks': {'$numberLong': "
         "'4294967296'}}}",
         "numInitialChunks"},
        {"{'key': {'x': 'hashed'}, " SPLIT ", " WHOLE("") "}", "presplitHashedZones"},
        {"{'key': {'x': 1}, 'zones': [[{'x': 0}, {'x': 10}, 'za'], [{'x': 5}, {'x': 15}, 'za']], "
         "'zoneShards': {'za': ['s1']}}",
         "overlap"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        sp_answers_t answers = SP_ANSWERS_INITIALIZER;
        sp_error_t error = {0};
        if (predict("6.0.5", 3, rows[i].question, &answers, &error))
            fail_msg("%s is taken", rows[i].question);
        assert_int_equal(error.domain, SP_ERROR_INPUT);
        if (strstr(error.message, rows[i].named) == NULL)
            fail_msg("%s: %s", rows[i].question, error.message);
        sp_answers_clear(&answers);
    }
}

static void test_bad_cases(void **state)
{
    (void)state;
    static const char *const cases[] = {
        "{}",
        "{'shards': 3}",
        "{'requests': []}",
        "{'shards': 0, 'requests': []}",
        "{'shards': 1025, 'requests': []}",
        "{'shards': '3', 'requests': []}",
        "{'shards': 3, 'requests': {}}",
    };
    sp_version_t version;
    assert_true(sp_version_parse("6.0.5", &version, NULL));
    sp_model_t *model = sp_model_new(version, NULL);
    for (size_t i = 0; i < COUNT(cases); i++) {
        sp_answers_t answers = SP_ANSWERS_INITIALIZER;
        sp_error_t error = {0};
        bson_t *test = sp_doc_from(cases[i]);
        assert_false(sp_case_predict_chunks(model, test, &answers, &error));
        assert_int_equal(error.domain, SP_ERROR_INPUT);
        bson_destroy(test);
        sp_answers_clear(&answers);
    }
    sp_model_free(model);
}

static void test_kinds(void **state)
{
    (void)state;
    static const sp_kinds_area_t area = {"chunks", sp_gen_chunks, sp_case_predict_chunks, 1500,
                                         SP_CHUNKS_REQUESTS};
    sp_assert_kinds_come(&area);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hashed),          cmocka_unit_test(test_five_shards),
        cmocka_unit_test(test_4_0_3),           cmocka_unit_test(test_one_chunk),
        cmocka_unit_test(test_refused_numbers), cmocka_unit_test(test_numbers_beyond_32_bits),
        cmocka_unit_test(test_4_2_to_5_0),      cmocka_unit_test(test_splits),
        cmocka_unit_test(test_twelve_shards),   cmocka_unit_test(test_zones),
        cmocka_unit_test(test_presplit),        cmocka_unit_test(test_zone_updates),
        cmocka_unit_test(test_bad_input),       cmocka_unit_test(test_bad_cases),
        cmocka_unit_test(test_kinds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
