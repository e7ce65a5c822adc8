#include "gen_update_parts.h"

#include <stdio.h>
#include <string.h>

static const char *draw_part(sp_update_draw_t *draw)
{
    static const char *const parts[] = {"a", "b", "c",  "0", "1",  "2",
                                        "4", "x", "10", "d", "a1", "A"};
    static const char *const rare[] = {"",   "$", "$[]", "$[q]", "$a",      "$ref", "$id", "$db",
                                       "-1", "é", "1a",  "9",    "1500009", "_id",  "w",   " "};
    if (sp_draw_one_in(draw->producer, 24))
        return rare[sp_draw_below(draw->producer, sizeof rare / sizeof *rare)];
    return parts[sp_draw_below(draw->producer, sizeof parts / sizeof *parts)];
}

static const char *draw_source_path(sp_update_draw_t *draw)
{
    return draw->source->paths[sp_draw_below(draw->producer, draw->source->path_count)];
}

static void append(char path[SP_UPDATE_PATH_SIZE], const char *part)
{
    size_t size = strlen(path);
    if (size + strlen(part) + 2 > SP_UPDATE_PATH_SIZE)
        return;
    snprintf(path + size, SP_UPDATE_PATH_SIZE - size, size == 0 ? "%s" : ".%s", part);
}

static void draw_any(sp_update_draw_t *draw, char path[SP_UPDATE_PATH_SIZE])
{
    uint32_t count = 1 + sp_draw_below(draw->producer, 3);
    if (sp_draw_one_in(draw->producer, 40))
        count = 1 + sp_draw_below(draw->producer, 8);
    for (uint32_t i = 0; i < count; i++)
        append(path, draw_part(draw));
}

void sp_gen_update_path(sp_update_draw_t *draw, char path[SP_UPDATE_PATH_SIZE])
{
    uint32_t choice = sp_draw_below(draw->producer, 20);
    path[0] = '\0';
    if (choice < 8) {
        append(path, draw_source_path(draw));
    } else if (choice < 10) { /* above or beside */
        append(path, draw_source_path(draw));
        char *dot = strrchr(path, '.');
        if (dot != NULL)
            *dot = '\0';
        if (choice == 9)
            append(path, draw_part(draw));
    } else if (choice < 13) {
        append(path, draw_source_path(draw));
        append(path, draw_part(draw));
    } else if (choice == 13) {
        append(path, "_id");
        if (sp_draw_one_in(draw->producer, 2))
            append(path, draw_part(draw));
    } else {
        draw_any(draw, path);
    }
    if (draw->only_path && sp_draw_one_in(draw->producer, 16))
        append(path, "01");
}
