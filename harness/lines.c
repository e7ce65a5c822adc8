#include "lines.h"

#include "../oracles/extjson.h"
#include "../oracles/value.h"

#include <errno.h>
#include <string.h>

void sp_lines_init(sp_lines_t *lines, FILE *file, const char *name)
{
    *lines = (sp_lines_t){.file = file, .name = name};
}

void sp_lines_clear(sp_lines_t *lines)
{
    bson_free(lines->buffer);
    lines->buffer = NULL;
}

static bool is_blank(const sp_lines_t *lines)
{
    for (size_t i = 0; i < lines->size; i++) {
        char byte = lines->buffer[i];
        if (byte != ' ' && byte != '\t' && byte != '\r' && byte != '\n')
            return false;
    }
    return true;
}

static void append_byte(sp_lines_t *lines, char byte)
{
    if (lines->size == lines->capacity) {
        lines->capacity = lines->capacity == 0 ? 4096 : 2 * lines->capacity;
        lines->buffer = bson_realloc(lines->buffer, lines->capacity);
    }
    lines->buffer[lines->size++] = byte;
}

/* Reads a line with its end into the buffer; false where there is none. Of a line that is too long
 * one byte more is kept than sp_json_read takes, for it to refuse; the rest is skipped. */
static bool read_line(sp_lines_t *lines)
{
    int byte = 0;
    lines->size = 0;
    while (byte != '\n' && (byte = getc_unlocked(lines->file)) != EOF) {
        if (lines->size <= SP_JSON_TEXT_MAX)
            append_byte(lines, (char)byte);
    }
    if (lines->size == 0 || ferror(lines->file))
        return false;
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
