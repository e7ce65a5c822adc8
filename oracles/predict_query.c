/* What a router answers to reads and writes by filter. */
#include "collation.h"
#include "extract.h"
#include "model.h"
#include "query_key.h"
#include "shard_plan.h"
#include "upsert.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

enum { SHARD_KEY_NOT_FOUND = 61, INVALID_OPTIONS = 72 };

/* One question while it is answered. */
typedef struct question {
    sp_model_t *model;
    const sp_layout_t *layout;
    const sp_query_t *query;
    sp_arena_t arena;
    sp_parsed_query_t parsed;
    sp_targeting_t targeting;
    char id_text[4], id_parts[4];
    sp_pattern_t id_pattern; /* {_id: 1}, as every collection has it for an index */
} question_t;

static void begin(question_t *question, sp_model_t *model, const sp_layout_t *layout,
                  const sp_query_t *query)
{
    question->model = model;
    question->layout = layout;
    question->query = query;
    sp_arena_init(&question->arena);
    strcpy(question->id_text, "_id");
    strcpy(question->id_parts, "_id");
    question->id_pattern.field_count = 1;
    question->id_pattern.fields[0] =
        (sp_path_t){question->id_text, sizeof "_id" - 1, question->id_parts, 1};
    question->id_pattern.hashed = -1;
}

static bool parse(question_t *question, sp_error_t *error)
{
    return sp_query_parse(&question->arena, question->model->version, question->layout,
                          question->query, &question->parsed, error);
}

static bool target_key(question_t *question, sp_error_t *error)
{
    return sp_target_key(&question->arena, question->model->hasher, question->model->version,
                         question->layout, &question->parsed, &question->targeting, error);
}

static bool target_query(question_t *question, sp_error_t *error)
{
    return sp_target_query(&question->arena, question->model->hasher, question->model->version,
                           question->layout, &question->parsed, &question->targeting, error);
}

static void append_name(bson_t *names, unsigned index, const char *name)
{
    char buffer[16];
    const char *key;
    bson_uint32_to_string(index, &key, buffer, sizeof buffer);
    bson_append_utf8(names, key, -1, name, -1);
}

static void append_targets(const question_t *question, bson_t *answer)
{
    const sp_chunkmap_t *chunks = question->layout->chunks;
    bson_t names;
    unsigned count = 0;
    BSON_APPEND_ARRAY_BEGIN(answer, "shards", &names);
    for (unsigned i = 0; count < question->targeting.shard_count; i++) {
        if ((question->targeting.shards[i / 64] >> i % 64 & 1) != 0)
            append_name(&names, count++, sp_chunkmap_shard_name(chunks, i));
    }
    bson_append_array_end(answer, &names);
}

static void append_all_shards(const sp_layout_t *layout, bson_t *answer)
{
    bson_t names;
    BSON_APPEND_ARRAY_BEGIN(answer, "shards", &names);
    for (unsigned i = 0; i < layout->shard_count; i++)
        append_name(&names, i, layout->shards[i]);
    bson_append_array_end(answer, &names);
}

/* An answer that is an error, or what keeps the model from knowing one. */
static bool end(question_t *question, bool answered, const sp_error_t *failed, bson_t *answer,
                sp_error_t *error)
{
    sp_arena_clear(&question->arena);
    return answered || sp_answer_failure(failed, answer, error);
}

bool sp_predict_find(sp_model_t *model, const sp_layout_t *layout, const sp_query_t *query,
                     bson_t *answer, sp_error_t *error)
{
    question_t question;
    sp_error_t failed = {0};
    begin(&question, model, layout, query);
    bool ok = parse(&question, &failed) && target_query(&question, &failed);
    if (ok)
        append_targets(&question, answer);
    return end(&question, ok, &failed, answer, error);
}

/* Whether the filter fixes _id to a value that can be looked up on every shard: one that the
 * query's own collation, where it has one, compares as the collection does. */
static bool fixes_id(const question_t *question)
{
    sp_value_t id;
    if (!sp_query_key(&question->id_pattern, question->parsed.root, &id))
        return false;
    const bson_t *own = question->query->collation;
    return !sp_collation_concerns(id.type) || own == NULL || bson_empty(own) ||
           sp_collation_same(own, question->layout->collation);
}

/* The shard that the replacement belongs to. A missing _id is taken from the filter. */
static bool target_replacement(question_t *question, const bson_t *replacement, sp_error_t *error)
{
    bson_t key = BSON_INITIALIZER, document = BSON_INITIALIZER;
    sp_value_t id;
    if (!bson_has_field(replacement, "_id") &&
        sp_query_key(&question->id_pattern, question->parsed.root, &id))
        sp_value_append(&document, "_id", &id);
    bson_concat(&document, replacement);
    bool ok = sp_extract_key(question->layout->pattern, question->model->hasher, &document, &key,
                             error) &&
              sp_target_found_key(question->model->version, question->layout, &question->parsed,
                                  &key, &question->targeting, error);
    bson_destroy(&key);
    bson_destroy(&document);
    return ok;
}

static bool pass_shards(question_t *question, sp_error_t *error)
{
    return sp_shard_plans(&question->arena, question->model->hasher, question->model->version,
                          question->layout, &question->parsed, error);
}

static bool answer_upsert(question_t *question, bson_t *answer, sp_error_t *error)
{
    if (!target_key(question, error) || !pass_shards(question, error) ||
        !sp_upsert_check(question->model->version, question->parsed.root,
                         question->layout->collation, error))
        return false;
    append_targets(question, answer);
    return true;
}

/* Whether a write that may reach several shards may do so: one of many documents, or of one that is
 * found by its _id. */
static bool may_spread(const question_t *question, const sp_write_t *write)
{
    return write->kind == SP_UPDATE_MANY || write->kind == SP_DELETE_MANY || fixes_id(question);
}

static bool needs_key(sp_version_t version, const sp_write_t *write)
{
    return (write->kind == SP_UPDATE_ONE && sp_version_has(version, SP_ONE_UPDATE_NEEDS_KEY)) ||
           (write->kind == SP_DELETE_ONE && sp_version_has(version, SP_ONE_DELETE_NEEDS_KEY));
}

static bool writes_to_owners(sp_version_t version, const sp_write_t *write)
{
    return write->kind != SP_REPLACE_ONE && sp_version_has(version, SP_WRITE_TO_OWNERS_ONLY);
}

/* A write to more than one shard goes to all of the cluster, whether they own chunks or not. */
static bool answer_write(question_t *question, const sp_write_t *write, bson_t *answer,
                         sp_error_t *error)
{
    const sp_version_t version = question->model->version;
    if (needs_key(version, write) && !fixes_id(question) && !target_key(question, NULL))
        return sp_error_set(error, SP_ERROR_RULE, SHARD_KEY_NOT_FOUND,
                            "a write to one document must fix its _id or the whole shard key");
    if (!target_query(question, error))
        return false;
    bool spreads = question->targeting.shard_count > 1 && !writes_to_owners(version, write);
    if (spreads && write->kind == SP_REPLACE_ONE) {
        if (!target_replacement(question, write->replacement, error))
            return false;
        spreads = false;
    }
    if (spreads && !may_spread(question, write))
        return sp_error_set(error, SP_ERROR_RULE,
                            write->kind == SP_DELETE_ONE ? SHARD_KEY_NOT_FOUND : INVALID_OPTIONS,
                            "a write to one document must fix its _id or reach a single shard, "
                            "and this one reaches %u",
                            question->targeting.shard_count);
    if (!pass_shards(question, error))
        return false;
    if (spreads)
        append_all_shards(question->layout, answer);
    else
        append_targets(question, answer);
    return true;
}

bool sp_predict_write(sp_model_t *model, const sp_layout_t *layout, const sp_write_t *write,
                      bson_t *answer, sp_error_t *error)
{
    question_t question;
    sp_error_t failed = {0};
    begin(&question, model, layout, &write->query);
    bool ok = parse(&question, &failed) &&
              (write->kind == SP_UPSERT ? answer_upsert(&question, answer, &failed)
                                        : answer_write(&question, write, answer, &failed));
    return end(&question, ok, &failed, answer, error);
}

static const char *const kind_names[SP_WRITE_KINDS] = {
    [SP_UPDATE_ONE] = "updateOne", [SP_UPDATE_MANY] = "updateMany",
    [SP_UPSERT] = "upsert",        [SP_REPLACE_ONE] = "replaceOne",
    [SP_DELETE_ONE] = "deleteOne", [SP_DELETE_MANY] = "deleteMany",
};

const char *sp_write_kind_name(sp_write_kind_t kind)
{
    assert((unsigned)kind < SP_WRITE_KINDS);
    return kind_names[kind];
}

bool sp_write_kind_parse(const char *name, sp_write_kind_t *kind)
{
    for (unsigned i = 0; i < SP_WRITE_KINDS; i++) {
        if (strcmp(kind_names[i], name) == 0) {
            *kind = (sp_write_kind_t)i;
            return true;
        }
    }
    return false;
}
