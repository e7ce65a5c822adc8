/*
 * The soundness area: documents go in through a router, and each filter is asked of the router, of
 * every shard, and of every shard without its indexes.
 */
#include "area.h"
#include "case_fields.h"
#include "documents.h"
#include "sharded.h"

#include <string.h>

/* Bounds each query: there are filters that never end (docs/findings.md, 4). */
enum { MAX_TIME_MS = 4000, STALE_TRIES = 10 };

/* What is made for one case. */
typedef struct scene {
    sp_sharded_t made;
    sp_conn_t *router;
    sp_soundness_t facts;
    sp_seen_t everything[SP_WAYS], seen[SP_WAYS];
} scene_t;

static void clear_seen(sp_seen_t *seen, uint32_t count)
{
    seen->code = 0;
    bson_free(seen->message);
    seen->message = NULL;
    memset(seen->times, 0, count * sizeof *seen->times);
}

static void append_field(bson_t *command, const bson_t *check, const char *name)
{
    bson_iter_t iter;
    if (bson_iter_init_find(&iter, check, name)) {
        sp_value_t value = sp_value_of(&iter);
        sp_value_append(command, name, &value);
    }
}

static void build_find(bson_t *command, const scene_t *scene, const bson_t *check, sp_way_t way)
{
    BSON_APPEND_UTF8(command, way == SP_WAY_ROUTED ? "clusterFind" : "find",
                     scene->made.collection);
    append_field(command, check, "filter");
    append_field(command, check, "collation");
    if (way == SP_WAY_SCANNED) {
        bson_t hint;
        BSON_APPEND_DOCUMENT_BEGIN(command, "hint", &hint);
        BSON_APPEND_INT32(&hint, "$natural", 1);
        bson_append_document_end(command, &hint);
    }
    sp_documents_append_options(command, scene->facts.count);
    BSON_APPEND_INT32(command, "maxTimeMS", MAX_TIME_MS);
}

/* Sends a find until it is no longer refused because a routing table was not the newest. */
static bool send_find(sp_session_t *session, sp_conn_t *conn, const bson_t *command, bson_t *reply,
                      sp_error_t *error)
{
    for (unsigned tries = 1;; tries++) {
        bool ok = sp_conn_command(conn, session->db, command, reply, error);
        bool stale = !ok && error->domain == SP_ERROR_SERVER && sp_code_is_stale(error->code);
        if (!stale || tries == STALE_TRIES)
            return ok;
        bson_destroy(reply);
    }
}

/* Asks one server. What it refuses is seen, too. */
static bool ask(sp_session_t *session, sp_conn_t *conn, const bson_t *command, uint32_t count,
                sp_seen_t *seen, sp_error_t *error)
{
    bson_t reply;
    sp_error_t failed = {0};
    bool ok = send_find(session, conn, command, &reply, &failed);
    if (ok) {
        ok = sp_documents_count(&reply, seen->times, count, error);
    } else if (failed.domain == SP_ERROR_SERVER && !sp_code_is_trouble(failed.code)) {
        ok = true;
        if (seen->code == 0) {
            seen->code = failed.code;
            seen->message = bson_strdup(failed.message);
        }
    } else {
        sp_error_set(error, failed.domain, failed.code, "%s", failed.message);
    }
    bson_destroy(&reply);
    return ok;
}

static bool ask_all_ways(sp_session_t *session, const scene_t *scene, const bson_t *check,
                         sp_seen_t *seen, sp_error_t *error)
{
    bool ok = true;
    for (unsigned way = 0; ok && way < SP_WAYS; way++) {
        bson_t command = BSON_INITIALIZER;
        build_find(&command, scene, check, (sp_way_t)way);
        clear_seen(&seen[way], scene->facts.count);
        if (way == SP_WAY_ROUTED)
            ok = ask(session, scene->router, &command, scene->facts.count, &seen[way], error);
        for (unsigned i = 0; ok && way != SP_WAY_ROUTED && i < session->shard_count; i++)
            ok = ask(session, session->shards[i], &command, scene->facts.count, &seen[way], error);
        bson_destroy(&command);
    }
    return ok;
}

static bool ask_everything(sp_session_t *session, scene_t *scene, sp_error_t *error)
{
    bson_t check = BSON_INITIALIZER, none = BSON_INITIALIZER;
    BSON_APPEND_DOCUMENT(&check, "filter", &none);
    bool ok = ask_all_ways(session, scene, &check, scene->everything, error);
    for (unsigned way = 0; ok && way < SP_WAYS; way++) {
        if (scene->everything[way].code != 0)
            ok = sp_error_set(error, SP_ERROR_SERVER, scene->everything[way].code, "%s",
                              scene->everything[way].message);
    }
    bson_destroy(&check);
    bson_destroy(&none);
    return ok;
}

static bool ask_checks(sp_session_t *session, scene_t *scene, const bson_iter_t *checks,
                       sp_answers_t *observed, sp_error_t *error)
{
    bson_iter_t iter;
    bson_t check;
    bool ok = bson_iter_recurse(checks, &iter);
    while (ok && bson_iter_next(&iter)) {
        ok = sp_value_document(&iter, &check) &&
             ask_all_ways(session, scene, &check, scene->seen, error);
        if (ok)
            sp_soundness_judge(&scene->facts, &check, scene->seen, sp_answers_add(observed));
    }
    return ok;
}

static bool insert(sp_session_t *session, scene_t *scene, bool *acknowledged, sp_error_t *error)
{
    uint32_t count = scene->facts.count;
    sp_fate_t *fates = sp_fates_new(count);
    bool ok = sp_documents_insert(session, scene->router, scene->made.collection,
                                  &scene->facts.docs, fates, count, error);
    for (uint32_t i = 0; i < count; i++)
        acknowledged[i] = ok && !fates[i].refused;
    sp_fates_free(fates, count);
    return ok;
}

/* Room for what is seen of `count` documents. */
static void make_room(scene_t *scene, uint32_t count)
{
    for (unsigned way = 0; way < SP_WAYS; way++) {
        scene->everything[way].times = bson_malloc0((count + 1) * sizeof(uint32_t));
        scene->seen[way].times = bson_malloc0((count + 1) * sizeof(uint32_t));
    }
}

static void free_room(scene_t *scene)
{
    for (unsigned way = 0; way < SP_WAYS; way++) {
        bson_free(scene->everything[way].times);
        bson_free(scene->everything[way].message);
        bson_free(scene->seen[way].times);
        bson_free(scene->seen[way].message);
    }
}

static bool execute_one(sp_session_t *session, const bson_t *test, sp_answers_t *observed,
                        sp_error_t *error)
{
    bson_iter_t checks;
    sp_case_layout_t layout;
    scene_t scene = {.router = session->shards[session->serial % session->shard_count]};
    if (!sp_case_layout(test, session, &layout, error) ||
        !sp_case_array(test, "docs", &scene.facts.docs, error) ||
        !sp_case_array(test, "checks", &checks, error))
        return false;
    sp_pattern_t *pattern = sp_pattern_new(&layout.key, error);
    if (pattern == NULL)
        return false;

    uint32_t count = sp_case_count(&scene.facts.docs);
    bool *acknowledged = bson_malloc0((count + 1) * sizeof *acknowledged);
    scene.facts.pattern = pattern;
    scene.facts.collated = layout.collation != NULL;
    scene.facts.count = count;
    scene.facts.acknowledged = acknowledged;
    scene.facts.everything = scene.everything;
    make_room(&scene, count);
    sp_session_forget(session);
    bool made =
        sp_sharded_make(session, &layout.key, layout.collation, &layout.chunks, &scene.made, error);
    bool ok = made && insert(session, &scene, acknowledged, error) &&
              ask_everything(session, &scene, error) &&
              ask_checks(session, &scene, &checks, observed, error);
    /* A collection that cannot be dropped is only untidy. */
    if (made)
        sp_sharded_drop(session, scene.made.collection, NULL);
    free_room(&scene);
    bson_free(acknowledged);
    sp_pattern_free(pattern);
    return ok;
}

bool sp_execute_soundness(sp_session_t *session, bson_t *const *cases, uint32_t count,
                          sp_answers_t *observed, sp_error_t *error)
{
    return sp_execute_each(session, cases, count, execute_one, observed, error);
}
