/*
 * Areas whose questions a server answers by evaluating an expression: hash and order.
 *
 * The values of a whole batch travel as one constant and are mapped over, so that nothing is
 * inserted and one round trip asks thousands of questions.
 */
#include "area.h"

#include <inttypes.h>
#include <stdio.h>

enum { INVALID_NAMESPACE = 73 };

/* The `$map` expression that turns `$$this` into an answer. */
typedef void (*append_expression_fn)(bson_t *parent);
typedef bool (*read_answer_fn)(const bson_iter_t *value, bson_t *answer);

static void append_project(bson_t *pipeline, append_expression_fn append_expression)
{
    bson_t stage, project, field, map;
    BSON_APPEND_DOCUMENT_BEGIN(pipeline, "1", &stage);
    BSON_APPEND_DOCUMENT_BEGIN(&stage, "$project", &project);
    BSON_APPEND_DOCUMENT_BEGIN(&project, "r", &field);
    BSON_APPEND_DOCUMENT_BEGIN(&field, "$map", &map);
    BSON_APPEND_UTF8(&map, "input", "$$v");
    append_expression(&map);
    bson_append_document_end(&field, &map);
    bson_append_document_end(&project, &field);
    bson_append_document_end(&stage, &project);
    bson_append_document_end(pipeline, &stage);
}

static void append_values(bson_t *command, bson_t *const *cases, uint32_t count, const char *field)
{
    bson_t let, constant, values;
    BSON_APPEND_DOCUMENT_BEGIN(command, "let", &let);
    BSON_APPEND_DOCUMENT_BEGIN(&let, "v", &constant);
    BSON_APPEND_ARRAY_BEGIN(&constant, "$literal", &values);
    for (uint32_t i = 0; i < count; i++) {
        char buffer[16];
        const char *index;
        bson_iter_t iter;
        bson_uint32_to_string(i, &index, buffer, sizeof buffer);
        if (bson_iter_init_find(&iter, cases[i], field)) {
            sp_value_t value = sp_value_of(&iter);
            sp_value_append(&values, index, &value);
        }
    }
    bson_append_array_end(&constant, &values);
    bson_append_document_end(&let, &constant);
    bson_append_document_end(command, &let);
}

static void build_command(bson_t *command, bson_t *const *cases, uint32_t count, const char *field,
                          append_expression_fn append_expression)
{
    bson_t pipeline, documents, one, stage, cursor;
    BSON_APPEND_INT32(command, "aggregate", 1);
    BSON_APPEND_ARRAY_BEGIN(command, "pipeline", &pipeline);
    BSON_APPEND_DOCUMENT_BEGIN(&pipeline, "0", &stage);
    BSON_APPEND_ARRAY_BEGIN(&stage, "$documents", &documents);
    BSON_APPEND_DOCUMENT_BEGIN(&documents, "0", &one);
    bson_append_document_end(&documents, &one);
    bson_append_array_end(&stage, &documents);
    bson_append_document_end(&pipeline, &stage);
    append_project(&pipeline, append_expression);
    bson_append_array_end(command, &pipeline);
    append_values(command, cases, count, field);
    BSON_APPEND_DOCUMENT_BEGIN(command, "cursor", &cursor);
    bson_append_document_end(command, &cursor);
}

static bool read_answers(const bson_t *reply, uint32_t count, read_answer_fn read_answer,
                         sp_answers_t *observed, sp_error_t *error)
{
    bson_iter_t iter, found, value;
    bool ok = bson_iter_init(&iter, reply) &&
              bson_iter_find_descendant(&iter, "cursor.firstBatch.0.r", &found) &&
              BSON_ITER_HOLDS_ARRAY(&found) && bson_iter_recurse(&found, &value);
    uint32_t got = 0;
    while (ok && bson_iter_next(&value)) {
        ok = got < count && read_answer(&value, sp_answers_add(observed));
        got++;
    }
    if (ok && got == count)
        return true;
    return sp_error_set(error, SP_ERROR_INFRA, 0,
                        "the server gave %u usable answers to %u questions in one command", got,
                        count);
}

static bool evaluate(sp_session_t *session, bson_t *const *cases, uint32_t count, const char *field,
                     append_expression_fn append_expression, read_answer_fn read_answer,
                     sp_answers_t *observed, sp_error_t *error)
{
    bson_t command = BSON_INITIALIZER, reply;
    build_command(&command, cases, count, field, append_expression);
    bool ok = sp_conn_command(sp_session_any(session), "admin", &command, &reply, error) &&
              read_answers(&reply, count, read_answer, observed, error);
    bson_destroy(&command);
    bson_destroy(&reply);
    return ok;
}

static void append_hash_expression(bson_t *parent)
{
    bson_t in;
    BSON_APPEND_DOCUMENT_BEGIN(parent, "in", &in);
    BSON_APPEND_UTF8(&in, "$toHashedIndexKey", "$$this");
    bson_append_document_end(parent, &in);
}

static bool read_hash(const bson_iter_t *value, bson_t *answer)
{
    if (!BSON_ITER_HOLDS_INT64(value))
        return false;
    char text[24];
    int size = snprintf(text, sizeof text, "%" PRId64, bson_iter_int64(value));
    return bson_append_utf8(answer, "hash", 4, text, size);
}

void sp_build_hash_command(bson_t *command, bson_t *const *cases, uint32_t count)
{
    build_command(command, cases, count, "value", append_hash_expression);
}

/* A test command that every mongod has once test commands are enabled; about as slow as a ping. It
 * takes a string for a namespace, and so refuses one that holds a NUL: that cannot be asked. */
static bool hash_each(sp_session_t *session, bson_t *const *cases, uint32_t count,
                      sp_answers_t *observed, sp_error_t *error)
{
    bool ok = true;
    for (uint32_t i = 0; ok && i < count; i++) {
        bson_t command = BSON_INITIALIZER, reply;
        bson_iter_t iter;
        if (bson_iter_init_find(&iter, cases[i], "value")) {
            sp_value_t value = sp_value_of(&iter);
            sp_value_append(&command, "_hashBSONElement", &value);
        }
        BSON_APPEND_INT32(&command, "seed", 0);
        sp_error_t failed = {0};
        ok = sp_conn_command(sp_session_any(session), "admin", &command, &reply, &failed);
        if (!ok && failed.domain == SP_ERROR_SERVER && failed.code == INVALID_NAMESPACE) {
            BSON_APPEND_UTF8(sp_answers_add(observed), "unsupported", failed.message);
            ok = true;
        } else if (!ok) {
            sp_error_set(error, failed.domain, failed.code, "%s", failed.message);
        } else if (!(bson_iter_init_find(&iter, &reply, "out") &&
                     read_hash(&iter, sp_answers_add(observed)))) {
            ok = sp_error_set(error, SP_ERROR_INFRA, 0, "_hashBSONElement gave no int64 'out'");
        }
        bson_destroy(&command);
        bson_destroy(&reply);
    }
    return ok;
}

bool sp_execute_hash(sp_session_t *session, bson_t *const *cases, uint32_t count,
                     sp_answers_t *observed, sp_error_t *error)
{
    if ((sp_target_capabilities(session->target) & SP_HASHES_IN_BULK) == 0)
        return hash_each(session, cases, count, observed, error);
    return evaluate(session, cases, count, "value", append_hash_expression, read_hash, observed,
                    error);
}

static void append_element(bson_t *pair, const char *key, int32_t index)
{
    bson_t element, arguments;
    BSON_APPEND_DOCUMENT_BEGIN(pair, key, &element);
    BSON_APPEND_ARRAY_BEGIN(&element, "$arrayElemAt", &arguments);
    BSON_APPEND_UTF8(&arguments, "0", "$$this");
    BSON_APPEND_INT32(&arguments, "1", index);
    bson_append_array_end(&element, &arguments);
    bson_append_document_end(pair, &element);
}

static void append_order_expression(bson_t *parent)
{
    bson_t in, pair;
    BSON_APPEND_DOCUMENT_BEGIN(parent, "in", &in);
    BSON_APPEND_ARRAY_BEGIN(&in, "$cmp", &pair);
    append_element(&pair, "0", 0);
    append_element(&pair, "1", 1);
    bson_append_array_end(&in, &pair);
    bson_append_document_end(parent, &in);
}

static bool read_order(const bson_iter_t *value, bson_t *answer)
{
    return BSON_ITER_HOLDS_INT32(value) &&
           BSON_APPEND_INT32(answer, "order", bson_iter_int32(value));
}

bool sp_execute_order(sp_session_t *session, bson_t *const *cases, uint32_t count,
                      sp_answers_t *observed, sp_error_t *error)
{
    return evaluate(session, cases, count, "values", append_order_expression, read_order, observed,
                    error);
}
