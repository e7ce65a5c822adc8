/*
 * Memory that is given back all at once: what one question to the model needs while it is answered.
 *
 * The first SP_ARENA_FIRST bytes lie in the arena itself, so that a small question allocates
 * nothing.
 */
#ifndef SHARDPROOF_ARENA_H
#define SHARDPROOF_ARENA_H

#include <stddef.h>
#include <stdint.h>

#define SP_ARENA_FIRST 8192

typedef struct sp_arena_block sp_arena_block_t;

/* Must not move while something in it is in use. */
typedef struct sp_arena {
    sp_arena_block_t *blocks; /* newest first; beside the memory inside */
    size_t used, size;        /* of the newest block, or of `first` while there is none */
    _Alignas(16) uint8_t first[SP_ARENA_FIRST];
} sp_arena_t;

void sp_arena_init(sp_arena_t *arena);
/* Frees all blocks; the arena is as after sp_arena_init. */
void sp_arena_clear(sp_arena_t *arena);

/* `size` bytes, aligned for anything, all zero. Running out of memory aborts, as everywhere in
 * libbson. */
void *sp_arena_take(sp_arena_t *arena, size_t size);

/* The same aligned to `alignment`, a power of two: bson_t wants 128. */
void *sp_arena_take_aligned(sp_arena_t *arena, size_t size, size_t alignment);

/* An array of `count` elements that held `used` of them becomes one that can hold at least one
 * more; updates *capacity. The old one is left where it was. */
void *sp_arena_grow(sp_arena_t *arena, void *items, size_t item_size, unsigned used,
                    unsigned *capacity);

char *sp_arena_text(sp_arena_t *arena, const char *text, size_t size);

#endif
