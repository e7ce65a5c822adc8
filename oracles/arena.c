#include "arena.h"

#include <bson/bson.h>
#include <string.h>

struct sp_arena_block {
    sp_arena_block_t *before;
    _Alignas(16) uint8_t data[];
};

void sp_arena_init(sp_arena_t *arena)
{
    arena->blocks = NULL;
    arena->used = 0;
    arena->size = SP_ARENA_FIRST;
}

void sp_arena_clear(sp_arena_t *arena)
{
    while (arena->blocks != NULL) {
        sp_arena_block_t *before = arena->blocks->before;
        bson_free(arena->blocks);
        arena->blocks = before;
    }
    sp_arena_init(arena);
}

void *sp_arena_take(sp_arena_t *arena, size_t size)
{
    const size_t alignment = 16;
    size = (size + alignment - 1) & ~(alignment - 1);
    if (arena->size - arena->used < size) {
        /* Doubling keeps the number of blocks small whatever is asked for. */
        size_t wanted = 2 * arena->size > size ? 2 * arena->size : size;
        sp_arena_block_t *block = bson_malloc(sizeof *block + wanted);
        block->before = arena->blocks;
        arena->blocks = block;
        arena->size = wanted;
        arena->used = 0;
    }
    uint8_t *data = (arena->blocks != NULL ? arena->blocks->data : arena->first) + arena->used;
    arena->used += size;
    memset(data, 0, size);
    return data;
}

void *sp_arena_take_aligned(sp_arena_t *arena, size_t size, size_t alignment)
{
    uint8_t *data = sp_arena_take(arena, size + alignment - 1);
    return data + (-(uintptr_t)data & (alignment - 1));
}

void *sp_arena_grow(sp_arena_t *arena, void *items, size_t item_size, unsigned used,
                    unsigned *capacity)
{
    if (used < *capacity)
        return items;
    *capacity = *capacity == 0 ? 4 : 2 * *capacity;
    void *grown = sp_arena_take(arena, *capacity * item_size);
    if (used > 0)
        memcpy(grown, items, used * item_size);
    return grown;
}

char *sp_arena_text(sp_arena_t *arena, const char *text, size_t size)
{
    char *copy = sp_arena_take(arena, size + 1);
    memcpy(copy, text, size);
    return copy;
}
