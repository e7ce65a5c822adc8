/* What becomes of documents that are inserted one after the other into a collection with unique
 * indexes: each shard holds its own documents to them, and knows of no others. */
#include "case.h"
#include "extract.h"
#include "index_keys.h"
#include "key_index.h"
#include "storage.h"

#include <assert.h>
#include <string.h>

enum {
    CANNOT_CREATE_INDEX = 67,
    INVALID_OPTIONS = 72,
    DUPLICATE_KEY = 11000,
    UNIQUE_HASHED = 16764,
    INDEXES_MAX = 16,
    DOCS_MAX = 64,
    ABOUT_NOW = 0x6a000000 /* in seconds; what comes before and after it is never near */
};

/* When something is refused. */
typedef enum stage { BEFORE_SHARDING, AT_SHARDING, AFTER_SHARDING } stage_t;

typedef struct index_entry {
    sp_index_t spec;
    sp_keyed_index_t *keyed;
} index_entry_t;

typedef struct document {
    bson_t stored; /* as its shard has it */
    bool is_in;
    unsigned shard;
    sp_index_keys_t keys[INDEXES_MAX];
} document_t;

typedef struct scene {
    sp_model_t *model;
    sp_layout_t *layout;
    bson_t key;     /* borrowed */
    bson_t id_key;  /* {_id: 1} */
    bool unique;    /* sharded with unique: true */
    unsigned count; /* of indexes, that on _id first, in the order in which they were made */
    index_entry_t indexes[INDEXES_MAX];
    stage_t stage;
    int32_t refused; /* the code with which the collection or an index was; 0: all is there */
    char *why;
} scene_t;

/* The next place for an index, which is there once it is finished; NULL where there is none left.
 */
static index_entry_t *next_index(scene_t *scene, sp_error_t *error)
{
    if (scene->count < INDEXES_MAX)
        return &scene->indexes[scene->count];
    sp_error_set(error, SP_ERROR_INPUT, 0, "there are more indexes than %d", INDEXES_MAX - 2);
    return NULL;
}

static bool finish_index(scene_t *scene, index_entry_t *entry, const bson_t *collation,
                         sp_error_t *error)
{
    entry->keyed = sp_keyed_index_new(&entry->spec, collation, scene->model->version, error);
    scene->count += entry->keyed != NULL;
    return entry->keyed != NULL;
}

static void borrow(const bson_t *from, bson_t *document)
{
    bool sound = bson_init_static(document, bson_get_data(from), from->len);
    assert(sound);
}

static bool add_unique_index(scene_t *scene, const bson_t *key, const bson_t *collation,
                             sp_error_t *error)
{
    index_entry_t *entry = next_index(scene, error);
    if (entry == NULL)
        return false;
    entry->spec = (sp_index_t){.unique = true};
    borrow(key, &entry->spec.key);
    return finish_index(scene, entry, collation, error);
}

/* What is done first is refused first. */
static void refuse(scene_t *scene, stage_t stage, int32_t code, const char *why)
{
    if (scene->refused != 0 && scene->stage <= stage)
        return;
    bson_free(scene->why);
    scene->stage = stage;
    scene->refused = code;
    scene->why = bson_strdup(why);
}

static bool has_hashed_field(const bson_t *key)
{
    bson_iter_t iter;
    bool found = false;
    bool sound = bson_iter_init(&iter, key);
    while (sound && !found && bson_iter_next(&iter))
        found = BSON_ITER_HOLDS_UTF8(&iter);
    return found;
}

/* Whether the index may be there, for those things that this area is about. */
static void check_index(scene_t *scene, const sp_index_t *spec, bool early)
{
    static const char hashed[] = "a hashed index cannot be unique";
    static const char unfit[] = "a unique index must begin with the shard key";
    bool fits = sp_key_index_unique_fits(&spec->key, &scene->key, scene->model->version);
    bool is_hashed = has_hashed_field(&spec->key);
    if (!spec->unique && !spec->prepare_unique)
        return;
    if (early && is_hashed && spec->unique)
        refuse(scene, BEFORE_SHARDING, UNIQUE_HASHED, hashed);
    else if (!fits)
        refuse(scene, early ? AT_SHARDING : AFTER_SHARDING,
               early ? INVALID_OPTIONS : CANNOT_CREATE_INDEX, unfit);
    else if (is_hashed && spec->unique)
        refuse(scene, AFTER_SHARDING, UNIQUE_HASHED, hashed);
}

static bool read_index(scene_t *scene, const bson_iter_t *iter, bool early, sp_error_t *error)
{
    bson_t doc;
    bool is_early = false;
    index_entry_t *entry = next_index(scene, error);
    if (!sp_value_document(iter, &doc))
        return sp_error_set(error, SP_ERROR_INPUT, 0, "it is no document");
    /* A document must not move once it is read. */
    if (entry == NULL || !sp_case_flag(&doc, "early", &is_early, error) ||
        !sp_index_read(&doc, &entry->spec, error))
        return false;
    if (is_early != early)
        return true;
    check_index(scene, &entry->spec, early);
    return finish_index(scene, entry, scene->layout->collation, error);
}

static bool read_indexes(scene_t *scene, const bson_t *test, bool early, sp_error_t *error)
{
    bson_iter_t iter;
    if (!sp_case_elements(test, "indexes", &iter, error))
        return false;
    for (unsigned i = 0; bson_iter_next(&iter); i++) {
        if (!read_index(scene, &iter, early, error))
            return sp_error_prefix(error, "indexes[%u]", i);
    }
    return true;
}

/* Sharding with unique: true makes a unique index on the shard key, with simple collation. */
static bool add_key_index(scene_t *scene, sp_error_t *error)
{
    bson_iter_t iter;
    if (!scene->unique)
        return true;
    if (scene->layout->pattern->hashed >= 0) {
        refuse(scene, AT_SHARDING, INVALID_OPTIONS, "a hashed shard key cannot be unique");
        return true;
    }
    bool is_id = bson_iter_init(&iter, &scene->key) && bson_iter_next(&iter) &&
                 strcmp(bson_iter_key(&iter), "_id") == 0 && !bson_iter_next(&iter);
    return is_id || add_unique_index(scene, &scene->key, NULL, error);
}

/* Sharding makes no index of its own beside one that looks as if it could stand for the shard key,
 * and then fails where none of them can. */
static void check_early_indexes(scene_t *scene)
{
    bool looks_fit = false, serves = false;
    for (unsigned i = 0; i < scene->count; i++) {
        const sp_index_t *spec = &scene->indexes[i].spec;
        /* It has the collection's collation where it has none of its own. */
        bool is_collated = !spec->has_collation && scene->layout->collation != NULL;
        bool fits = !is_collated && sp_key_index_looks_fit(spec, &scene->key, scene->unique);
        looks_fit = looks_fit || fits;
        serves = serves || (fits && (spec->unique || !scene->unique) &&
                            sp_key_index_serves(spec, false, &scene->key, scene->model->version));
    }
    if (looks_fit && !serves)
        refuse(scene, AT_SHARDING, INVALID_OPTIONS, "no index serves the shard key");
}

static bool read_scene(scene_t *scene, const bson_t *test, sp_error_t *error)
{
    bson_iter_t iter;
    scene->layout = sp_layout_new(test, error);
    if (scene->layout == NULL || !bson_iter_init_find(&iter, test, "key") ||
        !sp_value_document(&iter, &scene->key) ||
        !sp_case_flag(test, "unique", &scene->unique, error))
        return false;
    if (!add_unique_index(scene, &scene->id_key, scene->layout->collation, error) ||
        !read_indexes(scene, test, true, error))
        return false;
    check_early_indexes(scene);
    return add_key_index(scene, error) && read_indexes(scene, test, false, error);
}

static void clear_scene(scene_t *scene)
{
    for (unsigned i = 0; i < scene->count; i++)
        sp_keyed_index_free(scene->indexes[i].keyed);
    sp_layout_free(scene->layout);
    bson_destroy(&scene->id_key);
    bson_free(scene->why);
}

/* The document as the router sends it on: with an _id, which is nobody else's. */
static void complete(const bson_t *doc, uint32_t number, bson_t *complete)
{
    bson_oid_t id = {{ABOUT_NOW >> 24, ABOUT_NOW >> 16 & 0xff}};
    id.bytes[10] = (uint8_t)(number >> 8);
    id.bytes[11] = (uint8_t)number;
    if (!bson_has_field(doc, "_id"))
        BSON_APPEND_OID(complete, "_id", &id);
    bson_concat(complete, doc);
}

/* What the shard makes of the document: an empty timestamp becomes the time, another for each. */
static void store(const bson_t *doc, uint32_t number, bson_t *stored)
{
    bson_iter_t iter;
    if (!bson_iter_init(&iter, doc))
        return;
    number <<= 8;
    while (bson_iter_next(&iter)) {
        sp_value_t value = sp_value_of(&iter);
        if (sp_storage_replaces(&value) && strcmp(bson_iter_key(&iter), "_id") != 0)
            BSON_APPEND_TIMESTAMP(stored, bson_iter_key(&iter), ABOUT_NOW, ++number);
        else
            sp_value_append(stored, bson_iter_key(&iter), &value);
    }
}

static bool find_shard(const scene_t *scene, document_t *document, const bson_t *doc,
                       sp_error_t *error)
{
    bson_t key = BSON_INITIALIZER;
    uint32_t chunk;
    bool ok = sp_extract_key(scene->layout->pattern, scene->model->hasher, doc, &key, error);
    if (ok) {
        ok = sp_chunkmap_find(scene->layout->chunks, &key, &chunk) ||
             !sp_version_has(scene->model->version, SP_MAX_KEY_IN_NO_CHUNK) ||
             sp_error_set(error, SP_ERROR_RULE, 61,
                          "a shard key value that is MaxKey in every field belongs to no chunk");
        document->shard = sp_chunkmap_shard_number(scene->layout->chunks, chunk);
    }
    bson_destroy(&key);
    return ok;
}

static bool meets_another(const scene_t *scene, unsigned index, const document_t *documents,
                          uint32_t number)
{
    const document_t *one = &documents[number];
    for (uint32_t i = 0; i < number; i++) {
        if (documents[i].is_in && documents[i].shard == one->shard &&
            sp_keyed_index_meet(scene->indexes[index].keyed, &documents[i].keys[index],
                                &one->keys[index]))
            return true;
    }
    return false;
}

/* The indexes are filled in the order in which they were made; the first that cannot be decides. */
static bool index_document(const scene_t *scene, sp_arena_t *arena, document_t *documents,
                           uint32_t number, sp_error_t *error)
{
    document_t *one = &documents[number];
    for (unsigned i = 0; i < scene->count; i++) {
        const index_entry_t *entry = &scene->indexes[i];
        if (!sp_keyed_index_keys(entry->keyed, scene->model->hasher, arena, &one->stored,
                                 &one->keys[i], error))
            return false;
        bool held = entry->spec.unique || entry->spec.prepare_unique;
        if (held && meets_another(scene, i, documents, number))
            return sp_error_set(error, SP_ERROR_RULE, DUPLICATE_KEY,
                                "another document on the shard has this key in index %u", i);
    }
    return true;
}

static bool insert(const scene_t *scene, sp_arena_t *arena, document_t *documents, uint32_t number,
                   const bson_t *doc, sp_error_t *error)
{
    document_t *one = &documents[number];
    bson_t sent = BSON_INITIALIZER;
    complete(doc, number, &sent);
    if (find_shard(scene, one, &sent, error) && sp_storage_check(&sent, error)) {
        store(&sent, number, &one->stored);
        one->is_in = index_document(scene, arena, documents, number, error);
    }
    bson_destroy(&sent);
    return one->is_in;
}

static bool read_docs(const bson_t *question, bson_t *docs, uint32_t *count, sp_error_t *error)
{
    bson_iter_t iter;
    if (!sp_case_elements(question, "docs", &iter, error))
        return false;
    for (*count = 0; bson_iter_next(&iter); ++*count) {
        if (*count == DOCS_MAX)
            return sp_error_set(error, SP_ERROR_INPUT, 0, "'docs' has more than %d documents",
                                DOCS_MAX);
        if (!sp_value_document(&iter, &docs[*count]))
            return sp_error_set(error, SP_ERROR_INPUT, 0, "docs[%u] is no document", *count);
    }
    return true;
}

static bool read_ordered(const bson_t *question, bool *ordered, sp_error_t *error)
{
    static const char *const ways[] = {"single", "unordered", "ordered"};
    bson_iter_t iter;
    if (bson_iter_init_find(&iter, question, "way") && BSON_ITER_HOLDS_UTF8(&iter)) {
        const char *way = bson_iter_utf8(&iter, NULL);
        *ordered = strcmp(way, "ordered") == 0;
        for (unsigned i = 0; i < sizeof ways / sizeof *ways; i++) {
            if (strcmp(way, ways[i]) == 0)
                return true;
        }
    }
    return sp_error_set(error, SP_ERROR_INPUT, 0, "'way' must be single, unordered or ordered");
}

static bool predict_inserts(const scene_t *scene, const bson_t *docs, uint32_t count, bool ordered,
                            bson_t *answer, sp_error_t *error)
{
    bson_t codes;
    sp_arena_t arena;
    document_t *documents = bson_malloc0((count + 1) * sizeof *documents);
    bool ok = true, stopped = false;
    sp_arena_init(&arena);
    for (uint32_t i = 0; i < count; i++)
        bson_init(&documents[i].stored);
    BSON_APPEND_ARRAY_BEGIN(answer, "codes", &codes);
    for (uint32_t i = 0; ok && i < count; i++) {
        char buffer[16];
        const char *name;
        sp_error_t refused = {0};
        bson_uint32_to_string(i, &name, buffer, sizeof buffer);
        if (stopped) {
            BSON_APPEND_NULL(&codes, name);
            continue;
        }
        bool is_in = insert(scene, &arena, documents, i, &docs[i], &refused);
        ok = is_in || refused.domain == SP_ERROR_RULE ||
             sp_error_set(error, refused.domain, refused.code, "docs[%u]: %s", i, refused.message);
        BSON_APPEND_INT32(&codes, name, is_in ? 0 : refused.code);
        stopped = ordered && !is_in;
    }
    bson_append_array_end(answer, &codes);
    for (uint32_t i = 0; i < count; i++)
        bson_destroy(&documents[i].stored);
    sp_arena_clear(&arena);
    bson_free(documents);
    return ok;
}

static bool ask(void *context, const bson_t *question, bson_t *answer, sp_error_t *error)
{
    const scene_t *scene = context;
    bson_t docs[DOCS_MAX];
    uint32_t count = 0;
    bool ordered = false;
    if (!read_docs(question, docs, &count, error) || !read_ordered(question, &ordered, error))
        return false;
    if (scene->refused != 0) {
        sp_answer_error(answer, scene->refused, scene->why);
        return true;
    }
    return predict_inserts(scene, docs, count, ordered, answer, error);
}

bool sp_case_predict_unique(sp_model_t *model, const bson_t *test, sp_answers_t *answers,
                            sp_error_t *error)
{
    scene_t *scene = bson_malloc0(sizeof *scene);
    scene->model = model;
    bson_init(&scene->id_key);
    BSON_APPEND_INT32(&scene->id_key, "_id", 1);
    bool ok = read_scene(scene, test, error) &&
              sp_case_ask_each(test, "requests", ask, scene, answers, error);
    clear_scene(scene);
    bson_free(scene);
    return ok;
}
