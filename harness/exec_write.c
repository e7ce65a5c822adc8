/*
 * The write area: writes go through a router to an empty sharded collection, and the shards'
 * profilers tell where they arrived.
 *
 * The writes are really done: explaining them brings servers down, and so does a transaction
 * number.
 */
#include "area.h"
#include "case_fields.h"
#include "profiler.h"
#include "sharded.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

/* Writes under way at once, and in how many bytes. */
enum { WINDOW = 16, WINDOW_BYTES = 32768 };

enum { WRITE_TIME_MS = 20000, STALE_TRIES = 10, NO_PROGRESS_MADE = 82 };

typedef struct writing {
    sp_session_t *session;
    sp_sharded_t made;
    sp_conn_t *router;
    sp_value_t *writes;
    sp_write_kind_t *kinds;
    sp_fate_t *fates;
    uint32_t count;
} writing_t;

static void append_field(bson_t *into, const char *name, const sp_value_t *write, const char *field)
{
    bson_iter_t iter;
    if (sp_value_children(write, &iter) && bson_iter_find(&iter, field)) {
        sp_value_t value = sp_value_of(&iter);
        sp_value_append(into, name, &value);
    }
}

static void append_filter(bson_t *one, const sp_value_t *write, uint32_t index)
{
    bson_t filter, marked;
    bson_iter_t iter;
    BSON_APPEND_DOCUMENT_BEGIN(one, "q", &marked);
    if (sp_value_children(write, &iter) && bson_iter_find(&iter, "filter") &&
        sp_value_document(&iter, &filter))
        bson_concat(&marked, &filter);
    sp_profiler_mark(&marked, index);
    bson_append_document_end(one, &marked);
}

static void append_update(bson_t *one, const sp_value_t *write, sp_write_kind_t kind)
{
    bson_t update, set;
    if (kind == SP_REPLACE_ONE) {
        append_field(one, "u", write, "update");
    } else {
        BSON_APPEND_DOCUMENT_BEGIN(one, "u", &update);
        BSON_APPEND_DOCUMENT_BEGIN(&update, "$set", &set);
        BSON_APPEND_INT32(&set, "w", 1);
        bson_append_document_end(&update, &set);
        bson_append_document_end(one, &update);
    }
    BSON_APPEND_BOOL(one, "multi", kind == SP_UPDATE_MANY);
    BSON_APPEND_BOOL(one, "upsert", kind == SP_UPSERT);
}

static void build(bson_t *command, const writing_t *writing, uint32_t index)
{
    const sp_value_t *write = &writing->writes[index];
    sp_write_kind_t kind = writing->kinds[index];
    bool removes = kind == SP_DELETE_ONE || kind == SP_DELETE_MANY;
    bson_t list, one;
    BSON_APPEND_UTF8(command, removes ? "clusterDelete" : "clusterUpdate",
                     writing->made.collection);
    BSON_APPEND_ARRAY_BEGIN(command, removes ? "deletes" : "updates", &list);
    BSON_APPEND_DOCUMENT_BEGIN(&list, "0", &one);
    append_filter(&one, write, index);
    if (removes)
        BSON_APPEND_INT32(&one, "limit", kind == SP_DELETE_ONE);
    else
        append_update(&one, write, kind);
    append_field(&one, "collation", write, "collation");
    bson_append_document_end(&list, &one);
    bson_append_array_end(command, &list);
    BSON_APPEND_BOOL(command, "ordered", false);
    BSON_APPEND_INT32(command, "maxTimeMS", WRITE_TIME_MS);
}

static bool post(const writing_t *writing, uint32_t index, uint32_t *size, sp_error_t *error)
{
    bson_t command = BSON_INITIALIZER;
    build(&command, writing, index);
    *size = command.len;
    bool ok = sp_conn_post(writing->router, writing->session->db, &command, error);
    bson_destroy(&command);
    return ok;
}

static bool fetch(const writing_t *writing, uint32_t index, sp_error_t *error)
{
    bson_t reply;
    sp_error_t failed = {0};
    sp_fate_t *fate = &writing->fates[index];
    bool ok;
    if (sp_conn_fetch(writing->router, &reply, &failed)) {
        ok = sp_fates_read(&reply, fate, 1, error);
    } else if (failed.domain != SP_ERROR_SERVER || sp_code_is_trouble(failed.code)) {
        ok = sp_error_set(error, failed.domain, failed.code, "%s", failed.message);
    } else {
        sp_fate_refuse(fate, failed.code, failed.message);
        ok = true;
    }
    bson_destroy(&reply);
    return ok;
}

static bool write_one(const writing_t *writing, uint32_t index, sp_error_t *error)
{
    uint32_t size;
    return post(writing, index, &size, error) && fetch(writing, index, error);
}

/* What inserts nothing, several at once. */
static bool do_updates(const writing_t *writing, sp_error_t *error)
{
    uint32_t window[WINDOW], sizes[WINDOW];
    uint32_t posted = 0, fetched = 0, bytes = 0;
    bool ok = true;
    for (uint32_t i = 0; ok && i <= writing->count; i++) {
        bool end = i == writing->count;
        if (!end && writing->kinds[i] == SP_UPSERT)
            continue;
        while (ok && posted > fetched &&
               (end || posted - fetched == WINDOW || bytes > WINDOW_BYTES)) {
            bytes -= sizes[fetched % WINDOW];
            ok = fetch(writing, window[fetched++ % WINDOW], error);
        }
        if (ok && !end) {
            ok = post(writing, i, &sizes[posted % WINDOW], error);
            bytes += sizes[posted % WINDOW];
            window[posted++ % WINDOW] = i;
        }
    }
    return ok;
}

/* One by one, since each must find the collection empty. */
static bool do_upserts(const writing_t *writing, sp_error_t *error)
{
    bool ok = true;
    for (uint32_t i = 0; ok && i < writing->count; i++) {
        if (writing->kinds[i] == SP_UPSERT)
            ok = write_one(writing, i, error) &&
                 (writing->fates[i].refused ||
                  sp_sharded_empty(writing->session, writing->made.collection, error));
    }
    return ok;
}

static bool is_stale(const sp_fate_t *fate)
{
    return fate->refused && (sp_code_is_stale(fate->code) || fate->code == NO_PROGRESS_MADE);
}

/* A router that gave up over stale routing tables is asked again: that says nothing of the write.
 */
static bool do_stale(const writing_t *writing, sp_error_t *error)
{
    bool ok = true;
    for (uint32_t i = 0; ok && i < writing->count; i++) {
        sp_fate_t *fate = &writing->fates[i];
        for (unsigned tries = 0; ok && is_stale(fate); tries++) {
            fate->refused = false;
            ok = tries < STALE_TRIES
                     ? write_one(writing, i, error) &&
                           sp_sharded_empty(writing->session, writing->made.collection, error)
                     : sp_error_set(error, SP_ERROR_INFRA, 0,
                                    "the router's table of %s stays stale", writing->made.ns);
        }
    }
    return ok;
}

static void answer(const writing_t *writing, sp_answers_t *observed)
{
    for (uint32_t i = 0; i < writing->count; i++) {
        bson_t *one = sp_answers_add(observed);
        if (!writing->fates[i].refused && writing->fates[i].shards == 0)
            BSON_APPEND_UTF8(one, "infrastructure", "the write shows in no shard's profiler");
        else
            sp_fate_answer(&writing->fates[i], writing->session, one);
    }
}

static void read_writes(writing_t *writing, const bson_iter_t *array)
{
    bson_iter_t iter, op;
    bool sound = bson_iter_recurse(array, &iter);
    for (uint32_t i = 0; i < writing->count; i++) {
        sound = sound && bson_iter_next(&iter) && bson_iter_recurse(&iter, &op) &&
                bson_iter_find(&op, "op") && BSON_ITER_HOLDS_UTF8(&op) &&
                sp_write_kind_parse(bson_iter_utf8(&op, NULL), &writing->kinds[i]);
        assert(sound); /* no case comes this far whose answers the model cannot tell */
        writing->writes[i] = sp_value_of(&iter);
    }
}

static bool execute_one(sp_session_t *session, const bson_t *test, sp_answers_t *observed,
                        sp_error_t *error)
{
    sp_case_layout_t layout;
    bson_iter_t array;
    if (!sp_case_layout(test, session, &layout, error) ||
        !sp_case_array(test, "writes", &array, error))
        return false;
    writing_t writing = {
        .session = session,
        .router = session->shards[session->serial % session->shard_count],
        .count = sp_case_count(&array),
    };
    writing.writes = bson_malloc0((writing.count + 1) * sizeof *writing.writes);
    writing.kinds = bson_malloc0((writing.count + 1) * sizeof *writing.kinds);
    writing.fates = sp_fates_new(writing.count);
    read_writes(&writing, &array);
    sp_session_forget(session);
    bool made = sp_sharded_make(session, &layout.key, layout.collation, &layout.chunks,
                                &writing.made, error);
    bool ok = made && sp_profiler_start(session, error) && do_updates(&writing, error) &&
              do_upserts(&writing, error) && do_stale(&writing, error) &&
              sp_profiler_read(session, writing.made.ns, writing.fates, writing.count, error);
    if (made) {
        sp_profiler_stop(session);
        /* A collection that cannot be dropped is only untidy. */
        sp_sharded_drop(session, writing.made.collection, NULL);
    }
    if (ok)
        answer(&writing, observed);
    sp_fates_free(writing.fates, writing.count);
    bson_free(writing.kinds);
    bson_free(writing.writes);
    return ok;
}

bool sp_execute_write(sp_session_t *session, bson_t *const *cases, uint32_t count,
                      sp_answers_t *observed, sp_error_t *error)
{
    return sp_execute_each(session, cases, count, execute_one, observed, error);
}
