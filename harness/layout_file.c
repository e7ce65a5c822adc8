#include "layout_file.h"

#include "../oracles/bytes.h"
#include "../oracles/extjson.h"
#include "../oracles/order.h"
#include "lines.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* As much as is read of a file: some 600 000 chunks as mongoexport writes them. */
#define FILE_SIZE_MAX (256u << 20)

typedef struct reader {
    const char *path;
    const sp_layout_given_t *given;
    sp_pattern_t *pattern; /* of given->key; NULL where that is missing */
    sp_bytes_t text;
    bson_t file;   /* the layout that the file holds, or only `chunks` */
    bson_t chunks; /* [[min, max, shard], …] */
    uint32_t chunk_count;
    bool has_origin;   /* of config.chunks: the collection that the first chunk is of */
    sp_value_t origin; /* borrows from origin_holder */
    bson_t origin_holder;
} reader_t;

static bool read_text(reader_t *reader, sp_error_t *error)
{
    FILE *file = fopen(reader->path, "re");
    if (file == NULL)
        return sp_error_set(error, SP_ERROR_INPUT, errno, "%s: it cannot be read: %s", reader->path,
                            strerror(errno));
    uint8_t block[65536];
    size_t size;
    while (reader->text.size <= FILE_SIZE_MAX && (size = fread(block, 1, sizeof block, file)) > 0)
        sp_bytes_append(&reader->text, block, size);
    int number = ferror(file) ? errno : 0;
    fclose(file);
    if (number != 0)
        return sp_error_set(error, SP_ERROR_INPUT, number, "%s: it cannot be read: %s",
                            reader->path, strerror(number));
    if (reader->text.size > FILE_SIZE_MAX)
        return sp_error_set(error, SP_ERROR_INPUT, 0,
                            "%s: it is larger than %u MiB: keep to the chunks of one collection",
                            reader->path, FILE_SIZE_MAX >> 20);
    return true;
}

/* Of two collections in one export the chunks would make no sense together. */
static bool check_origin(reader_t *reader, const bson_t *chunk, sp_error_t *error)
{
    bson_iter_t iter;
    if (!bson_iter_init_find(&iter, chunk, "uuid") && !bson_iter_init_find(&iter, chunk, "ns"))
        return true;
    sp_value_t value = sp_value_of(&iter);
    if (!reader->has_origin) {
        reader->has_origin = true;
        sp_value_append(&reader->origin_holder, "v", &value);
        bson_iter_init_find(&iter, &reader->origin_holder, "v");
        reader->origin = sp_value_of(&iter);
    }
    return sp_value_compare(&value, &reader->origin) == 0 ||
           sp_error_set(error, SP_ERROR_INPUT, 0,
                        "it is of another collection than the first chunk: export one collection "
                        "only, with mongoexport --query '{\"%s\": …}'",
                        bson_iter_init_find(&iter, chunk, "uuid") ? "uuid" : "ns");
}

static bool add_chunk_document(reader_t *reader, const bson_t *chunk, sp_error_t *error)
{
    bson_iter_t iter;
    bson_t min, max, list;
    bool ok = bson_iter_init_find(&iter, chunk, "min") && sp_value_document(&iter, &min) &&
              bson_iter_init_find(&iter, chunk, "max") && sp_value_document(&iter, &max) &&
              bson_iter_init_find(&iter, chunk, "shard") && BSON_ITER_HOLDS_UTF8(&iter);
    if (!ok)
        return sp_error_set(error, SP_ERROR_INPUT, 0,
                            "it is no chunk: it needs 'min' and 'max', documents, and 'shard', "
                            "a name");
    if (!check_origin(reader, chunk, error))
        return false;
    if (reader->pattern != NULL && (!sp_pattern_fits(reader->pattern, &min, error) ||
                                    !sp_pattern_fits(reader->pattern, &max, error)))
        return false;
    char buffer[16];
    const char *name;
    bson_uint32_to_string(reader->chunk_count++, &name, buffer, sizeof buffer);
    bson_append_array_begin(&reader->chunks, name, -1, &list);
    BSON_APPEND_DOCUMENT(&list, "0", &min);
    BSON_APPEND_DOCUMENT(&list, "1", &max);
    BSON_APPEND_UTF8(&list, "2", bson_iter_utf8(&iter, NULL));
    bson_append_array_end(&reader->chunks, &list);
    return true;
}

/* Chunks as documents become [min, max, shard]; all else is left for the layout's reader to check.
 */
static bool add_chunk(reader_t *reader, const bson_iter_t *iter, sp_error_t *error)
{
    bson_t chunk;
    if (sp_value_document(iter, &chunk))
        return add_chunk_document(reader, &chunk, error) ||
               sp_error_prefix(error, "chunk %u", reader->chunk_count);
    char buffer[16];
    const char *name;
    sp_value_t value = sp_value_of(iter);
    bson_uint32_to_string(reader->chunk_count++, &name, buffer, sizeof buffer);
    sp_value_append(&reader->chunks, name, &value);
    return true;
}

static bool add_chunks(reader_t *reader, sp_error_t *error)
{
    bson_iter_t iter, chunk;
    if (!bson_iter_init_find(&iter, &reader->file, "chunks"))
        return sp_error_set(error, SP_ERROR_INPUT, 0,
                            "it holds no layout: it needs 'chunks', or documents with 'min', 'max' "
                            "and 'shard'");
    if (!BSON_ITER_HOLDS_ARRAY(&iter) || !bson_iter_recurse(&iter, &chunk))
        return sp_error_set(error, SP_ERROR_INPUT, 0,
                            "'chunks' must be an array of [min, max, \"shard\"]");
    while (bson_iter_next(&chunk)) {
        if (!add_chunk(reader, &chunk, error))
            return false;
    }
    return true;
}

static bool read_document(const char *text, size_t size, bson_t *doc, sp_error_t *error)
{
    bson_destroy(doc);
    return sp_json_read(text, size, doc, error) && sp_document_check(doc, error);
}

/* Takes the line before the text out of a message that begins "line N". */
static void correct_line(sp_error_t *error)
{
    const char *number = error->message + strlen("line ");
    char *rest;
    if (strncmp(error->message, "line ", strlen("line ")) != 0)
        return;
    unsigned long line = strtoul(number, &rest, 10);
    sp_error_t wrong = *error;
    if (line > 1)
        sp_error_set(error, wrong.domain, wrong.code, "line %lu%s", line - 1,
                     wrong.message + (rest - error->message));
}

/* An array is read as a document that has it, begun on a line of its own so that columns stay. */
static bool read_array(reader_t *reader, sp_error_t *error)
{
    sp_bytes_t text = {0};
    sp_bytes_append_text(&text, "{\"chunks\":\n");
    sp_bytes_append(&text, reader->text.data, reader->text.size);
    sp_bytes_append_text(&text, "}");
    bool ok = read_document((char *)text.data, text.size, &reader->file, error);
    if (!ok)
        correct_line(error);
    sp_bytes_free(&text);
    if (ok && bson_count_keys(&reader->file) != 1)
        ok = sp_error_set(error, SP_ERROR_INPUT, 0, "nothing may follow the array of chunks");
    return (ok && add_chunks(reader, error)) || sp_error_prefix(error, "%s", reader->path);
}

/* One line of several: the layout, which then stands alone, or one more chunk. */
static bool add_line(reader_t *reader, const bson_t *line, bool first, sp_error_t *error)
{
    bool has_layout = bson_has_field(&reader->file, "chunks");
    if (has_layout)
        return sp_error_set(error, SP_ERROR_INPUT, 0,
                            "a layout stands before it already: keep only the line of the layout "
                            "that is meant, for instance with sed -n 1p");
    if (!first || (bson_has_field(line, "min") && !bson_has_field(line, "chunks")))
        return add_chunk_document(reader, line, error);
    bson_concat(&reader->file, line);
    return add_chunks(reader, error);
}

static bool read_lines(reader_t *reader, sp_error_t *error)
{
    FILE *file = fmemopen(reader->text.data, reader->text.size, "r");
    if (file == NULL)
        return sp_error_set(error, SP_ERROR_SYSTEM, errno, "%s: %s", reader->path, strerror(errno));
    sp_lines_t lines;
    sp_line_t what = SP_LINE_READ;
    sp_lines_init(&lines, file, reader->path);
    bson_reinit(&reader->file);
    bool ok = true;
    for (bool first = true; ok && what != SP_LINE_END; first = false) {
        bson_t line;
        what = sp_lines_next(&lines, &line, error);
        ok = what != SP_LINE_BROKEN;
        if (what == SP_LINE_READ)
            ok = add_line(reader, &line, first, error) ||
                 sp_error_prefix(error, "%s:%u", reader->path, lines.number);
        bson_destroy(&line);
    }
    sp_lines_clear(&lines);
    fclose(file);
    return ok;
}

/* A document over several lines, or several documents, one a line: the first line tells. */
static bool read_documents(reader_t *reader, size_t start, sp_error_t *error)
{
    const char *text = (const char *)reader->text.data;
    const char *end = memchr(text + start, '\n', reader->text.size - start);
    size_t size = end != NULL ? (size_t)(end - text) : reader->text.size;
    if (read_document(text, size, &reader->file, NULL))
        return read_lines(reader, error);
    if (!read_document(text, reader->text.size, &reader->file, error))
        return sp_error_prefix(error, "%s", reader->path);
    bool ok = bson_has_field(&reader->file, "min")
                  ? add_chunk_document(reader, &reader->file, error)
                  : add_chunks(reader, error);
    return ok || sp_error_prefix(error, "%s", reader->path);
}

static bool is_blank(uint8_t byte)
{
    return byte == ' ' || byte == '\t' || byte == '\r' || byte == '\n';
}

static bool read_file(reader_t *reader, sp_error_t *error)
{
    if (!read_text(reader, error))
        return false;
    size_t start = 0;
    while (start < reader->text.size && is_blank(reader->text.data[start]))
        start++;
    if (start == reader->text.size)
        return sp_error_set(error, SP_ERROR_INPUT, 0,
                            "%s: there is nothing in it that could be chunks", reader->path);
    return reader->text.data[start] == '[' ? read_array(reader, error)
                                           : read_documents(reader, start, error);
}

/* The shard key: given, in the file, or both and the same. */
static bool append_key(const reader_t *reader, bson_t *layout, sp_error_t *error)
{
    const bson_t *given = reader->given->key;
    bson_iter_t iter;
    bson_t key;
    bool in_file = bson_iter_init_find(&iter, &reader->file, "key");
    if (in_file && !sp_value_document(&iter, &key))
        return sp_error_set(error, SP_ERROR_INPUT, 0, "%s: 'key' must be a document", reader->path);
    if (!in_file && given == NULL)
        return sp_error_set(error, SP_ERROR_INPUT, 0,
                            "%s: the shard key is not in it; give it with --key '{\"x\": 1}'",
                            reader->path);
    if (in_file && given != NULL && sp_document_compare(&key, given) != 0)
        return sp_error_set(error, SP_ERROR_INPUT, 0,
                            "%s: its 'key' is another than --key; leave --key out or correct it",
                            reader->path);
    BSON_APPEND_DOCUMENT(layout, "key", in_file ? &key : given);
    return true;
}

static void append_rest(const reader_t *reader, bson_t *layout)
{
    bson_iter_t iter;
    if (reader->given->collation != NULL)
        BSON_APPEND_DOCUMENT(layout, "collation", reader->given->collation);
    else if (bson_iter_init_find(&iter, &reader->file, "collation"))
        bson_append_iter(layout, "collation", -1, &iter);
    if (reader->given->shards > 0)
        BSON_APPEND_INT32(layout, "shards", (int32_t)reader->given->shards);
    else if (bson_iter_init_find(&iter, &reader->file, "shards"))
        bson_append_iter(layout, "shards", -1, &iter);
    BSON_APPEND_ARRAY(layout, "chunks", &reader->chunks);
}

static sp_layout_t *make_layout(const reader_t *reader, sp_error_t *error)
{
    bson_t doc = BSON_INITIALIZER;
    sp_layout_t *layout = NULL;
    if (!append_key(reader, &doc, error))
        goto done;
    append_rest(reader, &doc);
    layout = sp_layout_new(&doc, error);
    if (layout == NULL) {
        sp_error_prefix(error, "%s", reader->path);
        goto done;
    }
    unsigned wanted = reader->given->shards;
    if (wanted > 0 && layout->shard_count != wanted) {
        sp_error_set(error, SP_ERROR_INPUT, 0,
                     "%s: chunks belong to shards other than s1 to s%u, which is what --shards %u "
                     "means; leave it out or give more",
                     reader->path, wanted, wanted);
        sp_layout_free(layout);
        layout = NULL;
    }
done:
    bson_destroy(&doc);
    return layout;
}

sp_layout_t *sp_layout_file_read(const char *path, const sp_layout_given_t *given,
                                 sp_error_t *error)
{
    sp_error_t own = {0};
    reader_t reader = {.path = path, .given = given};
    sp_layout_t *layout = NULL;
    bson_init(&reader.file);
    bson_init(&reader.chunks);
    bson_init(&reader.origin_holder);
    if (given->key != NULL) {
        reader.pattern = sp_pattern_new(given->key, &own);
        if (reader.pattern == NULL) {
            sp_error_prefix(&own, "--key");
            goto done;
        }
    }
    if (read_file(&reader, &own))
        layout = make_layout(&reader, &own);
done:
    if (layout == NULL && error != NULL)
        *error = own;
    sp_pattern_free(reader.pattern);
    sp_bytes_free(&reader.text);
    bson_destroy(&reader.file);
    bson_destroy(&reader.chunks);
    bson_destroy(&reader.origin_holder);
    return layout;
}
