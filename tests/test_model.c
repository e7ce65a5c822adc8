/*
 * Predicted answers. What inserts give was asked through the routers of 6.0.5, 6.0.24 and 6.0.27
 * (November 2026).
 */
#include "../oracles/model.h"

#include "from_json.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

#define REGEX "{'$regularExpression': {'pattern': 'a', 'options': ''}}"
#define MAX   "{'$maxKey': 1}"

static sp_model_t *model_of(const char *text)
{
    sp_version_t version;
    assert_true(sp_version_parse(text, &version, NULL));
    sp_model_t *model = sp_model_new(version, NULL);
    assert_non_null(model);
    return model;
}

static int set_up(void **state)
{
    *state = model_of("6.0.5");
    return 0;
}

static int tear_down(void **state)
{
    sp_model_free(*state);
    return 0;
}

static void assert_answer(const bson_t *answer, const char *wanted)
{
    bson_t *doc = sp_doc_from(wanted);
    char *text = sp_text_of(answer);
    if (!bson_equal(answer, doc))
        fail_msg("%s and not %s", text, wanted);
    bson_free(text);
    bson_destroy(doc);
}

static void test_hash(void **state)
{
    static const struct {
        const char *value, *answer;
    } rows[] = {
        {"{'$numberInt': '1'}", "{'hash': '5902408780260971510'}"},
        {"{'$numberInt': '-1'}", "{'hash': '1140205862565771219'}"},
        {"'é'", NULL},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        bson_t *holder, answer = BSON_INITIALIZER;
        sp_value_t value = sp_value_from(rows[i].value, &holder);
        sp_predict_hash(*state, &value, &answer);
        if (rows[i].answer != NULL)
            assert_answer(&answer, rows[i].answer);
        assert_int_equal(bson_count_keys(&answer), 1);
        bson_destroy(&answer);
        bson_destroy(holder);
    }
}

static void test_order(void **state)
{
    static const struct {
        const char *a, *b, *answer;
    } rows[] = {
        {"1", "2", "{'order': {'$numberInt': '-1'}}"},
        {"2", "1", "{'order': {'$numberInt': '1'}}"},
        {"1", "{'$numberDouble': '1.0'}", "{'order': {'$numberInt': '0'}}"},
        /* $cmp is asked, so its oddities are predicted */
        {"{'a': 1, 'a': 2}", "{'a': 1, 'a': 3}", "{'order': {'$numberInt': '0'}}"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        bson_t *a_holder, *b_holder, answer = BSON_INITIALIZER;
        sp_value_t a = sp_value_from(rows[i].a, &a_holder), b = sp_value_from(rows[i].b, &b_holder);
        sp_predict_order(*state, &a, &b, &answer);
        assert_answer(&answer, rows[i].answer);
        bson_destroy(&answer);
        bson_destroy(a_holder);
        bson_destroy(b_holder);
    }
}

static void predict(sp_model_t *model, const char *layout_text, const char *doc_text,
                    bson_t *answer)
{
    bson_t *layout_doc = sp_doc_from(layout_text), *doc = sp_doc_from(doc_text);
    sp_error_t error = {0};
    sp_layout_t *layout = sp_layout_new(layout_doc, &error);
    if (layout == NULL)
        fail_msg("%s: %s", layout_text, error.message);
    sp_predict_insert(model, layout, doc, answer);
    sp_layout_free(layout);
    bson_destroy(doc);
    bson_destroy(layout_doc);
}

static int32_t code_of(const bson_t *answer)
{
    bson_iter_t iter, code;
    if (!bson_iter_init(&iter, answer) || !bson_iter_find_descendant(&iter, "error.code", &code))
        return 0;
    return bson_iter_int32(&code);
}

static const char ranged[] = "{'key': {'x': 1}, 'chunks': [[{'x': {'$minKey': 1}}, {'x': 0}, 's1'],"
                             " [{'x': 0}, {'x': " MAX "}, 's2']]}";
static const char hashed[] =
    "{'key': {'x': 'hashed'}, 'chunks': [[{'x': {'$minKey': 1}}, {'x': {'$numberLong': '0'}}, "
    "'s1'],"
    " [{'x': {'$numberLong': '0'}}, {'x': {'$numberLong': '5902408780260971510'}}, 's2'],"
    " [{'x': {'$numberLong': '5902408780260971510'}}, {'x': " MAX "}, 's3']]}";
static const char by_id[] =
    "{'key': {'_id': 1}, 'chunks': [[{'_id': {'$minKey': 1}}, {'_id': " MAX "}, 's1']]}";
static const char compound[] =
    "{'key': {'x': 1, 'y': 1}, 'chunks': [[{'x': {'$minKey': 1}, 'y': {'$minKey': 1}},"
    " {'x': " MAX ", 'y': " MAX "}, 's1']]}";

static void test_owner(void **state)
{
    static const struct {
        const char *layout, *doc, *answer;
    } rows[] = {
        {ranged, "{'_id': 1, 'x': {'$numberDouble': '-0.1'}}", "{'shards': ['s1']}"},
        {ranged, "{'_id': 1, 'x': {'$numberDouble': '-0.0'}}", "{'shards': ['s2']}"},
        {ranged, "{'_id': 1}", "{'shards': ['s1']}"}, /* null is less than numbers */
        {ranged, "{'x': 'a'}", "{'shards': ['s2']}"},
        {hashed, "{'x': {'$numberInt': '-2'}}", "{'shards': ['s2']}"},     /* 4563317049361071164 */
        {hashed, "{'x': {'$numberDouble': '1.9'}}", "{'shards': ['s3']}"}, /* the bound itself */
        {hashed, "{'x': 'A_'}", "{'shards': ['s1']}"}, /* -4295919556204955349 */
        {hashed, "{'x': " MAX "}", "{'shards': ['s2']}"},
        {by_id, "{'_id': {'$minKey': 1}}", "{'shards': ['s1']}"},
        {compound, "{'_id': 1, 'x': " MAX ", 'y': 1}", "{'shards': ['s1']}"},
        {compound, "{'_id': 1, 'y': 1}", "{'shards': ['s1']}"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        bson_t answer = BSON_INITIALIZER;
        predict(*state, rows[i].layout, rows[i].doc, &answer);
        assert_answer(&answer, rows[i].answer);
        bson_destroy(&answer);
    }
}

/* What is refused, and which of two reasons comes first: the router's, then the shard's. */
static void test_refusals(void **state)
{
    static const struct {
        const char *layout, *doc, *code_name;
        int32_t code;
    } rows[] = {
        {ranged, "{'_id': 1, 'x': [1]}", "ShardKeyNotFound", 61},
        {ranged, "{'_id': " REGEX ", 'x': []}", "ShardKeyNotFound", 61},
        {ranged, "{'_id': 1, '_id': 2, 'x': []}", "ShardKeyNotFound", 61},
        {ranged, "{'_id': " REGEX ", 'x': 1}", "InvalidIdField", 53},
        {ranged, "{'_id': {'$undefined': true}, 'x': 1}", "InvalidIdField", 53},
        {ranged, "{'_id': [], 'x': 1}", "InvalidIdField", 53},
        {ranged, "{'_id': {'$a': 1}, 'x': 1}", "DollarPrefixedFieldName", 52},
        {ranged, "{'_id': 1, '_id': 2, 'x': 1}", "BadValue", 2},
        {by_id, "{'_id': []}", "ShardKeyNotFound", 61},
        {by_id, "{'_id': {'$a': 1}}", "DollarPrefixedFieldName", 52},
        {by_id, "{'_id': {'$undefined': true}}", "InvalidIdField", 53},
        {compound, "{'_id': 1, 'x': 1, 'y': []}", "ShardKeyNotFound", 61},
        {hashed, "{'_id': 1, 'x': []}", "ShardKeyNotFound", 61},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        bson_t answer = BSON_INITIALIZER;
        bson_iter_t iter, name, message;
        predict(*state, rows[i].layout, rows[i].doc, &answer);
        if (code_of(&answer) != rows[i].code)
            fail_msg("%s gives %d", rows[i].doc, code_of(&answer));
        assert_true(bson_iter_init(&iter, &answer) &&
                    bson_iter_find_descendant(&iter, "error.codeName", &name));
        assert_string_equal(bson_iter_utf8(&name, NULL), rows[i].code_name);
        assert_true(bson_iter_init(&iter, &answer) &&
                    bson_iter_find_descendant(&iter, "error.message", &message));
        assert_true(bson_iter_utf8(&message, NULL)[0] != '\0');
        bson_destroy(&answer);
    }
}

/* A key that is MaxKey throughout: 6.0.5 knows no chunk for it, later patches take the last one. */
static void test_max_key(void **state)
{
    static const struct {
        const char *layout, *doc, *owner;
        int32_t old_code, new_code;
    } rows[] = {
        {ranged, "{'_id': 1, 'x': " MAX "}", "s2", 61, 0},
        {ranged, "{'_id': " REGEX ", 'x': " MAX "}", NULL, 61, 53},
        {by_id, "{'_id': " MAX "}", "s1", 61, 0},
        {compound, "{'_id': 1, 'x': " MAX ", 'y': " MAX "}", "s1", 61, 0},
    };
    static const char *const later[] = {"6.0.24", "6.0.27"};
    for (size_t i = 0; i < COUNT(rows); i++) {
        bson_t answer = BSON_INITIALIZER;
        predict(*state, rows[i].layout, rows[i].doc, &answer);
        assert_int_equal(code_of(&answer), rows[i].old_code);
        for (size_t j = 0; j < COUNT(later); j++) {
            sp_model_t *model = model_of(later[j]);
            bson_iter_t iter, owner;
            bson_reinit(&answer);
            predict(model, rows[i].layout, rows[i].doc, &answer);
            assert_int_equal(code_of(&answer), rows[i].new_code);
            if (rows[i].owner != NULL) {
                assert_true(bson_iter_init(&iter, &answer) &&
                            bson_iter_find_descendant(&iter, "shards.0", &owner));
                assert_string_equal(bson_iter_utf8(&owner, NULL), rows[i].owner);
            }
            sp_model_free(model);
        }
        bson_destroy(&answer);
    }
}

/* {x: "…"} of `size` bytes. */
static void assert_key_of_size(const char *version, const char *layout, unsigned size, int32_t code)
{
    sp_model_t *model = model_of(version);
    bson_t answer = BSON_INITIALIZER;
    const unsigned around = 13;
    char *text = bson_malloc(size);
    memset(text, 'a', size - around);
    text[size - around] = '\0';
    char *doc = bson_strdup_printf("{'x': '%s'}", text);
    predict(model, layout, doc, &answer);
    if (code_of(&answer) != code)
        fail_msg("%s, a key of %u bytes: %d", version, size, code_of(&answer));
    bson_free(doc);
    bson_free(text);
    bson_destroy(&answer);
    sp_model_free(model);
}

/* 4.2.6 and 4.4.2 were asked through a shard's $merge; of 4.0.3 the bound itself is only told. */
static void test_key_size(void **state)
{
    (void)state;
    static const struct {
        const char *version, *layout;
        unsigned size;
        int32_t code;
    } rows[] = {
        {"4.0.3", ranged, 511, 0},     {"4.0.3", ranged, 512, 13334}, {"4.0.3", ranged, 600, 13334},
        {"4.0.3", hashed, 600, 0},     {"4.2.6", ranged, 511, 0},     {"4.2.6", ranged, 512, 0},
        {"4.2.6", ranged, 513, 13334}, {"4.2.6", hashed, 600, 0},     {"4.4.2", ranged, 513, 0},
        {"6.0.5", ranged, 5000, 0},
    };
    for (size_t i = 0; i < COUNT(rows); i++)
        assert_key_of_size(rows[i].version, rows[i].layout, rows[i].size, rows[i].code);
}

/* Observed on mongos 4.0.3, 4.2.6 and 4.4.2. */
static void test_key_fields(void **state)
{
    (void)state;
    static const struct {
        const char *version;
        int32_t code;
    } rows[] = {{"4.0.3", 61}, {"4.2.6", 61}, {"4.4.2", 0}, {"6.0.5", 0}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        sp_model_t *model = model_of(rows[i].version);
        bson_t answer = BSON_INITIALIZER;
        predict(model, ranged, "{'_id': 1}", &answer);
        assert_int_equal(code_of(&answer), rows[i].code);
        bson_reinit(&answer);
        predict(model, ranged, "{'_id': 1, 'x': null}", &answer);
        assert_int_equal(code_of(&answer), 0);
        bson_destroy(&answer);
        sp_model_free(model);
    }
}

static void test_answer_error(void **state)
{
    (void)state;
    bson_t answer = BSON_INITIALIZER;
    sp_answer_error(&answer, 61, "why");
    assert_answer(&answer,
                  "{'error': {'code': {'$numberInt': '61'}, 'codeName': 'ShardKeyNotFound',"
                  " 'message': 'why'}}");
    bson_reinit(&answer);
    sp_answer_error(&answer, 123456, "a code without a name");
    assert_answer(&answer, "{'error': {'code': {'$numberInt': '123456'},"
                           " 'message': 'a code without a name'}}");
    bson_destroy(&answer);
    sp_model_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hash),       cmocka_unit_test(test_order),
        cmocka_unit_test(test_owner),      cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_max_key),    cmocka_unit_test(test_key_size),
        cmocka_unit_test(test_key_fields), cmocka_unit_test(test_answer_error),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
