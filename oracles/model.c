#include "model.h"

#include "extract.h"
#include "order.h"
#include "storage.h"

#include <inttypes.h>
#include <stdio.h>

sp_model_t *sp_model_new(sp_version_t version, sp_error_t *error)
{
    sp_hasher_t *hasher = sp_hasher_new(error);
    if (hasher == NULL)
        return NULL;
    sp_model_t *model = bson_malloc0(sizeof *model);
    model->version = version;
    model->hasher = hasher;
    return model;
}

void sp_model_free(sp_model_t *model)
{
    if (model == NULL)
        return;
    sp_hasher_free(model->hasher);
    bson_free(model);
}

enum { SHARD_KEY_NOT_FOUND = 61, SHARD_KEY_TOO_BIG = 13334 };

/* Before 4.4 a document needed every shard key field, and short values in them. */
static bool check_older_rules(const sp_model_t *model, const sp_pattern_t *pattern,
                              const bson_t *doc, const bson_t *key, sp_error_t *error)
{
    const uint32_t size_limit = sp_version_has(model->version, SP_KEY_OF_512_REFUSED) ? 511 : 512;
    bool required = sp_version_has(model->version, SP_KEY_FIELDS_REQUIRED);
    for (unsigned i = 0; required && i < pattern->field_count; i++) {
        if (sp_extract_path(doc, &pattern->fields[i]).type == BSON_TYPE_EOD)
            return sp_error_set(error, SP_ERROR_RULE, SHARD_KEY_NOT_FOUND,
                                "the document lacks the shard key field '%s'",
                                pattern->fields[i].text);
    }
    if (sp_version_has(model->version, SP_KEY_SIZE_LIMITED) && pattern->hashed < 0 &&
        key->len > size_limit)
        return sp_error_set(error, SP_ERROR_RULE, SHARD_KEY_TOO_BIG,
                            "the shard key value has %u bytes, more than %u are refused", key->len,
                            size_limit);
    return true;
}

static const char *code_name(int32_t code)
{
    switch (code) {
    case 2:
        return "BadValue";
    case 15:
        return "Overflow";
    case 52:
        return "DollarPrefixedFieldName";
    case 53:
        return "InvalidIdField";
    case 20:
        return "IllegalOperation";
    case 54:
        return "NotSingleValueField";
    case 55:
        return "InvalidDBRef";
    case 72:
        return "InvalidOptions";
    case 201:
        return "CannotBuildIndexKeys";
    case SHARD_KEY_NOT_FOUND:
        return "ShardKeyNotFound";
    case SHARD_KEY_TOO_BIG:
        return "ShardKeyTooBig";
    default:
        return NULL;
    }
}

void sp_answer_error(bson_t *answer, int32_t code, const char *message)
{
    bson_t error;
    BSON_APPEND_DOCUMENT_BEGIN(answer, "error", &error);
    BSON_APPEND_INT32(&error, "code", code);
    if (code_name(code) != NULL)
        BSON_APPEND_UTF8(&error, "codeName", code_name(code));
    BSON_APPEND_UTF8(&error, "message", message);
    bson_append_document_end(answer, &error);
}

bool sp_answer_failure(const sp_error_t *failed, bson_t *answer, sp_error_t *error)
{
    if (failed->domain != SP_ERROR_RULE)
        return sp_error_set(error, failed->domain, failed->code, "%s", failed->message);
    sp_answer_error(answer, failed->code, failed->message);
    return true;
}

void sp_predict_hash(sp_model_t *model, const sp_value_t *value, bson_t *answer)
{
    char text[24];
    int size = snprintf(text, sizeof text, "%" PRId64, sp_hash_value(model->hasher, value));
    bson_append_utf8(answer, "hash", 4, text, size);
}

void sp_predict_order(sp_model_t *model, const sp_value_t *a, const sp_value_t *b, bson_t *answer)
{
    (void)model;
    BSON_APPEND_INT32(answer, "order", sp_value_compare_in_expression(a, b));
}

/* NULL where the router knows no chunk for the key. */
static const char *find_owner(const sp_model_t *model, const sp_layout_t *layout, const bson_t *key,
                              sp_error_t *error)
{
    uint32_t chunk;
    if (sp_chunkmap_find(layout->chunks, key, &chunk) ||
        !sp_version_has(model->version, SP_MAX_KEY_IN_NO_CHUNK))
        return sp_chunkmap_shard(layout->chunks, chunk);
    sp_error_set(error, SP_ERROR_RULE, SHARD_KEY_NOT_FOUND,
                 "a shard key value that is MaxKey in every field belongs to no chunk");
    return NULL;
}

static void append_owner(const char *owner, bson_t *answer)
{
    bson_t shards;
    BSON_APPEND_ARRAY_BEGIN(answer, "shards", &shards);
    BSON_APPEND_UTF8(&shards, "0", owner);
    bson_append_array_end(answer, &shards);
}

void sp_predict_insert(sp_model_t *model, const sp_layout_t *layout, const bson_t *doc,
                       bson_t *answer)
{
    sp_error_t refused;
    const char *owner = NULL;
    bson_t key = BSON_INITIALIZER;
    if (sp_extract_key(layout->pattern, model->hasher, doc, &key, &refused) &&
        check_older_rules(model, layout->pattern, doc, &key, &refused))
        owner = find_owner(model, layout, &key, &refused);
    /* The router looks for the shard first, so its refusal comes before the shard's. */
    if (owner != NULL && sp_storage_check(doc, &refused))
        append_owner(owner, answer);
    else
        sp_answer_error(answer, refused.code, refused.message);
    bson_destroy(&key);
}
