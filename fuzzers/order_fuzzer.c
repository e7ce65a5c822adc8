/*
 * Fuzz target: the order of values, and what hangs on it: shard key values and chunk maps.
 *
 * Of three generated values, each often beside the one before, it checks:
 *  - both orders are reflexive, antisymmetric and transitive, and numbers compare as their digits
 *    do;
 *  - the order of expressions is the plain one where its two oddities have nothing to act on: no
 *    object has a field name twice, and there is no DBPointer;
 *  - the prefix that look-ups go by never contradicts the order;
 *  - documents compare like the objects they are, and key values do not look at names;
 *  - equal values hash alike. Equal numbers are left out where one is a double, the other a decimal
 *    and the double has a fraction, which is cut while the decimal is rounded; or is 2^63, where a
 *    server makes the least integer of it. So are values with such a pair in the same place.
 * Of a generated route scene, it checks:
 *  - the case is sound, has all its documents, and is predicted without an error;
 *  - a key value is what a plain walk over the document finds, missing as null, and is refused
 *    with 61 exactly where that walk meets an array;
 *  - the chunk map gives the one chunk whose bounds hold the key, as a linear search does, and
 *    none only for a key that is MaxKey throughout;
 *  - no bound is one that a server refuses or comes to harm by;
 *  - the predicted owner is that chunk's shard (the last one's for MaxKey throughout, where the
 *    version takes it), and a refusal has one of the known codes.
 *
 * Does not check that the order is a server's: tests/test_order.c and the live areas `order` and
 * `route` do.
 */
#include "../oracles/case.h"
#include "../oracles/extract.h"
#include "../oracles/number.h"
#include "../oracles/order.h"
#include "../oracles/order_prefix.h"
#include "fuzz_check.h"
#include "gen_value.h"
#include "plain_number.h"
#include "scenes.h"

#include <assert.h>
#include <string.h>

enum { VALUES = 3, SHARD_KEY_NOT_FOUND = 61 };

static const char *const names[VALUES] = {"a", "b", "c"};

/* Whether the two oddities of expressions have something to act on. */
static bool is_odd_in_expression(const sp_value_t *value)
{
    bson_iter_t iter, before;
    if (value->type == BSON_TYPE_DBPOINTER)
        return true;
    if (!sp_value_has_children(value))
        return false;
    bool sound = sp_value_children(value, &iter);
    assert(sound);
    while (bson_iter_next(&iter)) {
        sp_value_t child = sp_value_of(&iter);
        sound = sp_value_children(value, &before) && bson_iter_find(&before, bson_iter_key(&iter));
        assert(sound);
        if (before.off != iter.off || is_odd_in_expression(&child))
            return true;
    }
    return false;
}

/* Whether two equal numbers hash differently by the server's rules. */
static bool are_cut_differently(const sp_plain_t *a, const sp_plain_t *b)
{
    if (a->type == BSON_TYPE_DECIMAL128 && b->type == BSON_TYPE_DOUBLE)
        return are_cut_differently(b, a);
    if (a->type != BSON_TYPE_DOUBLE || b->type != BSON_TYPE_DECIMAL128 ||
        a->kind != SP_PLAIN_FINITE)
        return false;
    bool is_two_63 = !a->negative && a->exponent == 19 && a->count == 19 &&
                     memcmp(a->digits, "9223372036854775808", 19) == 0;
    return !sp_plain_is_integer(a) || is_two_63;
}

/* Whether equal values must hash alike. */
static bool must_hash_alike(const sp_value_t *a, const sp_value_t *b)
{
    if (sp_value_is_number(a) && sp_value_is_number(b)) {
        sp_plain_t a_plain, b_plain;
        sp_plain_read(a, &a_plain);
        sp_plain_read(b, &b_plain);
        return !are_cut_differently(&a_plain, &b_plain);
    }
    bson_iter_t a_iter, b_iter;
    if (!sp_value_has_children(a))
        return true;
    bool sound = sp_value_children(a, &a_iter) && sp_value_children(b, &b_iter);
    assert(sound);
    while (bson_iter_next(&a_iter) && bson_iter_next(&b_iter)) {
        sp_value_t a_child = sp_value_of(&a_iter), b_child = sp_value_of(&b_iter);
        if (!must_hash_alike(&a_child, &b_child))
            return false;
    }
    return true;
}

static void check_pair(sp_hasher_t *hasher, const sp_value_t *a, const sp_value_t *b,
                       const bson_t *scene)
{
    int order = sp_value_compare(a, b);
    int in_expression = sp_value_compare_in_expression(a, b);
    sp_fuzz_check(order >= -1 && order <= 1 && in_expression >= -1 && in_expression <= 1,
                  "an order is -1, 0 or 1", scene);
    sp_fuzz_check(sp_value_compare(b, a) == -order, "the order is antisymmetric", scene);
    sp_fuzz_check(sp_value_compare_in_expression(b, a) == -in_expression,
                  "the order of expressions is antisymmetric", scene);
    if (!is_odd_in_expression(a) && !is_odd_in_expression(b))
        sp_fuzz_check(order == in_expression, "both orders agree", scene);
    sp_fuzz_check(!sp_value_same(a, b) || order == 0, "the order is reflexive", scene);
    uint64_t a_prefix = sp_order_prefix(a), b_prefix = sp_order_prefix(b);
    sp_fuzz_check(a_prefix == b_prefix || (order != 0 && (order < 0) == (a_prefix < b_prefix)),
                  "where prefixes differ they are in order", scene);
    if (sp_value_is_number(a) && sp_value_is_number(b)) {
        sp_plain_t a_plain, b_plain;
        sp_plain_read(a, &a_plain);
        sp_plain_read(b, &b_plain);
        sp_fuzz_check(order == sp_plain_compare(&a_plain, &b_plain),
                      "numbers compare as their digits do", scene);
    }
    if (order == 0 && must_hash_alike(a, b))
        sp_fuzz_check(sp_hash_value(hasher, a) == sp_hash_value(hasher, b),
                      "equal values hash alike", scene);
}

static void check_transitive(int (*compare)(const sp_value_t *, const sp_value_t *),
                             const sp_value_t *values, const bson_t *scene)
{
    for (unsigned i = 0; i < VALUES; i++) {
        const sp_value_t *a = &values[i], *b = &values[(i + 1) % VALUES],
                         *c = &values[(i + 2) % VALUES];
        int first = compare(a, b), second = compare(b, c), both = compare(a, c);
        if (first == 0)
            sp_fuzz_check(both == second, "what equals a value compares like it", scene);
        else if (second == 0 || second == first)
            sp_fuzz_check(both == first, "the order is transitive", scene);
    }
}

/* {names[0]: values[first], names[1]: values[second]}, so that documents differ in names too. */
static void make_document(bson_t *doc, const char *const *keys, const sp_value_t *first,
                          const sp_value_t *second)
{
    bson_init(doc);
    sp_value_append(doc, keys[0], first);
    sp_value_append(doc, keys[1], second);
}

static void check_documents(const sp_value_t *values, const bson_t *scene)
{
    bson_t left, right, renamed;
    make_document(&left, &names[0], &values[0], &values[1]);
    make_document(&right, &names[0], &values[0], &values[2]);
    make_document(&renamed, &names[1], &values[0], &values[2]);
    const sp_value_t left_value = {BSON_TYPE_DOCUMENT, left.len, bson_get_data(&left)};
    const sp_value_t right_value = {BSON_TYPE_DOCUMENT, right.len, bson_get_data(&right)};
    const sp_value_t renamed_value = {BSON_TYPE_DOCUMENT, renamed.len, bson_get_data(&renamed)};
    int order = sp_value_compare(&values[1], &values[2]);
    sp_fuzz_check(sp_document_compare(&left, &right) == order &&
                      sp_value_compare(&left_value, &right_value) == order,
                  "documents with an equal first field compare by the second", scene);
    sp_fuzz_check(sp_document_compare(&left, &renamed) == -1 &&
                      sp_value_compare(&left_value, &renamed_value) == -1,
                  "the name of the first field decides before its value", scene);
    sp_fuzz_check(sp_key_compare(&left, &right) == order &&
                      sp_key_compare(&left, &renamed) == order,
                  "key values compare by place", scene);
    bson_destroy(&left);
    bson_destroy(&right);
    bson_destroy(&renamed);
}

static void check_values(sp_producer_t *producer, sp_hasher_t *hasher)
{
    bson_t parts[VALUES], scene = BSON_INITIALIZER;
    sp_value_t values[VALUES];
    for (unsigned i = 0; i < VALUES; i++) {
        bson_init(&parts[i]);
        if (i == 0 || sp_draw_one_in(producer, 3))
            sp_gen_value(producer, &parts[i], names[i]);
        else
            sp_gen_value_near(producer, &values[i - 1], &parts[i], names[i]);
        values[i] = sp_fuzz_value(&parts[i], names[i]);
        bson_concat(&scene, &parts[i]);
    }
    sp_fuzz_check_scene(&scene);
    for (unsigned i = 0; i < VALUES; i++) {
        check_pair(hasher, &values[i], &values[i], &scene);
        check_pair(hasher, &values[i], &values[(i + 1) % VALUES], &scene);
    }
    check_transitive(sp_value_compare, values, &scene);
    check_transitive(sp_value_compare_in_expression, values, &scene);
    check_documents(values, &scene);
    for (unsigned i = 0; i < VALUES; i++)
        bson_destroy(&parts[i]);
    bson_destroy(&scene);
}

/* What stands at the dotted `path`, or an array in the way; BSON_TYPE_EOD where nothing does. */
static sp_value_t walk(const bson_t *doc, const char *path)
{
    bson_iter_t iter, inner;
    bool more = bson_iter_init(&iter, doc);
    while (more) {
        size_t size = strcspn(path, ".");
        do
            more = bson_iter_next(&iter);
        while (more && (strlen(bson_iter_key(&iter)) != size ||
                        memcmp(bson_iter_key(&iter), path, size) != 0));
        if (more && (path[size] == '\0' || BSON_ITER_HOLDS_ARRAY(&iter)))
            return sp_value_of(&iter);
        more = more && BSON_ITER_HOLDS_DOCUMENT(&iter) && bson_iter_recurse(&iter, &inner);
        iter = inner;
        path += size + 1;
    }
    return (sp_value_t){BSON_TYPE_EOD, 0, (const uint8_t *)""};
}

/* Returns whether `doc` has a key value, which is then in `key`. */
static bool check_key(const sp_pattern_t *pattern, sp_hasher_t *hasher, const bson_t *doc,
                      bson_t *key, const bson_t *scene)
{
    bool array = false;
    for (unsigned i = 0; i < pattern->field_count; i++)
        array = array || walk(doc, pattern->fields[i].text).type == BSON_TYPE_ARRAY;
    sp_error_t error = {0};
    bool ok = sp_extract_key(pattern, hasher, doc, key, &error);
    sp_fuzz_check(ok == !array, "a key value is refused exactly where an array is in the way",
                  scene);
    sp_fuzz_check(ok || (error.domain == SP_ERROR_RULE && error.code == SHARD_KEY_NOT_FOUND),
                  "the refusal is 61", scene);
    if (!ok)
        return false;

    sp_fuzz_check(sp_pattern_fits(pattern, key, NULL), "a key value fits its pattern", scene);
    bson_iter_t iter;
    bool more = bson_iter_init(&iter, key);
    for (unsigned i = 0; i < pattern->field_count; i++) {
        sp_value_t wanted = walk(doc, pattern->fields[i].text);
        if (wanted.type == BSON_TYPE_EOD)
            wanted.type = BSON_TYPE_NULL;
        more = more && bson_iter_next(&iter);
        sp_fuzz_check(more, "a key value has every field", scene);
        sp_value_t found = sp_value_of(&iter);
        if ((int)i == pattern->hashed)
            sp_fuzz_check(found.type == BSON_TYPE_INT64 &&
                              sp_value_int64(&found) == sp_hash_value(hasher, &wanted),
                          "the hashed field holds the hash", scene);
        else
            sp_fuzz_check(sp_value_same(&found, &wanted), "a key value is what a walk finds",
                          scene);
    }
    return true;
}

static bool is_all_max(const bson_t *key)
{
    bson_iter_t iter;
    bool all = bson_iter_init(&iter, key);
    while (all && bson_iter_next(&iter))
        all = bson_iter_type(&iter) == BSON_TYPE_MAXKEY;
    return all;
}

/* Returns the shard that owns the key, NULL where none does. */
static const char *check_chunk(const sp_chunkmap_t *map, const bson_t *key, const bson_t *scene)
{
    uint32_t found, holders = 0, holder = 0;
    bool ok = sp_chunkmap_find(map, key, &found);
    for (uint32_t i = 0; i < sp_chunkmap_count(map); i++) {
        bson_t min, max;
        sp_chunkmap_bounds(map, i, &min, &max);
        if (sp_key_compare(&min, key) <= 0 && sp_key_compare(key, &max) < 0) {
            holder = i;
            holders++;
        }
    }
    sp_fuzz_check(holders == (ok ? 1 : 0), "chunks hold a key once, or never", scene);
    sp_fuzz_check(!ok || holder == found, "the chunk found is the one that holds the key", scene);
    sp_fuzz_check(ok == !is_all_max(key), "only MaxKey throughout belongs to no chunk", scene);
    return ok ? sp_chunkmap_shard(map, found) : NULL;
}

static void check_bounds(const sp_chunkmap_t *map, const bson_t *scene)
{
    for (uint32_t i = 0; i < sp_chunkmap_count(map); i++) {
        bson_t min, max;
        uint32_t found;
        sp_chunkmap_bounds(map, i, &min, &max);
        sp_fuzz_check(sp_pattern_bound_storable(&min, NULL) && !sp_pattern_bound_breaks(&min),
                      "no bound is one that a server refuses or comes to harm by", scene);
        sp_fuzz_check(sp_chunkmap_find(map, &min, &found) && found == i,
                      "a lower bound lies in its own chunk", scene);
        bool has_next = i + 1 < sp_chunkmap_count(map);
        sp_fuzz_check(sp_chunkmap_find(map, &max, &found) == has_next &&
                          (!has_next || found == i + 1),
                      "an upper bound lies in the next chunk", scene);
    }
}

/* `owner` is NULL where the router must refuse. The owner itself may still refuse a document. */
static void check_answer(const bson_t *answer, const char *owner, const bson_t *scene)
{
    bson_iter_t iter, inner;
    if (bson_iter_init(&iter, answer) && bson_iter_find_descendant(&iter, "error.code", &inner)) {
        int32_t code = bson_iter_int32(&inner);
        bool known =
            owner == NULL ? code == SHARD_KEY_NOT_FOUND : code == 2 || code == 52 || code == 53;
        sp_fuzz_check(known, "an insert is refused with a code that fits", scene);
        return;
    }
    sp_fuzz_check(owner != NULL && bson_iter_init(&iter, answer) &&
                      bson_iter_find_descendant(&iter, "shards.0", &inner) &&
                      BSON_ITER_HOLDS_UTF8(&inner) &&
                      strcmp(bson_iter_utf8(&inner, NULL), owner) == 0,
                  "an insert goes to the owner of its chunk", scene);
}

/* The shard that must get `doc`, NULL where the router must refuse it. */
static const char *check_owner(const sp_model_t *model, const sp_layout_t *layout,
                               const bson_t *doc, const bson_t *scene)
{
    bson_t key = BSON_INITIALIZER;
    const char *owner = NULL;
    if (check_key(layout->pattern, model->hasher, doc, &key, scene)) {
        owner = check_chunk(layout->chunks, &key, scene);
        if (owner == NULL && !sp_version_has(model->version, SP_MAX_KEY_IN_NO_CHUNK))
            owner = sp_chunkmap_shard(layout->chunks, sp_chunkmap_count(layout->chunks) - 1);
    }
    bson_destroy(&key);
    return owner;
}

static void check_route(sp_producer_t *producer, sp_model_t *model)
{
    const sp_scene_context_t context = {.shards = 3};
    bson_t scene = BSON_INITIALIZER;
    sp_answers_t answers = SP_ANSWERS_INITIALIZER;
    sp_gen_route(&context, producer, &scene);
    sp_fuzz_check_scene(&scene);
    sp_layout_t *layout = sp_layout_new(&scene, NULL);
    sp_fuzz_check(layout != NULL, "a route scene has a layout", &scene);
    assert(layout != NULL);
    sp_fuzz_check(sp_case_predict_route(model, &scene, &answers, NULL) &&
                      answers.count == SP_ROUTE_DOCS,
                  "a route scene is predicted, document by document", &scene);
    check_bounds(layout->chunks, &scene);

    sp_value_t docs = sp_fuzz_value(&scene, "docs");
    bson_iter_t iter;
    bool sound = sp_value_children(&docs, &iter);
    assert(sound);
    for (unsigned i = 0; i < SP_ROUTE_DOCS; i++) {
        bson_t doc;
        sound = bson_iter_next(&iter);
        assert(sound);
        sound = sp_value_document(&iter, &doc);
        assert(sound);
        check_answer(answers.items[i], check_owner(model, layout, &doc, &scene), &scene);
    }
    sp_layout_free(layout);
    sp_answers_clear(&answers);
    bson_destroy(&scene);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    sp_producer_t producer;
    sp_version_t version;
    sp_producer_init(&producer, data, size);
    bool routes = sp_draw_one_in(&producer, 8);
    bool known = sp_version_parse(routes && sp_draw_one_in(&producer, 2) ? "6.0.5" : "6.0.27",
                                  &version, NULL);
    assert(known);
    sp_model_t *model = sp_model_new(version, NULL);
    assert(model != NULL);
    if (routes)
        check_route(&producer, model);
    else
        check_values(&producer, model->hasher);
    sp_model_free(model);
    return 0;
}
