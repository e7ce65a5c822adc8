#include "lines.h"

#include "../oracles/extjson.h"
#include "../oracles/value.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void sp_lines_init(sp_lines_t *lines, FILE *file, const char *name)
{
    *lines = (sp_lines_t){.file = file, .name = name};
}

void sp_lines_clear(sp_lines_t *lines)
{
    free(lines->buffer); /* getline's own allocation */
    lines->buffer = NULL;
}

static bool is_blank(const sp_lines_t *lines)
{
    return strspn(lines->buffer, " \t\r\n") == lines->size;
}

/* Reads a line into the buffer; false at the end. */
static bool read_line(sp_lines_t *lines)
{
    ssize_t size = getline(&lines->buffer, &lines->capacity, lines->file);
    if (size < 0)
        return false;
    lines->size = (size_t)size;
    lines->number++;
    return true;
}

sp_line_t sp_lines_next(sp_lines_t *lines, bson_t *doc, sp_error_t *error)
{
    bson_init(doc);
    do {
        errno = 0;
        if (lines->failed)
            return SP_LINE_END;
        if (!read_line(lines)) {
            if (!ferror(lines->file))
                return SP_LINE_END;
            sp_error_set(error, SP_ERROR_INPUT, errno, "%s: it cannot be read: %s", lines->name,
                         strerror(errno));
            lines->failed = true;
            return SP_LINE_BROKEN;
        }
    } while (is_blank(lines));

    bson_destroy(doc);
    if (sp_json_read(lines->buffer, lines->size, doc, error) && sp_document_check(doc, error))
        return SP_LINE_READ;
    bool cut = lines->size > 0 && lines->buffer[lines->size - 1] != '\n';
    sp_error_prefix(error, "%s:%u%s", lines->name, lines->number,
                    cut ? " (the last line, without an end: was the file cut?)" : "");
    return SP_LINE_BROKEN;
}
