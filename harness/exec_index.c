/*
 * The index area: versioned commands to the shard that owns the collection's one chunk.
 *
 * All questions of a case are asked of one collection, which is put back after each: its indexes
 * dropped, its documents deleted. Where that does not bring back the indexes that it began with
 * (the shard key's may have been dropped or changed), a new collection takes its place.
 */
#include "area.h"
#include "case_fields.h"
#include "delete_command.h"
#include "index_commands.h"
#include "shard_versions.h"

#include <assert.h>
#include <string.h>

enum { STALE_TRIES = 10 };

typedef struct asking {
    sp_session_t *session;
    sp_case_layout_t *layout;
    sp_sharded_t made;
    bool is_made;
    sp_shard_versions_t versions;
    unsigned shard; /* which owns everything */
    bson_t began;   /* the first listIndexes: {"": firstBatch} */
} asking_t;

/* What one question did, as far as it is known. */
typedef struct round {
    bool stale;  /* a part of it was refused for want of the newest routing table */
    bool ended;  /* the op itself was done */
    bool filled; /* there may be documents */
} round_t;

static sp_conn_t *conn_of(const asking_t *asking)
{
    return asking->session->shards[asking->shard];
}

static bool post(const asking_t *asking, bson_t *command, bool versioned, sp_error_t *error)
{
    if (versioned)
        bson_concat(command, &asking->versions.versions[asking->shard]);
    bool ok = sp_conn_post(conn_of(asking), asking->session->db, command, error);
    bson_destroy(command);
    return ok;
}

/* Fetches a reply that may be a refusal, which is left in `refused`. `reply` must be destroyed. */
static bool fetch(const asking_t *asking, bson_t *reply, sp_error_t *refused, round_t *round,
                  sp_error_t *error)
{
    *refused = (sp_error_t){0};
    if (sp_conn_fetch(conn_of(asking), reply, refused))
        return true;
    if (refused->domain != SP_ERROR_SERVER || sp_code_is_trouble(refused->code))
        return sp_error_set(error, refused->domain, refused->code, "%s", refused->message);
    round->stale = round->stale || sp_code_is_stale(refused->code);
    return true;
}

/* The first of a reply's writeErrors becomes a refusal. */
static void read_write_error(const bson_t *reply, sp_error_t *refused)
{
    bson_iter_t iter, first, fields;
    if (!bson_iter_init(&iter, reply) ||
        !bson_iter_find_descendant(&iter, "writeErrors.0", &first) ||
        !bson_iter_recurse(&first, &fields))
        return;
    int32_t code = 0;
    const char *message = "";
    while (bson_iter_next(&fields)) {
        if (strcmp(bson_iter_key(&fields), "code") == 0)
            code = (int32_t)bson_iter_as_int64(&fields);
        else if (strcmp(bson_iter_key(&fields), "errmsg") == 0 && BSON_ITER_HOLDS_UTF8(&fields))
            message = bson_iter_utf8(&fields, NULL);
    }
    sp_error_set(refused, SP_ERROR_SERVER, code, "%s", message);
}

static bool fetch_step(const asking_t *asking, round_t *round, sp_error_t *error)
{
    bson_t reply;
    sp_error_t refused;
    bool ok = fetch(asking, &reply, &refused, round, error);
    if (ok && refused.domain == SP_ERROR_NONE) {
        read_write_error(&reply, &refused);
        round->stale =
            round->stale || (refused.domain != SP_ERROR_NONE && sp_code_is_stale(refused.code));
    }
    bson_destroy(&reply);
    return ok;
}

static bool list_reply(const asking_t *asking, bson_t *reply, sp_error_t *refused, round_t *round,
                       sp_error_t *error)
{
    return fetch(asking, reply, refused, round, error);
}

static bool post_list(const asking_t *asking, sp_error_t *error)
{
    bson_t command = BSON_INITIALIZER;
    sp_index_list_command(&command, asking->made.collection);
    return post(asking, &command, false, error);
}

/* Copies firstBatch out of a reply. */
static bool take_batch(const bson_t *reply, bson_t *batch)
{
    bson_iter_t iter, first;
    bson_reinit(batch);
    if (!bson_iter_init(&iter, reply) ||
        !bson_iter_find_descendant(&iter, "cursor.firstBatch", &first))
        return false;
    sp_value_t value = sp_value_of(&first);
    return sp_value_append(batch, "", &value);
}

static void drop(asking_t *asking)
{
    if (asking->is_made) {
        sp_shard_versions_clear(&asking->versions);
        /* A collection that cannot be dropped is only untidy. */
        sp_sharded_drop(asking->session, asking->made.collection, NULL);
    }
    asking->is_made = false;
}

static bool find_owner(asking_t *asking, sp_error_t *error)
{
    for (unsigned i = 0; i < asking->session->shard_count; i++) {
        if (asking->versions.owns[i]) {
            asking->shard = i;
            return true;
        }
    }
    return sp_error_set(error, SP_ERROR_INFRA, 0, "no shard owns %s", asking->made.ns);
}

static bool make(asking_t *asking, sp_error_t *error)
{
    bson_t reply;
    sp_error_t refused;
    round_t round = {0};
    if (!sp_sharded_make(asking->session, &asking->layout->key, asking->layout->collation,
                         &asking->layout->chunks, &asking->made, error))
        return false;
    asking->is_made = true;
    bool ok = sp_shard_versions_read(asking->session, &asking->made, &asking->versions, error) &&
              find_owner(asking, error) && post_list(asking, error);
    if (!ok)
        return false;
    ok = list_reply(asking, &reply, &refused, &round, error) &&
         (take_batch(&reply, &asking->began) ||
          sp_error_set(error, SP_ERROR_INFRA, 0, "the indexes of %s cannot be listed",
                       asking->made.ns));
    bson_destroy(&reply);
    return ok;
}

/* Stands before the elements of an array of the question that may be missing. */
static bool find_steps(const bson_t *question, const char *name, bson_iter_t *elements)
{
    bson_iter_t iter;
    return bson_iter_init_find(&iter, question, name) && bson_iter_recurse(&iter, elements);
}

static bool post_steps(const asking_t *asking, const bson_t *question, uint32_t *steps,
                       round_t *round, sp_error_t *error)
{
    bson_iter_t iter;
    bool ok = true;
    for (bool more = find_steps(question, "indexes", &iter); ok && more && bson_iter_next(&iter);
         ++*steps) {
        bson_t command = BSON_INITIALIZER, spec;
        if (sp_value_document(&iter, &spec))
            sp_index_create_command(&command, asking->made.collection, &spec);
        ok = post(asking, &command, true, error);
    }
    for (bool more = find_steps(question, "docs", &iter); ok && more && bson_iter_next(&iter);
         ++*steps) {
        bson_t command = BSON_INITIALIZER, doc;
        if (sp_value_document(&iter, &doc))
            sp_index_insert_command(&command, asking->made.collection, &doc);
        round->filled = true;
        ok = post(asking, &command, true, error);
    }
    for (bool more = find_steps(question, "dropped", &iter); ok && more && bson_iter_next(&iter);
         ++*steps) {
        bson_t command = BSON_INITIALIZER;
        sp_index_drop_command(&command, asking->made.collection, &iter);
        ok = post(asking, &command, true, error);
    }
    return ok;
}

static void append_made(const bson_t *reply, bson_t *answer)
{
    bson_iter_t before, after;
    if (bson_iter_init_find(&before, reply, "numIndexesBefore") &&
        bson_iter_init_find(&after, reply, "numIndexesAfter"))
        BSON_APPEND_BOOL(answer, "made", bson_iter_as_int64(&after) > bson_iter_as_int64(&before));
}

static bool fetch_answer(const asking_t *asking, bool is_insert, bool lists, bson_t *answer,
                         round_t *round, sp_error_t *error)
{
    bson_t reply;
    sp_error_t refused;
    bool ok = fetch(asking, &reply, &refused, round, error);
    if (ok && is_insert && refused.domain == SP_ERROR_NONE)
        read_write_error(&reply, &refused);
    if (ok && refused.domain != SP_ERROR_NONE) {
        round->stale = round->stale || sp_code_is_stale(refused.code);
        sp_answer_error(answer, refused.code, refused.message);
    } else if (ok) {
        round->ended = true;
        BSON_APPEND_BOOL(answer, "ok", true);
        append_made(&reply, answer);
    }
    bson_destroy(&reply);
    if (!ok || !lists)
        return ok;
    ok = list_reply(asking, &reply, &refused, round, error);
    if (ok && round->ended)
        sp_index_append_list(&reply, answer);
    bson_destroy(&reply);
    return ok;
}

/* Puts the collection back; `clean` says whether it is as it was. */
static bool put_back(const asking_t *asking, const round_t *done, bool *clean, sp_error_t *error)
{
    bson_t command = BSON_INITIALIZER, reply, batch = BSON_INITIALIZER;
    sp_error_t refused;
    round_t round = {0};
    if (done->filled) {
        sp_build_delete(&command, "delete", asking->made.collection, NULL);
        if (!post(asking, &command, false, error))
            return false;
        bson_init(&command);
    }
    sp_index_drop_all_command(&command, asking->made.collection);
    if (!post(asking, &command, true, error) || !post_list(asking, error) ||
        (done->filled && !fetch_step(asking, &round, error)) || !fetch_step(asking, &round, error))
        return false;
    bool ok = list_reply(asking, &reply, &refused, &round, error);
    *clean = ok && !round.stale && take_batch(&reply, &batch) && bson_equal(&batch, &asking->began);
    bson_destroy(&reply);
    bson_destroy(&batch);
    return ok;
}

static bool ask_once(asking_t *asking, const bson_t *question, bson_t *answer, round_t *round,
                     sp_error_t *error)
{
    bson_iter_t iter;
    bson_t command = BSON_INITIALIZER;
    uint32_t steps = 0;
    bool known = bson_iter_init_find(&iter, question, "op") && BSON_ITER_HOLDS_UTF8(&iter);
    const char *op = known ? bson_iter_utf8(&iter, NULL) : "";
    bool is_insert = strcmp(op, "insert") == 0;
    bool lists = strcmp(op, "dropIndexes") == 0 || strcmp(op, "collMod") == 0;
    known = sp_index_command(&command, asking->made.collection, question);
    assert(known); /* no case comes this far whose answers the model cannot tell */
    round->filled = is_insert;
    bool ok = post_steps(asking, question, &steps, round, error);
    if (!ok) {
        bson_destroy(&command);
        return false;
    }
    ok = post(asking, &command, true, error) && (!lists || post_list(asking, error));
    for (uint32_t i = 0; ok && i < steps; i++)
        ok = fetch_step(asking, round, error);
    ok = ok && fetch_answer(asking, is_insert, lists, answer, round, error);
    bool clean = true;
    if (ok && (steps > 0 || round->ended))
        ok = put_back(asking, round, &clean, error);
    if (ok && !clean)
        drop(asking);
    return ok;
}

static bool ask(void *context, const bson_t *question, bson_t *answer, sp_error_t *error)
{
    asking_t *asking = context;
    for (unsigned tries = 0; tries < STALE_TRIES; tries++) {
        round_t round = {0};
        bson_reinit(answer);
        if ((!asking->is_made && !make(asking, error)) ||
            !ask_once(asking, question, answer, &round, error))
            return false;
        if (!round.stale)
            return true;
    }
    return sp_error_set(error, SP_ERROR_INFRA, 0, "the shard's table of %s stays stale",
                        asking->made.ns);
}

static bool execute_one(sp_session_t *session, const bson_t *test, sp_answers_t *observed,
                        sp_error_t *error)
{
    sp_case_layout_t layout;
    if (!sp_case_layout(test, session, &layout, error))
        return false;
    asking_t asking = {.session = session, .layout = &layout};
    bson_init(&asking.began);
    sp_session_forget(session);
    bool ok = sp_case_ask_each(test, "requests", ask, &asking, observed, error);
    drop(&asking);
    bson_destroy(&asking.began);
    return ok;
}

bool sp_execute_index(sp_session_t *session, bson_t *const *cases, uint32_t count,
                      sp_answers_t *observed, sp_error_t *error)
{
    return sp_execute_each(session, cases, count, execute_one, observed, error);
}
