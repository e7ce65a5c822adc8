#include "answers.h"

#include <assert.h>

bson_t *sp_answers_add(sp_answers_t *answers)
{
    if (answers->count == answers->capacity) {
        answers->capacity = answers->capacity == 0 ? 64 : 2 * answers->capacity;
        answers->items = bson_realloc(answers->items, answers->capacity * sizeof *answers->items);
    }
    if (answers->count == answers->made)
        answers->items[answers->made++] = bson_new();
    else
        bson_reinit(answers->items[answers->count]);
    return answers->items[answers->count++];
}

void sp_answers_truncate(sp_answers_t *answers, uint32_t count)
{
    assert(count <= answers->count);
    answers->count = count;
}

void sp_answers_clear(sp_answers_t *answers)
{
    for (uint32_t i = 0; i < answers->made; i++)
        bson_destroy(answers->items[i]);
    bson_free(answers->items);
    *answers = (sp_answers_t)SP_ANSWERS_INITIALIZER;
}
