#include "../oracles/extjson.h"
#include "answer_json.h"
#include "escape.h"
#include "explain_words.h"

#include <cjson/cJSON.h>
#include <inttypes.h>
#include <string.h>

typedef struct writer {
    const sp_explanation_t *explanation;
    bool failed; /* out of memory somewhere; told at the end */
} writer_t;

static cJSON *put(writer_t *writer, cJSON *object, const char *name, cJSON *item)
{
    bool ok = name != NULL ? cJSON_AddItemToObject(object, name, item)
                           : cJSON_AddItemToArray(object, item);
    if (ok)
        return item;
    cJSON_Delete(item);
    writer->failed = true;
    return NULL;
}

static void put_text(writer_t *writer, cJSON *object, const char *name, const char *text)
{
    char *clean = sp_utf8_clean(text, SIZE_MAX);
    put(writer, object, name, cJSON_CreateString(clean));
    bson_free(clean);
}

static void put_number(writer_t *writer, cJSON *object, const char *name, uint32_t number)
{
    put(writer, object, name, cJSON_CreateNumber(number));
}

static void put_bool(writer_t *writer, cJSON *object, const char *name, bool value)
{
    put(writer, object, name, cJSON_CreateBool(value));
}

/* Extended JSON goes in as text: cJSON can neither read \u0000 nor keep 64-bit numbers. */
static void put_document(writer_t *writer, cJSON *object, const char *name, const bson_t *doc)
{
    if (doc == NULL) {
        put(writer, object, name, cJSON_CreateNull());
        return;
    }
    char *json = sp_json_write(doc, NULL);
    put(writer, object, name, json != NULL ? cJSON_CreateRaw(json) : NULL);
    bson_free(json);
}

static void put_value(writer_t *writer, cJSON *object, const char *name, const sp_value_t *value)
{
    static const char before[] = "{\"v\": ";
    bson_t holder = BSON_INITIALIZER;
    size_t size;
    sp_value_append(&holder, "v", value);
    char *json = sp_json_write(&holder, &size);
    cJSON *raw = NULL;
    if (json != NULL && strncmp(json, before, strlen(before)) == 0) {
        json[size - 1] = '\0';
        raw = cJSON_CreateRaw(json + strlen(before));
    }
    put(writer, object, name, raw);
    bson_free(json);
    bson_destroy(&holder);
}

/* {count, shown: […]}; returns the array. */
static cJSON *put_list(writer_t *writer, cJSON *object, const char *name, uint32_t count)
{
    cJSON *list = put(writer, object, name, cJSON_CreateObject());
    put_number(writer, list, "count", count);
    return put(writer, list, "shown", cJSON_CreateArray());
}

static void put_head(writer_t *writer, cJSON *root)
{
    const sp_explanation_t *explanation = writer->explanation;
    const sp_write_t *write = &explanation->question->write;
    char version[40];
    bson_t *key = sp_explain_pattern(explanation->question->layout->pattern);
    snprintf(version, sizeof version, "%u.%u.%u", explanation->version.major,
             explanation->version.minor, explanation->version.patch);
    put_text(writer, root, "op", explanation->question->op);
    put_text(writer, root, "server", version);
    put_document(writer, root, "key", key);
    bson_destroy(key);
    put_document(writer, root, "filter", write->query.filter);
    put_document(writer, root, "collation", write->query.collation);
    put_document(writer, root, "defaultCollation", explanation->question->layout->collation);
    put_document(writer, root, "replacement", write->replacement);
}

static void put_key(writer_t *writer, cJSON *root)
{
    const sp_explanation_t *explanation = writer->explanation;
    if (!explanation->has_key) {
        put(writer, root, "fixedKey", cJSON_CreateNull());
        return;
    }
    cJSON *key = put(writer, root, "fixedKey", cJSON_CreateObject());
    put_document(writer, key, "value", &explanation->key);
    put_document(writer, key, "inChunks", &explanation->lookup);
    put_bool(writer, key, "used", explanation->decision == SP_DECIDED_WHOLE_KEY);
}

static void put_intervals(writer_t *writer, cJSON *field, const sp_intervals_t *intervals)
{
    cJSON *list = put_list(writer, field, "intervals", intervals->count);
    for (unsigned i = 0; i < sp_explain_shown(intervals->count); i++) {
        const sp_interval_t *item = &intervals->items[i];
        cJSON *interval = put(writer, list, NULL, cJSON_CreateObject());
        put_value(writer, interval, "min", &item->start);
        put_bool(writer, interval, "minIn", item->start_in);
        put_value(writer, interval, "max", &item->end);
        put_bool(writer, interval, "maxIn", item->end_in);
    }
}

static void put_bounds(writer_t *writer, cJSON *root)
{
    const sp_explanation_t *explanation = writer->explanation;
    const sp_pattern_t *pattern = explanation->question->layout->pattern;
    if (explanation->decision == SP_DECIDED_WHOLE_KEY) {
        put(writer, root, "bounds", cJSON_CreateNull());
        return;
    }
    cJSON *fields = put(writer, root, "bounds", cJSON_CreateArray());
    for (unsigned i = 0; i < pattern->field_count; i++) {
        bool bounded = explanation->unbounded[i] == SP_FIELD_BOUNDED;
        cJSON *field = put(writer, fields, NULL, cJSON_CreateObject());
        put_text(writer, field, "field", pattern->fields[i].text);
        put_bool(writer, field, "hashed", (int)i == pattern->hashed);
        put_bool(writer, field, "bounded", bounded);
        put(writer, field, "why",
            bounded ? cJSON_CreateNull()
                    : cJSON_CreateString(sp_words_of_unbounded(explanation, i)));
        put_intervals(writer, field, &explanation->targeting.bounds.fields[i]);
    }
}

static void put_ranges(writer_t *writer, cJSON *root)
{
    const sp_explanation_t *explanation = writer->explanation;
    if (explanation->decision == SP_DECIDED_WHOLE_KEY) {
        put(writer, root, "ranges", cJSON_CreateNull());
        return;
    }
    cJSON *ranges = put_list(writer, root, "ranges", explanation->range_count);
    for (uint32_t i = 0; i < sp_explain_shown(explanation->range_count); i++) {
        cJSON *range = put(writer, ranges, NULL, cJSON_CreateObject());
        put_document(writer, range, "min", &explanation->ranges[i].min);
        put_document(writer, range, "max", &explanation->ranges[i].max);
    }
}

static void put_chunks(writer_t *writer, cJSON *root)
{
    const sp_explanation_t *explanation = writer->explanation;
    const sp_chunkmap_t *map = explanation->question->layout->chunks;
    cJSON *chunks = put_list(writer, root, "chunks", explanation->chunk_count);
    for (uint32_t i = 0; i < sp_explain_shown(explanation->chunk_count); i++) {
        bson_t min, max;
        cJSON *chunk = put(writer, chunks, NULL, cJSON_CreateObject());
        sp_chunkmap_bounds(map, explanation->chunks[i], &min, &max);
        put_document(writer, chunk, "min", &min);
        put_document(writer, chunk, "max", &max);
        put_text(writer, chunk, "shard", sp_chunkmap_shard(map, explanation->chunks[i]));
    }
}

static void put_shards(writer_t *writer, cJSON *root)
{
    const sp_targeting_t *targeting = &writer->explanation->targeting;
    const sp_chunkmap_t *map = writer->explanation->question->layout->chunks;
    cJSON *shards = put(writer, root, "shards", cJSON_CreateArray());
    for (unsigned i = 0; i < sp_chunkmap_shard_count(map); i++) {
        if ((targeting->shards[i / 64] >> i % 64 & 1) != 0)
            put_text(writer, shards, NULL, sp_chunkmap_shard_name(map, i));
    }
}

static void put_totals(writer_t *writer, cJSON *root)
{
    const sp_chunkmap_t *map = writer->explanation->question->layout->chunks;
    put_number(writer, root, "allChunks", sp_chunkmap_count(map));
    put_number(writer, root, "allOwners", sp_chunkmap_shard_count(map));
}

/* What a refused query has none of. */
static void put_nothing(writer_t *writer, cJSON *root)
{
    static const char *const names[] = {"simple", "fixedKey", "bounds", "ranges", "chunks"};
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
        put(writer, root, names[i], cJSON_CreateNull());
    put(writer, root, "shards", cJSON_CreateArray());
}

static void put_answer(writer_t *writer, cJSON *root)
{
    char *why = sp_words_of_why(writer->explanation);
    char *answer = sp_answer_json(&writer->explanation->answer);
    put_text(writer, root, "reach", sp_words_of_reach(writer->explanation));
    put_text(writer, root, "decision", sp_words_of_decision(writer->explanation));
    put_text(writer, root, "why", why);
    put(writer, root, "answer", cJSON_CreateRaw(answer));
    bson_free(answer);
    bson_free(why);
}

char *sp_explanation_json(const sp_explanation_t *explanation)
{
    writer_t writer = {.explanation = explanation};
    cJSON *root = cJSON_CreateObject();
    put_head(&writer, root);
    put_totals(&writer, root);
    if (explanation->decision == SP_DECIDED_REFUSED) {
        put_nothing(&writer, root);
    } else {
        put_bool(&writer, root, "simple", explanation->simple);
        put_key(&writer, root);
        put_bounds(&writer, root);
        put_ranges(&writer, root);
        put_chunks(&writer, root);
        put_shards(&writer, root);
    }
    put_answer(&writer, root);
    char *printed = writer.failed ? NULL : cJSON_PrintUnformatted(root);
    char *json = printed != NULL ? bson_strdup(printed) : NULL;
    cJSON_free(printed);
    cJSON_Delete(root);
    return json;
}
