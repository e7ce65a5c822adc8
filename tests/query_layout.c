#include "query_layout.h"

#include "../oracles/case.h"
#include "from_json.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void append_end(const bson_t *key, const char *name, bson_type_t type, bson_t *chunk)
{
    bson_iter_t iter;
    bson_t bound;
    bson_append_document_begin(chunk, name, -1, &bound);
    assert_true(bson_iter_init(&iter, key));
    while (bson_iter_next(&iter)) {
        const sp_value_t end = {type, 0, (const uint8_t *)""};
        sp_value_append(&bound, bson_iter_key(&iter), &end);
    }
    bson_append_document_end(chunk, &bound);
}

static void append_chunk(bson_t *chunks, unsigned number, const bson_t *key, const bson_t *min,
                         const bson_t *max)
{
    char name[16], shard[16];
    bson_t chunk;
    snprintf(name, sizeof name, "%u", number);
    snprintf(shard, sizeof shard, "s%u", number % 3 + 1);
    bson_append_array_begin(chunks, name, -1, &chunk);
    if (min == NULL)
        append_end(key, "0", BSON_TYPE_MINKEY, &chunk);
    else
        BSON_APPEND_DOCUMENT(&chunk, "0", min);
    if (max == NULL)
        append_end(key, "1", BSON_TYPE_MAXKEY, &chunk);
    else
        BSON_APPEND_DOCUMENT(&chunk, "1", max);
    BSON_APPEND_UTF8(&chunk, "2", shard);
    bson_append_array_end(chunks, &chunk);
}

sp_layout_t *sp_layout_from(const char *text)
{
    bson_t *doc = sp_doc_from(text), chunks, key, before, split;
    bson_iter_t iter, splits;
    unsigned number = 0;
    assert_true(bson_iter_init_find(&iter, doc, "key") && sp_value_document(&iter, &key));
    assert_true(bson_iter_init_find(&iter, doc, "splits") && bson_iter_recurse(&iter, &splits));
    bson_t whole = BSON_INITIALIZER;
    bson_copy_to_excluding_noinit(doc, &whole, "splits", NULL);
    BSON_APPEND_ARRAY_BEGIN(&whole, "chunks", &chunks);
    for (; bson_iter_next(&splits); number++) {
        assert_true(sp_value_document(&splits, &split));
        append_chunk(&chunks, number, &key, number == 0 ? NULL : &before, &split);
        assert_true(sp_value_document(&splits, &before));
    }
    append_chunk(&chunks, number, &key, number == 0 ? NULL : &before, NULL);
    bson_append_array_end(&whole, &chunks);
    sp_error_t error = {0};
    sp_layout_t *layout = sp_layout_new(&whole, &error);
    if (layout == NULL)
        fail_msg("%s: %s", text, error.message);
    bson_destroy(&whole);
    bson_destroy(doc);
    return layout;
}

sp_model_t *sp_model_of(const char *version)
{
    sp_version_t read;
    assert_true(sp_version_parse(version, &read, NULL));
    sp_model_t *model = sp_model_new(read, NULL);
    assert_non_null(model);
    return model;
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static char *answer_text(const bson_t *answer)
{
    bson_iter_t iter, inner;
    const char *names[8];
    size_t count = 0;
    assert_true(bson_iter_init(&iter, answer));
    if (bson_iter_find_descendant(&iter, "error.code", &inner))
        return bson_strdup_printf("%d", bson_iter_int32(&inner));
    assert_true(bson_iter_init_find(&iter, answer, "shards") && bson_iter_recurse(&iter, &inner));
    while (bson_iter_next(&inner)) {
        assert_true(count < sizeof names / sizeof *names);
        names[count++] = bson_iter_utf8(&inner, NULL);
    }
    qsort(names, count, sizeof *names, compare_names);
    bson_string_t *out = bson_string_new(NULL);
    for (size_t i = 0; i < count; i++)
        bson_string_append_printf(out, "%s%s", i > 0 ? " " : "", names[i]);
    return bson_string_free(out, false);
}

char *sp_answer_to(sp_model_t *model, const sp_layout_t *layout, const char *question)
{
    bson_t *doc = sp_doc_from(question), answer = BSON_INITIALIZER, filter, collation, update;
    if (!bson_has_field(doc, "filter")) {
        bson_t *whole = bson_new();
        BSON_APPEND_DOCUMENT(whole, "filter", doc);
        bson_destroy(doc);
        doc = whole;
    }
    sp_write_t write = {0};
    sp_query_t query;
    bson_iter_t iter;
    sp_error_t error = {0};
    bool ok = sp_case_query(doc, &filter, &collation, &query, &error);
    if (ok && bson_iter_init_find(&iter, doc, "op")) {
        write.query = query;
        assert_true(sp_write_kind_parse(bson_iter_utf8(&iter, NULL), &write.kind));
        if (bson_iter_init_find(&iter, doc, "update") && sp_value_document(&iter, &update))
            write.replacement = &update;
        ok = sp_predict_write(model, layout, &write, &answer, &error);
    } else if (ok) {
        ok = sp_predict_find(model, layout, &query, &answer, &error);
    }
    if (!ok)
        fail_msg("%s: %s", question, error.message);
    char *text = answer_text(&answer);
    bson_destroy(&answer);
    bson_destroy(doc);
    return text;
}

void sp_assert_answer(sp_model_t *model, const sp_layout_t *layout, const char *question,
                      const char *wanted)
{
    char *answer = sp_answer_to(model, layout, question);
    if (strcmp(answer, wanted) != 0)
        fail_msg("%u.%u.%u, %s: %s and not %s", model->version.major, model->version.minor,
                 model->version.patch, question, answer, wanted);
    bson_free(answer);
}

void sp_assert_answers(const char *version, bool later, const sp_answer_group_t *groups,
                       size_t count)
{
    sp_model_t *model = sp_model_of(version);
    for (size_t i = 0; i < count; i++) {
        sp_layout_t *layout = sp_layout_from(groups[i].layout);
        for (size_t j = 0; j < groups[i].count; j++) {
            const sp_answer_row_t *row = &groups[i].rows[j];
            sp_assert_answer(model, layout, row->question,
                             later && row->later != NULL ? row->later : row->answer);
        }
        sp_layout_free(layout);
    }
    sp_model_free(model);
}
