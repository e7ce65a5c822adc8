/* Updates of shard key values: what servers of 6.0.5 and 6.0.27 answered, and what the model says
 * for others. */
#include "../oracles/case.h"
#include "../oracles/rules.h"
#include "../oracles/value.h"

#include "from_json.h"
#include "query_layout.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static const char *const modes[] = {"router", "shard", "retryable", "transaction"};

/* "1/0" for {n: 1, nModified: 0}, "upserted", or the error's code; "1" where nModified is not told.
 */
static void write_answer(const bson_t *answer, char text[16])
{
    bson_iter_t iter, inner;
    int64_t n = -1, modified = -1;
    if (bson_iter_init(&iter, answer) && bson_iter_find_descendant(&iter, "error.code", &inner)) {
        snprintf(text, 16, "%d", (int)bson_iter_as_int64(&inner));
        return;
    }
    if (bson_iter_init_find(&iter, answer, "n"))
        n = bson_iter_as_int64(&iter);
    if (bson_iter_init_find(&iter, answer, "nModified"))
        modified = bson_iter_as_int64(&iter);
    if (modified < 0)
        snprintf(text, 16, "%d", (int)n);
    else
        snprintf(text, 16, "%d/%d", (int)n, (int)modified);
    if (bson_has_field(answer, "upserted"))
        snprintf(text, 16, "upserted");
}

typedef struct row {
    const char *question; /* without its mode */
    const char *wanted;   /* through the router, plain, retryable, in a transaction. "-": not
                           * looked at, "?": the model does not know */
} row_t;

static void assert_row(sp_model_t *model, const sp_layout_t *layout, const row_t *row)
{
    const char *wanted = row->wanted;
    for (unsigned i = 0; i < sizeof modes / sizeof *modes; i++) {
        size_t length = strcspn(wanted, " ");
        char had[16], text[32];
        bson_t *question = sp_doc_from(row->question), answer = BSON_INITIALIZER;
        sp_error_t error = {0};
        BSON_APPEND_UTF8(question, "mode", modes[i]);
        snprintf(text, sizeof text, "%.*s", (int)length, wanted);
        if (strcmp(text, "?") == 0) {
            if (sp_predict_keychange(model, layout, question, &answer, &error) ||
                error.domain != SP_ERROR_INPUT)
                fail_msg("%s, %s: it is known", row->question, modes[i]);
        } else if (strcmp(text, "-") != 0) {
            if (!sp_predict_keychange(model, layout, question, &answer, &error))
                fail_msg("%s: %s", row->question, error.message);
            write_answer(&answer, had);
            if (strcmp(had, text) != 0)
                fail_msg("%s, %s: %s, not %s", row->question, modes[i], had, text);
        }
        bson_destroy(&answer);
        bson_destroy(question);
        wanted += length + (wanted[length] == ' ');
    }
}

static void assert_rows(const char *version, const char *layout_text, const row_t *rows,
                        size_t count)
{
    sp_model_t *model = sp_model_of(version);
    sp_layout_t *layout = sp_layout_from(layout_text);
    for (size_t i = 0; i < count; i++)
        assert_row(model, layout, &rows[i]);
    sp_layout_free(layout);
    sp_model_free(model);
}

#define ROWS(rows) (rows), sizeof(rows) / sizeof *(rows)

#define RANGED "{'key': {'x': 1}, 'splits': [{'x': 0}, {'x': 10}, {'x': 20}]}"
#define HASHED "{'key': {'x': 'hashed'}, 'splits': [{'x': {'$numberLong': '0'}}]}"
#define DOTTED "{'key': {'a.b': 1}, 'splits': [{'a.b': 0}, {'a.b': 10}, {'a.b': 20}]}"
#define DOC    "'doc': {'_id': 1, 'x': 5}, "
#define BOTH   "'filter': {'_id': 1, 'x': 5}, "
#define BY_ID  "'filter': {'_id': 1}, "

static void test_how_it_is_sent(void **state)
{
    (void)state;
    static const row_t rows[] = {
        {"{" DOC BOTH "'update': {'$set': {'x': 6}}}", "20 20 1/1 1/1"},
        {"{" DOC BOTH "'update': {'$set': {'x': 16}}}", "20 20 283 283"},
        {"{" DOC BY_ID "'update': {'$set': {'x': 6}}}", "31025 31025 31025 31025"},
        {"{" DOC "'filter': {'x': 5}, 'update': {'$set': {'x': 6}}}", "20 20 1/1 1/1"},
        {"{" DOC BOTH "'update': {'$set': {'x': 6}}, 'multi': true}", "72 72 72 72"},
        {"{" DOC BY_ID "'update': {'$set': {'x': 6}}, 'multi': true}", "31025 31025 72 31025"},
        {"{" DOC "'filter': {'_id': 2, 'x': 5}, 'update': {'$set': {'x': 6}}}", "0/0 0/0 0/0 0/0"},
        {"{" DOC BY_ID "'update': {'$set': {'y': 6}}}", "1/1 1/1 1/1 1/1"},
        {"{" DOC BY_ID "'update': {'$set': {'x': 5}}}", "1/0 1/0 1/0 1/0"},
        {"{" DOC BOTH "'update': {'$unset': {'x': 1}}}", "20 20 283 283"},
        {"{" DOC BOTH "'update': {'$rename': {'x': 'y'}}}", "20 20 283 283"},
        {"{" DOC BOTH "'update': [{'$set': {'x': 6}}]}", "20 20 1/1 1/1"},
        {"{" DOC BOTH "'op': 'findAndModify', 'update': {'$set': {'x': 6}}}", "- 20 1 1"},
        {"{" DOC BOTH "'op': 'findAndModify', 'update': [{'$set': {}, '$unset': 'y'}]}",
         "- 40323 40323 40323"},
        {"{" DOC BOTH "'collation': {'strength': 2}, 'update': [{'$set': {}, '$unset': 'y'}]}",
         "40323 40323 40323 40323"},
        {"{" DOC BOTH "'op': 'findAndModify', 'collation': {'strength': 2}, "
         "'update': [{'$set': {}, '$unset': 'y'}]}",
         "- 40414 40414 40414"},
        {"{" DOC BY_ID "'op': 'findAndModify', 'update': {'$set': {'x': 6}}}",
         "- 31025 31025 31025"},
        /* the lower bound of a chunk is in, the upper one out */
        {"{" DOC BOTH "'update': {'$set': {'x': 0}}}", "20 20 1/1 1/1"},
        {"{" DOC BOTH "'update': {'$set': {'x': 10}}}", "20 20 283 283"},
        {"{'doc': {'_id': 1, 'x': -5}, 'filter': {'x': -5}, "
         "'update': {'$set': {'x': {'$minKey': 1}}}}",
         "20 20 1/1 1/1"},
    };
    assert_rows("6.0.5", RANGED, ROWS(rows));
    assert_rows("6.0.27", RANGED, ROWS(rows));
}

static void test_replacements(void **state)
{
    (void)state;
    static const row_t rows[] = {
        {"{" DOC BOTH "'update': {'y': 1}}", "20 20 283 283"},
        {"{" DOC BOTH "'update': {'x': 15, 'y': 1}}", "20 20 283 283"},
        {"{" DOC BY_ID "'update': {'x': 5, 'y': 1}}", "1/1 1/1 1/1 1/1"},
        /* the router goes by the replacement */
        {"{" DOC BY_ID "'update': {'x': 15, 'y': 1}}", "0/0 31025 31025 31025"},
        {"{" DOC BY_ID "'update': {'x': [1]}}", "61 54 54 54"},
        {"{" DOC BOTH "'update': {'y': 1}, 'multi': true}", "72 9 72 9"},
        {"{" DOC BOTH "'update': {}}", "20 20 283 283"},
        {"{" DOC "'filter': {'x': 5}, 'update': {'a': 1, '$set': {'a': 1}}}", "12 52 52 52"},
        {"{" DOC "'filter': {'x': 5}, 'update': {'$set': {'a': 1}, 'b': 1}}", "12 9 9 9"},
        {"{" DOC "'filter': {'$foo': 1}, 'update': {'a': 1}, 'multi': true}", "72 9 72 9"},
        {"{" DOC "'filter': {'y': 1}, 'update': [{}]}", "40323 40323 40323 40323"},
        {"{" DOC "'filter': {'x': 1}, 'update': [5], 'multi': true}", "14 14 14 14"},
        {"{" DOC "'filter': {'$foo': 1}, 'update': [{'$unset': 5}]}", "2 31002 31002 31002"},
    };
    assert_rows("6.0.5", RANGED, ROWS(rows));
    assert_rows("6.0.27", RANGED, ROWS(rows));
}

static void test_what_a_change_is(void **state)
{
    (void)state;
    static const row_t ranged[] = {
        {"{" DOC BOTH "'update': {'$set': {'x': {'$numberLong': '5'}}}}", "20 20 1/1 1/1"},
        {"{" DOC BOTH "'update': {'$set': {'x': {'$numberDouble': '5.0'}}}}", "20 20 1/1 1/1"},
        {"{" DOC BY_ID "'update': {'$set': {'x': {'$numberDouble': '5.0'}}}}",
         "31025 31025 31025 31025"},
        {"{'doc': {'_id': 1, 'x': {'$numberDouble': '0.0'}}, 'filter': {'x': 0}, "
         "'update': {'$set': {'x': {'$numberDouble': '-0.0'}}}}",
         "20 20 1/1 1/1"},
        /* what is missing is null */
        {"{'doc': {'_id': 1}, " BY_ID "'update': {'$unset': {'x': 1}}}", "1/0 1/0 1/0 1/0"},
        {"{'doc': {'_id': 1}, " BY_ID "'update': {'$set': {'x': null}}}", "1/1 1/1 1/1 1/1"},
        {"{'doc': {'_id': 1, 'x': null}, " BY_ID "'update': {'$unset': {'x': 1}}}",
         "1/1 1/1 1/1 1/1"},
    };
    static const row_t hashed[] = {
        {"{" DOC BY_ID "'update': {'$set': {'x': {'$numberDouble': '5.7'}}}}", "1/1 1/1 1/1 1/1"},
        {"{" DOC BY_ID "'update': {'$set': {'x': {'$numberDouble': '5.7'}}}, 'multi': true}",
         "1/1 1/1 72 1/1"},
        {"{" DOC BY_ID "'update': {'$set': {'x': 6}}}", "31025 31025 31025 31025"},
        {"{" DOC BY_ID "'update': {'$set': {'x': [5]}}}", "54 54 54 54"},
    };
    assert_rows("6.0.5", RANGED, ROWS(ranged));
    assert_rows("6.0.27", RANGED, ROWS(ranged));
    assert_rows("6.0.27", HASHED, ROWS(hashed));
}

static void test_filters(void **state)
{
    (void)state;
#define SIX ", 'update': {'$set': {'x': 6}}}"
    static const row_t rows[] = {
        {"{" DOC "'filter': {'x': {'$eq': 5}}" SIX, "20 20 1/1 1/1"},
        {"{" DOC "'filter': {'x': {'$in': [5]}}" SIX, "20 20 1/1 1/1"},
        {"{" DOC "'filter': {'x': {'$all': [5]}}" SIX, "20 20 1/1 1/1"},
        {"{" DOC "'filter': {'$and': [{'x': 5}]}" SIX, "20 20 1/1 1/1"},
        {"{" DOC "'filter': {'$or': [{'x': 5}]}" SIX, "20 20 1/1 1/1"},
        {"{" DOC "'filter': {'x': {'$numberDouble': '5.0'}}" SIX, "20 20 1/1 1/1"},
        {"{" DOC "'filter': {'x': {'$in': [5, 5]}}" SIX, "20 20 1/1 1/1"},
        {"{" DOC "'filter': {'x': {'$in': [5, 6]}}" SIX, "31025 31025 31025 31025"},
        {"{" DOC "'filter': {'x': {'$gte': 5, '$lte': 5}}" SIX, "31025 31025 31025 31025"},
        {"{" DOC "'filter': {'$and': [{'x': 5}, {'x': 5}]}" SIX, "31025 31025 31025 31025"},
        {"{" DOC "'filter': {'x': 5, 'x.a': null}" SIX, "31025 31025 31025 31025"},
        {"{" DOC "'filter': {'x': {'$not': {'$ne': 5}}}" SIX, "72 31025 31025 31025"},
        {"{" DOC "'filter': {'$foo': 5}, 'update': {'$bar': {'x': 1}}}", "2 9 9 9"},
        {"{'doc': {'_id': 1, 'x': {'$regularExpression': {'pattern': 'a', 'options': ''}}}, "
         "'filter': {'x': {'$eq': {'$regularExpression': {'pattern': 'a', 'options': ''}}}}" SIX,
         "20 20 283 283"},
        {"{'doc': {'_id': 1, 'x': {'$regularExpression': {'pattern': 'a', 'options': ''}}}, "
         "'filter': {'x': {'$regularExpression': {'pattern': 'a', 'options': ''}}}" SIX,
         "31025 31025 31025 31025"},
        {"{'doc': {'_id': 1}, 'filter': {'x': null}" SIX, "20 20 283 283"},
        {"{'doc': {'_id': 1}, 'filter': {'x': {'$exists': false}}" SIX, "31025 31025 31025 31025"},
    };
    assert_rows("6.0.5", RANGED, ROWS(rows));
    assert_rows("6.0.27", RANGED, ROWS(rows));
}

static void test_dotted_keys(void **state)
{
    (void)state;
#define INNER "'doc': {'_id': 1, 'a': {'b': 5}}, "
#define B_SIX ", 'update': {'$set': {'a.b': 6}}}"
    static const row_t rows[] = {
        {"{" INNER "'filter': {'a.b': 5}" B_SIX, "20 20 1/1 1/1"},
        {"{" INNER "'filter': {'a': {'b': 5}}" B_SIX, "20 20 1/1 1/1"},
        {"{" INNER "'filter': {'a': {'b': 5}, 'a.b': 5}" B_SIX, "31025 31025 31025 31025"},
        /* any equality above the field will do, for the shard */
        {"{'doc': {'_id': 1, 'a': {'c': 1}}, 'filter': {'a': {'c': 1}}, "
         "'update': {'$set': {'a.b': 5}}}",
         "72 20 283 283"},
        {"{'doc': {'_id': 1, 'a': 5}, 'filter': {'a': 5, '_id': 1}, "
         "'update': {'$set': {'a': {'b': 5}}}}",
         "20 20 283 283"},
        {"{" INNER BY_ID "'update': {'$set': {'a': {'b': 5, 'c': 1}}}}", "1/1 1/1 1/1 1/1"},
        {"{" INNER BY_ID "'update': {'$set': {'a': [{'b': 5}]}}}", "54 54 54 54"},
        {"{" INNER BY_ID "'update': {'$set': {'a': []}}}", "54 54 54 54"},
        {"{" INNER BY_ID "'update': {'$set': {'a': 7}}}", "31025 31025 31025 31025"},
        {"{" INNER BY_ID "'update': {'$rename': {'a': 'c'}}}", "31025 31025 31025 31025"},
        {"{'doc': {'_id': 1, 'c': {'b': 5}}, 'filter': {'_id': 1, 'a.b': null}, "
         "'update': {'$rename': {'c': 'a'}}}",
         "20 20 283 283"},
    };
    static const row_t siblings[] = {
        {"{'doc': {'_id': 1, 'a': {'b': 1, 'c': 2}}, 'filter': {'a': {'b': 1, 'c': 2}}" B_SIX,
         "31025 31025 31025 31025"},
        {"{'doc': {'_id': 1, 'a': {'b': 1, 'c': 2}}, 'filter': {'a.b': 1, 'a.c': 2}" B_SIX,
         "20 20 1/1 1/1"},
    };
    static const row_t nested[] = {
        {"{'doc': {'_id': 1, 'a': {'b': 1}}, 'filter': {'a': {'b': 1}}, "
         "'update': {'$set': {'a.c': 2}}}",
         "31025 31025 31025 31025"},
    };
    assert_rows("6.0.5", DOTTED, ROWS(rows));
    assert_rows("6.0.27", DOTTED, ROWS(rows));
    assert_rows("6.0.27",
                "{'key': {'a.b': 1, 'a.c': 1}, 'splits': [{'a.b': 0, 'a.c': 0}, {'a.b': 10, "
                "'a.c': 0}]}",
                ROWS(siblings));
    assert_rows("6.0.27",
                "{'key': {'a': 1, 'a.b': 1}, 'splits': [{'a': 0, 'a.b': 0}, {'a': {'$maxKey': 1}, "
                "'a.b': 0}]}",
                ROWS(nested));
}

static void test_ids(void **state)
{
    (void)state;
#define ONE "{'$numberDouble': '1.0'}"
    static const row_t id[] = {
        {"{'doc': {'_id': 1}, " BY_ID "'update': {'y': 1}}", "1/1 1/1 1/1 1/1"},
        {"{'doc': {'_id': 1}, " BY_ID "'update': {'$set': {'_id': " ONE "}}}", "66 66 66 66"},
        /* a filter of _id alone is not looked at as a filter */
        {"{'doc': {'_id': 1}, " BY_ID "'update': {'_id': " ONE "}}", "31025 31025 31025 31025"},
        {"{'doc': {'_id': 1}, 'filter': {'_id': {'$eq': 1}}, 'update': {'_id': " ONE "}}",
         "20 20 1/1 1/1"},
        {"{'doc': {'_id': 1}, 'filter': {'_id': 1, 'z': null}, 'update': {'_id': " ONE "}}",
         "20 20 1/1 1/1"},
        {"{'doc': {'_id': 1}, " BY_ID "'collation': {'locale': 'en'}, 'update': {'_id': " ONE "}}",
         "20 20 1/1 1/1"},
        {"{'doc': {'_id': 1}, " BY_ID "'update': [{'$unset': 'x'}]}", "1/0 1/0 1/0 1/0"},
    };
    static const row_t hashed[] = {
        {"{'doc': {'_id': 1}, " BY_ID "'update': {'_id': " ONE "}}", "1/1 1/1 1/1 1/1"},
    };
    static const row_t ranged[] = {
        {"{" DOC BY_ID "'update': {'$set': {'_id': 2, 'x': [1]}}}", "66 66 66 66"},
        {"{" DOC BY_ID "'update': [{'$set': {'x': [1], '_id': 2}}]}", "66 66 66 66"},
        {"{" DOC BY_ID "'update': {'_id': 2, 'x': 5}}", "66 66 66 66"},
    };
    assert_rows("6.0.27", "{'key': {'_id': 1}, 'splits': [{'_id': 0}, {'_id': 10}]}", ROWS(id));
    assert_rows("6.0.27", "{'key': {'_id': 'hashed'}, 'splits': [{'_id': {'$numberLong': '0'}}]}",
                ROWS(hashed));
    assert_rows("6.0.27", RANGED, ROWS(ranged));
}

static void test_collations(void **state)
{
    (void)state;
#define ABC "'doc': {'_id': 1, 'x': 'abc'}, "
    static const row_t rows[] = {
        {"{" ABC "'filter': {'x': 'ABC'}, 'update': {'$set': {'x': 'abC'}}}", "72 20 1/1 1/1"},
        {"{" ABC "'filter': {'_id': 1, 'x': 'ABC'}, 'update': {'$set': {'x': 'abC'}}}",
         "20 20 1/1 1/1"},
        {"{" ABC "'filter': {'_id': 1, 'x': 'ABC'}, 'update': {'$set': {'x': 'ABC'}}, "
         "'collation': {'locale': 'simple'}}",
         "0/0 0/0 0/0 0/0"},
        {"{" ABC "'filter': {'_id': 1, 'x': 'abc'}, 'update': {'$set': {'x': 'ABC'}}, "
         "'collation': {'locale': 'simple'}}",
         "20 20 283 283"},
        {"{" ABC "'filter': {'x': 'abc'}, 'update': {'$bar': 1}, 'collation': {'locale': 'xx'}}",
         "2 2 2 2"},
        {"{" ABC "'filter': {'_id': 1, 'x': {'$symbol': 'abc'}}, 'update': {'$set': {'y': 1}}}",
         "1/1 1/1 1/1 1/1"},
        {"{'doc': {'_id': 'z', 'x': 'abc'}, 'filter': {'_id': 'z', 'x': 'abc'}, "
         "'update': {'_id': {'$symbol': 'z'}, 'x': 'abc'}}",
         "61 201 201 201"},
        {"{" ABC "'filter': {'_id': 1, 'x': {'$symbol': 'ABC'}}, 'update': {'$set': {'y': 1}}}",
         "- ? ? ?"},
    };
    assert_rows("6.0.27",
                "{'key': {'x': 1}, 'collation': {'locale': 'en', 'strength': 2}, "
                "'splits': [{'x': 'a'}, {'x': 'm'}]}",
                ROWS(rows));
}

static void test_orphans(void **state)
{
    (void)state;
    static const row_t rows[] = {
        {"{" DOC BOTH "'stored': 's1', 'update': {'$set': {'y': 6}}}", "- 0/0 0/0 0/0"},
        {"{" DOC BOTH "'stored': 's1', 'update': {'$set': {'x': 6}}}", "- 0/0 0/0 0/0"},
        {"{" DOC BOTH "'stored': 's2', 'update': {'$set': {'y': 6}}}", "- 1/1 1/1 1/1"},
        {"{" DOC BOTH "'stored': 's1', 'upsert': true, 'update': {'$set': {'y': 6}}}",
         "- 20 283 283"},
        {"{" DOC BY_ID "'stored': 's1', 'upsert': true, 'update': {'$set': {'x': -5}}}",
         "? ? ? 11000"},
        {"{" DOC "'filter': {'_id': 1, 'x': -5}, 'stored': 's1', 'upsert': true, "
         "'update': {'$set': {'y': 1}}}",
         "- 11000 11000 11000"},
    };
    /* Shards of 6.0.5 abort. */
#define RETRIED                                                                                    \
    "{" DOC BY_ID "'op': 'findAndModify', 'stored': 's1', 'upsert': true, "                        \
    "'update': {'$set': {'x': -5}}}"
    static const row_t deadly[] = {{RETRIED, "? ? ? ?"}};
    static const row_t refused[] = {{RETRIED, "? ? ? 11000"}};
    assert_rows("6.0.5", RANGED, ROWS(rows));
    assert_rows("6.0.5", RANGED, ROWS(deadly));
    assert_rows("6.0.24", RANGED, ROWS(deadly));
    assert_rows("6.0.27", RANGED, ROWS(rows));
    assert_rows("6.0.27", RANGED, ROWS(refused));
}

static void test_max_key(void **state)
{
    (void)state;
#define LAST "'doc': {'_id': 1, 'x': 25}, 'filter': {'x': 25}, "
    static const row_t before[] = {
        {"{" LAST "'update': {'$set': {'x': {'$maxKey': 1}}}}", "20 20 283 283"},
    };
    static const row_t later[] = {
        {"{" LAST "'update': {'$set': {'x': {'$maxKey': 1}}}}", "20 20 1/1 1/1"},
        {"{'doc': {'_id': 1, 'x': {'$maxKey': 1}}, " BY_ID "'update': {'$set': {'y': 1}}}",
         "1/1 1/1 1/1 1/1"},
    };
    assert_rows("6.0.5", RANGED, ROWS(before));
    assert_rows("6.0.27", RANGED, ROWS(later));
}

static void test_upserts(void **state)
{
    (void)state;
#define UPSERT "'upsert': true, "
#define OTHER  "'doc': {'_id': 9, 'x': 6}, "
    static const row_t rows[] = {
        {"{" DOC BOTH UPSERT "'update': {'$set': {'x': 16}}}", "20 20 283 283"},
        {"{" DOC BY_ID UPSERT "'update': {'$set': {'y': 16}}}", "61 1/1 1/1 1/1"},
        {"{" DOC BOTH UPSERT "'update': {'$setOnInsert': {'x': 16}}}", "1/0 1/0 1/0 1/0"},
        {"{" OTHER BOTH UPSERT "'update': {'$set': {'y': 1}}}",
         "upserted upserted upserted upserted"},
        {"{" OTHER BOTH UPSERT "'update': {'$set': {'x': 16}}}", "20 20 283 283"},
        {"{" OTHER BOTH UPSERT "'update': {'$set': {'x': [1]}}}", "54 54 54 54"},
        {"{" OTHER BOTH UPSERT "'update': {'y': 1}}", "20 20 283 283"},
        {"{" OTHER BOTH UPSERT "'update': {'x': 6}}", "upserted upserted upserted upserted"},
        {"{" OTHER BOTH UPSERT "'update': {'$setOnInsert': {'x': 16}}}", "20 20 283 283"},
        {"{" OTHER BOTH UPSERT "'update': {'$setOnInsert': {'x': 5}}}",
         "upserted upserted upserted upserted"},
        {"{" OTHER BOTH UPSERT "'update': {'$unset': {'x': 1}}}", "20 20 283 283"},
        {"{" OTHER BOTH UPSERT "'update': [{'$set': {'x': 6}}]}",
         "upserted upserted upserted upserted"},
        {"{" OTHER BOTH UPSERT "'update': {'$set': {'_id': 2}}}", "66 66 66 66"},
        {"{" OTHER BOTH UPSERT "'update': {'_id': 2, 'x': 5}}", "66 66 66 66"},
        {"{" OTHER BY_ID UPSERT "'update': {'$set': {'x': 6}}}", "61 upserted upserted upserted"},
        {"{" OTHER BY_ID UPSERT "'update': {'$set': {'y': 6}}}", "61 20 283 283"},
        {"{" DOC "'filter': {'x': 8, '_id': 1}, " UPSERT "'update': {'$set': {'x': 6}}}",
         "11000 11000 11000 11000"},
        {"{" OTHER "'filter': {'_id.a': 1}, " UPSERT "'update': {'x': 5}}", "61 111 111 111"},
        {"{" OTHER "'filter': {'_id': [1]}, " UPSERT "'update': {'x': 5}}", "61 54 54 54"},
        {"{" OTHER "'filter': {'_id': [1]}, " UPSERT "'update': {'$set': {'x': 5}}}",
         "61 53 53 53"},
        {"{" OTHER "'filter': {'_id': [1]}, " UPSERT "'update': [{'$set': {'x': [5]}}]}",
         "61 54 54 54"},
        {"{" OTHER "'filter': {'x': 5}, " UPSERT "'update': {'x': 5, '_id': [1]}}", "54 54 54 54"},
        {"{" OTHER "'filter': {'x': 5}, " UPSERT "'update': {'$set': {'_id': {'$a': 1}}}}",
         "52 52 52 52"},
        {"{" OTHER "'filter': {'x': 5}, " UPSERT "'update': {'$set': {'_id': 3}}}",
         "upserted upserted upserted upserted"},
        {"{" OTHER "'filter': {'$and': [{'x': 5}, {'x': 5}]}, " UPSERT "'update': {'x': 5}}",
         "61 upserted upserted upserted"},
        {"{" OTHER "'filter': {'$and': [{'x': 5}, {'x': 5}]}, " UPSERT
         "'update': {'$set': {'y': 5}}}",
         "61 54 54 54"},
        {"{" DOC "'filter': {'x': 8}, 'multi': true, " UPSERT "'update': {'$set': {'x': 6}}}",
         "upserted upserted 72 upserted"},
        /* The names of a document that a replacement makes are not looked at. */
        {"{" OTHER BOTH UPSERT "'update': {'x': 6, '$inc': 1}}", "12 upserted upserted upserted"},
        {"{" OTHER BOTH UPSERT "'update': {'x': 6, '$id': 1}}", "12 upserted upserted upserted"},
        {"{" OTHER BOTH UPSERT "'update': {'x': 16, '$inc': 1}}", "12 20 283 283"},
        {"{" OTHER BOTH UPSERT "'update': {'x': [1], '$inc': 1}}", "12 54 54 54"},
    };
    assert_rows("6.0.5", RANGED, ROWS(rows));
    assert_rows("6.0.27", RANGED, ROWS(rows));
}

/* A filter of _id alone goes by the first. */
static void test_two_ids(void **state)
{
    (void)state;
#define TWO_IDS(first, second) "'filter': {'_id': " first ", '_id': " second "}, "
    static const row_t rows[] = {
        {"{" DOC TWO_IDS("1", "2") "'update': {'$set': {'w': 6}}}", "72 1/1 1/1 1/1"},
        {"{" DOC TWO_IDS("1", "{'a': 1}") "'update': {'$set': {'w': 6}}}", "72 1/1 1/1 1/1"},
        {"{" DOC TWO_IDS("2", "1") "'update': {'$set': {'w': 6}}}", "72 0/0 0/0 0/0"},
        {"{" DOC TWO_IDS("1", "{'$gt': 1}") "'update': {'$set': {'w': 6}}}", "0/0 0/0 0/0 0/0"},
        {"{" DOC "'filter': {'_id': 1, '_id': 2, 'y': 5}, 'update': {'$set': {'w': 6}}}",
         "72 0/0 0/0 0/0"},
        {"{'doc': {'_id': null, 'x': 5}, " TWO_IDS("null", "2") "'update': {'$set': {'w': 6}}}",
         "72 0/0 0/0 0/0"},
        /* The shard gives this document an _id, which the replacement keeps. */
        {"{'doc': {'x': 5}, 'filter': {'x': 5}, 'update': {'x': 5}}", "1/1 1/1 1/1 1/1"},
        {"{" OTHER TWO_IDS("1", "2") UPSERT "'update': {'$set': {'x': 6}}}",
         "61 upserted upserted upserted"},
    };
    assert_rows("6.0.5", RANGED, ROWS(rows));
    assert_rows("6.0.27", RANGED, ROWS(rows));
}

static void test_older(void **state)
{
    (void)state;
    static const row_t immutable[] = {
        {"{" DOC BOTH "'update': {'$set': {'x': 6}}}", "66 66 66 66"},
        {"{" DOC BY_ID "'update': {'$unset': {'x': 1}}}", "66 66 66 66"},
        {"{" DOC BY_ID "'update': {'$set': {'x': [5]}}}", "66 66 66 66"},
        {"{" DOC BY_ID "'update': {'$set': {'x': 5}}}", "1/0 1/0 1/0 1/0"},
        /* lacking the key, it leads nowhere: the filter does */
        {"{" DOC BY_ID "'update': {'w': 5}}", "66 66 66 66"},
    };
    static const row_t first[] = {
        {"{" DOC BOTH "'update': {'$set': {'x': {'$numberDouble': '5.0'}}}}", "1/1 1/1 1/1 1/1"},
        {"{" DOC BOTH "'update': {'$unset': {'x': 1}}}", "20 20 4 4"},
        {"{" DOC BOTH "'update': {'$set': {'x': 16}}}", "20 20 283 283"},
        {"{" DOC BY_ID "'update': {'$set': {'x': 16}}}", "31025 31025 31025 31025"},
    };
    static const row_t second[] = {
        {"{" DOC BOTH "'update': {'$set': {'x': {'$numberDouble': '5.0'}}}}", "20 20 1/1 1/1"},
        {"{" DOC BOTH "'update': {'$unset': {'x': 1}}}", "20 20 283 283"},
    };
    assert_rows("4.0.3", RANGED, ROWS(immutable));
    assert_rows("4.2.6", RANGED, ROWS(first));
    assert_rows("4.4.2", RANGED, ROWS(second));
    assert_rows("5.0.4", RANGED, ROWS(second));
}

/* What the update leaves, byte for byte; none where the server adds something of its own. */
static void test_after(void **state)
{
    (void)state;
    static const struct {
        const char *question, *after; /* NULL: not told */
    } rows[] = {
        {"{'doc': {'x': 5, '_id': 1}, 'filter': {'x': 5}, 'update': {'$set': {'a': 2}}}",
         "{'_id': 1, 'x': 5, 'a': 2}"},
        {"{'doc': {'x': 5}, 'filter': {'x': 5}, 'update': {'x': 5}}", NULL},
        {"{'doc': {'_id': 1, 'x': 5}, 'filter': {'x': 5}, 'update': {'x': 5}}",
         "{'_id': 1, 'x': 5}"},
        {"{'doc': {'_id': 9, 'x': 6}, 'filter': {'x': 5, 'c.d': 1, '_id': 1, 'c.e.f': 2}, "
         "'upsert': true, 'update': {'$setOnInsert': {'z': 3}}}",
         "{'_id': 1, 'c': {'d': 1, 'e': {'f': 2}}, 'x': 5, 'z': 3}"},
        {"{'doc': {'_id': 9, 'x': 6}, 'filter': {'x': 5}, 'upsert': true, "
         "'update': {'$set': {'z': 3}}}",
         NULL},
        {"{'doc': {'_id': 1, 'x': 5}, 'filter': {'x': 25}, 'upsert': true, 'mode': 'router', "
         "'update': {'$set': {'_id': 1}}}",
         NULL},
        {"{'doc': {'_id': 1, 'x': 5}, 'filter': {'x': 25}, 'upsert': true, 'mode': 'router', "
         "'update': {'$set': {'_id': 2}}}",
         "{'_id': 2, 'x': 25}"},
        {"{'doc': {'_id': 1, 'x': 5}, 'filter': {'x': 5}, 'update': {'x': 5, "
         "'t': {'$timestamp': {'t': 0, 'i': 0}}}}",
         NULL},
    };
    sp_model_t *model = sp_model_of("6.0.27");
    sp_layout_t *layout = sp_layout_from(RANGED);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        bson_t *question = sp_doc_from(rows[i].question), answer = BSON_INITIALIZER, had;
        bson_iter_t iter;
        assert_true(sp_predict_keychange(model, layout, question, &answer, NULL));
        bool told = bson_iter_init_find(&iter, &answer, "after");
        assert_int_equal(told, rows[i].after != NULL);
        if (told) {
            bson_t *wanted = sp_doc_from(rows[i].after);
            assert_true(sp_value_document(&iter, &had));
            if (!bson_equal(&had, wanted)) {
                char *text = bson_as_canonical_extended_json(&had, NULL);
                fail_msg("%s: %s", rows[i].question, text);
            }
            bson_destroy(wanted);
        }
        bson_destroy(&answer);
        bson_destroy(question);
    }
    sp_layout_free(layout);
    sp_model_free(model);
}

/* Each field that makes no sense is named. */
static void test_bad_questions(void **state)
{
    (void)state;
    static const struct {
        const char *question, *name;
    } rows[] = {
        {"{}", "doc"},
        {"{'doc': 5}", "doc"},
        {"{'doc': [], 'filter': {}, 'update': {}}", "doc"},
        {"{'doc': {}}", "filter"},
        {"{'doc': {}, 'filter': 5}", "filter"},
        {"{'doc': {}, 'filter': {}, 'collation': 5, 'update': {}}", "collation"},
        {"{'doc': {}, 'filter': {}}", "update"},
        {"{'doc': {}, 'filter': {}, 'update': 5}", "update"},
        {"{'doc': {}, 'filter': {}, 'update': null}", "update"},
        {"{'doc': {}, 'filter': {}, 'update': {}, 'mode': 5}", "mode"},
        {"{'doc': {}, 'filter': {}, 'update': {}, 'mode': 'router2'}", "mode"},
        {"{'doc': {}, 'filter': {}, 'update': {}, 'mode': ''}", "mode"},
        {"{'doc': {}, 'filter': {}, 'update': {}, 'op': 5}", "op"},
        {"{'doc': {}, 'filter': {}, 'update': {}, 'op': 'delete'}", "op"},
        {"{'doc': {}, 'filter': {}, 'update': {}, 'multi': 1}", "multi"},
        {"{'doc': {}, 'filter': {}, 'update': {}, 'upsert': 'yes'}", "upsert"},
        {"{'doc': {}, 'filter': {}, 'update': {}, 'mode': 'shard', 'stored': 5}", "stored"},
        {"{'doc': {}, 'filter': {}, 'update': {}, 'mode': 'shard', 'stored': 's9'}", "stored"},
        {"{'doc': {}, 'filter': {}, 'update': {}, 'stored': 's1'}", "stored"},
        {"{'doc': {}, 'filter': {}, 'update': {}, 'op': 'findAndModify'}", "mode"},
        {"{'doc': {}, 'filter': {}, 'update': {}, 'op': 'findAndModify', 'mode': 'shard', "
         "'multi': true}",
         "multi"},
        {"{'doc': {'x': [1]}, 'filter': {}, 'update': {}}", "doc"},
        {"{'doc': {'x': {'$maxKey': 1}}, 'filter': {}, 'update': {}}", "doc"},
        {"{'doc': {'_id': 1, 'x': 5}, 'filter': {'_id': 1}, 'update': {'x': -5}, 'mode': 'shard', "
         "'stored': 's1', 'upsert': true}",
         "upsert"},
        {"{'doc': {}, 'filter': {'$where': 'x'}, 'update': {}, 'mode': 'shard'}", ""},
    };
    sp_model_t *model = sp_model_of("6.0.5");
    sp_layout_t *layout = sp_layout_from(RANGED);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        bson_t *question = sp_doc_from(rows[i].question), answer = BSON_INITIALIZER;
        sp_error_t error = {0};
        char name[32];
        snprintf(name, sizeof name, "'%s'", rows[i].name);
        if (sp_predict_keychange(model, layout, question, &answer, &error))
            fail_msg("%s is answered", rows[i].question);
        assert_int_equal(error.domain, SP_ERROR_INPUT);
        if (rows[i].name[0] != '\0' && strstr(error.message, name) == NULL)
            fail_msg("%s: %s", rows[i].question, error.message);
        bson_destroy(&answer);
        bson_destroy(question);
    }
    sp_layout_free(layout);
    sp_model_free(model);
}

/* null counts as absent. */
static void test_null_fields(void **state)
{
    (void)state;
    static const row_t rows[] = {
        {"{" DOC BOTH "'update': {'$set': {'x': 6}}, 'multi': null, 'upsert': null, 'op': null, "
         "'stored': null, 'collation': null}",
         "20 20 1/1 1/1"},
    };
    assert_rows("6.0.27", RANGED, ROWS(rows));
}

static void test_bad_cases(void **state)
{
    (void)state;
    static const struct {
        const char *test, *message;
    } rows[] = {
        {"{'key': {'x': 1}}", "chunks"},
        {"{'key': {'x': 1}, 'chunks': [[{'x': {'$minKey': 1}}, {'x': {'$maxKey': 1}}, 's1']]}",
         "updates"},
        {"{'key': {'x': 1}, 'chunks': [[{'x': {'$minKey': 1}}, {'x': {'$maxKey': 1}}, 's1']], "
         "'updates': 5}",
         "updates"},
        {"{'key': {'_id': 1}, 'chunks': [[{'_id': {'$minKey': 1}}, {'_id': {'$maxKey': 1}}, "
         "'s1']], 'updates': [{'doc': {'_id': 1}, 'filter': {'y': 1}, 'update': {}, 'mode': "
         "'shard', 'upsert': true}]}",
         "'upsert'"},
        {"{'key': {'x': 1}, 'chunks': [[{'x': {'$minKey': 1}}, {'x': {'$maxKey': 1}}, 's1']], "
         "'updates': [5]}",
         "updates[0]"},
        {"{'key': {'x': 1}, 'chunks': [[{'x': {'$minKey': 1}}, {'x': {'$maxKey': 1}}, 's1']], "
         "'updates': [{'doc': {}, 'filter': {}, 'update': {}}, {}]}",
         "updates[1]"},
    };
    sp_model_t *model = sp_model_of("6.0.27");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        bson_t *test = sp_doc_from(rows[i].test);
        sp_answers_t answers = SP_ANSWERS_INITIALIZER;
        sp_error_t error = {0};
        assert_false(sp_case_predict_keychange(model, test, &answers, &error));
        assert_int_equal(error.domain, SP_ERROR_INPUT);
        if (strstr(error.message, rows[i].message) == NULL)
            fail_msg("%s: %s", rows[i].test, error.message);
        sp_answers_clear(&answers);
        bson_destroy(test);
    }
    sp_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_how_it_is_sent),
        cmocka_unit_test(test_replacements),
        cmocka_unit_test(test_what_a_change_is),
        cmocka_unit_test(test_filters),
        cmocka_unit_test(test_dotted_keys),
        cmocka_unit_test(test_ids),
        cmocka_unit_test(test_collations),
        cmocka_unit_test(test_orphans),
        cmocka_unit_test(test_max_key),
        cmocka_unit_test(test_upserts),
        cmocka_unit_test(test_two_ids),
        cmocka_unit_test(test_older),
        cmocka_unit_test(test_after),
        cmocka_unit_test(test_bad_questions),
        cmocka_unit_test(test_null_fields),
        cmocka_unit_test(test_bad_cases),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
