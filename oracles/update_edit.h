/*
 * A document that is being changed: a tree whose untouched parts stay bytes.
 *
 * All of it lives in an arena and borrows names and values from what it was made of.
 */
#ifndef SHARDPROOF_UPDATE_EDIT_H
#define SHARDPROOF_UPDATE_EDIT_H

#include "arena.h"
#include "value.h"

typedef struct sp_edit sp_edit_t;
struct sp_edit {
    const char *name; /* without meaning inside an array */
    sp_value_t value; /* the bytes; of an opened container only the type counts. BSON_TYPE_EOD: a
                         field that is not there, but keeps its place for one that may come */
    bool open;        /* a container whose children stand apart */
    unsigned child_count;
    sp_edit_t *first, *last, *next;
};

sp_edit_t *sp_edit_new(sp_arena_t *arena, const char *name, const sp_value_t *value);
/* Shares nothing that can be changed. */
sp_edit_t *sp_edit_copy(sp_arena_t *arena, const sp_edit_t *element, const char *name);
/* Without fields, without elements. */
sp_edit_t *sp_edit_new_object(sp_arena_t *arena, const char *name);
sp_edit_t *sp_edit_new_array(sp_arena_t *arena, const char *name);

/* Objects and arrays; code with scope is none. */
bool sp_edit_is_container(const sp_edit_t *element);

/* The field of an object, the first of its name, or the element of an array; NULL: there is none.
 */
sp_edit_t *sp_edit_field(sp_arena_t *arena, sp_edit_t *object, const char *name);
sp_edit_t *sp_edit_element(sp_arena_t *arena, sp_edit_t *array, unsigned index);

/* Puts a child behind all others. */
void sp_edit_append(sp_arena_t *arena, sp_edit_t *container, sp_edit_t *child);
void sp_edit_remove(sp_edit_t *container, sp_edit_t *child);
void sp_edit_set(sp_edit_t *element, const sp_value_t *value);
/* Gives `element` all that `value`, which nobody else has, is; it keeps its name and place. */
void sp_edit_take(sp_edit_t *element, const sp_edit_t *value);
/* Opens a container, so that its children can be gone through. */
void sp_edit_open(sp_arena_t *arena, sp_edit_t *container);

/* The value as it is now, its bytes in the arena where they had to be made. */
sp_value_t sp_edit_value(sp_arena_t *arena, const sp_edit_t *element);

/* Appends the fields of an object. */
void sp_edit_write(const sp_edit_t *object, bson_t *doc);

#endif
