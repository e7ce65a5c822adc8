/*
 * shardproof explain: which shards a query or write reaches, and why. See docs/explain.md.
 */
#include "../oracles/collation.h"
#include "../oracles/extjson.h"
#include "../reports/explanation.h"
#include "commands.h"
#include "layout_file.h"
#include "options.h"

#include <argp.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
    OPTION_OP = 256,
    OPTION_REPLACEMENT,
    OPTION_COLLATION,
    OPTION_DEFAULT_COLLATION,
    OPTION_SHARDS,
    OPTION_JSON
};

/* A document from the command line. */
typedef struct given {
    const char *text; /* NULL: not given */
    bson_t doc;       /* initialised in any event */
} given_t;

typedef struct arguments {
    given_t key, filter, collation, default_collation, replacement;
    const char *chunks, *server, *op;
    unsigned shards;
    bool json;
} arguments_t;

static const struct argp_option options[] = {
    {"key", 'k', "JSON", 0, "shard key pattern; may be left out where FILE has it", 0},
    {"chunks", 'c', "FILE", 0,
     "the chunks: a layout with key and chunks, an array of [min, max, \"shard\"], or the "
     "documents "
     "of config.chunks as mongoexport writes them",
     0},
    {"op", OPTION_OP, "NAME", 0,
     "find (default), aggregate, updateOne, updateMany, upsert, replaceOne, deleteOne or "
     "deleteMany; updates set a field that is not in the shard key",
     0},
    {"replacement", OPTION_REPLACEMENT, "JSON", 0, "the document that replaceOne writes", 0},
    {"collation", OPTION_COLLATION, "JSON", 0, "collation of the query", 0},
    {"default-collation", OPTION_DEFAULT_COLLATION, "JSON", 0,
     "default collation of the collection", 0},
    {"shards", OPTION_SHARDS, "N", 0,
     "the cluster has the shards s1 to sN; default: those that own chunks", 0},
    {"server", 's', "VERSION", 0, "whose rules to explain by; default " SP_MODEL_DEFAULT_VERSION,
     0},
    {"json", OPTION_JSON, NULL, 0, "one JSON document instead of words", 0},
    {0},
};

static error_t parse_option(int key, char *text, struct argp_state *state)
{
    arguments_t *arguments = state->input;
    switch (key) {
    case 'k':
        arguments->key.text = text;
        return 0;
    case 'c':
        arguments->chunks = text;
        return 0;
    case 's':
        arguments->server = text;
        return 0;
    case OPTION_OP:
        arguments->op = text;
        return 0;
    case OPTION_REPLACEMENT:
        arguments->replacement.text = text;
        return 0;
    case OPTION_COLLATION:
        arguments->collation.text = text;
        return 0;
    case OPTION_DEFAULT_COLLATION:
        arguments->default_collation.text = text;
        return 0;
    case OPTION_SHARDS:
        arguments->shards =
            (unsigned)sp_option_number(state, "shards", text, 1, SP_CHUNKMAP_SHARDS);
        return 0;
    case OPTION_JSON:
        arguments->json = true;
        return 0;
    case ARGP_KEY_ARG:
        if (arguments->filter.text != NULL)
            argp_error(state,
                       "there is one filter to explain, and '%s' is a second one: put it in "
                       "quotes as a whole",
                       text);
        arguments->filter.text = text;
        return 0;
    case ARGP_KEY_END:
        if (arguments->filter.text == NULL)
            argp_error(state, "say which filter to explain, for instance '{\"x\": {\"$gt\": 5}}'");
        if (arguments->chunks == NULL)
            argp_error(state, "say where the chunks are: --chunks FILE");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/* `what` names it in messages. */
static bool read_given(given_t *given, const char *what, sp_error_t *error)
{
    if (given->text == NULL)
        return true;
    bson_destroy(&given->doc);
    return (sp_json_read(given->text, strlen(given->text), &given->doc, error) &&
            sp_document_check(&given->doc, error)) ||
           sp_error_prefix(error, "%s '%.200s' is no JSON document", what, given->text);
}

static const bson_t *document_of(const given_t *given)
{
    return given->text != NULL ? &given->doc : NULL;
}

static bool check_collation(const given_t *given, const char *what, sp_error_t *error)
{
    sp_error_t refused = {0};
    return given->text == NULL || bson_empty(&given->doc) ||
           sp_collation_check(&given->doc, &refused) ||
           sp_error_set(error, SP_ERROR_INPUT, 0, "%s: %s", what, refused.message);
}

static bool check_replacement(const arguments_t *arguments, const sp_explain_question_t *question,
                              sp_error_t *error)
{
    bool wanted = question->writes && question->write.kind == SP_REPLACE_ONE;
    bson_iter_t iter;
    if (wanted != (arguments->replacement.text != NULL))
        return sp_error_set(error, SP_ERROR_USAGE, 0, "%s",
                            wanted ? "--op replaceOne needs --replacement JSON"
                                   : "--replacement is for --op replaceOne only");
    if (wanted && bson_iter_init(&iter, &arguments->replacement.doc)) {
        while (bson_iter_next(&iter)) {
            if (bson_iter_key(&iter)[0] == '$')
                return sp_error_set(error, SP_ERROR_INPUT, 0,
                                    "--replacement has the field '%.100s': it must be a document, "
                                    "not update operators",
                                    bson_iter_key(&iter));
        }
    }
    return true;
}

static bool make_question(const arguments_t *arguments, sp_explain_question_t *question,
                          sp_error_t *error)
{
    question->op = arguments->op;
    question->writes =
        strcmp(arguments->op, "find") != 0 && strcmp(arguments->op, "aggregate") != 0;
    question->write.query =
        (sp_query_t){document_of(&arguments->filter), document_of(&arguments->collation)};
    question->write.replacement = document_of(&arguments->replacement);
    if (question->writes && !sp_write_kind_parse(arguments->op, &question->write.kind))
        return sp_error_set(error, SP_ERROR_USAGE, 0,
                            "there is no op '%s': it is find, aggregate, updateOne, updateMany, "
                            "upsert, replaceOne, deleteOne or deleteMany",
                            arguments->op);
    return check_replacement(arguments, question, error);
}

static bool write_out(const sp_explanation_t *explanation, bool json, sp_error_t *error)
{
    bool ok = true;
    errno = 0;
    if (json) {
        char *text = sp_explanation_json(explanation);
        ok = text != NULL && puts(text) >= 0;
        bson_free(text);
    } else {
        sp_explanation_print(explanation, stdout);
    }
    return (ok && fflush(stdout) == 0 && !ferror(stdout)) ||
           sp_error_set(error, SP_ERROR_SYSTEM, errno,
                        "the explanation could not be written to standard output");
}

static bool explain(arguments_t *arguments, sp_error_t *error)
{
    sp_version_t version;
    sp_explain_question_t question = {0};
    sp_layout_t *layout = NULL;
    sp_model_t *model = NULL;
    sp_explanation_t *explanation = bson_malloc0(sizeof *explanation);
    const sp_layout_given_t given = {document_of(&arguments->key),
                                     document_of(&arguments->default_collation), arguments->shards};
    bool ok = sp_version_parse(arguments->server, &version, error) &&
              read_given(&arguments->key, "--key", error) &&
              read_given(&arguments->filter, "the filter", error) &&
              read_given(&arguments->collation, "--collation", error) &&
              read_given(&arguments->default_collation, "--default-collation", error) &&
              read_given(&arguments->replacement, "--replacement", error) &&
              check_collation(&arguments->default_collation, "--default-collation", error) &&
              make_question(arguments, &question, error);
    if (!ok)
        goto done;
    layout = sp_layout_file_read(arguments->chunks, &given, error);
    model = layout != NULL ? sp_model_new(version, error) : NULL;
    question.layout = layout;
    ok = model != NULL && sp_explain(model, &question, explanation, error);
    if (ok) {
        ok = write_out(explanation, arguments->json, error);
        sp_explanation_clear(explanation);
    }
done:
    bson_free(explanation);
    sp_model_free(model);
    sp_layout_free(layout);
    return ok;
}

int sp_cmd_explain(int argc, char **argv)
{
    static const struct argp argp = {
        options,
        parse_option,
        "FILTER",
        "Says which shards a query or write reaches, and why. No server is needed."
        " See docs/explain.md.",
        NULL,
        NULL,
        NULL};
    arguments_t arguments = {.server = SP_MODEL_DEFAULT_VERSION, .op = "find"};
    given_t *const all[] = {&arguments.key, &arguments.filter, &arguments.collation,
                            &arguments.default_collation, &arguments.replacement};
    for (unsigned i = 0; i < sizeof all / sizeof *all; i++)
        bson_init(&all[i]->doc);
    argp_parse(&argp, argc, argv, 0, NULL, &arguments);
    sp_error_t error = {0};
    int status = explain(&arguments, &error) ? 0 : sp_complain(&error);
    for (unsigned i = 0; i < sizeof all / sizeof *all; i++)
        bson_destroy(&all[i]->doc);
    return status;
}
