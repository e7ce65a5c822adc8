/*
 * The route area: a layout is made for real, documents go in through the router, and every shard is
 * asked directly what it holds.
 */
#include "area.h"
#include "case_fields.h"
#include "documents.h"
#include "sharded.h"

/* Asks one shard, past any router, which of the documents it holds. */
static bool look_up(sp_session_t *session, const char *collection, unsigned shard, sp_fate_t *fates,
                    uint32_t count, sp_error_t *error)
{
    bson_t command = BSON_INITIALIZER, reply;
    uint32_t *times = bson_malloc0((count + 1) * sizeof *times);
    BSON_APPEND_UTF8(&command, "find", collection);
    sp_documents_append_options(&command, count);
    bool ok = sp_conn_command(session->shards[shard], session->db, &command, &reply, error) &&
              sp_documents_count(&reply, times, count, error);
    for (uint32_t i = 0; ok && i < count; i++) {
        if (times[i] > 0)
            fates[i].shards |= UINT64_C(1) << shard;
    }
    bson_free(times);
    bson_destroy(&command);
    bson_destroy(&reply);
    return ok;
}

static bool execute_one(sp_session_t *session, const bson_t *test, sp_answers_t *observed,
                        sp_error_t *error)
{
    bson_iter_t docs;
    sp_case_layout_t layout;
    if (!sp_case_layout(test, session, &layout, error) ||
        !sp_case_array(test, "docs", &docs, error))
        return false;

    uint32_t count = sp_case_count(&docs);
    sp_fate_t *fates = sp_fates_new(count);
    sp_sharded_t made;
    sp_session_forget(session);
    bool created =
        sp_sharded_make(session, &layout.key, layout.collation, &layout.chunks, &made, error);
    /* Any shard can be the router, and its routing table may be stale, as a mongos' may; so they
     * take turns. */
    sp_conn_t *router = session->shards[session->serial % session->shard_count];
    bool ok = created &&
              sp_documents_insert(session, router, made.collection, &docs, fates, count, error);
    for (unsigned i = 0; ok && i < session->shard_count; i++)
        ok = look_up(session, made.collection, i, fates, count, error);
    for (uint32_t i = 0; ok && i < count; i++)
        sp_fate_answer(&fates[i], session, sp_answers_add(observed));
    sp_fates_free(fates, count);
    /* A collection that cannot be dropped is only untidy. */
    if (created)
        sp_sharded_drop(session, made.collection, NULL);
    return ok;
}

bool sp_execute_route(sp_session_t *session, bson_t *const *cases, uint32_t count,
                      sp_answers_t *observed, sp_error_t *error)
{
    return sp_execute_each(session, cases, count, execute_one, observed, error);
}
