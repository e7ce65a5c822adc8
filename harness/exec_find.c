/*
 * The find area: a layout is made on paper, and a router explains where it would send each query.
 */
#include "area.h"
#include "case_fields.h"
#include "paper.h"

#include <stdio.h>
#include <string.h>

/* Explains that are under way at once. Both bounds keep what is under way small enough for the
 * sockets' buffers, so that neither side ever waits for the other to read. */
enum { WINDOW = 16, WINDOW_BYTES = 32768 };

enum { STALE_TRIES = 10, REFRESH_TIME_MS = 10000 };

/* After so many explains of a case the layout of the next one goes from the config server to the
 * shards. */
enum { ANNOUNCE_AFTER = 40 };

typedef struct asking {
    sp_session_t *session;
    sp_conn_t *router;
    sp_answers_t *observed;
    uint32_t first; /* the answer to the first query */
    bson_iter_t queries;

    uint32_t posted, fetched;
    uint32_t sizes[WINDOW]; /* of the explains under way */
    uint32_t bytes;         /* … of all together */
    uint32_t stale;         /* queries whose routing table was not the newest */

    sp_session_t *next; /* where the layout of the case after this is on its way; NULL: none */
} asking_t;

static void append_collation(bson_t *command, const bson_iter_t *query)
{
    bson_iter_t iter;
    if (bson_iter_recurse(query, &iter) && bson_iter_find(&iter, "collation")) {
        sp_value_t collation = sp_value_of(&iter);
        sp_value_append(command, "collation", &collation);
    }
}

static void append_filter(bson_t *command, const char *name, const bson_iter_t *query)
{
    bson_iter_t iter;
    if (bson_iter_recurse(query, &iter) && bson_iter_find(&iter, "filter")) {
        sp_value_t filter = sp_value_of(&iter);
        sp_value_append(command, name, &filter);
    }
}

void sp_build_explain(bson_t *command, const char *collection, const bson_iter_t *query)
{
    bson_t explained, pipeline, stage, cursor;
    bson_iter_t iter;
    bool aggregate = bson_iter_recurse(query, &iter) && bson_iter_find(&iter, "op") &&
                     BSON_ITER_HOLDS_UTF8(&iter) &&
                     strcmp(bson_iter_utf8(&iter, NULL), "aggregate") == 0;
    BSON_APPEND_DOCUMENT_BEGIN(command, "explain", &explained);
    if (aggregate) {
        BSON_APPEND_UTF8(&explained, "clusterAggregate", collection);
        BSON_APPEND_ARRAY_BEGIN(&explained, "pipeline", &pipeline);
        BSON_APPEND_DOCUMENT_BEGIN(&pipeline, "0", &stage);
        append_filter(&stage, "$match", query);
        bson_append_document_end(&pipeline, &stage);
        bson_append_array_end(&explained, &pipeline);
        BSON_APPEND_DOCUMENT_BEGIN(&explained, "cursor", &cursor);
        bson_append_document_end(&explained, &cursor);
    } else {
        BSON_APPEND_UTF8(&explained, "clusterFind", collection);
        append_filter(&explained, "filter", query);
    }
    append_collation(&explained, query);
    bson_append_document_end(command, &explained);
    BSON_APPEND_UTF8(command, "verbosity", "queryPlanner");
}

/* Sets the bit of the shard that is called `name`. */
static bool mark(const sp_session_t *session, const char *name, uint64_t *shards)
{
    for (unsigned i = 0; i < session->shard_count; i++) {
        if (strcmp(session->at.names[i], name) == 0) {
            *shards |= UINT64_C(1) << i;
            return true;
        }
    }
    return false;
}

/* A find's explain has an array of plans that name their shards, an aggregate's a document whose
 * fields are called by them. */
static bool read_shards(const sp_session_t *session, const bson_t *reply, uint64_t *shards)
{
    bson_iter_t iter, plans, plan;
    *shards = 0;
    if (bson_iter_init_find(&iter, reply, "shards")) {
        bool ok = bson_iter_recurse(&iter, &plans);
        while (ok && bson_iter_next(&plans))
            ok = mark(session, bson_iter_key(&plans), shards);
        return ok;
    }
    if (!bson_iter_init(&iter, reply) ||
        !bson_iter_find_descendant(&iter, "queryPlanner.winningPlan.shards", &plan) ||
        !bson_iter_recurse(&plan, &plans))
        return false;
    while (bson_iter_next(&plans)) {
        if (!bson_iter_recurse(&plans, &plan) || !bson_iter_find(&plan, "shardName") ||
            !BSON_ITER_HOLDS_UTF8(&plan) || !mark(session, bson_iter_utf8(&plan, NULL), shards))
            return false;
    }
    return true;
}

static bool post(asking_t *asking, const bson_iter_t *query, sp_error_t *error)
{
    bson_t command = BSON_INITIALIZER;
    sp_build_explain(&command, asking->session->paper.collection, query);
    bool ok = sp_conn_post(asking->router, asking->session->db, &command, error);
    asking->sizes[asking->posted++ % WINDOW] = command.len;
    asking->bytes += command.len;
    bson_destroy(&command);
    return ok;
}

/* Fetches one reply into `answer`, which stays empty where the routing table was stale. */
static bool fetch(asking_t *asking, bson_t *answer, sp_error_t *error)
{
    bson_t reply;
    sp_error_t failed = {0};
    uint64_t shards;
    bool ok = true;
    if (sp_conn_fetch(asking->router, &reply, &failed)) {
        if (read_shards(asking->session, &reply, &shards))
            sp_answer_shards(answer, asking->session, shards);
        else
            ok = sp_error_set(error, SP_ERROR_INFRA, 0, "an explain names no shards");
    } else if (failed.domain != SP_ERROR_SERVER || sp_code_is_trouble(failed.code)) {
        ok = sp_error_set(error, failed.domain, failed.code, "%s", failed.message);
    } else if (sp_code_is_stale(failed.code)) {
        asking->stale++;
    } else {
        sp_answer_error(answer, failed.code, failed.message);
    }
    bson_destroy(&reply);
    return ok;
}

static bool fetch_next(asking_t *asking, sp_error_t *error)
{
    asking->bytes -= asking->sizes[asking->fetched++ % WINDOW];
    return fetch(asking, sp_answers_add(asking->observed), error);
}

/* Once the config server has surely written it down. What fails here fails again when that case has
 * its turn, and is told then. */
static void announce_next(const asking_t *asking)
{
    if (asking->next != NULL && asking->posted == ANNOUNCE_AFTER)
        sp_paper_announce(asking->next, NULL);
}

static bool ask_all(asking_t *asking, sp_error_t *error)
{
    bson_iter_t query = asking->queries;
    bool ok = true;
    while (ok && bson_iter_next(&query)) {
        announce_next(asking);
        while (ok && (asking->posted - asking->fetched == WINDOW ||
                      (asking->bytes > WINDOW_BYTES && asking->posted > asking->fetched)))
            ok = fetch_next(asking, error);
        ok = ok && post(asking, &query, error);
    }
    while (ok && asking->posted > asking->fetched)
        ok = fetch_next(asking, error);
    return ok;
}

/* An explain leaves a stale routing table as it is; a find brings it up to date. */
static bool refresh(asking_t *asking, sp_error_t *error)
{
    bson_t command = BSON_INITIALIZER;
    sp_error_t failed = {0};
    BSON_APPEND_UTF8(&command, "clusterFind", asking->session->paper.collection);
    BSON_APPEND_INT32(&command, "limit", 1);
    BSON_APPEND_INT32(&command, "maxTimeMS", REFRESH_TIME_MS);
    bool ok = sp_conn_command(asking->router, asking->session->db, &command, NULL, &failed) ||
              (failed.domain == SP_ERROR_SERVER && sp_code_is_stale(failed.code));
    bson_destroy(&command);
    return ok || sp_error_set(error, failed.domain, failed.code, "%s", failed.message);
}

/* Asks once more what found a stale routing table, one by one. */
static bool ask_stale(asking_t *asking, sp_error_t *error)
{
    bson_iter_t query = asking->queries;
    bool ok = true;
    for (uint32_t at = asking->first; ok && bson_iter_next(&query); at++) {
        bson_t *answer = asking->observed->items[at];
        for (unsigned tries = 0; ok && bson_empty(answer); tries++) {
            ok = tries < STALE_TRIES ? refresh(asking, error) && post(asking, &query, error) &&
                                           fetch(asking, answer, error)
                                     : sp_error_set(error, SP_ERROR_INFRA, 0,
                                                    "the router's table of %s stays stale",
                                                    asking->session->paper.ns);
        }
    }
    return ok;
}

/* The session whose layout is in use, and the other one. */
static sp_session_t *leading(sp_session_t *session)
{
    return session->twin_leads ? session->twin : session;
}

static sp_session_t *other(sp_session_t *session)
{
    return session->twin_leads ? session : session->twin;
}

/* Every shard is a router; they take turns. */
static unsigned next_router(sp_session_t *session)
{
    return (unsigned)(session->serial++ % session->shard_count);
}

/* Begins the layout of `test` in the session that is not in use. Where that fails it is begun anew
 * when the case has its turn. */
static void prepare(sp_session_t *session, const bson_t *test)
{
    sp_case_layout_t layout;
    if (session->twin == NULL)
        session->twin = sp_session_open(session->target, session->worker, NULL);
    if (session->twin == NULL || session->twin->at.generation != session->at.generation)
        return;
    sp_session_t *spare = other(session);
    if (sp_case_layout(test, spare, &layout, NULL) &&
        sp_paper_begin(spare, &layout.key, layout.collation, &layout.chunks, next_router(session),
                       NULL))
        session->ahead = test;
}

/* Has the layout of `test` laid, and finds who holds it, with its router. */
static sp_session_t *lay(sp_session_t *session, const bson_t *test, unsigned *router,
                         sp_error_t *error)
{
    sp_case_layout_t layout;
    if (session->ahead == test) {
        sp_session_t *spare = other(session);
        session->ahead = NULL;
        session->twin_leads = !session->twin_leads;
        *router = sp_paper_router(spare);
        if (sp_case_layout(test, spare, &layout, NULL) &&
            sp_paper_finish(spare, &layout.chunks, NULL))
            return spare;
    }
    sp_session_t *holder = leading(session);
    *router = next_router(session);
    return sp_case_layout(test, holder, &layout, error) &&
                   sp_paper_lay(holder, &layout.key, layout.collation, &layout.chunks, *router,
                                error)
               ? holder
               : NULL;
}

static bool execute_one(sp_session_t *session, const bson_t *test, sp_answers_t *observed,
                        sp_error_t *error)
{
    bson_iter_t queries;
    unsigned router;
    if (!sp_case_array(test, "queries", &queries, error))
        return false;
    sp_session_t *holder = lay(session, test, &router, error);
    const bson_t *upcoming = session->upcoming;
    session->upcoming = NULL;
    if (holder == NULL)
        return false;
    if (upcoming != NULL)
        prepare(session, upcoming);
    asking_t asking = {
        .session = holder,
        .router = holder->shards[router],
        .observed = observed,
        .first = observed->count,
        .next = session->ahead != NULL ? other(session) : NULL,
    };
    return bson_iter_recurse(&queries, &asking.queries) && ask_all(&asking, error) &&
           (asking.stale == 0 || ask_stale(&asking, error));
}

bool sp_execute_find(sp_session_t *session, bson_t *const *cases, uint32_t count,
                     sp_answers_t *observed, sp_error_t *error)
{
    return sp_execute_each(session, cases, count, execute_one, observed, error);
}
