/* JSON lines: what is read, what is called broken, and that reading always goes on and always ends.
 */
#include "test_harness_common.h"

#include "../harness/lines.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct reader {
    FILE *file;
    sp_lines_t lines;
    bson_t doc;
    sp_error_t error;
} reader_t;

static void open_text(reader_t *reader, const char *text, size_t size)
{
    reader->file = tmpfile();
    assert_non_null(reader->file);
    assert_int_equal(fwrite(text, 1, size, reader->file), size);
    rewind(reader->file);
    sp_lines_init(&reader->lines, reader->file, "cases.jsonl");
}

static void close_text(reader_t *reader)
{
    sp_lines_clear(&reader->lines);
    fclose(reader->file);
}

static void assert_read(reader_t *reader, unsigned number, const char *json)
{
    reader->error = (sp_error_t){0};
    if (sp_lines_next(&reader->lines, &reader->doc, &reader->error) != SP_LINE_READ)
        fail_msg("line %u: %s", number, reader->error.message);
    assert_int_equal(reader->lines.number, number);
    sp_test_assert_doc(&reader->doc, json);
    bson_destroy(&reader->doc);
}

static void assert_broken(reader_t *reader, const char *prefix)
{
    reader->error = (sp_error_t){0};
    assert_int_equal(sp_lines_next(&reader->lines, &reader->doc, &reader->error), SP_LINE_BROKEN);
    assert_int_equal(reader->error.domain, SP_ERROR_INPUT);
    if (strncmp(reader->error.message, prefix, strlen(prefix)) != 0)
        fail_msg("'%s' does not begin with '%s'", reader->error.message, prefix);
    bson_destroy(&reader->doc);
}

static void assert_end(reader_t *reader)
{
    for (int i = 0; i < 3; i++) {
        assert_int_equal(sp_lines_next(&reader->lines, &reader->doc, &reader->error), SP_LINE_END);
        bson_destroy(&reader->doc);
    }
}

static void reads_lines_in_order(void **state)
{
    (void)state;
    static const char text[] =
        "\n  \t\r\n{\"a\": 1}\n\r\n{\"b\": \"\\u00e9\"}\r\n   {\"c\": 3}  \n\n";
    reader_t reader;
    open_text(&reader, text, sizeof text - 1);
    assert_read(&reader, 3, "{\"a\": 1}");
    assert_read(&reader, 5, "{\"b\": \"é\"}");
    assert_read(&reader, 6, "{\"c\": 3}");
    assert_end(&reader);
    close_text(&reader);
}

static void nothing_to_read_is_just_the_end(void **state)
{
    (void)state;
    static const char *const texts[] = {"", "\n", "\r\n\r\n", "   "};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        reader_t reader;
        open_text(&reader, texts[i], strlen(texts[i]));
        assert_end(&reader);
        close_text(&reader);
    }
}

static void last_line_needs_no_end(void **state)
{
    (void)state;
    static const char text[] = "{\"a\": 1}\n{\"b\": 2}";
    reader_t reader;
    open_text(&reader, text, sizeof text - 1);
    assert_read(&reader, 1, "{\"a\": 1}");
    assert_read(&reader, 2, "{\"b\": 2}");
    assert_end(&reader);
    close_text(&reader);
}

static void cut_last_line_is_named(void **state)
{
    (void)state;
    static const char text[] = "{\"a\": 1}\n{\"b\": \"two\"}";
    /* Cut anywhere inside its last line, it is the file's end that is suspected. */
    for (size_t size = strlen("{\"a\": 1}\n") + 1; size < sizeof text - 1; size++) {
        reader_t reader;
        open_text(&reader, text, size);
        assert_read(&reader, 1, "{\"a\": 1}");
        assert_broken(&reader,
                      "cases.jsonl:2 (the last line, without an end: was the file cut?): ");
        assert_end(&reader);
        close_text(&reader);
    }
}

static void reading_goes_on_after_a_broken_line(void **state)
{
    (void)state;
    static const char *const broken[] = {
        "{",
        "}",
        "[]",
        "1",
        "null",
        "\"text\"",
        "{\"a\": 1} x",
        "{\"a\": 1}{\"a\": 1}",
        "{\"a\": }",
        "{a: 1}",
        "{'a': 1}",
        "{\"a\": NaN}",
        "{\"a\": 1,}",
        "\xff\xfe",
        "{\"a\": \"\xff\"}",
        "\xef\xbb\xbf{\"a\": 1}",
        "{\"a\": {\"$numberInt\": \"2147483648\"}}",
        "{\"a\": {\"$oid\": \"short\"}}",
        "{\"a\\u0000b\": 1}",
    };
    for (size_t i = 0; i < sizeof broken / sizeof *broken; i++) {
        char *text = bson_strdup_printf("\n%s\n{\"good\": true}\n", broken[i]);
        reader_t reader;
        open_text(&reader, text, strlen(text));
        assert_broken(&reader, "cases.jsonl:2: ");
        assert_read(&reader, 3, "{\"good\": true}");
        assert_end(&reader);
        close_text(&reader);
        bson_free(text);
    }
}

static void nul_bytes_are_broken_not_the_end(void **state)
{
    (void)state;
    static const char text[] = "{\"a\": 1}\0\n\0\n{\"b\": 2}\n";
    reader_t reader;
    open_text(&reader, text, sizeof text - 1);
    assert_broken(&reader, "cases.jsonl:1: ");
    assert_broken(&reader, "cases.jsonl:2: ");
    assert_read(&reader, 3, "{\"b\": 2}");
    assert_end(&reader);
    close_text(&reader);
}

static void too_deep_is_broken(void **state)
{
    (void)state;
    enum { DEPTH = 100000 };
    bson_string_t *text = bson_string_new(NULL);
    for (int i = 0; i < DEPTH; i++)
        bson_string_append(text, "{\"a\":");
    bson_string_append(text, "1");
    for (int i = 0; i < DEPTH; i++)
        bson_string_append(text, "}");
    bson_string_append(text, "\n{\"b\": 2}\n");
    reader_t reader;
    open_text(&reader, text->str, text->len);
    assert_broken(&reader, "cases.jsonl:1: ");
    assert_read(&reader, 2, "{\"b\": 2}");
    assert_end(&reader);
    close_text(&reader);
    bson_string_free(text, true);
}

static void very_long_line_is_read_whole(void **state)
{
    (void)state;
    enum { LENGTH = 10000000 };
    char *text = bson_malloc(LENGTH + 64);
    int start = snprintf(text, 64, "{\"s\": \"");
    memset(text + start, 'x', LENGTH);
    snprintf(text + start + LENGTH, 64 - (size_t)start, "\"}\n{\"b\": 2}\n");
    reader_t reader;
    open_text(&reader, text, strlen(text));
    assert_int_equal(sp_lines_next(&reader.lines, &reader.doc, &reader.error), SP_LINE_READ);
    bson_iter_t iter;
    uint32_t length;
    assert_true(bson_iter_init_find(&iter, &reader.doc, "s"));
    bson_iter_utf8(&iter, &length);
    assert_int_equal(length, LENGTH);
    bson_destroy(&reader.doc);
    assert_read(&reader, 2, "{\"b\": 2}");
    assert_end(&reader);
    close_text(&reader);
    bson_free(text);
}

static void what_cannot_be_read_is_told_once(void **state)
{
    reader_t reader = {.file = fopen(*state, "re")};
    assert_non_null(reader.file);
    sp_lines_init(&reader.lines, reader.file, "cases.jsonl");
    assert_broken(&reader, "cases.jsonl: it cannot be read: ");
    assert_end(&reader);
    close_text(&reader);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_lines_in_order),
        cmocka_unit_test(nothing_to_read_is_just_the_end),
        cmocka_unit_test(last_line_needs_no_end),
        cmocka_unit_test(cut_last_line_is_named),
        cmocka_unit_test(reading_goes_on_after_a_broken_line),
        cmocka_unit_test(nul_bytes_are_broken_not_the_end),
        cmocka_unit_test(too_deep_is_broken),
        cmocka_unit_test(very_long_line_is_read_whole),
        cmocka_unit_test_setup_teardown(what_cannot_be_read_is_told_once, sp_test_folder_make,
                                        sp_test_folder_remove),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
