/* What an update answers that changes a shard key value, or does not. */
#include "case.h"
#include "collation.h"
#include "extract.h"
#include "keychange_filter.h"
#include "keychange_question.h"
#include "keychange_route.h"
#include "keychange_upsert.h"
#include "matcher.h"
#include "order.h"
#include "rules.h"
#include "shard_plan.h"
#include "storage.h"
#include "update.h"
#include "upsert.h"

#include <assert.h>
#include <string.h>

enum {
    NO_SUCH_KEY = 4,
    ILLEGAL_OPERATION = 20,
    NOT_SINGLE_VALUE_FIELD = 54,
    IMMUTABLE_FIELD = 66,
    INVALID_OPTIONS = 72,
    WOULD_CHANGE_OWNING_SHARD = 283,
    DUPLICATE_KEY = 11000,
    NOT_THE_WHOLE_KEY = 31025,
    STAGE_OF_ONE_FIELD = 40323,
    UNKNOWN_STAGE = 40324
};

/* One question while it is answered. */
typedef struct changing {
    sp_model_t *model;
    const sp_layout_t *layout;
    sp_keychange_t change;
    sp_arena_t arena;
    sp_parsed_query_t parsed;
    bson_t stored;     /* the document as it lies on its shard */
    bool has_any_id;   /* its _id is the shard's and not known */
    bson_t key;        /* its shard key value */
    const char *owner; /* the shard that the value belongs to */
    const char *shard; /* the one that holds the document */
    sp_collator_t *collator;
    bson_t after;
    bson_t by_id; /* the filter, as far as a shard looks at it; else empty */
} changing_t;

static bool has(const changing_t *changing, sp_difference_t difference)
{
    return sp_version_has(changing->model->version, difference);
}

/* The shard that owns a shard key value; NULL where none does. */
static const char *owner_of(const changing_t *changing, const bson_t *key)
{
    uint32_t chunk;
    if (!sp_chunkmap_find(changing->layout->chunks, key, &chunk) &&
        has(changing, SP_MAX_KEY_IN_NO_CHUNK))
        return NULL;
    return sp_chunkmap_shard(changing->layout->chunks, chunk);
}

static bool extract(const changing_t *changing, const bson_t *doc, bson_t *key)
{
    return sp_extract_key(changing->layout->pattern, changing->model->hasher, doc, key, NULL);
}

static bool knows_shard(const sp_layout_t *layout, const char *name)
{
    for (unsigned i = 0; i < layout->shard_count; i++) {
        if (strcmp(layout->shards[i], name) == 0)
            return true;
    }
    return false;
}

static bool has_id_field(const sp_pattern_t *pattern)
{
    for (unsigned i = 0; i < pattern->field_count; i++) {
        if (strcmp(pattern->fields[i].text, "_id") == 0)
            return true;
    }
    return false;
}

/* A shard gives a document without an _id one of its own. */
static bool store(changing_t *changing, sp_error_t *error)
{
    static const bson_oid_t any = {{0}};
    changing->has_any_id = !bson_has_field(&changing->change.doc, "_id");
    if (changing->has_any_id && has_id_field(changing->layout->pattern))
        return sp_error_set(error, SP_ERROR_INPUT, 0,
                            "'doc' without an _id, which the shard invents, and the shard key has "
                            "it");
    if (changing->has_any_id)
        BSON_APPEND_OID(&changing->stored, "_id", &any);
    sp_keychange_stored(&changing->change.doc, &changing->stored);
    return true;
}

/* Where the document lies. */
static bool place(changing_t *changing, sp_error_t *error)
{
    const char *stored = changing->change.stored;
    if (!store(changing, error))
        return false;
    if (!extract(changing, &changing->stored, &changing->key))
        return sp_error_set(error, SP_ERROR_INPUT, 0,
                            "'doc' has an array in a shard key field or above it, and no shard "
                            "stores that");
    changing->owner = owner_of(changing, &changing->key);
    if (changing->owner == NULL)
        return sp_error_set(error, SP_ERROR_INPUT, 0,
                            "'doc' has a shard key value that is MaxKey in every field, and no "
                            "shard stores that");
    if (stored != NULL && !knows_shard(changing->layout, stored))
        return sp_error_set(error, SP_ERROR_INPUT, 0, "'stored' names '%s', which is no shard",
                            stored);
    changing->shard = stored != NULL ? stored : changing->owner;
    return true;
}

static bool is_owned(const changing_t *changing)
{
    return strcmp(changing->owner, changing->shard) == 0;
}

static bool pass_on(const sp_error_t *failed, sp_error_t *error)
{
    return sp_error_set(error, failed->domain, failed->code, "%s", failed->message);
}

/* A shard does not look at the second _id of {_id: 1, _id: 2}. */
static void take_first_id(changing_t *changing)
{
    bson_iter_t iter;
    bool found = bson_iter_init_find(&iter, &changing->change.filter, "_id");
    assert(found);
    sp_value_t id = sp_value_of(&iter);
    sp_value_append(&changing->by_id, "_id", &id);
    changing->change.query.filter = &changing->by_id;
}

static bool parse(changing_t *changing, sp_error_t *error)
{
    if (sp_keychange_is_by_id(&changing->change, changing->layout->collation))
        take_first_id(changing);
    return sp_query_parse(&changing->arena, changing->model->version, changing->layout,
                          &changing->change.query, &changing->parsed, error);
}

/* What is refused in a pipeline before anything else of the update is read; findAndModify looks at
 * the stages later. */
static bool is_no_pipeline(const sp_keychange_t *change, int32_t code)
{
    bson_iter_t iter;
    if (change->update.type != BSON_TYPE_ARRAY || !sp_value_children(&change->update, &iter))
        return false;
    while (bson_iter_next(&iter)) {
        if (!BSON_ITER_HOLDS_DOCUMENT(&iter))
            return true;
    }
    return !change->find_and_modify && (code == STAGE_OF_ONE_FIELD || code == UNKNOWN_STAGE);
}

/* What a shard refuses before it looks for documents. `unfit` says what is wrong with the update,
 * if anything. */
static bool pass_shard(changing_t *changing, const sp_error_t *unfit, sp_error_t *error)
{
    const sp_keychange_t *change = &changing->change;
    if (change->mode == SP_KEYCHANGE_RETRYABLE && change->multi)
        return sp_error_set(error, SP_ERROR_RULE, INVALID_OPTIONS,
                            "a retryable write is of one document");
    const bson_t *own = change->query.collation;
    if (own != NULL && !bson_empty(own) && !sp_collation_check(own, error))
        return false;
    return (unfit->domain == SP_ERROR_NONE || pass_on(unfit, error)) && parse(changing, error) &&
           sp_shard_plans(&changing->arena, changing->model->hasher, changing->model->version,
                          changing->layout, &changing->parsed, error);
}

/* The collator of the update, its own or the collection's; none for simple comparison. */
static bool take_collator(changing_t *changing, sp_error_t *error)
{
    const bson_t *own = changing->change.query.collation;
    const bson_t *collation = own != NULL && !bson_empty(own) ? own : changing->layout->collation;
    if (!sp_collation_is_simple(collation))
        changing->collator = sp_collator_new(collation, error);
    return sp_collation_is_simple(collation) || changing->collator != NULL;
}

static bool refuse_array(sp_error_t *error)
{
    return sp_error_set(error, SP_ERROR_RULE, NOT_SINGLE_VALUE_FIELD,
                        "the update would put an array into a shard key field or above it");
}

static bool same_key(const changing_t *changing, const bson_t *key)
{
    return has(changing, SP_KEY_NUMBERS_ALIKE) ? sp_key_compare(&changing->key, key) == 0
                                               : bson_equal(&changing->key, key);
}

static bool changes_key(const changing_t *changing, const bson_t *key, sp_error_t *error)
{
    const sp_keychange_t *change = &changing->change;
    bool by_id = sp_keychange_is_by_id(change, changing->layout->collation);
    const char *owner = owner_of(changing, key);
    if (has(changing, SP_KEY_VALUES_IMMUTABLE))
        return sp_error_set(error, SP_ERROR_RULE, IMMUTABLE_FIELD,
                            "a shard key value cannot be changed");
    if (by_id || !sp_keychange_filter_holds_key(changing->layout->pattern, changing->parsed.root))
        return sp_error_set(error, SP_ERROR_RULE, NOT_THE_WHOLE_KEY,
                            "a shard key value is changed by a filter with the whole shard key");
    if (change->multi)
        return sp_error_set(error, SP_ERROR_RULE, INVALID_OPTIONS,
                            "a shard key value is changed of one document at a time");
    if (change->mode == SP_KEYCHANGE_ROUTER || change->mode == SP_KEYCHANGE_SHARD)
        return sp_error_set(
            error, SP_ERROR_RULE, ILLEGAL_OPERATION,
            "a shard key value is changed by a retryable write or in a transaction");
    if (has(changing, SP_KEY_FIELDS_KEPT) &&
        sp_keychange_lacks_field(changing->layout->pattern, &changing->after))
        return sp_error_set(error, SP_ERROR_RULE, NO_SUCH_KEY,
                            "the update would take a shard key field away");
    return (owner != NULL && strcmp(owner, changing->shard) == 0) ||
           sp_error_set(error, SP_ERROR_RULE, WOULD_CHANGE_OWNING_SHARD,
                        "the document would belong to %s", owner != NULL ? owner : "no shard");
}

static bool check_key(const changing_t *changing, sp_error_t *error)
{
    bson_t key = BSON_INITIALIZER;
    bool ok = extract(changing, &changing->after, &key)
                  ? same_key(changing, &key) || changes_key(changing, &key, error)
              : has(changing, SP_KEY_VALUES_IMMUTABLE)
                  ? sp_error_set(error, SP_ERROR_RULE, IMMUTABLE_FIELD,
                                 "a shard key value cannot be changed")
                  : refuse_array(error);
    bson_destroy(&key);
    return ok;
}

/* A shard puts the current time where it is asked to store Timestamp(0, 0) at the top. */
static bool is_stored_as_it_is(const bson_t *doc)
{
    bson_iter_t iter;
    bool has_id = bson_iter_init_find(&iter, doc, "_id");
    if (!has_id || !bson_iter_init(&iter, doc))
        return false;
    while (bson_iter_next(&iter)) {
        sp_value_t value = sp_value_of(&iter);
        if (sp_storage_replaces(&value))
            return false;
    }
    return true;
}

static void answer_counts(const changing_t *changing, bool found, bool changed, bson_t *answer)
{
    BSON_APPEND_INT32(answer, "n", found);
    if (!changing->change.find_and_modify) /* whose reply does not tell */
        BSON_APPEND_INT32(answer, "nModified", found && changed);
    if (found && is_stored_as_it_is(&changing->after))
        BSON_APPEND_DOCUMENT(answer, "after", &changing->after);
}

/* The index on _id takes no symbol under a collation, though it equals the string that was there.
 */
static bool check_new_id(const changing_t *changing, sp_error_t *error)
{
    bson_iter_t iter;
    if (!bson_iter_init_find(&iter, &changing->after, "_id"))
        return true;
    sp_value_t id = sp_value_of(&iter);
    return sp_upsert_id_indexable(&id, changing->layout->collation, error);
}

static bool answer_update(changing_t *changing, bson_t *answer, sp_error_t *error)
{
    bool changed;
    if (!sp_update_apply_collated(&changing->change.update, &changing->stored,
                                  changing->model->version, changing->collator, &changing->after,
                                  &changed, error) ||
        (changed && !(check_key(changing, error) && check_new_id(changing, error))))
        return false;
    if (changing->has_any_id)
        bson_reinit(&changing->after);
    answer_counts(changing, true, changed, answer);
    return true;
}

/* Whether the document that is there has the same _id, and so the shard takes no other with it. */
static bool has_same_id(const changing_t *changing)
{
    bson_iter_t mine, other;
    if (!bson_iter_init_find(&mine, &changing->stored, "_id") ||
        !bson_iter_init_find(&other, &changing->after, "_id"))
        return false;
    sp_value_t a = sp_value_of(&mine), b = sp_value_of(&other);
    return sp_value_compare(&a, &b) == 0;
}

/* An upsert by _id alone that is refused as a duplicate is tried again, for it ought to find what
 * is in its way. It never finds an orphan, and a transaction bears no second try. */
static bool is_tried_again(const changing_t *changing)
{
    const sp_keychange_t *change = &changing->change;
    const sp_node_t *root = changing->parsed.root;
    bool tries = change->mode != SP_KEYCHANGE_TRANSACTION ||
                 (change->find_and_modify && has(changing, SP_FIND_AND_MODIFY_TRIES_AGAIN));
    return tries && !change->multi && !is_owned(changing) && root->kind == SP_NODE_EQ &&
           strcmp(root->path, "_id") == 0;
}

/* The index on _id is the last that has a say. */
static bool check_id(const changing_t *changing, const char *shard, sp_error_t *error)
{
    if (!check_new_id(changing, error))
        return false;
    if (strcmp(shard, changing->shard) != 0 || !has_same_id(changing))
        return true;
    if (is_tried_again(changing))
        return sp_error_set(
            error, SP_ERROR_INPUT, 0,
            "'upsert' with an orphan of the same _id in 'stored' never ends, or ends "
            "the shard");
    return sp_error_set(error, SP_ERROR_RULE, DUPLICATE_KEY,
                        "there is a document with this _id on the shard");
}

static bool check_inserted(const changing_t *changing, const char *shard, sp_error_t *error)
{
    const sp_keychange_t *change = &changing->change;
    bson_t key = BSON_INITIALIZER;
    bool has_key = extract(changing, &changing->after, &key);
    const char *owner = has_key ? owner_of(changing, &key) : NULL;
    bson_destroy(&key);
    if (!has_key)
        return refuse_array(error);
    if (owner != NULL && strcmp(owner, shard) == 0)
        return check_id(changing, shard, error);
    return sp_error_set(error, SP_ERROR_RULE,
                        change->mode == SP_KEYCHANGE_ROUTER || change->mode == SP_KEYCHANGE_SHARD
                            ? ILLEGAL_OPERATION
                            : WOULD_CHANGE_OWNING_SHARD,
                        "the document that the upsert makes belongs to %s",
                        owner != NULL ? owner : "no shard");
}

static bool answer_insert(changing_t *changing, const char *shard, bson_t *answer,
                          sp_error_t *error)
{
    bson_t made = BSON_INITIALIZER;
    bool ok = sp_keychange_upsert(changing->model->version, changing->parsed.root,
                                  changing->collator, &changing->change.update, &made, error);
    sp_keychange_stored(&made, &changing->after);
    bson_destroy(&made);
    if (ok && has_id_field(changing->layout->pattern) && !bson_has_field(&changing->after, "_id"))
        return sp_error_set(error, SP_ERROR_INPUT, 0,
                            "'upsert' without an _id, which the shard invents, and the shard key "
                            "has it");
    if (!ok || !check_inserted(changing, shard, error))
        return false;
    /* Through a router two documents with one _id, on two shards, are not told apart. */
    if (changing->change.mode == SP_KEYCHANGE_ROUTER && has_same_id(changing))
        bson_reinit(&changing->after);
    answer_counts(changing, true, false, answer);
    BSON_APPEND_BOOL(answer, "upserted", true);
    return true;
}

/* Before any document is looked for; sets whether the update reaches the document's shard, and
 * which one an upsert is for. */
static bool pass(changing_t *changing, bool *reaches, const char **asked, sp_error_t *error)
{
    const sp_keychange_t *change = &changing->change;
    sp_keychange_route_t route = {.reaches = true};
    sp_error_t unfit = {0};
    if (!sp_update_check(&change->update, change->multi, changing->model->version, &unfit) &&
        (unfit.domain != SP_ERROR_RULE || is_no_pipeline(change, unfit.code)))
        return pass_on(&unfit, error);
    if (change->mode == SP_KEYCHANGE_ROUTER &&
        !sp_keychange_route(changing->model, changing->layout, change, changing->shard, &route,
                            error))
        return false;
    *reaches = route.reaches;
    if (route.alone != NULL)
        *asked = route.alone;
    return pass_shard(changing, &unfit, error);
}

/* Matching compares symbols by the collation; an index without that keeps them by their bytes. So a
 * symbol that only a collation makes match is found by some plans and not by others. */
static bool find(const changing_t *changing, bool *found, sp_error_t *error)
{
    const bson_t *filter = changing->change.query.filter;
    const sp_value_t whole = {BSON_TYPE_DOCUMENT, filter->len, bson_get_data(filter)};
    const sp_node_t *root = changing->parsed.root;
    bool by_bytes = true;
    if (!sp_matches(root, &changing->stored, changing->collator, found, error))
        return false;
    if (*found && changing->collator != NULL && sp_value_holds_symbol(&whole) &&
        !sp_matches(root, &changing->stored, NULL, &by_bytes, error))
        return false;
    return by_bytes ||
           sp_error_set(error, SP_ERROR_INPUT, 0,
                        "'filter' has a symbol, and only a collation makes it match: whether a "
                        "shard finds the document depends on its plan");
}

static bool answer(changing_t *changing, bson_t *answer, sp_error_t *error)
{
    const char *asked = changing->shard;
    bool reaches = true, found = false;
    if (!pass(changing, &reaches, &asked, error) || !take_collator(changing, error) ||
        (reaches && is_owned(changing) && !find(changing, &found, error)))
        return false;
    if (found)
        return answer_update(changing, answer, error);
    if (changing->change.upsert)
        return answer_insert(changing, asked, answer, error);
    answer_counts(changing, false, false, answer);
    return true;
}

bool sp_predict_keychange(sp_model_t *model, const sp_layout_t *layout, const bson_t *question,
                          bson_t *answer_doc, sp_error_t *error)
{
    changing_t changing = {.model = model, .layout = layout};
    sp_error_t failed = {0};
    if (!sp_keychange_read(question, &changing.change, error))
        return false;
    sp_arena_init(&changing.arena);
    bson_init(&changing.stored);
    bson_init(&changing.key);
    bson_init(&changing.after);
    bson_init(&changing.by_id);
    bool ok = place(&changing, &failed) && answer(&changing, answer_doc, &failed);
    sp_collator_free(changing.collator);
    bson_destroy(&changing.by_id);
    bson_destroy(&changing.after);
    bson_destroy(&changing.key);
    bson_destroy(&changing.stored);
    sp_arena_clear(&changing.arena);
    return ok || sp_answer_failure(&failed, answer_doc, error);
}
