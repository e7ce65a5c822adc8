/*
 * shardproof ask: the model as a filter. See docs/ask.md.
 */
#include "../oracles/case.h"
#include "../oracles/rules.h"
#include "../reports/answer_json.h"
#include "../reports/escape.h"
#include "commands.h"
#include "lines.h"
#include "options.h"

#include <argp.h>
#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* A cluster has at least this many shards, s1 and so on, as far as nobody says otherwise: writes go
 * to shards without chunks too. */
enum { LAYOUTS_MAX = 100000, DEFAULT_SHARDS = 5, OPTION_SHARDS = 256 };

typedef struct numbered_layout {
    int64_t number;
    sp_layout_t *layout;
} numbered_layout_t;

typedef struct layouts {
    numbered_layout_t *items;
    unsigned count, capacity;
} layouts_t;

typedef struct asker {
    sp_model_t *model;
    unsigned shards; /* of a cluster whose layout line does not tell */
    layouts_t layouts;
} asker_t;

/* Newest first, so that a number given again means the later one. */
static const sp_layout_t *find_layout(const layouts_t *layouts, int64_t number)
{
    for (unsigned i = layouts->count; i-- > 0;) {
        if (layouts->items[i].number == number)
            return layouts->items[i].layout;
    }
    return NULL;
}

static bool read_layout_number(const bson_t *line, int64_t *number, sp_error_t *error)
{
    bson_iter_t iter;
    if (!bson_iter_init_find(&iter, line, "layout") || !BSON_ITER_HOLDS_INT(&iter))
        return sp_error_set(error, SP_ERROR_INPUT, 0, "the line needs 'layout', a whole number");
    *number = bson_iter_as_int64(&iter);
    return true;
}

static bool add_layout(asker_t *asker, bson_t *line, sp_error_t *error)
{
    layouts_t *layouts = &asker->layouts;
    int64_t number = 0;
    if (!read_layout_number(line, &number, error))
        return false;
    if (!bson_has_field(line, "shards"))
        BSON_APPEND_INT32(line, "shards", (int32_t)asker->shards);
    if (layouts->count == LAYOUTS_MAX)
        return sp_error_set(error, SP_ERROR_INPUT, 0, "more than %d layouts", LAYOUTS_MAX);
    sp_layout_t *layout = sp_layout_new(line, error);
    if (layout == NULL)
        return false;
    if (layouts->count == layouts->capacity) {
        layouts->capacity = layouts->capacity == 0 ? 16 : 2 * layouts->capacity;
        layouts->items = bson_realloc(layouts->items, layouts->capacity * sizeof *layouts->items);
    }
    layouts->items[layouts->count].number = number;
    layouts->items[layouts->count++].layout = layout;
    return true;
}

static bool answer_hash(asker_t *asker, const bson_t *line, bson_t *answer, sp_error_t *error)
{
    bson_iter_t iter;
    if (!bson_iter_init_find(&iter, line, "value"))
        return sp_error_set(error, SP_ERROR_INPUT, 0, "a 'hash' line needs 'value'");
    sp_value_t value = sp_value_of(&iter);
    sp_predict_hash(asker->model, &value, answer);
    return true;
}

/* The layout that a line names; NULL where there is none. */
static const sp_layout_t *layout_of(const asker_t *asker, const bson_t *line, sp_error_t *error)
{
    int64_t number = 0;
    if (!read_layout_number(line, &number, error))
        return NULL;
    const sp_layout_t *layout = find_layout(&asker->layouts, number);
    if (layout == NULL)
        sp_error_set(error, SP_ERROR_INPUT, 0,
                     "no layout %lld came before: send its line with key and chunks first",
                     (long long)number);
    return layout;
}

static bool answer_insert(asker_t *asker, const bson_t *line, bson_t *answer, sp_error_t *error)
{
    bson_iter_t iter;
    bson_t doc;
    const sp_layout_t *layout = layout_of(asker, line, error);
    if (layout == NULL)
        return false;
    if (!bson_iter_init_find(&iter, line, "doc") || !sp_value_document(&iter, &doc))
        return sp_error_set(error, SP_ERROR_INPUT, 0, "an 'insert' line needs 'doc', a document");
    sp_predict_insert(asker->model, layout, &doc, answer);
    return true;
}

static bool answer_find(asker_t *asker, const bson_t *line, bson_t *answer, sp_error_t *error)
{
    bson_t filter, collation;
    sp_query_t query;
    const sp_layout_t *layout = layout_of(asker, line, error);
    return layout != NULL && sp_case_query(line, &filter, &collation, &query, error) &&
           sp_predict_find(asker->model, layout, &query, answer, error);
}

/* The write that `op` names; the update is {$set: {w: 1}}. */
static bool answer_write(asker_t *asker, const bson_t *line, bson_t *answer, sp_error_t *error)
{
    bson_t filter, collation;
    sp_write_t write = {.kind = SP_UPDATE_ONE};
    bson_iter_t op;
    bool known = bson_iter_init_find(&op, line, "op") &&
                 sp_write_kind_parse(bson_iter_utf8(&op, NULL), &write.kind);
    assert(known);
    const sp_layout_t *layout = layout_of(asker, line, error);
    return layout != NULL && sp_case_query(line, &filter, &collation, &write.query, error) &&
           sp_predict_write(asker->model, layout, &write, answer, error);
}

static bool answer_index(asker_t *asker, const bson_t *line, bson_t *answer, sp_error_t *error)
{
    bson_iter_t iter;
    bson_t key;
    if (!bson_iter_init_find(&iter, line, "key") || !sp_value_document(&iter, &key))
        return sp_error_set(error, SP_ERROR_INPUT, 0,
                            "a 'createIndex' line needs 'key', the collection's shard key");
    return sp_predict_index(asker->model, &key, line, answer, error);
}

static bool answer_sharding(asker_t *asker, const bson_t *line, bson_t *answer, sp_error_t *error)
{
    unsigned shards = asker->shards;
    if (bson_has_field(line, "shards") && !sp_case_shard_count(line, &shards, error))
        return false;
    return sp_predict_shard_collection(asker->model, shards, line, answer, error);
}

static bool answer_keychange(asker_t *asker, const bson_t *line, bson_t *answer, sp_error_t *error)
{
    const sp_layout_t *layout = layout_of(asker, line, error);
    return layout != NULL && sp_predict_keychange(asker->model, layout, line, answer, error);
}

static const struct operation {
    const char *name;
    bool (*answer)(asker_t *asker, const bson_t *line, bson_t *answer, sp_error_t *error);
} operations[] = {
    {"hash", answer_hash},           {"insert", answer_insert},
    {"find", answer_find},           {"updateOne", answer_write},
    {"updateMany", answer_write},    {"upsert", answer_write},
    {"deleteOne", answer_write},     {"deleteMany", answer_write},
    {"createIndex", answer_index},   {"shardCollection", answer_sharding},
    {"keychange", answer_keychange},
};

static bool answer_operation(asker_t *asker, const bson_iter_t *op, const bson_t *line,
                             bson_t *answer, sp_error_t *error)
{
    uint32_t size;
    const char *name = bson_iter_utf8(op, &size);
    for (unsigned i = 0; i < sizeof operations / sizeof *operations; i++) {
        if (strlen(operations[i].name) == size && memcmp(operations[i].name, name, size) == 0)
            return operations[i].answer(asker, line, answer, error);
    }
    return sp_error_set(error, SP_ERROR_INPUT, 0, "there is no op '%s'", name);
}

static void answer_line(asker_t *asker, const bson_t *line, bson_t *answer, sp_error_t *error)
{
    bson_iter_t iter;
    bool found = bson_iter_init_find(&iter, line, "op");
    assert(found);
    if (!BSON_ITER_HOLDS_UTF8(&iter))
        sp_error_set(error, SP_ERROR_INPUT, 0, "'op' must be a string");
    else
        answer_operation(asker, &iter, line, answer, error);
}

/* {error: {code: null, …}}: the line could not be understood, which no server said. */
static void append_unreadable(bson_t *answer, const char *message)
{
    bson_t error;
    char *clean = sp_utf8_clean(message, SIZE_MAX); /* it may be cut inside a character */
    bson_reinit(answer);
    BSON_APPEND_DOCUMENT_BEGIN(answer, "error", &error);
    BSON_APPEND_NULL(&error, "code");
    BSON_APPEND_UTF8(&error, "message", clean);
    bson_append_document_end(answer, &error);
    bson_free(clean);
}

static bool print_answer(const bson_t *answer)
{
    char *text = sp_answer_json(answer);
    bool ok = puts(text) >= 0;
    bson_free(text);
    return ok;
}

/* Returns 0, or 2 where a line could not be understood, 3 where the answers could not be written.
 */
static int answer_all(asker_t *asker)
{
    sp_lines_t lines;
    sp_lines_init(&lines, stdin, "standard input");
    int status = 0;
    bson_t answer = BSON_INITIALIZER;
    for (bool more = true; more && status != 3;) {
        bson_t line;
        sp_error_t error = {0};
        sp_line_t what = sp_lines_next(&lines, &line, &error);
        more = what != SP_LINE_END;
        bson_reinit(&answer);
        bool asks = what == SP_LINE_READ && bson_has_field(&line, "op");
        if (asks)
            answer_line(asker, &line, &answer, &error);
        else if (what == SP_LINE_READ)
            add_layout(asker, &line, &error);
        if (error.domain != SP_ERROR_NONE) {
            if (what == SP_LINE_READ)
                sp_error_prefix(&error, "%s:%u", lines.name, lines.number);
            status = 2;
        }
        /* A layout line gets no answer even where it is wrong: answers must stay in step with
         * questions. */
        if (error.domain != SP_ERROR_NONE && what == SP_LINE_READ && !asks)
            sp_complain(&error);
        else if (error.domain != SP_ERROR_NONE)
            append_unreadable(&answer, error.message);
        if (!bson_empty(&answer) && !print_answer(&answer))
            status = 3;
        bson_destroy(&line);
    }
    if (fflush(stdout) != 0)
        status = 3;
    bson_destroy(&answer);
    sp_lines_clear(&lines);
    return status;
}

typedef struct arguments {
    const char *server;
    unsigned shards;
} arguments_t;

static error_t parse_option(int key, char *text, struct argp_state *state)
{
    arguments_t *arguments = state->input;
    switch (key) {
    case 's':
        arguments->server = text;
        return 0;
    case OPTION_SHARDS:
        arguments->shards =
            (unsigned)sp_option_number(state, "shards", text, 1, SP_CHUNKMAP_SHARDS);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

int sp_cmd_ask(int argc, char **argv)
{
    static const struct argp_option options[] = {
        {"server", 's', "VERSION", 0, "whose rules to answer by; default " SP_MODEL_DEFAULT_VERSION,
         0},
        {"shards", OPTION_SHARDS, "N", 0,
         "shards of a cluster whose layout line does not tell, s1 to sN; default 5", 0},
        {0},
    };
    static const struct argp argp = {options,
                                     parse_option,
                                     NULL,
                                     "Reads one JSON object a line and writes one answer a line "
                                     "for each that has `op`: hash, insert, find, updateOne, "
                                     "updateMany, upsert, deleteOne, deleteMany, createIndex, "
                                     "shardCollection, keychange."
                                     " See docs/ask.md.",
                                     NULL,
                                     NULL,
                                     NULL};
    arguments_t arguments = {.server = SP_MODEL_DEFAULT_VERSION, .shards = DEFAULT_SHARDS};
    argp_parse(&argp, argc, argv, 0, NULL, &arguments);

    sp_error_t error = {0};
    sp_version_t version;
    if (!sp_version_parse(arguments.server, &version, &error))
        return sp_complain(&error);
    asker_t asker = {.model = sp_model_new(version, &error), .shards = arguments.shards};
    if (asker.model == NULL)
        return sp_complain(&error);
    setvbuf(stdout, NULL, _IOLBF, 0); /* who asks through a pipe waits for each answer */
    int status = answer_all(&asker);
    if (status == 3)
        fprintf(stderr, "shardproof: the answers could not be written to standard output\n");
    for (unsigned i = 0; i < asker.layouts.count; i++)
        sp_layout_free(asker.layouts.items[i].layout);
    bson_free(asker.layouts.items);
    sp_model_free(asker.model);
    return status;
}
