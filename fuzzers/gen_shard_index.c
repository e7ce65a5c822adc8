#include "gen_shard_index.h"

#include "../oracles/index_pattern.h"
#include "../oracles/pattern.h"
#include "../oracles/shard_indexes.h"

#include <stdio.h>
#include <string.h>

enum { INDEXES_MAX = 3 };

#define COUNT(array) ((uint32_t)(sizeof(array) / sizeof *(array)))

typedef enum option {
    NO_OPTION,
    UNIQUE,
    SPARSE,
    SPARSE_AND_UNIQUE,
    HIDDEN,
    PARTIAL,
    COLLATION,
    SIMPLE_COLLATION,
    PREPARE_UNIQUE,
    EXPIRE,
    OLD_FORMAT,
    OPTIONS
} option_t;

static void append_field(bson_t *key, const char *name, const char *word, int32_t number)
{
    if (bson_has_field(key, name))
        return;
    if (word != NULL)
        BSON_APPEND_UTF8(key, name, word);
    else
        BSON_APPEND_INT32(key, name, number);
}

/* The first `count` fields of `key`, from the one numbered `first` on and then round; the field
 * numbered `changed` with another direction or hashed. */
static void append_like(const bson_t *like, uint32_t first, uint32_t count, uint32_t changed,
                        bool hash, bson_t *key)
{
    uint32_t fields = bson_count_keys(like);
    for (uint32_t i = 0; i < count; i++) {
        bson_iter_t iter;
        uint32_t wanted = (first + i) % fields;
        bool found = bson_iter_init(&iter, like);
        for (uint32_t j = 0; found && j <= wanted; j++)
            found = bson_iter_next(&iter);
        const char *name = bson_iter_key(&iter);
        bool is_hashed = BSON_ITER_HOLDS_UTF8(&iter);
        if (wanted == changed && hash)
            append_field(key, name, is_hashed || sp_pattern_names_hashed(like) ? NULL : "hashed",
                         1);
        else
            append_field(key, name, is_hashed ? "hashed" : NULL, wanted == changed ? -1 : 1);
    }
}

static void append_number(sp_producer_t *producer, const bson_t *like, bson_t *key)
{
    static const double numbers[] = {1.0, 1.5, 2.0, 0.5, -1.5, 1.9999};
    bson_iter_t iter;
    for (bool more = bson_iter_init(&iter, like); more && bson_iter_next(&iter);) {
        if (BSON_ITER_HOLDS_UTF8(&iter))
            BSON_APPEND_UTF8(key, bson_iter_key(&iter), "hashed");
        else
            BSON_APPEND_DOUBLE(key, bson_iter_key(&iter),
                               numbers[sp_draw_below(producer, COUNT(numbers))]);
    }
}

static void append_other(sp_producer_t *producer, const bson_t *like, bool plain_only, bson_t *key)
{
    static const char *const names[] = {"y", "z", "x", "a", "a.b", "c"};
    const char *name = names[sp_draw_below(producer, COUNT(names))];
    switch (sp_draw_below(producer, plain_only ? 4 : 8)) {
    case 0:
        append_field(key, name, NULL, sp_draw_one_in(producer, 4) ? -1 : 1);
        break;
    case 1:
        append_field(key, "_id", NULL, sp_draw_one_in(producer, 4) ? -1 : 1);
        append_field(key, name, NULL, 1);
        break;
    case 2:
        append_field(key, name, "hashed", 0);
        break;
    case 3:
        append_field(key, "_id", "hashed", 0);
        break;
    case 4:
        append_field(key, "$**", NULL, 1);
        break;
    case 5:
        append_field(key, "t", "text", 0);
        break;
    default:
        if (!sp_pattern_names_hashed(like))
            append_like(like, 0, bson_count_keys(like), UINT32_MAX, false, key);
        if (sp_draw_one_in(producer, 2))
            append_field(key, "t", "text", 0);
        else
            append_field(key, "g", "2dsphere", 0);
    }
}

static void draw_key(sp_producer_t *producer, const bson_t *like, bool plain_only, bson_t *key)
{
    uint32_t fields = bson_count_keys(like);
    switch (sp_draw_below(producer, 12)) {
    case 0:
    case 1:
    case 2:
        append_like(like, 0, fields, UINT32_MAX, false, key);
        break;
    case 3:
    case 4: /* longer */
        append_like(like, 0, fields, UINT32_MAX, false, key);
        append_field(key, sp_draw_one_in(producer, 2) ? "y" : "w",
                     sp_draw_one_in(producer, 6) && !sp_pattern_names_hashed(like) ? "hashed"
                                                                                   : NULL,
                     sp_draw_one_in(producer, 4) ? -1 : 1);
        break;
    case 5: /* shorter, or as it is */
        append_like(like, 0, 1 + sp_draw_below(producer, fields), UINT32_MAX, false, key);
        break;
    case 6:
        append_like(like, sp_draw_below(producer, fields), fields, UINT32_MAX, false, key);
        break;
    case 7:
        append_like(like, 0, fields, sp_draw_below(producer, fields), false, key);
        break;
    case 8:
        append_like(like, 0, fields, sp_draw_below(producer, fields), true, key);
        break;
    case 9:
        append_number(producer, like, key);
        break;
    default:
        append_other(producer, like, plain_only, key);
    }
}

static option_t draw_option(sp_producer_t *producer)
{
    return sp_draw_one_in(producer, 2) ? (option_t)sp_draw_below(producer, OPTIONS) : NO_OPTION;
}

/* Whether a server makes an index on `key` with the option. */
static bool can_have(option_t option, const bson_t *key, sp_index_kind_t kind,
                     const sp_index_draw_t *draw)
{
    bool special = kind != SP_INDEX_PLAIN && kind != SP_INDEX_HASHED;
    if (special)
        return (option == NO_OPTION || option == HIDDEN) && !draw->collated;
    if (option == UNIQUE || option == SPARSE_AND_UNIQUE || option == PREPARE_UNIQUE)
        return kind == SP_INDEX_PLAIN;
    if (option == OLD_FORMAT)
        return kind == SP_INDEX_PLAIN && !draw->collated;
    if (option == EXPIRE)
        return bson_count_keys(key) == 1 && !bson_has_field(key, "_id") && !draw->capped &&
               kind == SP_INDEX_PLAIN;
    return true;
}

static void append_option(option_t option, bson_t *index)
{
    bson_t child, operand;
    if (option == UNIQUE || option == SPARSE_AND_UNIQUE)
        BSON_APPEND_BOOL(index, "unique", true);
    if (option == SPARSE || option == SPARSE_AND_UNIQUE)
        BSON_APPEND_BOOL(index, "sparse", true);
    if (option == HIDDEN)
        BSON_APPEND_BOOL(index, "hidden", true);
    if (option == PREPARE_UNIQUE)
        BSON_APPEND_BOOL(index, "prepareUnique", true);
    if (option == EXPIRE)
        BSON_APPEND_INT32(index, "expireAfterSeconds", 100000);
    if (option == OLD_FORMAT)
        BSON_APPEND_INT32(index, "v", 1);
    if (option == PARTIAL) {
        BSON_APPEND_DOCUMENT_BEGIN(index, "partialFilterExpression", &child);
        BSON_APPEND_DOCUMENT_BEGIN(&child, "q", &operand);
        BSON_APPEND_INT32(&operand, "$gt", 1);
        bson_append_document_end(&child, &operand);
        bson_append_document_end(index, &child);
    }
    if (option == COLLATION || option == SIMPLE_COLLATION) {
        BSON_APPEND_DOCUMENT_BEGIN(index, "collation", &child);
        BSON_APPEND_UTF8(&child, "locale", option == COLLATION ? "fr" : "simple");
        bson_append_document_end(index, &child);
    }
}

/* What two indexes on one key must differ in. */
static unsigned class_of(option_t option)
{
    switch (option) {
    case UNIQUE:
    case SPARSE:
    case SPARSE_AND_UNIQUE:
    case PARTIAL:
    case COLLATION:
    case SIMPLE_COLLATION:
        return (unsigned)option;
    default:
        return 0;
    }
}

typedef struct drawn {
    bson_t *keys[INDEXES_MAX];
    option_t options[INDEXES_MAX];
    unsigned count;
    bool name_taken;
} drawn_t;

static bool is_repeated(const drawn_t *drawn, const bson_t *key, option_t option,
                        const sp_index_draw_t *draw)
{
    unsigned own = class_of(option);
    if (own == SIMPLE_COLLATION && !draw->collated)
        own = 0;
    for (unsigned i = 0; i < drawn->count; i++) {
        unsigned other = class_of(drawn->options[i]);
        if (other == SIMPLE_COLLATION && !draw->collated)
            other = 0;
        if (own == other && sp_index_pattern_same(drawn->keys[i], key))
            return true;
    }
    return false;
}

/* False where the index cannot stand beside the others. */
static bool try_index(sp_producer_t *producer, const bson_t *like, sp_index_draw_t *draw,
                      drawn_t *drawn, bson_t *index)
{
    sp_index_kind_t kind;
    bson_t *key = bson_new();
    draw_key(producer, like, draw->collated, key);
    option_t option = draw_option(producer);
    bool fits = sp_index_pattern_check(key, &kind, NULL) &&
                sp_index_pattern_fits(key, kind, NULL) && !sp_index_pattern_is_id(key) &&
                !(bson_count_keys(key) == 1 && bson_has_field(key, "_id") &&
                  !sp_pattern_names_hashed(key)) &&
                can_have(option, key, kind, draw) && !is_repeated(drawn, key, option, draw) &&
                !(kind == SP_INDEX_TEXT && draw->text);
    if (!fits) {
        bson_destroy(key);
        return false;
    }
    char own_name[16], *clashing = sp_shard_index_name(like);
    snprintf(own_name, sizeof own_name, "n%u", drawn->count);
    bool clashes = !drawn->name_taken && sp_draw_one_in(producer, 10);
    BSON_APPEND_DOCUMENT(index, "key", key);
    BSON_APPEND_UTF8(index, "name", clashes ? clashing : own_name);
    append_option(option, index);
    bson_free(clashing);
    drawn->name_taken = drawn->name_taken || clashes;
    drawn->options[drawn->count] = option;
    drawn->keys[drawn->count++] = key;
    draw->unique =
        draw->unique || option == UNIQUE || option == SPARSE_AND_UNIQUE || option == PREPARE_UNIQUE;
    draw->hashed = draw->hashed || sp_pattern_names_hashed(key);
    draw->text = draw->text || kind == SP_INDEX_TEXT;
    return true;
}

static void append_element(bson_t *array, uint32_t place, const bson_t *element)
{
    char buffer[16];
    const char *name;
    bson_uint32_to_string(place, &name, buffer, sizeof buffer);
    BSON_APPEND_DOCUMENT(array, name, element);
}

/* The most that a collection can have, or one less: 63 of them, beside that on _id. */
static void append_full(sp_producer_t *producer, bson_t *indexes)
{
    uint32_t count = 63 - sp_draw_below(producer, 2);
    for (uint32_t i = 0; i < count; i++) {
        char name[16];
        bson_t index = BSON_INITIALIZER, key;
        snprintf(name, sizeof name, "i%u", i);
        BSON_APPEND_DOCUMENT_BEGIN(&index, "key", &key);
        BSON_APPEND_INT32(&key, name, 1);
        bson_append_document_end(&index, &key);
        BSON_APPEND_UTF8(&index, "name", name);
        append_element(indexes, i, &index);
        bson_destroy(&index);
    }
}

void sp_gen_shard_indexes(sp_producer_t *producer, const bson_t *key, sp_index_draw_t *draw,
                          bson_t *indexes)
{
    drawn_t drawn = {.count = 0};
    if (sp_draw_one_in(producer, 400)) {
        append_full(producer, indexes);
        return;
    }
    uint32_t wanted = sp_draw_below(producer, INDEXES_MAX + 1);
    for (uint32_t i = 0; i < wanted; i++) {
        bson_t index = BSON_INITIALIZER;
        uint32_t place = drawn.count;
        if (try_index(producer, key, draw, &drawn, &index))
            append_element(indexes, place, &index);
        bson_destroy(&index);
    }
    for (unsigned i = 0; i < drawn.count; i++)
        bson_destroy(drawn.keys[i]);
}

void sp_gen_series_indexes(sp_producer_t *producer, bson_t *indexes)
{
    static const struct {
        const char *first, *second;
        int32_t direction;
    } keys[] = {
        {"m", NULL, 1},  {"t", NULL, 1}, {"m", "t", 1},    {"m", NULL, -1},
        {"t", NULL, -1}, {"m", "t", -1}, {"m.a", NULL, 1}, {"m", NULL, 0},
    };
    uint32_t wanted = sp_draw_below(producer, 3), first = sp_draw_below(producer, COUNT(keys));
    for (uint32_t i = 0; i < wanted; i++) {
        uint32_t chosen = (first + i * 3) % COUNT(keys);
        char name[16];
        bson_t index = BSON_INITIALIZER, key;
        snprintf(name, sizeof name, "n%u", i);
        BSON_APPEND_DOCUMENT_BEGIN(&index, "key", &key);
        if (keys[chosen].direction == 0)
            BSON_APPEND_UTF8(&key, keys[chosen].first, "hashed");
        else
            BSON_APPEND_INT32(&key, keys[chosen].first,
                              keys[chosen].second == NULL ? keys[chosen].direction : 1);
        if (keys[chosen].second != NULL)
            BSON_APPEND_INT32(&key, keys[chosen].second, keys[chosen].direction);
        bson_append_document_end(&index, &key);
        BSON_APPEND_UTF8(&index, "name", name);
        append_element(indexes, i, &index);
        bson_destroy(&index);
    }
}
