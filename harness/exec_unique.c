/*
 * The unique area: a collection is sharded and gets its indexes once for a case; the documents of
 * each question are inserted through routers, one after the other, and then removed from every
 * shard.
 */
#include "area.h"
#include "case_fields.h"
#include "fates.h"
#include "unique_setup.h"

#include "../oracles/model.h"

#include <string.h>

enum { STALE_TRIES = 10, NO_PROGRESS_MADE = 82, INSERT_TIME_MS = 20000 };

typedef enum way { SINGLE, UNORDERED, ORDERED } way_t;

/* One question while it is asked. */
typedef struct question {
    sp_session_t *session;
    const sp_sharded_t *made;
    bson_iter_t docs; /* stands on the array */
    uint32_t count;
    way_t way;
    sp_fate_t *fates;
} question_t;

static bool read_question(sp_session_t *session, const sp_sharded_t *made, const bson_iter_t *iter,
                          question_t *question, sp_error_t *error)
{
    bson_iter_t way;
    bson_t doc;
    *question = (question_t){.session = session, .made = made};
    if (!sp_value_document(iter, &doc) || !sp_case_array(&doc, "docs", &question->docs, error) ||
        !bson_iter_init_find(&way, &doc, "way") || !BSON_ITER_HOLDS_UTF8(&way))
        return sp_error_set(error, SP_ERROR_INPUT, 0, "a request needs 'docs' and 'way'");
    const char *text = bson_iter_utf8(&way, NULL);
    question->way = strcmp(text, "ordered") == 0     ? ORDERED
                    : strcmp(text, "unordered") == 0 ? UNORDERED
                                                     : SINGLE;
    question->count = sp_case_count(&question->docs);
    return true;
}

/* Inserts `count` documents from `first` on, the next of which `docs` is before. */
static bool insert_some(const question_t *question, sp_conn_t *router, bson_iter_t *docs,
                        uint32_t first, uint32_t count, sp_error_t *error)
{
    bson_t command = BSON_INITIALIZER, list, reply;
    BSON_APPEND_UTF8(&command, "clusterInsert", question->made->collection);
    BSON_APPEND_ARRAY_BEGIN(&command, "documents", &list);
    for (uint32_t i = 0; i < count && bson_iter_next(docs); i++) {
        char buffer[16];
        const char *name;
        bson_uint32_to_string(i, &name, buffer, sizeof buffer);
        bson_append_iter(&list, name, -1, docs);
    }
    bson_append_array_end(&command, &list);
    BSON_APPEND_BOOL(&command, "ordered", question->way == ORDERED);
    BSON_APPEND_INT32(&command, "maxTimeMS", INSERT_TIME_MS);
    bool ok = sp_conn_command(router, question->session->db, &command, &reply, error) &&
              sp_fates_read(&reply, question->fates + first, count, error);
    bson_destroy(&command);
    bson_destroy(&reply);
    return ok;
}

/* Any shard can be the router; they take turns, and with single documents within a question too. */
static bool insert_all(const question_t *question, uint32_t number, sp_error_t *error)
{
    sp_session_t *session = question->session;
    bson_iter_t docs;
    bool ok = bson_iter_recurse(&question->docs, &docs);
    if (question->way != SINGLE)
        return question->count == 0 ||
               insert_some(question, session->shards[number % session->shard_count], &docs, 0,
                           question->count, error);
    for (uint32_t i = 0; ok && i < question->count; i++)
        ok = insert_some(question, session->shards[(number + i) % session->shard_count], &docs, i,
                         1, error);
    return ok;
}

static bool has_stale(const question_t *question)
{
    bool found = false;
    for (uint32_t i = 0; i < question->count; i++) {
        const sp_fate_t *fate = &question->fates[i];
        found = found ||
                (fate->refused && (sp_code_is_stale(fate->code) || fate->code == NO_PROGRESS_MADE));
    }
    return found;
}

/* A router that gives up over stale routing tables says nothing of the documents: all again. */
static bool ask(question_t *question, uint32_t number, sp_error_t *error)
{
    for (unsigned tries = 0; tries < STALE_TRIES; tries++) {
        question->fates = sp_fates_new(question->count);
        bool ok = insert_all(question, number, error) &&
                  sp_sharded_empty(question->session, question->made->collection, error);
        if (!ok || !has_stale(question))
            return ok;
        sp_fates_free(question->fates, question->count);
        question->fates = NULL;
    }
    return sp_error_set(error, SP_ERROR_INFRA, 0, "the router's table of %s stays stale",
                        question->made->ns);
}

/* 0 for a document that was taken, null behind what ended an ordered insert, else the code. */
static void answer(const question_t *question, bson_t *answer)
{
    bson_t codes;
    bool stopped = false;
    BSON_APPEND_ARRAY_BEGIN(answer, "codes", &codes);
    for (uint32_t i = 0; i < question->count; i++) {
        char buffer[16];
        const char *name;
        const sp_fate_t *fate = &question->fates[i];
        bson_uint32_to_string(i, &name, buffer, sizeof buffer);
        if (stopped)
            BSON_APPEND_NULL(&codes, name);
        else
            BSON_APPEND_INT32(&codes, name, fate->refused ? fate->code : 0);
        stopped = question->way == ORDERED && (stopped || fate->refused);
    }
    bson_append_array_end(answer, &codes);
}

static bool ask_all(sp_session_t *session, const sp_sharded_t *made, const bson_iter_t *requests,
                    sp_answers_t *observed, sp_error_t *error)
{
    bson_iter_t iter;
    bool ok = bson_iter_recurse(requests, &iter);
    for (uint32_t i = 0; ok && bson_iter_next(&iter); i++) {
        question_t question;
        ok = read_question(session, made, &iter, &question, error) && ask(&question, i, error);
        if (ok)
            answer(&question, sp_answers_add(observed));
        if (question.fates != NULL)
            sp_fates_free(question.fates, question.count);
    }
    return ok;
}

/* What was asked for cannot be made: that is the answer to every question. */
static void answer_refusal(const bson_iter_t *requests, const sp_error_t *refused,
                           sp_answers_t *observed)
{
    uint32_t count = sp_case_count(requests);
    for (uint32_t i = 0; i < count; i++)
        sp_answer_error(sp_answers_add(observed), refused->code, refused->message);
}

static bool execute_one(sp_session_t *session, const bson_t *test, sp_answers_t *observed,
                        sp_error_t *error)
{
    sp_case_layout_t layout;
    bson_iter_t requests;
    sp_sharded_t made;
    sp_error_t failed = {0};
    if (!sp_case_layout(test, session, &layout, error) ||
        !sp_case_array(test, "requests", &requests, error))
        return false;
    sp_session_forget(session);
    bool is_there = sp_unique_setup(session, test, &layout, &made, &failed);
    bool ok = true;
    if (is_there) {
        ok = ask_all(session, &made, &requests, observed, error);
        sp_sharded_drop(session, made.collection, NULL); /* else it is only untidy */
    } else if (failed.domain == SP_ERROR_SERVER && !sp_code_is_trouble(failed.code) &&
               !sp_code_is_stale(failed.code)) {
        answer_refusal(&requests, &failed, observed);
    } else {
        ok = sp_error_set(error, failed.domain, failed.code, "%s", failed.message);
    }
    return ok;
}

bool sp_execute_unique(sp_session_t *session, bson_t *const *cases, uint32_t count,
                       sp_answers_t *observed, sp_error_t *error)
{
    return sp_execute_each(session, cases, count, execute_one, observed, error);
}
