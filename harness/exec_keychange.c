/*
 * The keychange area: each update finds its own document and no other in the collection.
 *
 * A question is a handful of commands to the shard that has its document: insert it, update it,
 * look, delete it. A server takes the commands of one connection one after the other, so those of
 * several questions are on their way at once and still do not meet. What goes through the router
 * would meet the documents of other shards; it comes afterwards, when these are empty.
 */
#include "area.h"
#include "case_fields.h"
#include "keychange_command.h"
#include "sharded.h"

#include "../oracles/extract.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Questions under way at once on one connection, and in how many bytes. */
enum { WINDOW = 8, WINDOW_BYTES = 32768 };

enum {
    STALE_TRIES = 10,
    MULTIPLE_ERRORS_OCCURRED = 65,
    NO_PROGRESS_MADE = 82,
    WRITE_CONFLICT = 112,
    SNAPSHOT_UNAVAILABLE = 246
};

typedef struct asked {
    sp_keychange_t change;
    sp_keychange_place_t place;
    sp_keychange_fate_t fate;
} asked_t;

typedef struct changing {
    sp_session_t *session;
    sp_sharded_t made;
    sp_shard_versions_t versions;
    asked_t *asked;
    uint32_t count;
    int64_t txn_number;
} changing_t;

static bool post(const changing_t *changing, const asked_t *one, const char *db,
                 const bson_t *command, uint32_t *size, sp_error_t *error)
{
    *size += command->len;
    return sp_conn_post(changing->session->shards[one->place.shard], db, command, error);
}

static bool post_built(const changing_t *changing, const asked_t *one,
                       void (*build)(const sp_keychange_t *change,
                                     const sp_keychange_place_t *place, bson_t *command),
                       uint32_t *size, sp_error_t *error)
{
    bson_t command = BSON_INITIALIZER;
    build(&one->change, &one->place, &command);
    bool ok = post(changing, one, changing->session->db, &command, size, error);
    bson_destroy(&command);
    return ok;
}

static bool post_commit(const changing_t *changing, const asked_t *one, uint32_t *size,
                        sp_error_t *error)
{
    bson_t command = BSON_INITIALIZER;
    sp_keychange_build_commit(&one->place, &command);
    bool ok = post(changing, one, "admin", &command, size, error);
    bson_destroy(&command);
    return ok;
}

static bool post_question(changing_t *changing, asked_t *one, uint32_t *size, sp_error_t *error)
{
    *size = 0;
    one->place.txn_number = ++changing->txn_number;
    return post_built(changing, one, sp_keychange_build_insert, size, error) &&
           post_built(changing, one, sp_keychange_build_update, size, error) &&
           (one->change.mode != SP_KEYCHANGE_TRANSACTION ||
            post_commit(changing, one, size, error)) &&
           post_built(changing, one, sp_keychange_build_find, size, error) &&
           post_built(changing, one, sp_keychange_build_delete, size, error);
}

/* Fetches a reply; `refused` is set where the server answers {ok: 0}. */
static bool fetch(const changing_t *changing, const asked_t *one, bson_t *reply, bool *refused,
                  sp_error_t *error)
{
    sp_conn_t *conn = changing->session->shards[one->place.shard];
    *refused = !sp_conn_fetch(conn, reply, error);
    return !*refused || (error->domain == SP_ERROR_SERVER && !sp_code_is_trouble(error->code));
}

/* What must work, or nothing is known of the question. */
static bool fetch_plain(const changing_t *changing, const asked_t *one, bson_t *reply,
                        sp_error_t *error)
{
    bool refused;
    return fetch(changing, one, reply, &refused, error) && !refused;
}

static bool fetch_insert(const changing_t *changing, asked_t *one, sp_error_t *error)
{
    bson_t reply;
    bool ok = fetch_plain(changing, one, &reply, error);
    if (ok)
        sp_keychange_read_insert(&reply, &one->fate);
    bson_destroy(&reply);
    return ok;
}

static bool fetch_update(const changing_t *changing, asked_t *one, sp_error_t *error)
{
    bson_t reply;
    bool refused, ok = fetch(changing, one, &reply, &refused, error);
    if (ok && refused && !one->fate.unasked)
        sp_keychange_refuse(&one->fate, error->code, error->message);
    else if (ok && !one->fate.unasked)
        sp_keychange_read_update(&one->change, &reply, &one->fate);
    bson_destroy(&reply);
    if (ok && one->fate.refused && sp_code_is_trouble(one->fate.code))
        ok = sp_error_set(error, SP_ERROR_SERVER, one->fate.code, "%s", one->fate.message);
    return ok;
}

/* A refused update has ended its transaction already, mostly. */
static bool fetch_commit(const changing_t *changing, asked_t *one, sp_error_t *error)
{
    bson_t reply;
    bool refused, ok = fetch(changing, one, &reply, &refused, error);
    if (ok && refused && !one->fate.refused && !one->fate.unasked)
        sp_keychange_refuse(&one->fate, error->code, error->message);
    bson_destroy(&reply);
    return ok;
}

static bool fetch_find(const changing_t *changing, asked_t *one, sp_error_t *error)
{
    bson_t reply;
    bool ok = fetch_plain(changing, one, &reply, error);
    if (ok && !one->fate.unasked)
        sp_keychange_read_find(&reply, &one->fate);
    bson_destroy(&reply);
    return ok;
}

static bool fetch_delete(const changing_t *changing, const asked_t *one, sp_error_t *error)
{
    bson_t reply;
    bool ok = fetch_plain(changing, one, &reply, error);
    if (ok && bson_has_field(&reply, "writeErrors"))
        ok = sp_error_set(error, SP_ERROR_INFRA, 0, "%s cannot be emptied", changing->made.ns);
    bson_destroy(&reply);
    return ok;
}

static bool fetch_question(const changing_t *changing, asked_t *one, sp_error_t *error)
{
    return fetch_insert(changing, one, error) && fetch_update(changing, one, error) &&
           (one->change.mode != SP_KEYCHANGE_TRANSACTION || fetch_commit(changing, one, error)) &&
           fetch_find(changing, one, error) && fetch_delete(changing, one, error);
}

/* The questions of one connection that are under way. */
typedef struct window {
    asked_t *items[WINDOW];
    uint32_t sizes[WINDOW];
    uint32_t posted, fetched, bytes;
} window_t;

static bool is_full(const window_t *window)
{
    return window->posted - window->fetched == WINDOW || window->bytes > WINDOW_BYTES;
}

static bool fetch_oldest(const changing_t *changing, window_t *window, sp_error_t *error)
{
    uint32_t place = window->fetched++ % WINDOW;
    window->bytes -= window->sizes[place];
    return fetch_question(changing, window->items[place], error);
}

static bool put(changing_t *changing, window_t *window, asked_t *one, sp_error_t *error)
{
    uint32_t place = window->posted % WINDOW;
    bool ok = true;
    while (ok && window->posted > window->fetched && is_full(window))
        ok = fetch_oldest(changing, window, error);
    if (!ok || !post_question(changing, one, &window->sizes[place], error))
        return false;
    window->items[place] = one;
    window->bytes += window->sizes[place];
    window->posted++;
    return true;
}

static bool drain(const changing_t *changing, window_t *window, sp_error_t *error)
{
    bool ok = true;
    while (ok && window->posted > window->fetched)
        ok = fetch_oldest(changing, window, error);
    return ok;
}

/* All shards at once, each with what concerns it alone. */
static bool ask_shards(changing_t *changing, sp_error_t *error)
{
    window_t windows[SP_SHARDS_MAX] = {{.posted = 0}};
    bool ok = true;
    for (uint32_t i = 0; ok && i < changing->count; i++) {
        asked_t *one = &changing->asked[i];
        if (one->change.mode != SP_KEYCHANGE_ROUTER)
            ok = put(changing, &windows[one->place.shard], one, error);
    }
    for (unsigned i = 0; ok && i < changing->session->shard_count; i++)
        ok = drain(changing, &windows[i], error);
    return ok;
}

/* One shard after the other: the router is that which has the document. */
static bool ask_routers(changing_t *changing, sp_error_t *error)
{
    bool ok = true;
    for (unsigned shard = 0; ok && shard < changing->session->shard_count; shard++) {
        window_t window = {.posted = 0};
        for (uint32_t i = 0; ok && i < changing->count; i++) {
            asked_t *one = &changing->asked[i];
            if (one->change.mode == SP_KEYCHANGE_ROUTER && one->place.shard == shard)
                ok = put(changing, &window, one, error);
        }
        ok = ok && drain(changing, &window, error);
    }
    return ok;
}

/* What says nothing of the update: a routing table that is not the newest, on some shard or all, or
 * a storage engine that wants to be asked again. There is one document only, so that no two shards
 * can have something against the update itself. */
static bool is_passing(const sp_keychange_fate_t *fate)
{
    static const int32_t codes[] = {MULTIPLE_ERRORS_OCCURRED, NO_PROGRESS_MADE, WRITE_CONFLICT,
                                    SNAPSHOT_UNAVAILABLE};
    bool passing = sp_code_is_stale(fate->code);
    for (unsigned i = 0; i < sizeof codes / sizeof *codes; i++)
        passing = passing || codes[i] == fate->code;
    return (fate->refused || fate->unasked) && passing;
}

static bool ask_again(changing_t *changing, sp_error_t *error)
{
    bool ok = true;
    for (uint32_t i = 0; ok && i < changing->count; i++) {
        asked_t *one = &changing->asked[i];
        for (unsigned tries = 0; ok && is_passing(&one->fate); tries++) {
            uint32_t size;
            if (tries == STALE_TRIES)
                return sp_error_set(error, SP_ERROR_INFRA, 0, "%s stays unready: %s",
                                    changing->made.ns, one->fate.message);
            sp_keychange_fate_clear(&one->fate);
            sp_keychange_fate_init(&one->fate);
            ok = post_question(changing, one, &size, error) && fetch_question(changing, one, error);
        }
    }
    return ok;
}

/* The shard that the question is for: the document's owner, or where it is said to be stored. */
static unsigned find_place(const changing_t *changing, const sp_layout_t *layout,
                           sp_hasher_t *hasher, const sp_keychange_t *change)
{
    uint32_t chunk = 0;
    bson_t key = BSON_INITIALIZER;
    unsigned shard;
    if (sp_extract_key(layout->pattern, hasher, &change->doc, &key, NULL))
        sp_chunkmap_find(layout->chunks, &key, &chunk);
    bson_destroy(&key);
    const char *name =
        change->stored != NULL ? change->stored : sp_chunkmap_shard(layout->chunks, chunk);
    bool found = sp_chunk_shard(changing->session, name, &shard, NULL);
    assert(found); /* its chunks were laid there, or the model has looked */
    return shard;
}

static bool read_questions(changing_t *changing, const bson_t *test, const bson_iter_t *array,
                           sp_error_t *error)
{
    bson_iter_t iter;
    sp_layout_t *layout = sp_layout_new(test, error);
    sp_hasher_t *hasher = sp_hasher_new(error);
    uint8_t id[SP_UUID_SIZE];
    bool ok = layout != NULL && hasher != NULL && sp_uuid_draw(id, error) &&
              bson_iter_recurse(array, &iter);
    for (uint32_t i = 0; ok && i < changing->count; i++) {
        asked_t *one = &changing->asked[i];
        bson_t question;
        ok = bson_iter_next(&iter) && sp_value_document(&iter, &question) &&
             sp_keychange_read(&question, &one->change, error);
        if (!ok)
            break;
        one->place.shard = find_place(changing, layout, hasher, &one->change);
        one->place.collection = changing->made.collection;
        one->place.versions = &changing->versions;
        /* The transaction numbers that a shard has seen of a session are no other shard's. */
        memcpy(one->place.session_id, id, sizeof id);
        one->place.session_id[SP_UUID_SIZE - 1] ^= (uint8_t)one->place.shard;
    }
    sp_hasher_free(hasher);
    sp_layout_free(layout);
    return ok;
}

static bool execute_one(sp_session_t *session, const bson_t *test, sp_answers_t *observed,
                        sp_error_t *error)
{
    sp_case_layout_t layout;
    bson_iter_t array;
    if (!sp_case_layout(test, session, &layout, error) ||
        !sp_case_array(test, "updates", &array, error))
        return false;
    changing_t changing = {.session = session, .count = sp_case_count(&array)};
    changing.asked = bson_malloc0((changing.count + 1) * sizeof *changing.asked);
    for (uint32_t i = 0; i < changing.count; i++)
        sp_keychange_fate_init(&changing.asked[i].fate);
    sp_session_forget(session);
    bool made = sp_sharded_make(session, &layout.key, layout.collation, &layout.chunks,
                                &changing.made, error);
    bool ok = made && sp_shard_versions_read(session, &changing.made, &changing.versions, error) &&
              read_questions(&changing, test, &array, error) && ask_shards(&changing, error) &&
              ask_routers(&changing, error) && ask_again(&changing, error);
    for (uint32_t i = 0; ok && i < changing.count; i++)
        sp_keychange_answer(&changing.asked[i].fate, sp_answers_add(observed));
    if (made) {
        sp_session_forget(session);
        /* A collection that cannot be dropped is only untidy. */
        sp_sharded_drop(session, changing.made.collection, NULL);
    }
    for (uint32_t i = 0; i < changing.count; i++)
        sp_keychange_fate_clear(&changing.asked[i].fate);
    sp_shard_versions_clear(&changing.versions);
    bson_free(changing.asked);
    return ok;
}

bool sp_execute_keychange(sp_session_t *session, bson_t *const *cases, uint32_t count,
                          sp_answers_t *observed, sp_error_t *error)
{
    return sp_execute_each(session, cases, count, execute_one, observed, error);
}
