#include "tally.h"

#include <bson/bson.h>
#include <stdlib.h>
#include <string.h>

enum { SLOTS = 4 * SP_TALLY_MAX, OTHERS_MAX = 64 };

struct sp_tally {
    sp_tally_entry_t *entries;
    size_t count, capacity;
    uint16_t *slots; /* an open hash table of entries, by number from 1 */
};

sp_tally_t *sp_tally_new(void)
{
    sp_tally_t *tally = bson_malloc0(sizeof *tally);
    tally->slots = bson_malloc0(SLOTS * sizeof *tally->slots);
    return tally;
}

/* The texts of an entry share one allocation, which begins with the dimension. */
static void free_texts(const sp_tally_entry_t *entry)
{
    union {
        const char *read_only;
        char *plain;
    } texts = {.read_only = entry->dimension};
    bson_free(texts.plain);
}

void sp_tally_free(sp_tally_t *tally)
{
    if (tally == NULL)
        return;
    for (size_t i = 0; i < tally->count; i++)
        free_texts(&tally->entries[i]);
    bson_free(tally->entries);
    bson_free(tally->slots);
    bson_free(tally);
}

static size_t hash(const char *dimension, const char *name)
{
    uint64_t state = UINT64_C(14695981039346656037);
    for (const char *p = dimension; *p != '\0'; p++)
        state = (state ^ (unsigned char)*p) * UINT64_C(1099511628211);
    state *= 31;
    for (const char *p = name; *p != '\0'; p++)
        state = (state ^ (unsigned char)*p) * UINT64_C(1099511628211);
    return (size_t)(state >> 20) % SLOTS;
}

/* The slot of that kind, or the free one where it belongs. */
static uint16_t *find(const sp_tally_t *tally, const char *dimension, const char *name)
{
    size_t at = hash(dimension, name);
    while (tally->slots[at] != 0) {
        const sp_tally_entry_t *entry = &tally->entries[tally->slots[at] - 1];
        if (strcmp(entry->name, name) == 0 && strcmp(entry->dimension, dimension) == 0)
            break;
        at = (at + 1) % SLOTS;
    }
    return &tally->slots[at];
}

static void append(sp_tally_t *tally, const char *dimension, const char *name, uint64_t count)
{
    if (tally->count == tally->capacity) {
        tally->capacity = tally->capacity == 0 ? 64 : 2 * tally->capacity;
        tally->entries = bson_realloc(tally->entries, tally->capacity * sizeof *tally->entries);
    }
    size_t first = strlen(dimension) + 1, second = strlen(name) + 1;
    char *texts = bson_malloc(first + second);
    memcpy(texts, dimension, first);
    memcpy(texts + first, name, second);
    tally->entries[tally->count++] =
        (sp_tally_entry_t){.dimension = texts, .name = texts + first, .count = count};
}

void sp_tally_add(sp_tally_t *tally, const char *dimension, const char *name, uint64_t count)
{
    uint16_t *slot = find(tally, dimension, name);
    if (*slot == 0 && tally->count >= SP_TALLY_MAX) {
        name = SP_TALLY_OTHERS;
        slot = find(tally, dimension, name);
    }
    if (*slot != 0) {
        tally->entries[*slot - 1].count += count;
    } else if (tally->count < SP_TALLY_MAX + OTHERS_MAX) {
        append(tally, dimension, name, count);
        *slot = (uint16_t)tally->count;
    }
}

void sp_tally_merge(sp_tally_t *into, const sp_tally_t *from)
{
    for (size_t i = 0; i < from->count; i++)
        sp_tally_add(into, from->entries[i].dimension, from->entries[i].name,
                     from->entries[i].count);
}

static int compare(const void *a, const void *b)
{
    const sp_tally_entry_t *left = a, *right = b;
    int order = strcmp(left->dimension, right->dimension);
    return order != 0 ? order : strcmp(left->name, right->name);
}

const sp_tally_entry_t *sp_tally_entries(sp_tally_t *tally, size_t *count)
{
    if (tally->count > 0)
        qsort(tally->entries, tally->count, sizeof *tally->entries, compare);
    memset(tally->slots, 0, SLOTS * sizeof *tally->slots);
    for (size_t i = 0; i < tally->count; i++)
        *find(tally, tally->entries[i].dimension, tally->entries[i].name) = (uint16_t)(i + 1);
    *count = tally->count;
    return tally->entries;
}
